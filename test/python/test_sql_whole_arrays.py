"""Draws in SQL, and programs by versions beside numpy: a Kalman filter, k-means, PageRank and the factorisation of a matrix."""
import numpy as np
import pytest

from test_sql import Database, array


@pytest.fixture
def database(tmp_path):
    return Database(tmp_path / "db")


def insert(database, name, columns, rows):
    """A table whose first column is a number, from 1, and whose others are arrays."""
    types = ", ".join(f"{column} {'vector[]' if np.ndim(value) == 1 else 'matrix[][]'}" for column, value in zip(columns, rows[0]))
    values = ", ".join(f"({number}, {', '.join(map(array, row))})" for number, row in enumerate(rows, 1))
    database.run(f"CREATE TABLE {name}(id int, {types}); INSERT INTO {name} VALUES {values}")


# ---- Draws.

DRAWN = """SELECT id, gamma(w) AS gamma, gamma(w, 3) AS scaled, beta(w, 2) AS beta, poisson(w) AS poisson, binomial(20, w / 9) AS binomial,
           bernoulli(w / 9) AS bernoulli, exponential(w) AS exponential, categorical(w) AS categorical, dirichlet(w) AS dirichlet,
           multinomial(100, w) AS multinomial FROM weights"""


@pytest.fixture
def weights(database):
    rows = [[np.random.default_rng(seed).integers(1, 9, 5)] for seed in range(40)]
    insert(database, "weights", ["w"], rows)
    return np.array([row[0] for row in rows])


def test_draws_have_the_shape_and_the_sums_of_their_rows(database, weights):
    rows = database.rows(DRAWN)
    for row in rows:
        assert sum(row["multinomial"]) == 100 and np.isclose(sum(row["dirichlet"]), 1)
        assert 1 <= row["categorical"] <= 5 and all(0 <= successes <= 20 for successes in row["binomial"])
        assert all(isinstance(count, int) and count >= 0 for count in row["poisson"])
    for name, mean in (("gamma", weights), ("scaled", 3 * weights), ("poisson", weights), ("exponential", weights),
                       ("multinomial", 100 * weights / weights.sum(1, keepdims=True))):
        assert np.isclose(np.mean([row[name] for row in rows]), mean.mean(), rtol=0.15), name


def test_another_seed_draws_other_numbers(database, weights):
    assert database.rows(DRAWN, "--seed", "2") != database.rows(DRAWN)


def test_equal_draws_differ(database, weights):
    rows = database.rows("SELECT dirichlet(w) AS a, dirichlet(w) AS b, gamma(w) AS c, gamma(w) AS d, categorical(w) AS e, categorical(w) AS f FROM weights")
    assert all(row["a"] != row["b"] and row["c"] != row["d"] for row in rows)
    assert any(row["e"] != row["f"] for row in rows)


def test_rows_of_a_table_differ(database, weights):
    rows = database.rows("SELECT dirichlet(ones(3)) AS a, categorical(ones(1000)) AS b FROM weights")
    assert len({str(row["a"]) for row in rows}) == len(rows) == 40
    assert len({row["b"] for row in rows}) > 30


def test_what_is_drawn_may_be_grouped_and_compared(database, weights):
    rows = database.rows("SELECT k, count(*) AS n FROM (SELECT categorical(w) AS k FROM weights) AS d GROUP BY k ORDER BY k")
    assert sum(row["n"] for row in rows) == 40 and all(1 <= row["k"] <= 5 for row in rows)
    assert database.rows("SELECT trace(einsum('i,j->ij', dirichlet(w), ones(5))) AS t FROM weights WHERE id = 1")[0]["t"] == pytest.approx(1)


# ---- Programs by versions.

def test_kalman_filter(database):
    """A body that moves evenly in the plane; its place is measured, with errors."""
    steps = 30
    draw = np.random.default_rng(3)
    move = np.eye(4) + np.diag([1, 1], 2)
    noise, error, seen = np.eye(4) / 64, np.eye(2) / 4, np.eye(2, 4)
    places = np.arange(1, steps + 1)[:, None] * [1, 0.5] + draw.normal(0, 0.5, (steps, 2))
    insert(database, "measured", ["y"], [[place] for place in places])
    insert(database, "model", ["f", "q", "h", "r"], [[move, noise, seen, error]])
    database.run("""
        CREATE TABLE predicted[i:1...](x, p) AS
          SELECT matmul(m.f, s.x), matmul(matmul(m.f, s.p), t(m.f)) + m.q FROM state[i-1] AS s, model AS m;
        CREATE TABLE gain[i:1...](k) AS
          SELECT t(solve(matmul(matmul(m.h, s.p), t(m.h)) + m.r, matmul(m.h, s.p))) FROM predicted[i] AS s, model AS m;
        CREATE TABLE state[0](x, p) AS SELECT zeros(4), 4 * f * (f = t(f)) FROM model;
        CREATE TABLE state[i:1...](x, p) AS
          SELECT s.x + matmul(g.k, y.y - matmul(m.h, s.x)), s.p - matmul(matmul(g.k, m.h), s.p)
          FROM predicted[i] AS s, gain[i] AS g, model AS m, measured AS y WHERE y.id = i""")
    x, p = np.zeros(4), 4 * np.eye(4)
    for place in places:
        x, p = move @ x, move @ p @ move.T + noise
        k = p @ seen.T @ np.linalg.inv(seen @ p @ seen.T + error)
        x, p = x + k @ (place - seen @ x), p - k @ seen @ p
    (row,) = database.rows(f"SELECT x, p FROM state[{steps}]")
    np.testing.assert_allclose(row["x"], x, rtol=1e-10)
    np.testing.assert_allclose(row["p"], p, rtol=1e-10, atol=1e-12)


