"""SQL over tables with tensors, beside numpy: small integers, so that every sum and product is exact."""
import contextlib
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import tempfile

import numpy as np
import pytest

from command_line import Tessera

TESSERA = Tessera(os.environ["TESSERA"])
PROCESSES = os.environ.get("TESSERA_PROCESSES")
if PROCESSES:
    TESSERA = TESSERA.under_mpirun(PROCESSES)
SITES = f"--sites={PROCESSES or 3}"  # each process is one


class Database:
    def __init__(self, folder):
        self.folder = folder

    def call(self, text, *options):
        return TESSERA.call("sql", self.folder, "--json", "-c", text, *options)

    def run(self, text, *options):
        """What the queries of a text give: a list of rows each, as dictionaries."""
        done = self.call(text, *options)
        assert done.exit_code == 0, done.describe()
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]

    def rows(self, text, *options):
        return self.run(text, *options)[-1]

    def refused(self, text):
        done = self.call(text)
        assert done.exit_code == 1, done.describe()
        return done.stderr


@pytest.fixture
def database(tmp_path):
    return Database(tmp_path / "db")


def array(values):
    """PostgreSQL's text of an array."""
    return "'" + json.dumps(np.asarray(values).tolist()).replace("[", "{").replace("]", "}").replace(" ", "") + "'"


def drawn(shape, seed=0):
    return np.random.default_rng(seed).integers(-4, 5, shape)


def store_blocks(database, name, matrix, block):
    """A matrix as a table of blocks (row, col, mat); gives the blocks."""
    rows, columns = matrix.shape[0] // block[0], matrix.shape[1] // block[1]
    blocks = matrix.reshape(rows, block[0], columns, block[1]).transpose(0, 2, 1, 3)
    values = [f"({i}, {j}, {array(blocks[i, j])})" for i in range(rows) for j in range(columns)]
    database.run(f"CREATE TABLE {name}(row int, col int, mat matrix[][]); INSERT INTO {name} VALUES {', '.join(values)}")


def assemble(rows, name="mat"):
    size = 1 + max(row["row"] for row in rows), 1 + max(row["col"] for row in rows)
    blocks = {(row["row"], row["col"]): row[name] for row in rows}
    return np.block([[np.array(blocks[i, j]) for j in range(size[1])] for i in range(size[0])])


PRODUCT = "SELECT a.row, b.col, SUM(matmul(a.mat, b.mat)) AS mat FROM a, b WHERE a.col = b.row GROUP BY a.row, b.col"


@pytest.mark.parametrize("options", [[], ["--workers=1"], ["--workers=2", "--pieces=3"], [SITES]])
def test_a_blocked_product(database, options):
    one, other = drawn((6, 8)), drawn((8, 10), 1)
    store_blocks(database, "a", one, (2, 4))
    store_blocks(database, "b", other, (4, 5))
    assert np.array_equal(assemble(database.rows(PRODUCT, *options)), one @ other)


def test_a_product_whose_keys_fill_a_grid_reads_plain_labels(database):
    store_blocks(database, "a", drawn((4, 4)), (2, 2))
    store_blocks(database, "b", drawn((4, 4), 1), (2, 2))
    text = TESSERA.call("sql", database.folder, "-c", "EXPLAIN " + PRODUCT).stdout
    assert re.search(r"T\d+\[.*\] = sum\[\w+,\w+\] S\d+\[[^R]*\] \* S\d+\[[^R]*\]\n", text), text
    database.run("DELETE FROM a WHERE row = 0 AND col = 1")
    text = TESSERA.call("sql", database.folder, "-c", "EXPLAIN " + PRODUCT).stdout
    assert "[R" in text, text  # row numbers are data


def test_a_product_with_blocks_that_are_not_there(database):
    one, other = drawn((6, 8)), drawn((8, 10), 1)
    store_blocks(database, "a", one, (2, 4))
    store_blocks(database, "b", other, (4, 5))
    database.run("DELETE FROM a WHERE row = 1 AND col = 0")
    one[2:4, 0:4] = 0
    assert np.array_equal(assemble(database.rows(PRODUCT)), one @ other)


def test_element_wise_and_broadcast(database):
    matrix, vector = drawn((2, 3)), drawn(3, 1)
    database.run(f"CREATE TABLE t(m matrix[2][3], v vector[3], k int); INSERT INTO t VALUES ({array(matrix)}, {array(vector)}, 3)")
    row = database.rows("SELECT m + v AS a, 2 * m - m / 2 AS b, m * k AS c, relu(m) AS d, (m > 0) AS e, -m AS f, "
                        "CASE WHEN m > v THEN m ELSE v END AS g, m[2] AS h, m[1][3] AS i, (abs(m))[2][1] AS j FROM t")[0]
    expected = {"a": matrix + vector, "b": 2 * matrix - matrix / 2, "c": matrix * 3, "d": np.maximum(matrix, 0), "e": matrix > 0,
                "f": -matrix, "g": np.where(matrix > vector, matrix, vector), "h": matrix[1], "i": matrix[0, 2],
                "j": abs(matrix)[1, 0]}
    for name, value in expected.items():
        assert np.array_equal(row[name], value), name


def test_functions_of_tensors(database):
    m, n, u, v = drawn((3, 3)), drawn((3, 2), 1), drawn(3, 2), drawn(3, 3)
    database.run(f"CREATE TABLE t(m matrix[3][3], n matrix[3][2], u vector[3], v vector[3]); "
                 f"INSERT INTO t VALUES ({array(m)}, {array(n)}, {array(u)}, {array(v)})")
    calls = {"matmul(m, n)": m @ n, "matrix_multiply(m, u)": m @ u, "matmul(u, n)": u @ n, "t(n)": n.T, "outer(u, v)": np.outer(u, v),
             "dot(u, v)": u @ v, "trace(m)": np.trace(m), "diag(m)": np.diag(m), "diag(u)": np.diag(u), "rowsums(n)": n.sum(1),
             "colsums(n)": n.sum(0), "reducebyrow(n)": n.sum(0), "reluderiv(m)": (m > 0) * 1, "crossentropyderiv(u, v)": u - v,
             "einsum('ij,jk->ki', m, n)": (m @ n).T, "einsum('ij->', m)": m.sum(), "matmul(matmul(m, m), n)": m @ m @ n}
    row = database.rows("SELECT " + ", ".join(f"{call} AS c{number}" for number, call in enumerate(calls)) + " FROM t")[0]
    for number, (call, value) in enumerate(calls.items()):
        assert np.array_equal(row[f"c{number}"], value), call
    row = database.rows("SELECT norm(u) AS a, softmax(n) AS b FROM t")[0]
    assert np.isclose(row["a"], np.linalg.norm(u), rtol=1e-14)
    exponentials = np.exp(n)
    assert np.allclose(row["b"], exponentials / exponentials.sum(1, keepdims=True), rtol=1e-14)


