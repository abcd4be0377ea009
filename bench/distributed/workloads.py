"""What bench/distributed runs: programs of Tessera with the data of their inputs, and the same as the peer names it."""
import dataclasses
import math
import random

import numpy as np

PROGRAMS = {  # of the peer's name: (Tessera's text, inputs with their labels, the result that is compared)
    "product": ("input A[i,k], B[k,j]\nC[i,j] = sum[k] A[i,k] * B[k,j]\noutput C\n", {"A": "ik", "B": "kj"}, "C"),
    "sum_product": ("input A[i,k], B[i,k], C[k,j]\nS[i,k] = A[i,k] + B[i,k]\nY[i,j] = sum[k] S[i,k] * C[k,j]\noutput Y\n",
                    {"A": "ik", "B": "ik", "C": "kj"}, "Y"),
    "chain": ("input A[i,j], B[j,k], C[i,l], D[l,m], E[m,k]\nAB[i,k] = sum[j] A[i,j] * B[j,k]\nDE[l,k] = sum[m] D[l,m] * E[m,k]\n"
              "CDE[i,k] = sum[l] C[i,l] * DE[l,k]\nY[i,k] = AB[i,k] + CDE[i,k]\noutput Y\n",
              {"A": "ij", "B": "jk", "C": "il", "D": "lm", "E": "mk"}, "Y"),
    "network": ("input X[n,d], Y[n,o], W[d,h], V[h,o]\nA[n,h] = sum[d] X[n,d] * W[d,h]\nH[n,h] = relu(A[n,h])\n"
                "E[n,o] = sum[h] H[n,h] * V[h,o] - Y[n,o]\nB[n,h] = where(A[n,h] > 0, sum[o] E[n,o] * V[h,o], 0)\n"
                "new_V[h,o] = V[h,o] - (sum[n] H[n,h] * E[n,o])\nnew_W[d,h] = W[d,h] - (sum[n] X[n,d] * B[n,h])\noutput new_V, new_W\n",
                {"X": "nd", "Y": "no", "W": "dh", "V": "ho"}, "new_W"),
    "nearest": ("input X[n,d], A[d,e], q[d]\nD[n,d] = X[n,d] - q[d]\nP[n,e] = sum[d] D[n,d] * A[d,e]\n"
                "distance[n] = sum[e] P[n,e] * D[n,e]\nnearest = argmin[n] distance[n]\noutput nearest\n",
                {"X": "nd", "A": "de", "q": "d"}, "nearest"),
}
ROWS_AT_ONCE = 1024
SAMPLED_ROWS = 5


@dataclasses.dataclass
class Workload:
    name: str
    family: str  # of the bars: square, two large, one large, drawn, program
    program: str  # in PROGRAMS
    type: str  # f32 or f64
    extents: dict  # by label
    peer_extents: tuple
    flops: float

    @property
    def shapes(self):
        return {name: tuple(self.extents[label] for label in labels) for name, labels in PROGRAMS[self.program][1].items()}

    @property
    def dtype(self):
        return np.dtype({"f32": "<f4", "f64": "<f8"}[self.type])


def product(name, family, kind, m, k, n):
    return Workload(name, family, "product", kind, {"i": m, "k": k, "j": n}, (m, k, n), 2 * m * k * n)


def drawn_products(count, most_flops):
    """Extents log-uniform from 8 to 16384, those that a run takes some seconds for left out; every third of f64."""
    draw, found = random.Random(10), []
    while len(found) < count:
        m, k, n = (round(math.exp(draw.uniform(math.log(8), math.log(16384)))) for _ in range(3))
        if 2 * m * k * n <= most_flops and max(m * k, k * n, m * n) <= 3e7:
            found.append(product(f"drawn {len(found) + 1}: {m} x {k} x {n}", "drawn", "f64" if len(found) % 3 == 2 else "f32", m, k, n))
    return found


def chain(name, rows, inner, wide):
    extents = {"i": rows, "j": inner, "k": rows, "l": inner, "m": wide}
    return Workload(name, "program", "chain", "f32", extents, (rows, inner, wide), 2 * (2 * rows * inner * rows + inner * wide * rows))


def sum_product(name, m, k, n):
    return Workload(name, "program", "sum_product", "f32", {"i": m, "k": k, "j": n}, (m, k, n), 2 * m * k * n)


def network(name, n, d, h, o):
    return Workload(name, "program", "network", "f32", {"n": n, "d": d, "h": h, "o": o}, (n, d, h, o), 4 * n * d * h + 6 * n * h * o)


