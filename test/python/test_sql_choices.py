"""SQL that chooses among tensors, puts them together and looks for them: arrays of expressions, dtypes, NULLIF, FILTER, IN."""
import numpy as np
import pytest

from test_sql import TESSERA, database, drawn  # noqa: F401 (a fixture)
from test_sql_rows import column, equal, store

ROWS = [(1, 10, np.array([1, 2]), np.array([5, 0])), (2, 10, np.array([3, 4]), None), (3, 20, None, np.array([1, 2])),
        (4, 20, np.array([0, 1]), np.array([0, 1]))]


@pytest.fixture
def table(database):
    store(database, "k int, g int, v vector[2], w vector(i64)[2]", ROWS)
    return database


ARRAYS = {
    "ARRAY[k, g]": [[1, 10], [2, 10], [3, 20], [4, 20]],
    "ARRAY[k + 1, 0.5, norm(w)]": [[2, .5, 5], None, [4, .5, np.sqrt(5)], [5, .5, 1]],
    "ARRAY[v, w]": [[[1, 2], [5, 0]], None, None, [[0, 1], [0, 1]]],
    "(ARRAY[v, 2 * v])[2]": [[2, 4], [6, 8], None, [0, 2]],
    "trace(ARRAY[v, ARRAY[k, 7]])": [8, 10, None, 7],
    "matmul(ARRAY[v, v + 1], v)": [[5, 8], [25, 32], None, [1, 2]],
    "v + ARRAY[g, -k]": [[11, 1], [13, 2], None, [20, -3]],
    "t(ARRAY[[k, 0], [1, g]])": [[[1, 1], [0, 10]], [[2, 1], [0, 10]], [[3, 1], [0, 20]], [[4, 1], [0, 20]]],
    "v + '{1,2}'::vector[2]": [[2, 4], [4, 6], None, [1, 3]],
    "matmul('{{1,2},{3,4}}'::matrix(i64)[2][2], w)": [[5, 15], None, [5, 11], [2, 4]],
    "CAST('{1, -2.5}' AS vector[2]) * k": [[1, -2.5], [2, -5], [3, -7.5], [4, -10]],
    "ARRAY[1.5, 2]::f32[] + '{1,2}'::int[]": [[2.5, 4]] * 4,
    "norm(w)::int + 1": [6, None, 3, 2],
}


@pytest.mark.parametrize("expression", ARRAYS)
def test_arrays_of_expressions(table, expression):
    got = column(table.rows(f"SELECT {expression} AS x FROM t ORDER BY k"), "x")
    assert equal(got, ARRAYS[expression]), got


def test_arrays_of_groups_and_among_values(table):
    got = table.rows("SELECT g, ARRAY[sum(v), max(w)] AS a, ARRAY[g, count(*)] AS b FROM t GROUP BY g ORDER BY g")
    assert got == [{"g": 10, "a": [[4, 6], [5, 0]], "b": [10, 2]}, {"g": 20, "a": [[0, 1], [1, 2]], "b": [20, 2]}]
    table.run("CREATE TABLE u(k int, m matrix(i64)[2][2]); INSERT INTO u VALUES (1, '{{1,2},{3,4}}'), (2, ARRAY[ARRAY[1 + 1, 2], ARRAY[0, 7]]), "
              "(3, 2 * '{{1,0},{0,1}}'::matrix[2][2]), (4, NULL), (5, ARRAY[[5,6],[7,8]])")
    assert column(table.rows("SELECT m FROM u ORDER BY k"), "m") == [[[1, 2], [3, 4]], [[2, 2], [0, 7]], [[2, 0], [0, 2]], None, [[5, 6], [7, 8]]]
    assert table.rows("SELECT * FROM (VALUES (1, ARRAY[1, 2]), (2, ARRAY[3 * 3, 1])) s(k, v) ORDER BY k DESC") == [
        {"k": 2, "v": [9, 1]}, {"k": 1, "v": [1, 2]}]
    assert table.rows("VALUES (1, ARRAY[1, 2]), (2, zeros(2)) ORDER BY 1 DESC LIMIT 1") == [{"column1": 2, "column2": [0, 0]}]
    assert column(table.rows("SELECT (SELECT sum(c) FROM (SELECT 1 AS c) s WHERE '{1,2}'::vector[2] = t.v) AS x FROM t ORDER BY k"), "x") == [1, None, None, None]
    assert column(table.rows("SELECT (SELECT max(column1) FROM (VALUES (1, ARRAY[1, 2]), (3, ARRAY[2, 2])) s WHERE column2 = t.v) AS x FROM t ORDER BY k"),
                  "x") == [1, None, None, None]