@pytest.mark.parametrize("aggregate, of", [("sum", np.sum), ("avg", np.mean), ("min", np.min), ("max", np.max), ("prod", np.prod)])
def test_aggregates_of_tensors(database, aggregate, of):
    vectors, groups = drawn((7, 3)), [0, 2, 2, 0, 1, 2, 0]
    rows = ", ".join(f"({group}, {array(vector)})" for group, vector in zip(groups, vectors))
    database.run(f"CREATE TABLE t(k int, v vector[3]); INSERT INTO t VALUES {rows}")
    got = database.rows(f"SELECT k, {aggregate}(v) AS v, count(*) AS n FROM t GROUP BY k ORDER BY k")
    for row in got:
        members = vectors[np.array(groups) == row["k"]]
        assert row["n"] == len(members) and np.array_equal(row["v"], of(members, axis=0))
    assert np.array_equal(database.rows(f"SELECT {aggregate}(v) AS v FROM t")[0]["v"], of(vectors, axis=0))


def test_nulls(database):
    database.run("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1, '{1,2}'), (1, NULL), (2, NULL), (3, '{5,6}')")
    assert database.rows("SELECT k, v + 1 AS v FROM t ORDER BY k, v IS NULL") == [
        {"k": 1, "v": [2, 3]}, {"k": 1, "v": None}, {"k": 2, "v": None}, {"k": 3, "v": [6, 7]}]
    assert database.rows("SELECT k, sum(v) AS v, count(v) AS n FROM t GROUP BY k ORDER BY k") == [
        {"k": 1, "v": [1, 2], "n": 1}, {"k": 2, "v": None, "n": 0}, {"k": 3, "v": [5, 6], "n": 1}]
    assert database.rows("SELECT sum(v) AS v FROM t WHERE k > 9") == [{"v": None}]
    assert database.rows("SELECT a.k, b.v FROM t a LEFT JOIN t b ON a.k = b.k + 1 AND b.v IS NOT NULL ORDER BY a.k, b.k") == [
        {"k": 1, "v": None}, {"k": 1, "v": None}, {"k": 2, "v": [1, 2]}, {"k": 3, "v": None}]


def test_numbers_that_tensors_make(database):
    database.run("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1, '{3,4}'), (2, '{6,8}'), (3, '{0,1}')")
    assert database.rows("SELECT k FROM t WHERE norm(v) > 3 ORDER BY norm(v) DESC") == [{"k": 2}, {"k": 1}]
    assert database.rows("SELECT k, v FROM t ORDER BY v[2] LIMIT 2") == [{"k": 3, "v": [0, 1]}, {"k": 1, "v": [3, 4]}]
    assert database.rows("SELECT sum(norm(v)) AS s, max(v[1]) AS m FROM t") == [{"s": 16.0, "m": 6.0}]
    assert database.rows("SELECT k % 2 AS odd, sum(v) AS v FROM t GROUP BY k % 2 HAVING norm(sum(v)) < 7") == [
        {"odd": 1, "v": [3, 5]}]


def test_queries_within_queries(database):
    database.run("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1, '{3,4}'), (2, '{6,8}'), (3, '{0,1}')")
    assert database.rows("SELECT s.k, s.w * 2 AS w FROM (SELECT k, v + 1 AS w FROM t WHERE k < 3) s ORDER BY s.k DESC") == [
        {"k": 2, "w": [14, 18]}, {"k": 1, "w": [8, 10]}]
    assert database.rows("WITH s AS (SELECT k, v FROM t WHERE k > (SELECT min(k) FROM t)) SELECT sum(v) AS v FROM s") == [{"v": [6, 9]}]
    assert database.rows("SELECT k, v FROM t WHERE k = 1 UNION ALL SELECT k, v * 10 FROM t WHERE k = 3") == [
        {"k": 1, "v": [3, 4]}, {"k": 3, "v": [0, 10]}]
    database.run("CREATE VIEW w AS SELECT k, v - 1 AS v FROM t")
    assert database.rows("SELECT v FROM w WHERE k = 2") == [{"v": [5, 7]}]


def test_changes(database):
    database.run("CREATE TABLE t(k int PRIMARY KEY, v vector(f32)[2]); INSERT INTO t VALUES (1, '{3,4}'), (2, '{6,8}')")
    database.run("UPDATE t SET v = v * 2, k = k + 10 WHERE k = 1; INSERT INTO t SELECT k + 100, v FROM t WHERE k = 2")
    assert database.rows("SELECT * FROM t ORDER BY k") == [
        {"k": 2, "v": [6, 8]}, {"k": 11, "v": [6, 8]}, {"k": 102, "v": [6, 8]}]
    database.run("DELETE FROM t WHERE k = 2; ALTER TABLE t RENAME TO u; ALTER TABLE u RENAME COLUMN v TO w")
    assert database.rows("SELECT w FROM u ORDER BY k DESC LIMIT 1") == [{"w": [6, 8]}]
    database.run("CREATE TABLE c AS SELECT k, w, w + k AS x FROM u")
    assert database.rows("SELECT x FROM c ORDER BY k") == [{"x": [17, 19]}, {"x": [108, 110]}]
    database.run("DROP TABLE u")
    assert "there is no table u" in database.refused("SELECT * FROM u")
    assert os.listdir(database.folder / "tensors") == [] or database.rows("SELECT count(*) AS n FROM c") == [{"n": 2}]


def test_a_statement_changes_all_or_nothing(database):
    database.run("CREATE TABLE t(k int PRIMARY KEY, v vector[2]); INSERT INTO t VALUES (1, '{3,4}')")
    assert "UNIQUE" in database.refused("INSERT INTO t VALUES (2, '{1,1}'), (1, '{2,2}')")
    assert database.rows("SELECT k FROM t") == [{"k": 1}]
    database.refused("BEGIN; INSERT INTO t VALUES (3, '{1,1}'); INSERT INTO nosuch VALUES (1); COMMIT")
    assert database.rows("SELECT k FROM t") == [{"k": 1}]
    database.run("BEGIN; INSERT INTO t VALUES (3, '{1,1}'); ROLLBACK; BEGIN; INSERT INTO t VALUES (4, '{1,2}'); COMMIT")
    assert database.rows("SELECT k, v FROM t ORDER BY k") == [{"k": 1, "v": [3, 4]}, {"k": 4, "v": [1, 2]}]


