"""Tests of `runtime.execute.observers`."""

import numpy as np
import pytest

from runtime import config
from runtime.compile import compile_graph
from runtime.execute import reference
from runtime.execute.observers import observer, observing


def test_each_node_is_told_with_what_it_took_and_gave(toy):
    b = toy.Builder(x=toy.SCALAR)
    graph = b.done(b(toy.MUL, b(toy.ADD, b.x, b.x), b.x))
    told = []
    run = reference.prepare(graph, lambda *facts: told.append(facts))
    assert run(np.float64(3)) == (18,)
    names = [(node.op.name, list(map(float, given)), found) for node, given, found, _ in told]
    assert names == [("add", [3, 3], [6]), ("mul", [6, 3], [18])]
    assert all(seconds >= 0 for *_, seconds in told)


def test_graphs_that_are_compiled_in_the_context_go_on_telling(toy):
    b = toy.Builder(x=toy.SCALAR)
    graph, told = b.done(b(toy.MUL, b.x, b.x)), []
    before = compile_graph(graph, "plan")
    with observing(lambda node, *_: told.append(node.op.name)):
        inside = compile_graph(graph, "plan")
    assert before(np.float64(2)) == inside(np.float64(2)) == (4,)
    assert told == ["mul"] and observer() is None


def test_an_observer_may_raise(toy):
    b = toy.Builder(x=toy.SCALAR)
    graph = b.done(b(toy.MUL, b.x, b.x))

    def refuse(*facts):
        raise FloatingPointError("seen")

    with pytest.raises(FloatingPointError, match="seen"):
        reference.prepare(graph, refuse)(np.float64(2))


def test_the_switch_has_an_observer_of_its_own():
    assert observer() is None
    with config.check_numerics.using(True):
        assert observer() is not None
