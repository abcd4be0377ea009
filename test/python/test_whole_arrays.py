"""Functions of whole arrays, inverse, solve, det and cholesky: beside numpy, under any cuts, on several sites. Integer matrices
whose inverses are integers are inverted exactly."""
import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
message = TESSERA.message_of
CUTS = [[], ["--tile", "n=1"], ["--tile", "n=2,i=2,j=2,k=2"], ["--workers", "2", "--pieces", "3"], ["--sites", "2", "--tile", "n=2"],
        ["--sites", "3", "--planner", "two-phase", "--tile", "k=1"], ["--sites", "2", "--planner", "grid"], ["--kernel", "reference"], ["--reproducible"]]


def unimodular(count, size, seed=0):
    """Integer matrices of determinant 1, and their inverses, which are integers too."""
    draw = np.random.default_rng(seed)
    lower = np.tril(draw.integers(-1, 2, (count, size, size)), -1) + np.eye(size, dtype=int)
    inverse = np.rint(np.linalg.inv(lower)).astype(int)
    upper = np.swapaxes(lower, 1, 2)
    return (lower @ upper).astype(float), (np.swapaxes(inverse, 1, 2) @ inverse).astype(float)


@pytest.mark.parametrize("options", CUTS, ids=" ".join)
def test_integer_matrices_are_inverted_exactly(options, tmp_path):
    matrices, inverses = unimodular(5, 4)
    right = np.random.default_rng(1).integers(-3, 4, (5, 4, 3)).astype(float)
    text = """input A[n,i,j], B[n,i,k]
        V[n,i,j] = inverse[i,j](A[n,i,j])
        X[n,j,k] = solve[i,j](A[n,i,j], B[n,i,k])
        L[n,i,j] = cholesky[i,j](A[n,i,j])
        d[n] = det[i,j](A[n,i,j])
        P[n,i,k] = sum[j] A[n,i,j] * solve[i,j](A[n,i,j], B[n,i,k])
        output V, X, L, d, P
        """
    made = run(tmp_path, text, ["V", "X", "L", "d", "P"], options, A=matrices, B=right)
    lower = np.rint(np.linalg.cholesky(matrices))
    for got, wanted in zip(made, (inverses, inverses @ right, lower, np.ones(5), right)):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i8"])
def test_drawn_matrices_are_solved_as_numpy_does(dtype, tmp_path):
    draw = np.random.default_rng(5)

    def drawn(*shape):
        values = draw.standard_normal(shape) + (1j * draw.standard_normal(shape) if dtype[0] == "c" else 0)
        return (10 * values).astype(dtype) if dtype == "i8" else values.astype(dtype)

    matrix, right = drawn(30, 30), drawn(30, 7)
    kind = {"i8": "f8"}.get(dtype, dtype)
    positive = (matrix @ matrix.conj().T / 30 + np.eye(30)).astype(kind)
    text = """input A[i,j], B[i,k], S[i,j]
        V[i,j] = inverse[i,j](A[i,j])
        X[j,k] = solve[i,j](A[i,j], B[i,k])
        L[i,j] = cholesky[i,j](S[i,j])
        d = det[i,j](A[i,j] / 8)
        l = logabsdet[i,j](1e30 * A[i,j])
        s = signdet[i,j](1e30 * A[i,j])
        output V, X, L, d, l, s
        """
    inverse, solved, lower, determinant, logarithm, sign = run(
        tmp_path, text, ["V", "X", "L", "d", "l", "s"], A=matrix, B=right, S=positive)
    assert inverse.dtype == solved.dtype == lower.dtype == kind
    # Rounding, times how much the matrix magnifies it.
    tolerance = 100 * np.finfo(kind).eps * np.linalg.cond(matrix)
    np.testing.assert_allclose(inverse @ matrix, np.eye(30), atol=tolerance)
    np.testing.assert_allclose(matrix @ solved, right, atol=tolerance * np.abs(right).max())
    np.testing.assert_allclose(lower @ lower.conj().T, positive, atol=tolerance)
    assert not np.triu(lower, 1).any()
    np.testing.assert_allclose(determinant, np.linalg.det(matrix.astype(kind) / 8), rtol=tolerance)
    wanted_sign, wanted_logarithm = np.linalg.slogdet(matrix)
    np.testing.assert_allclose(logarithm, wanted_logarithm + 30 * 30 * np.log(10), rtol=tolerance)
    np.testing.assert_allclose(sign, wanted_sign, rtol=tolerance)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_a_determinant_overflows_only_where_it_is_too_large_itself(dtype, tmp_path):
    draw = np.random.default_rng(9)
    largest = {"f4": 100, "c8": 100}.get(dtype, 900)
    powers = draw.integers(-largest, largest + 1, (20, 8))
    powers[:, 4:] = -powers[:, :4]
    powers = draw.permuted(powers, axis=1)
    matrices = np.zeros((20, 8, 8), dtype)
    matrices[:, range(8), range(8)] = np.ldexp(1.0, powers)
    if dtype[0] == "c":
        matrices[:, 0] *= 1j
    text = "input A[n,i,j]\nd[n] = det[i,j](A[n,i,j])\nl[n] = logabsdet[i,j](A[n,i,j])\ns[n] = signdet[i,j](A[n,i,j])\n"
    determinants, logarithms, signs = run(tmp_path, text, ["d", "l", "s"], A=matrices)
    unit = 1j if dtype[0] == "c" else 1
    np.testing.assert_array_equal(determinants, np.full(20, unit))
    np.testing.assert_array_equal(logarithms, np.zeros(20))
    np.testing.assert_array_equal(signs, np.full(20, unit))
    singular = run(tmp_path, text, ["d", "l", "s"], A=matrices * 0)
    np.testing.assert_array_equal(np.array(singular)[:, 0], [0, -np.inf, 0])


