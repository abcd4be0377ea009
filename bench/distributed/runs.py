"""How bench/distributed calls Tessera, its simulation and its peer, and what it reads from them."""
import dataclasses
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys

from workloads import PROGRAMS

HERE = pathlib.Path(__file__).resolve().parent
RUNS = 3  # of one process start, after one that warms up
TIMEOUT_SECONDS = 1200
# Root may start processes, in a container; a process has one thread of BLAS as ours has one worker.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OPENBLAS_NUM_THREADS": "1"}


READ_AGAIN = "--read-again"  # files are in the cache of the one host


def output_of(command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, env=os.environ | ENVIRONMENT, capture_output=True, text=True,
                          timeout=TIMEOUT_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr.strip()[-600:]}")
    return done.stdout


def launched(processes, command):
    return ["mpirun", "--oversubscribe", "-n", str(processes), *command] if processes > 1 else command


def tessera_command(tessera, workload, *arguments):
    inputs = (f"{name}={name}.npy" for name in workload.shapes)
    return [tessera, "run", "program.ein", *inputs, READ_AGAIN, "--analyze", "--json", *arguments]


def write_program(workload, folder):
    (folder / "program.ein").write_text(PROGRAMS[workload.program][0])


def run_ours(tessera, workload, processes, folder, *, workers=1, result=None, repeat=RUNS + 1):
    """The report of a run; with a `result` that is written to this file."""
    outputs = ["-o", f"{PROGRAMS[workload.program][2]}={result}"] if result else []
    command = tessera_command(tessera, workload, "--workers", str(workers), "--repeat", str(repeat), *outputs)
    return json.loads(output_of(launched(processes, command), folder))


def seconds_of(report):
    """The computation alone, the median of all runs but the one that warms up."""
    return statistics.median(report["actual"]["execution_seconds"][1:])


def seconds_with_files(report):
    """Of the last run from its beginning to its end, the moments in it in which only files were read."""
    return report["actual"]["run_seconds"]


def simulated_seconds(tessera, workload, processes, cluster, folder):
    """Of the plan that runs: another one may be made for what the cluster is described to be."""
    types = [f"{name}={workload.type}[{','.join(map(str, shape))}]" for name, shape in workload.shapes.items()]
    sites = ["--sites", processes, READ_AGAIN, "--stage", "ia"] if processes > 1 else ["--stage", "tra"]
    (folder / "plan.txt").write_text(output_of([tessera, "explain", "program.ein", *types, "--workers", 1, *sites], folder))
    return json.loads(output_of([tessera, "simulate", "plan.txt", "--cluster", cluster, "--json"], folder))["makespan_seconds"]


def grids(processes):
    return [f"{rows}x{processes // rows}" for rows in range(1, processes + 1) if processes % rows == 0]


@dataclasses.dataclass
class PeerRun:
    seconds: float  # the median of RUNS
    grid: str
    block: int
    samples: list  # of (i, j, value)


def run_peer(program, workload, processes, folder, grids, blocks, *, reads=False):
    """Of each of these grids and blocks. A product may read its operands in every run."""
    words = ["read_product" if reads else workload.program, workload.type, RUNS, grids, blocks, *workload.peer_extents]
    runs, samples = [], []
    for line in output_of(["mpirun", "--oversubscribe", "-n", processes, program, *words], folder).splitlines():
        record = json.loads(line)
        if "sample" in record:
            samples.append((*record["sample"], record["value"]))
        else:
            runs.append(PeerRun(statistics.median(record["microseconds"]) / 1e6, record["grid"], record["block"], samples))
    return runs


def best_peer(program, workload, processes, folder, blocks, *, reads=False):
    """How the peer is quickest: its figure is that of the best grid and block."""
    tried = run_peer(program, workload, processes, folder, ",".join(grids(processes)), blocks, reads=reads)
    return min(tried, key=lambda run: run.seconds)


def dask_seconds(workload, threads, folder):
    """None where dask is not installed."""
    if importlib.util.find_spec("dask") is None:
        return None
    return float(output_of([sys.executable, HERE / "dask_peer.py", folder, workload.program, threads], folder))
