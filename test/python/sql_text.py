"""Asks the program sql_text, which stays running, what SQLite is given for a script."""
import os
import subprocess


class SqlText:
    """The program named by the environment's SQL_TEXT. Threads: one call at a time."""

    def __init__(self):
        self.process = subprocess.Popen([os.environ["SQL_TEXT"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, script):
        """The text; one that begins with `error: ` where there is none."""
        self.process.stdin.write(script.encode() + b"\0")
        self.process.stdin.flush()
        answer = bytearray()
        while not answer.endswith(b"\0"):
            byte = self.process.stdout.read(1)
            if not byte:
                raise RuntimeError(f"sql_text ended at: {script}")
            answer += byte
        return answer[:-1].decode()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
