"""The command line as a user meets it: streams, exit codes, files, and plans that are programs too."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import numpy as np
import pytest

import command_line

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
TESSERA = command_line.from_environment()
STAGES = ["einsum", "optimized", "tra", "ia", "tasks"]


@pytest.fixture
def matrices(tmp_path):
    """A.npy and B.npy of small integers in the folder that the calls run in."""
    A, B = np.arange(12.0).reshape(3, 4) - 5, np.arange(20.0).reshape(4, 5) - 7
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "B.npy", B)
    return A, B


def call(tmp_path, *arguments, exit_code=0):
    done = TESSERA.call(*arguments, folder=tmp_path)
    assert done.exit_code == exit_code, done.describe()
    return done


def with_environment(**values):
    return command_line.Tessera(TESSERA.path, environment=values)


def numbers_in(printed):
    """The elements of a printed tensor, in order."""
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", printed)]


def test_small_results_are_printed(matrices, tmp_path):
    done = call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "--quiet")
    A, B = matrices
    assert numbers_in(done.stdout) == (A @ B).ravel().tolist()
    assert done.stderr == ""


def test_a_result_without_elements_is_printed_as_such(tmp_path):
    np.lib.format.open_memmap(tmp_path / "X.npy", "w+", "f4", (0, 1_000_000_000))
    assert call(tmp_path, "einsum", "ij->ji", "X.npy", "--quiet").stdout == "[]\n"


def test_results_go_to_the_named_file(matrices, tmp_path):
    call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "-o", "C.npy")
    A, B = matrices
    assert np.array_equal(np.load(tmp_path / "C.npy"), A @ B)


def test_join_and_aggregate(matrices, tmp_path):
    call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "--join", "abs(x-y)", "--agg", "max", "-o", "C.npy")
    A, B = matrices
    assert np.array_equal(np.load(tmp_path / "C.npy"), np.abs(A[:, :, None] - B).max(1))


def test_one_output_needs_no_name(matrices, tmp_path):
    call(tmp_path, "run", EXAMPLES / "matmul.ein", "A=A.npy", "B=B.npy", "-o", "C.npy")
    A, B = matrices
    assert np.array_equal(np.load(tmp_path / "C.npy"), A @ B)


def test_more_inputs_than_files_are_open_at_first(tmp_path):
    names = [f"x{number}" for number in range(100)]
    np.save(tmp_path / "x.npy", np.arange(3.0))
    (tmp_path / "sum.ein").write_text("input " + ", ".join(f"{name}[i]" for name in names) + "\n"
                                      + "Y[i] = " + " + ".join(f"{name}[i]" for name in names) + "\noutput Y\n")
    command = f"ulimit -Sn 32; {TESSERA.path} run sum.ein {' '.join(f'{name}=x.npy' for name in names)} --quiet -o Y=Y.npy"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert np.array_equal(np.load(tmp_path / "Y.npy"), 100 * np.arange(3.0))


def test_results_are_brought_to_the_disk_on_request(matrices, tmp_path):
    call(tmp_path, "run", EXAMPLES / "matmul.ein", "A=A.npy", "B=B.npy", "-o", "C.npy", "--sync")
    call(tmp_path, "run", EXAMPLES / "matmul.ein", "A=A.npy", "B=B.npy", "-o", "C.npz", "--sync")
    A, B = matrices
    assert np.array_equal(np.load(tmp_path / "C.npy"), A @ B)
    assert np.array_equal(np.load(tmp_path / "C.npz")["C"], A @ B)


def test_parameters(tmp_path):
    np.save(tmp_path / "A.npy", np.arange(4.0))
    (tmp_path / "scale.ein").write_text("# Scales.\ninput A[i]\nparam factor = 2\nB[i] = factor * A[i]\noutput B\n")
    for options, factor in (([], 2), (["-D", "factor=0.5"], 0.5), (["-D", "factor=-3"], -3)):
        call(tmp_path, "run", "scale.ein", "A=A.npy", "-o", "B.npy", *options)
        assert np.array_equal(np.load(tmp_path / "B.npy"), factor * np.arange(4.0))


def test_bf16_operands(tmp_path):
    values = np.array([[1, -2, 0.5], [3, 32, -0.25]], np.float32)  # these and their sums have 8 bits
    np.save(tmp_path / "A.npy", (values.view(np.uint32) >> 16).astype(np.uint16))
    done = call(tmp_path, "einsum", "ij->i", "bf16:A.npy", "--quiet")
    assert numbers_in(done.stdout) == values.sum(1).tolist()


def test_analyze_says_what_the_steps_took(matrices, tmp_path):
    done = call(tmp_path, "run", EXAMPLES / "matmul.ein", "A=A.npy", "B=B.npy", "-o", "C.npy", "--analyze")
    lines = done.stdout.splitlines()
    files_at = next(at for at, line in enumerate(lines) if line.startswith("file"))
    rows = {row.split()[0]: row for row in lines[1:files_at]}
    assert list(rows) == ["A", "B", "C", "total"]
    files = [row.split()[:6] for row in lines[files_at + 1:files_at + 4]]
    assert files == [["A", "read", "1", "96", "bytes", "1"], ["B", "read", "1", "160", "bytes", "1"],
                     ["C", "write", "1", "120", "bytes", "1"]]
    assert re.search(r" 2 +1 +0 +120 +496 bytes ", rows["C"]) and rows["C"].endswith(", write")  # a product and its file
    assert re.search(r" 4 +3 +0 +120 +752 bytes ", rows["total"])
    assert re.fullmatch(r"planned in [\d.]+ \w+ by built-in rates, ran in [\d.]+ \w+, peak 448 bytes", lines[-1])


def test_analyze_says_what_files_took(matrices, tmp_path):
    done = call(tmp_path, "run", EXAMPLES / "matmul.ein", "A=A.npy", "B=B.npy", "-o", "C.npy", "--tile", "k=1", "--analyze",
                "--json")
    report = json.loads(done.stdout)
    A = np.load(tmp_path / "A.npy")
    files = {(file["name"], file["direction"]): file for file in report["files"]}
    assert set(files) == {("A", "read"), ("B", "read"), ("C", "write")}
    assert files["A", "read"]["runs"] == A.size and files["A", "read"]["bytes"] == A.nbytes
    assert all(file["estimated_seconds"] > 0 and file["actual_seconds"] > 0 for file in report["files"])
    actual = report["actual"]
    assert np.isclose(actual["run_seconds"], actual["execution_seconds"][0] + actual["waiting_seconds"])
    assert actual["commit_seconds"] > 0


@pytest.mark.parametrize("order", ["C", "F"])
def test_runs_of_bytes_follow_the_order_of_a_file(order, tmp_path):
    np.save(tmp_path / "X.npy", np.asarray(np.arange(12.0).reshape(3, 4), order=order))
    done = call(tmp_path, "einsum", "ij->ij", "X.npy", "--tile", "i=1", "-o", "Y.npy", "--analyze", "--json")
    [read, written] = json.loads(done.stdout)["files"]
    assert (read["runs"], written["runs"]) == ({"C": 3, "F": 12}[order], 3)


def test_version_and_help(tmp_path):
    assert re.fullmatch(r"tessera \d+\.\d+\.\d+\n", call(tmp_path, "--version").stdout)
    usage = {(): ["einsum", "run", "explain"], ("einsum",): ["equation", "--join", "--agg", "--output"],
             ("run",): ["program", "--define", "--output"], ("explain",): ["program", "--stage", "--why", "--steps"]}
    for command, words in usage.items():
        printed = call(tmp_path, *command, "--help").stdout
        assert [word for word in words if word not in printed] == []


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["einsum"], ["einsum", "i->i", "A.npy", "--nonsense"],
                                       ["explain", "a.ein", "--stage", "nonsense"]])
def test_usage_is_exit_code_2(arguments, tmp_path):
    done = call(tmp_path, *arguments, exit_code=2)
    assert done.stdout == "" and done.stderr != ""


def test_an_error_leaves_no_file(matrices, tmp_path):
    call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "A.npy", "-o", "C.npy", exit_code=1)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["A.npy", "B.npy"]


def test_an_error_leaves_the_old_file(matrices, tmp_path):
    call(tmp_path, "einsum", "ij->ji", "A.npy", "-o", "C.npy")
    call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "A.npy", "-o", "C.npy", exit_code=1)
    assert np.array_equal(np.load(tmp_path / "C.npy"), matrices[0].T)


@pytest.mark.parametrize("tiles", [[], ["--tile", "i=2,j=3,k=1"]], ids=["whole", "tiled"])
@pytest.mark.parametrize("stage", STAGES)
def test_a_printed_stage_is_a_program(stage, tiles, matrices, tmp_path):
    shapes = ["A=f64[3,4]", "B=f64[4,5]"]
    printed = call(tmp_path, "explain", EXAMPLES / "matmul.ein", *shapes, "--stage", stage, *tiles).stdout
    (tmp_path / "plan").write_text(printed)
    # A plan's text has the seconds of its tasks, and not by which rates they are.
    assert call(tmp_path, "explain", "plan", "--stage", stage).stdout == printed.replace("# seconds by built-in rates\n", "")
    call(tmp_path, "run", "plan", "A=A.npy", "B=B.npy", "-o", "C.npy")
    A, B = matrices
    assert np.array_equal(np.load(tmp_path / "C.npy"), A @ B)


@pytest.mark.parametrize("stage", STAGES)
def test_a_printed_stage_keeps_the_inputs_that_nothing_reads(stage, matrices, tmp_path):
    (tmp_path / "program.ein").write_text("input A[i,k], B[k,j], unread[i]\nC[i,j] = sum[k] A[i,k] * B[k,j]\noutput C\n")
    shapes = ["A=f64[3,4]", "B=f64[4,5]", "unread=f64[3]"]
    (tmp_path / "plan").write_text(call(tmp_path, "explain", "program.ein", *shapes, "--stage", stage).stdout)
    np.save(tmp_path / "unread.npy", np.ones(3))
    call(tmp_path, "run", "plan", "A=A.npy", "B=B.npy", "unread=unread.npy", "-o", "C.npy")
    A, B = matrices
    assert np.array_equal(np.load(tmp_path / "C.npy"), A @ B)


@pytest.mark.parametrize("stage", ["tra", "ia", "tasks"])
def test_a_printed_plan_for_several_sites_is_run(stage, matrices, tmp_path):
    shapes = ["A=f64[3,4]", "B=f64[4,5]"]
    explain = ["explain", EXAMPLES / "matmul.ein", *shapes, "--tile", "i=2", "--sites", "4", "--stage"]
    printed = call(tmp_path, *explain, stage).stdout
    assert ("site space=m3" in printed) == (stage == "tasks") and ("ia sites=4" in printed) == (stage == "ia")
    (tmp_path / "plan").write_text(printed)
    call(tmp_path, "run", "plan", "A=A.npy", "B=B.npy", "-o", "C.npy")
    A, B = matrices
    assert np.array_equal(np.load(tmp_path / "C.npy"), A @ B)


def test_several_sites_compute_the_bits_of_one_and_move_what_was_predicted(tmp_path):
    draw = np.random.default_rng(5)
    A, B = (draw.integers(-4, 5, shape).astype("f4") for shape in ((120, 90), (90, 70)))
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "B.npy", B)
    for sites in (1, 2, 3, 4, 8):
        command = ["einsum", "ik,kj->ij", "A.npy", "B.npy", "--sites", str(sites), "--tile", "i=40,j=20,k=30", "--planner", "grid"]
        done = call(tmp_path, *command, "--memory", "1MiB", "--analyze", "--json", "-o", "C.npy")
        assert np.array_equal(np.load(tmp_path / "C.npy"), A @ B)
        report = json.loads(done.stdout)
        assert report["sites"] == sites
        if sites > 1:
            moved = sum(site["bytes_in"] for site in report["by_site"])
            assert 0 < moved == sum(site["bytes_out"] for site in report["by_site"])
            [chosen] = [plan for plan in report["candidates"] if plan["fate"] == "chosen"]
            assert moved == chosen["moved_bytes"]


def test_each_site_has_the_budget(tmp_path):
    np.save(tmp_path / "A.npy", np.ones((64, 64)))
    command = ["einsum", "ik,kj->ij", "A.npy", "A.npy", "--sites", "4", "--tile", "i=16,j=16,k=16", "-o", "C.npy"]
    refused = call(tmp_path, *command, "--memory", "1KiB", exit_code=1).stderr
    least = int(re.search(r"on its site s0: the smallest that it runs under is \S+ KiB \((\d+) bytes\)", refused).group(1))
    call(tmp_path, *command, "--memory", str(least - 64), exit_code=1)
    done = call(tmp_path, *command, "--memory", str(least))
    assert "at once in each of 4 spaces" in done.stderr, done.describe()
    assert np.array_equal(np.load(tmp_path / "C.npy"), np.full((64, 64), 64.0))


def test_an_equation_is_explained_like_a_program(matrices, tmp_path):
    planned = call(tmp_path, "explain", "ij,jk->ik", "A.npy", "f64[4,5]", "--stage", "einsum").stdout
    assert "input A : f64[i=3,j=4]" in planned and "input x2 : f64[j=4,k=5]" in planned and "sum[j]" in planned
    named = call(tmp_path, "explain", "ij,jk->ik", "P=A.npy", "Q=f64[4,5]", "--stage", "einsum").stdout
    assert "input P" in named and "input Q" in named
    distance = call(tmp_path, "explain", "ij,jk->ik", "f64[3,4]", "f64[4,5]", "--join", "abs(x-y)", "--agg", "max", "--stage", "einsum")
    assert "max[j] abs(" in distance.stdout
    assert "sum" in call(tmp_path, "explain", "->".join(["ij", ""]), "f32[3,4]", "--stage", "einsum").stdout
    assert "input x1 : f32[i=3,j=4]" in call(tmp_path, "explain", "ij", "f32[3,4]", "--stage", "einsum").stdout
    twice = call(tmp_path, "explain", "ij,ij->", "A.npy", "A.npy", "--stage", "einsum").stdout
    assert "input A :" in twice and "input A_2 :" in twice
    assert "cannot read nothing" in call(tmp_path, "explain", "nothing", "A=f32[3]", exit_code=1).stderr
    wrong = call(tmp_path, "explain", EXAMPLES / "matmul.ein", "A=f64[3,4]", "B=f64[4,5]", "--join", "x+y", exit_code=1)
    assert "--join and --agg belong to an equation" in wrong.stderr


def test_candidates_are_listed_with_their_fate(tmp_path):
    explain = ["explain", EXAMPLES / "softmax.ein", "X=f32[4000,600]", "--workers", "2"]
    alone = call(tmp_path, *explain, "--memory", "64MiB", "--candidates").stdout.splitlines()
    assert alone[0] == "1 candidate for a memory budget of 64 MiB and 2 workers:" and alone[2].endswith("  chosen")
    table = call(tmp_path, *explain, "--memory", "512KiB", "--candidates").stdout
    assert "  does not fit\n" in table and table.count("  chosen") == 1
    tried = json.loads(call(tmp_path, *explain, "--memory", "512KiB", "--json").stdout)["candidates"]
    assert len(tried) == len(table.splitlines()) - 2
    assert tried[0]["most_call_bytes"] is None and tried[0]["fate"] == "does not fit"
    assert tried[0]["smallest_budget"] > 512 << 10 >= next(t for t in tried if t["fate"] == "chosen")["smallest_budget"]
    (tmp_path / "plan").write_text(call(tmp_path, *explain, "--stage", "tra").stdout)
    assert "nothing was chosen" in call(tmp_path, "explain", "plan", "--candidates", exit_code=1).stderr
    assert "leave out" in call(tmp_path, *explain, "--candidates", "--stage", "tra", exit_code=1).stderr


def test_candidates_on_several_sites_say_what_they_move(tmp_path):
    explain = ["explain", EXAMPLES / "matmul.ein", "A=f64[600,400]", "B=f64[400,500]", "--tile", "j=100", "--sites", "4"]
    options = ["--memory", "1GiB", "--workers", "2"]
    head, columns, *rows, bound = call(tmp_path, *explain, *options, "--candidates").stdout.splitlines()
    assert head == "3 candidates for 4 sites, each with a memory budget of 1 GiB and 2 workers:"
    assert "placed by" in columns and "moved between sites" in columns
    assert bound.startswith("lower bound: ") and bound.endswith(" between sites, if each does 1/4 of every statement")
    assert [row.split()[2] for row in rows] == ["grid", "algebra", "two-phase"]
    assert sum(row.endswith("  chosen") for row in rows) == 1
    tried = json.loads(call(tmp_path, *explain, *options, "--json").stdout)["candidates"]
    assert [plan["places"] for plan in tried] == ["grid", "algebra", "two-phase"]
    assert all(plan["moved_bytes"] >= 0 and plan["tasks"] > 0 for plan in tried)
    soonest = min(plan["expected_seconds"] for plan in tried)
    chosen = next(plan for plan in tried if plan["fate"] == "chosen")
    assert chosen["expected_seconds"] <= 1.02 * soonest  # of those that end as soon the one that moves least
    as_soon = [plan for plan in tried if plan["expected_seconds"] <= chosen["expected_seconds"]]
    assert all(chosen["moved_bytes"] <= plan["moved_bytes"] for plan in as_soon)
    [whole] = [plan for plan in tried if plan["times_lower_bound"] < 1]  # all on one site: no even share
    assert whole["moved_bytes"] == 0 and whole["fate"] == "chosen"
    # One planner that is named is the one candidate.
    (named,) = json.loads(call(tmp_path, *explain, "--planner", "hash", "--json").stdout)["candidates"]
    assert named["places"] == "hash" and named["fate"] == "chosen"
    # What moves so much that it surely ends later has no tasks: whole tall matrices where their product is small.
    tall = ["explain", "na,nb->ab", "f64[20000,200]", "f64[20000,200]", "--sites", "2", "--workers", "8", "--memory", "8GiB"]
    beaten = {plan["places"]: plan for plan in json.loads(call(tmp_path, *tall, "--json").stdout)["candidates"]}
    assert beaten["grid"]["fate"] == "chosen" and "tasks" not in beaten["algebra"] and "moved_bytes" not in beaten["algebra"]
    assert beaten["algebra"]["least_seconds"] > 1.02 * beaten["grid"]["expected_seconds"]
    assert beaten["algebra"]["least_moved_bytes"] > beaten["grid"]["moved_bytes"]
    assert "cannot end sooner than 0.0128 s, as it moves at least 30.5 MiB" in call(tmp_path, *tall, "--candidates").stdout
    # So many sites have a placement and no tasks.
    many = json.loads(call(tmp_path, *explain[:-1], "2000", "--json").stdout)["candidates"]
    assert all("tasks" not in plan and plan["moved_bytes"] >= 0 for plan in many if plan["fate"] == "chosen")


@pytest.mark.parametrize("sites", ["16385", "1048577", "4294967297", "99999999999999"])
def test_more_sites_than_a_plan_has_are_refused(sites, tmp_path):
    done = TESSERA.call("explain", EXAMPLES / "matmul.ein", "A=f32[4,4]", "B=f32[4,4]", "--sites", sites, "--stage", "ia", folder=tmp_path)
    assert done.exit_code == 1 and f"{sites} sites: a plan is for 1 to 16384 sites" in done.stderr, done.describe()


@pytest.mark.parametrize("stage", STAGES)
def test_other_formats(stage, tmp_path):
    arguments = ["explain", EXAMPLES / "softmax.ein", "X=f32[40,6]", "--tile", "i=25", "--stage", stage, "--format"]
    json.loads(call(tmp_path, *arguments, "json").stdout)
    assert call(tmp_path, *arguments, "dot").stdout.startswith("digraph")


def test_the_same_call_prints_the_same_plan(tmp_path):
    arguments = ["explain", EXAMPLES / "kmeans_step.ein", "points=f64[100,3]", "centres=f64[5,3]", "--stage", "all"]
    assert call(tmp_path, *arguments).stdout == call(tmp_path, *arguments).stdout


def test_kernels_give_equal_bits(matrices, tmp_path):
    call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "-o", "C.npy", "--kernel", "reference")
    A, B = matrices
    assert np.array_equal(np.load(tmp_path / "C.npy"), A @ B)


def test_json_is_one_object_with_a_time_for_every_run(matrices, tmp_path):
    done = call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "--analyze", "--json", "--repeat", "3")
    report = json.loads(done.stdout)
    assert report["flops"] == 2 * 3 * 4 * 5
    for figure in ("tasks", "tiles"):
        assert report[figure] == sum(statement[figure] for statement in report["statements"]) > 0
    assert len(report["actual"]["execution_seconds"]) == 3
    assert all(seconds > 0 for seconds in report["actual"]["execution_seconds"])


def test_json_wants_analyze(matrices, tmp_path):
    call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "--json", exit_code=2)


def test_a_trace_has_a_bar_for_every_task(matrices, tmp_path):
    done = call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "--tile", "j=2", "--analyze", "--json",
                "--trace", "trace.json")
    bars = [event for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if event["ph"] == "X"]
    assert [bar["args"]["task"] for bar in bars] == list(range(json.loads(done.stdout)["tasks"]))
    assert all(bar["dur"] >= 0 for bar in bars)


def overlaps_in_rows(events):
    """Bars that begin before the one before them in their row has ended, by nanoseconds."""
    rows = {}
    for event in events:
        if event["ph"] == "X":
            begin, length = round(1e3 * event["ts"]), round(1e3 * event["dur"])
            rows.setdefault((event["pid"], event["tid"]), []).append((begin, begin + length))
    return [pair for row in rows.values() for pair in zip(sorted(row), sorted(row)[1:]) if pair[1][0] < pair[0][1]]


@pytest.mark.parametrize("options", [["--workers", "3"], ["--sites", "3", "--workers", "2"], ["--frame-tasks", "1"]])
def test_bars_of_a_trace_do_not_overlap_in_their_row(tmp_path, options):
    np.save(tmp_path / "A.npy", np.ones((300, 300)))
    call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "A.npy", "-o", "C.npy", "--tile", "i=30,j=100,k=100", "--trace", "trace.json", *options)
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert overlaps_in_rows(events) == []
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    assert named == {(event["pid"], event["tid"]) for event in events if event["ph"] == "X"}


@pytest.mark.parametrize("sent, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("tile", ["i=1500", "i=5"], ids=["within a task", "between tasks"])
def test_an_interrupted_run_ends_soon_and_leaves_nothing(tmp_path, tile, sent, code):
    np.save(tmp_path / "A.npy", np.ones((1500, 1500), np.float32))
    # Two minutes and more of work, so that the signal finds it running.
    process = TESSERA.start("einsum", "ij,jk->ik", "A.npy", "A.npy", "-o", "C.npy", "--kernel", "reference",
                            "--tile", tile, folder=tmp_path)
    time.sleep(1)
    assert process.poll() is None
    process.send_signal(sent)
    start = time.monotonic()
    assert process.wait(timeout=300) == code
    assert time.monotonic() - start < 10  # 2 s on an idle machine
    assert "interrupted" in process.stderr.read()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["A.npy"]


def test_an_input_that_is_written_during_the_run_is_an_error(tmp_path):
    np.save(tmp_path / "A.npy", np.ones((300, 300), np.float32))
    # A second of work, a minute under a sanitizer.
    process = TESSERA.start("einsum", "ij,jk->ik", "A.npy", "A.npy", "-o", "C.npy", "--kernel", "reference", "--tile", "i=50",
                            folder=tmp_path)
    descriptors = pathlib.Path(f"/proc/{process.pid}/fd")
    is_open = lambda: any(os.path.realpath(link).endswith("A.npy") for link in descriptors.iterdir())
    while not is_open():
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.1)  # a file system's clock is that coarse
    with open(tmp_path / "A.npy", "r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"\0\0\0\0")
    assert process.wait(timeout=300) == 1
    assert re.search(r"A.npy was changed while it was read", process.stderr.read())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["A.npy"]


def test_a_killed_run_leaves_no_part_of_an_archive(tmp_path):
    np.save(tmp_path / "A.npy", np.ones((4000, 4000), np.float32))
    for delay in np.linspace(0.02, 0.4, 8):
        process = TESSERA.start("einsum", "ij->ji", "A.npy", "-o", "C.npz", folder=tmp_path)
        time.sleep(delay)
        process.kill()
        process.wait(timeout=60)
        assert {path.name for path in tmp_path.iterdir()} <= {"A.npy", "C.npz"}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz_archives_are_read_and_written_in_parts(tmp_path, save):
    A, B = np.arange(12.0).reshape(3, 4) - 5, np.arange(20.0).reshape(4, 5) - 7
    save(tmp_path / "in.npz", A=A, right=np.asfortranarray(B))
    (tmp_path / "two.ein").write_text("input A[i,j], B[j,k]\nC[i,k] = sum[j] A[i,j] * B[j,k]\nD[i] = max[j] A[i,j]\n"
                                      "output C, D\n")
    call(tmp_path, "run", "two.ein", "A=in.npz", "B=in.npz:right", "--tile", "i=2,j=3,k=2", "-o", "C=out.npz",
         "-o", "D=out.npz:rows")
    with np.load(tmp_path / "out.npz") as out:
        assert sorted(out.files) == ["C", "rows"]
        assert np.array_equal(out["C"], A @ B)
        assert np.array_equal(out["rows"], A.max(1))


def test_explain_prints_the_figures_of_a_plan(tmp_path):
    done = call(tmp_path, "explain", EXAMPLES / "matmul.ein", "A=f32[4096,4096]", "B=f32[4096,4096]", "--json",
                "--pieces", "64")
    plan = json.loads(done.stdout)
    assert {"planner", "sites", "tasks", "flops", "floats_moved", "bytes_moved", "peak_bytes", "lower_bound_floats",
            "gap", "planning_seconds", "vertices"} <= plan.keys()
    assert plan["flops"] >= 2 * 4096**3
    [product] = plan["vertices"]
    assert product["name"] == "C" and product["equation"] == "C[i,j] = sum[k] A[i,k] * B[k,j]"
    assert np.prod(list(product["partition_vector"].values())) == 64
    assert product["cost"] == plan["floats_moved"] < plan["cost_floats"] and plan["file_seconds"] > 0
    assert plan["cost_floats"] >= plan["lower_bound_floats"]
    assert product["alternatives_considered"] > len(product["alternatives"]) > 0
    assert all(other["plan_cost_floats"] >= plan["cost_floats"] for other in product["alternatives"])


def test_why_says_what_the_alternatives_would_move(tmp_path):
    sizes = ["A=f32[4096,4096]", "B=f32[4096,4096]"]
    done = call(tmp_path, "explain", EXAMPLES / "matmul.ein", *sizes, "--pieces", "64", "--why", "C")
    assert "64 calls" in done.stdout and "cuts were considered" in done.stdout
    done = call(tmp_path, "explain", EXAMPLES / "matmul.ein", *sizes, "--why", "D", exit_code=1)
    assert "computes no D; it computes C" in done.stderr


def test_why_says_what_keeps_a_statement_out_of_a_fused_kernel(tmp_path):
    (tmp_path / "p.ein").write_text("input X[i, j]\nE[i, j] = exp(X[i, j])\nS[i] = sum[j] E[i, j]\noutput S, E\n")
    done = call(tmp_path, "explain", "p.ein", "X=f32[4000,400]", "--why", "E")
    assert "rule fuse left it alone: apart from S: it is a result" in done.stdout
    done = call(tmp_path, "explain", "p.ein", "X=f32[4000,400]", "--rules-off", "fus", exit_code=1)
    assert "did you mean 'fuse'?" in done.stderr


def test_a_fused_softmax_has_the_bits_of_its_statements_one_by_one(tmp_path):
    X = np.random.default_rng(1).normal(size=(300, 1500)).astype(np.float32)
    (tmp_path / "p.ein").write_text("input X[i, j]\nY[i, j] = softmax[j](X[i, j])\noutput Y\n")
    plan = call(tmp_path, "explain", "p.ein", "X=f32[300,1500]", "--stage", "tra").stdout
    assert plan.count("exp(") == 1 and plan.count("join") == 1
    run = lambda *options: TESSERA.run_program(tmp_path / "p.ein", {"X": X}, ["Y"], tmp_path, *options)[1]["Y"]
    fused = run()
    np.testing.assert_allclose(fused.sum(axis=1), 1, rtol=1e-5)
    for options in [("--rules-off", "fuse"), ("--tile", "i=7"), ("--workers", "1")]:
        assert np.array_equal(fused.view(np.int32), run(*options).view(np.int32))


def test_the_smallest_budget_is_where_plans_begin_to_fit(tmp_path):
    call_with = lambda memory, code: call(tmp_path, "explain", EXAMPLES / "softmax.ein", "X=f32[20000,1000]",
                                          "--workers", "2", "--memory", memory, "--stage", "tra", exit_code=code)
    refusal = call_with("32KiB", 1).stderr
    least = int(re.search(r"\((\d+) bytes\), for a task of", refusal).group(1))
    call_with(least, 0)
    call_with(least - 64, 1)


def test_a_plan_says_what_its_own_cuts_need(tmp_path):
    printed = call(tmp_path, "explain", EXAMPLES / "softmax.ein", "X=f32[2000,100]", "--stage", "tasks", "--memory", "1MiB").stdout
    stated = re.match(r"tasks peak=\d+ smallest_budget=(\d+)", printed).group(1)
    assert re.search(rf"these cuts need .* \({stated} bytes\) for .*, others may need less", printed.splitlines()[-2])


def bytes_in(text):
    number, unit = text.split()
    return float(number) * {"bytes": 1, "KiB": 2**10, "MiB": 2**20}[unit]


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("options", [[], ["--sites", "2"], ["--frame-tasks", "1"]], ids=["one plan", "sites", "frames"])
def test_the_sizes_of_a_run_do_not_contradict_each_other(tmp_path, options, workers):
    np.save(tmp_path / "X.npy", np.ones((60, 40)))
    kinds = set()
    for kib in range(20, 200, 12):
        done = TESSERA.call("run", EXAMPLES / "softmax.ein", f"X={tmp_path}/X.npy", "-o", "Y=Y.npy", "--tile", "i=20", "--memory", f"{kib}KiB",
                            "--workers", workers, *options, folder=tmp_path)
        if done.exit_code == 1:
            assert "the smallest that it runs under" in done.stderr, done.describe()
            continue
        said = re.match(r"at most ([\d.]+ \w+) at once(?: in each of \d spaces)?"
                        r"(?:; (with one task at a time|without this bound it would be) ([\d.]+ \w+))?(?:;.*)?\n", done.stderr)
        assert said, done.stderr
        most, kind, other = said.groups()
        assert bytes_in(most) <= kib * 2**10
        if kind is not None:
            assert (bytes_in(other) < bytes_in(most)) == (kind == "with one task at a time"), done.stderr
        kinds.add(kind)
    assert kinds


def test_a_refusal_speaks_of_workers_where_fewer_could_do(tmp_path):
    refused = lambda workers: call(tmp_path, "explain", EXAMPLES / "softmax.ein", "X=f32[20000,1000]", "--workers", workers, "--memory", "8KiB",
                                   exit_code=1).stderr
    assert re.search(r"that would work, with 2 workers(\n|;)", refused("2"))
    assert "worker" not in refused("1") and re.search(r"that would work(\n|;)", refused("1"))


def test_the_memory_of_a_run_is_said_before_it(matrices, tmp_path):
    done = call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "-o", "C.npy", "--memory", "1MiB")
    assert done.stderr.startswith("at most 1 MiB at once; with one task at a time ")
    done = call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "-o", "C.npy", "--memory", "1MiB", "--workers", "1")
    assert re.match(r"at most [^;]* at once\n", done.stderr)
    np.save(tmp_path / "V.npy", np.arange(900.0))
    done = call(tmp_path, "einsum", "i,j->ij", "V.npy", "V.npy", "-o", "W.npy", "--memory", "93KiB", "--workers", "1")
    assert re.match(r"at most 93 KiB at once; without this bound it would be \d", done.stderr), done.stderr
    done = call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "-o", "D.npy", "--memory", "64", "--tile", "i=3",
                exit_code=1)
    assert "does not fit a memory budget of 64 bytes" in done.stderr and not (tmp_path / "D.npy").exists()


def test_a_spill_directory_has_to_be_one(matrices, tmp_path):
    done = call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "-o", "C.npy", "--spill-dir", "nowhere", exit_code=1)
    assert "spilled to nowhere: there is no such directory" in done.stderr and not (tmp_path / "C.npy").exists()
    call(tmp_path, "einsum", "ij,jk->ik", "A.npy", "B.npy", "-o", "C.npy", "--spill-dir", ".")


@pytest.mark.parametrize("arguments", [
    ["run", EXAMPLES / "matmul.ein", "A=A.npy", "B=B.npy"],
    ["run", EXAMPLES / "matmul.ein", "A=A.npy", "B=B.npy", "-o", "C.npy", "--analyze"],
    ["einsum", "ij,jk->ik", "A.npy", "B.npy", "--analyze", "--json"],
    ["explain", EXAMPLES / "matmul.ein", "A=f64[3,4]", "B=f64[4,5]"],
    ["explain", EXAMPLES / "matmul.ein", "A=f64[3,4]", "B=f64[4,5]", "--json"],
    ["--help"], ["--version"]], ids=lambda arguments: " ".join(map(str, arguments[:1] + arguments[4:])))
def test_what_cannot_be_printed_is_an_error(arguments, matrices, tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run([TESSERA.path, *map(str, arguments)], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert "cannot write to standard output: No space left on device" in done.stderr


def test_a_closed_standard_output_is_no_result_file(matrices, tmp_path):
    (tmp_path / "p.ein").write_text("input A[i,j]\nB[i,j] = A[i,j]\ns = sum[i,j] A[i,j]\noutput B, s\n")
    command = f"{TESSERA.path} run p.ein A=A.npy -o B=B.npy >&-"
    done = subprocess.run(command, shell=True, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "cannot write to standard output: Bad file descriptor" in done.stderr
    assert np.array_equal(np.load(tmp_path / "B.npy"), matrices[0])


def test_libraries_that_most_runs_do_not_call_are_opened_when_they_are():
    needed = with_environment(LD_TRACE_LOADED_OBJECTS="1").call("--version").stdout
    assert "libc.so" in needed
    assert not re.search("openblas|dnnl|libzip|libcrypto", needed), needed


def test_a_library_that_cannot_be_opened_is_named(tmp_path):
    """Files in its place that are none."""
    for number in range(10):
        (tmp_path / f"libopenblas.so.{number}").touch()
    np.save(tmp_path / "A.npy", np.ones((300, 300)))
    program = with_environment(LD_LIBRARY_PATH=str(tmp_path))
    done = program.call("einsum", "ij,jk->ik", "A.npy", "A.npy", "--quiet", "-o", "C.npy", folder=tmp_path)
    assert done.exit_code == 1 and "cannot load libopenblas.so" in done.stderr, done.describe()
    done = program.call("einsum", "ij->i", "A.npy", "--quiet", "-o", "C.npy", folder=tmp_path)
    assert done.exit_code == 0, done.describe()


def test_what_several_sites_read_is_counted(tmp_path):
    (tmp_path / "rev.ein").write_text("input X[i,j]\nY[i,j] = X[i,j] - X[size(i) - 1 - i,j]\noutput Y\n")
    explain = ["explain", "rev.ein", "X=f32[6000,1000]", "--sites", "3", "--workers", "1", "--memory", "1GiB"]
    figures = json.loads(TESSERA.call(*explain, "--json", folder=tmp_path).stdout)
    tasks = TESSERA.call(*explain, "--stage", "tasks", folder=tmp_path).stdout
    read = sum(int(size) for size in re.findall(r"= read_source X [^%]*?bytes=(\d+)", tasks))
    assert figures["placement"]["read_again_bytes"] == read - 24_000_000 > 0
    assert "more than once" in TESSERA.call(*explain, "--stage", "ia", folder=tmp_path).stdout
    again = json.loads(TESSERA.call(*explain, "--read-again", "--json", folder=tmp_path).stdout)["candidates"]
    assert all("moved_bytes" in plan for plan in again if "tasks" in plan)


@pytest.mark.parametrize("planner", ["bmm", "cmm", "rmm", "3d"])
def test_a_planner_of_products_says_where_there_is_none(planner, tmp_path):
    def notes(statement, tile):
        (tmp_path / "p.ein").write_text(f"input X[i,j]\n{statement}\noutput Y\n")
        done = TESSERA.call("explain", "p.ein", "X=f32[60,60]", "--sites", "5", "--planner", planner, "--tile", tile, "--stage", "ia",
                            folder=tmp_path)
        assert done.exit_code == 0, done.describe()
        return [line for line in done.stdout.splitlines() if line.startswith(f"# {planner} ")]

    assert "places no join" in " ".join(notes("Y[i,j] = X[i,j] * 2", "i=20"))
    few = notes("Y[i,k] = sum[j] X[i,j] * X[j,k]", "i=20,j=20,k=20")
    assert not any("places no join" in note for note in few)
    if planner in ("rmm", "3d"):
        labels = "i, k" if planner == "rmm" else "i, k, j"
        line = notes("Y[i,k] = sum[j] X[i,j] * X[j,k]", "i=12,j=12,k=12")
        assert any(note.endswith(f", not on a grid along {labels}") for note in line), line
