"""SQL over tensors answers by value: what windows, conditions over aggregates, NaN and narrow integers give, beside Python models, columns of
numbers with the same values, and queries within. Many statements share a process."""
import itertools
import math

import numpy as np
import pytest

from test_sql import array, database, drawn  # noqa: F401 (a fixture)


def answers(database, statements):
    """The rows of each statement."""
    results = database.run(";".join(statements))
    assert len(results) == len(statements)
    return results


def column(rows, name="x"):
    return [row[name] for row in rows]


def store_drawn_rows(database):
    random = np.random.default_rng(3)
    rows = [(k, int(random.integers(0, 3)), None if k % 7 == 3 else random.integers(0, 2, 2).tolist()) for k in range(1, 25)]
    values = ", ".join(f"({k}, {s}, {'NULL' if v is None else array(v)}, {'NULL' if v is None else 2 * v[0] + v[1]})" for k, s, v in rows)
    database.run(f"CREATE TABLE t(k int, g int, v vector[2], n int); INSERT INTO t VALUES {values}")


FUNCTIONS = ["count(*)", "count({})", "count(*) FILTER (WHERE g > 0)", "row_number()", "rank()", "dense_rank()", "ntile(3)", "percent_rank()",
             "cume_dist()", "sum(k)", "first_value(k)", "last_value(k)", "lag(k)", "lead(k, 2, -1)", "max(g)"]
WINDOWS = ["PARTITION BY {0}", "ORDER BY {0}", "PARTITION BY {0} ORDER BY k", "PARTITION BY g ORDER BY {0} DESC", "PARTITION BY {0}, g",
           "ORDER BY {0} RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW", "ORDER BY {0} GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
           "ORDER BY {0}, k ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"]


def test_windows_compare_tensors_as_they_compare_numbers(database):
    store_drawn_rows(database)  # `n` orders and tells apart as `v` does
    statements = [f"SELECT k, {function.format(key)} OVER ({window.format(key)}{'' if 'k' in window else ', k' if 'row' in function else ''}) AS x "
                  "FROM t ORDER BY k"
                  for function, window, key in itertools.product(FUNCTIONS, WINDOWS, "vn")
                  if not (window.startswith("PARTITION BY {0}") and "ORDER" not in window and function[0] in "rnfl")
                  and not ("ORDER BY {0}" in window and "k" not in window and function[:3] in ("row", "nti", "fir", "las", "lag", "lea"))]
    results = answers(database, statements)
    for statement, by_tensor, by_number in zip(statements[::2], results[::2], results[1::2]):
        assert by_tensor == by_number, statement


QUERIES = ["EXISTS (SELECT sum({z}) FROM z WHERE {c})", "NOT EXISTS (SELECT max({z}) FROM z WHERE {c})",
           "EXISTS (SELECT count(*) FROM z WHERE {c} HAVING count(*) = 0)", "EXISTS (SELECT sum({z}) FROM z WHERE {c} HAVING count(*) > 1)",
           "0 IN (SELECT count(*) FROM z WHERE {c})", "2 NOT IN (SELECT count(*) FROM z WHERE {c})", "0 = (SELECT count(*) FROM z WHERE {c})",
           "1 > (SELECT 2 * count(*) - 1 FROM z WHERE {c})", "(SELECT sum(z.k) FROM z WHERE {c}) IS NULL",
           "5 = (SELECT coalesce(sum(z.k), 5) FROM z WHERE {c})", "EXISTS (SELECT count(*) FROM z WHERE {c} LIMIT 0)",
           "EXISTS (SELECT count(*) FROM z WHERE {c} LIMIT 1 OFFSET 1)", "EXISTS (SELECT count(*) FROM z WHERE {c} OFFSET 0)",
           "t.k + 1 IN (SELECT t.k + count(*) FROM z WHERE {c})", "(SELECT count(*) FROM z WHERE {c} HAVING count(*) > 0) IS NULL",
           "EXISTS (SELECT z.k FROM z WHERE {c} GROUP BY z.k)", "1 IN (SELECT count(*) FROM z WHERE {c} UNION ALL SELECT 7)",
           "0 NOT IN (SELECT count(*) FROM z, z y WHERE {c} AND y.k = z.k)",
           "EXISTS (SELECT 1 FROM z WHERE z.k = t.k AND 0 IN (SELECT count(*) FROM z y WHERE y.k = t.k AND {c}))"]


