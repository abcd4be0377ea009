"""Drawn programs of the tensor relational algebra: filters, maps, joins, rekeys and aggregates in drawn order. On several
sites, with every rule over relations or none, bits are those of one site without rules."""
import os
import random

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
NUM_PROGRAMS = int(os.environ.get("TESSERA_DRAWN_RELATIONS", 60))
SHAPE = {"i": (2, 4), "j": (3, 6)}  # pieces and extent of each label of the inputs


class Drawing:
    """A text of stage tra, line by line; small integers, so that no sum rounds."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []

    def add(self, text):
        self.lines.append(f"%{len(self.lines)} = {text}")
        return len(self.lines) - 1

    def text(self):
        node, keys, modes = self.start()
        for _ in range(self.random.randint(2, 6)):
            node, keys, modes = self.random.choice([self.filter, self.filter, self.map, self.reduce, self.rekey,
                                                    self.aggregate])(node, keys, modes)
        result = self.add(f"aggregate(%{node}) keep=() by=sum:f64   # R")
        return "tra\n" + "\n".join(self.lines) + f"\noutput(%{result}) R\n"

    def start(self):
        """One input, or two that are joined on all their keys."""
        keys, modes = ["i", "j"], ["i", "j"]
        cut = ",".join(f"{label}:{pieces}x{extent // pieces}" for label, (pieces, extent) in SHAPE.items())
        inputs = [self.add(f"input {name} : ({cut}) -> f64[i=4,j=6]   # {name}") for name in "AB"]
        if self.random.random() < 0.3:
            return inputs[0], keys, modes
        sides = [self.filter(node, keys, modes)[0] if self.random.random() < 0.2 else node for node in inputs]
        function = self.random.choice(["x0[i,j] + x1[i,j]", "x0[i,j] * x1[i,j]", "maximum(x0[i,j], x1[i,j])"])
        node = self.add(f"join(%{sides[0]}, %{sides[1]}) on=(i,j; i,j) kernel={{o[i,j] = {function}}} : ({cut}) -> "
                        f"f64[i=4,j=6]   # J{len(self.lines)}")
        return node, keys, modes

    def filter(self, node, keys, modes):
        if not keys:
            return node, keys, modes
        label, other = self.random.choice(keys), self.random.choice(keys)
        predicate = self.random.choice([f"index({label}) < {self.random.randint(1, 3)}",
                                        f"index({label}) != {self.random.randint(0, 2)}",
                                        f"index({label}) + index({other}) > 0"])
        return self.add(f"filter(%{node}) where={{{predicate}}}   # F{len(self.lines)}"), keys, modes

    def map(self, node, keys, modes):
        """Element by element, or transposed."""
        out = self.random.sample(modes, len(modes))
        body = self.random.choice(["{} * 2", "{} + 1", "abs({})", "{}"]).format(f"x0[{','.join(modes)}]")
        return self.transform(node, keys, modes, out, body)

    def reduce(self, node, keys, modes):
        if not modes:
            return node, keys, modes
        over = self.random.choice(modes)
        out = [mode for mode in modes if mode != over]
        merge = self.random.choice(["sum", "max"])
        return self.transform(node, keys, modes, out, f"{merge}[{over}] x0[{','.join(modes)}]")

    def transform(self, node, keys, modes, out, body):
        made = self.add(f"transform(%{node}) kernel={{o[{','.join(out)}] = {body}}}   # T{len(self.lines)}")
        return made, keys, out

    def rekey(self, node, keys, modes):
        """Old keys under new names, the last of them counted backwards: a mode is then of the length of a piece."""
        names = {key: key + "r" for key in keys}
        order = self.random.sample(keys, len(keys))
        text = ",".join(f"{names[key]}={key}" for key in order)
        return self.add(f"rekey(%{node}) key=({text})   # K{len(self.lines)}"), [names[key] for key in order], modes

    def aggregate(self, node, keys, modes):
        kept = [key for key in keys if self.random.random() < 0.6]
        merge = self.random.choice(["sum", "max"])
        return self.add(f"aggregate(%{node}) keep=({','.join(kept)}) by={merge}:f64   # G{len(self.lines)}"), kept, modes


def run(text, tmp_path, *options):
    program = tmp_path / "program.tra"
    program.write_text(text)
    values = np.arange(24, dtype=float).reshape(4, 6)
    inputs = {"A": values % 7 - 3, "B": values % 5 - 1}
    done, results = TESSERA.run_program(program, inputs, ["R"], tmp_path, *options)
    return done, results.get("R") if done.exit_code == 0 else None


@pytest.fixture(scope="module")
def sound():
    """How many programs hold together: what a filter leaves out may be missing to others."""
    counted = []
    yield counted
    assert len(counted) >= NUM_PROGRAMS // 3


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_drawn_relations(seed, tmp_path, sound):
    text = Drawing(seed).text()
    done, wanted = run(text, tmp_path)
    if wanted is None:
        assert done.exit_code == 1 and "internal" not in done.stderr, text + done.describe()
        return
    sound.append(seed)
    for options in (["--sites", "3"], ["--sites", "3", "--rules-off", "relation_rules"], ["--sites", "2", "--planner", "bmm"],
                    ["--sites", "7", "--planner", "rmm"]):
        done, seen = run(text, tmp_path, *options)
        assert done.exit_code == 0, text + done.describe()
        assert np.array_equal(seen, wanted), f"{text}{options}\n{seen}\n{wanted}"
