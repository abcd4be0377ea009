#!/usr/bin/python3
"""Programs on tall and transposed data, file to file, beside numpy's load, compute and save.

  beside_numpy.py [--tessera PROGRAM] [--repeat N] [--most RATIO] [NAME...]

Prints a table in Markdown. Tessera's time is that of the whole process, from the start to the results' names; numpy's
that of its three steps in a process that runs already. The two take turns, and the median of the ratios of the turns
counts, as other programs may run beside; CPU seconds stand beside them, which those disturb less. The last line, a product with a matrix 98 times over, is compared with
itself without a bound on memory. Exits with 1 if a result is wrong or a ratio above RATIO (2 if it is not said).
"""
import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def softmax(X):
    E = np.exp(X - X.max(0))
    return E / E.sum(0)


def batch_norm(X, g, b):
    mean = X.mean(0)
    return (X - mean) / np.sqrt(((X - mean) ** 2).mean(0) + np.float32(1e-5)) * g + b


def stencil(X):
    P = np.pad(X, 1)
    return np.float32(0.2) * (P[1:-1, 1:-1] + P[:-2, 1:-1] + P[2:, 1:-1] + P[1:-1, :-2] + P[1:-1, 2:])


def cumargmax(X):
    is_better = np.r_[True, X[1:] > np.maximum.accumulate(X)[:-1]]
    return np.maximum.accumulate(np.where(is_better, np.arange(X.size), 0))


def cumsum_by(X, G):
    total = np.cumsum(X)
    starts = np.flatnonzero(np.r_[True, G[1:] != G[:-1]])
    return total - np.repeat(total[starts] - X[starts], np.diff(np.r_[starts, X.size]))


def steps(A, B, parts=2000):
    """z[i] = A[i] * z[i-1] + B[i]: parts side by side, then the parts one after the other."""
    A, B = (np.ascontiguousarray(each.reshape(parts, -1).T) for each in (A, B))
    for step in range(1, len(A)):
        B[step] += A[step] * B[step - 1]
        A[step] *= A[step - 1]
    before = 0.0
    for part in range(parts):
        B[:, part] += A[:, part] * before
        before = B[-1, part]
    return B.T.reshape(-1)


def ramp(*shape):
    """f64 that is summed without rounding."""
    return lambda: (np.arange(np.prod(shape)) % 1000.0).reshape(shape)


def rows(number, of):
    return lambda: np.random.default_rng(number).integers(0, of, number)


