#!/usr/bin/python3
"""Scans beside loops in C++, written by hand, of two threads, beside numpy, and beside octave where it is installed.

  beside_loops.py [--tessera PROGRAM] [--repeat N] [--workers N] [--folder FOLDER] [NAME...]

Prints a table in Markdown: the least milliseconds of all turns, and the median of the ratios of the turns. Ours is
`actual.execution_seconds` of a run: from the first task to the last, less the moments in which nothing but files was touched, so with
reading that goes on beside; results are left in memory. `with files` is a run from its start to its end beside the loop with numpy.load
before it. The loop alone has its operands in memory and a result whose pages are there; numpy and octave have their operands in memory.
What does not fit in memory is run under a third of its bytes, file to file, beside two passes over its file and one over its result.
The loops are compiled with c++ -O3 -march=native -fopenmp. Exits with 1 if a result is wrong.
"""
import argparse
import ctypes
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(__file__).resolve().parent
SHAPE = (1_000_000, 64)
LENGTH = 64_000_000
STEPS = 10_240_000


def ramp(*shape):
    """Numbers that are summed without rounding."""
    return (np.arange(np.prod(shape)) % 1000.0).reshape(shape)


def signs(*shape):
    """Numbers whose products are exact."""
    return np.where(np.arange(np.prod(shape)) % 3 == 0, -1.0, 1.0).reshape(shape)


def grid(function):
    def run(loops, to, X):
        getattr(loops, function)(pointer(X), *map(ctypes.c_int64, X.shape), pointer(to))
    return run


def vector(loops, to, X):
    loops.add_vector(pointer(X), ctypes.c_int64(len(X)), pointer(to))


def recurrence(loops, to, A, B):
    loops.recurrence(pointer(A), pointer(B), ctypes.c_int64(len(A)), pointer(to))


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def of_matrix(scan, label):
    return f"input X[i,j]\nY[i,j] = {scan}[{label}] X[i,j]\noutput Y\n"


CASES = {  # name: (program, its inputs, the loop, numpy's, octave's; none where there is none)
    f"{scan} of 1e6 x 64, {way}": (of_matrix(scan, label), lambda values=values: {"X": values(*SHAPE)}, grid(f"{op}_{way}"),
                                   lambda X, ufunc=ufunc, axis=axis: ufunc.accumulate(X, axis), f"{scan}(X, {axis + 1})")
    for scan, op, ufunc, values in (("cumsum", "add", np.add, ramp), ("cumprod", "multiply", np.multiply, signs),
                                    ("cummin", "least", np.minimum, ramp))
    for way, label, axis in (("down", "i", 0), ("across", "j", 1))
}
CASES["cumsum of 64e6"] = ("input X[i]\nY[i] = cumsum[i] X[i]\noutput Y\n", lambda: {"X": ramp(LENGTH)}, vector, np.cumsum, "cumsum(X)")
CASES["cumsumprod of 1e7"] = (
    "aggregate step((a, b), (c, d)) = (c * a, c * b + d) identity (1, 0) gives b\n"
    "input A[i], B[i]\nY[i] = scan[i] step(A[i], B[i])\noutput Y\n",
    lambda: {"A": np.where(np.arange(STEPS) % 7 == 0, 0.0, 1.0), "B": ramp(STEPS)}, recurrence, None, None)
OUT_OF_CORE = "cumsum of 64e6, a third of it in memory"


