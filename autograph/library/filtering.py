"""Iterators of `itertools` that ask of each item what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["dropwhile", "filterfalse", "takewhile"]


def takewhile(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """The items before the first of which a condition does not hold."""
    for item in iterable:
        if not predicate(item):
            break
        yield item


def dropwhile(predicate: Callable[[Any], Any], iterable: Iterable[Any]) -> Iterator[Any]:
    """The items from the first on of which a condition does not hold."""
    is_dropping = True
    for item in iterable:
        if is_dropping:
            is_dropping = bool(predicate(item))
        if not is_dropping:
            yield item


def filterfalse(predicate: Callable[[Any], Any] | None, iterable: Iterable[Any]) -> Iterator[Any]:
    """The items of which a condition does not hold."""
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item
