#!/usr/bin/python3
"""Every file of test/error through the command line: what it says, where it points, how it ends.

  run_message_cases.py [--tessera PROGRAM] [--rewrite] [FILE...]

A file is a comment, what there is, one command, `----`, what the command writes to stderr and its exit code:

  # name: test/error/size_of_label.error
  # Two operands disagree about a label.
  array A f64[4,6]                      writes A.npy, zeros
  text two.ein                          writes two.ein, the lines up to `end`
  end
  tessera einsum ij,jk->ik A.npy B.npy
  ----
  error: ...
  exit 1

--rewrite replaces what stands below `----` by what the program says now; read the diff.
"""
import argparse
import pathlib
import re
import shlex
import sys
import tempfile

import numpy as np

import command_line

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "error"
DTYPES = {"f64": "float64", "f32": "float32", "i64": "int64", "i8": "int8", "i32": "int32", "u8": "uint8", "c128": "complex128", "bool": "bool"}


def prepare(lines, folder):
    """Writes the files that a case describes; returns its command."""
    command = None
    lines = iter(lines)
    for line in lines:
        if line.startswith("array "):
            name, dtype, shape = re.fullmatch(r"array (\w+) (\w+)\[([\d,]*)\]", line).groups()
            extents = [int(extent) for extent in shape.split(",") if extent]
            np.save(folder / f"{name}.npy", np.zeros(extents, DTYPES[dtype]))
        elif line.startswith("text "):
            text = "".join(f"{row}\n" for row in iter(lambda: next(lines), "end"))
            (folder / line[len("text "):]).write_text(text)
        elif line.startswith("tessera "):
            command = shlex.split(line)[1:]
        elif line and not line.startswith("#"):
            raise ValueError(f"not understood: {line}")
    return command


def run_case(tessera, path, is_rewriting):
    """The problem with a case in words, empty if there is none."""
    given, _, wanted = path.read_text().partition("\n----\n")
    with tempfile.TemporaryDirectory() as folder:
        command = prepare(given.splitlines(), pathlib.Path(folder))
        done = tessera.call(*command, folder=folder)
    said = f"{done.stderr.rstrip()}\nexit {done.exit_code}\n"
    if done.stdout:
        return f"{path.name}: an error leaves stdout empty, but it holds\n{done.stdout}"
    if is_rewriting:
        path.write_text(f"{given}\n----\n{said}")
        return ""
    return "" if said == wanted else f"{path.name}: it says\n{said}instead of\n{wanted}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera")
    parser.add_argument("--rewrite", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    tessera = command_line.Tessera(options.tessera) if options.tessera else command_line.from_environment()
    files = options.files or sorted(FOLDER.glob("*.error"))
    problems = [p for p in command_line.for_all(lambda path: run_case(tessera, path, options.rewrite), files) if p]
    print(*problems, sep="\n")
    print(f"{len(files) - len(problems)} of {len(files)} messages are as written")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
