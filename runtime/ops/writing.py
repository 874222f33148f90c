"""NumPy's functions that write into their first argument. They give None, as NumPy's do."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.agreement import of_size
from runtime.ops.broadcasting import broadcast_to
from runtime.ops.comparison import equal, logical_and, logical_not, logical_or, not_equal
from runtime.ops.creation import arange, zeros
from runtime.ops.declare import implements
from runtime.ops.indexing import getitem, index_update
from runtime.ops.internal import checked
from runtime.ops.joining import concat
from runtime.ops.operands import (
    Operand,
    dtype_of,
    is_array,
    is_empty,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.packing import packed
from runtime.ops.positions import as_positions, put_along_axis, take
from runtime.ops.reductions import any as any_
from runtime.ops.scans import cumsum
from runtime.ops.selection import clip, maximum, minimum, where_
from runtime.ops.shapes import ravel, reshape, size

__all__: list[str] = []


def _write(x: Any, new: Any) -> None:
    x[...] = new


def _cycled(values: Operand, count: Any) -> Any:
    """The first `count` of `values`, which are repeated."""
    flat = ravel(values)
    return take(flat, arange(count) % shape_of(flat)[0])


def _counted(values: Operand) -> tuple[Operand, Any]:
    """The values, flat, with a 0 behind where there may be none, and how many there are."""
    flat = ravel(values)
    count = shape_of(flat)[0]
    return (flat if isinstance(count, int) else concat([flat, zeros((1,), dtype_of(flat))])), count


def _mask_of(x: Operand, mask: Operand, what: str) -> Any:
    """The mask in the shape of `x`. Raises ValueError unless it has as many elements."""
    flat = ravel(mask)
    what += ": mask and data must be the same size"
    return reshape(of_size(flat, shape_of(flat)[0], size(x), what), shape_of(x)) != 0


def _safe(x: Operand, values: Operand) -> Operand:
    """The values. Raises TypeError for an array of a dtype that does not safely become another."""
    if not isinstance(values, (list, tuple)) and is_array(values):
        what = "array data" if rank_of(values) else "scalar"
        _check_cast(what, dtype_of(values), dtype_of(x), "safe")
    return values


def _check_cast(what: str, given: np.dtype[Any], own: np.dtype[Any], casting: str) -> None:
    if not np.can_cast(given, own, casting):  # type: ignore[arg-type]
        raise TypeError(
            f"Cannot cast {what} from {given!r} to {own!r} according to the rule {casting!r}"
        )


@implements("put")
def numpy_put(x: Operand, indices: Operand, values: Operand, /, mode: str = "raise") -> None:
    """`numpy.put`: values at positions of the flattened `x`."""
    places, count = ravel(as_positions(indices)), size(x)
    given = ravel(packed(values, dtype_of(x)))
    wanted, there = shape_of(places)[0], shape_of(given)[0]
    what = "cannot replace elements of an empty array"
    if not isinstance(wanted, int) or not isinstance(count, int):
        may = logical_or(not_equal(count, 0), equal(wanted, 0))
        places = checked(places, may, what=what, error="IndexError")
    elif wanted and not count:
        raise IndexError(what)
    if is_empty(given):
        return
    if not isinstance(there, int):  # where no values are given nothing is written
        places = getitem(places, slice(0, where_(equal(there, 0), 0, wanted)))
    if mode == "wrap":
        places = places % count
    elif mode == "clip":
        places = clip(places, 0, count - 1)
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    flat = index_update(ravel(x), _cycled(given, shape_of(places)[0]), (places,))
    _write(x, reshape(flat, shape_of(x)))


@implements("place")
def numpy_place(x: Operand, mask: Operand, values: Operand, /) -> None:
    """`numpy.place`: the values one after the other where the mask is true."""
    chosen, (given, count) = ravel(_mask_of(x, mask, "place")), _counted(_safe(x, values))
    if not isinstance(count, int) or not count:
        what = "Cannot insert from an empty array!"
        holds = logical_or(not_equal(count, 0), logical_not(any_(chosen)))
        chosen = checked(chosen, holds, what=what)
    if is_empty(given):
        _write(x, where_(reshape(chosen, shape_of(x)), x, x))
        return
    numbers = cumsum(chosen, 0) - 1
    written = take(given, numbers % maximum(count, 1))
    _write(x, reshape(where_(chosen, written, ravel(x)), shape_of(x)))


@implements("putmask")
def numpy_putmask(x: Operand, /, mask: Operand, values: Operand) -> None:
    """`numpy.putmask`: the values of the same position, repeated, where the mask is true."""
    chosen, (given, count) = _mask_of(x, mask, "putmask"), _counted(_safe(x, values))
    if is_empty(given):
        return
    if not isinstance(count, int):
        chosen = logical_and(chosen, not_equal(count, 0))
    written = take(given, arange(size(x)) % maximum(count, 1))
    _write(x, where_(chosen, reshape(written, shape_of(x)), x))


@implements("copyto")
def numpy_copyto(
    x: Operand, source: Operand, /, casting: str = "same_kind", where: Operand = True
) -> None:
    """`numpy.copyto`: another array where the mask is true."""
    own, given = dtype_of(x), type_of(source)
    dtype = given.dtype
    if given.weak and dtype != np.bool_:
        dtype = np.result_type(own, dtype.type(0).item())  # a number of Python adapts to `x`
    _check_cast("array data" if given.rank else "scalar", dtype, own, casting)
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
    if rank_of(value) and is_empty(value):
        return  # as NumPy: there is nothing to write
    count = size(x)
    if end is None:
        last = count
    elif isinstance(count, int) and isinstance(end, int):
        last = min(count, end)
    else:
        last = minimum(count, end)
    places = arange(0, last, step)
    filled = value if rank_of(value) == 0 else _cycled(value, shape_of(places)[0])
    filled = broadcast_to(filled, shape_of(places)) if rank_of(filled) == 0 else filled
    flat = index_update(ravel(x), filled, (places,))
    _write(x, reshape(flat, shape))
