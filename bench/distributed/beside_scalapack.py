#!/usr/bin/python3
"""Products and programs in several processes beside ScaLAPACK, and beside what a simulation of this machine predicts.

    /usr/bin/python3 bench/distributed/beside_scalapack.py [--quick] [--processes 1,2,4] [--turns N] [--out FILE] [NAME...]

Build first: cmake -S . -B build/release -G Ninja -DTESSERA_BENCH=ON && ninja -C build/release tessera tessera_mpi scalapack_bench
NAME: workloads whose names begin so; none for all. ../README.md says what is in the seconds of both, and what is not.
Exit code 1: a result is wrong. The bars are printed as met or not.
"""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile

import numpy as np

import runs
import this_machine
import workloads

BUILD = pathlib.Path(__file__).resolve().parents[2] / "build/release"
BARS = {"drawn": 0.95, "square": 1.0, "two large": 1.5}  # the peer's seconds over ours, at least
PEER_BLOCKS, QUICK_PEER_BLOCKS = "32,64,128,256", "64,256"  # of which the best is the peer's
YARDSTICK_EXTENT = 2000
PREDICTION_BAR = 1.3  # predicted over actual, or the other way round, at most
HEADER = "| workload | processes | Tessera | ScaLAPACK | ratio | with reading | ScaLAPACK | ratio | GFLOP/s | predicted | predicted / actual | beside yardstick | load | one process, as many cores | dask |"


def peer_agrees(samples, result):
    """Whether the peer has the same values, where its result is sampled."""
    computed = np.load(result, mmap_mode="r")
    return all(value == (computed[i, j] if computed.ndim == 2 else computed[()]) for i, j, value in samples)


class Yardstick:
    """A product that is run beside every workload: what other programs on the machine take from it, they take from all."""

    def __init__(self, options, machine, folder):
        self.workload = workloads.product("yardstick", "yardstick", "f32", *[YARDSTICK_EXTENT] * 3)
        self.options, self.machine, self.folder = options, machine, folder
        self.predicted = {}
        prepare(self.workload, folder)

    def slowdown(self, processes):
        """Its seconds over those that are predicted."""
        if processes not in self.predicted:
            self.predicted[processes] = predict(self.workload, processes, self.options, self.machine, self.folder)
        report = runs.run_ours(self.options.tessera, self.workload, processes, self.folder)
        return runs.seconds_with_files(report) / self.predicted[processes]


def prepare(workload, folder):
    workloads.write_inputs(workload, folder)
    runs.write_program(workload, folder)


def predict(workload, processes, options, machine, folder):
    """Seconds of a run that reads its operands and leaves its result in memory."""
    cluster = folder / "this_machine.toml"
    cluster.write_text(this_machine.description(machine, processes))
    return runs.simulated_seconds(options.tessera, workload, processes, cluster, folder)


@dataclasses.dataclass
class Best:
    """How the peer is quickest, with its operands in memory, and of a product where it reads them; None without a peer."""
    in_memory: runs.PeerRun = None
    reading: runs.PeerRun = None


def find_best(workload, processes, options, folder):
    if options.peer is None:
        return Best()
    arguments = (options.peer, workload, processes, folder, options.blocks)
    reading = runs.best_peer(*arguments, reads=True) if workload.program == "product" else None
    return Best(runs.best_peer(*arguments), reading)


@dataclasses.dataclass
class Turn:
    """Ours, the peer and the yardstick one after the other."""
    ours: float
    ours_reading: float
    peer: float
    peer_reading: float
    slowdown: float


def take_turn(workload, processes, best, options, yardstick, folder):
    def peer_seconds(run, reads):
        return math.nan if run is None else runs.run_peer(options.peer, workload, processes, folder, run.grid, run.block,
                                                          reads=reads)[0].seconds

    report = runs.run_ours(options.tessera, workload, processes, folder)
    return Turn(runs.seconds_of(report), runs.seconds_with_files(report), peer_seconds(best.in_memory, False),
                peer_seconds(best.reading, True), yardstick.slowdown(processes))


def check(workload, processes, best, options, folder):
    """What is wrong with the results, if anything."""
    runs.run_ours(options.tessera, workload, processes, folder, result="result.npy", repeat=1)
    problems = [] if workloads.is_right(workload, folder, folder / "result.npy") else ["wrong"]
    for run in (best.in_memory, best.reading):
        if run is not None and not peer_agrees(run.samples, folder / "result.npy"):
            problems.append("the peer differs")
    return problems


def beside_peer(best, turns):
    """Medians of the peer, and of its seconds over ours, turn by turn."""
    record = {}
    if best.in_memory is not None:
        record |= {"peer_seconds": statistics.median(turn.peer for turn in turns), "peer_grid": best.in_memory.grid,
                   "peer_block": best.in_memory.block, "ratio": statistics.median(turn.peer / turn.ours for turn in turns)}
    if best.reading is not None:
        record |= {"peer_reading_seconds": statistics.median(turn.peer_reading for turn in turns),
                   "reading_ratio": statistics.median(turn.peer_reading / turn.ours_reading for turn in turns)}
    return record


