"""Contractions of drawn networks give the same bits in the planned order and as one loop over all labels.

All data are small integers in f64, so that every order of additions is exact.
"""
import math
import pathlib
import random
import types

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
MOST_POINTS = 20_000  # of the loop over all labels, which numpy and the reference kernel go through


class Network:
    """Factors that are accesses of a few named tensors; a tensor may be read several times."""

    def __init__(self, seed, num_factors, most_points=math.inf):
        draw = random.Random(seed)
        labels = [f"l{number}" for number in range(draw.randint(2, 2 * num_factors))]
        self.extents, points = {}, 1
        for label in labels:
            extent = draw.choice([1, 2, 2, 3])
            self.extents[label] = extent if points * extent <= most_points else 1
            points *= self.extents[label]
        factors = [[] for _ in range(num_factors)]
        for label in labels:
            for place in draw.sample(range(num_factors), min(num_factors, draw.choice([1, 2, 2, 2, 2, 3]))):
                factors[place].append(label)
        self.out = draw.sample(labels, min(len(labels), draw.randint(0, 3)))
        self.over = [label for label in labels if label not in self.out]
        numbers = np.random.default_rng(seed)
        self.arrays, self.factors = {}, []
        for place, factor in enumerate(factors):
            shape = [self.extents[label] for label in factor]
            twins = [name for name, array in self.arrays.items() if list(array.shape) == shape]
            name = draw.choice(twins) if twins and draw.random() < 0.3 else f"T{place}"
            self.arrays.setdefault(name, np.asarray(numbers.integers(-1, 2, shape), "f8"))
            self.factors.append((name, factor))

    def text(self, aggregate, function):
        declared = ", ".join(f"{name}[{', '.join(f'{name}m{mode}' for mode in range(array.ndim))}]" if array.ndim else name
                             for name, array in self.arrays.items())
        product = f" {function} ".join(f"{name}[{', '.join(factor)}]" if factor else name for name, factor in self.factors)
        # An aggregate over nothing is no aggregate.
        body = f"{aggregate}[{', '.join(self.over)}] ({product})" if self.over else product
        return f"input {declared}\nout[{', '.join(self.out)}] = {body}\noutput out\n"

    def value(self, reduce, combine):
        """numpy's result over the whole index space."""
        order = self.out + self.over
        total = None
        for name, factor in self.factors:
            array = self.arrays[name].transpose(sorted(range(len(factor)), key=lambda mode: order.index(factor[mode])))
            array = array.reshape([self.extents[label] if label in factor else 1 for label in order])
            total = array if total is None else combine(total, array)
        total = np.broadcast_to(total, [self.extents[label] for label in order])
        return reduce(total, axis=tuple(range(len(self.out), len(order)))) if self.over else total

    def tiles(self, seed):
        draw = random.Random(seed)
        wide = [label for label, extent in self.extents.items() if extent > 1]
        return ",".join(f"{label}=1" for label in draw.sample(wide, min(len(wide), 3)))


def run(network, text, folder, *options):
    program = pathlib.Path(folder) / "network.ein"
    program.write_text(text)
    done, results = TESSERA.run_program(program, network.arrays, ["out"], folder, *options)
    assert done.exit_code == 0, f"{text}\n{done.describe()}"
    return results["out"]


SEMIRINGS = {
    "sum *": (np.sum, np.multiply),
    "min +": (np.min, np.add),
    "max +": (np.max, np.add),
}


@pytest.mark.parametrize("semiring", SEMIRINGS)
@pytest.mark.parametrize("seed", range(15))
def test_every_order_gives_the_bits_of_one_loop(seed, semiring, tmp_path):
    network = Network(seed, 2 + seed % 7, MOST_POINTS)
    text = network.text(*semiring.split())
    value = network.value(*SEMIRINGS[semiring])
    tiles = network.tiles(seed)
    for options in [[], ["--rules-off", "contraction_path"], ["--kernel", "reference"], *([["--tile", tiles]] if tiles else [])]:
        result = run(network, text, tmp_path, *options)
        assert result.shape == value.shape and np.array_equal(result, value), f"{options}\n{text}"


