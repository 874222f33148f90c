"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.declaration.declare import as_ufunc
from runtime.ops.declaration.operands import Array, Module
from runtime.ops.declaration.samples import binary, unary
from runtime.ops.elementwise.exponential import sqrt
from runtime.ops.elementwise.rules import derivative, quotient_or_zero, slope

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "deg2rad",
    "rad2deg",
    "sin",
    "sinh",
    "tan",
    "tanh",
]

_DEGREE = float(np.pi / 180)


def _sin_slope(out: Any, x: Any) -> Any:
    return cos(x)


@as_ufunc(
    np.sin, derivative(_sin_slope), reads=(0,), samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16")
)
def sin(xp: Module, x: Array) -> Array:
    """Sine of `x`, in radians.

    >>> ag.sin(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.84147098])
    """
    return xp.sin(x)


@as_ufunc(
    np.cos,
    derivative(lambda out, x: -sin(x)),
    reads=(0,),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16"),
)
def cos(xp: Module, x: Array) -> Array:
    """Cosine of `x`, in radians.

    >>> ag.cos(np.array([0.0, 1.0])).numpy()
    array([1.        , 0.54030231])
    """
    return xp.cos(x)


@as_ufunc(
    np.tan,
    derivative(lambda out, x: 1 + out * out),
    reads=("out",),
    samples=unary(-1.0, 1.0, dtypes="f8 f4 i8 c16"),
)
def tan(xp: Module, x: Array) -> Array:
    """Tangent of `x`, in radians.

    >>> ag.tan(np.array([0.0, 1.0])).numpy()
    array([0.        , 1.55740772])
    """
    return xp.tan(x)


@as_ufunc(
    np.arcsin,
    derivative(lambda out, x: 1 / sqrt(1 - x * x)),
    reads=(0,),
    samples=unary(-0.8, 0.8, dtypes="f8 f4 i8 c16"),
)
def asin(xp: Module, x: Array) -> Array:
    """Angle in radians whose sine is `x`.

    >>> ag.asin(np.array([0.0, 1.0])).numpy()
    array([0.        , 1.57079633])
    """
    return xp.arcsin(x)


@as_ufunc(
    np.arccos,
    derivative(lambda out, x: -1 / sqrt(1 - x * x)),
    reads=(0,),
    samples=unary(-0.8, 0.8, dtypes="f8 f4 i8 c16"),
)
def acos(xp: Module, x: Array) -> Array:
    """Angle in radians whose cosine is `x`.

    >>> ag.acos(np.array([1.0, 0.0])).numpy()
    array([0.        , 1.57079633])
    """
    return xp.arccos(x)


@as_ufunc(
    np.arctan,
    derivative(lambda out, x: 1 / (1 + x * x)),
    reads=(0,),
    samples=unary(-0.9, 0.9, dtypes="f8 f4 i8 c16"),
)
def atan(xp: Module, x: Array) -> Array:
    """Angle in radians whose tangent is `x`.

    >>> ag.atan(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.78539816])
    """
    return xp.arctan(x)


def _sinh_slope(out: Any, x: Any) -> Any:
    return cosh(x)


@as_ufunc(
    np.sinh, derivative(_sinh_slope), reads=(0,), samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16")
)
def sinh(xp: Module, x: Array) -> Array:
    """Hyperbolic sine of `x`.

    >>> ag.sinh(np.array([0.0, 1.0])).numpy()
    array([0.        , 1.17520119])
    """
    return xp.sinh(x)


@as_ufunc(
    np.cosh,
    derivative(lambda out, x: sinh(x)),
    reads=(0,),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16"),
)
def cosh(xp: Module, x: Array) -> Array:
    """Hyperbolic cosine of `x`.

    >>> ag.cosh(np.array([0.0, 1.0])).numpy()
    array([1.        , 1.54308063])
    """
    return xp.cosh(x)


@as_ufunc(
    np.tanh,
    derivative(lambda out, x: 1 - out * out),
    reads=("out",),
    samples=unary(-1.0, 1.0, dtypes="f8 f4 i8 c16"),
)
def tanh(xp: Module, x: Array) -> Array:
    """Hyperbolic tangent of `x`.

    >>> ag.tanh(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.76159416])
    """
    return xp.tanh(x)


@as_ufunc(
    np.arcsinh,
    derivative(lambda out, x: 1 / sqrt(x * x + 1)),
    reads=(0,),
    samples=unary(-0.9, 0.9, dtypes="f8 f4 i8 c16"),
)
def asinh(xp: Module, x: Array) -> Array:
    """Number whose hyperbolic sine is `x`.

    >>> ag.asinh(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.88137359])
    """
    return xp.arcsinh(x)


@as_ufunc(
    np.arccosh,
    derivative(lambda out, x: 1 / (sqrt(x - 1) * sqrt(x + 1))),
    reads=(0,),
    samples=unary(1.5, 3.0, dtypes="f8 f4 i8 c16"),
)
def acosh(xp: Module, x: Array) -> Array:
    """Number not below 0 whose hyperbolic cosine is `x`.

    >>> ag.acosh(np.array([1.0, 2.0])).numpy()
    array([0.       , 1.3169579])
    """
    return xp.arccosh(x)


@as_ufunc(
    np.arctanh,
    derivative(lambda out, x: 1 / (1 - x * x)),
    reads=(0,),
    samples=unary(-0.8, 0.8, dtypes="f8 f4 i8 c16"),
)
def atanh(xp: Module, x: Array) -> Array:
    """Number whose hyperbolic tangent is `x`.

    >>> ag.atanh(np.array([0.0, 0.5])).numpy()
    array([0.        , 0.54930614])
    """
    return xp.arctanh(x)


@as_ufunc(
    np.deg2rad,
    derivative(lambda out, x: _DEGREE),
    scalar="{0} * (3.141592653589793 / 180)",
    numpy=("deg2rad", "radians"),
    samples=unary(-90, 90, dtypes="f8 f4 i8"),
)
def deg2rad(xp: Module, x: Array) -> Array:
    """Radians of an angle in degrees.

    >>> ag.deg2rad(np.array([0.0, 180.0])).numpy()
    array([0.        , 3.14159265])
    """
    return xp.deg2rad(x)


@as_ufunc(
    np.rad2deg,
    derivative(lambda out, x: 1 / _DEGREE),
    scalar="{0} * (180 / 3.141592653589793)",
    numpy=("rad2deg", "degrees"),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8"),
)
def rad2deg(xp: Module, x: Array) -> Array:
    """Degrees of an angle in radians.

    >>> ag.rad2deg(np.array([0.0, np.pi])).numpy()
    array([  0., 180.])
    """
    return xp.rad2deg(x)


@as_ufunc(
    np.arctan2,
    (
        slope(lambda out, y, x: quotient_or_zero(x, x * x + y * y)),
        slope(lambda out, y, x: -quotient_or_zero(y, x * x + y * y)),
    ),
    reads=(0, 1),
    scalar="atan2({0}, {1})",
    samples=binary(0.5, 2.0, dtypes="f8,f8 f4,f4 i8,i8"),
)
def atan2(xp: Module, y: Array, x: Array) -> Array:
    """Angle in radians of the point (`x`, `y`), in [-pi, pi], broadcast.

    >>> ag.atan2(np.array([0.0, 1.0]), np.array([-1.0, 0.0])).numpy()
    array([3.14159265, 1.57079633])
    """
    return xp.arctan2(y, x)
