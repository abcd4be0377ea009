"""Starts the program as several processes on this machine, as a user does with mpirun."""
import os
import pathlib
import shutil
import signal
import subprocess

import command_line

MPIRUN = shutil.which("mpirun")


def environment(**more):
    return {**os.environ, **command_line.OF_MPIRUN, **more}


def command(processes, program, arguments, options=()):
    return [MPIRUN, "--oversubscribe", "--mca", "plm", "isolated", *options, "-n", str(processes), str(program),
            *map(str, arguments)]


def call(tessera, processes, *arguments, options=(), folder=None, timeout=command_line.TIMEOUT_SECONDS, **variables):
    """What mpirun left behind."""
    words = command(processes, tessera.path, arguments, options)
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL,
                          env=environment(**variables))
    return command_line.Finished(["mpirun", processes, "tessera", *arguments], done.returncode, done.stdout, done.stderr)


def call_apart(programs, *calls, folder=None):
    """Processes that are not all asked for the same: the program and the arguments of each."""
    words = command(1, programs[0], calls[0])
    for program, arguments in zip(programs[1:], calls[1:]):
        words += [":", "-n", "1", str(program), *map(str, arguments)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=command_line.TIMEOUT_SECONDS,
                          stdin=subprocess.DEVNULL, env=environment())
    return command_line.Finished(words, done.returncode, done.stdout, done.stderr)


class Started:
    """A run that goes on; ended with it, whatever happens."""

    def __init__(self, tessera, processes, *arguments, folder=None, **variables):
        self.tessera = tessera
        self.launcher = subprocess.Popen(command(processes, tessera.path, arguments), cwd=folder, text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                         start_new_session=True, env=environment(**variables))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [*self.processes(), self.launcher.pid]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.launcher.communicate()

    def processes(self):
        """Those of this launcher that run the program, by number."""
        children = pathlib.Path(f"/proc/{self.launcher.pid}/task/{self.launcher.pid}/children")
        numbers = map(int, children.read_text().split()) if children.exists() else []
        return sorted(number for number in numbers if self.lives(number))

    def lives(self, number):
        """Whether the process runs the program; one that has ended and that nobody has asked for does not."""
        try:
            return os.readlink(f"/proc/{number}/exe") == str(self.tessera.path)
        except OSError:
            return False

    def end(self, timeout=command_line.TIMEOUT_SECONDS):
        """The exit code and what was said on stderr."""
        _, said = self.launcher.communicate(timeout=timeout)
        return self.launcher.returncode, said
