"""Reads the files of test/cases and draws the inputs of a case from its seed."""
import json
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "cases"


def load(name):
    return json.loads((FOLDER / name).read_text())["cases"]


def draw_all(specs, seed):
    """One array per spec, in order, from one generator: the order is part of the case."""
    generator = np.random.default_rng(seed)
    return [draw(spec, generator) for spec in specs]


def draw(spec, generator):
    shape, dtype = tuple(spec["shape"]), np.dtype(spec["dtype"])
    if spec["fill"] == "values":
        return listed_values(spec["values"], shape, dtype)
    return np.asarray(filled(spec, shape, dtype, generator)).astype(dtype)


def listed_values(values, shape, dtype):
    """`values` holds numbers, their text ("inf"), or [re, im] pairs for a complex dtype."""
    if dtype.kind == "c":
        pairs = np.asarray(values, float)
        return (pairs[..., 0] + 1j * pairs[..., 1]).astype(dtype).reshape(shape)
    if isinstance(values, list) and values and isinstance(values[0], str):
        values = [float(value) for value in values]
    return np.asarray(values).astype(dtype).reshape(shape)


def filled(spec, shape, dtype, generator):
    fill = spec["fill"]
    if fill == "normal":
        drawn = generator.standard_normal(shape)
        return drawn + 1j * generator.standard_normal(shape) if dtype.kind == "c" else drawn
    if fill == "uniform01":
        return generator.random(shape)
    if fill == "uniform":
        return generator.uniform(spec["lo"], spec["hi"], shape)
    if fill == "smallint":  # so small that no case overflows its own type
        low, high = {"uint8": (0, 2), "int8": (-1, 2)}.get(dtype.name, (0, 3) if dtype.kind == "u" else (-2, 3))
        return generator.integers(low, high, shape)
    if fill == "randint":
        return generator.integers(spec["lo"], spec["hi"], shape)
    if fill == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    if fill == "arange":
        return np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    if fill == "ones":
        return np.ones(shape)
    if fill.startswith("const:"):
        return np.full(shape, float(fill[len("const:"):]))
    if fill == "sparse_uniform":
        kept = generator.random(shape) < spec["sparsity"]
        return np.where(kept, generator.uniform(spec["lo"], spec["hi"], shape), 0.0)
    raise ValueError(f"unknown fill {fill}")


def asserted(case, like):
    """What the source of a case asserts, as an array of `like`'s kind; None where it asserts nothing."""
    if "asserted_by_source" not in case:
        return None
    value = np.asarray(case["asserted_by_source"], float)
    if like.dtype.kind == "c" and value.ndim == like.ndim + 1:
        return value[..., 0] + 1j * value[..., 1]
    return value.reshape(like.shape)
