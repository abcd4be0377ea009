"""Conversions, comparisons, positions and whole numbers that have one right answer, beside numpy's."""
import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
COMPARISONS = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}


def run(folder, program, inputs, results, *options):
    """The results of a program, as arrays."""
    (folder / "p.ein").write_text(program)
    arguments = []
    for name, value in inputs.items():
        np.save(folder / f"{name}.npy", value)
        arguments.append(f"{name}={name}.npy")
    outputs = [word for name in results for word in ("-o", f"{name}={name}.out.npy")]
    done = TESSERA.call("run", "p.ein", *arguments, *outputs, "--quiet", *options, folder=folder)
    assert done.exit_code == 0, done.describe()
    return [np.load(folder / f"{name}.out.npy") for name in results]


def bf16(x):
    """x rounded to bf16, by integers: doubles of 53 bits to 8, ties to even."""
    mantissa, exponent = np.frexp(np.asarray(x, float))
    return np.ldexp(np.rint(mantissa * 2**8) / 2**8, exponent)


def drawn_doubles():
    """Numbers of every size that f16 holds, those that two roundings get wrong among them."""
    random = np.random.default_rng(5)
    plain = random.standard_normal(400) * 2.0 ** random.integers(-26, 17, 400)
    ties = (1 + (2 * random.integers(0, 1024, 200) + 1) * 2.0**-11) * 2.0 ** random.integers(-14, 15, 200)
    beside = ties * (1 + random.choice([-1, 0, 1], 200) * 2.0**-40)
    return np.concatenate([plain, beside, [65504, 65519.99, 65520, 70000, 2**-25, 2**-25 + 1e-15, 0, np.inf, -np.inf, np.nan]])


@pytest.mark.parametrize("options", [[], ["--kernel", "reference"], ["--generate", "always"], ["--tile", "n=7"]])
def test_conversions_to_narrow_floats_round_once(options, tmp_path):
    x = drawn_doubles()
    program = """input x[n], w[n]
A[n] = f64(f16(x[n]))
B[n] = f64(f16(w[n]))
C[n] = f64(bf16(x[n]))
D[n] = x[n] - f64(f16(x[n]))
E[n] = f16(x[n]) == x[n]
"""
    w = np.where(np.isfinite(x), x, 0).astype("f4")
    A, B, C, D, E = run(tmp_path, program, {"x": x, "w": w}, "ABCDE", *options)
    with np.errstate(all="ignore"):
        half = x.astype("f2").astype("f8")
        assert np.array_equal(A, half, equal_nan=True)
        assert np.array_equal(B, w.astype("f2").astype("f8"))
        assert np.array_equal(C, bf16(x), equal_nan=True)
        assert np.array_equal(D, x - half, equal_nan=True)
        assert np.array_equal(E, half == x)


def test_integers_to_narrow_floats_round_once(tmp_path):
    random = np.random.default_rng(6)
    i = np.concatenate([random.integers(-2**63, 2**63 - 1, 50), (2**9 + 1) * 2 ** random.integers(0, 53, 50) + random.integers(-1, 2, 50)])
    A, B = run(tmp_path, "input i[n]\nA[n] = f32(bf16(i[n]))\nB[n] = f32(f16(i[n]))\n", {"i": i}, "AB")
    def rounded(value):
        shift = max(abs(int(value)).bit_length() - 8, 0)
        low, kept = abs(int(value)) & ((1 << shift) - 1), abs(int(value)) >> shift
        up = shift > 0 and (low > 1 << (shift - 1) or (low == 1 << (shift - 1) and kept % 2 == 1))
        return float((kept + up) << shift) * (-1 if value < 0 else 1)
    assert np.array_equal(A, [rounded(value) for value in i])
    with np.errstate(over="ignore"):
        assert np.array_equal(B, np.asarray(i, float).astype("f2").astype("f4"))


@pytest.mark.parametrize("options", [[], ["--kernel", "reference"], ["--generate", "always"]])
def test_one_statement_of_halves_gives_what_several_give(options, tmp_path):
    random = np.random.default_rng(7)
    h, g = ((random.standard_normal(300) * 200).astype("f2") for _ in "hg")
    one = "R[n] = (h[n] * g[n] + 0.1) / 3 - g[n]\nI[n] = isinf(h[n] * g[n])\n"
    R, I = run(tmp_path, "input h[n], g[n]\n" + one, {"h": h, "g": g}, "RI", *options)
    with np.errstate(all="ignore"):
        expected = (h * g + np.float16(0.1)) / np.float16(3) - g
        assert R.dtype == np.float16 and np.array_equal(R, expected, equal_nan=True)
        assert np.array_equal(I, np.isinf(h * g))


