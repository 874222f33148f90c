"""Tests of `runtime.effects.contexts`: what `within` does when a graph runs, and how it is made."""

import contextlib

import numpy as np
import pytest

from runtime.effects.contexts import ENTER, EXIT, WITHIN, outline_contexts
from runtime.errors import StagingError
from runtime.execute import reference
from runtime.graph.check import check
from runtime.graph.show import text
from runtime.passes import optimize


class Manager:
    def __init__(self, swallows=False):
        self.log, self.swallows = [], swallows

    def __enter__(self):
        self.log.append("in")

    def __exit__(self, kind, error, traceback):
        self.log.append(kind)
        return self.swallows


def run(manager, graph, *operands):
    return WITHIN.kernel(None, *operands, manager=lambda: manager, is_setting=True, graphs=[graph])


def test_the_graph_runs_within_the_manager():
    manager = Manager()
    assert run(manager, lambda x: (manager.log.append(x), x + 1)[1], 3) == 4
    assert manager.log == ["in", 3, None]


def test_an_error_leaves_the_manager_too():
    manager = Manager()
    with pytest.raises(KeyError):
        run(manager, lambda: {}["k"])
    assert manager.log == ["in", KeyError]


def test_an_error_that_it_swallows_is_never_passed_over():
    with pytest.raises(StagingError, match="a Manager swallowed an error that was not expected"):
        run(Manager(swallows=True), lambda: {}["k"])


@pytest.mark.parametrize(("is_setting", "can_raise"), [(True, False), (False, True)])
def test_only_a_setting_is_entered_without_risk(is_setting, can_raise):
    for op in (ENTER, WITHIN):
        assert op.can_raise([], {"manager": None, "is_setting": is_setting}) is can_raise


def test_they_are_effects():
    assert {op.effect for op in (ENTER, EXIT, WITHIN)} == {"host"}


def test_the_halves_do_not_run_alone():
    for op in (ENTER, EXIT):
        with pytest.raises(AssertionError, match="run as one `within`"):
            op.kernel(None, manager=None, is_setting=True)


# ---- outlining -----------------------------------------------------------------------------------

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


def test_it_is_done_whichever_passes_there_are(toy):
    b = toy.Builder(x=toy.SCALAR)
    enter(b, "a")
    y = b(toy.ADD, b.x, 1.0)
    leave(b, "a")
    assert names(optimize(b.done(y), [])) == ["within"]
