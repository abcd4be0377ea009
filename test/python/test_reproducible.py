"""With --reproducible, numbers whose sums round have the same bits for every tiling, planner, number of workers and budget.

TESSERA_DRAWN_PROGRAMS is how many programs are drawn.
"""
import os
import pathlib
import tempfile

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import command_line
import program_drawing

TESSERA = command_line.from_environment()
NUM_DRAWN = int(os.environ.get("TESSERA_DRAWN_PROGRAMS", 40))
SETTINGS = {"deadline": None, "derandomize": True, "suppress_health_check": list(hypothesis.HealthCheck)}

# Reductions long enough to have several leaves, scans of several stretches, over labels in any order, and what is done with them.
STATEMENTS = {
    "P": "P[i,j] = sum[k] A[i,k] * B[k,j]",
    "PT": "PT[j,i] = sum[k] B[k,j] * A[i,k]",
    "M": "M[i] = mean[k] A[i,k]",
    "C": "C[k] = sum[i] exp(A[i,k])",
    "T": "T = sum[i,k] A[i,k]",
    "TT": "TT = sum[k,j] tanh(B[k,j]) * B[k,j]",
    "L": "L[i] = logsumexp[k] A[i,k]",
    "F": "F[i] = prod[k] (1.0 + 0.01 * A[i,k])",
    "S": "S[i,k] = exp(A[i,k] - (max[k2] A[i,k2])) / (sum[k3] exp(A[i,k3]))",
    "D": "D[i,j] = sum[k] abs(A[i,k] - B[k,j])",
    "E": "E[i,j] = sum[k,h] A[i,k] * B[k,j] * G[h,k]",
    "V": "V[i] = sum[k] A[i,k] * W[k]",
    "N": "N[i] = norm[k] A[i,k]",
    "R": "R[i,k] = cumlogsumexp[k] A[i,k]",
    "U": "U[k,i] = cumlogsumexp[k reverse exclusive] 2 * A[i,k]",
    "Z": "Z[i,k] = scan[k] norm(A[i,k])",
}
AGGREGATE = "aggregate norm(a, b) = a + b + 0.0001 * a * b identity 0\n"
SHAPES = {"A": "ik", "B": "kj", "G": "hk", "W": "k"}


@st.composite
def long_sums(draw):
    """A program's text, its inputs, its outputs and the extents of its labels."""
    extents = {"i": draw(st.sampled_from([1, 2, 7, 40])), "j": draw(st.sampled_from([1, 5, 33])),
               "h": draw(st.sampled_from([1, 3, 600])), "k": draw(st.sampled_from([3, 511, 513, 1100, 2600]))}
    names = draw(st.lists(st.sampled_from(sorted(STATEMENTS)), min_size=1, max_size=3, unique=True))
    dtype = draw(st.sampled_from(["f4", "f8", "f4", "f8", "f2"]))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    body = "\n".join(STATEMENTS[name] for name in names)
    inputs = {name: generator.standard_normal([extents[label] for label in labels]).astype(dtype)
              for name, labels in SHAPES.items() if f"{name}[" in body}
    declared = "".join(f"input {name}[{','.join(SHAPES[name])}]\n" for name in inputs)
    return f"{AGGREGATE}{declared}\n{body}\n\noutput {', '.join(names)}\n", inputs, names, extents


@st.composite
def ways_to_run(draw, extents):
    way = draw(st.sampled_from(["tile", "tile", "planner"]))
    options = ["--workers", str(draw(st.integers(1, 3)))]
    if way == "planner":
        return options + ["--planner", draw(st.sampled_from(["auto", "sqrt", "eindecomp", "data-parallel"])),
                          "--pieces", str(draw(st.integers(2, 9)))]
    tiles = [f"{label}={draw(st.integers(max(extent // 5, 1), extent))}" for label, extent in extents.items()]
    return options + ["--tile", ",".join(tiles)]


def used_extents(text, extents):
    return {label: extent for label, extent in extents.items() if f"{label}," in text or f"{label}]" in text}


def bits_of(text, inputs, outputs, *options):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "sums.ein"
        file.write_text(text)
        done, results = TESSERA.run_program(file, inputs, outputs, folder, *options)
        assert done.exit_code == 0, f"{text}\n{done.describe()}"
        return {name: result.tobytes() for name, result in results.items()}


@hypothesis.settings(max_examples=NUM_DRAWN, **SETTINGS)
@hypothesis.given(st.data())
def test_long_sums_have_the_same_bits(data):
    text, inputs, outputs, extents = data.draw(long_sums())
    whole = bits_of(text, inputs, outputs, "--reproducible", "--workers", "1")
    for _ in range(3):
        options = data.draw(ways_to_run(used_extents(text, extents)))
        assert bits_of(text, inputs, outputs, "--reproducible", *options) == whole, f"{text}\n{extents}\n{options}"


@hypothesis.settings(max_examples=NUM_DRAWN, **SETTINGS)
@hypothesis.given(program_drawing.programs(), st.integers(0, 2**32), st.integers(1, 3))
def test_drawn_programs_have_the_same_bits(program, seed, workers):
    generator = np.random.default_rng(seed)
    arrays = {name: generator.standard_normal(array.shape).astype(array.dtype) if array.dtype.kind == "f" else array
              for name, array in program.arrays.items()}
    outputs = [statement.name for statement in program.statements]
    whole = bits_of(program.text(), arrays, outputs, "--reproducible")
    cut = ["--tile", program.tiles] if program.tiles else ["--pieces", "5"]
    assert bits_of(program.text(), arrays, outputs, "--reproducible", "--workers", str(workers), *cut) == whole


