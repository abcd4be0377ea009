"""A quoted literal has the type of what it meets, as in PostgreSQL: a date, a number, a truth value."""
import datetime
import random

import pytest

from test_sql import database  # noqa: F401 (a fixture)

DAY = datetime.date(2024, 2, 28)
ROWS = [(1, DAY, 2.5, True), (2, None, None, None), (3, datetime.date(2023, 12, 31), -1.0, False)]


@pytest.fixture
def table(database):
    values = ", ".join(f"({k}, {repr(str(d)) if d else 'NULL'}, {'NULL' if x is None else x}, {'NULL' if b is None else b}, ARRAY[{k}, 1])" for k, d, x, b in ROWS)
    database.run(f"CREATE TABLE t(k int, d date, x float8, b boolean, v vector[2]); INSERT INTO t VALUES {values}")
    return database


def one(database, expression, condition="k = 1"):
    return database.rows(f"SELECT {expression} AS a FROM t WHERE {condition}")[0]["a"]


DATES = {"coalesce(d, '2024-12-31') + 1": ["2024-02-29", "2025-01-01", "2024-01-01"], "ifnull(d, '2024-12-31') + 1": ["2024-02-29", "2025-01-01", "2024-01-01"],
         "CASE WHEN k = 1 THEN '2024-12-31' ELSE d END + 1": ["2025-01-01", None, "2024-01-01"],
         "CASE k WHEN 1 THEN d WHEN 2 THEN '2024-12-31' ELSE NULL END + 1": ["2024-02-29", "2025-01-01", None],
         "iif(k = 1, d, '2024-12-31') + 1": ["2024-02-29", "2025-01-01", "2025-01-01"], "max(d, '2024-01-31') + 1": ["2024-02-29", None, "2024-02-01"],
         "greatest('2024-01-31', d) + 1": ["2024-02-29", "2024-02-01", "2024-02-01"], "least(d, '2024-01-31') + 1": ["2024-02-01", "2024-02-01", "2024-01-01"],
         "nullif(d, '2024-02-28') + 1": [None, None, "2024-01-01"], "d IN ('2024-02-28', '2020-01-01')": [1, None, 0],
         "d BETWEEN '2024-01-01' AND '2024-12-31'": [1, None, 0], "CASE d WHEN '2024-02-28' THEN 1 ELSE 0 END": [1, 0, 0],
         "lag(d, 1, '2024-12-31') OVER (ORDER BY k) + 1": ["2025-01-01", "2024-02-29", None],
         "coalesce(nullif(d, '2024-02-28'), '2024-12-31') - d": [307, None, 0], "coalesce(d, '2024-12-31') > '2024-02-01'": [1, 1, 0],
         "(SELECT t.d + 1)": ["2024-02-29", None, "2024-01-01"], "(SELECT coalesce(t.d, '2024-12-31') FROM t u WHERE u.k = t.k) + 1": ["2024-02-29", "2025-01-01", "2024-01-01"]}


@pytest.mark.parametrize("with_tensors", [False, True])
def test_a_literal_beside_a_date_is_one(table, with_tensors):
    found = table.rows("SELECT " + ", ".join(f"{text} AS c{number}" for number, text in enumerate(DATES)) + (", 2 * v AS w" if with_tensors else "") + " FROM t ORDER BY k")
    for number, expression in enumerate(DATES):
        assert [row[f"c{number}"] for row in found] == DATES[expression], expression


@pytest.mark.parametrize("query", [
    "VALUES (DATE '2024-02-28'), ('2024-12-31')", "VALUES ('2024-12-31'), (NULL), (DATE '2024-02-28')", "SELECT d FROM t UNION ALL SELECT '2024-12-31'",
    "SELECT '2024-12-31' UNION SELECT d FROM t", "SELECT '2024-12-31' UNION ALL SELECT NULL UNION ALL SELECT d FROM t",
    "SELECT d FROM t UNION ALL VALUES ('2024-12-31')", "WITH r AS (SELECT * FROM (SELECT d FROM t) q) SELECT d FROM r UNION SELECT '2024-12-31'",
    "SELECT '2024-12-31' EXCEPT SELECT d FROM t"])
def test_a_literal_in_a_column_of_dates_is_one(table, query):
    assert table.rows(f"SELECT max(e) + 1 AS a FROM ({query}) q(e)") == [{"a": "2025-01-01"}]
    assert table.rows(f"SELECT max(e) + 1 AS a, max(v) AS m FROM ({query}) q(e), t")[0]["a"] == "2025-01-01"
    table.run(f"CREATE TABLE u AS SELECT e FROM ({query}) q(e)")
    assert table.rows("SELECT max(e + 1) AS a FROM u") == [{"a": "2025-01-01"}]


def test_rows_with_tensors_keep_the_dates_beside_them(table):
    for query in ("VALUES (DATE '2024-02-28', ARRAY[1, 2]), ('2024-12-31', ARRAY[3, 4])", "SELECT d, v FROM t UNION ALL SELECT '2024-12-31', ARRAY[3, 4]",
                  "SELECT NULL, v FROM t UNION ALL SELECT '2024-12-31', v FROM t UNION ALL SELECT d, v FROM t"):
        assert table.rows(f"SELECT e + 1 AS a, 2 * w AS w FROM ({query}) q(e, w) ORDER BY e DESC")[0]["a"] == "2025-01-01", query
    table.run("INSERT INTO t(k, d) SELECT 4, coalesce(d, '2024-12-31') FROM t WHERE k = 2")
    assert one(table, "d + 1", "k = 4") == "2025-01-01"


