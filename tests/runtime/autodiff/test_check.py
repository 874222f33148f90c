"""Tests of `runtime.autodiff.check`: it must find what is wrong."""

import numpy as np
import pytest

from runtime import ops
from runtime.autodiff import check_gradients, custom_gradient


def scaled_gradient(factor):
    @custom_gradient
    def cube(x):
        return x**3, lambda g: g * 3 * x**2 * factor

    return cube


def test_a_right_gradient_passes():
    check_gradients(lambda x, y: (ops.sin(x) * y, x), [np.ones(3), 2.0], 2)
    check_gradients(lambda z: ops.exp(z * z), [np.array([0.5 + 0.2j])], 2)
    check_gradients(scaled_gradient(1.0), [np.array([0.5, 2.0])], 1, forward=False)


def test_a_wrong_gradient_is_found():
    with pytest.raises(AssertionError, match="reverse mode, 1 to go: differences give"):
        check_gradients(scaled_gradient(1.01), [np.array([0.5, 2.0])], 1)


def test_integers_are_not_varied():
    check_gradients(lambda x, n: x * n, [1.5, 3], 1)
