"""SQL over scalars where it means more than SQLite's: dates, truth values, GREATEST and LEAST; and where errors stand."""
import datetime

import pytest

from test_sql import database  # noqa: F401 (a fixture)

DAYS = ["2020-01-31", "2021-12-01", None, "1999-02-28"]


@pytest.fixture
def days(database):
    values = ", ".join(f"({number}, {repr(day) if day else 'NULL'}, ARRAY[{number}, 1])" for number, day in enumerate(DAYS))
    database.run(f"CREATE TABLE t(k int, d date, v vector[2]); INSERT INTO t VALUES {values}")
    return database


def shifted(day, num_days):
    return day and str(datetime.date.fromisoformat(day) + datetime.timedelta(num_days))


def since(day, other="2020-01-01"):
    return day and (datetime.date.fromisoformat(day) - datetime.date.fromisoformat(other)).days


NEXT = [shifted(day, 1) for day in DAYS]
SUMS = {
    "SELECT d + 1 AS x FROM t": NEXT,
    "SELECT 1 + d AS x, v FROM t": NEXT,
    "SELECT d - k AS x FROM t": [shifted(day, -number) for number, day in enumerate(DAYS)],
    "SELECT d - date '2020-01-01' AS x FROM t": [since(day) for day in DAYS],
    "SELECT d - date '2020-01-01' AS x, 2 * v AS w FROM t": [since(day) for day in DAYS],
    "SELECT d - (SELECT max(d) FROM t) AS x FROM t": [since(day, "2021-12-01") for day in DAYS],
    "SELECT q.e + 1 AS x FROM (SELECT d AS e FROM t) AS q": NEXT,
    "SELECT e + 1 AS x FROM (SELECT d FROM t UNION ALL SELECT d FROM t WHERE false) AS q(e)": NEXT,
    "WITH q(e) AS (SELECT d + 3 FROM t) SELECT e - 2 AS x FROM q": NEXT,
    "SELECT coalesce(d, date '2020-02-28') + 2 AS x FROM t": [shifted(day or "2020-02-28", 2) for day in DAYS],
    "SELECT (SELECT max(d) FROM t) + 1 AS x": ["2021-12-02"],
    "SELECT (SELECT max(d) FROM t) + 1 AS x, sum(v) AS s FROM t": ["2021-12-02"],
    "SELECT (SELECT d + 1 FROM t s WHERE s.k = t.k) - 1 AS x FROM t": DAYS,
    "SELECT ((SELECT max(d) FROM t) + 1) - (SELECT min(d) FROM t) AS x": [1 + since("2021-12-01", "1999-02-28")],
    "SELECT q.m + 1 AS x FROM (SELECT (SELECT max(d) FROM t) AS m) q": ["2021-12-02"],
    "SELECT k + (SELECT max(k) FROM t) AS x FROM t": [3, 4, 5, 6],
    "SELECT max(d) - min(d) AS x FROM t": [since("2021-12-01", "1999-02-28")],
    "SELECT min(d) + 1 AS x, sum(v) AS s FROM t": ["1999-03-01"],
    "SELECT k AS x FROM t WHERE d + 31 > date '2020-03-01' ORDER BY d - date '2000-01-01'": [0, 1],
}


@pytest.mark.parametrize("query", SUMS)
def test_sums_of_dates(days, query):
    assert [row["x"] for row in days.rows(query)] == SUMS[query]


def test_dates_that_are_computed_are_stored_as_dates(days):
    days.run("CREATE TABLE s AS SELECT (SELECT max(d) FROM t) AS m, (SELECT max(d) FROM t) + 1 AS n")
    assert days.rows("SELECT m + 1 AS x, n + 1 AS y FROM s") == [{"x": "2021-12-02", "y": "2021-12-03"}]
    days.run("CREATE TABLE u AS SELECT d + 1 AS e, d - date '2020-01-01' AS n FROM t; UPDATE u SET e = e + 1")
    assert [row["e"] for row in days.rows("SELECT e FROM u")] == [shifted(day, 2) for day in DAYS]
    assert "column n of u is integer" in days.refused("INSERT INTO u VALUES ('2020-01-01', 'x')")
    assert "row 1: column e of u is a date" in days.refused("INSERT INTO u VALUES (7, 7)")


