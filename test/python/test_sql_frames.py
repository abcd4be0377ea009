"""EXPLAIN of programs of many statements that are cut in frames, and what the catalog keeps of a run."""
import re
import sqlite3

import numpy as np
import pytest

from test_sql import TESSERA, Database

SIDE, STEPS = 6, 50


@pytest.fixture(name="network")
def network_of_integers(tmp_path):
    """Two chains that read each other, over integers, so that any cut gives the same bits."""
    made = Database(tmp_path / "db")
    made.run(f"""
        CREATE TABLE x(m matrix[{SIDE}][{SIDE}]); INSERT INTO x SELECT einsum('i,j->ij', v, v) FROM (SELECT ARRAY[1,0,2,1,0,1] AS v) AS o;
        CREATE TABLE A[0](m) AS SELECT m FROM x;
        CREATE TABLE B[0](m) AS SELECT t(m) + 1 FROM x;
        CREATE TABLE A[i:1...](m) AS SELECT (matmul(a.m, b.m) + t(x.m)) % 5 FROM A[i-1] AS a, B[i-1] AS b, x;
        CREATE TABLE B[i:1...](m) AS SELECT (b.m * 2 - t(a.m)) % 7 FROM A[i-1] AS a, B[i-1] AS b""")
    return made


def explained(database, query, *options):
    done = TESSERA.call("sql", database.folder, "--quiet", *options, "-c", "EXPLAIN " + query)
    assert done.exit_code == 0, done.describe()
    return done.stdout


def test_explain_shows_frames_and_what_they_leave(network):
    text = explained(network, f"SELECT m FROM A[{STEPS}]", "--frame-size", "10")
    assert "frames (gqap, 5 to 10 statements)" in text
    sizes = [int(size) for size in re.findall(r"^  \d+ +(\d+) +\d", text, re.M)]
    assert len(sizes) >= 2 * STEPS // 10 and max(sizes) <= 10
    assert re.search(r"edges cut: .*a\[\d+\]\.m -> [ab]\[\d+\]\.m \(0\.\d+\)", text)
    assert re.search(r"planned at once: [\d.]+ of \d+", text)
    assert "versions: keeps 4 at most: a[0], a[1], b[0], b[1]" in text or "versions: keeps 3 at most" in text
    assert "frames (" not in explained(network, f"SELECT m FROM A[{STEPS}]", "--frames", "none")


def test_a_view_that_versions_read_is_computed_once(network):
    network.run("CREATE VIEW w AS SELECT inverse(m * 0 + diag(v)) AS m FROM x, (SELECT ARRAY[1,2,4,1,2,4] AS v) AS o; "
                "CREATE TABLE D[0](m) AS SELECT m FROM w; CREATE TABLE D[i:1...](m) AS SELECT d.m * 0.5 + w.m AS m FROM D[i-1] AS d, w")
    text = explained(network, "SELECT m FROM D[20]", "--frame-size", "8")
    frames = re.findall(r"^  \d+ +\d+ +\d+ bytes  (.*)$", text, re.M)
    assert len(frames) >= 3 and ["d[0].m" in leaves for leaves in frames] == [True] + [False] * (len(frames) - 1)  # it is D[0]
    assert len(re.findall(r"= .*inverse\[", text[:text.index("plan of the first frame")])) == 1
    expected = inverse = np.diag([1, 0.5, 0.25, 1, 0.5, 0.25])
    for _ in range(20):
        expected = expected * 0.5 + inverse
    assert np.array_equal(network.rows("SELECT m FROM D[20]", "--frame-size", "8")[0]["m"], expected)


PARTS = {"matmul(inverse(diag(x.v)), y.m)": ("inverse[", lambda x, m: np.diag(1 / np.array([1, 2, 4, 1, 2, 4.])) @ m),
         "y.m * trace(matmul(t(x.m), x.m))": ("* S1", lambda x, m: m * np.trace(x.T @ x))}


