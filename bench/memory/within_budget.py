#!/usr/bin/python3
"""Runs computations whose tensors exceed the memory budget, beside the same with memory enough, numpy and dask.

    /usr/bin/python3 bench/memory/within_budget.py [--tessera PROGRAM] [--folder DIR] [--scale N] [--peers] [CASE...]

Cases: product, C = A.B of 16384 x 16384 f32; attention, the softmax of 16384 x 16384 scores, which are no result;
layers, a forward and backward pass of 13 layers, 40 statements, whose intermediates are ten times the budget; step, the
gradients of one wide layer, with activations of 800 MB; network, six tensors of five modes, every two joined by a label,
with an intermediate of 4 GB. The last two are cut by the planner itself.
Every run is a process of its own: seconds of the whole process, and its largest resident set. Tessera's are checked: the
resident set against budget + 100 MiB, the results of all budgets bit by bit against each other where the cuts are the
same, and samples against numpy (exactly where the data are integers). --scale divides the extents. Exit code 1: a check failed.
"""
import argparse
import dataclasses
import filecmp
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALLOWANCE = 100 << 20
ROWS_AT_ONCE = 1024


@dataclasses.dataclass
class Case:
    program: str
    inputs: dict  # name: shape
    output: str
    tile: str  # empty: the planner's own cuts
    budgets: tuple
    integers: bool = False
    positive: bool = False  # sums do not cancel


def layers_program(layers):
    """Hidden values of every layer, then gradients of every layer's weights from the last to the first."""
    lines = [f"input {', '.join(['H0[b,a]'] + [f'W{n}[a,c]' for n in range(1, layers + 1)])}"]
    for n in range(1, layers + 1):
        lines.append(f"H{n}[b,c] = relu(sum[a] H{n - 1}[b,a] * W{n}[a,c])")
    lines.append(f"G{layers}[b,c] = H{layers}[b,c] * 0.5")
    for n in range(layers, 0, -1):
        lines.append(f"D{n}[a,c] = sum[b] H{n - 1}[b,a] * G{n}[b,c]")
        if n > 1:
            lines.append(f"G{n - 1}[b,a] = where(H{n - 1}[b,a] > 0, sum[c] G{n}[b,c] * W{n}[a,c], 0)")
    lines.append(f"D[a,c] = {' + '.join(f'D{n}[a,c]' for n in range(1, layers + 1))}")
    return "\n".join(lines + ["output D"]) + "\n"


STEP = """input X[n,d], Y[n,o], W[d,h], V[h,o]
A[n,h] = sum[d] X[n,d] * W[d,h]
H[n,h] = relu(A[n,h])
E[n,o] = sum[h] H[n,h] * V[h,o] - Y[n,o]
B[n,h] = where(A[n,h] > 0, sum[o] E[n,o] * V[h,o], 0)
G[d,h] = sum[n] X[n,d] * B[n,h]
output G
"""

# Tensor by tensor the labels of its modes: every two tensors have one in common.
NETWORK = ("abcde", "afghi", "bfjkl", "cgjmn", "dhkmo", "eilno")


def network_program():
    accesses = [f"A{number}[{','.join(labels)}]" for number, labels in enumerate(NETWORK)]
    labels = ",".join(sorted(set("".join(NETWORK))))
    return f"input {', '.join(accesses)}\nR = sum[{labels}] {' * '.join(accesses)}\noutput R\n"