def test_shapes_are_checked(database):
    database.run("CREATE TABLE t(m matrix[2][3], o matrix[][]); INSERT INTO t VALUES ('{{1,2,3},{4,5,6}}', '{{1}}')")
    message = database.refused("INSERT INTO t VALUES ('{{1,2},{3,4}}', '{{1}}')")
    assert "column m of t is a matrix[2][3], and a matrix[2][2] is given" in message, message
    assert "column o of t is a matrix[1][1]" in database.refused("INSERT INTO t VALUES ('{{1,2,3},{4,5,6}}', '{{1,2}}')")
    message = database.refused("SELECT matmul(m, m) FROM t")
    assert "the first has 3 columns, the second 2 rows" in message, message
    message = database.refused("SELECT 1 FROM t WHERE matmul(t(m), m)")
    assert "is a matrix[3][3], where a number, a text or a truth value is wanted" in message, message


def test_files(database, tmp_path):
    vectors = drawn((5, 3)).astype(np.float32)
    np.save(tmp_path / "v.npy", vectors)
    database.run(f"CREATE TABLE t(v vector(f32)[3]); COPY t(v) FROM '{tmp_path}/v.npy'")
    database.run(f"COPY (SELECT v * 2 FROM t) TO '{tmp_path}/w.npy'; COPY t TO '{tmp_path}/t.csv'")
    assert np.array_equal(np.load(tmp_path / "w.npy"), vectors * 2)
    database.run(f"CREATE TABLE u(v vector[3]); COPY u FROM '{tmp_path}/t.csv'")
    assert np.array_equal([row["v"] for row in database.rows("SELECT v FROM u")], vectors)
    (tmp_path / "k.csv").write_text('k,name\n1,"a, ""b"""\n2,\n')
    database.run(f"CREATE TABLE k(k int, name text); COPY k FROM '{tmp_path}/k.csv' (FORMAT csv, HEADER)")
    assert database.rows("SELECT * FROM k") == [{"k": 1, "name": 'a, "b"'}, {"k": 2, "name": None}]
    (tmp_path / "bad.csv").write_text('"{1,2,3}"\n"{1,x,3}"\n')
    assert "bad.csv:2: column v: '{1,x,3}' is no array of numbers" in database.refused(f"COPY u FROM '{tmp_path}/bad.csv'")
    (tmp_path / "complex.csv").write_text('"{1+2j,3}"\n')
    assert "complex numbers in the text of an array, '{1+2j,3}': COPY them from an .npy" in database.refused(
        f"CREATE TABLE c(v vector(c64)[2]); COPY c FROM '{tmp_path}/complex.csv'")
    np.save(tmp_path / "k.npy", np.arange(3))
    assert "column v of u is a vector[3], and a scalar is given" in database.refused(f"COPY u FROM '{tmp_path}/k.npy'")


def test_pascals_triangle(database):
    database.run("""CREATE TABLE pascalsTri[0][0] (val) AS SELECT val FROM VALUES (1);
        CREATE TABLE pascalsTri[i:1...][i] (val) AS SELECT * FROM pascalsTri[i-1][i-1];
        CREATE TABLE pascalsTri[i:1...][0] (val) AS SELECT * FROM pascalsTri[i-1][0];
        CREATE TABLE pascalsTri[i:2...][j:1...i-1](val) AS
            SELECT pt1.val + pt2.val AS val FROM pascalsTri[i-1][j-1] AS pt1, pascalsTri[i-1][j] AS pt2""")
    assert database.rows("SELECT * FROM pascalsTri[56][23]") == [{"val": 3167295784216200}]
    got = database.run("EXECUTE (FOR j IN 0...5: SELECT * FROM pascalsTri[5][j])")
    assert [rows[0]["val"] for rows in got] == [1, 5, 10, 10, 5, 1]
    assert database.rows("SELECT sum(val) AS s, count(*) AS n FROM UNION pascalsTri[i:0...50][0...i]") == [
        {"s": 2**51 - 1, "n": 1326}]
    database.run("EXECUTE (FOR j IN 0...5: MATERIALIZE pascalsTri[5][j])")
    assert database.rows("SELECT * FROM pascalsTri[6][3]") == [{"val": 20}]
    assert "no definition covers pascalstri[2][3]" in database.refused("SELECT * FROM pascalsTri[2][3]")


def test_long_chains_of_blocks(database):
    """Longer than what is planned at once: what is kept between has its rows in a grid, and is read in another."""
    one = np.random.default_rng(7).integers(0, 2, (4, 4))
    store_blocks(database, "a", one, (2, 2))
    database.run("CREATE TABLE P[0](row, col, mat) AS SELECT row, col, mat FROM a; "
                 "CREATE TABLE P[i:1...](row, col, mat) AS SELECT P.row, a.col, SUM(matmul(P.mat, a.mat)) % 5 "
                 "FROM P[i-1] AS P, a WHERE P.col = a.row GROUP BY P.row, a.col")
    power = one
    for _ in range(300):
        power = power @ one % 5
    assert np.array_equal(assemble(database.rows("SELECT * FROM P[300]")), power)
    assert np.array_equal(assemble(database.rows("SELECT col AS row, row AS col, t(mat) AS mat FROM P[300]")), power.T)
    got = database.run("EXECUTE (FOR j IN 126...129: SELECT sum(mat) AS s FROM P[2 * j])")
    assert len(got) == 4


def test_versions_that_several_tables_of_a_query_need_are_computed_once(database):
    """A draw is one for each version, and what follows from it is seen alike by all that read it."""
    database.run("CREATE TABLE x[0](v) AS SELECT uniform(zeros(4), 1); CREATE TABLE x[i:1...](v) AS SELECT v * 2 FROM x[i-1]; "
                 "CREATE TABLE y[i:0...](v) AS SELECT v - 1 FROM x[i]")
    text = "SELECT a.v - b.v AS d FROM x[5] AS a, y[5] AS b, x[4] AS c"
    assert database.rows(text) == [{"d": [1, 1, 1, 1]}]
    explained = TESSERA.call("sql", database.folder, "-c", "EXPLAIN " + text).stdout
    assert explained.split("\nplan\n")[0].count("philox(") == 1, explained


def test_a_version_reads_no_table_of_the_query_around(database):
    database.run("CREATE TABLE t(v vector[1]); INSERT INTO t VALUES ('{7}'); CREATE TABLE x[i:0...](v) AS SELECT v + i FROM t")
    assert database.rows("WITH t AS (SELECT 1 AS v) SELECT x.v AS a, t.v AS b FROM x[3] AS x, t") == [{"a": [10], "b": 1}]


def test_versions_that_cannot_be(database):
    # It is not seen before that the ranges of `d` meet: no number next to one that they say is in both.
    database.run("CREATE TABLE c[i:0...3] AS SELECT * FROM c[(i+1) % 3]; CREATE TABLE d[i:0...11 * 11] AS SELECT 1 AS x; "
                 "CREATE TABLE d[i:10 * 10...] AS SELECT 2 AS x")
    assert "c[0] depends on itself: c[0] reads c[1] reads c[2] reads c[0]" in database.refused("SELECT * FROM c[0]")
    assert "two definitions cover d[110]" in database.refused("SELECT * FROM d[110]")
    assert database.rows("SELECT x FROM d[99]") == [{"x": 1}] and database.rows("SELECT x FROM d[122]") == [{"x": 2}]


