"""Tests of `runtime.passes.constant_folding`."""

import numpy as np
import pytest

from runtime.execute import reference
from runtime.graph.check import check
from runtime.graph.ir import Op
from runtime.graph.show import text
from runtime.passes.constant_folding import fold_constants
from runtime.spec import StackType, TensorType


def _folded(graph):
    before = text(graph)
    result = fold_constants(graph)
    check(result)
    assert text(graph) == before
    return result


def _ops(graph):
    return [node.op.name for node in graph.nodes if node.op.name != "constant"]


def _value(graph):
    return graph.outputs[0].node.attrs["value"]


@pytest.mark.parametrize("values", [(1, 2), (0.1, 0.2), (np.float32(0.1), 0.2), (np.arange(3), 2)])
def test_what_is_known_is_computed_bit_for_bit(toy, values):
    b = toy.Builder(x=toy.SCALAR)
    known = b(toy.ADD, *values)
    folded = _folded(b.done(b(toy.MUL, known, b.x)))
    value = folded.nodes[-1].inputs[0].node.attrs["value"]
    expected, _ = reference.prepare(b.done(known, b.x))(np.float64(1))
    assert _ops(folded) == ["mul"]
    assert type(value) is type(expected)
    assert np.asarray(value).tobytes() == np.asarray(expected).tobytes()


def test_an_array_that_is_given_away_is_made_anew_by_each_call(toy):
    b = toy.Builder()
    b(toy.PRINT, b(toy.ADD, np.arange(3), 1))
    assert _ops(_folded(b.done(b(toy.ADD, np.arange(3), 2)))) == ["add", "print", "add"]


def test_chains_are_folded_and_unknown_values_are_not(toy):
    b = toy.Builder(x=toy.SCALAR)
    two = b(toy.ADD, 1.0, 1.0)
    assert text(_folded(b.done(b(toy.MUL, b.x, b(toy.MUL, two, two))))).count("mul %x, 4.0") == 1


@pytest.mark.parametrize("x", [0.0, -0.0, np.nan, 1.0])
def test_no_algebra_is_done_on_floats(toy, x):
    b = toy.Builder(x=toy.SCALAR)
    graph = b.done(b(toy.ADD, b.x, 0.0), b(toy.MUL, b.x, 0.0))
    assert _ops(_folded(graph)) == ["add", "mul"]


def test_what_raises_is_left_for_run_time(toy):
    b = toy.Builder()
    graph = b.done(b(toy.FAIL, 1.0), b(toy.MUL, 2**62, 4))
    assert _ops(_folded(graph)) == ["fail", "mul"]


def test_what_warns_is_left_for_run_time(toy):
    b = toy.Builder()
    mean = Op("mean", lambda xp, x: xp.mean(x), lambda x: toy.SCALAR)
    graph = b.done(b(toy.DIVIDE, np.float64(1), 0.0), b(mean, np.empty(0)))
    assert _ops(_folded(graph)) == ["truediv", "mean"]


def test_effects_are_left_for_run_time(toy):
    b = toy.Builder()
    b(toy.PRINT, 1.0)
    assert _ops(_folded(b.done())) == ["print"]


def test_large_results_are_left_for_run_time(toy):
    b = toy.Builder(x=toy.SCALAR)
    spread = Op(
        "spread",
        lambda xp, x, n: xp.full(n, x),
        lambda x, n: TensorType(np.dtype("f8"), (n,)),
    )
    graph = b.done(*(b(toy.MUL, b.x, b(spread, 1.0, n=n)) for n in (125_001, 125_000)))
    assert _ops(_folded(graph)) == ["spread", "mul", "mul"]


def test_stacks_are_left_for_run_time(toy):
    b = toy.Builder()
    push = Op("push", lambda xp, x: (x, None), lambda x: StackType(toy.INT))
    assert _ops(_folded(b.done(b(push, 1)))) == ["push"]


def test_several_results_are_folded(toy):
    b = toy.Builder()
    assert _ops(_folded(b.done(*b(toy.PARTS, 1.0)))) == []


@pytest.mark.parametrize(("known", "expected"), [(True, "mul"), (False, "add")])
def test_the_branch_that_is_taken_replaces_a_cond(toy, known, expected):
    branches = []
    for op in (toy.MUL, toy.ADD):
        inner = toy.Builder("branch", x=toy.SCALAR, k=toy.SCALAR)
        branches.append(inner.done(inner(op, inner.x, inner(toy.ADD, inner.k, 1.0))))
    b = toy.Builder(x=toy.SCALAR)
    k = b(toy.ADD, np.float64(1), 0.5)
    graph = b.done(b(toy.COND, known, b.x, k, graphs=branches, types=[toy.SCALAR]))
    folded = _folded(graph)
    assert f"= {expected} %x, float64(2.5)" in text(folded)
    assert _ops(folded) == [expected]


def test_graphs_of_nodes_are_folded(toy):
    inner = toy.Builder("g", x=toy.SCALAR)
    body = inner.done(inner(toy.MUL, inner.x, inner(toy.ADD, 1.0, 2.0)))
    b = toy.Builder(x=toy.SCALAR)
    folded = _folded(b.done(b(toy.CALL, b.x, graphs=[body], types=[toy.SCALAR])))
    assert _ops(folded.nodes[0].graphs[0]) == ["mul"]
