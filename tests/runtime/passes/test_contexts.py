"""Tests of `runtime.passes.contexts`."""

import contextlib

import numpy as np
import pytest

from runtime.contexts import ENTER, EXIT
from runtime.execute import reference
from runtime.graph.check import check
from runtime.graph.show import text
from runtime.passes.contexts import outline_contexts

LOG = []


@contextlib.contextmanager
def noting(name):
    LOG.append(f"in {name}")
    try:
        yield
    finally:
        LOG.append(f"out {name}")


def enter(b, name):
    b(ENTER, manager=lambda: noting(name), is_setting=True)


def leave(b, name):
    b(EXIT, manager=lambda: noting(name), is_setting=True)


def outlined(graph):
    before = text(graph)
    made = outline_contexts(graph)
    check(made)
    assert text(graph) == before
    return made


def names(graph):
    return [node.op.name for node in graph.nodes]


def test_a_graph_without_managers_is_the_same(toy):
    b = toy.Builder(x=toy.SCALAR)
    graph = b.done(b(toy.MUL, b.x, b.x))
    assert outline_contexts(graph) is graph


def test_what_is_made_inside_and_needed_after_is_a_result(toy):
    b = toy.Builder(x=toy.SCALAR)
    before = b(toy.ADD, b.x, 1.0)
    enter(b, "a")
    unused = b(toy.ADD, before, before)
    inside = b(toy.MUL, before, unused)
    leave(b, "a")
    graph = outlined(b.done(b(toy.ADD, inside, b.x)))
    assert names(graph)[-2:] == ["within", "add"] and "enter" not in names(graph)
    within = graph.nodes[-2]
    assert len(within.outputs) == 1 and names(within.graphs[0]) == ["add", "mul"]
    LOG.clear()
    assert reference.prepare(graph)(np.float64(2)) == (20,)
    assert LOG == ["in a", "out a"]


def test_nested_ones_are_within_each_other(toy):
    b = toy.Builder(x=toy.SCALAR)
    enter(b, "a")
    enter(b, "b")
    y = b(toy.MUL, b.x, b.x)
    leave(b, "b")
    leave(b, "a")
    graph = outlined(b.done(y))
    assert names(graph) == ["within"] and names(graph.nodes[0].graphs[0]) == ["within"]
    LOG.clear()
    reference.prepare(graph)(np.float64(2))
    assert LOG == ["in a", "in b", "out b", "out a"]


def test_one_after_the_other(toy):
    b = toy.Builder(x=toy.SCALAR)
    y = b.x
    for name in "ab":
        enter(b, name)
        y = b(toy.ADD, y, 1.0)
        leave(b, name)
    graph = outlined(b.done(y))
    assert names(graph) == ["within", "within"]
    assert reference.prepare(graph)(np.float64(2)) == (4,)


def test_those_in_branches_too(toy):
    inner = toy.Builder("yes", x=toy.SCALAR)
    enter(inner, "a")
    y = inner(toy.ADD, inner.x, 1.0)
    leave(inner, "a")
    branches = [inner.done(y), toy.Builder("no", x=toy.SCALAR)]
    branches[1] = branches[1].done(branches[1].x)
    b = toy.Builder(p=toy.INT, x=toy.SCALAR)
    result = b(toy.COND, b.p, b.x, graphs=branches, types=[toy.SCALAR])
    (cond,) = outlined(b.done(result)).nodes
    assert names(cond.graphs[0])[-1] == "within" and names(cond.graphs[1]) == []


def test_an_error_inside_leaves_the_manager(toy):
    b = toy.Builder(x=toy.SCALAR)
    enter(b, "a")
    y = b(toy.FAIL, b.x)
    leave(b, "a")
    run = reference.prepare(outlined(b.done(y)))
    LOG.clear()
    with pytest.raises(KeyError, match="toy failure"):
        run(np.float64(2))
    assert LOG == ["in a", "out a"]
