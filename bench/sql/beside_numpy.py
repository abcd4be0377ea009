#!/usr/bin/python3
"""Statements of SQL over tables with tensors, beside the same in numpy, or in the language of `.ein`.

  beside_numpy.py [--tessera PROGRAM] [--repeat N]

Prints a table in Markdown. Tessera's time is that of a process that opens a database and runs the statement, numpy's that of the
computation, its operands in memory and its result not written; where the peer is an `.ein` program, it is file to file. The two take
turns, and the fastest of each and the median of the ratios of the turns are printed. Exits with 1 if a result is wrong.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]

LAYERS = """
CREATE TABLE W[0][1](mat) AS SELECT normal(zeros(1024, 2048), 0.02); CREATE TABLE W[0][2](mat) AS SELECT normal(zeros(2048, 16), 0.02);
CREATE TABLE A[i:0...][0](act) AS SELECT x FROM data;
CREATE TABLE A[i:0...][1](act) AS SELECT relu(matmul(a.act, w.mat)) FROM A[i][0] AS a, W[i][1] AS w;
CREATE TABLE A[i:0...][2](act) AS SELECT softmax(matmul(a.act, w.mat)) FROM A[i][1] AS a, W[i][2] AS w;
CREATE TABLE E[i:0...][2](err) AS SELECT crossentropyderiv(a.act, t.y) FROM A[i][2] AS a, truth AS t;
CREATE TABLE E[i:0...][1](err) AS SELECT matmul(e.err, t(w.mat)) * reluderiv(a.act) FROM E[i][2] AS e, W[i][2] AS w, A[i][1] AS a;
CREATE TABLE W[i:1...][j:1...2](mat) AS
  SELECT w.mat - matmul(t(a.act), e.err) * 0.00001 FROM W[i-1][j] AS w, A[i-1][j-1] AS a, E[i-1][j] AS e;
