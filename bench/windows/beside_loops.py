#!/usr/bin/python3
"""Convolutions, pooling, moving sums and stencils beside loops in C++, written by hand for their sizes, and numpy.

  beside_loops.py [--tessera PROGRAM] [--repeat N] [--kernel KERNEL] [NAME...]

Prints a table in Markdown: the least milliseconds of all turns, and the median of the ratios of the turns; all of one thread, and without
the reading of files. Ours is what the statements' kernels took, and beside it what was predicted. The others compute from arrays in memory,
loops into a result whose memory was used before, as ours is from the second tile on. All take turns, as other programs may run beside;
numpy, by windows that are views, takes one turn. The loops are compiled with c++ -O3 -march=native. Exits with 1 if a result is wrong.
"""
import argparse
import ctypes
import dataclasses
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view as windows

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(__file__).resolve().parent


def small(dtype, *shape):
    """Numbers whose sums are exact."""
    return np.random.default_rng(list(shape)).integers(-3, 4, shape).astype(dtype)


@dataclasses.dataclass
class Case:
    """A program with its inputs, the loop with the numbers that it takes beside arrays, and numpy's expression."""

    text: str
    inputs: callable
    loop: str
    numpy: callable
    numbers: tuple = ()


def conv2d(dtype, batches, side, step, loop):
    text = f"input X[n,c,y,x], W[o,c,q,r]\nY[n,o,i,j] = sum[c,q,r] X[n, c, {step}*i + q, {step}*j + r] * W[o,c,q,r]\noutput Y\n"
    return Case(text, lambda: {"X": small(dtype, batches, 64, side, side), "W": small(dtype, 64, 64, 3, 3)}, loop,
                lambda X, W: np.einsum("ncyxqr,ocqr->noyx", windows(X, (3, 3), (2, 3))[:, :, ::step, ::step], W, optimize=True))


def windowed(aggregate, side, step):
    return (f"input X[n,c,y,x]\nlabel q = {side}\nlabel r = {side}\n"
            f"Y[n,c,i,j] = {aggregate}[q,r] X[n, c, {step}*i + q, {step}*j + r]\noutput Y\n")


