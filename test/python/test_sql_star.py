"""What `*` means over joins by USING and NATURAL of tables with tensors: PostgreSQL's columns, the joined ones first and once."""
import pytest

from test_sql import TESSERA, database  # noqa: F401 (a fixture)

TABLES = """CREATE TABLE a(g text, id int, v vector[2]); INSERT INTO a VALUES ('x', 1, '{1,2}'), ('y', 2, '{3,4}');
CREATE TABLE b(id int, h text, w vector[2]); INSERT INTO b VALUES (2, 'p', '{5,6}'), (3, 'q', '{7,8}');
CREATE TABLE c(u vector[2], id int); INSERT INTO c VALUES ('{1,1}', 3), ('{2,2}', 4), ('{9,9}', 2);"""

A1, A2 = {"g": "x", "v": [1, 2]}, {"g": "y", "v": [3, 4]}
B2, B3 = {"h": "p", "w": [5, 6]}, {"h": "q", "w": [7, 8]}
C2, C3, C4 = {"u": [9, 9]}, {"u": [1, 1]}, {"u": [2, 2]}
NO_A, NO_B, NO_C = ({name: None for name in row} for row in (A1, B2, C2))


@pytest.fixture
def tables(database):  # noqa: F811
    database.run(TABLES)
    return database


def listed(rows):
    """Rows with their columns in order."""
    return [list(row.items()) for row in rows]


@pytest.mark.parametrize("tables_joined, wanted", [
    ("a NATURAL JOIN b", [{"id": 2, **A2, **B2}]),
    ("a JOIN b USING (id)", [{"id": 2, **A2, **B2}]),
    ("b NATURAL JOIN a", [{"id": 2, **B2, **A2}]),
    ("a LEFT JOIN b USING (id)", [{"id": 1, **A1, **NO_B}, {"id": 2, **A2, **B2}]),
    ("a NATURAL RIGHT JOIN b", [{"id": 2, **A2, **B2}, {"id": 3, **NO_A, **B3}]),
    ("a FULL JOIN b USING (id)", [{"id": 1, **A1, **NO_B}, {"id": 2, **A2, **B2}, {"id": 3, **NO_A, **B3}]),
    ("a JOIN b USING (id) JOIN c USING (id)", [{"id": 2, **A2, **B2, **C2}]),
    ("a NATURAL JOIN b NATURAL JOIN c", [{"id": 2, **A2, **B2, **C2}]),
    ("a RIGHT JOIN b USING (id) LEFT JOIN c USING (id)", [{"id": 2, **A2, **B2, **C2}, {"id": 3, **NO_A, **B3, **C3}]),
    ("a FULL JOIN b USING (id) FULL JOIN c USING (id)",
     [{"id": 1, **A1, **NO_B, **NO_C}, {"id": 2, **A2, **B2, **C2}, {"id": 3, **NO_A, **B3, **C3}, {"id": 4, **NO_A, **NO_B, **C4}]),
    ("a JOIN (b LEFT JOIN c USING (id)) USING (id)", [{"id": 2, **A2, **B2, **C2}]),
    ("(SELECT * FROM a FULL JOIN b USING (id)) s JOIN c USING (id)",
     [{"id": 2, **A2, **B2, **C2}, {"id": 3, **NO_A, **B3, **C3}]),
])
def test_joined_columns_come_first_and_once(tables, tables_joined, wanted):
    assert listed(tables.rows(f"SELECT * FROM {tables_joined} ORDER BY id")) == listed(wanted)


def test_all_columns_of_one_table(tables):
    assert listed(tables.rows("SELECT a.*, b.* FROM a FULL JOIN b USING (id) ORDER BY a.id NULLS LAST")) == listed(
        [{"g": "x", "id": 1, "v": [1, 2], "id:2": None, **NO_B}, {"g": "y", "id": 2, "v": [3, 4], "id:2": 2, **B2},
         {"g": None, "id": None, "v": None, "id:2": 3, **B3}])


