"""What only a run can count: positions that are kept, groups whose number nobody says. Beside numpy; integers, so every sum is exact."""
import random

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
message = TESSERA.message_of
OPTIONS = [[], ["--tile", "i=3,j=2"], ["--sites", "2"], ["--sites", "3", "--planner", "two-phase", "--tile", "i=2"], ["--workers", "2"],
           ["--memory", "512KiB"], ["--pieces", "4"], ["--frame-tasks", "40", "--tile", "i=2"]]
DRAWN = 48
TABLE = "input X[i,j], s[i]\n"


def drawn(seed, low=-4, high=5):
    numbers = np.random.default_rng(seed)
    rows, columns = numbers.integers(0, 14), numbers.integers(1, 6)
    return numbers.integers(low, high, (rows, columns)), numbers.integers(-1, 2, rows)


@pytest.mark.parametrize("seed", range(DRAWN))
def test_rows_are_kept_then_columns_then_summed(seed, tmp_path):
    table, chosen = drawn(seed)
    text = (TABLE + "Z[i,j] = keep[i where s[i] != 0] (2 * X[i,j] + index(i))\nm[i] = keep[i where s[i] != 0] index(i)\n"
            "t[j] = sum[i] Z[i,j]\nC[i,j] = keep[j where t[j] > 3] Z[i,j]\nn = sum[i,j] C[i,j]\n"
            "B[j] = sum[i] C[i,j] * X[m[i], 0]\noutput Z, m, C, n, B\n")
    kept, places, columns, total, product = run(tmp_path, text, ["Z", "m", "C", "n", "B"], OPTIONS[seed % len(OPTIONS)], X=table, s=chosen)
    rows = np.nonzero(chosen != 0)[0]
    expected = (2 * table + np.arange(len(table))[:, None])[rows]
    narrow = expected[:, expected.sum(0) > 3]
    assert np.array_equal(places, rows) and np.array_equal(kept, expected)
    assert np.array_equal(columns, narrow) and total == narrow.sum() and np.array_equal(product, table[rows, 0] @ narrow)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_left_out_is_not_computed(seed, tmp_path):
    table, chosen = drawn(seed)
    text = (TABLE + "Q[i,j] = keep[i where s[i] != 0] X[i,j] // s[i]\nP[i] = keep[i where s[i] != 0 and X[i,0] // s[i] > 0] X[i,0] % s[i]\n"
            "G[X[i,0] // s[i] + 9] = sum[i where s[i] != 0] 1\noutput Q, P, G\n")
    quotients, rests, groups = run(tmp_path, text, ["Q", "P", "G"], OPTIONS[seed % len(OPTIONS)], X=table, s=chosen)
    rows = chosen != 0
    expected = table[rows] // chosen[rows][:, None]
    assert np.array_equal(quotients, expected)
    assert np.array_equal(rests, (table[rows, 0] % chosen[rows])[expected[:, 0] > 0])
    assert np.array_equal(groups, np.bincount(expected[:, 0] + 9))


@pytest.mark.parametrize("seed", range(8))
def test_groups_that_are_all_negative_are_no_groups(seed, tmp_path):
    numbers = np.random.default_rng(seed)
    g, h, x = -numbers.integers(1, 5, 6), numbers.integers(0, 4, 6), numbers.integers(-3, 4, 6)
    head = "input g[i], h[i], x[i]\n"
    for left in ("g[i]", "h[i], g[i]", "g[i] // 2", "k = g[i]", "g[i] + 0 * h[i]"):
        said = message(tmp_path, head + f"Y[{left}] = sum[i] x[i]\n", g=g, h=h, x=x)
        assert "the group of an element is -" in said and "no group is negative" in said and "2:1" in said, said
    said = message(tmp_path, head + "Y[g[i]] = (sum[i where x[i] > 0] 1) + (sum[i where x[i] <= 0] 1)\n", g=g, h=h, x=x)
    assert "the group of an element is -" in said, said
    [none] = run(tmp_path, head + "Y[g[i]] = sum[i where g[i] >= 0] x[i]\n", ["Y"], [[], ["--tile", "i=2"], ["--sites", "2"]][seed % 3], g=g, h=h, x=x)
    assert none.shape == (0,)
    g[2] = 3
    [some] = run(tmp_path, head + "Y[h[i], g[i]] = sum[i where g[i] >= 0] x[i]\n", ["Y"], [[], ["--tile", "i=2"], ["--sites", "2"]][seed % 3], g=g, h=h, x=x)
    expected = np.zeros((h.max() + 1, 4), int)
    expected[h[2], 3] = x[2]
    assert np.array_equal(some, expected)


