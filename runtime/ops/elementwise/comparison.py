"""Comparisons, truth, and tests of floating-point numbers."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from runtime.ops.declaration.declare import as_ufunc, implements, no_gradient, op
from runtime.ops.declaration.internal import as_weak
from runtime.ops.declaration.operands import Array, Module, Operand
from runtime.ops.declaration.samples import array, binary, fixed, unary
from runtime.ops.reductions.reductions import all as all_
from runtime.spec import TensorType, broadcast_shapes, type_of_number

__all__ = [
    "allclose",
    "array_equal",
    "array_equiv",
    "equal",
    "greater",
    "greater_equal",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "not_equal",
    "signbit",
]

_BOOL = np.dtype(np.bool_)
_ORDERED = "i8,i8 f8,f8 f4,f8 ?,? u1,i8"
_TRUTH = "?,? f8,f8 i8,? c16,f8"


@as_ufunc(
    np.equal,
    no_gradient,
    python=operator.eq,
    expression="{0} == {1}",
    samples=binary(dtypes=_ORDERED + " c16,c16"),
)
def equal(xp: Module, x: Array, y: Array) -> Array:
    """Whether `x` equals `y`, element by element: bool, broadcast.

    >>> ag.equal(np.array([1, 2, 3]), 2).numpy()
    array([False,  True, False])
    """
    return xp.equal(x, y)


@as_ufunc(
    np.not_equal,
    no_gradient,
    python=operator.ne,
    expression="{0} != {1}",
    samples=binary(dtypes=_ORDERED + " c16,c16"),
)
def not_equal(xp: Module, x: Array, y: Array) -> Array:
    """Whether `x` differs from `y`, element by element: bool, broadcast.

    >>> ag.not_equal(np.array([1, 2, 3]), 2).numpy()
    array([ True, False,  True])
    """
    return xp.not_equal(x, y)


@as_ufunc(
    np.less,
    no_gradient,
    python=operator.lt,
    expression="{0} < {1}",
    samples=binary(dtypes=_ORDERED),
)
def less(xp: Module, x: Array, y: Array) -> Array:
    """Whether `x` is less than `y`, element by element: bool, broadcast.

    >>> ag.less(np.array([1, 2, 3]), 2).numpy()
    array([ True, False, False])
    """
    return xp.less(x, y)


@as_ufunc(
    np.less_equal,
    no_gradient,
    python=operator.le,
    expression="{0} <= {1}",
    samples=binary(dtypes=_ORDERED),
)
def less_equal(xp: Module, x: Array, y: Array) -> Array:
    """Whether `x` is less than or equal to `y`, element by element: bool, broadcast.

    >>> ag.less_equal(np.array([1, 2, 3]), 2).numpy()
    array([ True,  True, False])
    """
    return xp.less_equal(x, y)


@as_ufunc(
    np.greater,
    no_gradient,
    python=operator.gt,
    expression="{0} > {1}",
    samples=binary(dtypes=_ORDERED),
)
def greater(xp: Module, x: Array, y: Array) -> Array:
    """Whether `x` is greater than `y`, element by element: bool, broadcast.

    >>> ag.greater(np.array([1, 2, 3]), 2).numpy()
    array([False, False,  True])
    """
    return xp.greater(x, y)


@as_ufunc(
    np.greater_equal,
    no_gradient,
    python=operator.ge,
    expression="{0} >= {1}",
    samples=binary(dtypes=_ORDERED),
)
def greater_equal(xp: Module, x: Array, y: Array) -> Array:
    """Whether `x` is greater than or equal to `y`, element by element: bool, broadcast.

    >>> ag.greater_equal(np.array([1, 2, 3]), 2).numpy()
    array([False,  True,  True])
    """
    return xp.greater_equal(x, y)


@as_ufunc(
    np.logical_and,
    no_gradient,
    python=lambda x, y: bool(x) and bool(y),
    scalar="bool({0}) and bool({1})",
    samples=binary(dtypes=_TRUTH),
)
def logical_and(xp: Module, x: Array, y: Array) -> Array:
    """Whether both `x` and `y` are true (non-zero), element by element.

    >>> ag.logical_and(np.array([True, False]), True).numpy()
    array([ True, False])
    """
    return xp.logical_and(x, y)


@as_ufunc(
    np.logical_or,
    no_gradient,
    python=lambda x, y: bool(x) or bool(y),
    scalar="bool({0}) or bool({1})",
    samples=binary(dtypes=_TRUTH),
)
def logical_or(xp: Module, x: Array, y: Array) -> Array:
    """Whether one of `x` and `y` is true (non-zero), element by element.

    >>> ag.logical_or(np.array([True, False]), True).numpy()
    array([ True,  True])
    """
    return xp.logical_or(x, y)


@as_ufunc(
    np.logical_xor,
    no_gradient,
    python=lambda x, y: bool(x) != bool(y),
    scalar="bool({0}) != bool({1})",
    samples=binary(dtypes=_TRUTH),
)
def logical_xor(xp: Module, x: Array, y: Array) -> Array:
    """Whether exactly one of `x` and `y` is true (non-zero), element by element.

    >>> ag.logical_xor(np.array([True, False]), True).numpy()
    array([False,  True])
    """
    return xp.logical_xor(x, y)


@as_ufunc(
    np.logical_not,
    no_gradient,
    python=operator.not_,
    scalar="not {0}",
    samples=unary(dtypes="? f8 i8 c16"),
)
def logical_not(xp: Module, x: Array) -> Array:
    """Whether `x` is false (zero), element by element.

    >>> ag.logical_not(np.array([True, False])).numpy()
    array([False,  True])
    """
    return xp.logical_not(x)


_SPECIAL = fixed(
    lambda: (
        (np.array([0.0, np.nan, np.inf, -np.inf, -0.0]),),
        (np.array([1, 2]),),
        (np.array([1 + 1j, complex(np.nan, 1)]),),
        (np.float32(np.nan),),
        (2.5,),
    )
)


@as_ufunc(np.isnan, no_gradient, samples=_SPECIAL)
def isnan(xp: Module, x: Array) -> Array:
    """Whether `x` is not a number, element by element.

    >>> ag.isnan(np.array([1.0, np.nan])).numpy()
    array([False,  True])
    """
    return xp.isnan(x)


@as_ufunc(np.isinf, no_gradient, samples=_SPECIAL)
def isinf(xp: Module, x: Array) -> Array:
    """Whether `x` is infinite, element by element.

    >>> ag.isinf(np.array([1.0, -np.inf])).numpy()
    array([False,  True])
    """
    return xp.isinf(x)


@as_ufunc(np.isfinite, no_gradient, samples=_SPECIAL)
def isfinite(xp: Module, x: Array) -> Array:
    """Whether `x` is neither infinite nor nan, element by element.

    >>> ag.isfinite(np.array([1.0, np.inf, np.nan])).numpy()
    array([ True, False, False])
    """
    return xp.isfinite(x)


@as_ufunc(
    np.signbit,
    no_gradient,
    samples=fixed(lambda: ((np.array([0.0, -0.0, -1.0]),), (np.float32(2),), (-2.5,))),
)
def signbit(xp: Module, x: Array) -> Array:
    """Whether the sign bit of `x` is set (negative, or minus zero).

    >>> ag.signbit(np.array([0.0, -0.0, -1.0])).numpy()
    array([False,  True,  True])
    """
    return xp.signbit(x)


@op(
    inputs=2,
    infer=lambda x, y, **_: TensorType(_BOOL, broadcast_shapes(x.shape, y.shape)),
    vjp=no_gradient,
    elementwise=True,
    numpy=("isclose",),
    samples=fixed(
        lambda: (
            (np.array([1.0, np.nan, np.inf]), np.array([1.0 + 1e-9, np.nan, np.inf])),
            (array((2, 3)), array((3,))),
            (array((2,), "i8"), 1),
            (1.0, 2.0),
        ),
        rtol=1e-5,
        atol=1e-8,
        equal_nan=True,
    ),
)
def isclose(
    xp: Module,
    x: Array,
    y: Array,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Array:
    """Whether |x - y| <= atol + rtol * |y|, element by element.

    >>> ag.isclose(np.array([1.0, 1.1]), 1.0).numpy()
    array([ True, False])
    """
    return xp.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)


@implements(
    samples=lambda: (
        ((array((3,)), array((3,))), {}),
        ((array((3,)), array((3,)), 1e-5), {}),
    ),
)
def allclose(
    x: Operand,
    y: Operand,
    /,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Any:
    """Whether all elements of `x` and `y` are close; see `isclose`.

    The result is a Python bool, as NumPy's is.

    >>> ag.allclose(np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-9])).item()
    True
    """
    return as_weak(all_(isclose(x, y, rtol, atol, equal_nan)), kind="bool")


_PAIRS = fixed(
    lambda: (
        (array((3,)), array((3,))),
        (array((3,)), array((4,))),
        (array((2, 3)), array((3,))),
        (np.ones((2, 3)), np.ones((3,))),
        (array((3,), "i8"), array((3,), "f8")),
        (1.0, np.float64(1.0)),
    )
)


def _python_bool(x: TensorType, y: TensorType, **_: Any) -> TensorType:
    return type_of_number(True)


@op(inputs=2, infer=_python_bool, vjp=no_gradient, samples=_PAIRS, numpy=("array_equal",))
def array_equal(xp: Module, x: Array, y: Array, equal_nan: bool = False) -> bool:
    """Whether `x` and `y` have the same shape and equal elements: a Python bool, as NumPy's.

    >>> ag.array_equal(np.array([1, 2]), np.array([1, 2])).item()
    True
    """
    return bool(xp.array_equal(xp.asarray(x), xp.asarray(y), equal_nan=equal_nan))


@op(inputs=2, infer=_python_bool, vjp=no_gradient, samples=_PAIRS, numpy=("array_equiv",))
def array_equiv(xp: Module, x: Array, y: Array) -> bool:
    """Whether `x` and `y` are equal once one is broadcast to the other: a Python bool, as NumPy's.

    >>> ag.array_equiv(np.array([1, 1]), 1).item()
    True
    """
    return bool(xp.array_equiv(xp.asarray(x), xp.asarray(y)))
