"""Activation functions that have a kernel or a gradient of their own."""

from __future__ import annotations

import numpy as np

from runtime.dtypes import kind_of
from runtime.ops.declaration.declare import as_ufunc, op
from runtime.ops.declaration.inference import by_ufunc
from runtime.ops.declaration.operands import Array, Module, ufunc_dtype
from runtime.ops.declaration.samples import unary
from runtime.ops.elementwise.rules import derivative
from runtime.ops.elementwise.selection import where_
from runtime.spec import TensorType

__all__ = ["relu", "sigmoid", "softplus"]


def _relu_type(x: TensorType) -> TensorType:
    return by_ufunc(np.maximum)(x.strong(), x.strong())


def _floating(xp: Module, x: Array) -> Array:
    """`x` in the dtype that `exp` gives for it: integers have no negative or wrap around."""
    x = xp.asarray(x)
    return x if kind_of(x.dtype) == "f" else x.astype(ufunc_dtype(np.exp, (x.dtype,)))


@op(
    inputs=1,
    infer=_relu_type,
    vjp=(lambda g, out, x: where_(out > 0, g, 0),),
    reads=("out",),
    scalar="{0} if {0} > 0 or {0} != {0} else 0",
    elementwise=True,
    samples=unary(-2.0, 2.0, dtypes="f8 f4 f2 i8 u1"),
)
def relu(xp: Module, x: Array) -> Array:
    """The larger of `x` and 0, elementwise; the derivative at 0 is 0."""
    x = xp.asarray(x)
    return xp.maximum(x, x.dtype.type(0))


@as_ufunc(
    np.exp,
    derivative(lambda out, x: out * (1 - out)),
    reads=("out",),
    samples=unary(-2.0, 2.0, dtypes="f8 f4 f2 i8"),
    numpy=(),
)
def sigmoid(xp: Module, x: Array) -> Array:
    """`1 / (1 + exp(-x))` without overflow."""
    x = _floating(xp, x)
    small = xp.exp(-xp.abs(x))
    return xp.where(x >= 0, small.dtype.type(1), small) / (1 + small)


@as_ufunc(
    np.exp,
    (lambda g, out, x: g * sigmoid(x),),
    reads=(0,),
    scalar="({0} if {0} >= 0 or {0} != {0} else 0) + log1p(exp(-abs({0})))",
    samples=unary(-2.0, 2.0, dtypes="f8 f4 f2 i8"),
    numpy=(),
)
def softplus(xp: Module, x: Array) -> Array:
    """`log(1 + exp(x))` without overflow."""
    x = _floating(xp, x)
    return xp.maximum(x, x.dtype.type(0)) + xp.log1p(xp.exp(-xp.abs(x)))
