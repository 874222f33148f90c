"""Arrays put together of blocks, taken apart, lengthened, shortened, and gone through by slices."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np

from runtime.errors import StagingError
from runtime.ops.axes import flip, moveaxis
from runtime.ops.broadcasting import broadcast_to
from runtime.ops.comparison import equal, less, logical_not, not_equal
from runtime.ops.conversion import astype
from runtime.ops.creation import arange, ones, zeros
from runtime.ops.declare import implements
from runtime.ops.indexing import getitem, index_update
from runtime.ops.interchange import asarray
from runtime.ops.internal import checked
from runtime.ops.joining import concat, split, stack
from runtime.ops.nonzero import flatnonzero
from runtime.ops.operands import (
    Axes,
    Operand,
    dtype_of,
    is_tensor,
    normal_axes,
    normal_axis,
    rank_of,
    shape_of,
    sizes_of,
)
from runtime.ops.positions import take
from runtime.ops.reductions import any as any_
from runtime.ops.reductions import argmax
from runtime.ops.samples import array, calls
from runtime.ops.selection import where_
from runtime.ops.shapes import copy, expand_dims, ravel, reshape

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
    "block",
    samples=calls(
        lambda: (
            (([[array((2, 2)), array((2, 1))], [array((1, 3))]],), {}),
            (([array((3,)), 2.0],), {}),
            ((array((2,)),), {}),
            (([[1, 2], [3, 4]],), {}),
        )
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
    "vsplit",
    samples=calls(
        lambda: (
            ((array((4, 2)), 2), {}),
            ((array((3, 2)), [1]), {}),
        )
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
    "hsplit",
    samples=calls(
        lambda: (
            ((array((2, 4)), 2), {}),
            ((array((4,)), [1]), {}),
        )
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
    "dsplit",
    samples=calls(
        lambda: (
            ((array((2, 1, 4)), 2), {}),
            ((array((1, 2, 3)), [1]), {}),
        )
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
    "rollaxis",
    samples=calls(
        lambda: (
            ((array((2, 3, 4)), 2), {}),
            ((array((2, 3, 4)), 0, 3), {}),
            ((array((2, 3)), -1), {}),
        )
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
    "resize",
    samples=calls(
        lambda: (
            ((array((2, 3)), (3, 3)), {}),
            ((array((3,)), 2), {}),
            ((np.zeros((0,)), 2), {}),
        )
    ),
)
def resize(x: Operand, /, new_shape: Any) -> Any:
    """The elements of `x`, as often repeated as needed, in another shape.

    >>> ag.resize(np.array([1, 2, 3]), (2, 2)).tolist()
    [[1, 2], [3, 1]]
    """
    sizes = sizes_of(new_shape)
    flat, count = ravel(x), 1
    for n in sizes:
        count = count * n
        if isinstance(n, int) and n < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
    if shape_of(flat)[0] == 0:
        return zeros(sizes, dtype_of(x))
    return reshape(take(flat, arange(count) % shape_of(flat)[0]), sizes)


@implements(
    "trim_zeros",
    samples=calls(
        lambda: (
            ((np.array([0, 1, 0, 2, 0], "f4"),), {}),
            ((np.array([0, 1, 2, 0]), "f"), {}),
            ((np.array([0, 1, 2, 0]), "b"), {}),
            ((np.zeros(2, "f4"),), {}),
            ((np.array([[0, 0, 0], [0, 1, 2], [0, 3, 0]]),), {}),
        )
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


def _length(x: Operand, axis: int) -> int:
    size = shape_of(x)[axis]
    if not isinstance(size, int):
        raise ValueError("the size of the axis must be known here")
    return size


@implements(
    "delete",
    samples=calls(
        lambda: (
            ((array((5,)), 1), {}),
            ((array((3, 4)), [0, -1], 1), {}),
            ((array((3, 4)), slice(0, 2), 0), {}),
            ((array((2, 2)), 3), {}),
        )
    ),
)
def delete(x: Operand, /, obj: Any, axis: int | None = None) -> Any:
    """`x` without the parts at `obj` along `axis` (None: flattened): an int, ints, a slice, a mask.

    Raises IndexError for an int that is out of range, ValueError for a mask of another length. The
    bounds of a slice must be known while tracing, and then so must the size of the axis.

    >>> ag.delete(np.array([1, 2, 3]), 1).numpy()
    array([1, 3])
    """
    x, at = (ravel(x), 0) if axis is None else (x, normal_axis(axis, rank_of(x)))
    if _is_open(obj) or (not isinstance(obj, slice) and not isinstance(shape_of(x)[at], int)):
        return take(x, flatnonzero(_kept(x, asarray(obj), at)), at)
    places = np.arange(_length(x, at)).reshape((1,) * at + (-1,))  # so that errors name the axis
    return take(x, np.delete(places, _plain(obj), at).ravel(), at)


def _is_open(obj: Any) -> bool:
    """Whether positions are known only when the graph runs."""
    if isinstance(obj, (list, tuple)):
        return any(map(_is_open, obj))
    return is_tensor(obj) and obj.is_traced and not obj.is_known


def _kept(x: Operand, obj: Any, at: int) -> Any:
    """Of each part along an axis, whether `delete` leaves it."""
    size, kind = shape_of(x)[at], dtype_of(obj).kind
    if kind == "b":
        what = (
            "boolean array argument obj to delete must be one dimensional and match the axis "
            f"length of {size if isinstance(size, int) else 'the array'}"
        )
        if rank_of(obj) != 1:
            raise ValueError(what)
        return checked(logical_not(obj), equal(shape_of(obj)[0], size), what=what)
    if kind not in "iu":
        raise IndexError("arrays used as indices must be of integer (or boolean) type")
    if rank_of(obj) == 0:
        getitem(x, (*[slice(None)] * at, obj))  # raises for this axis
        return not_equal(arange(size), where_(less(obj, 0), obj + size, obj))
    return index_update(ones(size, dtype=np.dtype(bool)), False, ravel(obj))


def _plain(obj: Any) -> Any:
    """Positions as NumPy has them."""
    return np.asarray(obj) if is_tensor(obj) else obj


@implements(
    "insert",
    samples=calls(
        lambda: (
            ((array((4,)), 1, 9.0), {}),
            ((array((4,)), [0, 2, 2], array((3,), salt=1)), {}),
            ((array((2, 3)), 1, array((3,), salt=1), 0), {}),
            ((array((2, 3)), [0, 3], array((2, 2), salt=1), 1), {}),
            ((array((3,), "i8"), slice(0, 2), 7), {}),
            ((array((2, 3)), 1, array((2,), salt=1), 1), {}),
        )
    ),
)
def insert(x: Operand, /, obj: Any, values: Operand, axis: int | None = None) -> Any:
    """`x` with `values`, cast to its dtype, put before the positions `obj` along `axis`.

    None flattens first. Raises IndexError for a position that is out of range. Several positions,
    and the size of the axis, must be known while tracing.

    >>> ag.insert(np.array([1, 2, 3]), 1, 9).numpy()
    array([1, 9, 2, 3])
    """
    x, at = (ravel(x), 0) if axis is None else (x, normal_axis(axis, rank_of(x)))
    is_by_data = _is_open(obj) and is_tensor(obj) and rank_of(obj) == 0 and shape_of(x)[at] != 0
    size, places = _length(x, at), obj if is_by_data else _plain(obj)
    added = values if is_tensor(values) else np.asarray(values)
    if rank_of(added) < rank_of(x):
        added = reshape(added, (1,) * (rank_of(x) - rank_of(added)) + shape_of(added))
    is_one = is_by_data or (not isinstance(places, slice) and np.ndim(places) == 0)
    if is_one:  # as x[:, obj, :] would be assigned to
        added = moveaxis(added, 0, at)
    probe = np.arange(size)
    if is_one:
        count = shape_of(added)[at]
    else:
        chosen = (
            np.arange(*places.indices(size)) if isinstance(places, slice) else np.asarray(places)
        )
        count = int(chosen.sum()) if chosen.dtype.kind == "b" else chosen.size
    shape = shape_of(x)
    if is_by_data:
        order = _order_with(x, places, size, count, at)
    else:
        order = np.insert(probe, places, size + np.arange(count))
    wide = broadcast_to(added, (*shape[:at], count, *shape[at + 1 :]))
    return take(concat([x, astype(wide, dtype_of(x))], at), order, at)


def _order_with(x: Operand, place: Any, size: int, count: int, at: int) -> Any:
    """Where each part of the result is among those of `x` and the `count` new ones behind them."""
    getitem(x, (*[slice(None)] * at, where_(equal(place, size), 0, place)))  # raises out of range
    place, here = where_(less(place, 0), place + size, place), arange(size + count)
    new = where_(less(here, place + count), size + here - place, here - count)
    return where_(less(here, place), here, new)


# ---- slice by slice ------------------------------------------------------------------------------


@implements(
    "apply_along_axis",
    samples=calls(
        lambda: (
            ((lambda v: v * v[0], 0, array((2, 3))), {}),
            ((lambda v: v[0] + v[-1], 1, array((2, 3))), {}),
        )
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
    "apply_over_axes",
    samples=calls(lambda: (
        ((np.sum, array((2, 3, 2)), (0, 2)), {}), ((np.max, array((2, 3)), 1), {}),)
    ),
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
