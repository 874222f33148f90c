"""NumPy's functions that write into their first argument. They give None, as NumPy's do."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.devices import placing_like
from runtime.ops.arrays.agreement import of_size
from runtime.ops.arrays.creation import arange, zeros
from runtime.ops.arrays.joining import as_operand, concat
from runtime.ops.arrays.packing import is_fitting, must_fit, packed, packed_element
from runtime.ops.arrays.shapes import ravel, reshape, size
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.internal import checked
from runtime.ops.declaration.operands import (
    Operand,
    content,
    dtype_of,
    is_array,
    is_empty,
    is_tensor,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.elementwise.comparison import (
    equal,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
)
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.selection import clip, maximum, where_
from runtime.ops.indexing.indexing import getitem, index_update
from runtime.ops.indexing.positions import as_positions, put_along_axis, take
from runtime.ops.reductions.reductions import any as any_
from runtime.ops.reductions.scans import cumsum

__all__ = ["copied_to", "put_flat"]


def _write(x: Any, new: Any) -> None:
    x[...] = new


def _cycled(flat: Operand, count: Any) -> Any:
    """The first `count` of values, which are repeated."""
    return take(flat, arange(count) % shape_of(flat)[0])


def _counted(flat: Operand) -> tuple[Operand, Any]:
    """Values with a 0 behind where there may be none, and how many there are."""
    count = shape_of(flat)[0]
    return (flat if isinstance(count, int) else concat([flat, zeros((1,), dtype_of(flat))])), count


def _mask_of(x: Operand, mask: Operand, what: str) -> Any:
    """The mask in the shape of `x`. Raises ValueError unless it has as many elements."""
    flat = ravel(mask)
    what += ": mask and data must be the same size"
    return reshape(of_size(flat, shape_of(flat)[0], size(x), what), shape_of(x)) != 0


def _safe(x: Operand, values: Operand) -> Any:
    """The values, flat, in the dtype of `x`. Raises TypeError for an array of unsafe dtype."""
    if not isinstance(values, (list, tuple)) and is_array(values):
        what = "array data" if rank_of(values) else "scalar"
        _check_cast(what, dtype_of(values), dtype_of(x), "safe")
    return ravel(packed(values, dtype_of(x)))


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
    copied = copied_to(x, source, casting)
    _write(x, copied if where is True else where_(where, copied, x))


def copied_to(x: Operand, source: Operand, casting: str = "same_kind") -> Any:
    """What `numpy.copyto` writes into `x`: the source in the dtype of `x`, with no more axes.

    Raises TypeError where `casting` does not allow it, OverflowError for a Python int that does not
    fit.
    """
    own, source = dtype_of(x), as_operand(content(source))
    if not is_tensor(source):
        made = np.empty(np.shape(source), own)
        np.copyto(made, source, casting)  # type: ignore[arg-type]
        return _with_axes_of(x, made)
    given = type_of(source)
    dtype = given.dtype
    if given.weak and dtype != np.bool_:
        dtype = np.result_type(own, dtype.type(0).item())  # a number of Python adapts to `x`
    _check_cast("array data" if is_array(source) and given.rank else "scalar", dtype, own, casting)
    if given.weak and dtype.kind in "iu":
        return packed(source, own)
    return _with_axes_of(x, astype(source, own))


def _with_axes_of(x: Operand, source: Any) -> Any:
    """The source without further axes of size 1 in front."""
    more = rank_of(source) - rank_of(x)
    return reshape(source, shape_of(source)[more:]) if more > 0 else source


@implements("put_along_axis")
def numpy_put_along_axis(
    x: Operand, indices: Operand, values: Operand, /, axis: int | None
) -> None:
    """`numpy.put_along_axis`: values at positions along an axis."""
    values = packed(values, dtype_of(x))
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
    put_flat(x, slice(None, end, step), value)


def put_flat(x: Operand, key: Any, values: Operand) -> None:
    """`x.flat[key] = values`: the values one after the other, again and again; none write nothing.

    Raises ValueError, as NumPy does, for what is no number in the place of one element.
    """
    flat = ravel(x)
    part = getitem(flat, key)
    with placing_like(x):
        if type(key) is not bool and rank_of(part) == 0 and not is_array(key):
            given = _single_item(content(values), dtype_of(x))
        else:
            given = ravel(packed(values, dtype_of(x)))
            if is_empty(given):
                return
            given = _cycled(given, shape_of(part)[0])
    _write(x, reshape(index_update(flat, given, key), shape_of(x)))


def _single_item(x: Operand, dtype: np.dtype[Any]) -> Any:
    """What `flat` puts into one element. Raises ValueError for what is no number that fits."""
    what = "Error setting single item of array."
    if is_tensor(x) and not is_array(x) and must_fit(type_of(x), dtype):
        return packed(checked(x, is_fitting(x, dtype), what=what), dtype, is_item=True)
    try:
        return packed_element(x, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(what) from error
