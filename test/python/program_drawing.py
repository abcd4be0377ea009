"""Draws programs of the .ein language together with what numpy computes for them.

An expression is a small tree (the classes below), which is printed as text and evaluated by numpy over named labels.
All data are small integers and every tree knows a bound of its magnitude, so that sums, products and comparisons are
exact in the program's dtype: any tiling and any order must give equal bits.
"""
import dataclasses

import numpy as np
from hypothesis import strategies as st

LABELS = "ijkl"
EXACT_BELOW = {"float32": 2**24, "float64": 2**53, "int32": 2**31, "int64": 2**63}
DTYPES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64"}
MOST_POINTS = 3000  # elements of the joined index space of a statement


@dataclasses.dataclass
class Tensor:
    name: str
    labels: list      # as declared; one extent each
    bound: int        # of the magnitude of an element
    is_exact: bool = True
    is_integer: bool = False


class Access:
    """A[j, i]: the modes in declared order read at these labels."""

    def __init__(self, tensor, labels):
        self.tensor, self.labels, self.bound = tensor, labels, tensor.bound

    def text(self):
        return f"{self.tensor.name}[{', '.join(self.labels)}]" if self.labels else self.tensor.name

    def value(self, space, arrays):
        """The elements over `space` ({label: extent}, in order); modes of other labels have extent 1."""
        array = arrays[self.tensor.name]
        grids = np.meshgrid(*[np.arange(n) for n in space.values()], indexing="ij", sparse=True)
        at = dict(zip(space, grids))
        # Never 0-d: numpy 1.24 gives those the weak type of a literal.
        return array[tuple(at[label] for label in self.labels)] if self.labels else array.reshape([1] * max(len(space), 1))


class Position:
    """((v + offset) // divisor) % modulus of a label or of an integer element."""

    def __init__(self, of, offset, divisor, modulus):
        self.of, self.offset, self.divisor, self.modulus = of, offset, divisor, modulus

    def text(self):
        inner = self.of.label if isinstance(self.of, Index) else self.of.text()
        return f"({inner} + {self.offset}) // {self.divisor} % {self.modulus}"

    def value(self, space, arrays):
        return (self.of.value(space, arrays).astype(np.int64) + self.offset) // self.divisor % self.modulus


class Gathered:
    """A[(i + 1) // 2 % 3, j]: modes read at positions that are computed, or at labels."""

    def __init__(self, tensor, modes):
        self.tensor, self.modes, self.bound = tensor, modes, tensor.bound

    def text(self):
        modes = [mode if isinstance(mode, str) else mode.text() for mode in self.modes]
        return f"{self.tensor.name}[{', '.join(modes)}]"

    def value(self, space, arrays):
        at = [Index(mode, 1) if isinstance(mode, str) else mode for mode in self.modes]
        return arrays[self.tensor.name][tuple(mode.value(space, arrays) for mode in at)]


class Number:
    def __init__(self, number):
        self.number, self.bound = number, abs(number)

    def text(self):
        return str(self.number) if self.number >= 0 else f"({self.number})"

    def value(self, space, arrays):
        return self.number


class Index:
    def __init__(self, label, extent):
        self.label, self.bound = label, max(extent - 1, 0)

    def text(self):
        return f"index({self.label})"

    def value(self, space, arrays):
        position = list(space).index(self.label)
        return np.arange(space[self.label]).reshape([-1 if k == position else 1 for k in range(len(space))])


INFIX = {"+": np.add, "-": np.subtract, "*": np.multiply}
NAMED = {"minimum": np.minimum, "maximum": np.maximum}
COMPARED = {"<": np.less, "<=": np.less_equal, "==": np.equal, "!=": np.not_equal}


class Binary:
    def __init__(self, operation, left, right):
        self.operation, self.left, self.right = operation, left, right
        join = {"*": lambda a, b: a * b, "+": lambda a, b: a + b, "-": lambda a, b: a + b}.get(operation, max)
        self.bound = join(left.bound, right.bound)

    def text(self):
        if self.operation in NAMED:
            return f"{self.operation}({self.left.text()}, {self.right.text()})"
        return f"({self.left.text()} {self.operation} {self.right.text()})"

    def value(self, space, arrays):
        function = INFIX.get(self.operation) or NAMED[self.operation]
        return function(self.left.value(space, arrays), self.right.value(space, arrays))


