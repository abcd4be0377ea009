"""SQL where tensors decide about rows: their order, DISTINCT in aggregates, outer joins, and the first rows of queries for each row."""
import math

import numpy as np
import pytest

from test_sql import database, drawn  # noqa: F401 (a fixture)
from test_sql_rows import column, draw_table, equal, key, members, store


def in_order(rows, place, descending=False):
    """Rows by the tensor at a place, NULL first as SQLite has it, then by k."""
    ordered = sorted(rows, key=lambda row: row[0])
    return sorted(ordered, key=lambda row: (row[place] is not None, key(row[place]) or ()), reverse=descending)


@pytest.mark.parametrize("options", [[], ["--pieces=5"]])
def test_rows_in_the_order_of_tensors(database, options):
    rows = draw_table(database, 40)
    names = [row[0] for row in in_order(rows, 3)]
    assert column(database.rows("SELECT k, m FROM t ORDER BY v, k", *options), "k") == names
    last = sorted(rows, key=lambda row: (row[3] is None, [-x for x in key(row[3]) or ()], row[0]))
    got = database.rows("SELECT k, v + 1 AS w FROM t ORDER BY v * 2 DESC NULLS LAST, k LIMIT 7 OFFSET 3", *options)
    assert column(got, "k") == [row[0] for row in last[3:10]] and equal(column(got, "w"), [row[3] + 1 for row in last[3:10]])
    assert column(database.rows("SELECT k FROM t WHERE m[1][1] > 0 ORDER BY m"), "k") == [row[0] for row in in_order(rows, 4) if row[4][0, 0] > 0]
    distinct = sorted({key(row[3]) for row in rows if row[3] is not None})
    assert list(map(key, column(database.rows("SELECT DISTINCT v FROM t ORDER BY v DESC", *options), "v"))) == distinct[::-1] + [None]
    assert list(map(key, column(database.rows("SELECT v FROM t UNION SELECT -v FROM t ORDER BY 1 LIMIT 3"), "v")))[1:] == sorted(
        {tuple(-x + 0. for x in one) for one in distinct} | set(distinct))[:2]


def test_groups_in_the_order_of_tensors(database):
    rows = draw_table(database, 40)
    sums = {g: key(sum(row[4] for row in members(rows, 1, g))) for g in range(4)}
    got = database.rows("SELECT g, sum(m) AS s FROM t GROUP BY g ORDER BY s DESC")
    assert column(got, "g") == sorted(sums, key=sums.get, reverse=True) and list(map(key, column(got, "s"))) == sorted(sums.values(), reverse=True)
    assert column(database.rows("SELECT g FROM t GROUP BY g ORDER BY sum(m) LIMIT 2"), "g") == sorted(sums, key=sums.get)[:2]
    got = database.rows("SELECT v, count(*) AS n FROM t GROUP BY v ORDER BY v")
    assert list(map(key, column(got, "v"))) == [None] + sorted({key(row[3]) for row in rows} - {None})
    got = database.rows("SELECT g, array_agg(k ORDER BY m, k) AS a FROM t WHERE k IN (SELECT min(k) FROM t GROUP BY g UNION SELECT max(k) FROM t GROUP BY g) "
                        "GROUP BY g ORDER BY g")
    for row, g in zip(got, range(4)):
        group = members(rows, 1, g)
        assert row["a"] == [one[0] for one in in_order([group[0], group[-1]], 4)]


def test_windows_in_the_order_of_tensors(database):
    rows = draw_table(database)
    got = database.rows("SELECT k, rank() OVER (ORDER BY v) AS r, lag(k) OVER (PARTITION BY g ORDER BY m, k) AS l, sum(m) OVER (ORDER BY v) AS s FROM t ORDER BY k")
    order = {row[0]: (row[3] is not None, key(row[3]) or ()) for row in rows}
    for row, one in zip(rows, got):
        assert one["r"] == 1 + sum(order[other[0]] < order[row[0]] for other in rows)
        group = [other[0] for other in in_order(members(rows, 1, row[1]), 4)]
        place = group.index(row[0])
        assert one["l"] == (group[place - 1] if place else None)
        assert np.array_equal(one["s"], sum(other[4] for other in rows if order[other[0]] <= order[row[0]]))
    assert "tensors have an order and no distances" in database.refused(
        "SELECT sum(k) OVER (ORDER BY v RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t")


