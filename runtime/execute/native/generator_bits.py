"""Where generators of random numbers have what functions of machine code draw from.

Three words tell it: the address of the bits, that of a word which is not 0 while somebody holds
their lock, and what else functions need (see `twister`). The array that has them keeps the
generator, and who has a copy of it finds the generator as long as that array lives.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

__all__ = ["bits_of", "generator_of", "is_generator"]

_arrays: weakref.WeakValueDictionary[tuple[int, int], np.ndarray[Any, Any]] = (
    weakref.WeakValueDictionary()
)


class _Words(ctypes.c_uint64 * 3):  # type: ignore[misc]
    """The memory of such an array."""

    generator: Any


def is_generator(kind: type) -> bool:
    """Whether a class is that of NumPy's generators, which is not imported for this."""
    return kind.__name__ == "Generator" and kind.__module__ == "numpy.random._generator"


def _is_of_python(kind: type) -> bool:
    """Whether a class is Python's own `Random`, which is not imported for this either."""
    return kind.__name__ == "Random" and kind.__module__ == "random"


def bits_of(generator: Any) -> np.ndarray[Any, Any]:
    """The array that stands for the bits of a generator; the same one while it lives."""
    kind: Any = type(generator)
    if _is_of_python(kind):
        offset = _offset_of_words(kind)
        address = 0 if offset is None else id(generator) + offset
        lock, third = ctypes.addressof(_free if address else _held), id(_GAUSS)
    else:
        is_old = isinstance(generator, np.random.RandomState)
        bits = generator._bit_generator if is_old else generator.bit_generator
        address = _address_of_capsule()(bits.capsule, b"BitGenerator")
        offset = _offset_of_gauss() if is_old else None
        lock = _address_of_lock(bits.lock) if offset or not is_old else ctypes.addressof(_held)
        third = 0 if offset is None else id(generator) + offset
    found = _arrays.get((address, third))
    if found is None:
        words = _Words(address, lock, third)
        words.generator = generator
        found = _arrays[address, third] = np.frombuffer(words, np.uint64)
    return found


def generator_of(bits: Any) -> Any:
    """The generator whose bits an array, or a copy of it, stands for."""
    words: Any = _arrays[int(bits[0]), int(bits[2])].base
    return words.generator


# Where Python's `gauss` keeps a number.
_GAUSS = sys.intern("gauss_next")


@cache
def _offset_of_words(kind: Any) -> int | None:
    """Where the words of a twister of Python's are in its object, behind how many are used."""
    twister, offset = kind(3), object.__basicsize__
    _, (*words, used), _ = twister.getstate()
    there = (ctypes.c_uint32 * 625).from_address(id(twister) + offset)
    is_there = kind.__basicsize__ >= offset + 2500 and [*there] == [used, *words]
    return offset if is_there else None


@cache
def _offset_of_gauss() -> int | None:
    """Where in a `RandomState` is what its normal numbers come from.

    That is the address of a copy of its bits, in the object itself, a flag, and a number left over.
    """
    old = np.random.RandomState(3)
    old.standard_normal()
    left = old.get_state(legacy=False)["gauss"]
    size = type(old).__basicsize__
    for offset in range(object.__basicsize__, size - 16, 8):
        at = id(old) + offset
        is_within = 0 < ctypes.c_uint64.from_address(at).value - id(old) < size
        is_flagged = ctypes.c_int.from_address(at + 8).value == 1
        if is_within and is_flagged and ctypes.c_double.from_address(at + 16).value == left:
            return offset
    return None


@cache
def _address_of_capsule() -> Callable[[Any, bytes], int]:
    kind = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    found: Any = kind(("PyCapsule_GetPointer", ctypes.pythonapi))
    return found  # type: ignore[no-any-return]


# Where no word of a lock tells whether it is held, one that says so always: Python draws then.
_held, _free = ctypes.c_uint64(1), ctypes.c_uint64(0)


def _address_of_lock(lock: Any) -> int:
    offset = _offset_of_count()
    if offset is None or type(lock) is not type(threading.RLock()):
        return ctypes.addressof(_held)
    return id(lock) + offset


@cache
def _offset_of_count() -> int | None:
    """Where in a lock is the word that counts how often its thread holds it; None: not found."""
    lock: Any = threading.RLock()
    size = type(lock).__basicsize__ // 8

    def look() -> list[int]:
        return [ctypes.c_uint64.from_address(id(lock) + 8 * k).value for k in range(2, size)]

    seen = [look()]
    for change in (lock.acquire, lock.acquire, lock.release, lock.release):
        change()
        seen.append(look())
    rows = list(zip(*seen, strict=True))
    return 8 * (rows.index((0, 1, 2, 1, 0)) + 2) if (0, 1, 2, 1, 0) in rows else None
