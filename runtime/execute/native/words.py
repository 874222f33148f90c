"""What lists of Python's hold, read at once: the classes of many items, floats, and who they are.

A step of Python's for each item takes longer than most programs compute with it. NumPy takes words
from where the items are in memory, as native code reads them; see `layout` for where that is.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

import numpy as np

from runtime.execute.native.layout import ITEMS, TYPE, VALUE, problem

__all__ = ["are_distinct", "common_class", "floats_of"]

# The words of memory, from the third on: an array has no address 0.
_WORD, _FIRST = 8, 16


class _Memory:
    __array_interface__: ClassVar[dict[str, Any]] = {
        "data": (_FIRST, True), "shape": (2**44,), "typestr": "<i8", "version": 3,
    }  # fmt: skip


_words: Any = np.asarray(_Memory())
_numbers = _words.view(np.float64)


def common_class(items: list[Any]) -> type | None:
    """The class of all items of a list that is not empty; None where there are several.

    >>> common_class([1.0, 2.0]), common_class([1.0, 2])
    (<class 'float'>, None)
    """
    if not _agrees():
        kinds = {*map(type, items)}
        return kinds.pop() if len(kinds) == 1 else None
    kind = type(items[0])
    return kind if bool((_words.take(_places(items) + TYPE // _WORD) == id(kind)).all()) else None


def floats_of(items: list[Any]) -> Any:
    """An array of the items of a list, all of which are floats.

    >>> floats_of([1.0, 2.5])
    array([1. , 2.5])
    """
    if not _agrees():
        return np.fromiter(items, np.float64, len(items))
    return _numbers.take(_places(items) + VALUE // _WORD)


def are_distinct(items: list[Any]) -> bool:
    """Whether no object is in a list twice.

    >>> thing = object()
    >>> are_distinct([thing, object()]), are_distinct([thing, thing])
    (True, False)
    """
    if not _agrees():
        return len({*map(id, items)}) == len(items)
    places = np.sort(_places(items))
    return not bool((places[1:] == places[:-1]).any())


def _places(items: list[Any]) -> Any:
    """Which words the items of a list begin with."""
    first = (int(_words[_index(id(items) + ITEMS)]) - _FIRST) // _WORD
    return (_words[first : first + len(items)] - _FIRST) >> 3


def _index(address: int) -> int:
    return (address - _FIRST) // _WORD


@cache
def _agrees() -> bool:
    """Whether objects are in memory here as they are expected to be."""
    if problem() is not None:
        return False
    things: list[Any] = [1.5, -0.0, object(), "text"]
    places = _places(things)
    kinds = _words.take(places + TYPE // _WORD).tolist()
    numbers = _numbers.take(places[:2] + VALUE // _WORD)
    is_found = kinds == [*map(id, map(type, things))] and numbers.tolist() == things[:2]
    return bool(is_found) and ((places << 3) + _FIRST).tolist() == [*map(id, things)]
