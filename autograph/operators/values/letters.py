"""`chr`, `ord` and the letters of a text, where only the graph knows which they are."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.grown_text import GrownText, letters_of
from autograph.operators.values.iterables import as_position, from_end
from autograph.operators.values.templates import lazy
from runtime import ops
from runtime.structure.templates import LazyString
from runtime.tensor import Tensor

__all__ = ["letter_of", "number_of_letter", "part"]

# One more than the number of the last letter.
_END = 0x110000


def letter_of(number: Tensor) -> GrownText:
    """`chr(number)` of an integer."""
    number = ops.astype(number, np.int64)
    if sys.version_info < (3, 13):
        too_large = ops.logical_or(number >= 2**31, number < -(2**31))
        stage_raise(too_large, OverflowError("Python int too large to convert to C int"))
    outside = ops.logical_or(number < 0, number >= _END)
    stage_raise(outside, ValueError("chr() arg not in range(0x110000)"))
    return GrownText(ops.reshape(ops.astype(number, np.int32), (1,)))


def number_of_letter(text: LazyString) -> Any:
    """`ord(text)`."""
    found = letters_of(text)
    count = ops.as_weak(ops.dim(found, axis=0), kind="int")
    told = lazy(("ord() expected a character, but string of length ", (count, -1, None), " found"))
    stage_raise(count != 1, TypeError(told))
    return ops.as_weak(ops.astype(ops.getitem(found, 0), np.int64), kind="int")


def part(text: LazyString, key: Any) -> GrownText:
    """`text[key]`, of an index or a slice."""
    found = letters_of(text)
    if isinstance(key, slice):
        return GrownText(ops.getitem(found, key))
    count, key = ops.dim(found, axis=0), as_position(key)
    outside = ops.logical_or(key < -count, key >= count)
    stage_raise(outside, IndexError("string index out of range"))
    start = ops.as_weak(from_end(key, count), kind="int")
    return GrownText(ops.getitem(found, slice(start, start + 1)))