@pytest.mark.parametrize("day", ["foo", "2020-02-30", "2020-13-01", "2020-1-1", "20200101", "2020-01-01 10:00", ""])
def test_what_is_no_date(days, day):
    said = days.refused(f"INSERT INTO t(k, d) VALUES (7, '2020-01-01'), (8, '{day}')")
    assert "22007: row 2: column d of t is a date" in said and f"'{day}' is given" in said
    assert "22007" in days.refused(f"UPDATE t SET d = '{day}' WHERE k = 1")
    assert "is no date" in days.refused(f"SELECT date '{day}'")
    assert days.rows("SELECT count(*) AS n FROM t") == [{"n": 4}]


def test_words_for_truth(database, tmp_path):
    (tmp_path / "words.csv").write_text("true\nF\n1\n\nno\n")
    database.run("CREATE TABLE t(b boolean); INSERT INTO t VALUES ('t'), ('off'), (true), (0), (NULL);"
                 f"COPY t FROM '{tmp_path / 'words.csv'}'")
    assert [row["b"] for row in database.rows("SELECT b FROM t")] == [1, 0, 1, 0, None, 1, 0, 1, None, 0]
    for value in "5", "'maybe'", "-1":
        assert "column b of t is boolean" in database.refused(f"INSERT INTO t VALUES ({value})")


def test_the_greatest_of_what_is_not_null(database):
    assert database.rows("SELECT greatest(1, NULL, 3) AS a, least(NULL, 2) AS b, greatest(NULL, NULL) AS c, least(x, 2, y) AS d "
                         "FROM (VALUES (5, NULL)) AS t(x, y)") == [{"a": 3, "b": 2, "c": None, "d": 2}]


def test_rows_of_a_function_by_its_name(database):
    assert database.rows("SELECT x.* FROM generate_series(1, 2) AS x") == [{"x": 1}, {"x": 2}]


@pytest.mark.parametrize("text, column, said", [
    ("SELECT 1, k::interval FROM t", 11, "a cast to interval"), ("SELECT 'a' || k[1] FROM t", 15, "an element of a tensor"),
    ("SELECT sum(v), k[1] FROM t GROUP BY k", 16, "an element of a tensor"), ("SELECT 1 FROM t, LATERAL (SELECT k) AS x", 26, "LATERAL")])
def test_what_sqlite_cannot_say_has_a_place(days, text, column, said):
    refused = days.refused(text)
    assert f"<command>:1:{column}: unsupported: 0A000: {said}" in refused, refused


BAGS = "WITH a(x) AS (VALUES (1), (1), (1), (2), (NULL), (NULL)), b(x) AS (VALUES (1), (1), (3), (NULL))"


@pytest.mark.parametrize("query, wanted", [
    ("SELECT x FROM a INTERSECT ALL SELECT x FROM b", [None, 1, 1]), ("SELECT x FROM a EXCEPT ALL SELECT x FROM b", [None, 1, 2]),
    ("SELECT x FROM b EXCEPT ALL SELECT x FROM a", [3]), ("(SELECT x FROM a EXCEPT ALL SELECT x FROM b) INTERSECT ALL SELECT 1", [1]),
    ("SELECT x FROM (SELECT x FROM a EXCEPT ALL SELECT x FROM b) q WHERE x > 1", [2]),
    ("SELECT x FROM b WHERE x IN (SELECT x FROM a INTERSECT ALL SELECT 3) OR x = 3", [3]),
    ("SELECT sum(x) AS x FROM (SELECT x FROM a INTERSECT ALL SELECT x FROM b) q", [2])])
