#!/usr/bin/python3
"""Runs the commands shown in the documents and compares what they print with what the document says.

  run_docs.py TESSERA [--rewrite] [FILE.md ...]

A block fenced as ```console holds lines that start with `$ ` (commands) and below each the text it prints on stdout and
stderr together. All commands of a document are run one after the other in one shell, as if they were pasted: it starts in
the repository's root with TESSERA's folder on the PATH, and knows nothing else. A block fenced otherwise is left alone.
--rewrite puts what was printed into the documents.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?m)^```console\n(.*?)^```$", re.S)


def commands_in(block):
    """The block as (command, printed text) pairs."""
    pairs = []
    for line in block.splitlines():
        if line.startswith("$ "):
            pairs.append((line[2:], []))
        else:
            pairs[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in pairs]


def run(commands, tessera):
    """What each of the commands prints, all run in one shell."""
    end = "\x01"
    script = "\n".join(f"{command}\nprintf '{end}'" for command in commands)
    path = f"{tessera.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, env={**os.environ, "PATH": path}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60 + 20 * len(commands))
    return [printed.strip("\n") for printed in done.stdout.split(end)[:-1]]


def check(document, tessera, rewrite):
    """The number of commands run and of those that print something else than the document says."""
    text = document.read_text()
    pairs = [pair for block in BLOCK.findall(text) for pair in commands_in(block)]
    printed = iter(run([command for command, _ in pairs], tessera))
    counts = [len(pairs), 0]

    def replay(match):
        lines = []
        for command, expected in commands_in(match[1]):
            now = next(printed, "(the shell had ended)")
            if now != expected:
                counts[1] += 1
                if not rewrite:
                    print(f"{document.relative_to(ROOT)}: $ {command}")
                    print("\n".join(difflib.unified_diff(expected.splitlines(), now.splitlines(), "document", "printed",
                                                         lineterm="")))
            lines += [f"$ {command}"] + ([now] if now else [])
        return "```console\n" + "\n".join(lines) + "\n```"
    replayed = BLOCK.sub(replay, text)
    if rewrite and replayed != text:
        document.write_text(replayed)
        counts[1] = 0
    return counts


def main(arguments):
    rewrite = "--rewrite" in arguments
    names = [argument for argument in arguments if argument != "--rewrite"]
    tessera = pathlib.Path(names[0]).resolve()
    documents = [pathlib.Path(name).resolve() for name in names[1:]] or sorted(
        [*ROOT.glob("*.md"), *ROOT.glob("doc/*.md"), *ROOT.glob("examples/**/*.md")])
    ran = failed = 0
    for document in documents:
        commands, different = check(document, tessera, rewrite)
        ran += commands
        failed += different
    print(f"{ran - failed} passed, {failed} failed")
    return 1 if failed or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
