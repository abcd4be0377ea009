"""Every planner of placements, on several sites: the bits of one site, the bytes that were predicted, and the memory that
the plan says, to the last tile."""
import json
import pathlib
import re

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PLANNERS = ["grid", "algebra", "two-phase", "rule1", "rule2", "hash", "bmm", "cmm", "rmm", "3d"]
SMALLEST = re.compile(r"the smallest that it runs under is .*?\((\d+) bytes\)")


def integers(*shape):
    return np.random.default_rng(len(shape)).integers(-3, 4, shape).astype("f8")


# Small integers, so that no sum rounds: relu and where keep them whole.
PROGRAMS = {
    "matmul.ein": ({"A": integers(48, 40), "B": integers(40, 56)}, ["C"], "i=16,j=14,k=10"),
    "training_step.ein": ({"X": integers(24, 6), "Y": integers(24, 4), "W": integers(6, 10), "V": integers(10, 4)},
                          ["new_V", "new_W"], "n=6,h=5"),
    "shortest_paths.ein": ({"W": integers(20, 20)}, ["four"], "i=5,j=10"),
}


def run(program, folder, *options):
    inputs, outputs, tile = PROGRAMS[program]
    rate = ["-D", "rate=1"] if program == "training_step.ein" else []
    return TESSERA.run_program(EXAMPLES / program, inputs, outputs, folder, "--tile", tile, *rate, *options)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("planner", PLANNERS)
def test_a_planner_gives_the_bits_of_one_site_and_moves_what_it_says(program, planner, tmp_path):
    done, wanted = run(program, tmp_path)
    assert done.exit_code == 0, done.describe()
    for sites in (2, 3, 7):
        done, seen = run(program, tmp_path, "--sites", sites, "--planner", planner, "--workers", "2", "--analyze", "--json")
        assert done.exit_code == 0, done.describe()
        assert all(np.array_equal(seen[name], wanted[name]) for name in wanted), (planner, sites)
        report = json.loads(done.stdout)
        assert len(report["by_site"]) == sites
        for site in report["by_site"]:
            assert site["actual_bytes_in"] == site["bytes_in"] and site["actual_bytes_out"] == site["bytes_out"]
        moved = sum(site["actual_bytes_in"] for site in report["by_site"])
        assert moved == sum(site["actual_bytes_out"] for site in report["by_site"])
        assert moved == report["placement"]["bytes_between_sites"]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("planner", PLANNERS)
def test_inputs_read_again_change_no_bits_and_move_no_more(program, planner, tmp_path):
    options = ["--sites", 3, "--planner", planner, "--workers", "2", "--analyze", "--json"]
    done, wanted = run(program, tmp_path, *options)
    moved = json.loads(done.stdout)["placement"]["bytes_between_sites"]
    done, seen = run(program, tmp_path, *options, "--read-again")
    assert done.exit_code == 0, done.describe()
    assert all(np.array_equal(seen[name], wanted[name]) for name in wanted)
    report = json.loads(done.stdout)
    counted = sum(site["actual_bytes_in"] for site in report["by_site"])
    assert counted == report["placement"]["bytes_between_sites"] <= moved
    assert "lower_bound_bytes" not in report["placement"]  # it is of inputs that one site has


def placed(*arguments):
    done = TESSERA.call("explain", "ij,jk->ik", *arguments, "--sites", 2, "--planner", "bmm", "--read-again", "--stage", "ia")
    assert done.exit_code == 0, done.describe()
    return done.stdout


def test_what_all_need_is_read_by_all_and_said():
    text = placed("f32[4000,600]", "f32[600,500]", "--tile", "i=500")
    assert "input x2 at=everywhere" in text and "bcast" not in text
    assert "x2 is read by every site that needs it: 1.14 MiB do not move" in text
    assert "# between sites: 0 bytes" in text


def test_what_falls_into_many_runs_of_its_file_is_moved():
    """4000 runs of 40 bytes a tile take longer than to send it."""
    text = placed("f32[4000,1000]", "f32[1000,8000]", "--tile", "j=10,k=4000")
    assert "bcast" in text and "read by every site" not in text


def test_a_plan_whose_moves_say_other_bytes_is_refused(tmp_path):
    inputs, _, tile = PROGRAMS["matmul.ein"]
    types = [f"{name}=f64[{','.join(map(str, array.shape))}]" for name, array in inputs.items()]
    planned = TESSERA.call("explain", EXAMPLES / "matmul.ein", *types, "--sites", "2", "--planner", "hash", "--tile", tile,
                           "--stage", "tasks")
    text, count = re.subn(r"(= move\(.* bytes=)(\d+)", r"\g<1>8", planned.stdout, count=1)
    assert count == 1, planned.describe()
    (tmp_path / "plan").write_text(text)
    refused = TESSERA.call("explain", "plan", folder=tmp_path)
    assert refused.exit_code == 1 and "it moves 8 bytes, its tile has " in refused.stderr, refused.describe()


@pytest.mark.parametrize("planner", PLANNERS)
def test_a_plan_runs_under_its_smallest_budget_and_no_smaller_one(planner, tmp_path):
    options = ["--sites", "3", "--planner", planner, "--workers", "1"]
    refused, _ = run("matmul.ein", tmp_path, *options, "--memory", "64")
    assert refused.exit_code == 1 and "on its site s" in refused.stderr, refused.describe()
    least = int(SMALLEST.search(refused.stderr).group(1))
    below, _ = run("matmul.ein", tmp_path, *options, "--memory", str(least - 64))
    assert below.exit_code == 1 and SMALLEST.search(below.stderr).group(1) == str(least), below.describe()
    done, seen = run("matmul.ein", tmp_path, *options, "--memory", str(least))
    assert done.exit_code == 0, done.describe()
    inputs = PROGRAMS["matmul.ein"][0]
    assert np.array_equal(seen["C"], inputs["A"] @ inputs["B"])


def test_sites_share_a_sum_rather_than_read_short_rows():
    """Of a flat result each site adds up what it has: its rows of B are whole, where columns would be read in pieces of 8 KB."""
    done = TESSERA.call("explain", "ik,kj->ij", "f32[39,3947]", "f32[3947,4268]", "--sites", "2", "--workers", "1", "--json")
    [product] = json.loads(done.stdout)["vertices"]
    assert product["partition_vector"]["j"] == 1 and product["partition_vector"]["k"] % 2 == 0
