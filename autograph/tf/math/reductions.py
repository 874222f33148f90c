"""Along axes: sums, means, extremes, running sums.

Where TensorFlow's meaning differs from NumPy's (sums and means of integers keep their dtype,
`argmax` goes along axis 0), it is written out here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.tf.arguments import axes_of
from autograph.tf.math.elementwise import rsqrt, truncatediv
from autograph.tf.tensors import Tensor, as_tensor, cast
from runtime import nn, ops
from runtime.ops.declaration.operands import normal_axis

__all__ = [
    "argmax",
    "argmin",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "cumulative_logsumexp",
    "l2_normalize",
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
    "zero_fraction",
]


def _numbers(x: Any, name: str) -> Any:
    x = as_tensor(x)
    if x.dtype.kind == "b":
        raise TypeError(f"tf.{name} of a bool tensor: cast it first, tf.cast(x, tf.int32)")
    return x


def _floating(x: Any, name: str) -> Any:
    x = as_tensor(x)
    if x.dtype.kind not in "fc":
        raise TypeError(f"tf.math.{name} needs floating numbers, not {x.dtype}: cast them first")
    return x


def _same_dtype(x: Any) -> Any:
    """The dtype of a sum, which NumPy makes wider: that of the operand."""
    return x.dtype if x.dtype.kind in "iu" else None


def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """Sum of the elements, in their dtype (int32 wraps around).

    >>> import autograph.tf as tf
    >>> tf.reduce_sum([[1, 2], [3, 4]], axis=0)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([4, 6], dtype=int32)>
    """
    x = _numbers(input_tensor, "reduce_sum")
    return ops.sum(x, axis=axes_of(axis), dtype=_same_dtype(x), keepdims=keepdims)


def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """Product of the elements, in their dtype.

    >>> import autograph.tf as tf
    >>> tf.reduce_prod([1, 2, 3]).numpy()
    np.int32(6)
    """
    x = _numbers(input_tensor, "reduce_prod")
    return ops.prod(x, axis=axes_of(axis), dtype=_same_dtype(x), keepdims=keepdims)


def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """Mean of the elements; of integers an integer, towards zero.

    >>> import autograph.tf as tf
    >>> tf.reduce_mean([1, 2]).numpy(), tf.reduce_mean([1.0, 2.0]).numpy()
    (np.int32(1), np.float32(1.5))
    """
    x = _numbers(input_tensor, "reduce_mean")
    if x.dtype.kind in "fc":
        return ops.mean(x, axis=axes_of(axis), keepdims=keepdims)
    total = reduce_sum(x, axis, keepdims)
    return truncatediv(total, ops.astype(_count(x, axes_of(axis)), x.dtype))


def _count(x: Any, axis: Any) -> Any:
    """Number of elements along axes."""
    along = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    sizes = [x.shape[a] for a in along]
    return as_tensor(functools.reduce(lambda a, b: a * b, sizes, 1))


def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """The largest element.

    >>> import autograph.tf as tf
    >>> tf.reduce_max([[1, 5], [3, 4]], axis=1).numpy()
    array([5, 4], dtype=int32)
    """
    return _extreme(ops.max, input_tensor, axis, keepdims)


def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """The smallest element.

    >>> import autograph.tf as tf
    >>> tf.reduce_min([[1, 5], [3, 4]]).numpy()
    np.int32(1)
    """
    return _extreme(ops.min, input_tensor, axis, keepdims)


def _extreme(function: Callable[..., Any], x: Any, axis: Any, keepdims: bool) -> Any:
    """The largest or smallest; of no elements, the bound of all numbers of the dtype."""
    x, along = as_tensor(x), axes_of(axis)
    if all(type(n) is int and n for n in x.shape):
        return function(x, axis=along, keepdims=keepdims)
    is_max = function is ops.max
    if x.dtype.kind == "f":
        bound = -np.inf if is_max else np.inf
    else:
        bound = np.iinfo(x.dtype).min if is_max else np.iinfo(x.dtype).max
    numpys = ops.by_numpy_name()["max" if is_max else "min"]
    return numpys(x, axis=along, keepdims=keepdims, initial=x.dtype.type(bound))


def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """Whether any element is true.

    >>> import autograph.tf as tf
    >>> tf.reduce_any([False, True]).numpy()
    np.True_
    """
    return ops.any(as_tensor(input_tensor), axis=axes_of(axis), keepdims=keepdims)


def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """Whether all elements are true.

    >>> import autograph.tf as tf
    >>> tf.reduce_all([False, True]).numpy()
    np.False_
    """
    return ops.all(as_tensor(input_tensor), axis=axes_of(axis), keepdims=keepdims)


def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """`log(sum(exp(x)))`, without overflow.

    >>> import autograph.tf as tf
    >>> tf.reduce_logsumexp([0.0, 0.0]).numpy()
    np.float32(0.6931472)
    """
    return nn.logsumexp(as_tensor(input_tensor), axes_of(axis), keepdims)


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """Mean of the squared distances from the mean. Raises TypeError for integers.

    >>> import autograph.tf as tf
    >>> tf.math.reduce_variance([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    x = _floating(input_tensor, "reduce_variance")
    return ops.var(x, axis=axes_of(axis), keepdims=keepdims)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """Square root of the variance. Raises TypeError for integers.

    >>> import autograph.tf as tf
    >>> tf.math.reduce_std([1.0, 3.0]).numpy()
    np.float32(1.0)
    """
    x = _floating(input_tensor, "reduce_std")
    return ops.std(x, axis=axes_of(axis), keepdims=keepdims)


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> Tensor:
    """Square root of the sum of squares.

    >>> import autograph.tf as tf
    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy()
    np.float32(5.0)
    """
    x = as_tensor(input_tensor)
    return cast(ops.sqrt(reduce_sum(x * ops.conj(x), axis, keepdims)), x.dtype)


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: Any = None) -> Tensor:
    """`x / sqrt(max(sum(x**2), epsilon))`.

    >>> import autograph.tf as tf
    >>> tf.math.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    x = as_tensor(x)
    total = ops.sum(ops.square(x), axis=axes_of(axis), keepdims=True)
    return x * rsqrt(ops.maximum(total, epsilon))


def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool = False, dtype: Any = np.int64, name: Any = None
) -> Tensor:
    """Number of elements that are not zero.

    >>> import autograph.tf as tf
    >>> tf.math.count_nonzero([0, 1, 2]).numpy()
    np.int64(2)
    """
    return cast(ops.count_nonzero(as_tensor(input), axis=axes_of(axis), keepdims=keepdims), dtype)


def zero_fraction(value: Any, name: Any = None) -> Tensor:
    """The share of elements that are zero, float32.

    >>> import autograph.tf as tf
    >>> tf.math.zero_fraction([0.0, 1.0]).numpy()
    np.float32(0.5)
    """
    return cast(ops.mean(cast(ops.equal(as_tensor(value), 0), np.float32)), np.float32)


def argmax(input: Any, axis: Any = None, output_type: Any = np.int64, name: Any = None) -> Tensor:
    """Position of the largest element along an axis, 0 unless given; the first one of equals.

    >>> import autograph.tf as tf
    >>> tf.argmax([[1, 2], [3, 0]]).numpy()
    array([1, 0])
    """
    return cast(ops.argmax(as_tensor(input), axis=axes_of(axis) or 0), output_type)


def argmin(input: Any, axis: Any = None, output_type: Any = np.int64, name: Any = None) -> Tensor:
    """Position of the smallest element along an axis, 0 unless given; the first one of equals.

    >>> import autograph.tf as tf
    >>> tf.argmin([[1, 2], [3, 0]]).numpy()
    array([0, 1])
    """
    return cast(ops.argmin(as_tensor(input), axis=axes_of(axis) or 0), output_type)


# ---- running sums ------------------------------------------------------------------------------


def _running(function: Callable[..., Any], start: int) -> Callable[..., Any]:
    def run(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
        x = as_tensor(x)
        axis = normal_axis(int(axis), x.ndim)
        x = ops.flip(x, axis=axis) if reverse else x
        result = function(x, axis=axis, dtype=_same_dtype(x))
        if exclusive:
            lead = (slice(None),) * axis
            first = ops.full_like(x[(*lead, slice(0, 1))], start)
            result = ops.concat([first, result[(*lead, slice(0, -1))]], axis=axis)
        return ops.flip(result, axis=axis) if reverse else result

    return run


def cumsum(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> Tensor:
    """Sums of the elements up to each; with `exclusive`, up to the one before.

    >>> import autograph.tf as tf
    >>> tf.cumsum([1, 2, 3], exclusive=True).numpy()
    array([0, 1, 3], dtype=int32)
    """
    return _running(ops.cumsum, 0)(x, axis, exclusive, reverse)


def cumprod(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> Tensor:
    """Products of the elements up to each; with `exclusive`, up to the one before.

    >>> import autograph.tf as tf
    >>> tf.math.cumprod([2, 3, 4], reverse=True).numpy()
    array([24, 12,  4], dtype=int32)
    """
    return _running(ops.cumprod, 1)(x, axis, exclusive, reverse)


def cumulative_logsumexp(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: Any = None
) -> Tensor:
    """`log(cumsum(exp(x)))`, without overflow of its largest element.

    >>> import autograph.tf as tf
    >>> tf.math.cumulative_logsumexp([0.0, 0.0]).numpy()
    array([0.       , 0.6931472], dtype=float32)
    """
    x = _floating(x, "cumulative_logsumexp")
    top = ops.max(x, axis=axis, keepdims=True)
    return ops.log(cumsum(ops.exp(x - top), axis, exclusive, reverse)) + top
