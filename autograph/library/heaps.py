"""The functions of `heapq`: each leaves the list as Python's own does, item by item."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = [
    "heapify",
    "heappop",
    "heappush",
    "heappushpop",
    "heapreplace",
    "nlargest",
    "nsmallest",
]


def heappush(heap: list[Any], item: Any) -> None:
    """Put an item on a heap."""
    heap.append(item)
    _rise(heap, 0, len(heap) - 1)


def heappop(heap: list[Any]) -> Any:
    """Take the smallest item off a heap."""
    if not heap:
        raise IndexError("index out of range")
    smallest = heap[0]
    last = heap.pop()
    if heap:
        heap[0] = last
        _sink(heap, 0)
    return smallest


def heapreplace(heap: list[Any], item: Any) -> Any:
    """Take the smallest item off a heap, and put another one on it."""
    if not heap:
        raise IndexError("index out of range")
    smallest = heap[0]
    heap[0] = item
    _sink(heap, 0)
    return smallest


def heappushpop(heap: list[Any], item: Any) -> Any:
    """Put an item on a heap, and take the smallest one off it."""
    smallest = item
    if len(heap) > 0 and _is_less(heap[0], item):
        smallest = heap[0]
        heap[0] = item
        _sink(heap, 0)
    return smallest


def heapify(x: list[Any]) -> None:
    """Put the items of a list in the order of a heap."""
    for position in range(len(x) // 2 - 1, -1, -1):
        _sink(x, position)


def nsmallest(n: int, iterable: Iterable[Any], key: Callable[[Any], Any] | None = None) -> Any:
    """The smallest items, in order."""
    return _first(n, iterable, key, from_largest=False)


def nlargest(n: int, iterable: Iterable[Any], key: Callable[[Any], Any] | None = None) -> Any:
    """The largest items, in order."""
    return _first(n, iterable, key, from_largest=True)


def _first(
    n: int, iterable: Iterable[Any], key: Callable[[Any], Any] | None, *, from_largest: bool
) -> Any:
    if n <= 0:  # no item is taken
        return []
    if key is None or not isinstance(iterable, Iterator):
        return sorted(iterable, key=key, reverse=from_largest)[:n]
    # The key of an item is asked for before the next item is.
    pairs = [(key(item), item) for item in iterable]
    pairs.sort(key=operator.itemgetter(0), reverse=from_largest)
    return [item for _, item in pairs[:n]]


def _rise(heap: list[Any], top: Any, position: Any) -> None:
    """Move an item up, not above `top`, as long as it is smaller than its parent."""
    item = heap[position]
    while position > top:
        parent = (position - 1) // 2
        above = heap[parent]
        if not _is_less(item, above):
            break
        heap[position] = above
        position = parent
    heap[position] = item


def _sink(heap: list[Any], position: Any) -> None:
    """Move an item down to a leaf by way of the smaller children, and from there up again."""
    count, top = len(heap), position
    item = heap[position]
    child = 2 * position + 1
    while child < count:
        if child + 1 < count and not _is_less(heap[child], heap[child + 1]):
            child = child + 1
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _rise(heap, top, position)


def _is_less(a: Any, b: Any) -> Any:
    """`a < b`, also of tuples and lists of data."""
    are_lists = type(a) is list and type(b) is list
    if are_lists or (isinstance(a, tuple) and isinstance(b, tuple)):
        for x, y in zip(a, b):  # noqa: B905 - the shorter one may be a beginning of the other
            if x != y:
                return x < y
        return len(a) < len(b)
    return a < b
