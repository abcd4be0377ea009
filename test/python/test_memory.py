"""Drawn programs give numpy's bits under every memory budget from the smallest one on, and below it are refused.

TESSERA_DRAWN_PROGRAMS is how many are drawn. The resident set of every run is at most its budget and 100 MiB.
"""
import os
import pathlib
import re
import resource
import tempfile

import hypothesis
import numpy as np

import command_line
import program_drawing

TESSERA = command_line.from_environment()
ALLOWANCE = 100 << 20


def types_of(program):
    return [f"{name}={program_drawing.DTYPES[str(array.dtype)]}[{','.join(map(str, array.shape))}]"
            for name, array in program.arrays.items()]


def figures(program, file, options):
    """The peak and the smallest budget that the plan states."""
    done = TESSERA.call("explain", file, *types_of(program), "--stage", "tasks", *options)
    assert done.exit_code == 0, done.describe()
    return map(int, re.match(r"tasks peak=(\d+) smallest_budget=(\d+)", done.stdout).groups())


def check_run(program, file, folder, budget, *options):
    outputs = [statement.name for statement in program.statements]
    done, results = TESSERA.run_program(file, program.arrays, outputs, folder, "--memory", budget, *options)
    assert done.exit_code == 0, f"{program.text()}\n{done.describe()}"
    for name, value in program.values().items():
        assert np.array_equal(results[name], value), f"{name} differs\n{program.text()}{done.describe()}"
    # A process starts with the resident set of this one.
    own, resident = (resource.getrusage(who).ru_maxrss * 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    assert resident <= max(own, budget + ALLOWANCE), f"{resident} bytes are resident\n{done.describe()}"


def check_refused(program, file, folder, budget, smallest, *options):
    done, _ = TESSERA.run_program(file, program.arrays, [], folder, "--memory", budget, *options)
    assert done.exit_code == 1, done.describe()
    assert f"--memory {smallest} would work" in done.stderr, done.describe()


@hypothesis.settings(max_examples=int(os.environ.get("TESSERA_DRAWN_PROGRAMS", 40)), deadline=None, derandomize=True,
                     suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(program_drawing.programs())
def test_every_budget_from_the_smallest_gives_the_bits_of_numpy(program):
    hypothesis.assume(program.tiles)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "drawn.ein"
        file.write_text("# Drawn.\n" + program.text())
        # The reference kernel's workspace is small: with it, budgets are about tiles.
        for kernel in ([], ["--kernel", "reference"]):
            options = ["--tile", program.tiles, *kernel]
            peak, smallest = figures(program, file, options)
            check_run(program, file, folder, smallest, "--workers", 1, *options)
            check_run(program, file, folder, smallest, "--workers", 3, *options)
            check_run(program, file, folder, (peak + smallest) // 2, "--workers", 2, *options)
            check_refused(program, file, folder, smallest - 64, smallest, *options)
