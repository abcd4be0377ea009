"""Products whose parts overflow: a product of finite numbers is never NaN, however it is cut and by whichever kernel. Factors are
powers of two, so all that does not leave the range is exact."""
import random

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
OPTIONS = [[], ["--workers", "1"], ["--workers", "4"], ["--sites", "2"], ["--sites", "3", "--planner", "two-phase"], ["--memory", "2MiB"],
           ["--reproducible"], ["--reproducible", "--sites", "3"], ["--kernel", "reference"], ["--kernel", "blocked_evaluator"]]
PROGRAM = """aggregate times(x, y) = x * y identity 1
input x[n,m], c[n], g[n]
all = prod[n,m] x[n,m]
columns[m] = prod[n] x[n,m]
rows[n] = prod[m] x[n,m]
own[m] = times[n] x[n,m]
some[m] = prod[n where c[n]] x[n,m]
groups[g[n] of 5, m] = prod[n] x[n,m]
halves[m] = f64(prod[n] f32(x[n,m]))
scaled[m] = prod[n] (2 * x[n,m])
"""
NAMES = ["all", "columns", "rows", "own", "some", "groups", "halves", "scaled"]


def product(x, axis):
    """Over finite numbers 0 if one is 0; these of the test leave the range in one direction."""
    with np.errstate(all="ignore"):
        plain = np.prod(x, axis)
    return np.where(np.isfinite(x).all(axis) & (x == 0).any(axis), 0, plain)


def factors(draw, shape):
    x = 2.0 ** np.array([[draw.choice([0, 1, 1, 300]) for _ in range(shape[1])] for _ in range(shape[0])])
    x *= np.array([draw.choice([1, -1]) for _ in range(x.size)]).reshape(shape)
    for special in [0.0] * draw.choice([0, 1, 5]) + [np.inf] * draw.choice([0, 0, 1]) + [np.nan] * draw.choice([0, 0, 1]):
        x[draw.randrange(shape[0]), draw.randrange(shape[1])] = special
    return x


@pytest.mark.parametrize("seed", range(40))
def test_a_product_of_finite_numbers_is_a_number(seed, tmp_path):
    draw = random.Random(seed)
    shape = draw.choice([1, 7, 64, 1000]), draw.choice([1, 3, 40])
    x = factors(draw, shape)
    chosen = np.array([draw.random() < 0.7 for _ in range(shape[0])])
    groups = np.array([draw.randrange(4) for _ in range(shape[0])])
    options = draw.choice(OPTIONS)
    if "--reproducible" not in options and draw.random() < 0.7:
        options = options + ["--tile", f"n={draw.randint(1, shape[0])},m={draw.randint(1, shape[1])}"]
    seen = dict(zip(NAMES, run(tmp_path, PROGRAM, NAMES, options, x=x, c=chosen, g=groups)))
    with np.errstate(all="ignore"):
        narrow = x.astype("f4")
    expected = {"all": product(x.reshape(-1), 0), "columns": product(x, 0), "rows": product(x, 1), "own": product(x, 0),
                "some": product(x[chosen], 0), "groups": np.stack([product(x[groups == g], 0) for g in range(5)]),
                "halves": product(narrow, 0).astype("f8"), "scaled": product(2 * x, 0)}
    for name in NAMES:
        np.testing.assert_array_equal(seen[name], expected[name], f"{name} of {shape}, {options}")


@pytest.mark.parametrize("options", OPTIONS + [["--tile", "n=100"], ["--tile", "n=1"], ["--tile", "n=500", "--sites", "3"]], ids=" ".join)
@pytest.mark.parametrize("place", [0, 1500, 2999])
def test_a_product_with_a_zero_is_zero(options, place, tmp_path):
    x = np.full(3000, 3.0)
    x[place] = 0
    text = "input x[n]\nP = prod[n] x[n]\nH = prod[n] f16(x[n])\n"
    assert run(tmp_path, text, ["P", "H"], options, x=x) == [0, 0]


def test_processes_merge_what_they_know_of_elements(tmp_path):
    x = np.full(3000, 3.0)
    x[2500] = 0
    seen = TESSERA.under_mpirun(2).values_of(tmp_path, "input x[n]\nP = prod[n] x[n]\n", ["P"], ["--tile", "n=500"], x=x)
    assert seen == [0]
