"""A program under mpirun: the bits of one process, the bytes and the memory that its plan says, and no trace of one that fails."""
import json
import os
import pathlib
import random
import re
import signal
import time

import numpy as np
import pytest

import command_line
import mpi_launcher

TESSERA = command_line.from_environment()
pytestmark = pytest.mark.skipif(mpi_launcher.MPIRUN is None, reason="mpirun is not installed")
SOFTMAX = """input A[i,k], B[k,j]
T[i,j] = sum[k] A[i,k] * B[k,j]
m[i] = max[j] T[i,j]
Y[i,j] = T[i,j] - m[i]
total = sum[i,j] Y[i,j]
output Y, total
"""


def integers(*shape):
    return np.random.default_rng(sum(shape)).integers(-3, 4, shape).astype("f8")


@pytest.fixture(name="product")
def saved_product(tmp_path):
    """A folder with two factors, and their product."""
    a, b = integers(37, 29), integers(29, 31)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    return tmp_path, a @ b


def multiply(folder, processes, *options, **how):
    done = mpi_launcher.call(TESSERA, processes, "einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "c.npy", *options,
                             folder=folder, **how)
    assert done.exit_code == 0, done.describe()
    return done, np.load(folder / "c.npy")


def check_pieces(product, processes, pieces):
    """Of the rows of the result in so many pieces, which the number of processes need not divide."""
    folder, wanted = product
    length = -(-len(wanted) // pieces)
    _, seen = multiply(folder, processes, "--tile", f"i={length},j=10,k=31")
    assert np.array_equal(seen, wanted)


@pytest.mark.parametrize("processes, pieces", [(1, 2), (2, 1), (2, 3), (3, 2), (3, 4)])
def test_the_bits_are_those_of_one_process(product, processes, pieces):
    check_pieces(product, processes, pieces)


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2, 3, 5, 7, 16])
def test_the_bits_for_any_number_of_processes_and_pieces(product, processes):
    for pieces in sorted({1, 2, max(processes - 1, 1), processes, processes + 1}):
        check_pieces(product, processes, pieces)


@pytest.mark.parametrize("planner", ["algebra", "two-phase", "hash"])
def test_a_program_of_several_statements(planner, tmp_path):
    (tmp_path / "p.ein").write_text(SOFTMAX)
    a, b = integers(40, 24), integers(24, 36)
    np.save(tmp_path / "A.npy", a)
    np.save(tmp_path / "B.npy", b)
    done = mpi_launcher.call(TESSERA, 3, "run", "p.ein", "A=A.npy", "B=B.npy", "-o", "Y=Y.npy", "--planner", planner, "--tile",
                             "i=7,j=9,k=11", folder=tmp_path, TESSERA_LINK_DELAY="1000,5")
    assert done.exit_code == 0, done.describe()
    product = a @ b
    wanted = product - product.max(axis=1)[:, None]
    assert np.array_equal(np.load(tmp_path / "Y.npy"), wanted)
    assert done.stdout.split() == ["total", "=", str(int(wanted.sum()))]


def test_the_bytes_are_those_that_the_plan_says_and_that_mpi_counts(product):
    folder, wanted = product
    counted = ["--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3", "--mca",
               "pml_monitoring_filename", str(folder / "counted")]
    done, seen = multiply(folder, 3, "--tile", "i=8,j=10,k=7", "--analyze", "--json", options=counted)
    assert np.array_equal(seen, wanted)
    report = json.loads(done.stdout)
    assert len(report["by_site"]) == 3
    for number, site in enumerate(report["by_site"]):
        assert site["actual_bytes_in"] == site["bytes_in"] and site["actual_bytes_out"] == site["bytes_out"]
        lines = (folder / f"counted.{number}.prof").read_text().splitlines()
        sent = sum(int(re.search(r"(\d+) bytes", line)[1]) for line in lines if line.startswith("E\t"))
        # Beside tiles: what processes agree on, and each offers and says at the end.
        assert site["bytes_out"] <= sent <= site["bytes_out"] + 64 * 1024
    assert sum(site["bytes_out"] for site in report["by_site"]) > 0


