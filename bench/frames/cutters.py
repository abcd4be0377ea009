#!/usr/bin/python3
"""How the cutters of frames cut the unrolled programs of examples/sql that learn: Recursive SQL §7, Figure 6, counted.

  cutters.py [--tessera PROGRAM] [--steps N] [--frame-size N...] [--work NAME...]

Prints a table in Markdown: for each program and cutter the frames, the tensors and bytes that frames leave for others, how many of the
edges between them are expected to have been pipelined, and the seconds that the query takes. The paper's order is that the full cutter
(gqap) leaves less than one that counts edges (min-cut), and this less than one from a single start (greedy). Exits with 1 if gqap is
expected to break more pipelines than another.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "sql"
TEXTS = [pathlib.Path("/usr/share/common-licenses", name) for name in ("Apache-2.0", "Artistic", "GPL-3")]
CUTTERS = ("gqap", "min-cut", "greedy")
UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def definitions(script):
    text = (EXAMPLES / script).read_text()
    return text[:text.index("\nEXECUTE")] if "\nEXECUTE" in text else text


# A program: what it is made of, and what asks for its last version.
PROGRAMS = {
    "network": ("wide.sql", "SELECT w.mat, v.mat AS above FROM W[{steps}][1] AS w, W[{steps}][2] AS v"),
    "word2vec": ("word2vec.sql", "SELECT word, w, c FROM V[{steps}]"),
    "topics": ("topics.sql", "SELECT id, z FROM Z[{steps}]"),
}


class Database:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *arguments):
        return subprocess.run([self.program, "sql", self.folder / "db", "--quiet", *arguments], cwd=self.folder, check=True,
                              capture_output=True, text=True).stdout

    def define(self, script):
        text = definitions(script)
        if script == "wide.sql":  # a tenth of its width: it is the shape of the program that counts
            text = text.replace("6000", "600").replace("4000", "400")
            draw = np.random.default_rng(0)
            np.save(self.folder / "x.npy", draw.random((100, 600), np.float32))
            np.save(self.folder / "y.npy", np.eye(17, dtype=np.float32)[draw.integers(17, size=100)])
        else:
            subprocess.run([EXAMPLES / "words.py", "--folder", self.folder, *TEXTS], check=True, capture_output=True)
        (self.folder / "made.sql").write_text(text)
        self.run("-f", "made.sql")


def bytes_of(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def frames_of(explained):
    """Of each frame: statements, bytes that it leaves, tensors that it leaves."""
    frames = []
    for line in explained[explained.index("\nframes ("):].splitlines()[3:]:
        row = re.match(r"  +\d+ +(\d+) +([\d.]+ \w+) *(.*)", line)
        if row is None:
            break
        names, _, more = row[3].partition(" and ")
        count = len([name for name in names.split(", ") if name]) + int(more.split()[0] if more else 0)
        frames.append((int(row[1]), bytes_of(row[2]), count))
    return frames


class Cut:
    """What EXPLAIN says of a query under a cutter."""

    def __init__(self, database, query, cutter, size):
        self.cutter, self.size = cutter, size
        self.arguments = ("--frames", cutter, "--frame-size", str(size))
        explained = database.run(*self.arguments, "-c", "EXPLAIN " + query)
        self.frames = frames_of(explained)
        expected = re.search(r"planned at once: ([\d.]+) of (\d+)", explained)
        self.broken, self.num_cut = float(expected[1]), int(expected[2])

    def table_row(self, seconds):
        statements, left, tensors = zip(*self.frames)
        return (f"| {self.cutter} | {self.size} | {sum(statements)} | {len(statements)} | {max(statements)} | {sum(tensors)} "
                f"| {sum(left) / 2**20:.2f} | {self.broken} of {self.num_cut} | {seconds:.2f} |")


def measured(database, query, sizes):
    """Prints how each cutter does; gives whether gqap is beaten."""
    database.run("--frames", "none", "-c", f"CREATE TABLE whole AS {query}")  # beliefs are of what is seen there
    cuts = [Cut(database, query, cutter, size) for size in sizes for cutter in CUTTERS]
    for cut in cuts:
        start = time.perf_counter()
        database.run(*cut.arguments, "-c", f"CREATE TABLE answer_{cut.cutter.replace('-', '_')}_{cut.size} AS {query}")
        print(cut.table_row(time.perf_counter() - start), flush=True)
    return any(one.broken < of_gqap.broken - 1e-9 for of_gqap in cuts if of_gqap.cutter == "gqap"
               for one in cuts if one.size == of_gqap.size)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", default=ROOT / "build/release/src/cli/tessera", type=pathlib.Path)
    parser.add_argument("--steps", default=20, type=int)
    parser.add_argument("--frame-size", default=[16, 32], type=int, nargs="+")
    parser.add_argument("--work", default=list(PROGRAMS), choices=list(PROGRAMS), nargs="+")
    options = parser.parse_args()
    is_wrong = False
    for name in options.work:
        script, query = PROGRAMS[name]
        query = query.format(steps=options.steps)
        with tempfile.TemporaryDirectory() as folder:
            database = Database(options.tessera, pathlib.Path(folder))
            database.define(script)
            print(f"\n{name}, {options.steps} steps\n\n| cutter | size | statements | frames | largest | tensors left | MiB left "
                  "| expected pipelines broken | s |\n|---|---|---|---|---|---|---|---|---|")
            is_wrong |= measured(database, query, options.frame_size)
    sys.exit(is_wrong)


if __name__ == "__main__":
    main()
