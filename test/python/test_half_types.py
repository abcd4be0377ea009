"""f16 and bf16 within expressions, beside numpy: a conversion that is written rounds once, in every kernel."""
import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
OPTIONS = [[], ["--kernel", "reference"], ["--tile", "n=37"], ["--generate", "always"], ["--sites", "2"]]


def to_bf16(x):
    """The nearest bf16 of f64 values, ties to even, as f32: numpy has no bf16."""
    x = np.asarray(x, "f8")
    with np.errstate(over="ignore"):
        near = x.astype("f4")
    step = np.where(np.abs(near.astype("f8")) > np.abs(x), 1, 0)
    odd = np.where(near.astype("f8") == x, near.view("u4"), (near.view("u4") - step) | 1).astype("u8")
    return ((odd + 0x7FFF + ((odd >> 16) & 1)) >> 16 << 16).astype("u4").view("f4")


def drawn(dtype):
    """Halfway cases, values just beside them, and the ends of both half types."""
    draw = np.random.default_rng(3)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        powers = 2.0 ** draw.uniform(0, np.log2(float(info.max)), 400)
        beside = [2049, 2050, 2051, 257, 259, 65519, 65520, (1 << 40) + (1 << 32), (1 << 40) + (1 << 32) + 1, (1 << 61) + (1 << 53) + 1]
        values = [v for v in beside if v <= info.max] + [min(int(p), int(info.max)) for p in powers]
        return np.array(values, dtype) * (-1 if info.min < 0 else 1)
    halves = draw.integers(0, 0x7C00, 300).astype("u2")
    middle = (halves.view("f2").astype("f8") + (halves + np.uint16(1)).view("f2").astype("f8")) / 2
    values = np.concatenate([middle, middle * (1 + 2.0**-40), middle * (1 - 2.0**-40), draw.standard_normal(300), -middle,
                             [1.001, 2049, 70000, 65519.9999, 65520, 3e38, 1e300, 1e-300, 0.0, -0.0, np.inf, -np.inf]])
    with np.errstate(over="ignore"):
        return values.astype(dtype)


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "u8", "i4", "u2"])
def test_a_conversion_within_an_expression_rounds_once(tmp_path, dtype, options):
    x = drawn(dtype)
    text = """input x[n]
        A[n] = f64(f16(x[n]))
        B[n] = f64(bf16(x[n]))
        C[n] = 2 * f32(f16(x[n])) - f32(bf16(x[n]))
        h[n] = f16(x[n])
        D[n] = f64(h[n])
        E[n] = f16(x[n]) == h[n]
        largest = max[n] f32(bf16(x[n]))
        total = sum[n] f64(f16(f64(index(n)) + 0.3))
        constant = f64(f16(1.001)) + f64(bf16(257))
        output A, B, C, D, E, largest, total, constant"""
    names = ["A", "B", "C", "D", "E", "largest", "total", "constant"]
    a, b, c, d, e, largest, total, constant = run(tmp_path, text, names, options, x=x)
    with np.errstate(over="ignore", invalid="ignore"):
        half, brain = x.astype("f2").astype("f8"), to_bf16(x)
        wanted_c = 2 * half.astype("f4") - brain
        exact = np.abs(x.astype("f8")) < 2.0**53 if np.dtype(dtype).kind in "iu" else np.full(len(x), True)
    np.testing.assert_array_equal(a, half)
    np.testing.assert_array_equal(d, half)
    np.testing.assert_array_equal(b[exact], brain[exact])
    np.testing.assert_array_equal(c[exact], wanted_c[exact])
    assert e.all()
    assert largest == b.max()
    assert total == (np.arange(len(x)) + 0.3).astype("f2").astype("f8").sum()
    assert constant == float(np.float16(1.001)) + 256


@pytest.mark.parametrize("dtype", ["f2", "bf16"])
def test_the_best_position_does_not_depend_on_tiles(tmp_path, dtype):
    """Products that round to the same number: the first of them wins, wherever it is cut."""
    draw = np.random.default_rng(0)
    x = (1 + draw.random((60, 40))).astype("f2")
    y = (2 / x.astype("f4")).astype("f2")
    name = {"f2": "f16"}.get(dtype, dtype)
    text = f"""input x[i,u], y[i,u]
        L[i] = argmin[u] ({name}(x[i,u]) * {name}(y[i,u]))
        G[i] = argmax[u] ({name}(x[i,u]) * {name}(y[i,u]))
        output L, G"""
    rounded = (lambda v: v.astype("f2").astype("f4")) if dtype == "f2" else (lambda v: to_bf16(v))
    products = rounded(rounded(x.astype("f4")).astype("f4") * rounded(y.astype("f4")).astype("f4"))
    for options in [[], ["--tile", "u=20"], ["--tile", "u=7"], ["--tile", "u=1"], ["--reproducible"], ["--kernel", "reference"]]:
        least, largest = run(tmp_path, text, ["L", "G"], options, x=x, y=y)
        np.testing.assert_array_equal(least, products.argmin(1))
        np.testing.assert_array_equal(largest, products.argmax(1))