def test_conditions_over_aggregates_see_their_one_row(database):
    database.run("CREATE TABLE t(k int, v vector[1], n int); INSERT INTO t VALUES (1,'{5}',5),(2,'{6}',6),(3,'{9}',9),(4,NULL,NULL),(5,'{9}',9);"
                 "CREATE TABLE z(k int, v vector[1], n int); INSERT INTO z VALUES (1,'{9}',9),(2,'{5}',5),(3,'{9}',9),(4,NULL,NULL)")
    conditions = {"v": ["z.v = t.v", "z.k = t.k AND z.v[1] > 5", "t.v[1] < 6 AND z.v = t.v"],
                  "n": ["z.n = t.n", "z.k = t.k AND z.n > 5", "t.n < 6 AND z.n = t.n"]}
    statements = [f"SELECT k AS x FROM t WHERE {query.format(z='z.' + kind, c=conditions[kind][number])} ORDER BY k"
                  for query, number, kind in itertools.product(QUERIES, range(3), "vn")]
    results = answers(database, statements)
    for statement, by_tensor, by_number in zip(statements[::2], results[::2], results[1::2]):
        assert by_tensor == by_number, statement
    assert column(database.rows("SELECT k AS x FROM t WHERE v NOT IN (SELECT sum(z.v) FROM z WHERE z.k = t.k) ORDER BY k")) == [1, 2]
    found = database.rows("SELECT (SELECT coalesce(sum(z.v), -1 * ones(1)) FROM z WHERE z.k = t.k) AS x FROM t ORDER BY k")
    assert column(found) == [[9], [5], [9], [-1], [-1]]


SQUARES = ["softmax({0})", "tanh(softmax({0}))", "inverse({0})", "cholesky(matmul({0}, t({0})))", "softmax({0} + t({0}))", "solve({0}, {0} + 1)",
           "matmul(softmax({0}), {0})", "softmax(t({0}))", "softmax(t(softmax({0})))", "ARRAY[(softmax({0}))[1], {0}[2], {0}[3]]"]
DIAGONALS = ["trace({0})", "diag({0})", "einsum('ii->', {0})", "einsum('ii->i', {0})", "dot(diag({0}), ones(3))", "diag(t({0}))"]


def test_a_diagonal_stays_outside_of_what_binds_its_label(database):
    database.run("CREATE TABLE t(g int, m matrix[3][3]); INSERT INTO t VALUES (1,'{{0,1,0},{-1,0,0},{0.5,-1,1}}'), (2,'{{2,1,0},{1,3,1},{0,1,4}}')")
    statements = [text for square, diagonal in itertools.product(SQUARES, DIAGONALS) for text in (
        f"SELECT {diagonal.format(square.format('m'))} AS x FROM t ORDER BY g",
        f"SELECT {diagonal.format('s')} AS x FROM (SELECT g, {square.format('m')} AS s FROM t) y ORDER BY g")]
    results = answers(database, statements)
    for statement, direct, behind in zip(statements[::2], results[::2], results[1::2]):
        assert np.allclose(column(direct), column(behind), rtol=1e-13, atol=1e-13), statement  # functions of rounded sums
    database.run("CREATE TABLE b(a tensor[2][2][2]); INSERT INTO b VALUES ('{{{2,1},{0,1}},{{1,3},{1,1}}}')")
    batch = np.array([[[2, 1], [0, 1]], [[1, 3], [1, 1]]])
    assert np.allclose(database.rows("SELECT einsum('iij->ij', inverse(a)) AS x FROM b")[0]["x"], np.einsum("iij->ij", np.linalg.inv(batch)))


def test_softmax_of_what_is_one_number(database):
    database.run("CREATE TABLE t(k int); INSERT INTO t VALUES (3); CREATE TABLE none(v vector[2])")
    assert database.rows("SELECT softmax(ones(2)) AS a, softmax(zeros(2, 2) + 1) AS b, softmax(ones(2) * k) AS c FROM t") == [
        {"a": [0.5, 0.5], "b": [[0.5, 0.5], [0.5, 0.5]], "c": [0.5, 0.5]}]
    assert database.rows("SELECT softmax(v) AS a FROM none") == []