TALL = {"X": (1_000_000, 60)}
PROGRAMS = {  # name: (program, its inputs: shapes of normal f32 or what makes them, numpy's expression)
    "scale columns": ("input X[n,k], w[k]\nY[n,k] = X[n,k] * w[k]\noutput Y\n", {"X": (1_000_000, 16), "w": (16,)},
                      lambda X, w: X * w),
    "column means": ("input X[n,k]\nY[k] = mean[n] X[n,k]\noutput Y\n", TALL, lambda X: X.mean(0)),
    "subtract means": ("input X[n,k]\nY[n,k] = X[n,k] - (mean[n] X[n,k])\noutput Y\n", TALL, lambda X: X - X.mean(0)),
    "standardise": ("input X[n,k]\nm[k] = mean[n] X[n,k]\ns[k] = sqrt(mean[n] (X[n,k] - m[k])^2)\n"
                    "Y[n,k] = (X[n,k] - m[k]) / s[k]\noutput Y\n", TALL, lambda X: (X - X.mean(0)) / X.std(0)),
    "min-max": ("input X[n,k]\nlow[k] = min[n] X[n,k]\nhigh[k] = max[n] X[n,k]\n"
                "Y[n,k] = (X[n,k] - low[k]) / (high[k] - low[k])\noutput Y\n", TALL,
                lambda X: (X - X.min(0)) / (X.max(0) - X.min(0))),
    "softmax over n": ("input X[n,k]\nY[n,k] = softmax[n](X[n,k])\noutput Y\n", TALL, softmax),
    "batch norm": ("input X[n,k], g[k], b[k]\nm[k] = mean[n] X[n,k]\nv[k] = mean[n] (X[n,k] - m[k])^2\n"
                   "Y[n,k] = (X[n,k] - m[k]) / sqrt(v[k] + 1e-5) * g[k] + b[k]\noutput Y\n",
                   {"X": (1_000_000, 60), "g": (60,), "b": (60,)}, batch_norm),
    "permute": ("input X[i,j,k]\nY[k,j,i] = X[i,j,k]\noutput Y\n", {"X": (300, 400, 350)},
                lambda X: np.ascontiguousarray(X.transpose(2, 1, 0))),
    "cumsum down, f64": ("input X[i,j]\nY[i,j] = cumsum[i] X[i,j]\noutput Y\n", {"X": ramp(1_000_000, 64)},
                         lambda X: np.cumsum(X, 0)),
    "cumsum across, f64": ("input X[i,j]\nY[i,j] = cumsum[j] X[i,j]\noutput Y\n", {"X": ramp(1_000_000, 64)},
                           lambda X: np.cumsum(X, 1)),
    "cumsum of 64e6, f64": ("input X[i]\nY[i] = cumsum[i] X[i]\noutput Y\n", {"X": ramp(64_000_000)}, np.cumsum),
    "cummax down": ("input X[i,j]\nY[i,j] = cummax[i] X[i,j]\noutput Y\n", {"X": (1_000_000, 64)},
                    lambda X: np.maximum.accumulate(X, 0)),
    "cumargmax of 1e7, f64": ("input X[i]\nY[i] = cumargmax[i] X[i]\noutput Y\n", {"X": ramp(10_000_000)}, cumargmax),
    "cumlogsumexp of 1e7, f64": ("input X[i]\nY[i] = cumlogsumexp[i] X[i]\noutput Y\n", {"X": ramp(10_000_000)},
                                 np.logaddexp.accumulate),
    "cumsum of 1e7 by segments, f64": ("input X[i], G[i]\nY[i] = cumsum[i by G[i]] X[i]\noutput Y\n",
                                       {"X": ramp(10_000_000), "G": lambda: np.arange(10_000_000) // 100}, cumsum_by),
    "recurrence of two numbers, 1e7": (
        "aggregate step((a, b), (c, d)) = (c * a, c * b + d) identity (1, 0) gives b\n"
        "input A[i], B[i]\nY[i] = scan[i] step(A[i], B[i])\noutput Y\n",
        {"A": lambda: np.linspace(0.5, 0.99, 10_000_000), "B": ramp(10_000_000)}, steps),
    "differences of 32e6": ("input X[i]\nY[i] = X[i + 1] - X[i]\noutput Y\n", {"X": (32_000_000,)}, np.diff),
    "5-point stencil, 4000 x 4000": (
        "input X[i,j]\nY[i,j] = 0.2 * (X[i,j] + X[i-1 pad(0),j] + X[i+1 pad(0),j] + X[i,j-1 pad(0)] + X[i,j+1 pad(0)])\noutput Y\n",
        {"X": (4000, 4000)}, stencil),
    "79,000 rows of 1e6 x 100": ("input T[m,e], I[n]\nY[n,e] = T[I[n], e]\noutput Y\n",
                                 {"T": (1_000_000, 100), "I": rows(79_000, 1_000_000)}, lambda T, I: T[I]),
}
STEPS = 98
POWERS = ("input A[i,j], x[j]\n" + "y1[i] = sum[j] A[i,j] * x[j]\n"
          + "".join(f"y{step}[i] = sum[j] A[i,j] * y{step - 1}[j]\n" for step in range(2, STEPS + 1))
          + f"output y{STEPS}\n")


def normal(*shape):
    return np.random.default_rng(list(shape)).standard_normal(shape, dtype="f4")


def cpu_seconds():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def seconds_of(action):
    """On the clock, and of all CPUs."""
    start, cpu_start = time.perf_counter(), cpu_seconds()
    action()
    return time.perf_counter() - start, cpu_seconds() - cpu_start


def call(tessera, folder, program, inputs, result, *arguments):
    (folder / "program.ein").write_text(program)
    command = [tessera, "run", "program.ein", *(f"{name}={name}.npy" for name in inputs), "-o", f"{result}=out.npy", "--quiet",
               *arguments]
    return lambda: subprocess.run(command, cwd=folder, check=True)


def numpys(folder, inputs, expression):
    def run():
        result = expression(*(np.load(folder / f"{name}.npy") for name in inputs))
        np.save(folder / "numpy.npy", result)
    return run


def turns(repeat, ours, others):
    pairs = [(seconds_of(ours), seconds_of(others)) for _ in range(repeat)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs), statistics.median(a[0] / b[0] for a, b in pairs)


def print_row(name, ours, others, ratio):
    cells = [f"{1000 * clock:.0f} ms ({1000 * cpu:.0f})" for clock, cpu in (ours, others)]
    print(f"| {name} | {cells[0]} | {cells[1]} | {ratio:.2f} |", flush=True)


def beside_numpy(options, name, folder):
    program, shapes, expression = PROGRAMS[name]
    for key, made_by in shapes.items():
        np.save(folder / f"{key}.npy", made_by() if callable(made_by) else normal(*made_by))
    ours = call(options.tessera, folder, program, shapes, "Y")
    others = numpys(folder, shapes, expression)
    ours(), others()
    # numpy adds a million f32 one after the other, which leaves about two digits of a variance.
    is_right = np.allclose(np.load(folder / "out.npy"), np.load(folder / "numpy.npy"), rtol=1e-2, atol=1e-2)
    seconds, numpy_seconds, ratio = turns(options.repeat, ours, others)
    print_row(name + ("" if is_right else " (wrong)"), seconds, numpy_seconds, ratio)
    return is_right and ratio <= options.most


def beside_itself(options, folder):
    np.save(folder / "A.npy", normal(4000, 4000) / np.float32(63))
    np.save(folder / "x.npy", normal(4000))
    bounded = call(options.tessera, folder, POWERS, ["A", "x"], f"y{STEPS}", "--memory", "16MiB")
    free = call(options.tessera, folder, POWERS, ["A", "x"], f"y{STEPS}")
    seconds, free_seconds, ratio = turns(options.repeat, bounded, free)
    print_row(f"{STEPS} products with 64 MB, 16 MiB beside no bound", seconds, free_seconds, ratio)
    return ratio <= options.most


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--most", type=float, default=2)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    print("| program | Tessera (CPU) | numpy (CPU) | ratio |\n|---|---|---|---|", flush=True)
    is_good = True
    for name in [*PROGRAMS, "powers"]:
        if not options.names or name in options.names:
            with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
                good = beside_itself(options, pathlib.Path(folder)) if name == "powers" else beside_numpy(options, name, pathlib.Path(folder))
            is_good = is_good and good
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
