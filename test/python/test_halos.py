"""Tiles with halos: chains of statements that read windows of the one before, cut at drawn places, beside numpy. Integers, so every
sum is exact."""
import dataclasses
import random
import re

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
SITES = [[], ["--sites", "2"], ["--sites", "3", "--planner", "two-phase"], ["--sites", "2", "--planner", "algebra"],
         ["--sites", "3", "--planner", "grid"], ["--sites", "2", "--planner", "hash"], ["--memory", "128KiB"], ["--workers", "3"]]
DRAWN = 80


@dataclasses.dataclass
class Index:
    """Of one mode: step * label + spread * tap + offset, with what lies outside."""
    label: str
    tap: str
    step: int
    spread: int
    offset: int
    pad: object

    def text(self):
        position = f"{self.step}*{self.label} + {self.spread}*{self.tap} + {self.offset}".replace("+ -", "- ")
        return f"{position} pad({self.pad})"


def drawn_index(draw, label, tap):
    return Index(label, tap, draw.choice([1, 1, 1, 2, 3, -1]), draw.choice([1, 1, 2, -1]), draw.randint(-4, 30),
                 draw.choice([0, 7, "edge", "reflect"]))


def read(array, indices, places):
    """What the element at these places of labels and taps is, an array each."""
    number, outside = None, np.zeros(np.broadcast(*places.values()).shape, bool)
    position = []
    for index, extent in zip(indices, array.shape):
        place = index.step * places[index.label] + index.spread * places[index.tap] + index.offset
        if index.pad == "edge":
            place = np.clip(place, 0, extent - 1)
        elif index.pad == "reflect":
            period = max(2 * (extent - 1), 1)
            place = np.minimum(place % period, period - place % period) if extent > 1 else 0 * place
        else:
            here = (place < 0) | (place >= extent)
            number = index.pad
            outside, place = outside | here, np.where(here, 0, place)
        position.append(place)
    values = array[tuple(np.broadcast_arrays(*position))]
    return values if number is None else np.where(outside, number, values)


def statement(draw, number, source, rank):
    labels, taps = [f"i{mode}" for mode in range(rank)], ["k", "l"][:rank]
    indices = [drawn_index(draw, label, tap) for label, tap in zip(labels, taps)]
    numbers = {index.pad for index in indices if isinstance(index.pad, int)}
    for index in indices:  # one number for all modes, as which comes first is not said
        index.pad = min(numbers) if isinstance(index.pad, int) else index.pad
    kind = draw.choice(["sum", "max", "map"])
    access = f"{source}[{', '.join(index.text() for index in indices)}]"
    body = f"{access} * W[{', '.join(taps)}]"
    if kind == "map":
        other = access.replace("*k", "*1").replace("*l", "*1")
        first = access.replace("*k", "*0").replace("*l", "*0")
        body = f"{first} - 2 * {other} + {source}[{', '.join(label + ' pad(edge)' for label in labels)}]"
    text = f"T{number}[{','.join(labels)}] = " + (body if kind == "map" else f"{kind}[{','.join(taps)}] ({body})")

    def value(array, weights, extents):
        grids = np.indices([*extents, *weights.shape])
        places = dict(zip([*labels, *taps], grids))
        if kind != "map":
            product = read(array, indices, places) * weights
            axes = tuple(range(rank, 2 * rank))
            return product.sum(axes) if kind == "sum" else product.max(axes)
        places = dict(zip(labels, np.indices(extents)))
        at = lambda tap: read(array, indices, places | {name: np.full(extents, tap) for name in taps})
        own = array[tuple(np.minimum(places[label], extent - 1) for label, extent in zip(labels, array.shape))]
        return at(0) - 2 * at(1) + own

    return text, value