NUMBERS = {"coalesce(x, '0.5') + 1": 3.5, "typeof(coalesce(NULL, x, '7'))": "real", "x + '0.5'": 3.0, "x < '10'": 1, "CAST(x * 'inf' AS text)": "Inf", "typeof(x + 'NaN')": "real",
           "count(*) > '9'": 0, "k + 0 = '1'": 1, "k + 1 > '10'": 0, "k + 0 IN ('1', '2')": 1, "b = 'true'": 1, "b <> 'f'": 1, "coalesce(b, 'no') = 'yes'": 1,
           "CASE WHEN b THEN 'off' ELSE b END": 0, "max(k, '10')": 10, "least(x, '10')": 2.5, "nullif(x, '2.5')": None, "(x + '1') * 2 < '8'": 1, "k = 'a'": 0}


@pytest.mark.parametrize("expression", NUMBERS)
def test_a_literal_beside_a_number_or_a_truth_value(table, expression):
    group = "GROUP BY k" if "count" in expression else ""
    found = table.rows(f"SELECT {expression} AS a FROM t WHERE k = 1 {group}")[0]["a"]
    assert found == NUMBERS[expression]


def test_drawn_columns_of_floats_and_literals(database):
    """A literal anywhere among floats is one of them."""
    draw = random.Random(7)
    for _ in range(8):
        numbers = [draw.randrange(-40, 40) / 4 for _ in range(6)]
        written = [f"'{number}'" if draw.random() < .5 else f"{number:.2f}" for number in numbers[1:]] + [f"{numbers[0]:.2f}"]
        draw.shuffle(written)
        rows = " UNION ALL ".join(f"SELECT {text} AS x" for text in written) if draw.random() < .5 else "VALUES " + ", ".join(f"({text})" for text in written)
        found = database.rows(f"SELECT max(y) AS a, min(y) AS b, sum(y) AS c, count(DISTINCT typeof(y)) AS n FROM ({rows}) q(y)")
        assert found == [{"a": max(numbers), "b": min(numbers), "c": sum(numbers), "n": 1}], rows


REFUSED = {"CASE d WHEN 5 THEN 1 END": ("5", "a date is compared with a number"), "coalesce(d, 5)": ("5", "coalesce has dates and numbers"),
           "d IN (SELECT k FROM t)": ("(SELECT", "a date is compared with a number"), "k IN (SELECT d FROM t)": ("k", "a date is compared with a number"),
           "greatest(d, x)": ("x", "greatest has dates and numbers"), "CASE WHEN k = 1 THEN d ELSE 'a' || 'b' END": ("'a' ||", "CASE has dates and texts"),
           "nullif(d, 7)": ("7", "a date is compared with a number"), "d = b": ("b", "a date is compared with a truth value"),
           "coalesce(d, '2024-13-01')": ("'2024-13-01'", "'2024-13-01' is no date"), "d = '2023-02-29'": ("'2023-02-29'", "'2023-02-29' is no date"),
           "CASE WHEN k = 1 THEN d ELSE 'x' END": ("'x'", "'x' is no date"), "'maybe'::boolean": ("'maybe'", "'maybe' is no truth value")}


@pytest.mark.parametrize("expression", REFUSED)
def test_what_is_no_date_has_a_place(table, expression):
    place, message = REFUSED[expression]
    for query in (f"SELECT {expression} FROM t", f"SELECT 2 * v, {expression} FROM t"):
        said = table.refused(query)
        assert message in said, said
        expected = query.index(expression) + expression.index(place) + 1
        columns = [expected, expected + 1] if place == "(SELECT" else [expected]
        assert any(f"<command>:1:{column}: error" in said for column in columns), (expected, said)


@pytest.mark.parametrize("query, place", [("SELECT d FROM t UNION SELECT k FROM t", "k FROM"), ("SELECT k FROM t EXCEPT SELECT d FROM t", "k FROM"),
                                          ("VALUES (DATE '2024-01-01'), (5)", "5)"), ("SELECT d, v FROM t UNION ALL SELECT k, v FROM t", "k, v")])
def test_columns_of_dates_and_numbers_are_refused(table, query, place):
    said = table.refused(query)
    assert "has dates and numbers" in said and f":1:{query.index(place) + 1}: " in said, said
    assert "'2024-13-01' is no date" in table.refused("SELECT d FROM t UNION SELECT '2024-13-01'")


def test_texts_are_cast_to_truth_values_by_their_words(table):
    assert table.rows("SELECT s::boolean AS a FROM (VALUES ('true'), ('no'), (' F '), ('1')) q(s)") == [{"a": 1}, {"a": 0}, {"a": 0}, {"a": 1}]
    assert "'maybe' is no truth value" in table.refused("SELECT s::boolean FROM (VALUES ('maybe')) q(s)")
