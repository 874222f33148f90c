"""Objects that Python's library holds, finds or makes: what is changed of them, and made anew."""

from __future__ import annotations

import copy
import decimal
import io
import itertools
import json
import operator
import types
from collections import ChainMap, OrderedDict, UserDict, deque
from typing import Any, NamedTuple

import numpy as np
import pytest

import autograph as ag

# ---- what is changed in place, and cannot be set -------------------------------------------------


class Pair(NamedTuple):
    first: Any
    second: int


class Fixed:
    def __init__(self, values):
        self._values = values

    @property
    def values(self):
        return self._values


def _first(x, value):
    x.first += value


def _item(x, value):
    x[0] += value


def _values(x, value):
    x.values += value


def _caught(x, value):
    try:
        x.first += value
    except AttributeError:
        return value * 2


@pytest.mark.parametrize("is_list", [False, True])
@pytest.mark.parametrize(
    ("function", "holder"),
    [
        (_first, lambda x: Pair(x, 2)),
        (_item, lambda x: (x, 2)),
        (_values, Fixed),
        (_caught, lambda x: Pair(x, 2)),
        (_item, lambda x: types.MappingProxyType({0: x})),
    ],
)
def test_what_cannot_be_set_is_changed_in_place_before_the_error(function, holder, is_list):
    def found(f):
        held = [1.0] if is_list else np.ones(2)
        try:
            given = f(holder(held), np.full(2, 3.0))
        except (AttributeError, TypeError) as error:
            given = repr(error)
        return repr(held), repr(given)

    converted = ag.convert(function)
    assert [found(converted) for _ in range(2)] == [found(function)] * 2


# ---- what a library's code has found -------------------------------------------------------------


def _by_item(x, value):
    x["a"].append(value.sum())
    return value * 2


def _by_getter(x, value):
    operator.itemgetter("a")(x).append(value.sum())
    return value * 2


@pytest.mark.parametrize("kind", [dict, OrderedDict, ChainMap, types.MappingProxyType])
@pytest.mark.parametrize("function", [_by_item, _by_getter])
def test_what_is_found_in_containers_of_the_library_is_changed(function, kind):
    f, held = ag.convert(function), {"a": [1.0]}
    for _ in range(2):
        f(kind(held), np.ones(2))
    assert held == {"a": [1.0, 2.0, 2.0]}
    assert f.traces()[0].graph.nodes


BOARD = {"a": [1.0]}


@ag.do_not_convert
def board():
    return BOARD


@pytest.mark.parametrize(
    ("find", "holder"),
    [
        (lambda x: dict(x)["a"], types.MappingProxyType),
        (lambda x: {**x}["a"], types.MappingProxyType),
        (lambda x: (x | {})["a"], types.MappingProxyType),
        (lambda x: x.get("a"), ChainMap),
        (lambda x: next(iter(x.values())), ChainMap),
        (lambda x: copy.copy(x)["a"], ChainMap),
        (lambda x: max(copy.copy(x).values()), UserDict),
        (lambda x: board()["a"], dict),
    ],
)
def test_what_other_code_finds_in_older_objects_is_not_changed_in_silence(find, holder):
    def appended(x, value):
        find(x).append(value.sum())
        return value * 2

    def read(x, value):
        return sum(find(x)) * value

    for function, is_refused in ((appended, True), (read, False)):
        converted = ag.convert(function)
        for k in range(3):
            BOARD["a"][:] = [k + 1.0]
            if is_refused:
                with pytest.raises(ag.StagingError, match="a list is changed that code outside of"):
                    converted(holder(BOARD), np.ones(2))
                assert BOARD == {"a": [k + 1.0]}
            elif "board" not in find.__code__.co_names:  # what runs once, while tracing
                assert converted(holder(BOARD), np.ones(2)).tolist() == [k + 1.0] * 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: json.loads('{"a": [1]}'),
        lambda: copy.deepcopy(BOARD),
        lambda: UserDict(a=[1]),
        lambda: types.SimpleNamespace(a=[1]).__dict__,
    ],
)
def test_what_a_library_has_made_is_changed(make):
    def appended(value):
        made = make()
        made["a"].append(value.sum())
        return made["a"], value * 2

    converted = ag.convert(appended)
    for _ in range(3):
        (found, _), (wanted, _) = converted(np.ones(2)), appended(np.ones(2))
        assert found == wanted and converted.trace_count == 1
    assert converted.traces()[0].graph.nodes


# ---- what each call makes anew -------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: bytearray(b"ab"),
        lambda: decimal.Context(prec=5),
        lambda: ValueError("a", [1]),
        lambda: OrderedDict(a=1),
        lambda: deque([1]),
    ],
)
def test_each_call_gives_an_object_of_its_own(make):
    def always(x):
        made = make()
        return made, x * 2

    def on_a_path(x):
        made = None
        if x.sum() > 0:
            made = make()
        return made, x * 2

    for f in map(ag.convert, (always, on_a_path)):
        found = [f(np.ones(2))[0] for _ in range(3)]
        assert len(set(map(id, found))) == 3
        assert set(map(repr, found)) == {repr(make())}
        assert f.trace_count == 1
    assert on_a_path(-np.ones(2))[0] is ag.convert(on_a_path)(-np.ones(2))[0] is None


@pytest.mark.parametrize("make", [io.StringIO, itertools.count, lambda: zip([1], [2], strict=True)])
def test_iterators_that_one_path_makes_are_not_given_twice(make):
    def on_a_path(x):
        made = None
        if x.sum() > 0:
            made = make()
        return made

    with pytest.raises(ag.StagingError, match="every call would give the same one"):
        ag.convert(on_a_path)(np.ones(2))