CASES = {
    "conv3d, 3 to 10 channels, 3x3x3, 16x270x480 f32": Case(
        "input X[c,z,y,x], W[o,c,p,q,r]\nY[o,i,j,k] = sum[c,p,q,r] X[c, i + p, j + q, k + r] * W[o,c,p,q,r]\noutput Y\n",
        lambda: {"X": small("f4", 3, 18, 272, 482), "W": small("f4", 10, 3, 3, 3, 3)}, "conv3d",
        lambda X, W: np.einsum("czyxpqr,ocpqr->ozyx", windows(X, (3, 3, 3), (1, 2, 3)), W, optimize=True)),
    "conv2d, 64 to 64 channels, 3x3, 32x56x56 f32": conv2d("f4", 32, 58, 1, "conv2d"),
    "the same at every second place": conv2d("f4", 32, 57, 2, "conv2d_step_2"),
    "conv2d, 64 to 64 channels, 3x3, 8x56x56 f64": conv2d("f8", 8, 58, 1, "conv2d_f64"),
    "conv2d, 64 to 64 channels, 3x3, 8x56x56 i32": conv2d("i4", 8, 58, 1, "conv2d_i32"),
    "grouped conv2d, 4 groups of 16 to 16, 3x3, 32x56x56 f32": Case(
        "input X[n,g,c,y,x], W[g,o,c,q,r]\nY[n,g,o,i,j] = sum[c,q,r] X[n, g, c, i + q, j + r] * W[g,o,c,q,r]\noutput Y\n",
        lambda: {"X": small("f4", 32, 4, 16, 58, 58), "W": small("f4", 4, 16, 16, 3, 3)}, "grouped",
        lambda X, W: np.einsum("ngcyxqr,gocqr->ngoyx", windows(X, (3, 3), (3, 4)), W, optimize=True)),
    "depthwise conv2d, 64 channels, 3x3, 32x56x56 f32": Case(
        "input X[n,c,y,x], W[c,q,r]\nY[n,c,i,j] = sum[q,r] X[n, c, i + q, j + r] * W[c,q,r]\noutput Y\n",
        lambda: {"X": small("f4", 32, 64, 58, 58), "W": small("f4", 64, 3, 3)}, "depthwise",
        lambda X, W: np.einsum("ncyxqr,cqr->ncyx", windows(X, (3, 3), (2, 3)), W)),
    "one 3x3 filter, 4000x4000 f64": Case(
        "input X[y,x], W[q,r]\nY[i,j] = sum[q,r] X[i + q, j + r] * W[q,r]\noutput Y\n",
        lambda: {"X": small("f8", 4002, 4002), "W": small("f8", 3, 3)}, "filter_f64",
        lambda X, W: np.einsum("yxqr,qr->yx", windows(X, (3, 3)), W)),
    "max of 2x2, 32x64x112x112 f32": Case(windowed("max", 2, 2), lambda: {"X": small("f4", 32, 64, 112, 112)}, "pool_2",
                                          lambda X: windows(X, (2, 2), (2, 3))[:, :, ::2, ::2].max((-1, -2))),
    "max of 3x3 at every second place, 32x64x113x113 f32": Case(
        windowed("max", 3, 2), lambda: {"X": small("f4", 32, 64, 113, 113)}, "pool_3",
        lambda X: windows(X, (3, 3), (2, 3))[:, :, ::2, ::2].max((-1, -2))),
    "mean of 3x3, 4000x4000 f64": Case(
        "input X[y,x]\nlabel q = 3\nlabel r = 3\nY[i,j] = mean[q,r] X[i + q, j + r]\noutput Y\n",
        lambda: {"X": small("f8", 4002, 4002)}, "box_3", lambda X: windows(X, (3, 3)).mean((-1, -2))),
    "moving sum of 5, 8e6 f64": Case("input X[n]\nlabel t = 5\nY[i] = sum[t] X[i + t]\noutput Y\n", lambda: {"X": small("f8", 8_000_004)},
                                     "short_moving_sum", lambda X: windows(X, 5).sum(-1), (8_000_000,)),
    "moving sum of 101, 8e6 f64": Case("input X[n]\nlabel t = 101\nY[i] = sum[t] X[i + t]\noutput Y\n",
                                       lambda: {"X": small("f8", 8_000_100)}, "moving_sum", lambda X: windows(X, 101).sum(-1),
                                       (8_000_000, 101)),
    "3 points, 16e6 f64": Case("input U[n]\nY[i] = U[i] - 2 * U[i + 1] + U[i + 2]\noutput Y\n", lambda: {"U": small("f8", 16_000_002)},
                               "stencil_1d", lambda U: U[:-2] - 2 * U[1:-1] + U[2:]),
    "5 points, 4000x4000 f64": Case(
        "input U[y,x]\nY[i,j] = U[i, j + 1] + U[i + 2, j + 1] + U[i + 1, j] + U[i + 1, j + 2] - 4 * U[i + 1, j + 1]\noutput Y\n",
        lambda: {"U": small("f8", 4002, 4002)}, "stencil_2d",
        lambda U: U[:-2, 1:-1] + U[2:, 1:-1] + U[1:-1, :-2] + U[1:-1, 2:] - 4 * U[1:-1, 1:-1]),
    "7 points, 256x256x256 f32": Case(
        "input U[z,y,x]\nY[i,j,k] = U[i, j + 1, k + 1] + U[i + 2, j + 1, k + 1] + U[i + 1, j, k + 1] + U[i + 1, j + 2, k + 1] + "
        "U[i + 1, j + 1, k] + U[i + 1, j + 1, k + 2] - 6 * U[i + 1, j + 1, k + 1]\noutput Y\n",
        lambda: {"U": small("f4", 258, 258, 258)}, "stencil_3d",
        lambda U: (U[:-2, 1:-1, 1:-1] + U[2:, 1:-1, 1:-1] + U[1:-1, :-2, 1:-1] + U[1:-1, 2:, 1:-1] + U[1:-1, 1:-1, :-2]
                   + U[1:-1, 1:-1, 2:] - 6 * U[1:-1, 1:-1, 1:-1])),
}


