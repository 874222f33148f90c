"""`tf.math`: element by element, and along axes.

Most names are operations of `ag` on operands as TensorFlow takes them: Python numbers are float32
and int32, numbers and arrays beside a tensor take its dtype. Where TensorFlow's meaning differs
from NumPy's (sums and means of integers keep their dtype, `argmax` goes along axis 0), there is a
function here.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.tf.names import missing
from autograph.tf.tensors import as_tensor, cast_, is_tensor, operands
from runtime import nn, ops

__all__ = [
    "TopK",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "angle",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bincount",
    "ceil",
    "complex",
    "confusion_matrix",
    "conj",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_logsumexp",
    "divide",
    "divide_no_nan",
    "equal",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "floor",
    "floordiv",
    "floormod",
    "greater",
    "greater_equal",
    "imag",
    "in_top_k",
    "is_finite",
    "is_inf",
    "is_nan",
    "l2_normalize",
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
    "not_equal",
    "polyval",
    "pow",
    "real",
    "reciprocal",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "rint",
    "round",
    "rsqrt",
    "segment_mean",
    "segment_sum",
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
    "top_k",
    "truediv",
    "truncatediv",
    "truncatemod",
    "unsorted_segment_sum",
    "xlogy",
    "zero_fraction",
]

Operation = Callable[..., Any]


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


# ---- element by element ------------------------------------------------------------------------

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
equal = binary(ops.equal)
not_equal = binary(ops.not_equal)
less = binary(ops.less)
less_equal = binary(ops.less_equal)
greater = binary(ops.greater)
greater_equal = binary(ops.greater_equal)
logical_and = binary(ops.logical_and)
logical_or = binary(ops.logical_or)
logical_xor = binary(ops.logical_xor)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """`x / y`: of integers float64, of those with 16 bits or fewer float32.

    >>> import autograph.tf as tf
    >>> tf.math.divide(7, 2)
    <tf.Tensor: shape=(), dtype=float64, numpy=3.5>
    """
    x, y = operands(x, y)
    return x / y


truediv = divide


def truncatediv(x: Any, y: Any, name: str | None = None) -> Any:
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


def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """`x / y`, but 0 where `y` is 0.

    >>> import autograph.tf as tf
    >>> tf.math.divide_no_nan([1.0, 1.0], [0.0, 2.0]).numpy()
    array([0. , 0.5], dtype=float32)
    """
    x, y = operands(x, y)
    zero = ops.equal(y, 0)
    return ops.where(zero, 0, ops.divide(x, ops.where(zero, 1, y)))


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """`x * y`, but 0 where `y` is 0, even for an infinite `x` or nan.

    >>> import autograph.tf as tf
    >>> tf.math.multiply_no_nan(float("inf"), 0.0).numpy()
    np.float32(0.0)
    """
    x, y = operands(x, y)
    zero = ops.equal(y, 0)
    return ops.where(zero, 0, ops.multiply(ops.where(zero, 0, x), y))


def rsqrt(x: Any, name: str | None = None) -> Any:
    """`1 / sqrt(x)`.

    >>> import autograph.tf as tf
    >>> tf.math.rsqrt(4.0).numpy()
    np.float32(0.5)
    """
    return 1.0 / ops.sqrt(as_tensor(x))


def erfc(x: Any, name: str | None = None) -> Any:
    """`1 - erf(x)`; for large `x` no digits are left, where TensorFlow has some.

    >>> import autograph.tf as tf
    >>> tf.math.erfc(0.0).numpy()
    np.float32(1.0)
    """
    return 1.0 - ops.erf(as_tensor(x))


def squared_difference(x: Any, y: Any, name: str | None = None) -> Any:
    """`(x - y)**2`.

    >>> import autograph.tf as tf
    >>> tf.math.squared_difference(1.0, [3.0, 0.0]).numpy()
    array([4., 1.], dtype=float32)
    """
    x, y = operands(x, y)
    return ops.square(x - y)


def xlogy(x: Any, y: Any, name: str | None = None) -> Any:
    """`x * log(y)`, but 0 where `x` is 0.

    >>> import autograph.tf as tf
    >>> tf.math.xlogy(0.0, 0.0).numpy()
    np.float32(0.0)
    """
    x, y = operands(x, y)
    zero = ops.equal(x, 0)
    return ops.where(zero, 0, x * ops.log(ops.where(zero, 1, y)))


def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """`real + 1j * imag`, complex64 of float32.

    >>> import autograph.tf as tf
    >>> tf.complex(1.0, 2.0).dtype
    dtype('complex64')
    """
    real, imag = (as_tensor(x) for x in operands(real, imag))
    return ops.make_complex(real, imag)


def add_n(inputs: Sequence[Any], name: str | None = None) -> Any:
    """The sum of tensors of one shape.

    >>> import autograph.tf as tf
    >>> tf.add_n([[1, 2], [3, 4], [5, 6]]).numpy()
    array([ 9, 12], dtype=int32)
    """
    return functools.reduce(ops.add, map(as_tensor, inputs))


# ---- reductions --------------------------------------------------------------------------------


def axes(axis: Any) -> Any:
    """An axis, several in a tuple, or None."""
    if axis is None or isinstance(axis, int):
        return axis
    if is_tensor(axis) or isinstance(axis, np.ndarray):
        axis = as_tensor(axis).tolist()
    return tuple(int(a) for a in axis) if isinstance(axis, (list, tuple, range)) else int(axis)


def _numbers(x: Any, name: str) -> Any:
    x = as_tensor(x)
    if x.dtype.kind == "b":
        raise TypeError(f"tf.{name} of a bool tensor: cast it first, tf.cast(x, tf.int32)")
    return x


def _same_dtype(x: Any) -> Any:
    """The dtype of a sum, which NumPy makes wider: that of the operand."""
    return x.dtype if x.dtype.kind in "iu" else None


def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Sum of the elements, in their dtype (int32 wraps around).

    >>> import autograph.tf as tf
    >>> tf.reduce_sum([[1, 2], [3, 4]], axis=0)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 6], dtype=int32)>
    """
    x = _numbers(input_tensor, "reduce_sum")
    return ops.sum(x, axis=axes(axis), dtype=_same_dtype(x), keepdims=keepdims)


