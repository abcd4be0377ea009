"""Tensors at rows that are looked up by their numbers: what SQLite is asked for, and the rows that come, whatever became of the table before."""
import numpy as np
import pytest

from test_sql import TESSERA, database, drawn  # noqa: F401 (a fixture)

LOOKUP = "FROM t, s WHERE t.rowid = s.k + 1"


def fill(database, rows=60):
    values = drawn((rows, 3))
    file = database.folder.parent / "t.npy"
    np.save(file, values)
    database.run(f"CREATE TABLE t(v vector[3]); COPY t FROM '{file}'; CREATE TABLE s(k int, n int); "
                 "INSERT INTO s VALUES (7, 1), (0, 2), (59, 3), (7, 4), (-1, 5), (60, 6), (NULL, 7), (1000000000000, 8)")
    return values


def looked_up(database, query=f"SELECT 2 * v AS v {LOOKUP}"):
    return [row["v"] for row in database.rows(query)]


def asked(database, query=f"SELECT 2 * v AS v {LOOKUP}"):
    return database.call(f"EXPLAIN {query}").stdout


def test_rows_in_order_are_not_looked_up(database):
    values = fill(database)
    wanted = [(2 * values[k]).tolist() for k in (7, 0, 59, 7)]
    assert looked_up(database) == wanted
    assert "BETWEEN 1 AND 60" in asked(database)
    joined = "SELECT 2 * v AS v FROM s JOIN t ON s.k = t.rowid - 1"
    assert sorted(looked_up(database, joined)) == sorted(wanted)
    assert "BETWEEN 1 AND" not in asked(database, joined)
    assert database.rows(f"SELECT n, t.rowid AS r, v {LOOKUP} AND n > 1 AND t.rowid < 60 ORDER BY n DESC") == [
        {"n": 4, "r": 8, "v": values[7].tolist()}, {"n": 2, "r": 1, "v": values[0].tolist()}]
    assert database.rows(f"SELECT sum(v) AS v {LOOKUP}")[0]["v"] == values[[7, 0, 59, 7]].sum(0).tolist()
    outer = "SELECT n, 2 * v AS v FROM s LEFT JOIN t ON t.rowid = s.k + 1 ORDER BY n"
    assert [row["v"] for row in database.rows(outer)] == wanted + [None] * 4


CHANGES = {
    "DELETE FROM t WHERE rowid = 1": lambda rows: rows.pop(1),
    "DELETE FROM t WHERE rowid = 60": lambda rows: rows.pop(60),
    "DELETE FROM t WHERE rowid = 60; INSERT INTO t VALUES ('{1,2,3}')": lambda rows: rows.update({60: [1, 2, 3]}),
    "UPDATE t SET v = v + 1 WHERE rowid = 8": lambda rows: rows.update({8: [x + 1 for x in rows[8]]}),
    "UPDATE t SET v = v + 1": lambda rows: rows.update({k: [x + 1 for x in v] for k, v in rows.items()}),
    "INSERT INTO t VALUES ('{1,2,3}')": lambda rows: rows.update({61: [1, 2, 3]}),
    "INSERT INTO t VALUES (NULL), ('{1,2,3}')": lambda rows: rows.update({61: None, 62: [1, 2, 3]}),
    "INSERT INTO t SELECT v * 2 FROM t": lambda rows: rows.update({60 + k: [2 * x for x in v] for k, v in list(rows.items())}),
    "DELETE FROM t; INSERT INTO t VALUES ('{1,2,3}')": lambda rows: (rows.clear(), rows.update({1: [1, 2, 3]})),
    "BEGIN; DELETE FROM t; INSERT INTO t VALUES ('{1,2,3}'); ROLLBACK": lambda rows: None,
    "ALTER TABLE t RENAME TO u; ALTER TABLE u RENAME v TO w; ALTER TABLE u RENAME w TO v; ALTER TABLE u RENAME TO t": lambda rows: None,
    "DROP TABLE t; CREATE TABLE t(v vector[3]); INSERT INTO t VALUES ('{1,2,3}')": lambda rows: (rows.clear(), rows.update({1: [1, 2, 3]})),
}


