"""A run that is killed at any moment goes on from its checkpoints, with other processes and workers too, to the same bits."""
import json
import os
import pathlib
import random
import shutil
import signal
import time

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
HAS_MPIRUN = shutil.which("mpirun") is not None
LAYERS = 8
SIDE = 400  # small, where nothing is killed


def program(layers, last="T{n}[i,j] - T2[i,j]"):
    """A chain of products of integers that stay small, so that every sum is exact; T2 is read at the end again."""
    lines = ["input A[i,k], B[k,j]", "T0[i,j] = A[i,j]"]
    lines += [f"T{n}[i,j] = clip(sum[k] T{n - 1}[i,k] * B[k,j], -3, 3)" for n in range(1, layers + 1)]
    return "\n".join([*lines, f"Y[i,j] = {last.format(n=layers)}", "m = max[i,j] T3[i,j]", "output Y, m", ""])


def wanted(inputs, layers):
    made = [inputs["A"]]
    for _ in range(layers):
        made.append(np.clip(made[-1].astype("f8") @ inputs["B"].astype("f8"), -3, 3).astype("f4"))
    return {"Y": made[-1] - made[2], "m": made[3].max()}


def integers(side, seed=0):
    drawn = np.random.default_rng(seed)
    return {"A": drawn.integers(-2, 3, (side, side)).astype("f4"),
            "B": drawn.integers(-1, 2, (side, side)).astype("f4") * (drawn.random((side, side)) < 8 / side)}


class Job:
    """A program with its data in a folder, and a directory for its checkpoints."""

    def __init__(self, folder, side=SIDE, layers=LAYERS, every=None):
        self.folder, self.layers = folder, layers
        self.inputs = integers(side)
        self.kept = folder / "kept"
        self.set_program(program(layers))
        for name, array in self.inputs.items():
            np.save(folder / f"{name}.npy", array)
        if every is None:  # so that there are a few
            every = self.work_seconds() / 4
        self.options = ["--checkpoint", self.kept, "--checkpoint-every", f"{every:.9f}"]

    def set_program(self, text):
        (self.folder / "p.ein").write_text(text)

    def work_seconds(self):
        done = TESSERA.call("explain", "p.ein", "A=A.npy", "B=B.npy", "--checkpoint", "kept", "--json", folder=self.folder)
        return json.loads(done.stdout)["checkpoints"]["work_seconds"]

    def arguments(self, *options):
        return ["run", "p.ein", "A=A.npy", "B=B.npy", "-o", "Y=Y.npy", "-o", "m=m.npy", *self.options, *options]

    def run(self, *options, tessera=TESSERA):
        done = tessera.call(*self.arguments(*options), folder=self.folder)
        assert done.exit_code == 0, done.describe()
        return done

    def explain(self, *options, tessera=TESSERA):
        done = tessera.call("explain", "p.ein", "A=A.npy", "B=B.npy", *self.options, "--json", *options, folder=self.folder)
        assert done.exit_code == 0, done.describe()
        return json.loads(done.stdout)["checkpoints"]

    def states(self, *options):
        return {relation["name"]: relation["state"] for relation in self.explain(*options)["relations"]}

    def files(self):
        return sorted(self.kept.iterdir())

    def results(self):
        """The names of those that are there."""
        return [name for name in ("Y", "m") if (self.folder / f"{name}.npy").exists()]

    def check(self):
        assert self.results() == ["Y", "m"]
        self.check_results()

    def check_results(self):
        """Of those that are there."""
        expected = wanted(self.inputs, self.layers) if self.results() else {}
        for name in self.results():
            array = expected[name]
            assert np.array_equal(np.load(self.folder / f"{name}.npy"), array), name


# Rows that are kept by what a chain of products gives, and columns by what another chain gives of these: three rounds.
COUNTED = """input A[i,k], B[k,j]
T1[i,j] = clip(sum[k] A[i,k] * B[k,j], -3, 3)
T2[i,j] = clip(sum[k] T1[i,k] * B[k,j], -3, 3)
s[i] = sum[j] T2[i,j]
Z[i,j] = keep[i where s[i] > 0] T2[i,j]
U1[i,j] = clip(sum[k] Z[i,k] * B[k,j], -3, 3)
U2[i,j] = clip(sum[k] U1[i,k] * B[k,j], -3, 3)
Y[i,j] = keep[j where (sum[i] U2[i,j]) > 0] U2[i,j]
m = max[i,j] Y[i,j]
output Y, m
"""


