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


@pytest.mark.parametrize("label", ["j", "x", "t", "d", "k", "query", "scale", "mask", "epsilon", "batch", "j_2", "sum", "size", "inf", "one"])
def test_no_label_of_a_program_breaks_a_macro(tmp_path, label):
    random = np.random.default_rng(7)
    X, K, V = (random.normal(size=shape) for shape in [(3, 4), (5, 4), (5, 2)])
    results = run(tmp_path, f"""input X[i, {label}], K[s, {label}], V[s, e]
soft[i, {label}] = softmax[{label}](X[i, {label}])
layer[i, {label}] = layer_norm[{label}](X[i, {label}])
both[i] = norm[{label}](softmax[{label}](X[i, {label}]))
Y[i, e] = attention[s, {label}](X[i, {label}], K[s, {label}], V[s, e])
""", X=X, K=K, V=V)
    np.testing.assert_allclose(results["soft"], softmax(X), rtol=1e-12)
    np.testing.assert_allclose(results["layer"], (X - X.mean(axis=1, keepdims=True)) / np.sqrt(X.var(axis=1, keepdims=True) + 1e-5), rtol=1e-10)
    np.testing.assert_allclose(results["both"], np.linalg.norm(softmax(X), axis=1), rtol=1e-12)
    np.testing.assert_allclose(results["Y"], softmax(X @ K.T / 2) @ V, rtol=1e-12)


def test_no_name_of_a_program_breaks_the_prelude(tmp_path):
    X = np.random.default_rng(8).normal(size=(3, 4))
    results = run(tmp_path, """input X[i, j]
def max(x) = 0 * x
def exp(x) = x
def variance[j](x) = sum[j] x
inf = 3.0
epsilon = 7.0
soft[i, j] = softmax[j](X[i, j])
layer[i, j] = layer_norm[j](X[i, j])
masked[i, e] = attention[t, d](X[i, d], X[t, d], X[t, e], index(t) <= index(i))
""", X=X)
    np.testing.assert_allclose(results["soft"], softmax(X), rtol=1e-12)
    np.testing.assert_allclose(results["layer"], (X - X.mean(axis=1, keepdims=True)) / np.sqrt(X.var(axis=1, keepdims=True) + 1e-5), rtol=1e-10)
    np.testing.assert_allclose(results["masked"], softmax(np.where(np.tri(3, dtype=bool), X @ X.T / 2, -np.inf)) @ X, rtol=1e-12)


def test_macros_take_several_labels_as_aggregates_do(tmp_path):
    X = np.random.default_rng(9).normal(size=(2, 3, 4, 5))
    results = run(tmp_path, """input X[b, c, h, w]
def place[j](x) = sum[j] x * index(j)
def share[j](x) = x / size(j)
soft[b, c, h, w] = softmax[h, w](X[b, c, h, w])
layer[b, c, h, w] = layer_norm[c, h, w](X[b, c, h, w], 0.1)
length[b] = norm[c, h, w] X[b, c, h, w]
deviation[b] = std[h, c, w](X[b, c, h, w])
position[b, c] = place[h, w](X[b, c, h, w])
part[b, c, h, w] = share[h, w](X[b, c, h, w])
""", X=X)
    axes = (1, 2, 3)
    e = np.exp(X)
    np.testing.assert_allclose(results["soft"], e / e.sum(axis=(2, 3), keepdims=True), rtol=1e-12)
    centred = X - X.mean(axis=axes, keepdims=True)
    np.testing.assert_allclose(results["layer"], centred / np.sqrt(X.var(axis=axes, keepdims=True) + 0.1), rtol=1e-10)
    np.testing.assert_allclose(results["length"], np.sqrt((X**2).sum(axis=axes)), rtol=1e-12)
    np.testing.assert_allclose(results["deviation"], X.std(axis=axes), rtol=1e-12)
    np.testing.assert_allclose(results["position"], (X * np.arange(20).reshape(4, 5)).sum(axis=(2, 3)), rtol=1e-10)
    np.testing.assert_allclose(results["part"], X / 20, rtol=1e-12)


