"""Machine code that is made for expressions: when it is, that it changes no bit, and where it is kept."""
import pathlib

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
PROGRAM = """input x[i], y[j]
Y[i,j] = where(x[i] > y[j], x[i] * y[j] + 0.1, exp(x[i] - y[j]) * 3 - x[i]) / (1 + y[j] * y[j])
S[i] = sum[j] ((x[i] * y[j] + 0.3) * y[j] - 0.7) * x[i]
M[j] = max[i] (x[i] - y[j]) * (x[i] + y[j]) * 0.5
output Y, S, M
"""


def is_built():
    """Whether the library that makes code is beside the program, as it is built and as it is installed."""
    name = "libtessera_codegen.so"
    folder = TESSERA.path.parent
    return any(path.exists() for path in (folder.parent / "kernels" / name, *folder.parent.glob(f"lib*/tessera/{name}"),
                                          *folder.parent.glob(f"lib*/*/tessera/{name}")))


needs_library = pytest.mark.skipif(not is_built(), reason="built without LLVM")


def with_cache(folder):
    return command_line.Tessera(TESSERA.path, TESSERA.launcher, {"TESSERA_KERNEL_CACHE": str(folder)})


@pytest.fixture(name="folder")
def folder_with_program(tmp_path):
    generator = np.random.default_rng(3)
    for name, length in (("x", 70), ("y", 1300)):
        np.save(tmp_path / f"{name}.npy", generator.standard_normal(length).astype(np.float32))
    (tmp_path / "program.ein").write_text(PROGRAM)
    return tmp_path


def results(tessera, folder, *options):
    files = [word for name in "YSM" for word in ("-o", f"{name}={name}.npy")]
    done = tessera.call("run", "program.ein", "x=x.npy", "y=y.npy", *files, "--quiet", *options, folder=folder)
    assert done.exit_code == 0, done.describe()
    return [np.load(folder / f"{name}.npy") for name in "YSM"]


def kernels(tessera, folder, *options):
    done = tessera.call("explain", "program.ein", "x=x.npy", "y=y.npy", "--stage", "tasks", *options, folder=folder)
    assert done.exit_code == 0, done.describe()
    return done.stdout


def assert_same_bits(some, others):
    for one, other in zip(some, others, strict=True):
        np.testing.assert_array_equal(one.view(np.uint32), other.view(np.uint32))


@needs_library
@pytest.mark.parametrize("options", [(), ("--tile", "i=16,j=500"), ("--sites", "2"), ("--workers", "2"), ("--isa-avx2",)])
def test_changes_no_bit(folder, options):
    tessera = TESSERA
    if "--isa-avx2" in options:
        tessera, options = command_line.Tessera(TESSERA.path, TESSERA.launcher, {"TESSERA_ISA": "avx2"}), ()
    assert_same_bits(results(tessera, folder, "--generate", "always", *options),
                     results(tessera, folder, "--generate", "off", *options))


@needs_library
def test_is_in_the_plan(folder):
    assert "generated" in kernels(TESSERA, folder, "--generate", "always")
    assert "generated" not in kernels(TESSERA, folder, "--generate", "off")
    assert "generated" not in kernels(TESSERA, folder)  # a run of less than a millisecond


@needs_library
def test_is_kept_for_other_runs(folder):
    kept = folder / "kept" / "kernels"
    expected = results(with_cache(kept), folder, "--generate", "always")
    files = sorted(kept.iterdir())
    assert len(files) >= 3
    written = [file.stat().st_mtime_ns for file in files]
    assert_same_bits(results(with_cache(kept), folder, "--generate", "always"), expected)
    assert [file.stat().st_mtime_ns for file in sorted(kept.iterdir())] == written
    for file in files:  # damaged: made anew
        file.write_bytes(file.read_bytes()[:-8])
    assert_same_bits(results(with_cache(kept), folder, "--generate", "always"), expected)
    assert all(file.stat().st_mtime_ns > time for file, time in zip(sorted(kept.iterdir()), written, strict=True))


