#!/usr/bin/python3
"""Runs programs, file to file, under a third and a hundredth of their data's bytes, beside the same without a bound.

    /usr/bin/python3 bench/memory/small_budgets.py [--tessera PROGRAM] [--folder DIR] [--turns N] [NAME...]

Data are 12 to 144 MB of inputs and results, so that a hundredth is some 100 KiB for every worker: tiles are small and
fall into short runs of their files. The three take turns; printed are the shortest seconds of each, and of the bounded
ones the times of the free run, by the clock and by the seconds of CPUs, planning and the start of the process in all.
All results are compared bit by bit where data are integers. Exit code 1: one differs, or a run failed.
"""
import argparse
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARES = (3, 100)

SOFTMAX = "input X[i,j]\nE[i,j] = exp(X[i,j] - (max[i] X[i,j]))\nR[i,j] = E[i,j] / (sum[i] E[i,j])\noutput R\n"
CHAIN = "input X[i,j], Y[i,j], Z[i,j]\nR[i,j] = X[i,j] * Y[i,j] + Z[i,j]\noutput R\n"


@dataclasses.dataclass
class Case:
    what: tuple  # the equation with its options, or the text of a program
    inputs: tuple
    integers: bool = True  # else sums round, and only bits of runs with equal cuts would be equal


CASES = {
    "matmul": Case(("ij,jk->ik",), ("A", "B")),
    "matmul, transposed": Case(("ji,jk->ik",), ("A", "B")),
    "matmul of i8": Case(("ij,jk->ik",), ("I", "J")),
    "transpose": Case(("ij->ji",), ("X",)),
    "permute cba": Case(("abc->cba",), ("P",)),
    "sum of rows": Case(("ij->i",), ("X",)),
    "sum of columns": Case(("ij->j",), ("X",)),
    "sum of rows, Fortran": Case(("ij->i",), ("F",)),
    "argmax of columns": Case(("ij->j", "--agg", "argmax"), ("X",)),
    "X + transposed Y": Case(("ij,ji->ij", "--join", "x+y"), ("X", "Y")),
    "X * Y + Z": Case((CHAIN,), ("X", "Y", "Z")),
    "softmax of columns": Case((SOFTMAX,), ("X",), integers=False),
}


def make_inputs(folder):
    random = np.random.default_rng(1)
    shapes = {"A": (2000, 2000), "B": (2000, 2000), "X": (3000, 3000), "Y": (3000, 3000), "Z": (3000, 3000),
              "F": (3000, 3000), "P": (200, 200, 200), "I": (2000, 2000), "J": (2000, 2000)}
    for name, shape in shapes.items():
        values = random.integers(-2, 3, shape).astype("i1" if name in "IJ" else "f4")
        np.save(folder / f"{name}.npy", np.asfortranarray(values) if name == "F" else values)


def arguments_of(case, folder, number):
    files = [f"{name}.npy" for name in case.inputs]
    if "output" not in case.what[0]:
        return ["einsum", case.what[0], *files, *case.what[1:]]
    program = f"program{number}.ein"
    (folder / program).write_text(case.what[0])
    return ["run", program, *(f"{name}={file}" for name, file in zip(case.inputs, files))]


def run(tessera, arguments, folder, result):
    """Seconds by the clock and of CPUs."""
    start = time.perf_counter()
    process = subprocess.Popen([tessera, *arguments, "-o", result, "--quiet"], cwd=folder)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"tessera {' '.join(arguments)} failed")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime


def measure(tessera, case, folder, number, turns):
    """The shortest of each kind of run, without a bound first; False if results differ."""
    arguments = arguments_of(case, folder, number)
    run(tessera, arguments, folder, "free.npy")
    data = sum((folder / f"{name}.npy").stat().st_size for name in (*case.inputs, "free"))
    budgets = [[], *(["--memory", str(data // share)] for share in SHARES)]
    best = [(float("inf"), float("inf"))] * len(budgets)
    same = True
    for _ in range(turns):
        for kind, options in enumerate(budgets):
            taken = run(tessera, arguments + options, folder, "bounded.npy")
            best[kind] = tuple(map(min, best[kind], taken))
            same = same and (not case.integers or np.array_equal(np.load(folder / "free.npy"), np.load(folder / "bounded.npy")))
    return best, same


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", default=ROOT / "build/release/src/cli/tessera")
    parser.add_argument("--folder")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    failed = False
    print("| program | free (CPU) | " + " | ".join(f"1/{share} of the data (CPU)" for share in SHARES) + " |")
    print("|---|---|" + "---|" * len(SHARES))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        make_inputs(pathlib.Path(folder))
        for number, (name, case) in enumerate(CASES.items()):
            if options.names and not any(wanted in name for wanted in options.names):
                continue
            (free, *bounded), same = measure(options.tessera, case, pathlib.Path(folder), number, options.turns)
            row = [f"{free[0] * 1e3:.0f} ms ({free[1] * 1e3:.0f})"]
            row += [f"{clock / free[0]:.2f} times ({cpu / free[1]:.2f})" for clock, cpu in bounded]
            print(f"| {name} | " + " | ".join(row) + (" |" if same else " | differs"), flush=True)
            failed = failed or not same
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
