#!/usr/bin/python3
"""Compares contraction paths with those of numpy.einsum_path on 200 random networks.

    /usr/bin/python3 bench/path/beside_numpy.py [--tessera PROGRAM] [--networks N] [--worst]

Networks have 5 to 40 tensors, hyper-edges and kept labels. Operations of both are counted by one counter over the
steps: elements of the loop times (factors - 1, and 1 more where something is summed). Peak is the elements of the
largest intermediate. numpy's `greedy` is taken without a memory limit and with its default one, whichever is better;
`optimal`, which tries all orders, up to 7 tensors. Exit code 1: some path takes more operations than numpy's.

Tessera's path is what `tessera explain --stage optimized` prints, so all of the optimizer is in it.
"""
import argparse
import json
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_FOR_OPTIMAL = 7
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # all that numpy takes


class Network:
    """Tensors as tuples of labels, extents by label, and the labels of the output."""

    def __init__(self, seed):
        draw = random.Random(seed)
        num_tensors = draw.randint(5, 40)
        num_labels = min(len(LETTERS), draw.randint(num_tensors, 2 * num_tensors))
        tensors = [set() for _ in range(num_tensors)]
        labels = LETTERS[:num_labels]
        for label in labels:
            num_holders = draw.choice([1, 2, 2, 2, 2, 2, 2, 3, 4])
            for tensor in draw.sample(range(num_tensors), num_holders):
                tensors[tensor].add(label)
        self.extents = {label: draw.choice([1, 2, 2, 3, 4, 5, 8]) for label in labels}
        self.tensors = [tuple(draw.sample(sorted(tensor), len(tensor))) for tensor in tensors]
        self.out = tuple(sorted(draw.sample(labels, draw.randint(0, 4))))

    def shape(self, labels):
        return [self.extents[label] for label in labels]

    def volume(self, labels):
        return math.prod(self.shape(labels))

    def operations(self, factors, result):
        """Of one loop that multiplies factors and sums all labels that the result does not have."""
        loop = self.volume(set().union(*factors))
        return loop * (len(factors) - 1 + (loop > self.volume(result)))

    def numpys_cost(self, kind, *limit):
        """(operations, peak) of numpy's path."""
        operands = [np.broadcast_to(0.0, self.shape(labels)) for labels in self.tensors]
        equation = ",".join(map("".join, self.tensors)) + "->" + "".join(self.out)
        path, _ = np.einsum_path(equation, *operands, optimize=(kind, *limit) if limit else kind)
        tensors = [set(labels) for labels in self.tensors]
        operations, peak = 0, 1
        for step in path[1:]:
            taken = [tensors.pop(place) for place in sorted(step, reverse=True)]
            result = set().union(*taken) & set(self.out).union(*tensors)
            operations += self.operations(taken, result)
            tensors.append(result)
            if len(tensors) > 1:
                peak = max(peak, self.volume(result))
        return operations, peak

    def tesseras_cost(self, program, folder):
        """(operations, peak) of the optimized graph."""
        names = [f"T{number}" for number in range(len(self.tensors))]
        reads = [f"{name}[{','.join(labels)}]" for name, labels in zip(names, self.tensors)]
        over = [label for label in sorted(self.extents) if label not in self.out]
        text = f"input {', '.join(reads)}\nout[{','.join(self.out)}] = sum[{','.join(over)}] {' * '.join(reads)}\noutput out\n"
        (folder / "network.ein").write_text(text)
        types = [f"{name}=f64[{','.join(map(str, self.shape(labels)))}]" for name, labels in zip(names, self.tensors)]
        printed = subprocess.run([program, "explain", folder / "network.ein", *types, "--stage", "optimized", "--format", "json"],
                                 check=True, capture_output=True, text=True).stdout
        operations, peak = 0, 1
        for node in json.loads(printed)["nodes"]:
            if node["op"] != "einsum":
                continue
            left, right = re.sub(r"^\[[^\]]*\] ", "", node["parameters"]["what"]).split(" = ", 1)
            result = labels_of(left)[0]
            operations += self.operations(labels_of(re.sub(r"sum\[[^\]]*\]", "", right)), result)
            if not left.startswith("out["):
                peak = max(peak, self.volume(result))
        return operations, peak


def labels_of(text):
    """The labels of every access in a text: [{'a', 'b'}] of `T[a,b]`."""
    return [set(filter(None, labels.split(","))) for labels in re.findall(r"\w\[([^\]]*)\]", text)]


def table(title, ratios):
    """Prints quantiles of ratios (ours / numpy's)."""
    ordered = sorted(ratios)
    places = [ordered[round(part * (len(ordered) - 1))] for part in (0, 0.25, 0.5, 0.75, 1)]
    better = sum(ratio < 1 for ratio in ratios)
    worse = sum(ratio > 1 for ratio in ratios)
    print(f"{title:30} {len(ratios):4} {better:7} {worse:6} " + " ".join(f"{place:9.3g}" for place in places))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--networks", type=int, default=200)
    parser.add_argument("--worst", action="store_true", help="name the networks where numpy does as well or better")
    options = parser.parse_args()
    greedy, optimal, peaks, optimal_peaks = [], [], [], []
    seconds = {"tessera": 0.0, "numpy": 0.0}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.networks):
            network = Network(seed)
            start = time.perf_counter()
            ours = network.tesseras_cost(options.tessera, pathlib.Path(folder))
            middle = time.perf_counter()
            numpys = min(network.numpys_cost("greedy", 2**62), network.numpys_cost("greedy"))
            seconds["tessera"] += middle - start
            seconds["numpy"] += time.perf_counter() - middle
            greedy.append(ours[0] / numpys[0])
            peaks.append(ours[1] / numpys[1])
            if options.worst and greedy[-1] >= 1:
                print(f"seed {seed}: {len(network.tensors)} tensors, {ours} against {numpys}")
            if len(network.tensors) <= MOST_FOR_OPTIMAL:
                best = network.numpys_cost("optimal", 2**62)
                optimal.append(ours[0] / best[0])
                optimal_peaks.append(ours[1] / best[1])
    print(f"{'tessera / numpy':30} {'nets':>4} {'better':>7} {'worse':>6} " +
          " ".join(f"{name:>9}" for name in ("least", "25 %", "median", "75 %", "most")))
    table("operations / greedy", greedy)
    table("largest intermediate / greedy", peaks)
    if optimal:
        table("operations / optimal", optimal)
        table("largest intermediate / optimal", optimal_peaks)
    print(f"seconds for all: tessera {seconds['tessera']:.1f} (whole processes), numpy's greedy {seconds['numpy']:.1f}")
    is_good = max(greedy + optimal) <= 1 and statistics.median(greedy) < 1
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
