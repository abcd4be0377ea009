"""Statements of SQL hold their memory to the budget where rows meet, where frames move, and where files are read and written.

The resident set of each is at most its budget and 100 MiB, while what it goes through takes several times as much.
"""
import resource

import numpy as np
import pytest

import command_line
from test_sql import TESSERA, Database

BUDGET = 16 << 20
NUM_ROWS, NUM_GROUPS = 200_000, 400


def child_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.fixture(scope="module", name="stored")
def stored_rows(tmp_path_factory):
    """The database and its rows: `k` counts them, `g` is a group, `v` a vector."""
    folder = tmp_path_factory.mktemp("memory")
    random = np.random.default_rng(7)
    rows = {"k": np.arange(NUM_ROWS), "g": random.integers(0, NUM_GROUPS, NUM_ROWS), "v": random.integers(-9, 10, (NUM_ROWS, 4)).astype(float)}
    np.savez(folder / "t.npz", **rows)
    made = Database(folder / "db")
    made.run(f"CREATE TABLE t(k int, g int, v vector[4]); COPY t FROM '{folder}/t.npz'")
    return made, rows


def resident_within_budget(database, statement):
    """Runs a statement, whose resident set is within the budget; the cells of the last row of its result, and the bytes of the set."""
    done, resident = TESSERA.call_measured("sql", database.folder, "--quiet", "--csv", "--memory", BUDGET, "-c", statement, folder=database.folder.parent)
    assert done.exit_code == 0, done.describe()
    assert resident <= BUDGET + command_line.ALLOWANCE, f"{resident} bytes are resident\n{done.describe()}"
    return done.stdout.splitlines()[-1].split(",") if done.stdout else [], resident


def within_budget(database, statement):
    return resident_within_budget(database, statement)[0]


def test_moving_frames_are_no_lists_of_their_rows(stored):
    database, rows = stored  # frames of 100 rows each
    found = within_budget(database, "SELECT count(*), sum(s[1]), max(s[2]) FROM (SELECT sum(v) OVER (ORDER BY k ROWS BETWEEN 99 PRECEDING AND CURRENT ROW) AS s FROM t) u")
    running = np.cumsum(rows["v"], 0)
    moving = running - np.concatenate([np.zeros((100, 4)), running[:-100]])
    assert [float(number) for number in found] == [NUM_ROWS, moving[:, 0].sum(), moving[:, 1].max()]


def test_pairs_that_a_join_makes_are_not_held(stored):
    database, rows = stored
    first = rows["k"] < 5000  # each with the 500 rows of its group
    groups = np.zeros((NUM_GROUPS, 4))
    np.add.at(groups, rows["g"], rows["v"])
    products = (rows["v"][first] * groups[rows["g"][first]]).sum(0)
    found = within_budget(database, "SELECT s[1], s[2], s[3], s[4] FROM (SELECT sum(a.v * b.v) AS s FROM t a, t b WHERE a.g = b.g AND a.k < 5000) u")
    assert [float(number) for number in found] == products.tolist()
    near = sum((np.square(rows["v"][rows["g"] == group] - vector).sum(1) < 9).sum() for group, vector in zip(rows["g"][first], rows["v"][first]))
    assert within_budget(database, "SELECT count(*) FROM t a, t b WHERE a.g = b.g AND a.k < 5000 AND norm(a.v - b.v) < 3") == [str(near)]


def test_long_texts_go_through_tables_and_files(stored, tmp_path):
    database, rows = stored
    text = "a text of many letters " * 25  # 110 MiB in all
    within_budget(database, f"CREATE TABLE s(x text, v vector[4]); INSERT INTO s SELECT '{text}' || k, v FROM t")
    within_budget(database, f"COPY s TO '{tmp_path}/s.csv'")
    within_budget(database, f"CREATE TABLE again(x text, v vector[4]); COPY again FROM '{tmp_path}/s.csv'")
    length = len(text) * NUM_ROWS + sum(len(str(k)) for k in range(NUM_ROWS))
    assert within_budget(database, "SELECT sum(length(x)) FROM again") == [str(length)]
    found = within_budget(database, "SELECT count(*), max(s[1]) FROM (SELECT x, sum(v) AS s FROM again GROUP BY x ORDER BY x DESC) u")
    assert [float(number) for number in found] == [NUM_ROWS, rows["v"][:, 0].max()]


