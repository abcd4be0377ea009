"""A MATERIALIZE that is killed goes on from the versions that it had computed: same bits, less work, and nothing of it shows before."""
import os
import random
import re
import signal
import subprocess
import time

import numpy as np
import pytest

from test_sql import TESSERA, Database, drawn

SIDE = 600
CHAIN = ("CREATE TABLE W[0](m) AS SELECT m FROM start; "
         "CREATE TABLE W[i:1...](m) AS SELECT matmul(W.m, step.m) % 7 FROM W[i-1] AS W, step")
ALL = "EXECUTE (FOR j IN 1...40: MATERIALIZE W[j])"
ONE = "MATERIALIZE W[40]"
OFTEN = "--checkpoint-every=0.01"


@pytest.fixture
def database(tmp_path):
    made = Database(tmp_path / "db")
    for seed, name in enumerate(("start", "step")):
        np.save(tmp_path / f"{name}.npy", drawn((SIDE, SIDE), seed).astype(float)[None])
        made.run(f"CREATE TABLE {name}(m matrix[][]); COPY {name}(m) FROM '{tmp_path}/{name}.npy'")
    made.run(CHAIN)
    return made


def expected(last):
    value, step = drawn((SIDE, SIDE)).astype(float), drawn((SIDE, SIDE), 1).astype(float)
    values = [value]
    for _ in range(last):
        values.append(np.mod(values[-1] @ step, 7))  # SQL's % has the sign of the divisor, as numpy's
    return values


def plan_of(database, statement, *options):
    """(how many versions would be computed, the text about those that are reused)"""
    done = TESSERA.call("sql", database.folder, "-c", "EXPLAIN " + statement, *options)
    assert done.exit_code == 0, done.describe()
    reused = re.search(r"reused.*: (.*)", done.stdout)
    return int(re.search(r"computed: (\d+)", done.stdout)[1]), reused[1] if reused else ""


