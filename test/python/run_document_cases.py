#!/usr/bin/python3
"""Runs the commands in the documents and compares what they print: a document that lies is a failed test.

  run_document_cases.py [--tessera PROGRAM] [--rewrite] [FILE...]

A command is a line `$ ...` in a ```console block; what it prints, on both streams, stands below it up to the next one.
It runs in bash in the root of the repository, with `tessera` in the path; $SCRATCH is a folder of its own.
--rewrite writes what is printed now into the documents; read the diff.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import command_line

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "examples/README.md", "examples/digits/README.md"]
BLOCK = re.compile(r"^```console\n(.*?)^```$", flags=re.S | re.M)


def output_of(line, scratch):
    environment = dict(os.environ, SCRATCH=scratch, PATH=f"{scratch}/bin:{os.environ['PATH']}")
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=command_line.TIMEOUT_SECONDS)
    text = done.stdout.replace(scratch, "$SCRATCH").replace(f"{ROOT}/", "")
    return text if text.endswith("\n") or not text else text + "\n"


def run_block(body, scratch):
    """The block as it would stand with what its commands print now."""
    commands = [line for line in body.splitlines() if line.startswith("$ ")]
    return "".join(f"{line}\n{output_of(line[2:], scratch)}" for line in commands)


def run_document(tessera, path):
    text = path.read_text()
    with tempfile.TemporaryDirectory() as scratch:
        (pathlib.Path(scratch) / "bin").mkdir()
        (pathlib.Path(scratch) / "bin" / "tessera").symlink_to(tessera.path)
        return text, BLOCK.sub(lambda block: f"```console\n{run_block(block[1], scratch)}```", text)


def first_difference(text, now):
    for number, (before, after) in enumerate(zip(text.splitlines(), now.splitlines()), 1):
        if before != after:
            return f"{number}: it says\n  {before}\nthe program prints\n  {after}"
    return "1: the program prints more, or less, at the end"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera")
    parser.add_argument("--rewrite", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    tessera = command_line.Tessera(options.tessera) if options.tessera else command_line.from_environment()
    files = options.files or [*map(ROOT.joinpath, DOCUMENTS), *sorted((ROOT / "doc").glob("*.md"))]
    wrong = 0
    for path in files:
        text, now = run_document(tessera, path)
        if options.rewrite:
            path.write_text(now)
        elif text != now:
            wrong += 1
            print(f"{path}:{first_difference(text, now)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
