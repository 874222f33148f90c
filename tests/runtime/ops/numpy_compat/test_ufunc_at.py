"""Tests of `runtime.ops.numpy_compat.ufunc_at`: gradients of what is applied several times to one element."""

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.autodiff.sweep import NoGradientError

INDEX = np.array([0, 2, 2, 5, 2])
X = np.linspace(-2.3, 3.1, 7)
VALUES = {
    "some": np.array([1.5, 2.0, 3.0, -4.0, 0.5]),
    "one zero": np.array([1.5, 0.0, 3.0, 0.0, 0.5]),
    "two zeros": np.array([1.5, 0.0, 3.0, 2.0, 0.0]),
}


def finite(f, x, eps=1e-6):
    slopes = [(f(x + eps * e) - f(x - eps * e)) / (2 * eps) for e in np.eye(len(x))]
    return np.array(slopes)


@pytest.mark.parametrize("backend", ["native", "plan"])
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("ufunc", [np.subtract, np.multiply, np.divide], ids=lambda u: u.__name__)
def test_gradients_go_to_the_array_and_to_the_values(ufunc, values, backend):
    v = VALUES[values]
    if ufunc is np.divide and not v.all():
        pytest.skip("divides by zero")

    def loss(x, v):
        y = x * 2
        ufunc.at(y, INDEX, v)
        return (y**2 * np.arange(7)).sum()

    with config.backend.using(backend):
        gx, gv = ag.grad(ag.convert(loss), argnums=(0, 1))(X, v)
    np.testing.assert_allclose(gx, finite(lambda x: loss(x, v), X), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(gv, finite(lambda w: loss(X, w), v), rtol=1e-6, atol=1e-6)


def test_second_derivatives_of_products():
    def loss(v):
        y = np.ones(3)
        np.multiply.at(y, [1, 1, 2], v)
        return (y**2).sum()

    found = ag.hessian(ag.convert(loss))(np.array([2.0, 3.0, 5.0]))
    np.testing.assert_allclose(found, [[18, 24, 0], [24, 8, 0], [0, 0, 2]])


def test_ints_have_no_slope_and_other_ufuncs_no_rule():
    def scaled(x, v):
        y = x + 0.0
        np.multiply.at(y, [0, 0], v)
        return y.sum()

    assert ag.grad(ag.convert(scaled))(np.ones(2), np.array([2, 3])).tolist() == [6, 1]

    def power(x):
        y = x + 0.0
        np.power.at(y, [0, 0], 2.0)
        return y.sum()

    with pytest.raises(NoGradientError, match="`index_apply` has no gradient rule"):
        ag.grad(ag.convert(power))(np.ones(2))
