"""Element by element.

Most names are operations of `ag` on operands as TensorFlow takes them: Python numbers are float32
and int32, numbers and arrays beside a tensor take its dtype.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from autograph.tf.tensors import Tensor, as_tensor, is_tensor, operands
from runtime import nn, ops

__all__ = [
    "Operation",
    "abs",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "add_n",
    "angle",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "binary",
    "ceil",
    "complex",
    "conj",
    "cos",
    "cosh",
    "divide",
    "divide_no_nan",
    "equal",
    "erf",
    "exp",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "imag",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_strictly_increasing",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log_sigmoid",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "multiply_no_nan",
    "negative",
    "nextafter",
    "not_equal",
    "polyval",
    "pow",
    "real",
    "realdiv",
    "reciprocal",
    "reciprocal_no_nan",
    "rint",
    "round",
    "rsqrt",
    "scalar_mul",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softplus",
    "softsign",
    "sqrt",
    "square",
    "squared_difference",
    "subtract",
    "tan",
    "tanh",
    "truediv",
    "truncatediv",
    "truncatemod",
    "unary",
    "xdivy",
    "xlogy",
    "zero_or",
]

Operation = Callable[..., Tensor]


def unary(function: Operation) -> Operation:
    """An operation of one operand."""

    @functools.wraps(function, updated=())
    def operation(x: Any, name: str | None = None) -> Any:
        return function(as_tensor(x))

    return operation


def binary(function: Operation) -> Operation:
    """An operation of two operands, of which one adapts to the other."""

    @functools.wraps(function, updated=())
    def operation(x: Any, y: Any, name: str | None = None) -> Any:
        x, y = operands(x, y)
        # Numbers that have no tensor beside them are tensors by now.
        return function(x, y) if is_tensor(x) or is_tensor(y) else function(as_tensor(x), y)

    return operation


abs = unary(ops.abs)
negative = unary(ops.negative)
sign = unary(ops.sign)
square = unary(ops.square)
sqrt = unary(ops.sqrt)
exp = unary(ops.exp)
expm1 = unary(ops.expm1)
log = unary(ops.log)
log1p = unary(ops.log1p)
sin = unary(ops.sin)
cos = unary(ops.cos)
tan = unary(ops.tan)
asin = unary(ops.asin)
acos = unary(ops.acos)
atan = unary(ops.atan)
sinh = unary(ops.sinh)
cosh = unary(ops.cosh)
tanh = unary(ops.tanh)
asinh = unary(ops.asinh)
acosh = unary(ops.acosh)
atanh = unary(ops.atanh)
erf = unary(ops.erf)
floor = unary(ops.floor)
ceil = unary(ops.ceil)
rint = unary(ops.rint)
# To even where two are as near, as NumPy.
round = unary(ops.rint)
reciprocal = unary(ops.reciprocal)
is_nan = unary(ops.isnan)
is_inf = unary(ops.isinf)
is_finite = unary(ops.isfinite)
logical_not = unary(ops.logical_not)
real = unary(ops.real)
imag = unary(ops.imag)
conj = unary(ops.conj)
angle = unary(ops.angle)
sigmoid = unary(nn.sigmoid)
log_sigmoid = unary(nn.log_sigmoid)
softplus = unary(nn.softplus)
softsign = unary(nn.softsign)
add = binary(ops.add)
subtract = binary(ops.subtract)
multiply = binary(ops.multiply)
floordiv = binary(ops.floor_divide)
floormod = binary(ops.remainder)
mod = floormod
truncatemod = binary(ops.fmod)
pow = binary(ops.pow)
maximum = binary(ops.maximum)
minimum = binary(ops.minimum)
atan2 = binary(ops.atan2)
nextafter = binary(ops.nextafter)
equal = binary(ops.equal)
not_equal = binary(ops.not_equal)
less = binary(ops.less)
less_equal = binary(ops.less_equal)
greater = binary(ops.greater)
greater_equal = binary(ops.greater_equal)
logical_and = binary(ops.logical_and)
logical_or = binary(ops.logical_or)
logical_xor = binary(ops.logical_xor)


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y`: of integers float64, of those with 16 bits or fewer float32.

    >>> import autograph.tf as tf
    >>> tf.math.divide(7, 2)
    <tf.Tensor: shape=(), dtype=float64, numpy=3.5>
    """
    x, y = operands(x, y)
    return x / y


