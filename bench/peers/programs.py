"""Programs over tensors, and the same in numpy and dask."""
import json
import subprocess
import time

import numpy as np

try:
    import dask
    import dask.array as da
except ImportError:
    da = None


def softmax(module, S):
    E = module.exp(S - S.max(1, keepdims=True))
    return E / E.sum(1, keepdims=True)


def attention(module, Q, K, V):
    return softmax(module, Q @ K.T / np.float32(8)) @ V


def min_plus(A, B):
    result = np.full((A.shape[0], B.shape[1]), np.inf, A.dtype)
    for k in range(A.shape[1]):
        np.minimum(result, A[:, k, None] + B[k], out=result)
    return result


# name: (program, shapes of its inputs, numpy's computation, dask's, or None where dask has only numpy's to offer)
PROGRAMS = {
    "matrix product, 4000 x 4000": (
        "input A[i,k], B[k,j]\nY[i,j] = sum[k] A[i,k] * B[k,j]\n", {"A": (4000, 4000), "B": (4000, 4000)},
        lambda A, B: A @ B, lambda A, B: A @ B),
    "softmax of rows, 8192 x 8192": (
        "input X[i,j]\nY[i,j] = softmax[j](X[i,j])\n", {"X": (8192, 8192)},
        lambda X: softmax(np, X), lambda X: softmax(da, X)),
    "attention, 8192 tokens, 64 wide": (
        "input Q[s,d], K[t,d], V[t,e]\nY[s,e] = attention[t,d](Q[s,d], K[t,d], V[t,e])\n", {name: (8192, 64) for name in "QKV"},
        lambda Q, K, V: attention(np, Q, K, V), lambda Q, K, V: attention(da, Q, K, V)),
    "min-plus product, 1000 x 1000": (
        "input A[i,k], B[k,j]\nY[i,j] = min[k] (A[i,k] + B[k,j])\n", {"A": (1000, 1000), "B": (1000, 1000)}, min_plus, None),
    "transpose, 8192 x 8192": (
        "input X[i,j]\nY[j,i] = X[i,j]\n", {"X": (8192, 8192)},
        lambda X: np.ascontiguousarray(X.T), lambda X: X.T.map_blocks(np.ascontiguousarray)),
    "running sums down, 1e6 x 64": (
        "input X[i,j]\nY[i,j] = cumsum[i] X[i,j]\n", {"X": (1000000, 64)},
        lambda X: np.cumsum(X, 0), lambda X: da.cumsum(X, 0)),
    "sum of rows, 8192 x 8192": (
        "input X[i,j]\nY[i] = sum[j] X[i,j]\n", {"X": (8192, 8192)}, lambda X: X.sum(1), lambda X: X.sum(1)),
}
NAMES = list(PROGRAMS)


def agree(result, expected):
    return np.allclose(result, expected, rtol=1e-4, atol=1e-6 * np.abs(expected).max())


def timed(compute):
    compute()
    start = time.perf_counter()
    result = compute()
    return time.perf_counter() - start, result


def run_tessera(tessera, folder, inputs):
    """Times the second of two runs of one plan: the first brings pages in."""
    files = [f"{name}={folder / name}.npy" for name in inputs]
    done = subprocess.run([tessera, "run", folder / "program.ein", *files, "-o", f"Y={folder / 'Y.npy'}", "--workers", "2", "--repeat", "2",
                           "--analyze", "--json", "--quiet"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["actual"]["execution_seconds"][-1], np.load(folder / "Y.npy")


def workload(name, tessera, folder):
    """Returns, by peer, a function that runs the work and returns its seconds and its result."""
    program, shapes, by_numpy, by_dask = PROGRAMS[name]
    (folder / "program.ein").write_text(program)
    draw = np.random.default_rng(1)
    inputs = {name: draw.random(shape, dtype="f4") for name, shape in shapes.items()}
    for name, array in inputs.items():
        np.save(folder / f"{name}.npy", array)
    runs = {"Tessera": lambda: run_tessera(tessera, folder, inputs), "numpy": lambda: timed(lambda: by_numpy(**inputs))}
    if da and by_dask:
        dask.config.set(scheduler="threads", num_workers=2)
        chunked = {name: da.from_array(array) for name, array in inputs.items()}
        runs["dask"] = lambda: timed(lambda: by_dask(**chunked).compute())
    return runs
