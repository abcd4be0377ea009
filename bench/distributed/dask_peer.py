#!/usr/bin/python3
"""A workload by dask.array, in threads of one process: dask_peer.py FOLDER PROGRAM THREADS prints its seconds.

Operands are in memory, in one chunk for each thread along their longest side; the median of three runs after one that warms up counts.
"""
import pathlib
import statistics
import sys
import time

import dask
import dask.array as da
import numpy as np

RUNS = 3


def product(A, B):
    return A @ B


def sum_product(A, B, C):
    return (A + B) @ C


def chain(A, B, C, D, E):
    return A @ B + C @ (D @ E)


def network(X, Y, W, V):
    A = X @ W
    H = da.maximum(A, 0)
    E = H @ V - Y
    return V - H.T @ E, W - X.T @ da.where(A > 0, E @ V.T, 0)


def nearest(X, A, q):
    difference = X - q
    return da.argmin(((difference @ A) * difference).sum(1))


PROGRAMS = {"product": product, "sum_product": sum_product, "chain": chain, "network": network, "nearest": nearest}


def chunked(array, threads):
    longest = int(np.argmax(array.shape))
    return da.from_array(array, chunks=tuple(-(-extent // threads) if axis == longest else extent for axis, extent in enumerate(array.shape)))


def main():
    folder, program, threads = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    function = PROGRAMS[program]
    names = function.__code__.co_varnames[:function.__code__.co_argcount]
    operands = [chunked(np.load(folder / f"{name}.npy"), threads) for name in names]
    seconds = []
    for _ in range(RUNS + 1):
        start = time.perf_counter()
        dask.compute(function(*operands), scheduler="threads", num_workers=threads)
        seconds.append(time.perf_counter() - start)
    print(statistics.median(seconds[1:]))


if __name__ == "__main__":
    main()
