"""`keras.ops.nn`: activations, convolutions, pooling, losses, attention."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src import backend
from keras.src.backend.common import standardize_dtype
from keras.src.backend.common.backend_utils import (
    check_conv_input_channels,
    check_conv_transpose_input_channels,
    compute_conv_transpose_padding_args_for_jax,
)
from keras.src.backend.config import epsilon, standardize_data_format

import autograph as ag
from autograph.keras.backend.core import common_dtype, convert_to_tensor
from autograph.keras.backend.numpy import clipped, floating, like
from runtime.ops.arrays.agreement import of_size

# ---- activations -----------------------------------------------------------------------------


def _activation(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: op(floating(x))


sigmoid = _activation(ag.nn.sigmoid)
silu = _activation(ag.nn.silu)
softplus = _activation(ag.nn.softplus)
softsign = _activation(ag.nn.softsign)
log_sigmoid = _activation(ag.nn.log_sigmoid)
tanh = _activation(ag.tanh)
selu = _activation(ag.nn.selu)


def relu(x: Any) -> Any:
    return ag.nn.relu(convert_to_tensor(x))


def relu6(x: Any) -> Any:
    return ag.nn.relu6(convert_to_tensor(x))


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    return ag.nn.leaky_relu(floating(x), negative_slope)


def elu(x: Any, alpha: float = 1.0) -> Any:
    return ag.nn.elu(floating(x), alpha)


def gelu(x: Any, approximate: bool = True) -> Any:
    return ag.nn.gelu(floating(x), approximate)


def celu(x: Any, alpha: float = 1.0) -> Any:
    x = floating(x)
    slope = like(x, alpha)
    return ag.maximum(x, 0) + slope * ag.expm1(ag.minimum(x, 0) / slope)


def glu(x: Any, axis: int = -1) -> Any:
    x = floating(x)
    if x.shape[axis] % 2:
        raise ValueError(
            f"axis size must be divisible by 2. Received: x.shape={x.shape} with axis={axis}"
        )
    values, gates = ag.split(x, 2, axis=axis)
    return values * ag.nn.sigmoid(gates)


def hard_sigmoid(x: Any) -> Any:
    x = floating(x)
    return clipped(x / 6 + like(x, 0.5), 0, 1)


def hard_silu(x: Any) -> Any:
    return floating(x) * hard_sigmoid(x)


def hard_tanh(x: Any) -> Any:
    return clipped(convert_to_tensor(x), -1, 1)


def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    x = floating(x)
    return ag.where(ag.abs(x) > like(x, threshold), x, 0)


def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    x = floating(x)
    limit = like(x, threshold)
    return ag.where(x > limit, x - limit, ag.where(x < -limit, x + limit, 0))


def tanh_shrink(x: Any) -> Any:
    x = floating(x)
    return x - ag.tanh(x)


def threshold(x: Any, threshold: float, default_value: float) -> Any:
    x = convert_to_tensor(x)
    return ag.where(x > like(x, threshold), x, like(x, default_value))


def squareplus(x: Any, b: float = 4) -> Any:
    x = floating(x)
    return (x + ag.sqrt(x * x + like(x, b))) / 2


def sparse_plus(x: Any) -> Any:
    x = floating(x)
    return ag.where(x <= -1, 0, ag.where(x < 1, ag.square(x + 1) / 4, x))


def sparse_sigmoid(x: Any) -> Any:
    return clipped((floating(x) + 1) / 2, 0, 1)


def softmax(x: Any, axis: Any = -1) -> Any:
    return ag.nn.softmax(floating(x), axis)


def log_softmax(x: Any, axis: Any = -1) -> Any:
    return ag.nn.log_softmax(floating(x), axis)


def sparsemax(x: Any, axis: int = -1) -> Any:
    """The nearest point of the simplex: A. Martins, R. Astudillo, "Sparsemax", 2016."""
    x = floating(x)
    ordered = ag.sort(x, axis=axis, descending=True)
    sums = ag.cumsum(ordered, axis=axis)
    shape = [1] * x.ndim
    shape[axis] = -1
    numbers = ag.reshape(ag.astype(ag.arange(1, x.shape[axis] + 1), x.dtype), shape)
    is_in = ordered - (sums - 1) / numbers > 0
    count = ag.astype(ag.sum(is_in, axis=axis, keepdims=True), x.dtype)
    kept = ag.sum(ag.where(is_in, ordered, 0), axis=axis, keepdims=True)
    return ag.maximum(x - (kept - 1) / count, 0)


# ---- convolutions ----------------------------------------------------------------------------

_CONVOLUTIONS = {1: ag.nn.conv1d, 2: ag.nn.conv2d, 3: ag.nn.conv3d}
_TRANSPOSES = {1: ag.nn.conv1d_transpose, 2: ag.nn.conv2d_transpose, 3: ag.nn.conv3d_transpose}


def _operands(inputs: Any, kernel: Any) -> tuple[Any, Any]:
    inputs, kernel = convert_to_tensor(inputs), convert_to_tensor(kernel)
    dtype = common_dtype(inputs, kernel)
    return convert_to_tensor(inputs, dtype), convert_to_tensor(kernel, dtype)


def conv(
    inputs: Any, kernel: Any, strides: Any = 1, padding: Any = "valid",
    data_format: str | None = None, dilation_rate: Any = 1,
) -> Any:  # fmt: skip
    data_format = standardize_data_format(data_format)
    inputs, kernel = _operands(inputs, kernel)
    channels = inputs.shape[-1 if data_format == "channels_last" else 1]
    groups = channels // kernel.shape[-2]
    if groups * kernel.shape[-2] != channels:
        raise ValueError(
            "The number of input channels must be evenly divisible by kernel's in_channels. "
            f"Received input channels {channels} and kernel in_channels {kernel.shape[-2]}."
        )
    op = _CONVOLUTIONS[inputs.ndim - 2]
    return op(inputs, kernel, strides, padding, dilation_rate, groups, data_format)


def depthwise_conv(
    inputs: Any, kernel: Any, strides: Any = 1, padding: Any = "valid",
    data_format: str | None = None, dilation_rate: Any = 1,
) -> Any:  # fmt: skip
    kernel = convert_to_tensor(kernel)
    *sizes, channels, multiplier = kernel.shape
    merged = ag.reshape(kernel, (*sizes, 1, channels * multiplier))
    check_conv_input_channels(inputs, kernel, standardize_data_format(data_format))
    return conv(inputs, merged, strides, padding, data_format, dilation_rate)


def separable_conv(
    inputs: Any, depthwise_kernel: Any, pointwise_kernel: Any, strides: Any = 1,
    padding: Any = "valid", data_format: str | None = None, dilation_rate: Any = 1,
) -> Any:  # fmt: skip
    by_channel = depthwise_conv(
        inputs, depthwise_kernel, strides, padding, data_format, dilation_rate
    )
    return conv(by_channel, pointwise_kernel, data_format=data_format)


def conv_transpose(
    inputs: Any, kernel: Any, strides: Any = 1, padding: str = "valid", output_padding: Any = None,
    data_format: str | None = None, dilation_rate: Any = 1,
) -> Any:  # fmt: skip
    data_format = standardize_data_format(data_format)
    inputs, kernel = _operands(inputs, kernel)
    check_conv_transpose_input_channels(inputs, kernel, data_format)
    axes = inputs.ndim - 2
    strides, dilations = _per_axis(strides, axes), _per_axis(dilation_rate, axes)
    padded = compute_conv_transpose_padding_args_for_jax(
        input_shape=inputs.shape, kernel_shape=kernel.shape, strides=strides, padding=padding,
        output_padding=output_padding, dilation_rate=dilations,
    )  # fmt: skip
    first = 1 if data_format == "channels_last" else 2
    sides, sizes, rest = [], [], []
    for k, (before, after) in enumerate(padded):
        reach = (kernel.shape[k] - 1) * dilations[k]
        excess = max(after - reach, 0)  # behind what any element spreads to
        sides.append((reach - before, reach - (after - excess)))
        sizes.append(
            (inputs.shape[first + k] - 1) * strides[k] + 1 + before + after - reach - excess
        )
        rest.append((0, excess))
    op = _TRANSPOSES[axes]
    made = op(inputs, kernel, strides, sides, sizes, dilations, 1, data_format)
    if not any(after for _, after in rest):
        return made
    widths = [(0, 0)] * made.ndim
    widths[first : first + axes] = rest
    return ag.pad(made, widths)


def _per_axis(n: Any, axes: int) -> tuple[int, ...]:
    return (n,) * axes if isinstance(n, int) else tuple(n)


# ---- pooling ---------------------------------------------------------------------------------

_MAX_POOLS = {1: ag.nn.max_pool1d, 2: ag.nn.max_pool2d, 3: ag.nn.max_pool3d}
_AVERAGE_POOLS = {1: ag.nn.avg_pool1d, 2: ag.nn.avg_pool2d, 3: ag.nn.avg_pool3d}


def _pool(ops: dict[int, Callable[..., Any]]) -> Callable[..., Any]:
    def apply(
        inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid",
        data_format: str | None = None,
    ) -> Any:  # fmt: skip
        inputs = convert_to_tensor(inputs)
        op = ops[inputs.ndim - 2]
        return op(inputs, pool_size, strides, padding, standardize_data_format(data_format))

    return apply


max_pool = _pool(_MAX_POOLS)
average_pool = _pool(_AVERAGE_POOLS)


def _adaptive(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """Pooling to a size: window i of n reaches from i/n to (i + 1)/n, rounded outward."""

    def apply(inputs: Any, output_size: Any, data_format: str | None = None) -> Any:
        x = convert_to_tensor(inputs)
        first = 1 if standardize_data_format(data_format) == "channels_last" else 2
        for k, size in enumerate(_per_axis(output_size, x.ndim - 2)):
            axis, n = first + k, x.shape[first + k]
            before = (slice(None),) * axis
            windows = [(i * n // size, -(-(i + 1) * n // size)) for i in range(size)]
            x = ag.stack(
                [reduce(x[(*before, slice(a, b))], axis=axis) for a, b in windows], axis=axis
            )
        return x

    return apply


adaptive_average_pool = _adaptive(ag.mean)
adaptive_max_pool = _adaptive(ag.max)


def unfold(
    input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    x = convert_to_tensor(input)
    sizes, dilations, sides, strides = (
        _per_axis(n, 2) for n in (kernel_size, dilation, padding, stride)
    )
    x = ag.pad(x, [(0, 0), (0, 0), *((n, n) for n in sides)])
    rows, columns = (
        _positions(n, size, step, hole)
        for n, size, step, hole in zip(x.shape[2:], sizes, strides, dilations, strict=True)
    )
    # (batch, channels, row in kernel, row, column in kernel, column)
    found = ag.take(ag.take(x, rows, axis=2), columns, axis=4)
    found = ag.transpose(found, (0, 1, 2, 4, 3, 5))
    batch, channels = x.shape[:2]
    return ag.reshape(found, (batch, channels * math.prod(sizes), rows.shape[1] * columns.shape[1]))


def _positions(n: int, size: int, stride: int, dilation: int) -> Any:
    """Where the elements of the windows along an axis lie: `(place in window, window)`."""
    count = (n - (size - 1) * dilation - 1) // stride + 1
    return np.arange(size)[:, None] * dilation + np.arange(count) * stride


def fold(
    x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    x = convert_to_tensor(x)
    outs, sizes, dilations, sides, strides = (
        _per_axis(n, 2) for n in (output_size, kernel_size, dilation, padding, stride)
    )
    whole = [n + 2 * side for n, side in zip(outs, sides, strict=True)]
    rows, columns = (
        _positions(n, size, step, hole)
        for n, size, step, hole in zip(whole, sizes, strides, dilations, strict=True)
    )
    batch, channels = x.shape[0], x.shape[1] // math.prod(sizes)
    parts = ag.reshape(x, (batch, channels, *sizes, rows.shape[1], columns.shape[1]))
    key = (..., rows[:, None, :, None], columns[None, :, None, :])
    made = ag.index_add(ag.zeros((batch, channels, *whole), dtype=x.dtype), parts, key)
    return made[..., sides[0] : whole[0] - sides[0], sides[1] : whole[1] - sides[1]]


def depth_to_space(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    x, b = convert_to_tensor(x), block_size
    if data_format != "channels_last":
        n, c, h, w = x.shape
        x = ag.reshape(x, (n, c // (b * b), b, b, h, w))
        return ag.reshape(ag.transpose(x, (0, 1, 4, 2, 5, 3)), (n, c // (b * b), h * b, w * b))
    n, h, w, c = x.shape
    x = ag.reshape(x, (n, h, w, b, b, c // (b * b)))
    return ag.reshape(ag.transpose(x, (0, 1, 3, 2, 4, 5)), (n, h * b, w * b, c // (b * b)))


def space_to_depth(x: Any, block_size: int, data_format: str = "channels_last") -> Any:
    x, b = convert_to_tensor(x), block_size
    if data_format != "channels_last":
        n, c, h, w = x.shape
        x = ag.reshape(x, (n, c, h // b, b, w // b, b))
        return ag.reshape(ag.transpose(x, (0, 1, 3, 5, 2, 4)), (n, c * b * b, h // b, w // b))
    n, h, w, c = x.shape
    x = ag.reshape(x, (n, h // b, b, w // b, b, c))
    return ag.reshape(ag.transpose(x, (0, 1, 3, 2, 4, 5)), (n, h // b, w // b, c * b * b))


# ---- classes ---------------------------------------------------------------------------------


def one_hot(
    x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Any:
    if sparse:
        raise ValueError("`sparse=True` is not supported: tensors are dense")
    x = convert_to_tensor(x)
    if x.dtype.kind not in "iu":
        x = ag.astype(x, "int32")
    return ag.nn.one_hot(x, num_classes, axis=axis, dtype=standardize_dtype(dtype or "float32"))


def multi_hot(
    x: Any, num_classes: int, axis: int = -1, dtype: Any = None, sparse: bool = False
) -> Any:
    x = convert_to_tensor(x)
    marks = one_hot(x, num_classes, axis=axis, dtype=dtype, sparse=sparse)
    return ag.max(marks, axis=1 if len(x.shape) > 1 else 0)


def _of_shape(x: Any, other: Any, what: str, but_last: bool = False) -> Any:
    """`x`, which has the shape of the other one, or all of it but the last size.

    Raises ValueError, when the graph runs for sizes that are not known before.
    """
    mine, wanted = x.type.shape, other.type.shape[: -1 if but_last else None]
    differs = len(mine) != len(wanted) or any(
        None not in (n, m) and n != m for n, m in zip(mine, wanted, strict=True)
    )
    if differs:
        raise ValueError(what)
    for n, m in zip(x.shape, other.shape, strict=False):
        x = of_size(x, n, m, f"{what} ({{0}} and {{1}})")
    return x


def _like_output(target: Any, output: Any) -> Any:
    what = (
        "Arguments `target` and `output` must have the same shape. Received: "
        f"target.shape={target.type.shape}, output.shape={output.type.shape}"
    )
    return _of_shape(target, output, what)


def _inside(probability: Any) -> Any:
    """Probabilities that have a logarithm, as their complements have."""
    low, high = like(probability, epsilon()), like(probability, 1 - epsilon())
    return clipped(probability, low, high)


def _log_probabilities(output: Any, from_logits: bool, axis: int) -> Any:
    if from_logits:
        return ag.nn.log_softmax(output, axis)
    output = output / ag.sum(output, axis=axis, keepdims=True)
    return ag.log(_inside(output))


def categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    target, output = convert_to_tensor(target), floating(output)
    target = _like_output(target, output)
    if len(target.shape) < 1:
        raise ValueError(
            "Arguments `target` and `output` must be at least rank 1. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    target = ag.astype(target, output.dtype)
    return -ag.sum(target * _log_probabilities(output, from_logits, axis), axis=axis)


def sparse_categorical_crossentropy(
    target: Any, output: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    target, output = convert_to_tensor(target, "int32"), floating(output)
    if target.rank == output.rank and target.type.shape[-1] == 1:
        target = ag.squeeze(target, axis=-1)
    if len(output.shape) < 1:
        raise ValueError(
            f"Argument `output` must be at least rank 1. Received: output.shape={output.shape}"
        )
    what = (
        "Arguments `target` and `output` must have the same shape up until the last "
        f"dimension: target.shape={target.type.shape}, output.shape={output.type.shape}"
    )
    target = _of_shape(target, output, what, but_last=True)
    logs = _log_probabilities(output, from_logits, axis)
    marks = one_hot(target, logs.shape[axis], axis=axis, dtype=logs.dtype)
    return -ag.sum(marks * logs, axis=axis)


def binary_crossentropy(target: Any, output: Any, from_logits: bool = False) -> Any:
    target, output = convert_to_tensor(target), floating(output)
    target = _like_output(target, output)
    target = ag.astype(target, output.dtype)
    if from_logits:
        return ag.nn.sigmoid_cross_entropy_with_logits(target, output)
    output = _inside(output)
    return -(target * ag.log(output) + (1 - target) * ag.log(1 - output))


def ctc_loss(
    target: Any, output: Any, target_length: Any, output_length: Any, mask_index: int = 0
) -> Any:
    labels, lengths, steps = (
        convert_to_tensor(x, "int32") for x in (target, target_length, output_length)
    )
    output = floating(output)
    exact = ag.astype(output, common_dtype(output, "float32"))
    return ag.nn.ctc_loss(labels, exact, lengths, steps, mask_index)


def ctc_decode(
    inputs: Any, sequence_lengths: Any, strategy: str = "greedy", beam_width: int = 100,
    top_paths: int = 1, merge_repeated: bool = True, mask_index: int | None = 0,
) -> Any:  # fmt: skip
    if strategy not in ("greedy", "beam_search"):
        raise ValueError(
            f"Invalid strategy {strategy}. Supported values are 'greedy' and 'beam_search'."
        )
    inputs, lengths = floating(inputs), convert_to_tensor(sequence_lengths, "int32")
    exact = ag.astype(inputs, common_dtype(inputs, "float32"))
    blank = inputs.shape[-1] - 1 if mask_index is None else mask_index
    width, paths = (None, 1) if strategy == "greedy" else (beam_width, top_paths)
    labels, scores = ag.nn.ctc_decode(exact, lengths, width, paths, merge_repeated, blank)
    if strategy == "greedy":  # minus the sum of the largest inputs, as Keras has it
        is_there = ag.arange(inputs.shape[1]) < lengths[:, None]
        largest = ag.where(is_there, ag.max(exact, axis=-1), like(exact, 0))
        scores = -ag.sum(largest, axis=1, keepdims=True)
    return ag.astype(labels, "int32"), scores


# ---- normalization and attention -------------------------------------------------------------


def moments(x: Any, axes: Any, keepdims: bool = False, synchronized: bool = False) -> Any:
    if synchronized:
        raise NotImplementedError("Argument synchronized=True is not supported: one process trains")
    axes = tuple(axes) if isinstance(axes, list) else axes
    mean, variance = ag.nn.moments(floating(x), axes, keepdims)
    if mean.dtype == "float16":
        limits = np.finfo("float16")
        mean, variance = (clipped(y, limits.min, limits.max) for y in (mean, variance))
    return mean, variance


def batch_normalization(
    x: Any, mean: Any, variance: Any, axis: int, offset: Any = None, scale: Any = None,
    epsilon: float = 1e-3,
) -> Any:  # fmt: skip
    x = convert_to_tensor(x)
    shape = [1] * len(x.shape)
    shape[axis] = mean.shape[0]
    mean, variance, offset, scale = (
        None if y is None else ag.reshape(convert_to_tensor(y, x.dtype), shape)
        for y in (mean, variance, offset, scale)
    )
    return ag.nn.batch_normalization(x, mean, variance, offset, scale, epsilon)


def psnr(x1: Any, x2: Any, max_val: float) -> Any:
    x1, x2 = floating(x1), floating(x2)
    x1 = _of_shape(
        x1, x2, f"Input shapes {x1.type.shape} and {x2.type.shape} must match for PSNR calculation."
    )
    limit = convert_to_tensor(max_val, x2.dtype)
    return 20 * ag.log10(limit) - 10 * ag.log10(ag.mean(ag.square(x1 - x2)))


def dot_product_attention(
    query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, scale: Any = None,
    is_causal: bool = False, flash_attention: bool | None = None, attn_logits_soft_cap: Any = None,
) -> Any:  # fmt: skip
    if flash_attention:
        raise ValueError("Flash attention is not supported in the autograph backend.")
    query, key, value = map(convert_to_tensor, (query, key, value))
    if len(query.shape) != 4:
        raise ValueError(
            "`dot_product_attention` only supports 4D inputs. Received: "
            f"query.shape={query.shape}, key.shape={key.shape}, value.shape={value.shape}."
        )
    dtype = backend.result_type(query.dtype, key.dtype, value.dtype)
    query, key, value = (convert_to_tensor(x, dtype) for x in (query, key, value))
    heads, shared = query.shape[2], key.shape[2]
    if shared != heads:  # several heads of queries for one of keys
        key, value = (ag.repeat(x, heads // shared, axis=2) for x in (key, value))
    scale = 1 / math.sqrt(key.shape[-1]) if scale is None else scale
    logits = ag.einsum("bthd,bshd->bhts", query, key)
    logits = logits * convert_to_tensor(scale, logits.dtype)
    logits = ag.astype(logits, common_dtype(logits, "float32"))
    if bias is not None:
        logits = logits + convert_to_tensor(bias, logits.dtype)
    if attn_logits_soft_cap is not None:
        logits = ag.tanh(logits / attn_logits_soft_cap) * attn_logits_soft_cap
    allowed = None if mask is None else convert_to_tensor(mask, "bool")
    if is_causal:
        below = ag.tril(ag.ones(logits.shape[2:], dtype=bool))
        allowed = below if allowed is None else allowed & below
    if allowed is not None:
        logits = ag.where(allowed, logits, -0.7 * float(np.finfo(logits.dtype).max))
    weights = ag.astype(ag.nn.softmax(logits, -1), dtype)
    return ag.einsum("bhts,bshd->bthd", weights, value)
