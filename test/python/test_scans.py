"""Cumulative aggregates beside plain loops: all orders, segments, operators of the user's own, under any cuts and on several
sites. Integers, so every sum is exact."""
import dataclasses
import json
import random

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
message = TESSERA.message_of
OPTIONS = [[], ["--workers", "2"], ["--sites", "2"], ["--sites", "3", "--planner", "two-phase"], ["--memory", "100KiB"],
           ["--reproducible"], ["--sites", "2", "--planner", "grid"], ["--sites", "3", "--planner", "algebra"], ["--pieces", "4"],
           ["--kernel", "reference"]]
DRAWN = 80
LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33]


def integers(*shape):
    return np.random.default_rng(sum(shape)).integers(-2, 3, shape)


def states(merge, elements, identity, reverse=False, exclusive=False, segments=None):
    """One element after the other, along the first axis; an element and a state may be several numbers."""
    found = [None] * len(elements)
    state, last = identity, None
    for at in reversed(range(len(elements))) if reverse else range(len(elements)):
        if segments is not None and last is not None and segments[at] != segments[last]:
            state = identity
        merged = merge(state, elements[at])
        found[at], state, last = state if exclusive else merged, merged, at
    return found


LOWEST, HIGHEST = np.iinfo("i8").min, np.iinfo("i8").max
MERGES = {"sum": (np.add, 0), "prod": (np.multiply, 1), "max": (np.maximum, LOWEST), "min": (np.minimum, HIGHEST)}


@dataclasses.dataclass
class Scan:
    """A drawn scan along one mode of X, and how the program is cut."""
    name: str
    along: int
    shape: tuple
    order: str
    is_segmented: bool
    options: list

    def text(self):
        labels = "ijk"[:len(self.shape)]
        at = labels[self.along]
        order = self.order + (f" by g[{at}]" if self.is_segmented else "")
        return (f"input X[{','.join(labels)}], g[{at}]\n"
                f"Z[{','.join(labels)}] = cum{self.name}[{at}{order}] X[{','.join(labels)}]\noutput Z\n")

    def wanted(self, values, segments):
        merge, identity = MERGES[self.name]
        lines = np.moveaxis(values, self.along, 0)
        found = states(merge, lines, np.full(lines.shape[1:], identity, lines.dtype), "reverse" in self.order,
                       "exclusive" in self.order, segments if self.is_segmented else None)
        return np.moveaxis(np.array(found, lines.dtype).reshape(lines.shape), 0, self.along)


def drawn_scan(seed):
    draw = random.Random(seed)
    shape = tuple(draw.choice(LENGTHS) if mode == 0 else draw.randint(1, 6) for mode in range(draw.randint(1, 3)))
    shape = tuple(draw.sample(shape, len(shape)))
    options = draw.choice(OPTIONS)
    if draw.random() < 0.7 and "--reproducible" not in options and "--pieces" not in options:
        cuts = [f"{label}={draw.randint(1, extent)}" for label, extent in zip("ijk", shape) if extent > 1 and draw.random() < 0.8]
        options = options + (["--tile", ",".join(cuts)] if cuts else [])
    return Scan(draw.choice(list(MERGES)), draw.randrange(len(shape)), shape,
                draw.choice(["", " reverse", " exclusive", " reverse exclusive"]), draw.random() < 0.4, options)


@pytest.mark.parametrize("seed", range(DRAWN))
def test_a_scan_is_the_loop(seed, tmp_path):
    scan = drawn_scan(seed)
    values = np.random.default_rng(seed).integers(-2, 3, scan.shape)
    segments = np.sort(np.random.default_rng(seed).integers(0, 4, scan.shape[scan.along]))
    seen, = run(tmp_path, scan.text(), ["Z"], scan.options, X=values, g=segments)
    assert np.array_equal(seen, scan.wanted(values, segments)), (scan, scan.text())


@pytest.mark.parametrize("options", [[], ["--tile", "i=3"], ["--tile", "i=1", "--sites", "3"]], ids=" ".join)
def test_the_vectors_of_the_paper(options, tmp_path):
    text = """input Y[i], W[i]
C[i] = cumsum[i] Y[i]
Z[i] = cumsumprod[i](Y[i], W[i])
output C, Z
"""
    cumulated, recurrent = run(tmp_path, text, ["C", "Z"], options, Y=np.arange(1.0, 12),
                               W=np.array([2.0, 1, 1, 3, 1, 1, 0, 1, 2, 1, 1]))
    assert list(cumulated) == [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66]
    assert list(recurrent) == [1, 3, 6, 22, 27, 33, 7, 15, 39, 49, 60]


