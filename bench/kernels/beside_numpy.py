#!/usr/bin/python3
"""Runs kernels_bench and numpy in turn, one thread each, and prints what each kernel takes beside numpy.

    /usr/bin/python3 bench/kernels/beside_numpy.py build/release/bench/kernels/kernels_bench [NAME]

NAME: only the operators whose name contains it. numpy is Debian's python3-numpy.
"""
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import subprocess
import sys
import time

import numpy as np

SIDE = 4096


def square(dtype=np.float32, side=SIDE):
    return np.random.default_rng(1).integers(1, 6, (side, side)).astype(dtype)


def of_two(function, dtype=np.float32, side=SIDE):
    def prepare():
        x, y = square(dtype, side), square(dtype, side)
        out = np.empty_like(x)
        return lambda: function(x, y, out=out)
    return prepare


def of_one(function, dtype=np.float32, **options):
    def prepare():
        x = square(dtype)
        return lambda: function(x, **options)
    return prepare


def of_shapes(function, *shapes, dtype=np.float32):
    def prepare():
        operands = [np.random.default_rng(1).integers(1, 6, shape).astype(dtype) for shape in shapes]
        return lambda: function(*operands)
    return prepare


def min_plus(x, y):
    return np.stack([np.min(row[:, None] + y, axis=0) for row in x])


def abs_max(x, y):
    return np.stack([np.max(np.abs(row - y), axis=1) for row in x])


def max_plus(x, y):
    return np.stack([np.max(row[:, None] + y, axis=0) for row in x])


def logsumexp_plus(x, y):
    largest = max_plus(x, y)
    return largest + np.log(np.stack([np.sum(np.exp(row[:, None] + y - m), axis=0) for row, m in zip(x, largest)]))


def weighted_square_sum(x, y, w):
    return np.stack([np.square(row - y) @ w for row in x])


def weighted_abs_max(x, y, w):
    return np.stack([np.max(np.abs(row - y) * weights, axis=1) for row, weights in zip(x, w)])


def square_sum(x, y):
    return np.stack([np.sum(np.square(row - y), axis=1) for row in x])


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    e /= e.sum(axis=axis, keepdims=True)
    return e


def layer_norm(x, scale, shift):
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt(np.square(centred).mean(axis=1, keepdims=True) + np.float32(1e-5)) * scale + shift


def attention(q, k, v):
    return softmax(q @ k.swapaxes(1, 2) * np.float32(0.125)) @ v