def compiled(folder):
    library = folder / "loops.so"
    subprocess.run(["c++", "-std=c++20", "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math", "-shared",
                    "-fPIC", "-w", FOLDER / "loops.cpp", "-o", library], check=True)
    return ctypes.CDLL(str(library))


def ours(options, names, folder, *more):
    """Seconds of the kernels of all statements, and what was predicted."""
    done = subprocess.run([options.tessera, "run", "program.ein", *(f"{name}={name}.npy" for name in names), "--analyze", "--json",
                           "--workers", "1", *options.kernel, *more], cwd=folder, check=True, capture_output=True, text=True)
    figures = json.JSONDecoder().raw_decode(done.stdout[done.stdout.index("{"):])[0]
    computed = [one for one in figures["statements"] if one["kernels"] != ["read"]]
    written = [one for one in figures["files"] if one["direction"] == "write"]
    return [sum(one[key] for one in computed) - sum(one[key] for one in written) for key in ("actual_seconds", "estimated_seconds")]


def seconds_of(compute):
    start = time.perf_counter()
    compute()
    return time.perf_counter() - start


def run_case(options, loops, name, folder):
    case = CASES[name]
    arrays = case.inputs()
    (folder / "program.ein").write_text(case.text)
    for key, array in arrays.items():
        np.save(folder / f"{key}.npy", array)
    ours(options, arrays, folder, "-o", "Y=Y.npy")
    result = np.load(folder / "Y.npy")
    by_hand = np.zeros_like(result)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays.values()]

    def loop():
        getattr(loops, case.loop)(*pointers, *map(ctypes.c_int64, case.numbers), ctypes.c_void_p(by_hand.ctypes.data))

    turns = [(ours(options, arrays, folder), seconds_of(loop)) for _ in range(options.repeat)]
    is_right = np.array_equal(result, by_hand)
    numpy = "| "
    if options.numpy:
        began = time.perf_counter()
        by_numpy = case.numpy(*arrays.values())
        seconds = time.perf_counter() - began
        is_right = is_right and np.array_equal(result, by_numpy)
        numpy = f"{1000 * seconds:.0f} ms | {min(own[0] for own, _ in turns) / seconds:.3f}"
    ratio = statistics.median(own[0] / by_loop for own, by_loop in turns)
    predicted = statistics.median(own[1] / own[0] for own, _ in turns)
    print(f"| {name}{'' if is_right else ' (wrong)'} | {1000 * min(own[0] for own, _ in turns):.1f} ms | "
          f"{1000 * min(by_loop for _, by_loop in turns):.1f} ms | {ratio:.2f} | {numpy} | {predicted:.2f} |", flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--kernel", help="runs every statement, in place of those that the plan chooses")
    parser.add_argument("--no-numpy", dest="numpy", action="store_false")
    parser.add_argument("names", nargs="*", help="those whose name has one of these in it")
    options = parser.parse_args()
    options.tessera = pathlib.Path(options.tessera).resolve()
    options.kernel = ["--kernel", options.kernel] if options.kernel else []
    print("| program | Tessera | loop | ratio | numpy | ratio | predicted / actual |\n|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        loops = compiled(pathlib.Path(folder))
        names = [name for name in CASES if not options.names or any(part in name for part in options.names)]
        results = [run_case(options, loops, name, pathlib.Path(folder)) for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