@pytest.mark.parametrize("dtype", ["i8", "u64", "f16", "bf16", "f32", "f64", "b1"])
def test_order_of_dtypes(database, dtype):
    values = drawn((30, 20), 3) % 3 if dtype in ("u64", "b1") else drawn((30, 20), 3)
    values = values % 2 if dtype == "b1" else values
    values[:, :17] = values[0, :17]  # what differs is behind what is looked at first
    store(database, f"k int, v vector({dtype})[20]", list(enumerate(values)))
    assert column(database.rows("SELECT k FROM t ORDER BY v, k"), "k") == sorted(range(30), key=lambda k: (values[k].tolist(), k))


def test_order_of_what_is_not_a_number_and_of_complex_numbers(database):
    database.run("CREATE TABLE t(k int, v vector[2], z vector(c64)[1]); INSERT INTO t VALUES (1, '{nan,0}', '{2}'), (2, '{-0.0,1}', '{1}'), (3, '{inf,0}', '{-3}'), "
                 "(4, '{0,0}', '{1}'), (5, '{nan,-1}', '{0}'), (6, '{-inf,9}', '{2}')")
    assert column(database.rows("SELECT k FROM t ORDER BY v"), "k") == [6, 4, 2, 3, 5, 1]
    assert column(database.rows("SELECT k FROM t ORDER BY z DESC, k"), "k") == [1, 6, 2, 4, 5, 3]


def test_aggregates_of_distinct_tensors(database):
    rows = draw_table(database, 40)
    got = database.rows("SELECT g, sum(DISTINCT v) AS s, avg(DISTINCT v * 2) AS a, sum(DISTINCT v) FILTER (WHERE j > 2) AS f, count(DISTINCT v) AS n, "
                        "sum(DISTINCT j) AS j, sum(m) AS m FROM t GROUP BY g ORDER BY g")
    for g, row in enumerate(got):
        group = members(rows, 1, g)
        distinct = np.array(sorted({key(one[3]) for one in group if one[3] is not None}))
        chosen = np.array(sorted({key(one[3]) for one in group if one[3] is not None and one[2] > 2}))
        assert equal([row["s"], row["f"]], [distinct.sum(0), chosen.sum(0) if len(chosen) else None]) and np.allclose(row["a"], 2 * distinct.mean(0), rtol=1e-15)
        assert row["n"] == len(distinct) and row["j"] == sum({one[2] for one in group}) and np.array_equal(row["m"], sum(one[4] for one in group))
    distinct = sorted({key(row[3]) for row in rows if row[3] is not None})
    whole = "SELECT array_agg(DISTINCT v) FILTER (WHERE v IS NOT NULL) AS a, array_agg(DISTINCT g ORDER BY g DESC) AS g FROM t"
    assert database.rows(whole) == [{"a": [list(one) for one in distinct], "g": [3, 2, 1, 0]}]
    assert database.rows("SELECT sum(DISTINCT v) AS s FROM t WHERE k > 99") == [{"s": None}]


OUTER = {"LEFT": (True, False), "RIGHT": (False, True), "FULL": (True, True)}
PREDICATES = {"x.v = y.v AND x.k < y.k": lambda x, y: x[3] is not None and key(x[3]) == key(y[3]) and x[0] < y[0],
              "dot(x.v, y.v) > 1 AND x.g = y.g": lambda x, y: x[3] is not None and y[3] is not None and x[3] @ y[3] > 1 and x[1] == y[1],
              "x.m[1][1] > 1": lambda x, y: x[4][0, 0] > 1}


