#!/usr/bin/python3
"""Runs the commands shown in the documents and compares what they print with what the document says.

  run_docs.py TESSERA [--rewrite] [FILE.md ...]

A block fenced as ```console holds lines that start with `$ ` (commands, run in the repository's root with `tessera`
being TESSERA) and below each the text it prints on stdout and stderr together. A block fenced otherwise is left alone.
--rewrite puts what was printed into the documents.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

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


def run(command, tessera, scratch):
    path = f"{tessera.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env={**os.environ, "PATH": path, "SCRATCH": scratch},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    return done.stdout.rstrip("\n")


def check(document, tessera, rewrite):
    """The number of commands run and of those that print something else than the document says."""
    text = document.read_text()
    counts = [0, 0]
    with tempfile.TemporaryDirectory() as scratch:
        def replay(match):
            lines = []
            for command, expected in commands_in(match[1]):
                printed = run(command, tessera, scratch)
                counts[0] += 1
                if printed != expected:
                    counts[1] += 1
                    if not rewrite:
                        print(f"{document.relative_to(ROOT)}: $ {command}")
                        print("\n".join(difflib.unified_diff(expected.splitlines(), printed.splitlines(), "document",
                                                             "printed", lineterm="")))
                lines += [f"$ {command}"] + ([printed] if printed else [])
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