def cases(scale):
    n, s, b = 16384 // scale, 16384 // scale, 65536 // scale
    extent = round(10 / scale**0.2)
    return {
        "product": Case("input A[i,k], B[k,j]\nC[i,j] = sum[k] A[i,k] * B[k,j]\noutput C\n", {"A": (n, n), "B": (n, n)}, "C",
                        f"i={n // 4},j={n // 4},k={n // 4}", ("8GiB", f"{512 // scale**2 + 1 if scale > 1 else 512}MiB"), True),
        "attention": Case("input Q[s,d], K[t,d], V[t,d]\nS[s,t] = sum[d] Q[s,d] * K[t,d] / sqrt(size(d))\n"
                          "P[s,t] = softmax[t](S[s,t])\nO[s,d] = sum[t] P[s,t] * V[t,d]\noutput O\n",
                          {"Q": (s, 64), "K": (s, 64), "V": (s, 64)}, "O", f"s={s // 16},t={s // 8}", ("8GiB", "64MiB")),
        "layers": Case(layers_program(13), {"H0": (b, 512)} | {f"W{n}": (512, 512) for n in range(1, 14)}, "D",
                       f"b={b // 32}", ("8GiB", f"{128 // scale + 16}MiB")),
        "step": Case(STEP, {"X": (200000 // scale, 64), "Y": (200000 // scale, 32), "W": (64, 1000), "V": (1000, 32)}, "G", "",
                     ("8GiB", "32MiB")),
        "network": Case(network_program(), {f"A{number}": (extent,) * 5 for number in range(6)}, "R", "", ("8GiB", "8MiB"),
                        positive=True),
    }


def write_inputs(case, folder):
    """By rows, so that this process stays small too."""
    for number, (name, shape) in enumerate(case.inputs.items()):
        draw = np.random.default_rng(number)
        array = np.lib.format.open_memmap(folder / f"{name}.npy", mode="w+", dtype=np.float32, shape=shape)
        for row in range(0, shape[0], ROWS_AT_ONCE):
            part = array[row:row + ROWS_AT_ONCE]
            part[:] = (draw.integers(-4, 5, part.shape) if case.integers else
                       draw.random(part.shape) if case.positive else draw.standard_normal(part.shape) / shape[-1]**0.5)
        array.flush()


# A process starts with the resident set of the one that starts it, so a small one does.
LAUNCHER = """import os, sys, time
start = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(pid, 0)
print(time.perf_counter() - start, usage.ru_maxrss * 1024, int(status == 0))"""


def measured(command):
    """Seconds, bytes of the largest resident set, and whether it ended well."""
    done = subprocess.run([sys.executable, "-S", "-E", "-c", LAUNCHER, *map(str, command)], capture_output=True, text=True)
    print(done.stderr.strip()[-400:], end="\n" if done.stderr else "")
    seconds, resident, ended_well = done.stdout.split()[-3:]
    return float(seconds), int(resident), ended_well == "1"


def softmax(S):
    E = np.exp(S - S.max(1, keepdims=True))
    return E / E.sum(1, keepdims=True)


def expected_rows(name, arrays, rows):
    if name == "product":
        return arrays["A"][rows].astype(np.float64) @ arrays["B"]
    S = arrays["Q"][rows].astype(np.float64) @ arrays["K"].T / 8
    return softmax(S) @ arrays["V"]


def all_layers(arrays):
    count = len(arrays) - 1
    hidden = [arrays["H0"]]
    for n in range(1, count + 1):
        hidden.append(np.maximum(hidden[-1] @ arrays[f"W{n}"], 0))
    gradient = hidden[-1] * np.float32(0.5)
    total = 0
    for n in range(count, 0, -1):
        total = total + hidden[n - 1].T @ gradient
        if n > 1:
            gradient = np.where(hidden[n - 1] > 0, gradient @ arrays[f"W{n}"].T, 0)
    return total


def step(arrays):
    A = arrays["X"] @ arrays["W"]
    E = np.maximum(A, 0) @ arrays["V"] - arrays["Y"]
    return arrays["X"].T @ np.where(A > 0, E @ arrays["V"].T, 0)


def network(arrays):
    """By hand: one tensor after the other into the product of those before, for one e at a time to take a tenth."""
    total = 0
    for e in range(arrays["A0"].shape[-1]):
        labels, product = "abcd", arrays["A0"][..., e]
        for number in range(1, 6):
            other = arrays[f"A{number}"][e] if number == 5 else arrays[f"A{number}"]
            others = NETWORK[number].replace("e", "")
            shared = [label for label in labels if label in others]
            product = np.tensordot(product, other, ([labels.index(label) for label in shared], [others.index(label) for label in shared]))
            labels = "".join(label for label in labels + others if label not in shared)
        total += product
    return total


# Dask chooses no order of contraction, and numpy's own einsum loops over all fifteen labels of the network at once.
PEERS = {"network": ("numpy",)}
WHOLE = {"layers": all_layers, "step": step, "network": network}


def is_right(name, case, folder, result):
    arrays = {key: np.load(folder / f"{key}.npy", mmap_mode="r") for key in case.inputs}
    computed = np.load(result, mmap_mode="r")
    if name in WHOLE:
        expected = WHOLE[name](arrays)
        return np.allclose(computed, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())
    rows = np.linspace(0, computed.shape[0] - 1, 8).astype(int)
    expected = expected_rows(name, arrays, rows)
    return np.array_equal(computed[rows], expected) if case.integers else np.allclose(computed[rows], expected, rtol=1e-4, atol=1e-6)


def run_numpy(name, case, folder):
    arrays = {key: np.load(folder / f"{key}.npy") for key in case.inputs}
    if name == "product":
        result = arrays["A"] @ arrays["B"]
    elif name == "attention":
        result = softmax(arrays["Q"] @ arrays["K"].T / np.float32(8)) @ arrays["V"]
    else:
        result = WHOLE[name](arrays)
    np.save(folder / "numpy.npy", result)


def run_dask(name, case, folder):
    import dask.array as da
    chunks = {"product": (4096, 4096), "attention": (1024, 64), "layers": (2048, 512), "step": (4096, 1000)}[name]
    arrays = {key: da.from_array(np.load(folder / f"{key}.npy", mmap_mode="r"), chunks=chunks) for key in case.inputs}
    if name == "product":
        result = arrays["A"] @ arrays["B"]
    elif name == "attention":
        S = arrays["Q"] @ arrays["K"].T / np.float32(8)
        E = da.exp(S - S.max(1, keepdims=True))
        result = E / E.sum(1, keepdims=True) @ arrays["V"]
    elif name == "step":
        A = arrays["X"] @ arrays["W"]
        E = da.maximum(A, 0) @ arrays["V"] - arrays["Y"]
        result = arrays["X"].T @ da.where(A > 0, E @ arrays["V"].T, 0)
    else:
        count = len(arrays) - 1
        hidden = [arrays["H0"]]
        for n in range(1, count + 1):
            hidden.append(da.maximum(hidden[-1] @ arrays[f"W{n}"], 0))
        gradient, result = hidden[-1] * np.float32(0.5), 0
        for n in range(count, 0, -1):
            result = result + hidden[n - 1].T @ gradient
            if n > 1:
                gradient = da.where(hidden[n - 1] > 0, gradient @ arrays[f"W{n}"].T, 0)
    target = np.lib.format.open_memmap(folder / "dask.npy", mode="w+", dtype=np.float32, shape=result.shape)
    da.store(result, target)


def bytes_of(size):
    number, unit = size[:-3], size[-3:]
    return int(number) << {"MiB": 20, "GiB": 30}[unit]


def report(name, who, seconds, resident, verdict):
    print(f"{name:10} {who:16} {seconds:8.2f} s  resident {resident / 2**20:6.0f} MiB  {verdict}", flush=True)


def agrees(case, first, result):
    return filecmp.cmp(first, result, shallow=False) if case.tile else np.allclose(np.load(first), np.load(result), rtol=1e-3)


def run_case(name, case, arguments, folder):
    """Whether all checks held."""
    (folder / "case.ein").write_text(case.program)
    write_inputs(case, folder)
    good, first, times = True, None, []
    for budget in case.budgets:
        result = folder / f"{budget}.npy"
        command = [arguments.tessera, "run", folder / "case.ein", *(f"{key}={folder / key}.npy" for key in case.inputs), "-o", result,
                   *(["--tile", case.tile] if case.tile else []), "--memory", budget, "--spill-dir", folder, "--quiet"]
        seconds, resident, ended_well = measured(command)
        times.append(seconds)
        problems = []
        if not ended_well:
            problems = ["failed"]
        else:
            problems += ["wrong"] if first is None and not is_right(name, case, folder, result) else []
            problems += ["other bits"] if first is not None and not agrees(case, first, result) else []
            problems += ["over its budget"] if resident > bytes_of(budget) + ALLOWANCE else []
            first = first or result
        good = good and not problems
        report(name, f"tessera {budget}", seconds, resident, ", ".join(problems) or f"right, {seconds / times[0]:.2f} x")
    for peer in PEERS.get(name, ("numpy", "dask")) if arguments.peers else ():
        seconds, resident, ended_well = measured([sys.executable, __file__, "--as", peer, "--folder", folder, "--scale",
                                                  str(arguments.scale), name])
        report(name, peer, seconds, resident, "" if ended_well else "failed")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--folder", default=None, help="where inputs, results and spilled tiles lie; a disk")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--peers", action="store_true", help="numpy and dask too")
    parser.add_argument("--as", dest="peer", choices=["numpy", "dask"], help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="CASE")
    arguments = parser.parse_args()
    known = cases(arguments.scale)
    if arguments.peer:
        run = run_numpy if arguments.peer == "numpy" else run_dask
        run(arguments.names[0], known[arguments.names[0]], pathlib.Path(arguments.folder))
        return 0
    good = True
    for name in arguments.names or known:
        with tempfile.TemporaryDirectory(dir=arguments.folder or "/var/tmp") as folder:
            good = run_case(name, known[name], arguments, pathlib.Path(folder)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