AFFINE = "aggregate affine((a, b), (c, d)) = (c * a, c * b + d) identity (1, 0) gives b\n"
# x = A x + b with A of 2 by 2: the product of the matrices so far, and the vector.
MATRIX = """aggregate step((a, b, c, d, x, y), (e, f, g, h, u, v)) =
  (e*a + f*c, e*b + f*d, g*a + h*c, g*b + h*d, e*x + f*y + u, g*x + h*y + v) identity (1, 0, 0, 1, 0, 0) gives x + y
"""


@pytest.mark.parametrize("options", [[], ["--tile", "i=3"], ["--tile", "i=2,j=1", "--sites", "2"]], ids=" ".join)
@pytest.mark.parametrize("order", ["", " reverse", " exclusive"])
def test_an_operator_that_does_not_commute(order, options, tmp_path):
    a, b = integers(10, 2), integers(2, 10).T
    text = f"{AFFINE}input A[i,j], B[i,j]\nZ[i,j] = scan[i{order}] affine(A[i,j], B[i,j])\noutput Z\n"
    seen, = run(tmp_path, text, ["Z"], options, A=a, B=b)
    found = states(lambda x, y: (y[0] * x[0], y[0] * x[1] + y[1]), list(zip(a, b)), (np.ones(2, int), np.zeros(2, int)),
                   "reverse" in order, "exclusive" in order)
    assert np.array_equal(seen, [state[1] for state in found])


@pytest.mark.parametrize("options", [[], ["--tile", "i=3"], ["--tile", "i=2", "--sites", "3"]], ids=" ".join)
def test_a_recurrence_with_a_small_matrix(options, tmp_path):
    matrices, vectors = integers(9, 2, 2), integers(9, 2)
    text = MATRIX + """input A[i,r,c], B[i,r]
Z[i] = scan[i] step(A[i,0,0], A[i,0,1], A[i,1,0], A[i,1,1], B[i,0], B[i,1])
output Z
"""
    seen, = run(tmp_path, text, ["Z"], options, A=matrices, B=vectors)
    x, wanted = np.zeros(2, int), []
    for matrix, vector in zip(matrices, vectors):
        x = matrix @ x + vector
        wanted.append(x.sum())
    assert list(seen) == wanted


def test_any_aggregate_accumulates_and_is_part_of_an_expression(tmp_path):
    x = integers(8, 3)
    text = """aggregate either(x, y) = x + y - x * y identity 0
input X[i,j]
M[i,j] = cummean[i] X[i,j] * X[i,j]
A[i,j] = cumargmax[i] X[i,j]
L[i] = 2 * cumeither[i] sum[j] X[i,j]
S[i,j] = (cumsum[j] cumsum[i] X[i,j]) - index(i)
E = max[i] abs(cumsum[i] X[i,0])
N[i] = cumsum[i] 1
output M, A, L, S, E, N
"""
    for options in ([], ["--tile", "i=3"], ["--sites", "2", "--tile", "i=1,j=2"]):
        mean, best, either, both, most, count = run(tmp_path, text, ["M", "A", "L", "S", "E", "N"], options, X=x)
        assert np.array_equal(mean, np.cumsum(x * x, 0) / np.arange(1, 9)[:, None])
        assert np.array_equal(best, [[np.argmax(x[:at + 1, j]) for j in range(3)] for at in range(8)])
        assert np.array_equal(either, 2 * np.array(states(lambda a, b: a + b - a * b, x.sum(1), 0)))
        assert np.array_equal(both, np.cumsum(np.cumsum(x, 0), 1) - np.arange(8)[:, None])
        assert most == np.abs(np.cumsum(x[:, 0])).max() and list(count) == list(range(1, 9))


