"""What stands for an exception that the graph catches."""

import pytest

import autograph as ag
from autograph.operators.captured.caught import Caught
from runtime.building import building, traced
from runtime.effects import control
from runtime.spec import ErrorType
from tests.autograph.operators.tracing_by_hand import tracing


def caught(*kinds):
    """An exception of one of the classes, as the input of a graph."""
    return Caught(traced(building().input(ErrorType(), "e")), kinds)


def test_the_class_is_asked_in_the_graph_only_where_it_is_not_known():
    with tracing() as facts:
        error = caught(KeyError, IndexError)
        assert error.is_a(LookupError) is True
        assert error.is_a((ValueError, (KeyError, IndexError))) is True
        assert not facts.builder.graph.nodes
        bit = error.is_a((KeyError, (OSError,)))
        assert not bit.is_known and bit.dtype == bool
        (node,) = facts.builder.graph.nodes
        assert node.op is control.IS_ERROR and node.attrs["kinds"] == (KeyError, OSError)


@pytest.mark.parametrize("use", [
    bool, len, iter, int, float, abs, lambda p: p + 1, lambda p: 1 + p, lambda p: p == 1,
    lambda p: p < 1, lambda p: p(), lambda p: p["key"], lambda p: p[1:], lambda p: 1 in p,
    lambda p: p.attribute, lambda p: p / 2, lambda p: -p,
])  # fmt: skip
def test_no_other_use_of_a_part_is_possible(use):
    with tracing():
        part = caught(ValueError).part("args")
        with pytest.raises(ag.StagingError, match="part of an exception that was caught"):
            use(part)


def test_python_may_look_for_special_methods():
    with tracing():
        part = caught(ValueError).part("args")
        assert not hasattr(part, "__array__") and isinstance(hash(part), int)
