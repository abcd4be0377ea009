#!/usr/bin/python3
"""Simulates the cells of the papers' tables and prints them beside what was published.

  simulate_tables.py [--tessera PROGRAM] [--texts] [TABLE...]      tables: tra_3 tra_5 tra_7 tra_8 two_phase_1 ... two_phase_5

tables/ has what was published, machines.toml what it was measured on, workloads.toml and plans.toml what was run. A row is
a workload on so many machines; the plans of a row are compared: whoever published more than 20 % below another should be
quicker in the simulation too. Plans of other systems are there to look at. A plan is made by a planner of Tessera, or from
its text (marked *; --texts: wherever there is one), or by a planner from the text of its relations (marked +; convolution.py).

How tensors are cut: as the paper says, if it says so (`tiles` in plans.toml: the strips, the blocks of 1k, the video). Else in
chunks of 2,000, which is how both papers' authors store matrices (Two-phase, section 1); but a label by which the plan's text
spreads a relation over the sites gets the same number of tiles on each, no longer than that.

The system of the two-phase paper joins first ("at each site, there is a single n-way join, followed by a distributed aggregation", section
7), so its tables are simulated with --joins-first. TRA says no such thing of its own.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import re
import statistics
import string
import subprocess
import sys
import tempfile
import tomllib

import convolution

HERE = pathlib.Path(__file__).resolve().parent
TESSERA = HERE.parents[1] / "build/release/src/cli/tessera"
CLEAR_DIFFERENCE = 1.2  # beyond which a published winner should win
CHUNK = 2000  # where the papers do not say
TIMEOUT_SECONDS = 600
JOINS_FIRST = "two_phase_"  # how the names of the tables of such a system begin


def load(name):
    return tomllib.loads((HERE / name).read_text())


MACHINES, WORKLOADS, PLANS = load("machines.toml"), load("workloads.toml"), load("plans.toml")


def cluster_text(machine, num_sites):
    """What the papers time begins with inputs in memory, so files take no time."""
    of_moves = "".join(f'{key} = "{machine[key]}"\n' for key in ("link_per_core", "move_overhead") if key in machine)
    kernels = {"gemm_flops_per_second_f32": machine["gemm"], "onednn_flops_per_second": machine["gemm"],
               "onednn_slow_flops_per_second": machine["gemm"], "bytes_per_second": machine["bytes"]}
    rates = "".join(f"{name} = {rate:g}\n" for name, rate in kernels.items())
    return (f'files = "memory"\n[[sites]]\ncount = {num_sites}\ncores = {machine["cores"]}\n'
            f'memory = "{machine["memory"]}"\nlink = "{machine["link"]}"\n{of_moves}[kernels]\n{rates}')


def spread_labels(plan):
    """The labels by which a plan's text puts tuples on sites."""
    return set(re.findall(r"at=\((\w)\)", plan.get("text", "")))


def tile_lengths(family, plan, extents, num_sites):
    """Of every label, by the rule above."""
    def length(label, extent):
        label = family.get("alike", {}).get(label, label)
        if label in family.get("tiles", {}):
            return family["tiles"][label]
        pieces = math.ceil(extent / CHUNK)
        if label in spread_labels(plan):
            pieces = num_sites * math.ceil(pieces / num_sites)
        return math.ceil(extent / pieces)

    return {label: length(label, extent) for label, extent in extents.items()}


def words_of(extents, tiles, num_sites):
    words = {"s": num_sites}
    for label, extent in extents.items():
        words |= {f"{label}_extent": extent, f"{label}_count": math.ceil(extent / tiles.get(label, extent))}
    return words


def key_dim(label, extent, length):
    return f"{label}:{extent // length}x{length}" if extent % length == 0 else f"{label}:{extent}/{length}"


def placement_text(text, extents, tiles, words):
    """A plan's text with its words put in, and its types written out."""
    def relation(match):
        key, _, modes = match[1].partition("|")
        modes = modes if "|" in match[1] else key
        dims = ",".join(key_dim(label, extents[label], tiles[label]) for label in key.split(","))
        return f"({dims}) -> f32[{','.join(f'{label}={extents[label]}' for label in modes.split(',') if label)}]"

    return re.sub(r"<([\w,|]*)>", relation, string.Template(text).substitute(words)).lstrip()


