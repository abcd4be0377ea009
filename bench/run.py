#!/usr/bin/python3
"""Times Tessera beside numpy on the same data, one thread each.

  run.py [--tessera PROGRAM] [--repeat N] [NAME...]

Tessera's time is that of the whole process, files read and written included; `analyze` is not asked for. numpy's is
that of the expression alone, in this process. The best of N runs counts.
"""
import os
import pathlib
import subprocess
import tempfile
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is loaded
import numpy as np  # noqa: E402

from program_call import ROOT, command, normal, read_options  # noqa: E402


def softmax(X):
    E = np.exp(X - X.max(1, keepdims=True))
    return E / E.sum(1, keepdims=True)


# name: (what tessera is given, inputs, numpy's expression)
BENCHMARKS = {
    "start": (["einsum", "i->i"], [normal("f8", 1)], lambda x: x.copy()),
    "matmul f32 2048": (["einsum", "ij,jk->ik"], [normal("f4", 2048, 2048), normal("f4", 2048, 2048)], lambda A, B: A @ B),
    "matmul f64 1024": (["einsum", "ij,jk->ik"], [normal("f8", 1024, 1024), normal("f8", 1024, 1024)], lambda A, B: A @ B),
    "batched matmul f32": (["einsum", "bij,bjk->bik"], [normal("f4", 64, 256, 256), normal("f4", 64, 256, 256)], np.matmul),
    "transpose f64": (["einsum", "ij->ji"], [normal("f8", 3000, 3000)], lambda A: np.ascontiguousarray(A.T)),
    "row sums f32": (["einsum", "ij->i"], [normal("f4", 4000, 4000)], lambda A: A.sum(1)),
    "L1 distances f32": (["einsum", "ik,jk->ij", "--join", "abs(x-y)"], [normal("f4", 600, 64), normal("f4", 600, 64)],
                         lambda X, Y: np.abs(X[:, None] - Y).sum(2)),
    "min-plus f64 300": (["einsum", "ij,jk->ik", "--join", "x+y", "--agg", "min"], [normal("f8", 300, 300)] * 2,
                         lambda A, B: (A[:, :, None] + B).min(1)),
    "softmax f32": (["run", str(ROOT / "examples" / "softmax.ein")], {"X": normal("f4", 4000, 2000)}, softmax),
}


def best_of(repeat, action):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    options = read_options(repeat=3)
    print(f"{'':20} {'tessera':>10} {'numpy':>10}  ratio")
    for name, (arguments, inputs, expression) in BENCHMARKS.items():
        if options.names and name not in options.names:
            continue
        arrays = list(inputs.values()) if isinstance(inputs, dict) else inputs
        with tempfile.TemporaryDirectory() as folder:
            call = command(options.tessera, arguments, inputs, pathlib.Path(folder))
            ours = best_of(options.repeat, lambda: subprocess.run(call, check=True))
        numpys = best_of(options.repeat, lambda: expression(*arrays))
        print(f"{name:20} {1000 * ours:8.1f}ms {1000 * numpys:8.1f}ms {ours / numpys:6.2f}", flush=True)


if __name__ == "__main__":
    main()