class Where:
    def __init__(self, comparison, left, right, yes, no):
        self.comparison, self.left, self.right, self.yes, self.no = comparison, left, right, yes, no
        self.bound = max(yes.bound, no.bound)

    def text(self):
        return (f"where({self.left.text()} {self.comparison} {self.right.text()}, "
                f"{self.yes.text()}, {self.no.text()})")

    def value(self, space, arrays):
        condition = COMPARED[self.comparison](self.left.value(space, arrays), self.right.value(space, arrays))
        return np.where(condition, self.yes.value(space, arrays), self.no.value(space, arrays))


@dataclasses.dataclass
class Statement:
    name: str
    out: list
    aggregate: str
    over: list
    body: object

    def text(self):
        left = f"{self.name}[{', '.join(self.out)}]" if self.out else self.name
        if not self.aggregate:
            return f"{left} = {self.body.text()}"
        return f"{left} = {self.aggregate}[{', '.join(self.over)}] ({self.body.text()})"

    def value(self, extents, arrays):
        space = {label: extents[label] for label in self.out + self.over}
        shape = list(space.values())
        whole = np.broadcast_to(self.body.value(space, arrays), shape or [1]).reshape(shape)
        if not self.aggregate:
            return whole
        kept = whole.reshape([extents[label] for label in self.out] + [-1])
        return AGGREGATES[self.aggregate](kept)


# numpy's answer over the last axis; sums keep the dtype, as einsum does.
AGGREGATES = {
    "sum": lambda a: a.sum(-1, dtype=a.dtype),
    "max": lambda a: a.max(-1),
    "min": lambda a: a.min(-1),
    "argmax": lambda a: a.argmax(-1),
    "argmin": lambda a: a.argmin(-1),
    "mean": lambda a: a.mean(-1),
}


@dataclasses.dataclass
class Program:
    dtype: str
    extents: dict
    inputs: list
    statements: list
    arrays: dict      # the inputs'
    tiles: str

    def text(self):
        declared = "".join(f"input {Access(t, t.labels).text()} : {DTYPES[self.dtype]}\n" for t in self.inputs)
        outputs = ", ".join(statement.name for statement in self.statements)
        sizes = "".join(f"label {label} = {extent}\n" for label, extent in self.extents.items())
        body = "\n".join(statement.text() for statement in self.statements)
        return f"{declared}{sizes}\n{body}\n\noutput {outputs}\n"

    def values(self):
        """What numpy computes for every statement."""
        arrays = dict(self.arrays)
        for statement in self.statements:
            arrays[statement.name] = np.asarray(statement.value(self.extents, arrays))
        return {statement.name: arrays[statement.name] for statement in self.statements}


@st.composite
def programs(draw):
    dtype = draw(st.sampled_from(sorted(DTYPES)))
    extents = {label: draw(st.integers(1, 7)) for label in LABELS}
    is_integer = dtype.startswith("int")
    tensors = [Tensor(name, draw(label_lists(LABELS, 3)), 4, is_integer=is_integer) for name in "ABC"[:draw(st.integers(1, 3))]]
    inputs = list(tensors)
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    arrays = {t.name: generator.integers(-4, 5, [extents[label] for label in t.labels]).astype(dtype) for t in inputs}
    statements = []
    for number in range(draw(st.integers(1, 4))):
        statement, bound = draw(statements_over(f"S{number}", tensors, extents, EXACT_BELOW[dtype]))
        statements.append(statement)
        tensors.append(Tensor(statement.name, statement.out, bound, statement.aggregate != "mean",
                              is_integer and statement.aggregate != "mean"))
    used = {label for tensor in tensors for label in tensor.labels} | {label for s in statements for label in s.over}
    tiles = ",".join(f"{label}={draw(st.integers(1, extents[label]))}" for label in sorted(used)
                     if extents[label] > 1 and draw(st.booleans()))
    return Program(dtype, extents, inputs, statements, arrays, tiles)


