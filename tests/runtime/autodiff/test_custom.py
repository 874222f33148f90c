"""`custom_gradient` and `recompute_grad`, eagerly and in graphs, to second order."""

from __future__ import annotations

import numpy as np
import pytest
from programs import Compiled, fori

from runtime import ops
from runtime.autodiff import GradientTape, check_gradients, custom_gradient, grad, recompute_grad
from runtime.tensor import Tensor
from runtime.variable import Variable


@custom_gradient
def log1pexp(x):
    e = ops.exp(x)
    return ops.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


@custom_gradient
def clipped(x):
    return ops.identity(x), lambda dy: ops.clip(dy, -1.0, 1.0)


@custom_gradient
def product(x, y):
    return (x * y, x + y), lambda a, b: (a * y + b, a * x + b)


def test_log1pexp_is_stable_and_has_a_second_derivative():
    assert grad(log1pexp)(0.0) == 0.5
    assert grad(Compiled(log1pexp))(0.0) == 0.5
    check_gradients(log1pexp, [np.float64(0.3)])
    check_gradients(Compiled(log1pexp), [np.float64(0.3)])


def test_clipping_the_gradient():
    for f in (clipped, Compiled(clipped)):
        assert grad(lambda x: f(x) * 5.0)(2.0) == 1.0
        assert grad(lambda x: f(x) * 0.5)(2.0) == 0.5


def test_several_arguments_and_results():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    check_gradients(product, [x, y])
    check_gradients(Compiled(product), [x, y])
    check_gradients(Compiled(lambda x, y: product(x, y)[0]), [x, y])


def test_inside_a_loop_of_a_graph():
    def f(x):
        return fori(3, lambda i, y: log1pexp(y) * x, x)

    check_gradients(Compiled(f), [np.float64(0.4)], rtol=1e-3)
    assert grad(Compiled(lambda x: fori(3, lambda i, y: 3.0 * clipped(y), x)))(1.0) == 1.0


def test_a_tape_inside_the_graph():
    def f(x):
        with GradientTape() as tape:
            tape.watch(x)
            y = 7.0 * clipped(x) + log1pexp(x)
        return tape.gradient(y, x)

    assert Compiled(f)(np.float64(0.0)).array == 1.5


@pytest.mark.parametrize("staged", [False, True])
def test_variables(staged):
    """B8.12: the gradient function is given `variables=`."""
    v = Variable(np.float64(2.0))

    @custom_gradient
    def f(x):
        def gradient(dy, variables):
            assert variables == [v]
            return dy * v * 10.0, [dy * x * 100.0]

        return x * v, gradient

    g = Compiled(f) if staged else f
    x = Tensor(np.float64(3.0))
    with GradientTape() as tape:
        tape.watch(x)
        y = g(x)
    assert [d.array for d in tape.gradient(y, [x, v])] == [20.0, 300.0]
    assert y.array == 6.0


def test_variables_need_a_parameter():
    v = Variable(2.0)

    @custom_gradient
    def f(x):
        return x * v, lambda dy: dy

    with pytest.raises(TypeError, match="`variables=`"):
        f(Tensor(1.0))


def test_a_wrong_number_of_cotangents_is_refused():
    @custom_gradient
    def f(x, y):
        return x * y, lambda dy: dy

    with pytest.raises(ValueError, match="1 cotangents for 2 arguments"):
        grad(f)(1.0, 2.0)


def test_recompute_grad():
    """B8.12: values are computed again on the way back."""
    calls = []

    @recompute_grad
    def f(x, y):
        calls.append(1)
        return ops.sin(x) * y

    assert grad(f, (0, 1))(1.0, 2.0) == (np.cos(1.0) * 2, np.sin(1.0))
    assert len(calls) == 2
    check_gradients(f, [np.float64(0.4), np.float64(0.2)])
    check_gradients(Compiled(f), [np.float64(0.4), np.float64(0.2)])


def test_plain_use_needs_no_tape():
    assert float(log1pexp(Tensor(0.0)).array) == np.log(2.0)


def test_variables_read_in_a_compiled_call_are_found():
    v = Variable(np.float64(2.0))
    inner = Compiled(lambda x: x * v.read_value())

    @custom_gradient
    def f(x):
        return inner(x), lambda dy, variables: (dy * 10.0, [dy * 100.0 for _ in variables])

    x = Tensor(np.float64(3.0))
    with GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [d.array for d in tape.gradient(y, [x, v])] == [10.0, 100.0]
