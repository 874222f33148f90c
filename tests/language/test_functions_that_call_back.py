"""Functions of ours and of the library that call the user's, in converted code."""

import contextlib
import functools
import itertools
import operator
import types

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


def larger(a, b):
    return a if a > b else b


class Counting:
    def __init__(self):
        self.calls = 0

    def __call__(self, a, b):
        self.calls += 1
        return larger(a, b)

    def sign(self, a):
        return 1 if a > 0 else -1


def by_an_object(x):
    counting = Counting()
    result = functools.reduce(counting, x)
    return result, counting.calls, [counting.sign(v) for v in x]


OF_THE_LIBRARY = {
    "accumulate with a built-in": lambda x: list(itertools.accumulate(x, max)),
    "accumulate by name": lambda x: list(itertools.accumulate(x, func=larger, initial=0.0)),
    "accumulate without": lambda x: list(itertools.accumulate(x)),
    "reduce": lambda x: functools.reduce(larger, x),
    "reduce with a built-in": lambda x: functools.reduce(min, x, 2.0),
    "reduce with a ufunc": lambda x: functools.reduce(np.maximum, x),
    "reduce with a partial": lambda x: functools.reduce(functools.partial(larger), x),
    "reduce with an object": by_an_object,
    "starmap": lambda x: list(itertools.starmap(larger, zip(x, x[::-1], strict=True))),
}


@pytest.mark.parametrize("sample", OF_THE_LIBRARY.values(), ids=OF_THE_LIBRARY)
def test_functions_that_the_library_calls_are_converted(sample):
    f = ag.convert(sample)
    for x in (np.array([3.0, 1.0, 4.0]), np.array([-3.0, 5.0, -4.0])):
        assert_equal(f(x), sample(x), joined=True)
    assert f.trace_count == 1


class Scale:
    def __init__(self, by, calls):
        self.by, self.calls = by, calls

    def of(self, x, *more, plus=0.0):
        self.calls.append(len(more))
        return x * self.by + plus if x > 1 else x - self.by


def of_methods(scale):
    """Calls of a method, or of what is made one, that a function of the library makes."""

    def bound(owner, x):
        scale.calls.append(-1)
        return owner * x if owner > 1 else x + scale.by

    return {
        "methodcaller": lambda x: operator.methodcaller("of", x)(scale),
        "methodcaller by name": lambda x: operator.methodcaller("of", x, 1, plus=x)(scale),
        "methodcaller in map": lambda x: list(map(operator.methodcaller("of", x), [scale, scale])),
        "methodcaller of an array": lambda x: operator.methodcaller("sum")(np.ones(2) * x),
        "MethodType": lambda x: types.MethodType(bound, x)(scale.by),
    }


@pytest.mark.parametrize("name", of_methods(Scale(1.0, [])))
def test_methods_that_the_library_calls_are_converted(name):
    scale, its = Scale(2.0, []), Scale(2.0, [])
    plain, function = of_methods(scale)[name], ag.convert(of_methods(its)[name])
    for by in (2.0, 3.0, 3.0):
        scale.by = its.by = by
        for x in (0.5, 4.0):
            assert_equal(function(x), plain(x), joined=True)
            assert its.calls == scale.calls
