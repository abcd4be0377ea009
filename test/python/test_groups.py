"""Aggregates by group and under a condition, beside numpy. Sums are of integers, so they are exact."""
import dataclasses
import itertools
import random

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
message = TESSERA.message_of
OPTIONS = [[], ["--workers", "2"], ["--sites", "3"], ["--sites", "2", "--planner", "two-phase"], ["--memory", "200KiB"],
           ["--reproducible"], ["--sites", "3", "--planner", "grid"], ["--pieces", "4"], ["--pieces", "3", "--sites", "3"]]
AGGREGATES = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "argmax": np.argmax, "argmin": np.argmin, "mean": np.mean}
DRAWN = 80


def integers(*shape, low=-4, high=5, seed=0):
    return np.random.default_rng(sum(shape) + seed).integers(low, high, shape)


def by_group(aggregate, groups, values, num_groups):
    """values[n, ...] by groups[n]; every group has some."""
    rows = np.arange(len(groups))
    made = []
    for group in range(num_groups):
        here = aggregate(values[groups == group], axis=0)
        is_position = aggregate in (np.argmax, np.argmin)
        made.append(rows[groups == group][here] if is_position else here)
    return np.array(made)


def full_groups(draw, num_groups, length):
    """Numbers of groups, each at least once."""
    groups = list(range(num_groups)) + [draw.randrange(num_groups) for _ in range(length - num_groups)]
    draw.shuffle(groups)
    return np.array(groups, draw.choice(["i4", "i8", "u1", "u8"]))


@dataclasses.dataclass
class Case:
    """Z[labels of A and groups, in any order] = aggregate[n] of A[n, e, f] and T[K[n], e], where P[n] or always."""
    aggregate: str
    num_groups: list
    inner: str
    gathers: bool
    is_masked: bool

    def value(self):
        labels = "".join(f",{label}" for label in self.inner)
        return f"A[n{labels}] * T[K[n]{labels}]" if self.gathers else f"A[n{labels}]"


def drawn_case(draw):
    return Case(draw.choice(list(AGGREGATES)), [draw.randint(1, 5) for _ in range(draw.choice([1, 1, 2]))],
                draw.choice(["", "e", "e", "ef"]), draw.random() < 0.4, draw.random() < 0.3)


@pytest.mark.parametrize("seed", range(DRAWN))
def test_drawn_groups_are_those_of_numpy(seed, tmp_path):
    draw = random.Random(seed)
    case = drawn_case(draw)
    length = draw.choice([25, 26, 40, 70, 1100])
    extents = {"e": draw.randint(1, 6), "f": draw.randint(1, 3)}
    inner = [extents[label] for label in case.inner]
    array, table = integers(length, *inner, seed=seed), integers(9, *inner, seed=seed)
    rows = integers(length, low=0, high=9)
    joined = full_groups(draw, int(np.prod(case.num_groups)), length)  # every pair of groups occurs, also where the mask is true
    mask = (integers(length, low=0, high=3, seed=seed) > 0) | (np.arange(length) < length)
    mask[[place for place in range(length) if np.sum(joined == joined[place]) > 1 and draw.random() < 0.3][:1]] = False
    groups = dict(zip("GH", np.unravel_index(joined, case.num_groups)))

    names = list(groups) + list(case.inner)
    draw.shuffle(names)
    left = [f"{name}[n] of {groups[name].max() + 1}" if name in groups else name for name in names]
    text = "input A[n{0}], T[v{0}], K[n], P[n], {1}\n".format("".join(f",{x}" for x in case.inner), ", ".join(f"{x}[n]" for x in groups))
    text += f"Z[{', '.join(left)}] = {case.aggregate}[n{' where P[n]' if case.is_masked else ''}] ({case.value()})\noutput Z\n"
    values = array * table[rows] if case.gathers else array
    kept = np.flatnonzero(mask) if case.is_masked else np.arange(length)
    expected = by_group(AGGREGATES[case.aggregate], joined[kept], values[kept], int(np.prod(case.num_groups)))
    expected = kept[expected] if case.aggregate.startswith("arg") else expected
    expected = expected.reshape(case.num_groups + inner)
    expected = expected.transpose([(list(groups) + list(case.inner)).index(name) for name in names])

    options = draw.choice(OPTIONS + [["--tile", f"n={draw.choice([3, 7, 24])}"], ["--tile", "n=5,G=2"]])
    [result] = run(tmp_path, text, ["Z"], options, A=array, T=table, K=rows, P=mask, **groups)
    assert np.allclose(result, expected, rtol=1e-14, atol=0) if case.aggregate == "mean" else np.array_equal(result, expected), text


