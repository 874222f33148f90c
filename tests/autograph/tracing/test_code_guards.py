"""What a trace takes for granted about functions, and about names of built-ins and libraries."""

import builtins
import gc
import math
import types
import weakref
from unittest import mock

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.code_seen import global_names
from autograph.operators.captured.guards import MISSING
from autograph.tracing.code_guards import (
    FunctionGuard,
    NamesGuard,
    same_items,
)

X = np.array([1.0, 2.0])


def function(x=1.0, *, y=2):
    return x + y


def copied():
    made = types.FunctionType(function.__code__, {}, "function", (1.0,))
    made.__kwdefaults__ = {"y": 2}
    return made


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda f: setattr(f, "__defaults__", (2.0,)), "`__defaults__`: (1.0,) -> (2.0,)"),
        (lambda f: setattr(f, "__defaults__", (1,)), "`__defaults__`: (1.0,) -> (1,)"),
        (lambda f: setattr(f, "__defaults__", None), "`__defaults__`: (1.0,) -> None"),
        (lambda f: f.__kwdefaults__.update(y=3), "`__kwdefaults__`: {'y': 2} -> {'y': 3}"),
        (lambda f: f.__kwdefaults__.update(y=True), "{'y': 2} -> {'y': True}"),
        (lambda f: setattr(f, "__kwdefaults__", None), "{'y': 2} -> None"),
        (lambda f: setattr(f, "__code__", copied.__code__), "`__code__`: another one, of line"),
    ],
)
def test_another_part_of_a_function_is_told(change, told):
    made = copied()
    guard = FunctionGuard(made)
    assert guard.holds() and guard.is_of_code
    change(made)
    assert not guard.holds() and not guard.holds()
    assert told in guard.explain() and "`function`" in guard.explain()


def test_equal_defaults_are_the_same_ones():
    made = copied()
    guard = FunctionGuard(made)
    made.__defaults__ = (float("1"),)
    assert guard.holds() and guard.parts.are_current()


def test_a_function_is_not_kept_alive():
    made = copied()
    guard, alive = FunctionGuard(made), weakref.ref(made)
    del made
    gc.collect()
    assert alive() is None and guard.holds()


def test_names_must_mean_the_same_or_be_unbound():
    space = {"__name__": "sample", "len": len, "pi": 3.5}
    guard = NamesGuard(space, {"len": len, "pi": 3.5, "max": MISSING})
    space["pi"] = float("3.5")
    assert (
        guard.holds() and guard.unbound == ["max"] and [n for n, _ in guard.bound] == ["len", "pi"]
    )
    space["max"] = min
    assert not guard.holds()
    assert guard.explain() == "`max` of `sample`: unbound -> <built-in function min>"
    del space["max"], space["len"]
    assert not guard.holds() and "-> unbound" in guard.explain()


def test_items_are_compared_with_their_order_and_classes():
    assert same_items({"a": 1, "b": X}, {"a": 1, "b": X})
    for other in ({"b": X, "a": 1}, {"a": 1.0, "b": X}, {"a": 1, "b": X.copy()}, {"a": 1}):
        assert not same_items({"a": 1, "b": X}, other)


def test_the_names_of_a_code_are_those_of_the_functions_in_it():
    def outer(x):
        def inner(y):
            return max(y, [abs(v) for v in x])

        return len(x.shape), inner

    assert {"max", "abs", "len", "shape"} == {*global_names(outer.__code__)}


def uses(x):
    return np.cos(x) * math.floor(2.5) + len([1, 2])


def helper(x, k=1.0):
    return x * k


def calls(x):
    return helper(x) + 1


def test_what_is_guarded_is_named_when_it_changes():
    f = ag.convert(uses)
    f(X), f(X)
    with mock.patch("numpy.cos", np.sin):
        np.testing.assert_array_equal(f(X), uses(X))
        assert "`cos` of `numpy`" in f.traces()[-1].reason
    np.testing.assert_allclose(f(X), uses(X))
    g = ag.convert(calls)
    g(X), g(X)
    with mock.patch.object(helper, "__defaults__", (3.0,)):
        np.testing.assert_array_equal(g(X), calls(X))
        assert "of `helper`, `__defaults__`: (1.0,) -> (3.0,)" in g.traces()[-1].reason


def test_what_a_trace_itself_binds_and_gives_back_is_not_guarded():
    @ag.convert
    def f(x):
        old = np.cos
        np.cos = np.sin
        y = np.cos(x)
        np.cos = old
        return y

    for _ in range(3):
        np.testing.assert_allclose(f(X), np.sin(X))
    assert f.trace_count == 1


def test_names_that_change_nothing_trace_nothing_again():
    f = ag.convert(uses)
    f(X), f(X)
    builtins.some_name_of_a_test = math.some_name_of_a_test = 1
    try:
        f(X)
    finally:
        del builtins.some_name_of_a_test, math.some_name_of_a_test
    f(X)
    assert f.trace_count == 1
