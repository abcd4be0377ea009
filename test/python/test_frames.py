"""A plan of more tasks than are made at once runs frame by frame: the bits, the bytes and the promises of one that is not."""
import json
import pathlib
import resource
import shutil
import subprocess

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
PROGRAM = """input A[i,k], B[k,j]
T[i,j] = sum[k] A[i,k] * B[k,j]
U[i,l] = sum[j] T[i,j] * B[l,j]
m[i] = max[l] U[i,l]
Y[i,l] = U[i,l] - m[i]
Z[i,j] = T[i,j] + sum[l] Y[i,l] * B[l,j]
output Z, m
"""
CUT = ["--tile", "i=10,j=12,k=9,l=9"]


def integers(*shape):
    return np.random.default_rng(len(shape)).integers(-3, 4, shape).astype("f8")


INPUTS = {"A": integers(40, 36), "B": integers(36, 48)}
TYPES = ["A=f64[40,36]", "B=f64[36,48]"]


@pytest.fixture(name="program")
def written_program(tmp_path):
    path = tmp_path / "p.ein"
    path.write_text(PROGRAM)
    return path


def run(program, folder, *options):
    done, seen = TESSERA.run_program(program, INPUTS, ["Z", "m"], folder, *CUT, *options)
    assert done.exit_code == 0, done.describe()
    return done, seen


def wanted():
    made = INPUTS["A"] @ INPUTS["B"]
    product = made @ INPUTS["B"].T
    largest = product.max(axis=1)
    return {"Z": made + (product - largest[:, None]) @ INPUTS["B"], "m": largest}


@pytest.mark.parametrize("sites", [1, 3])
@pytest.mark.parametrize("frame_tasks", [1, 200])
def test_the_bits_are_those_of_one_frame_and_the_moves_what_was_said(program, sites, frame_tasks, tmp_path):
    placed = ["--sites", sites] + (["--planner", "two-phase"] if sites > 1 else [])
    whole, _ = run(program, tmp_path, *placed, "--analyze", "--json")
    done, seen = run(program, tmp_path, *placed, "--frame-tasks", frame_tasks, "--analyze", "--json")
    assert all(np.array_equal(seen[name], wanted()[name]) for name in seen)
    one, report = json.loads(whole.stdout), json.loads(done.stdout)
    assert report["frames"] > one["frames"] == 1
    assert report["flops"] == one["flops"]
    for site in report.get("by_site", []):
        assert site["actual_bytes_in"] == site["bytes_in"] and site["actual_bytes_out"] == site["bytes_out"]
    # What is left is written once and read.
    left = [file for file in report["files"] if ".left" in file["name"]]
    assert {file["direction"] for file in left} == {"read", "write"}


def test_every_frame_is_a_plan_that_can_be_read_back(program, tmp_path):
    planned = TESSERA.call("explain", program, *TYPES, *CUT, "--frame-tasks", "1", "--stage", "tasks")
    frames = planned.stdout.replace("# seconds by built-in rates\n", "").split("# frame ")[1:]
    assert len(frames) > 2, planned.describe()
    for number, frame in enumerate(frames):
        (tmp_path / "frame").write_text("# frame " + frame)
        again = TESSERA.call("explain", "frame", "--stage", "tasks", folder=tmp_path)
        assert again.stdout.splitlines() == frame.splitlines()[1:], (number, again.describe())


def test_frames_are_texts_of_their_own(program, tmp_path):
    planned = TESSERA.call("explain", program, *TYPES, *CUT, "--frame-tasks", "1", "--stage", "tasks")
    (tmp_path / "all").write_text(planned.stdout)
    refused = TESSERA.call("explain", "all", folder=tmp_path)
    assert refused.exit_code == 1 and "each frame is a text by itself" in refused.stderr, refused.describe()


def test_the_smallest_budget_is_that_of_the_frame_that_needs_most(program, tmp_path):
    reports = TESSERA.call("explain", program, *TYPES, *CUT, "--frame-tasks", "1", "--workers", "1", "--json")
    least = json.loads(reports.stdout)["candidates"][0]["smallest_budget"]
    done, seen = run(program, tmp_path, "--frame-tasks", "1", "--workers", "1", "--memory", least)
    assert all(np.array_equal(seen[name], wanted()[name]) for name in seen), done.describe()
    # However little there is, all frames are looked at before one is refused.
    for memory in (least - 64, 64):
        refused, _ = TESSERA.run_program(program, INPUTS, ["Z"], tmp_path, *CUT, "--frame-tasks", "1", "--workers", "1",
                                         "--memory", memory)
        assert refused.exit_code == 1 and f"({least} bytes)" in refused.stderr, refused.describe()


def test_nothing_is_left_behind_in_the_spill_directory(program, tmp_path):
    spill = tmp_path / "spill"
    spill.mkdir()
    run(program, tmp_path, "--frame-tasks", "1", "--spill-dir", spill)
    assert not list(pathlib.Path(spill).iterdir())


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="no mpirun here")
@pytest.mark.parametrize("processes", [2, 3])
def test_processes_run_the_frames_of_one(program, processes, tmp_path):
    spill = tmp_path / "spill"
    spill.mkdir()
    _, one = run(program, tmp_path, "--frame-tasks", "40")
    launched = TESSERA.under_mpirun(processes)
    done, seen = launched.run_program(program, INPUTS, ["Z", "m"], tmp_path, *CUT, "--frame-tasks", "40", "--spill-dir", spill)
    assert done.exit_code == 0, done.describe()
    assert all(np.array_equal(seen[name], one[name]) for name in one)
    assert not list(spill.iterdir())


def test_a_trace_and_a_simulation_have_the_tasks_of_all_frames(program, tmp_path):
    run(program, tmp_path, "--frame-tasks", "1", "--trace", tmp_path / "trace.json")
    bars = [event for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if event["ph"] == "X"]
    planned = json.loads(TESSERA.call("explain", program, *TYPES, *CUT, "--frame-tasks", "1", "--json").stdout)
    assert [bar["args"]["task"] for bar in bars] == list(range(planned["tasks"]))
    simulated = TESSERA.call("simulate", program, *TYPES, *CUT, "--cluster", "2x2c,10Gbps,1GiB",
                             "--planner", "grid", "--frame-tasks", "1", "--json", "--trace", "what_if.json", folder=tmp_path)
    report = json.loads(simulated.stdout)
    bars = [event for event in json.loads((tmp_path / "what_if.json").read_text())["traceEvents"] if event["ph"] == "X"]
    assert len(bars) == sum(site["tasks"] for site in report["by_site"]) + report["moves"]
    assert max(bar["ts"] + bar["dur"] for bar in bars) == pytest.approx(1e6 * report["makespan_seconds"])
    assert report["lower_bound"]["seconds"] <= report["makespan_seconds"]


def test_a_full_disk_names_the_directory_of_what_frames_leave(program, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # bytes a file may grow to; what is left takes 15 KB

    command = [TESSERA.path, "run", program, *(f"{name}={name}.npy" for name in INPUTS), *CUT, "--frame-tasks", "1", "--spill-dir", tmp_path]
    for name, array in INPUTS.items():
        np.save(tmp_path / f"{name}.npy", array)
    done = subprocess.run([str(word) for word in command], cwd=tmp_path, preexec_fn=limit, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert f"what parts of the plan leave for each other does not go into {tmp_path}: " in done.stderr, done.stderr
    assert "File too large" in done.stderr and "--spill-dir" in done.stderr, done.stderr