@pytest.mark.parametrize("seed", range(DRAWN))
def test_chains_of_windows_are_what_numpy_makes(seed, tmp_path):
    draw, numbers = random.Random(seed), np.random.default_rng(seed)
    rank = draw.choice([1, 1, 2])
    shape = [draw.randint(1, 40) for _ in range(rank)]
    extents = [draw.randint(1, 40) for _ in range(rank)]
    array = numbers.integers(-4, 5, shape)
    weights = numbers.integers(-2, 3, [draw.randint(1, 4) for _ in range(rank)])
    modes, taps = ",".join("ab"[:rank]), ",".join("kl"[:rank])
    text = f"input X[{modes}], W[{taps}]\n" + "".join(f"label i{mode} = {extent}\n" for mode, extent in enumerate(extents))
    expected, source = array, "X"
    for step in range(draw.randint(1, 3)):
        line, value = statement(draw, step, source, rank)
        text += line + "\n"
        expected, source = value(expected, weights, extents), f"T{step}"
    tile = ",".join(f"i{mode}={draw.randint(1, extent)}" for mode, extent in enumerate(extents))
    options = ["--tile", tile] if draw.random() < 0.7 else ["--pieces", str(draw.randint(2, 6))]
    [result] = TESSERA.values_of(tmp_path, text + f"output {source}\n", [source], [*options, *SITES[seed % len(SITES)]],
                                 X=array, W=weights)
    assert np.array_equal(result, expected), f"{text}{tile}"


def test_windows_are_read_by_fused_statements(tmp_path):
    array = np.random.default_rng(1).integers(-4, 5, (23, 9)).astype("f8")
    text = "input X[a,b]\nlabel k = 3\nlabel l = 2\nY[i,j] = mean[k,l] X[2*i + k, j + l]\noutput Y\n"
    [result] = TESSERA.values_of(tmp_path, text, ["Y"], ["--tile", "i=4,j=3"], X=array)
    windows = np.lib.stride_tricks.sliding_window_view(array, (3, 2))[::2]
    assert np.array_equal(result, windows.sum((-1, -2)) / 6)


def explained(folder, text, *options):
    program = folder / "program.ein"
    program.write_text(text)
    done = TESSERA.call("explain", program, *options)
    assert done.exit_code == 0, done.describe()
    return done.stdout


SMOOTHED = "input X[i]\nA[i] = 2 * X[i]\nB[i] = A[i-1 pad(0)] + A[i] + A[i+1 pad(0)]\noutput B\n"


def test_only_halos_move_between_sites(tmp_path):
    for sites, planner in [(2, "two-phase"), (4, "two-phase"), (4, "grid")]:
        text = explained(tmp_path, SMOOTHED, "X=i64[64000]", "--tile", f"i={64000 // sites}", "--sites", sites, "--planner", planner,
                         "--stage", "ia")
        assert f"# between sites: {16 * (sites - 1)} bytes" in text, text


def test_an_input_is_read_in_windows(tmp_path):
    text = explained(tmp_path, "input X[i]\nB[n] = X[n] + X[n+2]\noutput B\n", "X=f64[10]", "--tile", "n=4", "--stage", "tra")
    assert "input X : (i:windows[0:6,4:10])" in text and "repartition" not in text, text


def test_windows_that_lie_in_tiles_are_views(tmp_path):
    text = explained(tmp_path, "input X[i]\nlabel n = 3\nA[i] = 2 * X[i]\nB[n] = A[4*n] + A[4*n + 3]\noutput B\n", "X=f64[12]", "--tile",
                     "i=4,n=1", "--stage", "tasks")
    assert "copy(" not in text and len(re.findall(r"compute\(", text)) == 6, text


def test_a_stencil_larger_than_memory_is_paged(tmp_path):
    grid = np.random.default_rng(0).integers(-9, 9, (1500, 1000)).astype(np.float64)
    text = ("input X[i,j]\nA[i,j] = X[i,j] + 1\n"
            "B[i,j] = A[i-1 pad(0),j] + A[i+1 pad(0),j] + A[i,j-1 pad(0)] + A[i,j+1 pad(0)] - 4 * A[i,j]\noutput B\n")
    [result] = TESSERA.values_of(tmp_path, text, ["B"], ["--memory", "4MiB"], X=grid)
    padded = np.pad(grid + 1, 1)
    expected = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:] - 4 * padded[1:-1, 1:-1]
    assert np.array_equal(result, expected)
