"""Calls of NumPy's functions while tracing."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.calls.numpy_calls import as_fresh
from autograph.operators.calls.unconverted import call_unconverted
from runtime import journal
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def call_numpy(function, *args, **kwargs):
    return call_unconverted(function, args, kwargs)


def test_numpy_of_lists_with_traced_parts_puts_them_together():
    with tracing():
        x = placeholder()
        assert call_numpy(np.sum, [x, 1.0]).shape == () and call_numpy(
            np.array, [x, 1.0]
        ).shape == (2,)
        assert call_numpy(np.dot, [x, 1.0], [1.0, x]).shape == ()


def test_an_option_that_a_traced_array_cannot_have_is_named():
    with tracing(), pytest.raises(ag.StagingError, match="`np.array` of a traced value has no `or"):
        call_numpy(np.array, placeholder(shape=(3,)), order="F")


def test_fromiter_counts_the_items():
    with tracing():
        x = placeholder()
        assert call_numpy(np.fromiter, [x, x], float).shape == (2,)
        with pytest.raises(ValueError, match="Expected 3 but iterator had only 2 items"):
            call_numpy(np.fromiter, [x, x], float, 3)
    with pytest.raises(ValueError, match="iterator too short: Expected 3"):
        np.fromiter([1.0, 2.0], float, 3)


def test_results_that_nobody_else_has_seen_belong_to_the_trace():
    with tracing():
        made = as_fresh(np.ones(3))
        assert isinstance(made, ag.Tensor) and made.is_array
        assert journal.is_fresh(as_fresh([1])) and as_fresh("text") == "text"
        parts = as_fresh((np.ones(2), 1))
        assert type(parts) is tuple and isinstance(parts[0], ag.Tensor) and parts[1] == 1
