"""NumPy's functions that write into their first argument. They give None, as NumPy's do."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.broadcasting import broadcast_to
from runtime.ops.creation import arange
from runtime.ops.declare import implements
from runtime.ops.indexing import index_update
from runtime.ops.operands import Operand, dtype_of, rank_of, shape_of, type_of
from runtime.ops.positions import as_positions, put_along_axis, take
from runtime.ops.scans import cumsum
from runtime.ops.selection import clip, where_
from runtime.ops.shapes import ravel, reshape, size

__all__: list[str] = []


def _write(x: Any, new: Any) -> None:
    x[...] = new


def _cycled(values: Operand, count: Any) -> Any:
    """The first `count` of `values`, which are repeated."""
    flat = ravel(values)
    return take(flat, arange(count) % shape_of(flat)[0])


@implements("put")
def numpy_put(x: Operand, indices: Operand, values: Operand, /, mode: str = "raise") -> None:
    """`numpy.put`: values at positions of the flattened `x`."""
    places, count = ravel(as_positions(indices)), size(x)
    if mode == "wrap":
        places = places % count
    elif mode == "clip":
        places = clip(places, 0, count - 1)
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    flat = index_update(ravel(x), _cycled(values, shape_of(places)[0]), (places,))
    _write(x, reshape(flat, shape_of(x)))


@implements("place")
def numpy_place(x: Operand, mask: Operand, values: Operand, /) -> None:
    """`numpy.place`: the values one after the other where the mask is true."""
    flat, chosen = ravel(values), ravel(mask) != 0
    numbers = cumsum(chosen, 0) - 1
    written = take(flat, numbers % shape_of(flat)[0])
    _write(x, reshape(where_(chosen, written, ravel(x)), shape_of(x)))


@implements("putmask")
def numpy_putmask(x: Operand, /, mask: Operand, values: Operand) -> None:
    """`numpy.putmask`: the values of the same position, repeated, where the mask is true."""
    written = reshape(_cycled(values, size(x)), shape_of(x))
    _write(x, where_(mask, written, x))


@implements("copyto")
def numpy_copyto(
    x: Operand, source: Operand, /, casting: str = "same_kind", where: Operand = True
) -> None:
    """`numpy.copyto`: another array where the mask is true."""
    own, given = dtype_of(x), type_of(source)
    if not given.weak and not np.can_cast(given.dtype, own, casting):  # type: ignore[arg-type]
        raise TypeError(
            f"Cannot cast array data from {given.dtype!r} to {own!r} according to the rule "
            f"{casting!r}"
        )
    _write(x, source if where is True else where_(where, source, x))


@implements("put_along_axis")
def numpy_put_along_axis(
    x: Operand, indices: Operand, values: Operand, /, axis: int | None
) -> None:
    """`numpy.put_along_axis`: values at positions along an axis."""
    if axis is None:
        flat = put_along_axis(ravel(x), indices, values, 0)
        _write(x, reshape(flat, shape_of(x)))
    else:
        _write(x, put_along_axis(x, indices, values, axis))


@implements("fill_diagonal")
def numpy_fill_diagonal(x: Operand, value: Operand, /, wrap: bool = False) -> None:
    """`numpy.fill_diagonal`: values on the main diagonal, all of whose indices are equal."""
    shape = shape_of(x)
    if rank_of(x) < 2:
        raise ValueError("array must be at least 2-d")
    if rank_of(x) == 2:
        step, end = shape[1] + 1, None if wrap else shape[1] * shape[1]
    else:
        if len(set(shape)) != 1:
            raise ValueError("All dimensions of input must be of equal length")
        step, end = 1 + sum(shape[0] ** i for i in range(1, rank_of(x))), None
    last = size(x) if end is None or isinstance(size(x), int) and size(x) < end else end
    places = arange(0, last, step)
    filled = value if rank_of(value) == 0 else _cycled(value, shape_of(places)[0])
    filled = broadcast_to(filled, shape_of(places)) if rank_of(filled) == 0 else filled
    flat = index_update(ravel(x), filled, (places,))
    _write(x, reshape(flat, shape))
