#!/usr/bin/python3
"""Functions of whole arrays and random draws, beside the same in numpy, file to file.

  beside_numpy.py [--tessera PROGRAM] [--repeat N]

Prints a table in Markdown. The two take turns, a process of Tessera's each, and the fastest of each and the median of the ratios of the
turns are printed; `limit` is what reading and writing the same files takes Tessera, with a copy in between. Exits with 1 if a result is
wrong: by its residual, by what is drawn on the average.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def matrices(draw, *shape):
    return draw.standard_normal(shape) + shape[-1] * np.eye(shape[-1])


def is_inverse(result, a, **_):
    return np.abs(result @ a - np.eye(a.shape[-1])).max() < 1e-9


def is_solution(result, a, b):
    return np.abs(a @ result - b).max() < 1e-9 * np.abs(b).max()


def is_drawn(result, p):
    """Positions come as often as their weights say, within five deviations."""
    shares = p / p.sum(1, keepdims=True)
    counts = np.bincount(result, minlength=p.shape[1])
    return (np.abs(counts - shares.sum(0)) < 5 * np.sqrt((shares * (1 - shares)).sum(0))).all()


def draw_positions(p):
    running = p.cumsum(1)
    return (running < np.random.default_rng(1).random((len(p), 1)) * running[:, -1:]).sum(1)


# By name: what the program computes of its inputs, the inputs, numpy's way, and what is right.
WORKS = [
    ("inverse of 10,000 matrices of 16 x 16, f64", "Y[n,i,j] = inverse[i,j](a[n,i,j])", lambda draw: {"a": matrices(draw, 10000, 16, 16)},
     lambda a: np.linalg.inv(a), is_inverse),
    ("inverse of 2000 x 2000, f64", "Y[i,j] = inverse[i,j](a[i,j])", lambda draw: {"a": matrices(draw, 2000, 2000)},
     lambda a: np.linalg.inv(a), is_inverse),
    ("solve 2000 x 2000 for 500 columns, f64", "Y[j,k] = solve[i,j](a[i,j], b[i,k])",
     lambda draw: {"a": matrices(draw, 2000, 2000), "b": draw.standard_normal((2000, 500))}, np.linalg.solve, is_solution),
    ("1,000,000 positions of 100 weights, f64", "Y[n] = random_categorical[k](philox(1, index(n)), p[n,k])",
     lambda draw: {"p": draw.random((1_000_000, 100))}, draw_positions, is_drawn),
    ("10,000,000 gamma draws, f64", "Y[n] = random_gamma(philox(1, index(n)), s[n])", lambda draw: {"s": 0.5 + draw.random(10_000_000)},
     lambda s: np.random.default_rng(1).standard_gamma(s), lambda result, s: abs((result - s).mean()) < 5 * np.sqrt(s.mean() / len(s))),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", type=pathlib.Path, default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    print("| work | Tessera | numpy | ratio | limit |\n|---|---|---|---|---|")
    is_wrong = False
    for name, statement, inputs_of, numpys, is_right in WORKS:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            inputs = inputs_of(np.random.default_rng(0))
            for key, array in inputs.items():
                np.save(folder / f"{key}.npy", array)
            read = {key: statement[statement.index(key + "["):].split("]")[0] + "]" for key in inputs}
            (folder / "p.ein").write_text(f"input {', '.join(read.values())}\n{statement}\n")
            first = next(iter(read.values()))
            (folder / "copy.ein").write_text(f"input {first}\nY{first[1:]} = {first} + 1\n")

            def run(program, *names):
                subprocess.run([options.tessera, "run", folder / program, *(f"{key}={folder / key}.npy" for key in names), "-o",
                                f"Y={folder / 'ours.npy'}", "--quiet"], check=True)

            def peer():
                np.save(folder / "theirs.npy", numpys(**{key: np.load(folder / f"{key}.npy") for key in inputs}))

            limit = min(seconds_of(lambda: run("copy.ein", *list(inputs)[:1])) for _ in range(options.repeat))
            turns = [(seconds_of(lambda: run("p.ein", *inputs)), seconds_of(peer)) for _ in range(options.repeat)]
            if not is_right(np.load(folder / "ours.npy"), **inputs):
                is_wrong = True
                name += ": WRONG"
            best = [min(turn[side] for turn in turns) for side in (0, 1)]
            ratio = statistics.median(mine / theirs for mine, theirs in turns)
            print(f"| {name} | {1e3 * best[0]:.0f} ms | {1e3 * best[1]:.0f} ms | {ratio:.2f} | {1e3 * limit:.0f} ms |", flush=True)
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
