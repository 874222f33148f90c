"""Attributes that only some of the objects that data makes get, in `__init__` or after it."""

from __future__ import annotations

import numpy as np

import autograph as ag
from tests.language.harness import Samples

samples = Samples()

MANY = tuple((np.array(x),) for x in ([5, 2, 8, 1, 9, 4], [1, 1, 7, 6, 0, 0], [0, 0, 0, 0, 0, 0]))


class Item:
    kind = "item"

    def __init__(self, value):
        self.value = value
        if value > 4:
            self.bonus = value * 10

    def raised(self):
        self.level = getattr(self, "level", 0) + 1
        return self


def made(xs):
    found = []
    for x in xs:
        if x > 0:
            item = Item(x)
            if x % 2 == 0:
                item.half = x // 2
            found.append(item)
    return found


@samples("E2", *MANY, joined=True)
def asked_for(xs):
    total, count = 0, 0
    for item in made(xs):
        if hasattr(item, "half"):
            total += item.half
        if hasattr(item, "bonus"):
            count += item.bonus
        total = 3 * total + getattr(item, "half", -1) + getattr(item, "bonus", 100)
    return total, count


@samples("E2", *MANY, joined=True)
def missing(xs):
    try:
        return sum(item.half for item in made(xs))
    except AttributeError as error:
        return str(error)


@samples("E2", *MANY)
def set_by_methods(xs):
    found = made(xs)
    for k, item in enumerate(found):
        if k % 2:
            item.raised()
        if item.value > 3:
            item.raised().raised()
    return [(item.value, getattr(item, "level", -1)) for item in found]


@samples("E2", *MANY, joined=True)
def set_on_all(xs):
    total = 0
    for item in made(xs):
        item.rank = item.value * 2
        total += item.rank
        item.rank += 1
        total = 2 * total + item.rank
    return total


@samples("E2", *MANY)
def over_an_attribute_of_the_class(xs):
    found = made(xs)
    for item in found:
        if item.value > 4:
            item.kind = "large"
    return [item.kind for item in found]


@samples("E2", *MANY, joined=True)
def linked_later(xs):
    last, count = None, 0
    for x in xs:
        if x > 0:
            item = Item(x)
            if last is not None:
                item.before = last
            last = item
    while last is not None and hasattr(last, "before"):
        count = 10 * count + last.value
        last = last.before
    return count


test_sample = samples.test()


def test_objects_that_are_given_back_have_what_they_were_given():
    f = ag.convert(made)
    for arguments in MANY:
        got = [vars(item) for item in f(*arguments)]
        assert got == [vars(item) for item in made(*arguments)]
    assert f.trace_count == 1