def test_an_input_is_read_again_by_every_process_that_needs_it(product):
    folder, wanted = product
    options = ["--tile", "i=13,j=29,k=31", "--planner", "bmm", "--analyze", "--json"]
    moved = [json.loads(multiply(folder, 3, *options, *more)[0].stdout) for more in ([], ["--read-again"])]
    assert np.array_equal(np.load(folder / "c.npy"), wanted)
    counted = [sum(site["actual_bytes_in"] for site in report["by_site"]) for report in moved]
    assert counted == [report["placement"]["bytes_between_sites"] for report in moved]
    assert counted[0] > 0 == counted[1]


def test_the_smallest_budget_runs_and_less_is_refused(product):
    folder, wanted = product
    cut = ["--tile", "i=8,j=10,k=7", "--workers", "2"]
    refused = mpi_launcher.call(TESSERA, 3, "einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "c.npy", *cut, "--memory", "64",
                                folder=folder)
    assert refused.exit_code != 0
    assert refused.stderr.count("tessera:") == 1, refused.stderr
    smallest = int(re.search(r"--memory (\d+)", refused.stderr)[1])
    _, seen = multiply(folder, 3, *cut, "--memory", str(smallest), TESSERA_LINK_DELAY="300,1")
    assert np.array_equal(seen, wanted)
    below = mpi_launcher.call(TESSERA, 3, "einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "d.npy", *cut, "--memory",
                              str(smallest - 1), folder=folder)
    assert below.exit_code != 0 and not (folder / "d.npy").exists()


def said_of(*calls, folder, second=TESSERA.path):
    """What processes that are not all asked for the same say, or the second of which is another program: one line of ours."""
    done = mpi_launcher.call_apart([TESSERA.path, second], *calls, folder=folder)
    assert done.exit_code != 0, done.describe()
    ours = [line for line in done.stderr.splitlines() if line.startswith("tessera:")]
    assert len(ours) == 1, done.stderr
    assert not (folder / "c.npy").exists()
    return ours[0]


