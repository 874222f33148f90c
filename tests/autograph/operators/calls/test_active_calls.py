"""Calls under way: what tells one from another, in one trace and in the next attempt."""

import functools

from autograph.operators.calls.active_calls import Call, Mark, Recursions, code_of, is_same_function
from runtime.building import building, traced
from runtime.spec import type_of_number
from tests.autograph.operators.tracing_by_hand import tracing


def f(x, n, *, flag=False):
    return x


def call(*args, function=f, **kwargs):
    return Call(function, args, kwargs, building())


def scalar():
    return traced(building().input(type_of_number(1.0)))


def test_arguments_are_bound_and_defaults_filled_in():
    assert dict(call(1.0, n=2).arguments) == {"x": 1.0, "n": 2, "flag": False}
    assert call(1.0).bound is None  # Python itself says what is wrong


def test_the_places_of_numbers_in_which_a_later_call_differs():
    with tracing():
        x = scalar()
        first = call(x, 3)
        assert first.differences(call(scalar(), 3)) == set()
        assert first.differences(call(x, 2)) == {"n"}
        assert first.differences(call(x, scalar())) == {"n"}
        assert first.differences(call(x, 3, flag=True)) is None
        assert first.differences(call(x, "3")) is None


def test_a_call_covers_those_with_the_same_values():
    with tracing():
        first = call(scalar(), 3)
        assert first.covers(call(scalar(), 3)) and not first.covers(call(scalar(), 2))
        assert first.differs_in_numbers(call(scalar(), 2))


def test_the_key_is_the_same_in_another_attempt():
    def key():
        with tracing():
            return call(scalar(), 3).key

    assert key() == key()
    with tracing():
        assert call(scalar(), 2).key != key() and call(3, 3).key != key()


def test_functions_are_the_same_with_the_same_captured_names():
    def make(k):
        return lambda n: n + k

    one, two, other = make(1.5), make(2.5), make(1.5)
    assert is_same_function(one, one) and not is_same_function(one, two)
    assert code_of(one) is code_of(other)


def test_a_function_that_wraps_another_is_itself():
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args)

    wrapper.__dict__["__ag_original__"] = lambda: f
    assert code_of(wrapper) is wrapper.__code__


def test_what_is_learnt_is_news_once():
    known = Recursions()
    known.learn("key", frozenset({"n"}))
    assert known.begin() and not known.begin()
    known.learn("key", frozenset({"n"}))
    assert not known.begin()
    known.learn("key", frozenset({"x"}))
    assert known.begin() and known.marks["key"].numbers == {"n", "x"}
    assert isinstance(known.marks["key"], Mark) and not known.open
