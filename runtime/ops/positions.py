"""Elements chosen by arrays of positions, and the positions of elements."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from runtime.ops.creation import arange, zeros
from runtime.ops.declare import implements, no_gradient, op
from runtime.ops.indexing import getitem, index_add, index_update
from runtime.ops.operands import (
    Array,
    Module,
    Operand,
    normal_axis,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.samples import array, calls
from runtime.ops.shapes import ravel, reshape
from runtime.spec import TensorType

__all__ = [
    "argwhere",
    "flatnonzero",
    "gather",
    "nonzero",
    "put_along_axis",
    "scatter",
    "take",
    "take_along_axis",
]

_X = array((3, 4))


@implements(
    "take",
    samples=calls(
        lambda: (
            ((_X, np.array([0, 2]), 0), {}),
            ((_X, np.array([[0], [3]]), -1), {}),
            ((_X, np.array([11, 0])), {}),
            ((_X, 1), {"axis": 1}),
        )
    ),
)
def take(x: Operand, indices: Operand, axis: int | None = None, mode: str = "raise") -> Any:
    """Elements of `x` at `indices` along `axis`; None: of the flattened `x`.

    Raises IndexError when an index is out of range.

    >>> ag.take(np.array([10, 20, 30]), np.array([2, 0])).numpy()
    array([30, 10])
    """
    if mode != "raise":
        raise NotImplementedError("only mode='raise' is supported")
    if axis is None:
        return getitem(ravel(x), (_as_index(indices),))
    at = normal_axis(axis, rank_of(x))
    return getitem(x, (slice(None),) * at + (_as_index(indices),))


def _as_index(indices: Operand) -> Operand:
    """`indices` as one part of a key: a nested sequence is an array."""
    return np.asarray(indices) if isinstance(indices, (list, tuple)) else indices


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
    "take_along_axis",
    samples=calls(
        lambda: (
            ((_X, _ORDER, 1), {}),
            ((_X, _ORDER[:1] % 3, 0), {}),
        )
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


def _places(x: TensorType) -> tuple[TensorType, ...]:
    if x.shape is None:
        raise ValueError("nonzero needs the number of axes, which is not known here")
    if not x.shape:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
            "instead."
        )
    return (TensorType(np.dtype(np.intp), (None,)),) * len(x.shape)


@op(
    inputs=1,
    infer=_places,
    vjp=no_gradient,
    numpy=("nonzero",),
    samples=calls(
        lambda: (
            ((array((5,), "i8"),), {}),
            ((array((3, 2), "?"),), {}),
            ((array((0, 2), "f4"),), {}),
        )
    ),
)
def nonzero(xp: Module, x: Array) -> tuple[Array, ...]:
    """Positions of the elements that are not zero: one integer array per axis.

    >>> [i.tolist() for i in ag.nonzero(np.array([[0, 5], [6, 0]]))]
    [[0, 1], [1, 0]]
    """
    return tuple(xp.nonzero(xp.asarray(x)))


@implements("flatnonzero", samples=calls(lambda: (((array((3, 2), "?"),), {}),)))
def flatnonzero(x: Operand) -> Any:
    """Positions in the flattened `x` of the elements that are not zero.

    >>> ag.flatnonzero(np.array([[0, 5], [6, 0]])).numpy()
    array([1, 2])
    """
    return nonzero(ravel(x))[0]


@implements("argwhere", samples=calls(lambda: (((array((3, 2), "?"),), {}),)))
def argwhere(x: Operand) -> Any:
    """Positions of the elements that are not zero, one row each: `(count, x.ndim)`.

    >>> ag.argwhere(np.array([[0, 5], [6, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    places = nonzero(x)
    result = zeros((shape_of(places[0])[0], len(places)), np.intp)
    for i, column in enumerate(places):
        result = index_update(result, column, (slice(None), i))
    return result