@pytest.mark.parametrize("place", [(7, 11), (-1, -1)])
def test_one_element_that_differs_is_enough(product, place):
    """Anywhere in an input that takes no more than 1 MiB."""
    folder, _ = product
    other = np.load(folder / "a.npy")
    other[place] += 1
    (folder / "other").mkdir(exist_ok=True)
    np.save(folder / "other" / "a.npy", other)
    usual = ["einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "c.npy"]
    changed = ["einsum", "ij,jk->ik", "other/a.npy", "b.npy", "-o", "c.npy"]
    assert "has another input a than process 0" in said_of(usual, changed, folder=folder)


def test_processes_that_differ_are_named(product):
    folder, _ = product
    other = np.load(folder / "a.npy")
    other[20:] += 1
    (folder / "other").mkdir()
    np.save(folder / "other" / "a.npy", other)
    usual = ["einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "c.npy"]
    changed = ["einsum", "ij,jk->ik", "other/a.npy", "b.npy", "-o", "c.npy"]
    assert "has another input a than process 0" in said_of(usual, changed, folder=folder)
    assert "has another program than process 0" in said_of(usual, ["einsum", "ij,jk->ki", *usual[2:]], folder=folder)
    assert "has another command" in said_of(usual, usual[:-2], folder=folder)
    missing = ["einsum", "ij,jk->ik", "none.npy", "b.npy", "-o", "c.npy"]
    assert re.search(r"process 1 .*failed: .*none.npy", said_of(usual, missing, folder=folder))


@pytest.mark.parametrize("others", [["--tile", "i=5"], *(pytest.param(others, marks=pytest.mark.slow) for others in (
    ["--workers", "0"], ["--nonsense"], ["--checkpoint", "kept"], ["--version"], ["--frame-tasks", "3"]))])
def test_a_command_that_differs_is_named(product, others):
    folder, _ = product
    usual = ["einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "c.npy"]
    assert "has another command than process 0" in said_of(usual, [*usual, *others], folder=folder)
    assert "has another command than process 0" in said_of([*usual, *others], usual, folder=folder)


def test_files_may_have_other_names_for_each(product):
    folder, wanted = product
    (folder / "other").mkdir()
    for name in ("a.npy", "b.npy"):
        np.save(folder / "other" / name, np.load(folder / name))
    usual = ["einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "c.npy", "--spill-dir", ".", "--tile", "i=9"]
    changed = ["einsum", "ij,jk->ik", "other/a.npy", "other/b.npy", "-o", "c.npy", "--spill-dir=other", "--tile", "i=9"]
    done = mpi_launcher.call_apart([TESSERA.path] * 2, usual, changed, folder=folder)
    assert done.exit_code == 0, done.describe()
    assert np.array_equal(np.load(folder / "c.npy"), wanted)


def test_an_error_of_all_is_said_once_by_the_first(product):
    folder, _ = product
    done = mpi_launcher.call(TESSERA, 3, "einsum", "ij,jk->il", "a.npy", "b.npy", folder=folder)
    assert done.exit_code == 1
    assert done.stderr.count("label l") == 1, done.stderr
    assert "process" not in done.stderr.split("-----")[0]


def test_without_a_launcher_no_mpi_is_loaded(product):
    folder, _ = product
    done = command_line.subprocess.run([TESSERA.path, "einsum", "ij->i", "a.npy"], cwd=folder, capture_output=True, text=True,
                                       env={**os.environ, "LD_DEBUG": "files"}, check=True)
    assert "libfmt" in done.stderr and "mpi" not in done.stderr


LONG = ["einsum", "ij,jk,kl->il", "big.npy", "big.npy", "big.npy", "-o", "out/y.npy", "--tile", "i=500,j=500,k=500,l=500",
        "--memory", "60MiB", "--spill-dir", "spill", "--workers", "1"]


@pytest.fixture(name="long_run", scope="module")
def folder_of_long_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    np.save(folder / "big.npy", np.random.default_rng(1).integers(-2, 3, (4000, 4000)).astype("f4"))
    for name in ("out", "spill"):
        (folder / name).mkdir()
    return folder


def wait_for_processes(run, number):
    """Those of a run, once all have started."""
    deadline = time.monotonic() + 30
    while len(run.processes()) < number and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(run.processes()) == number
    return run.processes()


def files_in(folder):
    return sorted(path.name for name in ("out", "spill") for path in (folder / name).iterdir())


# Every message is held back up to this long, so that a run outlasts the kills on any machine.
SLOW_LINK = "100000,7"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_killed_process_ends_all_and_leaves_nothing(long_run, seed):
    drawn = random.Random(seed)
    with mpi_launcher.Started(TESSERA, 3, *LONG, folder=long_run, TESSERA_LINK_DELAY=SLOW_LINK) as run:
        victim = drawn.choice(wait_for_processes(run, 3))
        time.sleep(drawn.uniform(0, 4))
        others = [process for process in run.processes() if process != victim]
        os.kill(victim, signal.SIGKILL)
        code, said = run.end(timeout=10)
        assert code != 0 and re.search(r"rank \d .*exited on signal 9|process \d .*failed", said), said
        assert not [process for process in others if run.lives(process)]
    assert files_in(long_run) == []


def wait_until_caught(process, sent):
    """Once the process has a handler of its own for the signal."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        status = pathlib.Path(f"/proc/{process}/status").read_text()
        if int(re.search(r"SigCgt:\s+(\w+)", status)[1], 16) >> (sent - 1) & 1:
            return
        time.sleep(0.05)
    assert False, f"{process} never catches signal {sent}"


@pytest.mark.parametrize("victim, sent", [(0, signal.SIGINT), (1, signal.SIGINT), (1, signal.SIGTERM)])
def test_an_interrupted_process_interrupts_the_run(long_run, victim, sent):
    with mpi_launcher.Started(TESSERA, 2, *LONG, folder=long_run, TESSERA_LINK_DELAY=SLOW_LINK) as run:
        processes = wait_for_processes(run, 2)
        wait_until_caught(processes[victim], sent)
        time.sleep(1)
        os.kill(processes[victim], sent)
        code, said = run.end(timeout=10)
        assert code != 0 and re.search(r"tessera: interrupted: (process 1 \(host .*\): )?the run was stopped", said), said
        assert "resource error" not in said and "failed:" not in said, said
    assert files_in(long_run) == []


def test_bars_of_a_trace_do_not_overlap_in_their_row(product):
    folder, _ = product
    multiply(folder, 3, "--tile", "i=5,j=10,k=31", "--trace", "trace.json", TESSERA_LINK_DELAY="1000,5")
    rows = {}
    for event in json.loads((folder / "trace.json").read_text())["traceEvents"]:
        if event["ph"] == "X":
            begin = round(1e3 * event["ts"])
            rows.setdefault((event["pid"], event["tid"]), []).append((begin, begin + round(1e3 * event["dur"]), event["cat"]))
    assert any(category == "move" for row in rows.values() for _, _, category in row)
    for row in map(sorted, rows.values()):
        assert not [pair for pair in zip(row, row[1:]) if pair[1][0] < pair[0][1]]


@pytest.mark.slow
def test_no_process_outlives_its_launcher(long_run):
    with mpi_launcher.Started(TESSERA, 3, *LONG, folder=long_run, TESSERA_LINK_DELAY=SLOW_LINK) as run:
        processes = wait_for_processes(run, 3)
        time.sleep(2)
        os.kill(run.launcher.pid, signal.SIGKILL)
        deadline = time.monotonic() + 10
        while any(map(run.lives, processes)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not [process for process in processes if run.lives(process)]
    assert files_in(long_run) == []


@pytest.mark.slow
def test_a_stopped_process_makes_no_other_exceed_its_budget(long_run):
    with mpi_launcher.Started(TESSERA, 3, *LONG, folder=long_run) as run:
        processes = wait_for_processes(run, 3)
        time.sleep(1.5)
        before = [resident_bytes(process) for process in processes]
        os.kill(processes[1], signal.SIGSTOP)
        time.sleep(5)
        stopped = [resident_bytes(process) for process in processes]
        os.kill(processes[1], signal.SIGCONT)
        code, said = run.end()
        assert code == 0, said
    big = np.load(long_run / "big.npy").astype("f8")
    assert np.array_equal(np.load(long_run / "out" / "y.npy"), (big @ big @ big).astype("f4"))
    (long_run / "out" / "y.npy").unlink()
    # What a process has beside its budget of 60 MiB was there before the stop.
    assert all(after <= max(was, 60 << 20) + (80 << 20) for was, after in zip(before, stopped))


def resident_bytes(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024


def cpu_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
def test_processes_that_wait_leave_the_cores_alone(tmp_path):
    np.save(tmp_path / "a.npy", integers(1500, 1500))
    one_call = ["einsum", "ij,jk->ik", "a.npy", "a.npy", "-o", "c.npy", "--kernel", "reference", "--pieces", "1"]
    with mpi_launcher.Started(TESSERA, 3, *one_call, folder=tmp_path) as run:
        processes = wait_for_processes(run, 3)
        time.sleep(3)
        before = [cpu_seconds(process) for process in processes]
        time.sleep(10)
        used = sorted(cpu_seconds(process) - was for process, was in zip(processes, before))
    assert used[2] > 2  # one computes; how much of a core it gets is the machine's affair
    assert used[0] < 0.5 and used[1] < 0.5  # of 10 seconds


def test_another_build_is_named(product):
    folder, _ = product
    program = pathlib.Path(TESSERA.path)
    notes = command_line.subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    build = bytes.fromhex(re.search(r"Build ID: (\w+)", notes)[1])
    content = program.read_bytes()
    assert content.count(build) == 1
    other = folder / "tessera"
    other.write_bytes(content.replace(build, build[::-1]))
    other.chmod(0o755)
    usual = ["einsum", "ij,jk->ik", "a.npy", "b.npy", "-o", "c.npy"]
    assert "has another build of tessera than process 0" in said_of(usual, usual, folder=folder, second=other)


def test_an_error_of_the_data_of_one_is_that_of_the_run(tmp_path):
    a = np.ones((6, 4), dtype="i4")
    a[5, 3] = 0  # in a tile of another process than the first
    np.save(tmp_path / "a.npy", a)
    done = mpi_launcher.call(TESSERA, 3, "einsum", "ij,ij->ij", "a.npy", "a.npy", "--join", "x // y", "-o", "c.npy", "--tile",
                             "i=1", folder=tmp_path)
    assert done.exit_code != 0
    assert done.stderr.count("<equation>:1:8: error: an integer was divided by zero") == 1, done.stderr
    assert "i = 5, j = 3" in done.stderr and not (tmp_path / "c.npy").exists()


def test_a_full_disk_of_one_is_that_of_the_run(tmp_path):
    folder = tmp_path
    np.save(folder / "a.npy", integers(300, 300))
    usual = [str(TESSERA.path), "einsum", "ij,jk->ik", "a.npy", "a.npy", "-o", "c.npy", "--tile", "i=50"]
    short = ["bash", "-c", 'ulimit -f 64; exec "$@"', "bash", *usual]
    done = command_line.subprocess.run(
        [*mpi_launcher.command(1, usual[0], usual[1:]), ":", "-n", "1", *short], cwd=folder, capture_output=True, text=True,
        timeout=60, env=mpi_launcher.environment())
    assert done.returncode != 0
    ours = [line for line in done.stderr.splitlines() if line.startswith("tessera:")]
    assert len(ours) == 1 and re.search("process 1 .*failed: cannot write c.npy: ", ours[0]), done.stderr
    assert not (folder / "c.npy").exists()


@pytest.mark.parametrize("wrong", [0, 4, 8])
def test_an_error_of_the_data_is_that_of_one_process(wrong, tmp_path):
    positions = np.arange(9) % 4
    positions[wrong] = 9
    np.save(tmp_path / "T.npy", integers(4, 3))
    np.save(tmp_path / "I.npy", positions)
    (tmp_path / "g.ein").write_text("input T[t,e], I[n]\nY[n,e] = T[I[n],e]\noutput Y\n")
    words = ["run", "g.ein", "T=T.npy", "I=I.npy", "--tile", "n=3", "--quiet"]
    alone = TESSERA.call(*words, folder=tmp_path)
    assert alone.exit_code == 1 and f"an index of T is 9 where n = {wrong}" in alone.stderr and "^^^" in alone.stderr
    assert TESSERA.call(*words, "--sites", "3", folder=tmp_path).stderr == alone.stderr
    done = mpi_launcher.call(TESSERA, 3, *words, folder=tmp_path)
    assert done.exit_code == 1 and alone.stderr in done.stderr, done.describe()


def test_all_processes_take_the_least_instruction_set(tmp_path):
    np.save(tmp_path / "A.npy", np.random.default_rng(0).standard_normal((90, 70)).astype("f4"))
    (tmp_path / "iso.ein").write_text("input A[i,k]\nT[i,k] = tanh(A[i,k]) * exp(A[i,k] / 7)\noutput T\n")
    words = ["run", "iso.ein", "A=A.npy", "--reproducible", "--quiet", "-o"]
    results = []
    for isa in ("scalar", "avx2"):
        alone = command_line.Tessera(TESSERA.path, TESSERA.launcher, {"TESSERA_ISA": isa})
        assert alone.call(*words, "T=alone.npy", folder=tmp_path).exit_code == 0
        usual = [*words, "T=both.npy"]
        done = mpi_launcher.call_apart([TESSERA.path, "/usr/bin/env"], usual, [f"TESSERA_ISA={isa}", str(TESSERA.path), *usual],
                                       folder=tmp_path)
        assert done.exit_code == 0, done.describe()
        results.append(np.load(tmp_path / "both.npy").tobytes())
        assert results[-1] == np.load(tmp_path / "alone.npy").tobytes()
    assert results[0] != results[1], "the sets have the same bits, so nothing was tried"


@pytest.mark.parametrize("stage", ["tasks", "ia"])
def test_a_plan_of_several_sites_runs_on_as_many_processes(stage, product):
    folder, _ = product
    (folder / "p.ein").write_text("input A[i,j], B[j,k]\nC[i,k] = sum[j] A[i,j] * B[j,k]\noutput C\n")
    words = ["A=a.npy", "B=b.npy"]
    explained = TESSERA.call("explain", "p.ein", *words, "--sites", "2", "--workers", "1", "--stage", stage, folder=folder)
    (folder / f"plan.{stage}").write_text(explained.stdout)
    run = ["run", f"plan.{stage}", *words, "-o", "C=c.npy", "--workers", "1"]
    done = mpi_launcher.call(TESSERA, 2, *run, folder=folder)
    assert done.exit_code == 0, done.describe()
    assert np.array_equal(np.load(folder / "c.npy"), np.load(folder / "a.npy") @ np.load(folder / "b.npy"))
    more = mpi_launcher.call(TESSERA, 3, *run, folder=folder)
    assert more.exit_code == 1 and "a plan of 2 sites, but there are 3 processes" in more.stderr, more.describe()
    asked = TESSERA.call(*run, "--sites", "3", folder=folder)
    assert asked.exit_code == 1 and "3 sites are asked for, but the text is a plan of 2 sites" in asked.stderr, asked.describe()
