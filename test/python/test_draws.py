"""Random draws of whole distributions: beside numpy's own by the two-sample statistic of Kolmogorov and Smirnov, seeds fixed on
both sides, so that a check says the same whenever it is run; and the same numbers under any cuts."""
import numpy as np
import pytest

import command_line

TESSERA = command_line.from_environment()
run = TESSERA.values_of
message = TESSERA.message_of
DRAWS = 50_000
# Draws of one distribution differ by more with a probability of one in a thousand.
LARGEST_DISTANCE = 1.95 * np.sqrt(2 / DRAWS)
CUTS = [["--tile", "n=7"], ["--tile", "n=64,k=2"], ["--workers", "2", "--pieces", "5"], ["--sites", "3", "--tile", "n=50"], ["--memory", "300KiB"],
        ["--kernel", "reference"], ["--reproducible"], ["--sites", "2", "--planner", "two-phase"]]

# In the language, and by numpy.
ELEMENTS = {
    "gamma of shape 0.05": ("random_gamma(philox(7, index(n)), 0.05)", lambda of: of.standard_gamma(0.05, DRAWS)),
    "gamma of shape 0.7": ("random_gamma(philox(7, index(n)), 0.7)", lambda of: of.standard_gamma(0.7, DRAWS)),
    "gamma of shape 1": ("random_gamma(philox(7, index(n)), 1.0)", lambda of: of.standard_gamma(1, DRAWS)),
    "gamma of shape 30": ("random_gamma(philox(7, index(n)), 30.0)", lambda of: of.standard_gamma(30, DRAWS)),
    "beta": ("random_beta(philox(7, index(n)), 0.5, 2.5)", lambda of: of.beta(0.5, 2.5, DRAWS)),
    "poisson of 0.3": ("random_poisson(philox(7, index(n)), 0.3)", lambda of: of.poisson(0.3, DRAWS)),
    "poisson of 12": ("random_poisson(philox(7, index(n)), 12.0)", lambda of: of.poisson(12, DRAWS)),
    "poisson of 1e6": ("random_poisson(philox(7, index(n)), 1e6)", lambda of: of.poisson(1e6, DRAWS)),
    "few trials": ("random_binomial(philox(7, index(n)), 5, 0.3)", lambda of: of.binomial(5, 0.3, DRAWS)),
    "likely trials": ("random_binomial(philox(7, index(n)), 40, 0.9)", lambda of: of.binomial(40, 0.9, DRAWS)),
    "many trials": ("random_binomial(philox(7, index(n)), 100000, 0.37)", lambda of: of.binomial(100000, 0.37, DRAWS)),
    # Less the mean, over the deviation. numpy's own Poisson draws are too wide from 1e15 on.
    "poisson of 1e16": ("(random_poisson(philox(7, index(n)), 1e16) - 1e16) / 1e8", lambda of: of.standard_normal(DRAWS)),
    "trials beyond 2^53": ("(random_binomial(philox(7, index(n)), 4e16, 0.5) - 2e16) / 1e8", lambda of: of.standard_normal(DRAWS)),
}


def distance(one, other):
    """The largest difference of two empirical distributions."""
    every = np.sort(np.concatenate([one, other]))
    shares = [np.searchsorted(np.sort(sample), every, side="right") / len(sample) for sample in (one, other)]
    return np.abs(shares[0] - shares[1]).max()


@pytest.mark.parametrize("name", ELEMENTS)
def test_draws_are_distributed_as_numpys(name, tmp_path):
    text, numpys = ELEMENTS[name]
    (drawn,) = run(tmp_path, f"label n = {DRAWS}\nY[n] = {text}\n", ["Y"])
    wanted = numpys(np.random.default_rng(1))
    assert distance(drawn, wanted) < LARGEST_DISTANCE
    assert abs(drawn.mean() - wanted.mean()) < 5 * wanted.std() * np.sqrt(2 / DRAWS)


@pytest.mark.parametrize("options", CUTS, ids=" ".join)
def test_draws_are_the_same_under_any_cuts(options, tmp_path):
    text = """input P[n,k]
        G[n,k] = random_gamma(philox(3, index(n) * size(k) + index(k)), P[n,k])
        z[n] = random_categorical[k](philox(4, index(n)), P[n,k])
        D[n,k] = random_dirichlet[k](philox(5, index(n)), P[n,k])
        C[n,k] = random_multinomial[k](philox(6, index(n)), 1000, P[n,k])
        output G, z, D, C
        """
    weights = np.random.default_rng(2).random((203, 6)) + 0.01
    whole = run(tmp_path, text, ["G", "z", "D", "C"], P=weights)
    for one, other in zip(whole, run(tmp_path, text, ["G", "z", "D", "C"], options, P=weights)):
        np.testing.assert_array_equal(one, other)


def test_draws_are_the_same_in_several_processes(tmp_path):
    text = """input P[n,k], A[n,i,j]
        G[n,k] = random_gamma(philox(3, index(n) * size(k) + index(k)), P[n,k])
        z[n] = random_categorical[k](philox(4, index(n)), P[n,k])
        V[n,i,j] = inverse[i,j](A[n,i,j])
        output G, z, V
        """
    draw = np.random.default_rng(2)
    inputs = {"P": draw.random((64, 6)), "A": draw.standard_normal((64, 3, 3))}
    alone = run(tmp_path, text, ["G", "z", "V"], **inputs)
    together = TESSERA.under_mpirun(3).values_of(tmp_path, text, ["G", "z", "V"], ["--tile", "n=8"], **inputs)
    for one, other in zip(alone, together):
        np.testing.assert_array_equal(one, other)


