"""Defaults that can change are the same objects in all calls, as in Python."""

import contextlib

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.defaults import with_defaults
from tests.autograph.operators.tracing_by_hand import tracing
from tests.language.harness import check


def makers():
    """Functions of the user's that make what they remember once, as defaults."""

    def appending(x, seen=[], /, times=2, *, sums={"all": 0.0}):  # noqa: B006
        seen.append(x)
        sums["all"] += x * times
        return len(seen), sums["all"]

    def writing(x, row=np.ones(3)):  # noqa: B008
        row[0] += x
        return row.sum()

    class Settings:
        def __init__(self):
            self.scale = 2.0

    class Bag:
        def __init__(self, items=[]):  # noqa: B006
            self.items = items

        def add(self, x, log=[]):  # noqa: B006
            log.append(1)
            self.items.append(x)
            return len(log)

        def __call__(self, x, log=[]):  # noqa: B006
            log.append(x)
            return len(log)

        @classmethod
        def made(cls, x, log=[]):  # noqa: B006
            log.append(x)
            return len(log)

        @staticmethod
        def kept(x, log=[]):  # noqa: B006
            log.append(x)
            return len(log)

    def configured(x, settings=Settings()):  # noqa: B008
        return x * settings.scale

    return appending, writing, configured, Bag


def programs():
    """Functions to convert, each with what it calls made anew."""
    appending, writing, configured, kind = makers()

    def of_lists(x):
        a = appending(x)
        return a, appending(x, times=3), appending(x, sums={"all": x})

    def of_branches(x):
        if x > 1:
            return appending(x)[1]
        return appending(x * 2, times=1)[1]

    def of_arrays(x):
        return writing(x), writing(x, np.zeros(3))

    def of_objects(x):
        first, second = kind(), kind()
        n = first.add(x) + second.add(x)
        return n, len(second.items), second(x), kind.made(x), kind.kept(x) + x * 0

    def of_settings(x):
        configured.__defaults__[0].scale += 1.0
        return configured(x), configured(x)

    def own(x):
        def inner(v, found=[]):  # noqa: B006
            found.append(v)
            return len(found)

        return inner(x), inner(x) + x * 0

    return of_lists, of_branches, of_arrays, of_objects, of_settings, own


@pytest.mark.parametrize("k", range(6), ids=[f.__name__ for f in programs()])
def test_defaults_last_as_in_python(k):
    plain, converted = programs()[k], ag.convert(programs()[k])
    for x in (1.0, 2.0, 0.5, 3.0):
        assert converted(x) == plain(x)


def test_a_default_array_is_an_input_by_reference():
    weights = np.ones(3)

    def scaled(x, weights=weights):
        return x * weights

    function = ag.convert(lambda x: scaled(x))
    assert function(2.0).tolist() == [2.0, 2.0, 2.0]
    weights[1] = 5.0
    assert function(2.0).tolist() == [2.0, 10.0, 2.0] and function.trace_count == 1


def test_what_is_given_is_no_default():
    def given(x, seen=None):
        seen = [] if seen is None else seen
        seen.append(x)
        return seen

    check(lambda x: (given(x), given(x, [1.0])), (2.0,), (3.0,))


def test_only_what_can_change_is_filled_in():
    def function(a, b=1, c=[], *, d="text", e={}):  # noqa: B006
        return a

    assert with_defaults(function, (1,), {}) == ((1,), {})  # no trace is under way
    with tracing(function) as trace:
        args, kwargs = with_defaults(function, (1,), {})
        assert args == (1,) and list(kwargs) == ["c", "e"]
        assert kwargs["c"] is function.__defaults__[1]
        assert with_defaults(function, (1, 2, [3]), {"e": {}}) == ((1, 2, [3]), {"e": {}})
        assert [guard.place.name for guard in trace.captures.guards.values()] == [
            f"`{name}`, a default of `{function.__qualname__}`" for name in "ce"
        ]


def callers(held):
    """Functions that leave a default to a function which others call, and to a converted one."""

    def scaled(x, by=held):
        return x * by[0] * len(by)

    @contextlib.contextmanager
    def entered(x, by=held):
        yield x * by[0] * len(by)

    def in_a_with(x):
        with entered(x) as value:
            return value

    converted = ag.convert(scaled)
    return {
        "a converted one": lambda x: converted(x),
        "a manager": in_a_with,
        "grad": lambda x: ag.grad(scaled)(x),
        "grad of a converted one": lambda x: ag.grad(converted)(x),
        "vmap": lambda x: ag.vmap(scaled)(np.ones(2) * x),
        "map_fn": lambda x: ag.map_fn(scaled, np.ones(2) * x),
        "map": lambda x: list(map(scaled, [x, x])),
        "sorted": lambda x: sorted([x, -x], key=scaled),
        "piecewise": lambda x: np.piecewise(np.ones(2) * x, [np.ones(2) > 0], [scaled]),
        "apply_along_axis": lambda x: np.apply_along_axis(scaled, 0, np.ones(2) * x),
    }


@pytest.mark.parametrize("name", callers([]))
def test_a_default_that_others_change_is_seen_wherever_it_is_left(name):
    held = [2.0]
    plain, function = callers(held)[name], ag.convert(callers(held)[name])

    def change():
        yield
        held[0] = -5.0
        yield
        held.append(1.0)
        yield

    for _ in change():
        for _ in range(2):
            np.testing.assert_array_equal(function(1.5), plain(1.5))


def test_vmap_sees_the_defaults_of_its_function():
    held = [2.0]

    mapped = ag.vmap(lambda x, by=held: x * by[0])
    assert mapped(np.ones(2)).tolist() == [2.0, 2.0]
    held[0] = 5.0
    assert mapped(np.ones(2)).tolist() == [5.0, 5.0]