def test_labels_may_stand_in_any_order(tmp_path):
    matrices, inverses = unimodular(3, 5, seed=3)
    right = np.random.default_rng(2).integers(-3, 4, 5).astype(float)
    text = """input A[n,i,j], b[i]
        V[j,n,i] = inverse[i,j](A[n,i,j])
        T[n,i,j] = inverse[j,i](A[n,i,j])
        x[j,n] = solve[i,j](A[n,i,j], b[i])
        y[n] = sum[j] solve[i,j](A[n,i,j], 1 + b[i])
        trace = sum[n,i] inverse[i,j](A[n,i,j]) * (index(i) == index(j))
        output V, T, x, y, trace
        """
    text = text.replace("sum[n,i] inverse", "sum[n,i,j] inverse")
    first, transposed, solved, sums, trace = run(tmp_path, text, ["V", "T", "x", "y", "trace"], A=matrices, b=right)
    np.testing.assert_array_equal(first, inverses.transpose(2, 0, 1))
    np.testing.assert_array_equal(transposed, inverses)
    np.testing.assert_array_equal(solved, (inverses @ right).T)
    np.testing.assert_array_equal(sums, (inverses @ (1 + right)).sum(1))
    assert trace == np.trace(inverses, axis1=1, axis2=2).sum()