def test_attention_takes_a_mask_and_a_scale(tmp_path):
    random = np.random.default_rng(10)
    Q, K, V = (random.normal(size=shape) for shape in [(4, 3), (5, 3), (5, 2)])
    M = np.tri(4, 5, 1, dtype=bool)
    results = run(tmp_path, """input Q[s, d], K[t, d], V[t, e], M[s, t]
masked[s, e] = attention[t, d](Q[s, d], K[t, d], V[t, e], M[s, t])
of_integers[s, e] = attention[t, d](Q[s, d], K[t, d], V[t, e], u8(M[s, t]))
scaled[s, e] = attention[t, d](Q[s, d], K[t, d], V[t, e], true, 0.25)
both[s, e] = attention[t, d](Q[s, d], K[t, d], V[t, e], M[s, t], 2)
""", Q=Q, K=K, V=V, M=M)
    scores = Q @ K.T
    masked = lambda scale: softmax(np.where(M, scale * scores, -np.inf)) @ V
    np.testing.assert_allclose(results["masked"], masked(1 / np.sqrt(3)), rtol=1e-12)
    np.testing.assert_allclose(results["of_integers"], results["masked"], rtol=1e-12)
    np.testing.assert_allclose(results["scaled"], softmax(scores / 4) @ V, rtol=1e-12)
    np.testing.assert_allclose(results["both"], masked(2), rtol=1e-12)


def test_a_mask_of_floats_is_added_to_the_scores(tmp_path):
    random = np.random.default_rng(11)
    Q, K, V, bias = (random.normal(size=shape) for shape in [(4, 3), (5, 3), (5, 2), (4, 5)])
    bias[np.tri(4, 5, 1) == 0] = -np.inf
    results = run(tmp_path, """input Q[s, d], K[t, d], V[t, e], bias[s, t]
Y[s, e] = attention[t, d](Q[s, d], K[t, d], V[t, e], bias[s, t])
narrow[s, e] = attention[t, d](Q[s, d], K[t, d], V[t, e], f32(bias[s, t]))
scores[s, t] = masked(Q[s, 0] * K[t, 0], bias[s, t])
chosen[s, t] = masked(Q[s, 0] * K[t, 0], bias[s, t] > 0)
""", Q=Q, K=K, V=V, bias=bias)
    np.testing.assert_allclose(results["Y"], softmax(Q @ K.T / np.sqrt(3) + bias) @ V, rtol=1e-12)
    np.testing.assert_allclose(results["narrow"], softmax(Q @ K.T / np.sqrt(3) + bias.astype("f4")) @ V, rtol=1e-12)
    products = np.outer(Q[:, 0], K[:, 0])
    np.testing.assert_array_equal(results["scores"], products + bias)
    np.testing.assert_array_equal(results["chosen"], np.where(bias > 0, products, -np.inf))


def test_comparisons_with_numbers_that_do_not_fit(tmp_path):
    results = run(tmp_path, """input x[i]
above[i] = x[i] > -1
count = sum[i] i64(x[i] < 300)
kept[i] = where(x[i] != -5 and x[i] > 0, x[i], 7)
""", x=np.array([0, 1, 255], "u1"))
    assert results["above"].tolist() == [True] * 3 and results["above"].dtype == bool
    assert results["count"] == 3 and results["kept"].tolist() == [7, 1, 255]


def test_a_byte_order_mark_is_skipped(tmp_path):
    results = run(tmp_path, "\ufeffinput x[i]\ntwice[i] = x[i]\n  + x[i]\n", x=np.arange(3))
    assert results["twice"].tolist() == [0, 2, 4]


def test_modes_of_extent_one_go_without_a_label(tmp_path):
    text = "input y[i, 1], X[1, i, j, 1]\nY[j] = sum[i] y[i] * X[i, j]\nZ[i, j] = y[i] + X[i, j]\n"
    y, X = np.arange(4.0).reshape(4, 1), np.arange(12.0).reshape(1, 4, 3, 1)
    for options in [(), ("--tile", "i=3,j=2"), ("--kernel", "reference"), ("--tile", "i=1", "--sites", "2")]:
        results = run(tmp_path, text, *options, y=y, X=X)
        assert np.array_equal(results["Y"], y[:, 0] @ X[0, :, :, 0]) and np.array_equal(results["Z"], y + X[0, :, :, 0])


