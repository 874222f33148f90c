"""Tests of `runtime.passes`."""

import pytest

from runtime import config
from runtime.errors import GraphError
from runtime.passes import PASSES, PIPELINE, optimize, switched_on


def test_folding_and_dropping_leave_what_is_needed(toy):
    b = toy.Builder(x=toy.SCALAR)
    b(toy.MUL, b.x, b.x)
    graph = optimize(b.done(b(toy.ADD, b.x, b(toy.ADD, 1.0, 2.0))))
    assert [node.op.name for node in graph.nodes] == ["constant", "add"]


def test_the_pass_that_breaks_a_graph_is_named(toy):
    def breaking(graph):
        graph.nodes.reverse()
        return graph

    b = toy.Builder(x=toy.SCALAR)
    graph = b.done(b(toy.MUL, b(toy.ADD, b.x, b.x), b.x))
    with config.check.using(True), pytest.raises(GraphError, match="after pass `breaking`: .*mul"):
        optimize(graph, (*PIPELINE, breaking))


def test_what_a_pass_does_to_operations_of_the_graph_it_was_given_is_found(toy):
    def breaking(graph):
        graph.nodes[0].outputs[0].type = toy.INT
        return graph

    b = toy.Builder(x=toy.SCALAR)
    graph = b.done(b(toy.MUL, b(toy.ADD, b.x, b.x), b.x))
    with config.check.using(True), pytest.raises(GraphError, match="after a pass that changed"):
        optimize(graph, (*PIPELINE, breaking))


def test_what_is_known_is_looked_at_where_its_operations_are_others(toy, monkeypatch):
    looked = []
    infer = type(toy.ADD).infer_all
    monkeypatch.setattr(type(toy.ADD), "infer_all", lambda *a: looked.append(a[0]) or infer(*a))
    b, c = toy.Builder(x=toy.SCALAR), toy.Builder(x=toy.SCALAR)
    graph, other = b.done(b(toy.MUL, b.x, b.x)), c.done(c(toy.ADD, c.x, c.x))
    looked.clear()
    with config.check.using(True):
        optimize(graph, (lambda graph: graph, lambda graph: graph))
        assert looked == [toy.MUL] * 2  # after tracing, and in the end
        looked.clear()
        optimize(graph, (lambda graph: other, lambda graph: graph))
        assert looked == [toy.MUL, toy.ADD, toy.ADD]


def test_a_graph_that_is_broken_from_the_start_is_said_to_be(toy):
    b = toy.Builder(x=toy.SCALAR)
    b.graph.outputs = [b(toy.ADD, b.x, b.x, types=[toy.INT])]
    with config.check.using(True), pytest.raises(GraphError, match="after tracing"):
        optimize(b.graph)


def test_the_graph_is_logged_on_demand(toy, capsys):
    with config.verbosity.using(2):
        optimize(toy.decay())
    assert capsys.readouterr().err.startswith("graph decay(")


def test_passes_are_switched_off_by_name(toy):
    b = toy.Builder(x=toy.SCALAR)
    graph = b.done(b(toy.ADD, b.x, b(toy.ADD, 1.0, 2.0)))
    with config.disable_passes.using("fold_constants, drop_dead_code"):
        assert switched_on() == [s for s in PIPELINE if "fold" not in s.__name__][:-1]
        assert [node.op.name for node in optimize(graph).nodes].count("add") == 2
    assert switched_on() is PIPELINE


def test_names_that_no_pass_has_are_refused(toy, monkeypatch):
    with config.disable_passes.using("fold"), pytest.raises(ValueError, match="no pass `fold`"):
        optimize(toy.decay())
    with config.print_passes.using(["fold"]), pytest.raises(ValueError, match="all, inline"):
        optimize(toy.decay())
    with pytest.raises(ValueError, match="it is names"):
        config.disable_passes.set([1])
    monkeypatch.setenv("AUTOGRAPH_DISABLE_PASSES", "fold_constants,inline_calls")
    config.disable_passes.reset()
    try:
        assert len(switched_on()) == len(PIPELINE) - 2
    finally:
        monkeypatch.undo()
        config.disable_passes.reset()


def test_graphs_are_printed_before_and_after(toy, capsys):
    b = toy.Builder(x=toy.SCALAR)
    graph = b.done(b(toy.ADD, b.x, b(toy.ADD, 1.0, 2.0)))
    with config.print_passes.using("all"):
        optimize(graph)
    printed = capsys.readouterr().err
    assert printed.startswith("before `fold_constants`:\ngraph f(%x")
    assert printed.count("before `") == printed.count("after `") < len(PIPELINE)
    with config.print_passes.using(["inline_calls"]):
        optimize(graph)
    assert capsys.readouterr().err.count("graph f(") == 2


def test_every_pass_has_a_name_of_its_own():
    assert [*PASSES][: len(PIPELINE)] == [step.__name__ for step in PIPELINE]