def test_several_joined_columns_stand_as_they_are_named(database):  # noqa: F811
    database.run("CREATE TABLE s(v vector[1], i int, j int); INSERT INTO s VALUES ('{1}', 1, 2), ('{2}', 3, 4);"
                 "CREATE TABLE t(j int, w vector[1], i int); INSERT INTO t VALUES (2, '{5}', 1), (4, '{6}', 9)")
    assert listed(database.rows("SELECT * FROM s JOIN t USING (j, i)")) == listed([{"j": 2, "i": 1, "v": [1], "w": [5]}])
    assert listed(database.rows("SELECT * FROM s NATURAL JOIN t")) == listed([{"i": 1, "j": 2, "v": [1], "w": [5]}])
    assert listed(database.rows("SELECT * FROM s JOIN t USING (j)")) == listed(
        [{"j": 2, "v": [1], "i": 1, "w": [5], "i:2": 1}, {"j": 4, "v": [2], "i": 3, "w": [6], "i:2": 9}])


@pytest.mark.parametrize("joined", ["a NATURAL JOIN b", "a JOIN b USING (id)"])
def test_a_further_table_with_a_column_of_that_name(tables, joined):
    assert listed(tables.rows(f"SELECT * FROM {joined}, c ORDER BY c.id")) == listed(
        [{"id": 2, **A2, **B2, "u": u, "id:2": number} for u, number in (([9, 9], 2), ([1, 1], 3), ([2, 2], 4))])
    found = tables.rows(f"SELECT a.id AS i, b.id AS j, c.id AS k FROM {joined} LEFT JOIN c ON dot(a.v, c.u) = 7")
    assert found == [{"i": 2, "j": 2, "k": 3}]


def test_joined_columns_group_rows(tables):
    assert tables.rows("SELECT id, sum(w) AS s FROM a FULL JOIN b USING (id) GROUP BY id ORDER BY id") == [
        {"id": 1, "s": None}, {"id": 2, "s": [5, 6]}, {"id": 3, "s": [7, 8]}]
    assert tables.rows("SELECT id, sum(v + w + u) AS s FROM a JOIN b USING (id) JOIN c USING (id) GROUP BY id") == [
        {"id": 2, "s": [17, 19]}]


@pytest.mark.parametrize("query, wanted", [
    ("SELECT * FROM (a JOIN b USING (id)) j", [{"id": 2, **A2, **B2}]),
    ("SELECT j.* FROM (a FULL JOIN b USING (id)) AS j ORDER BY j.id",
     [{"id": 1, **A1, **NO_B}, {"id": 2, **A2, **B2}, {"id": 3, **NO_A, **B3}]),
    ("SELECT k, v + w AS s FROM (a JOIN b USING (id)) AS j(k)", [{"k": 2, "s": [8, 10]}]),
    ("SELECT * FROM (a JOIN b USING (id)) j JOIN c USING (id)", [{"id": 2, **A2, **B2, **C2}]),
])
def test_a_join_with_a_name(tables, query, wanted):
    assert listed(tables.rows(query)) == listed(wanted)
    assert "there is no column a.id" in tables.refused("SELECT a.id FROM (a JOIN b USING (id)) j")


@pytest.fixture
def scalars(database):  # noqa: F811
    database.run("CREATE TABLE s(g text, id int); INSERT INTO s VALUES ('x', 1), ('y', 2);"
                 "CREATE TABLE t(d date, id int, g text); INSERT INTO t VALUES ('2020-01-01', 2, 'y'), ('2020-01-02', 3, 'q')")
    return database


T2, T3, NO_T = ({"d": day, "g:2": g} for day, g in (("2020-01-01", "y"), ("2020-01-02", "q"), (None, None)))