@pytest.mark.parametrize("head, covered", [
    ("p[0]", "p[0]"), ("p[7]", "p[7]"), ("p[i:3...5]", "p[3]"), ("p[i:0...]", "p[0]"), ("q[4][2]", "q[4][2]"), ("q[i:2...][i]", "q[2][2]"),
    ("q[i:5...][j:1...i-1]", "q[5][1]"), ("q[9][j:8...10]", "q[9][9]")])
def test_definitions_that_would_cover_a_version_twice_are_refused(database, head, covered):
    database.run("CREATE TABLE p[0](x) AS SELECT 1; CREATE TABLE p[i:1...](x) AS\n  SELECT x + 1\n  FROM p[i-1]; CREATE TABLE q[i:0...][i](x) AS SELECT 1; "
                 "CREATE TABLE q[i:1...][j:0...i-1](x) AS SELECT 2; CREATE TABLE q[i:0...3][j:i+1...7](x) AS SELECT 3")
    refusal = database.refused(f"CREATE TABLE {head}(x) AS SELECT 5").splitlines()[0]
    assert f"two definitions would cover {covered}, this one and CREATE TABLE {head[0]}[" in refusal
    assert refusal.endswith(f"; DROP TABLE {head[0]} drops all definitions of it")
    database.run(f"DROP TABLE {head[0]}; CREATE TABLE {head}(x) AS SELECT 5")
    assert database.rows(f"SELECT x FROM {covered}") == [{"x": 5}]


@pytest.mark.parametrize("query, table", [
    ("SELECT i FROM k", "k"), ("SELECT z FROM k WHERE z IN (SELECT i FROM k)", "k"), ("SELECT o.z FROM o JOIN k ON i = o.z", "k"),
    ("SELECT x.z FROM (SELECT z FROM k ORDER BY i) x", "k"), ("SELECT i + 1 FROM w[i-1]", "w"), ("SELECT n.z FROM k AS n(z, y), k GROUP BY i", "k")])
def test_an_index_does_not_hide_a_column(database, query, table):
    database.run("CREATE TABLE k(i int, z int); CREATE TABLE o(z int); INSERT INTO k VALUES (8, 9)")
    assert f"42702: i is an index here and a column of {table}: give the index another name" in database.refused(f"CREATE TABLE w[i:0...](i) AS {query}")
    database.run("CREATE TABLE w[j:0...](i) AS SELECT i + j FROM k; CREATE TABLE v[i:0...](z) AS SELECT n.z + i FROM (SELECT k.i AS z FROM k) n")
    assert database.rows("SELECT w.i, v.z FROM w[2], v[3]") == [{"i": 10, "z": 11}]


def test_columns_of_a_version_get_other_names(database):
    """Recursive SQL §5.3 writes them behind the version, without an alias."""
    database.run("CREATE TABLE w[0](a, b) AS SELECT 1, 2; CREATE TABLE w[i:1...](a, b) AS SELECT b, a + b FROM w[i-1] (a, b)")
    assert database.rows("SELECT * FROM w[3] (x, y)") == [{"x": 5, "y": 8}]
    assert database.rows("SELECT w.x, y.b FROM w[3](x, z) JOIN w[2] AS y(a, b) ON z = b + 3") == [{"x": 5, "b": 5}]
    assert database.rows("SELECT sum(y) AS s FROM UNION w[i:0...3](x, y) WHERE x > 1") == [{"s": 16}]


