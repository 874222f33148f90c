"""Elements chosen by arrays of positions."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from runtime.layouts import lay_out
from runtime.ops.arrays.creation import arange, zeros
from runtime.ops.arrays.shapes import ravel, reshape, with_an_axis
from runtime.ops.declaration.declare import implements, no_gradient, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    dtype_of,
    normal_axis,
    rank_of,
    refuse_bool_axis,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.selection import clip
from runtime.ops.indexing.indexing import getitem, index_add, index_update

__all__ = [
    "as_positions",
    "gather",
    "not_negative",
    "put_along_axis",
    "scatter",
    "take",
    "take_along_axis",
]

_X = array((3, 4))


@implements(
    samples=lambda: (
        ((_X, np.array([0, 2]), 0), {}),
        ((_X, np.array([[0], [3]]), -1), {}),
        ((_X, np.array([11, 0])), {}),
        ((_X, 1), {"axis": 1}),
        ((_X, np.array([5, -7]), 1), {"mode": "wrap"}),
        ((_X, np.array([99, -99])), {"mode": "clip"}),
        ((_X, np.array([True, False, True, True])), {}),
    ),
)
def take(x: Operand, indices: Operand, axis: int | None = None, mode: str = "raise") -> Any:
    """Elements of `x` at `indices` along `axis`; None: of the flattened `x`.

    Raises IndexError when an index is out of range, unless `mode` is "wrap" or "clip", which bring
    it in.

    >>> ag.take(np.array([10, 20, 30]), np.array([2, 0])).numpy()
    array([30, 10])
    """
    refuse_bool_axis(axis)
    if axis is not None:
        x = with_an_axis(x, axis)
        at = normal_axis(axis, rank_of(x))
    else:
        x, at = (x if rank_of(x) == 1 else ravel(x)), 0
    places = as_positions(indices)
    if mode != "raise":
        places = _within(places, shape_of(x)[at], mode)
    part = getitem(x, (slice(None),) * at + (places,)) if at else getitem(x, places)
    return lay_out(part.apart() if getattr(part, "is_view", False) else part, "C")


@op(
    inputs=1,
    infer=lambda x, what: x,
    vjp=no_gradient,
    raises=lambda types, attrs: types[0].dtype.kind == "i",
    samples=lambda: (
        ((np.array([2, 0]),), {"what": "a count"}),
        ((np.array([], "i4"),), {"what": "a count"}),
        ((np.array([2, 0], "u1"),), {"what": "a count"}),
    ),
    forwards=True,
)
def not_negative(xp: Module, x: Array, what: str) -> Array:
    """`x`, integers. Raises ValueError where one is negative, as none of what they are may be."""
    if x.dtype.kind == "i" and bool((x < 0).any()):
        raise ValueError(f"{what} must have no negative elements")
    return x


def as_positions(indices: Operand) -> Any:
    """`indices` as one part of a key: a nested sequence is an array, bools are the numbers 0, 1.

    Raises TypeError for what are no integers.
    """
    given = np.asarray(indices) if isinstance(indices, (list, tuple)) else indices
    dtype = dtype_of(given)
    if dtype.kind in "iu":
        return given
    if dtype.kind != "b" and given is indices:
        raise TypeError(f"positions are integers, not {dtype}")
    return astype(given, np.intp)


def _within(places: Any, size: Any, mode: str) -> Any:
    """Positions among `size`, brought in as `mode` says."""
    if mode not in ("wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    return places % size if mode == "wrap" else clip(places, 0, size - 1)


def _along(x: Operand, indices: Operand, axis: int) -> tuple[Any, ...]:
    """The key under which `indices` choose along one axis, element by element on the others."""
    rank, shape = rank_of(x), shape_of(x)
    if type_of(indices).rank not in (rank, None):
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    at = normal_axis(axis, rank)
    return tuple(
        indices if i == at else reshape(arange(shape[i]), (1,) * i + (-1,) + (1,) * (rank - 1 - i))
        for i in range(rank)
    )


_ORDER = np.array([[0, 3, 1, 2], [3, 2, 1, 0], [0, 1, 2, 3]])


@implements(
    samples=lambda: (
        ((_X, _ORDER, 1), {}),
        ((_X, _ORDER[:1] % 3, 0), {}),
    ),
)
def take_along_axis(x: Operand, indices: Operand, axis: int | None = -1) -> Any:
    """Elements of `x` at `indices` along `axis`, the other axes matched; None: flattened.

    >>> ag.take_along_axis(np.array([[3, 1], [2, 4]]), np.array([[1], [0]]), 1).tolist()
    [[1], [2]]
    """
    if axis is None:
        x, axis = ravel(x), 0
    return getitem(x, _along(x, indices, axis))


def put_along_axis(x: Operand, indices: Operand, values: Operand, axis: int = -1) -> Any:
    """A copy of `x` with `values` at `indices` along `axis`, the other axes matched.

    >>> ag.put_along_axis(np.array([[3, 1], [2, 4]]), np.array([[1], [0]]), 0, 1).tolist()
    [[3, 0], [0, 4]]
    """
    return index_update(x, values, _along(x, indices, axis))


def gather(x: Operand, indices: Operand) -> Any:
    """Parts of `x` at the index tuples that lie along the last axis of `indices`.

    `indices` has shape `(..., k)`; the result has shape `(..., *x.shape[k:])`.

    >>> ag.gather(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [1, 0]])).numpy()
    array([2, 3])
    """
    return getitem(x, _columns(indices))


def scatter(indices: Operand, updates: Operand, shape: Any) -> Any:
    """Zeros of `shape` to which `updates` are added at the index tuples of `indices`.

    The adjoint of `gather`: `indices` has shape `(..., k)`, `updates` `(..., *shape[k:])`.

    >>> ag.scatter(np.array([[0], [2], [0]]), np.array([1.0, 2.0, 3.0]), (4,)).numpy()
    array([4., 0., 2., 0.])
    """
    return index_add(zeros(shape, type_of(updates).dtype), updates, _columns(indices))


def _columns(indices: Operand) -> tuple[Any, ...]:
    width = shape_of(indices)[-1]
    return tuple(getitem(indices, (Ellipsis, i)) for i in range(operator.index(width)))
