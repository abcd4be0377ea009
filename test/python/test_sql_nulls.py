"""SQL over tensors that may be NULL, and tables that may have no rows: what is chosen, counted, compared and read then."""
import numpy as np
import pytest

from test_sql import array, database, drawn  # noqa: F401 (a fixture)
from test_sql_rows import column, equal, store

ROWS = [(1, 2, np.array([1, 2]), None), (3, 4, np.array([3, 4]), np.array([5, 0])), (5, None, None, None)]


@pytest.fixture
def some_null(database):
    store(database, "a int, b int, v vector[2], w vector[2]", ROWS)
    database.run("CREATE TABLE none(a int, v vector[2])")
    return database


CHOICES = {
    "coalesce(v, w, zeros(2))": [[1, 2], [3, 4], [0, 0]],
    "coalesce(w, v)": [[1, 2], [5, 0], None],
    "coalesce(v + w, v)": [[1, 2], [8, 4], None],
    "coalesce(NULL, w, 7 * ones(2))": [[7, 7], [5, 0], [7, 7]],
    "coalesce(v, 9)": [[1, 2], [3, 4], [9, 9]],
    "coalesce(norm(w), -1)": [-1, 5, -1],
    "greatest(v, w)": [[1, 2], [5, 4], None],
    "least(w, v, NULL)": [[1, 2], [3, 0], None],
    "least(v, 2)": [[1, 2], [2, 2], [2, 2]],
    "CASE WHEN a = 1 THEN v END": [[1, 2], None, None],
    "CASE WHEN dot(w, w) > 1 THEN ones(2) ELSE 2 * ones(2) END": [[2, 2], [1, 1], [2, 2]],
    "CASE norm(w) WHEN 5 THEN ones(2) ELSE zeros(2) END": [[0, 0], [1, 1], [0, 0]],
    "CASE WHEN norm(w) IS NULL THEN ones(2) ELSE zeros(2) END": [[1, 1], [0, 0], [1, 1]],
    "CASE WHEN v[1] IN (1, 7) THEN ones(2) ELSE zeros(2) END": [[1, 1], [0, 0], [0, 0]],
    "CASE WHEN v[1] NOT BETWEEN 2 AND 4 THEN v ELSE w END": [[1, 2], [5, 0], None],
    "CASE WHEN w[1] > 0 THEN 1 ELSE 2 END * ones(2)": [[2, 2], [1, 1], [2, 2]],
    "CASE WHEN norm(w) IS NULL OR a = 3 THEN 1 ELSE 2 END * v": [[1, 2], [3, 4], None],
    "CASE WHEN norm(v) > 9 THEN ones(2) ELSE CASE WHEN a = 1 THEN v END END": [[1, 2], None, None],
    "CASE WHEN v[1] > 9 THEN CASE WHEN a = 1 THEN ones(2) END ELSE ones(2) END": [[1, 1], [1, 1], [1, 1]],
    "CASE WHEN a > norm(1 / (a - 1) * ones(1)) THEN ones(2) ELSE zeros(2) END": [[0, 0], [1, 1], [1, 1]],
    "dot(v, CASE WHEN norm(w) IS NULL THEN 1 ELSE 2 END * v)": [5, 50, None],
    "CASE WHEN CASE WHEN w[1] IS NULL THEN 3 ELSE v[1] END > 2 THEN v ELSE ones(2) END": [[1, 2], [3, 4], None],
    "CASE a WHEN 1 THEN v WHEN 3 THEN w ELSE NULL END": [[1, 2], [5, 0], None],
    "CASE a WHEN 5 THEN ones(2) ELSE v END": [[1, 2], [3, 4], [1, 1]],
    "CASE WHEN a = 3 THEN (SELECT v FROM none) ELSE v * v END": [[1, 4], None, None],
    "v + NULL": [None, None, None],
    "v[NULL]": [None, None, None],
    "coalesce(lag(v) OVER (ORDER BY a), zeros(2))": [[0, 0], [1, 2], [3, 4]],
    "coalesce((SELECT sum(v) FROM t s WHERE s.a > t.a), zeros(2))": [[3, 4], [0, 0], [0, 0]],
}


