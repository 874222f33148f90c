"""What stands for the result of Python code while tracing."""

import operator

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.variables import is_none
from autograph.operators.results.host_calls import call_host
from autograph.operators.values.templates import dig, has_traced
from tests.autograph.operators.tracing_by_hand import tracing


@pytest.mark.parametrize("use", [
    bool, len, iter, int, float, hash, abs, operator.neg, np.asarray, np.sum, np.sin, is_none,
    lambda r: r + 1, lambda r: 1 - r, lambda r: r < 1, lambda r: r == 1, lambda r: 1 in r,
    lambda r: np.ones(2) * r, lambda r: r @ r, lambda r: [1][r], lambda r: r(),
])  # fmt: skip
def test_a_use_of_the_value_is_refused(use):
    with tracing():
        found = call_host(input, (), {})
        with pytest.raises(ag.StagingError, match="what `input` gives is needed here"):
            use(found)


def test_it_is_known_only_when_the_graph_runs():
    with tracing():
        found, operands = call_host(input, (), {}), []
        assert has_traced([found]) and dig(found, operands).index == 0 and len(operands) == 1


def test_words_for_a_name_that_is_one_at_times():
    with tracing():
        what, hint = call_host(input, (), {}).on_one_path("r")
    assert what.startswith("`r` is what `input` gives") and "ag.py_call" in hint
