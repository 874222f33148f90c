"""Partial sorting, and sorting by several keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runtime.ops.arrays.agreement import in_shape_of
from runtime.ops.arrays.joining import as_operand
from runtime.ops.arrays.shapes import ravel, with_an_axis
from runtime.ops.declaration.declare import always, implements, no_gradient, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    dtype_of,
    normal_axis,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.conversion import astype
from runtime.ops.indexing.indexing import getitem
from runtime.ops.indexing.positions import take_along_axis
from runtime.ops.reductions.sorting import argsort_, sort_
from runtime.spec import TensorType

__all__ = ["argpartition", "lexsort", "partition", "sort_complex"]


def _checked(x: TensorType, kth: Any, axis: int) -> TensorType:
    if x.shape is None:
        return x.strong()
    size = x.shape[normal_axis(axis, len(x.shape))]
    for k in kth:
        if size and not -size <= k < size:  # of nothing, NumPy takes any
            raise ValueError(f"kth(={k}) out of bounds ({size})")
    return x.strong()


def _partition_vjp(g: Any, out: Any, x: Any, kth: Any, axis: int) -> tuple[Any, ...]:
    """What is at a place of the sorted elements comes from where it is in both."""
    if not type_of(x).is_inexact:
        return (None,)
    ordered = take_along_axis(g, argsort_(out, axis=axis, stable=True), axis)
    places = argsort_(argsort_(x, axis=axis, stable=True), axis=axis, stable=True)
    return (take_along_axis(ordered, places, axis),)


_SAMPLES = calls(
    lambda: (
        ((array((5,)),), {"kth": (2,)}),
        ((array((3, 4)),), {"kth": (0, -1), "axis": 0}),
        ((array((6,), "i8"),), {"kth": (3,)}),
        ((array((3, 4), "f4"),), {"kth": (1,)}),
    )
)


@op(
    inputs=1,
    infer=_checked,
    vjp=_partition_vjp,
    reads=(0, "out"),
    raises=always,
    samples=_SAMPLES,
)
def partition_(xp: Module, x: Array, kth: tuple[int, ...], axis: int = -1) -> Array:
    """`x` with the elements at some places as if sorted, and smaller ones before them."""
    return xp.partition(x, kth, axis)


@op(
    inputs=1,
    infer=lambda x, kth, axis: TensorType(np.dtype(np.intp), _checked(x, kth, axis).shape),
    vjp=no_gradient,
    raises=always,
    samples=_SAMPLES,
)
def argpartition_(xp: Module, x: Array, kth: tuple[int, ...], axis: int = -1) -> Array:
    """The positions that partition `x`."""
    return xp.argpartition(x, kth, axis)


def _arguments(x: Operand, kth: Any, axis: int | None) -> tuple[Any, tuple[int, ...], int]:
    places = np.atleast_1d(kth)
    np.partition(np.zeros(1), np.zeros_like(places))  # raises where they are no integers
    given = tuple(int(k) for k in places)
    return (ravel(x), given, 0) if axis is None else (x, given, axis)


_CALLS = calls(
    lambda: (
        ((array((5,)), 2), {}),
        ((array((3, 4)), (0, 2), 0), {}),
        ((array((3, 2)), 4, None), {}),
    )
)


@implements("partition", samples=_CALLS)
def partition(x: Operand, /, kth: Any, axis: int | None = -1) -> Any:
    """`x` so arranged along `axis` (None: flattened) that its element `kth` is as if sorted.

    Smaller elements are before it, larger ones after it, in NumPy's order; `kth` may name several
    places. Raises ValueError for a place out of range.

    >>> ag.partition(np.array([3, 1, 2]), 1)[1].item()
    2
    """
    x, places, at = _arguments(x, kth, axis)
    return partition_(x, kth=places, axis=at)


@implements("argpartition", samples=_CALLS)
def argpartition(x: Operand, /, kth: Any, axis: int | None = -1) -> Any:
    """Positions of the elements of `x` when partitioned; see `partition`.

    >>> ag.argpartition(np.array([3, 1, 2]), 1)[1].item()
    2
    """
    x, places, at = _arguments(with_an_axis(x, axis), kth, axis)
    return argpartition_(x, kth=places, axis=at)


@implements(
    samples=lambda: (
        (([np.array([1, 2, 0, 2]), np.array([1, 0, 1, 0])],), {}),
        ((np.array([[3, 1, 2, 1], [0, 1, 0, 1]]),), {}),
        (([array((2, 3)), np.array([[1, 0, 1], [2, 2, 2]])],), {"axis": 0}),
        ((array((3,)),), {}),
    ),
)
def lexsort(keys: Operand | Sequence[Operand], /, axis: int = -1) -> Any:
    """Positions that sort along `axis` by the last of the keys, then by the one before, ...

    Equal elements stay in order.

    >>> ag.lexsort([np.array([1, 0, 2]), np.array([1, 1, 0])]).numpy()
    array([2, 1, 0])
    """
    if isinstance(keys, (list, tuple)):
        rows = list(map(as_operand, keys))
    else:
        rows = [getitem(keys, i) for i in range(shape_of(keys)[0])]
    if not rows:
        raise TypeError("need sequence of keys with len > 0 in lexsort")
    if rank_of(rows[0]) == 0:
        return np.intp(0)
    rest = [in_shape_of(rows[0], x, "all keys need to be the same shape") for x in rows[1:]]
    order = argsort_(rows[0], axis=axis, stable=True)
    for key in rest:
        finer = argsort_(take_along_axis(key, order, axis), axis=axis, stable=True)
        order = take_along_axis(order, finer, axis)
    return order


@implements(
    samples=lambda: (
        ((array((4,), "c16"),), {}),
        ((array((3,), "i2"),), {}),
    ),
)
def sort_complex(x: Operand, /) -> Any:
    """`x` sorted along its last axis by real, then by imaginary part, as complex numbers.

    >>> ag.sort_complex(np.array([2.0, 1.0])).numpy()
    array([1.+0.j, 2.+0.j])
    """
    result = sort_(x, axis=-1)
    own = dtype_of(x)
    if own.kind == "c":
        return result
    return astype(result, np.complex64 if own.char in "bhBH" else np.complex128)