def measure(workload, processes, options, machine, yardstick, folder):
    best = find_best(workload, processes, options, folder)
    turns = [take_turn(workload, processes, best, options, yardstick, folder) for _ in range(options.turns)]
    seconds, predicted = statistics.median(turn.ours for turn in turns), predict(workload, processes, options, machine, folder)
    whole = statistics.median(turn.ours_reading for turn in turns)
    record = {"workload": workload.name, "family": workload.family, "processes": processes, "seconds": seconds, "reading_seconds": whole,
              "gflop_per_second": workload.flops / seconds / 1e9, "predicted_seconds": predicted, "prediction": predicted / whole,
              "prediction_beside_yardstick": statistics.median(predicted * turn.slowdown / turn.ours_reading for turn in turns),
              "load": os.getloadavg()[0], "problems": check(workload, processes, best, options, folder)}
    record |= beside_peer(best, turns)
    if workload.family == "program":
        threads = min(processes, machine["cores"])
        record["one_process_seconds"] = runs.seconds_of(runs.run_ours(options.tessera, workload, 1, folder, workers=threads))
        record["dask_seconds"] = runs.dask_seconds(workload, threads, folder)
    return record


def row(record):
    def shown(key, pattern="{:.5f} s"):
        return pattern.format(record[key]) if record.get(key) is not None else ""

    ratio, reading_ratio = (shown(key, "{:.2f}") for key in ("ratio", "reading_ratio"))
    alone, dask = shown("one_process_seconds"), shown("dask_seconds")
    return (f"| {record['workload']} | {record['processes']} | {shown('seconds')} | {shown('peer_seconds')} | {ratio} | "
            f"{shown('reading_seconds')} | {shown('peer_reading_seconds')} | {reading_ratio} | "
            f"{record['gflop_per_second']:.1f} | {shown('predicted_seconds')} | {record['prediction']:.2f} | "
            f"{record['prediction_beside_yardstick']:.2f} | {record['load']:.1f} | {alone} | {dask} |"
            + "".join(f" {problem}!" for problem in record["problems"]))


def verdict(name, misses, total):
    print(f"{name}: " + (f"met ({total})" if not misses else f"not met: {len(misses)} of {total}, the worst " + min(misses)[1]))


def print_bars(records):
    for family, bar in BARS.items():
        for key, words in (("ratio", "its operands in memory"), ("reading_ratio", "which reads its operands too")):
            compared = [record for record in records if record["family"] == family and key in record]
            misses = [(record[key], f"{record[key]:.2f} ({record['workload']}, {record['processes']} processes)")
                      for record in compared if record[key] < bar]
            if compared:
                verdict(f"at least {bar} x the speed of ScaLAPACK, {words}, {family}", misses, len(compared))
    for key, words in (("prediction", "actual"), ("prediction_beside_yardstick", "actual, beside a yardstick that other programs slow too")):
        off = [(-max(record[key], 1 / record[key]), f"{record[key]:.2f} ({record['workload']}, {record['processes']} processes)")
               for record in records]
        verdict(f"predicted within {PREDICTION_BAR} x of {words}", [miss for miss in off if -miss[0] > PREDICTION_BAR], len(off))


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", default=BUILD / "src/cli/tessera", type=pathlib.Path)
    parser.add_argument("--peer", default=BUILD / "bench/distributed/scalapack_bench", type=pathlib.Path)
    parser.add_argument("--processes", default="1,2,4", help="how many, with commas between")
    parser.add_argument("--turns", type=int, default=0, help="of ours and the peer, each a process start; 5, or 3 if quick")
    parser.add_argument("--quick", action="store_true", help="half the extents and fewer drawn shapes: some minutes")
    parser.add_argument("--folder", default="/var/tmp", help="where the inputs are written")
    parser.add_argument("--out", type=pathlib.Path, help="the figures as JSON")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    options.tessera = options.tessera.resolve()
    options.peer = options.peer.resolve() if options.peer.exists() else None
    options.turns = options.turns or (3 if options.quick else 5)
    options.blocks = QUICK_PEER_BLOCKS if options.quick else PEER_BLOCKS
    return options


def print_head(options, counts, machine):
    cores = machine["cores"]
    print(f"{cores} cores; " + ", ".join(f"{name} {rate:.3g}" for name, rate in machine["kernels"].items())
          + f", link {machine['link']:.3g}, latency {machine['latency']:.2g} s")
    for processes in counts:
        if processes > cores:
            print(f"{processes} processes share {cores} cores: each has {cores / processes:.2g} of one")
    if options.peer is None:
        print("no peer: scalapack_bench is not built")
    print(f"\n{HEADER}\n|{'---|' * (HEADER.count('|') - 1)}", flush=True)


def measure_all(chosen, counts, options, machine, yardstick):
    records = []
    for workload in chosen:
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            folder = pathlib.Path(name)
            prepare(workload, folder)
            for processes in counts:
                records.append(measure(workload, processes, options, machine, yardstick, folder))
                print(row(records[-1]), flush=True)
    return records


def main():
    options = read_options()
    counts = [int(count) for count in options.processes.split(",")]
    machine = this_machine.measure(options.tessera)
    chosen = [workload for workload in workloads.all_workloads(options.quick)
              if not options.names or any(workload.name.startswith(name) for name in options.names)]
    print_head(options, counts, machine)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        records = measure_all(chosen, counts, options, machine, Yardstick(options, machine, pathlib.Path(name)))
    print()
    print_bars(records)
    if options.out:
        options.out.write_text(json.dumps({"machine": machine, "records": records}, indent=1))
    return 1 if any(record["problems"] for record in records) else 0


if __name__ == "__main__":
    sys.exit(main())
