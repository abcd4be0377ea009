"""Queries, in the SQL of Tessera and of DuckDB, and the same in numpy. Each has one number a row as its result, in order."""
import functools
import json
import pathlib
import re
import subprocess

import numpy as np

from programs import timed

SIDE, BLOCK = 500, 250  # of a matrix; of its blocks in Tessera, where DuckDB has a row for each element


def groups():
    n = np.arange(1000000)
    return {"k": n * 7919 % 1000, "x": n * 31 % 1013}


def vectors():
    n, d = np.arange(100000)[:, None], np.arange(128)
    return {"id": np.arange(100000), "v": ((n * 131 + d * 17) % 256).astype("f4")}


def matrix():
    i, k = np.divmod(np.arange(SIDE * SIDE), SIDE)
    return ((i * 7 + k * 3) % 10).astype("f4").reshape(SIDE, SIDE)


def blocks():
    r, c = np.divmod(np.arange(4), 2)
    return {"r": r, "c": c, "m": matrix().reshape(2, BLOCK, 2, BLOCK).swapaxes(1, 2).reshape(4, BLOCK, BLOCK).copy()}


# name: (columns of t in Tessera, their data, Tessera's query, DuckDB's table, its query, numpy's computation)
QUERIES = {
    "sums of 1e6 rows by 1000 keys": (
        "k int, x int", groups, "SELECT sum(x) AS y FROM t GROUP BY k ORDER BY k",
        "SELECT n * 7919 % 1000 AS k, n * 31 % 1013 AS x FROM range(1000000) r(n)", "SELECT sum(x) AS y FROM t GROUP BY k ORDER BY k",
        lambda k, x: np.bincount(k, x)),
    "10 nearest of 100,000 vectors of 128": (
        "id int, v vector(f32)[128]", vectors, "SELECT norm(v - 100) AS y FROM t ORDER BY y LIMIT 10",
        "SELECT n AS id, list_transform(range(128), d -> (n * 131 + d * 17) % 256)::FLOAT[128] AS v FROM range(100000) r(n)",
        "SELECT array_distance(v, list_transform(range(128), d -> 100)::FLOAT[128]) AS y FROM t ORDER BY y LIMIT 10",
        lambda id, v: np.sort(np.linalg.norm(v - 100, axis=1))[:10]),
    "product of 500 x 500, by a join": (
        "r int, c int, m matrix(f32)[250][250]", blocks,
        "SELECT sum(s) AS y FROM (SELECT sum(power(norm(m), 2)) AS s FROM (SELECT SUM(matmul(x.m, y.m)) AS m FROM t x, t y WHERE x.c = y.r "
        "GROUP BY x.r, y.c) p) q",
        "SELECT n // 500 AS i, n % 500 AS k, ((n // 500 * 7 + n % 500 * 3) % 10)::DOUBLE AS v FROM range(250000) r(n)",
        "SELECT sum(s * s) AS y FROM (SELECT sum(x.v * y.v) AS s FROM t x, t y WHERE x.k = y.i GROUP BY x.i, y.k) p",
        lambda r, c, m: np.array([((matrix() @ matrix()).astype("f8") ** 2).sum()])),
}
NAMES = list(QUERIES)


def run_tessera(tessera, database, query):
    """Times the second of two runs in one process."""
    done = subprocess.run([tessera, "sql", database, "--workers", "2", "--json", "--timing", "--quiet", "-c", query, "-c", query], check=True,
                          capture_output=True, text=True)
    rows = json.loads("[" + re.sub(r"\]\s*\[", "],[", done.stdout) + "]")[-1]
    return float(re.findall(r"Time: ([\d.]+) ms", done.stderr)[-1]) / 1000, np.array([row["y"] for row in rows], "f8")


def run_duckdb(table, query):
    script = pathlib.Path(__file__).with_name("duckdb_peer.js")
    done = subprocess.run(["node", script, table, query], check=True, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    return answer["seconds"], np.array(answer["rows"], "f8")


@functools.cache
def has_duckdb():
    try:
        return subprocess.run(["node", "-e", "require('@duckdb/node-api')"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def workload(name, tessera, folder):
    """Returns, by peer, a function that runs the work and returns its seconds and its result."""
    columns, data, query, table, duckdb_query, by_numpy = QUERIES[name]
    arrays = data()
    np.savez(folder / "t.npz", **arrays)
    subprocess.run([tessera, "sql", folder / "db", "--quiet", "-c", f"CREATE TABLE t({columns})", "-c",
                    f"COPY t FROM '{folder / 't.npz'}'"], check=True)
    runs = {"Tessera": lambda: run_tessera(tessera, folder / "db", query), "numpy": lambda: timed(lambda: by_numpy(**arrays))}
    if has_duckdb():
        runs["DuckDB"] = lambda: run_duckdb(table, duckdb_query)
    return runs
