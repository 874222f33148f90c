"""Gradients of what only a branch or round uses that did not happen: as where nobody walked there.

Each function is differentiated as plain Python first, whose tape sees the path that is taken and
nothing else. At the points given, a derivative off that path is infinite or nan.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS

ROUNDS = (np.array([0.0, 4.0, 9.0]), np.array([4.0, 0.0, 1.0]), np.array([1.0, 4.0, 0.0]))
PAIRS = (np.array([0.0, 0.0]), np.array([0.0, 4.0]), np.array([4.0, 4.0]))
ROOTS = (0.0, 4.0)
PROGRAMS = []


def program(*points):
    """Have a function tried at points: (x, *further arguments), or x."""

    def add(function):
        for i, point in enumerate(points):
            args = point if isinstance(point, tuple) else (point,)
            PROGRAMS.append(pytest.param(function, args, id=f"{function.__name__}-{i}"))
        return function

    return add


@program(np.zeros(3), np.array([3.0, 4.0, 0.0]))
def early_return(x):
    n = np.linalg.norm(x)
    if n == 0:
        return x.sum()
    return (x / n).sum()


@program(np.zeros(3), np.array([3.0, 4.0, 0.0]))
def conditional_expression(x):
    n = np.linalg.norm(x)
    return (x / n).sum() if n > 0 else 2.0 * x.sum()


@program(*ROOTS)
def used_in_one_arm(x):
    s = np.sqrt(x)
    if x > 0:  # noqa: SIM108 - the statement is meant
        y = s * x
    else:
        y = 3.0 * x
    return y


@program(*ROOTS)
def arm_with_a_singular_derivative(x):
    y = np.sqrt(x) if x > 0 else 0.0 * x
    return y + x


@program(np.zeros(2), np.array([1.0, 4.0]))
def infinite_values(x):
    n = 1.0 / x
    y = np.sin(n * x) * np.exp(n)
    z = (y * y).sum()
    return z if x[0] != 0 else (x * 5.0).sum()


@program(*ROUNDS)
def last_round_alone(x):
    d = 0.0
    for v in x:
        d = np.sqrt(v)
    return d


@program(*ROUNDS)
def left_by_break(x):
    t = 0.0
    for v in x:
        s = np.sqrt(v)
        if v == 0:
            break
        t = t + s
    return t + x.sum()


@program(*ROUNDS)
def left_by_continue(x):
    t = 0.0
    for v in x:
        s = np.sqrt(v)
        if v == 0:
            continue
        t = t + s * v
    return t


@program(*ROUNDS)
def left_by_return(x):
    t = 0.0
    for v in x:
        s = np.log(v)
        if v == 0:
            return t + 2 * v
        t = t + s * v
    return t


@program(*ROUNDS)
def while_with_break(x):
    i = 0
    last = x[0]
    while i < 3:
        r = 1.0 / x[i]
        if x[i] == 0:
            break
        last = last * r
        i += 1
    return last


@program((0.0, np.int64(0)), (4.0, np.int64(0)), (4.0, np.int64(3)))
def no_round(x, k):
    n = np.sqrt(x)
    t = x * 1.0
    for _ in range(k):
        t = t * 0.5 + n * t
    return t


@program(*ROOTS)
def carried_and_not_used(x):
    a = np.sqrt(x)
    b = x
    i = 0
    while i < 3:
        if x > 0:
            b = b + a
        a = a * 0.5
        i += 1
    return b


@program(*PAIRS)
def rows_of_a_triangle(x):
    t = 0.0
    for i in range(len(x)):
        n = np.sqrt(x[i])
        for j in range(i):
            t = t + n * x[j]
    return t + x.sum()


@program(*ROUNDS)
def written_under_either_name(x):
    r = np.sqrt(x)
    u = x * 2.0
    if x[0] > 0:
        u = r
    u[1] = 3.0
    return u.sum() + (x * x).sum()


@program(*ROUNDS)
def results_of_two_conditions(x):
    a, b = np.sqrt(x[0]), np.log(x[1])
    c = d = x[2]
    if x[0] > 0:
        c = a
    if x[1] > 0:
        d = b
    p, q = (c * d, c) if x[2] > 0 else (d, d * c)
    return p if x[1] > 1 else q


@program(*ROOTS)
def condition_of_and(x):
    s = np.sqrt(x)
    if x > 0 and s > 1:
        return s
    return x * 7.0


@program(*ROOTS)
def value_of_or(x):
    s = np.sqrt(x)
    return (x and s) + (x or x + 1.0)


@program(*ROOTS)
def caught_error(x):
    n = np.sqrt(x)
    try:
        if x == 0:
            raise ValueError("zero")
        y = n * x
    except ValueError:
        y = 3.0 * x
    return y


@program(*((x, np.int64(k)) for x in ROOTS for k in range(3) if x or k < 2))
def matched(x, k):
    s = np.sqrt(x)
    r = np.log(x + 0.0 * s) if k == 2 else np.cbrt(x)
    match k:
        case 0:
            return x * 2.0
        case 1:
            return x * x
        case _:
            return s + r


@program(*PAIRS)
def nested_branches(x):
    n = np.sqrt(x)
    q = n / n.sum()
    u = q * q
    if x[1] > 0:
        r = u.sum() * x[0]
        if x[0] > 0:
            r = r + n.sum()
    else:
        r = x.sum()
    return r


@program(*ROOTS)
def recursion(x):
    def go(x, k):
        s = np.sqrt(x)
        if k == 0:
            return x * 2.0
        return go(x + 1.0, k - 1) + (s if x > 0 else x)

    return go(x, np.int64(3))


@program(*ROOTS)
def helper(x):
    def inner(n, x):
        if x == 0:
            return x * 2
        return n * n

    return inner(np.sqrt(x), x)


@pytest.fixture(autouse=True)
def calm():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.broad(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_gradient_of_the_path_taken(function, args, backend):
    wanted = ag.grad(function)(*args)
    assert np.any(np.isfinite(wanted))
    with config.backend.using(backend):
        converted = ag.convert(function)
        same(ag.grad(converted)(*args), wanted)
        assert converted.trace_count == 1
        # The gradient is part of the graph, too.
        same(ag.convert(lambda *args: ag.grad(function)(*args))(*args), wanted)


@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_what_a_caller_computed_is_not_walked_either(function, args):
    """The argument is a result whose own derivative is infinite, which a tape has recorded."""
    converted = ag.convert(function)

    def outer(call, x, *rest):
        return call(x * x, *rest) + x.sum()

    wanted = ag.grad(outer, 1)(function, *args)
    same(ag.grad(outer, 1)(converted, *args), wanted)


@pytest.mark.broad(3)
@pytest.mark.parametrize(("function", "args"), PROGRAMS)
def test_second_derivatives_and_forward_mode(function, args):
    def by_first(call):
        return lambda x: call(x, *args[1:])

    tangent = np.ones_like(args[0]) if isinstance(args[0], np.ndarray) else 1.0
    wanted = ag.jvp(ag.grad(by_first(function)), args[:1], (tangent,))
    found = ag.jvp(ag.grad(by_first(ag.convert(function))), args[:1], (tangent,))
    for part, other in zip(found, wanted, strict=True):
        same(part, other)
    plain = ag.jvp(by_first(function), args[:1], (tangent,))[1]
    same(ag.jvp(by_first(ag.convert(function)), args[:1], (tangent,))[1], plain)


def test_a_result_that_is_not_differentiated():
    """Of two results one has an infinite derivative, and no gradient of it is asked."""

    both = ag.convert(lambda x: (x.sum(), np.arcsin(x).sum()))
    x = np.array([1.0, 0.0])
    assert ag.grad(lambda x: both(x)[0])(x).tolist() == [1.0, 1.0]
    assert ag.grad(lambda x: both(x)[1])(x).tolist() == [np.inf, 1.0]


def test_a_caller_that_computed_the_argument_alone():
    """Nothing comes back to the root of zero where the branch does not use it."""

    @ag.convert
    def inner(n, x):
        if x == 0:
            return x * 2.0
        return n * n

    assert ag.grad(lambda x: inner(np.sqrt(x), x))(0.0) == 2.0


def test_a_factor_of_zero_stays_zero_where_a_derivative_is_infinite():
    """On the path that is taken, too, and converted or not."""

    def f(x):
        s = np.arcsin(x)
        return 0.0 * s if x == 1 else s

    assert ag.grad(f)(1.0) == ag.grad(ag.convert(f))(1.0) == 0.0


def test_no_branch_is_made_where_no_rule_reads_values():
    """Linear functions need to know of no presence."""

    @ag.convert
    def f(x, k):
        n = x[1:] + x[:-1]
        if k > 0:
            return n.sum()
        return x.sum()

    gradient = ag.convert(lambda x, k: ag.grad(f)(x, k))
    x = np.arange(3.0)
    assert gradient(x, np.int64(1)).tolist() == [1.0, 2.0, 1.0]
    text = str(gradient.get_concrete_function(x, np.int64(1)).graph)
    assert "present" not in text