@pytest.mark.parametrize("kind", OUTER)
@pytest.mark.parametrize("predicate", PREDICATES)
def test_outer_joins_on_tensors(database, kind, predicate):
    rows = draw_table(database, 16)
    holds = PREDICATES[predicate]
    wanted = {(x[0], y[0]) for x in rows for y in rows if holds(x, y)}
    left, right = OUTER[kind]
    wanted |= {(x[0], None) for x in rows if left and not any(holds(x, y) for y in rows)}
    wanted |= {(None, y[0]) for y in rows if right and not any(holds(x, y) for x in rows)}
    got = database.rows(f"SELECT x.k AS i, y.k AS j, x.v + y.v AS s, y.m FROM t x {kind} JOIN t y ON {predicate}")
    assert len(got) == len(wanted) and {(row["i"], row["j"]) for row in got} == wanted
    for row in got:
        both = row["i"] is not None and row["j"] is not None and rows[row["i"]][3] is not None and rows[row["j"]][3] is not None
        assert equal([row["s"], row["m"]], [rows[row["i"]][3] + rows[row["j"]][3] if both else None, None if row["j"] is None else rows[row["j"]][4]])


def test_outer_joins_of_joins(database):
    rows = draw_table(database, 8)
    holds = lambda x, y: x is not None and y is not None and x[3] is not None and key(x[3]) == key(y[3])  # noqa: E731
    inner = [(y, z) for y in rows for z in rows if holds(y, z) and y[0] < z[0]]
    joined = lambda left, right, on: [(x, y) for x in left for y in right if on(x, y)] + [  # noqa: E731
        (x, None) for x in left if not any(on(x, y) for y in right)]
    names = lambda pairs: sorted(str([None if one is None else one[0] for one in pair]) for pair in pairs)  # noqa: E731
    got = database.rows("SELECT x.k AS i, y.k AS j, z.k AS l FROM t x LEFT JOIN (t y JOIN t z ON y.v = z.v AND y.k < z.k) ON x.v = z.v")
    wanted = [(x, *(pair or (None, None))) for x, pair in joined(rows, inner, lambda x, pair: holds(x, pair[1]))]
    assert sorted(str(list(row.values())) for row in got) == names(wanted)
    got = database.rows("SELECT x.k AS i, y.k AS j, z.k AS l FROM t x LEFT JOIN t y ON x.v = y.v AND x.k < y.k LEFT JOIN t z ON y.v = z.v AND y.k < z.k")
    less = lambda x, y: holds(x, y) and x[0] < y[0]  # noqa: E731
    assert sorted(str(list(row.values())) for row in got) == names([(x, y, z) for (x, y), z in joined(
        joined(rows, rows, less), rows, lambda pair, z: less(pair[1], z))])


def test_first_rows_for_each_row(database):
    rows = draw_table(database)
    got = database.rows("SELECT k, (SELECT y.m FROM t y WHERE y.g = x.g ORDER BY y.k DESC LIMIT 1) AS a, (SELECT m FROM t y WHERE y.g = x.g ORDER BY y.m LIMIT 1 OFFSET 1) AS b, "
                        "(SELECT DISTINCT y.v FROM t y WHERE y.j <= x.j AND y.v IS NOT NULL ORDER BY y.v DESC LIMIT 1) AS c, "
                        "(SELECT sum(y.m) FROM t y WHERE y.g = x.g GROUP BY y.j ORDER BY y.j LIMIT 1) AS d FROM t x ORDER BY k")
    for row, one in zip(rows, got):
        group = members(rows, 1, row[1])
        second = in_order(group, 4)[1][4] if len(group) > 1 else None
        there = sorted(key(other[3]) for other in rows if other[2] <= row[2] and other[3] is not None)
        least = min(other[2] for other in group)
        assert equal([one["a"], one["b"], one["c"], one["d"]], [group[-1][4], second, np.array(there[-1]) if there else None, sum(
            other[4] for other in group if other[2] == least)])
    assert column(database.rows("SELECT k FROM t x WHERE EXISTS (SELECT * FROM t y WHERE y.v = x.v AND y.k < x.k LIMIT 1) ORDER BY k"), "k") == [
        row[0] for row in rows if row[3] is not None and any(key(other[3]) == key(row[3]) for other in rows[:row[0]])]
    got = database.rows("SELECT (SELECT v FROM t y WHERE y.k = x.k UNION SELECT -v FROM t z WHERE z.k = x.k ORDER BY v LIMIT 1) AS u FROM t x ORDER BY k")
    assert equal(column(got, "u"), [None if row[3] is None else -row[3] for row in rows])
    assert "21000" in database.refused("SELECT (SELECT v FROM t y WHERE y.g = x.g LIMIT 2) FROM t x")


