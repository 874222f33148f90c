"""What is in functions and objects, and which of them can be made anew."""

import functools
from collections import OrderedDict, defaultdict, deque

import numpy as np
import pytest

from autograph.operators.results.held_parts import can_be_made, extra_of, fields_of, held_through


class Thing:
    def __init__(self, **fields):
        vars(self).update(fields)

    def method(self):
        return self


class Slotted(Thing):
    __slots__ = ("one",)


def test_what_a_function_refers_to_also_by_way_of_others():
    far, near, default = Thing(), Thing(), Thing()

    def inner():
        return far

    def outer(x=default):
        return inner(), near, x

    found = list(held_through(functools.partial(outer, 1, k=2), set()))
    assert all(any(x is y for y in found) for x in (far, near, default, inner, 1, 2))
    assert list(held_through(Thing(a=near).method, set())) == [near]


def test_the_attributes_of_an_object_are_in_its_dict_and_in_slots():
    thing = Slotted(two=2)
    thing.one = 1
    assert sorted(fields_of(thing)) == [("one", 1), ("two", 2)]
    assert not list(fields_of(defaultdict(list))) and not list(fields_of(Thing))


@pytest.mark.parametrize("kind", [Thing, Slotted, list, OrderedDict, deque, np.ndarray])
def test_what_can_be_made_without_its_init(kind):
    assert can_be_made(kind) and can_be_made(type("Derived", (kind,), {}))


@pytest.mark.parametrize("kind", [int, type(iter([])), ValueError])
def test_what_cannot(kind):
    assert not can_be_made(kind)


def test_what_else_a_container_is_made_of():
    assert extra_of(deque([], 3)) == 3 and extra_of(defaultdict(list)) is list
    assert extra_of([]) is None