def test_a_scan_of_another_number_of_labels_is_repeated(tmp_path):
    x = integers(6)
    seen, = run(tmp_path, "label j = 3\ninput X[i]\nZ[j,i] = cumsum[i] X[i]\noutput Z\n", ["Z"], ["--tile", "i=2"], X=x)
    assert np.array_equal(seen, np.tile(np.cumsum(x), (3, 1)))


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_narrow_numbers_are_chosen_as_they_are(options, tmp_path):
    """f16: what is largest or smallest of what is stored is stored, whatever it is merged in."""
    x = np.random.default_rng(5).integers(-1000, 1001, (41, 3)).astype("f2") * np.float16(0.1)
    x[7, 1], x[9, 0], x[11, 2], x[0, 0] = np.nan, np.inf, -np.inf, -0.0
    g = np.arange(41) // 6
    text = ("input x[i,j], g[i]\nM[i,j] = cummax[i] x[i,j]\nL[i,j] = cummin[i reverse exclusive] x[i,j]\n"
            "S[i,j] = cummax[i by g[i]] x[i,j]\nA[i,j] = cumargmin[i] where(isnan(x[i,j]), f16(0), x[i,j])\noutput M, L, S, A\n")
    largest, least, by_segment, places = run(tmp_path, text, ["M", "L", "S", "A"], options, x=x, g=g)
    without = np.where(np.isnan(x), np.float16(0), x)
    after = np.minimum.accumulate(np.concatenate([np.full((1, 3), np.inf, "f2"), x[:0:-1]]))[::-1]
    wanted_places = [[int(without[:row + 1, column].argmin()) for column in range(3)] for row in range(41)]
    for got, wanted in [(largest, np.maximum.accumulate(x)), (least, after),
                        (by_segment, np.concatenate([np.maximum.accumulate(x[g == each]) for each in range(7)]))]:
        assert got.dtype == np.float16
        np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(places, wanted_places)


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_an_own_aggregate_of_narrow_numbers_rounds_once(options, tmp_path):
    """f16, carried in f32: 2049 is none of its numbers. Sums and scans alike."""
    x = np.ones((3000, 2), "f2")
    text = ("aggregate total(a, b) = a + b identity 0\naggregate step((a, b), (c, d)) = (c * a, c * b + d) identity (1, 0) gives b / 2\n"
            "input x[i,j]\nS[j] = total[i] x[i,j]\nZ[i,j] = scan[i] total(x[i,j])\nR[i,j] = scan[i] step(x[i,j], x[i,j])\noutput S, Z, R\n")
    whole, running, recurrent = run(tmp_path, text, ["S", "Z", "R"], options, x=x)
    wanted = np.arange(1, 3001, dtype="f4")
    for seen, exact in [(whole, wanted[-1]), (running, wanted[:, None]), (recurrent, wanted[:, None] / 2)]:
        assert seen.dtype == np.float16 and np.array_equal(seen, np.broadcast_to(exact.astype("f2"), seen.shape))


def test_an_own_aggregate_of_narrow_numbers_has_a_fast_kernel(tmp_path):
    (tmp_path / "p.ein").write_text("aggregate either(x, y) = x + y - x * y identity 0\ninput x[i]\nZ[i] = scan[i] either(x[i])\noutput Z\n")
    for dtype in ("f16", "bf16"):
        plan = TESSERA.call("explain", "p.ein", f"x={dtype}[100000]", "--stage", "tasks", folder=tmp_path).stdout
        assert "kernel=scan" in plan and "kernel=reference" not in plan


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_special_numbers_go_on_as_in_numpy(dtype, tmp_path):
    x = np.array([[0.0, 1, -0.0], [np.inf, 2, 1], [1, np.nan, -3], [-np.inf, 1, 2], [5, 0, -0.0]], dtype)
    text = "input X[i,j]\nS[i,j] = cumsum[i] X[i,j]\nP[i,j] = cumprod[i] X[i,j]\nH[i,j] = cummax[i] X[i,j]\noutput S, P, H\n"
    for options in ([], ["--tile", "i=2"]):
        for seen, ufunc in zip(run(tmp_path, text, ["S", "P", "H"], options, X=x), (np.add, np.multiply, np.maximum)):
            assert np.array_equal(seen, ufunc.accumulate(x, 0), equal_nan=True)


IN_PLACE = """input U[i], V[j]
A[i,j] = U[i] * V[j] + index(i)
Z[i,j] = cumsum[i] A[i,j]
m = max[i,j] Z[i,j]
output Z, m
"""


@pytest.mark.parametrize("options", [[], ["--tile", "i=7,j=3"], ["--tile", "i=1"], ["--memory", "60KiB"], ["--sites", "2", "--tile", "i=9"]],
                         ids=" ".join)
@pytest.mark.parametrize("order", ["", " reverse", " exclusive"])
def test_a_scan_writes_over_what_nothing_else_reads(order, options, tmp_path):
    u, v = integers(40), integers(60)
    text = IN_PLACE.replace("cumsum[i]", f"cumsum[i{order}]")
    seen, most = run(tmp_path, text, ["Z", "m"], ["--rules-off", "merge_elementwise", *options], U=u, V=v)
    wanted = np.array(states(np.add, u[:, None] * v + np.arange(40)[:, None], np.zeros(60, int), "reverse" in order,
                             "exclusive" in order))
    assert np.array_equal(seen, wanted) and most == wanted.max()


