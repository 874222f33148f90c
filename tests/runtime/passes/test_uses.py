"""Tests of `runtime.passes.uses`: what holds a value, and what writes into memory."""

import pytest

from runtime.passes.uses import (
    Writes,
    exposed_by_results,
    exposed_values,
    gives_numbers,
    held_values,
    read_late,
)


def test_results_and_what_effects_take_are_held(toy):
    b = toy.Builder(x=toy.VECTOR)
    result, printed, inner = (b(toy.ADD, b.x, float(k)) for k in range(3))
    b(toy.PRINT, printed)
    last = b(toy.MUL, inner, inner)
    held = held_values(b.done(result, last))
    assert {result, printed, last} <= held and inner not in held


def test_a_view_of_what_is_exposed_exposes_its_array(toy):
    b = toy.Builder(x=toy.VECTOR)
    whole, other = b(toy.ADD, b.x, 1.0), b(toy.ADD, b.x, 2.0)
    part = b(toy.RESHAPE, whole, shape=(None,))
    b(toy.RESHAPE, other, shape=(None,))
    exposed = exposed_values(b.done(part))
    assert {part, whole} <= exposed and other not in exposed


def _branching(toy):
    """A cond of which the first operand is given back and the second only read."""
    graphs = []
    for name in ("yes", "no"):
        inner = toy.Builder(name, x=toy.VECTOR, y=toy.VECTOR)
        inner(toy.PRINT, inner(toy.SUM, inner.y))
        graphs.append(inner.done(inner.x))
    b = toy.Builder(p=toy.INT, x=toy.VECTOR)
    given, read = b(toy.ADD, b.x, 1.0), b(toy.ADD, b.x, 2.0)
    result = b(toy.COND, b.p, given, read, graphs=graphs, types=[toy.VECTOR])
    return b.done(result), given, read


def test_what_branches_take_is_exposed_or_only_what_they_may_give_back(toy):
    graph, given, read = _branching(toy)
    assert {given, read} <= exposed_values(graph)
    by_results = exposed_by_results(graph)
    assert given in by_results and read not in by_results


@pytest.mark.parametrize(("op", "x", "expected"), [
    ("ADD", "x", True), ("ADD", "v", False), ("RESHAPE", "x", False),
])  # fmt: skip
def test_numbers_have_no_memory_to_be_shared(toy, op, x, expected):
    b = toy.Builder(x=toy.SCALAR, v=toy.VECTOR)
    operand = getattr(b, x)
    if op == "RESHAPE":
        b(toy.RESHAPE, operand, shape=())
    else:
        b(toy.ADD, operand, operand)
    assert gives_numbers(b.graph.nodes[-1]) is expected


def test_printing_writes_into_nothing_and_other_effects_may(toy):
    b = toy.Builder(x=toy.VECTOR)
    b(toy.PRINT, b.x)
    store = type(toy.PRINT)("store", lambda xp, x: (), lambda x: (), effect="store")
    b(store, b.x)
    printing, storing = b.graph.nodes[-2:]
    assert not Writes().by(printing) and Writes().by(storing)
    assert list(Writes().stretches(b.graph).values()) == [0, 1]


def test_a_node_writes_if_something_in_it_does(toy):
    store = type(toy.PRINT)("store", lambda xp, x: (), lambda x: (), effect="store")
    inner = toy.Builder("yes", x=toy.VECTOR)
    inner(store, inner.x)
    b = toy.Builder(x=toy.VECTOR)
    b(toy.CALL, b.x, graphs=[inner.done(inner.x)], types=[toy.VECTOR])
    assert Writes().by(b.graph.nodes[-1]) and Writes().within(b.graph)


def test_values_read_after_a_write_are_told(toy):
    store = type(toy.PRINT)("store", lambda xp, x: (), lambda x: (), effect="store")
    b = toy.Builder(x=toy.VECTOR)
    early, late = b(toy.ADD, b.x, 1.0), b(toy.ADD, b.x, 2.0)
    b(toy.ADD, early, early)
    b(store, b.x)
    result = b(toy.ADD, late, late)
    graph = b.done(result)
    assert read_late(graph, Writes().stretches(graph)) == {late}