@pytest.mark.parametrize("expression", CHOICES)
def test_what_is_chosen_of_tensors(some_null, expression):
    assert equal(column(some_null.rows(f"SELECT {expression} AS x FROM t ORDER BY a"), "x"), CHOICES[expression])


def test_what_is_chosen_of_groups_and_joined_rows(some_null):
    grouped = some_null.rows("SELECT a, coalesce(sum(w), zeros(2)) AS x FROM t GROUP BY a ORDER BY a")
    assert equal(column(grouped, "x"), [[0, 0], [5, 0], [0, 0]])
    joined = some_null.rows("SELECT coalesce(s.v, ones(2)) AS x FROM t LEFT JOIN t s ON s.a = t.a + 2 ORDER BY t.a")
    assert equal(column(joined, "x"), [[3, 4], [1, 1], [1, 1]])


def test_numbers_over_windows_of_equal_tensors(some_null):
    some_null.run("INSERT INTO t VALUES (6, 7, '{1,2}', '{1,2}')")
    rows = some_null.rows("SELECT max(b) OVER (PARTITION BY v) AS m, row_number() OVER (PARTITION BY v ORDER BY a) AS n FROM t ORDER BY a")
    assert rows == [{"m": 7, "n": 1}, {"m": 4, "n": 1}, {"m": None, "n": 1}, {"m": 7, "n": 2}]


def test_counts_of_tensors_that_are_computed(some_null):
    assert some_null.rows("SELECT count(v + w) AS n, count(w * 2) AS m, sum(v) AS s FROM t") == [{"n": 1, "m": 1, "s": [4, 6]}]
    assert some_null.rows("SELECT b, count(2 * v) AS n, max(v) AS m FROM t GROUP BY b ORDER BY b DESC") == [
        {"b": 4, "n": 1, "m": [3, 4]}, {"b": 2, "n": 1, "m": [1, 2]}, {"b": None, "n": 0, "m": None}]


@pytest.mark.parametrize("condition, found", [
    ("v IN (SELECT v FROM none)", []), ("v NOT IN (SELECT v FROM none)", [1, 3, 5]), ("v IN (SELECT w FROM t WHERE a <> 3)", []),
    ("v NOT IN (SELECT w FROM t WHERE a <> 3)", []), ("v NOT IN (SELECT v FROM t WHERE a = 1)", [3])])
def test_members_of_nothing_and_of_what_is_not_known(some_null, condition, found):
    assert column(some_null.rows(f"SELECT a FROM t WHERE {condition} ORDER BY a"), "a") == found


@pytest.mark.parametrize("subscript", ["1.5", "'x'", "true"])
def test_what_names_no_element(some_null, subscript):
    assert "an element is named by a whole number, not by" in some_null.refused(f"SELECT v[{subscript}] FROM t")


def test_positions_of_the_largest_in_joined_rows(database):
    tensors = drawn((5, 7))
    store(database, "k int, v vector[7]", [(k, row) for k, row in enumerate(tensors)])
    database.run("CREATE TABLE many(n int); INSERT INTO many SELECT g FROM generate_series(1, 9) AS g")
    rows = database.rows("SELECT k, largest_at(v) AS l, smallest_at(v) AS s FROM many, t")
    assert len(rows) == 45
    assert all((row["l"], row["s"]) == (tensors[row["k"]].argmax() + 1, tensors[row["k"]].argmin() + 1) for row in rows)


def test_counts_alone_of_numbers_that_tensors_make(some_null):
    assert some_null.rows("SELECT count(dot(v, w)) AS n FROM t") == [{"n": 1}]
    assert some_null.rows("SELECT a, count(v[2]) AS n, count(v + w) AS m, count(w) AS k FROM t GROUP BY a ORDER BY a") == [
        {"a": 1, "n": 1, "m": 0, "k": 0}, {"a": 3, "n": 1, "m": 1, "k": 1}, {"a": 5, "n": 0, "m": 0, "k": 0}]
    assert some_null.rows("SELECT (SELECT count(norm(w)) FROM t) AS n") == [{"n": 1}]


