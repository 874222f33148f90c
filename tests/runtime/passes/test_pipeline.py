"""Tests of `runtime.passes`."""

import pytest

from runtime import config
from runtime.errors import GraphError
from runtime.passes import PIPELINE, optimize


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


def test_a_graph_that_is_broken_from_the_start_is_said_to_be(toy):
    b = toy.Builder(x=toy.SCALAR)
    b.graph.outputs = [b(toy.ADD, b.x, b.x, types=[toy.INT])]
    with config.check.using(True), pytest.raises(GraphError, match="after tracing"):
        optimize(b.graph)


def test_the_graph_is_logged_on_demand(toy, capsys):
    with config.verbosity.using(2):
        optimize(toy.decay())
    assert capsys.readouterr().err.startswith("graph decay(")
