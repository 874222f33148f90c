"""Gradients through staged `while` loops and branches, against differences and plain Python."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest
from programs import Compiled, cond, fori, while_loop

from runtime import ops
from runtime.autodiff.check import check_gradients
from runtime.autodiff.tape import GradientTape, UnconnectedGradients
from runtime.autodiff.transforms import grad, jvp, value_and_grad
from runtime.tensor import Tensor
from runtime.variable import Variable

rng = np.random.default_rng(3)


def square_up(x):
    return while_loop(lambda y: y < 100, lambda y: y * y, x)


def rnn(w, xs, h):
    return ops.sum(
        fori(xs.shape[0], lambda i, h: ops.tanh(w @ h + xs[i]), h) * ops.astype(xs[0], h.dtype)
    )


def branchy(x):
    """A branch in a loop, one side using a value that only it computes."""

    def body(i, y, n):
        def true():
            z = ops.sin(y) * y
            return z * z, n + 1

        return (i + 1, *cond(ops.sum(y) > 0.7, true, lambda: (y + 0.3 * x, n)))

    _, y, _ = while_loop(lambda i, y, n: i < 6, body, 0, x, 0)
    return ops.sum(y * x)


def nested(x, w):
    """while > cond > while, with captures at each depth."""

    def body(i, y):
        def true():
            return while_loop(lambda z: ops.sum(z * z) < 9.0, lambda z: z * 1.7 + w * y, y)

        return i + 1, cond(i % 2 == 0, true, lambda: ops.sin(y) * w)

    return ops.sum(while_loop(lambda i, y: i < 3, body, 0, x)[1])


def decay(x, w):
    def body(i, x):
        return ops.index_update(x, x[i] * w, i + 1)

    return ops.sum(fori(x.shape[0] - 1, body, x))


def dot_product(a, b):
    return fori(a.shape[0], lambda i, s: s + a[i] * b[i], ops.zeros((), dtype=a.dtype))


def swapping(a, b):
    a, b = fori(5, lambda i, a, b: (b, ops.sin(a) * b), a, b)
    return ops.sum(a + 2.0 * b)


def triangle(x):
    """Nested counted loops, the inner one's length depending on the outer index."""

    def outer(i, s):
        return fori(i, lambda j, s: s + x[i] * ops.cos(x[j]), s)

    return fori(x.shape[0], outer, ops.zeros((), dtype=x.dtype))


def zero_trips(x):
    return while_loop(lambda y: y > 1e9, lambda y: y * y, x) * 3.0


V3, V4 = rng.uniform(0.5, 1.0, 3), rng.uniform(0.5, 1.0, 4)
PROGRAMS = {
    "square_up": (square_up, [np.float64(3.0)]),
    "rnn": (rnn, [rng.standard_normal((3, 3)) * 0.5, rng.standard_normal((4, 3)), V3]),
    "branchy": (branchy, [V3 * 0.4]),
    "nested": (nested, [V3, V3 * 0.5]),
    "decay": (decay, [V4, np.float64(0.9)]),
    "dot_product": (dot_product, [V4, V4 + 1]),
    "swapping": (swapping, [V3, V3 + 0.3]),
    "triangle": (triangle, [V4]),
    "zero_trips": (zero_trips, [np.float64(2.0)]),
}


@pytest.mark.broad(3)
@pytest.mark.parametrize("backend", ["reference", "plan"])
@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives_agree_with_differences_to_second_order(name, unknown, backend):
    f, args = PROGRAMS[name]
    check_gradients(Compiled(f, unknown, backend), args, order=2, rtol=2e-3, eps=1e-5)


@pytest.mark.broad(3)
@pytest.mark.parametrize("name", ["branchy", "nested", "decay", "dot_product", "swapping"])
def test_third_order_agrees_with_differences(name):
    f, args = PROGRAMS[name]
    check_gradients(Compiled(f), args, order=3, forward=False, rtol=2e-3, eps=1e-5)


@pytest.mark.parametrize("backend", ["reference", "plan"])
def test_square_until_100(backend):
    f = Compiled(square_up, backend=backend)
    assert value_and_grad(f)(3.0) == (6561.0, 17496.0)
    assert grad(grad(f))(3.0) == 40824.0
    assert grad(grad(grad(f)))(3.0) == 81648.0
    assert jvp(f, (3.0,), (1.0,)) == (6561.0, 17496.0)
    assert grad(f)(200.0) == 1.0


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_cotangents_have_the_dtype_of_their_value(dtype):
    def f(x, w):
        y = fori(3, lambda i, y: y * w + x, x)
        return ops.sum(ops.real(y * ops.conj(y)))

    x = (np.ones(2) * (1 + 0.5j if dtype == "c16" else 1)).astype(dtype)
    gx, gw = grad(Compiled(f), (0, 1))(x, np.float32(0.5))
    assert (gx.dtype, gw.dtype) == (np.dtype(dtype), np.dtype("f4"))
    check_gradients(lambda x: Compiled(f)(x, 0.5), [x.astype("f8" if dtype == "f4" else dtype)], 1)