class CountedJob(Job):
    """The same of a program whose extents only a run can tell."""

    def __init__(self, folder, side=SIDE):
        super().__init__(folder, side=side, every=1e-6)
        self.set_program(COUNTED)

    def check_results(self):
        def product(table):
            return np.clip(table.astype("f8") @ self.inputs["B"].astype("f8"), -3, 3).astype("f4")
        second = product(product(self.inputs["A"]))
        last = product(product(second[second.sum(1) > 0]))
        kept = last[:, last.sum(0) > 0]
        assert 0 < kept.shape[0] < self.inputs["A"].shape[0] and 0 < kept.shape[1] < last.shape[1]
        for name, array in {"Y": kept, "m": kept.max()}.items():
            if name in self.results():
                assert np.array_equal(np.load(self.folder / f"{name}.npy"), array), name


@pytest.fixture(name="job")
def made_job(tmp_path):
    return Job(tmp_path)


def test_a_run_keeps_what_explain_says_and_a_second_goes_on_from_it(job):
    before = job.explain()
    kept = [relation for relation in before["relations"] if relation["state"] == "kept"]
    assert len(kept) == len(before["relations"]) >= 3 and before["left_seconds"] == before["work_seconds"]
    assert "goes on" not in job.run().stderr
    job.check()
    assert job.files() == sorted(job.folder / relation["file"] for relation in kept)
    after = job.explain()
    assert 0 < after["left_seconds"] < before["left_seconds"] / 2
    assert {relation["state"] for relation in after["relations"]} == {"reused", "passed"}
    times = [path.stat().st_mtime_ns for path in job.files()]
    again = job.run()
    job.check()
    assert "goes on from T" in again.stderr, again.describe()
    assert [path.stat().st_mtime_ns for path in job.files()] == times


def test_what_is_kept_is_an_array_that_anyone_reads(job):
    job.run()
    made = [job.inputs["A"]]
    for _ in range(LAYERS):
        made.append(np.clip(made[-1] @ job.inputs["B"], -3, 3))
    for relation in job.explain()["relations"]:
        layer = int(relation["name"].split(".")[0][1:]) if relation["name"][0] == "T" else None
        if layer is not None and "." not in relation["name"]:
            assert np.array_equal(np.load(job.folder / relation["file"]), made[layer])


