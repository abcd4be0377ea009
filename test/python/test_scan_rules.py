"""Drawn programs of scans, differences, copies and gathers: the rules that rewrite them change no element. Small integers,
stored as integers or floats, so every sum is exact."""
import random

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
RULES = ["difference_of_scan", "last_of_scan", "aggregate_of_scan", "copy_of_scan", "scan_of_one", "scan_of_repeated", "pull_factor_out_of_scan",
         "read_through_copy", "compose_gathers"]
DRAWN = 120
OPTIONS = [[], ["--tile", "i=2,j=1"], ["--sites", "2"], ["--reproducible"], ["--kernel", "reference"]]


class Program:
    """A few statements over tensors of labels i and j, each about what those before it made."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.extents = self.draw.choice([1, 2, 3, 5, 8]), self.draw.choice([1, 2, 3])
        self.dtype = self.draw.choice(["i8", "i4", "i1", "u2", "f8", "f4"])  # numpy's names: by bytes
        self.tensors = ["X"]
        self.statements = []
        for number in range(self.draw.randint(2, 6)):
            self.statements.append(self.statement(f"T{number}"))
            self.tensors.append(f"T{number}")
        extra = self.draw.sample(self.tensors[1:-1], min(len(self.tensors) - 2, self.draw.randint(0, 1)))
        self.outputs = [self.tensors[-1], *extra]
        self.inputs = self.drawn_inputs(np.random.default_rng(seed))

    def text(self):
        head = "input X[i,j], c[j], w[i], I[i]\n"
        return head + "\n".join(self.statements) + f"\noutput {', '.join(self.outputs)}\n"

    def drawn_inputs(self, rng):
        i, j = self.extents
        values = {"X": rng.integers(-2, 3, (i, j)), "c": rng.integers(-2, 3, j), "w": rng.integers(-2, 3, i)}
        return {name: each.astype(self.dtype) for name, each in values.items()} | {"I": rng.integers(0, i, i)}

    def statement(self, name):
        if self.draw.random() < 0.1:
            return self.there_and_back(name)
        kind = self.draw.choice([self.scan, self.scan, self.scan, self.difference, self.difference, self.copy, self.copy, self.copy,
                                 self.last, self.both, self.total])
        return f"{name}[i,j] = {kind()}"

    def tensor(self):
        return self.draw.choice(self.tensors[-2:])

    def scan(self):
        order = self.draw.choice(["", "", "", " reverse", " exclusive", " reverse exclusive"])
        label = self.draw.choice("iiij")
        factor = self.draw.choice(["", "", "3 * ", "c[j] * ", "c[j] * c[j] * "])
        scanned = self.draw.choice([f"{self.tensor()}[i,j]"] * 3 + [f"{self.tensors[0]}[i,j]", "w[i]", "c[j]", "c[j] * w[i]"])
        return f"cum{self.draw.choice(['sum', 'sum', 'sum', 'max', 'min'])}[{label}{order}] {factor}{scanned}"

    def difference(self):
        of, boundary = self.tensor(), self.draw.choice(["pad(0)", "pad(0)", "pad(0)", "pad(edge)", "pad(2)"])
        return f"{of}[i,j] - {of}[i {self.draw.choice('--+')} {self.draw.choice('112')} {boundary}, j]"

    def copy(self):
        index = self.draw.choice(["i - 1 pad(0)", "i + 1 pad(edge)", "size(i) - 1 - i", "size(i) - 1 - i", "I[i]", "I[i]",
                                  "i - 1 pad(reflect)", "-1", "i"])
        return f"{self.tensor()}[{index}, j]"

    def last(self):
        return f"{self.tensor()}[{self.draw.choice([-1, -1, 0])}, j] + w[i]"

    def there_and_back(self, name):
        if self.draw.random() < 0.3:
            return f"{name}t[i,j] = {self.tensor()}[I[i], j]\n{name}[i,j] = {name}t[I[i], j]"
        scan = f"cum{self.draw.choice(['sum', 'max', 'argmax'])}[{self.draw.choice('iij')}{self.draw.choice(['', ' reverse'])}]"
        return (f"{name}t[i,j] = {self.tensor()}[size(i) - 1 - i, j]\n{name}s[i,j] = {scan} {name}t[i,j]\n"
                f"{name}[i,j] = {name}s[size(i) - 1 - i, j]")

    def total(self):
        return f"({self.draw.choice(['sum', 'sum', 'max', 'min'])}[k] {self.tensor()}[k,j]) + w[i]"

    def both(self):
        return f"2 * {self.tensor()}[i,j] - {self.tensor()}[i,j]"


def run(program, folder, *options):
    path = folder / "program.ein"
    path.write_text(program.text())
    done, results = TESSERA.run_program(path, program.inputs, program.outputs, folder, *options)
    assert done.exit_code == 0, done.describe() + program.text()
    return results


@pytest.mark.parametrize("seed", range(DRAWN))
def test_no_rule_changes_an_element(seed, tmp_path):
    program = Program(seed)
    options = random.Random(seed).choice(OPTIONS)
    seen = run(program, tmp_path, *options)
    wanted = run(program, tmp_path, *options, "--rules-off", ",".join(RULES))
    for name in program.outputs:
        assert np.array_equal(seen[name], wanted[name], equal_nan=seen[name].dtype.kind == "f"), (options, program.text())


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_meets_its_case(rule, tmp_path):
    """Else the test above says nothing about it."""
    path = tmp_path / "program.ein"

    def optimized(program, *options):
        path.write_text(program.text())
        i, j = program.extents
        dtype = {"i8": "i64", "i4": "i32", "i1": "i8", "u2": "u16", "f8": "f64", "f4": "f32"}[program.dtype]
        done = TESSERA.call("explain", path, f"X={dtype}[{i},{j}]", f"c={dtype}[{j}]", f"w={dtype}[{i}]", f"I=i64[{i}]",
                            "--stage", "optimized", *options)
        assert done.exit_code == 0, done.describe() + program.text()
        return done.stdout

    assert any(optimized(program) != optimized(program, "--rules-off", rule) for program in map(Program, range(DRAWN)))