MATERIALIZE W[0][1]; MATERIALIZE W[0][2];
"""


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


class Bench:
    def __init__(self, options, folder):
        self.tessera, self.repeat, self.folder = options.tessera, options.repeat, folder
        self.is_wrong = False

    def sql(self, text, *options):
        done = subprocess.run([self.tessera, "sql", self.folder / "db", "--quiet", "--json", *options, "-c", text], cwd=self.folder,
                              check=True, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def row(self, name, ours, peer, same):
        turns = []
        for _ in range(self.repeat):
            (mine, result), (theirs, expected) = timed(ours), timed(peer)
            turns.append((mine, theirs))
        if not same(result, expected):
            self.is_wrong = True
            name += ": WRONG"
        best = [min(turn[side] for turn in turns) for side in (0, 1)]
        ratio = statistics.median(mine / theirs for mine, theirs in turns)
        print(f"| {name} | {1e3 * best[0]:.0f} ms | {1e3 * best[1]:.0f} ms | {ratio:.2f} |", flush=True)


def blocked_product(bench, draw):
    size, block = 2000, 500
    one, other = draw((size, size)), draw((size, size))
    np.save(bench.folder / "A.npy", one)
    np.save(bench.folder / "B.npy", other)
    for name, matrix in (("a", one), ("b", other)):
        np.save(bench.folder / f"{name}.npy", matrix.reshape(4, block, 4, block).transpose(0, 2, 1, 3).reshape(-1, block, block))
        bench.sql(f"CREATE TABLE of_{name}(mat matrix(f32)[][]); COPY of_{name} FROM '{name}.npy'; "
                  f"CREATE TABLE {name} AS SELECT (rowid - 1) / 4 AS row, (rowid - 1) % 4 AS col, mat FROM of_{name}")

    def ours():
        bench.sql("COPY (SELECT SUM(matmul(a.mat, b.mat)) AS mat FROM a, b WHERE a.col = b.row GROUP BY a.row, b.col) TO 'c.npy'")
        return np.load(bench.folder / "c.npy").reshape(4, 4, block, block).transpose(0, 2, 1, 3).reshape(size, size)

    def einsum():
        subprocess.run([bench.tessera, "einsum", "ij,jk->ik", bench.folder / "A.npy", bench.folder / "B.npy", "--quiet", "-o",
                        bench.folder / "C.npy"], check=True)
        return np.load(bench.folder / "C.npy")

    bench.row("blocked product, 2000 x 2000 f32 in 16 blocks, beside the einsum", ours, einsum, np.array_equal)


def sampled_rows(bench, draw):
    table, chosen = draw((1_000_000, 100)), np.sort(np.random.default_rng(1).choice(1_000_000, 79_000, replace=False))
    np.save(bench.folder / "table.npy", table)
    np.save(bench.folder / "chosen.npy", chosen)
    bench.sql("CREATE TABLE vectors(v vector(f32)[100]); COPY vectors FROM 'table.npy'; CREATE TABLE chosen(k int); COPY chosen FROM 'chosen.npy'")
    join = "FROM vectors, chosen WHERE vectors.rowid = chosen.k + 1"

    def ours():
        bench.sql(f"COPY (SELECT v * 2 AS v {join}) TO 'rows.npy'")
        return np.load(bench.folder / "rows.npy")

    def numpys():
        rows = np.load(bench.folder / "table.npy", mmap_mode="r")[np.load(bench.folder / "chosen.npy")] * 2
        np.save(bench.folder / "expected.npy", rows)
        return rows

    bench.row("79,000 rows of 1,000,000 x 100, joined and doubled, file to file", ours, numpys, np.array_equal)


def learning(bench, draw):
    x, y = np.abs(draw((1000, 1024))) / 4, np.eye(16)[np.random.default_rng(2).integers(0, 16, 1000)]
    np.save(bench.folder / "x.npy", x)
    np.save(bench.folder / "y.npy", y)
    bench.sql("CREATE TABLE data(x matrix[][]); COPY data FROM 'x.npy' (WHOLE); CREATE TABLE truth(y matrix[][]); COPY truth FROM 'y.npy' (WHOLE)")
    bench.sql(LAYERS)
    start = [np.array(bench.sql(f"SELECT mat FROM W[0][{layer}]")[0][0]["mat"]) for layer in (1, 2)]
    steps = 5

    def ours():
        return bench.sql(f"SELECT norm(w1.mat) AS a, norm(w2.mat) AS b FROM W[{steps}][1] AS w1, W[{steps}][2] AS w2")[0][0]

    def numpys():
        weights = list(start)
        for _ in range(steps):
            activation = np.maximum(x @ weights[0], 0)
            p = np.exp(activation @ weights[1])
            above = p / p.sum(1, keepdims=True) - y
            below = (above @ weights[1].T) * (activation > 0)
            weights = [weights[0] - 1e-5 * x.T @ below, weights[1] - 1e-5 * activation.T @ above]
        return {"a": np.linalg.norm(weights[0]), "b": np.linalg.norm(weights[1])}

    bench.row("5 steps of a network, 1000 x 1024, 2048 hidden, f64", ours, numpys,
              lambda one, other: all(np.isclose(one[key], other[key], rtol=1e-9) for key in other))


def product_of_some_rows(bench, draw):
    rows = draw((100_000, 128))
    np.save(bench.folder / "rows.npy", rows)
    bench.sql("CREATE TABLE all_rows(v vector(f32)[]); COPY all_rows FROM 'rows.npy'; "
              "CREATE TABLE t AS SELECT rowid AS id, rowid * 7919 % 100 AS w, v FROM all_rows")
    is_chosen = np.arange(1, len(rows) + 1) * 7919 % 100 < 70

    def ours():
        bench.sql("COPY (SELECT SUM(outer(v, v)) AS m FROM t WHERE w < 70) TO 'product.npy'")
        return np.load(bench.folder / "product.npy")[0]

    def numpys():
        chosen = rows[is_chosen]
        return chosen.T @ chosen

    bench.row("products of 70,000 of 100,000 x 128 f32, summed", ours, numpys, np.array_equal)


def nearest_rows(bench, draw):
    vectors, queries = draw((20_000, 64)), draw((50, 64))
    for name, rows in (("vectors", vectors), ("queries", queries)):
        np.savez(bench.folder / f"{name}.npz", id=np.arange(len(rows)), v=rows)
        bench.sql(f"CREATE TABLE {name}(id int, v vector(f32)[64]); COPY {name} FROM '{name}.npz'")

    def ours(distance):
        rows = bench.sql(f"SELECT id FROM (SELECT q.id AS q, v.id AS id, row_number() OVER (PARTITION BY q.id ORDER BY {distance}, v.id) AS r "
                         "FROM queries AS q, vectors AS v) WHERE r <= 10 ORDER BY q, r")
        return np.array([row["id"] for row in rows[0]]).reshape(50, 10)

    def first_10(distances):
        near = np.flatnonzero(distances <= np.partition(distances, 9)[9])
        return near[np.argsort(distances[near], kind="stable")[:10]]

    def by_norm():
        return np.array([first_10(np.linalg.norm(vectors - query, axis=1)) for query in queries])

    def by_cosine():
        lengths = np.linalg.norm(vectors, axis=1).astype(float)
        return np.array([first_10(1 - (vectors @ query) / (np.linalg.norm(query).astype(float) * lengths)) for query in queries])

    bench.row("10 nearest of 20,000 x 64 f32 for each of 50, by norm", lambda: ours("norm(q.v - v.v)"), by_norm, np.array_equal)
    bench.row("the same by cosine", lambda: ours("1 - dot(q.v, v.v) / (norm(q.v) * norm(v.v))"), by_cosine, np.array_equal)


def small_versions(bench, _):
    turn = np.roll(np.eye(4), 1, axis=0)
    np.save(bench.folder / "turn.npy", turn)
    bench.sql("CREATE TABLE p(m matrix[][]); COPY p FROM 'turn.npy' (WHOLE); CREATE TABLE x[0](m) AS SELECT m FROM p; "
              "CREATE TABLE x[i:1...](m) AS SELECT matmul(p.m, x.m) + p.m FROM x[i-1] AS x, p")

    def ours():
        return np.array(bench.sql("SELECT m FROM x[1000]")[0][0]["m"])

    def numpys():
        x = turn
        for _ in range(1000):
            x = turn @ x + turn
        return x

    bench.row("1,000 versions of a 4 x 4 matrix", ours, numpys, np.array_equal)


def small_statements(bench, _):
    text = "SELECT 1;" * 100
    bench.row("100 statements, beside 100 processes of one", lambda: len(bench.sql(text)), lambda: sum(len(bench.sql("SELECT 1")) for _ in range(100)), int.__eq__)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", type=pathlib.Path, default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    generator = np.random.default_rng(0)
    print("| statement | Tessera | peer | ratio |\n|---|---|---|---|")
    is_wrong = False
    for work in (blocked_product, sampled_rows, learning, product_of_some_rows, nearest_rows, small_versions, small_statements):
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(options, pathlib.Path(folder))
            work(bench, lambda shape: generator.integers(-3, 4, shape).astype(np.float32))
            is_wrong = is_wrong or bench.is_wrong
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
