"""Queries that ask for the first rows of each partition by numbers of tensors: the bound leaves the other rows unmade, and changes nothing.

Each query is asked twice: once with a condition that bounds its ranks, and once with one that says the same to SQLite alone.
"""
import numpy as np
import pytest

from test_sql import TESSERA, array, database, drawn  # noqa: F401 (a fixture)
from test_sql_memory import within_budget

RANKS = "row_number() OVER w AS r, rank() OVER w AS s, dense_rank() OVER w AS t"


def fill(database):
    """Tables a (30 rows) and b (40 rows) of small vectors, many of them equal and some NULL, and c without rows."""
    statements = []
    for table, count, seed in (("a", 30, 1), ("b", 40, 2), ("c", 0, 3)):
        vectors, groups = drawn((count, 2), seed), drawn(count, seed + 10)
        rows = [f"({i}, {'NULL' if i % 11 == 5 else groups[i]}, {'NULL' if i % 13 == 7 else array(vectors[i])})" for i in range(count)]
        statements.append(f"CREATE TABLE {table}(id int, g int, v vector[2])")
        statements += [f"INSERT INTO {table} VALUES {', '.join(rows)}"] * bool(rows)
    database.run("; ".join(statements))


def compare(database, queries, *options):
    """Asks each query, `{r}` is the rank in its condition, with and without a bound."""
    text = "; ".join(query.replace("{r}", rank) for query in queries for rank in ("r", "r + 0"))
    results = database.run(text, *options)
    assert len(results) == 2 * len(queries)
    for query, bounded, whole in zip(queries, results[::2], results[1::2]):
        assert bounded == whole, query
    return results[::2]


def is_bounded(database, query):
    return "tessera_top" in database.call(f"EXPLAIN {query.replace('{r}', 'r')}").stdout


WINDOWS = ["PARTITION BY a.id ORDER BY norm(a.v - b.v)",
           "PARTITION BY b.id ORDER BY norm(a.v - b.v) DESC",
           "ORDER BY norm(a.v - b.v), b.g DESC NULLS LAST, a.id",
           "PARTITION BY a.g, b.g % 2 ORDER BY dot(a.v, b.v) DESC NULLS LAST",
           "PARTITION BY a.g ORDER BY b.g NULLS LAST, dot(a.v, b.v) NULLS LAST",
           "PARTITION BY a.id, 1 ORDER BY 1 - dot(a.v, b.v) / (norm(a.v) * norm(b.v)), b.id",
           "PARTITION BY a.id ORDER BY dot(a.v, b.v) * b.g + a.g DESC",
           "PARTITION BY b.g ORDER BY norm(a.v)",
           "PARTITION BY a.id ORDER BY norm(a.v + b.v) > 3, a.v[1] - b.v[2]"]


@pytest.mark.parametrize("options", [[], ["--pieces=3"]])
def test_ranks_of_a_product(database, options):
    fill(database)
    for function in ("row_number", "rank", "dense_rank"):
        queries = [f"SELECT * FROM (SELECT a.id AS i, b.id AS j, b.v AS v, {function}() OVER ({window}) AS r FROM a, b) WHERE {{r}} <= {most}"
                   for window in WINDOWS for most in (1, 4)]
        compare(database, queries, *options)
    for window in WINDOWS:
        assert is_bounded(database, f"SELECT * FROM (SELECT a.id AS i, row_number() OVER ({window}) AS r FROM a, b) WHERE {{r}} <= 4"), window


CONDITIONS = ["r <= 3", "3 >= r", "r < 4", "4 > r", "r = 2", "r BETWEEN 2 AND 3", "r <= 5 - 2 AND i <> 4", "r <= 0", "r <= -1", "r <= 100000", "r <= 3 AND r <= 2"]


def test_conditions_that_bound_ranks(database):
    fill(database)
    ranked = f"SELECT a.id AS i, b.id AS j, {RANKS} FROM a, b WINDOW w AS (PARTITION BY a.id ORDER BY norm(a.v - b.v))"
    queries = [f"SELECT * FROM ({ranked}) WHERE {condition.replace('r', '{r}', 1)}" for condition in CONDITIONS]
    compare(database, queries)
    for query in queries:
        assert is_bounded(database, query), query
    assert not is_bounded(database, f"SELECT * FROM ({ranked}) WHERE {{r}} <= 3 OR i = 1")
    assert not is_bounded(database, f"SELECT * FROM ({ranked}) WHERE {{r}} >= 3")
    assert not is_bounded(database, f"SELECT * FROM ({ranked} LIMIT 50) WHERE {{r}} <= 3")


