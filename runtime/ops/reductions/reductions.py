"""Reductions over axes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.dtypes import kind_of
from runtime.ops.arrays.broadcasting import spread_like
from runtime.ops.arrays.shapes import expand_dims
from runtime.ops.declaration.declare import implements, no_gradient, op
from runtime.ops.declaration.inference import by_probe, may_be_empty, reduced_shape, size_of
from runtime.ops.declaration.internal import zeros_of
from runtime.ops.declaration.operands import (
    Array,
    Axes,
    Module,
    Operand,
    dtype_of,
    normal_axes,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls, on_axes
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rules import conjugated, quotient_or_zero, scaled
from runtime.ops.reductions.scans import product_of_others
from runtime.spec import TensorType

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "ptp",
    "std",
    "sum",
    "var",
]


def _by_numpy(function: Callable[..., Any], empty: bool = True) -> Callable[..., TensorType]:
    """Type rule of a reduction that has the dtypes of a function of NumPy."""

    def infer(
        x: TensorType, axis: Any, dtype: Any = None, keepdims: bool = False, **_: Any
    ) -> TensorType:
        if function in (np.mean, np.std, np.var):
            normal_axes(axis, x.rank or 0)  # these take no axis of a number
        own = by_probe(function, x.dtype) if dtype is None else dtype
        shape = reduced_shape(x.shape, axis, keepdims)
        if not empty and size_of(x.shape) == 0 and size_of(shape) != 0:
            name = {"max": "maximum", "min": "minimum"}[function.__name__]
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        return TensorType(own, shape)

    return infer


def _array(xp: Module, x: Array) -> Array:
    """`x` as an array: its methods take half the time of the functions that lead to them."""
    return x if hasattr(x, "dtype") else xp.asarray(x)


def kept(g: Operand, x: Operand, axis: Axes, keepdims: bool) -> Any:
    """A reduced value with the reduced axes put back as axes of size 1.

    One of all axes is left as it is where it is not known how many they are: it fits any array.
    """
    own = type_of(x)
    if keepdims or own.rank == 0 or (axis is None and own.rank is None):
        return g
    return expand_dims(g, normal_axes(axis, rank_of(x)))


def _spread(g: Operand, x: Operand, axis: Axes, keepdims: bool) -> Any:
    return spread_like(kept(g, x, axis, keepdims), x)


def _count(x: Operand, axis: Axes) -> Any:
    """How many elements are reduced to one."""
    if axis is None and type_of(x).rank is None:
        return sum(zeros_of(x) + 1)
    shape = shape_of(x)
    result: Any = 1
    for i in normal_axes(axis, len(shape)):
        result = result * shape[i]
    return result


def per_count(total: Any, count: Any) -> Any:
    """A sum over how many there are, in its own dtype; float16 has no numbers for large counts."""
    own = dtype_of(total)
    result = (astype(total, np.float32) if own == np.float16 else total) / count
    return astype(result, own, copy=False) if kind_of(own) in "fc" else result


# ---- sums --------------------------------------------------------------------------------------


def _sum_vjp(g: Any, out: Any, x: Any, axis: Any, dtype: Any, keepdims: bool) -> tuple[Any, ...]:
    return (_spread(g, x, axis, keepdims) if type_of(x).is_inexact else None,)


@op(
    inputs=1,
    infer=_by_numpy(np.sum),
    vjp=_sum_vjp,
    numpy=("sum",),
    samples=on_axes("f8 f4 i8 i4 ? u1 c16"),
)
def sum(
    xp: Module,
    x: Array,
    axis: Axes = None,
    dtype: np.dtype[Any] | None = None,
    keepdims: bool = False,
) -> Array:
    """Sum over `axis` (None: all). Small integers and bools are summed in 64 bits.

    >>> ag.sum(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0).numpy()
    array([4., 6.])
    """
    return _array(xp, x).sum(axis=axis, dtype=dtype, keepdims=keepdims)


def _mean_vjp(g: Any, out: Any, x: Any, axis: Any, dtype: Any, keepdims: bool) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    return (_spread(per_count(g, _count(x, axis)), x, axis, keepdims),)


@op(
    inputs=1,
    infer=_by_numpy(np.mean),
    vjp=_mean_vjp,
    numpy=("mean",),
    samples=on_axes("f8 f4 i8 ? c16", empty=False),
)
def mean(
    xp: Module,
    x: Array,
    axis: Axes = None,
    dtype: np.dtype[Any] | None = None,
    keepdims: bool = False,
) -> Array:
    """Mean over `axis` (None: all); float64 for integers.

    >>> ag.mean(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=1).numpy()
    array([1.5, 3.5])
    """
    return _array(xp, x).mean(axis=axis, dtype=dtype, keepdims=keepdims)


# ---- products ----------------------------------------------------------------------------------


def _prod_vjp(g: Any, out: Any, x: Any, axis: Any, dtype: Any, keepdims: bool) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    others = product_of_others(x, axis=None if type_of(x).rank == 0 else axis)
    return (scaled(kept(g, x, axis, keepdims), conjugated(others)),)


@op(
    inputs=1,
    infer=_by_numpy(np.prod),
    vjp=_prod_vjp,
    reads=(0,),
    numpy=("prod",),
    samples=on_axes("f8 f4 i8 i4 ? c16"),
)
def prod(
    xp: Module,
    x: Array,
    axis: Axes = None,
    dtype: np.dtype[Any] | None = None,
    keepdims: bool = False,
) -> Array:
    """Product over `axis` (None: all). Gradients are right where elements are zero, too.

    >>> ag.prod(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0).numpy()
    array([3., 8.])
    """
    return _array(xp, x).prod(axis=axis, dtype=dtype, keepdims=keepdims)


# ---- spread ------------------------------------------------------------------------------------


def _deviation(x: Any, axis: Any) -> Any:
    return x - mean(x, axis=axis, keepdims=True)


def _freedom(x: Any, axis: Any, ddof: Any) -> Any:
    return _count(x, axis) - ddof


def _var_vjp(
    g: Any, out: Any, x: Any, axis: Any, dtype: Any, ddof: Any, keepdims: bool
) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    scale = per_count(kept(g, x, axis, keepdims) * 2, _freedom(x, axis, ddof))
    return (scaled(scale, _deviation(x, axis)),)


def _std_vjp(
    g: Any, out: Any, x: Any, axis: Any, dtype: Any, ddof: Any, keepdims: bool
) -> tuple[Any, ...]:
    return _var_vjp(quotient_or_zero(g, 2 * out), out, x, axis, dtype, ddof, keepdims)


def _bind_ddof(correction: Any, ddof: Any) -> Any:
    return ddof if correction is None else correction


@op(
    inputs=1,
    infer=_by_numpy(np.var),
    vjp=_var_vjp,
    reads=(0,),
    samples=on_axes("f8 f4 i8 c16", empty=False),
)
def var_(
    xp: Module,
    x: Array,
    axis: Axes = None,
    dtype: np.dtype[Any] | None = None,
    ddof: float = 0,
    keepdims: bool = False,
) -> Array:
    """Variance over `axis` (None: all) with divisor `n - ddof`."""
    return xp.var(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)


@op(
    inputs=1,
    infer=_by_numpy(np.std),
    vjp=_std_vjp,
    reads=(0, "out"),
    samples=on_axes(
        "f8 f4 i8 c16", axes=(None, 0, -1, (0, 1)), empty=False, scalar=False, ddof=0.5
    ),
)
def std_(
    xp: Module,
    x: Array,
    axis: Axes = None,
    dtype: np.dtype[Any] | None = None,
    ddof: float = 0,
    keepdims: bool = False,
) -> Array:
    """Standard deviation over `axis` (None: all) with divisor `n - ddof`."""
    return xp.std(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)


_SPREAD = calls(
    lambda: (
        ((array((2, 3)),), {}),
        ((array((2, 3)), 1), {"ddof": 1}),
        ((array((2, 3), "f4"), 0), {"correction": 1}),
    )
)


@implements("var", samples=_SPREAD)
def var(
    x: Operand,
    /,
    axis: Axes = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """Variance over `axis` (None: all), with divisor `n - correction` (or `ddof`).

    >>> ag.var(np.array([1.0, 2.0, 3.0, 4.0])).item()
    1.25
    """
    return var_(x, axis, dtype, _bind_ddof(correction, ddof), keepdims)


@implements("std", samples=_SPREAD)
def std(
    x: Operand,
    /,
    axis: Axes = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """Standard deviation over `axis` (None: all), with divisor `n - correction` (or `ddof`).

    >>> ag.std(np.array([1.0, 3.0])).item()
    1.0
    """
    return std_(x, axis, dtype, _bind_ddof(correction, ddof), keepdims)


# ---- extremes ----------------------------------------------------------------------------------


def _extreme_vjp(is_beyond: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Gradient parted equally among the elements that are as extreme as the result."""

    def vjp(g: Any, out: Any, x: Any, axis: Any, keepdims: bool) -> tuple[Any, ...]:
        if not type_of(x).is_inexact:
            return (None,)
        chosen = astype(is_beyond(x, kept(out, x, axis, keepdims)), dtype_of(g))
        ties = sum(chosen, axis=axis, keepdims=True)
        return (kept(g, x, axis, keepdims) * (chosen / ties),)

    return vjp


