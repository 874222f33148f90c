"""Calls of compiled graphs under tapes."""

from __future__ import annotations

import gc
import weakref

import numpy as np
from programs import Compiled, fori, graph_of

from runtime import ops
from runtime.autodiff import Differentiable, GradientTape, watching
from runtime.compile import compile_graph
from runtime.spec import TensorType
from runtime.tensor import Tensor
from runtime.variable import Variable

VECTOR = TensorType(np.dtype("f8"), (2,))


def differentiable(function, *types):
    compiled = []
    graph, captured = graph_of(function, *types)

    def compile(graph):
        compiled.append(graph)
        return compile_graph(graph)

    return Differentiable(graph, compile), compiled, captured


def test_without_tapes_only_the_graph_itself_is_compiled():
    call, compiled, _ = differentiable(lambda x: x * x, VECTOR)
    x = Tensor(np.array([1.0, 2.0]))
    [y] = call([x])
    call([x])
    with GradientTape():
        call([x])
    np.testing.assert_array_equal(y.array, [1.0, 4.0])
    assert compiled == [call.graph]


def test_linearizations_are_compiled_once():
    call, compiled, _ = differentiable(lambda x: ops.sin(x) * x, VECTOR)
    for _ in range(3):
        x = Tensor(np.array([1.0, 2.0]))
        with GradientTape() as tape:
            tape.watch(x)
            [y] = call([x])
        tape.gradient(y, x)
    assert len(compiled) == 2  # forward and backward


def test_two_tapes_share_one_run():
    runs = []
    graph, _ = graph_of(lambda x: x**3, VECTOR)

    def compile(graph):
        run = compile_graph(graph)
        return lambda *inputs: runs.append(graph.name) or run(*inputs)

    call = Differentiable(graph, compile)
    x = Tensor(np.array([1.0, 2.0]))
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            [y] = call([x])
    np.testing.assert_array_equal(outer.gradient(y, x).array, [3.0, 12.0])
    np.testing.assert_array_equal(inner.gradient(y, x).array, [3.0, 12.0])
    assert len(runs) == 3


def test_watching_says_which_tapes_matter_innermost_first():
    x, v = Tensor(np.ones(2)), Variable(1.0)
    with GradientTape() as outer, GradientTape(watch_accessed_variables=False) as inner:
        outer.watch(x)
        inner.watch(x)
        assert watching([x]) == [inner, outer]
        assert watching([v]) == [outer]
        assert watching([2.0]) == []


def test_arrays_may_change_after_the_call():
    call, _, _ = differentiable(lambda x, a: x * x * a, VECTOR, VECTOR)
    x, a = Tensor(np.array([1.0, 2.0])), np.array([3.0, 4.0])
    with GradientTape() as tape:
        tape.watch(x)
        [y] = call([x, a])
    seen = y.cell().root
    a[:] = 0.0
    y[0] = 100.0
    np.testing.assert_array_equal(tape.gradient(seen, x).array, [6.0, 16.0])


def test_what_a_tape_holds_is_freed_after_the_gradient():
    f = Compiled(lambda x: fori(50, lambda i, y: ops.sin(y) * x, x))
    x = Tensor(np.ones(1000))
    with GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    kept = [weakref.ref(record.rule) for record in tape._records]
    tape.gradient(y, x)
    gc.collect()
    assert [r() for r in kept] == [None]