@pytest.mark.parametrize("part", PARTS)
def test_what_no_version_is_in_is_computed_once(network, part):
    """For all frames, for what runs in parts, and for each of several rows."""
    mark, step = PARTS[part]
    network.run(f"CREATE TABLE n(m matrix[{SIDE}][{SIDE}], v vector[{SIDE}]); INSERT INTO n SELECT m, ARRAY[1,2,4,1,2,4] FROM x;"
                f"CREATE TABLE E[0](k, m) AS SELECT k, m FROM n, (SELECT * FROM VALUES (1), (2)) AS r(k); CREATE TABLE F[0](m) AS SELECT m FROM n;"
                f"CREATE TABLE E[i:1...](k, m) AS SELECT y.k, {part} % 5 + y.k * 2 FROM n AS x, E[i-1] AS y;"
                f"CREATE TABLE F[i:1...](m) AS SELECT {part} % 5 + 2 FROM n AS x, F[i-1] AS y")
    text = explained(network, "SELECT m FROM F[20]", "--frame-size", "8")
    assert re.search(r"edges cut: .*T\d+ -> f\[\d+\]\.m", text)
    text = text[:text.index("plan of the first frame")]
    assert sum(mark in line and "[" in line for line in text[text.index("tensor part"):].splitlines()) == 1, text
    x = np.outer([1, 0, 2, 1, 0, 1], [1, 0, 2, 1, 0, 1]).astype(float)
    for query, steps, added in (("m FROM F", 20, {None: 2}), ("m FROM F", 300, {None: 2}), ("k, m FROM E", 20, {1: 2, 2: 4}), ("k, m FROM E", 300, {1: 2, 2: 4})):
        rows = network.rows(f"SELECT {query}[{steps}]", "--frame-size", "8")
        assert len(rows) == len(added)
        for row in rows:
            expected = x
            for _ in range(steps):
                expected = step(x, expected) % 5 + added[row.get("k")]
            assert np.array_equal(row["m"], expected)


def test_draws_of_versions_stay_their_own(network):
    network.run(f"CREATE TABLE G[0](m) AS SELECT m FROM x; CREATE TABLE G[i:1...](m) AS SELECT g.m + matmul(normal(x.m, 1), x.m) FROM G[i-1] AS g, x")
    first, second, third = (np.array(network.rows(f"SELECT m FROM G[{step}]")[0]["m"]) for step in (1, 2, 3))
    assert not np.allclose(second - first, third - second)


def test_a_statement_that_is_there_is_not_added_again(network):
    text = explained(network, "SELECT a.m + b.m AS s, a.m + b.m AS again FROM A[3] AS a, A[3] AS b")
    statements = re.findall(r"^  (T\d+)\[.*\] = ", text[text.index("tensor part"):text.index("\nplan")], re.M)
    assert len(statements) == len(set(statements)) == 3 + 3 + 1  # A[1] to A[3], B[0] to B[2], the sum


def test_what_was_pipelined_is_kept_in_the_catalog(network):
    catalog = network.folder / "catalog.sqlite"
    network.run(f"CREATE TABLE kept AS SELECT m FROM A[{STEPS}]")
    with sqlite3.connect(catalog) as connection:
        first = dict(((p, r), (seen, pipelined)) for p, r, seen, pipelined in connection.execute("SELECT * FROM tessera_pipelining"))
    assert first and all(0 <= pipelined <= seen for seen, pipelined in first.values())
    network.run(f"CREATE TABLE again AS SELECT m FROM A[{STEPS}]")
    with sqlite3.connect(catalog) as connection:
        assert connection.execute("SELECT sum(seen) FROM tessera_pipelining").fetchone()[0] > sum(seen for seen, _ in first.values())


def test_a_cutter_of_no_name_is_refused(network):
    done = TESSERA.call("sql", network.folder, "--frames", "best", "-c", "SELECT 1")
    assert done.exit_code != 0 and "gqap, greedy, min-cut or none" in done.stderr
