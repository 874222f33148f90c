"""Functions of ours that call the user's, in converted code."""

import contextlib
import functools

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import assert_equal, no_line_of

F = np.float64


def powered(x):
    y = x
    while y < 100.0:
        y = y * y if y > 10 else y * x
    return y


@ag.custom_gradient
def bounded(x):
    y = x * x if x > 1 else x * 3.0

    def gradient(dy):
        if dy > 2:
            return dy * 10.0
        return dy * 5.0

    return y, gradient


DERIVATIVE = ag.grad(powered)
COMPOSED = {
    "grad of plain": lambda x: ag.grad(powered)(x),
    "grad made outside": lambda x: DERIVATIVE(x),
    "value and grad": lambda x: ag.value_and_grad(powered)(x),
    "hessian": lambda x: ag.hessian(powered)(x),
    "jvp": lambda x: ag.jvp(powered, (x,), (1.0,)),
    "vjp": lambda x: ag.vjp(powered, x)[1](1.0),
    "jacfwd": lambda x: ag.jacfwd(powered)(x),
    "partial": lambda x: ag.grad(functools.partial(powered))(x),
    "custom": lambda x: bounded(x),
    "grad of custom": lambda x: ag.grad(lambda y: bounded(y) * 3.0)(x),
    "recomputed": lambda x: ag.grad(ag.recompute_grad(powered))(x),
}


@pytest.mark.parametrize("sample", COMPOSED.values(), ids=COMPOSED)
def test_d_transforms_of_plain_functions_in_converted_code(sample):
    f = ag.convert(sample)
    for k, x in enumerate((F(2.0), F(5.0), F(12.0))):
        with no_line_of(__file__) if k else contextlib.nullcontext():
            got = f(x)
        assert_equal(got, sample(x), joined=True, tolerance=1e-12)
    assert f.trace_count == 1


@pytest.mark.parametrize("transform", [ag.grad, ag.value_and_grad, ag.hessian, ag.jacfwd])
@pytest.mark.parametrize("function", [powered, bounded])
def test_d_converted_transforms(transform, function):
    f, plain = ag.convert(transform(function)), transform(function)
    for k, x in enumerate((F(2.0), F(5.0), F(12.0))):
        with no_line_of(__file__) if k else contextlib.nullcontext():
            got = f(x)
        assert_equal(got, plain(x), joined=True, tolerance=1e-12)
    assert f.trace_count == 1


class Learner:
    def __init__(self):
        self.weight = F(3.0)

    def loss(self, x):
        return x * self.weight if x > 1 else x


def test_d_gradients_of_methods_follow_the_object():
    learner = Learner()
    f = ag.convert(lambda x: ag.grad(learner.loss)(x))
    g = ag.convert(ag.grad(learner.loss))
    assert f(F(2.0)) == g(F(2.0)) == 3.0 and f(F(0.5)) == g(F(0.5)) == 1.0
    learner.weight = F(4.0)
    assert f(F(2.0)) == g(F(2.0)) == 4.0 and f.trace_count == g.trace_count == 1
