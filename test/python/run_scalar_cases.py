#!/usr/bin/python3
"""Every program of test/cases/scalar through the command line, compared with its formula computed by numpy.

  run_scalar_cases.py [--tessera PROGRAM] [ID...]
"""
import argparse
import sys
import tempfile

import numpy as np

import case_inputs
import command_line

RELATIVE_ERROR = 1e-9   # everything is f64; a few functions differ from libm's in the last digits
ABSOLUTE_ERROR = 1e-12


def semiring(add, multiply, equation, *operands):
    """An einsum over other operations: `add` reduces `multiply` of the operands over the labels that are not kept."""
    left, right = equation.split("->")
    labels = list(dict.fromkeys(left.replace(",", "")))
    aligned = []
    for term, operand in zip(left.split(","), operands):
        present = [label for label in labels if label in term]
        ordered = np.transpose(operand, [term.index(label) for label in present])
        aligned.append(ordered.reshape([ordered.shape[present.index(label)] if label in term else 1 for label in labels]))
    joined = aligned[0]
    for operand in aligned[1:]:
        joined = multiply(joined, operand)
    reduced = add.reduce(joined, axis=tuple(i for i, label in enumerate(labels) if label not in right))
    kept = [label for label in labels if label in right]
    return np.transpose(reduced, [kept.index(label) for label in right])


def logsumexp(x, axis=None, keepdims=False):
    largest = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    result = np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True)) + shift
    return result if keepdims else np.squeeze(result, axis=axis)


def expected(case, inputs):
    names = {"np": np, "semiring": semiring, "logsumexp": logsumexp, "inf": np.inf}
    names.update({name: np.asarray(a, complex if a.dtype.kind == "c" else float) for name, a in inputs.items()})
    with np.errstate(all="ignore"):
        exec("\n".join(case["formula"]), names)
    return np.asarray(names["out"])


def problem_of_result(case, value, result):
    if result.shape != value.shape:
        return f"shape {result.shape}, numpy's is {value.shape}"
    if result.dtype != value.dtype:
        return f"dtype {result.dtype}, numpy's is {value.dtype}"
    right = np.isclose(result, value, rtol=RELATIVE_ERROR, atol=ABSOLUTE_ERROR, equal_nan=True)
    if not np.all(right):
        first = tuple(map(int, np.argwhere(~right)[0]))
        return f"{np.count_nonzero(~right)} of {value.size} elements differ, at {first}: {result[first]}, numpy {value[first]}"
    asserted = case_inputs.asserted(case, value)
    if asserted is not None and not np.allclose(result, asserted, rtol=1e-6, equal_nan=True):
        return f"differs from what the source asserts: {asserted}"
    return ""


def run_case(tessera, case):
    """The problem with a case in words, empty if there is none."""
    program = case_inputs.FOLDER / "scalar" / f"{case['id']}.ein"
    if not program.exists():
        return f"{case['id']}: no program {program}"
    inputs = dict(zip(case["inputs"], case_inputs.draw_all(case["inputs"].values(), case["seed"])))
    value = expected(case, inputs)
    # logsumexp of integers is of floats: the formula's inputs are float64, so the program's are.
    inputs = {name: np.asarray(a, complex if a.dtype.kind == "c" else float) for name, a in inputs.items()}
    with tempfile.TemporaryDirectory() as folder:
        done, outputs = tessera.run_program(program, inputs, ["out"], folder)
    problem = problem_of_result(case, value, outputs["out"]) if outputs else "should run"
    return f"{case['id']} {case['name']}: {problem}\n{done.describe()[-1500:]}" if problem else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera")
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    tessera = command_line.Tessera(options.tessera) if options.tessera else command_line.from_environment()
    cases = [case for case in case_inputs.load("scalar_cases.json") if not options.ids or case["id"] in options.ids]
    problems = [p for p in command_line.for_all(lambda case: run_case(tessera, case), cases) if p]
    print(*problems, sep="\n\n")
    print(f"{len(cases) - len(problems)} of {len(cases)} scalar cases are right")
    return 1 if problems or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
