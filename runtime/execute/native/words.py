"""Many objects of Python's at once: their classes, the numbers that they are, and who they are.

A step of Python's for each item of a list takes longer than most programs compute with it. NumPy
takes words from where the items are in memory, as native code reads them; see `layout`.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import numpy as np

from runtime.execute.native.layout import ITEMS, LENGTH, TYPE, VALUE, problem

__all__ = ["Items"]

# The words of memory, from the third on: an array has no address 0.
_WORD, _FIRST = 8, 16
# Of an int: how many digits of 30 bits it has, and the first one.
_SIZE, _DIGIT, _DIGIT_BITS = 16, 24, 0xFFFF_FFFF


class _Memory:
    __array_interface__: ClassVar[dict[str, Any]] = {
        "data": (_FIRST, True), "shape": (2**44,), "typestr": "<i8", "version": 3,
    }  # fmt: skip


_words: Any = np.asarray(_Memory())
_numbers = _words.view(np.float64)


class Items:
    """The items of a list that is not empty, or what is in one place of tuples that are items.

    They are held by the list as long as this is used.

    >>> Items.of([1.0, 2.5]).floats(), Items.of([(1, 2.5), (3, 4.5)]).part(0).ints()
    (array([1. , 2.5]), array([1, 3]))
    """

    __slots__ = ("_listed", "_places", "first")

    def __init__(self, first: Any, places: Any, listed: Callable[[], list[Any]]) -> None:
        self.first, self._places, self._listed = first, places, listed

    @classmethod
    def of(cls, items: list[Any]) -> Items:
        """The items of a list."""
        places = _places_in(items) if _agrees() else None
        return cls(items[0], places, lambda: items)

    def listed(self) -> list[Any]:
        """They themselves."""
        return self._listed()

    @property
    def kind(self) -> type | None:
        """The class of all of them; None where there are several.

        >>> Items.of([1.0, 2.0]).kind, Items.of([1.0, 2]).kind
        (<class 'float'>, None)
        """
        kind = type(self.first)
        if self._places is None:
            return kind if {*map(type, self._listed())} == {kind} else None
        return kind if self._all(TYPE, id(kind)) else None

    def have_length(self, length: int) -> bool:
        """Whether all are of a length; they are tuples, or dicts."""
        if self._places is None:
            return {*map(len, self._listed())} == {length}
        return self._all(LENGTH, length)

    def part(self, number: int) -> Items:
        """What is in one place of tuples."""
        places = None
        if self._places is not None:
            places = _as_places(self._words_at(ITEMS + number * _WORD))
        return Items(self.first[number], places, lambda: [x[number] for x in self._listed()])

    def floats(self) -> Any:
        """An array of floats."""
        if self._places is None:
            return np.array(self._listed(), np.float64)
        return _numbers.take(self._places + VALUE // _WORD)

    def scalars(self, kind: type[np.generic]) -> Any:
        """An array of scalars of NumPy of eight bytes, all of that class.

        >>> Items.of([np.int64(3), np.int64(4)]).scalars(np.int64)
        array([3, 4])
        """
        if self._places is None:
            return np.array(self._listed(), kind)
        return self._words_at(VALUE).view(kind)

    def ints(self) -> Any:
        """An array of ints; None where one has no place in 64 bits."""
        found = None if self._places is None else self._short_ints()
        if found is not None:
            return found
        try:
            return np.frombuffer(array("q", self._listed()), np.int64)
        except OverflowError:
            return None

    def _short_ints(self) -> Any:
        """The same of ints of one digit; None where there are others."""
        sizes, digits = self._words_at(_SIZE), self._words_at(_DIGIT) & _DIGIT_BITS
        if sys.version_info >= (3, 12):  # the sign is in the last bits
            sizes, signs = sizes >> 3, 1 - (sizes & 3)
        else:
            signs = sizes
        return digits * signs if bool((abs(sizes) <= 1).all()) else None

    def are_distinct(self) -> bool:
        """Whether no object is among them twice.

        >>> thing = object()
        >>> Items.of([thing, object()]).are_distinct(), Items.of([thing, thing]).are_distinct()
        (True, False)
        """
        if self._places is None:
            return len({*map(id, self._listed())}) == len(self._listed())
        places = np.sort(self._places)
        return not bool((places[1:] == places[:-1]).any())

    def _words_at(self, offset: int) -> Any:
        return _words.take(self._places + offset // _WORD)

    def _all(self, offset: int, word: int) -> bool:
        return bool((self._words_at(offset) == word).all())


def _places_in(items: list[Any]) -> Any:
    """Which words the items of a list begin with."""
    first = (int(_words[(id(items) + ITEMS - _FIRST) // _WORD]) - _FIRST) // _WORD
    return _as_places(_words[first : first + len(items)])


def _as_places(addresses: Any) -> Any:
    return (addresses - _FIRST) >> 3


@cache
def _agrees() -> bool:
    """Whether objects are in memory here as they are expected to be."""
    if problem() is not None:
        return False
    things: list[Any] = [
        1.5, (7, -(2**30) + 1), "text", (0, 2**62), {"a": 1, "b": 2}, np.float64(2.5),
        np.int64(-3),
    ]  # fmt: skip
    places = _places_in(things)
    if ((places << 3) + _FIRST).tolist() != [*map(id, things)]:
        return False
    kinds = _words.take(places + TYPE // _WORD).tolist()
    tuples = Items(things[1], places[1:4:2], lambda: things[1:4:2])
    first, second = tuples.part(0), tuples.part(1)
    if kinds != [*map(id, map(type, things))] or not Items(
        things, places[[1, 3, 4]], list
    ).have_length(2):
        return False
    one = Items(things[1][1], second._places[:1], list)._short_ints()
    ints = first._short_ints(), one, second._short_ints()
    are_ints = ints[0].tolist() == [7, 0] and one.tolist() == [-(2**30) + 1] and ints[2] is None
    values = places + VALUE // _WORD
    are_numbers = _numbers.take(values[[0, 5]]).tolist() == [1.5, 2.5]
    return are_ints and are_numbers and _words.take(values[6:]).tolist() == [-3]