def test_choices_within_aggregates(some_null):
    assert some_null.rows("SELECT sum(CASE WHEN w[1] > 0 THEN ones(2) ELSE 2 * ones(2) END) AS s, sum(CASE WHEN norm(w) IS NULL THEN 1 ELSE 2 END * v) AS u "
                          "FROM t") == [{"s": [5, 5], "u": [7, 10]}]
    assert some_null.rows("SELECT a FROM t WHERE norm(CASE WHEN w[1] IS NULL THEN 2 ELSE 1 END * v) > 4.5 ORDER BY a") == [{"a": 3}]
    assert some_null.rows("SELECT a FROM t ORDER BY CASE WHEN w[1] IS NULL THEN ones(2) ELSE zeros(2) END, a DESC") == [{"a": 3}, {"a": 5}, {"a": 1}]


@pytest.mark.parametrize("result", ["inverse(m)", "solve(m, v)", "cholesky(m)", "trace(inverse(m))", "inverse(m[1:2][1:2])"])
def test_what_fails_for_zeros_of_no_rows(database, result):
    database.run("CREATE TABLE none(v vector[2], m matrix[2][2])")
    assert database.rows(f"SELECT {result} AS x FROM none") == []
    assert database.rows(f"SELECT {result} AS x FROM (VALUES (1)) AS one(k) LEFT JOIN none ON k = 2") == [{"x": None}]


@pytest.mark.parametrize("has_nan", [False, True])
def test_floats_are_compared_with_texts_of_numbers(database, has_nan):
    """As in PostgreSQL such a text is a number, whatever else the column holds."""
    database.run("CREATE TABLE t(k int, x float8); INSERT INTO t VALUES (1,'Infinity'),(2,5),(3,7),(4,'-inf')" + (",(5,'NaN')" if has_nan else ""))
    nan = [5] if has_nan else []  # the largest of all, and equal to itself
    wanted = {"x = '5'": [2], "x < '6'": [2, 4], "'6' < x": [1, 3] + nan, "x IN ('5', '7', 'inf')": [1, 2, 3], "x BETWEEN '5' AND '6.5'": [2],
              "x < 'Infinity'": [2, 3, 4], "x > '-Infinity'": [1, 2, 3] + nan, "x = 'NaN'": nan, "x IS NOT DISTINCT FROM '7'": [3], "x = 'abc'": []}
    results = database.run("; ".join(f"SELECT k FROM t WHERE {condition} ORDER BY k" for condition in wanted))
    assert dict(zip(wanted, (column(rows, "k") for rows in results))) == wanted


def test_dates_of_queries_without_a_name_are_dates(database):
    database.run("CREATE TABLE t(k int, d date); INSERT INTO t VALUES (1,'2024-02-28'); CREATE TABLE u(k int, e date); INSERT INTO u VALUES (1,'2024-03-01')")
    wanted = {"SELECT d + 1 AS x FROM (SELECT d FROM t)": ["2024-02-29"], "SELECT d + 1 AS x FROM (TABLE t)": ["2024-02-29"],
              "SELECT e - d AS x FROM (SELECT d FROM t), (SELECT e FROM u)": [2],
              "SELECT (SELECT max(d) FROM (SELECT d FROM t)) + 1 AS x FROM t": ["2024-02-29"],
              "SELECT d + 1 AS x FROM (SELECT d FROM (SELECT d FROM t UNION SELECT e FROM u)) ORDER BY x": ["2024-02-29", "2024-03-02"],
              "SELECT column1 + 1 AS x FROM (VALUES (DATE '2024-02-28'))": ["2024-02-29"]}
    assert dict(zip(wanted, (column(rows, "x") for rows in database.run("; ".join(wanted))))) == wanted
    assert "there is no - of a date" in database.refused("SELECT -d FROM (SELECT d FROM t)")
