"""Derivatives of functions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from programs import Compiled, fori, while_loop

import autograph as ag
from runtime import ops
from runtime.autodiff import (
    ForwardAccumulator,
    GradientTape,
    check_gradients,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
)
from runtime.tensor import Tensor
from runtime.variable import Variable


def cube(x):
    return x * x * x


def total(x):
    return ops.sum(ops.sin(x) * x)


def test_result_has_the_type_of_the_argument():
    assert grad(cube)(2.0) == 12.0 and type(grad(cube)(2.0)) is float
    assert type(grad(cube)(np.float32(2))) is np.float32
    assert isinstance(grad(cube)(Tensor(2.0)), Tensor)
    found = grad(total)(np.ones(2, "f4"))
    assert type(found) is np.ndarray and found.dtype == np.float32
    found[0] = 1.0  # it is the caller's own
    assert type(grad(lambda z: ops.real(z * z))(1j)) is complex


def test_plain_numpy_functions():
    x = np.array([0.5, 1.5])
    np.testing.assert_allclose(grad(lambda x: np.sum(np.sin(x) * x))(x), np.cos(x) * x + np.sin(x))


def test_value_and_grad_and_aux():
    assert value_and_grad(cube)(2.0) == (8.0, 12.0)
    value, found = value_and_grad(lambda x: (cube(x), {"twice": 2 * x}), has_aux=True)(2.0)
    assert (value, found) == ((8.0, {"twice": 4.0}), 12.0)
    assert grad(lambda x: (cube(x), "more"), has_aux=True)(2.0) == (12.0, "more")


def test_several_arguments_and_nests():
    found = grad(lambda p, y: p["a"] * y + p["b"][0] ** 2 * y, (0, -1))({"a": 2.0, "b": [3.0]}, 4.0)
    assert found == ({"a": 4.0, "b": [24.0]}, 11.0)
    assert grad(lambda x, y: x * y, 1)(2.0, 5.0) == 2.0
    x = Tensor(np.float64(3.0))
    assert grad(lambda x, y: x * y * y)(x, x).array == 9.0


def test_unconnected_argument_gives_zeros():
    np.testing.assert_array_equal(grad(lambda x, y: y * 1.0)(np.ones(2), 2.0), [0.0, 0.0])


def test_variables_as_arguments():
    v = Variable(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(grad(lambda v: (v * v).sum())(v).array, [2.0, 4.0])


@pytest.mark.parametrize(("f", "x", "message"), [
    (cube, 3, "floating arguments.*int.*3.0"),
    (lambda x: x * 1.0, np.ones(2), r"scalar, but it is float64\[2\].*jacobian"),
    (lambda x: x > 1.0, 1.0, "floating result, but it is bool"),
    (lambda x: (x, x), 1.0, "scalar, but it is tuple"),
])  # fmt: skip
def test_wrong_use_is_explained(f, x, message):
    with pytest.raises(TypeError, match=message):
        grad(f)(x)


def test_an_exception_of_the_function_leaves_no_tape():
    from runtime import trace

    with pytest.raises(ZeroDivisionError):
        grad(lambda x: x / 0)(1.0)
    assert trace.tapes() == ()


def test_nested_grads():
    assert grad(grad(cube))(2.0) == 12.0
    assert grad(grad(grad(cube)))(2.0) == 6.0
    assert grad(lambda x: x * grad(lambda y: x * y * y)(3.0))(2.0) == 24.0


def test_stop_gradient():
    assert grad(lambda x: stop_gradient(x) * x)(3.0) == 3.0
    assert grad(Compiled(lambda x: stop_gradient(x) * x))(3.0) == 3.0


def test_vjp_can_be_pulled_back_more_than_once():
    value, pull_back = vjp(lambda x, y: (x * y, x + y), 2.0, np.array([3.0, 4.0]))
    np.testing.assert_array_equal(value[0], [6.0, 8.0])
    gx, gy = pull_back((np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    assert gx == 4.0
    np.testing.assert_array_equal(gy, [2.0, 1.0])
    assert pull_back((np.zeros(2), np.ones(2)))[0] == 2.0


def test_jvp():
    assert jvp(cube, (2.0,), (1.0,)) == (8.0, 12.0)
    value, moved = jvp(lambda x, y: {"p": x * y, "c": y * 2}, (2.0, 3.0), (1.0, 10.0))
    assert (value, moved) == ({"p": 6.0, "c": 6.0}, {"p": 23.0, "c": 20.0})
    assert jvp(lambda x, y: y * 1.0, (2.0, 3.0), (1.0, 0.0))[1] == 0.0


def test_jacobians():
    x = np.array([1.0, 2.0])

    def f(x):
        return ops.stack([x[0] * x[1], x[0], x[1] ** 2])

    expected = [[2.0, 1.0], [1.0, 0.0], [0.0, 4.0]]
    np.testing.assert_array_equal(jacobian(f)(x), expected)
    np.testing.assert_array_equal(jacfwd(f)(x), expected)
    np.testing.assert_array_equal(jacobian(Compiled(f))(x), expected)
    np.testing.assert_array_equal(jacfwd(Compiled(f))(x), expected)
    left, right = jacobian(lambda x, y: x * y, (0, 1))(x, 3.0)
    np.testing.assert_array_equal(left, np.diag([3.0, 3.0]))
    np.testing.assert_array_equal(right, x)
    assert jacobian(cube)(2.0) == 12.0


@pytest.mark.parametrize("compiled", [False, True])
def test_hessian_and_its_product(compiled):
    def f(x):
        return ops.sum(ops.sin(x) * x[::-1] ** 2)

    f = Compiled(f) if compiled else f
    x, v = np.array([0.3, 0.7, 1.1]), np.array([1.0, -2.0, 0.5])
    matrix, eps = hessian(f)(x), 1e-5
    numeric = np.stack([(grad(f)(x + e) - grad(f)(x - e)) / (2 * eps) for e in eps * np.eye(3)])
    np.testing.assert_allclose(matrix, numeric, atol=1e-6)
    np.testing.assert_allclose(hvp(f, (x,), (v,)), matrix @ v)
    np.testing.assert_allclose(grad(lambda x: ops.sum(grad(f)(x) * v))(x), matrix @ v)


def test_hvp_of_several_arguments():
    assert hvp(lambda x, y: x * x * y, (2.0, 3.0), (1.0, 0.0)) == (6.0, 4.0)


# ---- ForwardAccumulator ----------------------------------------------------------------------


def power(x):
    return while_loop(lambda y: y < 100, lambda y: y * y, x)


@pytest.mark.parametrize(("f", "first", "second"), [
    (cube, 27.0, 18.0), (Compiled(power), 17496.0, 40824.0),
])  # fmt: skip
def test_forward_accumulators_nest_with_all_modes(f, first, second):
    x, one = Tensor(np.float64(3.0)), Tensor(np.float64(1.0))
    with ForwardAccumulator(x, one) as forward:
        y = f(x)
    assert forward.jvp(y).array == first
    with ForwardAccumulator(x, one) as forward:
        with GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        g = tape.gradient(y, x)
    assert forward.jvp(g).array == second
    with GradientTape() as tape:
        tape.watch(x)
        with ForwardAccumulator(x, one) as forward:
            moved = forward.jvp(f(x))
    assert tape.gradient(moved, x).array == second
    with ForwardAccumulator(x, one) as outer:
        with ForwardAccumulator(x, one) as inner:
            moved = inner.jvp(f(x))
    assert outer.jvp(moved).array == second


def test_forward_accumulator_on_nests_variables_and_the_unconnected():
    v, x = Variable(2.0), Tensor(np.array([1.0, 2.0]))
    with ForwardAccumulator([v, x], [Tensor(10.0), Tensor(np.array([1.0, 0.0]))]) as forward:
        y = v * x
        z = Tensor(1.0) * 2.0
    np.testing.assert_array_equal(forward.jvp(y).array, [12.0, 20.0])
    assert forward.jvp([y, z])[1] is None
    assert forward.jvp(z, unconnected_gradients="zero").array == 0.0
    with pytest.raises(ValueError, match="structure"):
        ForwardAccumulator([v], v)


# ---- inside graphs ---------------------------------------------------------------------------


def test_transforms_inside_a_graph():
    def f(x):
        second = grad(grad(lambda y: ops.sum(fori(3, lambda i, z: z * y, y))))(x)
        value, moved = jvp(power, (x,), (np.float64(1.0),))
        return grad(power)(3.0) + 0.0 * x, second, moved, value

    found = Compiled(f)(np.float64(3.0))
    assert [float(t.array) for t in found] == [17496.0, 108.0, 17496.0, 6561.0]
    check_gradients(Compiled(f), [np.float64(1.5)], order=1, rtol=1e-3)


def test_hessian_inside_a_graph():
    f = Compiled(hessian(lambda x: ops.sum(cube(x))))
    np.testing.assert_array_equal(f(np.array([1.0, 2.0])).array, np.diag([6.0, 12.0]))
    np.testing.assert_array_equal(
        Compiled(jacfwd(cube))(np.array([1.0, 2.0])).array, np.diag([3.0, 12.0])
    )


def test_the_check_finds_wrong_rules():
    from runtime.autodiff import custom_gradient

    wrong = custom_gradient(lambda x: (x * x, lambda dy: dy * x))
    with pytest.raises(AssertionError, match="reverse mode, 2 to go: differences give"):
        check_gradients(wrong, [np.array([1.0, 2.0])])
    late = custom_gradient(lambda x: (x * x, lambda dy: dy * (x + stop_gradient(x))))
    check_gradients(late, [np.array([1.0, 2.0])], order=1)
    with pytest.raises(AssertionError, match="1 to go"):
        check_gradients(late, [np.array([1.0, 2.0])], order=2)


LEAVING = {
    "math": lambda x: math.sin(x),
    "float": lambda x: x * float(x),
    "item": lambda x: x * x.item(),
    "array": lambda x: np.sum(np.array(x * x)),
    "list": lambda x: x * np.reshape(x, (1,)).tolist()[0],
    "complex": lambda x: complex(x * x).real,
}


@pytest.mark.parametrize("name", LEAVING)
def test_what_would_be_missing_from_a_derivative_is_refused(name):
    f = LEAVING[name]
    for derivative in (ag.grad(f), lambda x: ag.jvp(f, (x,), (1.0,)), lambda x: ag.vjp(f, x)):
        with pytest.raises(ag.StagingError, match=r"test_transforms.py:\d+, .* missing from the"):
            derivative(2.0)
    slope = 2 * 2.0 if name != "math" else math.cos(2.0)
    if name != "list":
        assert ag.grad(ag.convert(f))(2.0) == pytest.approx(slope)


def test_a_value_may_leave_where_no_derivative_is_wanted():
    seen = []

    def f(x):
        seen.append(float(x.numpy()))
        scale = math.exp(ag.stop_gradient(x))
        assert x > 0 and int(x) == 2 and f"{x:.1f}" == "2.0"
        return scale * x + float(3 - ag.constant(1.0))

    assert ag.grad(f)(2.0) == math.exp(2.0) and seen == [2.0]
    x = ag.constant(2.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x * float(x)
    assert tape.gradient(y, x).item() == 2.0


DERIVATIVES = [
    lambda f, x: ag.grad(f)(x),
    lambda f, x: ag.vjp(f, x),
    lambda f, x: ag.jvp(f, (x,), (x,)),
    lambda f, x: ag.jacobian(f)(x),
    lambda f, x: ag.jacfwd(f)(x),
    lambda f, x: ag.hessian(f)(x),
    lambda f, x: ag.hvp(f, (x,), (x,)),
    lambda f, x: ag.vjp(lambda x: 2 * x, x)[1](np.ones(5)),
]


@pytest.mark.parametrize("derivative", DERIVATIVES)
def test_errors_show_the_users_lines_only(derivative):
    def wrong(x):
        return x.reshape(7).sum()

    with pytest.raises(ValueError, match="cannot reshape") as caught:
        derivative(wrong, np.ones(3))
    assert {entry.path.name for entry in caught.traceback} == {"test_transforms.py"}


@pytest.mark.parametrize("number", [2, -3])
def test_an_argument_that_is_not_there_is_named(number):
    with pytest.raises(IndexError, match=f"argnums has {number}, and the call has 2 arguments"):
        ag.grad(lambda x, y: x * y, argnums=number)(1.0, 2.0)


@pytest.mark.parametrize("argnums", ["w", (0, "w"), 1.0])
def test_arguments_are_named_by_position(argnums):
    with pytest.raises(TypeError, match=r"argnums are positions of arguments|not iterable"):
        ag.grad(lambda w, x: w * x, argnums)(1.0, 2.0)


@pytest.mark.parametrize("transform", [ag.grad, ag.value_and_grad, ag.jacobian, ag.custom_gradient])
def test_what_is_no_function_is_refused_at_once(transform):
    with pytest.raises(TypeError, match="takes a function, not 3"):
        transform(3)