def test_little_work_has_no_checkpoint(tmp_path):
    job = Job(tmp_path, every=60)
    job.run()
    job.check()
    assert not list(job.files())


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "other"])
def test_a_damaged_one_is_found_and_made_again(job, damage):
    job.run()
    used = [job.folder / relation["file"] for relation in job.explain()["relations"] if relation["state"] == "reused"]
    sound = {path: path.read_bytes() for path in used}
    for path, content in sound.items():
        if damage == "flip":
            place = random.Random(7).randrange(len(content))
            path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1:])
        elif damage == "other":
            other = next(file for file in job.files() if file != path)
            path.write_bytes(other.read_bytes())
        else:
            path.write_bytes(content[:len(content) // 2] if damage == "cut" else b"")
    assert "damaged" in job.states().values()
    done = job.run()
    job.check()
    assert "is damaged, so T" in done.stderr and "is made again" in done.stderr, done.describe()
    assert "reused" in job.states().values() and "damaged" not in job.states().values()
    for path, content in sound.items():
        assert path.read_bytes() == content


@pytest.mark.parametrize("kind", ["directory", "link"])
def test_what_is_no_file_in_the_place_of_one_is_named(job, kind):
    job.run()
    place = next(job.folder / relation["file"] for relation in job.explain()["relations"] if relation["state"] == "reused")
    place.unlink()
    place.mkdir() if kind == "directory" else place.symlink_to("nowhere")
    done = TESSERA.call(*job.arguments(), folder=job.folder)
    assert done.exit_code == 1 and f"{place.name}, where a checkpoint of" in done.stderr, done.describe()
    assert "is no file: remove it" in done.stderr


def test_a_changed_input_is_not_mixed_with_old_checkpoints(job):
    job.run()
    job.inputs["B"][3, 5] = 2
    np.save(job.folder / "B.npy", job.inputs["B"])
    old = set(job.files())
    assert set(job.states().values()) == {"kept"}
    assert "goes on" not in job.run().stderr
    job.check()
    assert old < set(job.files())


def test_an_input_that_is_only_younger_is_another(job):
    job.run()
    os.utime(job.folder / "A.npy")
    assert set(job.states().values()) == {"kept"}


def test_a_program_that_is_changed_behind_a_checkpoint_goes_on_from_it(job):
    job.run()
    job.set_program(program(LAYERS, "2 * T{n}[i,j] + T2[i,j]"))
    done = job.run()
    assert "goes on from" in done.stderr
    made = [job.inputs["A"]]
    for _ in range(LAYERS):
        made.append(np.clip(made[-1] @ job.inputs["B"], -3, 3))
    assert np.array_equal(np.load(job.folder / "Y.npy"), 2 * made[-1] + made[2])


def test_a_program_that_is_changed_before_them_does_not(job):
    job.run()
    job.set_program(program(LAYERS).replace("T0[i,j] = A[i,j]", "T0[i,j] = A[i,j] + 1"))
    assert set(job.states().values()) == {"kept"}
    assert "goes on" not in job.run().stderr


def test_settings_that_change_bits_have_checkpoints_of_their_own(job):
    job.run()
    assert set(job.states("--reproducible").values()) == {"kept"}
    assert "reused" in job.states("--workers", "1").values()


@pytest.mark.parametrize("options", [[], ["--reproducible"]])
def test_sums_that_round_have_the_same_bits_from_whatever_a_run_goes_on(tmp_path, options):
    job = Job(tmp_path)
    drawn = np.random.default_rng(3)
    for name in "AB":
        np.save(tmp_path / f"{name}.npy", drawn.standard_normal((SIDE, SIDE)).astype("f4"))
    job.set_program(program(LAYERS).replace("clip(sum", "tanh(0.1 * (sum").replace("j], -3, 3)", "j]))"))
    job.run(*options)
    whole = (tmp_path / "Y.npy").read_bytes()
    for _ in range(5):
        for path in job.files():
            if drawn.random() < 0.5:
                path.unlink()
        job.run(*options)
        assert (tmp_path / "Y.npy").read_bytes() == whole
    if options:  # then not even the processes matter
        job.run("--reproducible", "--workers", "1")
        assert (tmp_path / "Y.npy").read_bytes() == whole


def test_files_of_others_are_not_touched(job):
    job.kept.mkdir()
    (job.kept / "mine.npy").write_text("mine")
    job.run()
    job.run()
    assert (job.kept / "mine.npy").read_text() == "mine"


def test_explain_without_data_says_what_would_be_kept(job):
    types = [f"{name}=f32[{SIDE},{SIDE}]" for name in "AB"]
    done = TESSERA.call("explain", "p.ein", *types, "--stage", "optimized", *job.options, folder=job.folder)
    assert "once all data are given" in done.stdout and "# kept" in done.stdout, done.describe()


def test_a_directory_that_cannot_be_is_an_error(job):
    (job.folder / "file").write_text("")
    job.options[1] = "file/kept"
    done = TESSERA.call(*job.arguments(), folder=job.folder)
    assert done.exit_code == 1 and "cannot make the directory file/kept" in done.stderr, done.describe()


def test_a_plan_of_a_later_stage_has_none(job):
    stage = TESSERA.call("explain", "p.ein", "A=A.npy", "B=B.npy", "--stage", "tra", folder=job.folder)
    (job.folder / "p.tra").write_text(stage.stdout)
    done = TESSERA.call("run", "p.tra", "A=A.npy", "B=B.npy", *job.options, folder=job.folder)
    assert done.exit_code == 1 and "a program over whole tensors" in done.stderr, done.describe()


def test_frames_and_slices_of_parts(job):
    job.run("--frame-tasks", "5", "--tile", "i=100,j=100,k=200")
    job.check()
    assert job.files()


def test_an_equation_keeps_the_products_of_its_chain(tmp_path):
    arrays = [np.random.default_rng(n).integers(-1, 2, (1200, 1200)).astype("f8") for n in range(4)]
    for number, array in enumerate(arrays):
        np.save(tmp_path / f"x{number}.npy", array)
    command = ["einsum", "ij,jk,kl,lm->im", *(f"x{n}.npy" for n in range(4)), "-o", "y.npy", "--checkpoint", "kept",
               "--checkpoint-every", "0.001"]
    for _ in range(2):
        done = TESSERA.call(*command, folder=tmp_path)
        assert done.exit_code == 0, done.describe()
        assert np.array_equal(np.load(tmp_path / "y.npy"), arrays[0] @ arrays[1] @ arrays[2] @ arrays[3])
    assert "goes on from" in done.stderr, done.describe()


@pytest.mark.skipif(not HAS_MPIRUN, reason="no mpirun here")
def test_processes_go_on_from_what_one_kept_and_one_from_theirs(job):
    job.run("--workers", "1", tessera=TESSERA.under_mpirun(3))
    job.check()
    assert "reused" in job.states().values()
    for path in job.files()[::2]:
        path.unlink()
    job.run()
    job.check()
    done = job.run("--workers", "1", tessera=TESSERA.under_mpirun(2))
    job.check()
    assert done.stderr.count("goes on from") == 1, done.describe()


def ended_or_killed(tessera, job, options, seconds):
    """Whether a run came to its end before it was killed with all its processes."""
    running = tessera.start(*job.arguments(*options), folder=job.folder, new_session=True)
    try:
        _, text = running.communicate(timeout=seconds)
        assert running.returncode == 0, text
        return True
    except command_line.subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
        return False


@pytest.mark.slow
@pytest.mark.parametrize("in_rounds, processes", [(False, 1), (False, 0), (True, 1), (True, 2), (True, 3)],
                         ids=["at_once-1", "at_once-0", "in_rounds-1", "in_rounds-2", "in_rounds-3"])
def test_a_run_that_is_killed_again_and_again_comes_to_its_end(tmp_path, in_rounds, processes):
    """0: with another number of processes every time."""
    if processes != 1 and not HAS_MPIRUN:
        pytest.skip("no mpirun here")
    job = CountedJob(tmp_path, side=2500) if in_rounds else Job(tmp_path, side=1500, layers=24, every=0.2)
    start = time.monotonic()
    job.run()
    whole = time.monotonic() - start
    shutil.rmtree(job.kept)
    for result in ("Y.npy", "m.npy"):
        (tmp_path / result).unlink()
    drawn = random.Random(processes)
    has_ended, num_kills = False, 0
    while not has_ended and num_kills < 60:
        number = processes or drawn.randint(1, 3)
        tessera = TESSERA if number == 1 else TESSERA.under_mpirun(number)
        has_ended = ended_or_killed(tessera, job, ["--workers", str(drawn.randint(1, 2))],
                                    drawn.uniform(0, whole) * number)  # each plans all parts, on shared cores
        num_kills += not has_ended
        if not has_ended:
            # It may have been killed behind its last step: what has its name is complete.
            job.check_results()
            assert all(len(path.stem) == 32 and path.suffix == ".npy" for path in pathlib.Path(job.kept).glob("*"))
    assert has_ended, "no run got further than the one before it"
    job.check()


def test_a_program_in_rounds_goes_on_from_what_each_left(tmp_path):
    job = CountedJob(tmp_path)
    assert "goes on" not in job.run().stderr
    job.check()
    times = [path.stat().st_mtime_ns for path in job.files()]
    done = job.run()
    job.check()
    assert done.stderr.count("goes on from") == 3, done.describe()
    assert [path.stat().st_mtime_ns for path in job.files()] == times
    assert "reused" in job.states().values() and "ends with" in TESSERA.call(
        "explain", "p.ein", "A=A.npy", "B=B.npy", *job.options, "--stage", "optimized", folder=tmp_path).stderr


@pytest.mark.parametrize("seed", range(6))
def test_a_program_in_rounds_goes_on_from_any_of_them(tmp_path, seed):
    job = CountedJob(tmp_path)
    job.run(*(["--frame-tasks", "5", "--tile", "i=100,j=100"] if seed % 2 else []))
    drawn = random.Random(seed)
    for path in job.files():
        if drawn.random() < 0.5:
            path.unlink()
        elif drawn.random() < 0.2:
            path.write_bytes(path.read_bytes()[:-7])
    for name in ("Y", "m"):
        (tmp_path / f"{name}.npy").unlink()
    job.run("--workers", "1")
    job.check()


def test_a_round_knows_how_what_it_reads_was_made(tmp_path):
    """As many rows are kept, but others."""
    job = CountedJob(tmp_path)
    job.run()
    job.inputs["A"] = job.inputs["A"][::-1].copy()
    np.save(tmp_path / "A.npy", job.inputs["A"])
    assert "goes on" not in job.run().stderr
    job.check()


def test_rounds_of_little_work_keep_nothing(tmp_path):
    job = CountedJob(tmp_path)
    job.options[-1] = "60"
    job.run()
    job.check()
    assert not job.files()


@pytest.mark.skipif(not HAS_MPIRUN, reason="no mpirun here")
def test_processes_go_on_with_a_program_in_rounds(tmp_path):
    job = CountedJob(tmp_path)
    job.run("--workers", "1", tessera=TESSERA.under_mpirun(2))
    job.check()
    for path in job.files()[::2]:
        path.unlink()
    assert "goes on from" in job.run().stderr
    job.check()
    done = job.run("--workers", "1", tessera=TESSERA.under_mpirun(3))
    job.check()
    assert done.stderr.count("goes on from") == 3, done.describe()


def test_two_runs_in_one_directory_do_not_harm_each_other(tmp_path):
    job = Job(tmp_path, side=700)
    running = [TESSERA.start("run", "p.ein", "A=A.npy", "B=B.npy", "-o", f"Y=Y{n}.npy", *job.options, folder=tmp_path)
               for n in range(3)]
    for number, run in enumerate(running):
        _, text = run.communicate(timeout=command_line.TIMEOUT_SECONDS)
        assert run.returncode == 0, text
        assert np.array_equal(np.load(tmp_path / f"Y{number}.npy"), wanted(job.inputs, LAYERS)["Y"])
