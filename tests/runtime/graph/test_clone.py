"""Tests of `runtime.graph.clone`."""

from runtime.graph.clone import clone
from runtime.graph.show import text


def test_a_clone_looks_the_same_and_shares_nothing(toy):
    graph = toy.decay()
    copy = clone(graph)
    assert text(copy) == text(graph)
    assert not set(graph.walk()) & set(copy.walk())
    assert copy.nodes[-1].graphs[0] is not graph.nodes[-1].graphs[0]


def test_changing_a_clone_leaves_the_graph_alone(toy):
    graph = toy.decay()
    before = text(graph)
    copy = clone(graph)
    copy.nodes[-1].attrs["captures"] = 0
    copy.nodes[-1].graphs[1].nodes.clear()
    assert text(graph) == before


def test_a_graph_that_several_nodes_hold_is_cloned_once(toy):
    inner = toy.Builder("g", x=toy.SCALAR)
    shared = inner.done(inner(toy.MUL, inner.x, inner.x))
    b = toy.Builder(x=toy.SCALAR)
    first = b(toy.CALL, b.x, graphs=[shared], types=[toy.SCALAR])
    copy = clone(b.done(b(toy.CALL, first, graphs=[shared], types=[toy.SCALAR])))
    assert copy.nodes[0].graphs[0] is copy.nodes[1].graphs[0]
    assert copy.nodes[0].graphs[0] is not shared