def test_sums_that_round_depend_on_the_tiling_otherwise():
    generator = np.random.default_rng(1)
    inputs = {"A": generator.standard_normal((40, 1100)).astype("f4"), "B": generator.standard_normal((1100, 33)).astype("f4")}
    text = "input A[i,k], B[k,j]\nP[i,j] = sum[k] A[i,k] * B[k,j]\nM[i] = mean[k] A[i,k]\noutput P, M\n"
    plain = [bits_of(text, inputs, ["P", "M"], *cut) for cut in ([], ["--tile", "k=300"])]
    stated = [bits_of(text, inputs, ["P", "M"], "--reproducible", *cut) for cut in ([], ["--tile", "k=300"])]
    assert plain[0]["P"] != plain[1]["P"] and plain[0]["M"] != plain[1]["M"]
    assert stated[0] == stated[1]


@pytest.mark.parametrize("stage", ["tra", "ia", "tasks"])
def test_a_printed_stage_gives_its_bits_under_other_options(stage, tmp_path):
    """Calls so small that the reference kernel, whose exp is another, would be the cheapest."""
    text = "input X[i,j]\nY[i,j] = exp(X[i,j]) * tanh(X[i,j])\nS[i] = sum[j] exp(X[i,j])\noutput Y, S\n"
    inputs = {"X": np.random.default_rng(1).standard_normal((5, 6)).astype("f4")}
    (tmp_path / "small.ein").write_text(text)
    explain = ["explain", "small.ein", "X=f32[5,6]", "--tile", "j=2", "--stage", stage]
    printed = TESSERA.call(*explain, "--reproducible", folder=tmp_path).stdout
    assert "reproducible=yes" in printed.splitlines()[0]
    assert bits_of(printed, inputs, ["Y", "S"]) == bits_of(text, inputs, ["Y", "S"], "--reproducible")
    assert "reproducible" not in TESSERA.call(*explain, folder=tmp_path).stdout


READS = ["x[I[i],u]", "x[(i + 1) % size(i),u]", "x[i,(u + 3) % size(u)]", "x[I[I[i]],u]",
         "x[i - 1 pad(0.5),u]", "x[i,u + 1 pad(edge)]"]
FORMS = {"exponentials": "M[i] = max[u] ({read} * x[i,u])\nY[i] = sum[u] exp({read} * x[i,u] - M[i])",
         "softmax": "Y[i,u] = softmax[u]({read} * 2 / x[i,u])",
         "powers": "Y[i] = sum[u] tanh({read}) * (x[i,u] + 1) ^ -0.5",
         "product": "Y[i,j] = sum[u] {read} * B[u,j]"}


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("read", READS)
def test_sums_of_gathered_elements_have_the_same_bits(read, form, dtype):
    """A cut statement reads what it gathers by itself, a whole one from the statement before it."""
    generator = np.random.default_rng(1)
    inputs = {"x": (1 + generator.random((7, 1500))).astype(dtype), "I": np.array([1, 2, 3, 4, 5, 6, 0]),
              "B": generator.random((1500, 5)).astype(dtype)}
    body = FORMS[form].format(read=read)
    used = {name: array for name, array in inputs.items() if f"{name}[" in body}
    declared = ", ".join(f"{name}[{labels}]" for name, labels in {"x": "i,u", "I": "i", "B": "u,j"}.items() if name in used)
    text = f"input {declared}\n{body}\noutput Y\n"
    whole = bits_of(text, used, ["Y"], "--reproducible")
    for options in (["--tile", "u=600"], ["--pieces", "20"], ["--memory", "200KiB"], ["--sites", "2"]):
        assert bits_of(text, used, ["Y"], "--reproducible", *options) == whole, f"{text}\n{options}"


def test_a_budget_does_not_change_bits():
    generator = np.random.default_rng(2)
    inputs = {"A": generator.standard_normal((300, 2600)), "B": generator.standard_normal((2600, 200))}
    text = "input A[i,k], B[k,j]\nP[i,j] = sum[k] tanh(A[i,k]) * B[k,j]\nM[j] = logsumexp[i] P[i,j]\noutput M\n"
    bits = [bits_of(text, inputs, ["M"], "--reproducible", "--memory", memory) for memory in ("1GiB", "12MiB")]
    assert bits[0] == bits[1]


SCANS = """aggregate affine((a, b), (c, d)) = (c * a, c * b + d) identity (1, 0) gives b
input X[n], Y[i,j], W[i,j]
S[n] = cumsum[n] X[n]
R[i,j] = cumsumprod[i](Y[i,j], W[i,j])
A[i,j] = scan[i reverse exclusive] affine(W[i,j], Y[i,j])
L[j,i] = cumlogsumexp[i] Y[i,j]
P[i,j] = cumprod[i by index(i) // 3000] 1.0 + 0.01 * Y[i,j]
output S, R, A, L, P
"""


@pytest.mark.parametrize("options", [["--workers", "2"], ["--tile", "n=1000,i=100,j=20"], ["--tile", "n=70000,i=5000,j=1"],
                                     ["--memory", "9MiB"], ["--sites", "3"], ["--pieces", "9"]], ids=" ".join)
def test_scans_longer_than_a_piece_have_the_same_bits(options):
    """n is cut every 65536, i every 4096 positions, whatever is asked for; 9001 is no multiple of that."""
    generator = np.random.default_rng(3)
    inputs = {"X": generator.standard_normal(200000).astype("f4"), "Y": generator.standard_normal((9001, 70)),
              "W": 0.9 * generator.standard_normal((9001, 70))}
    outputs = ["S", "R", "A", "L", "P"]
    assert bits_of(SCANS, inputs, outputs, "--reproducible", *options) == bits_of(SCANS, inputs, outputs, "--reproducible",
                                                                                  "--workers", "1")
