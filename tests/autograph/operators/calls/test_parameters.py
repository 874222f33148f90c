"""The form of what a function that calls itself is given, and how further calls widen it."""

import numpy as np
import pytest

from autograph.operators.calls.parameters import OtherCallError, initial_form, widened
from autograph.operators.symbolic.containers import Branching, Growing
from autograph.operators.symbolic.forms import Leaf, Static
from runtime.building import building, traced
from runtime.spec import TensorType, type_of_number
from tests.autograph.operators.tracing_by_hand import tracing

INT, FLOAT = type_of_number(1), type_of_number(1.0)
VECTOR = TensorType(np.dtype("f8"), (3,))


def never(path):
    return False


def always(path):
    return True


@pytest.fixture
def make():
    """Makes traced tensors, in an open trace."""
    with tracing():
        yield lambda type_: traced(building().input(type_))


def test_tensors_are_parameters(make):
    x = make(VECTOR)
    assert initial_form(x, "x", never) == Leaf(VECTOR, is_array=True)
    form = initial_form((x, 2), "x", never)
    assert isinstance(form, Branching) and form.parts == (Leaf(VECTOR, is_array=True), Static(2))


def test_a_list_is_taken_apart_only_when_another_one_comes(make):
    first, second = [make(FLOAT), 1], [make(FLOAT), 1]
    form = initial_form(first, "items", never)
    assert form == Static(first)
    assert widened(form, first, "items", never) is form
    wider = widened(form, second, "items", never)
    assert isinstance(wider, Branching) and wider.parts == (Leaf(FLOAT), Static(1))


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (Static(1), 2),
        (Static(True), False),
        (Static("a"), "b"),
        (Static(None), 1),
        (Leaf(VECTOR, is_array=True), 1.0),
        (Leaf(INT), "text"),
        (Static((1, 2)), [1, 2, 3]),
        (Static((1, None)), (1, [2], 3)),
        (Static([1]), (1,)),
    ],
)
def test_another_call(form, value):
    with tracing(), pytest.raises(OtherCallError):
        widened(form, value, "x", never)


def test_lists_and_tuples_of_other_lengths_are_handed_on_by_their_items():
    with tracing():
        for first, second in (([1], [1, 2.5]), ((), (1.5,))):
            form = widened(Static(first), second, "x", never)
            assert isinstance(form, Growing) and form.like == type(first)()
            assert widened(form, first, "x", never) == form


def test_a_number_that_may_differ_becomes_a_parameter():
    assert widened(Static(1), 2, "n", always) == Leaf(INT)
    with pytest.raises(OtherCallError):  # a flag is no number
        widened(Static(True), False, "n", always)