def compiled(folder):
    library = folder / "loops.so"
    subprocess.run(["c++", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", FOLDER / "loops.cpp", "-o", library], check=True)
    return ctypes.CDLL(str(library))


def run_ours(options, names, folder, *more):
    """Seconds of execution, and of the run from its start to its end."""
    files = [f"{name}={name}.npy" for name in names]
    done = subprocess.run([options.tessera, "run", "program.ein", *files, "--workers", str(options.workers), *more], cwd=folder,
                          check=True, capture_output=True, text=True)
    if "--json" not in more:
        return None
    figures = json.JSONDecoder().raw_decode(done.stdout[done.stdout.index("{"):])[0]["actual"]
    return figures["execution_seconds"][0], figures["run_seconds"]


def timed(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def octave_seconds(expression, names, folder):
    """Of its second evaluation, with operands of the same shapes."""
    if expression is None or not shutil.which("octave"):
        return None
    shapes = {name: np.load(folder / f"{name}.npy", mmap_mode="r").shape for name in names}
    made = " ".join(f"{name} = rand({shape[0]}, {shape[1] if len(shape) > 1 else 1});" for name, shape in shapes.items())
    done = subprocess.run(["octave", "--eval", f"{made} Y = {expression}; tic; Y = {expression}; disp(toc)"], check=True,
                          capture_output=True, text=True)
    return float(done.stdout.split()[-1])


def ratio(ours, others):
    return f"{statistics.median(own / other for own, other in zip(ours, others)):.2f}"


def milliseconds(turns):
    return f"{1000 * min(turns):.0f} ms"


def prepared(program, arrays, folder):
    (folder / "program.ein").write_text(program)
    for key, array in arrays.items():
        np.save(folder / f"{key}.npy", array)


def run_case(options, loops, name, folder):
    program, inputs, loop, peer, octave = CASES[name]
    arrays = inputs()
    prepared(program, arrays, folder)
    to = np.zeros_like(next(iter(arrays.values())))
    loop(loops, to, *arrays.values())
    run_ours(options, arrays, folder, "-o", "Y=Y.npy", "--quiet")
    is_right = np.array_equal(np.load(folder / "Y.npy"), to)
    ours, whole, alone, reading, numpys = [], [], [], [], []
    for _ in range(options.repeat):
        execution, run = run_ours(options, arrays, folder, "--analyze", "--json")
        ours.append(execution)
        whole.append(run)
        alone.append(timed(lambda: loop(loops, to, *arrays.values())))
        reading.append(timed(lambda: loop(loops, to, *(np.load(folder / f"{key}.npy") for key in arrays))))
        if peer:
            numpys.append(timed(lambda: peer(*arrays.values())))
    of_octave = octave_seconds(octave, arrays, folder)
    print(f"| {name}{'' if is_right else ' (wrong)'} | {milliseconds(ours)} | {milliseconds(alone)} | {ratio(ours, alone)} "
          f"| {milliseconds(whole)} | {milliseconds(reading)} | {ratio(whole, reading)} "
          f"| {milliseconds(numpys) + ' | ' + ratio(ours, numpys) if numpys else ' | '} "
          f"| {f'{1000 * of_octave:.0f} ms' if of_octave else ''} |", flush=True)
    return is_right


def run_out_of_core(options, loops, folder):
    X = ramp(LENGTH)
    prepared("input X[i]\nY[i] = cumsum[i] X[i]\noutput Y\n", {"X": X}, folder)
    ours, passes = [], []
    for _ in range(options.repeat):
        ours.append(timed(lambda: run_ours(options, ["X"], folder, "-o", "Y=Y.npy", "--quiet", "--memory", str(X.nbytes // 3))))
        passes.append(timed(lambda: loops.two_passes(bytes(folder / "X.npy"), bytes(folder / "passes"), ctypes.c_int64(X.nbytes))))
    is_right = np.array_equal(np.load(folder / "Y.npy"), np.cumsum(X))
    print(f"\n{OUT_OF_CORE}{'' if is_right else ' (wrong)'}: {milliseconds(ours)}, two passes {milliseconds(passes)}, "
          f"{ratio(ours, passes)}")
    return is_right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", default="/var/tmp", help="where files are made: of a disk, but for what does fit in memory")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as made:
        folder = pathlib.Path(made)
        loops = compiled(folder)
        print("| program | Tessera | loop alone | ratio | with files | loop with files | ratio | numpy | ratio | octave |\n"
              "|---|---|---|---|---|---|---|---|---|---|", flush=True)
        names = [name for name in CASES if not options.names or name in options.names]
        results = [run_case(options, loops, name, folder) for name in names]
        if not options.names or OUT_OF_CORE in options.names:
            results.append(run_out_of_core(options, loops, folder))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
