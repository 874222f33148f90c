"""Bits in bytes, as `numpy.packbits` and `numpy.unpackbits` have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.arrays.axes import moveaxis
from runtime.ops.arrays.creation import zeros
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import expand_dims, ravel, reshape
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.operands import Operand, dtype_of, normal_axis, rank_of, shape_of
from runtime.ops.elementwise.bitwise import bitwise_and, bitwise_right_shift
from runtime.ops.elementwise.comparison import not_equal
from runtime.ops.elementwise.conversion import astype
from runtime.ops.reductions.reductions import sum as sum_

__all__: list[str] = []

_BYTE = np.dtype(np.uint8)


def _shifts(bitorder: str) -> np.ndarray[Any, Any]:
    """By how much each bit of a byte is shifted, in their order."""
    return np.arange(8, dtype=_BYTE)[:: -1 if bitorder[0] == "b" else 1]


def _in_rows(x: Operand, axis: int | None) -> tuple[Operand, int]:
    """An array with the axis of its bits or bytes last, and where that axis was."""
    if axis is None or rank_of(x) == 0:
        return ravel(x), 0
    where = normal_axis(axis, rank_of(x))
    return moveaxis(x, where, -1), where


@implements("packbits")
def numpy_packbits(a: Operand, /, axis: int | None = None, bitorder: str = "big") -> Operand:
    """`numpy.packbits`: eight numbers of an axis, zero or not, become a byte."""
    if bitorder not in ("big", "little"):
        raise ValueError("'order' must be either 'little' or 'big'")
    if dtype_of(a).kind not in "biu":
        raise TypeError("Expected an input array of integer or boolean data type")
    rows, where = _in_rows(a, axis)
    *rest, count = shape_of(rows)
    bits = astype(not_equal(rows, 0), _BYTE)
    missing = -count % 8
    if not isinstance(count, int) or missing:
        bits = concat([bits, zeros((*rest, missing), _BYTE)], axis=-1)
    bits = reshape(bits, (*rest, (count + 7) // 8, 8))
    return moveaxis(sum_(bits * (1 << _shifts(bitorder)), axis=-1, dtype=_BYTE), -1, where)


@implements("unpackbits")
def numpy_unpackbits(
    a: Operand, /, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Operand:
    """`numpy.unpackbits`: each byte of an axis becomes its eight bits; `count` of them are kept."""
    if bitorder[:1] not in ("b", "l"):
        raise ValueError("'order' must begin with 'l' or 'b'")
    if dtype_of(a) != _BYTE:
        raise TypeError("Expected an input array of unsigned byte data type")
    rows, where = _in_rows(a, axis)
    *rest, size = shape_of(rows)
    bits = bitwise_and(
        bitwise_right_shift(expand_dims(rows, axis=-1), _shifts(bitorder)), np.uint8(1)
    )
    bits = reshape(bits, (*rest, size * 8))
    if count is not None:
        bits = _first(bits, count, rest, size * 8)
    return moveaxis(bits, -1, where)


def _first(bits: Any, count: int, rest: list[Any], size: Any) -> Any:
    """So many bits of each row, with zeros behind; with a negative number, all but so many."""
    if not isinstance(size, int):
        return bits[..., :count]
    if count < -size:
        raise ValueError("-count larger than number of elements")
    if count > size:
        return concat([bits, zeros((*rest, count - size), _BYTE)], axis=-1)
    return bits[..., : count if count >= 0 else size + count]
