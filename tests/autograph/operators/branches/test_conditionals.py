"""`if_stmt`, `if_exp` and `condition`: Python's meaning first, then the graph's."""

import numpy as np
import pytest

import autograph as ag
from autograph import operators as ag__
from autograph.operators.branches.conditionals import condition
from runtime.tensor import Tensor
from tests.autograph.operators.tracing_by_hand import State, placeholder, tracing


def run_if(cond, state):
    def body():
        state.names["y"] = state.names["x"] + 1

    def orelse():
        state.names["y"] = -state.names["x"]

    ag__.if_stmt(cond, body, orelse, state.get, state.set, state.symbols, 1)
    return state.names["y"]


@pytest.mark.parametrize(("cond", "expected"), [
    (True, 3), (0, -2), ([], -2), ("text", 3), (np.bool_(True), 3), (ag.constant(False), -2),
    (np.array([1.0]), 3), (None, -2),
])  # fmt: skip
def test_if_stmt_in_python(cond, expected):
    assert run_if(cond, State(x=2, y=None)) == expected


def test_if_stmt_in_a_graph():
    with tracing() as facts:
        x = placeholder()
        y = run_if(x > 0, State(x=x, y=0.0))
        assert isinstance(y, Tensor) and not y.is_known
        assert [n.op.name for n in facts.builder.graph.nodes][-1] == "cond"


def test_if_exp():
    assert ag__.if_exp(True, lambda: 1, lambda: 1 / 0, "c") == 1
    assert ag__.if_exp([], lambda: 1, lambda: 2, "c") == 2
    with tracing() as facts:
        x = placeholder()
        assert not ag__.if_exp(x > 0, lambda: x, lambda: -x, "x > 0").is_known
        assert any(n.op.name == "cond" for n in facts.builder.graph.nodes)


def test_condition():
    assert condition("text") is True and condition(ag.constant(0.0)) is False
    assert condition(ag.Variable(2.0)) is True
    with pytest.raises(ValueError, match="ambiguous"):
        condition(np.ones(2))
    with pytest.raises(ValueError, match="ambiguous"):
        condition(ag.constant([1.0, 2.0]))
    with tracing():
        assert condition(placeholder(shape=(1,))).shape == ()
        with pytest.raises(ValueError, match="ambiguous"):
            condition(placeholder(shape=(2,)))