def test_queries_for_each_group(database):
    rows = draw_table(database)
    got = database.rows("SELECT g, count(*) AS n, sum(m) - (SELECT max(m) FROM t y WHERE y.g = x.g) AS d, sum((SELECT y.m FROM t y WHERE y.k = x.k)) AS s FROM t x GROUP BY g "
                        "HAVING trace((SELECT sum(m[:][1:2]) FROM t y WHERE y.g < x.g)) > -99 ORDER BY (SELECT sum(m) FROM t y WHERE y.g = x.g)")
    sums = {g: sum(row[4] for row in members(rows, 1, g)) for g in range(4)}
    assert column(got, "g") == sorted((g for g in sums if g > 0), key=lambda g: key(sums[g]))
    for row in got:
        group = [other[4] for other in members(rows, 1, row["g"])]
        assert row["n"] == len(group) and equal([row["d"], row["s"]], [sum(group) - np.max(group, 0), sum(group)])


def test_tensors_compared_by_value(database):
    rows = draw_table(database, 30)
    database.run("CREATE TABLE s(n int, w vector(i64)[3], z vector[2]); INSERT INTO s SELECT k, v, m[1][1:2] FROM t WHERE k % 2 = 0")
    others = [(row[0], row[3], row[4][0, :2]) for row in rows if row[0] % 2 == 0]
    def same(one, other):
        return one is not None and other is not None and key(one) == key(other)

    wanted = {"t.v = s.w": lambda t, s: same(t[3], s[1]), "s.w = t.v AND k < n": lambda t, s: same(t[3], s[1]) and t[0] < s[0],
              "v + 1 = w * 2 - 1": lambda t, s: t[3] is not None and s[1] is not None and same(t[3] + 1, s[1] * 2 - 1),
              "m[2][1:2] = z OR v = w": lambda t, s: same(t[4][1, :2], s[2]) or same(t[3], s[1]),
              "v <> w": lambda t, s: t[3] is not None and s[1] is not None and not same(t[3], s[1]),
              "NOT (v = w) AND k = n + 1": lambda t, s: t[3] is not None and s[1] is not None and not same(t[3], s[1]) and t[0] == s[0] + 1,
              "v IS NOT DISTINCT FROM w": lambda t, s: key(t[3]) == key(s[1]), "v IS DISTINCT FROM w": lambda t, s: key(t[3]) != key(s[1])}
    for text, holds in wanted.items():
        pairs = [(t[0], s[0]) for t in rows for s in others if holds(t, s)]
        for query in (f"t, s WHERE {text}", f"t JOIN s ON {text}"):
            got = database.rows(f"SELECT k, n FROM {query} ORDER BY k, n")
            assert [(row["k"], row["n"]) for row in got] == pairs, query
        got = database.rows(f"SELECT k, n, w FROM t LEFT JOIN s ON {text} ORDER BY k, n")
        assert [(row["k"], row["n"]) for row in got if row["n"] is not None] == pairs
        assert [row["k"] for row in got if row["n"] is None] == [t[0] for t in rows if all(t[0] != k for k, _ in pairs)]
    assert "their extents differ" in database.refused("SELECT k FROM t, s WHERE v = z")
    database.run("UPDATE t SET j = -1 FROM s WHERE t.v = s.w AND s.n = 0; DELETE FROM t WHERE EXISTS (SELECT 1 FROM s WHERE s.w = t.v AND s.n = 2)")
    gone = {key(s[1]) for s in others if s[0] == 2 and s[1] is not None}
    assert [(row["k"], row["j"]) for row in database.rows("SELECT k, j FROM t ORDER BY k")] == [
        (t[0], -1 if same(t[3], others[0][1]) else t[2]) for t in rows if t[3] is None or key(t[3]) not in gone]