truediv = divide


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y` of floating and complex numbers. Raises TypeError for integers.

    >>> import autograph.tf as tf
    >>> tf.realdiv(3.0, 2.0).numpy()
    np.float32(1.5)
    """
    x, y = (as_tensor(part) for part in operands(x, y))
    if x.dtype.kind not in "fc":
        raise TypeError(f"realdiv takes floating and complex numbers, not {x.dtype}")
    return x / y


def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The quotient towards zero.

    >>> import autograph.tf as tf
    >>> tf.truncatediv(-7, 2).numpy()
    np.int32(-3)
    """
    x, y = operands(x, y)
    if as_tensor(x).dtype.kind == "f" or as_tensor(y).dtype.kind == "f":
        return ops.trunc(x / y)
    quotient = ops.floor_divide(x, y)
    rest = ops.remainder(x, y)
    below = ops.logical_and(ops.not_equal(rest, 0), ops.not_equal(ops.less(x, 0), ops.less(y, 0)))
    return quotient + ops.astype(below, quotient.dtype)


def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y`, but 0 where `y` is 0.

    >>> import autograph.tf as tf
    >>> tf.math.divide_no_nan([1.0, 1.0], [0.0, 2.0]).numpy()
    array([0. , 0.5], dtype=float32)
    """
    x, y = operands(x, y)
    zero = ops.equal(y, 0)
    return ops.where(zero, 0, ops.divide(x, ops.where(zero, 1, y)))


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x * y`, but 0 where `y` is 0, even for an infinite `x` or nan.

    >>> import autograph.tf as tf
    >>> tf.math.multiply_no_nan(float("inf"), 0.0).numpy()
    np.float32(0.0)
    """
    x, y = operands(x, y)
    zero = ops.equal(y, 0)
    return ops.where(zero, 0, ops.multiply(ops.where(zero, 0, x), y))


def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """`1 / sqrt(x)`.

    >>> import autograph.tf as tf
    >>> tf.math.rsqrt(4.0).numpy()
    np.float32(0.5)
    """
    return 1.0 / ops.sqrt(as_tensor(x))


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`(x - y)**2`.

    >>> import autograph.tf as tf
    >>> tf.math.squared_difference(1.0, [3.0, 0.0]).numpy()
    array([4., 1.], dtype=float32)
    """
    x, y = operands(x, y)
    return ops.square(x - y)


def zero_or(function: Callable[[Any, Any], Any], x: Any, y: Any, usual: float) -> Any:
    """`function(x, y)`, but 0 where `x` is 0: it sees `usual` for `y` there, so no nan."""
    x, y = operands(x, y)
    zero = ops.equal(x, 0)
    return ops.where(zero, 0, function(x, ops.where(zero, usual, y)))


def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x * log(y)`, but 0 where `x` is 0.

    >>> import autograph.tf as tf
    >>> tf.math.xlogy(0.0, 0.0).numpy()
    np.float32(0.0)
    """
    return zero_or(lambda x, y: x * ops.log(y), x, y, usual=1)


def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y`, but 0 where `x` is 0.

    >>> import autograph.tf as tf
    >>> tf.math.xdivy(0.0, 0.0).numpy()
    np.float32(0.0)
    """
    return zero_or(ops.divide, x, y, usual=1)


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """`1 / x`, but 0 where `x` is 0.

    >>> import autograph.tf as tf
    >>> tf.math.reciprocal_no_nan([0.0, 2.0]).numpy()
    array([0. , 0.5], dtype=float32)
    """
    x = as_tensor(x)
    return divide_no_nan(ops.ones_like(x), x)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """A tensor times a scalar. Raises ValueError where that is no scalar.

    >>> import autograph.tf as tf
    >>> tf.math.scalar_mul(2, [1.0, 2.0]).numpy()
    array([2., 4.], dtype=float32)
    """
    x = as_tensor(x)
    scalar = operands(scalar, x)[0]
    if getattr(scalar, "ndim", 0):
        raise ValueError(f"scalar_mul takes a scalar first, not an array of shape {scalar.shape}")
    return ops.multiply(x, scalar)


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element, in C order, is less than the one before.

    >>> import autograph.tf as tf
    >>> tf.math.is_non_decreasing([1, 1, 2]).numpy()
    np.True_
    """
    flat = ops.ravel(as_tensor(x))
    return ops.all(ops.less_equal(flat[:-1], flat[1:]))


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element, in C order, is greater than the one before.

    >>> import autograph.tf as tf
    >>> tf.math.is_strictly_increasing([1, 1, 2]).numpy()
    np.False_
    """
    flat = ops.ravel(as_tensor(x))
    return ops.all(ops.less(flat[:-1], flat[1:]))


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """`real + 1j * imag`, complex64 of float32.

    >>> import autograph.tf as tf
    >>> tf.complex(1.0, 2.0).dtype
    dtype('complex64')
    """
    real, imag = (as_tensor(x) for x in operands(real, imag))
    return ops.make_complex(real, imag)


def add_n(inputs: Sequence[Any], name: str | None = None) -> Tensor:
    """The sum of tensors of one shape.

    >>> import autograph.tf as tf
    >>> tf.add_n([[1, 2], [3, 4], [5, 6]]).numpy()
    array([ 9, 12], dtype=int32)
    """
    return functools.reduce(ops.add, map(as_tensor, inputs))


def accumulate_n(
    inputs: Sequence[Any], shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """As `add_n`.

    >>> import autograph.tf as tf
    >>> tf.math.accumulate_n([[1, 2], [3, 4]]).numpy()
    array([4, 6], dtype=int32)
    """
    return add_n(inputs)


def polyval(coeffs: Sequence[Any], x: Any, name: Any = None) -> Tensor:
    """A polynomial, its coefficients from the highest power down, by Horner's scheme.

    >>> import autograph.tf as tf
    >>> tf.math.polyval([1.0, 2.0], 3.0).numpy()
    np.float32(5.0)
    """
    x = as_tensor(x)
    parts = [operands(c, x)[0] for c in coeffs]
    result = parts[0] if parts else ops.zeros_like(x)
    for part in parts[1:]:
        result = part + result * x
    return as_tensor(result)
