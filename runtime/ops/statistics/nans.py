"""Deviations, running sums and positions that pass over nan."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.declaration.declare import always, implements, no_gradient, op
from runtime.ops.declaration.inference import reduced_shape
from runtime.ops.declaration.operands import Array, Axes, Module, Operand, dtype_of, type_of
from runtime.ops.declaration.samples import array, calls
from runtime.ops.elementwise.arithmetic import abs as abs_
from runtime.ops.elementwise.comparison import isnan, logical_not
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import sqrt
from runtime.ops.elementwise.selection import where_
from runtime.ops.reductions.reductions import count_nonzero, per_count, var
from runtime.ops.reductions.reductions import sum as sum_
from runtime.ops.reductions.scans import cumprod, cumsum
from runtime.ops.statistics.statistics import nanmean
from runtime.spec import TensorType

__all__ = ["nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanstd", "nanvar"]

_HOLES = np.where(array((4, 3)) > 1, np.nan, array((4, 3)))
_SPREADS = calls(
    lambda: (
        ((_HOLES,), {}),
        ((_HOLES, 0), {"ddof": 1}),
        ((_HOLES.astype("f4"), 1), {"keepdims": True}),
        ((array((3,), "i8"),), {}),
    )
)


@implements("nanvar", samples=_SPREADS)
def nanvar(
    x: Operand,
    /,
    axis: Axes = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """Variance over `axis` (None: all) of the elements that are not nan; see `var`.

    The divisor is their number less `ddof`; nan where that is not positive.

    >>> ag.nanvar(np.array([1.0, np.nan, 3.0])).item()
    1.0
    """
    if correction is not None and ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    x = x if dtype is None else astype(x, dtype)
    less = ddof if correction is None else correction
    if not type_of(x).is_inexact:
        return var(x, axis, None, less, keepdims)
    known = logical_not(isnan(x))
    count = count_nonzero(known, axis=axis, keepdims=keepdims)
    away = where_(known, x - nanmean(x, axis, keepdims=True), 0)
    square = abs_(away) ** 2 if dtype_of(x).kind == "c" else away * away
    total = sum_(square, axis=axis, keepdims=keepdims)
    freedom = count - less
    result = per_count(total, where_(freedom > 0, freedom, 1))
    return where_(freedom > 0, result, dtype_of(total).type(np.nan))


@implements("nanstd", samples=_SPREADS)
def nanstd(
    x: Operand,
    /,
    axis: Axes = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """Standard deviation over `axis` (None: all) of the elements that are not nan; see `nanvar`.

    >>> ag.nanstd(np.array([1.0, np.nan, 3.0])).item()
    1.0
    """
    return sqrt(nanvar(x, axis, dtype, ddof, keepdims, correction=correction))


def _filled(x: Operand, value: float) -> Any:
    return where_(isnan(x), dtype_of(x).type(value), x) if type_of(x).is_inexact else x


_RUNNING = calls(
    lambda: (
        ((_HOLES,), {}),
        ((_HOLES, 0), {}),
        ((_HOLES, 1, np.float32), {}),
        ((array((3,), "i8"),), {}),
    )
)


@implements("nancumsum", samples=_RUNNING)
def nancumsum(x: Operand, /, axis: int | None = None, dtype: Any = None) -> Any:
    """Running sum along `axis` (None: of the flattened `x`), in which nan counts as 0.

    >>> ag.nancumsum(np.array([1.0, np.nan, 3.0])).numpy()
    array([1., 1., 4.])
    """
    return cumsum(_filled(x, 0), axis, dtype)


@implements("nancumprod", samples=_RUNNING)
def nancumprod(x: Operand, /, axis: int | None = None, dtype: Any = None) -> Any:
    """Running product along `axis` (None: of the flattened `x`), in which nan counts as 1.

    >>> ag.nancumprod(np.array([2.0, np.nan, 3.0])).numpy()
    array([2., 2., 6.])
    """
    return cumprod(_filled(x, 1), axis, dtype)


def _position_type(x: TensorType, axis: int | None, keepdims: bool) -> TensorType:
    return TensorType(np.dtype(np.intp), reduced_shape(x.shape, axis, keepdims))


_PLACES = calls(
    lambda: (
        ((_HOLES,), {}),
        ((_HOLES,), {"axis": 0}),
        ((_HOLES,), {"axis": 1, "keepdims": True}),
        ((array((3,), "i8"),), {}),
    )
)


@op(
    inputs=1,
    infer=_position_type,
    vjp=no_gradient,
    raises=always,
    numpy=("nanargmax",),
    samples=_PLACES,
)
def nanargmax(xp: Module, x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Position of the largest element along `axis` (None: of the flattened `x`) that is not nan.

    Raises ValueError where there is none.

    >>> ag.nanargmax(np.array([1.0, np.nan, 3.0])).item()
    2
    """
    return xp.nanargmax(x, axis=axis, keepdims=keepdims)


@op(
    inputs=1,
    infer=_position_type,
    vjp=no_gradient,
    raises=always,
    numpy=("nanargmin",),
    samples=_PLACES,
)
def nanargmin(xp: Module, x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Position of the smallest element along `axis` (None: of the flattened `x`) that is not nan.

    Raises ValueError where there is none.

    >>> ag.nanargmin(np.array([1.0, np.nan, 3.0])).item()
    0
    """
    return xp.nanargmin(x, axis=axis, keepdims=keepdims)