def test_pagerank(database):
    size, steps = 40, 25
    draw = np.random.default_rng(4)
    links = sorted({(int(a), int(b)) for a, b in draw.integers(1, size + 1, (300, 2)) if a != b} | {(k, k % size + 1) for k in range(1, size + 1)})
    database.run("CREATE TABLE pages(page int); CREATE TABLE links(source int, target int);"
                 + f"INSERT INTO pages VALUES {', '.join(f'({k})' for k in range(1, size + 1))};"
                 + f"INSERT INTO links VALUES {', '.join(map(str, links))};"
                 + """CREATE TABLE shares AS SELECT l.source, l.target, 1.0 / d.n AS share
                        FROM links AS l, (SELECT source, count(*) AS n FROM links GROUP BY source) AS d WHERE d.source = l.source;
                      CREATE TABLE rank[0](page, value) AS SELECT page, 1.0 / 40 FROM pages;
                      CREATE TABLE rank[i:1...](page, value) AS
                        SELECT s.target, 0.15 / 40 + 0.85 * sum(s.share * r.value) FROM shares AS s, rank[i-1] AS r
                        WHERE s.source = r.page GROUP BY s.target""")
    matrix = np.zeros((size, size))
    for source, target in links:
        matrix[target - 1, source - 1] = 1
    matrix /= matrix.sum(0)
    wanted = np.full(size, 1 / size)
    for _ in range(steps):
        wanted = 0.15 / size + 0.85 * matrix @ wanted
    rows = database.rows(f"SELECT page, value FROM rank[{steps}] ORDER BY page")
    np.testing.assert_allclose([row["value"] for row in rows], wanted, rtol=1e-12)
    # The same with the ranks as one vector and the links as one matrix.
    insert(database, "web", ["m"], [[matrix]])
    database.run("""CREATE TABLE ranks[0](v) AS SELECT ones(40) / 40;
                    CREATE TABLE ranks[i:1...](v) AS SELECT 0.15 / 40 + 0.85 * matmul(w.m, r.v) FROM web AS w, ranks[i-1] AS r""")
    np.testing.assert_allclose(database.rows(f"SELECT v FROM ranks[{steps}]")[0]["v"], wanted, rtol=1e-12)


def test_kmeans(database):
    """Points with whole coordinates about three places; centres are exact means."""
    draw = np.random.default_rng(5)
    places = np.array([[0, 0], [40, 0], [0, 40]])
    points = np.concatenate([place + draw.integers(-8, 9, (30, 2)) for place in places])
    insert(database, "points", ["x"], [[point] for point in points])
    insert(database, "seeds", ["x"], [[points[0]], [points[1]], [points[65]]])
    database.run("""
        CREATE TABLE centre[0](id, x) AS SELECT id, x FROM seeds;
        CREATE TABLE near[i:0...](point, centre) AS
          SELECT point, centre FROM
            (SELECT point, centre, row_number() OVER (PARTITION BY point ORDER BY distance, centre) AS place FROM
              (SELECT p.id AS point, c.id AS centre, dot(p.x - c.x, p.x - c.x) AS distance FROM points AS p, centre[i] AS c) AS d) AS o
          WHERE place = 1;
        CREATE TABLE centre[i:1...](id, x) AS
          SELECT n.centre, AVG(p.x) FROM near[i-1] AS n, points AS p WHERE n.point = p.id GROUP BY n.centre""")
    centres = points[[0, 1, 65]].astype(float)
    for _ in range(6):
        nearest = ((points[:, None] - centres)**2).sum(2).argmin(1)
        centres = np.array([points[nearest == k].mean(0) for k in range(3)])
    rows = database.rows("SELECT id, x FROM centre[6] ORDER BY id")
    np.testing.assert_allclose([row["x"] for row in rows], centres, rtol=1e-14)
    assert database.rows("SELECT centre, count(*) AS n FROM near[6] GROUP BY centre ORDER BY centre")[0]["n"] == 30


def test_matrix_factorisation(database):
    """Alternating least squares: each side is solved for while the other is held."""
    draw = np.random.default_rng(6)
    ratings = draw.integers(-3, 4, (20, 3)) @ draw.integers(-3, 4, (3, 15))
    start = draw.integers(-3, 4, (3, 15)).astype(float)
    insert(database, "given", ["m"], [[ratings]])
    insert(database, "start", ["v"], [[start]])
    database.run("""
        CREATE TABLE V[0](v) AS SELECT v FROM start;
        CREATE TABLE U[i:1...](u) AS
          SELECT t(solve(matmul(b.v, t(b.v)) + 0.125 * identity.m, matmul(b.v, t(g.m))))
          FROM V[i-1] AS b, given AS g, identity;
        CREATE TABLE V[i:1...](v) AS
          SELECT solve(matmul(t(a.u), a.u) + 0.125 * identity.m, matmul(t(a.u), g.m)) FROM U[i] AS a, given AS g, identity""")
    insert(database, "identity", ["m"], [[np.eye(3)]])
    held = start
    for _ in range(8):
        other = np.linalg.solve(held @ held.T + 0.125 * np.eye(3), held @ ratings.T).T
        held = np.linalg.solve(other.T @ other + 0.125 * np.eye(3), other.T @ ratings)
    (row,) = database.rows("SELECT a.u, norm(g.m - matmul(a.u, b.v)) AS lost, b.v FROM U[8] AS a, V[8] AS b, given AS g")
    np.testing.assert_allclose(row["u"], other, rtol=1e-8)
    np.testing.assert_allclose(row["v"], held, rtol=1e-8)
    assert row["lost"] == pytest.approx(np.linalg.norm(ratings - other @ held), rel=1e-8)
    assert row["lost"] < 0.02 * np.linalg.norm(ratings)