def test_a_carried_value_that_grows():
    def f(x):
        i, y = while_loop(
            lambda i, y: i < 3,
            lambda i, y: (i + 1, ops.concat([y * y, x])),
            0,
            x,
            types=[type_of_int(), unknown_vector()],
        )
        return ops.sum(y)

    check_gradients(Compiled(f), [V3], order=2, rtol=1e-3)


def unknown_vector():
    from runtime.spec import TensorType

    return TensorType(np.dtype("f8"), (None,))


def type_of_int():
    from runtime.spec import type_of_number

    return type_of_number(0)


def test_in_place_loop_copies_no_array_per_round_and_is_linear_in_memory():
    f = Compiled(decay, unknown=True)
    derivative = grad(f, (0, 1))

    def copies_and_peak(n):
        x, w = Tensor(np.ones(n)), Tensor(np.float64(0.999))
        derivative(x, w)
        copies = 0

        def count_copy(frame, event, argument):
            nonlocal copies
            copies += event == "c_call" and argument in (np.array, np.copy)

        sys.setprofile(count_copy)
        try:
            derivative(x, w)
        finally:
            sys.setprofile(None)
        tracemalloc.start()
        derivative(x, w)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return copies, peak

    (few, small), (many, large) = copies_and_peak(6_000), copies_and_peak(48_000)
    assert large < 12 * small
    assert many == few < 20


def scaled_and_squared(y):
    return 1.05 * y + 0.01 * y * y


def a_product_again(y):
    product = y * y
    return product * product + y


def a_function_of_it(y):
    return y * ops.sin(y)


def products_apart(y):
    return (y * 2.0 + 1.0) * (y - 3.0) * 0.1


@pytest.mark.parametrize(
    ("body", "kept"),
    [(scaled_and_squared, 1), (a_product_again, 1), (a_function_of_it, 2), (products_apart, 2)],
)
def test_what_takes_little_is_computed_again_and_not_kept(body, kept):
    """Of arrays only: of `y * 2.0 + 1.0`, `y * 2.0` would have to be there."""

    def total(x):
        return ops.sum(fori(4, lambda i, y: body(y), x))

    x = np.linspace(0.1, 0.9, 20)
    slope = Compiled(grad(total))
    slope(x)
    assert sum(node.op.name == "stack_push" for node in slope.graph.walk()) == kept
    check_gradients(Compiled(total), [x], order=2)


def test_many_trips_do_not_exhaust_the_stack():
    def f(x):
        return fori(100_000, lambda i, y: y * 1.000001 + x * 1e-6, x)

    value, derivative = value_and_grad(Compiled(f))(np.float64(1.0))
    assert derivative == pytest.approx(value)


def test_unconnected_inputs():
    def f(x, z):
        return fori(3, lambda i, y: y * x, x)

    f = Compiled(f)
    x, z = Tensor(2.0), Tensor(5.0)
    with GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = f(x, z)
    assert tape.gradient(y, z) is None
    assert tape.gradient(y, z, unconnected_gradients=UnconnectedGradients.ZERO).array == 0.0
    assert tape.gradient(y, [x, z])[0].array == 32.0


def test_a_loop_through_integers_cuts_the_path():
    def f(x):
        n = fori(3, lambda i, n: n + 1, ops.astype(x, np.int64))
        return x * ops.astype(n, np.float64)

    assert grad(Compiled(f))(np.float64(2.0)) == 5.0


def test_variables_read_in_a_loop():
    v = Variable(np.array([1.0, 2.0]))

    def f(x):
        return ops.sum(fori(3, lambda i, y: y * v.read_value(), x))

    f = Compiled(f)
    x = Tensor(np.array([3.0, 4.0]))
    with GradientTape() as outer:
        with GradientTape() as tape:
            y = f(x)
        g = tape.gradient(y, v)
    np.testing.assert_allclose(g.array, 3 * x.array * v.array**2)
    assert tape.watched_variables() == outer.watched_variables() == (v,)
    np.testing.assert_allclose(outer.gradient(g, v).array, 6 * x.array * v.array)


def test_effects_happen_once(capsys):
    from runtime.effects.control import PRINT
    from runtime.trace import apply

    def f(x):
        def body(i, y):
            apply(PRINT, (y,), {"render": lambda y: f"{float(y)}\n", "file": None, "flush": False})
            return y * x

        return fori(3, body, x)

    x = Tensor(np.float64(2.0))
    f = Compiled(f)
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        g = tape.gradient(y, x)
    assert outer.gradient(g, x).array == 48.0
    assert capsys.readouterr().out == "2.0\n4.0\n8.0\n"
