"""Python's built-in functions on values that are known only when the graph runs."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.builtins.builtin_functions import HANDLERS
from tests.autograph.operators.tracing_by_hand import placeholder, tracing

ROWS = [3.0, 1.0, 2.0]


@pytest.mark.parametrize("function", [len, sum, min, max, any, all, sorted, list, tuple, set])
@pytest.mark.parametrize("values", [ROWS, (1, 0), range(4), {2: "a", 1: "b"}, "cab"])
def test_plain_values_keep_their_meaning(function, values):
    if function is sum and isinstance(values, str):
        with pytest.raises(TypeError):
            HANDLERS[sum](values)
        return
    found, expected = HANDLERS[function](values), function(values)
    assert type(found) is type(expected) and found == expected


def test_sorting_traced_numbers_keeps_ties_in_order():
    ordered = ag.convert(lambda x: sorted(x, key=abs, reverse=True))
    x = np.array([1.0, -3.0, 3.0, -1.0, 2.0])
    assert ordered(x) == sorted(x, key=abs, reverse=True)


def test_types_are_those_of_the_values_that_tensors_stand_for():
    with tracing():
        scalar, array = placeholder("float32"), placeholder("int64", (2,))
        assert HANDLERS[type](scalar) is np.float32 and HANDLERS[type](array) is np.ndarray
        assert HANDLERS[isinstance](scalar, np.floating) and HANDLERS[isinstance](array, np.ndarray)
        assert not HANDLERS[isinstance](scalar, np.ndarray)
        assert HANDLERS[type](scalar.as_array()) is np.ndarray
        assert HANDLERS[hasattr](array, "mean") and not HANDLERS[hasattr](array, "numpy")


def test_getattr_has_its_default():
    assert HANDLERS[getattr](1, "missing", "instead") == "instead"
    with pytest.raises(AttributeError):
        HANDLERS[getattr](1, "missing")