@pytest.mark.parametrize("change", CHANGES)
def test_rows_that_changed(database, change):
    rows = {place + 1: row.tolist() for place, row in enumerate(fill(database))}
    CHANGES[change](rows)
    database.run(change)
    found = [rows.get(k + 1) for k in (7, 0, 59, 7, -1, 60) if k + 1 in rows]
    assert looked_up(database) == [None if row is None else [2 * x for x in row] for row in found]
    database.run("INSERT INTO s SELECT 61, 9")
    found += [rows[62]] if 62 in rows else []
    assert looked_up(database) == [None if row is None else [2 * x for x in row] for row in found]


@pytest.mark.parametrize("change, is_in_order", [
    ("UPDATE t SET v = 2 * v", True), ("UPDATE t SET n = n + 1", True), ("UPDATE t SET v = v FROM s WHERE s.k = t.rowid", False),
    ("UPDATE t SET v = 2 * v WHERE rowid > 50", False), ("UPDATE t SET v = NULL WHERE rowid = 60", False),
    ("DELETE FROM t WHERE rowid > 50", True), ("DELETE FROM t WHERE rowid < 11", True), ("DELETE FROM t WHERE rowid = 5", False),
    ("UPDATE t SET v = v + 1 WHERE rowid > 50; UPDATE t SET v = v - 1", True),
    ("DELETE FROM t; INSERT INTO t SELECT 2 * w, 1 FROM u", True)])
def test_order_that_a_change_leaves(database, change, is_in_order):
    fill(database)
    database.run("ALTER TABLE t RENAME TO old; CREATE TABLE t(v vector[3], n int); INSERT INTO t SELECT v, 0 FROM old; "
                 "CREATE TABLE u(w vector[3]); INSERT INTO u SELECT v FROM t")
    assert "BETWEEN 1 AND 60" in asked(database)
    database.run(change)
    assert ("BETWEEN" in asked(database)) == is_in_order
    rows = {row["r"]: row["v"] for row in database.rows("SELECT rowid AS r, 2 * v AS v FROM t") if row["v"] is not None}
    assert [v for v in looked_up(database) if v is not None] == [rows[k + 1] for k in (7, 0, 59, 7) if k + 1 in rows]


def test_keys_that_are_rowids(database):
    database.run("CREATE TABLE t(id int PRIMARY KEY, v vector[2]); CREATE TABLE s(k int); INSERT INTO s VALUES (5), (3), (4), (9); "
                 "INSERT INTO t VALUES (3, '{3,0}'), (4, '{4,0}'), (5, '{5,0}')")
    query = "SELECT 2 * v AS v FROM t, s WHERE id = k"
    assert sorted(looked_up(database, query)) == [[6, 0], [8, 0], [10, 0]]
    assert "BETWEEN 3 AND 5" in asked(database, query)
    database.run("UPDATE t SET id = 9 WHERE id = 3")
    assert sorted(looked_up(database, query)) == [[6, 0], [8, 0], [10, 0]]
    database.run("CREATE TABLE u(id int PRIMARY KEY, v vector[2]); INSERT INTO u VALUES (5, '{5,0}'), (4, '{4,0}'), (3, '{3,0}')")
    query = "SELECT 2 * v AS v FROM u, s WHERE id = k"  # the rows are dense, and their tensors in another order
    assert sorted(looked_up(database, query)) == [[6, 0], [8, 0], [10, 0]]
    assert "BETWEEN" not in asked(database, query)


@pytest.mark.parametrize("key", ["s.x", "s.y", "s.k / 2.0", "(SELECT max(k) FROM s)", "t.rowid"])
def test_keys_that_may_be_no_whole_numbers_are_looked_up(database, key):
    values = fill(database)
    database.run("DROP TABLE s; CREATE TABLE s(k int, x double precision, y text); INSERT INTO s VALUES (3, 3.0, '3'), (4, 3.5, 'x'), (5, 7, '3.0')")
    rows = {"s.x": [3, 7], "s.y": [3, 3], "s.k / 2.0": [2], "(SELECT max(k) FROM s)": [5] * 3, "t.rowid": [k for k in range(1, 61) for _ in range(3)]}[key]
    query = f"SELECT 2 * v AS v FROM s, t WHERE t.rowid = {key}"
    assert "BETWEEN" not in asked(database, query)
    assert sorted(looked_up(database, query)) == sorted((2 * values[k - 1]).tolist() for k in rows)