@op(
    inputs=1,
    infer=_by_numpy(np.max, empty=False),
    vjp=_extreme_vjp(lambda x, out: (x < out) == False),  # noqa: E712 - nan counts as chosen
    reads=(0, "out"),
    raises=may_be_empty,
    numpy=("max", "amax"),
    samples=on_axes("f8 f4 i8 ?", empty=False),
)
def max(xp: Module, x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Largest element over `axis` (None: all); nan if one is nan. Ties share the gradient.

    Raises ValueError when there is no element.

    >>> ag.max(np.array([[1, 5], [3, 2]]), axis=0).numpy()
    array([3, 5])
    """
    return _array(xp, x).max(axis=axis, keepdims=keepdims)


@op(
    inputs=1,
    infer=_by_numpy(np.min, empty=False),
    vjp=_extreme_vjp(lambda x, out: (x > out) == False),  # noqa: E712 - nan counts as chosen
    reads=(0, "out"),
    raises=may_be_empty,
    numpy=("min", "amin"),
    samples=on_axes("f8 f4 i8 ?", empty=False),
)
def min(xp: Module, x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Smallest element over `axis` (None: all); nan if one is nan. Ties share the gradient.

    Raises ValueError when there is no element.

    >>> ag.min(np.array([[1, 5], [3, 2]]), axis=0).numpy()
    array([1, 2])
    """
    return _array(xp, x).min(axis=axis, keepdims=keepdims)


@implements("ptp", samples=lambda: (((array((2, 3)),), {"axis": 1}),))
def ptp(x: Operand, /, axis: Axes = None, *, keepdims: bool = False) -> Any:
    """Largest less smallest element over `axis` (None: all).

    >>> ag.ptp(np.array([3, 9, 4])).item()
    6
    """
    return max(x, axis=axis, keepdims=keepdims) - min(x, axis=axis, keepdims=keepdims)


# ---- truth and positions -----------------------------------------------------------------------


@op(
    inputs=1,
    infer=_by_numpy(np.any),
    vjp=no_gradient,
    numpy=("any",),
    samples=on_axes("? f8 i8"),
)
def any(xp: Module, x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Whether some element over `axis` (None: all) is true.

    >>> ag.any(np.array([[False, True], [False, False]]), axis=1).numpy()
    array([ True, False])
    """
    return _array(xp, x).any(axis=axis, keepdims=keepdims)


@op(
    inputs=1,
    infer=_by_numpy(np.all),
    vjp=no_gradient,
    numpy=("all",),
    samples=on_axes("? f8 i8"),
)
def all(xp: Module, x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Whether each element over `axis` (None: all) is true.

    >>> ag.all(np.array([[True, True], [True, False]]), axis=1).numpy()
    array([ True, False])
    """
    return _array(xp, x).all(axis=axis, keepdims=keepdims)


@op(
    inputs=1,
    infer=_by_numpy(np.count_nonzero),
    vjp=no_gradient,
    numpy=("count_nonzero",),
    samples=on_axes("i8 ? f8"),
)
def count_nonzero(xp: Module, x: Array, axis: Axes = None, keepdims: bool = False) -> Array:
    """Number of elements over `axis` (None: all) that are not zero.

    >>> ag.count_nonzero(np.array([0, 3, 0, 5])).item()
    2
    """
    x = xp.asarray(x)
    if xp is np:
        return np.asarray(np.count_nonzero(x, axis=axis, keepdims=keepdims))
    return (x != 0).sum(axis=axis, dtype=np.intp, keepdims=keepdims)  # CuPy's has no keepdims


def _position(x: TensorType, axis: int | None, keepdims: bool) -> TensorType:
    if axis is not None:
        operator.index(axis)  # one axis, no tuple of them
    shape = reduced_shape(x.shape, axis, keepdims)
    if size_of(x.shape) == 0 and size_of(shape) != 0:
        raise ValueError("attempt to get the position of an extreme of an empty sequence")
    return TensorType(np.dtype(np.intp), shape)


@op(
    inputs=1,
    infer=_position,
    vjp=no_gradient,
    raises=may_be_empty,
    numpy=("argmax",),
    samples=on_axes("f8 f4 i8 ?", axes=(None, 0, -1), empty=False),
)
def argmax(xp: Module, x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Position of the (first) largest element along `axis`; None: in the flattened `x`.

    Raises ValueError when there is no element.

    >>> ag.argmax(np.array([[1, 5], [3, 2]]), axis=0).numpy()
    array([1, 0])
    """
    return _array(xp, x).argmax(axis=axis, keepdims=keepdims)


@op(
    inputs=1,
    infer=_position,
    vjp=no_gradient,
    raises=may_be_empty,
    numpy=("argmin",),
    samples=on_axes("f8 f4 i8 ?", axes=(None, 0, -1), empty=False),
)
def argmin(xp: Module, x: Array, axis: int | None = None, keepdims: bool = False) -> Array:
    """Position of the (first) smallest element along `axis`; None: in the flattened `x`.

    Raises ValueError when there is no element.

    >>> ag.argmin(np.array([[1, 5], [3, 2]]), axis=0).numpy()
    array([0, 1])
    """
    return _array(xp, x).argmin(axis=axis, keepdims=keepdims)
