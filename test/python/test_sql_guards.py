"""SQL computes what may have no value, an inverse or an element that rows name, for the rows alone that need it."""
import itertools
import random

import numpy as np
import pytest

from test_sql import TESSERA, database, drawn  # noqa: F401 (a fixture)
from test_sql_rows import column, equal, store

MATRICES = {1: [[2, 0], [0, 4]], 5: [[1, 1], [1, 1]], 2: [[0, 0], [0, 0]], 0: [[1, 2], [1, 0]]}
ROWS = [(1, [7, 8], MATRICES[1]), (5, [1, 2], MATRICES[5]), (2, None, MATRICES[2]), (0, [-1, 3], MATRICES[0])]
INVERSES = {k: np.linalg.inv(MATRICES[k]).tolist() for k in (1, 0)}  # exact: powers of two


@pytest.fixture
def table(database):
    store(database, "k int, v vector[2], m matrix[2][2]",
          [(k, v if v is None else np.array(v, float), np.array(m, float)) for k, v, m in ROWS])
    return database


CONDITIONS = {
    "det(m) = 0 OR trace(inverse(m)) > 0": [1, 2, 5], "trace(inverse(m)) > 0 OR det(m) = 0": [1, 2, 5],
    "NOT (det(m) = 0 OR trace(inverse(m)) < 0)": [1], "(det(m) <> 0 AND trace(inverse(m)) > 0) OR k = 5": [1, 5],
    "trace(inverse(m)) > 0 AND det(m) <> 0": [1], "NOT (det(m) <> 0 AND trace(inverse(m)) > 0)": [0, 2, 5],
    "k = 5 OR (det(m) <> 0 AND (trace(inverse(m)) > 0 OR v[k + 1] = -1))": [0, 1, 5],
    "det(m) = 0 OR (trace(inverse(m)) < 0 AND v[k + 1] = -1)": [0, 2, 5],
    "CASE WHEN det(m) <> 0 AND trace(inverse(m)) > 0 THEN 1 ELSE 0 END = 1": [1],
    "coalesce(nullif(det(m), 0), 9) > 8 OR trace(inverse(m)) < 0": [0, 2, 5],
    "iif(det(m) <> 0, trace(inverse(m)), 0) = 0": [2, 5],
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_and_or_and_not_of_numbers_that_tensors_make(table, condition):
    wanted = CONDITIONS[condition]
    assert column(table.rows(f"SELECT k FROM t WHERE {condition} ORDER BY k"), "k") == wanted
    truth = column(table.rows(f"SELECT ({condition}) AS x FROM t ORDER BY k"), "x")
    assert truth == [int(k in wanted) for k in sorted(MATRICES)]
    assert column(table.rows(f"SELECT CASE WHEN {condition} THEN k END AS x FROM t ORDER BY k"), "x") == [k if k in wanted else None for k in sorted(MATRICES)]
    assert table.rows(f"SELECT count(*) FILTER (WHERE {condition}) AS x FROM t") == [{"x": len(wanted)}]
    table.run(f"DELETE FROM t WHERE {condition}")
    assert column(table.rows("SELECT k FROM t ORDER BY k"), "k") == [k for k in sorted(MATRICES) if k not in wanted]


def test_conditions_of_joins(table):
    for condition, wanted in (("(det(a.m) = 0 OR trace(inverse(a.m)) > 0)", [1, 2, 5]), ("NOT (det(b.m) = 0 OR trace(inverse(a.m)) > 0)", [0])):
        assert column(table.rows(f"SELECT a.k FROM t a JOIN t b ON a.k = b.k AND {condition} ORDER BY 1"), "k") == wanted


def both(a, b):
    return False if a is False or b is False else None if a is None or b is None else True


def negated(a):
    return None if a is None else not a


def drawn_condition(draw, depth):
    """A condition whose parts compute nothing for a row that has no value there, and what it is of a row."""
    number, k = draw.choice([-1, 0, 0.5, 8]), draw.choice([0, 1, 2, 5])
    trace = lambda row: float(np.trace(INVERSES[row[0]]))  # noqa: E731
    det = lambda row: float(np.linalg.det(row[2]))  # noqa: E731
    element = lambda row: row[1][row[0]]  # noqa: E731
    if depth == 0:
        return draw.choice([
            (f"k = {k}", lambda row: row[0] == k), ("det(m) = 0", lambda row: abs(det(row)) < .5),
            ("norm(v) > 3", lambda row: None if row[1] is None else float(np.linalg.norm(row[1])) > 3),
            (f"(det(m) <> 0 AND trace(inverse(m)) > {number})", lambda row: abs(det(row)) > .5 and trace(row) > number),
            (f"(trace(inverse(m)) > {number} OR det(m) = 0)", lambda row: abs(det(row)) < .5 or trace(row) > number),
            (f"(k NOT IN (0, 1) OR v[k + 1] = {number})", lambda row: row[0] > 1 or element(row) == number),
            (f"CASE WHEN det(m) = 0 THEN k = {k} ELSE trace(inverse(m)) < {number} END",
             lambda row: row[0] == k if abs(det(row)) < .5 else trace(row) < number)])
    (left, of_left), (right, of_right) = drawn_condition(draw, depth - 1), drawn_condition(draw, depth - 1)
    return draw.choice([(f"({left} AND {right})", lambda row: both(of_left(row), of_right(row))),
                        (f"({left} OR {right})", lambda row: negated(both(negated(of_left(row)), negated(of_right(row))))),
                        (f"(NOT {left})", lambda row: negated(of_left(row)))])


def test_drawn_conditions(table):
    draw = random.Random(7)
    conditions = [drawn_condition(draw, depth) for depth, _ in itertools.product((1, 2, 3), range(6))]
    for text, holds in conditions:
        wanted = [row[0] for row in sorted(ROWS, key=lambda row: row[0]) if holds(row) is True]
        assert column(table.rows(f"SELECT k FROM t WHERE {text} ORDER BY k"), "k") == wanted, text
        truths = [None if holds(row) is None else int(holds(row)) for row in sorted(ROWS, key=lambda row: row[0])]
        assert column(table.rows(f"SELECT {text} AS x FROM t ORDER BY k"), "x") == truths, text
        assert table.rows(f"SELECT count(*) FILTER (WHERE {text}) AS x FROM t") == [{"x": len(wanted)}], text


FILTERED = {
    "max(v[k + 1]) FILTER (WHERE k IN (0, 1))": 8, "sum(v[k + 1]) FILTER (WHERE k IN (0, 1))": 7, "avg(v[k + 1]) FILTER (WHERE k IN (0, 1) AND det(m) > 0)": 8,
    "count(v[k + 1]) FILTER (WHERE k < 2)": 2, "array_agg(v[k + 1] ORDER BY k) FILTER (WHERE k < 2)": [-1, 8],
    "array_agg(k ORDER BY trace(inverse(m)) DESC) FILTER (WHERE det(m) <> 0)": [1, 0],
    "sum(inverse(m)) FILTER (WHERE det(m) <> 0)": [[0.5, 1], [0.5, -0.25]], "avg(2 * inverse(m)) FILTER (WHERE det(m) <> 0 AND trace(inverse(m)) > 0)": [[1, 0], [0, 0.5]],
    "max(trace(inverse(m))) FILTER (WHERE k = 1)": 0.75, "min(trace(inverse(m))) FILTER (WHERE det(m) <> 0)": -0.5,
    "sum(inverse(m)) FILTER (WHERE k = 1) + max(v[k + 1]) FILTER (WHERE k = 0)": [[-0.5, -1], [-1, -0.75]],
}


@pytest.mark.parametrize("aggregate", FILTERED)
def test_filter_leaves_rows_out_before_an_aggregate_computes(table, aggregate):
    assert table.rows(f"SELECT {aggregate} AS x FROM t") == [{"x": FILTERED[aggregate]}]


@pytest.mark.parametrize("aggregate", [text for text in FILTERED if "array_agg" not in text and text.count("FILTER") == 1])
def test_filter_over_all_rows(table, aggregate):
    assert column(table.rows(f"SELECT {aggregate} OVER () AS x FROM t"), "x") == 4 * [FILTERED[aggregate]]


def test_filter_of_windows(table):
    got = table.rows("SELECT k, sum(inverse(m)) FILTER (WHERE det(m) <> 0) OVER (ORDER BY k) AS x, sum(v[k + 1]) FILTER (WHERE k < 2) OVER (ORDER BY k DESC) AS y "
                     "FROM t ORDER BY k")
    both_of = [[0.5, 1], [0.5, -0.25]]
    assert got == [{"k": 0, "x": INVERSES[0], "y": 7}, {"k": 1, "x": both_of, "y": 8}, {"k": 2, "x": both_of, "y": None}, {"k": 5, "x": both_of, "y": None}]


CHOICES = {
    "iif(k < 2, v[k + 1], 0)": [-1, 8, 0, 0], "iif(det(m) <> 0, trace(inverse(m)), 0)": [-0.5, 0.75, 0, 0], "ifnull(k, v[k])": [0, 1, 2, 5],
    "iif(k = 1, inverse(m), m)": [MATRICES[0], INVERSES[1], MATRICES[2], MATRICES[5]], "ifnull(v, '{1,2}'::vector[2])": [[-1, 3], [7, 8], [1, 2], [1, 2]],
    "coalesce(nullif(det(m), 0), 0) + coalesce(CASE WHEN det(m) = 0 THEN 1 END, trace(inverse(m)))": [-2.5, 8.75, 1, 1],
    "CASE WHEN det(x.m) <> 0 THEN (SELECT inverse(y.m) FROM t y WHERE y.k = x.k) END": [INVERSES[0], INVERSES[1], None, None],
    "CASE WHEN det(x.m) = 0 THEN NULL WHEN k = 1 THEN x.m ELSE (SELECT inverse(y.m) FROM t y WHERE y.m = x.m) END": [INVERSES[0], MATRICES[1], None, None],
}


@pytest.mark.parametrize("choice", CHOICES)
def test_choices(table, choice):
    got = column(table.rows(f"SELECT {choice} AS x FROM t x ORDER BY k"), "x")
    assert equal(got, CHOICES[choice]), got


def test_order_by_and_group_by_what_some_rows_have(table):
    assert column(table.rows("SELECT k FROM t ORDER BY iif(k < 2, v[k + 1], 0), k"), "k") == [0, 2, 5, 1]
    assert table.rows("SELECT count(*) AS n FROM t WHERE det(m) <> 0 GROUP BY trace(inverse(m))") == [{"n": 1}, {"n": 1}]
    assert column(table.rows("SELECT (SELECT inverse(y.m) FROM t y WHERE y.k = x.k) AS x FROM t x WHERE det(x.m) > 0"), "x") == [INVERSES[1]]
    assert table.rows("SELECT k, CASE WHEN count(*) > 0 THEN (SELECT sum(y.v) FROM t y WHERE y.k = x.k) END AS x FROM t x WHERE k < 2 GROUP BY k ORDER BY k") == [
        {"k": 0, "x": [-1, 3]}, {"k": 1, "x": [7, 8]}]


def test_dates_among_choices(database):
    database.run("CREATE TABLE d(v vector[2], d date, e date); INSERT INTO d VALUES ('{1,2}', '2024-02-28', '2023-12-31'), ('{3,4}', NULL, '2024-01-01')")
    assert column(database.rows("SELECT ifnull(d, e) + 1 AS x FROM d"), "x") == ["2024-02-29", "2024-01-02"]
    assert column(database.rows("SELECT iif(norm(v) > 4, e, d) + 1 AS x FROM d"), "x") == ["2024-02-29", "2024-01-02"]


PUSHED = {
    "SELECT i AS x FROM (SELECT k, inverse(m) AS i FROM t) q WHERE k = 1": [INVERSES[1]],
    "SELECT i AS x FROM (SELECT k, m, inverse(m) AS i FROM t) q WHERE det(q.m) <> 0 AND trace(q.i) < 0": [INVERSES[0]],
    "SELECT q.i AS x FROM (SELECT k AS n, inverse(m) FROM t WHERE k < 5) AS q(k, i), t WHERE q.k = t.k AND q.k > 0 AND q.k < 2": [INVERSES[1]],
    "SELECT sum(inverse(m)) AS x FROM t GROUP BY k HAVING k = 1": [INVERSES[1]],
    "SELECT sum(inverse(m)) AS x FROM t GROUP BY 2 * k, t.k HAVING 2 * k = 2 AND count(*) = 1": [INVERSES[1]],
}


@pytest.mark.parametrize("query", PUSHED)
def test_conditions_around_a_query_and_on_keys(table, query):
    assert column(table.rows(query), "x") == PUSHED[query]


def test_tables_without_rows_and_columns_without_tensors(database):
    database.run("CREATE TABLE t(k int, m matrix[2][2])")
    queries = {"SELECT inverse(m) AS x FROM t": [], "SELECT m, trace(inverse(m)) AS x FROM t": [], "SELECT k AS x FROM t WHERE det(m) = 0 OR trace(inverse(m)) > 0": [],
               "SELECT CASE WHEN det(m) <> 0 THEN inverse(m) END AS x FROM t": [], "SELECT sum(trace(inverse(m))) AS x FROM t": [None]}
    for query, wanted in queries.items():
        assert column(database.rows(query), "x") == wanted, query
    database.run("INSERT INTO t VALUES (1, NULL)")
    for query, wanted in queries.items():
        assert column(database.rows(query), "x") == ([] if "WHERE" in query else [None]), query


def test_rows_that_are_needed_are_errors(table):
    for query in ("SELECT i FROM (SELECT k, inverse(m) AS i FROM t LIMIT 9) q WHERE k = 1", "SELECT sum(inverse(m)) FILTER (WHERE k > 0) FROM t",
                  "SELECT k FROM t WHERE k = 0 OR trace(inverse(m)) > 0", "SELECT iif(k = 1, 0, trace(inverse(m))) FROM t"):
        assert "singular" in table.refused(query), query
