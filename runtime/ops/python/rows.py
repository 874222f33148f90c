"""Arrays that grow at their end, row by row: what the items of lists are held in."""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import Any

import numpy as np

from runtime.errors import LimitValueError
from runtime.ops.arrays.creation import zeros_like
from runtime.ops.arrays.joining import concat
from runtime.ops.declaration.declare import op
from runtime.ops.declaration.operands import Array, Module, shape_of
from runtime.ops.declaration.samples import array, fixed
from runtime.ops.indexing.indexing import getitem
from runtime.spec import Dim, TensorType

__all__ = ["append_row", "as_long_as", "rows_alike", "without_row"]

# The room, in rows, that the first row gets.
_LEAST_ROOM = 8


def _references_of_held_memory() -> int:
    """What `getrefcount` says of the memory behind an array that nothing else holds."""
    x = np.empty(1)[:]
    whole = x.base
    return getrefcount(whole)


_HELD_ONCE = _references_of_held_memory()


def _appended_type(x: TensorType, row: TensorType) -> TensorType:
    if x.dtype != row.dtype:
        raise TypeError(f"a row of {row.dtype} is appended to an array of {x.dtype}")
    if x.shape is None or row.shape is None:
        return TensorType(x.dtype, x.shape)
    if x.shape[0] == 0 and len(x.shape) == len(row.shape) + 1:
        return TensorType(x.dtype, (1, *row.shape))
    if len(x.shape) != len(row.shape) + 1 or not all(map(_may_fit, x.shape[1:], row.shape)):
        raise ValueError(f"a row of shape {row.shape} is appended to an array of shape {x.shape}")
    sizes = (b if a is None else a for a, b in zip(x.shape[1:], row.shape, strict=True))
    return TensorType(x.dtype, (None if x.shape[0] is None else x.shape[0] + 1, *sizes))


def _may_fit(a: Dim, b: Dim) -> bool:
    return a is None or b is None or a == b


def _may_differ(types: tuple[TensorType, ...], attrs: dict[str, Any]) -> bool:
    x, row = types
    return x.shape is None or row.shape is None or None in row.shape or x.shape[1:] != row.shape


@op(
    inputs=2,
    infer=_appended_type,
    vjp=(
        lambda g, out, x, row: getitem(g, slice(None, -1)),
        lambda g, out, x, row: getitem(g, -1),
    ),
    raises=_may_differ,
    samples=fixed(
        lambda: (
            (array((3,)), array(())),
            (array((0,)), array(())),
            (array((2, 3)), array((3,))),
            (array((2,), "c16"), array((), "c16")),
            (array((4,), "i8"), array((), "i8")),
            (array((1, 2), "f4"), array((2,), "f4")),
        )
    ),
)
def append_row(xp: Module, x: Array, row: Array) -> Array:
    """`x` with one more row at its end, of the dtype of `x` and the shape of its rows.

    It takes constant time on average where one row is appended after the other: the result lies in
    memory with room behind it, and if nobody else holds that memory the next row goes there.
    Raises ValueError for a row of another shape.

    >>> ag.append_row(np.array([1.0, 2.0]), np.float64(3.0)).numpy()
    array([1., 2., 3.])
    """
    count, shape = len(x), xp.shape(row)
    if x.shape[1:] != shape:
        if count or x.ndim != len(shape) + 1:
            raise _unlike(x.shape[1:], shape)
        x = xp.empty((0, *shape), x.dtype)
    if xp is not np:
        return xp.concatenate([x, xp.asarray(row, x.dtype)[None]])
    whole = x.base
    first = _room_behind(x, whole) if getrefcount(whole) == _HELD_ONCE else -1
    if first < 0:
        first, room = 0, max(_LEAST_ROOM, 2 * count)
        whole = np.empty((room, *shape), x.dtype)
        whole[:count] = x
    whole[first + count] = row
    return whole[first : first + count + 1]


def _one_less(x: TensorType, row: TensorType) -> TensorType:
    if x.shape is None or x.shape[0] is None:
        return TensorType(x.dtype, x.shape)
    return TensorType(x.dtype, (x.shape[0] - 1, *x.shape[1:]))


def _without_vjp(g: Any, out: Any, x: Any, row: Any) -> Any:
    before, behind = getitem(g, slice(None, row)), getitem(g, slice(row, None))
    return concat([before, zeros_like(getitem(x, slice(None, 1))), behind])


@op(
    inputs=2,
    infer=_one_less,
    vjp=(_without_vjp, None),
    reads=(0, 1),
    samples=fixed(
        lambda: (
            (array((3,)), np.int64(1)),
            (array((4,), "i8"), np.int64(0)),
            (array((2, 3)), np.int64(1)),
            (array((1, 2), "f4"), np.int64(0)),
        )
    ),
)
def without_row(xp: Module, x: Array, row: Array) -> Array:
    """`x` without the row of a number, which is there.

    Natively the rows behind it move up in the memory where they are, and none where it is the
    first. Raises nothing.

    >>> ag.without_row(np.array([1.0, 2.0, 3.0]), 1).numpy()
    array([1., 3.])
    """
    at = int(row)
    return xp.concatenate([x[:at], x[at + 1 :]])


