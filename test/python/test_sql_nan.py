"""NaN has one way of being computed: numbers that tensors make give it where tensors do, and sums of infinities too."""
import math

import pytest

from test_sql import database  # noqa: F401 (a fixture)

NUMBERS = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, math.inf, -math.inf]


def written(number):
    return f"'{number}'::float8" if math.isinf(number) else repr(number)


@pytest.fixture
def table(database):
    rows = ", ".join(f"({k}, '{{{number}, 2}}'::vector[2])" for k, number in enumerate(NUMBERS))
    database.run(f"CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES {rows}")
    return database


FUNCTIONS = ["sqrt({})", "ln({})", "log2({})", "log10({})", "sin({})", "cos({})", "tan({})", "asin({})", "acos({})", "acosh({})", "atanh({})", "exp({})",
             "power({}, 0.5)", "power({}, -1)", "{} / 0", "0 / {}", "{} - {}", "{} * 0", "fmod({}, 0)", "log1p({})", "rsqrt({})"]


def test_functions_of_numbers_that_tensors_make_are_those_of_tensors(table):
    """An element of a tensor, a sum of a vector, and a column of a query within, against the function of the vector."""
    for function in FUNCTIONS:
        of = lambda x: function.replace("{}", x)  # noqa: E731, B023
        found = table.rows(f"SELECT CAST({of('v[1]')} AS text) AS a, CAST({of('(sum(v) OVER (PARTITION BY k))[1]')} AS text) AS b, "
                           f"CAST(({of('v')})[1] AS text) AS wanted FROM t ORDER BY k")
        inner = table.rows(f"SELECT CAST({of('x')} AS text) AS c FROM (SELECT k, dot(v, ARRAY[1, 0]) AS x FROM t WHERE abs(v[1]) < 100) q ORDER BY k")
        for number, row in zip(NUMBERS, found):
            assert row["a"] == row["wanted"], (function, number, row)
            assert row["b"] == row["wanted"], (function, number, row)
        for row, of_query in zip(found, inner):
            assert of_query["c"] == row["wanted"], (function, row, of_query)


def test_remainders_and_logarithms_of_two_numbers(table):
    assert [row["a"] for row in table.rows("SELECT CAST(v[1] % 0 AS text) AS a FROM t")] == ["NaN"] * len(NUMBERS)
    assert table.rows("SELECT v[1] % 2 AS a, mod(v[1], 2) AS b, mod(v[1], 0) AS c, log(2, v[1]) AS d, log(2, v[1] - 4) AS e FROM t WHERE k = 6") == [
        {"a": 1, "b": 1, "c": "NaN", "d": math.log(3) / math.log(2), "e": "NaN"}]
    assert table.rows("SELECT (v[1] + 4.5) % 2 AS a FROM t WHERE k = 6") == [{"a": 1.5}]
    assert table.rows("SELECT sqrt(-1) AS a, ln(0) AS b, sqrt(NULL) AS c, 7 % 0 AS d") == [dict.fromkeys("abcd")]


SUMS = ["sum(x) + 1", "avg(x) * 2", "-total(x)", "variance(x) + 1", "stddev_pop(x) - 1", "abs(sum(x))", "sqrt(sum(x))", "sum(x + 1) / 2",
        "(SELECT sum(x) FROM f) + 1", "coalesce(sum(x), 0) + 1", "CASE WHEN sum(x) = 5 THEN 0 ELSE sum(x) END + 1", "sum(x)::float8 + 1", "log1p(sum(x)) + 1"]


def test_sums_of_infinities_are_nan_in_what_is_computed_of_them(database):
    database.run("CREATE TABLE f(x float8, k int); INSERT INTO f VALUES ('inf', 1), ('-inf', 2), (1, 3)")
    for text in SUMS:
        assert database.rows(f"SELECT {text} AS a FROM f")[0] == {"a": "NaN"}, text
        assert database.rows(f"SELECT {text} AS a, sum(v) AS s FROM f, (SELECT ARRAY[1, 2] AS v) q")[0]["a"] == "NaN", text
        assert database.rows(f"SELECT s - 1 AS a FROM (SELECT {text} AS s FROM f) q")[0] == {"a": "NaN"}, text
    assert database.rows("SELECT CAST(sum(x) OVER (ORDER BY k) + 1 AS text) AS a FROM f ORDER BY k") == [{"a": "Inf"}, {"a": "NaN"}, {"a": "NaN"}]
    assert database.rows("SELECT log1p(-2) + 1 AS a, sum(k) + 1 AS b, sum(k) / 4 AS c FROM f") == [{"a": "NaN", "b": 7, "c": 1}]
    assert database.rows("SELECT s + 1 AS a FROM (SELECT sum(x) AS s FROM f UNION ALL SELECT 1.0) q ORDER BY a") == [{"a": 2}, {"a": "NaN"}]
    assert database.rows("SELECT x + 1 AS a FROM (VALUES (1.0), ('NaN')) q(x) ORDER BY a") == [{"a": 2}, {"a": "NaN"}]