@pytest.mark.parametrize("expression, said", [
    ("ARRAY[v, k]", "the elements of an array differ: vector[2] and a scalar"), ("ARRAY['a', k]", "'a' in an array is no number"),
    ("ARRAY[k, NULL]", "NULL in an array is no number"), ("'{1,a}'::vector[2]", "'{1,a}' is no array of numbers"),
    ("'{1,2}'::vector[3]", "vector[2] cannot become a vector with an extent of 3"),
    ("'{1,9007199254740993e0}'::vector(i64)[2]", "9007199254740992 at [2] may be rounded: write all digits of the i64"),
    ("'{1,2.5}'::vector(i64)[2]", "22003: 2.5 at [2] is no i64"), ("'{1,300}'::vector(i8)[2]", "22003: 300 at [2] is no i8"),
    ("v::matrix[2][2]", "vector[2] cannot become a matrix of 2 modes"), ("'" + "{" * 70 + "'::matrix[1][1]", "an array has at most 64 modes")])
def test_arrays_that_cannot_be(table, expression, said):
    assert said in table.refused(f"SELECT {expression} FROM t")


def test_tensors_of_two_dtypes_together(table):
    rows = table.rows("SELECT v FROM t UNION ALL SELECT w FROM t")
    assert equal(column(rows, "v"), [row[2] for row in ROWS] + [row[3] for row in ROWS])
    assert column(table.rows("SELECT w AS x FROM t UNION SELECT v FROM t ORDER BY x"), "x") == [None, [0, 1], [1, 2], [3, 4], [5, 0]]
    assert column(table.rows("SELECT w AS x FROM t INTERSECT SELECT v FROM t ORDER BY x"), "x") == [None, [0, 1], [1, 2]]
    assert column(table.rows("SELECT v AS x FROM t EXCEPT SELECT w FROM t"), "x") == [[3, 4]]
    assert column(table.rows("SELECT CASE k WHEN 2 THEN v ELSE w END / 2 AS x FROM t ORDER BY k"), "x") == [[2.5, 0], [1.5, 2], [.5, 1], [0, .5]]
    twice = "(SELECT v FROM t UNION ALL SELECT v FROM t WHERE k < 3)"
    assert column(table.rows(f"{twice} INTERSECT ALL (SELECT w FROM t UNION ALL SELECT w FROM t) ORDER BY v"), "v") == [None, [0, 1], [1, 2], [1, 2]]
    assert column(table.rows(f"{twice} EXCEPT ALL SELECT w FROM t ORDER BY v"), "v") == [[1, 2], [3, 4], [3, 4]]
    table.run("CREATE TABLE s AS SELECT w FROM t UNION ALL SELECT 0.5 * v FROM t")
    assert column(table.rows("SELECT sum(w) AS x FROM s"), "x") == [[8, 6.5]]


CHOICES = {
    "nullif(v, w)": [[1, 2], [3, 4], None, None],
    "nullif(w, v)": [[5, 0], None, [1, 2], None],
    "coalesce(nullif(v, w), 9 * ones(2))": [[1, 2], [3, 4], [9, 9], [9, 9]],
    "nullif(v, '{3,4}'::vector[2]) + 1": [[2, 3], None, None, [1, 2]],
    "nullif(norm(w), 5)": [None, None, np.sqrt(5), 1],
    "CASE WHEN norm(v) > 2 THEN v END": [[1, 2], [3, 4], None, None],
    "CASE WHEN norm(v) > 2 THEN v ELSE w END": [[1, 2], [3, 4], [1, 2], [0, 1]],
    "CASE WHEN v[1] = 0 THEN NULL WHEN k = 1 THEN 2 * w ELSE v END": [[10, 0], [3, 4], None, None],
    "CASE v[1] WHEN 1 THEN v WHEN 3 THEN ones(2) END": [[1, 2], [1, 1], None, None],
    "norm(CASE WHEN norm(v) > 2 THEN w END)": [5, None, None, None],
    "lag(v, 1, w) OVER (ORDER BY k)": [[5, 0], [1, 2], [3, 4], None],
    "lead(v, 1, 7 * ones(2)) OVER (ORDER BY k)": [[3, 4], None, [0, 1], [7, 7]],
    "lag(w, k - 1, v) OVER (PARTITION BY g ORDER BY k)": [[5, 0], [5, 0], None, [0, 1]],
    "lag(2 * v, 1, 0) OVER (ORDER BY k) + 1": [[1, 1], [3, 5], [7, 9], None],
    "(SELECT nullif(s.v, t.w) FROM t s WHERE s.k = t.k - 1)": [None, [1, 2], [3, 4], None],
}