HEADS = (8, 2048, 64)
NUMPY = {
    "add": of_two(np.add),
    "multiply": of_two(np.multiply),
    "power": of_two(np.power),
    "exp": of_one(np.exp),
    "tanh": of_one(np.tanh),
    "where": of_shapes(lambda x, y: np.where(x < y, x, y), (SIDE, SIDE), (SIDE, SIDE)),
    "add_f16": of_two(np.add, np.float16),
    "multiply_c64": of_two(np.multiply, np.complex64, 2896),
    "sum_columns": of_one(np.sum, axis=1),
    "sum_rows": of_one(np.sum, axis=0),
    "sum_all": of_one(np.sum),
    "sum_i32": of_one(lambda x: np.sum(x, dtype=np.int32), np.int32),
    "max": of_one(np.max, axis=1),
    "mean": of_one(np.mean, axis=1),
    "softmax_sum_64": of_shapes(lambda x: x.sum(axis=1), (SIDE * SIDE // 64, 64)),
    "prod": of_one(np.prod),
    "argmax": of_one(np.argmax, axis=1),
    "max_rows_of_64": of_shapes(lambda x: x.max(axis=1), (SIDE * SIDE // 64, 64)),
    "sum_rows_of_256": of_shapes(lambda x: x.sum(axis=1), (SIDE * SIDE // 256, 256)),
    "max_rows_of_256": of_shapes(lambda x: x.max(axis=1), (SIDE * SIDE // 256, 256)),
    "mean_rows_of_256": of_shapes(lambda x: x.mean(axis=1), (SIDE * SIDE // 256, 256)),
    "sum_rows_of_1000": of_shapes(lambda x: x.sum(axis=1), (SIDE * SIDE // 1000, 1000)),
    "max_rows_of_1000": of_shapes(lambda x: x.max(axis=1), (SIDE * SIDE // 1000, 1000)),
    "softmax_exp": of_shapes(lambda x, m: np.exp(x - m), (SIDE, SIDE), (SIDE, 1)),
    "softmax_exp_64": of_shapes(lambda x, m: np.exp(x - m), (SIDE * SIDE // 64, 64), (SIDE * SIDE // 64, 1)),
    "softmax_divide": of_shapes(lambda x, s: x / s, (SIDE, SIDE), (SIDE, 1)),
    "transpose": of_one(lambda x: np.ascontiguousarray(x.T)),
    "permute3": of_shapes(lambda x: np.ascontiguousarray(x.transpose(2, 0, 1)), (256, 256, 256)),
    "matmul_1000_f32": of_shapes(np.matmul, (1000, 1000), (1000, 1000)),
    "matmul_1000_f64": of_shapes(np.matmul, (1000, 1000), (1000, 1000), dtype=np.float64),
    "matmul_4000_f32": of_shapes(np.matmul, (4000, 4000), (4000, 4000)),
    "matmul_4000_f64": of_shapes(np.matmul, (4000, 4000), (4000, 4000), dtype=np.float64),
    "batched": of_shapes(lambda q, k: q @ k.swapaxes(2, 3), (4, 16, 512, 64), (4, 16, 512, 64)),
    "min_plus_300": of_shapes(min_plus, (300, 300), (300, 300)),
    "min_plus_1000": of_shapes(min_plus, (1000, 1000), (1000, 1000)),
    "abs_max_1000": of_shapes(abs_max, (1000, 1000), (1000, 1000)),
    "square_sum_1000": of_shapes(square_sum, (1000, 1000), (1000, 1000)),
    "square_sum_1000_f64": of_shapes(square_sum, (1000, 1000), (1000, 1000), dtype=np.float64),
    "weighted_square_sum_1000": of_shapes(weighted_square_sum, (1000, 1000), (1000, 1000), (1000,)),
    "weighted_abs_max_1000": of_shapes(weighted_abs_max, (1000, 1000), (1000, 1000), (1000, 1000)),
    "max_plus_1000_f64": of_shapes(max_plus, (1000, 1000), (1000, 1000), dtype=np.float64),
    "logsumexp_plus_1000": of_shapes(logsumexp_plus, (1000, 1000), (1000, 1000)),
    "logsumexp_plus_1000_f64": of_shapes(logsumexp_plus, (1000, 1000), (1000, 1000), dtype=np.float64),
    "matmul_1000_i32": of_shapes(np.matmul, (1000, 1000), (1000, 1000), dtype=np.int32),
    "softmax_8192": of_shapes(softmax, (8192, 8192)),
    "softmax_8192_apart": of_shapes(softmax, (8192, 8192)),
    "layer_norm": of_shapes(layer_norm, (8192, 4096), (4096,), (4096,)),
    "layer_norm_apart": of_shapes(layer_norm, (8192, 4096), (4096,), (4096,)),
    "attention_2048": of_shapes(attention, HEADS, HEADS, HEADS),
    "attention_2048_apart": of_shapes(attention, HEADS, HEADS, HEADS),
    "tanh_matmul_64": of_shapes(lambda a, b: np.tanh(a @ b), (4096, 64), (64, 4096)),
    "tanh_matmul_64_apart": of_shapes(lambda a, b: np.tanh(a @ b), (4096, 64), (64, 4096)),
    "tanh_matmul_1000": of_shapes(lambda a, b: np.tanh(a @ b), (4000, 1000), (1000, 4000)),
    "tanh_matmul_1000_apart": of_shapes(lambda a, b: np.tanh(a @ b), (4000, 1000), (1000, 4000)),
}


def milliseconds_of_numpy(name):
    run = NUMPY[name]()
    best = float("inf")
    for _ in range(4):
        start = time.thread_time()
        run()
        best = min(best, time.thread_time() - start)
    return best * 1e3


def main(program, wanted=""):
    print(f"{'operator':22} {'kernel':18} {'ms':>9} {'numpy ms':>9} {'numpy/kernel':>12} {'predicted ms':>12}")
    for name in NUMPY:
        if wanted in name:
            lines = subprocess.run([program, name], capture_output=True, text=True, check=True).stdout.splitlines()
            _, kernel, taken, predicted = next(line.split() for line in lines if line.split()[0] == name)
            peer = milliseconds_of_numpy(name)
            print(f"{name:22} {kernel:18} {float(taken):9.2f} {peer:9.2f} {peer / float(taken):12.2f} {float(predicted):12.2f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
