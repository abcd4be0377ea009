#!/usr/bin/python3
"""Every case of test/cases/einsum_cases.json through the command line, compared with numpy.

  run_einsum_cases.py [--tessera PROGRAM] [--tiles SEED] [--with=OPTION]... [--most-work N] [ID...]

--tiles cuts the labels of every case (that has ASCII labels) into drawn tiles; the result must be the same.
--with gives every call an option of the program: --with=--kernel=reference.
--most-work leaves out cases whose loop over all labels has more steps (the reference kernel takes a microsecond for one).
"""
import argparse
import math
import pathlib
import re
import sys
import tempfile

import numpy as np

import case_inputs
import command_line
import einsum_reference

MOST_TILES = 60  # so that a drawn tiling does not turn a small case into thousands of tasks


def draw_tiles(equation, operands, generator):
    """`i=2,k=1`: tile extents for some of the labels; empty if the case has no label to cut."""
    terms, _ = einsum_reference.parse(equation, [operand.ndim for operand in operands])
    extents = {}
    for term, operand in zip(terms, operands):
        for label, extent in zip(term, operand.shape):
            extents[label] = max(extents.get(label, 1), extent)
    tiles, pieces = [], 1
    for label, extent in extents.items():
        if not (isinstance(label, str) and label.isascii()) or extent < 2 or generator.random() < 0.3:
            continue
        tile = int(generator.integers(1, extent + 1))
        if pieces * -(-extent // tile) <= MOST_TILES:
            pieces *= -(-extent // tile)
            tiles.append(f"{label}={tile}")
    return ",".join(tiles)


def work_of(case):
    """Steps of the loop over all labels of a case; 0 for one that is to be refused."""
    if "error_category" in case:
        return 0
    shapes = [operand["shape"] for operand in case["operands"]]
    terms, _ = einsum_reference.parse(case["equation"], [len(shape) for shape in shapes])
    extents = {}
    for term, shape in zip(terms, shapes):
        for label, extent in zip(term, shape):
            extents[label] = max(extents.get(label, 1), extent)
    return math.prod(extents.values())


def missing_words(case, message):
    """The words of an error case's culprit that the message does not hold; labels count only as words."""
    def is_said(word):
        pattern = rf"(?<!\w){re.escape(word)}(?!\w)" if re.fullmatch(r"\w+", word) else re.escape(word)
        return re.search(pattern, message) is not None
    return [word for word in case["culprit"] if not is_said(word)]


def problem_of_refusal(case, done):
    # Without an operand there is nothing to run: that is a wrong command line, not a wrong equation.
    allowed = {1, 2} if case["error"] == "no-operands" else {1}
    if done.exit_code not in allowed:
        return f"should be refused ({case['error']})"
    missing = missing_words(case, done.stderr)
    return f"the message does not name {missing}" if missing else ""


def problem_of_result(case, operands, result):
    value, allowed = einsum_reference.expected(case["equation"], operands)
    if result.dtype != value.dtype:
        return f"dtype {result.dtype}, numpy's is {value.dtype}"
    if result.shape != value.shape:
        return f"shape {result.shape}, numpy's is {value.shape}"
    wrong = result != value if allowed is None else ~(np.abs(result - value) <= allowed)
    if np.any(wrong):
        first = tuple(map(int, np.argwhere(wrong)[0]))
        return f"{np.count_nonzero(wrong)} of {value.size} elements differ, at {first}: {result[first]}, numpy {value[first]}"
    asserted = case_inputs.asserted(case, value)
    if asserted is not None and not np.allclose(result, asserted, rtol=1e-6):
        return f"differs from what the source asserts: {case['asserted_by_source']}"
    return ""


def run_case(tessera, case, tiles_seed, options):
    """The problem with a case in words, empty if there is none."""
    operands = case_inputs.draw_all(case["operands"], case["seed"])
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / f"operand{position}.npy" for position in range(len(operands))]
        for file, operand in zip(files, operands):
            np.save(file, operand)
        result = pathlib.Path(folder) / "result.npy"
        arguments = ["einsum", "-o", result, *options]
        if tiles_seed is not None and "error" not in case:
            generator = np.random.default_rng([tiles_seed, case["seed"]])
            tiles = draw_tiles(case["equation"], operands, generator)
            arguments += ["--tile", tiles] if tiles else []
        # An equation may begin with an arrow, which would read as an option.
        done = tessera.call(*arguments, "--", case["equation"], *files)
        if "error" in case:
            problem = problem_of_refusal(case, done)
        elif done.exit_code != 0:
            problem = "should run"
        else:
            problem = problem_of_result(case, operands, np.load(result))
    if not problem:
        return ""
    shapes = ", ".join(f"{operand.dtype}{list(operand.shape)}" for operand in operands[:6])
    return f"{case['id']} {case['equation']!r} on {shapes}: {problem}\n{done.describe()[-1500:]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera")
    parser.add_argument("--tiles", type=int, metavar="SEED")
    parser.add_argument("--with", dest="call_options", action="append", default=[], metavar="OPTION")
    parser.add_argument("--most-work", type=float, default=math.inf, metavar="N")
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    tessera = command_line.Tessera(options.tessera) if options.tessera else command_line.from_environment()
    cases = [case for case in case_inputs.load("einsum_cases.json") if not options.ids or case["id"] in options.ids]
    cases = [case for case in cases if work_of(case) <= options.most_work]
    problems = command_line.for_all(lambda case: run_case(tessera, case, options.tiles, options.call_options), cases)
    problems = [problem for problem in problems if problem]
    print(*problems, sep="\n\n")
    print(f"{len(cases) - len(problems)} of {len(cases)} einsum cases are right")
    return 1 if problems or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
