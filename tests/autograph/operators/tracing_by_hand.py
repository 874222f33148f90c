"""Operators called by hand, as generated code calls them, in eager mode and in a trace."""

from contextlib import contextmanager

from autograph.operators.calls.adoption import Adopted
from autograph.operators.captured.captures import current_trace
from autograph.operators.results.outputs import Handouts
from autograph.tracing.trace import FunctionBuilder
from runtime import journal, trace
from runtime.building import traced
from runtime.spec import TensorType


@contextmanager
def tracing(*outside):
    """An open trace; gives its facts. The objects count as made before it."""
    builder = FunctionBuilder("by_hand", False, "graph", True, adopted=Adopted())
    with trace.interpreting(builder), journal.transaction():
        facts = current_trace()
        facts.effects.handouts = Handouts(facts, {})
        for thing in outside:
            facts.outside.add(thing)
        yield facts


def placeholder(dtype="float64", shape=(), weak=False):
    """An input of the graph that is being traced."""
    import numpy as np

    return traced(current_trace().builder.input(TensorType(np.dtype(dtype), shape, weak), "x"))


class State:
    """Local names of a function, as `get_state` and `set_state` see them."""

    def __init__(self, **names):
        self.names = names

    def get(self):
        return tuple(self.names.values())

    def set(self, values):
        self.names = dict(zip(self.names, values))

    @property
    def symbols(self):
        return tuple(self.names)
