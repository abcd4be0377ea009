"""Many small statements in one process: rows that are put in one by one, and looked up one by one."""
import json
import os
import signal
import subprocess

import numpy as np
import pytest

from command_line import Tessera

TESSERA = Tessera(os.environ["TESSERA"])
ROWS, EXTENT = 2000, 64
MAKE = f"CREATE TABLE t(id int PRIMARY KEY, x double precision, v vector[{EXTENT}]);\n"


def drawn(rows, seed=0):
    return np.random.default_rng(seed).integers(-9, 10, (rows, EXTENT))


def text_of(vector):
    return "'{" + ",".join(map(str, vector)) + "}'"


def inserts(vectors, first=0):
    return "".join(f"INSERT INTO t VALUES ({first + row}, {2 * (first + row)}, {text_of(vector)});\n"
                   for row, vector in enumerate(vectors))


class Database:
    def __init__(self, folder):
        self.folder = folder

    def call(self, script):
        file = self.folder.parent / "script.sql"
        file.write_text(script)
        return TESSERA.call("sql", self.folder, "--json", "-f", file)

    def run(self, script):
        """What the queries of a script give: a list of rows each, as dictionaries."""
        done = self.call(script)
        assert done.exit_code == 0, done.describe()
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]

    def vectors(self):
        return np.array([row["v"] for row in self.run("SELECT v FROM t ORDER BY id")[0]])

    def num_files(self):
        return len(os.listdir(self.folder / "tensors"))

    def has_no_faults(self):
        return TESSERA.call("sql", self.folder, "--check").stdout == "no faults\n"


@pytest.fixture
def database(tmp_path):
    return Database(tmp_path / "db")


@pytest.mark.parametrize("begin, commit", [("BEGIN;\n", "COMMIT;\n"), ("", "")])
def test_rows_that_are_put_in_one_by_one_are_in_few_files(database, begin, commit):
    vectors = drawn(ROWS if begin else 200)
    database.run(MAKE + begin + inserts(vectors) + commit)
    assert database.num_files() <= 2
    assert np.array_equal(database.vectors(), vectors)
    assert database.has_no_faults()


def test_a_lookup_gives_what_a_scan_gives(database):
    vectors = drawn(ROWS)
    database.run(MAKE + "BEGIN;\n" + inserts(vectors) + "COMMIT;\n")
    keys = np.random.default_rng(1).integers(0, ROWS + 10, 300)
    found = database.run("".join(f"SELECT v FROM t WHERE id = {key};\nSELECT x, id FROM t WHERE id = {key};\n" for key in keys))
    for key, tensors, numbers in zip(keys, found[::2], found[1::2]):
        assert [row["v"] for row in tensors] == ([list(vectors[key])] if key < ROWS else [])
        assert numbers == ([{"x": 2 * key, "id": key}] if key < ROWS else [])


def test_a_transaction_sees_its_rows_and_ends_with_the_process_that_fails(database):
    vectors = drawn(6)
    script = MAKE + "BEGIN;\n" + inserts(vectors[:3]) + "SELECT sum(v) AS v FROM t;\n"
    done = database.call(script + inserts(vectors[3:4], first=2))  # the key is there already
    assert done.exit_code == 1 and "23505" in done.stderr, done.describe()
    assert json.loads(done.stdout)[0]["v"] == vectors[:3].sum(0).tolist()
    assert database.vectors().size == 0  # and the process has ended without COMMIT


def test_what_is_rolled_back_leaves_nothing(database):
    vectors = drawn(8)
    database.run(MAKE + inserts(vectors[:2]) + "BEGIN;\n" + inserts(vectors[2:5], first=2) + "SELECT v FROM t;\nROLLBACK;\n"
                 + inserts(vectors[5:], first=2))
    assert np.array_equal(database.vectors(), vectors[[0, 1, 5, 6, 7]])
    assert database.num_files() == 0 and database.has_no_faults()


def started(database, script):
    """A process that has run a script to where it says `there`, and then runs on for long."""
    process = subprocess.Popen([os.environ["TESSERA"], "sql", str(database.folder), "-f", "/dev/stdin"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write((script + "SELECT 'there' AS word;\n"
                         "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r;\n").encode())
    process.stdin.close()
    while b"there" not in process.stdout.readline():
        assert process.poll() is None
    return process


def killed(process):
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()


def test_a_transaction_that_reads_keeps_nobody_from_writing(database):
    vectors = drawn(3)
    database.run(MAKE + inserts(vectors[:2]))
    process = started(database, "BEGIN;\nSELECT count(*) FROM t;\n")
    database.run(inserts(vectors[2:], first=2))
    assert process.poll() is None
    killed(process)
    process = started(database, "BEGIN;\nDELETE FROM t WHERE id = 0;\n")
    done = database.call(inserts(drawn(1), first=3))
    assert "is being written by process" in done.stderr, done.describe()
    killed(process)
    assert np.array_equal(database.vectors(), vectors)


@pytest.mark.parametrize("rows", [300, ROWS])
def test_a_killed_process_leaves_what_was_committed(database, rows):
    vectors = drawn(rows + 50)
    database.run(MAKE + inserts(vectors[:50]))
    process = started(database, "BEGIN;\n" + inserts(vectors[50:], first=50))
    killed(process)
    assert np.array_equal(database.vectors(), vectors[:50])
    assert database.has_no_faults()
    database.run(inserts(vectors[50:60], first=50))
    assert np.array_equal(database.vectors(), vectors[:60])
