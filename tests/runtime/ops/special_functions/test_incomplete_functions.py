"""The incomplete gamma and beta functions beside SciPy's, at their edges, and their gradients."""

import numpy as np
import pytest
import scipy.special

import autograph as ag

RNG = np.random.default_rng(5)
INF, NAN = np.inf, np.nan
SIZES = {"small": (-8, 0), "usual": (-2, 2), "large": (1, 4)}


def near_the_mean(a, spread):
    return np.abs(a + spread * RNG.normal(size=a.shape))


@pytest.mark.parametrize("size", SIZES)
def test_gamma_agrees_with_scipy(size):
    a = 10 ** RNG.uniform(*SIZES[size], 400)
    for x in (10 ** RNG.uniform(*SIZES[size], 400), near_the_mean(a, 2 * np.sqrt(a)), a, a + 800):
        for name in ("gammainc", "gammaincc"):
            expected = getattr(scipy.special, name)(a, x)
            np.testing.assert_allclose(
                getattr(ag.special, name)(a, x).array, expected, 5e-11, 1e-300
            )


@pytest.mark.parametrize("size", SIZES)
def test_beta_agrees_with_scipy(size):
    a, b = 10 ** RNG.uniform(*SIZES[size], (2, 400))
    mean = a / (a + b)
    near = np.clip(near_the_mean(mean, np.sqrt(mean * (1 - mean) / (a + b))), 0, 1)
    for x in (RNG.uniform(0, 1, 400), near, 10 ** RNG.uniform(-20, 0, 400)):
        for name in ("betainc", "betaincc"):
            expected = getattr(scipy.special, name)(a, b, x)
            found = getattr(ag.special, name)(a, b, x).array
            # SciPy itself is wrong where it is below 1e-250; ours loses digits for tiny parameters.
            least = 1e-14 if size == "small" else 1e-240
            np.testing.assert_allclose(found, expected, 1e-10, least)


def test_large_parameters_of_gamma_agree_with_the_normal_distribution():
    # To the order 1 / a of Cornish and Fisher; SciPy is wrong in the first digit here.
    a = 1e12
    for z in (-5.0, -1.0, 0.0, 2.0, 5.0):
        x = a + z * np.sqrt(a)
        skewed = z - (z * z - 1) / (3 * np.sqrt(a))
        expected = scipy.special.ndtr(skewed)
        np.testing.assert_allclose(ag.special.gammainc(a, x).item(), expected, rtol=1e-8)
        np.testing.assert_allclose(ag.special.gammaincc(a, x).item(), 1 - expected, rtol=1e-3)


EDGES = np.array([0.0, 0.5, 1.0, 3.0, INF, -1.0, NAN])


def test_edges_are_those_of_scipy():
    pairs = np.meshgrid(EDGES, EDGES)
    triples = np.meshgrid(EDGES, EDGES, [0.0, 0.25, 1.0, -0.5, 1.5, NAN])
    for name, given in (("gammainc", pairs), ("gammaincc", pairs), ("betainc", triples), ("betaincc", triples)):  # fmt: skip
        expected = getattr(scipy.special, name)(*given)
        np.testing.assert_allclose(getattr(ag.special, name)(*given).array, expected, 1e-13)


def difference(function, x, step=1e-6):
    return (function(x + step) - function(x - step)) / (2 * step)


@pytest.mark.parametrize("a", [0.4, 3.0, 40.0, 300.0])
@pytest.mark.parametrize("ratio", [0.3, 0.95, 1.0, 1.2, 3.0])
def test_slopes_of_gamma_by_both(a, ratio):
    x = a * ratio
    for ours, theirs in (
        (ag.special.gammainc, scipy.special.gammainc),
        (ag.special.gammaincc, scipy.special.gammaincc),
    ):
        by_a, by_x = ag.grad(ag.convert(lambda a, x: ours(a, x)), argnums=(0, 1))(a, x)
        np.testing.assert_allclose(by_a, difference(lambda a: theirs(a, x), a), 1e-5, 1e-9)
        np.testing.assert_allclose(by_x, difference(lambda x: theirs(a, x), x), 1e-5, 1e-9)


@pytest.mark.parametrize(
    "given", [(0.4, 3.0, 0.2), (20.0, 0.7, 0.97), (30.0, 50.0, 0.4), (2.0, 2.0, 0.9)]
)
def test_slopes_of_beta_by_all_three(given):
    slopes = ag.grad(ag.convert(lambda a, b, x: ag.special.betainc(a, b, x)), argnums=(0, 1, 2))
    for i, slope in enumerate(slopes(*given)):
        moved = lambda v: scipy.special.betainc(*given[:i], v, *given[i + 1 :])
        np.testing.assert_allclose(slope, difference(moved, given[i]), 1e-5, 1e-9)


def test_scipys_own_names_are_served_in_graphs(tmp_path):
    @ag.convert
    def function(a, b, x):
        return (
            scipy.special.gammainc(a, x),
            scipy.special.gammaincc(a, x),
            scipy.special.betainc(a, b, x),
            scipy.special.betaincc(a, b, x),
        )

    given = (np.array([0.5, 4.0]), 2.0, np.array([0.25, 0.75]))
    expected = function.python_function(*given)
    function(*given)
    ag.save(function, tmp_path / "f.agz")
    for way in (function, ag.load(tmp_path / "f.agz")):
        for found, wanted in zip(way(*given), expected, strict=True):
            np.testing.assert_allclose(found, wanted, 1e-13, strict=True)
    graph = str(function.get_concrete_function(*given).graph)
    assert "gamma_part" in graph and "beta_part" in graph


def test_few_and_many_are_the_same_bit_for_bit():
    a, x = 10 ** RNG.uniform(-2, 3, (2, 4096))
    y = RNG.uniform(0, 1, 4096)
    whole = ag.special.gammainc(a, x).array, ag.special.betainc(a, x, y).array
    for i in (0, 1000, 4095):
        part = slice(i, i + 1)
        np.testing.assert_array_equal(ag.special.gammainc(a[part], x[part]).array, whole[0][part])
        one = ag.special.betainc(a[part], x[part], y[part]).array
        np.testing.assert_array_equal(one, whole[1][part])
        assert ag.special.gammainc(a[i], x[i]).item() == whole[0][i]
