"""The positions of the elements that are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.errors import unknown_rank
from runtime.ops.arrays.creation import zeros
from runtime.ops.arrays.shapes import ravel
from runtime.ops.declaration.declare import implements, no_gradient, op
from runtime.ops.declaration.operands import Array, Module, Operand, rank_of, shape_of
from runtime.ops.declaration.samples import array
from runtime.ops.indexing.indexing import index_update
from runtime.spec import TensorType

__all__ = ["argwhere", "flatnonzero", "nonzero"]


def _places(x: TensorType) -> tuple[TensorType, ...]:
    if x.shape is None:
        raise unknown_rank()
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
    samples=lambda: (
        ((array((5,), "i8"),), {}),
        ((array((3, 2), "?"),), {}),
        ((array((0, 2), "f4"),), {}),
    ),
)
def nonzero(xp: Module, x: Array) -> tuple[Array, ...]:
    """Positions of the elements that are not zero: one integer array per axis.

    >>> [i.tolist() for i in ag.nonzero(np.array([[0, 5], [6, 0]]))]
    [[0, 1], [1, 0]]
    """
    return tuple(xp.nonzero(xp.asarray(x)))


@implements("flatnonzero", samples=lambda: (((array((3, 2), "?"),), {}),))
def flatnonzero(x: Operand) -> Any:
    """Positions in the flattened `x` of the elements that are not zero.

    >>> ag.flatnonzero(np.array([[0, 5], [6, 0]])).numpy()
    array([1, 2])
    """
    return nonzero(ravel(x))[0]


@implements(
    samples=lambda: (
        ((array((3, 2), "?"),), {}),
        ((np.array(2.0),), {}),
        ((np.array(0.0),), {}),
    ),
)
def argwhere(x: Operand) -> Any:
    """Positions of the elements that are not zero, one row each: `(count, x.ndim)`.

    >>> ag.argwhere(np.array([[0, 5], [6, 0]])).tolist()
    [[0, 1], [1, 0]]
    """
    if rank_of(x) == 0:
        return zeros((shape_of(nonzero(ravel(x))[0])[0], 0), np.intp)
    places = nonzero(x)
    result = zeros((shape_of(places[0])[0], len(places)), np.intp)
    for i, column in enumerate(places):
        result = index_update(result, column, (slice(None), i))
    return result
