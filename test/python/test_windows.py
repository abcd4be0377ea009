"""Indices that are computed: windows, strides, pads, gathers, beside numpy element by element. Integers, so every sum is exact."""
import dataclasses
import itertools
import random

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
message = TESSERA.message_of
LABELS = "ijkl"
OPTIONS = [[], ["--workers", "2"], ["--sites", "2"], ["--sites", "3", "--planner", "two-phase"], ["--memory", "100KiB"],
           ["--reproducible"], ["--sites", "2", "--planner", "grid"], ["--pieces", "4"], ["--pieces", "3", "--sites", "3"]]
DRAWN = 60


def integers(*shape):
    return np.random.default_rng(sum(shape)).integers(-4, 5, shape)


@dataclasses.dataclass
class Mode:
    """Of A: offset + terms, or the element of G at a label."""
    terms: dict
    offset: int = 0
    pad: object = None
    gathers: bool = False

    def text(self):
        position = " + ".join(f"{factor}*{label}" for label, factor in self.terms.items())
        position = f"G[{next(iter(self.terms))}]" if self.gathers else f"{position} + {self.offset}".replace("+ -", "- ")
        return position if self.pad is None else f"{position} pad({self.pad})"

    def position(self, labels, gathered):
        if self.gathers:
            return gathered[labels[next(iter(self.terms))]]
        return self.offset + sum(factor * labels[label] for label, factor in self.terms.items())


def element(array, modes, labels, gathered):
    place = []
    for extent, mode in zip(array.shape, modes):
        position = mode.position(labels, gathered)
        if not 0 <= position < extent:
            if mode.pad == "edge":
                position = min(max(position, 0), extent - 1)
            elif mode.pad == "reflect":
                period = max(2 * (extent - 1), 1)
                position = min(position % period, period - position % period) if extent > 1 else 0
            else:
                return mode.pad
        place.append(position)
    return int(array[tuple(place)])


def drawn_mode(draw, labels):
    if draw.random() < 0.15:
        return Mode({draw.choice(labels): 1}, 0, draw.choice([None, "edge", 0]), True)
    terms = {label: draw.choice([1, 1, 2, -1, 3]) for label in draw.sample(labels, draw.randint(1, min(2, len(labels))))}
    return Mode(terms, draw.randint(-3, 4), draw.choice([0, 7, "edge", "reflect"]))


@pytest.mark.parametrize("seed", range(DRAWN))
def test_drawn_indices_read_what_numpy_reads(seed, tmp_path):
    draw = random.Random(seed)
    labels = list(LABELS[:draw.randint(1, 4)])
    extents = {label: draw.randint(1, 5) for label in labels}
    array = integers(*(draw.randint(1, 7) for _ in range(draw.randint(1, 3))))
    reads = [[drawn_mode(draw, labels) for _ in array.shape] for _ in range(draw.randint(1, 2))]
    gathered = np.random.default_rng(seed).integers(0, min(array.shape), draw.randint(1, 6)).astype("i4")
    extents |= {label: len(gathered) for modes in reads for mode in modes if mode.gathers for label in mode.terms}
    read = {label for modes in reads for mode in modes for label in mode.terms}
    left = [label for label in labels if label in read and draw.random() < 0.6]
    over = [label for label in labels if label in read and label not in left]

    body = " * ".join(f"A[{', '.join(mode.text() for mode in modes)}]" for modes in reads)
    text = f"input A[{','.join('abc'[:array.ndim])}], G[g]\n" + "".join(f"label {label} = {extents[label]}\n" for label in read)
    text += f"Z[{','.join(left)}] = " + (f"sum[{','.join(over)}] ({body})\n" if over else body + "\n") + "output Z\n"

    def value(place):
        return sum(np.prod([element(array, modes, place | dict(zip(over, positions)), gathered) for modes in reads])
                   for positions in itertools.product(*(range(extents[label]) for label in over)))

    expected = np.array([value(dict(zip(left, place))) for place in itertools.product(*(range(extents[label]) for label in left))])
    [result] = run(tmp_path, text.replace("Z[] =", "Z ="), ["Z"], OPTIONS[seed % len(OPTIONS)], A=array, G=gathered)
    assert np.array_equal(result, expected.reshape([extents[label] for label in left])), text


def test_a_label_has_the_largest_extent_that_stays_in_range(tmp_path):
    x, w = integers(11), integers(3)
    text = ("input x[a], w[k]\nfiltered[i] = sum[k] x[2*i + k] * w[k]\nslope[a] = x[a+1] - x[a]\nback[i] = x[size(i) - 1 - i]\n"
            "last = x[-1]\nsecond = x[1]\noutput filtered, slope, back, last, second\n")
    filtered, slope, back, last, second = run(tmp_path, text, ["filtered", "slope", "back", "last", "second"], x=x, w=w)
    assert np.array_equal(filtered, [x[2 * i:2 * i + 3] @ w for i in range(5)])
    assert np.array_equal(slope, np.diff(x)) and np.array_equal(back, x[::-1])
    assert last == x[-1] and second == x[1]


def test_a_slice_gives_its_label_an_extent(tmp_path):
    x, w = integers(9, 6), integers(1)
    text = ("input x[a,b], w[k]\nparam n = 2\ninner[i,e] = x[i = 1:-1, e = n:]\nfirst[e] = x[0, e = :n]\nnone[a,e] = x[a, e = 4:3]\n"
            "total = sum[e,a] x[a, e = 3:5]\nlabel i = 3\none[i] = sum[k] x[i+k, 0] * w[k]\noutput inner, first, none, total, one\n")
    inner, first, none, total, one = run(tmp_path, text, ["inner", "first", "none", "total", "one"], x=x, w=w)
    assert np.array_equal(inner, x[1:-1, 2:]) and np.array_equal(first, x[0, :2]) and none.shape == (9, 0)
    assert total == x[:, 3:5].sum() and np.array_equal(one, x[:3, 0] * w[0])


