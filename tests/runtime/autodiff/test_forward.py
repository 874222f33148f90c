"""Tests of `runtime.autodiff.forward`."""

import numpy as np
import pytest

from runtime import ops
from runtime.autodiff.forward import ForwardAccumulator
from runtime.building import constant
from runtime.variable import Variable


def test_a_product_along_the_tangent():
    x = constant(np.array([1.0, 2.0]))
    with ForwardAccumulator(x, constant(np.array([1.0, 10.0]))) as forward:
        y = ops.sum(x * x)
        z = {"twice": x * 2}
    assert forward.jvp(y).item() == 42.0
    assert forward.jvp(z)["twice"].tolist() == [2.0, 20.0]


def test_products_inside_of_the_context():
    """B8.10."""
    x = constant(3.0)
    with ForwardAccumulator(x, constant(1.0)) as forward:
        y = x**3
        assert forward.jvp(y).item() == 27.0
        assert forward.jvp(y * x).item() == 108.0


def test_variables_and_nests_are_primals():
    v, x = Variable(2.0), constant(5.0)
    with ForwardAccumulator([v, x], [constant(1.0), constant(10.0)]) as forward:
        y = v * x
    assert forward.jvp(y).item() == 5.0 + 20.0


def test_what_is_not_connected():
    x = constant(2.0)
    with ForwardAccumulator(x, constant(1.0)) as forward:
        y = constant(3.0) * 2.0
    assert forward.jvp(y) is None
    assert forward.jvp(y, unconnected_gradients="zero").item() == 0.0


def test_structures_must_agree():
    with pytest.raises(ValueError, match="differ in structure"):
        ForwardAccumulator([constant(1.0)], constant(1.0))
