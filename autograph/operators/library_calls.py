"""Functions of Python's library that are written in C, and what is converted in their place."""

from __future__ import annotations

import bisect
import heapq
import itertools
from collections.abc import Callable
from typing import Any

from autograph.library import filtering, heaps, searching
from autograph.operators.runs import holds_runs
from autograph.operators.templates import has_traced

__all__ = ["in_python"]

_ALWAYS: dict[Any, Callable[..., Any]] = {
    heapq.heappush: heaps.heappush, heapq.heappop: heaps.heappop,
    heapq.heapify: heaps.heapify, heapq.heapreplace: heaps.heapreplace,
    heapq.heappushpop: heaps.heappushpop, heapq.nsmallest: heaps.nsmallest,
    heapq.nlargest: heaps.nlargest, itertools.takewhile: filtering.takewhile,
    itertools.dropwhile: filtering.dropwhile, itertools.filterfalse: filtering.filterfalse,
}  # fmt: skip
_OF_DATA: dict[Any, Callable[..., Any]] = {
    bisect.bisect_left: searching.bisect_left, bisect.bisect_right: searching.bisect_right,
    bisect.insort_left: searching.insort_left, bisect.insort_right: searching.insort_right,
}  # fmt: skip


def in_python(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is converted in the place of a function; None where that is called itself."""
    found = _ALWAYS.get(function)
    if found is None and function in _OF_DATA:
        given = (*args, *kwargs.values())
        if has_traced(given) or holds_runs(given):
            found = _OF_DATA[function]
    return found