@pytest.mark.parametrize("expression", CHOICES)
def test_choices_by_tensors(table, expression):
    got = column(table.rows(f"SELECT {expression} AS x FROM t ORDER BY k"), "x")
    assert equal(got, CHOICES[expression]), got


def test_choices_by_tensors_in_every_clause(table):
    assert column(table.rows("SELECT k FROM t WHERE nullif(v, w) IS NOT NULL ORDER BY k"), "k") == [1, 2]
    assert column(table.rows("SELECT k FROM t WHERE norm(CASE WHEN norm(v) > 1 THEN v ELSE w END) < 3 AND k < 4 ORDER BY k DESC LIMIT 1"), "k") == [3]
    assert column(table.rows("SELECT DISTINCT nullif(v, w) AS x FROM t ORDER BY x"), "x") == [None, [1, 2], [3, 4]]
    assert table.rows("SELECT g, sum(CASE WHEN norm(v) > 2 THEN v END) AS a, nullif(max(v), '{0,1}'::vector[2]) AS b FROM t GROUP BY g ORDER BY g") == [
        {"g": 10, "a": [4, 6], "b": [3, 4]}, {"g": 20, "a": None, "b": None}]
    assert table.rows("SELECT g, CASE WHEN norm(sum(v)) > 3 THEN max(v) END AS a FROM t WHERE nullif(v, w) IS NOT NULL OR k = 4 GROUP BY g ORDER BY g") == [
        {"g": 10, "a": [3, 4]}, {"g": 20, "a": None}]
    assert column(table.rows("SELECT g FROM t GROUP BY g HAVING norm(CASE WHEN norm(max(v)) > 2 THEN max(v) END) > 1"), "g") == [10]


def test_filters_by_tensors(table):
    got = table.rows("SELECT sum(v) FILTER (WHERE norm(v) > 2) AS a, avg(w) FILTER (WHERE v IS DISTINCT FROM w) AS b, "
                     "sum(k) FILTER (WHERE norm(v) > 2) AS c, count(*) AS n, sum(v) FILTER (WHERE v = w) AS d FROM t")
    assert got == [{"a": [4, 6], "b": [3, 1], "c": 3, "n": 4, "d": [0, 1]}]
    got = table.rows("SELECT g, max(v) FILTER (WHERE v[1] > 2 AND k > 1) AS a, array_agg(v ORDER BY k) FILTER (WHERE norm(v) > 2) AS b FROM t GROUP BY g ORDER BY g")
    assert got == [{"g": 10, "a": [3, 4], "b": [[1, 2], [3, 4]]}, {"g": 20, "a": None, "b": None}]
    assert column(table.rows("SELECT sum(v) FILTER (WHERE norm(v) > 2) OVER (ORDER BY k DESC) AS x FROM t ORDER BY k"), "x") == [[4, 6], [3, 4], None, None]


def as_key(tensor):
    return None if tensor is None else tuple(np.asarray(tensor).tolist())


def is_in(value, values):
    """Three-valued, as SQL has it."""
    if value in values and value is not None:
        return True
    return None if values and (value is None or None in values) else False


@pytest.fixture
def many(database):
    generator = np.random.default_rng(4)
    draw = lambda: [None if generator.random() < .15 else generator.integers(0, 2, 3) for _ in range(30)]  # noqa: E731
    one, other, groups = draw(), draw(), generator.integers(0, 5, 30)
    store(database, "k int, g int, v vector[3], w vector(i64)[3]", [(k, int(g), v, w) for k, (g, v, w) in enumerate(zip(groups, one, other))])
    return database, [(k, int(g), as_key(v), as_key(w)) for k, (g, v, w) in enumerate(zip(groups, one, other))]


