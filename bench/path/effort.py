#!/usr/bin/python3
"""Counts the operations of 20 tensor networks whose order was searched for with more and more effort.

    /usr/bin/python3 bench/path/effort.py [--tessera PROGRAM] [--effort SECONDS ...] [--networks N]

The networks are of the kinds that searches for orders are compared by: random regular graphs, graphs with hyper-edges
and kept labels, lattices of two and three dimensions, circuits of random gates. Operations are counted over the
optimized graph, as in beside_numpy.py: elements of each loop, twice where something is summed. Exit code 1: with more
effort some network takes more operations than without.
"""
import argparse
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Network:
    """Tensors as lists of label numbers, extents by label, and the labels of the output."""

    def __init__(self, name, num_tensors):
        self.name = name
        self.tensors = [[] for _ in range(num_tensors)]
        self.extents = []
        self.out = []

    def join(self, tensors, extent):
        for tensor in sorted(set(tensors)):
            self.tensors[tensor].append(len(self.extents))
        self.extents.append(extent)

    def keep(self, tensors, extent):
        self.out.append(len(self.extents))
        self.join(tensors, extent)

    def program(self):
        def access(number):
            return f"T{number}[{','.join(f'l{label}' for label in self.tensors[number])}]"

        reads = [access(number) for number in range(len(self.tensors))]
        out = ",".join(f"l{label}" for label in self.out)
        over = ",".join(f"l{label}" for label in range(len(self.extents)) if label not in self.out)
        return f"input {', '.join(reads)}\nout[{out}] = sum[{over}] {' * '.join(reads)}\noutput out\n"

    def types(self):
        return [f"T{number}=f64[{','.join(str(self.extents[label]) for label in labels)}]"
                for number, labels in enumerate(self.tensors)]


