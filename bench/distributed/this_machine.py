#!/usr/bin/python3
"""Measures what a simulation of this machine needs to know, and describes it as a cluster (doc/simulate.md).

    /usr/bin/python3 bench/distributed/this_machine.py [--tessera PROGRAM] [--out FILE]

Rates of kernels and of reading are those of Tessera's own tasks, with as many processes of one worker at once as there are cores, as
cores share caches, memory and power; the link is what moves between two processes under mpirun take. Files are in the system's cache.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

import runs

ROOT = pathlib.Path(__file__).resolve().parents[2]
TURNS = 3
KERNELS = {  # rate: (equation, type, shapes, options, what of a task is counted)
    "gemm_flops_per_second_f32": ("ij,jk->ik", "f4", ((1800, 1800), (1800, 1800)), ("--kernel", "gemm", "--tile", "i=600,j=600,k=600"), "flops"),
    "gemm_flops_per_second_f64": ("ij,jk->ik", "f8", ((1200, 1200), (1200, 1200)), ("--kernel", "gemm", "--tile", "i=400,j=400,k=400"), "flops"),
    "onednn_flops_per_second": ("ij,jk->ik", "f4", ((8000, 1000), (1000, 128)), ("--kernel", "gemm_onednn", "--tile", "i=1000"), "flops"),
    "onednn_slow_flops_per_second": ("ij,jk->ik", "f4", ((1800, 1800), (1800, 1800)),
                                     ("--kernel", "gemm_onednn", "--tile", "i=600,j=600,k=600"), "flops"),
    "bytes_per_second": ("ij,ij->ij", "f4", ((4000, 4000), (4000, 4000)), ("--join", "x+y"), "bytes"),
}
READ_SHAPE = (2000, 4000)  # f32, by rows, each of many bytes at once; and by columns, in rows of READ_LENGTH
READ_ROWS, READ_LENGTH = 100, 2000
CACHED = "1000000TB/s"  # of what is in memory, a disk does nothing
SHARED_MEMORY = 0.75  # of the machine's memory, for all processes together


def cores():
    return len(os.sched_getaffinity(0))


def environment():
    return os.environ | runs.ENVIRONMENT


def events_of(trace):
    return [event for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "X"]


def quick_ones(rates):
    """What nine of ten do not pass: a task or a move is short, so that where others run beside some are left alone."""
    return statistics.quantiles(rates, n=10)[-1]


def events_everywhere(tessera, equation, kind, shapes, options, folder):
    """All events of runs of an equation, while all cores do the same."""
    files = []
    for number, shape in enumerate(shapes):
        np.save(folder / f"{number}.npy", np.random.default_rng(number).integers(-1, 2, shape).astype(kind))
        files.append(f"{number}.npy")
    command = [str(tessera), "einsum", equation, *files, *options, "--workers", "1", "--repeat", "2", "--quiet", "--analyze", "--json"]
    traces = [folder / f"trace{core}.json" for core in range(cores())]
    started = [subprocess.Popen([*command, "--trace", trace], cwd=folder, stdout=subprocess.DEVNULL, env=environment()) for trace in traces]
    if any([process.wait() != 0 for process in started]):
        raise RuntimeError(f"a run of {' '.join(command)} failed")
    return [event for trace in traces for event in events_of(trace)]


def task_rates(tessera, case, folder):
    """Of every task of a kernel."""
    *arguments, counted = case
    return [event["args"][counted] / (event["dur"] / 1e6) for event in events_everywhere(tessera, *arguments, folder)
            if event["cat"] not in ("read", "write")]


def read_seconds(tessera, tile, folder):
    """Of every task that reads a tile of READ_SHAPE."""
    arguments = ("ij->j", "f4", (READ_SHAPE,), ("--tile", f"i={tile[0]},j={tile[1]}"))
    return statistics.median([event["dur"] / 1e6 for _ in range(TURNS) for event in events_everywhere(tessera, *arguments, folder)
                   if event["cat"] == "read"])


def reading(tessera, folder):
    """Bytes a second in long runs, and seconds that a call for one row takes beside them."""
    rows, columns = READ_SHAPE
    rate = READ_ROWS * columns * 4 / read_seconds(tessera, (READ_ROWS, columns), folder)
    of_row = read_seconds(tessera, (rows // 2, READ_LENGTH), folder) / (rows // 2)
    return {"span_bytes_read_per_second": rate, "read_call_seconds": max(of_row - READ_LENGTH * 4 / rate, 1e-7)}


def moves(tessera, extent, length, folder):
    """(bytes, seconds) of every move of a product in tiles of this length between two processes."""
    for name in "ab":
        np.save(folder / f"{name}.npy", np.ones((extent, extent), "f4"))
    command = [str(tessera), "einsum", "ij,jk->ik", "a.npy", "b.npy", "--workers", "1", "--repeat", "2", "--trace", "trace.json",
               "--tile", f"i={length},j={length},k={length}", "--analyze", "--json"]
    runs.output_of(runs.launched(2, command), folder)
    # Clocks of two processes may differ by more than a move takes.
    return [(event["args"]["bytes"], event["dur"] / 1e6) for event in events_of(folder / "trace.json")
            if event["cat"] == "move" and event["dur"] > 0]


def measure(tessera):
    """The description as a dict, as the file has it."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rates = {rate: quick_ones([each for _ in range(TURNS) for each in task_rates(tessera, case, folder)])
                 for rate, case in KERNELS.items()}
        small = [seconds for _ in range(TURNS) for _, seconds in moves(tessera, 300, 100, folder)]
        # How long a move takes depends on what both processes compute beside it, and whether it was waited for.
        latency = statistics.quantiles(small, n=4)[0]
        large = [bytes_ / max(seconds - latency, seconds / 2) for _ in range(TURNS) for bytes_, seconds in moves(tessera, 3000, 1000, folder)]
        files = reading(tessera, folder)
    memory = int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * SHARED_MEMORY)
    return {"cores": cores(), "memory": memory, "link": statistics.median(large), "latency": latency, "kernels": rates, "files": files}


def description(machine, processes):
    """Of so many processes with one worker each: with more of them than cores, each has a part of a core. Results stay in memory.

    Between processes of one host all of a move is cores' work: one copies the bytes, and each end has half of what a small move takes."""
    def lines(table):
        return "".join(f"{name} = {rate:.4g}\n" for name, rate in machine[table].items())

    return (f'[[sites]]\ncount = {processes}\ncores = 1\nspeed = {min(1, machine["cores"] / processes):.4g}\n'
            f'memory = "{machine["memory"] // processes >> 20}MiB"\nlink = "{machine["link"] / 1e9:.4g}GB/s"\n'
            f'link_per_core = "{machine["link"] / 1e9:.4g}GB/s"\nmove_overhead = "{machine["latency"] / 2 * 1e6:.4g}us"\n'
            f'disk_read = "{CACHED}"\n\n[network]\nlatency = "{machine["latency"] * 1e6:.4g}us"\nefficiency = 1.0\n\n'
            f'[files]\nresults = "memory"\n{lines("files")}\n[kernels]\n{lines("kernels")}')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", default=ROOT / "build/release/src/cli/tessera", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, help="where the description goes; printed without it")
    arguments = parser.parse_args()
    text = description(measure(arguments.tessera.resolve()), cores())
    if arguments.out:
        arguments.out.write_text(text)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