def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Product of the elements, in their dtype.

    >>> import autograph.tf as tf
    >>> tf.reduce_prod([1, 2, 3]).numpy()
    np.int32(6)
    """
    x = _numbers(input_tensor, "reduce_prod")
    return ops.prod(x, axis=axes(axis), dtype=_same_dtype(x), keepdims=keepdims)


def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Mean of the elements; of integers an integer, towards zero.

    >>> import autograph.tf as tf
    >>> tf.reduce_mean([1, 2]).numpy(), tf.reduce_mean([1.0, 2.0]).numpy()
    (np.int32(1), np.float32(1.5))
    """
    x = _numbers(input_tensor, "reduce_mean")
    if x.dtype.kind in "fc":
        return ops.mean(x, axis=axes(axis), keepdims=keepdims)
    total = reduce_sum(x, axis, keepdims)
    return truncatediv(total, ops.astype(_count(x, axes(axis)), x.dtype))


def _count(x: Any, axis: Any) -> Any:
    """Number of elements along axes."""
    along = builtins.range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    sizes = [x.shape[a] for a in along]
    return as_tensor(functools.reduce(lambda a, b: a * b, sizes, 1))


def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """The largest element.

    >>> import autograph.tf as tf
    >>> tf.reduce_max([[1, 5], [3, 4]], axis=1).numpy()
    array([5, 4], dtype=int32)
    """
    return ops.max(as_tensor(input_tensor), axis=axes(axis), keepdims=keepdims)


def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """The smallest element.

    >>> import autograph.tf as tf
    >>> tf.reduce_min([[1, 5], [3, 4]]).numpy()
    np.int32(1)
    """
    return ops.min(as_tensor(input_tensor), axis=axes(axis), keepdims=keepdims)


def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Whether any element is true.

    >>> import autograph.tf as tf
    >>> tf.reduce_any([False, True]).numpy()
    np.True_
    """
    return ops.any(as_tensor(input_tensor), axis=axes(axis), keepdims=keepdims)


def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Whether all elements are true.

    >>> import autograph.tf as tf
    >>> tf.reduce_all([False, True]).numpy()
    np.False_
    """
    return ops.all(as_tensor(input_tensor), axis=axes(axis), keepdims=keepdims)


def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """`log(sum(exp(x)))`, without overflow.

    >>> import autograph.tf as tf
    >>> tf.reduce_logsumexp([0.0, 0.0]).numpy()
    np.float32(0.6931472)
    """
    return nn.logsumexp(as_tensor(input_tensor), axes(axis), keepdims)