def test_functions_of_numbers(database):
    rows = draw_table(database)
    got = database.rows("SELECT softplus(norm(v)) AS a, relu(j - 3) AS b, relu(j - 3.5) AS c, maximum(k, j) AS d, sigmoid(0) AS e, floor_divide(-7, 2) AS f, "
                        "left_shift(1, 40) AS g, isnan(j) AS h, softplus(NULL) AS n FROM t WHERE erf(k) > 0 ORDER BY k")
    for row, one in zip(rows[1:], got):
        length = None if row[3] is None else math.sqrt(row[3] @ row[3])
        assert one["a"] == (None if row[3] is None else pytest.approx(math.log1p(math.exp(-length)) + length, rel=1e-15))
        assert [one[name] for name in "bcdefghn"] == [max(row[2] - 3, 0), max(row[2] - 3.5, 0), max(row[0], row[2]), .5, -4, 1 << 40, 0, None]
    assert "floor_divide: an integer divided by zero" in database.refused("SELECT floor_divide(k, 0) FROM t")
    assert "relu of a text" in database.refused("SELECT relu('a')")


MEMBERS = {
    "x FROM t WHERE v IN (SELECT z.v FROM z WHERE z.v = t.v)": [1],
    "x FROM t WHERE v NOT IN (SELECT z.v FROM z WHERE z.v = t.v)": [2],
    "x FROM t WHERE v IN (SELECT sum(z.v) FROM z WHERE z.v = t.v)": [1],
    "x FROM t WHERE v NOT IN (SELECT z.v FROM z WHERE z.v <> t.v)": [1, 2],
    "x FROM t WHERE v IN (SELECT z.v FROM z WHERE norm(z.v - t.v) < 1)": [1],
    "sum(x) AS x FROM t GROUP BY v HAVING v IN (SELECT z.v FROM z WHERE z.v = t.v)": [1],
    "x FROM t WHERE v IN (SELECT coalesce(sum(z.v), t.v) FROM z WHERE z.k = t.x)": [1, 2],
    "x FROM t WHERE EXISTS (SELECT sum(z.v) - t.v FROM z WHERE z.k = t.x)": [1, 2],
    "(SELECT coalesce(sum(z.v), t.v) FROM z WHERE z.k = t.x) AS x FROM t": [[5], [6]],
    "(SELECT sum(z.v) - t.v FROM z WHERE z.k = t.x) AS x FROM t": [[0], None],
    "(SELECT sum(z.v) - t.v FROM z WHERE z.k = t.x) IS NULL AS x FROM t": [0, 1],
    "(SELECT t.v + count(DISTINCT z.v) FROM z WHERE z.k = 1) AS x FROM t": [[6], [7]],
    "(SELECT sum(y.v) FROM z AS y WHERE k = t.x HAVING norm(sum(y.v) - t.v) < 1) AS x FROM t": [[5], None],
}


@pytest.mark.parametrize("query", MEMBERS)
def test_queries_within_that_name_tensors_of_the_one_around(database, query):
    database.run("CREATE TABLE t(x int, v vector[1]); INSERT INTO t VALUES (1, '{5}'), (2, '{6}'); CREATE TABLE z(k int, v vector[1]); INSERT INTO z VALUES (1, '{5}')")
    assert [row["x"] for row in database.rows(f"SELECT {query}")] == MEMBERS[query]


def test_columns_that_are_called_as_values_were(database):
    database.run("CREATE TABLE t(x int); INSERT INTO t VALUES (1), (2); CREATE TABLE z(k1 int, o1 vector[1]); INSERT INTO z VALUES (1, '{5}')")
    assert [row["x"] for row in database.rows("SELECT (SELECT sum(o1) FROM z WHERE k1 = t.x) AS x FROM t")] == [[5], None]