def test_nan_is_a_number_that_is_greater_than_all_others(database):
    database.run("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1,'{1,0}'), (2,'{0,0}'), (3,'{3,4}'), (4,NULL), (5,'{0,0}')")
    nan = "NaN"
    database.run("CREATE VIEW w AS SELECT k, dot(v, ARRAY[1,0]) / norm(v) AS d FROM t")
    cosine = "dot(v, ARRAY[1,0]) / norm(v)"
    expected = {
        f"SELECT k AS x FROM t ORDER BY {cosine} NULLS FIRST, k": [4, 3, 1, 2, 5],
        f"SELECT k AS x FROM t ORDER BY {cosine} DESC NULLS LAST, k": [2, 5, 1, 3, 4],
        f"SELECT {cosine} AS x FROM t ORDER BY k": [1, nan, 0.6, None, nan],
        f"SELECT 1 - 2 * ({cosine}) AS x FROM t ORDER BY k": [-1, nan, 1 - 2 * 0.6, None, nan],
        f"SELECT -abs({cosine}) AS x FROM t ORDER BY k": [-1, nan, -0.6, None, nan],
        f"SELECT avg({cosine}) AS x FROM t": [nan], f"SELECT sum({cosine}) AS x FROM t": [nan], f"SELECT max({cosine}) AS x FROM t": [nan],
        f"SELECT min({cosine}) AS x FROM t": [0.6], f"SELECT count({cosine}) AS x FROM t": [4],
        f"SELECT count(DISTINCT {cosine}) AS x FROM t": [3],
        f"SELECT count(*) AS x FROM t GROUP BY {cosine} ORDER BY 1": [1, 1, 1, 2],
        f"SELECT k AS x FROM t WHERE {cosine} > 1000 ORDER BY k": [2, 5],
        f"SELECT k AS x FROM t WHERE {cosine} + 1 > 1000 ORDER BY k": [2, 5],
        f"SELECT d + 1 AS x FROM (SELECT k, {cosine} AS d FROM t) s ORDER BY k": [2, nan, 1.6, None, nan],
        f"SELECT sum(d) AS x FROM (SELECT k / 3 AS g, {cosine} AS d FROM t) s GROUP BY g ORDER BY g": [nan, nan],
        f"SELECT k AS x FROM t WHERE {cosine} = (SELECT max(dot(v, ARRAY[1,0]) / norm(v)) FROM t) ORDER BY k": [2, 5],
        f"SELECT sum({cosine}) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM t ORDER BY k": [1, nan, nan, 0.6, nan],
        "SELECT (SELECT max(d) FROM w) - 1 AS x": [nan], "SELECT k AS x FROM w WHERE d = (SELECT max(d) FROM w) + 1 ORDER BY k": [2, 5],
        "SELECT DISTINCT round(d, 1) AS x FROM w WHERE k <> 4 ORDER BY 1": [0.6, 1, nan],
        f"SELECT coalesce({cosine}, 7) AS x FROM t ORDER BY k": [1, nan, 0.6, 7, nan],
        "SELECT u AS x FROM (SELECT k, unnest(v / norm(v)) AS u FROM t WHERE k < 3) s ORDER BY k, u": [0, 1, nan, nan]}
    for (statement, wanted), rows in zip(expected.items(), answers(database, expected)):
        assert column(rows) == wanted, statement
    built = database.rows(f"SELECT array_agg({cosine} ORDER BY k) AS x FROM t WHERE k <> 4")[0]["x"]
    assert built == [1, None, 0.6, None]  # JSON has no NaN, and a tensor no NULL


@pytest.mark.parametrize("numbers, expected", [
    ("'NaN'::float8, 1.0", {"stddev": "NaN", "variance": "NaN", "var_pop": "NaN", "stddev_pop": "NaN", "median": "NaN"}),
    ("9e999, 1.0", {"stddev": "NaN", "var_pop": "NaN", "median": "Inf"}),
    ("-9e999, 1.0", {"median": "-Inf"})])