def test_the_one_liners_of_grouping(tmp_path):
    numbers, table, rows = integers(500, low=0, high=100), integers(40, 7), integers(500, low=0, high=40)
    gradient, weights, columns = integers(500, 7), integers(500), integers(500, low=0, high=30)
    dense = integers(30, 6)
    text = """input X[n], T[v,e], D[n,e], R[n], V[n], K[n], B[k,j]
histogram[X[n] of 100] = sum[n] 1
coarse[X[n] // 10 of 10] = sum[n] 1
segments[g = R[n] of 40, e] = sum[n] D[n,e]
embedding[v = R[n], e] = T[v,e] - (sum[n] D[n,e])
sparse[R[p] of 40, j] = sum[p] V[p] * B[K[p], j]
pairs[X[n] // 25 of 4, R[n] % 3 of 3] = sum[n] 1
output histogram, coarse, segments, embedding, sparse, pairs
"""
    made = run(tmp_path, text, ["histogram", "coarse", "segments", "embedding", "sparse", "pairs"], X=numbers, T=table, D=gradient,
               R=rows, V=weights, K=columns, B=dense)
    histogram, coarse, segments, embedding, sparse, pairs = made
    assert np.array_equal(histogram, np.bincount(numbers, minlength=100)) and np.array_equal(coarse, np.bincount(numbers // 10, minlength=10))
    expected = np.zeros((40, 7), int)
    np.add.at(expected, rows, gradient)
    assert np.array_equal(segments, expected) and np.array_equal(embedding, table - expected)
    product = np.zeros((40, 6), int)
    np.add.at(product, rows, weights[:, None] * dense[columns])
    assert np.array_equal(sparse, product)
    counts = np.zeros((4, 3), int)
    np.add.at(counts, (numbers // 25, rows % 3), 1)
    assert np.array_equal(pairs, counts)


def test_every_aggregate_of_a_statement_is_grouped(tmp_path):
    groups, x = full_groups(random.Random(1), 4, 60).astype("i8"), np.random.default_rng(1).normal(size=60)
    text = ("input G[n], X[n]\naggregate larger(x, y) = max(x, y) identity -inf\nlabel g = 4\n"
            "share[g = G[n]] = 2 * (sum[n] X[n]) / (sum[n] f64(1))\nspread[g = G[n]] = variance[n](X[n])\n"
            "total[g = G[n]] = logsumexp[n] X[n]\nlargest[g = G[n]] = larger[n] X[n]\n"
            "far[g = G[n]] = max[n] abs(X[n] - share[g] / 2)\noutput share, spread, total, largest, far\n")
    share, spread, total, largest, far = run(tmp_path, text, ["share", "spread", "total", "largest", "far"], G=groups, X=x)
    parts = [x[groups == group] for group in range(4)]
    assert np.allclose(share, [2 * part.mean() for part in parts]) and np.allclose(spread, [part.var() for part in parts])
    assert np.allclose(total, [np.log(np.exp(part).sum()) for part in parts]) and np.array_equal(largest, [part.max() for part in parts])
    assert np.allclose(far, [np.abs(part - part.mean()).max() for part in parts])


def test_an_empty_group_has_the_identity(tmp_path):
    text = ("input G[n], X[n]\nlabel g = 3\ns[g = G[n]] = sum[n] X[n]\np[g = G[n]] = prod[n] X[n]\nm[g = G[n]] = max[n] X[n]\n"
            "a[g = G[n]] = mean[n] X[n]\ne[g = G[n]] = all[n] (X[n] > 0)\noutput s, p, m, a, e\n")
    s, p, m, a, e = run(tmp_path, text, ["s", "p", "m", "a", "e"], G=np.array([0, 2, 2]), X=np.array([1.0, -np.inf, -np.inf]))
    assert list(s) == [1, 0, -np.inf] and list(p) == [1, 1, np.inf] and list(m) == [1, -np.inf, -np.inf]
    assert a[0] == 1 and np.isnan(a[1]) and list(e) == [True, True, False]
    [position] = run(tmp_path, "input G[n], X[n]\nY[G[n] of 3] = argmax[n] X[n]\noutput Y\n", ["Y"], G=np.array([0, 2, 2]),
                     X=np.array([1.0, -np.inf, -np.inf]))
    assert position[0] == 0 and position[2] == 1


@pytest.mark.parametrize("of", [" of 4", ""])
@pytest.mark.parametrize("options", OPTIONS + [["--kernel", "reference"], ["--tile", "e=2"]], ids=" ".join)
def test_groups_of_no_rows_have_the_identity(options, of, tmp_path):
    """As a group that is empty among others has it; without `of` there are no groups."""
    names = [*AGGREGATES, "position"]
    lines = [f"{name}_[G[n]{of}, e] = {name}[n] X[n,e]\n" for name in AGGREGATES]
    text = (f"input X[n,e], G[n]\n{''.join(lines)}position_[G[n]{of}] = max[n where G[n] > 0] i64(index(n))\n"
            f"output {', '.join(name + '_' for name in names)}\n")
    outputs = [name + "_" for name in names]
    none = run(tmp_path, text, outputs, options, X=np.zeros((0, 3)), G=np.zeros(0, int))
    shape = (4, 3) if of else (0, 3)
    assert [made.shape for made in none] == [shape] * len(AGGREGATES) + [shape[:1]]
    some = run(tmp_path, text, outputs, options, X=np.zeros((1, 3)), G=np.array([3]))
    for empty, among in zip(none, some):
        assert empty.dtype == among.dtype and np.array_equal(empty[:3], among[:len(empty[:3])], equal_nan=among.dtype.kind == "f")
        assert not of or np.array_equal(empty[3], empty[0], equal_nan=among.dtype.kind == "f")


def test_an_aggregate_of_no_rows_that_is_not_grouped_is_an_error(tmp_path):
    said = message(tmp_path, "input X[n], G[n]\nY[G[n] of 4] = (sum[n] X[n]) + max[m] X[m]\noutput Y\n", X=np.zeros(0), G=np.zeros(0, int))
    assert "max of no elements has no value: label m has extent 0" in said, said


def test_a_condition_says_what_is_merged(tmp_path):
    x, y = integers(30, 4), integers(30)
    text = ("input X[i,j], Y[i]\nsome[j] = sum[i where Y[i] > 0] X[i,j]\ncount = sum[i where Y[i] > 0] 1\nlast = max[i where Y[i] == 2] i64(index(i))\n"
            "average[i] = mean[j where X[i,j] != 0 or index(j) == 0](X[i,j])\nnone[j] = sum[i where false] X[i,j]\n"
            "outside[j] = sum[i where not (Y[i] > 0)](X[i,j])^2\nnested = sum[i where Y[i] > 0] max[j where index(j) < 2] X[i,j]\n"
            "output some, count, last, average, none, outside, nested\n")
    made = run(tmp_path, text, ["some", "count", "last", "average", "none", "outside", "nested"], X=x, Y=y)
    some, count, last, average, none, outside, nested = made
    assert np.array_equal(some, x[y > 0].sum(0)) and count == (y > 0).sum() and last == np.flatnonzero(y == 2)[-1]
    kept = (x != 0) | (np.arange(4) == 0)
    assert np.allclose(average, x.mean(1, where=kept)) and not none.any()
    assert np.array_equal(outside, x[y <= 0].sum(0)**2) and nested == x[y > 0][:, :2].max(1).sum()


def test_where_is_still_a_function(tmp_path):
    x = integers(12)
    text = "input X[i]\nY = sum[i] where(X[i] > 0, X[i], 0)\nZ = sum[i where where(X[i] > 0, true, false)] where(X[i] > 1, X[i], 0)\noutput Y, Z\n"
    y, z = run(tmp_path, text, ["Y", "Z"], X=x)
    assert y == x[x > 0].sum() and z == x[x > 1].sum()


@pytest.mark.parametrize("length", [1, 2, 1023, 1024, 1025, 3000])
@pytest.mark.parametrize("options", [[], ["--tile", "n=1000"], ["--tile", "n=700,g=30"], ["--sites", "2"]])
def test_blocks_of_rows_and_tiles_of_groups(length, options, tmp_path):
    groups, x = integers(length, low=0, high=37), integers(length, 33)
    for left, mode in (("g = G[n] of 37, e", 0), ("e, g = G[n] of 37", 1)):
        [result] = run(tmp_path, f"input G[n], X[n,e]\nY[{left}] = sum[n] X[n,e]\noutput Y\n", ["Y"], options, G=groups, X=x)
        expected = np.zeros((37, 33), int)
        np.add.at(expected, groups, x)
        assert np.array_equal(np.moveaxis(result, mode, 0), expected)


def test_a_group_may_depend_on_labels_of_the_left_side(tmp_path):
    groups, x = integers(50, 3, low=0, high=4), integers(50, 3, 5)
    [result] = run(tmp_path, "input G[n,e], X[n,e,f]\nY[e, G[n,e] of 4, f] = sum[n] X[n,e,f]\noutput Y\n", ["Y"], G=groups, X=x)
    expected = np.zeros((3, 4, 5), int)
    for n, e in itertools.product(range(50), range(3)):
        expected[e, groups[n, e]] += x[n, e]
    assert np.array_equal(result, expected)


@pytest.mark.parametrize("group", [-1, 3])
@pytest.mark.parametrize("options", [[], ["--tile", "n=2"], ["--tile", "g=1"]])
def test_a_group_that_does_not_exist_is_named(group, options, tmp_path):
    text = "input G[n], X[n]\nY[g = G[n] of 3] = sum[n{}] X[n]\noutput Y\n"
    groups, x = np.array([0, 2, group, 1]), np.arange(4)
    path = tmp_path / "program.ein"
    path.write_text(text.format(""))
    done, _ = TESSERA.run_program(path, {"G": groups, "X": x}, [], tmp_path, *options)
    assert done.exit_code == 1 and "the group of an element is " in done.stderr and "2:1" in done.stderr, done.describe()
    [result] = run(tmp_path, text.format(f" where G[n] != {group}"), ["Y"], options, G=groups, X=x)
    assert list(result) == [0, 3, 1]


@pytest.mark.parametrize("row", [-1, 4])
def test_a_gathered_row_that_is_outside_is_named(row, tmp_path):
    text = "input G[n], K[n], B[k,j]\nY[G[n] of 2, j] = sum[n] B[K[n], j]\noutput Y\n"
    said = message(tmp_path, text, G=np.array([0, 1, 1]), K=np.array([0, row, 3]), B=integers(4, 5))
    assert f"an index of B is {row} where n = 1" in said and "2:1" in said, said


@pytest.mark.parametrize("statement, words", [
    ("Y[G[n] of 5] = X[n]", ["2:3", "no aggregate on the right takes n", "what is grouped is an aggregate: Y[G[n]] = sum[n] X[n]"]),
    ("Y[2*n of 10] = X[n]", ["2:1", "Y has 10 elements, and its statements write"]),
    ("Y[X[n] / 2 of 10] = sum[n] 1", ["2:3", "a group is numbered by an integer, and this is f64"]),
    ("Y[G[n] of 0.5] = sum[n] 1", ["2:11", "which is no whole number"]),
    ("Y[n, G[n] of 5] = X[n]", ["2:6", "an index that groups has a label that is not on the left"]),
    ("of[n] = X[n]", ["2:1", "of is a word of the language"]),
    ("Y = sum[n] where[n]", ["2:17", "unexpected ["]),
    ("Y[0] = sum[n] X[n]", ["2:3", "a statement defines a tensor, not one position of it"]),
    ("Y[n = 0:2] = X[n]", ["2:3", "a statement defines a tensor, not a slice of it"]),
    ("Y[G[n]*3 + H[m] of 9] = sum[n] sum[m] X[n] * H[m]", ["2:25", "takes only some of the labels that group on the left, m,n"]),
    ("Y[n] = X[e = G[n] of 5]", ["2:10", "a group stands on the left side only"]),
    ("Y = softmax[n where X[n] > 0](X[n])", ["2:21", "softmax is a macro, and only aggregates take a condition"]),
    ("Y = sum[n] only(X[n] > 0, X[n])", ["2:12", "sum[i where c] x"]),
    ("Y = sum[n where X[k] > 0] X[n]", ["2:19", "label k is neither on the left nor summed"]),
])
def test_what_is_wrong_is_said_at_its_place(statement, words, tmp_path):
    said = message(tmp_path, f"input G[n], X[n], H[m]\n{statement}\noutput Y\n", G=np.arange(5), X=np.arange(5), H=np.arange(2))
    assert all(word in said for word in words), said


@pytest.mark.parametrize("left", ["Y[G[n] of 0]", "Y[g = G[n] of 0]", "Y[G[n] of 0, m]", "Y[G[n] of 0, H[n] of 2]"])
@pytest.mark.parametrize("options", [[], ["--kernel", "reference"], ["--sites", "2"]], ids=" ".join)
def test_no_groups_take_no_elements(left, options, tmp_path):
    """They are no fault if a condition leaves all elements out."""
    text = f"input G[n], H[n], W[n,m]\n{left} = sum[n where G[n] >= {{}}] {'W[n,m]' if ', m' in left else 1}\noutput Y\n"
    arrays = {"G": np.array([0, 3, 1]), "H": np.array([0, 1, 1]), "W": integers(3, 2)}
    [none] = run(tmp_path, text.format(4), ["Y"], options, **arrays)
    assert none.shape[0] == 0
    said = message(tmp_path, text.format(3), *options, **arrays)
    assert "2:3: error: there are elements, which the condition lets in, but no group to put them into" in said, said
