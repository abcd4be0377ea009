"""Recursions without an end, of which a query takes the first rows: they end as soon as it has them."""
import pytest

from test_sql import TESSERA, database, drawn  # noqa: F401 (a fixture)

DOUBLED = "WITH RECURSIVE r(n, v) AS (SELECT 0, v FROM s UNION ALL SELECT n + 1, v * 2 FROM r)"
COUNTED = "WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r)"


@pytest.fixture
def table(database):
    database.run("CREATE TABLE s(k int, v vector[2]); INSERT INTO s VALUES (1, '{1,1}'), (2, '{5,1}')")
    return database


QUERIES = {
    f"{DOUBLED} SELECT (SELECT v FROM r LIMIT 1) + v AS x FROM s": [[2, 2], [6, 2]],
    f"{DOUBLED} SELECT (SELECT v FROM r WHERE n = 3 LIMIT 1) + v AS x FROM s": [[9, 9], [13, 9]],
    f"{DOUBLED} SELECT (SELECT r.v + s.v FROM r LIMIT 1 OFFSET 3) AS x FROM s": [[11, 3], [15, 3]],
    f"{DOUBLED}, q AS (SELECT * FROM r LIMIT 4) SELECT sum(v) + count(*) AS x FROM q": [[22, 10]],
    f"{DOUBLED}, q AS (SELECT n, v FROM r) SELECT v AS x FROM q LIMIT 3": [[1, 1], [5, 1], [2, 2]],
    f"{DOUBLED}, q AS (SELECT v FROM r WHERE n > 1), p AS (SELECT v FROM q LIMIT 1) SELECT v AS x FROM p": [[4, 4]],
    f"{DOUBLED} SELECT EXISTS (SELECT 1 FROM r WHERE v[1] > 30) AS x": [1],
    f"{DOUBLED} SELECT v AS x FROM s WHERE EXISTS (SELECT n, v FROM r WHERE r.n = 2)": [[1, 1], [5, 1]],
    f"{DOUBLED} SELECT v AS x FROM s WHERE k IN (SELECT n FROM r LIMIT 4)": [[1, 1]],
    f"{DOUBLED} SELECT a.v AS x FROM (SELECT * FROM r LIMIT 4) a, s LIMIT 2": [[1, 1], [1, 1]],
    f"{DOUBLED} SELECT v AS x FROM r UNION ALL SELECT v FROM s LIMIT 3": [[1, 1], [5, 1], [2, 2]],
    f"{DOUBLED} SELECT v AS x FROM s UNION ALL SELECT v FROM r LIMIT 4": [[1, 1], [5, 1], [1, 1], [5, 1]],
    f"{DOUBLED} SELECT r.v AS x FROM r, s LIMIT 3": [[1, 1], [1, 1], [5, 1]],
    f"{COUNTED} SELECT n * v AS x FROM r, s LIMIT 3": [[0, 0], [0, 0], [1, 1]],
    f"{COUNTED} SELECT v + (SELECT n FROM r LIMIT 1 OFFSET 5) AS x FROM s": [[6, 6], [10, 6]],
}


@pytest.mark.parametrize("query", QUERIES)
def test_the_steps_end_with_the_rows_that_are_taken(table, query):
    assert [row["x"] for row in table.rows(query)] == QUERIES[query]


def test_views(table):
    table.run(f"CREATE VIEW w AS {DOUBLED} SELECT n, v FROM r; CREATE VIEW c AS {COUNTED} SELECT n FROM r")
    assert table.rows("SELECT * FROM w LIMIT 3") == [{"n": 0, "v": [1, 1]}, {"n": 0, "v": [5, 1]}, {"n": 1, "v": [2, 2]}]
    assert table.rows("SELECT sum(v) AS x FROM (SELECT * FROM w LIMIT 2 OFFSET 1) q") == [{"x": [7, 3]}]
    assert table.rows("SELECT v + (SELECT n FROM c LIMIT 1 OFFSET 4) AS x FROM s") == [{"x": [5, 5]}, {"x": [9, 5]}]


def test_without_an_end(table):
    for query in (f"{DOUBLED} SELECT sum(v) FROM r", f"{DOUBLED} SELECT a.v FROM r a, r b LIMIT 1", f"{DOUBLED} SELECT v FROM r ORDER BY n LIMIT 1",
                  f"{DOUBLED} SELECT DISTINCT n FROM r LIMIT 2", f"{DOUBLED} SELECT v FROM s WHERE EXISTS (SELECT 1 FROM r WHERE n = k LIMIT 1)"):
        done = table.call(query, "--most-steps", "9")
        assert done.exit_code == 1 and "takes more than 9 steps: it may have no end" in done.stderr, query
