"""Built-in functions that give iterators."""

import pytest

import autograph as ag
from autograph.operators.builtins.builtin_functions import HANDLERS
from tests.autograph.operators.tracing_by_hand import tracing


def test_an_iterator_from_outside_is_not_advanced():
    outside = iter([1, 2])
    with tracing(outside), pytest.raises(ag.StagingError, match="only while tracing"):
        HANDLERS[next](outside, None)
    assert next(outside) == 1
