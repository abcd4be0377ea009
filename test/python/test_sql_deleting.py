"""DELETE ... USING: rows of a table go for which there are rows of others."""
import pytest

from test_sql import database  # noqa: F401 (a fixture)

TABLES = """CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1, '{1,1}'), (2, '{2,2}'), (3, NULL), (4, '{4,4}'), (4, '{5,5}');
CREATE TABLE s(k int, w vector[2], n int); INSERT INTO s VALUES (2, '{2,2}', 1), (2, '{9,9}', 2), (4, '{4,4}', 3), (NULL, NULL, 4);"""


@pytest.mark.parametrize("statement, left", [
    ("DELETE FROM t USING s WHERE t.k = s.k", [1, 3]),
    ("DELETE FROM t USING s WHERE t.k = s.k AND n > 2", [1, 2, 3]),
    ("DELETE FROM t USING s WHERE v = w", [1, 3, 4]),
    ("DELETE FROM t USING s WHERE t.k = s.k AND dot(v, w) > 30", [1, 3]),
    ("DELETE FROM t USING s WHERE t.k = s.k AND dot(v, w) > 40", [1, 2, 3, 4, 4]),
    ("DELETE FROM t AS x USING t AS y WHERE x.k = y.k AND norm(x.v) < norm(y.v)", [1, 2, 3, 4]),
    ("DELETE FROM t USING s AS a, s AS b WHERE t.k = a.k AND a.k = b.k AND a.n < b.n", [1, 3, 4, 4]),
    ("DELETE FROM t USING (s JOIN (SELECT 1 AS n) q USING (n)) j WHERE j.k = t.k", [1, 3, 4, 4]),
    ("DELETE FROM t USING generate_series(2, 3) AS g(i) WHERE i = k", [1, 4, 4]),
    ("DELETE FROM t USING s", []),
    ("DELETE FROM t USING s WHERE false", [1, 2, 3, 4, 4]),
])
def test_rows_go_for_which_there_are_others(database, statement, left):  # noqa: F811
    database.run(TABLES)
    assert f"DELETE {5 - len(left)}" in database.call(statement).stderr
    assert [row["k"] for row in database.rows("SELECT k FROM t ORDER BY k")] == left
    assert database.rows("SELECT count(*) AS n FROM s") == [{"n": 4}]


def test_versions_say_which_rows_go(database):  # noqa: F811
    database.run(TABLES + "CREATE TABLE x[0](k) AS SELECT 1; CREATE TABLE x[i:1...](k) AS SELECT k * 2 FROM x[i-1]")
    database.run("DELETE FROM t USING UNION x[0...2] AS x WHERE x.k = t.k")
    assert database.rows("SELECT k, v FROM t") == [{"k": 3, "v": None}]
