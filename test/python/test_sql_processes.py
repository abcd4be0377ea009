"""SQL under mpirun: the bits of one process, errors said once, and no trace of a process that is killed."""
import json
import os
import signal
import time

import numpy as np
import pytest

import mpi_launcher
from test_sql import EXAMPLES, TESSERA, Database, drawn
from test_sql_resuming import ALL, CHAIN, expected, plan_of

pytestmark = pytest.mark.skipif(mpi_launcher.MPIRUN is None, reason="mpirun is not installed")
TALL = 200_000  # rows: their numbers take more than what is sent from process to process


def lines_of(processes, folder, *arguments):
    done = mpi_launcher.call(TESSERA, processes, "sql", folder, "--json", "--quiet", *arguments)
    assert done.exit_code == 0, done.describe()
    assert done.stderr == "", done.stderr
    return done.stdout.splitlines()


def alone(folder, *arguments):
    done = TESSERA.call("sql", folder, "--json", "--quiet", *arguments)
    assert done.exit_code == 0, done.describe()
    return done.stdout.splitlines()


@pytest.mark.parametrize("processes", [1, 2, 3, 5])
def test_the_example_of_pascal(tmp_path, processes):
    script = ["-f", EXAMPLES / "sql/pascal.sql"]
    assert lines_of(processes, tmp_path / "many", *script) == alone(tmp_path / "one", *script)


SCRIPT = """
CREATE TABLE t(k int, v vector[3]);
COPY t(v) FROM 'v.npy';
UPDATE t SET k = rowid % 1000;
SELECT sum(v) AS s, max(v) AS m FROM t;
SELECT k, sum(v * 2) AS s FROM t WHERE k > 990 GROUP BY k ORDER BY k;
CREATE TABLE joined AS SELECT a.k, a.v - b.v AS v FROM t AS a, t AS b WHERE a.rowid = b.rowid + 1 AND a.k % 7 < 5;
UPDATE joined SET v = v + 1 WHERE k % 2 = 0;
SELECT count(*) AS n, sum(v) AS s FROM joined;
SELECT k, v FROM t WHERE norm(v) > 6 AND k < 5 ORDER BY norm(v) DESC, k, rowid LIMIT 5;
COPY (SELECT v FROM joined ORDER BY k DESC, v[1], v[2], v[3] LIMIT 100) TO 'out.npy';
CREATE TABLE W[0](m) AS SELECT sum(outer(v, v)) FROM t WHERE k < 3;
CREATE TABLE W[i:1...](m) AS SELECT m % 1000 + i FROM W[i-1];
MATERIALIZE W[300];
SELECT m FROM W[302];
CREATE TABLE blocks(row int, col int, mat matrix[2][2]);
INSERT INTO blocks SELECT a, b, ARRAY[ARRAY[a, b], ARRAY[a - b, 1]] FROM generate_series(0, 4) AS a, generate_series(0, 4) AS b;
SELECT a.row, b.col, sum(matmul(a.mat, b.mat)) AS mat FROM blocks AS a, blocks AS b WHERE a.col = b.row GROUP BY a.row, b.col ORDER BY 1, 2;
"""


@pytest.mark.parametrize("processes", [1, 2, 3, 5])
def test_a_script_over_many_rows(tmp_path, processes):
    vectors = drawn((TALL, 3)).astype(float)
    results = []
    for name, run in (("one", alone), ("many", lambda *words: lines_of(processes, *words))):
        folder = tmp_path / name
        folder.mkdir()
        np.save(folder / "v.npy", vectors)
        script = SCRIPT.replace("'v.npy'", f"'{folder}/v.npy'").replace("'out.npy'", f"'{folder}/out.npy'")
        results.append((run(folder / "db", "-c", script), np.load(folder / "out.npy")))
        assert TESSERA.call("sql", folder / "db", "--check").stdout == "no faults\n"
    (one, one_file), (many, many_file) = results
    assert many == one and np.array_equal(one_file, many_file)
    assert json.loads(one[0])[0]["s"] == vectors.sum(0).tolist()


def test_an_error_is_said_once(tmp_path):
    done = mpi_launcher.call(TESSERA, 3, "sql", tmp_path / "db", "-c", "SELECT nosuch")
    assert done.exit_code == 1 and done.stderr.count("42703") == 1, done.stderr
    done = mpi_launcher.call(TESSERA, 3, "sql", tmp_path / "db", "--memory=64", "-c", "SELECT zeros(1000,1000) + normal(0, 1) AS z")
    assert done.exit_code == 1 and done.stderr.count("error") == 1, done.stderr
    assert TESSERA.call("sql", tmp_path / "db", "--check").stdout == "no faults\n"


@pytest.mark.parametrize("victim", [0, 1])
def test_a_killed_process_ends_all_and_what_it_had_kept_is_there(tmp_path, victim):
    database = Database(tmp_path / "db")
    for seed, name in enumerate(("start", "step")):
        np.save(tmp_path / f"{name}.npy", drawn((600, 600), seed).astype(float)[None])
        database.run(f"CREATE TABLE {name}(m matrix[][]); COPY {name}(m) FROM '{tmp_path}/{name}.npy'")
    database.run(CHAIN)
    with mpi_launcher.Started(TESSERA, 2, "sql", database.folder, "--checkpoint-every=0.01", "-c", ALL,
                              TESSERA_LINK_DELAY="20000,1") as run:
        until = time.monotonic() + 60
        while not plan_of(database, ALL)[1] and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(run.processes()[victim], signal.SIGKILL)
        killed = time.monotonic()
        code, _ = run.end()
        assert code != 0 and time.monotonic() - killed < 10
        assert run.processes() == []
    assert TESSERA.call("sql", database.folder, "--check").stdout == "no faults\n"
    assert "w[" not in TESSERA.call("sql", database.folder, "-c", "\\dt").stdout
    left, reused = plan_of(database, ALL)
    assert left < 41 and reused  # one process goes on from what two had kept
    database.run(ALL)
    assert np.array_equal(database.rows("SELECT m FROM W[40]")[0]["m"], expected(40)[40])
    files = os.listdir(database.folder / "tensors")
    database.run("CREATE TABLE other(k int)")
    assert len(os.listdir(database.folder / "tensors")) == 42 <= len(files)
