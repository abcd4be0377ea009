"""Every program of examples/ against numpy, whole and cut into tiles."""
import pathlib

import numpy as np
import pytest

import command_line

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SURVIVAL = EXAMPLES.parent / "test" / "cases" / "survival"  # what R's package says, and the script that asked it
TESSERA = command_line.from_environment()


def drawn(*shape):
    return np.random.default_rng(list(shape)).standard_normal(shape)


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def metric_search(X, A, q):
    return {"nearest": np.einsum("nd,de,ne->n", X - q, A, X - q).argmin()}


def layer_norm(X, scale, shift):
    centred = X - X.mean(1, keepdims=True)
    return {"Y": centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * scale + shift}


def linear_regression(X, y, w):
    residual = X @ w - y
    return {"stepped": w - 0.1 * 2 * (X * residual[:, None]).mean(0), "loss": (residual**2).mean()}


def feed_forward(X, gate, up, down):
    G = X @ gate.T
    return {"Y": (G / (1 + np.exp(-G)) * (X @ up.T)) @ down.T}


def training_step(X, Y, W, V):
    A = X @ W
    H = np.maximum(A, 0)
    E = H @ V - Y
    return {"new_V": V - 0.01 * H.T @ E, "new_W": W - 0.01 * X.T @ np.where(A > 0, E @ V.T, 0)}


def kmeans_step(points, centres):
    distance = ((points[:, None] - centres) ** 2).sum(2)
    nearest = distance.argmin(1)
    moved = [points[nearest == c].mean(0) if np.any(nearest == c) else centres[c] for c in range(len(centres))]
    return {"moved": np.array(moved), "nearest": nearest, "spread": distance.min(1).sum()}


def shortest_paths(W):
    two = (W[:, :, None] + W).min(1)
    return {"four": (two[:, :, None] + two).min(1)}


def edges(n):
    lengths = np.random.default_rng(n).integers(1, 10, (n, n)).astype(float)
    lengths[lengths > 3] = np.inf
    np.fill_diagonal(lengths, 0)
    return lengths


def table(name):
    """A .csv file of R's by its columns."""
    return np.genfromtxt(SURVIVAL / f"{name}.csv", delimiter=",", names=True)


def patients(*names):
    return {name: np.load(EXAMPLES / "survival" / f"{name}.npy") for name in names}


def kaplan_meier(time, event):
    curve = table("kaplan_meier")
    at = np.searchsorted(curve["time"], time)
    return {"survives": curve["survives"][at], "standard_error": curve["standard_error"][at]}


def cox_likelihood(time, event, x, beta):
    seen = table("cox")[1]
    assert [seen["beta_1"], seen["beta_2"]] == list(beta)
    return {"log_likelihood": seen["log_likelihood"], "gradient": [seen["gradient_1"], seen["gradient_2"]],
            "residual": table("cox_residuals")["residual"]}


def empirical_cdf(points, at):
    return {"share": [np.mean(points <= value) for value in range(101)],
            "quartiles": np.quantile(points, [0.25, 0.5, 0.75], method="inverted_cdf"),
            "share_at": [np.mean(points <= value) for value in at]}


def subsample(X, order):
    batch = X[order[:32]].reshape(4, 8, -1)
    return {"centre": batch.mean(1), "centred": batch - batch.mean(1, keepdims=True)}


CASES = {
    "matmul": (lambda A, B: {"C": A @ B}, {"A": drawn(70, 40), "B": drawn(40, 90)}, "i=32,j=64,k=16"),
    "softmax": (lambda X: {"Y": softmax(X, 1)}, {"X": 100 * drawn(33, 50)}, "i=10,j=20"),
    "layer_norm": (layer_norm, {"X": drawn(20, 31), "scale": drawn(31), "shift": drawn(31) + 1}, "s=7,f=8"),
    "linear_regression": (linear_regression, {"X": drawn(50, 6), "y": drawn(50), "w": drawn(6)}, "n=16,f=4"),
    "feed_forward": (feed_forward, {"X": drawn(9, 8), "gate": drawn(20, 8), "up": drawn(20, 8) + 1, "down": drawn(8, 20)},
                     "t=4,d=3,f=7"),
    "training_step": (training_step, {"X": drawn(30, 5), "Y": drawn(30, 3), "W": drawn(5, 11), "V": drawn(11, 3)},
                      "n=7,h=4,d=3"),
    "kmeans_step": (kmeans_step, {"points": drawn(60, 3), "centres": np.vstack([drawn(4, 3), [[99, 99, 99]]])}, "p=25,c=2"),
    "metric_search": (metric_search, {"X": drawn(40, 9), "A": drawn(9, 9), "q": drawn(9)}, "n=11,d=4,e=5"),
    "shortest_paths": (shortest_paths, {"W": edges(12)}, "i=5,j=7,k=4"),
    "kaplan_meier": (kaplan_meier, patients("time", "event"), "n=17,t=30"),
    "cox_likelihood": (cox_likelihood, {**patients("time", "event", "x"), "beta": np.array([0.5, -0.8])}, "n=17,t=30"),
    "empirical_cdf": (empirical_cdf, {"points": np.random.default_rng(7).integers(0, 101, 50), "at": drawn(9) * 30 + 50}, "n=20,v=33"),
    "subsample": (subsample, {"X": drawn(40, 3), "order": np.random.default_rng(40).permutation(40)}, "n=15,r=3"),
}


