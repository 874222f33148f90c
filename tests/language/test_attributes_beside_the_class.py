"""Objects whose attributes hide those of their class, are deleted, or lead back to themselves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import autograph as ag
from runtime import config
from tests.language.harness import Samples

samples = Samples()

NUMBERS = tuple((np.float64(x),) for x in (-1.0, 1.5, 4.0))


@dataclasses.dataclass
class Record:
    value: float
    of: object = None
    limit = 0.5

    def score(self):
        return self.value * self.limit


class Slotted:
    __slots__ = ("rest", "value")
    kind = 3

    def __init__(self, value):
        self.value = value

    @property
    def twice(self):
        return self.value * 2


class Compared:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    __hash__ = None

    def score(self):
        return self.value + 1.0


@samples("E2", *NUMBERS)
def set_on_one_of_two(x):
    one, two = Record(x), Record(x + 1.0)
    two.limit = x
    return vars(one), vars(two), one.limit, hasattr(one, "limit"), one.score(), two.score()


def given_back(x):
    one, two = Record(x), Record(x + 1.0)
    if x > 1:
        two.limit = x
    return one, two, one.limit, two.limit, hasattr(one, "limit")


def of_rounds(x):
    found = []
    for k in range(int(x) + 2):
        record = Record(x)
        if k > 0:
            record.limit = k * 1.0
        found.append(record)
    return found, sum([record.limit for record in found])


def with_its_own_method(x):
    one, two = Record(x), Record(x + 1.0)
    plain = one.score
    two.score = lambda: x
    return one, plain(), one.score(), two.score()


def shown(result):
    if isinstance(result, (list, tuple)):
        return type(result)(map(shown, result))
    return vars(result) if isinstance(result, Record) else result


@pytest.mark.parametrize("function", [given_back, of_rounds, with_its_own_method])
def test_what_the_class_has_is_not_in_its_objects(function, monkeypatch):
    graph = ag.convert(function)
    for limit in (0.5, 0.75):  # a trace reads it anew
        monkeypatch.setattr(Record, "limit", limit)
        for arguments in NUMBERS:
            assert shown(graph(*arguments)) == shown(function(*arguments))


@samples("E2", *NUMBERS)
def set_where_slots_are(x):
    thing = Slotted(x)
    try:
        if x > 2:
            raise ValueError("large")
        thing.kind = 5
    except (ValueError, AttributeError) as error:
        return str(error), thing.kind


@samples("E2", *NUMBERS)
def set_without_a_setter(x):
    thing = Slotted(x)
    if x > 2:
        thing.twice = 1.5
    return thing.value


@samples("E2", *NUMBERS)
def deleted_where_it_may_be(x):
    thing = Compared(x)
    setattr(thing, "rest" if x > 2 else "value", 1.5)
    del thing.rest
    return thing.value


@samples("E2", *NUMBERS, joined=True)
def slots_deleted_where_they_may_be(x):
    thing = Slotted(x)
    if x > 2:
        thing.rest = x
    try:
        del thing.rest
    except AttributeError as error:
        thing.value = 5.0
        return thing.value, str(error)
    return thing.value, hasattr(thing, "rest")


@samples("E2", *NUMBERS)
def methods_of_what_is_compared(x):
    found = {}
    for k in range(3):
        thing = Compared(k * x)
        found["score"] = thing.score
        if x > 3:
            break
    return found["score"]()


@samples("E2", *NUMBERS)
def a_ring_on_one_path(x):
    one = Record(x)
    if x > 1:
        one.of = one
    else:
        one.value += 1.0
    return one.of is None, one.of is one, one.value


@samples("E2", *NUMBERS)
def a_ring_within_try(x):
    one, two = Record(x), Record(x + 1.0)
    one.of = one
    pair = (two, one)
    try:
        one, two = two, one
        pair[-1 if x > 2 else 0].value += x
        if x > 1:
            raise ValueError
    except ValueError:
        two.value *= 2.0
    return one.value, two.value, two.of is two


test_sample = samples.test()


def test_a_ring_of_objects_is_given_back():
    def ring(x):
        one = Record(x)
        if x > 1:
            one.of = one
        return one

    graph = ag.convert(ring)
    found = graph(np.float64(2.0))
    assert found.of is found and found.value == 2.0
    assert graph(np.float64(0.5)).of is None


def test_a_list_that_holds_itself_is_refused_as_a_result():
    @ag.convert
    def ring(x):
        found = [x]
        found.append(found)
        return found

    with pytest.raises(ag.StagingError, match="a list that holds itself"):
        ring(np.float64(1.0))


def test_a_list_that_holds_itself_on_one_path_is_refused():
    @ag.convert
    def ring(x):
        found = [x]
        if x > 1:
            found.append(found)
        return found[0]

    with pytest.raises(ag.StagingError, match="holds itself"):
        ring(np.float64(1.0))


@pytest.mark.parametrize("rows", [1, 2])
def test_views_in_loops_in_loops_are_of_arrays_that_have_them(rows):
    def chosen(a, b, n):
        m = a.reshape(rows, -1) * a[0]
        v = b
        for _ in range(n):
            for _ in range(n):
                v = m[0]
        return v.sum()

    a = np.arange(6.0) + 1.0
    graph = ag.convert(chosen)
    with config.check.using(True):
        for n in (0, 2):
            given = a, a[: 6 // rows].copy(), np.int64(n)
            assert graph(*given) == chosen(*given)