def test_statistics_of_nan_and_infinity(database, numbers, expected):
    rows = ", ".join(f"({number})" for number in numbers.split(", "))
    database.run(f"CREATE TABLE t(x double precision); INSERT INTO t VALUES {rows}")
    for function, wanted in expected.items():
        assert column(database.rows(f"SELECT CAST({function}(x) AS text) AS x FROM t")) == [wanted], function


def test_functions_of_numbers_that_are_nan(database):
    database.run("CREATE TABLE t(k int, x double precision); INSERT INTO t VALUES (1, 'NaN'::float8), (2, 4)")
    expected = {"typeof(x)": ["real", "real"], "power(x, 0)": [1, 1], "power(1, x)": [1, 1], "power(x, 2)": ["NaN", 16],
                "power(x, NULL)": [None, None], "mod(x, NULL)": [None, None], "json_array(x)": ['["NaN"]', "[4.0]"]}
    for function, wanted in expected.items():
        assert column(database.rows(f"SELECT {function} AS x FROM t ORDER BY k")) == wanted, function


def test_nan_is_kept_in_columns_and_files(database, tmp_path):
    database.run("CREATE TABLE t(v vector[2]); INSERT INTO t VALUES ('{0,0}'), ('{3,4}');"
                 "CREATE TABLE f(k int PRIMARY KEY, x double precision, y double precision NOT NULL); CREATE INDEX by_x ON f(x);"
                 "INSERT INTO f VALUES (1, 0.5, 1); INSERT INTO f(k, x, y) SELECT 10 + row_number() OVER (ORDER BY norm(v)), norm(v / norm(v)), 2 FROM t;"
                 "INSERT INTO f VALUES (2, 7, 3); CREATE TABLE g AS SELECT x, y FROM f")
    assert database.rows("SELECT k, x, y, x + 1 AS z FROM f ORDER BY x, k") == [
        {"k": 1, "x": 0.5, "y": 1, "z": 1.5}, {"k": 12, "x": 1, "y": 2, "z": 2}, {"k": 2, "x": 7, "y": 3, "z": 8},
        {"k": 11, "x": "NaN", "y": 2, "z": "NaN"}]
    assert database.rows("SELECT sum(x) AS s, x / 2 = x AS same FROM g GROUP BY x ORDER BY x DESC") == [
        {"s": "NaN", "same": 1}, {"s": 7, "same": 0}, {"s": 1, "same": 0}, {"s": 0.5, "same": 0}]
    database.run(f"UPDATE f SET x = 0 WHERE k = 11; COPY g TO '{tmp_path}/g.csv'")
    assert column(database.rows("SELECT x FROM f ORDER BY k")) == [0.5, 7, 0, 1]
    assert sorted((tmp_path / "g.csv").read_text().splitlines()) == ["0.5,1", "1,2", "7,3", "NaN,2"]


@pytest.mark.parametrize("dtype, low, high", [("i8", -128, 127), ("i16", -32768, 32767), ("i32", -2**31, 2**31 - 1), ("u8", 0, 255), ("u32", 0, 2**32 - 1)])
def test_sums_and_products_of_narrow_integers(database, dtype, low, high):
    one = np.random.default_rng(5).integers(low, high + 1, (3, 2, 2))
    one[0] = high
    rows = ", ".join(f"({k}, {array(m)})" for k, m in enumerate(one))
    database.run(f"CREATE TABLE t(k int, m matrix({dtype})[2][2]); INSERT INTO t VALUES {rows}")
    exact = one.astype(object)
    expected = {"sum(m)": exact.sum(0), "sum(trace(m))": exact.trace(axis1=1, axis2=2).sum(), "sum(rowsums(m))": exact.sum((0, 2)),
                "sum(colsums(m))": exact.sum((0, 1)), "sum(m + m)": 2 * exact.sum(0), "sum(m - 1000)": (exact - 1000).sum(0)}
    row = database.rows("SELECT " + ", ".join(f"{text} AS x{place}" for place, text in enumerate(expected)) + " FROM t")[0]
    for place, (text, wanted) in enumerate(expected.items()):
        assert np.array_equal(np.array(row[f"x{place}"], object), wanted), text
    running = column(database.rows("SELECT sum(m) OVER (ORDER BY k) AS x FROM t ORDER BY k"))
    assert np.array_equal(np.array(running, object), exact.cumsum(0))
    if high < 2**31:  # else products are beyond 64 bits
        row = database.rows("SELECT matmul(m, m) AS a, dot(m[1], m[2]) AS b, einsum('ij,jk->ik', m, m) AS c, m * m AS d, norm(m) AS e FROM t WHERE k = 0")[0]
        first = exact[0]
        assert np.array_equal(row["a"], first @ first) and row["b"] == first[0] @ first[1] and np.array_equal(row["c"], first @ first)
        assert np.array_equal(row["d"], first * first) and math.isclose(row["e"], math.sqrt((first * first).sum()))
    for statement in [f"INSERT INTO t(m) SELECT m + m FROM t WHERE k = 0", "UPDATE t SET m = m + 1 WHERE k = 0", f"UPDATE t SET m = m - {high - low + 1}"]:
        assert "22003" in database.refused(statement), statement


