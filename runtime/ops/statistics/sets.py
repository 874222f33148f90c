"""Arrays as sets: distinct elements, unions, intersections and differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.arrays.creation import zeros
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import ravel, reshape, size
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.operands import Array, Module, Operand, dtype_of, shape_of, type_of
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.conversion import astype
from runtime.ops.indexing.indexing import getitem, index_add
from runtime.ops.indexing.positions import take
from runtime.ops.reductions.sorting import searchsorted, unique, unique_
from runtime.ops.signals.sequences import isin
from runtime.spec import TensorType

__all__ = [
    "intersect1d",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


# The named tuples of NumPy.
_UniqueAll: Any = type(np.unique_all(np.zeros(1)))
_UniqueCounts: Any = type(np.unique_counts(np.zeros(1)))
_UniqueInverse: Any = type(np.unique_inverse(np.zeros(1)))

_X = np.array([[3, 1], [3, 2]])
_SAMPLES = calls(
    lambda: (
        ((_X,), {}),
        ((array((5,)),), {}),
        ((np.zeros((0,), "f4"),), {}),
    )
)


@implements("unique_all", samples=_SAMPLES)
def unique_all(x: Operand, /) -> Any:
    """The distinct elements of `x`, sorted, where each is first, the inverse, and the counts.

    Each nan is distinct. The inverse has the shape of `x`.

    >>> ag.unique_all(np.array([3, 1, 3])).counts.numpy()
    array([1, 2])
    """
    return _UniqueAll(*unique_(x, index=True, inverse=True, counts=True, equal_nan=False))


@implements("unique_counts", samples=_SAMPLES)
def unique_counts(x: Operand, /) -> Any:
    """The distinct elements of `x`, sorted, and how often each is there. Each nan is distinct.

    >>> ag.unique_counts(np.array([3, 1, 3])).values.numpy()
    array([1, 3])
    """
    return _UniqueCounts(*unique_(x, counts=True, equal_nan=False))


@implements("unique_inverse", samples=_SAMPLES)
def unique_inverse(x: Operand, /) -> Any:
    """The distinct elements of `x`, sorted, and the place of each element of `x` among them.

    >>> ag.unique_inverse(np.array([3, 1, 3])).inverse_indices.numpy()
    array([1, 0, 1])
    """
    return _UniqueInverse(*unique_(x, inverse=True, equal_nan=False))


def _values_vjp(g: Any, out: Any, x: Any) -> tuple[Any, ...]:
    """The gradient of each value goes to the first element that has it."""
    if not type_of(x).is_inexact:
        return (None,)
    ordered, places = unique_(x, index=True, equal_nan=False)
    first = take(places, searchsorted(ordered, out))
    flat = index_add(zeros(size(x), type_of(x).dtype), g, first)
    return (reshape(flat, shape_of(x)),)


@op(
    inputs=1,
    infer=lambda x: TensorType(x.dtype, (None,)),
    vjp=_values_vjp,
    reads=(0, "out"),
    numpy=("unique_values",),
    samples=_SAMPLES,
)
def unique_values(xp: Module, x: Array) -> Array:
    """The distinct elements of `x`, in an order that NumPy chooses. Each nan is distinct.

    >>> ag.sort(ag.unique_values(np.array([3, 1, 3]))).numpy()
    array([1, 3])
    """
    return xp.unique_values(xp.asarray(x))


# ---- two sets ------------------------------------------------------------------------------------

_TWO = calls(
    lambda: (
        ((np.array([[3, 1], [3, 2]]), np.array([2, 5, 3])), {}),
        ((array((4,)), array((3,))), {}),
        ((np.array([3, 1]), np.zeros((0,), int)), {}),
    )
)


@implements("union1d", samples=_TWO)
def union1d(x: Operand, y: Operand, /) -> Any:
    """The distinct elements of `x` and `y` together, sorted.

    >>> ag.union1d(np.array([3, 1]), np.array([2, 3])).numpy()
    array([1, 2, 3])
    """
    return unique(concat([x, y], None))


@implements(
    samples=lambda: (
        ((np.array([[3, 1], [3, 2]]), np.array([2, 5, 3])), {}),
        ((np.array([1, 3, 4, 3]), np.array([3, 1, 2, 1])), {"return_indices": True}),
        ((np.array([3, 1]), np.zeros((0,), int)), {}),
        ((np.array([3, 1]), np.array([1.0, 2.5])), {}),
        ((np.array([True, False]), np.array([1, 5], "i2")), {}),
    ),
)
def intersect1d(
    x: Operand, y: Operand, /, assume_unique: bool = False, return_indices: bool = False
) -> Any:
    """The distinct elements that are both in `x` and in `y`, sorted.

    With `return_indices`, also where each is first in the flattened `x` and `y`.

    >>> ag.intersect1d(np.array([3, 1, 2]), np.array([2, 3])).numpy()
    array([2, 3])
    """
    x, y = _alike(x, y)
    own, places = unique_(x, index=True)
    other, positions = unique_(y, index=True)
    is_common = isin(own, other)
    common = getitem(own, is_common)
    if not return_indices:
        return common
    return common, getitem(places, is_common), getitem(positions, isin(other, own))


def _alike(x: Operand, y: Operand) -> tuple[Any, Any]:
    """Both in the dtype that they have in common."""
    common = np.promote_types(dtype_of(x), dtype_of(y))
    return astype(x, common, copy=False), astype(y, common, copy=False)


@implements("setdiff1d", samples=_TWO)
def setdiff1d(x: Operand, y: Operand, /, assume_unique: bool = False) -> Any:
    """The distinct elements of `x` that are not in `y`, sorted; `x` in its own order, if it is
    said to be unique.

    >>> ag.setdiff1d(np.array([3, 1, 2]), np.array([2])).numpy()
    array([1, 3])
    """
    own = ravel(x) if assume_unique else unique(x)
    return getitem(own, isin(own, y, invert=True))


@implements("setxor1d", samples=_TWO)
def setxor1d(x: Operand, y: Operand, /, assume_unique: bool = False) -> Any:
    """The distinct elements that are in one of `x` and `y` only, sorted.

    >>> ag.setxor1d(np.array([3, 1]), np.array([2, 3])).numpy()
    array([1, 2])
    """
    values, counts = unique_(concat([unique(x), unique(y)]), counts=True)
    return getitem(values, counts == 1)