def test_set_operations_of_bags(database, query, wanted):
    rows = database.rows(f"{BAGS} SELECT x FROM ({query}) r ORDER BY x")
    assert [row["x"] for row in rows] == wanted


def test_bags_in_order(database):
    assert database.rows("SELECT 2 AS x UNION ALL SELECT 1 EXCEPT ALL SELECT 3 ORDER BY 1 LIMIT 1") == [{"x": 1}]


def test_infinity_and_nan_as_texts_in_columns_of_floats(database):
    database.run("CREATE TABLE t(k int, x double precision); INSERT INTO t VALUES (1, 'Infinity'), (2, '-inf'), (3, ' 1.5 '), (4, 2)")
    assert database.rows("SELECT CAST(x + 1 AS text) AS x FROM t ORDER BY k") == [{"x": "Inf"}, {"x": "-Inf"}, {"x": "2.5"}, {"x": "3.0"}]
    database.run("UPDATE t SET x = 'NaN' WHERE k = 1")
    assert database.rows("SELECT x + 1 AS x FROM t WHERE k = 1") == [{"x": "NaN"}]


@pytest.mark.parametrize("row, message", [
    ("1_000,1", "row 2: column x of t is double precision, and '1_000' is given"), ("1,N/A", "row 2: column k of t is integer, and 'N/A' is given"),
    ("1,1.5", "row 2: column k of t is integer, and '1.5' is given")])
def test_fields_that_are_no_numbers(database, tmp_path, row, message):
    database.run("CREATE TABLE t(x double precision, k int)")
    (tmp_path / "t.csv").write_text(f"1.5,1\n{row}\n")
    assert message in database.refused(f"COPY t FROM '{tmp_path}/t.csv'")
    x, k = row.split(",")
    assert message in database.refused(f"INSERT INTO t VALUES (1, 1), ('{x}', '{k}')")
    assert message.replace("row 2", "row 1") in database.refused(f"INSERT INTO t VALUES (1, 1); UPDATE t SET x = '{x}', k = '{k}'")


@pytest.mark.parametrize("expression, wanted", [
    ("likely(d) + 1", "2020-02-01"), ("unlikely(d) + 1", "2020-02-01"), ("likelihood(d, 0.5) + 1", "2020-02-01"),
    ("date '2024-01-10' - v[2]", "2024-01-09"), ("date '2024-01-10' - dot(v, v)", "2024-01-09"), ("d > '2020-01-30'", 1),
    ("'2020-01-30' > d", 0), ("d IN ('2020-01-31', '2020-02-01')", 1), ("d BETWEEN '2020-01-01' AND '2020-01-30'", 0),
    ("d IS NOT DISTINCT FROM '2020-01-31'", 1)])
def test_dates_beside_tensors_hints_and_texts(days, expression, wanted):
    assert days.rows(f"SELECT {expression} AS x FROM t WHERE k = 0") == [{"x": wanted}]


@pytest.mark.parametrize("expression, said", [
    ("d::int", "a date is cast to a number"), ("CAST(d AS float8)", "a date is cast to a number"), ("d < 20240301", "a date is compared with a number"),
    ("5 = d", "a date is compared with a number"), ("d BETWEEN 1 AND 2", "a date is compared with a number"), ("d IN (5)", "a date is compared with a number"),
    ("d IS DISTINCT FROM 5", "a date is compared with a number"), ("d IS NOT DISTINCT FROM 'x'", "'x' is no date"),
    ("d > 'abc'", "'abc' is no date"), ("d IN ('x')", "'x' is no date"), ("date '2024-01-10' + v", "and not a tensor"),
    ("date '2024-01-10' - v", "and not a tensor")])
def test_dates_and_what_is_none(days, expression, said):
    assert said in days.refused(f"SELECT {expression} FROM t")
