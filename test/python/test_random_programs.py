"""Drawn programs, whole, cut into drawn tiles or by a planner, on several sites and on the reference kernel, give numpy's bits.

TESSERA_DRAWN_PROGRAMS is how many are drawn.
"""
import os
import pathlib
import tempfile

import hypothesis
import numpy as np
from hypothesis import strategies as st

import command_line
import program_drawing

TESSERA = command_line.from_environment()


def check_bits(program, file, folder, *options):
    outputs = [statement.name for statement in program.statements]
    done, results = TESSERA.run_program(file, program.arrays, outputs, folder, *options)
    assert done.exit_code == 0, f"{program.text()}\n{done.describe()}"
    for name, value in program.values().items():
        result = results[name]
        assert result.dtype == value.dtype, f"{name} is {result.dtype}, numpy's {value.dtype}\n{program.text()}"
        assert result.shape == value.shape, f"{name} is {result.shape}, numpy's {value.shape}\n{program.text()}"
        assert np.array_equal(result, value), f"{name} is\n{result}\nnumpy's\n{value}\n{program.text()}{options}"


@hypothesis.settings(max_examples=int(os.environ.get("TESSERA_DRAWN_PROGRAMS", 120)), deadline=None, derandomize=True,
                     suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(program_drawing.programs(), st.sampled_from(["auto", "sqrt", "eindecomp", "data-parallel"]),
                  st.integers(2, 12), st.integers(2, 5))
def test_programs_give_the_bits_of_numpy(program, planner, pieces, sites):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "drawn.ein"
        file.write_text("# Drawn.\n" + program.text())
        check_bits(program, file, folder)
        if program.tiles:
            check_bits(program, file, folder, "--tile", program.tiles)
            check_bits(program, file, folder, "--tile", program.tiles, "--sites", str(sites))
        check_bits(program, file, folder, "--planner", planner, "--pieces", str(pieces))
        check_bits(program, file, folder, "--kernel", "reference")
