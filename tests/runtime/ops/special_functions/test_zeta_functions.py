"""The zeta functions and polygamma of arrays of orders, beside SciPy's."""

import itertools

import numpy as np
import pytest
import scipy.special

import autograph as ag

RNG = np.random.default_rng(6)
INF, NAN = np.inf, np.nan


def test_hurwitz_agrees_with_scipy():
    s, q = 1 + 10 ** RNG.uniform(-6, 2, 500), 10 ** RNG.uniform(-3, 6, 500)
    found = ag.special.zeta(s, q).array
    np.testing.assert_allclose(found, scipy.special.zeta(s, q), 1e-14)


def test_riemann_agrees_with_scipy():
    x = np.concatenate([RNG.uniform(-40, 5, 500), [0.5, 0.0, -1.0, -2.0, -4.0, -200.5, 60.0]])
    expected = scipy.special.zeta(x)
    np.testing.assert_allclose(ag.special.zeta(x).array, expected, 1e-12, 1e-17)
    assert ag.special.zeta(np.float32(3)).dtype == np.float32


def test_edges_are_those_of_scipy():
    for s, q in itertools.product(
        (1.0, 0.5, 2.0, 2.5, 3.0, -1.0, 0.0, INF, -INF, NAN, 60.0),
        (1.0, 0.5, 2.0, -1.0, 0.0, -1.5, -2.5, INF, -INF, NAN, 1e10),
    ):
        found = ag.special.zeta(np.float64(s), np.float64(q)).item()
        np.testing.assert_allclose(found, scipy.special.zeta(s, q), 1e-13, err_msg=f"{s}, {q}")
    for s in (1.0, INF, -INF, NAN):
        np.testing.assert_equal(ag.special.zeta(s).item(), scipy.special.zeta(s))


@pytest.mark.parametrize("x", [-3.3, -2.0, 0.4, 2.2])
def test_slopes_of_riemann(x):
    found = ag.grad(ag.convert(lambda x: ag.special.zeta(x)))(x)
    step = 1e-6
    slope = (scipy.special.zeta(x + step) - scipy.special.zeta(x - step)) / (2 * step)
    np.testing.assert_allclose(found, slope, 1e-6)


def test_orders_of_polygamma_in_arrays():
    n, x = np.array([0.0, 1.0, 2.0, 3.0, 1.5, -1.0]), np.array([[0.5], [2.5], [-1.5]])
    staged = ag.convert(lambda n, x: scipy.special.polygamma(n, x))
    with np.errstate(invalid="ignore"):
        expected = scipy.special.polygamma(n, x)
    for found in (ag.special.polygamma(n, x).array, staged(n, x)):
        np.testing.assert_allclose(found, expected, 1e-13)
    x = np.array([0.5, 2.5, 1.5])
    slopes = ag.grad(lambda x: ag.special.polygamma(n[:3], x).sum())(x)
    np.testing.assert_allclose(slopes, scipy.special.polygamma([1, 2, 3], x), 1e-13)
    assert "zeta_part" in str(staged.get_concrete_function(n, x[:, None]).graph)


def test_scipys_zeta_is_served_in_graphs():
    @ag.convert
    def function(x, q):
        return scipy.special.zeta(x), scipy.special.zeta(x, q=q), scipy.special.zeta(x, 2)

    given = (np.array([1.5, 3.0]), np.array([0.5, 2.0]))
    for found, wanted in zip(function(*given), function.python_function(*given), strict=True):
        np.testing.assert_allclose(found, wanted, 1e-13, strict=True)
