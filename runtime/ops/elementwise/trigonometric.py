"""Trigonometric and hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.declaration.declare import op
from runtime.ops.declaration.inference import by_ufunc
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


@op(
    inputs=1,
    infer=by_ufunc(np.sin),
    vjp=derivative(_sin_slope),
    reads=(0,),
    scalar="sin({0})",
    elementwise=True,
    numpy=("sin",),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16"),
)
def sin(xp: Module, x: Array) -> Array:
    """Sine of `x`, in radians.

    >>> ag.sin(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.84147098])
    """
    return xp.sin(x)


@op(
    inputs=1,
    infer=by_ufunc(np.cos),
    vjp=derivative(lambda out, x: -sin(x)),
    reads=(0,),
    scalar="cos({0})",
    elementwise=True,
    numpy=("cos",),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16"),
)
def cos(xp: Module, x: Array) -> Array:
    """Cosine of `x`, in radians.

    >>> ag.cos(np.array([0.0, 1.0])).numpy()
    array([1.        , 0.54030231])
    """
    return xp.cos(x)


@op(
    inputs=1,
    infer=by_ufunc(np.tan),
    vjp=derivative(lambda out, x: 1 + out * out),
    reads=("out",),
    scalar="tan({0})",
    elementwise=True,
    numpy=("tan",),
    samples=unary(-1.0, 1.0, dtypes="f8 f4 i8 c16"),
)
def tan(xp: Module, x: Array) -> Array:
    """Tangent of `x`, in radians.

    >>> ag.tan(np.array([0.0, 1.0])).numpy()
    array([0.        , 1.55740772])
    """
    return xp.tan(x)


@op(
    inputs=1,
    infer=by_ufunc(np.arcsin),
    vjp=derivative(lambda out, x: 1 / sqrt(1 - x * x)),
    reads=(0,),
    scalar="asin({0})",
    elementwise=True,
    numpy=("arcsin", "asin"),
    samples=unary(-0.8, 0.8, dtypes="f8 f4 i8 c16"),
)
def asin(xp: Module, x: Array) -> Array:
    """Angle in radians whose sine is `x`.

    >>> ag.asin(np.array([0.0, 1.0])).numpy()
    array([0.        , 1.57079633])
    """
    return xp.arcsin(x)


@op(
    inputs=1,
    infer=by_ufunc(np.arccos),
    vjp=derivative(lambda out, x: -1 / sqrt(1 - x * x)),
    reads=(0,),
    scalar="acos({0})",
    elementwise=True,
    numpy=("arccos", "acos"),
    samples=unary(-0.8, 0.8, dtypes="f8 f4 i8 c16"),
)
def acos(xp: Module, x: Array) -> Array:
    """Angle in radians whose cosine is `x`.

    >>> ag.acos(np.array([1.0, 0.0])).numpy()
    array([0.        , 1.57079633])
    """
    return xp.arccos(x)


@op(
    inputs=1,
    infer=by_ufunc(np.arctan),
    vjp=derivative(lambda out, x: 1 / (1 + x * x)),
    reads=(0,),
    scalar="atan({0})",
    elementwise=True,
    numpy=("arctan", "atan"),
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


@op(
    inputs=1,
    infer=by_ufunc(np.sinh),
    vjp=derivative(_sinh_slope),
    reads=(0,),
    scalar="sinh({0})",
    elementwise=True,
    numpy=("sinh",),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16"),
)
def sinh(xp: Module, x: Array) -> Array:
    """Hyperbolic sine of `x`.

    >>> ag.sinh(np.array([0.0, 1.0])).numpy()
    array([0.        , 1.17520119])
    """
    return xp.sinh(x)


@op(
    inputs=1,
    infer=by_ufunc(np.cosh),
    vjp=derivative(lambda out, x: sinh(x)),
    reads=(0,),
    scalar="cosh({0})",
    elementwise=True,
    numpy=("cosh",),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8 c16"),
)
def cosh(xp: Module, x: Array) -> Array:
    """Hyperbolic cosine of `x`.

    >>> ag.cosh(np.array([0.0, 1.0])).numpy()
    array([1.        , 1.54308063])
    """
    return xp.cosh(x)


@op(
    inputs=1,
    infer=by_ufunc(np.tanh),
    vjp=derivative(lambda out, x: 1 - out * out),
    reads=("out",),
    scalar="tanh({0})",
    elementwise=True,
    numpy=("tanh",),
    samples=unary(-1.0, 1.0, dtypes="f8 f4 i8 c16"),
)
def tanh(xp: Module, x: Array) -> Array:
    """Hyperbolic tangent of `x`.

    >>> ag.tanh(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.76159416])
    """
    return xp.tanh(x)


@op(
    inputs=1,
    infer=by_ufunc(np.arcsinh),
    vjp=derivative(lambda out, x: 1 / sqrt(x * x + 1)),
    reads=(0,),
    scalar="asinh({0})",
    elementwise=True,
    numpy=("arcsinh", "asinh"),
    samples=unary(-0.9, 0.9, dtypes="f8 f4 i8 c16"),
)
def asinh(xp: Module, x: Array) -> Array:
    """Number whose hyperbolic sine is `x`.

    >>> ag.asinh(np.array([0.0, 1.0])).numpy()
    array([0.        , 0.88137359])
    """
    return xp.arcsinh(x)


@op(
    inputs=1,
    infer=by_ufunc(np.arccosh),
    vjp=derivative(lambda out, x: 1 / (sqrt(x - 1) * sqrt(x + 1))),
    reads=(0,),
    scalar="acosh({0})",
    elementwise=True,
    numpy=("arccosh", "acosh"),
    samples=unary(1.5, 3.0, dtypes="f8 f4 i8 c16"),
)
def acosh(xp: Module, x: Array) -> Array:
    """Number not below 0 whose hyperbolic cosine is `x`.

    >>> ag.acosh(np.array([1.0, 2.0])).numpy()
    array([0.       , 1.3169579])
    """
    return xp.arccosh(x)


@op(
    inputs=1,
    infer=by_ufunc(np.arctanh),
    vjp=derivative(lambda out, x: 1 / (1 - x * x)),
    reads=(0,),
    scalar="atanh({0})",
    elementwise=True,
    numpy=("arctanh", "atanh"),
    samples=unary(-0.8, 0.8, dtypes="f8 f4 i8 c16"),
)
def atanh(xp: Module, x: Array) -> Array:
    """Number whose hyperbolic tangent is `x`.

    >>> ag.atanh(np.array([0.0, 0.5])).numpy()
    array([0.        , 0.54930614])
    """
    return xp.arctanh(x)


@op(
    inputs=1,
    infer=by_ufunc(np.deg2rad),
    vjp=derivative(lambda out, x: _DEGREE),
    scalar="{0} * (3.141592653589793 / 180)",
    elementwise=True,
    numpy=("deg2rad", "radians"),
    samples=unary(-90, 90, dtypes="f8 f4 i8"),
)
def deg2rad(xp: Module, x: Array) -> Array:
    """Radians of an angle in degrees.

    >>> ag.deg2rad(np.array([0.0, 180.0])).numpy()
    array([0.        , 3.14159265])
    """
    return xp.deg2rad(x)


@op(
    inputs=1,
    infer=by_ufunc(np.rad2deg),
    vjp=derivative(lambda out, x: 1 / _DEGREE),
    scalar="{0} * (180 / 3.141592653589793)",
    elementwise=True,
    numpy=("rad2deg", "degrees"),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 i8"),
)
def rad2deg(xp: Module, x: Array) -> Array:
    """Degrees of an angle in radians.

    >>> ag.rad2deg(np.array([0.0, np.pi])).numpy()
    array([  0., 180.])
    """
    return xp.rad2deg(x)


@op(
    inputs=2,
    infer=by_ufunc(np.arctan2),
    vjp=(
        slope(lambda out, y, x: quotient_or_zero(x, x * x + y * y)),
        slope(lambda out, y, x: -quotient_or_zero(y, x * x + y * y)),
    ),
    reads=(0, 1),
    scalar="atan2({0}, {1})",
    elementwise=True,
    numpy=("arctan2", "atan2"),
    samples=binary(0.5, 2.0, dtypes="f8,f8 f4,f4 i8,i8"),
)
def atan2(xp: Module, y: Array, x: Array) -> Array:
    """Angle in radians of the point (`x`, `y`), in [-pi, pi], broadcast.

    >>> ag.atan2(np.array([0.0, 1.0]), np.array([-1.0, 0.0])).numpy()
    array([3.14159265, 1.57079633])
    """
    return xp.arctan2(y, x)
