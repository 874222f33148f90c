"""Means with weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.arrays.agreement import in_shape_of, of_size
from runtime.ops.arrays.axes import permute_dims
from runtime.ops.arrays.broadcasting import broadcast_to
from runtime.ops.arrays.shapes import expand_dims
from runtime.ops.declaration.declare import implements
from runtime.ops.declaration.internal import checked
from runtime.ops.declaration.operands import Axes, Operand, dtype_of, normal_axes, rank_of, shape_of
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.conversion import astype
from runtime.ops.reductions.reductions import all as all_
from runtime.ops.reductions.reductions import mean
from runtime.ops.reductions.reductions import sum as sum_

__all__ = ["average"]

_X = array((2, 3))


def _is_alike(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Whether two shapes may be the same: what is not known may."""
    if len(one) != len(other):
        return False
    pairs = zip(one, other, strict=True)
    return all(m == n for m, n in pairs if isinstance(m, int) and isinstance(n, int))


def _along(weights: Operand, x: Operand, axis: Axes) -> Any:
    """Weights of the shape of `x`, or of its axes, as they are multiplied with `x`.

    Raises TypeError, or ValueError where axes are given, if their shape is another one.
    """
    given, shape = shape_of(weights), shape_of(x)
    what = "Axis must be specified when shapes of a and weights differ."
    error: type[Exception] = TypeError
    if axis is not None:
        what = "Shape of weights must be consistent with shape of a along specified axis."
        error = ValueError
    sizes = " (a size is {0} instead of {1})"
    if _is_alike(given, shape):
        return in_shape_of(x, weights, what + sizes, error)
    axes = () if axis is None else normal_axes(axis, len(shape))
    if axis is None or len(given) != len(axes):
        raise error(what)
    for size, at in zip(given, axes, strict=True):
        weights = of_size(weights, size, shape[at], what + sizes, error)
    in_order = permute_dims(weights, tuple(int(i) for i in np.argsort(axes)))
    return expand_dims(in_order, tuple(i for i in range(len(shape)) if i not in axes))


def _total_and_mean(x: Operand, axis: Axes, weights: Operand, keepdims: bool) -> tuple[Any, Any]:
    """The sum of the weights, and the mean."""
    weights = _along(weights, x, axis)
    others = (np.dtype(np.float64),) if dtype_of(x).kind in "biu" else ()
    own = np.result_type(dtype_of(x), dtype_of(weights), *others)
    total = sum_(weights, axis=axis, dtype=own, keepdims=keepdims)
    what = "Weights sum to zero, can't be normalized"
    total = checked(total, all_(total), what=what, error="ZeroDivisionError")
    product = astype(x, own, copy=False) * astype(weights, own, copy=False)
    return total, sum_(product, axis=axis, keepdims=keepdims) / total


@implements(
    samples=lambda: (
        ((_X,), {}),
        ((_X, 1, array((3,), low=1)), {}),
        ((_X, (1, 0), array((3, 2), low=1)), {}),
        ((array((2, 3), "i4"), 0, array((2,), "f4", low=1)), {"keepdims": True}),
    ),
)
def average(
    x: Operand, /, axis: Axes = None, weights: Operand = None, *, keepdims: bool = False
) -> Any:
    """Mean over `axis`, weighted by `weights`, which have the shape of `x` or of these axes.

    Raises TypeError or ValueError for weights of another shape, ZeroDivisionError where their sum
    is 0.

    >>> ag.average(np.array([1.0, 2.0]), weights=np.array([3.0, 1.0])).item()
    1.25
    """
    if weights is None:
        return mean(x, axis=axis, keepdims=keepdims)
    return _total_and_mean(x, axis, weights, keepdims)[1]


@implements(
    "average",
    samples=lambda: (
        ((_X, 1), {"returned": True}),
        ((_X, 1, array((3,), low=1)), {"returned": True}),
        ((_X,), {"weights": array((2, 3), low=1)}),
    ),
)
def numpy_average(
    x: Operand,
    /,
    axis: Axes = None,
    weights: Operand = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """`numpy.average`, with the sum of the weights where that is asked for."""
    if not returned:
        return average(x, axis, weights, keepdims=keepdims)
    if weights is None:
        result = mean(x, axis=axis, keepdims=keepdims)
        counted = np.ones((1,) * rank_of(x))
        total = sum_(broadcast_to(counted, shape_of(x)), axis=axis, keepdims=keepdims)
    else:
        total, result = _total_and_mean(x, axis, weights, keepdims)
    return result, broadcast_to(astype(total, dtype_of(result)), shape_of(result))