def test_the_best_position_of_a_half_is_that_of_every_tiling(tmp_path):
    random = np.random.default_rng(8)
    x = (1 + random.random((40, 40))).astype("f2")
    y = (2 / x.astype("f4")).astype("f2")
    program = "input x[i,u], y[i,u]\nL[i] = argmin[u] (x[i,u] * y[i,u])\nM[i] = argmax[u] (x[i,u] * y[i,u])\n"
    for options in [[], ["--tile", "u=7"], ["--tile", "u=1"], ["--kernel", "reference"], ["--tile", "u=7", "--reproducible"]]:
        L, M = run(tmp_path, program, {"x": x, "y": y}, "LM", *options)
        assert np.array_equal(L, np.argmin(x * y, axis=1)) and np.array_equal(M, np.argmax(x * y, axis=1)), options


def test_norms_of_halves_do_not_overflow(tmp_path):
    x = np.array([[300, -300, 310, -290], [1, 2, 3, 5]], "f2")
    R, L = run(tmp_path, "input x[k,i]\nR[k,i] = rms_norm[i](x[k,i])\nL[k,i] = layer_norm[i](x[k,i])\n", {"x": x}, "RL")
    wide = x.astype("f8")
    mean = wide.mean(axis=1, keepdims=True)
    assert R.dtype == L.dtype == np.float16
    # One rounding to f16 of what f32 gives.
    assert np.allclose(R, wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5), rtol=2**-11)
    assert np.allclose(L, (wide - mean) / np.sqrt(((wide - mean) ** 2).mean(axis=1, keepdims=True) + 1e-5), rtol=2**-11)


@pytest.mark.parametrize("narrow", ["i1", "i4", "i8"])
def test_unsigned_and_signed_integers_are_compared_exactly(narrow, tmp_path):
    random = np.random.default_rng(9)
    edges = [0, 1, 2**53, 2**53 + 1, 2**63 - 1]
    signed = np.array([e * s for e in edges for s in (1, -1)] + [-2**63, 5])
    signed = signed[signed == signed.astype(narrow)].astype(narrow)
    unsigned = np.array(edges + [2**63, 2**63 + 1, 2**64 - 1, 5], np.uint64)
    s, u = (random.choice(values, 200) for values in (signed, unsigned))
    names = [f"{side}{number}" for side in "su" for number in range(6)]
    lines = [f"s{number}[n] = s[n] {sign} u[n]\nu{number}[n] = u[n] {sign} s[n]\n" for number, sign in enumerate(COMPARISONS)]
    results = run(tmp_path, "input s[n], u[n]\n" + "".join(lines), {"s": s, "u": u}, names)
    a, b = s.astype(object), u.astype(object)
    expected = [compare(*pair).astype(bool) for pair in ((a, b), (b, a)) for compare in COMPARISONS.values()]
    assert all(np.array_equal(result, right) for result, right in zip(results, expected))


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4"])
def test_positions_do_not_wrap(dtype, tmp_path):
    largest = min(np.iinfo(dtype).max, 250 if dtype[1] != "1" else np.iinfo(dtype).max)
    I = np.array([largest, largest - 1, 3, 0], dtype)
    T = np.arange(1000.0)
    program = """input T[t], I[n]
Y[n] = T[I[n] + 1]
Z[n] = T[2 * I[n] + index(n)]
N[n] = T[i64(T[I[n] + 20]) - I[n] * 1]
H[I[n] + 1 of 300] = sum[n] 1
G[I[n] * 2 of 600] = sum[n] 1
"""
    Y, Z, N, H, G = run(tmp_path, program, {"T": T, "I": I}, "YZNHG")
    p = I.astype(int)
    assert np.array_equal(Y, T[p + 1]) and np.array_equal(Z, T[2 * p + np.arange(4)]) and np.array_equal(N, T[p + 20 - p])
    assert np.array_equal(H, np.bincount(p + 1, minlength=300)) and np.array_equal(G, np.bincount(2 * p, minlength=600))


@pytest.mark.parametrize("dtype", ["u1", "u2", "i1", "i2"])
def test_aggregates_within_indices_do_not_wrap(dtype, tmp_path):
    largest = min(np.iinfo(dtype).max, 250 if dtype[1] != "1" else np.iinfo(dtype).max)
    I = np.array([largest, largest - 1, 3, 0], dtype)
    T = np.arange(1000.0)
    program = """input T[t], I[n]
M = T[max[k] (I[k] + 1)]
S[n] = T[sum[k] I[k] + 0 * I[n]]
R[n] = T[cumsum[n] I[n]]
X[n] = T[cummax[n] (I[n] + 1)]
K[2 * I[n]] = sum[n] 1
L[I[n] - 3] = sum[n where I[n] >= 3] 1
"""
    M, S, R, X, K, L = run(tmp_path, program, {"T": T, "I": I}, "MSRXKL")
    p = I.astype(int)
    assert M == largest + 1 and np.array_equal(S, np.full(4, p.sum())) and np.array_equal(R, np.cumsum(p))
    assert np.array_equal(X, np.maximum.accumulate(p + 1))
    assert np.array_equal(K, np.bincount(2 * p)) and np.array_equal(L, np.bincount(p[:3] - 3))