def test_sums_of_truth_values_count(database):
    database.run("CREATE TABLE t(k int, v vector[3], m matrix[2][2]); INSERT INTO t VALUES (1,'{1,2,3}','{{1,2},{3,4}}'), (2,'{3,2,1}','{{5,0},{0,5}}')")
    assert database.rows("SELECT sum(v > 1) AS a, sum(rowsums(m > 1)) AS b, sum(trace(m > 1)) AS c, avg(v > 1) AS d FROM t") == [
        {"a": [1, 2, 1], "b": [2, 3], "c": 3, "d": [0.5, 1, 0.5]}]
    assert column(database.rows("SELECT sum(v > 1) OVER (ORDER BY k) AS x FROM t")) == [[0, 1, 1], [1, 2, 1]]


def test_moving_sums_of_numbers_forget_what_leaves_the_frame(database):
    random = np.random.default_rng(1)
    numbers = [float(x) for x in random.integers(-9, 10, 40)]
    numbers[5], numbers[11], numbers[12], numbers[20], numbers[30] = 1e16, math.inf, -math.inf, -1e300, 1e-300
    texts = {math.inf: "9e999", -math.inf: "-9e999"}
    rows = ", ".join(f"({k}, {texts.get(x, repr(x))}, {k - 20})" for k, x in enumerate(numbers))
    database.run(f"CREATE TABLE t(k int, x double precision, n int); INSERT INTO t VALUES {rows}")
    frame = "OVER (ORDER BY k ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)"
    found = database.rows(f"SELECT sum(x) {frame} AS s, avg(x) {frame} AS a, total(x) {frame} AS t, sum(n) {frame} AS n FROM t ORDER BY k")
    for k, row in enumerate(found):
        window = numbers[max(k - 2, 0):k + 2]
        finite = all(map(math.isfinite, window))
        wanted = math.fsum(window) if finite else sum(window)
        shown = "NaN" if math.isnan(wanted) else wanted if finite else None  # JSON has no infinity
        assert (row["s"], row["t"]) == (shown, shown), k
        assert row["a"] == (wanted / len(window) if finite else shown), k
        assert row["n"] == sum(range(max(k - 2, 0), min(k + 2, 40))) - 20 * len(window)


def test_averages_and_sums_of_large_integers(database):
    assert database.rows("SELECT avg(x) AS a FROM (VALUES (9007199254740994), (-9007199254740993)) AS s(x)") == [{"a": 0.5}]
    assert database.rows("SELECT sum(x) AS a FROM (VALUES (9223372036854775807), (1), (-5)) AS s(x)") == [{"a": 9223372036854775803}]
    assert "integer overflow" in database.refused("SELECT sum(x) FROM (VALUES (9223372036854775807), (1)) AS s(x)")