def label_lists(labels, most):
    return st.lists(st.sampled_from(list(labels)), max_size=most, unique=True)


@st.composite
def statements_over(draw, name, tensors, extents, limit):
    out = draw(label_lists(LABELS, 3))
    rest = [label for label in LABELS if label not in out]
    over = draw(label_lists(rest, 2)) if rest else []
    while np.prod([extents[label] for label in out + over]) > MOST_POINTS:
        over = over[:-1]
    aggregate = draw(st.sampled_from(sorted(AGGREGATES))) if over else ""
    points = int(np.prod([extents[label] for label in over], dtype=np.int64)) if aggregate in ("sum", "mean") else 1
    body = draw(expressions(tensors, out + over, extents, limit // points, draw(st.integers(0, 3))))
    bound = points if aggregate in ("argmax", "argmin") else body.bound * points
    return Statement(name, out, aggregate, over, body), bound


@st.composite
def expressions(draw, tensors, labels, extents, limit, depth):
    """A tree over these labels whose magnitude stays below limit; it reads at least one tensor if it can."""
    if depth == 0:
        return draw(leaves(tensors, labels, extents, limit))
    left = draw(expressions(tensors, labels, extents, limit, depth - 1))
    right = draw(expressions(tensors, labels, extents, limit, draw(st.integers(0, depth - 1))))
    if isinstance(left, Number) and isinstance(right, Number):
        return left
    if draw(st.integers(0, 3)) == 0:
        yes = draw(leaves(tensors, labels, extents, limit))
        return Where(draw(st.sampled_from(sorted(COMPARED))), left, right, yes, right)
    whole = Binary(draw(st.sampled_from([*INFIX, *NAMED])), left, right)
    return whole if whole.bound < limit else left


@st.composite
def leaves(draw, tensors, labels, extents, limit):
    """An access, transposed or along a diagonal at times; sometimes a number or an index."""
    readable = [t for t in tensors if t.is_exact and t.bound < limit and can_read(t, labels, extents)]
    kind = draw(st.integers(0, 6))
    if kind == 6 and labels and any(t.labels for t in tensors if t.is_exact and t.bound < limit):
        return draw(gathers([t for t in tensors if t.is_exact and t.bound < limit and t.labels], readable, labels, extents))
    if kind == 0 and labels:
        label = draw(st.sampled_from(labels))
        return Index(label, extents[label])
    if kind == 1 or not readable:
        return Number(draw(st.integers(-3, 3)))
    tensor = draw(st.sampled_from(readable))
    return Access(tensor, [draw(st.sampled_from(readers(mode, labels, extents))) for mode in tensor.labels])


@st.composite
def gathers(draw, tensors, readable, labels, extents):
    """An access of which one mode at least is read at positions that are computed."""
    tensor = draw(st.sampled_from(tensors))
    computed = draw(st.integers(0, len(tensor.labels) - 1))
    modes = []
    for number, mode in enumerate(tensor.labels):
        plain = readers(mode, labels, extents)
        if number != computed and plain and draw(st.booleans()):
            modes.append(draw(st.sampled_from(plain)))
            continue
        of = Index(draw(st.sampled_from(labels)), 1)
        integers = [t for t in readable if t.is_integer]
        if integers and draw(st.booleans()):
            table = draw(st.sampled_from(integers))
            of = Access(table, [draw(st.sampled_from(readers(label, labels, extents))) for label in table.labels])
        modes.append(Position(of, draw(st.integers(0, 3)), draw(st.integers(1, 3)), draw(st.integers(1, extents[mode]))))
    return Gathered(tensor, modes)


def readers(mode, labels, extents):
    """The labels that may index a mode: those of its extent, the mode's own first."""
    return sorted((label for label in labels if extents[label] == extents[mode]), key=lambda label: label != mode)


def can_read(tensor, labels, extents):
    return all(readers(mode, labels, extents) for mode in tensor.labels)
