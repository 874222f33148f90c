"""The parts and neighbours of floating-point numbers, and functions of signals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runtime.dtypes import kind_of
from runtime.ops.arrays.joining import concat
from runtime.ops.declaration.declare import as_ufunc, implements, no_gradient, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    dtype_of,
    normal_axis,
    rank_of,
    type_of,
    ufunc_dtype,
)
from runtime.ops.declaration.samples import array, binary, fixed, unary
from runtime.ops.elementwise.arithmetic import abs as abs_
from runtime.ops.elementwise.comparison import equal, isinf, logical_and, signbit
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import exp2
from runtime.ops.elementwise.rounding import trunc
from runtime.ops.elementwise.selection import where_
from runtime.ops.elementwise.trigonometric import sin
from runtime.ops.indexing.indexing import getitem
from runtime.ops.reductions.scans import cumsum, diff
from runtime.spec import TensorType, broadcast_shapes

__all__ = [
    "bitwise_count",
    "fabs",
    "fix",
    "frexp",
    "i0",
    "ldexp",
    "modf",
    "nextafter",
    "sinc",
    "spacing",
    "unwrap",
]


# ---- neighbours ----------------------------------------------------------------------------------


@as_ufunc(
    np.nextafter,
    (lambda g, out, x, y: g, None),
    scalar="nextafter({0}, {1})",
    samples=binary(dtypes="f8,f8 f4,f4"),
)
def nextafter(xp: Module, x: Array, y: Array) -> Array:
    """The number after `x` in the direction of `y`, in their dtype.

    The gradient is that of `x`, from which it differs by less than can be told.

    >>> ag.nextafter(np.array([1.0]), 2.0).numpy() - 1.0
    array([2.22044605e-16])
    """
    return xp.nextafter(x, y)


@as_ufunc(np.spacing, no_gradient, samples=unary(dtypes="f8 f4"), scalar=None)
def spacing(xp: Module, x: Array) -> Array:
    """Distance between `x` and the next number of its dtype away from 0.

    >>> ag.spacing(np.array([1.0])).numpy()
    array([2.22044605e-16])
    """
    if xp is np:
        return np.spacing(x)
    return xp.nextafter(x, xp.copysign(x.dtype.type(np.inf), x)) - x  # CuPy has no spacing


# ---- parts ---------------------------------------------------------------------------------------


def _two(ufunc: np.ufunc) -> Any:
    def infer(x: TensorType) -> tuple[TensorType, TensorType]:
        dtype = x.dtype if not x.weak else np.result_type(x.dtype)
        found = ufunc.resolve_dtypes((dtype, None, None))
        return TensorType(found[1], x.shape), TensorType(found[2], x.shape)

    return infer


@op(
    inputs=1,
    infer=_two(np.frexp),
    vjp=lambda g, out, x: (g[0] * exp2(-astype(out[1], dtype_of(g[0]))),),
    reads=("out",),
    numpy=("frexp",),
    samples=fixed(
        lambda: (
            (array((3,)),),
            (array((2, 2), "f4"),),
            (array((0,)),),
            (array((3,), "i8"),),
        )
    ),
)
def frexp(xp: Module, x: Array) -> tuple[Array, Array]:
    """Mantissas, of size in [0.5, 1), and exponents: `x = mantissa * 2**exponent`.

    >>> [r.tolist() for r in ag.frexp(np.array([8.0, -0.75]))]
    [[0.5, -0.75], [4, 0]]
    """
    return tuple(xp.frexp(x))


def _scaled_type(x: TensorType, n: TensorType) -> TensorType:
    if n.dtype.kind not in "bi" and n.dtype.str[1:] not in ("u1", "u2", "u4"):
        raise TypeError(f"ldexp takes integers as exponents, not {n.dtype}")
    kinds = tuple(np.dtype(np.int64) if t.weak and t.dtype.kind == "i" else t.dtype for t in (x, n))
    return TensorType(ufunc_dtype(np.ldexp, kinds), broadcast_shapes(x.shape, n.shape))


def _ldexp_vjp(g: Any, out: Any, x: Any, n: Any) -> Any:
    return ldexp(g, n)


@op(
    inputs=2,
    infer=_scaled_type,
    vjp=(_ldexp_vjp, None),
    reads=(1,),
    elementwise=True,
    numpy=("ldexp",),
    samples=lambda: (
        ((array((3,)), array((3,), "i8")), {}),
        ((array((2, 2), "f4"), np.array([1, -2], "i4")), {}),
        ((array((3,)), 2), {}),
        ((array((0,)), np.zeros((0,), "i8")), {}),
    ),
)
def ldexp(xp: Module, x: Array, n: Array) -> Array:
    """`x * 2**n`, for integers `n`.

    >>> ag.ldexp(np.array([0.5, -0.75]), np.array([4, 0])).numpy()
    array([ 8.  , -0.75])
    """
    return xp.ldexp(x, n)


@implements(
    samples=lambda: (
        ((array((5,), low=-9, high=9),), {}),
        ((array((3,), "f4"),), {}),
    ),
)
def modf(x: Operand, /) -> tuple[Any, Any]:
    """The parts of `x` behind the point and before it, both with its sign.

    >>> [r.tolist() for r in ag.modf(np.array([2.5, -0.25]))]
    [[0.5, -0.25], [2.0, -0.0]]
    """
    x = _as_float(x)
    whole = trunc(x)
    rest = where_(isinf(x), 0, x - whole)
    return where_(equal(rest, 0) & signbit(x), -abs_(rest), rest), whole


def _as_float(x: Operand) -> Any:
    own = type_of(x)
    return x if own.is_inexact and not own.weak else astype(x, np.sqrt(own.dtype.type(0)).dtype)


@implements(
    samples=lambda: (
        ((array((5,), low=-9, high=9),), {}),
        ((array((3,), "i8"),), {}),
    ),
)
def fix(x: Operand, /) -> Any:
    """`x` rounded towards 0.

    >>> ag.fix(np.array([2.5, -2.5])).numpy()
    array([ 2., -2.])
    """
    return trunc(x)


@implements(
    samples=lambda: (
        ((array((5,)),), {}),
        ((array((3,), "i8"),), {}),
    ),
)
def fabs(x: Operand, /) -> Any:
    """Absolute value of `x`, as a floating-point number.

    >>> ag.fabs(np.array([-2, 2])).numpy()
    array([2., 2.])
    """
    if dtype_of(x).kind == "c":
        raise TypeError(
            "ufunc 'fabs' not supported for the input types, and the inputs could not be safely "
            "coerced to any supported types according to the casting rule ''safe''"
        )
    return abs_(_as_float(x))


@as_ufunc(
    np.bitwise_count, no_gradient, samples=unary(dtypes="i8 u1 i4", numbers=False), scalar=None
)
def bitwise_count(xp: Module, x: Array) -> Array:
    """Number of ones among the bits of the size of each integer of `x`.

    >>> ag.bitwise_count(np.array([5, -3])).numpy()
    array([2, 2], dtype=uint8)
    """
    return xp.bitwise_count(x)


# ---- signals -------------------------------------------------------------------------------------


@implements(
    samples=lambda: (
        ((array((5,)),), {}),
        ((array((2, 2), "f4"),), {}),
        ((array((2,), "?"),), {}),
        ((array((2,), "i2"),), {}),
    ),
)
def sinc(x: Operand, /) -> Any:
    """`sin(pi x) / (pi x)`, which is 1 at 0.

    >>> ag.sinc(np.array([0.0, 0.5])).numpy()
    array([1.        , 0.63661977])
    """
    x = x if type_of(x).is_inexact and not type_of(x).weak else astype(x, np.float64)
    is_zero = equal(x, 0)
    angle = math.pi * where_(is_zero, dtype_of(x).type(1), x)
    return where_(is_zero, _near_zero(x), sin(angle) / angle)


def _near_zero(x: Any) -> Any:
    """The first terms of the series of `sinc`, which has its derivatives at 0."""
    return 1 - (math.pi * x) ** 2 / 6


def _bessel_vjp(g: Any, out: Any, x: Any, order: int) -> tuple[Any]:
    if order == 0:
        return (g * modified_bessel(x, order=1),)
    return (0.5 * g * (modified_bessel(x, order=order - 1) + modified_bessel(x, order=order + 1)),)


@op(
    inputs=1,
    infer=lambda x, order: TensorType(
        x.dtype if kind_of(x.dtype) == "f" else np.dtype("f8"), x.shape
    ),
    vjp=_bessel_vjp,
    reads=(0,),
    elementwise=True,
    samples=lambda: (
        ((array((4,), low=-9, high=9),), {}),
        ((array((2, 2)),), {"order": 1}),
        ((array((3,), "f4"),), {}),
        ((array((3,), "i8"),), {"order": 2}),
        ((array((0,)),), {"order": 1}),
    ),
)
def modified_bessel(xp: Module, x: Array, order: int = 0) -> Array:
    """Modified Bessel function of the first kind of an integer order."""
    if order == 0:
        return xp.i0(x)
    # (1/pi) times the integral of exp(x cos t) cos(n t) over [0, pi]: the rule of trapezoids is
    # exact to rounding here (L. Trefethen, J. Weideman, The exponentially convergent trapezoidal
    # rule, 2014), with 256 parts for all x for which the result is finite.
    x = xp.asarray(x)
    dtype = x.dtype if kind_of(x.dtype) == "f" else np.float64
    points = xp.arange(257) * (math.pi / 256)
    weights = xp.cos(order * points) / 256
    weights[[0, -1]] /= 2
    result = xp.exp(x[..., None].astype(np.float64) * xp.cos(points)) @ weights
    return xp.asarray(result).astype(dtype)[()]


@implements(
    samples=lambda: (
        ((array((4,), low=-9, high=9),), {}),
        ((array((3,), "i8"),), {}),
    ),
)
def i0(x: Operand, /) -> Any:
    """Modified Bessel function of the first kind of order 0.

    >>> ag.i0(np.array([0.0, 1.0])).numpy()
    array([1.        , 1.26606588])
    """
    if dtype_of(x).kind == "c":
        raise TypeError("i0 not supported for complex values")
    return modified_bessel(x)


@implements(
    samples=lambda: (
        ((np.array([0.0, 2.0, 4.0, 6.5, 0.5, 3.0]),), {}),
        ((np.array([[0.5, 3.0], [6.0, 0.2]]),), {"axis": 0, "discont": 4.0}),
        ((np.array([0.1, 0.4, 0.85, 0.05]),), {"period": 1.0}),
        ((np.array([0, 1, 3, -1, 0]),), {"period": 4}),
    ),
)
def unwrap(
    p: Operand, /, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Any:
    """`p` with multiples of `period` added so that neighbours along `axis` differ by half of it at
    most; jumps smaller than `discont` stay.

    >>> ag.unwrap(np.array([0, 3, 1]), period=4).numpy()
    array([ 0, -1, -3])
    """
    at, steps = normal_axis(axis, rank_of(p)), diff(p, axis=axis)
    limit = period / 2 if discont is None else discont
    dtype = np.result_type(dtype_of(steps), period)
    if dtype.kind in "iu":
        high, rest = divmod(period, 2)
        is_ambiguous = rest == 0
    else:
        high, is_ambiguous = period / 2, True
    low = -high
    wrapped = (steps - low) % period + low
    if is_ambiguous:
        wrapped = where_(logical_and(equal(wrapped, low), steps > 0), high, wrapped)
    correction = where_(abs_(steps) < limit, 0, wrapped - steps)
    lead = (slice(None),) * at
    first = astype(getitem(p, (*lead, slice(None, 1))), dtype)
    rest_of = getitem(p, (*lead, slice(1, None)))
    return concat([first, astype(rest_of + cumsum(correction, axis), dtype)], axis)
