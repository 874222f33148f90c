"""Decorators of functions that converted code defines."""

from __future__ import annotations

import functools
from contextlib import contextmanager

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.methods import is_marked
from tests.language.harness import check, count_nodes, refuse

F = np.float64
I = np.int64


def counted(function):
    @functools.wraps(function)
    def wrapper(*args):
        wrapper.calls += 1
        return function(*args)

    wrapper.calls = 0
    return wrapper


def counts_in_a_loop(x):
    @counted
    def halved(v):
        return v / 2

    while x > 1:
        x = halved(x)
    return x, halved.calls, halved.__name__


def counts_in_a_branch(x):
    @counted
    @counted
    def halved(v):
        return v / 2

    if x > 1:
        x = halved(x)
    return x, halved.calls


def checked(function):
    @functools.wraps(function)
    def wrapper(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return function(x)

    return wrapper


def decides_on_data(x):
    @checked
    def root(v):
        return np.sqrt(v)

    return root(x)


class Counted:
    def __init__(self, function):
        self.function = function
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return self.function(x)


def decorated_by_a_class(x):
    @Counted
    def halved(v):
        return v / 2

    while halved(x) > 1:
        x = halved(x)
    return x, halved.calls


def repeated(n):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(x):
            for _ in range(n):
                x = function(x)
            return x

        return wrapper

    return decorate


def decorated_with_arguments(x, n):
    @repeated(n)
    @repeated(2)
    def step(v):
        return v * 1.5 if v < 100 else v

    return step(x)


def decorated_by_the_library(x):
    @functools.lru_cache(maxsize=None)
    def table(n):
        return n * n

    @contextmanager
    def around():
        yield x * 2

    with around() as v:
        if v > 3:
            v = v + table(3)
    return v


def test_a_wrapper_is_converted_though_it_has_the_attributes_of_a_converted_function():
    assert count_nodes(check(counts_in_a_loop, (F(9.0),), (F(0.5),)).graph, "while") == 1
    check(counts_in_a_branch, (F(9.0),), (F(0.5),))
    check(decides_on_data, (F(9.0),), (F(-0.5),))


def test_classes_arguments_and_library_decorators():
    check(decorated_by_a_class, (F(9.0),), (F(0.5),))
    check(decorated_with_arguments, (F(9.0), I(3)), (F(90.0), I(1)))
    check(decorated_by_the_library, (F(9.0),), (F(0.5),))


def test_gradients_through_a_wrapper():
    assert ag.grad(decides_on_data)(4.0) == pytest.approx(0.25)
    assert ag.grad(lambda x: counts_in_a_loop(x)[0])(9.0) == pytest.approx(1 / 16)


names = []


def registered(function):
    names.append(function.__name__)
    return function


def test_what_a_decorator_does_is_done_at_each_call():
    @ag.convert
    def scaled(x):
        @registered
        def twice(v):
            return v * 2

        return twice(x) if x > 0 else x

    names.clear()
    assert [scaled(1.0), scaled(2.0), scaled(-1.0)] == [2.0, 4.0, -1.0]
    assert names == ["twice"] * 3


def test_a_decorator_that_asks_a_file_is_a_host_call():
    def asking(function):
        return function if open(__file__).read() else None  # noqa: SIM115

    def scaled(x):
        @asking
        def twice(v):
            return v * 2

        return twice(x) if x > 0 else x

    refuse(scaled, (F(1.0),), match="gives is needed here")


def test_a_mark_is_of_one_function():
    twin = ag.to_graph(repeated)
    assert is_marked(twin)
    assert not is_marked(functools.wraps(twin)(lambda x: x))
    wrapped = functools.wraps(twin)(ag.to_graph(counted))
    assert is_marked(wrapped)