@pytest.mark.parametrize("seed", range(12))
def test_groups_need_not_be_counted(seed, tmp_path):
    table, _ = drawn(seed)
    groups = np.random.default_rng(seed).integers(0, 9, len(table)).astype(["i8", "u1", "i4"][seed % 3])
    text = ("input X[i,j], G[i]\nY[G[i], j] = sum[i] X[i,j]\nH[g = G[i] // 2] = sum[i] 1\nt[g] = H[g] * 2\nM[G[i]] = max[i where X[i,0] > 0] X[i,0]\n"
            "output Y, H, t, M\n")
    total, counts, twice, largest = run(tmp_path, text, ["Y", "H", "t", "M"], OPTIONS[seed % len(OPTIONS)], X=table, G=groups)
    num_groups = int(groups.astype(int).max(initial=-1)) + 1
    expected = np.zeros((num_groups, table.shape[1]), int)
    np.add.at(expected, groups, table)
    halves = np.bincount(groups.astype(int) // 2, minlength=num_groups and (num_groups - 1) // 2 + 1)
    assert np.array_equal(total, expected) and np.array_equal(counts, halves) and np.array_equal(twice, 2 * halves)
    tops = np.full(num_groups, np.iinfo("i8").min)
    np.maximum.at(tops, groups[table[:, 0] > 0], table[table[:, 0] > 0, 0])
    assert np.array_equal(largest, tops)


def test_groups_may_be_computed_from_labels(tmp_path):
    text = "input X[i]\nY[i // 3] = sum[i] X[i]\nP[i % 4] = sum[i] X[i]\noutput Y, P\n"
    thirds, phases = run(tmp_path, text, ["Y", "P"], X=np.arange(11))
    assert np.array_equal(thirds, [3, 12, 21, 19]) and np.array_equal(phases, [12, 15, 18, 10])


def test_a_group_below_zero_is_an_error(tmp_path):
    said = message(tmp_path, "input G[i]\nY[G[i]] = sum[i] 1\noutput Y\n", G=np.array([2, -1, 0]))
    assert "group" in said and "2:1" in said, said


def test_a_label_elsewhere_says_how_many_groups(tmp_path):
    text = "input X[i], G[i], W[g]\nY[g = G[i]] = sum[i] X[i] * W[g]\noutput Y\n"
    [result] = run(tmp_path, text, ["Y"], X=np.array([1, 2, 3]), G=np.array([0, 2, 0]), W=np.array([1, 1, 10, 7]))
    assert np.array_equal(result, [4, 0, 20, 0])


@pytest.mark.parametrize("tile", ["n=3", "m=4", "e=2"])
def test_tiles_may_cut_labels_of_any_part(tile, tmp_path):
    text = "input X[m,e], s[n]\nY[n] = keep[n where s[n] != 0] index(n)\nZ[m,e] = cumsum[m] X[m,e]\noutput Y, Z\n"
    table, chosen = np.arange(22).reshape(11, 2), np.arange(10) % 3
    places, sums = run(tmp_path, text, ["Y", "Z"], ["--tile", tile], X=table, s=chosen)
    assert np.array_equal(places, np.nonzero(chosen)[0]) and np.array_equal(sums, table.cumsum(0))


def test_a_tile_of_a_label_that_no_part_has_is_an_error(tmp_path):
    text = "input s[n]\nY[n] = keep[n where s[n] != 0] index(n)\noutput Y\n"
    said = message(tmp_path, text, "--tile", "k=2", s=np.array([1, 0]))
    assert "no label k; it has n" in said, said


@pytest.mark.parametrize("axis", [0, 1])
def test_empty_rows_and_columns_are_removed(axis, tmp_path):
    numbers = np.random.default_rng(axis)
    table = numbers.integers(-9, 10, (700, 300)) * (numbers.random((700, 300)) < 0.5).astype(int)
    table[1::2] = 0
    table[:, ::3] = 0
    label, other = "ij"[axis], "ij"[1 - axis]
    text = (f"input V[i,j]\nR[i,j] = keep[{label} where any[{other}] (V[i,j] != 0)] V[i,j]\n"
            f"C[i,j] = keep[{other} where any[{label}] (R[i,j] != 0)] R[i,j]\noutput R, C\n")
    once, twice = run(tmp_path, text, ["R", "C"], ["--workers", "2"], V=table)
    expected = table[(table != 0).any(1)] if axis == 0 else table[:, (table != 0).any(0)]
    both = table[(table != 0).any(1)][:, (table != 0).any(0)]
    assert np.array_equal(once, expected) and np.array_equal(twice, both)


@pytest.mark.parametrize("processes", [2, 3])
def test_several_processes_keep_the_same(processes, tmp_path):
    table, chosen = np.arange(60).reshape(15, 4), np.arange(15) % 3
    text = TABLE + "Z[i,j] = keep[i where s[i] == 1] X[i,j]\nY[Z[i,0]] = sum[i] Z[i,1]\noutput Z, Y\n"
    kept, grouped = TESSERA.under_mpirun(processes).values_of(tmp_path, text, ["Z", "Y"], ["--tile", "i=2"], X=table, s=chosen)
    expected = np.zeros(table[chosen == 1, 0].max() + 1, int)
    np.add.at(expected, table[chosen == 1, 0], table[chosen == 1, 1])
    assert np.array_equal(kept, table[chosen == 1]) and np.array_equal(grouped, expected)


def test_what_is_computed_for_the_count_is_not_computed_again(tmp_path):
    text = TABLE + "A[i,j] = exp(f64(X[i,j])) * 0 + X[i,j]\nt[i] = sum[j] A[i,j]\nZ[i,j] = keep[i where t[i] > 0] A[i,j]\noutput Z\n"
    table, chosen = np.arange(-30, 30).reshape(15, 4), np.zeros(15, int)
    (tmp_path / "p.ein").write_text(text)
    np.save(tmp_path / "X.npy", table)
    np.save(tmp_path / "s.npy", chosen)
    done = TESSERA.call("run", "p.ein", "X=X.npy", "s=s.npy", "-o", "Z=Z.npy", "--trace", "t.json", "--analyze", "--repeat", "2", folder=tmp_path)
    assert done.exit_code == 0, done.describe()
    assert np.array_equal(np.load(tmp_path / "Z.npy"), table[table.sum(1) > 0])
    [row] = [line for line in done.stdout.splitlines() if line.startswith("A (")]
    assert row.endswith("write, read") and "  3      2  " in row, done.stdout  # made once, left, read again


def test_explain_says_where_a_plan_ends(tmp_path):
    (tmp_path / "p.ein").write_text(TABLE + "Z[i,j] = keep[i where s[i] != 0] X[i,j]\noutput Z\n")
    done = TESSERA.call("explain", "p.ein", "X=i64[6,2]", "s=i64[6]", "--stage", "einsum", folder=tmp_path)
    assert "output(%3) Z.count" in done.stdout and "this plan ends with Z.count, how many i of Z there are" in done.stderr
    simulated = TESSERA.call("simulate", "p.ein", "X=i64[6,2]", "s=i64[6]", "--cluster", "2x1c,1Gbps,1GiB", folder=tmp_path)
    assert simulated.exit_code != 0 and "only a run tells how many i of Z there are" in simulated.stderr, simulated.describe()


@pytest.mark.parametrize("statement, words", [
    ("Z[i,j] = keep[i] X[i,j]", ["2:10", "nothing says which i are kept", "keep[i where s[i] != 0] x"]),
    ("Z[i,j] = keep[i,j where X[i,j] > 0] X[i,j]", ["2:10", "keep takes one label"]),
    ("Z[j] = keep[i where s[i] > 0] X[i,j]", ["2:13", "i is kept, so it stands on the left, once"]),
    ("Z[i,j] = 2 * keep[i where s[i] > 0] X[i,j]", ["2:14", "keep is all of a right side"]),
    ("Z[i,j] = keep[i where s[i] > 0](X[i,j], s[i])", ["keep takes one expression, not 2"]),
    ("Z[i,j] = keep[i where X[i,j] > 0] X[i,j]", ["2:27", "label j", "add j to Z[...]"]),
    ("Z[s[i],j] = keep[i where s[i] > 0] X[i,j]", ["what is kept has labels on the left"]),
])
def test_what_cannot_be_kept_is_said(statement, words, tmp_path):
    table, chosen = np.arange(12).reshape(6, 2), np.arange(6)
    said = message(tmp_path, TABLE + statement + "\n", X=table, s=chosen)
    assert all(word in said for word in words), said


def test_a_number_is_a_condition_where_it_is_not_zero(tmp_path):
    [kept] = run(tmp_path, "input s[i]\nZ[i] = keep[i where s[i]] s[i]\noutput Z\n", ["Z"], s=np.array([0, 5, -2, 0, 1]))
    assert np.array_equal(kept, [5, -2, 1])


@pytest.mark.parametrize("length", [0, 1, 28])
@pytest.mark.parametrize("declared", [False, True])
def test_the_condition_says_how_long_the_label_is(declared, length, tmp_path):
    chosen = np.arange(length) % 4 - 1
    text = ("input S[i], X[i,j]\n" + f"label n = {length}\n" * declared +
            "Y[n] = keep[n where S[n] != 0] index(n)\nZ[n] = keep[n where S[n] != 0] size(n)\nW[j,n] = keep[n where S[n] > 0] (X[n,j] + index(n))\n"
            "t[m] = 2 * Y[m]\noutput Y, Z, W, t\n")
    table = np.arange(2 * length).reshape(length, 2)
    places, sizes, kept, twice = run(tmp_path, text, ["Y", "Z", "W", "t"], S=chosen, X=table)
    rows = np.flatnonzero(chosen)
    assert np.array_equal(places, rows) and np.array_equal(sizes, np.full(len(rows), length)) and np.array_equal(twice, 2 * rows)
    assert np.array_equal(kept, (table + np.arange(length)[:, None])[chosen > 0].T)


def test_a_header_that_has_the_label_does_not_say_how_long_the_condition_is(tmp_path):
    text = "input X[n], S[i]\nY[n] = keep[n where S[n] != 0] index(n)\noutput Y\n"
    [places] = run(tmp_path, text, ["Y"], X=np.arange(3), S=np.array([0, 1, 0, 0, 1]))
    assert np.array_equal(places, [1, 4])


@pytest.mark.parametrize("statement", ["Y[n] = keep[n where S[n] != 0] index(n)", "Y[n] = keep[n where index(n) > 0] S[n]"])
def test_a_declaration_holds_for_the_positions_before_some_are_kept(statement, tmp_path):
    said = message(tmp_path, f"input S[i]\nlabel n = 10\n{statement}\noutput Y\n", S=np.arange(6))
    assert "label n is 10 in its declaration but 6 in S[n]" in said, said


def test_a_macro_may_be_called_keep(tmp_path):
    [result] = run(tmp_path, "input x[i]\ndef keep[i](x) = x - sum[i] x\ny[i] = keep[i](x[i])\noutput y\n", ["y"], x=np.arange(4))
    assert np.array_equal(result, np.arange(4) - 6)



def test_a_condition_and_what_is_kept_say_together_how_long_a_label_is(tmp_path):
    short, long = np.arange(5), 2 * np.arange(10)
    text = ("input S[n], T[m]\nfirst[n] = keep[n where index(n) < 3] S[n]\neven[n] = keep[n where index(n) % 2 == 0] S[n]\n"
            "of_long[n] = keep[n where index(n) % 2 == 0] T[n]\nagain[n] = keep[n where index(n) % 2 == 0] (T[n] + 1)\n"
            "steps[n] = keep[n where T[n] > 4] (T[n + 1] - T[n])\nrising[n] = keep[n where T[n + 1] > 4] T[n]\n"
            "output first, even, of_long, again, steps, rising\n")
    names = ["first", "even", "of_long", "again", "steps", "rising"]
    for options in OPTIONS[:4]:
        options = [option for option in options if option not in ("--tile", "i=3,j=2", "i=2")]
        first, even, of_long, again, steps, rising = run(tmp_path, text, names, options, S=short, T=long)
        assert np.array_equal(first, [0, 1, 2]) and np.array_equal(even, [0, 2, 4])
        assert np.array_equal(of_long, long[::2]) and np.array_equal(again, long[::2] + 1)
        assert np.array_equal(steps, np.diff(long)[long[:-1] > 4]) and np.array_equal(rising, long[:-1][long[1:] > 4])
    alone = "input S[q]\nfirst[n] = keep[n where index(n) < 3] S[n]\noutput first\n"
    assert np.array_equal(run(tmp_path, alone, ["first"], S=long)[0], long[:3])


def test_a_condition_of_another_length_is_an_error(tmp_path):
    said = message(tmp_path, "input S[n], T[m]\nA[n] = keep[n where S[n] > 1] T[n]\noutput A\n", S=np.arange(5), T=np.arange(10))
    assert "label n is 5 in S[n] but 10 in T[n]" in said and "2:33" in said and said.count("error") == 1