def graph(name, num_tensors, degree, extents, kept=0, hyper_edges=0, kept_hyper_edges=0):
    """A random connected graph, with so many labels that are kept, join several, or both."""
    draw = random.Random(name)
    network = Network(name, num_tensors)
    for tensor in range(1, num_tensors):
        network.join([tensor, draw.randrange(tensor)], draw.randint(*extents))
    for _ in range(num_tensors * degree // 2 - num_tensors + 1):
        network.join(draw.sample(range(num_tensors), 2), draw.randint(*extents))
    for number in range(hyper_edges + kept_hyper_edges):
        add = network.join if number < hyper_edges else network.keep
        add(draw.sample(range(num_tensors), draw.randint(3, 5)), draw.randint(*extents))
    for _ in range(kept):
        network.keep([draw.randrange(num_tensors)], draw.randint(*extents))
    return network


def lattice(name, sides, extents):
    draw = random.Random(name)
    network = Network(name, math.prod(sides))
    stride = 1
    for side in sides:
        for tensor in range(len(network.tensors)):
            if tensor // stride % side + 1 < side:
                network.join([tensor, tensor + stride], draw.randint(*extents))
        stride *= side
    return network


def circuit(name, rows, columns, depth):
    """One amplitude: gates on one qubit and on two, half of these diagonal."""
    draw = random.Random(name)
    network = Network(name, 0)

    def fresh():
        network.extents.append(2)
        return len(network.extents) - 1

    wires = [fresh() for _ in range(rows * columns)]
    network.tensors += [[wire] for wire in wires]

    def apply(qubits, is_diagonal):
        before = [wires[qubit] for qubit in qubits]
        if not is_diagonal:
            for qubit in qubits:
                wires[qubit] = fresh()
        network.tensors.append(sorted(set(before + [wires[qubit] for qubit in qubits])))

    for layer in range(depth):
        for qubit in range(rows * columns):
            if draw.random() < 0.5:
                apply([qubit], False)
        for qubit in range(rows * columns):
            row, column = divmod(qubit, columns)
            if layer % 4 < 2 and column % 2 == layer % 4 and column + 1 < columns:
                apply([qubit, qubit + 1], draw.random() < 0.5)
            if layer % 4 >= 2 and row % 2 == layer % 4 - 2 and row + 1 < rows:
                apply([qubit, qubit + columns], draw.random() < 0.5)
    network.tensors += [[wire] for wire in wires]
    return network


def networks():
    return [
        graph("3-regular, 30", 30, 3, (2, 3)),
        graph("3-regular, 60", 60, 3, (2, 3)),
        graph("3-regular, 100", 100, 3, (2, 3)),
        graph("3-regular, 140", 140, 3, (2, 2), kept=2),
        graph("4-regular, 40", 40, 4, (2, 3), kept=2),
        graph("4-regular, 80", 80, 4, (2, 2)),
        graph("5-regular, 30", 30, 5, (2, 3), kept=3),
        graph("5-regular, 50", 50, 5, (2, 2), kept=3),
        graph("hyper-edges, 30", 30, 3, (2, 4), 3, 3, 2),
        graph("hyper-edges, 60", 60, 3, (2, 4), 3, 5, 2),
        graph("hyper-edges, 100", 100, 3, (2, 3), 3, 5, 3),
        lattice("lattice 8 x 8", (8, 8), (2, 2)),
        lattice("lattice 10 x 10", (10, 10), (2, 4)),
        lattice("lattice 14 x 14", (14, 14), (2, 2)),
        lattice("lattice 4 x 4 x 4", (4, 4, 4), (2, 2)),
        lattice("lattice 5 x 5 x 5", (5, 5, 5), (2, 2)),
        lattice("lattice 4 x 5 x 6", (4, 5, 6), (2, 2)),
        circuit("circuit 4 x 4, 10", 4, 4, 10),
        circuit("circuit 5 x 5, 12", 5, 5, 12),
        circuit("circuit 6 x 6, 12", 6, 6, 12),
    ]


def operations_of(network, options, effort, folder):
    """Operations of the optimized graph, and the seconds of the whole process."""
    path = pathlib.Path(folder) / "network.ein"
    path.write_text(network.program())
    start = time.perf_counter()
    printed = subprocess.run([options.tessera, "explain", path, *network.types(), "--effort", str(effort),
                              "--stage", "optimized", "--format", "json", "--quiet"],
                             check=True, capture_output=True, text=True).stdout
    seconds = time.perf_counter() - start
    operations = 0
    for node in json.loads(printed)["nodes"]:
        if node["op"] == "einsum":
            left, right = re.sub(r"^\[[^\]]*\] ", "", node["parameters"]["what"]).split(" = ", 1)
            loop, result = volume(network, re.sub(r"sum\[[^\]]*\]", "", right)), volume(network, left)
            factors = len(re.findall(r"\w\[", re.sub(r"sum\[[^\]]*\]", "", right)))
            operations += loop * (factors - 1 + (loop > result))
    return operations, seconds


def volume(network, text):
    labels = set(re.findall(r"\bl(\d+)\b", " ".join(re.findall(r"\w\[([^\]]*)\]", text))))
    return math.prod(network.extents[int(label)] for label in labels)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--effort", type=float, nargs="+", default=[1, 2])
    parser.add_argument("--networks", type=int, default=20)
    options = parser.parse_args()
    print(f"{'network':20} {'tensors':>7} {'log2 operations':>15} " +
          " ".join(f"{'with ' + format(effort, 'g') + ' s':>17}" for effort in options.effort))
    is_good = True
    ratios = [[] for _ in options.effort]
    with tempfile.TemporaryDirectory() as folder:
        for network in networks()[:options.networks]:
            without, _ = operations_of(network, options, 0, folder)
            cells = []
            for number, effort in enumerate(options.effort):
                operations, seconds = operations_of(network, options, effort, folder)
                ratios[number].append(operations / without)
                is_good = is_good and operations <= without
                cells.append(f"{operations / without:9.4f} {seconds:5.1f} s")
            print(f"{network.name:20} {len(network.tensors):7} {math.log2(without):15.2f} " +
                  " ".join(f"{cell:>17}" for cell in cells), flush=True)
    means = [math.exp(sum(map(math.log, each)) / len(each)) for each in ratios]
    print(f"{'geometric mean':20} {'':7} {'':15} " + " ".join(f"{f'{mean:9.4f}':>17}" for mean in means))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