GUARDED = {
    "CASE WHEN k <= 2 THEN v[k] ELSE -1 END": [7, -1, -1], "CASE WHEN k > 2 THEN -1 ELSE v[k] END": [7, -1, -1],
    "CASE k WHEN 1 THEN v[k] END": [7, None, None], "CASE WHEN det(m) <> 0 THEN inverse(m) ELSE m END": [[[0.5, 0], [0, 0.25]], [[1, 1], [1, 1]], None],
    "CASE WHEN det(m) <> 0 THEN trace(inverse(m)) END": [0.75, None, None], "coalesce(m, inverse(m))": [[[2, 0], [0, 4]], [[1, 1], [1, 1]], None],
    "CASE WHEN k < 3 THEN inverse(m) + 1 ELSE m END": [[[1.5, 1], [1, 1.25]], [[1, 1], [1, 1]], None],
    "CASE WHEN norm(v) > 3 THEN 0 * categorical(v) END": [0, None, None], "coalesce(CASE WHEN k = 1 THEN NULL ELSE 5 END, v[k])": [7, 5, 5],
    "k <= 2 AND v[k] > 6": [1, 0, 0], "k > 2 OR v[k] > 6": [1, 1, 1], "CASE WHEN k = 1 THEN (SELECT inverse(y.m) FROM t y WHERE y.k = t.k) END":
    [[[0.5, 0], [0, 0.25]], None, None], "CASE WHEN k <= 2 AND v[k] > 6 THEN v[k] ELSE 0 END": [7, 0, 0]}


def test_choices_compute_nothing_for_the_rows_that_take_another(database):
    database.run("CREATE TABLE t(k int, v vector[2], m matrix[2][2]); INSERT INTO t VALUES (1,'{7,8}','{{2,0},{0,4}}'), (5,'{0,0}','{{1,1},{1,1}}'), (9,'{1,2}',NULL)")
    statements = [f"SELECT {text} AS x FROM t ORDER BY k" for text in GUARDED]
    for statement, wanted, rows in zip(statements, GUARDED.values(), answers(database, statements)):
        assert column(rows) == wanted, statement
    rows = answers(database, ["SELECT k AS x FROM t WHERE k <= 2 AND v[k] > 6", "SELECT k AS x FROM t WHERE det(m) <> 0 AND norm(inverse(m)) < 1",
                              "SELECT norm(inverse(m)) < 1 AS x FROM t WHERE det(m) <> 0", "SELECT sum(v[k]) FILTER (WHERE k < 3) AS x FROM t WHERE k < 5",
                              "SELECT (SELECT inverse(y.m) FROM t y WHERE y.k = x.k) AS x FROM t x WHERE x.k = 1"])
    assert list(map(column, rows)) == [[1], [1], [1], [7], [[[0.5, 0], [0, 0.25]]]]
    assert column(database.rows("SELECT CASE WHEN norm(sum(v)) > 3 THEN 0 * categorical(sum(v)) END AS x FROM t GROUP BY k ORDER BY k")) == [0, None, None]
    assert "there is no element 5" in database.refused("SELECT v[k] FROM t")
    assert "singular" in database.refused("SELECT CASE WHEN k < 9 THEN inverse(m) END FROM t")


ASKED = {
    "SELECT k, (SELECT inverse(y.m) FROM t y WHERE y.k = x.k) AS x FROM t x WHERE norm(v) > 3": [[[0.5, 0], [0, 0.25]]],
    "SELECT k, (SELECT sum(y.v[x.k + 1]) FROM t y WHERE y.k = x.k) AS x FROM t x WHERE det(m) <> 0": [8],
    "SELECT k, (SELECT trace(inverse(y.m)) FROM t y WHERE y.k = x.k AND y.v[1] > 0) AS x FROM t x WHERE v = ARRAY[7,8] AND k < 3": [0.75],
    "SELECT k, (SELECT y.v[x.k] FROM t y WHERE y.k = x.k) AS x FROM t x WHERE EXISTS (SELECT 1 FROM t z WHERE z.v[1] > 5 AND z.k = x.k)": [7],
    "SELECT x.k, (SELECT y.v[x.k] FROM t y WHERE y.k = x.k) AS x FROM t x JOIN t z ON x.k = z.k WHERE x.v = z.v AND norm(z.v) > 3": [7],
    "SELECT k, CASE WHEN k < 9 THEN (SELECT y.v[x.k] FROM t y WHERE y.k = x.k) END AS x FROM t x WHERE norm(v) <> 0 ORDER BY k": [7, None],
    "SELECT k, max((SELECT y.v[x.k] FROM t y WHERE y.k = x.k)) AS x FROM t x WHERE norm(v) > 3 GROUP BY k": [7],
    "SELECT k AS x FROM t x WHERE norm(v) > 3 AND (SELECT y.v[x.k] FROM t y WHERE y.k = x.k) > 6": [1],
    "SELECT count(*) AS x FROM t x WHERE norm(v) > 100 AND 0 < (SELECT y.v[x.k] FROM t y WHERE y.k = x.k)": [0]}


