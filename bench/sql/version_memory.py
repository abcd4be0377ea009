#!/usr/bin/python3
"""The memory that long chains of versions take: PageRank by a dense matrix, few steps and many.

  version_memory.py [--tessera PROGRAM] [--steps FEW MANY] [--frame-size N...]

Prints the peak of the process (the least of three) for both, and their ratio, which is 1 if only what is still read lives. Exits with 1 if
the ranks do not sum to 1.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = 200
DEFINITIONS = f"""CREATE TABLE links(m matrix[{PAGES}][{PAGES}]);
INSERT INTO links SELECT ones({PAGES}, {PAGES}) / {PAGES};
CREATE TABLE PR[0](v) AS SELECT ones({PAGES}) / {PAGES};
CREATE TABLE PR[i:1...](v) AS SELECT 0.15 / {PAGES} + 0.85 * matmul(l.m, p.v) AS v FROM links AS l, PR[i-1] AS p"""


def run(command):
    """What it prints, and its peak in MB."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command} failed")
    return printed, usage.ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", default=ROOT / "build/release/src/cli/tessera", type=pathlib.Path)
    parser.add_argument("--steps", default=[30, 3000], type=int, nargs=2)
    parser.add_argument("--frame-size", default=[48, 32], type=int, nargs="+")
    options = parser.parse_args()
    print("| frame size | steps | MB | steps | MB | ratio |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        command = [options.tessera, "sql", folder + "/db", "--quiet", "--csv"]
        run([*command, "-c", DEFINITIONS])
        for size in options.frame_size:
            peaks = []
            for steps in options.steps:
                query = f"SELECT dot(v, ones({PAGES})) AS s FROM PR[{steps}]"
                turns = [run([*command, "--frame-size", str(size), "-c", query]) for _ in range(3)]
                if abs(float(turns[0][0].split()[1]) - 1) > 1e-9:
                    sys.exit("the ranks do not sum to 1")
                peaks.append(min(peak for _, peak in turns))
            print(f"| {size} | {options.steps[0]} | {peaks[0]:.1f} | {options.steps[1]} | {peaks[1]:.1f} | {peaks[1] / peaks[0]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