@pytest.mark.parametrize("query, wanted", [
    ("SELECT * FROM s JOIN t USING (id)", [{"id": 2, "g": "y", **T2}]),
    ("SELECT * FROM s LEFT JOIN t USING (id) ORDER BY 1", [{"id": 1, "g": "x", **NO_T}, {"id": 2, "g": "y", **T2}]),
    ("SELECT * FROM s RIGHT JOIN t USING (id) ORDER BY 1", [{"id": 2, "g": "y", **T2}, {"id": 3, "g": None, **T3}]),
    ("SELECT * FROM s FULL JOIN t USING (id) ORDER BY 1",
     [{"id": 1, "g": "x", **NO_T}, {"id": 2, "g": "y", **T2}, {"id": 3, "g": None, **T3}]),
    ("SELECT * FROM (s FULL JOIN (SELECT d, id FROM t) q USING (id)) j ORDER BY 1",
     [{"id": 1, "g": "x", "d": None}, {"id": 2, "g": "y", "d": "2020-01-01"}, {"id": 3, "g": None, "d": "2020-01-02"}]),
    ("SELECT * FROM s NATURAL JOIN t", [{"g": "y", "id": 2, "d": "2020-01-01"}]),
    ("SELECT * FROM t NATURAL JOIN s", [{"id": 2, "g": "y", "d": "2020-01-01"}]),
    ("SELECT *, d + 1 AS e FROM s NATURAL JOIN (SELECT * FROM t) q", [{"g": "y", "id": 2, "d": "2020-01-01", "e": "2020-01-02"}]),
    ("SELECT d + 1 AS e FROM (SELECT * FROM s JOIN t USING (id)) q", [{"e": "2020-01-02"}]),
    ("WITH q AS (SELECT 7 AS n, 2 AS id) SELECT * FROM q JOIN s USING (id)", [{"id": 2, "n": 7, "g": "y"}]),
    ("WITH RECURSIVE r AS (SELECT 1 AS n, 1 AS id UNION ALL SELECT n, id + 1 FROM r WHERE id < 2) "
     "SELECT * FROM r JOIN s USING (id) ORDER BY 1", [{"id": 1, "n": 1, "g": "x"}, {"id": 2, "n": 1, "g": "y"}]),
    ("SELECT * FROM s JOIN generate_series(2, 3) AS id USING (id)", [{"id": 2, "g": "y"}]),
    ("SELECT * FROM s JOIN t USING (id) UNION ALL SELECT 0, 'a', NULL, 'b' ORDER BY 1",
     [{"id": 0, "g": "a", "d": None, "g:2": "b"}, {"id": 2, "g": "y", **T2}]),
])
def test_joined_columns_of_scalars_come_first_and_once(scalars, query, wanted):
    assert listed(scalars.rows(query)) == listed(wanted)


def test_all_columns_of_a_series_beside_tensors(tables):
    assert listed(tables.rows("SELECT * FROM b, generate_series(1, 2) ORDER BY id, 4")) == listed(
        [{"id": n, **b, "generate_series": i} for n, b in ((2, B2), (3, B3)) for i in (1, 2)])
    assert listed(tables.rows("SELECT * FROM generate_series(1, 9) AS s(id) JOIN b USING (id) ORDER BY id")) == listed(
        [{"id": 2, **B2}, {"id": 3, **B3}])
    assert listed(tables.rows("SELECT s.*, i * w AS x FROM b, generate_series(4, 2, -2) AS s(i) WHERE id = 2 ORDER BY i")) == listed(
        [{"i": 2, "x": [10, 12]}, {"i": 4, "x": [20, 24]}])
    assert listed(tables.rows("SELECT * FROM b NATURAL JOIN generate_series(3, 5) AS id")) == listed([{"id": 3, **B3}])


def test_a_natural_join_of_tensors_of_one_name_is_refused(tables):
    assert "column v of tensors in USING or a NATURAL join" in tables.refused("SELECT * FROM a NATURAL JOIN a x")
    # A tensor of the same name is no matter of a join that it has no part in.
    assert [row["h"] for row in tables.rows("SELECT b.h FROM (SELECT id FROM a) s NATURAL JOIN b, a x, a y")] == ["p"] * 4


def test_a_condition_sees_the_tables_that_it_joins(tables, scalars):
    """SQLite would look in all tables of the query."""
    assert tables.rows("SELECT x.id AS i, b.id AS j FROM a AS x JOIN b ON dot(v, w) > 30 AND g = 'y' JOIN a AS y ON y.id = x.id ORDER BY 1, 2") == [
        {"i": 2, "j": 2}, {"i": 2, "j": 3}]
    assert tables.rows("SELECT x.id AS i FROM a AS x LEFT JOIN c ON c.id = 3 JOIN a AS y ON norm(x.v) < norm(y.v) AND u[1] = 1, b WHERE h = 'q'") == [{"i": 1}]
    assert scalars.rows("SELECT x.id AS i FROM s AS x JOIN t ON d = date '2020-01-01' JOIN t AS y ON y.id = x.id") == [{"i": 2}]
    assert scalars.rows("SELECT count(*) AS n FROM s JOIN t AS x ON d > date '2020-01-01', t AS y") == [{"n": 4}]
    assert "42702" in scalars.refused("SELECT 1 FROM s JOIN t ON g = 'x'")
    assert scalars.rows("SELECT x.id AS i FROM t AS x FULL JOIN s USING (id) JOIN (SELECT 7 AS n) q ON id < n - 5, t AS y") == [{"i": None}] * 2
    assert "42702" in scalars.refused("SELECT 1 FROM t AS x JOIN s USING (id) JOIN t AS y ON id = 2")
