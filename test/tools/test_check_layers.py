"""tools/check_layers.py finds every include that tools/layers.txt does not allow, between layers and inside one."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402

ALLOWED = check_layers.read_layers("""
base:
kernels: base       # a reason
kernels/.: kernels/isa
kernels/reference: kernels/.
kernels/isa: kernels/.
""")


@pytest.mark.parametrize("here, there, allowed", [
    ("kernels", "base", True),
    ("kernels/isa", "base", True),
    ("base", "kernels", False),
    ("base", "kernels/isa", False),
    ("plan", "base", False),                      # a layer without a line
    ("kernels/reference", "kernels", True),
    ("kernels/reference", "kernels/reference", True),
    ("kernels/reference", "kernels/isa", False),  # reached through the files beside it only
    ("kernels/reference", "kernels/cpu/gemm", False),
    ("kernels", "kernels/isa", True),
    ("kernels", "kernels/reference", False),
    ("kernels/cpu/new", "kernels", False),        # a folder without a line
    ("base/inner", "base", True),                 # a layer with no lines for its folders
])
def test_is_allowed(here, there, allowed):
    assert check_layers.is_allowed(ALLOWED, here, there) == allowed


def test_names_the_line(tmp_path):
    folder = tmp_path / "kernels" / "reference"
    folder.mkdir(parents=True)
    (folder / "a.cpp").write_text('#include <vector>\n#include "base/error.h"\n#include "kernels/cpu/gemm/call.h"\n')
    problems = list(check_layers.problems_of(tmp_path, ALLOWED))
    assert len(problems) == 1
    assert "a.cpp:3: kernels/reference/ may not include kernels/cpu/gemm/" in problems[0]


def test_every_line_is_about_a_folder():
    allowed = check_layers.read_layers((ROOT / "tools/layers.txt").read_text())
    for folder in allowed:
        assert (ROOT / "src" / folder.removesuffix("/.")).is_dir(), folder
        for below in allowed[folder]:
            assert (ROOT / "src" / below.removesuffix("/.")).is_dir(), below


def test_layers_flow_one_way():
    """Between layers no two may include each other, not even through others."""
    allowed = check_layers.read_layers((ROOT / "tools/layers.txt").read_text())
    layers = [folder for folder in allowed if "/" not in folder]
    above = set()
    for layer in layers:
        assert allowed[layer] <= above, f"{layer} includes what stands below it in tools/layers.txt"
        above.add(layer)
