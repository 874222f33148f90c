"""Heaps as plain Python: each function leaves and gives what Python's own does."""

import copy
import heapq
import random

import pytest

from autograph.library import heaps


def lists():
    draw = random.Random(7)
    for size in (1, 2, 3, 5, 8, 30):
        for _ in range(20):
            yield [draw.randrange(10) for _ in range(size)]
            yield [(draw.randrange(3), draw.randrange(9), draw.random()) for _ in range(size)]


def both(name, items, *more):
    own, python = copy.copy(items), copy.copy(items)
    given = getattr(heaps, name)(own, *more), getattr(heapq, name)(python, *more)
    return (given[0], own), (given[1], python)


def test_heaps_are_those_of_python():
    for items in lists():
        one, other = both("heapify", items)
        assert one == other
        heap = one[1]
        for name, more in (("heappop", ()), ("heappush", (items[0],)), ("heapreplace", (items[-1],)),
                           ("heappushpop", (items[0],))):  # fmt: skip
            one, other = both(name, heap, *more)
            assert one == other, (name, items)


@pytest.mark.parametrize("n", [-1, 0, 1, 3, 100])
def test_the_best_items(n):
    items = [(k * 7 % 5, k) for k in range(12)]
    assert heaps.nsmallest(n, items) == heapq.nsmallest(n, items)
    assert heaps.nlargest(n, items) == heapq.nlargest(n, items)
    for key in (lambda item: item[0], lambda item: -item[1]):
        assert heaps.nsmallest(n, items, key) == heapq.nsmallest(n, items, key)
        assert heaps.nlargest(n, items, key=key) == heapq.nlargest(n, items, key=key)


@pytest.mark.parametrize("name", ["heappop", "heapreplace"])
def test_nothing_is_taken_off_an_empty_heap(name):
    more = (1,) if name == "heapreplace" else ()
    errors = []
    for module in (heaps, heapq):
        with pytest.raises(IndexError) as caught:
            getattr(module, name)([], *more)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


def test_a_beginning_comes_before_the_whole():
    heap = []
    for item in ((1, 2), (1,), (1, 2, 3), ()):
        heaps.heappush(heap, item)
    assert [heaps.heappop(heap) for _ in range(4)] == [(), (1,), (1, 2), (1, 2, 3)]
