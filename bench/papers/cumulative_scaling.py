#!/usr/bin/python3
"""Simulates the scaling of cumulative aggregates (Cumulative aggregates, Figure 10) and prints it beside what was published.

  cumulative_scaling.py [--tessera PROGRAM] [--json FILE]

min(cumsum(X)) over a dense X of 2,000 columns: the result is one number, so that what is timed is the aggregate and not a file.
Weak: 20 GB for each node, 2 to 10 of them; what a node more costs. Strong: 40 GB on 2 to 10. The nodes are the paper's:
12 cores and 1 Gb/s each. Its times cannot be set beside these, as what a core reads a second is not in it; the ratios can.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TESSERA = HERE.parents[1] / "build/release/src/cli/tessera"
COLUMNS = 2_000
NODES = [2, 4, 6, 8, 10]
BYTES_PER_NODE = 20e9
STRONG_BYTES = 40e9
PROGRAM = "input X[i, j]\nZ[i, j] = cumsum[i] X[i, j]\nm = min[i, j] Z[i, j]\noutput m\n"
TIMEOUT_SECONDS = 300
# From 2 to 10 nodes, with the offsets broadcast and co-partitioned: how many times slower, how many times faster.
PUBLISHED_WEAK, PUBLISHED_STRONG = (2.3, 1.7), (1.7, 2.3)


def cluster(nodes):
    return (f'files = "memory"\n[[sites]]\ncount = {nodes}\ncores = 12\nmemory = "96GB"\nlink = "1Gbps"\n'
            '[kernels]\nbytes_per_second = 4e9\n')


def seconds(tessera, folder, total_bytes, nodes):
    (folder / "program.ein").write_text(PROGRAM)
    (folder / "cluster.toml").write_text(cluster(nodes))
    rows = int(total_bytes / 8 / COLUMNS)
    command = [tessera, "simulate", folder / "program.ein", f"X=f64[{rows},{COLUMNS}]", "--cluster", folder / "cluster.toml", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)["makespan_seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", type=pathlib.Path, default=TESSERA)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        weak = [seconds(arguments.tessera, folder, BYTES_PER_NODE * nodes, nodes) for nodes in NODES]
        strong = [seconds(arguments.tessera, folder, STRONG_BYTES, nodes) for nodes in NODES]
    print("nodes" + "".join(f"{nodes:>9}" for nodes in NODES))
    for what, times in [("weak", weak), ("strong", strong)]:
        print(f"{what:<6}" + "".join(f"{time:>7.2f} s" for time in times))
    slower, faster = weak[-1] / weak[0], strong[0] / strong[-1]
    print(f"weak: {slower:.2f} times slower on {NODES[-1]} nodes than on {NODES[0]}; published "
          f"{PUBLISHED_WEAK[0]} (broadcast) and {PUBLISHED_WEAK[1]} (co-partitioned)")
    print(f"strong: {faster:.2f} times faster, of {NODES[-1] // NODES[0]}; published {PUBLISHED_STRONG[0]} and {PUBLISHED_STRONG[1]}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"nodes": NODES, "weak_seconds": weak, "strong_seconds": strong, "weak": slower,
                                              "strong": faster}, indent=2) + "\n")


if __name__ == "__main__":
    main()