# Products of factors that are computed, of A[i,k], B[k,j] and D[k].
COMPUTED = {
    "sum[k] (A[i,k] + D[k]) * B[k,j]": lambda A, B, D: (A + D) @ B,
    "sum[k] where(A[i,k] > 0, A[i,k], 0) * (B[k,j] * abs(D[k]))": lambda A, B, D: (np.where(A > 0, A, 0) * abs(D)) @ B,
    "sum[k] (A[i,k] + index(k)) * B[k,j]": lambda A, B, D: (A + np.arange(A.shape[1])) @ B,
    "min[k] (abs(A[i,k]) + (B[k,j] - D[k]))": lambda A, B, D: (abs(A)[:, :, None] + (B - D[:, None])).min(1),
    "mean[k] A[i,k] * B[k,j]": lambda A, B, D: A @ B / A.shape[1],
    "mean[k] (A[i,k] - D[k]) * B[k,j] * 2": lambda A, B, D: (A - D) @ B * 2 / A.shape[1],
}


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.parametrize("length", [16, 0])
@pytest.mark.parametrize("dtypes", ["f4 f4 f4", "f4 f8 f8", "i1 f4 i1", "f2 f2 f2", "i4 i4 i4"])
@pytest.mark.parametrize("statement", COMPUTED)
def test_factors_of_their_own_give_the_bits_of_one_loop(statement, dtypes, length, tmp_path):
    if length == 0 and statement.startswith("min"):
        pytest.skip("there is no minimum of nothing")
    numbers = np.random.default_rng(length)
    shapes = {"A": (9, length), "B": (length, 3), "D": (length,)}
    arrays = {name: numbers.integers(-2, 3, shape).astype(dtype) for (name, shape), dtype in zip(shapes.items(), dtypes.split())}
    value = COMPUTED[statement](*(array.astype("f8") for array in arrays.values()))
    text = f"input A[i,k], B[k,j], D[k]\nout[i,j] = {statement}\noutput out\n"
    for options in [[], ["--rules-off", "hoist_factors", "--rules-off", "mean_of_product"], ["--kernel", "reference"],
                    ["--tile", "i=4,j=2,k=5"], ["--reproducible"]]:
        result = run(types.SimpleNamespace(arrays=arrays), text, tmp_path, *options)
        assert np.array_equal(result.astype("f8"), value, equal_nan=True), f"{options}\n{text}"


@pytest.mark.parametrize("seed", range(100, 112))
def test_large_networks_give_the_bits_of_numpy(seed, tmp_path):
    network = Network(seed, 13 + seed % 9)
    numbers = {label: number for number, label in enumerate(network.extents)}
    operands = []
    for name, factor in network.factors:
        operands += [network.arrays[name], [numbers[label] for label in factor]]
    value = np.einsum(*operands, [numbers[label] for label in network.out], optimize="greedy")
    assert np.abs(value).max() < 2**53
    for options in [[], ["--effort", "0.01"]]:
        result = run(network, network.text("sum", "*"), tmp_path, *options)
        assert result.shape == value.shape and np.array_equal(result, value), network.text("sum", "*")


def test_equal_programs_have_equal_plans(tmp_path):
    network = Network(7, 30)
    (tmp_path / "network.ein").write_text(network.text("sum", "*"))
    declared = [f"{name}=f64[{','.join(map(str, array.shape))}]" for name, array in network.arrays.items()]
    for options in [], ["--effort", "0.1"], ["--effort", "0.1", "--workers", "1", "--sites", "2"]:
        plans = {TESSERA.call("explain", tmp_path / "network.ein", *declared, *options, "--stage", "optimized").stdout for _ in range(3)}
        assert len(plans) == 1 and "sum" in plans.pop()


def test_effort_is_a_number_of_seconds():
    done = TESSERA.call("explain", "ij,jk->ik", "f32[3,4]", "f32[4,5]", "--effort", "-1")
    assert done.exit_code != 0 and "--effort" in done.stderr
