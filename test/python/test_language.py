"""What the language says, through the command line, against numpy: macros, conversions, the shape of a program's text."""
import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()


def run(folder, text, *options, **arrays):
    """The results of a program that ends without an error, by the names on the left of its statements."""
    (folder / "program.ein").write_text(text, encoding="utf-8")
    names = [line.split("=")[0].split("[")[0].strip() for line in text.splitlines()
             if "=" in line and not line.startswith(("input", "def", "label", "param", " "))]
    done, results = TESSERA.run_program(folder / "program.ein", arrays, names, folder, *options)
    assert done.exit_code == 0, done.describe()
    return results


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


EVERY_MACRO = """input X[i, j]
soft[i, j] = softmax[j](X[i, j])
log_soft[i, j] = log_softmax[j](X[i, j])
var[i] = variance[j](X[i, j])
deviation[i] = std[j](X[i, j])
length[i] = norm[j](X[i, j])
layer[i, j] = layer_norm[j](X[i, j], 0.5)
root[i, j] = rms_norm[j](X[i, j], 0.5)
leaky[i, j] = leaky_relu(X[i, j], -0.5)
exponential[i, j] = elu(X[i, j], 2)
"""


@pytest.mark.parametrize("dtype", ["bool", "u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"])
def test_macros_take_integers_as_floats(tmp_path, dtype):
    largest = 1 if dtype == "bool" else min(np.iinfo(dtype).max, 50000)
    X = np.array([[0, largest, 1], [largest, largest, largest // 2]]).astype(dtype)
    results = run(tmp_path, EVERY_MACRO, X=X)
    x = X.astype("f8")
    mean_square = (x**2).mean(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        log_soft = np.log(softmax(x))
    wanted = {
        "soft": softmax(x), "log_soft": log_soft, "var": x.var(axis=1), "deviation": x.std(axis=1),
        "length": np.linalg.norm(x, axis=1), "root": x / np.sqrt(mean_square + 0.5),
        "layer": (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 0.5),
        "leaky": np.where(x > 0, x, -0.5 * x), "exponential": np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0)))}
    for name, value in wanted.items():
        assert results[name].dtype == np.float64
        where = np.isfinite(log_soft) if name == "log_soft" else ...
        np.testing.assert_allclose(results[name][where], value[where], rtol=1e-12, err_msg=name)


def test_the_norm_of_large_integers_does_not_wrap(tmp_path):
    results = run(tmp_path, "input v[i]\nlength = norm[i](v[i])\n", v=np.array([50000, 50000], "i4"))
    np.testing.assert_allclose(results["length"], np.sqrt(2) * 50000)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_the_variance_of_complex_numbers_is_real(tmp_path, dtype):
    random = np.random.default_rng(3)
    X = (random.normal(size=(3, 40)) + 1j * random.normal(size=(3, 40))).astype(dtype)
    results = run(tmp_path, """input X[i, j]
var[i] = variance[j](X[i, j])
deviation[i] = std[j](X[i, j])
layer[i, j] = layer_norm[j](X[i, j], 0.5)
root[i, j] = rms_norm[j](X[i, j], 0.5)
""", X=X)
    variance = X.var(axis=1, keepdims=True)
    wanted = {"var": variance[:, 0], "deviation": np.sqrt(variance[:, 0]), "layer": (X - X.mean(axis=1, keepdims=True)) / np.sqrt(variance + 0.5),
              "root": X / np.sqrt((abs(X)**2).mean(axis=1, keepdims=True) + 0.5)}
    for name, value in wanted.items():
        assert results[name].dtype == value.dtype.newbyteorder("=") if name in ("var", "deviation") else results[name].dtype == dtype
        np.testing.assert_allclose(results[name], value, rtol=2e-5 if dtype == "c8" else 1e-12, err_msg=name)


def test_attention_of_integers_does_not_wrap(tmp_path):
    random = np.random.default_rng(5)
    Q, K, V = (random.integers(-100, 100, size=shape).astype("i1") for shape in [(3, 4), (5, 4), (5, 2)])
    results = run(tmp_path, "input Q[s,d], K[t,d], V[t,e]\nY[s,e] = attention[t,d](Q[s,d], K[t,d], V[t,e])\n", Q=Q, K=K, V=V)
    q, k, v = (array.astype("f8") for array in (Q, K, V))
    np.testing.assert_allclose(results["Y"], softmax(q @ k.T / 2) @ v, rtol=1e-12)
