"""What gradient rules are written with.

A derivative is a product along the way from the result to the operand. In it, 0 times infinity is
0: what has no influence moves nothing, however steep the rest of the way is. Such zeros are known
as strong zeros. A cotangent that is 0 is also stronger than nan; a factor is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runtime.ops.declaration.declare import as_ufunc, op
from runtime.ops.declaration.internal import as_weak
from runtime.ops.declaration.operands import Array, Module, dtype_of, is_number, type_of
from runtime.ops.declaration.samples import binary
from runtime.ops.elementwise.complex import conj
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.selection import where_
from runtime.spec import TensorType, broadcast_shapes

__all__ = [
    "chosen",
    "conjugated",
    "derivative",
    "keeping_zeros",
    "over",
    "quotient_or_zero",
    "scaled",
    "slope",
    "strong_zero",
    "typed",
    "typed_slope",
]

Rule = Callable[..., Any]


def conjugated(x: Any) -> Any:
    """`x`, conjugated when complex: real values need no node for it, and numbers stay numbers."""
    if dtype_of(x).kind != "c":
        return x
    return as_weak(conj(x)) if type_of(x).weak else conj(x)


# ---- rules -------------------------------------------------------------------------------------


def keeping_zeros(rule: Rule) -> Rule:
    """A rule that makes zeros of zeros by itself; where others do not, the sweep does."""
    rule.keeps_zeros = True  # type: ignore[attr-defined]
    return rule


def slope(function: Callable[..., Any]) -> Rule:
    """The rule, for one operand of an elementwise op, that multiplies by the derivative.

    `function` gives the derivative, of (out, *operands).
    """
    return keeping_zeros(lambda g, out, *xs: scaled(g, conjugated(function(out, *xs))))


def chosen(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds, else `y`; of Python numbers one, which adapts to others."""
    if is_number(condition):
        return x if condition else y
    found = where_(condition, _beside(x, y), _beside(y, x))
    return as_weak(found) if all(type_of(v).weak for v in (condition, x, y)) else found


def _beside(x: Any, y: Any) -> Any:
    """`x`, which where it is a real Python number adapts to the floating or complex `y`.

    NumPy makes float64 of an array of a dtype that is not its own beside a float, as bfloat16.
    """
    adapts = type_of(x).weak and dtype_of(x).kind != "c" and type_of(y).is_inexact
    return astype(x, dtype_of(y)) if adapts and not type_of(y).weak else x


def typed_slope(function: Callable[..., Any]) -> Rule:
    """As `slope`; `function` gets Python numbers in the dtype of the result.

    Functions of Python numbers, as their logarithms, are float64 and would make all else so.
    """

    return slope(lambda out, *xs: function(out, *typed(out, *xs)))


def typed(out: Any, *xs: Any) -> Iterator[Any]:
    """The operands of a result, Python numbers among them in its dtype."""
    dtype = dtype_of(out)
    return (astype(x, dtype) if type_of(x).weak else x for x in xs)


def derivative(function: Callable[[Any, Any], Any]) -> tuple[Rule]:
    """Rules of an elementwise op of one operand, given f'(x) in terms of (out, x)."""
    return (slope(function),)


def quotient_or_zero(x: Any, y: Any) -> Any:
    """`x / y`, and 0 where `y` is: the subgradient of a root or norm where that is 0."""
    return x / chosen(y == 0, math.inf, y)


# ---- strong zeros ------------------------------------------------------------------------------


@as_ufunc(
    np.multiply,
    (slope(lambda out, g, factor: factor), slope(lambda out, g, factor: g)),
    reads=(0, 1),
    scalar="{0} * {1} if {0} != 0 and ({1} != 0 or {0} != {0}) else 0",
    loop=lambda g, factor, out: (out, out),
    samples=binary(dtypes="f8,f8 f4,f4 f4,f8 c16,f8 c8,c8"),
    numpy=(),
)
def strong_product(xp: Module, g: Array, factor: Array) -> Array:
    """`g * factor`, broadcast, and 0 where one of them is: infinite or not, and of a factor nan.

    A cotangent that is nan comes of data that is used, and stays nan.
    """
    with np.errstate(invalid="ignore"):
        product = xp.multiply(g, factor)
    if xp is np and np.count_nonzero(np.isnan(product)) == 0:
        return product
    is_used = xp.logical_or(xp.logical_and(g, factor), xp.isnan(g))
    return xp.where(is_used, product, product.dtype.type(0))


@as_ufunc(
    np.divide,
    (
        keeping_zeros(lambda h, out, g, divisor: over(h, conjugated(divisor))),
        slope(lambda out, g, divisor: -over(out, divisor)),
    ),
    reads=(1, "out"),
    scalar="{0} / {1} if {0} != {0} or {0} != 0 and ({1} != {1} or {1} - {1} == 0) else 0",
    loop=lambda g, divisor, out: (out, out),
    samples=binary(dtypes="f8,f8 f4,f4 f4,f8 c16,f8 c8,c8", second=(1, 3)),
    numpy=(),
)
def strong_quotient(xp: Module, g: Array, divisor: Array) -> Array:
    """`g / divisor`, broadcast, and 0 where `g` is, or the divisor is infinite and `g` not nan."""
    with np.errstate(invalid="ignore"):
        quotient = xp.divide(g, divisor)
    if xp is np and np.count_nonzero(np.isnan(quotient)) == 0:
        return quotient
    is_used = xp.logical_or(xp.logical_and(g, xp.logical_not(xp.isinf(divisor))), xp.isnan(g))
    return xp.where(is_used, quotient, quotient.dtype.type(0))


@op(
    inputs=2,
    infer=lambda c, g: TensorType(c.dtype, broadcast_shapes(c.shape, g.shape)),
    # Linear in `c`, which is so in `g`: where `g` is 0 its derivative is not.
    vjp=(lambda h, out, c, g: h, None),
    scalar="{0} if {1} != 0 else 0",
    loop=lambda c, g, out: (out, g),
    elementwise=True,
    samples=binary(dtypes="f8,f8 f4,f4 f8,f4 c16,f8 f8,c16", numbers=False),
)
def strong_zero(xp: Module, c: Array, g: Array) -> Array:
    """What a rule made of the cotangent `g`, broadcast, and 0 where `g` is 0."""
    return xp.where(g, c, c.dtype.type(0))


def scaled(g: Any, factor: Any) -> Any:
    """`g * factor` with strong zeros; there is no need of them beside an ordinary number."""
    return g * factor if _is_ordinary(factor) else strong_product(g, factor)


def over(g: Any, divisor: Any) -> Any:
    """The cotangent `g` divided, and 0 where it is."""
    return g / divisor if _is_ordinary(divisor) else strong_quotient(g, divisor)


def _is_ordinary(x: Any) -> bool:
    """Whether it is a number, known now, that is neither 0 nor infinite nor nan."""
    if not isinstance(x, (int, float, complex, np.generic)):
        return False
    return bool(x != 0 and np.isfinite(x))
