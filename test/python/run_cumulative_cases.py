#!/usr/bin/python3
"""Every case of test/cases/cumulative_cases.json as a program with a scan, compared with a plain loop.

  run_cumulative_cases.py [--tessera PROGRAM] [--with=OPTION]... [ID...]

--with gives every call an option of the program: --with=--sites=3.
"""
import argparse
import pathlib
import sys
import tempfile

import numpy as np

import case_inputs
import command_line

ROUNDING = 1e-14  # of what some thousand numbers merge to in another grouping, relative to the largest
UFUNCS = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}


def program(case):
    """A recurrence is over the first two columns."""
    labels = "ij"[:len(case["input"]["shape"])]
    along = labels[case["axis"]] + (" " + case["order"] if case["order"] else "")
    read, left = f"X[{','.join(labels)}]", ",".join(labels)
    scan = f"cum{case['operator']}[{along}] {read}"
    if case["operator"] == "sumprod":
        scan, left = "cumsumprod[i](X[i,0], X[i,1])", "i"
    total = f"Y = sum[{left}] S[{left}]" if case["is_summed"] else f"Y[{left}] = S[{left}]"
    return f"input X[{','.join(labels)}]\nS[{left}] = {scan}\n{total}\noutput Y\n"


def recurrence(columns):
    state, found = 0.0, []
    for added, factor in columns[:, :2]:
        state = added + factor * state
        found.append(state)
    return np.array(found)


def expected(case, values):
    if case["operator"] == "sumprod":
        found = recurrence(values)
    else:
        ufunc, axis = UFUNCS[case["operator"]], case["axis"]
        turned = np.flip(values, axis) if "reverse" in case["order"] else values
        found = ufunc.accumulate(turned, axis)
        if "exclusive" in case["order"]:
            first = np.full_like(np.take(turned, [0], axis), ufunc.identity)
            found = np.concatenate([first, np.take(found, range(turned.shape[axis] - 1), axis)], axis)
        found = np.flip(found, axis) if "reverse" in case["order"] else found
    return np.sum(found) if case["is_summed"] else found


def run_case(tessera, case, options):
    """The problem with a case in words, empty if there is none."""
    values, text = case_inputs.draw_all([case["input"]], case["seed"])[0], program(case)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "scan.ein"
        path.write_text(text)
        done, results = tessera.run_program(path, {"X": values}, ["Y"], folder, *options)
    problem = problem_of_result(expected(case, values), results["Y"], case) if results else "should run"
    return f"{case['id']}: {problem}\n{text}{done.describe()[-1500:]}" if problem else ""


def problem_of_result(value, result, case):
    if result.shape != np.shape(value):
        return f"shape {result.shape}, numpy's is {np.shape(value)}"
    largest = np.max(np.abs(value), initial=0)
    error = max(case["error"] * (largest if case["is_relative"] else 1), ROUNDING * largest)
    difference = np.max(np.abs(result - value), initial=0)
    return f"differs by {difference}" if not difference <= error else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera")
    parser.add_argument("--with", dest="call_options", action="append", default=[], metavar="OPTION")
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    tessera = command_line.Tessera(options.tessera) if options.tessera else command_line.from_environment()
    cases = [case for case in case_inputs.load("cumulative_cases.json") if not options.ids or case["id"] in options.ids]
    problems = [p for p in command_line.for_all(lambda case: run_case(tessera, case, options.call_options), cases) if p]
    print(*problems, sep="\n\n")
    print(f"{len(cases) - len(problems)} of {len(cases)} cumulative aggregates are right")
    return 1 if problems or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