def test_a_plan_of_modes_of_extent_one_reads_back(tmp_path):
    (tmp_path / "p.ein").write_text("input y[1, i, 1]\nY = sum[i] y[i]\n")
    np.save(tmp_path / "y.npy", np.arange(4.0).reshape(1, 4, 1))
    for stage in ["einsum", "optimized", "tra", "tasks"]:
        done = TESSERA.call("explain", "p.ein", "y=y.npy", "--stage", stage, folder=tmp_path)
        (tmp_path / "plan.txt").write_text(done.stdout)
        done = TESSERA.call("run", "plan.txt", "y=y.npy", "--quiet", folder=tmp_path)
        assert done.exit_code == 0 and float(done.stdout) == 6, done.describe()


@pytest.mark.parametrize("number, dtype", [("2", "int64"), ("-2.5", "float64"), ("1+2j", "complex128"), ("true", "bool"), ("1e300", "float64")])
def test_a_scalar_may_be_given_as_a_number(tmp_path, number, dtype):
    (tmp_path / "p.ein").write_text("input a, x[i]\nb = a\ny[i] = a * x[i]\n")
    np.save(tmp_path / "x.npy", np.arange(3))
    done = TESSERA.call("run", "p.ein", f"a={number}", "x=x.npy", "-o", "b=b.npy", "-o", "y=y.npy", folder=tmp_path)
    assert done.exit_code == 0, done.describe()
    b = np.load(tmp_path / "b.npy")
    wanted = np.array(complex(number) if dtype == "complex128" else number == "true" if dtype == "bool" else float(number), dtype)
    assert b == wanted and b.dtype == wanted.dtype and b.shape == ()
    assert np.array_equal(np.load(tmp_path / "y.npy"), wanted * np.arange(3))


def test_a_scalar_has_the_dtype_of_its_header(tmp_path):
    (tmp_path / "p.ein").write_text("input a : f32, h : f16, k : u8\nb = a\nc = h\nd = k\n")
    files = [argument for name in "bcd" for argument in ("-o", f"{name}={name}.npy")]
    done = TESSERA.call("run", "p.ein", "a=0.1", "h=3", "k=255", *files, folder=tmp_path)
    assert done.exit_code == 0, done.describe()
    for name, value in [("b", np.float32(0.1)), ("c", np.float16(3)), ("d", np.uint8(255))]:
        result = np.load(tmp_path / f"{name}.npy")
        assert result == value and result.dtype == value.dtype


def test_a_plan_knows_the_dtype_of_a_scalar(tmp_path):
    (tmp_path / "p.ein").write_text("input a\nb = 2 * a\n")
    for number, dtype in [("2", "i64"), ("2.0", "f64")]:
        done = TESSERA.call("explain", "p.ein", f"a={number}", "--stage", "einsum", folder=tmp_path)
        assert f"{dtype}[]" in done.stdout, done.describe()
        (tmp_path / "plan.txt").write_text(done.stdout)
        done = TESSERA.call("run", "plan.txt", f"a={number}", "--quiet", folder=tmp_path)
        assert done.exit_code == 0 and float(done.stdout) == 4, done.describe()


def test_integers_of_both_signs_compare_exactly(tmp_path):
    """u64 beside signed integers: in f64, in which numpy would meet them, neighbours are equal."""
    ends = [0, 1, 2, 2**53, 2**53 + 1, 2**62 + 1, 2**63 - 1]
    a = np.array([x for x in ends + [2**63, 2**63 + 1, 2**64 - 1] for _ in range(10)], "u8")
    signed = ends + [-x for x in ends[1:]] + [-2**63]
    b = np.array([x for _ in range(10) for x in signed[:10]], "i8")
    signs = {"less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!="}
    lines = [f"{name}_{order}[n] = {x} {sign} {y}" for name, sign in signs.items() for order, x, y in (("ab", "a[n]", "b[n]"), ("ba", "b[n]", "a[n]"))]
    names = [line.split("[")[0] for line in lines]
    for options in [[], ["--kernel", "reference"], ["--generate", "always"]]:
        results = run(tmp_path, "input a[n], b[n]\n" + "\n".join(lines), *options, a=a, b=b)
        for name in names:
            compare = {"less": int.__lt__, "less_equal": int.__le__, "greater": int.__gt__, "greater_equal": int.__ge__, "equal": int.__eq__,
                       "not_equal": int.__ne__}[name[:-3]]
            pairs = [(int(x), int(y)) if name.endswith("ab") else (int(y), int(x)) for x, y in zip(a, b)]
            np.testing.assert_array_equal(results[name], [compare(x, y) for x, y in pairs], name)