def test_a_scan_in_place_holds_one_tensor(tmp_path):
    """800 KB each; what another statement reads too is not overwritten."""
    def peak(text):
        (tmp_path / "p.ein").write_text(text)
        plan = TESSERA.call("explain", "p.ein", "U=f64[10]", "V=f64[10000]", "--stage", "tasks", "--workers", "1", "--rules-off",
                            "merge_elementwise", "--memory", "1GiB", folder=tmp_path).stdout
        return int(plan.split("peak=")[1].split()[0])
    in_place = "input U[i], V[j]\nA[i,j] = U[i] * V[j]\nZ[i,j] = cumsum[j] A[i,j]\noutput Z\n"
    assert peak(in_place) < 1.2 * 800_000
    assert peak(in_place.replace("output Z", "B[i,j] = A[i,j] - Z[i,j]\noutput B")) > 1.9 * 800_000


def test_many_partial_results_are_paged_as_all_tiles_are(tmp_path):
    """200 tiles of 2 rows each: what they merge to is half as large as the data, and more than the budget."""
    x = np.random.default_rng(2).integers(-4, 5, (400, 4000)).astype("f8")
    program = tmp_path / "p.ein"
    program.write_text("input X[i,j]\nZ[i,j] = cumsum[i] X[i,j]\nt[j] = max[i] Z[i,j]\noutput Z, t\n")
    budget = 3 << 20
    done, results, resident = TESSERA.run_program_measured(program, {"X": x}, ["Z", "t"], tmp_path, "--tile", "i=2", "--memory", budget)
    assert done.exit_code == 0, done.describe()
    assert np.array_equal(results["Z"], np.cumsum(x, 0)) and np.array_equal(results["t"], np.cumsum(x, 0).max(0))
    assert 200 * 4000 * 8 > 2 * budget and resident < budget + command_line.ALLOWANCE


def test_only_partial_results_move_between_sites(tmp_path):
    (tmp_path / "p.ein").write_text("input X[i,j]\nZ[i,j] = cumsum[i] X[i,j]\noutput Z\n")
    moved = []
    for rows in (3000, 6000):
        done = TESSERA.call("explain", "p.ein", f"X=f64[{rows},10]", "--sites", "3", "--tile", f"i={rows // 6}", "--json",
                            folder=tmp_path)
        assert done.exit_code == 0, done.describe()
        moved.append(json.loads(done.stdout)["placement"]["bytes_between_sites"])
    assert moved[0] == moved[1] <= 3 * 6 * 10 * 8


def test_messages_say_what_would_work(tmp_path):
    x = np.ones(4)
    assert "only a scan merges" in message(tmp_path, AFFINE + "input X[i]\nZ = affine[i] X[i]\noutput Z\n", X=x)
    right = "aggregate right(x, y) = y identity 0\n"
    assert "its identity" in message(tmp_path, "aggregate left(x, y) = x identity 0\ninput X[i]\nZ = left[i] X[i]\noutput Z\n", X=x)
    assert "the order must not matter" in message(tmp_path, right + "input X[i]\nZ = right[i] X[i]\noutput Z\n", X=x)
    assert "is no order of a scan" in message(tmp_path, "input X[i]\nZ[i] = cumsum[i backwards] X[i]\noutput Z\n", X=x)
    assert "needs a label" in message(tmp_path, "input X[i]\nZ[i] = cumsum(X[i])\noutput Z\n", X=x)
    assert "runs along one label" in message(tmp_path, "input X[i]\nZ[i] = cumsum[i,j] X[i]\noutput Z\n", X=x)
    assert "merges 2 numbers" in message(tmp_path, "input X[i]\nZ[i] = cumsumprod[i] X[i]\noutput Z\n", X=x)
    assert "only the label of a scan" in message(tmp_path, "input X[i]\nZ = sum[i reverse] X[i]\noutput Z\n", X=x)
    assert "cumsum keeps the label i" in message(tmp_path, "input X[i]\nZ[j] = cumsum[i] X[i] + index(j)\noutput Z\n", X=x)


NOWHERE = np.iinfo("i8").max


@pytest.mark.parametrize("options", OPTIONS[:5] + [["--tile", "i=3,j=2"]], ids=" ".join)
def test_before_its_first_position_an_extreme_stands_nowhere(options, tmp_path):
    x, g = integers(17, 3), np.repeat([0, 1, 0], [6, 1, 10])
    text = """input X[i,j], g[i]
A[i,j] = cumargmax[i exclusive] X[i,j]
B[i,j] = cumargmin[i reverse exclusive by g[i]] X[i,j]
output A, B
"""
    largest, smallest = run(tmp_path, text, ["A", "B"], options, X=x, g=g)
    assert np.array_equal(largest, [[np.argmax(x[:i, j]) if i else NOWHERE for j in range(3)] for i in range(17)])
    ends = np.repeat([6, 7, 17], [6, 1, 10])
    assert np.array_equal(smallest, [[i + 1 + np.argmin(x[i + 1:end, j]) if i + 1 < end else NOWHERE for j in range(3)]
                                     for i, end in enumerate(ends)])