@pytest.mark.parametrize("which, chosen", [
    ("", lambda row, other: True), ("WHERE k < 3", lambda row, other: other[0] < 3), ("WHERE k > 99", lambda row, other: False),
    ("WHERE w IS NULL", lambda row, other: other[3] is None), ("WHERE s.g = t.g", lambda row, other: row[1] == other[1]),
    ("WHERE s.g = t.g AND s.k <> t.k", lambda row, other: row[1] == other[1] and row[0] != other[0])])
def test_tensors_among_those_of_a_query(many, which, chosen):
    database, rows = many
    wanted = [is_in(row[2], [other[3] for other in rows if chosen(row, other)]) for row in rows]
    query = f"(SELECT w FROM t s {which})"
    found = column(database.rows(f"SELECT k FROM t WHERE v IN {query} ORDER BY k"), "k")
    assert found == [row[0] for row, truth in zip(rows, wanted) if truth]
    found = column(database.rows(f"SELECT k FROM t WHERE v <> ALL {query} ORDER BY k"), "k")
    assert found == [row[0] for row, truth in zip(rows, wanted) if truth is False]
    assert column(database.rows(f"SELECT v IN {query} AS x, 2 * v AS d FROM t ORDER BY k"), "x") == wanted
    assert column(database.rows(f"SELECT k FROM t WHERE (2 * v + k) - k = ANY (SELECT 2 * w FROM t s {which}) OR k = 1 ORDER BY k"), "k") == [
        row[0] for row, truth in zip(rows, wanted) if truth or row[0] == 1]


def test_values_among_those_of_an_array(table):
    assert column(table.rows("SELECT k FROM t WHERE v = ANY (ARRAY[ARRAY[3, 4], w - ARRAY[0, 0]]) ORDER BY k"), "k") == [2, 4]
    assert column(table.rows("SELECT k FROM t WHERE (v) <> ALL (ARRAY[ARRAY[0, 1], ARRAY[k, 2]]) ORDER BY k"), "k") == [2]
    assert column(table.rows("SELECT k FROM t WHERE k = ANY (ARRAY[1, g / 10 + 1]) ORDER BY k"), "k") == [1, 2, 3]
    assert "ANY or ALL of an array" in table.refused("SELECT k FROM t WHERE k < ANY (ARRAY[1])")


def test_cardinality(table):
    table.run("CREATE TABLE u(m matrix[2][3]); INSERT INTO u VALUES (ones(2, 3)), (NULL)")
    assert table.rows("SELECT cardinality(v) AS n FROM t WHERE cardinality(v) = 2 ORDER BY k") == [{"n": 2}] * 3
    assert table.rows("SELECT cardinality(m) AS n, m / cardinality(m) AS x FROM u ORDER BY n DESC") == [
        {"n": 6, "x": (np.ones((2, 3)) / 6).tolist()}, {"n": None, "x": None}]


def test_tensors_of_groups_among_those_of_a_query(many):
    database, rows = many
    largest = {g: np.max([row[2] for row in rows if row[1] == g and row[2] is not None], axis=0) for g in sorted({row[1] for row in rows})}
    members = {row[3] for row in rows if row[3] is not None and row[0] % 2}
    found = column(database.rows("SELECT g FROM t GROUP BY g HAVING max(v) IN (SELECT w FROM t WHERE k % 2 = 1) ORDER BY g"), "g")
    assert found == [g for g, value in largest.items() if tuple(value.tolist()) in members]
    got = database.rows("SELECT count(*) FILTER (WHERE v IN (SELECT w FROM t)) AS n, sum(v) FILTER (WHERE v IN (SELECT w FROM t)) AS s FROM t")[0]
    among = [row[2] for row in rows if is_in(row[2], [other[3] for other in rows])]
    assert got == {"n": len(among), "s": np.sum(among, axis=0).tolist()}
    assert "among tensors of another shape" in database.refused("SELECT k FROM t WHERE v IN (SELECT v[1:2] FROM t)")
    assert "tensors are looked for among tensors" in database.refused("SELECT k FROM t WHERE k IN (SELECT v FROM t)")


