"""Scans of products that overflow or vanish, beside plain loops: wherever a scan is cut, values are those of a walk from the
start of the line. Factors are powers of two and what is added stands after a factor of 0, so every number is exact. The
product of a line leaves the range in one direction: a tile in which it leaves and comes back is not told by its product."""
import random

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
DRAWN = 60
LENGTHS = [2, 3, 5, 33, 64, 130, 700, 1500]
OPTIONS = [[], ["--workers", "1"], ["--workers", "2"], ["--workers", "4"], ["--sites", "2"], ["--sites", "3"], ["--memory", "2MiB"],
           ["--sites", "2", "--planner", "grid"], ["--sites", "3", "--planner", "two-phase"], ["--sites", "3", "--planner", "algebra"],
           ["--reproducible"], ["--kernel", "reference"]]
AGGREGATES = """aggregate affine((a, b), (c, d)) = (c * a, c * b + d) identity (1, 0) gives b
aggregate turn((a, b), (c, d)) = (a * c - b * d, a * d + b * c) identity (1, 0) gives a
aggregate scaled((m, s), (n, t)) = (max(m, n), s * exp(m - max(m, n)) + t * exp(n - max(m, n))) identity (-1e300, 0) gives s
"""
PROGRAM = AGGREGATES + """input w[i,j], y[i,j], m[i,j], g[i]
P[i,j] = cumprod[i{order}] w[i,j]
Z[i,j] = cumsumprod[i{order}](y[i,j], w[i,j])
A[i,j] = scan[i{order}] affine(w[i,j], y[i,j])
T[i,j] = scan[i{order}] turn(w[i,j], 0 * y[i,j])
S[i,j] = scan[i{order}] scaled(m[i,j], abs(w[i,j]))
G[i,j] = cumprod[i{order} by g[i]] w[i,j]
output P, Z, A, T, S, G
"""


def factors(kind, length, draw):
    """Factors of a line whose product leaves the range of f64 in one direction."""
    exponent = draw.choice([3, 30, 200])
    signs = np.array([draw.choice([1, -1]) for _ in range(length)])
    if kind == "small":
        return signs * 2.0 ** np.array([draw.randint(-1, 1) for _ in range(length)])
    first = {"zero": 0.0, "tiny": 2.0**-1000, "huge": 2.0**1000, "infinite": np.inf, "one": 1.0}[kind]
    line = signs * np.full(length, 2.0**(-exponent if kind in ("huge", "infinite") else exponent))
    line[0 if kind in ("tiny", "huge") else draw.randrange(min(length, 40))] = first
    if draw.random() < 0.2:
        line[draw.randrange(length)] = np.nan
    return line


def drawn_factors(shape, draw):
    kinds = ["small", "zero", "tiny", "huge", "infinite", "one"]
    lines = [factors(draw.choice(kinds), shape[0], draw) for _ in range(shape[1])]
    return np.stack(lines, 1).astype("f8")


def walked(merge, elements, identity, order, segments=None):
    """One element after the other; a state is a tuple of arrays over the lines."""
    found = [None] * len(elements)
    state, last = identity, None
    for at in reversed(range(len(elements))) if "reverse" in order else range(len(elements)):
        if segments is not None and last is not None and segments[at] != segments[last]:
            state = identity
        merged = merge(state, elements[at])
        found[at], state, last = state if "exclusive" in order else merged, merged, at
    return found


def scaled(left, right):
    largest = np.maximum(left[0], right[0])
    return largest, left[1] * np.exp(left[0] - largest) + right[1] * np.exp(right[0] - largest)


def expected(w, y, m, segments, order):
    one, zero = np.ones(w.shape[1]), np.zeros(w.shape[1])
    product = (lambda state, element: (state[0] * element[0],), list(zip(w)), (one,))
    affine = (lambda state, element: (element[0] * state[0], element[0] * state[1] + element[1]), list(zip(w, y)), (one, zero))
    turn = (lambda left, right: (left[0] * right[0] - left[1] * right[1], left[0] * right[1] + left[1] * right[0]),
            list(zip(w, 0 * y)), (one, zero))
    sums = (scaled, list(zip(m, abs(w))), (zero - 1e300, zero))
    recurrence = (lambda state, element: (element[1] + element[0] * state[0],), list(zip(w, y)), (zero,))
    with np.errstate(all="ignore"):
        for (merge, elements, identity), entry, by in [(product, 0, None), (recurrence, 0, None), (affine, 1, None), (turn, 0, None),
                                                       (sums, 1, None), (product, 0, segments)]:
            yield np.array([state[entry] for state in walked(merge, elements, identity, order, by)])


def drawn_options(draw, length):
    options = draw.choice(OPTIONS)
    if draw.random() < 0.8 and "--reproducible" not in options:
        options = options + ["--tile", f"i={draw.randint(1, length) if draw.random() < 0.5 else min(length, draw.choice([7, 50, 170]))}"]
    return options


@pytest.mark.parametrize("seed", range(DRAWN))
def test_a_scan_that_leaves_the_range_is_a_walk(seed, tmp_path):
    draw = random.Random(seed)
    length, lines = draw.choice(LENGTHS), draw.choice([1, 3, 20])
    order = draw.choice(["", " reverse", " exclusive", " reverse exclusive"])
    w = drawn_factors((length, lines), draw)[::-1 if "reverse" in order else 1]
    y = np.where(w == 0, np.random.default_rng(seed).integers(-3, 4, w.shape), 0).astype("f8")
    m = np.random.default_rng(seed).choice([0.0, 1000.0, 2000.0], w.shape)
    segments = np.sort(np.random.default_rng(seed).integers(0, 4, length))
    options = drawn_options(draw, length)
    names = ["P", "Z", "A", "T", "S", "G"]
    seen = run(tmp_path, PROGRAM.format(order=order), names, options, w=w, y=y, m=m, g=segments)
    for name, got, wanted in zip(names, seen, expected(w, y, m, segments, order)):
        np.testing.assert_array_equal(got, wanted, f"{name} of {length} positions, {lines} lines,{order} {options}")


@pytest.mark.parametrize("options", [["--workers", "1"], ["--workers", "2"], ["--workers", "4"], ["--tile", "n=1000"],
                                     ["--tile", "n=33333", "--sites", "2"], ["--tile", "n=777", "--sites", "3"], ["--reproducible"],
                                     ["--memory", "2MiB"]], ids=" ".join)
def test_all_products_after_a_zero_are_zero(options, tmp_path):
    x = np.full(200_000, 1.5)
    x[0] = 0
    text = """input x[n]
P[n] = cumprod[n] x[n]
Z[n] = cumsumprod[n](0 * x[n], x[n])
Q[n] = 2 * P[n] + 1
num_nan = sum[n] (i64(isnan(P[n])) + i64(isnan(Z[n])) + i64(Q[n] != 1))
last = P[199999]
output num_nan, last
"""
    num_nan, last = run(tmp_path, text, ["num_nan", "last"], options, x=x)
    assert num_nan == 0 and last == 0


def test_processes_pass_the_states_on(tmp_path):
    x = np.full(5000, 2.0)
    x[0] = 2.0**-1000
    with np.errstate(over="ignore"):
        wanted = np.cumprod(x)
    text = "input x[n]\nP[n] = cumprod[n] x[n]\noutput P\n"
    seen, = TESSERA.under_mpirun(2).values_of(tmp_path, text, ["P"], ["--tile", "n=700"], x=x)
    assert np.array_equal(seen, wanted)