@pytest.mark.parametrize("has_nan", [False, True])
def test_columns_of_floats_follow_ieee_whether_or_not_they_hold_nan(database, has_nan):
    database.run("CREATE TABLE f(k int, x float8); INSERT INTO f VALUES (0, 0), (1, -1), (2, 4.5)" + (", (3, 'NaN')" if has_nan else ""))
    expected = {"x / 0": ["NaN", "-Inf", "Inf"], "1 / x": ["Inf", "-1.0", str(1 / 4.5)], "x % 0": ["NaN"] * 3, "x % 2": ["0.0", "-1.0", "0.5"], "mod(x, 0)": ["NaN"] * 3,
                "sqrt(x)": ["0.0", "NaN", str(math.sqrt(4.5))], "ln(x)": ["-Inf", "NaN", str(math.log(4.5))], "log(x)": ["-Inf", "NaN", str(math.log10(4.5))],
                "acos(x)": [str(math.acos(0)), str(math.acos(-1)), "NaN"], "power(x, 0.5)": ["0.0", "NaN", str(math.sqrt(4.5))], "k / 0": [None] * 3, "sqrt(x) + 1": ["1.0", "NaN", str(1 + math.sqrt(4.5))]}
    found = database.rows("SELECT " + ", ".join(f"CAST({text} AS text) AS c{number}" for number, text in enumerate(expected)) + " FROM f WHERE k < 3 ORDER BY k")
    for number, (text, wanted) in enumerate(expected.items()):
        for row, value in zip(found, wanted):
            assert row[f"c{number}"] == value or float(row[f"c{number}"]) == pytest.approx(float(value), rel=1e-14), (text, row)


@pytest.mark.parametrize("expression", ["'inf'::int", "'nan'::bigint", "1e300::int", "'1e19'::int", "CAST(9223372036854775808 AS bigint)", "(-1e300)::int", "x::int",
                                        "s::int", "sum(x)::int"])
def test_what_no_integer_holds_is_no_integer(database, expression):
    database.run("CREATE TABLE f(x float8, s text); INSERT INTO f VALUES ('inf', ' -Infinity')")
    said = database.refused(f"SELECT {expression} FROM f")
    assert "22003" in said and "is out of the range of integers" in said, said


def test_casts_to_integers_that_hold(database):
    assert database.rows("SELECT '12'::int AS a, 2.7::int AS b, 'x'::int AS c, (-9e18)::bigint AS d, x::int AS e, s::int AS f, NULL::int AS g "
                         "FROM (VALUES (2.7, '7')) q(x, s)") == [{"a": 12, "b": 2, "c": 0, "d": -9 * 10**18, "e": 2, "f": 7, "g": None}]


def test_texts_and_conditions_of_nan(database):
    database.run("CREATE TABLE f(k int, x float8); INSERT INTO f VALUES (1, 'NaN'), (2, 0), (3, 2.5)")
    expected = {"printf('%.2f|%6.1f|%-5d|%s%%', x, x, k, x)": ["NaN|   NaN|1    |NaN%", "0.00|   0.0|2    |0.0%", "2.50|   2.5|3    |2.5%"], "format('%08.2f', x)": ["     NaN", "00000.00", "00002.50"],
                "NOT x": [0, 1, 0], "x AND true": [1, 0, 1], "x OR false": [1, 0, 1], "CASE WHEN x THEN 1 ELSE 0 END": [1, 0, 1], "iif(x, 1, 0)": [1, 0, 1],
                "x IS TRUE": [1, 0, 1], "x LIKE 'Na%'": [1, 0, 0], "x LIKE '2%'": [0, 0, 1], "x || ''": ["NaN", "0.0", "2.5"]}
    for text, wanted in expected.items():
        assert [row["a"] for row in database.rows(f"SELECT {text} AS a FROM f ORDER BY k")] == wanted, text