def test_numbers_of_a_column_go_to_arrays_and_back(tmp_path):
    numbers = np.arange(4_000_000) * 0.5  # 30 MiB
    np.save(tmp_path / "in.npy", numbers)
    np.save(tmp_path / "few.npy", numbers[:10])
    database = Database(tmp_path / "db")
    database.run("CREATE TABLE n(x double precision)")
    resident = {file: resident_within_budget(database, f"COPY n FROM '{tmp_path}/{file}.npy'")[1] for file in ("few", "in")}
    assert resident["in"] <= resident["few"] + BUDGET, resident
    written = {limit: resident_within_budget(database, f"COPY (SELECT x FROM n LIMIT {limit}) TO '{tmp_path}/out.npy'")[1] for limit in (10, 5_000_000)}
    assert written[5_000_000] <= written[10] + BUDGET, written
    assert np.array_equal(np.load(tmp_path / "out.npy"), np.concatenate([numbers[:10], numbers]))


def test_values_that_are_too_many_to_be_kept_are_read_again(tmp_path):
    random = np.random.default_rng(7)
    values, others = random.integers(0, 27, (300_000, 4)).astype(float), random.integers(0, 27, (1000, 4)).astype(float)
    np.save(tmp_path / "t.npy", np.where(values == 0, -0.0, values))
    np.save(tmp_path / "w.npy", others)
    different, counts = np.unique(values, axis=0, return_counts=True)
    count_of = dict(zip(map(tuple, different), counts))
    database = Database(tmp_path / "db")
    database.run(f"CREATE TABLE t(v vector[4]); COPY t FROM '{tmp_path}/t.npy'; CREATE TABLE w(v vector[4]); COPY w FROM '{tmp_path}/w.npy'")
    assert within_budget(database, "SELECT count(*), sum(n) FROM (SELECT v, count(*) AS n FROM t GROUP BY v) x") == [str(len(different)), "300000"]
    pairs = sum(count_of.get(tuple(other), 0) for other in others)
    assert within_budget(database, "SELECT count(*) FROM t, w WHERE t.v = w.v") == [str(pairs)]
    members = sum(count_of.get(other, 0) for other in set(map(tuple, others)))
    assert within_budget(database, "SELECT count(*) FROM t WHERE v IN (SELECT v FROM w)") == [str(members)]


def test_a_query_within_finds_its_rows_by_an_index(tmp_path):
    """The time of the join that says the same: to look at all pairs takes 40 times as long."""
    count = 10_000
    random = np.random.default_rng(7)
    np.savez(tmp_path / "t.npz", k=np.arange(count), g=np.arange(count) // 10, v=random.integers(-9, 10, (count, 4)).astype(float))
    database = Database(tmp_path / "db")
    database.run(f"CREATE TABLE t(k int, g int, v vector[4]); COPY t FROM '{tmp_path}/t.npz'; CREATE INDEX ti ON t(g)")
    results, seconds = [], []
    for query in ("SELECT count(DISTINCT t.k) AS n FROM t, t b WHERE b.g = t.g AND b.v[1] > t.v[1] + 1",
                  "SELECT count(*) AS n FROM t WHERE EXISTS (SELECT 1 FROM t b WHERE b.g = t.g AND b.v[1] > t.v[1] + 1)",
                  "SELECT count(*) AS n FROM t WHERE (SELECT max(b.v[1]) FROM t b WHERE b.g = t.g) > t.v[1] + 1",
                  "SELECT count(*) AS n FROM t WHERE 1 IN (SELECT b.v[1] > t.v[1] + 1 FROM t b WHERE b.g = t.g)"):
        before = child_seconds()
        results.append(database.rows(query)[0]["n"])
        seconds.append(child_seconds() - before)
    assert len(set(results)) == 1 and results[0] > 0
    assert max(seconds[1:]) < 6 * seconds[0] + 1, seconds
