"""Operators of traced values with objects that are no numbers."""

from __future__ import annotations

import numpy as np
import pytest

from runtime import trace
from runtime.building import Builder
from runtime.errors import StagingError
from runtime.foreign import Operator
from runtime.spec import TensorType


class Float(float):
    pass


class OwnFloat(float):
    def __mul__(self, other):
        return "own"


@pytest.mark.parametrize("name", ["add", "mul", "lt", "or"])
@pytest.mark.parametrize("x", [1, 1.5, 2j, True, Float(1.0), OwnFloat(1.0)])
def test_numbers_with_operators_of_their_own(name, x):
    assert Operator(name).is_overridden_by(x) is (name == "mul" and type(x) is OwnFloat)


def traced(shape=(3,), dtype="f8", weak=False, builder=None):
    builder = builder or Builder("test")
    x = builder.tensor(builder.input(TensorType(np.dtype(dtype), shape, weak), "x"))
    return x if shape == () else x.as_array()


class Asks:
    __array_ufunc__ = None


class First:
    __array_priority__ = 1.0


class Adds:
    def __radd__(self, other):
        return other


class Plain:
    pass


@pytest.mark.parametrize("kind", [Asks, First])
def test_left_to_the_object(kind):
    assert Operator("add").apply(traced(), kind()) is NotImplemented


def test_refused_where_numpy_goes_through_the_elements():
    with pytest.raises(StagingError, match=r"`\+` of .* and an Adds"):
        Operator("add").apply(traced(), Adds())


def test_a_scalar_becomes_a_python_number():
    builder = Builder("test")
    x = traced((), builder=builder)
    with trace.interpreting(builder):
        found = Operator("add").apply(x, Adds())
    assert found.type.weak


def test_a_python_number_asks_the_object():
    x = traced((), weak=True)
    assert Operator("add").apply(x, Adds()) is x


@pytest.mark.parametrize(
    ("operator", "message"),
    [
        (Operator("add"), "unsupported operand type(s) for +: 'float' and 'Plain'"),
        (Operator("mul", reflected=True), "unsupported operand type(s) for *: 'Plain' and 'float'"),
        (Operator("lt"), "'<' not supported between instances of 'float' and 'Plain'"),
    ],
)
@pytest.mark.parametrize("x", [(3,), ()])
def test_numpys_own_error(operator, message, x):
    with pytest.raises(TypeError) as caught:
        operator.apply(traced(x), Plain())
    assert str(caught.value) == message


def test_no_element_is_equal():
    x = traced((), weak=True)
    assert Operator("eq").apply(x, Plain()) is False
    assert Operator("ne").apply(x, None) is True


def test_objects_are_not_written_into_numbers():
    with pytest.raises(TypeError, match="Cannot cast ufunc 'add' output"):
        Operator("add", in_place=True).apply(traced(), Adds())


def test_an_array_that_may_be_empty_says_nothing():
    with pytest.raises(StagingError):
        Operator("add").apply(traced((None,)), None)