def chi_squared(counts, weights):
    wanted = counts.sum() * weights / weights.sum()
    return ((counts - wanted)**2 / wanted).sum()


def test_positions_are_drawn_in_proportion(tmp_path):
    weights = np.array([3.0, 0, 1e-3, 40, 7, 0.5, 0])
    (drawn,) = run(tmp_path, f"input p[k]\nlabel n = {10 * DRAWS}\nz[n] = random_categorical[k](philox(1, index(n)), p[k])\n", ["z"], p=weights)
    assert drawn.dtype == np.int64
    counts = np.bincount(drawn, minlength=7)
    assert counts[1] == counts[6] == 0
    kept = weights > 0
    assert chi_squared(counts[kept], weights[kept]) < 18.5  # four degrees of freedom; more is one in a thousand


def test_counts_are_drawn_in_proportion(tmp_path):
    weights = np.array([0, 2.0, 1, 5, 0, 0.01, 0])
    text = f"input p[k]\nlabel n = {DRAWS}\nC[n,k] = random_multinomial[k](philox(1, index(n)), 30, p[k])\n"
    (drawn,) = run(tmp_path, text, ["C"], p=weights)
    assert (drawn.sum(1) == 30).all() and (drawn >= 0).all() and not drawn[:, [0, 4, 6]].any()
    kept = weights > 0
    assert chi_squared(drawn.sum(0)[kept], weights[kept]) < 16.3  # three degrees of freedom
    shares = weights / weights.sum()
    wanted = 30 * (np.diag(shares) - np.outer(shares, shares))
    np.testing.assert_allclose(np.cov(drawn.T), wanted, atol=0.1)


def test_shares_sum_to_one_and_vary_as_they_should(tmp_path):
    alpha = np.array([0.3, 2, 5, 0])
    text = f"input a[k]\nlabel n = {DRAWS}\nD[n,k] = random_dirichlet[k](philox(1, index(n)), a[k])\n"
    (drawn,) = run(tmp_path, text, ["D"], a=alpha)
    np.testing.assert_allclose(drawn.sum(1), 1, rtol=1e-12)
    assert not drawn[:, 3].any()
    wanted = np.random.default_rng(3).dirichlet(alpha[:3], DRAWS)
    for k in range(3):
        assert distance(drawn[:, k], wanted[:, k]) < LARGEST_DISTANCE


def test_small_concentrations_give_no_quotient_of_zeros(tmp_path):
    (drawn,) = run(tmp_path, "input a[k]\nlabel n = 1000\nD[n,k] = random_dirichlet[k](philox(1, index(n)), a[k])\n", ["D"], a=np.full(5, 1e-4))
    np.testing.assert_allclose(drawn.sum(1), 1, rtol=1e-12)
    assert (drawn.max(1) > 0.999).mean() > 0.99


def test_weights_of_f32_and_integers_are_taken(tmp_path):
    text = "input p[k]\nlabel n = 1000\nz[n] = random_categorical[k](philox(1, index(n)), p[k])\n"
    drawn = [run(tmp_path, text, ["z"], p=np.array([1, 2, 5], dtype))[0] for dtype in ("f8", "f4", "i8", "u1")]
    for other in drawn[1:]:
        np.testing.assert_array_equal(drawn[0], other)


REFUSED = {
    "random_gamma(philox(1, index(n)), x[n])": [-1.0, np.nan],
    "random_beta(philox(1, index(n)), x[n], 1.0)": [0.0, -2.0, np.inf],
    "random_poisson(philox(1, index(n)), x[n])": [-1e-9, np.nan, np.inf],
    "random_binomial(philox(1, index(n)), 10, x[n])": [-0.1, 1.5, np.nan],
    "random_binomial(philox(1, index(n)), x[n], 0.5)": [-1.0, 2.5, np.inf],
}


@pytest.mark.parametrize("text", REFUSED)
def test_parameters_of_no_distribution_are_refused(text, tmp_path):
    for wrong in REFUSED[text]:
        said = message(tmp_path, f"input x[n]\nY[n] = {text}\n", x=np.array([1.0, 1.0, wrong]))
        assert "parameters that no distribution has" in said


@pytest.mark.parametrize("row", [[0, 0, 0], [1, -1, 3], [1, np.nan, 1], [np.inf, 1, 1]], ids=str)
@pytest.mark.parametrize("call", ["random_categorical[k](philox(1, index(n)), p[n,k])", "random_dirichlet[k](philox(1, index(n)), p[n,k])",
                                  "random_multinomial[k](philox(1, index(n)), 3, p[n,k])"])
def test_rows_of_no_distribution_are_refused_by_name(call, row, tmp_path):
    left = "Y[n]" if "categorical" in call else "Y[n,k]"
    weights = np.array([[1.0, 2, 3], [3, 2, 1], row])
    said = message(tmp_path, f"input p[n,k]\n{left} = {call}\n", p=weights)
    assert "parameters that no distribution has" in said and "n = 2" in said


def test_extremes_of_parameters(tmp_path):
    text = """label n = 2
        G[n] = random_gamma(philox(1, index(n)), 0.0)
        P[n] = random_poisson(philox(1, index(n)), 0.0)
        B[n] = random_binomial(philox(1, index(n)), 12, 1.0)
        N[n] = random_binomial(philox(1, index(n)), 0, 0.5)
        """
    for values, wanted in zip(run(tmp_path, text, ["G", "P", "B", "N"]), (0, 0, 12, 0)):
        np.testing.assert_array_equal(values, [wanted, wanted])
