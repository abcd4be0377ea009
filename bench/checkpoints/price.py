#!/usr/bin/python3
"""What checkpoints cost a run that nothing ends: one program with and without them, in turn.

    /usr/bin/python3 bench/checkpoints/price.py [--tessera PROGRAM] [--folder DIR] [--side N] [--layers N] [--every SECONDS]
                                                [--turns N] [--processes N]

The program is a chain of products of integers, N x N each, two of which are read far behind; its results are compared bit by bit
with those of the run without checkpoints. Every run is a process of its own with an empty directory: seconds of the whole process,
and of the CPUs. Then a run goes on from what the last one kept, which shows what of it is made again. Exit code 1: a result
differs, nothing was kept, or the median of the ratios is above 1.05.
"""
import argparse
import filecmp
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_RATIO = 1.05


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", type=lambda path: pathlib.Path(path).resolve(), default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--folder", default=None)
    parser.add_argument("--side", type=int, default=3000)
    parser.add_argument("--layers", type=int, default=100)
    parser.add_argument("--every", type=float, default=10)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--processes", type=int, default=1)
    return parser.parse_args()


def write_job(folder, side, layers):
    drawn = np.random.default_rng(side)
    np.save(folder / "A.npy", drawn.integers(-2, 3, (side, side)).astype("f4"))
    np.save(folder / "B.npy", (drawn.integers(-1, 2, (side, side)) * (drawn.random((side, side)) < 8 / side)).astype("f4"))
    lines = ["input A[i,k], B[k,j]", "T0[i,j] = A[i,j]"]
    lines += [f"T{n}[i,j] = clip(sum[k] T{n - 1}[i,k] * B[k,j], -3, 3)" for n in range(1, layers + 1)]
    lines += [f"Y[i,j] = T{layers}[i,j] - T{layers // 4}[i,j] + T{layers // 2}[i,j]", "output Y", ""]
    (folder / "chain.ein").write_text("\n".join(lines))


class Runner:
    def __init__(self, options, folder):
        launcher = ["mpirun", "--oversubscribe", "-n", str(options.processes)] if options.processes > 1 else []
        self.command = [*launcher, options.tessera, "run", "chain.ein", "A=A.npy", "B=B.npy", "--quiet"]
        self.kept = ["--checkpoint", "kept", "--checkpoint-every", str(options.every)]
        self.folder = folder

    def run(self, result, *options):
        """Seconds of the process and of the CPUs."""
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([*map(str, self.command), "-o", f"Y={result}", *options], cwd=self.folder, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    options = read_options()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = pathlib.Path(name)
        write_job(folder, options.side, options.layers)
        runner = Runner(options, folder)
        ratios, is_equal = [], True
        for turn in range(options.turns):
            shutil.rmtree(folder / "kept", ignore_errors=True)
            order = [("plain.npy", []), ("kept.npy", runner.kept)]
            took = {result: runner.run(result, *more) for result, more in (order if turn % 2 == 0 else reversed(order))}
            files = [path.stat().st_size for path in (folder / "kept").glob("*.npy")]
            is_equal = is_equal and filecmp.cmp(folder / "plain.npy", folder / "kept.npy", shallow=False)
            ratios.append([kept / plain for kept, plain in zip(took["kept.npy"], took["plain.npy"])])
            print(f"without {took['plain.npy'][0]:.2f} s (CPU {took['plain.npy'][1]:.2f}), with {took['kept.npy'][0]:.2f} s "
                  f"(CPU {took['kept.npy'][1]:.2f}): {ratios[-1][0]:.3f} (CPU {ratios[-1][1]:.3f}), {len(files)} checkpoints, "
                  f"{sum(files) / 2**20:.0f} MiB", flush=True)
        again, _ = runner.run("again.npy", *runner.kept)
        is_equal = is_equal and filecmp.cmp(folder / "plain.npy", folder / "again.npy", shallow=False)
        median, cpu = (statistics.median(ratio[kind] for ratio in ratios) for kind in (0, 1))
        print(f"median of the ratios: {median:.3f} (CPU {cpu:.3f}); what goes on from the last checkpoint takes {again:.2f} s")
    return 0 if is_equal and files and median <= MOST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
