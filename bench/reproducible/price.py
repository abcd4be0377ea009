#!/usr/bin/python3
"""What --reproducible costs: the same program with and without it, one worker, in one run.

    /usr/bin/python3 bench/reproducible/price.py [--tessera PROGRAM] [--repeat N] [NAME...]

Milliseconds are the least of N runs of one plan, reading and writing files left out; the two kinds of run take turns.
`changes` says whether cutting the sums changes bits: of 'plain' it may, of 'stated' it must not. Exit code 1: it did.
"""
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from program_call import ROOT, command, normal, read_options  # noqa: E402

SOFTMAX = ROOT / "examples" / "softmax.ein"


# name: (what tessera is given, inputs, a tiling that cuts the sums)
PROGRAMS = {
    "matmul 2000 f32": (["einsum", "ij,jk->ik"], lambda: [normal("f4", 2000, 2000)] * 2, "j=600"),
    "matmul 2000 f64": (["einsum", "ij,jk->ik"], lambda: [normal("f8", 2000, 2000)] * 2, "j=600"),
    "transposed matmul f32": (["einsum", "ji,jk->ik"], lambda: [normal("f4", 2000, 2000)] * 2, "j=600"),
    "matrix times vector": (["einsum", "ij,j->i"], lambda: [normal("f4", 8000, 4000), normal("f4", 4000)], "j=1500"),
    "dot 64M": (["einsum", "i,i->"], lambda: [normal("f4", 64_000_000)] * 2, "i=9000000"),
    "sum 64M": (["einsum", "i->"], lambda: [normal("f4", 64_000_000)], "i=9000000"),
    "row sums": (["einsum", "ij->i"], lambda: [normal("f4", 8000, 4000)], "j=1500"),
    "column sums": (["einsum", "ij->j"], lambda: [normal("f4", 8000, 4000)], "i=3000"),
    "mean of rows": (["einsum", "ij->i", "--agg", "mean"], lambda: [normal("f4", 8000, 4000)], "j=1500"),
    "logsumexp of rows": (["einsum", "ij->i", "--agg", "logsumexp"], lambda: [normal("f4", 8000, 4000)], "j=1500"),
    "softmax": (["run", SOFTMAX], lambda: {"X": normal("f4", 8000, 4000)}, "j=1500"),
}


def call(arguments):
    done = subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def milliseconds(arguments, repeat):
    report = json.loads(call([*arguments, "--analyze", "--json", "--repeat", repeat]))
    return 1e3 * min(report["actual"]["execution_seconds"])


def digest(arguments, folder):
    call(arguments)
    return hashlib.sha256((folder / "result.npy").read_bytes()).hexdigest()


def main():
    options = read_options(repeat=5)
    print(f"{'':24}{'plain':>9}{'stated':>9}  ratio   changes plain, stated")
    is_kept = True
    for name, (arguments, make_inputs, tiling) in PROGRAMS.items():
        if options.names and name not in options.names:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            plain = command(options.tessera, arguments, make_inputs(), folder)
            stated = [*plain, "--reproducible"]
            times = {"plain": float("inf"), "stated": float("inf")}
            for _ in range(2):
                for kind, run in (("plain", plain), ("stated", stated)):
                    times[kind] = min(times[kind], milliseconds(run, options.repeat))
            changes = [digest(run, folder) != digest([*run, "--tile", tiling], folder) for run in (plain, stated)]
            is_kept = is_kept and not changes[1]
            print(f"{name:24}{times['plain']:9.1f}{times['stated']:9.1f}{times['stated'] / times['plain']:7.2f}   "
                  f"{', '.join('yes' if change else 'no' for change in changes)}", flush=True)
    sys.exit(0 if is_kept else 1)


if __name__ == "__main__":
    main()
