"""Names in converted code are those of the source: qualified names, any name, errors (S3)."""

import types

import numpy as np
import pytest

import autograph as ag


def make_things(x):
    if x > 0:

        def function(y):
            def inner():
                return y

            return inner

        class Thing:
            class Part:
                pass

            def method(self):
                return lambda: 3

    for i in range(1):
        if i == 0:
            other = lambda z: z
    return function, function(1), Thing, Thing.Part, Thing.method, Thing().method(), other


def test_qualified_names_are_those_of_the_source():
    expected = [thing.__qualname__ for thing in make_things(1)]
    assert [thing.__qualname__ for thing in ag.to_graph(make_things)(1)] == expected
    text = types.ModuleType("text")
    exec(ag.to_code(make_things), text.__dict__)
    found = [thing.__qualname__ for thing in text.make_things(1)]
    assert [found[i] for i in (0, 1, 6)] == [expected[i] for i in (0, 1, 6)]


fscope = 3


def test_a_lambda_may_use_any_name():
    assert ag.to_graph(lambda x: x + fscope)(1) == 4
    assert ag.to_graph(lambda fscope: (lambda fscope_1: fscope + fscope_1)(2))(1) == 3
    space = {}
    text = ag.to_code(lambda fscope: fscope * 2)
    exec(text, space)
    assert space["lambda_"](2) == 4


def read_unbound(kind, bind):
    try:
        if kind == 0:
            return (lambda: later)()
        if kind == 1:
            return [later for _ in range(2)]
        if kind == 2:
            return list(later for _ in range(2))
        if kind == 3:
            return (lambda: [later for _ in range(2)])()
        return later
    except NameError as error:
        return type(error).__name__, str(error)
    if bind:
        later = np.ones(2)


@pytest.mark.parametrize("kind", range(5))
def test_unbound_outer_names_are_reported_as_python_does(kind):
    assert ag.to_graph(read_unbound)(kind, False) == read_unbound(kind, False)
