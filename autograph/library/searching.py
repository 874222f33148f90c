"""The functions of `bisect`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["bisect_left", "bisect_right", "insort_left", "insort_right"]

Key = Callable[[Any], Any] | None


def bisect_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Key = None) -> Any:
    """Where to insert `x` into a list in order, before items that are equal to it."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        item = a[middle] if key is None else key(a[middle])
        if item < x:
            lo = middle + 1
        else:
            end = middle
    return lo


def bisect_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Key = None) -> Any:
    """Where to insert `x` into a list in order, behind items that are equal to it."""
    if lo < 0:
        raise ValueError("lo must be non-negative")
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        item = a[middle] if key is None else key(a[middle])
        if x < item:
            end = middle
        else:
            lo = middle + 1
    return lo


def insort_left(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Key = None) -> None:
    """Insert `x` into a list in order, before items that are equal to it."""
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_right(a: Any, x: Any, lo: Any = 0, hi: Any = None, *, key: Key = None) -> None:
    """Insert `x` into a list in order, behind items that are equal to it."""
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)
