"""The skeletons are written once, keep the house rules and compile, also with -Wall -Wextra -Werror."""
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import lint  # noqa: E402

SCRIPTS = ["new_rule.py", "new_placement_rule.py", "new_kernel.py", "new_function.py"]

# Where the READMEs of src/optimizer, src/kernels and src/expr say that the files go.
PLACES = {
    "new_rule.py": ["src/optimizer/rules/new_thing.cpp", "test/plans/rules/new_thing.test"],
    "new_placement_rule.py": ["src/optimizer/ia/rules/new_thing.cpp", "test/plans/rules/new_thing.test"],
    "new_kernel.py": ["src/kernels/cpu/new_thing/new_thing_kernel.cpp", "test/unit/kernels/new_thing_kernel_test.cpp"],
    "new_function.py": ["src/expr/functions/new_thing.h", "test/unit/kernels/new_thing_test.cpp"],
}


def run(script, name, root, *options):
    return subprocess.run([sys.executable, ROOT / "tools" / script, name, "--root", root, *options], capture_output=True,
                          text=True)


@pytest.mark.parametrize("script", SCRIPTS)
def test_writes_a_file_and_its_test(script, tmp_path):
    done = run(script, "new_thing", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == PLACES[script]
    for name in PLACES[script]:
        text = (tmp_path / name).read_text()
        assert "new_thing" in text or "NewThing" in text
        assert not [*lint.line_problems(name, text), *lint.file_problems(name, text)]


@pytest.mark.parametrize("script", SCRIPTS)
def test_tests_go_where_the_other_tests_are(script):
    test = pathlib.PurePosixPath(PLACES[script][1])
    assert list((ROOT / test.parent).glob("*_test.cpp" if test.suffix == ".cpp" else "*.test"))


def test_a_kernel_joins_a_family(tmp_path):
    family = next((ROOT / "src/kernels/cpu").glob("*/*_kernel.cpp")).parent.name
    done = run("new_kernel.py", "new_thing", tmp_path, "--folder", family)
    assert done.stdout.split()[0] == f"src/kernels/cpu/{family}/new_thing_kernel.cpp"


@pytest.mark.parametrize("script", SCRIPTS)
def test_never_writes_over_a_file(script, tmp_path):
    assert run(script, "new_thing", tmp_path).returncode == 0
    again = run(script, "new_thing", tmp_path)
    assert again.returncode != 0 and "exists already" in again.stderr


@pytest.mark.parametrize("name", ["NewThing", "new-thing", "2d", "new__thing", ""])
def test_refuses_other_names(name, tmp_path):
    assert run("new_rule.py", name, tmp_path).returncode != 0
    assert run("new_kernel.py", "new_thing", tmp_path, "--folder", name or "..").returncode != 0
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler")
@pytest.mark.parametrize("script", SCRIPTS)
def test_skeletons_compile(script, tmp_path):
    written = run(script, "new_thing", tmp_path).stdout.split()
    for name in [name for name in written if not name.endswith(".test")]:
        done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror",
                               "-I", ROOT / "src", "-I", ROOT / "test", "-x", "c++", tmp_path / name], capture_output=True, text=True)
        errors = [line for line in done.stderr.splitlines() if "error:" in line and "pragma once in main file" not in line]
        assert not errors, "\n".join(errors)