def vectors(rows):
    return np.sum([row[2] for row in rows if row[2] is not None], axis=0).tolist() if any(row[2] is not None for row in rows) else None


def test_queries_two_levels_within(many):
    """Each names columns of the outermost one, which the one between has by another name, or not at all."""
    database, rows = many
    got = database.rows("SELECT k, (SELECT sum(y.v) FROM t y WHERE y.g = x.g AND EXISTS (SELECT 1 FROM t z WHERE z.k = x.k + 1 AND z.g > y.g)) AS s "
                        "FROM t x ORDER BY k")
    wanted = [vectors([y for y in rows if y[1] == x[1] and any(z[0] == x[0] + 1 and z[1] > y[1] for z in rows)]) for x in rows]
    assert column(got, "s") == wanted and any(wanted)
    got = database.rows("SELECT k, (SELECT sum(y.v) FROM t y WHERE y.k < (SELECT max(z.k) FROM t z WHERE z.w = x.v)) AS s FROM t x ORDER BY k")
    wanted = []
    for x in rows:
        places = [z[0] for z in rows if x[2] is not None and z[3] == x[2]]
        wanted.append(vectors([y for y in rows if places and y[0] < max(places)]))
    assert column(got, "s") == wanted
    got = database.rows("SELECT k FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE y.k <> x.k AND y.v IN (SELECT z.w FROM t z WHERE z.g = x.g AND z.k > y.k)) ORDER BY k")
    assert column(got, "k") == [x[0] for x in rows if any(
        y[0] != x[0] and is_in(y[2], [z[3] for z in rows if z[1] == x[1] and z[0] > y[0]]) for y in rows)]
    deep = database.rows("SELECT (SELECT (SELECT (SELECT sum(u.v) FROM t u WHERE u.g = x.g AND u.k < y.k) FROM t z WHERE z.k = y.k) FROM t y WHERE y.k = x.k + 1) AS s "
                         "FROM t x ORDER BY k")
    assert column(deep, "s") == [vectors([u for u in rows if u[1] == x[1] and u[0] < x[0] + 1]) if x[0] < 29 else None for x in rows]
    refused = database.refused("SELECT (SELECT sum(q.v) FROM (SELECT v FROM t y WHERE y.g = x.g) q) FROM t x")
    assert "0A000: a query in FROM about tensors that names columns of the query around" in refused
    assert "0A000: LATERAL in a query about tensors" in database.refused("SELECT q.s FROM t, LATERAL (SELECT sum(y.v) AS s FROM t y WHERE y.k = t.k) q")


def test_aggregates_of_the_query_around(many):
    """What names columns of the query around alone is an aggregate of that."""
    database, rows = many
    groups = sorted({row[1] for row in rows})
    assert database.rows("SELECT (SELECT sum(x.v)) AS s FROM t x") == [{"s": vectors(rows)}]
    assert database.rows("SELECT count(*) AS n, (SELECT sum(2 * x.v) + y.v FROM t y WHERE y.k = 2) AS s FROM t x WHERE x.k > 4") == [
        {"n": 25, "s": (2 * np.array(vectors(rows[5:])) + rows[2][2]).tolist()}]
    got = database.rows("SELECT g, (SELECT count(*) FROM t y WHERE y.w = max(x.v) AND y.k > x.g) AS n FROM t x GROUP BY g ORDER BY g")
    largest = {g: tuple(np.max([row[2] for row in rows if row[1] == g and row[2] is not None], axis=0).tolist()) for g in groups}
    assert [(row["g"], row["n"]) for row in got] == [(g, sum(row[3] == largest[g] and row[0] > g for row in rows)) for g in groups]
    got = database.rows("SELECT g FROM t x GROUP BY g HAVING EXISTS (SELECT 1 FROM t y WHERE y.w = max(x.v)) ORDER BY g DESC")
    assert column(got, "g") == [g for g in reversed(groups) if any(row[3] == largest[g] for row in rows)]
    got = database.rows("SELECT k, (SELECT sum(x.k * y.v) FROM t y WHERE y.g = 1) AS s FROM t x ORDER BY k LIMIT 3")  # one of both is within
    assert column(got, "s") == [[k * e for e in vectors([row for row in rows if row[1] == 1])] for k in range(3)]