def test_tables_and_conditions_of_products(database):
    fill(database)
    window = "row_number() OVER (PARTITION BY a.id ORDER BY norm(a.v - b.v), b.id) AS r"
    bounded = [f"SELECT * FROM (SELECT a.id AS i, b.id AS j, {window} FROM {tables}) n WHERE {{r}} <= 3" for tables in (
        "a, b WHERE a.g > 0 AND b.g < 3", "a, b WHERE a.id <> b.id", "a, b WHERE a.g <> b.g AND a.g <> b.id", "a JOIN b ON a.g = b.g", "a CROSS JOIN b",
        "a, b WHERE a.g < b.g", "a JOIN b ON a.g = b.g, b AS other WHERE other.id < 3", "a, (SELECT id, v + 1 AS v FROM b) AS b", "a, a AS b", "c AS a, b", "a, c AS b",
        "a, (SELECT * FROM c UNION ALL SELECT * FROM b) AS b")]
    compare(database, bounded)
    for query in bounded:
        assert is_bounded(database, query), query
    compare(database, [f"SELECT * FROM (SELECT a.id AS i, b.id AS j, {window} FROM {tables}) n WHERE {{r}} <= 3" for tables in (
        "a LEFT JOIN b ON a.g = b.g", "a JOIN b USING (g)", "a, b WHERE norm(a.v - b.v) < 3", "a, b WHERE a.v = b.v", "a, b WHERE EXISTS (SELECT 1 FROM c)")])


def test_queries_around_bounded_ones(database):
    fill(database)
    ranked = "SELECT a.id AS i, b.id AS j, norm(a.v - b.v) AS d, row_number() OVER (PARTITION BY a.id ORDER BY norm(a.v - b.v), b.id) AS r FROM a, b"
    queries = [f"SELECT n.*, b.v FROM ({ranked}) n JOIN b ON b.id = n.j WHERE n.{{r}} <= 3 ORDER BY i, n.r",
               f"SELECT a.id, n.j FROM a LEFT JOIN ({ranked}) n ON a.id = n.i WHERE n.{{r}} <= 3",
               f"SELECT n.j, a.id FROM ({ranked}) n LEFT JOIN a ON a.id = n.i AND a.g > 0 WHERE {{r}} <= 3",
               f"WITH n AS ({ranked}) SELECT i, sum(d) AS s, count(*) AS c FROM n WHERE {{r}} <= 3 GROUP BY i",
               f"WITH m AS (SELECT * FROM b), n(i, j, d, r) AS ({ranked.replace('FROM a, b', 'FROM a, m AS b')}) SELECT * FROM n AS x JOIN m ON m.id = x.j WHERE {{r}} <= 2",
               f"WITH n AS ({ranked}) SELECT x.i, y.j FROM n x, n y WHERE x.{{r}} <= 1 AND y.i = x.j AND y.r = 1",
               f"SELECT i, sum(v) AS s FROM (SELECT * FROM ({ranked}) WHERE {{r}} <= 3) n, b WHERE b.id = n.j GROUP BY i",
               f"SELECT DISTINCT j FROM ({ranked}) x WHERE {{r}} <= 2 ORDER BY j"]
    compare(database, queries)
    whole = "SELECT a.id AS i, b.id AS j, count(*) OVER (PARTITION BY a.id) AS c, row_number() OVER (PARTITION BY a.id ORDER BY norm(a.v - b.v)) AS r FROM a, b"
    assert not is_bounded(database, f"SELECT * FROM ({whole}) WHERE {{r}} <= 3")  # the other rows count
    compare(database, [f"SELECT * FROM ({whole}) WHERE {{r}} <= 3"])


