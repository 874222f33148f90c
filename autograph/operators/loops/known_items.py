"""Items that are known while tracing, in tables: so a loop of the graph finds them by a number."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.operators.captured.guards import same_value
from autograph.operators.stand_ins.iterables import Indexed
from runtime import ops

__all__ = ["KnownItems", "known_items"]

# Fewer items of known numbers are always unrolled.
_FEW_ITEMS = 3
# The largest number of them that the graph looks up: sums of two are still of 64 bits.
_LARGEST = 2**62
# What gives the same items each time, and iterators that others of the same items can be made of.
_VIEWS = tuple(map(type, ({}.keys(), {}.values(), {}.items())))
_ITERABLES = (tuple, list, set, frozenset, dict, *_VIEWS)
_ITERATORS = tuple(map(type, (iter(()), iter([]), reversed([]), iter(range(0)))))

# How an item, or a part of it, is found by its number.
_Find = Callable[[Any], Any]


class KnownItems:
    """The items that a loop is about to go through: all are numbers, or tuples of them, alike."""

    def __init__(self, iterated: Any, items: list[Any], find: _Find) -> None:
        self.items = items
        self._iterated, self._find = iterated, find

    def indexed(self) -> Indexed:
        """The items by their number."""
        return Indexed(f"a {type(self._iterated).__name__}", len(self.items), self._find)

    def are_the_same(self) -> bool:
        """Whether Python would still go through these, or has taken the first and nothing else."""
        now = _ahead(self._iterated) or []
        taken = len(self.items) - len(now) if isinstance(self._iterated, Iterator) else 0
        return taken in (0, 1) and same_value(self.items[taken:], now)


def known_items(iterable: Any) -> KnownItems | None:
    """The items of an iterable, which may be an iterator; None where they are not alike."""
    items = _ahead(iterable)
    if items is None:
        return None
    find = _column(items) if len(items) >= _FEW_ITEMS else None
    return None if find is None else KnownItems(iterable, items, find)


def _ahead(iterable: Any) -> list[Any] | None:
    """The items that it gives from now on, none of which is taken; None where that is not known."""
    other = iterable if type(iterable) in _ITERABLES else _other(iterable)
    return None if other is None else list(other)


def _other(iterator: Any) -> Iterator[Any] | None:
    """Another iterator of the same items; None of what is none, or may do more than give them."""
    kind = type(iterator)
    if kind in _ITERATORS:
        return copy.copy(iterator)  # type: ignore[no-any-return]
    if kind is enumerate:
        inner, start = iterator.__reduce__()[1]
        other = _other(inner)
        return None if other is None else enumerate(other, start)
    if kind is zip:
        _, parts, *strict = iterator.__reduce__()
        others = [other for other in map(_other, parts) if other is not None]
        is_plain = len(others) == len(parts) and not any(strict)
        return zip(*others, strict=False) if is_plain else None
    return None


# ---- tables --------------------------------------------------------------------------------------


def _column(values: list[Any]) -> _Find | None:
    kinds = set(map(type, values))
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    make = _COLUMNS.get(kind)
    return None if make is None else make(values, kind)


def _of_numbers(values: list[Any], kind: type) -> _Find | None:
    if kind is int and not -_LARGEST <= min(values) <= max(values) <= _LARGEST:
        return None
    table, name = np.array(values), kind.__name__
    return lambda index: ops.as_weak(ops.getitem(table, index), kind=name)


def _of_tuples(values: list[Any], kind: type) -> _Find | None:
    if len(set(map(len, values))) != 1 or not values[0]:
        return None
    columns = [_column(list(part)) for part in zip(*values, strict=True)]
    finds = [find for find in columns if find is not None]
    return (lambda index: tuple(find(index) for find in finds)) if finds == columns else None


_COLUMNS: dict[type, Callable[[list[Any], type], _Find | None]] = {
    bool: _of_numbers,
    int: _of_numbers,
    float: _of_numbers,
    tuple: _of_tuples,
}