def _floating(x: Any, name: str) -> Any:
    x = as_tensor(x)
    if x.dtype.kind not in "fc":
        raise TypeError(f"tf.math.{name} needs floating numbers, not {x.dtype}: cast them first")
    return x


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Mean of the squared distances from the mean. Raises TypeError for integers.

    >>> import autograph.tf as tf
    >>> tf.math.reduce_variance([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    x = _floating(input_tensor, "reduce_variance")
    return ops.var(x, axis=axes(axis), keepdims=keepdims)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Square root of the variance. Raises TypeError for integers.

    >>> import autograph.tf as tf
    >>> tf.math.reduce_std([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    x = _floating(input_tensor, "reduce_std")
    return ops.std(x, axis=axes(axis), keepdims=keepdims)


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Any:
    """Square root of the sum of squares.

    >>> import autograph.tf as tf
    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """
    x = as_tensor(input_tensor)
    return cast_(ops.sqrt(reduce_sum(x * ops.conj(x), axis, keepdims)), x.dtype)


def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool = False, dtype: Any = np.int64, name: Any = None
) -> Any:
    """Number of elements that are not zero.

    >>> import autograph.tf as tf
    >>> tf.math.count_nonzero([0, 1, 2]).numpy()
    np.int64(2)
    """
    return cast_(ops.count_nonzero(as_tensor(input), axis=axes(axis), keepdims=keepdims), dtype)


def argmax(input: Any, axis: Any = None, output_type: Any = np.int64, name: Any = None) -> Any:
    """Position of the largest element along an axis, 0 unless given; the first one of equals.

    >>> import autograph.tf as tf
    >>> tf.argmax([[1, 2], [3, 0]]).numpy()
    array([1, 0])
    """
    return cast_(ops.argmax(as_tensor(input), axis=axes(axis) or 0), output_type)


def argmin(input: Any, axis: Any = None, output_type: Any = np.int64, name: Any = None) -> Any:
    """Position of the smallest element along an axis, 0 unless given; the first one of equals.

    >>> import autograph.tf as tf
    >>> tf.argmin([[1, 2], [3, 0]]).numpy()
    array([0, 1])
    """
    return cast_(ops.argmin(as_tensor(input), axis=axes(axis) or 0), output_type)


def _running(function: Operation, start: int) -> Operation:
    def run(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
        x = as_tensor(x)
        axis = int(axis) % x.ndim
        x = ops.flip(x, axis=axis) if reverse else x
        result = function(x, axis=axis, dtype=_same_dtype(x))
        if exclusive:
            lead = (builtins.slice(None),) * axis
            first = ops.full_like(x[(*lead, builtins.slice(0, 1))], start)
            result = ops.concat([first, result[(*lead, builtins.slice(0, -1))]], axis=axis)
        return ops.flip(result, axis=axis) if reverse else result

    return run


def cumsum(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> Any:
    """Sums of the elements up to each; with `exclusive`, up to the one before.

    >>> import autograph.tf as tf
    >>> tf.cumsum([1, 2, 3], exclusive=True).numpy()
    array([0, 1, 3], dtype=int32)
    """
    return _running(ops.cumsum, 0)(x, axis, exclusive, reverse)


def cumprod(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> Any:
    """Products of the elements up to each; with `exclusive`, up to the one before.

    >>> import autograph.tf as tf
    >>> tf.math.cumprod([2, 3, 4], reverse=True).numpy()
    array([24, 12,  4], dtype=int32)
    """
    return _running(ops.cumprod, 1)(x, axis, exclusive, reverse)


def cumulative_logsumexp(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> Any:
    """`log(cumsum(exp(x)))`, without overflow of its largest element.

    >>> import autograph.tf as tf
    >>> tf.math.cumulative_logsumexp([0.0, 0.0]).numpy()
    array([0.       , 0.6931472], dtype=float32)
    """
    x = _floating(x, "cumulative_logsumexp")
    top = ops.max(x, axis=axis, keepdims=True)
    return ops.log(cumsum(ops.exp(x - top), axis, exclusive, reverse)) + top


# ---- others ------------------------------------------------------------------------------------


class TopK(NamedTuple):
    """The largest elements and where they were."""

    values: Any
    indices: Any


def top_k(
    input: Any, k: int = 1, sorted: bool = True, index_type: Any = np.int32, name: Any = None
) -> TopK:
    """The `k` largest elements along the last axis, largest first, and their positions.

    >>> import autograph.tf as tf
    >>> values, indices = tf.math.top_k([1, 3, 2], k=2)
    >>> values.numpy(), indices.numpy()
    (array([3, 2], dtype=int32), array([1, 2], dtype=int32))
    """
    x = as_tensor(input)
    order = descending_order(x, -1)[..., : int(k)]
    return TopK(ops.take_along_axis(x, order, -1), cast_(order, index_type))


def descending_order(x: Any, axis: int) -> Any:
    """Positions of the elements from the largest to the smallest, equal ones in their order."""
    size = x.shape[axis]
    order = ops.argsort(ops.flip(x, axis=axis), axis=axis, stable=True)
    return ops.flip(size - 1 - order, axis=axis)


def in_top_k(targets: Any, predictions: Any, k: int, name: Any = None) -> Any:
    """Whether each row of predictions has the target among its `k` largest.

    >>> import autograph.tf as tf
    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], k=1).numpy()
    array([ True, False])
    """
    predictions, targets = as_tensor(predictions), as_tensor(targets)
    of_target = ops.take_along_axis(predictions, ops.expand_dims(targets, -1), -1)
    return ops.sum(predictions > of_target, axis=-1) < k


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: Any = None) -> Any:
    """`x / sqrt(max(sum(x**2), epsilon))`.

    >>> import autograph.tf as tf
    >>> tf.math.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    x = as_tensor(x)
    total = ops.sum(ops.square(x), axis=axes(axis), keepdims=True)
    return x * rsqrt(ops.maximum(total, epsilon))


def bincount(
    arr: Any, weights: Any = None, minlength: int | None = None, maxlength: int | None = None,
    dtype: Any = np.int32, name: Any = None,
) -> Any:  # fmt: skip
    """How often each of 0, 1, ... occurs, or the sum of its weights.

    >>> import autograph.tf as tf
    >>> tf.math.bincount([1, 1, 2]).numpy()
    array([0, 2, 1], dtype=int32)
    """
    x = ops.ravel(as_tensor(arr))
    if maxlength is not None:
        keep = x < maxlength
        weights = None if weights is None else ops.ravel(as_tensor(weights))[keep]
        x = x[keep]
    if weights is None:
        return cast_(ops.bincount(x, minlength=minlength or 0), dtype)
    weights = ops.ravel(as_tensor(weights))
    return cast_(ops.bincount(x, weights=weights, minlength=minlength or 0), weights.dtype)


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: int | None = None, weights: Any = None,
    dtype: Any = np.int32, name: Any = None,
) -> Any:  # fmt: skip
    """How often label i (row) was predicted as j (column).

    >>> import autograph.tf as tf
    >>> tf.math.confusion_matrix([0, 1, 1], [0, 1, 0]).numpy()
    array([[1, 0],
           [1, 1]], dtype=int32)
    """
    labels, predictions = as_tensor(labels), as_tensor(predictions)
    if num_classes is None:
        num_classes = int(max(int(ops.max(labels)), int(ops.max(predictions))) + 1)
    ones = ops.ones_like(labels) if weights is None else as_tensor(weights)
    pairs = ops.stack([labels, predictions], axis=-1)
    return cast_(ops.scatter(pairs, cast_(ones, dtype), (num_classes, num_classes)), dtype)


def _segment_sum(data: Any, ids: Any, count: Any) -> Any:
    shape = (count, *data.shape[1:])
    return ops.index_add(ops.zeros(shape, data.dtype), data, ids)


def segment_sum(data: Any, segment_ids: Any, name: Any = None) -> Any:
    """Sums of the rows of each segment; `segment_ids` are sorted, and known outside of a graph.

    >>> import autograph.tf as tf
    >>> tf.math.segment_sum([1, 2, 3], [0, 0, 1]).numpy()
    array([3, 3], dtype=int32)
    """
    ids = as_tensor(segment_ids)
    return as_tensor(_segment_sum(as_tensor(data), ids, ops.as_weak(ids[-1] + 1)))


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: Any = None) -> Any:
    """Sums of the rows of each of `num_segments` segments.

    >>> import autograph.tf as tf
    >>> tf.math.unsorted_segment_sum([1.0, 2.0, 3.0], [1, 0, 1], 3).numpy()
    array([2., 4., 0.], dtype=float32)
    """
    return as_tensor(_segment_sum(as_tensor(data), as_tensor(segment_ids), num_segments))


def segment_mean(data: Any, segment_ids: Any, name: Any = None) -> Any:
    """Means of the rows of each segment; `segment_ids` are sorted.

    >>> import autograph.tf as tf
    >>> tf.math.segment_mean([1.0, 3.0, 5.0], [0, 0, 1]).numpy()
    array([2., 5.], dtype=float32)
    """
    data = as_tensor(data)
    totals = segment_sum(data, segment_ids)
    counts = segment_sum(ops.ones_like(as_tensor(segment_ids)), segment_ids)
    counts = ops.reshape(counts, (-1,) + (1,) * (data.ndim - 1))
    return ops.divide(totals, ops.maximum(cast_(counts, data.dtype), 1))


def zero_fraction(value: Any, name: Any = None) -> Any:
    """The share of elements that are zero, float32.

    >>> import autograph.tf as tf
    >>> tf.math.zero_fraction([0.0, 1.0]).numpy()
    np.float32(0.5)
    """
    return cast_(ops.mean(cast_(ops.equal(as_tensor(value), 0), np.float32)), np.float32)


def polyval(coeffs: Sequence[Any], x: Any, name: Any = None) -> Any:
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


__getattr__ = missing("tf.math", globals())