def test_first_rows_for_each_row(database):
    fill(database)
    nearest = "SELECT b.id FROM b ORDER BY norm(a.v - b.v), b.id LIMIT 1"
    first = "SELECT a.id AS i, b.id AS j, row_number() OVER (PARTITION BY a.id ORDER BY norm(a.v - b.v), b.id) AS r FROM a, b"
    queries = [f"SELECT a.id AS i, ({nearest}) AS j FROM a ORDER BY a.id", f"SELECT a.id AS i, ({nearest} OFFSET 2) AS j FROM a ORDER BY a.id"]
    results = database.run("; ".join(queries + [f"SELECT i, j FROM ({first}) WHERE r + 0 = {place} ORDER BY i" for place in (1, 3)]))
    assert results[:2] == results[2:]
    assert all(is_bounded(database, query) for query in queries)


def test_numbers_of_other_types(database):
    for dtype in ("i64", "f32", "f16", "b1", "c64"):
        database.run(f"CREATE TABLE {dtype}(id int, v vector({dtype})[3])")
        values = drawn((12, 3), 5) > 0 if dtype == "b1" else drawn((12, 3), 5)
        database.run(f"INSERT INTO {dtype} VALUES " + ", ".join(f"({i}, {array(values[i] * 1)})" for i in range(12)))
    order = {"i64": "dot(a.v, b.v)", "f32": "norm(a.v - b.v)", "f16": "dot(a.v, b.v)", "b1": "(a.v AND b.v)[2]", "c64": "dot(a.v, b.v)"}
    compare(database, [f"SELECT * FROM (SELECT a.id AS i, b.id AS j, {key} AS d, rank() OVER (PARTITION BY a.id ORDER BY {key} DESC) AS r FROM {dtype} a, {dtype} b) "
                       f"WHERE {{r}} <= 3" for dtype, key in order.items()])
    large = "9007199254740993"  # no double is it
    database.run(f"CREATE TABLE large(id int, v vector(i64)[1]); INSERT INTO large VALUES (1, '{{{large}}}'), (2, '{{9007199254740992}}'), (3, '{{{large}}}')")
    rows, = compare(database, [f"SELECT * FROM (SELECT a.id AS i, rank() OVER (ORDER BY a.v[1]) AS r FROM large a) WHERE {{r}} <= 1"])
    assert [row["i"] for row in rows] == [2]


def test_numbers_that_are_not_finite(database):
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, np.nan, -1.0]
    np.savez(database.folder.parent / "n.npz", id=np.arange(8), v=np.array(values)[:, None])
    database.run(f"CREATE TABLE n(id int, v vector[1]); COPY n FROM '{database.folder.parent}/n.npz'; INSERT INTO n VALUES (8, NULL), (9, NULL)")
    compare(database, [f"SELECT * FROM (SELECT a.id AS i, a.v[1] AS s, {function}() OVER (ORDER BY {key}{order}) AS r FROM n a) WHERE {{r}} <= {most}"
                       for function in ("row_number", "rank", "dense_rank") for key in ("a.v[1]", "a.v[1] + 1") for order in ("", " DESC", " NULLS LAST", " DESC NULLS FIRST")
                       for most in range(1, 10)])


def test_memory_and_many_sections(tmp_path):
    """Five million pairs, whose numbers are computed in several sections and take 40 MB."""
    from test_sql import Database
    count = 5000
    random = np.random.default_rng(3)
    one, other = random.integers(-4, 5, (1000, 4)).astype(float), random.integers(-4, 5, (count, 4)).astype(float)
    np.savez(tmp_path / "a.npz", id=np.arange(len(one)), v=one)
    np.savez(tmp_path / "b.npz", id=np.arange(count), v=other)
    made = Database(tmp_path / "db")
    made.run(f"CREATE TABLE a(id int, v vector[4]); COPY a FROM '{tmp_path}/a.npz'; CREATE TABLE b(id int, v vector[4]); COPY b FROM '{tmp_path}/b.npz'")
    distance = ((one[:, None] - other) ** 2).sum(2)
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :3]
    for tables in ("a, b", "b, a"):
        found = within_budget(made, "SELECT count(*), sum(j * r), sum(d) FROM (SELECT b.id AS j, dot(a.v - b.v, a.v - b.v) AS d, row_number() OVER "
                                    f"(PARTITION BY a.id ORDER BY dot(a.v - b.v, a.v - b.v), b.id) AS r FROM {tables}) n WHERE r <= 3")
        assert [float(number) for number in found] == [3 * len(one), (nearest * [1, 2, 3]).sum(), np.take_along_axis(distance, nearest, 1).sum()]
