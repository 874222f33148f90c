"""Rounding. The gradients of these are zero."""

from __future__ import annotations

import builtins
import operator

import numpy as np

from runtime.ops.declaration.declare import as_ufunc, no_gradient, op
from runtime.ops.declaration.inference import by_probe
from runtime.ops.declaration.operands import Array, Module
from runtime.ops.declaration.samples import array, unary
from runtime.spec import TensorType

__all__ = ["ceil", "floor", "rint", "round", "round_number", "trunc"]


@as_ufunc(np.floor, no_gradient, samples=unary(dtypes="f8 f4 i8"))
def floor(xp: Module, x: Array) -> Array:
    """Largest integer not above `x`, in the dtype of `x`.

    >>> ag.floor(np.array([-1.5, 1.5])).numpy()
    array([-2.,  1.])
    """
    return xp.floor(x)


@as_ufunc(np.ceil, no_gradient, samples=unary(dtypes="f8 f4 i8"))
def ceil(xp: Module, x: Array) -> Array:
    """Smallest integer not below `x`, in the dtype of `x`.

    >>> ag.ceil(np.array([-1.5, 1.5])).numpy()
    array([-1.,  2.])
    """
    return xp.ceil(x)


@as_ufunc(np.trunc, no_gradient, numpy=("trunc", "fix"), samples=unary(dtypes="f8 f4 i8"))
def trunc(xp: Module, x: Array) -> Array:
    """`x` rounded towards zero.

    >>> ag.trunc(np.array([-1.5, 1.5])).numpy()
    array([-1.,  1.])
    """
    return xp.trunc(x)


@as_ufunc(np.rint, no_gradient, samples=unary(dtypes="f8 f4 c16"))
def rint(xp: Module, x: Array) -> Array:
    """`x` rounded to the nearest integer, halves to the even one.

    >>> ag.rint(np.array([0.5, 1.5])).numpy()
    array([0., 2.])
    """
    return xp.rint(x)


def _rounded(x: TensorType, decimals: int) -> TensorType:
    operator.index(decimals)  # or a TypeError
    return TensorType(by_probe(np.round, x.dtype), x.shape)


@op(
    inputs=1,
    infer=_rounded,
    vjp=no_gradient,
    elementwise=True,
    numpy=("round", "around"),
    samples=lambda: (
        ((array((3,)),), {}),
        ((array((2, 3)),), {"decimals": 1}),
        ((array((3,), "i8", -90, 90),), {"decimals": -1}),
        ((array((3,), "c16"),), {"decimals": 2}),
        ((2.5,), {}),
    ),
)
def round(xp: Module, x: Array, decimals: int = 0) -> Array:
    """`x` rounded to `decimals` places, halves to the even digit.

    >>> ag.round(np.array([0.5, 1.5, 2.25]), 1).numpy()
    array([0.5, 1.5, 2.2])
    """
    return xp.round(x, decimals)


@op(
    inputs=1,
    infer=lambda x, ndigits: x,
    vjp=no_gradient,
    samples=lambda: (
        ((2.675,), {"ndigits": 2}),
        ((1234.5,), {"ndigits": -2}),
    ),
    stays=True,
)
def round_number(xp: Module, x: float, ndigits: int) -> float:
    """The Python float `x` rounded to `ndigits` places as Python does: by its exact value.

    >>> ag.convert(lambda x: round(x, 2))(2.675)
    2.67
    """
    return builtins.round(x, ndigits)
