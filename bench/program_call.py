"""A program as benchmarks call it: on one worker, with drawn inputs that are saved as files."""
import argparse
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]


def normal(dtype, *shape):
    return np.random.default_rng(list(shape)).standard_normal(shape, dtype=dtype)


def command(tessera, arguments, inputs, folder):
    """The call that writes folder/result.npy. `inputs` are arrays, by name where the program names them."""
    is_named = isinstance(inputs, dict)
    files = []
    for name, array in (inputs.items() if is_named else ((f"operand{i}", array) for i, array in enumerate(inputs))):
        np.save(folder / f"{name}.npy", array)
        files.append(f"{name}={folder / name}.npy" if is_named else f"{folder / name}.npy")
    return [tessera, *arguments[:2], *files, *arguments[2:], "--quiet", "--workers", "1", "-o", folder / "result.npy"]


def read_options(repeat):
    """Those of the command line: which program, how often, and the names of the benchmarks, none for all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--repeat", type=int, default=repeat)
    parser.add_argument("names", nargs="*")
    return parser.parse_args()