def test_learning_by_versions(database):
    """The paper's network (Recursive SQL §4.2) with one hidden layer, beside numpy."""
    batch, inputs, hidden, labels, block = 20, 8, 12, 4, 4
    x, y = drawn((batch, inputs)).astype(float), np.eye(labels)[np.random.default_rng(1).integers(0, labels, batch)]
    weights = [drawn((inputs, hidden), 2) / 10, drawn((hidden, labels), 3) / 10]
    biases = [np.zeros(hidden), np.zeros(labels)]
    parts = [f"({k}, {array(x[:, k * block:(k + 1) * block])})" for k in range(inputs // block)]
    database.run(f"CREATE TABLE data_input(col int, val matrix[][]); INSERT INTO data_input VALUES {', '.join(parts)}; "
                 f"CREATE TABLE data_output(val matrix[][]); INSERT INTO data_output VALUES ({array(y)})")
    for layer in (0, 1):
        store_blocks(database, f"w{layer + 1}", weights[layer], (block, block))
        vectors = [f"({k}, {array(part)})" for k, part in enumerate(biases[layer].reshape(-1, block))]
        database.run(f"CREATE TABLE b{layer + 1}(col int, vec vector[]); INSERT INTO b{layer + 1} VALUES {', '.join(vectors)}")
    database.run("""
        CREATE TABLE W[0][j:1](ROW, COL, MAT) AS SELECT row, col, mat FROM w1;
        CREATE TABLE W[0][j:2](ROW, COL, MAT) AS SELECT row, col, mat FROM w2;
        CREATE TABLE B[0][j:1](COL, VEC) AS SELECT col, vec FROM b1;
        CREATE TABLE B[0][j:2](COL, VEC) AS SELECT col, vec FROM b2;
        CREATE TABLE A[i:0...][j:0](COL, ACT) AS SELECT DI.COL, DI.VAL FROM DATA_INPUT AS DI;
        CREATE TABLE WI[i:0...][j:1...2](COL, VAL) AS SELECT W.COL, SUM(matmul(A.ACT, W.MAT))
            FROM W[i][j] AS w, A[i][j-1] AS A WHERE W.ROW = A.COL GROUP BY W.COL;
        CREATE TABLE A[i:0...][j:1](COL, ACT) AS SELECT WI.COL, relu(WI.VAL + B.VEC)
            FROM WI[i][j] AS WI, B[i][j] AS B WHERE WI.COL = B.COL;
        CREATE TABLE A[i:0...][j:2](COL, ACT) AS SELECT WI.COL, softmax(WI.VAL + B.VEC)
            FROM WI[i][j] AS WI, B[i][j] AS B WHERE WI.COL = B.COL;
        CREATE TABLE E[i:0...][j:2](COL, ERR) AS SELECT A.COL, crossentropyderiv(A.ACT, DO.VAL)
            FROM A[i][j] AS A, DATA_OUTPUT AS DO;
        CREATE TABLE E[i:0...][j:1](COL, ERR) AS SELECT W.ROW, SUM(matmul(E.ERR, t(W.MAT)) * reluderiv(A.ACT))
            FROM A[i][j] AS A, E[i][j+1] AS E, W[i][j+1] AS W WHERE A.COL = W.ROW AND W.COL = E.COL GROUP BY W.ROW;
        CREATE TABLE W[i:1...][j:1...2](ROW, COL, MAT) AS SELECT W.ROW, W.COL, W.MAT - matmul(t(A.ACT), E.ERR) * 0.05
            FROM W[i-1][j] AS W, A[i-1][j-1] AS A, E[i-1][j] AS E WHERE A.COL = W.ROW AND W.COL = E.COL;
        CREATE TABLE B[i:1...][j:1...2](COL, VEC) AS SELECT B.COL, B.VEC - reducebyrow(E.ERR) * 0.05
            FROM B[i-1][j] AS B, E[i-1][j] AS E WHERE B.COL = E.COL""")
    for _ in range(10):
        activation = np.maximum(x @ weights[0] + biases[0], 0)
        scores = activation @ weights[1] + biases[1]
        p = np.exp(scores - scores.max(1, keepdims=True))
        above = p / p.sum(1, keepdims=True) - y
        below = (above @ weights[1].T) * (activation > 0)
        weights = [weights[0] - 0.05 * x.T @ below, weights[1] - 0.05 * activation.T @ above]
        biases = [biases[0] - 0.05 * below.sum(0), biases[1] - 0.05 * above.sum(0)]
    for layer in (1, 2):  # exp is inexact, and rounding differs by the order of sums
        assert np.allclose(assemble(database.rows(f"SELECT * FROM W[10][{layer}]")), weights[layer - 1], rtol=1e-9, atol=1e-12)


def test_a_failed_statement_leaves_no_file(database):
    database.run("CREATE TABLE t(k int CHECK (k < 9), v vector[2]); INSERT INTO t VALUES (1, '{1,2}'), (2, '{3,4}')")
    files = lambda: sorted(path.name for path in (database.folder / "tensors").iterdir())  # noqa: E731
    before = files()
    database.refused("INSERT INTO t SELECT k + 7, 2 * v FROM t")
    assert files() == before
    done = database.call("BEGIN; INSERT INTO t SELECT k + 2, 2 * v FROM t; INSERT INTO t SELECT k + 7, v FROM t; COMMIT")
    assert done.exit_code == 1 and files() == before
    database.run("BEGIN; INSERT INTO t SELECT k + 2, 2 * v FROM t; ROLLBACK")
    assert files() == before
    assert database.rows("SELECT k, v FROM t") == [{"k": 1, "v": [1, 2]}, {"k": 2, "v": [3, 4]}]


def test_a_killed_statement_leaves_the_database_as_it_was(database):
    database.run("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1, '{3,4}')")
    values = ", ".join(f"({k}, '{{1,2}}')" for k in range(20000))
    for delay in (0.02, 0.05, 0.1, 0.2):
        process = subprocess.Popen([TESSERA.path, "sql", database.folder, "-f", "/dev/stdin"], stdin=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        try:
            process.communicate(f"INSERT INTO t VALUES {values};" * 20, timeout=delay)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        count = database.rows("SELECT count(*) AS n FROM t")[0]["n"]
        assert count % 20000 == 1, count
        assert np.array_equal(database.rows("SELECT sum(v) AS v FROM t")[0]["v"], [3 + count - 1, 4 + 2 * (count - 1)])
    assert TESSERA.call("sql", database.folder, "--check").stdout == "no faults\n"


def test_damage_is_found(database):
    database.run("CREATE TABLE t(v vector[20000]); INSERT INTO t SELECT zeros(20000) + 3")
    file = next((database.folder / "tensors").iterdir())
    data = bytearray(file.read_bytes())
    data[130] ^= 1  # of an element
    file.write_bytes(data)
    done = TESSERA.call("sql", database.folder, "--check")
    assert done.exit_code == 1 and "t.v: file tensors/" in done.stdout, done.describe()
    assert f"{file} is damaged: its bytes do not have the checksums that it says" in database.refused("SELECT v FROM t")
    file.write_bytes(data[:100])
    assert f"{file} is damaged: it has 100 bytes, not {len(data)}" in database.refused("SELECT v FROM t")


def test_a_database_of_a_newer_program_is_named_and_left_as_it_is(database):
    """Its catalog is put into a file without checksums, as older programs made them, which is read and written too."""
    database.run("CREATE TABLE t(v vector[2]); INSERT INTO t VALUES ('{3,4}')")
    catalog = database.folder / "catalog.sqlite"
    with contextlib.closing(sqlite3.connect(catalog)) as connection:
        statements = [line for line in connection.iterdump() if "sqlite_sequence" not in line]
    catalog.unlink()
    with contextlib.closing(sqlite3.connect(catalog)) as connection:
        connection.executescript("\n".join(statements))

    def format_and_set(number):
        with contextlib.closing(sqlite3.connect(catalog)) as connection, connection:
            [(before,)] = connection.execute("SELECT value FROM tessera_settings WHERE name = 'format'")
            connection.execute("UPDATE tessera_settings SET value = ? WHERE name = 'format'", (number,))
            return before

    known = format_and_set(99)
    assert known == 5  # which programs that know no rows of tensors in the catalog refuse
    words = f"the database has format 99, and this program knows {known} and older: it was written by a newer one"
    assert words in database.refused("SELECT v FROM t")
    assert words in database.refused("INSERT INTO t VALUES ('{5,6}')")
    assert format_and_set(3) == 99
    database.run("INSERT INTO t VALUES ('{5,6}')")
    assert np.array_equal([row["v"] for row in database.rows("SELECT v FROM t")], [[3, 4], [5, 6]])
    assert format_and_set(3) == 3


def test_damage_of_a_scalar_is_found(database):
    database.run("CREATE TABLE t(s text); INSERT INTO t VALUES ('hello')")
    file = database.folder / "catalog.sqlite"
    data = bytearray(file.read_bytes())
    data[data.rindex(b"hello")] ^= 1
    file.write_bytes(data)
    assert re.search(r"XX001: page \d+ of .*catalog.sqlite is damaged", database.refused("SELECT s FROM t"))
    done = TESSERA.call("sql", database.folder, "--check")
    assert done.exit_code == 1 and re.search(r"page \d+ does not have the checksum that it says", done.stdout), done.describe()


@pytest.mark.parametrize("rows", [3, 300_000])
def test_damage_of_a_large_file_is_found_by_what_reads_it(database, rows):
    """One bit of 24 MiB: a statement that reads the KiB it lies in, be it for one row, names the file and changes nothing."""
    table = np.arange(3 << 20, dtype="f8")[:rows * ((3 << 20) // rows)].reshape(rows, -1)
    np.save(database.folder.parent / "x.npy", table)
    database.run(f"CREATE TABLE t(v vector[{table.shape[1]}]); COPY t FROM '{database.folder.parent / 'x.npy'}'")
    file = next((database.folder / "tensors").iterdir())
    data = bytearray(file.read_bytes())
    place = 20 << 20
    row = (place - 128) // (table.nbytes // rows) + 1
    data[place] ^= 1
    file.write_bytes(data)
    words = f"{file} is damaged: its bytes do not have the checksums that it says"
    for statement in ["SELECT sum(v) AS v FROM t", "UPDATE t SET v = v + 1", "CREATE TABLE u AS SELECT v * 2 AS w FROM t",
                      f"SELECT v FROM t WHERE rowid = {row}", f"UPDATE t SET v = v + 1 WHERE rowid = {row}",
                      f"SELECT v FROM t ORDER BY abs(rowid - {row}) LIMIT 1"]:
        assert words in database.refused(statement)
    assert np.array_equal(database.rows("SELECT v FROM t WHERE rowid = 1")[0]["v"], table[0])
    data[place] ^= 1
    file.write_bytes(data)
    assert TESSERA.call("sql", database.folder, "--check").stdout == "no faults\n"
    assert np.array_equal(database.rows("SELECT sum(v) AS v FROM t")[0]["v"], table.sum(0))


EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def test_the_example_of_pascal(database):
    done = TESSERA.call("sql", database.folder, "--json", "-f", EXAMPLES / "sql/pascal.sql")
    assert done.exit_code == 0, done.describe()
    values = [json.loads(line)[0]["val"] for line in done.stdout.splitlines()]
    assert values == [3167295784216200, 1, 5, 10, 10, 5, 1, 37889062373143906]


@pytest.mark.slow
def test_the_example_of_digits(database):
    """The same steps in numpy, from the weights that SQL drew."""
    done = TESSERA.call("sql", database.folder, "--json", "-f", EXAMPLES / "sql/digits.sql", folder=EXAMPLES / "digits")
    assert done.exit_code == 0, done.describe()
    report = json.loads(done.stdout.splitlines()[-1])[0]
    assert report["pictures"] == 449 and report["accuracy"] >= 0.95
    pixels, labels = np.load(EXAMPLES / "digits/pixels.npy") / 16, np.load(EXAMPLES / "digits/labels.npy")
    numbers = np.arange(1, len(pixels) + 1)
    x, y = pixels[numbers % 4 > 0], np.eye(10)[labels[numbers % 4 > 0]]
    weights = [np.array(database.rows(f"SELECT mat FROM W[0][{layer}]")[0]["mat"]) for layer in (1, 2)]
    biases = [np.zeros(32), np.zeros(10)]
    for _ in range(300):
        activation = np.maximum(x @ weights[0] + biases[0], 0)
        p = np.exp(activation @ weights[1] + biases[1])
        above = p / p.sum(1, keepdims=True) - y
        below = (above @ weights[1].T) * (activation > 0)
        weights = [weights[0] - 0.0008 * x.T @ below, weights[1] - 0.0008 * activation.T @ above]
        biases = [biases[0] - 0.0008 * below.sum(0), biases[1] - 0.0008 * above.sum(0)]
    scores = np.maximum(pixels[numbers % 4 == 0] @ weights[0] + biases[0], 0) @ weights[1] + biases[1]
    accuracy = (scores.argmax(1) == labels[numbers % 4 == 0]).mean()
    assert abs(accuracy - report["accuracy"]) <= 2 / 449  # rounding differs, and 300 steps carry it


def test_random_numbers(database):
    text = "SELECT normal(zeros(100, 100), 1) AS a, normal(zeros(100, 100), 1) AS b, uniform(2 * ones(1000), 5) AS c"
    row = database.rows(text)[0]
    a, b, c = np.array(row["a"]), np.array(row["b"]), np.array(row["c"])
    assert abs(a.mean()) < 0.05 and abs(a.std() - 1) < 0.05 and abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 0.05
    assert c.min() >= 2 and c.max() < 5 and abs(c.mean() - 3.5) < 0.15
    assert not np.array_equal(a, b)  # two equal draws differ
    for options in (["--workers=1"], ["--pieces=7"], [SITES]):
        assert database.rows(text, *options)[0] == row  # however it is cut
    assert database.rows(text, "--seed=1")[0] != row
    database.run("CREATE TABLE r[i:0...](k, v) AS SELECT i, uniform(zeros(3), 1)")
    versions = [database.rows(f"SELECT v FROM r[{i}]")[0]["v"] for i in (0, 1, 1)]
    assert versions[0] != versions[1] == versions[2]
    database.run("CREATE TABLE t(k int); INSERT INTO t VALUES (1), (2), (3)")
    drawn = [row["u"] for row in database.rows("SELECT k, uniform(0, 1) AS u FROM t")]
    assert len(set(drawn)) == 3 and all(0 <= u < 1 for u in drawn)


def test_positions_and_constants(database):
    row = database.rows("SELECT largest_at(ARRAY[[3,9,2],[7,1,1]]) AS a, smallest_at(ARRAY[4,2,8]) AS b, zeros(2,2) + 1 AS c, ones(3) AS d")[0]
    assert row == {"a": [2, 1], "b": 2, "c": [[1, 1], [1, 1]], "d": [1, 1, 1]}


THREE = ("CREATE TABLE a(id int, v vector[2], w vector[2]); "
         "INSERT INTO a VALUES (1, '{1,1}', '{10,10}'), (2, '{2,2}', '{20,20}'), (3, '{3,3}', '{30,30}'); ")


def test_columns_of_one_name(database):
    database.run(THREE)
    database.run("INSERT INTO a SELECT id + 10, v * 2, w FROM a; INSERT INTO a SELECT x.id + 100, x.v, y.v FROM a x, a y WHERE x.id = 1 AND y.id = 3")
    assert [row["v"] for row in database.rows("SELECT v FROM a WHERE id > 10 ORDER BY id")] == [[2, 2], [4, 4], [6, 6], [1, 1]]
    assert database.rows("SELECT v, w FROM a WHERE id = 101") == [{"v": [1, 1], "w": [3, 3]}]
    assert database.rows("SELECT x.v, y.v FROM a x, a y WHERE x.id = 2 AND y.id = 3") == [{"v": [2, 2], "v:2": [3, 3]}]
    assert database.rows("WITH t(n, q) AS (SELECT id + 1, v * 2 FROM a WHERE id < 4) SELECT n, q FROM t ORDER BY n DESC LIMIT 1") == [
        {"n": 4, "q": [6, 6]}]


def test_row_numbers_never_show(database):
    database.run(THREE + "INSERT INTO a VALUES (4, '{3,3}', NULL)")
    for text, said in (("SELECT nullif((SELECT max(v) FROM a), 5) AS x", "vector[2] and a scalar are compared as a whole here"),
                       ("SELECT x.id FROM a x LEFT JOIN a y USING (v)", "column v of tensors in USING"),
                       ("SELECT x.id FROM a x NATURAL JOIN a y", "column v of tensors in USING or a NATURAL join"),
                       ("UPDATE a SET id = (SELECT v FROM a y WHERE y.id = 2)", "column id of a is integer")):
        assert said in database.refused(text), text
    assert database.rows("SELECT (SELECT v FROM a WHERE id = 2) AS x, count(DISTINCT v) AS n FROM a") == [{"x": [2, 2], "n": 3}]
    assert [row["id"] for row in database.rows("SELECT x.id FROM a x JOIN a y ON x.v = y.v ORDER BY x.id")] == [1, 2, 3, 3, 4, 4]
    assert "may not be called rowid" in database.refused("CREATE TABLE r(rowid int)")
    assert database.rows("SELECT x.id AS i, y.id AS j FROM a x JOIN a y ON x.v[1] = y.v[2] AND x.id < y.id") == [{"i": 3, "j": 4}]
    assert database.rows("SELECT EXISTS (SELECT * FROM a WHERE a.id = 2) AS e") == [{"e": 1}]


def test_groups_of_one_and_of_nothing(database):
    database.run(THREE)
    assert database.rows("SELECT id, max(v) AS m, avg(w) AS a FROM a GROUP BY id ORDER BY id DESC LIMIT 1") == [
        {"id": 3, "m": [3, 3], "a": [30, 30]}]
    assert database.rows("SELECT max(v) AS m FROM a WHERE id > 9") == [{"m": None}]
    assert database.rows("SELECT id, min(v) AS m FROM a WHERE id > 9 GROUP BY id") == []
    assert database.rows("SELECT sum(v) AS s FROM a HAVING count(*) > 9") == []
    assert database.rows("SELECT v, 0 AS c FROM a ORDER BY 2, id DESC LIMIT 1") == [{"v": [3, 3], "c": 0}]


def test_scalars_of_tables_with_tensors(database):
    database.run(THREE)
    assert database.rows("SELECT id FROM a EXCEPT SELECT id FROM a WHERE id > 1") == [{"id": 1}]
    assert database.rows("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) AS s FROM t") == [{"s": 15}]
    assert database.rows("SELECT id AS x FROM a WHERE id = 1 UNION ALL SELECT '10'") == [{"x": 1}, {"x": "10"}]
    assert database.rows("SELECT CASE WHEN v > 2 THEN 1 ELSE 0 END AS c, (v > 1) * 3 AS d FROM a WHERE id = 3") == [{"c": [1, 1], "d": [3, 3]}]
    database.run("UPDATE a SET v = '{7,8}', w = NULL WHERE id = 1")
    assert database.rows("SELECT v, w FROM a WHERE id = 1") == [{"v": [7, 8], "w": None}]
    database.run("CREATE TABLE o(k int, v vector[]); UPDATE o SET v = v + 1; INSERT INTO o VALUES (1, '{1,2,3}')")
    assert database.rows("SELECT v FROM o") == [{"v": [1, 2, 3]}]


def test_a_case_by_scalars_takes_one_branch(database):
    database.run("CREATE TABLE t(n int, v vector[2]); INSERT INTO t VALUES (1, '{1,2}'), (2, NULL), (NULL, '{3,4}')")
    assert database.rows("SELECT CASE WHEN n = 1 THEN v ELSE ones(2) * 9 END AS x FROM t") == [{"x": [1, 2]}, {"x": [9, 9]}, {"x": [9, 9]}]
    assert database.rows("SELECT CASE WHEN n IS NULL THEN v * 0 WHEN n = 1 THEN v * n ELSE v END AS x FROM t") == [
        {"x": [1, 2]}, {"x": None}, {"x": [0, 0]}]
    assert database.rows("SELECT CASE WHEN count(n) > 0 THEN sum(v) ELSE zeros(2) END AS x FROM t GROUP BY n ORDER BY n") == [
        {"x": [0, 0]}, {"x": [1, 2]}, {"x": None}]
    assert database.rows("SELECT count(DISTINCT v) AS n FROM t") == [{"n": 2}]


def test_texts_with_braces(database):
    database.run(THREE)
    assert database.rows("SELECT id || '{0}' AS t, sum(v) AS s FROM a WHERE v[1] > 1 OR '{' = '}' GROUP BY id HAVING max(id) || '{}' <> '3{}' "
                         "ORDER BY '}' || id") == [{"t": "2{0}", "s": [2, 2]}]


def test_long_expressions(database):
    database.run(THREE)
    assert database.rows("SELECT " + "+".join(["v"] * 500) + " AS s FROM a WHERE id = 2") == [{"s": [1000, 1000]}]


def test_with_recursive_over_scalars(database):
    assert database.rows("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10) SELECT sum(n) FROM c") == [{"sum": 55}]
    database.run("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (3, '{1,2}')")
    assert database.rows("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 4) "
                         "SELECT sum(v * n) AS s FROM c, t WHERE n <= k") == [{"s": [6, 12]}]


def test_with_recursive_over_tensors(database):
    one = np.array([[1, 1], [1, 0]])
    database.run(f"CREATE TABLE a(m matrix[2][2]); INSERT INTO a VALUES ({array(one)}); CREATE TABLE t(v vector[2]); INSERT INTO t VALUES ('{{0,1}}')")
    powers = [{"k": k, "v": (np.linalg.matrix_power(one, k) @ [0, 1]).tolist()} for k in range(11)]
    steps = "w(k, v) AS (SELECT 0, v FROM t UNION ALL SELECT k + 1, matmul(a.m, w.v) FROM w, a WHERE k < 10)"
    assert database.rows(f"WITH RECURSIVE {steps} SELECT * FROM w") == powers
    assert database.rows(f"WITH RECURSIVE {steps} SELECT v FROM w ORDER BY k DESC LIMIT 1") == [{"v": powers[10]["v"]}]
    assert database.rows(f"SELECT sum(v) AS s FROM (WITH RECURSIVE {steps} SELECT v FROM w) AS q") == [
        {"s": np.sum([power["v"] for power in powers], 0).tolist()}]
    assert database.rows(f"WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3), {steps} "
                         "SELECT i, v FROM n, w WHERE n.i = w.k ORDER BY i") == [{"i": k, "v": powers[k]["v"]} for k in (1, 2, 3)]


def test_with_recursive_over_several_rows_and_joins(database):
    """Bottom up through a tree: each step has other rows, and none ends it."""
    parents = [None, 0, 0, 1, 1, 2, 5]
    vectors = drawn((7, 3), 4)
    rows = ", ".join(f"({k}, {'NULL' if parent is None else parent}, {array(vectors[k])})" for k, parent in enumerate(parents))
    database.run(f"CREATE TABLE node(id int, parent int, v vector[3]); INSERT INTO node VALUES {rows}")
    paths = {0: vectors[0]}
    for k in range(1, 7):
        paths[k] = paths[parents[k]] + vectors[k]
    got = database.rows("WITH RECURSIVE path(id, v) AS (SELECT id, v FROM node WHERE parent IS NULL UNION ALL "
                        "SELECT n.id, p.v + n.v FROM path AS p JOIN node AS n ON n.parent = p.id) SELECT id, v FROM path ORDER BY id")
    assert got == [{"id": k, "v": paths[k].tolist()} for k in range(7)]
    assert database.rows("WITH RECURSIVE none(id, v) AS (SELECT id, v FROM node WHERE id > 99 UNION ALL SELECT id, v + 1 FROM none) "
                         "SELECT count(*) AS n FROM none") == [{"n": 0}]
    # Aggregates of a step, an outer join of it, and itself twice, which PostgreSQL refuses.
    assert database.rows("WITH RECURSIVE s(k, v) AS (SELECT 0, v FROM node UNION ALL SELECT max(k) + 1, sum(v) FROM s HAVING max(k) < 2) "
                         "SELECT k, v FROM s WHERE k > 0 ORDER BY k") == [{"k": k, "v": vectors.sum(0).tolist()} for k in (1, 2)]
    assert database.rows("WITH RECURSIVE d(k, v) AS (SELECT 0, v FROM node WHERE id = 3 UNION ALL "
                         "SELECT a.k + 1, a.v + b.v FROM d AS a, d AS b WHERE a.k < 5) SELECT v FROM d WHERE k = 5") == [
                             {"v": (32 * vectors[3]).tolist()}]


@pytest.mark.parametrize("limit", [1, 1000])
def test_with_recursive_ends_on_a_number_that_tensors_make(database, limit):
    database.run("CREATE TABLE t(v vector[1]); INSERT INTO t VALUES ('{1048576}')")
    got = database.rows("WITH RECURSIVE w(k, v, old) AS (SELECT 0, v, v + 9999 FROM t UNION ALL SELECT k + 1, v / 2, v FROM w "
                        f"WHERE norm(v - old) > {limit}) SELECT k, v FROM w ORDER BY k")
    halves, value, old = [], 1048576.0, 1048576.0 + 9999
    while True:
        halves.append(value)
        if abs(value - old) <= limit:
            break
        value, old = value / 2, value
    assert got == [{"k": k, "v": [half]} for k, half in enumerate(halves)]


def test_with_recursive_by_union_ends_where_nothing_is_new(database):
    database.run("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (0, '{1,0}'), (1, '{1,0}'), (0, '{1,0}')")
    got = database.rows("WITH RECURSIVE w(v) AS (SELECT v FROM t UNION SELECT (v * 3 + 1) % 7 FROM w) SELECT v FROM w")
    orbit = [[1, 0]]
    while (following := [(3 * x + 1) % 7 for x in orbit[-1]]) not in orbit:
        orbit.append(following)
    assert [row["v"] for row in got] == orbit
    got = database.rows("WITH RECURSIVE w(k, v) AS (SELECT k, v FROM t UNION SELECT 1 - k, v * -1 FROM w) SELECT k, v FROM w ORDER BY k, v[1]")
    assert got == [{"k": k, "v": [sign, 0]} for k in (0, 1) for sign in (-1, 1)]


def test_long_recursions(database):
    database.run("CREATE TABLE t(v vector[2]); INSERT INTO t VALUES ('{0,5}')")
    got = database.rows("WITH RECURSIVE w(k, v) AS (SELECT 0, v FROM t UNION ALL SELECT k + 1, v + 1 FROM w WHERE k < 700) "
                        "SELECT count(*) AS n, sum(v) AS s FROM w")
    assert got == [{"n": 701, "s": [350 * 701, 350 * 701 + 5 * 701]}]


def test_recursions_that_cannot_be(database):
    database.run("CREATE TABLE t(k int, v vector[2]); INSERT INTO t VALUES (1, '{1,2}')")
    for text, said in {
            "WITH RECURSIVE c(v) AS (SELECT v + c.v FROM t, c) SELECT v FROM c": "42P19",
            "WITH RECURSIVE c(v) AS (SELECT v FROM c UNION ALL SELECT v FROM t) SELECT v FROM c": "42P19",
            "WITH RECURSIVE c(v) AS (SELECT v FROM t EXCEPT SELECT v FROM c) SELECT v FROM c": "42P19",
            "WITH RECURSIVE c(v) AS (SELECT v FROM t UNION ALL SELECT outer(v, v) FROM c) SELECT v FROM c": "different",
            "WITH RECURSIVE c(k, v) AS (SELECT k, v FROM t UNION ALL SELECT k FROM c) SELECT v FROM c": "2 names are given for 1 columns",
            "WITH RECURSIVE c(v) AS (SELECT v FROM t UNION ALL SELECT v FROM c LIMIT 5) SELECT v FROM c": "LIMIT"}.items():
        message = database.refused(text)
        assert said in message and "^" in message, message


def test_who_may_not_write_a_database_reads_it(tmp_path):
    """As nobody where the suite is root's, who may write everything."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        Database(root / "db").run("CREATE TABLE t(k int, v vector[1]); INSERT INTO t VALUES (1, '{5}')")
        (root / "files").mkdir()
        (root / "files").chmod(0o777)
        for path in [*(root / "db").rglob("*"), root / "db"]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        root.chmod(0o755)
        call = [TESSERA.path, "sql", root / "db", "-c"]
        others = {"user": 65534} if os.geteuid() == 0 else {}
        text = f"COPY t TO '{root}/files/t.csv'; BEGIN; SELECT k FROM t; COMMIT; BEGIN; SELECT v FROM t; INSERT INTO t VALUES (2, '{{6}}')"
        done = subprocess.run([*call, text], capture_output=True, text=True, cwd="/", **others)
        assert "25006: the database" in done.stderr and "COMMIT" in done.stderr and "[5]" in done.stdout
        assert (root / "files" / "t.csv").read_text() == "1,{5}\n"
        (root / "db").chmod(0o755)
        (root / "db" / "tensors").chmod(0o755)


def test_a_catalog_that_is_none_is_named(tmp_path):
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / "catalog.sqlite").write_bytes(bytes(4096))
    assert "db/catalog.sqlite: file is not a database" in Database(tmp_path / "db").refused("SELECT 1")
    (tmp_path / "other" / "catalog.sqlite").mkdir(parents=True)
    assert "catalog.sqlite is a directory, and no file" in Database(tmp_path / "other").refused("SELECT 1")