def test_modes_are_split_and_joined(tmp_path):
    x = integers(12)
    text = ("input x[n]\nlabel i = 4\nlabel j = 3\nlabel n = 12\nmatrix[i,j] = x[3*i + j]\nagain[n] = matrix[n // 3, n % 3]\n"
            "rolled[n] = x[(n + 5) % size(n)]\noutput matrix, again, rolled\n")
    matrix, again, rolled = run(tmp_path, text, ["matrix", "again", "rolled"], x=x)
    assert np.array_equal(matrix, x.reshape(4, 3)) and np.array_equal(again, x) and np.array_equal(rolled, np.roll(x, -5))


def test_an_index_may_be_any_integer_expression(tmp_path):
    table, rows = integers(5, 3), np.array([4, 0, 2, 2])
    text = "input T[v,e], R[n]\nY[n,e] = T[R[n], size(e) - 1 - e]\nM[e] = T[max[n] R[n], e]\noutput Y, M\n"
    reversed_rows, largest = run(tmp_path, text, ["Y", "M"], T=table, R=rows)
    assert np.array_equal(reversed_rows, table[rows, ::-1]) and np.array_equal(largest, table[4])


def test_windows_stand_in_macros(tmp_path):
    x = integers(9)
    text = "input x[n]\ndef shifted[i](by) = x[i + by pad(edge)]\nlabel i = 9\nY[i] = shifted[i](2) - shifted[i](-1)\noutput Y\n"
    [result] = run(tmp_path, text, ["Y"], x=x)
    place = np.arange(9)
    assert np.array_equal(result, x[np.clip(place + 2, 0, 8)] - x[np.clip(place - 1, 0, 8)])


@pytest.mark.parametrize("statement, words", [
    ("Y[i] = x[i-1] + x[i]", ["2:10", "this index is -1 where i = 0, and x has the positions 0 to 4 there", "pad(0)"]),
    ("Y = x[7]", ["2:7", "this index is 7, and x has the positions 0 to 4"]),
    ("label i = 5\nY[i] = x[i+1]", ["3:10", "this index is 5 where i = 4"]),
    ("label i = 5\nY[i] = x[i + 0.5]", ["3:10", "an index is an integer, and this is f64"]),
    ("label i = 5\nY[i] = x[i pad(wrap)]", ["3:16", "pad takes a number, edge or reflect"]),
    ("label i = 5\nY[i] = x[i pad(0.5)]", ["3:16", "0.5 is no value of i64"]),
    ("Y[i] = sum[i+1] x[i]", ["2:12", "labels alone stand here"]),
    ("Y[i,j] = x[i+j]", ["label i has no extent"]),
    ("Y[e] = x[0:2]", ["2:10", "a slice says which label runs over it"]),
    ("Y[e] = x[::2]", ["2:11", "unexpected :", "X[2*i] takes every second element"]),
    ("Y[e] = x[4:0:-1]", ["2:13", "unexpected :", "X[9 - i] goes backwards"]),
    ("Y[e] = x[e = 0:7]", ["2:16", "from -5 to 5"]),
    ("Y[e] = x[e = 0:2] + x[e = 0:3]", ["label e is 2 in its slice but 3 in its slice"]),
])
def test_what_is_wrong_is_said_at_its_place(statement, words, tmp_path):
    said = message(tmp_path, f"input x[n]\n{statement}\noutput Y\n", x=np.arange(5))
    assert all(word in said for word in words), said


def test_a_gathered_position_that_is_outside_is_named(tmp_path):
    said = message(tmp_path, "input T[v], R[n]\nY[n] = T[R[n]]\noutput Y\n", T=np.arange(3), R=np.array([0, 3]))
    assert "an index of T is 3 where n = 1, but mode 1 of T has the positions 0 to 2" in said and "2:1" in said, said


@pytest.mark.parametrize("options", [[], ["--tile", "n=2"], ["--sites", "2"], ["--workers", "2"]])
@pytest.mark.parametrize("statement, words", [
    ("Y[n,e] = 2 * T[R[n], e]", "an index of T is 7 where n = 4, but mode 1 of T has the positions 0 to 2"),
    ("Y[e] = sum[n] T[R[n], e]", "an index of T is 7 where n = 4, but mode 1 of T has the positions 0 to 2"),
    ("Y[n,v] = T[v, R[n]]", "an index of T is 7 where n = 4, but mode 2 of T has the positions 0 to 4"),
    ("Y[n,e] = T[R[n] - 1 pad(0), e] + T[R[n] - 5, e]", "an index of T is -5 where n = 0, but mode 1 of T"),
    ("Y[n] = T[R[n], R[n] // 4]", "an index of T is 7 where n = 4, but mode 1 of T"),
])
def test_a_read_that_is_outside_says_which(statement, words, options, tmp_path):
    said = message(tmp_path, f"input T[v,e], R[n]\n{statement}\noutput Y\n", *options, T=np.ones((3, 5)), R=np.array([0, 1, 2, 0, 7, 1], "i1"))
    assert words in said and "program.ein:2:1: error: " in said, said
