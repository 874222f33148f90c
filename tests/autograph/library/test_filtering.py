"""Filters as plain Python: each gives what Python's own does, and takes no more items."""

import itertools

import pytest

from autograph.library import filtering


@pytest.mark.parametrize("name", ["takewhile", "dropwhile", "filterfalse"])
@pytest.mark.parametrize("items", [[], [1, 2, 3, 4, 1], [9, 1], [1, 1]])
def test_items_are_those_of_python(name, items):
    found = []
    for module in (filtering, itertools):
        steps = iter(items)
        some = list(itertools.islice(getattr(module, name)(lambda x: x < 3, steps), 2))
        found.append((some, list(steps)))
    assert found[0] == found[1]


def test_without_a_condition_the_items_that_are_false_are_left():
    items = [0, 1, "", "a", None]
    assert list(filtering.filterfalse(None, items)) == list(itertools.filterfalse(None, items))
