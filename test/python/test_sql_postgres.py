"""What PostgreSQL's users expect of scalars: infinity, dates, functions, statistics, and files of other programs."""
import datetime
import json
import math
import os
import random
import statistics

import numpy as np
import pytest

from command_line import Tessera

TESSERA = Tessera(os.environ["TESSERA"])


def call(folder, text, *options):
    return TESSERA.call("sql", folder, *options, "-c", text)


def rows_of(folder, text):
    done = call(folder, text, "--json")
    assert done.exit_code == 0, done.describe()
    return [list(row.values()) for line in done.stdout.splitlines() if line.startswith("[") for row in json.loads(line)]


def lines_of(folder, text):
    done = call(folder, text, "--csv", "--quiet")
    assert done.exit_code == 0, done.describe()
    return done.stdout.splitlines()


def refused(folder, text):
    done = call(folder, text)
    assert done.exit_code == 1, done.describe()
    return done.stderr


def test_a_file_that_copy_wrote_is_read_again(tmp_path):
    """Drawn records, with what needs quotes in it; the file begins with a byte order mark, as spreadsheets write it."""
    draw = random.Random(5)
    texts = ["", "a", "x,y", 'he said "no"', "two\nlines", "end\r", " blanks ", "NaN", "inf", "é", "'"]
    numbers = ["9e999", "-9e999", "NULL", "0.1", "-0.0", "1e-310", "123456789012345678", "5e-324", "1.5"]
    values = ", ".join("({}, {}, {})".format(
        draw.choice(["NULL", "'" + draw.choice(texts).replace("'", "''") + "'"]), draw.choice(numbers), draw.randrange(-2**63, 2**63))
        for _ in range(200))
    db = tmp_path / "db"
    rows_of(db, f"CREATE TABLE t(s text, x double precision, k bigint); INSERT INTO t VALUES {values}; COPY t TO '{tmp_path}/o.csv'")
    (tmp_path / "m.csv").write_bytes(b"\xef\xbb\xbf" + (tmp_path / "o.csv").read_bytes())
    rows_of(db, f"CREATE TABLE u(s text, x double precision, k bigint); COPY u FROM '{tmp_path}/m.csv'")
    assert rows_of(db, "SELECT count(*) AS n FROM t, u WHERE t.rowid = u.rowid AND t.s IS u.s AND t.x IS u.x AND t.k = u.k"
                   .replace(" IS u.", " IS NOT DISTINCT FROM u.")) == [[200]]


def test_marks_are_skipped_in_scripts_and_tables_of_numbers(tmp_path):
    (tmp_path / "s.sql").write_bytes(b"\xef\xbb\xbfSELECT 7 AS a;\n")
    done = TESSERA.call("sql", tmp_path / "db", "--csv", "-f", tmp_path / "s.sql")
    assert done.stdout == "a\n7\n", done.describe()
    (tmp_path / "p.csv").write_text(",a,b\n0,1.5,2\n1,3,4\n")
    (tmp_path / "p.ein").write_text("input x[i,j]\nY[j] = sum[i] x[i,j]\n")
    done = TESSERA.call("run", tmp_path / "p.ein", f"x={tmp_path}/p.csv")
    assert "[  1 4.5   6]" in done.stdout, done.describe()
    (tmp_path / "p.csv").write_text('"1","2"\n')
    assert "numbers stand without quotes" in TESSERA.call("run", tmp_path / "p.ein", f"x={tmp_path}/p.csv").stderr


def test_infinity(tmp_path):
    db = tmp_path / "db"
    rows_of(db, "CREATE TABLE t(x double precision, s text); INSERT INTO t VALUES ('-Infinity'::float8, ' inf'), (1, '-infinity'), (9e999, '2.5')")
    assert lines_of(db, "SELECT x < 'Infinity'::float8 AS a, x = '-inf'::double precision AS b, s::float8 AS c FROM t")[1:] == ["1,1,inf", "1,0,-inf", "0,0,2.5"]


def test_statistics(tmp_path):
    draw = random.Random(3)
    values = [(g, draw.choice([None, draw.randrange(-50, 50), draw.random()])) for g in (draw.randrange(8) for _ in range(60))] + [(9, 4), (10, None)]
    db = tmp_path / "db"
    text = ", ".join(f"({g}, {'NULL' if x is None else x})" for g, x in values)
    rows_of(db, f"CREATE TABLE t(g int, x double precision); INSERT INTO t VALUES {text}")
    names = ["variance", "var_pop", "stddev", "stddev_pop", "median"]
    exact = [statistics.variance, statistics.pvariance, statistics.stdev, statistics.pstdev, statistics.median]
    for g, *found in rows_of(db, f"SELECT g, {', '.join(f'{name}(x) AS {name}' for name in names)} FROM t GROUP BY g"):
        of_group = [float(x) for other, x in values if other == g and x is not None]
        for name, function, value in zip(names, exact, found):
            is_defined = len(of_group) > (1 if name in ("variance", "stddev") else 0)
            assert (value == pytest.approx(function(of_group), rel=1e-12, abs=1e-12)) if is_defined else value is None, (g, name)


def test_null_in_arrays(tmp_path):
    db = tmp_path / "db"
    rows_of(db, "CREATE TABLE t(x double precision); INSERT INTO t VALUES (1), (NULL), (3)")
    assert "column x is NULL in 1 of 3 rows" in refused(db, f"COPY t TO '{tmp_path}/x.npy'")
    rows_of(db, f"COPY t TO '{tmp_path}/x.npy' WITH (NULL 'NaN')")
    assert np.array_equal(np.load(tmp_path / "x.npy"), [1, math.nan, 3], equal_nan=True)


