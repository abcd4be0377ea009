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


def test_a_product_whose_keys_fill_a_grid_reads_plain_labels(database):
    store_blocks(database, "a", drawn((4, 4)), (2, 2))
    store_blocks(database, "b", drawn((4, 4), 1), (2, 2))
    text = TESSERA.call("sql", database.folder, "-c", "EXPLAIN " + PRODUCT).stdout
    assert re.search(r"T\d+\[.*\] = sum\[\w+,\w+\] S\d+\[[^R]*\] \* S\d+\[[^R]*\]\n", text), text
    database.run("DELETE FROM a WHERE row = 0 AND col = 1")
    text = TESSERA.call("sql", database.folder, "-c", "EXPLAIN " + PRODUCT).stdout
    assert "[R" in text, text  # row numbers are data


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