def killed_after(database, statement, seconds, *options):
    """Whether the statement came to its end before."""
    running = subprocess.Popen([TESSERA.path, "sql", database.folder, "-c", statement, *options], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        _, said = running.communicate(timeout=seconds)
        assert running.returncode == 0, said
        return True
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        return False


def kill_when_kept(database, statement, *options):
    """Kills the statement once it has kept something."""
    running = subprocess.Popen([TESSERA.path, "sql", database.folder, "-c", statement, *options], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until and running.poll() is None:
            if plan_of(database, statement, *options)[1]:
                break
            time.sleep(0.01)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
    assert running.returncode == -signal.SIGKILL, "it ended before it was killed"


@pytest.mark.parametrize("statement", [ALL, ONE])
def test_killed_again_and_again_it_comes_to_its_end(database, statement):
    random_moments = random.Random(5)
    computed = [plan_of(database, statement)[0]]
    assert computed == [41]
    patience = 0.12
    while not killed_after(database, statement, patience * random_moments.uniform(0.5, 1.5), OFTEN):
        shown = TESSERA.call("sql", database.folder, "-c", "\\dt").stdout.count("w[")
        if shown > 0:  # it was killed when it had committed: all is there, or nothing
            assert shown == (40 if statement == ALL else 1)
            break
        assert TESSERA.call("sql", database.folder, "--check").stdout == "no faults\n"
        computed.append(plan_of(database, statement)[0])
        assert computed[-1] <= computed[-2]
        patience *= 1.2
    assert len(computed) > 1 and computed[-1] < 41, computed  # it was killed, and what it had was there
    values = expected(40)
    for number in (range(1, 41) if statement == ALL else (40,)):
        table = f'"w[{number}]"'
        assert np.array_equal(database.rows(f"SELECT m FROM {table}")[0]["m"], values[number]), number
    assert plan_of(database, statement) == (0, "")


def test_what_was_kept_is_not_computed_again(database):
    kill_when_kept(database, ALL, OFTEN)
    left, reused = plan_of(database, ALL)
    assert left < 41 and "w[" in reused
    assert "w[" not in TESSERA.call("sql", database.folder, "-c", "\\dt").stdout
    assert "no table" in database.refused('SELECT * FROM "w[1]"')
    database.run(ALL)
    assert np.array_equal(database.rows("SELECT m FROM W[40]")[0]["m"], expected(40)[40])
    database.run("CREATE TABLE other(k int)")  # who writes takes away what nothing names
    assert len(os.listdir(database.folder / "tensors")) == 42  # nothing stays but 40 versions and two tables


@pytest.mark.parametrize("change, options", [
    ("UPDATE step SET m = m + 1", []),
    ("DELETE FROM start; INSERT INTO start SELECT m FROM step", []),
    ("DROP TABLE W; " + CHAIN.replace("% 7", "% 5"), []),
    ("CREATE TABLE W[i:-1](m) AS SELECT m FROM start", []),
    ("SELECT 1", ["--seed=3"]),
    ("SELECT 1", ["--reproducible"])])
def test_what_follows_from_something_else_is_not_reused(database, change, options):
    kill_when_kept(database, ALL, OFTEN)
    database.run(change)
    assert plan_of(database, ALL, *options) == (41, "")
    if not options:
        database.run(ALL)
        value, step = (np.array(database.rows(f"SELECT m FROM {name}")[0]["m"]) for name in ("start", "step"))
        for _ in range(40):
            value = np.mod(value @ step, 5 if "% 5" in change else 7)
        assert np.array_equal(database.rows("SELECT m FROM W[40]")[0]["m"], value)
        files = {path.name for path in (database.folder / "tensors").iterdir()}
        database.run("CREATE TABLE other(k int)")  # who writes takes away what nothing names
        assert len(files) >= len(os.listdir(database.folder / "tensors")) == 42


def test_the_same_tables_made_anew_are_the_same(database, tmp_path):
    kill_when_kept(database, ALL, OFTEN)
    left = plan_of(database, ALL)
    database.run("DROP TABLE W; DROP TABLE step; CREATE TABLE step(m matrix[][]); "
                 f"COPY step(m) FROM '{tmp_path}/step.npy'; " + CHAIN)
    assert plan_of(database, ALL) == left and left[0] < 41


def test_damage_is_not_reused(database):
    kill_when_kept(database, ALL, OFTEN)
    left, _ = plan_of(database, ALL)
    for path in (database.folder / "tensors").iterdir():
        if int(path.stem) > 2:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
    assert plan_of(database, ALL)[0] > left
    database.run(ALL)
    assert np.array_equal(database.rows("SELECT m FROM W[40]")[0]["m"], expected(40)[40])


def test_within_a_transaction_nothing_is_kept(database):
    running = subprocess.Popen([TESSERA.path, "sql", database.folder, OFTEN, "-c", "BEGIN; CREATE TABLE mine(k int); " + ALL],
                               stderr=subprocess.DEVNULL, start_new_session=True)
    time.sleep(0.6)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    assert plan_of(database, ALL) == (41, "")
    assert "no table" in database.refused("SELECT * FROM mine")


def test_a_full_disk_leaves_what_was_kept(database):
    """A bound on the size of a file stands for a full disk: the last version alone is larger."""
    folder = database.folder
    database.run("CREATE TABLE wide[i:1...40](m) AS SELECT m FROM W[i]; CREATE TABLE wide[41](m) AS "
                 "SELECT outer(a.v, a.v) FROM (SELECT ones(3000) AS v FROM start) AS a")
    statement = "EXECUTE (FOR j IN 1...41: MATERIALIZE wide[j])"
    largest = 3000 * 3000 * 8 // 1024 // 2
    done = subprocess.run(["bash", "-c", f"ulimit -f {largest}; exec {TESSERA.path} sql {folder} {OFTEN} -c '{statement}'"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and "wide" not in TESSERA.call("sql", folder, "-c", "\\dt").stdout, done.stderr
    assert "resource" in done.stderr or "53100" in done.stderr or "no space" in done.stderr.lower(), done.stderr
    assert TESSERA.call("sql", folder, "--check").stdout == "no faults\n"
    left, reused = plan_of(database, statement)
    assert left < 83 and reused
    database.run(statement)
    assert np.array_equal(database.rows("SELECT m FROM wide[40]")[0]["m"], expected(40)[40])
