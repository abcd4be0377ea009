"""What `cmake --install` puts into place works there: the program, and the C++ library for a project of somebody else."""
import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("TESSERA_INSTALLABLE_BUILD")
DIGITS = ROOT / "examples/digits/candidates.npy"

pytestmark = pytest.mark.skipif(not BUILD, reason="a build with sanitizers is not installed")


def run(*command, folder=None):
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder, "--strip")
    return folder


def test_the_program_runs_from_its_place(prefix, tmp_path):
    np.save(tmp_path / "x.npy", np.arange(4.0))
    assert run(prefix / "bin/tessera", "einsum", "i->", "x.npy", "--quiet", folder=tmp_path) == "6\n"


def test_the_bench_is_not_installed(prefix):
    """It is compiled for the machine that it measures."""
    done = subprocess.run([prefix / "bin/tessera", "bench"], capture_output=True, text=True)
    assert done.returncode == 1 and "'make bench' in the source tree builds and starts it" in done.stderr


def test_the_manual_and_the_completions_are_where_they_are_looked_for(prefix):
    for file in ("man/man1/tessera.1", "bash-completion/completions/tessera", "zsh/site-functions/_tessera"):
        assert (prefix / "share" / file).read_text() == (ROOT / "share" / file).read_text()


def test_no_header_names_the_source_tree(prefix):
    headers = list((prefix / "include/tessera").rglob("*.h"))
    assert prefix / "include/tessera/engine/session.h" in headers
    assert all(str(ROOT) not in file.read_text() for file in [*headers, *prefix.rglob("*.cmake")])


def test_a_project_finds_the_package(prefix, tmp_path):
    run("cmake", "-S", ROOT / "examples/cpp", "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path)
    printed = run(tmp_path / "nearest_digit", DIGITS, tmp_path / "distances.npy")

    picture = np.zeros((8, 8), int)
    picture[:, 3:5] = 16
    distances = abs(np.load(DIGITS).astype(int) - picture.ravel()).sum(axis=1)
    assert np.array_equal(np.load(tmp_path / "distances.npy"), distances)
    assert f"picture {distances.argmin()} differs least, by {distances.min()}\n" in printed
    assert printed.startswith("tra\n")
