"""Runs the command line in tests: one process per call, inputs and outputs as .npy files."""
import concurrent.futures
import dataclasses
import os
import pathlib
import subprocess

import numpy as np

TIMEOUT_SECONDS = 120


@dataclasses.dataclass
class Finished:
    """What a call left behind."""
    arguments: list
    exit_code: int
    stdout: str
    stderr: str

    def describe(self):
        return f"{' '.join(map(str, self.arguments))}\nexit code {self.exit_code}\n{self.stdout}{self.stderr}"


class Tessera:
    """The program at `path`. Threads: any number of calls at once."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        if not os.access(self.path, os.X_OK):
            raise SystemExit(f"{self.path} is not a program; build it first: tools/build.sh release tessera")

    def call(self, *arguments, folder=None):
        done = subprocess.run([self.path, *map(str, arguments)], cwd=folder, capture_output=True, text=True,
                              timeout=TIMEOUT_SECONDS, stdin=subprocess.DEVNULL)
        return Finished(["tessera", *arguments], done.returncode, done.stdout, done.stderr)

    def start(self, *arguments, folder=None):
        """The running process, its streams as pipes."""
        return subprocess.Popen([self.path, *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)

    def run_program(self, program, inputs, outputs, folder, *options):
        """Runs a .ein file on arrays; returns (Finished, {output: array}), the arrays empty if it failed."""
        folder = pathlib.Path(folder)
        arguments = ["run", program, "--quiet"]
        for name, array in inputs.items():
            np.save(folder / f"{name}.npy", array)
            arguments.append(f"{name}={folder / name}.npy")
        for name in outputs:
            arguments += ["-o", f"{name}={folder / name}.out.npy"]
        done = self.call(*arguments, *options)
        if done.exit_code != 0:
            return done, {}
        return done, {name: np.load(folder / f"{name}.out.npy") for name in outputs}


def from_environment():
    """The program that ctest names in TESSERA, or the release build's."""
    default = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "src" / "cli" / "tessera"
    return Tessera(os.environ.get("TESSERA", default))


def for_all(function, items):
    """[function(item) ...] with as many processes under way as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))