class Cell:
    """One plan of one row: what was published, and what the simulation says."""

    def __init__(self, row):
        self.plan = row["plan"]
        self.published = None if row["seconds"] == "Fail" else float(row["seconds"])
        self.simulated = None
        self.note = ""

    def read(self, done, note):
        if done.returncode == 0:
            self.simulated = json.loads(done.stdout)["makespan_seconds"]
            self.note = note
        else:
            lines = done.stderr.strip().splitlines()
            self.note = lines[0] if lines else f"exit {done.returncode}"

    def text(self):
        shown = "fails" if self.published is None else f"{self.published:.2f} s"
        ratio = f"{self.simulated / self.published:6.2f}" if self.simulated and self.published else ""
        simulated = f"{self.simulated:.2f} s" if self.simulated is not None else ""
        return f"    {self.plan:<26}{shown:>12}{simulated:>12}{ratio:>8}  {self.note}".rstrip()


def simulate(cell, workload, machine, num_sites, system, options, folder):
    """Fills in what the simulation says of a cell; `system` is what it is told of the system that ran it."""
    family = PLANS.get(WORKLOADS[workload]["family"], {})
    plan = family.get("plans", {}).get(cell.plan)
    if plan is None:
        cell.note = "not a plan of Tessera"
        return
    extents = WORKLOADS[workload]["extents"]
    tiles = tile_lengths(family, plan, extents, num_sites)
    words = words_of(extents, tiles, num_sites)
    (folder / "cluster.toml").write_text(cluster_text(machine, num_sites))

    def call(*arguments):
        return subprocess.run([options.tessera, "simulate", *arguments, "--cluster", "cluster.toml", *system, "--json"], cwd=folder,
                              capture_output=True, text=True, timeout=TIMEOUT_SECONDS)

    if "relations" in plan:
        (folder / "relations.tra").write_text(convolution.relations(extents, tiles))
        cell.read(call("relations.tra", "--planner", plan["planner"]), "+")
    elif "planner" in plan and not (options.texts and "text" in plan):
        inputs = [string.Template(text).substitute(words) for text in family["inputs"]]
        cuts = ",".join(f"{label}={length}" for label, length in tiles.items())
        cell.read(call(HERE / family["program"], *inputs, "--tile", cuts, "--planner", plan["planner"]), "")
    else:
        (folder / "plan.ia").write_text(placement_text(plan["text"], extents, tiles, words))
        cell.read(call("plan.ia"), "*")


def compared(cells):
    """Whether the published winner wins, where the published difference says so; None where it cannot be told."""
    known = [cell for cell in cells if cell.published is not None and cell.simulated is not None]
    if len(known) < 2:
        return None
    winner = min(known, key=lambda cell: cell.published)
    clearly_slower = [cell for cell in known if cell.published > CLEAR_DIFFERENCE * winner.published]
    if not clearly_slower:
        return None
    return all(winner.simulated < cell.simulated for cell in clearly_slower)


def rows_of(table):
    rows = {}
    with open(HERE / "tables" / f"{table}.csv", newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault((row["workload"], row["machine"], int(row["sites"])), []).append(Cell(row))
    return rows


def run_table(table, options):
    """Prints a table; returns its verdicts and ratios."""
    print(f"{table}\n    {'plan':<26}{'published':>12}{'simulated':>12}{'ratio':>8}")
    verdicts, ratios = [], []
    system = ["--joins-first"] if table.startswith(JOINS_FIRST) else []
    for (workload, machine, num_sites), cells in rows_of(table).items():
        for cell in cells:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    simulate(cell, workload, MACHINES[machine], num_sites, system, options, pathlib.Path(folder))
                except subprocess.TimeoutExpired:
                    cell.note = f"more than {TIMEOUT_SECONDS} s"
        verdict = compared(cells)
        print(f"  {workload}, {num_sites} x {machine}: "
              f"{ {True: 'same winner', False: 'ANOTHER WINNER', None: 'no clear winner to compare'}[verdict]}")
        print("\n".join(cell.text() for cell in cells if options.all or cell.note != "not a plan of Tessera"), flush=True)
        verdicts.append(verdict)
        ratios += [cell.simulated / cell.published for cell in cells if cell.simulated and cell.published]
    return verdicts, ratios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", default=os.environ.get("TESSERA", TESSERA), type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--texts", action="store_true", help="make plans from their texts, not by planners")
    parser.add_argument("--all", action="store_true", help="print the other systems' cells too")
    parser.add_argument("tables", nargs="*")
    options = parser.parse_args()
    verdicts, ratios = [], []
    for table in options.tables or sorted(path.stem for path in (HERE / "tables").glob("*.csv")):
        of_table = run_table(table, options)
        verdicts += of_table[0]
        ratios += of_table[1]
    clear = [verdict for verdict in verdicts if verdict is not None]
    print(f"same winner in {sum(clear)} of {len(clear)} rows with a clear one; {len(verdicts) - len(clear)} others")
    if ratios:
        print(f"simulated / published: median {statistics.median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}, "
              f"{len(ratios)} cells")
    return 0 if all(clear) else 1


if __name__ == "__main__":
    sys.exit(main())