@pytest.mark.parametrize("options", [[], ["--tile", "n=1"], ["--kernel", "reference"]], ids=["whole", "tiles", "reference"])
def test_conditions_within_indices_are_those_outside(options, tmp_path):
    """A condition over narrow integers may wrap: it does so where it chooses a position or a group as in a statement of its own."""
    x, w = np.array([255, 100, 3, 0], np.uint8), np.array([2, 9, 0, 1])
    program = """input T[t], x[n], w[n]
c[n] = x[n] + 156 == 0
Y[n] = T[where(x[n] + 156 == 0, 1, 2)]
Z[n] = T[where(c[n], 1, 2)]
G[w[n] of 3] = sum[n where x[n] + 156 != 0] 1
H[w[n] of 3] = sum[n where not c[n]] 1
D[i64(x[n] + 156 == 0) of 2] = sum[n] 1
"""
    Y, Z, G, H, D = run(tmp_path, program, {"T": np.arange(9.0), "x": x, "w": w}, "YZGHD", *options)
    assert Y.tolist() == Z.tolist() == [2, 1, 2, 2] and G.tolist() == H.tolist() == [1, 1, 1] and D.tolist() == [3, 1]


def test_positions_of_64_bits_are_chosen_exactly(tmp_path):
    l = np.array([2**64 - 1, 3], np.uint64)
    Y, Z = run(tmp_path, "input T[t], l[n]\nY[n] = T[min(l[n], 7)]\nZ[n] = T[where(min(l[n], 5) == 5, 1, 0)]\n",
               {"T": np.arange(9.0), "l": l}, "YZ")
    assert Y.tolist() == [7, 3] and Z.tolist() == [1, 0]


def test_whole_numbers_of_a_program_are_pythons(tmp_path):
    b, x = np.array([2**63, 2**62], np.uint64), np.arange(3.0)
    lowest = np.array([-2**63, 5])
    program = """input b[n], x[m], lowest[n]
param k = 3000000
label a = 3000000
U[n] = f64(b[n]) / 2^64
L[m] = x[m] < 2^63
D = size(a) * (size(a)^2 - 1)
K = k * (k^2 - 1)
E[n] = lowest[n] == -9223372036854775808
B[n] = b[n] == 2^63
C = 2^63 == 2^63 - 1
"""
    U, L, D, K, E, B, C = run(tmp_path, program, {"b": b, "x": x, "lowest": lowest}, "ULDKEBC")
    assert list(U) == [0.5, 0.25] and L.all() and list(E) == [True, False] and list(B) == [True, False] and not C
    assert D == K == float(26999999999997000000)


def test_determinants_overflow_only_if_they_are_too_large(tmp_path):
    random = np.random.default_rng(0)
    c = np.cov(random.standard_normal((300, 120)) * np.repeat([1e3, 1e-3], 60), rowvar=False)
    e = np.diag([1e-200, 1e-200, 1e200, 1e200])[[1, 0, 2, 3]]
    z = e * (1 + 0j)
    C, E, Z = run(tmp_path, "input c[i,j], e[k,l], z[k,l]\nC = det[i,j](c[i,j])\nE = det[k,l](e[k,l])\nZ = det[k,l](z[k,l])\n",
                  {"c": c, "e": e, "z": z}, "CEZ")
    # LAPACK's factors differ in their last digits.
    assert np.isclose(C, np.linalg.det(c), rtol=1e-9) and np.isclose(E, -1, rtol=1e-12) and np.isclose(Z, -1, rtol=1e-12)


def test_positions_that_no_i64_counts_are_counted(tmp_path):
    S, = run(tmp_path, "label n = 4611686018427387904\nlabel m = 2\nS = sum[n,m] 1.0\n", {}, "S")
    assert S == 2.0**63


@pytest.mark.parametrize("options", [[], ["--tile", "k=7"], ["--kernel", "reference"]])
def test_sums_of_halves_add_what_f32_computes(options, tmp_path):
    random = np.random.default_rng(10)
    a, b, c = (random.integers(1, 64, 50).astype("f2") for _ in "abc")
    program = "input a[k], b[k], c[k]\nS = sum[k] a[k] * b[k] * c[k] / 4096\nR = sum[k] f16(a[k] * b[k]) / 64\nM = max[k] a[k] * b[k]\n"
    S, R, M = run(tmp_path, program, {"a": a, "b": b, "c": c}, "SRM", *options)
    # Integers below 2^24 over a power of two: their sum is exact in f32.
    exact = a.astype(float) * b * c
    assert S == np.float16(np.sum(exact / 4096)) and R == np.float16(np.sum((a * b).astype(float) / 64)) and M == np.max(a * b)