@pytest.mark.parametrize("is_tiled", [False, True], ids=["whole", "tiled"])
@pytest.mark.parametrize("name", sorted(CASES))
def test_example(name, is_tiled, tmp_path):
    reference, inputs, tiles = CASES[name]
    wanted = reference(**inputs)
    options = ["--tile", tiles] if is_tiled else []
    done, results = TESSERA.run_program(EXAMPLES / f"{name}.ein", inputs, wanted, tmp_path, *options)
    assert done.exit_code == 0, done.describe()
    for output, value in wanted.items():
        # Functions and the order of sums differ from numpy's in the last digits.
        np.testing.assert_allclose(results[output], value, rtol=1e-12, atol=1e-13, err_msg=output)


def test_every_example_is_tested():
    assert {file.stem for file in EXAMPLES.glob("*.ein")} == set(CASES)


@pytest.mark.parametrize("row", [0, 2], ids=["at 0", "at the maximum"])
def test_cox_likelihood_elsewhere(row, tmp_path):
    seen = table("cox")[row]
    inputs = {**patients("time", "event", "x"), "beta": np.array([seen["beta_1"], seen["beta_2"]])}
    done, results = TESSERA.run_program(EXAMPLES / "cox_likelihood.ein", inputs, ["log_likelihood", "gradient"], tmp_path)
    assert done.exit_code == 0, done.describe()
    np.testing.assert_allclose(results["log_likelihood"], seen["log_likelihood"], rtol=1e-13)  # exp and log are rounded
    # At the maximum the terms, about 1 each, cancel: what is left is their rounding.
    np.testing.assert_allclose(results["gradient"], [seen["gradient_1"], seen["gradient_2"]], rtol=1e-12, atol=1e-13)


def test_more_times_than_places_are_an_error(tmp_path):
    done, _ = TESSERA.run_program(EXAMPLES / "kaplan_meier.ein", patients("time", "event"), [], tmp_path, "-D", "times=20")
    assert done.exit_code == 1 and "place" in done.stderr, done.describe()


def digits(*names):
    return {name: np.load(EXAMPLES / "digits" / f"{name}.npy") for name in names}


def digit_metric():
    row, column = np.divmod(np.arange(64), 8)
    return np.exp(-(np.subtract.outer(row, row) ** 2 + np.subtract.outer(column, column) ** 2) / 2) / (2 * np.pi)


def test_nearest_neighbour(tmp_path):
    inputs = digits("candidates", "candidate_labels", "queries", "query_labels")
    done, results = TESSERA.run_program(EXAMPLES / "digits" / "nearest_neighbour.ein", inputs,
                                        ["accuracy", "confusion", "predicted"], tmp_path)
    assert done.exit_code == 0, done.describe()
    X, Q, A = inputs["candidates"] / 16, inputs["queries"] / 16, digit_metric()
    # By the definition, one query at a time: (x - q) A (x - q)^T.
    nearest = [np.einsum("ia,ab,ib->i", X - q, A, X - q, optimize=True).argmin() for q in Q]
    predicted = inputs["candidate_labels"][nearest]
    assert np.array_equal(results["predicted"], predicted)
    assert results["accuracy"] == np.mean(predicted == inputs["query_labels"]) == 0.948
    confusion = np.zeros((10, 10), int)
    np.add.at(confusion, (inputs["query_labels"], predicted), 1)
    assert np.array_equal(results["confusion"], confusion)


def test_attention(tmp_path):
    inputs = digits("pixels", "labels")
    done, results = TESSERA.run_program(EXAMPLES / "digits" / "attention.ein", inputs, ["agreement", "Y"], tmp_path)
    assert done.exit_code == 0, done.describe()
    X = (inputs["pixels"] - inputs["pixels"].mean(0)) / 16
    X /= np.sqrt((X**2).sum(1, keepdims=True))
    heads = X.reshape(-1, 4, 16)
    attended = softmax(np.einsum("shd,thd->hst", heads, heads, optimize=True) * 16 / np.sqrt(16), 2)
    Y = np.einsum("hst,thd->shd", attended, heads, optimize=True).reshape(X.shape)
    np.testing.assert_allclose(results["Y"], Y, rtol=1e-9, atol=1e-12)
    others = attended.mean(0)
    np.fill_diagonal(others, 0)
    assert results["agreement"] == np.mean(inputs["labels"][others.argmax(1)] == inputs["labels"])
