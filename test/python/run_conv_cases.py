#!/usr/bin/python3
"""Every case of test/cases/conv_cases.json as a program of windows, compared with numpy.

  run_conv_cases.py [--tessera PROGRAM] [--with=OPTION]... [ID...]

--with gives every call an option of the program: --with=--sites=3.
"""
import argparse
import pathlib
import sys
import tempfile

import numpy as np

import case_inputs
import command_line

ERROR = 1e-10  # of sums of at most some hundred products of normal numbers, in another order


def draw(case):
    generator = np.random.default_rng(case["seed"])
    inputs = {"X": generator.standard_normal(case["input"]), "W": generator.standard_normal(case["weight"])}
    if case["bias"]:
        inputs["B"] = generator.standard_normal(case["weight"][0])
    return inputs


def program(case):
    """A statement for the convolution. Where nothing is padded, extents follow from what is read."""
    num_modes = len(case["stride"])
    at, over, batch = "xyz"[:num_modes], "pqr"[:num_modes], "n," if case["batched"] else ""
    of_group, per_group = case["weight"][1], case["weight"][0] // case["groups"]
    channel = "c" if case["groups"] == 1 else f"c + {of_group} * (o // {per_group})"
    windows, lines = [], []
    for mode in range(num_modes):
        before, is_padded = case["pad_before"][mode], case["pad_before"][mode] + case["pad_after"][mode] > 0
        window = f"{case['stride'][mode]}*{at[mode]} + {case['dilation'][mode]}*{over[mode]} - {before}"
        windows.append(window + (" pad(0)" if is_padded else ""))
        lines += [f"label {at[mode]} = {case['output'][mode - num_modes]}"] if is_padded else []
    modes = ",".join(f"h{mode}" for mode in range(num_modes))
    bias = " + B[o]" if case["bias"] else ""
    return "\n".join([
        f"input X[{batch}a,{modes}], W[o,c,{','.join(over)}]" + (", B[o]" if case["bias"] else ""), *lines,
        f"Y[{batch}o,{','.join(at)}] = sum[c,{','.join(over)}] X[{batch}{channel},{','.join(windows)}] * W[o,c,{','.join(over)}]{bias}",
        "output Y", ""])


def expected(case, inputs):
    num_modes, groups = len(case["stride"]), case["groups"]
    images, weights = inputs["X"] if case["batched"] else inputs["X"][None], inputs["W"]
    padded = np.pad(images, [(0, 0), (0, 0), *zip(case["pad_before"], case["pad_after"])])
    extents = case["output"][-num_modes:]
    result = np.zeros([len(images), len(weights), *extents])
    for offset in np.ndindex(*weights.shape[2:]):
        starts = [position * dilation for position, dilation in zip(offset, case["dilation"])]
        window = tuple(slice(start, start + (extent - 1) * stride + 1, stride)
                       for start, extent, stride in zip(starts, extents, case["stride"]))
        for images_of, weights_of, result_of in zip(np.split(padded, groups, 1), np.split(weights, groups), np.split(result, groups, 1)):
            result_of += np.einsum("nc...,oc->no...", images_of[(..., *window)], weights_of[(slice(None), slice(None), *offset)])
    if case["bias"]:
        result += inputs["B"].reshape([-1] + [1] * num_modes)
    return result if case["batched"] else result[0]


def run_case(tessera, case, options):
    """The problem with a case in words, empty if there is none."""
    inputs, text = draw(case), program(case)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "conv.ein"
        path.write_text(text)
        done, results = tessera.run_program(path, inputs, ["Y"], folder, *options)
    problem = problem_of_result(expected(case, inputs), results["Y"]) if results else "should run"
    return f"{case['id']}: {problem}\n{text}{done.describe()[-1500:]}" if problem else ""


def problem_of_result(value, result):
    if result.shape != value.shape:
        return f"shape {result.shape}, numpy's is {value.shape}"
    difference = np.max(np.abs(result - value), initial=0)
    return f"differs by {difference}" if not difference <= ERROR else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera")
    parser.add_argument("--with", dest="call_options", action="append", default=[], metavar="OPTION")
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    tessera = command_line.Tessera(options.tessera) if options.tessera else command_line.from_environment()
    cases = [case for case in case_inputs.load("conv_cases.json") if not options.ids or case["id"] in options.ids]
    problems = [p for p in command_line.for_all(lambda case: run_case(tessera, case, options.call_options), cases) if p]
    print(*problems, sep="\n\n")
    print(f"{len(cases) - len(problems)} of {len(cases)} convolutions are right")
    return 1 if problems or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
