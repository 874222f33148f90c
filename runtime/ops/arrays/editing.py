"""Arrays put together of blocks, taken apart, lengthened, shortened, and gone through by slices."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from runtime.errors import StagingError
from runtime.ops.arrays.axes import flip, moveaxis
from runtime.ops.arrays.broadcasting import broadcast_to
from runtime.ops.arrays.creation import arange, ones, zeros
from runtime.ops.arrays.interchange import asarray
from runtime.ops.arrays.joining import concat, split, stack
from runtime.ops.arrays.packing import packed
from runtime.ops.arrays.shapes import copy, expand_dims, ravel, reshape
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.internal import checked
from runtime.ops.declaration.operands import (
    Axes,
    Operand,
    dtype_of,
    is_empty,
    is_tensor,
    normal_axes,
    normal_axis,
    rank_of,
    shape_of,
    sizes_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.comparison import (
    equal,
    greater_equal,
    logical_and,
    logical_not,
    not_equal,
)
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.selection import maximum, where_
from runtime.ops.indexing.indexing import getitem, index_add, index_update
from runtime.ops.indexing.nonzero import flatnonzero
from runtime.ops.indexing.positions import take
from runtime.ops.reductions.reductions import any as any_
from runtime.ops.reductions.reductions import argmax
from runtime.ops.reductions.sorting import argsort

__all__ = [
    "apply_along_axis",
    "apply_over_axes",
    "block",
    "delete",
    "dsplit",
    "hsplit",
    "insert",
    "resize",
    "rollaxis",
    "trim_zeros",
    "vsplit",
]


# ---- blocks --------------------------------------------------------------------------------------


def _depth(parts: Any) -> int:
    if isinstance(parts, tuple):
        raise TypeError("block takes nested lists, not tuples: only arrays are put together")
    if not isinstance(parts, list):
        return 0
    if not parts:
        raise ValueError("List at arrays cannot be empty")
    depths = {_depth(part) for part in parts}
    if len(depths) > 1:
        raise ValueError(f"List depths are mismatched: {sorted(d + 1 for d in depths)}")
    return 1 + depths.pop()


def _leaves(parts: Any) -> Iterator[Any]:
    if isinstance(parts, list):
        for part in parts:
            yield from _leaves(part)
    else:
        yield parts


def _joined(parts: Any, depth: int, rank: int) -> Any:
    if depth == 0:
        return reshape(parts, (1,) * (rank - rank_of(parts)) + shape_of(parts))
    return concat([_joined(part, depth - 1, rank) for part in parts], -depth)


@implements(
    samples=lambda: (
        (([[array((2, 2)), array((2, 1))], [array((1, 3))]],), {}),
        (([array((3,)), 2.0],), {}),
        ((array((2,)),), {}),
        (([[1, 2], [3, 4]],), {}),
    ),
)
def block(arrays: Any) -> Any:
    """An array put together of nested lists of blocks, the innermost along the last axis.

    >>> ag.block([[np.ones((1, 1)), np.zeros((1, 2))], [np.zeros((1, 3))]]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    depth = _depth(arrays)
    rank = max(depth, *(rank_of(x) for x in _leaves(arrays)), 0)
    result = _joined(arrays, depth, rank)
    return copy(result) if depth == 0 else result


# ---- parts ---------------------------------------------------------------------------------------


@implements(
    samples=lambda: (
        ((array((4, 2)), 2), {}),
        ((array((3, 2)), [1]), {}),
    ),
)
def vsplit(x: Operand, sections: Any, /) -> list[Any]:
    """`x` cut along its first axis; see `split`.

    >>> [p.tolist() for p in ag.vsplit(np.array([[1], [2]]), 2)]
    [[[1]], [[2]]]
    """
    if rank_of(x) < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(x, sections, 0)


@implements(
    samples=lambda: (
        ((array((2, 4)), 2), {}),
        ((array((4,)), [1]), {}),
    ),
)
def hsplit(x: Operand, sections: Any, /) -> list[Any]:
    """`x` cut along its second axis (a vector along its only one); see `split`.

    >>> [p.tolist() for p in ag.hsplit(np.array([[1, 2]]), 2)]
    [[[1]], [[2]]]
    """
    if rank_of(x) == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(x, sections, 1 if rank_of(x) > 1 else 0)


@implements(
    samples=lambda: (
        ((array((2, 1, 4)), 2), {}),
        ((array((1, 2, 3)), [1]), {}),
    ),
)
def dsplit(x: Operand, sections: Any, /) -> list[Any]:
    """`x` cut along its third axis; see `split`.

    >>> [p.tolist() for p in ag.dsplit(np.array([[[1, 2]]]), 2)]
    [[[[1]]], [[[2]]]]
    """
    if rank_of(x) < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(x, sections, 2)


@implements(
    samples=lambda: (
        ((array((2, 3, 4)), 2), {}),
        ((array((2, 3, 4)), 0, 3), {}),
        ((array((2, 3)), -1), {}),
    ),
)
def rollaxis(x: Operand, /, axis: int, start: int = 0) -> Any:
    """`x` with an axis moved to before the one that is at `start`; a view.

    >>> ag.rollaxis(np.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    rank = rank_of(x)
    axis = normal_axis(axis, rank)
    start = start + rank if start < 0 else start
    if not 0 <= start < rank + 1:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-rank} <= start < {rank + 1}, but {start} was passed in"
        )
    return moveaxis(x, axis, start - 1 if axis < start else start)


# ---- longer and shorter --------------------------------------------------------------------------


@implements(
    samples=lambda: (
        ((array((2, 3)), (3, 3)), {}),
        ((array((3,)), 2), {}),
        ((np.zeros((0,)), 2), {}),
    ),
)
def resize(x: Operand, /, new_shape: Any) -> Any:
    """The elements of `x`, as often repeated as needed, in another shape.

    >>> ag.resize(np.array([1, 2, 3]), (2, 2)).tolist()
    [[1, 2], [3, 1]]
    """
    sizes, what = [], "all elements of `new_shape` must be non-negative"
    flat, count = ravel(x), 1
    for n in sizes_of(new_shape):
        if isinstance(n, int) and n < 0:
            raise ValueError(what)
        sizes.append(n if isinstance(n, int) else checked(n, greater_equal(n, 0), what=what))
        count = count * sizes[-1]
    given = shape_of(flat)[0]
    if isinstance(given, int) and given == 0:
        return zeros(sizes, dtype_of(x))
    if not isinstance(given, int):  # of nothing, a zero is repeated
        flat, given = concat([flat, zeros((1,), dtype_of(x))]), maximum(given, 1)
    return reshape(take(flat, arange(count) % given), sizes)


@implements(
    samples=lambda: (
        ((np.array([0, 1, 0, 2, 0], "f4"),), {}),
        ((np.array([0, 1, 2, 0]), "f"), {}),
        ((np.array([0, 1, 2, 0]), "b"), {}),
        ((np.zeros(2, "f4"),), {}),
        ((np.array([[0, 0, 0], [0, 1, 2], [0, 3, 0]]),), {}),
    ),
)
def trim_zeros(filt: Operand, /, trim: str = "fb", axis: Axes = None) -> Any:
    """`filt` without zeros at its front ("f"), its back ("b"), or both, along `axis` (None: all).

    With several axes, what is left out are slices of zeros alone.

    >>> ag.trim_zeros(np.array([0, 1, 0, 2, 0])).numpy()
    array([1, 0, 2])
    """
    if trim.lower() not in ("f", "b", "fb", "bf"):
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    if isinstance(filt, (list, tuple)):
        raise StagingError(
            "`np.trim_zeros` of a list gives a list, whose length depends on data here",
            "make an array of it first",
        )
    counts, key = not_equal(filt, 0), [slice(None)] * rank_of(filt)
    if is_empty(filt):
        return getitem(filt, tuple(key))
    for at in normal_axes(axis, rank_of(filt)):
        others = tuple(i for i in range(rank_of(filt)) if i != at)
        key[at] = _counting(any_(counts, axis=others), shape_of(filt)[at], trim.lower())
    return getitem(filt, tuple(key)) if key else filt


def _counting(counts: Any, size: Any, trim: str) -> slice:
    """From the first to the last true element of a vector, or to its ends where `trim` says so."""
    is_any = any_(counts)
    first = where_(is_any, argmax(counts), size) if "f" in trim else 0
    last = where_(is_any, size - argmax(flip(counts)), 0) if "b" in trim else size
    return slice(first, last)


@implements(
    samples=lambda: (
        ((array((5,)), 1), {}),
        ((array((3, 4)), [0, -1], 1), {}),
        ((array((3, 4)), slice(0, 2), 0), {}),
        ((array((3, 4)), slice(None, None, -2), 1), {}),
        ((array((2, 2)), 3), {}),
        ((array((5,)), np.array([True, False, False, True, True])), {}),
        ((array((2, 3)), np.array([False, True, False]), 1), {}),
        ((array((2, 3)), np.array([0, 0, -1]), 1), {}),
        ((array((4,)), np.array([2])), {}),
        ((array((3,), "i8"), np.zeros((0,), int)), {}),
        ((np.zeros((0, 2)), np.zeros((0,), bool), 0), {}),
        ((array((3, 2)), np.int64(-1), 0), {}),
    ),
)
def delete(x: Operand, /, obj: Any, axis: int | None = None) -> Any:
    """`x` without the parts at `obj` along `axis` (None: flattened): an int, ints, a slice, a mask.

    A mask has one element for each part. Raises ValueError for a mask of another size, IndexError
    for a position that is not there.

    >>> ag.delete(np.array([1, 2, 3]), 1).numpy()
    array([1, 3])
    >>> x = np.array([3, -1, 2])
    >>> ag.delete(x, x < 0).numpy()
    array([3, 2])
    """
    x, at = (ravel(x), 0) if axis is None else (x, normal_axis(axis, rank_of(x)))
    length = shape_of(x)[at]
    if isinstance(length, int) and _is_known(obj):
        return take(x, np.delete(np.arange(length), obj), at)
    obj = _positions(obj)
    if _is_one_place(obj):
        place = _counted_from_start(obj, x, at)
        kept = arange(length - 1)
        return take(x, kept + astype(kept >= place, np.intp), at)
    if not isinstance(obj, slice) and dtype_of(obj).kind == "b":
        return take(x, flatnonzero(logical_not(_mask_of_axis(obj, length))), at)
    is_left = index_update(ones((length,), bool), False, obj)
    return getitem(x, (*(slice(None),) * at, is_left))


def _is_known(obj: Any) -> bool:
    """Whether positions are known while tracing."""
    parts = (obj.start, obj.stop, obj.step) if isinstance(obj, slice) else (obj,)
    leaves = (leaf for p in parts for leaf in (p if isinstance(p, (list, tuple)) else (p,)))
    return not any(is_tensor(leaf) for leaf in leaves)


def _positions(obj: Any) -> Any:
    """Positions as an array, but for slices; NumPy takes an empty list for one of integers."""
    if isinstance(obj, slice):
        return obj
    return asarray(obj, np.intp) if isinstance(obj, (list, tuple)) and not obj else asarray(obj)


def _is_one_place(obj: Any) -> bool:
    """Whether this is one position, or an array of one, whose size is known."""
    if isinstance(obj, slice) or dtype_of(obj).kind not in "iu":
        return False
    shape = shape_of(obj)
    return all(isinstance(n, int) for n in shape) and math.prod(shape) == 1


def _counted_from_start(obj: Any, x: Operand, at: int, *, is_end_one: bool = False) -> Any:
    """One position along an axis of `x`, negative ones counted from its end; that may be one."""
    place, length = astype(reshape(obj, ()), np.intp), shape_of(x)[at]
    if isinstance(length, int) and length > 0:
        inside = where_(equal(place, length), 0, place) if is_end_one else place
        getitem(x, (*[slice(None)] * at, inside))  # its error names the position and the axis
    else:
        is_there = logical_and(place >= -length, place < length + is_end_one)
        what = f"index {{0}} is out of bounds for axis {at} with size {{1}}"
        place = checked(place, is_there, place, length, what=what, error="IndexError")
    return where_(place < 0, place + length, place)


def _mask_of_axis(mask: Any, length: Any) -> Any:
    what = "boolean array argument obj to delete must be one dimensional and match the axis length"
    if rank_of(mask) != 1:
        raise ValueError(what)
    return checked(mask, equal(shape_of(mask)[0], length), length, what=what + " of {0}")


@implements(
    samples=lambda: (
        ((array((4,)), 1, 9.0), {}),
        ((array((4,)), [0, 2, 2], array((3,), salt=1)), {}),
        ((array((2, 3)), 1, array((3,), salt=1), 0), {}),
        ((array((2, 3)), [0, 3], array((2, 2), salt=1), 1), {}),
        ((array((3,), "i8"), slice(0, 2), 7), {}),
        ((array((2, 3)), 1, array((2,), salt=1), 1), {}),
        ((array((4,)), np.array([3, 0, -1, 0]), array((4,), salt=1)), {}),
        ((array((4,)), np.array([True, False, False, True]), 5.0), {}),
        ((array((2, 3)), np.array([1]), array((2, 2), salt=1), 1), {}),
        ((array((2, 3)), np.int64(-1), array((2,), salt=1), 1), {}),
        ((array((2, 3), "f4"), np.array([0, 3]), array((2, 2), salt=1), 1), {}),
        ((np.zeros((0,)), np.array([0, 0]), array((2,))), {}),
    ),
)
def insert(x: Operand, /, obj: Any, values: Operand, axis: int | None = None) -> Any:
    """`x` with `values`, cast to its dtype, put before the positions `obj` along `axis`.

    None flattens first. A mask stands for the positions where it is true. Raises IndexError for a
    position that is not there, ValueError for values that do not fit.

    >>> ag.insert(np.array([1, 2, 3]), 1, 9).numpy()
    array([1, 9, 2, 3])
    """
    x, at = (ravel(x), 0) if axis is None else (x, normal_axis(axis, rank_of(x)))
    added = packed(values, dtype_of(x))
    if rank_of(added) < rank_of(x):
        added = reshape(added, (1,) * (rank_of(x) - rank_of(added)) + shape_of(added))
    if not isinstance(obj, slice) and rank_of(obj) == 0:  # as x[:, obj, :] would be assigned to
        added = moveaxis(added, 0, at)
    order, count = _order_with(obj, x, at, shape_of(added)[at])
    shape, more = shape_of(x), rank_of(added) - rank_of(x)
    if more > 0:  # further axes of size 1 in front
        added = reshape(added, shape_of(added)[more:])
    wide = broadcast_to(added, (*shape[:at], count, *shape[at + 1 :]))
    return take(concat([x, wide], at), order, at)


def _order_with(obj: Any, x: Operand, at: int, given: Any) -> tuple[Any, Any]:
    """Positions in an axis of `x`, and in values behind it; and how many values are wanted.

    There are `given` values, of which one place takes all.
    """
    length = shape_of(x)[at]
    is_known = _is_known(obj)
    if isinstance(length, int) and is_known:
        chosen = np.arange(length)[obj] if isinstance(obj, slice) else np.asarray(obj)
        if chosen.dtype.kind == "b":
            chosen = np.flatnonzero(chosen) if chosen.ndim == 1 else chosen
        if chosen.size != 1:
            return np.insert(np.arange(length), obj, length + np.arange(chosen.size)), chosen.size
        if isinstance(given, int):
            return np.insert(np.arange(length), chosen.item(), length + np.arange(given)), given
    places = getitem(arange(length), obj) if isinstance(obj, slice) else _positions(obj)
    if _is_one_place(places):
        place = _counted_from_start(places, x, at, is_end_one=True)
        there = arange(length + given)
        behind = where_(there < place + given, length + there - place, there - given)
        return where_(there < place, there, behind), given
    if dtype_of(places).kind == "b":
        if rank_of(places) != 1:
            raise ValueError("boolean array argument obj to insert must be one dimensional")
        places = flatnonzero(places)
    elif rank_of(places) > 1:
        raise ValueError("index array argument obj to insert must be one dimensional or scalar")
    count = shape_of(places)[0]
    places = astype(where_(places < 0, places + length, places), np.intp)
    places = index_add(places, arange(count), argsort(places))
    is_old = index_update(ones((length + count,), bool), False, places)
    order = index_update(zeros((length + count,), np.intp), length + arange(count), places)
    return index_update(order, arange(length), flatnonzero(is_old)), count


# ---- slice by slice ------------------------------------------------------------------------------


@implements(
    samples=lambda: (
        ((lambda v: v * v[0], 0, array((2, 3))), {}),
        ((lambda v: v[0] + v[-1], 1, array((2, 3))), {}),
    ),
)
def apply_along_axis(
    func1d: Callable[..., Any], axis: int, x: Operand, /, *args: Any, **kwargs: Any
) -> Any:
    """`func1d(v, *args, **kwargs)` for each vector v of `x` along `axis`, in its place.

    The sizes of the other axes must be known. Axes of the results take the place of `axis`.

    >>> ag.apply_along_axis(lambda v: v[-1] - v[0], 1, np.array([[1, 5], [2, 9]])).numpy()
    array([4, 7])
    """
    at = normal_axis(axis, rank_of(x))
    moved = moveaxis(x, at, -1)
    outer = tuple(map(operator.index, shape_of(moved)[:-1]))
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [
        asarray(func1d(getitem(moved, i), *args, **kwargs)) for i in product(*map(range, outer))
    ]
    whole = reshape(stack(results), (*outer, *shape_of(results[0])))
    inner = rank_of(results[0])
    return (
        moveaxis(whole, tuple(range(-inner, 0)), tuple(range(at, at + inner))) if inner else whole
    )


@implements(
    samples=lambda: (
        ((np.sum, array((2, 3, 2)), (0, 2)), {}), ((np.max, array((2, 3)), 1), {}),),
)  # fmt: skip
def apply_over_axes(func: Callable[..., Any], x: Operand, axes: Any, /) -> Any:
    """`func(x, axis)` for each of the axes in turn, which stay as axes of size 1.

    >>> ag.apply_over_axes(np.sum, ag.asarray([[1, 2], [3, 4]]), (0, 1)).tolist()
    [[10]]
    """
    rank, result = rank_of(x), x
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        at = normal_axis(axis, rank)
        reduced = func(result, at)
        result = reduced if rank_of(reduced) == rank else expand_dims(reduced, at)
        if rank_of(result) != rank:
            raise ValueError("function is not returning an array of the correct shape")
    return result
