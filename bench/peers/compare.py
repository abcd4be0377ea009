#!/usr/bin/python3
"""Times programs and queries in Tessera, numpy, dask and DuckDB, on the same data, with two threads each.

  compare.py [--tessera PROGRAM] [--turns N] [NAME...]

Counts the computation alone, when it has run once before. Operands of numpy and dask and tables of DuckDB are in memory; Tessera's
operands are in files in the system's cache, its tables in a database on disk. All take turns; a turn of Tessera or DuckDB is a process
of its own. Prints a table in Markdown: medians, in milliseconds. A peer that is not installed has no figures: dask is Debian's
python3-dask, DuckDB the npm package @duckdb/node-api, found by NODE_PATH. Exits with 1 if two results differ.
"""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile

os.environ["OPENBLAS_NUM_THREADS"] = "2"  # before numpy is loaded
if "GenuineIntel" in (cpu := pathlib.Path("/proc/cpuinfo").read_text()) and "avx512" in cpu:
    os.environ.setdefault("OPENBLAS_CORETYPE", "SkylakeX")  # 0.3.21 takes newer processors for one without vectors
ROOT = pathlib.Path(__file__).resolve().parents[2]

import programs  # noqa: E402
import queries  # noqa: E402

PEERS = ["Tessera", "numpy", "dask", "DuckDB"]


def measured(workload, turns):
    """Returns the median seconds by peer, and True if all results agree."""
    seconds = {}
    right = True
    for _ in range(turns):
        results = {}
        for peer, run in workload.items():
            taken, results[peer] = run()
            seconds.setdefault(peer, []).append(taken)
        expected = results["numpy"]
        right = right and all(programs.agree(result, expected) for result in results.values())
    return {peer: statistics.median(taken) for peer, taken in seconds.items()}, right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    print(f"| work | {' | '.join(PEERS)} |\n|---|{'---|' * len(PEERS)}")
    all_right = True
    for kind in (programs, queries):
        for name in kind.NAMES:
            if options.names and not any(part in name for part in options.names):
                continue
            with tempfile.TemporaryDirectory() as folder:
                medians, right = measured(kind.workload(name, options.tessera, pathlib.Path(folder)), options.turns)
            cells = [f"{1000 * medians[peer]:.1f} ms" if peer in medians else "" for peer in PEERS]
            print(f"| {name} | {' | '.join(cells)} |{'' if right else ' results differ'}", flush=True)
            all_right = all_right and right
    return 0 if all_right else 1


if __name__ == "__main__":
    sys.exit(main())