def test_queries_within_are_asked_for_the_rows_that_tensors_leave(database):
    database.run("CREATE TABLE t(k int, v vector[2], m matrix[2][2]); INSERT INTO t VALUES (1,'{7,8}','{{2,0},{0,4}}'), (5,'{0,0}','{{1,1},{1,1}}'), (9,'{1,2}',NULL)")
    for statement, wanted, rows in zip(ASKED, ASKED.values(), answers(database, ASKED)):
        assert column(rows) == wanted, statement


def test_numbers_of_tensors_wherever_a_number_may_stand(database):
    database.run("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1,'{3,4}'), (2,'{1,0}'), (3,'{3,4}')")
    expected = {"SELECT count(*) FILTER (WHERE norm(v) > 1) AS x FROM t": [2], "SELECT k AS x FROM t ORDER BY k LIMIT (SELECT norm(ARRAY[0,2]))": [1, 2],
                "SELECT k AS x FROM t ORDER BY k OFFSET (SELECT min(norm(v)) FROM t)": [2, 3], "SELECT x FROM (SELECT norm(v) AS x FROM t WHERE x > 1) s": [5, 5],
                "SELECT avg((SELECT max(y.k) FROM t y WHERE y.k = x.k)) AS x FROM t x GROUP BY v ORDER BY 1": [2, 2], "SELECT NOT v AS x FROM t WHERE k = 2": [[0, 1]],
                "SELECT logical_not(v) AS x FROM t WHERE k = 2": [[0, 1]], "SELECT greatest(v, NULL) AS x FROM t WHERE k < 2": [[3, 4]],
                "SELECT least(NULL, v, NULL) AS x FROM t WHERE k < 2": [[3, 4]], "SELECT array_agg(k) IS NULL AS x FROM t": [0],
                "SELECT norm(NULL) AS x FROM t WHERE k = 1": [None], "SELECT NULL::vector[2] AS x": [None], "SELECT k AS x FROM t WHERE v = '{1,0}'": [2],
                "SELECT v + '{1,1}' AS x FROM t WHERE k = 2": [[2, 1]], "SELECT coalesce(NULL::vector[2], v) AS x FROM t WHERE k = 2": [[1, 0]]}
    for (statement, wanted), rows in zip(expected.items(), answers(database, expected)):
        assert column(rows) == wanted, statement
    database.run("INSERT INTO t SELECT 4, '{8,9}'")
    assert column(database.rows("SELECT v AS x FROM t WHERE k = 4")) == [[8, 9]]


@pytest.mark.parametrize("statement, below", [
    ("SELECT 1, inverse(m) FROM t", "inverse(m)"), ("SELECT norm(inverse(m)) FROM t", "norm(inverse(m))"), ("SELECT sum(inverse(m)) FROM t", "inverse(m)"),
    ("SELECT k FROM t WHERE det(inverse(m)) > 1", "det(inverse(m))"), ("SELECT m[smallest_at(k * ones(1)) + 4] FROM t", "m[smallest_at(k * ones(1)) + 4]"),
    ("SELECT categorical(m[1] * 0) FROM t", "categorical(m[1] * 0)")])
def test_no_error_points_into_the_tensor_part(database, statement, below):
    database.run("CREATE TABLE t(k int, m matrix[2][2]); INSERT INTO t VALUES (1,'{{1,1},{1,1}}'); CREATE VIEW w AS SELECT inverse(m) AS i FROM t")
    message = database.refused(statement)
    lines = message.splitlines()
    assert "<tensor part>" not in message and lines[0].startswith("<command>:1:"), message
    assert lines[1][lines[2].index("^"):lines[2].rindex("^") + 1] == below
    assert database.refused("SELECT i FROM w").startswith("view w:1:")


