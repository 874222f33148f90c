"""Gradients at ties, at masked elements, and through nan."""

from __future__ import annotations

import numpy as np
import pytest

from runtime import ops
from runtime.autodiff.tape import GradientTape
from runtime.tensor import Tensor


def gradient(function, *arrays):
    tensors = [Tensor(np.asarray(a, "f8")) for a in arrays]
    with GradientTape() as tape:
        for t in tensors:
            tape.watch(t)
        result = ops.sum(function(*tensors))
    return [g.tolist() for g in tape.gradient(result, tensors)]


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_equal_operands_share_the_gradient(name):
    gx, gy = gradient(getattr(ops, name), [1.0, 2.0], [1.0, 2.0])
    assert gx == gy == [0.5, 0.5]


@pytest.mark.parametrize("name", ["max", "min"])
def test_equal_extremes_share_the_gradient(name):
    (g,) = gradient(getattr(ops, name), [3.0, 3.0, 3.0, 3.0])
    assert g == [0.25] * 4


def test_the_gradient_of_a_maximum_with_nan_is_finite():
    (g,) = gradient(ops.max, [1.0, np.nan])
    assert np.isfinite(g).all()


def test_no_gradient_passes_to_the_side_that_is_not_chosen():
    safe = gradient(lambda x: ops.where(x > 0, ops.log(ops.where(x > 0, x, 1.0)), 0.0), [0.0, 2.0])
    assert safe == [[0.0, 0.5]]


def test_a_power_has_gradients_where_base_or_exponent_is_zero():
    assert gradient(lambda x: x**2, [0.0, 3.0]) == [[0.0, 6.0]]
    assert gradient(lambda x: x**0, [0.0, 3.0]) == [[0.0, 0.0]]
    gx, gy = gradient(ops.pow, [0.0, 0.0], [2.0, 1.0])
    assert (gx, gy) == ([0.0, 1.0], [0.0, 0.0])


def test_a_product_has_gradients_where_factors_are_zero():
    assert gradient(ops.prod, [2.0, 0.0, 5.0]) == [[0.0, 10.0, 0.0]]
    assert gradient(ops.prod, [0.0, 0.0, 5.0]) == [[0.0, 0.0, 0.0]]
    assert gradient(ops.cumprod, [2.0, 0.0, 5.0]) == [[1.0, 12.0, 0.0]]


def test_the_absolute_value_has_gradient_zero_at_zero():
    assert gradient(ops.abs, [-2.0, 0.0, 3.0]) == [[-1.0, 0.0, 1.0]]


def test_clipping_stops_the_gradient_outside():
    assert gradient(lambda x: ops.clip(x, 0.0, 1.0), [-1.0, 0.5, 2.0]) == [[0.0, 1.0, 0.0]]


def test_stop_gradient_is_a_constant():
    assert gradient(lambda x: x * ops.stop_gradient(x), [2.0, 3.0]) == [[2.0, 3.0]]


def test_sorting_sends_gradients_back_to_where_elements_came_from():
    weights = np.array([1.0, 10.0, 100.0])
    assert gradient(lambda x: ops.sort(x) * weights, [3.0, 1.0, 2.0]) == [[100.0, 1.0, 10.0]]
