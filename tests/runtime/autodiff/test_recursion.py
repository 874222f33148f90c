"""Gradients of functions that call themselves: any order, forward mode, cost, save and load."""

from __future__ import annotations

import io
import time

import numpy as np
import pytest

import autograph as ag
from autograph.programs.loading import unpacked
from autograph.programs.saving import packed
from runtime import config
from runtime.graph.check import check
from tests.language.harness import count_nodes
from tests.language.test_recursion import branching, power, quadrature, turn

I = np.int64  # noqa: E741 - a strong number, which is an input of the graph


def slope(f, x, *rest, h=1e-6):
    """Derivative by central differences."""
    return (f(x + h, *rest) - f(x - h, *rest)) / (2 * h)


@pytest.mark.parametrize("backend", ["plan", "reference"])
def test_the_gradient_of_a_power(backend):
    f = ag.convert(power)
    with config.backend.using(backend), config.check.using(True):
        assert ag.grad(f)(1.1, I(10)) == pytest.approx(10 * 1.1**9)
        assert ag.grad(f)(3.0, I(0)) == 0.0
        value, found = ag.value_and_grad(f)(1.1, I(7))
    assert value == pytest.approx(1.1**7) and found == pytest.approx(7 * 1.1**6)
    assert f.trace_count == 1


def test_higher_orders():
    f = ag.convert(power)
    second = ag.grad(ag.grad(f))
    assert second(1.1, I(10)) == pytest.approx(90 * 1.1**8)
    assert ag.grad(second)(1.1, I(10)) == pytest.approx(720 * 1.1**7)


def test_forward_mode():
    f = ag.convert(power)
    value, moved = ag.jvp(lambda x: f(x, I(5)), (1.5,), (2.0,))
    assert value == pytest.approx(1.5**5) and moved == pytest.approx(2 * 5 * 1.5**4)


def test_a_hessian():
    f = ag.convert(power)
    found = ag.hessian(lambda x: f(x[0], I(3)) * x[1])(np.array([2.0, 5.0]))
    assert np.allclose(found, [[60.0, 12.0], [12.0, 0.0]])


def test_a_gradient_in_the_graph():
    converted = ag.convert(power)
    f = ag.convert(lambda x, n: ag.grad(converted)(x, n))
    assert f(1.1, I(10)) == pytest.approx(10 * 1.1**9)
    graph = f.traces()[-1].graph
    check(graph)
    assert count_nodes(graph, "recursion") == 2 and count_nodes(graph, "frame_of") == 1
    assert "power backward" in str(graph)


@pytest.mark.parametrize("backend", ["plan", "reference"])
def test_calls_from_a_loop(backend):
    f = ag.convert(branching)
    with config.backend.using(backend):
        found, second = ag.grad(f)(1.3, I(5)), ag.grad(ag.grad(f))(1.3, I(5))
    assert found == pytest.approx(slope(branching, 1.3, 5), rel=1e-6)
    assert second == pytest.approx(slope(lambda x: slope(branching, x, 5), 1.3, h=1e-4), rel=1e-4)


def with_loop(x, n):
    if n <= 0:
        return x * x
    s = 0.0
    for i in range(n):
        s = s + x * (i + 1)
    return s * with_loop(x * 0.5, n - 1)


def test_a_loop_in_the_function():
    assert ag.grad(ag.convert(with_loop))(1.3, I(4)) == pytest.approx(slope(with_loop, 1.3, 4))


def in_loop(x, n):
    t = 0.0
    for i in range(n):
        t = t + power(x, i) * i
    return t


def test_a_call_in_a_loop():
    assert ag.grad(ag.convert(in_loop))(1.3, I(5)) == pytest.approx(slope(in_loop, 1.3, 5))


def test_functions_that_call_each_other():
    f = ag.convert(turn)
    assert ag.grad(f)(0.7, I(9)) == pytest.approx(slope(turn, 0.7, 9))
    second = ag.grad(ag.grad(f))(0.7, I(9))
    assert second == pytest.approx(slope(lambda x: slope(turn, x, 9), 0.7, h=1e-4), rel=1e-5)


def through(x, w, n):
    if n <= 0:
        return np.sum(x)
    return through(x * w, w, n - 1) * 0.5 + through(x + w, w, n - 2)


def test_arrays_and_several_arguments():
    x, w = np.array([0.5, 1.0]), np.array([1.1, 0.9])
    f = ag.convert(through)
    for position in (0, 1):
        found = ag.grad(lambda v: f(*(v, w) if position == 0 else (x, v), I(5)))((x, w)[position])
        for k, unit in enumerate(np.eye(2)):
            moved = slope(
                lambda t: through(*((x + t * unit, w) if position == 0 else (x, w + t * unit)), 5),
                0.0,
            )
            assert found[k] == pytest.approx(moved)


def halves(x):
    if len(x) <= 1:
        return np.sum(x * x)
    return halves(x[::2]) * 2.0 + halves(x[1::2])


def test_arrays_of_shapes_that_change():
    x = np.random.default_rng(1).normal(size=7)
    found = ag.grad(ag.convert(halves))(x)
    expected = [slope(lambda t: halves(x + t * unit), 0.0) for unit in np.eye(7)]
    assert np.allclose(found, expected)


def test_a_captured_value():
    found = ag.grad(ag.convert(quadrature), 1)(2.0, 1.5)
    assert found == pytest.approx(slope(lambda k: quadrature(2.0, k), 1.5, h=1e-7), rel=1e-5)


def test_a_variable():
    v = ag.Variable(2.0)

    def f(n):
        return 1.0 if n <= 0 else v * f(n - 1)

    converted = ag.convert(f)
    with ag.GradientTape() as tape:
        y = converted(I(3))
    assert float(tape.gradient(y, v)) == 12.0


def test_a_tuple_of_results_of_which_one_is_used():
    def pair(x, n):
        if n <= 0:
            return x, x * x
        a, b = pair(x * 1.5, n - 1)
        return b, a * x

    f = ag.convert(lambda x, n: pair(x, n)[0])
    assert ag.grad(f)(0.9, I(4)) == pytest.approx(slope(lambda x: pair(x, 4)[0], 0.9))


def test_arguments_without_a_path_get_none_or_zero():
    f = ag.convert(lambda x, y, n: power(x, n) + 0.0 * y)
    assert ag.grad(f, 1)(1.1, 2.0, I(3)) == 0.0


def linear(x, n):
    return x if n <= 0 else linear(x * 1.0000001, n - 1)


def test_the_backward_pass_costs_no_more_than_a_multiple_of_the_forward_pass():
    gradient = ag.grad(ag.convert(linear))
    gradient(1.0, I(5))

    def seconds(n):
        best = 1e9
        for _ in range(5):
            began = time.perf_counter()
            gradient(1.0, I(n))
            best = min(best, time.perf_counter() - began)
        return best

    assert seconds(400) < 16 * seconds(50)  # 64 times as much if each call ran the others again


def test_a_saved_gradient():
    f = ag.convert(lambda x, n: ag.grad(power)(x, n))
    program = unpacked(io.BytesIO(packed(f, [1.1, I(10)])))
    assert program(1.1, I(10)) == pytest.approx(10 * 1.1**9)


def test_a_batch_goes_one_by_one():
    f = ag.convert(power)
    assert ag.vmap(lambda x: f(x, I(3)))(np.array([1.0, 2.0, 3.0])).tolist() == [1.0, 8.0, 27.0]
    assert ag.vmap(lambda n: f(2.0, n))(np.array([1, 2, 3])).tolist() == [2.0, 4.0, 8.0]
