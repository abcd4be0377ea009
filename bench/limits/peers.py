"""The rows' expressions in numpy and torch, timed when tessera_bench asks: a line of JSON in, one out.

{"inputs": {"X": ["float32", [8192, 8192], -2, 2]}, "numpy": "X.sum(1)", "torch": "..."} prepares a row and evaluates it once,
{"turn": true} times it. Answers name who has an answer: {"numpy": 0.02}. What is not installed, and what fails, has none.
"""
import json
import os
import sys
import time

# Else threads of OpenBLAS and OpenMP look for work for some 30 ms after a call, on cores that whoever is next needs.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np  # noqa: E402

try:
    import torch
except ImportError:
    torch = None


def arrays_of(inputs):
    random = np.random.default_rng(1)
    return {name: random.integers(low, high + 1, shape, dtype=np.int64).astype(dtype)
            for name, (dtype, shape, low, high) in inputs.items()}


def prepared(row):
    """By peer: its expression, compiled, and its names."""
    arrays = arrays_of(row["inputs"])
    peers = {"numpy": (np, arrays)}
    if torch is not None:
        peers["torch"] = (torch, {name: torch.from_numpy(array) for name, array in arrays.items()})
    calls = {}
    for peer, (module, names) in peers.items():
        if not row[peer]:
            continue
        names = {**names, "np": np, "torch": torch}
        code = compile(row[peer], peer, "eval")
        try:
            eval(code, names)
        except Exception as error:
            print(f"{peer}: {row[peer]}: {error}", file=sys.stderr)
            continue
        calls[peer] = (code, names)
    return calls


def timed(code, names):
    start = time.perf_counter()
    eval(code, names)
    return time.perf_counter() - start


def main():
    threads = int(sys.argv[1])
    if torch is not None:
        torch.set_num_threads(threads)
    calls = {}
    for line in sys.stdin:
        row = json.loads(line)
        if "inputs" in row:
            calls = {}  # before the next one's arrays are made
            calls = prepared(row)
            answer = {peer: None for peer in calls}
        else:
            answer = {peer: timed(*call) for peer, call in calls.items()}
        print(json.dumps(answer), flush=True)


main()
