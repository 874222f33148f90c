"""Searches in sorted lists as plain Python: each gives what Python's own does."""

import bisect

import pytest

from autograph.library import searching

NAMES = ("bisect_left", "bisect_right", "insort_left", "insort_right")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("x", [-1, 0, 2, 3, 9])
@pytest.mark.parametrize("more", [(), (1,), (1, 3), (0, None), (5,)])
def test_places_are_those_of_python(name, x, more):
    items = [0, 2, 2, 3, 5, 8]
    found = []
    for module in (searching, bisect):
        own = list(items)
        found.append((getattr(module, name)(own, x, *more), own))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", NAMES)
def test_keys_are_those_of_python(name):
    items = ["ccc", "bb", "a"]
    given = "dd" if name.startswith("insort") else -2
    found = []
    for module in (searching, bisect):
        own = list(items)
        found.append((getattr(module, name)(own, given, key=lambda text: -len(text)), own))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_start_below_zero_is_refused(name):
    for module in (searching, bisect):
        with pytest.raises(ValueError, match="lo must be non-negative"):
            getattr(module, name)([1], 1, -1)
