"""Runs the command line in tests: one process per call, inputs and outputs as .npy files."""
import concurrent.futures
import dataclasses
import os
import pathlib
import subprocess
import sys

import numpy as np

TIMEOUT_SECONDS = 120

# What the resident set may have beside the budget, in bytes. A sanitizer keeps shadow memory beside everything, so its builds
# name an allowance of their own.
ALLOWANCE = int(os.environ.get("TESSERA_ALLOWANCE_MIB", "100")) << 20

# What mpirun needs here; a sanitizer counts what MPI never frees.
OF_MPIRUN = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "ASAN_OPTIONS": "detect_leaks=0"}

# Writes the largest resident set of a program to a file. A process starts with the resident set of the one that starts
# it, so this is a small one.
LAUNCHER = """import os, sys
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(usage.ru_maxrss * 1024))
sys.exit(os.waitstatus_to_exitcode(status))"""


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

    def __init__(self, path, launcher=(), environment=()):
        self.path = pathlib.Path(path).resolve()
        self.launcher = launcher
        self.environment = {**os.environ, "TESSERA_RATES": "", **dict(environment)}  # as plans are without a user's file
        if not os.access(self.path, os.X_OK):
            raise SystemExit(f"{self.path} is not a program; build it first: tools/build.sh release tessera")

    def under_mpirun(self, processes):
        """The same program, started as so many processes."""
        return Tessera(self.path, ("mpirun", "--oversubscribe", "--mca", "plm", "isolated", "-n", str(processes)), OF_MPIRUN)

    def call(self, *arguments, folder=None):
        done = subprocess.run([*self.launcher, self.path, *map(str, arguments)], cwd=folder, capture_output=True, text=True,
                              timeout=TIMEOUT_SECONDS, stdin=subprocess.DEVNULL, env=self.environment)
        return Finished(["tessera", *arguments], done.returncode, done.stdout, done.stderr)

    def call_measured(self, *arguments, folder):
        """What a call left behind, and the bytes of its largest resident set."""
        resident = pathlib.Path(folder) / "resident"
        done = subprocess.run([sys.executable, "-S", "-E", "-c", LAUNCHER, resident, self.path, *map(str, arguments)],
                              cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, stdin=subprocess.DEVNULL,
                              env=self.environment)
        return (Finished(["tessera", *arguments], done.returncode, done.stdout, done.stderr), int(resident.read_text()))

    def start(self, *arguments, folder=None, new_session=False):
        """The running process, its streams as pipes; at the head of a session of its own to be killed with all that it starts."""
        return subprocess.Popen([*self.launcher, self.path, *map(str, arguments)], cwd=folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
                                start_new_session=new_session, env=self.environment)

    def run_program(self, program, inputs, outputs, folder, *options):
        """Runs a .ein file on arrays; returns (Finished, {output: array}), the arrays empty if it failed."""
        arguments = self._saved(program, inputs, outputs, folder)
        done = self.call(*arguments, *options)
        return done, self._results(done, outputs, folder)

    def values_of(self, folder, text, outputs, options=(), **inputs):
        """The arrays that a program of this text makes of these, in the order of `outputs`; it must end well."""
        program = pathlib.Path(folder) / "program.ein"
        program.write_text(text)
        done, results = self.run_program(program, inputs, outputs, folder, *options)
        assert done.exit_code == 0, done.describe() + text
        return [results[name] for name in outputs]

    def message_of(self, folder, text, *options, **inputs):
        """What is said of a program of this text that cannot run."""
        program = pathlib.Path(folder) / "program.ein"
        program.write_text(text)
        done, _ = self.run_program(program, inputs, [], folder, *options)
        assert done.exit_code == 1, done.describe()
        return done.stderr

    def run_program_measured(self, program, inputs, outputs, folder, *options):
        """The same, with the bytes of the largest resident set."""
        arguments = self._saved(program, inputs, outputs, folder)
        done, resident = self.call_measured(*arguments, *options, folder=folder)
        return done, self._results(done, outputs, folder), resident

    @staticmethod
    def _saved(program, inputs, outputs, folder):
        """The arguments of a run, with its inputs saved."""
        folder = pathlib.Path(folder)
        arguments = ["run", program, "--quiet"]
        for name, array in inputs.items():
            np.save(folder / f"{name}.npy", array)
            arguments.append(f"{name}={folder / name}.npy")
        for name in outputs:
            arguments += ["-o", f"{name}={folder / name}.out.npy"]
        return arguments

    @staticmethod
    def _results(done, outputs, folder):
        return {name: np.load(pathlib.Path(folder) / f"{name}.out.npy") for name in outputs} if done.exit_code == 0 else {}


def from_environment(**environment):
    """The program that ctest names in TESSERA, or the release build's, called with these variables."""
    default = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "src" / "cli" / "tessera"
    return Tessera(os.environ.get("TESSERA", default), environment=environment)


def for_all(function, items):
    """[function(item) ...] with as many processes under way as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))