def nearest(name, n, d):
    return Workload(name, "program", "nearest", "f32", {"n": n, "d": d, "e": d}, (n, d), 2 * n * d * d)


def all_workloads(quick):
    s = 2 if quick else 1  # divides extents
    return [
        product("square, f32", "square", "f32", 4000 // s, 4000 // s, 4000 // s),
        product("square, f64", "square", "f64", 3000 // s, 3000 // s, 3000 // s),
        product("two large dimensions, f32", "two large", "f32", 8000 // s, 1000 // s, 8000 // s),
        product("two large dimensions, f64", "two large", "f64", 6000 // s, 750 // s, 6000 // s),
        product("one large dimension, f32", "one large", "f32", 1000 // s, 64000 // s, 1000 // s),
        chain("chain, square", 2400 // s, 2400 // s, 2400 // s),
        chain("chain, skewed", 4000 // s, 400 // s, 40000 // s),
        sum_product("(A + B) x C", 4000 // s, 4000 // s, 4000 // s),
        network("network, wide hidden layer", 1000 // s, 1600 // s, 10000 // s, 10),
        network("network, many features", 1000 // s, 60000 // s, 500 // s, 500 // s),
        nearest("nearest, many rows", 15000 // s, 2000 // s),
        nearest("nearest, long rows", 1000 // s, 8000 // s),
        *drawn_products(6 if quick else 30, 5e9 if quick else 6e10),
    ]


def drawn_values(rows, columns, operand):
    """-1, 0 or 1 for every (i, j), as distributed_matrix.h computes them: sums are exact, so any order gives the same bits."""
    def spread(numbers, factor):
        return numbers.astype(np.uint32) * np.uint32(factor)

    bits = spread(rows, 2654435761)[:, None] + spread(columns, 2246822519)[None, :] + spread(np.array([operand]), 3266489917)
    bits ^= bits >> np.uint32(15)
    bits *= np.uint32(2246822519)
    bits ^= bits >> np.uint32(13)
    return (bits % np.uint32(3)).astype(np.int8) - np.int8(1)


def operand(workload, name):
    """The rows of an input: a function of their numbers, and how many there are. A vector is the row 0 of its operand."""
    number, shape = list(workload.shapes).index(name), workload.shapes[name]
    columns = np.arange(shape[-1])
    if len(shape) == 1:
        return lambda rows: drawn_values(np.zeros(1, int), columns, number)[0].astype(workload.dtype)
    return lambda rows: drawn_values(rows, columns, number).astype(workload.dtype)


def write_inputs(workload, folder):
    for name, shape in workload.shapes.items():
        rows_of = operand(workload, name)
        array = np.lib.format.open_memmap(folder / f"{name}.npy", mode="w+", dtype=workload.dtype, shape=shape)
        for row in range(0, shape[0], ROWS_AT_ONCE):
            if len(shape) == 1:
                array[:] = rows_of(None)
                break
            array[row:row + ROWS_AT_ONCE] = rows_of(np.arange(row, min(row + ROWS_AT_ONCE, shape[0])))
        array.flush()


def expected_rows(workload, folder, rows):
    """Rows of the result by numpy. The extents are such that no sum of these integers leaves what the type holds exactly."""
    inputs = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in workload.shapes}
    if workload.program == "product":
        return inputs["A"][rows] @ inputs["B"]
    if workload.program == "sum_product":
        return (inputs["A"][rows] + inputs["B"][rows]) @ inputs["C"]
    if workload.program == "chain":
        return inputs["A"][rows] @ inputs["B"] + (inputs["C"][rows] @ inputs["D"]) @ inputs["E"]
    if workload.program == "nearest":
        difference = inputs["X"] - inputs["q"]
        return np.argmin(((difference @ inputs["A"]) * difference).sum(1))
    hidden = inputs["X"] @ inputs["W"]
    error = np.maximum(hidden, 0) @ inputs["V"] - inputs["Y"]
    return inputs["W"][rows] - inputs["X"][:, rows].T @ np.where(hidden > 0, error @ inputs["V"].T, 0)


def is_right(workload, folder, result):
    """Whether sampled rows of the result are numpy's, bit by bit."""
    computed = np.load(result, mmap_mode="r")
    rows = np.unique(np.linspace(0, computed.shape[0] - 1, SAMPLED_ROWS).astype(int)) if computed.ndim else None
    return np.array_equal(computed if rows is None else computed[rows], expected_rows(workload, folder, rows))