@pytest.mark.parametrize("size", [0, 1, 2, 130])
def test_sizes(size, tmp_path):
    text = "input A[i,j], b[i]\nV[i,j] = inverse[i,j](A[i,j])\nx[j] = solve[i,j](A[i,j], b[i])\nd = det[i,j](A[i,j])\noutput V, x, d\n"
    matrix = 2 * np.eye(size)[::-1]
    right = np.arange(size, dtype=float)
    inverse, solved, determinant = run(tmp_path, text, ["V", "x", "d"], A=matrix, b=right)
    np.testing.assert_array_equal(inverse, np.eye(size)[::-1] / 2)
    np.testing.assert_array_equal(solved, right[::-1] / 2)
    assert determinant == 2.0**size * (-1)**(size * (size - 1) // 2)


def test_more_matrices_than_memory(tmp_path):
    matrices, inverses = unimodular(600, 16, seed=7)
    (made,) = run(tmp_path, "input A[n,i,j]\nV[n,i,j] = inverse[i,j](A[n,i,j])\n", ["V"], ["--memory", "300KiB"], A=matrices)
    np.testing.assert_array_equal(made, inverses)


def test_what_cannot_be_inverted_is_said(tmp_path):
    matrices, _ = unimodular(4, 3)
    matrices[2] = [[1, 2, 3], [2, 4, 6], [0, 1, 1]]
    said = message(tmp_path, "input A[n,i,j]\nV[n,i,j] = inverse[i,j](A[n,i,j])\n", "--tile", "n=1", A=matrices)
    assert "a matrix is singular" in said and "n = 2" in said
    said = message(tmp_path, "input A[n,i,j]\nx[n,j] = solve[i,j](A[n,i,j], 1)\n", A=matrices)
    assert "a matrix is singular" in said and "n = 2" in said
    said = message(tmp_path, "input A[n,i,j]\nL[n,i,j] = cholesky[i,j](-A[n,i,j])\n", A=matrices)
    assert "not positive definite" in said and "n = 0" in said
    assert run(tmp_path, "input A[n,i,j]\nd[n] = det[i,j](A[n,i,j])\n", ["d"], A=matrices)[0][2] == 0


@pytest.mark.parametrize("text, wanted", [
    ("Y[i,j] = inverse(A[i,j])", "inverse is of whole arrays and needs their labels"),
    ("Y[i] = inverse[i](A[i,i])", "inverse takes 2 labels, not 1"),
    ("Y[i] = inverse[i,i](A[i,i])", "label i stands twice in inverse[...]"),
    ("Y[i,j] = inverse[i,j](A[i,j], A[i,j])", "inverse takes 1 argument, not 2"),
    ("Y[i,j] = inverse[i,j](A[i,j+1])", "inverse takes a square matrix"),
    ("Y[j] = solve[i,j](A[i,j], A[i,j])", "argument 2 of solve has no label j"),
    ("z[i,j] = random_multinomial[j](philox(1, index(i)), 2.5, A[i,j])", "draws a whole number of times"),
    ("z[i] = random_categorical[j](A[i,j], A[i,j])", "random_categorical"),
])
def test_misuse_is_said(text, wanted, tmp_path):
    assert wanted in message(tmp_path, f"input A[i,j]\n{text}\n", A=np.eye(3))


def test_every_stage_is_a_program(tmp_path):
    """The texts of the stages are read back, and make the same."""
    matrices, inverses = unimodular(4, 3)
    np.save(tmp_path / "A.npy", matrices)
    (tmp_path / "p.ein").write_text("input A[n,i,j]\nV[n,i,j] = 2 * inverse[i,j](A[n,i,j] / 2)\n")
    for stage in ("einsum", "optimized", "tra", "ia", "tasks"):
        done = TESSERA.call("explain", tmp_path / "p.ein", "A=f64[4,3,3]", "--tile", "n=2", "--stage", stage)
        assert done.exit_code == 0, done.describe()
        assert "whole[i,j] inverse(" in done.stdout
        plan = tmp_path / f"plan.{stage}"
        plan.write_text(done.stdout)
        done = TESSERA.call("run", plan, f"A={tmp_path / 'A.npy'}", "-o", f"V={tmp_path / 'V.npy'}", "--quiet")
        assert done.exit_code == 0, done.describe()
        np.testing.assert_array_equal(np.load(tmp_path / "V.npy"), 4 * inverses)


@pytest.mark.parametrize("options", [[], ["--tile", "n=2,i=2,j=2"], ["--sites", "3", "--tile", "n=1"]], ids=" ".join)
def test_where_keeps_matrices_from_failing_that_it_leaves_out(options, tmp_path):
    """Singular, indefinite and undrawable ones, in a branch that is not taken."""
    matrices = np.array([[[2, 0], [0, 4]], [[1, 1], [1, 1]], [[0, 1], [1, 0]]], float)
    right, kept = np.array([[2, 4], [1, 1], [5, 6]], float), np.array([1, 0, 1])
    text = """input M[n,i,j], b[n,i], k[n]
        V[n,i,j] = where(det[i,j](M[n,i,j]) != 0, inverse[i,j](M[n,i,j]), M[n,i,j])
        X[n,j] = where(k[n] > 0, solve[i,j](M[n,i,j], b[n,i]), -1)
        L[n,i,j] = where(M[n,0,0] > 1, cholesky[i,j](4 * M[n,i,j] * M[n,i,j]), 0)
        Z[n] = where(k[n] == 0, random_gamma(philox(1, index(n)), 1 - 2 * k[n]), 0) > 0
        output V, X, L, Z
        """
    inverses, solved, lower, drawn = run(tmp_path, text, ["V", "X", "L", "Z"], options, M=matrices, b=right, k=kept)
    np.testing.assert_array_equal(inverses, [[[0.5, 0], [0, 0.25]], [[1, 1], [1, 1]], [[0, 1], [1, 0]]])
    np.testing.assert_array_equal(solved, [[1, 1], [-1, -1], [6, 5]])
    np.testing.assert_array_equal(lower, [[[4, 0], [0, 8]], np.zeros((2, 2)), np.zeros((2, 2))])
    np.testing.assert_array_equal(drawn, [False, True, False])