def test_whole_numbers_of_64_bits_are_exact_in_texts_arrays_and_csv_files(database, tmp_path):
    random = np.random.default_rng(6)
    signed = [[-2**63, 2**63 - 1], [2**53 + 1, -2**53 - 1], [0, 5]] + random.integers(-2**63, 2**63, (40, 2)).tolist()
    unsigned = [[2**64 - 1], [2**63], [7]] + random.integers(0, 2**64, (40, 1), dtype=np.uint64).tolist()
    rows = list(zip(signed, unsigned))
    columns = "k integer PRIMARY KEY, v vector(i64)[2], u vector(u64)[1]"
    texts = ", ".join(f"({k}, '{{{v[0]},{v[1]}}}', {array(u)})" for k, (v, u) in enumerate(rows))
    arrays = ", ".join(f"({k}, {array(v)}, '{{{u[0]}}}')" for k, (v, u) in enumerate(rows))
    database.run(f"CREATE TABLE a({columns}); CREATE TABLE b({columns}); CREATE TABLE c({columns}); "
                 f"INSERT INTO a VALUES {texts}; INSERT INTO b VALUES {arrays}; "
                 f"COPY a TO '{tmp_path}/a.csv'; COPY c FROM '{tmp_path}/a.csv'")
    for table in "abc":
        [found] = database.run(f"SELECT v, u FROM {table} ORDER BY k")
        assert [(row["v"], row["u"]) for row in found] == rows, table
    # Each is found by its value, as a text, as an array and among what is given for no column.
    conditions = [f"v = '{{{v[0]},{v[1]}}}'::vector(i64)[2] AND v = {array(v)} AND u IN ({array(u)})" for v, u in rows[:12]]
    found = database.run(";".join(f"SELECT k FROM a WHERE {condition}" for condition in conditions))
    assert [column(rows, "k") for rows in found] == [[k] for k in range(12)]
    # An element that SQLite's integers hold is one of them; a larger one is a float.
    assert column(database.run("SELECT v[2] AS x FROM a WHERE k < 2 ORDER BY k")[0]) == [2**63 - 1, -2**53 - 1]
    assert column(database.run("SELECT u[1] AS x FROM a WHERE k < 3 ORDER BY k")[0]) == [2.0**64, 2.0**63, 7]


@pytest.mark.parametrize("value, message", [
    ("'{9223372036854775808}'", "row 1: 9223372036854775808 at [1] is no i64"),
    ("ARRAY[9223372036854775808]", "row 1: 9223372036854775808 at [1] is no i64"),
    ("'{1e18}'", "row 1: 1e+18 at [1] may be rounded: write all digits of the i64"),
])
def test_whole_numbers_that_i64_does_not_hold_are_refused(database, value, message):
    refusal = database.refused(f"CREATE TABLE t(v vector(i64)[1]); INSERT INTO t VALUES ({value})")
    assert f"22003: {message}, of which column v of t is" in refusal


def test_truth_values_are_merged_by_postgresqls_names(database):
    database.run("CREATE TABLE t(g int, k int, v vector[3]); INSERT INTO t VALUES (1,1,'{1,-2,3}'), (1,2,'{-1,-2,3}'), (2,3,'{1,-2,0}'), (2,4,NULL)")
    texts = {"bool_or(v > 0)": [[1, 0, 1], [1, 0, 0]], "bool_and(v > 0)": [[0, 0, 1], [1, 0, 0]], "every(v < 3)": [[1, 1, 0], [1, 1, 1]],
             "bool_or(k > 3)": [0, 1], "bool_and(k < 3)": [1, 0], "every(norm(v) > 3)": [1, 0], "bool_or(norm(v) > 3)": [1, 0]}
    found = database.rows("SELECT " + ", ".join(f"{text} AS a{place}" for place, text in enumerate(texts)) + " FROM t GROUP BY g ORDER BY g")
    for place, (text, wanted) in enumerate(texts.items()):
        assert [np.asarray(row[f"a{place}"]).astype(int).tolist() for row in found] == wanted, text


def test_truth_values_in_the_text_of_an_array(database):
    database.run("CREATE TABLE t(v vector(bool)[2]); INSERT INTO t VALUES ('{true,false}'), ('{f,t}'), ('{0,1}')")
    assert column(database.rows("SELECT count(*) AS x FROM t WHERE v[2]")) == [2]
    assert "is no array of numbers" in database.refused("INSERT INTO t VALUES ('{tru,1}')")
