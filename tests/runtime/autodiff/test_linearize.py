"""Graphs as forward and backward graphs."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from programs import Compiled, cond, fori, graph_of, while_loop

from runtime import building, ops
from runtime.autodiff import check_gradients, linearize
from runtime.building import traced
from runtime.compile import compile_graph
from runtime.effects.control import CALL
from runtime.graph.check import check
from runtime.graph.show import text
from runtime.spec import TensorType

VECTOR = TensorType(np.dtype("f8"), (3,))
ROWS = TensorType(np.dtype("f8"), (None,))
SCALAR = TensorType(np.dtype("f8"), ())


def pair_of(function, *types, wanted=None, given=(0,)):
    graph, _ = graph_of(function, *types)
    before = text(graph)
    parts = linearize(graph, tuple(range(len(types))) if wanted is None else wanted, given)
    assert text(graph) == before
    for made in (parts.forward, parts.backward):
        check(made)
    return parts


def names_in(graph):
    return [node.op.name for node in graph.walk()]


def test_what_no_rule_reads_is_not_handed_over():
    parts = pair_of(lambda x, y: x + y, VECTOR, VECTOR)
    assert parts.residuals == ()
    assert len(parts.forward.outputs) == 1


def test_inputs_and_results_are_handed_over_as_they_are():
    parts = pair_of(lambda x: ops.exp(x) * x, VECTOR)
    assert ("input", 0) in parts.residuals
    parts = pair_of(ops.exp, VECTOR)
    assert parts.residuals == (("output", 0),)
    assert len(parts.forward.outputs) == 1


def test_of_an_array_whose_shape_alone_matters_only_sizes_are_kept():
    parts = pair_of(lambda x: ops.sum(ops.exp(x)[1:]), ROWS)
    outer = [parts.forward.outputs[i].type for _, i in parts.residuals]
    assert sum(t.shape == (None,) for t in outer) == 1  # exp's result; sizes are integers


def test_only_what_is_wanted_is_computed():
    parts = pair_of(lambda x, y: ops.sin(x) * ops.tanh(y), VECTOR, VECTOR, wanted=(0,))
    assert parts.connected == (0,)
    assert "cos" in names_in(parts.backward)
    assert not {"square", "tanh"} & set(names_in(parts.backward))
    assert pair_of(lambda x, y: y * 1.0, VECTOR, VECTOR, wanted=(0,)).connected == ()


def test_forward_and_backward_compute_the_gradient():
    parts = pair_of(lambda x: while_loop(lambda y: y < 100, lambda y: y * y, x), SCALAR)
    forward, backward = compile_graph(parts.forward), compile_graph(parts.backward)
    x = np.float64(3.0)
    outputs = forward(x)
    assert outputs[0] == 6561.0
    residuals = [((x,) if s == "input" else outputs)[i] for s, i in parts.residuals]
    assert backward(*residuals, np.float64(1.0)) == (17496.0,)


def test_counters_need_no_stack():
    def decay(x, w):
        return fori(4, lambda i, x: ops.index_update(x, x[i] * w, 2 * i - i + 1), x)

    parts = pair_of(decay, TensorType(np.dtype("f8"), (5,)), SCALAR)
    assert names_in(parts.forward).count("stack_push") == 1  # x[i]
    check_gradients(Compiled(decay), [np.linspace(1, 2, 5), np.float64(0.7)], rtol=1e-3)


def test_a_counter_with_start_and_step_needs_no_stack():
    def every_other(x, n, step):
        i, s = while_loop(
            lambda i, s: i < n, lambda i, s: (i + step, s * x[i]), 1, ops.ones((), dtype=x.dtype)
        )
        return s

    f = Compiled(lambda x: every_other(x, 6, 2))
    x = np.linspace(1.0, 2.0, 6)
    check_gradients(f, [x], rtol=1e-3)
    parts = linearize(f.graph, (0,), (0,))
    assert "stack_push" in names_in(parts.forward)
    pushed = [n.inputs[1].type for n in parts.forward.walk() if n.op.name == "stack_push"]
    assert all(t.dtype == np.float64 for t in pushed)


def test_captures_are_handed_over_once_and_not_pushed():
    parts = pair_of(lambda w, x: fori(5, lambda i, h: ops.tanh(w @ h), x), matrix(), VECTOR)
    pushed = [n.inputs[1].type.shape for n in parts.forward.walk() if n.op.name == "stack_push"]
    assert sorted(pushed) == [(3,), (3,)]
    assert ("input", 0) in parts.residuals


def matrix():
    return TensorType(np.dtype("f8"), (3, 3))


def test_adjoints_go_through_a_branch_without_zeros():
    """The branch not taken hands the adjoint on: no array of zeros is made and added."""

    def f(x, c):
        return fori(
            3, lambda i, x: cond(c, lambda: ops.index_update(x, x[i] * 2.0, i), lambda: x), x
        )

    parts = pair_of(f, VECTOR, TensorType(np.dtype("?"), ()))
    assert "zeros" not in names_in(parts.backward)
    assert "full" not in names_in(parts.backward)


def _call(function, *args):
    """A call node, as a call of a compiled function while tracing makes it."""
    graph, _ = graph_of(function, *(a.type for a in args))
    builder = building.building()
    node = builder.emit(
        CALL, [builder.value_of(a) for a in args], {}, [graph], [v.type for v in graph.outputs]
    )
    outputs = tuple(map(traced, node.outputs))
    builder.tell_tapes(node, args, outputs)
    return outputs[0]


def test_calls():
    def inner(x, y):
        return fori(2, lambda i, z: ops.sin(z) * y, x)

    def outer(x, y):
        return ops.sum(_call(inner, x, y) * _call(inner, y, _call(inner, x, x)))

    x, y = np.array([0.3, 0.8]), np.array([1.2, 0.4])
    check_gradients(Compiled(outer), [x, y], order=2, rtol=1e-3)
    check_gradients(Compiled(outer, True), [x, y], order=2, rtol=1e-3)
    graph, _ = graph_of(outer, VECTOR, VECTOR)
    calls = [n for n in graph.nodes if n.op is CALL]
    sizes = [len(n.graphs[0].outputs) for n in calls]
    linearize(graph, (0, 1), (0,))
    assert [len(n.graphs[0].outputs) for n in calls] == sizes


@pytest.mark.parametrize("order", [2, pytest.param(3, marks=pytest.mark.long)])
def test_branches_with_values_of_unknown_shape(order):
    def f(x, y):
        def true():
            z = ops.concat([x, y]) ** 2
            return ops.sum(z * ops.sin(z)) * x

        def body(i, s):
            return s + ops.sum(cond(i % 2 == 0, true, lambda: x * s, types=[ROWS]))

        return fori(3, body, ops.sum(x))

    x, y = np.array([0.3, 0.8]), np.array([0.2, 0.4])
    check_gradients(Compiled(f, True), [x, y], order=order, forward=False, rtol=1e-3, eps=1e-5)


def test_scalars_of_the_counter_views_and_invariants_are_computed_again():
    def f(xs, w):
        def body(i, s):
            rate = 0.1 * (i * i + 1)
            return ops.sin(s) * xs[i, ::2] * rate + ops.exp(-w)

        return ops.sum(fori(xs.shape[0], body, ops.zeros((2,), dtype=w.dtype)))

    types = TensorType(np.dtype("f8"), (5, 3)), TensorType(np.dtype("f8"), (2,))
    parts = pair_of(f, *types)
    pushed = [n.inputs[1] for n in parts.forward.walk() if n.op.name == "stack_push"]
    # The carried value, and products of it.
    assert {v.node.op.name if v.node else "carried" for v in pushed} <= {
        "carried", "sin", "multiply"
    }  # fmt: skip
    args = [np.linspace(-1, 1, 15).reshape(5, 3), np.array([0.3, 0.8])]
    check_gradients(Compiled(f), args, rtol=1e-3)
    check_gradients(Compiled(f, True), args, rtol=1e-3)


def test_a_counter_whose_step_changes_is_not_taken_for_a_regular_one():
    def f(x):
        _, _, s = while_loop(
            lambda i, step, s: i < 12,
            lambda i, step, s: (i + step, step + 1, s * x[i]),
            0,
            1,
            ops.ones((), dtype=x.dtype),
        )
        return s

    check_gradients(Compiled(f), [np.linspace(1.0, 2.0, 12)], rtol=1e-3)


def test_operands_that_come_twice():
    """One cotangent for two results, one value for two captures, differentiated twice."""

    def f(x, y):
        a, b = cond(
            ops.sum(x) > 0.0, lambda: (ops.sin(x) * y, x * x * y), lambda: (x * y, ops.exp(y))
        )
        c, d = fori(2, lambda i, c, d: (ops.sin(c) * d, c * d), a, a + b)
        return ops.sum(a + b) * ops.sum(c + d)

    x, y = np.array([0.3, 0.8]), np.array([1.2, 0.4])
    check_gradients(Compiled(f), [x, y], order=3, rtol=1e-3, eps=1e-5, forward=False)
    check_gradients(Compiled(lambda x: f(-x, x)), [x], order=3, rtol=1e-3, eps=1e-5, forward=False)


def test_the_cost_of_linearizing_is_linear_in_the_number_of_nodes():

    def chain(count):
        def f(x):
            for k in range(count):
                x = ops.sin(x) * (x + float(k))
            return fori(3, lambda i, y: chained(y), x)

        def chained(y):
            for k in range(count // 4):
                y = ops.sin(y) * (y + float(k))
            return y

        graph, _ = graph_of(f, VECTOR)
        calls = 0

        def count_call(frame, event, argument):
            nonlocal calls
            calls += 1

        sys.setprofile(count_call)
        try:
            linearize(graph, (0,), (0,))
        finally:
            sys.setprofile(None)
        return calls

    chain(10)
    assert chain(1200) < 7 * chain(200)  # quadratic would be 36
