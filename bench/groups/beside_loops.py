#!/usr/bin/python3
"""Aggregates by group beside loops in C++, written by hand and of one thread, and numpy.

  beside_loops.py [--tessera PROGRAM] [--repeat N] [--workers N] [NAME...]

Prints a table in Markdown: milliseconds on the clock, in parentheses those of CPUs, the least of all turns; and the median of the ratios
of the turns on the clock and of CPUs. Ours is `actual.execution_seconds` of a run, from the first task to the last, reading the files in
it, and results left in memory; its CPU milliseconds are those of the process, its start in them. The others read the same files with
numpy.load, then compute. All are started in turn, as other programs may run beside. The loops are compiled with c++ -O3 -march=native.
Exits with 1 if a result is wrong.
"""
import argparse
import ctypes
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "files"))
from beside_numpy import cpu_seconds  # noqa: E402


def whole(*shape, high):
    return np.random.default_rng(list(shape)).integers(0, high, shape)


def small(*shape):
    """Numbers whose sums are exact."""
    return np.random.default_rng(list(shape)).integers(-3, 4, shape).astype("f4")


def pointers(*arrays):
    return [ctypes.c_void_p(array.ctypes.data) for array in arrays]


def histogram_loop(loops, X):
    counts = np.zeros(1000, "i8")
    loops.histogram(*pointers(X), ctypes.c_int64(len(X)), *pointers(counts))
    return counts


def rows_loop(num_groups):
    def run(loops, G, D):
        sums = np.zeros((num_groups, D.shape[1]), "f4")
        loops.add_rows(*pointers(G, D), *map(ctypes.c_int64, D.shape), *pointers(sums))
        return sums
    return run


def products_loop(loops, R, K, V, B):
    sums = np.zeros((100_000, B.shape[1]), "f4")
    loops.add_products(*pointers(R, K, V, B), ctypes.c_int64(len(R)), ctypes.c_int64(B.shape[1]), *pointers(sums))
    return sums


def named_rows_loop(loops, G, I, T):
    sums = np.zeros((1000, T.shape[1]), "f4")
    loops.add_named_rows(*pointers(G, I, T), ctypes.c_int64(len(I)), ctypes.c_int64(T.shape[1]), *pointers(sums))
    return sums


def add_named(G, I, T):
    sums = np.zeros((1000, T.shape[1]), "f4")
    np.add.at(sums, G, T[I])
    return sums


def add_at(num_groups):
    def run(G, D):
        sums = np.zeros((num_groups, D.shape[1]), "f4")
        np.add.at(sums, G, D)
        return sums
    return run


CASES = {  # name: (program, its inputs, the loop, numpy's or none where that takes seconds)
    "histogram of 1e7, 1000 bins": ("input X[n]\nY[X[n] of 1000] = sum[n] 1\noutput Y\n", lambda: {"X": whole(10_000_000, high=1000)},
                                    histogram_loop, lambda X: np.bincount(X, minlength=1000)),
    "79,000 rows of 100 into 1,000,000": ("input G[n], D[n,e]\nY[G[n] of 1000000, e] = sum[n] D[n,e]\noutput Y\n",
                                          lambda: {"G": whole(79_000, high=1_000_000), "D": small(79_000, 100)}, rows_loop(1_000_000),
                                          add_at(1_000_000)),
    "1,000,000 rows of 100 into 79,000": ("input G[n], D[n,e]\nY[G[n] of 79000, e] = sum[n] D[n,e]\noutput Y\n",
                                          lambda: {"G": whole(1_000_000, high=79_000), "D": small(1_000_000, 100)}, rows_loop(79_000), None),
    "79,000 rows named of 1,000,000 into 1000": (
        "input G[n], I[n], T[m,e]\nY[G[n] of 1000, e] = sum[n] T[I[n], e]\noutput Y\n",
        lambda: {"G": whole(79_000, high=1000), "I": whole(2, 39_500, high=1_000_000).ravel(), "T": small(1_000_000, 100)}, named_rows_loop,
        add_named),
    "COO times dense, 1e6 values, 64 columns": (
        "input R[p], K[p], V[p], B[k,j]\nY[R[p] of 100000, j] = sum[p] V[p] * B[K[p], j]\noutput Y\n",
        lambda: {"R": whole(1_000_000, high=100_000), "K": whole(2, 500_000, high=100_000).ravel(), "V": small(1_000_000),
                 "B": small(100_000, 64)}, products_loop, None),
}


def compiled(folder):
    library = folder / "loops.so"
    subprocess.run(["c++", "-O3", "-march=native", "-shared", "-fPIC", FOLDER / "loops.cpp", "-o", library], check=True)
    return ctypes.CDLL(str(library))


def seconds_of_ours(options, names, folder):
    files = [f"{name}={name}.npy" for name in names]
    cpu = cpu_seconds()
    done = subprocess.run([options.tessera, "run", "program.ein", *files, "--analyze", "--json", "--workers", str(options.workers)],
                          cwd=folder, check=True, capture_output=True, text=True)
    figures = json.JSONDecoder().raw_decode(done.stdout[done.stdout.index("{"):])[0]
    return figures["actual"]["execution_seconds"][0], cpu_seconds() - cpu


def seconds_of(names, folder, compute):
    start, cpu = time.perf_counter(), cpu_seconds()
    compute(*(np.load(folder / f"{name}.npy") for name in names))
    return time.perf_counter() - start, cpu_seconds() - cpu


def cell(turns):
    return f"{1000 * min(turn[0] for turn in turns):.0f} ms ({1000 * min(turn[1] for turn in turns):.0f})"


def ratio(ours, others, place):
    return statistics.median(own[place] / other[place] for own, other in zip(ours, others))


def run_case(options, loops, name, folder):
    program, inputs, loop, peer = CASES[name]
    arrays = inputs()
    (folder / "program.ein").write_text(program)
    for key, array in arrays.items():
        np.save(folder / f"{key}.npy", array)
    files = [f"{key}={key}.npy" for key in arrays]
    subprocess.run([options.tessera, "run", "program.ein", *files, "-o", "Y=Y.npy", "--quiet"], cwd=folder, check=True)
    is_right = np.array_equal(np.load(folder / "Y.npy"), loop(loops, *arrays.values()))
    ours, hand, numpys = [], [], []
    for _ in range(options.repeat):
        ours.append(seconds_of_ours(options, arrays, folder))
        hand.append(seconds_of(arrays, folder, lambda *given: loop(loops, *given)))
        if peer:
            numpys.append(seconds_of(arrays, folder, peer))
    print(f"| {name}{'' if is_right else ' (wrong)'} | {cell(ours)} | {cell(hand)} | {ratio(ours, hand, 0):.2f} ({ratio(ours, hand, 1):.2f}) | "
          f"{cell(numpys) + f' | {ratio(ours, numpys, 0):.2f} ({ratio(ours, numpys, 1):.2f})' if peer else '| '} |", flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    print("| program | Tessera | loop | ratio | numpy | ratio |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        loops = compiled(pathlib.Path(folder))
        names = [name for name in CASES if not options.names or name in options.names]
        results = [run_case(options, loops, name, pathlib.Path(folder)) for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
