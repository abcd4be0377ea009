"""--precision: what it computes, and that it falls back to f32 and says so."""
import json
import pathlib

import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
NARROW = command_line.Tessera(TESSERA.path, environment={"TESSERA_ISA": "avx2"})
HAS_AVX512 = "avx512bw" in pathlib.Path("/proc/cpuinfo").read_text()
PRECISIONS = {"bf16x6": 2.0**-24, "bf16x3": 2.0**-15, "bf16": 2.0**-7}
NOTE = {"bf16x6": "this machine has no AMX, so that products are of f32",
        "bf16x3": "this machine has no AMX, so that products are of f32",
        "bf16": "this machine has neither AMX nor AVX-512 with bf16, so that products are of f32"}


@pytest.fixture
def matrices(tmp_path):
    """A.npy and B.npy of f32 in (-1, 1)."""
    random = np.random.default_rng(1)
    A, B = (random.uniform(-1, 1, shape).astype("f4") for shape in ((150, 300), (300, 120)))
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "B.npy", B)
    return A, B


def product(tessera, folder, *options):
    """The product that a call leaves, and the call."""
    done = tessera.call("einsum", "ij,jk->ik", "A.npy", "B.npy", "-o", "C.npy", *options, folder=folder)
    assert done.exit_code == 0, done.describe()
    return np.load(folder / "C.npy"), done


@pytest.mark.parametrize("precision", PRECISIONS)
def test_without_a_unit_for_it_products_are_of_f32_and_a_note_says_so(precision, matrices, tmp_path):
    expected, _ = product(NARROW, tmp_path)
    C, done = product(NARROW, tmp_path, "--precision", precision)
    assert np.array_equal(C, expected)
    assert f"tessera: note: precision {precision}: {NOTE[precision]}\n" in done.stderr
    _, quiet = product(NARROW, tmp_path, "--precision", precision, "--quiet")
    assert quiet.stderr == ""
    plan = NARROW.call("explain", "ij,jk->ik", "f32[150,300]", "f32[300,120]", "--precision", precision)
    assert plan.stdout.endswith(f"# precision {precision}: {NOTE[precision]}\n") and plan.stderr == ""


def test_f32_is_the_default_and_needs_no_note(matrices, tmp_path):
    expected, _ = product(TESSERA, tmp_path)
    C, done = product(TESSERA, tmp_path, "--precision", "f32")
    assert np.array_equal(C, expected) and "precision" not in done.stderr


@pytest.mark.skipif(not HAS_AVX512, reason="products of bf16 want AVX-512")
@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_precision_keeps_its_bound(precision, matrices, tmp_path):
    A, B = matrices
    options = ["--precision", precision, "--kernel", f"gemm_{precision}"]
    C, _ = product(TESSERA, tmp_path, *options)
    done = TESSERA.call("einsum", "ij,jk->ik", "A.npy", "B.npy", "-o", "C.npy", *options, "--analyze", "--json", folder=tmp_path)
    assert f"gemm_{precision}" in str(json.loads(done.stdout)), done.describe()
    magnitude = np.abs(A.astype("f8")) @ np.abs(B.astype("f8"))
    error = np.abs(C - A.astype("f8") @ B.astype("f8"))
    assert (error <= (PRECISIONS[precision] + A.shape[1] * 2.0**-24) * magnitude).all()
    assert not np.array_equal(C, product(TESSERA, tmp_path)[0])


@pytest.mark.skipif(not HAS_AVX512, reason="products of bf16 want AVX-512")
@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_is_not_finite_comes_out_as_in_f32(precision, matrices, tmp_path):
    A, B = matrices
    A[3, 5], A[70, 2], B[8, 9] = np.nan, np.inf, -np.inf
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "B.npy", B)
    expected, _ = product(TESSERA, tmp_path)
    C, _ = product(TESSERA, tmp_path, "--precision", precision, "--kernel", f"gemm_{precision}")
    for what in (np.isnan, np.isposinf, np.isneginf):
        assert what(expected).any() and np.array_equal(what(C), what(expected))


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("options", [[], ["--tile", "i=40,j=70"], ["--sites", "3", "--pieces", "8"]])
def test_small_integers_are_exact(precision, options, tmp_path):
    random = np.random.default_rng(2)
    A, B = (random.integers(-3, 4, shape).astype("f4") for shape in ((150, 300), (300, 120)))
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "B.npy", B)
    assert np.array_equal(product(TESSERA, tmp_path, "--precision", precision, *options)[0], A @ B)


def test_a_sum_of_squares_is_computed_as_it_is_written(tmp_path):
    X = (10_000 + np.random.default_rng(3).uniform(-1, 1, (60, 50))).astype("f4")
    np.save(tmp_path / "X.npy", X)
    for precision in ("f32", *PRECISIONS):
        done = TESSERA.call("einsum", "ik,jk->ij", "X.npy", "X.npy", "--join", "square(x-y)", "--precision", precision, "-o",
                            "D.npy", folder=tmp_path)
        assert done.exit_code == 0, done.describe()
        assert not np.diag(np.load(tmp_path / "D.npy")).any()


def test_mistakes_are_named(matrices, tmp_path):
    unknown = TESSERA.call("einsum", "ij,jk->ik", "A.npy", "B.npy", "--precision", "f16", folder=tmp_path)
    assert unknown.exit_code == 2 and "--precision" in unknown.stderr and "bf16x6" in unknown.stderr
    both = TESSERA.call("einsum", "ij,jk->ik", "A.npy", "B.npy", "--precision", "bf16", "--reproducible", folder=tmp_path)
    assert both.exit_code == 1
    assert both.stderr == "tessera: error: reproducible sums have products of f32: leave out the precision bf16\n"
