"""`tessera simulate`: the public graphs, many tasks on many sites, traces, and what the other commands do not pay."""
import json
import os
import pathlib
import resource
import subprocess
import sys

import numpy as np
import pytest

import command_line
import cost_graphs

TESSERA = command_line.from_environment()
MATMUL = "ij,jk->ik"
PAPERS = pathlib.Path(__file__).resolve().parents[2] / "bench/papers"
sys.path.append(str(PAPERS))
import simulate_tables  # noqa: E402


def libraries():
    """What the program loads when it starts."""
    return subprocess.run(["ldd", os.environ["TESSERA"]], capture_output=True, text=True, check=True).stdout


def simulated(*arguments, folder=None):
    done = TESSERA.call("simulate", *arguments, "--json", folder=folder)
    assert done.exit_code == 0, done.describe()
    return json.loads(done.stdout)


@pytest.mark.parametrize("path", sorted(cost_graphs.FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_search_is_no_slower_than_heft_on_public_graphs(path, tmp_path):
    (tmp_path / "graph.json").write_text(json.dumps(cost_graphs.cost_graph(path)))
    figures = simulated("graph.json", folder=tmp_path)
    makespan = {placement["name"]: placement["makespan_seconds"] for placement in figures["placements"]}
    assert set(makespan) == {"heft", "search"}
    assert makespan["search"] <= makespan["heft"]
    assert makespan["search"] >= figures["any_placement"]["lower_bound_seconds"] * (1 - 1e-9)


def test_there_are_six_public_graphs():
    assert len(list(cost_graphs.FOLDER.glob("*.txt"))) == 6


def test_bytes_are_those_of_the_plan():
    operands = ["f32[2000,2000]", "f32[2000,2000]"]
    tiles = ["--tile", "i=500,j=500,k=500"]
    planned = TESSERA.call("explain", MATMUL, *operands, *tiles, "--sites", 4, "--memory", "64GiB", "--workers", 8, "--json")
    by_site = json.loads(planned.stdout)["by_site"]
    figures = simulated(MATMUL, *operands, *tiles, "--cluster", "4x8c,10Gbps,64GiB")
    assert figures["moved_bytes"] == sum(site["bytes_in"] for site in by_site) > 0
    assert [site["bytes_in"] for site in figures["by_site"]] == [site["bytes_in"] for site in by_site]
    assert [site["bytes_out"] for site in figures["by_site"]] == [site["bytes_out"] for site in by_site]


def test_a_faster_network_is_no_slower():
    makespans = [simulated(MATMUL, "f32[4000,4000]", "f32[4000,4000]", "--tile", "i=1000,j=1000,k=1000",
                           "--cluster", f"4x8c,{rate},64GiB")["makespan_seconds"] for rate in ("1Gbps", "10Gbps", "100Gbps")]
    assert makespans == sorted(makespans, reverse=True)
    assert makespans[0] > 2 * makespans[2]
    in_bytes = simulated(MATMUL, "f32[4000,4000]", "f32[4000,4000]", "--tile", "i=1000,j=1000,k=1000",
                         "--cluster", "4x8c,1.25GB/s,64GiB")
    assert in_bytes["makespan_seconds"] == makespans[1]


def test_trace_has_every_task(tmp_path):
    figures = simulated(MATMUL, "f32[400,400]", "f32[400,400]", "--tile", "i=100,j=200,k=200", "--cluster", "2x2c",
                        "--trace", "trace.json", folder=tmp_path)
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    bars = [event for event in events if event["ph"] == "X"]
    assert len(bars) == figures["moves"] + sum(site["tasks"] for site in figures["by_site"])
    assert max(bar["ts"] + bar["dur"] for bar in bars) == pytest.approx(1e6 * figures["makespan_seconds"])


def partial_results_wait(events, site):
    """When the last join of a site ended, and when it began to send or merge what it joined."""
    tasks = [event for event in events if event["ph"] == "X"]
    joins = [event for event in tasks if event["pid"] == site and event["args"]["work"].startswith("gemm")]
    merges = [event for event in tasks if event["cat"] == "compute" and event["pid"] == site and event not in joins]
    sent = [event for event in tasks if event["cat"] == "move" and event["args"]["from"] == site]
    return max(event["ts"] + event["dur"] for event in joins), min(event["ts"] for event in merges), max(event["ts"] for event in sent)


def test_joins_first_merges_when_all_is_joined(tmp_path):
    program = (MATMUL, "f32[8000,8000]", "f32[8000,8000]", "--tile", "i=1000,j=1000,k=1000", "--planner", "rule2",
               "--cluster", "3x2c,10Gbps,64GiB", "--trace", "trace.json")
    at_once = simulated(*program, folder=tmp_path)
    joined, merged, _ = partial_results_wait(json.loads((tmp_path / "trace.json").read_text())["traceEvents"], 0)
    assert merged < joined
    joins_first = simulated(*program, "--joins-first", folder=tmp_path)
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    for site in range(3):
        joined, merged, sent = partial_results_wait(events, site)
        assert merged >= joined and sent >= joined
    assert joins_first["makespan_seconds"] > at_once["makespan_seconds"]
    assert joins_first["moved_bytes"] == at_once["moved_bytes"]
    assert [site["tasks"] for site in joins_first["by_site"]] == [site["tasks"] for site in at_once["by_site"]]


def test_joins_first_goes_from_round_to_round(tmp_path):
    """What reads merged tiles joins in the next round, what reads none in the first; and every task runs once."""
    (tmp_path / "chain.ein").write_text("input A[i,k], B[k,j], D[j,l]\nC[i,j] = sum[k] A[i,k] * B[k,j]\n"
                                        "m[i] = max[j] C[i,j]\nE[i,l] = sum[j] (C[i,j] - m[i]) * D[j,l]\noutput E\n")
    inputs = ["A=f32[400,400]", "B=f32[400,400]", "D=f32[400,400]", "--tile", "i=100,j=100,k=100,l=100"]
    for planner in ("rule2", "algebra", "hash"):
        chosen = ("chain.ein", *inputs, "--planner", planner, "--cluster", "3x2c")
        at_once, joins_first = (simulated(*chosen, *more, folder=tmp_path) for more in ([], ["--joins-first"]))
        assert [site["tasks"] for site in joins_first["by_site"]] == [site["tasks"] for site in at_once["by_site"]]
        assert joins_first["moved_bytes"] == at_once["moved_bytes"]
        path = joins_first["critical_path"]
        assert sum(seconds for name, seconds in path.items() if name != "activities") == pytest.approx(joins_first["makespan_seconds"])


def cpu_seconds_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


RACKS = """
[[sites]]
count = 1024
cores = 8
[network]
sites_per_rack = 32
rack_link = "100Gbps"
"""


@pytest.mark.slow
@pytest.mark.parametrize("cluster", ["1024x8c,10Gbps,64GiB", RACKS], ids=["switch", "racks"])
def test_many_tasks_on_many_sites(cluster, tmp_path):
    """132,064 tasks on 1,024 sites: 10 to 17 s with the planning on a core with nothing beside; 15 s for 100,000 are the aim."""
    if cluster == RACKS:
        (tmp_path / "racks.toml").write_text(RACKS)
        cluster = "racks.toml"
    before = cpu_seconds_of_children()
    figures = simulated(MATMUL, "f32[32000,32000]", "f32[32000,32000]", "--tile", "i=1000,j=1000,k=1000", "--planner", "algebra",
                        "--cluster", cluster, folder=tmp_path)
    assert figures["moves"] + sum(site["tasks"] for site in figures["by_site"]) > 100_000
    if "san.so" not in libraries():
        assert cpu_seconds_of_children() - before < 30  # a core that is shared is slower too


def test_no_other_command_loads_simgrid():
    assert "simgrid" not in libraries()


@pytest.mark.slow
@pytest.mark.parametrize("table", ["tra_3", "tra_5", "tra_7", "tra_8", "two_phase_2", "two_phase_3", "two_phase_4"])
def test_published_winners_win_when_simulated(table):
    """The papers' plans from their texts, so that it does not matter which planners there are."""
    done = subprocess.run(["/usr/bin/python3", PAPERS / "simulate_tables.py", "--texts", table], capture_output=True, text=True,
                          timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "same winner" in done.stdout


def test_video_is_joined_from_shifted_tiles(tmp_path):
    """The convolution of Two-phase Table 5: 224 join groups of eight tiles of 7.8 MB, as a plan of its relations."""
    extents = simulate_tables.WORKLOADS["video"]["extents"]
    tiles = simulate_tables.PLANS["convolution"]["tiles"]
    machine = simulate_tables.MACHINES["r5dn.2xlarge"]
    (tmp_path / "relations.tra").write_text(simulate_tables.convolution.relations(extents, tiles))
    (tmp_path / "cluster.toml").write_text(simulate_tables.cluster_text(machine, 2))
    figures = simulated("relations.tra", "--planner", "two-phase", "--cluster", "cluster.toml", folder=tmp_path)
    num_groups = 7 * 4 * 8
    num_read = 8 * 5 * 9 + 1  # with the border, and the kernels
    num_merged = num_groups - 1
    tasks = sum(site["tasks"] for site in figures["by_site"])
    assert tasks == num_read + 3 * num_groups + num_merged + 1
    flops = 2 * 70 * 1080 * 1920 * 3 * 27 * 10
    assert sum(site["compute_seconds"] for site in figures["by_site"]) > flops / machine["gemm"]
    halo = 8 * 5 * 10 * 270 * 240 * 3 * 4  # a face of the video, in tiles
    assert 0 < figures["moved_bytes"] < 2 * halo


# TRA Table 3: seconds of the products on r5d.2xlarge. By TRA's cost the three plans of the general one are a tie; what decides is
# that moves overlap with products, so that what a plan can begin with counts beside what it moves.
TABLE_3 = {("two_general", 5): {"BMM": 61.18, "CMM": 63.14, "RMM": 60.71},
           ("two_general", 10): {"BMM": 46.48, "CMM": 40.08, "RMM": 43.56},
           ("two_general", 15): {"BMM": 38.54, "CMM": 29.38, "RMM": 44.55},
           ("common_large", 5): {"BMM": 106.24, "CMM": 51.52, "RMM": 91.19},
           ("common_large", 10): {"BMM": 104.67, "CMM": 30.58, "RMM": 74.40},
           ("common_large", 15): {"BMM": 101.63, "CMM": 23.09, "RMM": 68.43},
           ("two_large", 5): {"BMM": 57.23, "CMM": 106.82, "RMM": 59.91},
           ("two_large", 10): {"BMM": 37.60, "CMM": 82.72, "RMM": 41.12},
           ("two_large", 15): {"BMM": 31.64, "CMM": 75.63, "RMM": 33.26}}


def product_seconds(workload, num_sites, plan, folder, is_chosen=False):
    """What the simulation says of a product with the cuts of the paper's plan; by its planner, or the one that is chosen."""
    family = simulate_tables.PLANS["product"]
    extents = simulate_tables.WORKLOADS[workload]["extents"]
    machine = simulate_tables.MACHINES["r5d.2xlarge"]
    tiles = simulate_tables.tile_lengths(family, family["plans"][plan], extents, num_sites)
    (folder / "cluster.toml").write_text(simulate_tables.cluster_text(machine, num_sites))
    planner = [] if is_chosen else ["--planner", family["plans"][plan]["planner"]]
    return simulated(PAPERS / family["program"], f"A=f32[{extents['i']},{extents['k']}]", f"B=f32[{extents['k']},{extents['j']}]",
                     "--tile", ",".join(f"{label}={length}" for label, length in tiles.items()),
                     "--cluster", "cluster.toml", *planner, folder=folder)["makespan_seconds"]


@pytest.mark.parametrize("num_sites", [10, 15])
def test_seconds_decide_a_tie_by_bytes_as_the_paper_measured(num_sites, tmp_path):
    measured = TABLE_3["two_general", num_sites]
    seconds = {plan: product_seconds("two_general", num_sites, plan, tmp_path) for plan in measured}
    # On 10 sites the paper has CMM 8 % before RMM; here they are within 2 %, so that only what is farther off is compared.
    slower = [plan for plan in measured if measured[plan] > 1.1 * measured["CMM"]]
    assert len(slower) == {10: 1, 15: 2}[num_sites]
    assert all(seconds["CMM"] < seconds[plan] for plan in slower), seconds


@pytest.mark.slow
@pytest.mark.parametrize("workload, num_sites", TABLE_3)
def test_the_choice_is_as_fast_as_the_product_measured_fastest(workload, num_sites, tmp_path):
    measured = TABLE_3[workload, num_sites]
    fastest = min(measured, key=measured.get)
    chosen = product_seconds(workload, num_sites, fastest, tmp_path, is_chosen=True)
    assert chosen <= 1.01 * product_seconds(workload, num_sites, fastest, tmp_path)


def test_figures_do_not_follow_from_the_code_that_a_host_keeps(tmp_path):
    for name in "xy":
        np.save(tmp_path / f"{name}.npy", np.ones(300, "f4"))
    chain = "((((x[i] - y[j]) * 0.5 + x[i]) * y[j] - 2) * x[i] + 0.25) * y[j]"
    (tmp_path / "p.ein").write_text(f"input x[i], y[j]\nS[i] = sum[j] {chain}\noutput S\n")
    kept = {"TESSERA_KERNEL_CACHE": str(tmp_path / "kept")}
    warm = command_line.Tessera(TESSERA.path, TESSERA.launcher, kept)
    done = warm.call("run", "p.ein", "x=x.npy", "y=y.npy", "--generate", "always", "--quiet", folder=tmp_path)
    assert done.exit_code == 0, done.describe()
    figures = []
    for tessera in (TESSERA, warm):
        told = tessera.call("simulate", "p.ein", "x=f32[3000]", "y=f32[3000]", "--cluster", "4x2c,10Gbps", "--json", folder=tmp_path)
        assert told.exit_code == 0, told.describe()
        figures.append({name: value for name, value in json.loads(told.stdout).items() if name != "planning_seconds"})
    assert figures[0] == figures[1]