def _unlike(one: Sequence[int], other: Sequence[int]) -> Exception:
    """The error of rows that a list in Python could hold beside each other."""
    return LimitValueError(
        f"the items of a list or dict whose length depends on data are arrays of shapes {one} and "
        f"{other}: they must be of one shape; fill them up to one, or keep what is in them in one "
        "array, and where each begins in another"
    )


def _alike_vjp(g: Any, out: Any, x: Any, other: Any, *, axes: int = 1) -> Any:
    return rows_alike(g, x, axes=axes)


def _alike_type(x: TensorType, other: TensorType, *, axes: int = 1) -> TensorType:
    if x.shape is None or other.shape is None:
        return TensorType(x.dtype, x.shape)
    own, rows = x.shape[axes:], other.shape[axes:]
    if len(own) != len(rows):
        raise ValueError(f"items of shape {own} are to be as those of shape {rows}")
    if 0 in other.shape[:axes]:
        return x
    if 0 in x.shape[:axes]:
        has_items = None not in other.shape[:axes]
        sizes = [b if has_items or a == b else None for a, b in zip(own, rows, strict=True)]
    else:
        sizes = [b if a is None else a for a, b in zip(own, rows, strict=True)]
    return TensorType(x.dtype, (*x.shape[:axes], *sizes))


@op(
    inputs=2,
    infer=_alike_type,
    vjp=(_alike_vjp, None),
    reads=(0,),
    raises=lambda types, attrs: True,
    view=True,
    samples=fixed(
        lambda: (
            (array((3, 2)), array((4, 2), "i8")),
            (array((0, 2)), array((0, 2), "i8")),
            (array((3,)), array((2,), "i8")),
        )
    ),
)
def rows_alike(xp: Module, x: Array, other: Array, *, axes: int = 1) -> Array:
    """`x`, of which the items behind the first `axes` have the shape of those of `other`.

    Where `x` has no items, the result is as empty, of the shape that they would have. Raises
    ValueError where both have items, of two shapes.

    >>> ag.rows_alike(np.zeros((0, 0)), np.ones((3, 2))).shape
    (0, 2)
    """
    own, wanted = x.shape[axes:], other.shape[axes:]
    if own == wanted or 0 in other.shape[:axes]:
        return x
    if 0 not in x.shape[:axes]:
        raise _unlike(own, wanted)
    return xp.empty((*x.shape[:axes], *wanted), x.dtype)


def _as_long_vjp(g: Any, out: Any, x: Any, other: Any, *, axis: int) -> Any:
    return getitem(g, (slice(None),) * axis + (slice(None, shape_of(x)[axis]),))


def _as_long_type(x: TensorType, other: TensorType, *, axis: int) -> TensorType:
    if x.shape is None or other.shape is None:
        return TensorType(x.dtype, x.shape)
    own, wanted = x.shape[axis], other.shape[axis]
    longest = None if own is None or wanted is None else max(own, wanted)
    return TensorType(x.dtype, (*x.shape[:axis], longest, *x.shape[axis + 1 :]))


@op(
    inputs=2,
    infer=_as_long_type,
    vjp=(_as_long_vjp, None),
    reads=(0,),
    view=True,
    samples=lambda: (
        ((array((3, 2)), array((4, 3), "i8")), {"axis": 1}),
        ((array((3, 4)), array((1, 3), "i8")), {"axis": 1}),
        ((array((2, 0, 2)), array((1, 3, 2))), {"axis": 1}),
        ((array((2, 2, 1), "f4"), array((2, 3, 2))), {"axis": 2}),
    ),
)
def as_long_as(xp: Module, x: Array, other: Array, *, axis: int) -> Array:
    """`x` with zeros at the end of an axis until that is as long as the one of `other`.

    Rows of lists of several lengths are brought to one length by it; where `x` is as long already,
    nothing is done. Raises nothing.

    >>> ag.as_long_as(np.ones((1, 2)), np.zeros((3, 4)), axis=1).numpy()
    array([[1., 1., 0., 0.]])
    """
    missing = other.shape[axis] - x.shape[axis]
    if missing <= 0:
        return x
    shape = (*x.shape[:axis], missing, *x.shape[axis + 1 :])
    return xp.concatenate([x, xp.zeros(shape, x.dtype)], axis=axis)


def _room_behind(x: Array, whole: Any) -> int:
    """The position of the first row of `x` in the memory `whole`, -1 if there is no room behind."""
    if type(whole) is not np.ndarray or whole.base is not None:
        return -1
    if whole.dtype != x.dtype or whole.shape[1:] != x.shape[1:] or not whole.flags.writeable:
        return -1
    if whole.strides != x.strides or not whole.flags.c_contiguous or not whole.nbytes:
        return -1
    start: int = x.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    first = start // whole.strides[0]
    return first if first + len(x) < len(whole) else -1