DATES = "WITH t(d, e, n) AS (VALUES (DATE '2024-02-28', DATE '2023-12-31', 2), (NULL, DATE '2024-01-01', 1))"


def test_dates(tmp_path):
    db = tmp_path / "db"
    day = datetime.date(2024, 2, 28)
    for expression, wanted in [("DATE '2024-02-28' - '2024-01-28'", 31), ("'2024-02-28' - DATE '2024-01-28'", 31),
                               ("iif(1, d, d) + n", str(day + datetime.timedelta(2))), ("date('2024-02-28') + 1", "2024-02-29"),
                               ("d + 2", "2024-03-01"), ("d - e", (day - datetime.date(2023, 12, 31)).days), ("max(d) - 1", "2024-02-27")]:
        assert rows_of(db, f"{DATES} SELECT {expression} AS a FROM t")[0] == [wanted], expression
    assert rows_of(db, "SELECT d + 1 AS a FROM (SELECT NULL AS d UNION ALL SELECT DATE '2024-12-31') x ORDER BY a DESC LIMIT 1") == [["2025-01-01"]]
    for expression in ["-d", "d * 2", "avg(d)", "sum(d)", "d + e", "CAST(n AS date)", "CAST(5 AS date)", "d + 4000000", "n - d", "d % 7", "d / 2", "d + 1.5"]:
        refused(db, f"{DATES} SELECT {expression} FROM t")


def test_texts_and_numbers_as_postgresql_has_them(tmp_path):
    """The values are PostgreSQL 15's, but NULL of a division by zero."""
    cases = {"left('Grüße', 3)": "Grü", "left('abc', -1)": "ab", "right('Grüße', 2)": "ße", "right('abc', -1)": "bc", "lpad('7', 3, '0')": "007",
             "lpad('abcdef', 3)": "abc", "rpad('hi', 5, 'xy')": "hixyx", "split_part('a,b,c', ',', 2)": "b", "split_part('a,b,c', ',', -1)": "c",
             "reverse('Grüße')": "eßürG", "repeat('ab', 3)": "ababab", "starts_with('abc', 'ab')": 1, "substr('hello', -2)": "hello",
             "substr('hello', -2, 5)": "he", "substring('hello', 2, 3)": "ell", "round(1234.5, -2)": 1200, "2.345::numeric(10,2)": 2.35, "7.5 % 2": 1.5, "-7.5 % 2": -1.5, "7.5 % 0.0 IS NULL": 1, "mod(7.5, 0) IS NULL": 1, "5 BETWEEN SYMMETRIC 9 AND 1": 1,
             "5 BETWEEN SYMMETRIC 1 AND 9": 1, "5 NOT BETWEEN SYMMETRIC 9 AND 1": 0, "0 NOT BETWEEN SYMMETRIC 9 AND 1": 1, "NULL BETWEEN SYMMETRIC 9 AND 1 IS NULL": 1,
             "'abc' LIKE 'A%'": 0, "'abc' ILIKE 'A%'": 1, r"'a%' LIKE 'a\%'": 1, r"'ab' LIKE 'a\%'": 0, "left(NULL, 2) IS NULL": 1}
    found = rows_of(tmp_path / "db", "SELECT " + ", ".join(f"{expression} AS c{number}" for number, expression in enumerate(cases)))[0]
    for expression, value in zip(cases, found):
        assert value == cases[expression], expression


@pytest.mark.parametrize("table", ["k", "(SELECT i, z FROM k)", "t", "(SELECT i, v[1] AS z FROM t)", "(VALUES (1, 2))"])
def test_names_of_the_first_columns_leave_the_others_theirs(tmp_path, table):
    db = tmp_path / "db"
    rows_of(db, "CREATE TABLE k(i int, z int); INSERT INTO k VALUES (1, 2); CREATE TABLE t(i int, z int, v vector[1]); INSERT INTO t VALUES (1, 2, '{2}')")
    other = "column2" if "VALUES" in table else "z"
    assert rows_of(db, f"SELECT x.a, x.{other} FROM {table} AS x(a) JOIN k AS y(b) ON y.b = x.a WHERE a = 1") == [[1, 2]]
    assert rows_of(db, f"SELECT a, b FROM {table} AS x(a, b)") == [[1, 2]]
    assert "4 names are given for" in refused(db, f"SELECT * FROM {table} AS x(a, b, c, d)")


def test_names_of_the_columns_of_a_recursion(tmp_path):
    query = "WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT z + 1 FROM t AS t1(z) WHERE z < 3) SELECT x FROM t"
    assert rows_of(tmp_path / "db", query) == [[1], [2], [3]]


def test_a_recursion_ends_when_limit_has_its_rows(tmp_path):
    db = tmp_path / "db"
    rows_of(db, "CREATE TABLE s(v vector[1]); INSERT INTO s VALUES ('{1}')")
    endless = "WITH RECURSIVE r(v) AS (SELECT v FROM s UNION ALL SELECT v + 1 FROM r) "
    for query, wanted in {"SELECT v FROM r LIMIT 5": [1, 2, 3, 4, 5], "SELECT v FROM r LIMIT 2 OFFSET 3": [4, 5], "SELECT v FROM r LIMIT 0": [],
                          "SELECT v * 2 AS v FROM r WHERE v[1] % 3 = 0 LIMIT 3": [6, 12, 18], "SELECT x.v FROM (SELECT v FROM r) x LIMIT 3": [1, 2, 3],
                          "SELECT sum(x.v) AS v FROM (SELECT v FROM r LIMIT 4) x": [10]}.items():
        assert [value for [[value]] in rows_of(db, endless + query)] == wanted, query
    assert "takes more than 40 steps" in call(db, endless + "SELECT sum(v) FROM r", "--most-steps", "40").stderr
