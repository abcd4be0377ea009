#!/usr/bin/python3
"""Small statements, one after the other in one process, and grouping, beside SQLite.

  small_statements.py [--tessera PROGRAM] [--repeat N]

Prints a table in Markdown. Tessera's time is that of a process that opens a database, runs a script and prints the results; SQLite's that
of Python's sqlite3 module with the same statements on a file with the same journal (WAL), in which a vector is a text. The two take turns;
the fastest of each and the median of the ratios are printed, of processor time and of the clock, because a commit waits for the disk.
Exits with 1 if a result is wrong.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXTENT, ROWS, COMMITS, LOOKUPS, GROUPED = 64, 2000, 200, 1000, 1_000_000
TABLE = f"CREATE TABLE t(id int PRIMARY KEY, x double precision, v vector[{EXTENT}])"
GROUPS = ["CREATE TABLE f(k int, x int)", "CREATE TABLE d(k int PRIMARY KEY, name text)",
          f"INSERT INTO f SELECT (n * 7919 + n / 1000 * 31) % 1000, n % 1013 FROM generate_series(1, {GROUPED}) AS s(n)",
          "INSERT INTO d SELECT n, 'name ' || n FROM generate_series(0, 999) AS s(n)"]


def vector(draw):
    return "'{" + ",".join(str(draw.randrange(-9, 10)) for _ in range(EXTENT)) + "}'"


def inserts(count):
    draw = random.Random(1)
    return [f"INSERT INTO t VALUES ({row}, {2 * row}, {vector(draw)})" for row in range(count)]


def lookups(column):
    draw = random.Random(2)
    return [f"SELECT {column} FROM t WHERE id = {draw.randrange(ROWS)}" for _ in range(LOOKUPS)]


def processor_time():
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def timed(call):
    processor, clock = processor_time(), time.perf_counter()
    result = call()
    return (processor_time() - processor, time.perf_counter() - clock), result


class Ours:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, statements):
        script = self.folder / "script.sql"
        script.write_text(";\n".join(statements) + ";\n")
        done = subprocess.run([self.program, "sql", self.folder / "ours", "--quiet", "--json", "-f", script], check=True,
                              capture_output=True, text=True)
        return [list(row.values()) for line in done.stdout.splitlines() for row in json.loads(line)]

    def forget(self):
        shutil.rmtree(self.folder / "ours", ignore_errors=True)


class Sqlite:
    def __init__(self, folder):
        self.file = folder / "peer.sqlite"

    def __call__(self, statements):
        connection = sqlite3.connect(self.file, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        rows = [[self.value(value) for value in row] for statement in statements for row in connection.execute(self.text(statement))]
        connection.close()
        return rows

    @staticmethod
    def text(statement):
        """SQLite has no vectors, and the module no generate_series."""
        statement = statement.replace(f"vector[{EXTENT}]", "text").replace("double precision", "real")
        if "generate_series" in statement:
            first, last = statement.split("generate_series(")[1].split(")")[0].split(", ")
            series = f"(WITH RECURSIVE r(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM r WHERE n < {last}) SELECT n FROM r)"
            statement = statement.replace(f"generate_series({first}, {last}) AS s(n)", series)
        return statement

    @staticmethod
    def value(value):
        is_vector = isinstance(value, str) and value.startswith("{")
        return json.loads(value.replace("{", "[").replace("}", "]")) if is_vector else value

    def forget(self):
        for file in self.file.parent.glob(self.file.name + "*"):
            file.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", type=pathlib.Path, default=ROOT / "build/release/src/cli/tessera")
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    filled = [TABLE, "BEGIN", *inserts(ROWS), "COMMIT"]
    count = ["SELECT count(*), sum(id) FROM t"]
    cases = [  # a name, what is there before, and the statements that are timed
        (f"{ROWS} INSERTs of a row with a vector[{EXTENT}], in a transaction", [TABLE], filled[1:] + count),
        (f"{COMMITS} such INSERTs, a commit each", [TABLE], inserts(COMMITS) + count),
        (f"{LOOKUPS} lookups of a number by key", filled, lookups("x")),
        (f"{LOOKUPS} lookups of a vector by key", filled, lookups("v")),
        (f"GROUP BY of {GROUPED} rows by 1000 keys", GROUPS, ["SELECT k, sum(x), count(*) FROM f GROUP BY k ORDER BY k"]),
        ("a join, and GROUP BY a text", GROUPS, ["SELECT name, sum(x) FROM f JOIN d ON f.k = d.k GROUP BY name ORDER BY name"])]
    is_wrong = False
    print("| | Tessera, processor | SQLite | ratio | Tessera, clock | SQLite | ratio |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        sides = [Ours(options.tessera, pathlib.Path(name)), Sqlite(pathlib.Path(name))]
        for title, before, statements in cases:
            turns = []
            for _ in range(options.repeat):
                turn = []
                for side in sides:
                    if not turns or before == [TABLE]:
                        side.forget()
                        side(before)
                    turn.append(timed(lambda: side(statements)))
                is_wrong = is_wrong or turn[0][1] != turn[1][1]
                turns.append([times for times, _ in turn])
            row = [title + (": WRONG" if turn[0][1] != turn[1][1] else "")]
            for kind in (0, 1):
                row += [f"{min(turn[side][kind] for turn in turns):.3f} s" for side in (0, 1)]
                row.append(f"{statistics.median(turn[0][kind] / turn[1][kind] for turn in turns):.1f}")
            print("| " + " | ".join(row) + " |", flush=True)
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
