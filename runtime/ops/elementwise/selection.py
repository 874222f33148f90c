"""Choosing between values, element by element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from runtime.dtypes import is_narrow
from runtime.ops.declaration.declare import as_ufunc, implements, op
from runtime.ops.declaration.operands import Array, Module, Operand, as_fitting, is_number, type_of
from runtime.ops.declaration.samples import Sample, array, binary
from runtime.ops.elementwise.conversion import astype
from runtime.ops.indexing.nonzero import nonzero
from runtime.spec import WEAK_DTYPES, TensorType, broadcast_shapes, promote

__all__ = ["clip", "fmax", "fmin", "maximum", "minimum", "where"]


def _infer_where(condition: TensorType, x: TensorType, y: TensorType) -> TensorType:
    dtype = promote(x, y).dtype
    return TensorType(dtype, broadcast_shapes(condition.shape, x.shape, y.shape))


def _where_samples() -> Iterator[Sample]:
    for shape in ((), (3,), (2, 3)):
        yield (array(shape, "?"), array((3,)), array((2, 3))), {}
    yield (array((0, 3), "?"), array((3,)), array((1, 3))), {}
    yield (array((3,), "?"), array((3,), "f4"), 0.0), {}
    yield (array((3,), "?"), array((3,), "f4"), array((), "f8")), {}
    yield (array((3,), "i8"), array((3,), "c16"), array((3,), "f8")), {}
    yield (True, array((3,), "i8"), 7), {}
    yield (array((3,), "?"), 1, 2.5), {}


def _where_true(g: Any, out: Any, condition: Any, x: Any, y: Any) -> Any:
    return where_(condition, g, 0)


def _where_false(g: Any, out: Any, condition: Any, x: Any, y: Any) -> Any:
    return where_(condition, 0, g)


@op(
    inputs=3,
    infer=_infer_where,
    vjp=(None, _where_true, _where_false),
    reads=(0,),
    scalar="{1} if {0} else {2}",
    loop=lambda condition, x, y, out: (np.dtype(bool), out, out),
    elementwise=True,
    samples=_where_samples,
)
def where_(xp: Module, condition: Array, x: Array, y: Array) -> Array:
    """Elements of `x` where `condition` is true, of `y` elsewhere."""
    return xp.where(condition, x, y)


@implements(
    samples=lambda: (
        ((array((3,), "?"), array((3,)), 0.0), {}),
        ((array((2, 3), "?"),), {}),
    ),
    makes_arrays=False,
)
def where(condition: Operand, x: Operand = None, y: Operand = None, /) -> Any:
    """Elements of `x` where `condition` is true, of `y` elsewhere, broadcast together.

    No gradient flows to the side that is not chosen. With `condition` alone: as `nonzero`.

    >>> ag.where(np.array([True, False]), np.array([1.0, 2.0]), 0.0).numpy()
    array([1., 0.])
    """
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    return where_(condition, x, y)


def _shares(g: Any, first: Any, second: Any) -> tuple[Any, Any]:
    """`g` parted between two operands: by masks, and in halves where both masks are set."""
    half = where_(second, 0.5 * g, g)
    other = where_(first, 0.5 * g, g)
    return where_(first, half, 0), where_(second, other, 0)


def _maximum_vjp(g: Any, out: Any, x: Any, y: Any) -> tuple[Any, ...]:
    gx, gy = _shares(g, x >= y, y >= x)
    return _if_inexact(x, gx), _if_inexact(y, gy)


def _minimum_vjp(g: Any, out: Any, x: Any, y: Any) -> tuple[Any, ...]:
    gx, gy = _shares(g, x <= y, y <= x)
    return _if_inexact(x, gx), _if_inexact(y, gy)


def _if_inexact(x: Any, g: Any) -> Any:
    return g if not is_number(x) and type_of(x).is_inexact else None


@as_ufunc(
    np.maximum,
    _maximum_vjp,
    reads=(0, 1),
    scalar="{0} if {0} > {1} or {0} != {0} else {1}",  # of equal zeros NumPy gives the second
    samples=binary(),
)
def maximum(xp: Module, x: Array, y: Array) -> Array:
    """The larger of `x` and `y`; nan when one is nan. Gradients of equal operands are halved.

    >>> ag.maximum(np.array([1.0, 5.0]), 3.0).numpy()
    array([3., 5.])
    """
    return xp.maximum(x, y)


@as_ufunc(
    np.minimum,
    _minimum_vjp,
    reads=(0, 1),
    scalar="{0} if {0} < {1} or {0} != {0} else {1}",
    samples=binary(),
)
def minimum(xp: Module, x: Array, y: Array) -> Array:
    """The smaller of `x` and `y`; nan when one is nan. Gradients of equal operands are halved.

    >>> ag.minimum(np.array([1.0, 5.0]), 3.0).numpy()
    array([1., 3.])
    """
    return xp.minimum(x, y)


@as_ufunc(
    np.fmax,
    _maximum_vjp,
    reads=(0, 1),
    scalar="{0} if {0} >= {1} or {1} != {1} else {1}",
    samples=binary(),
)
def fmax(xp: Module, x: Array, y: Array) -> Array:
    """The larger of `x` and `y`, ignoring nan where only one is nan.

    >>> ag.fmax(np.array([1.0, np.nan]), 0.5).numpy()
    array([1. , 0.5])
    """
    return xp.fmax(x, y)


@as_ufunc(
    np.fmin,
    _minimum_vjp,
    reads=(0, 1),
    scalar="{0} if {0} <= {1} or {1} != {1} else {1}",
    samples=binary(),
)
def fmin(xp: Module, x: Array, y: Array) -> Array:
    """The smaller of `x` and `y`, ignoring nan where only one is nan.

    >>> ag.fmin(np.array([1.0, np.nan]), 0.5).numpy()
    array([0.5, 0.5])
    """
    return xp.fmin(x, y)


@implements(
    samples=lambda: (
        ((array((4,)), -1.0, 1.0), {}),
        ((array((4,), "f4"), None, 0.5), {}),
        ((array((4,), "i8"), 0, None), {}),
        ((array((2, 3)), array((3,), "f8", -2, 0), array((2, 1), "f8", 0, 2)), {}),
    ),
)
def clip(x: Operand, /, min: Operand = None, max: Operand = None) -> Any:
    """`x` limited to the interval from `min` to `max`; None is no limit.

    >>> ag.clip(np.array([-1.0, 0.5, 7.0]), 0.0, 1.0).numpy()
    array([0. , 0.5, 1. ])
    """
    type_ = type_of(x)
    dtype = type_.dtype
    if dtype.kind in "iu" and not type_.weak:  # a limit that no number of the dtype reaches
        min = None if type(min) is int and min <= np.iinfo(dtype).min else min
        max = None if type(max) is int and max >= np.iinfo(dtype).max else max
    if min is None and max is None:
        return +x if dtype.kind != "b" else where_(True, x, x)
    min, max = as_fitting(min, dtype), as_fitting(max, dtype)
    together = promote(*(type_of(part) for part in (x, min, max) if part is not None))
    if is_narrow(dtype):  # for which NumPy has no such loop
        x = x if min is None or max is None else astype(x, np.float32)
    elif not together.weak and together.dtype != dtype:  # of the three, not of each limit by itself
        x = astype(x, together.dtype)
    # `x` stays as it is where it is equal to a limit: of two equal halves the first is taken.
    is_half = np.dtype(np.float16) == dtype
    if not (is_half or min is None or max is None) and _is_scalar(min) and _is_scalar(max):
        return minimum(max, maximum(min, x))
    low = x if min is None else maximum(x, min)
    return low if max is None else minimum(low, max)


def _is_scalar(x: Any) -> bool:
    return type(x) in WEAK_DTYPES or type_of(x).rank == 0
