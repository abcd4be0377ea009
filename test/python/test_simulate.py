"""`tessera simulate`: the public graphs, many tasks on many sites, traces, and what the other commands do not pay."""
import json
import os
import pathlib
import resource
import subprocess

import pytest

import command_line
import cost_graphs

TESSERA = command_line.from_environment()
MATMUL = "ij,jk->ik"
PAPERS = pathlib.Path(__file__).resolve().parents[2] / "bench/papers"


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


def test_trace_has_every_task(tmp_path):
    figures = simulated(MATMUL, "f32[400,400]", "f32[400,400]", "--tile", "i=100,j=200,k=200", "--cluster", "2x2c",
                        "--trace", "trace.json", folder=tmp_path)
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    bars = [event for event in events if event["ph"] == "X"]
    assert len(bars) == figures["moves"] + sum(site["tasks"] for site in figures["by_site"])
    assert max(bar["ts"] + bar["dur"] for bar in bars) == pytest.approx(1e6 * figures["makespan_seconds"])


def cpu_seconds_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_many_tasks_on_many_sites():
    """132,064 tasks on 1,024 sites; 10 s with the planning on a core with nothing beside, where 15 s are the aim."""
    before = cpu_seconds_of_children()
    figures = simulated(MATMUL, "f32[32000,32000]", "f32[32000,32000]", "--tile", "i=1000,j=1000,k=1000", "--planner", "algebra",
                        "--cluster", "1024x8c,10Gbps,64GiB")
    assert figures["moves"] + sum(site["tasks"] for site in figures["by_site"]) > 100_000
    if "san.so" not in libraries():
        assert cpu_seconds_of_children() - before < 30  # a core that is shared is slower too


def test_no_other_command_loads_simgrid():
    assert "simgrid" not in libraries()


@pytest.mark.parametrize("table", ["tra_3", "tra_5", "tra_7", "tra_8"])
def test_published_winners_win_when_simulated(table):
    """The papers' plans from their texts, so that it does not matter which planners there are."""
    done = subprocess.run(["/usr/bin/python3", PAPERS / "simulate_tables.py", "--texts", table], capture_output=True, text=True,
                          timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "same winner" in done.stdout