@needs_library
def test_is_made_when_runs_have_lost_as_much(tmp_path):
    for name in "xy":
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(3).standard_normal(3000).astype(np.float32))
    chain = "((((x[i] - y[j]) * 0.5 + x[i]) * y[j] - 2) * x[i] + 0.25) * y[j]"
    (tmp_path / "program.ein").write_text(f"input x[i], y[j]\nS[i] = sum[j] {chain}\noutput S\n")
    tessera = with_cache(tmp_path / "kept")
    sums, made, plans = [], [], set()
    for _ in range(40):
        made.append(any("-lost" not in file.name for file in (tmp_path / "kept").glob("*")))
        plans.add(kernels(tessera, tmp_path))
        done = tessera.call("run", "program.ein", "x=x.npy", "y=y.npy", "-o", "S=S.npy", "--quiet", folder=tmp_path)
        assert done.exit_code == 0, done.describe()
        sums.append(np.load(tmp_path / "S.npy"))
    assert not made[0]
    assert made[-1]
    assert made == sorted(made), "code that is kept stays"
    assert len(plans) == 1 and "generated" not in plans.pop(), "what ran before changes no plan"
    assert_same_bits(sums, [sums[0]] * len(sums))


@needs_library
def test_is_kept_nowhere_where_that_is_asked(folder):
    home = folder / "home"
    home.mkdir()
    for environment, expected in (({"TESSERA_KERNEL_CACHE": "off"}, False), ({"TESSERA_KERNEL_CACHE": ""}, True)):
        variables = {"HOME": str(home), "XDG_CACHE_HOME": "", **environment}
        results(command_line.Tessera(TESSERA.path, TESSERA.launcher, variables), folder, "--generate", "always")
        assert pathlib.Path(home / ".cache" / "tessera" / "kernels").is_dir() == expected


def test_a_plan_that_asks_for_it_runs_everywhere(folder):
    plan = kernels(TESSERA, folder, "--generate", "always")
    (folder / "plan.tasks").write_text(plan)
    expected = results(TESSERA, folder, "--generate", "off")
    done = TESSERA.call("run", "plan.tasks", "x=x.npy", "y=y.npy", "-o", "Y=Y.npy", "-o", "S=S.npy", "-o", "M=M.npy",
                        "--generate", "off", "--quiet", folder=folder)
    assert done.exit_code == 0, done.describe()
    assert_same_bits([np.load(folder / f"{name}.npy") for name in "YSM"], expected)


@pytest.mark.parametrize("planned, run", [("off", "always"), ("always", "off"), ("auto", "always")])
def test_a_plan_runs_with_other_code_than_it_was_made_with(planned, run, tmp_path):
    np.save(tmp_path / "B.npy", np.arange(257 * 14.0).reshape(257, 14))
    (tmp_path / "program.ein").write_text("input B[k,i]\nY[k,i] = B[k + 1 pad(0),i] * B[k,i] + 2\n"
                                          "Z[k] = sum[i] (Y[k,i] * 0.5 + 1) * Y[k,i]\noutput Y, Z\n")
    explained = TESSERA.call("explain", "program.ein", "B=B.npy", "--tile", "i=13", "--stage", "tasks", "--generate", planned,
                             folder=tmp_path)
    (tmp_path / "plan.tasks").write_text(explained.stdout)
    for source in ("program.ein", "plan.tasks"):
        options = ["--tile", "i=13"] if source == "program.ein" else []
        done = TESSERA.call("run", source, "B=B.npy", "-o", f"Y={source}.npy", "--quiet", "--generate", run, *options,
                            folder=tmp_path)
        assert done.exit_code == 0, done.describe()
    assert np.array_equal(np.load(tmp_path / "program.ein.npy"), np.load(tmp_path / "plan.tasks.npy"))


def test_the_option_has_three_values(folder):
    done = TESSERA.call("run", "program.ein", "x=x.npy", "y=y.npy", "--generate", "sometimes", folder=folder)
    assert done.exit_code == 2
    assert "--generate" in done.stderr
