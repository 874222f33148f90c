"""The operations of ONNX as functions of ours: the table of `import_onnx`, one declaration each.

A function takes the inputs, None for one that is left out, and attributes by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import helper, numpy_helper

import autograph as ag
from runtime.ops.declaration.operands import dtype_of, rank_of, shape_of

__all__ = ["OPERATIONS", "Unknown", "known"]

OPERATIONS: dict[str, Callable[..., Any]] = {}


class Unknown(NotImplementedError):
    """An operation, or a form of one, that is not in the table."""


def operation(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the function of the operations of these names."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        OPERATIONS.update(dict.fromkeys(names, function))
        return function

    return declare


def known(x: Any, what: str) -> np.ndarray[Any, Any]:
    """The value of an input that is to be known before the run."""
    if isinstance(x, ag.Tensor):
        try:
            return np.asarray(x.numpy())
        except ag.StagingError:
            raise Unknown(f"{what} that only the run tells") from None
    return np.asarray(x)


def _ints(x: Any, what: str) -> list[int]:
    return [int(n) for n in known(x, what).reshape(-1)]


# ---- element by element ------------------------------------------------------------------------

_DIRECT: dict[str, Callable[..., Any]] = {
    "Abs": ag.abs, "Acos": ag.acos, "Acosh": ag.acosh, "Add": ag.add, "Asin": ag.asin,
    "Asinh": ag.asinh, "Atan": ag.atan, "Atanh": ag.atanh, "Ceil": ag.ceil, "Cos": ag.cos,
    "Cosh": ag.cosh, "Erf": ag.erf, "Exp": ag.exp, "Floor": ag.floor, "Log": ag.log,
    "MatMul": ag.matmul, "Mul": ag.multiply, "Neg": ag.negative, "Not": ag.logical_not,
    "Reciprocal": lambda x: 1 / x, "Round": ag.rint, "Sign": ag.sign, "Sin": ag.sin,
    "Sinh": ag.sinh, "Sqrt": ag.sqrt, "Sub": ag.subtract, "Tan": ag.tan, "Tanh": ag.tanh,
    "And": ag.logical_and, "Or": ag.logical_or, "Xor": ag.logical_xor, "Equal": ag.equal,
    "Less": ag.less, "LessOrEqual": ag.less_equal, "Greater": ag.greater,
    "GreaterOrEqual": ag.greater_equal, "IsNaN": ag.isnan, "BitwiseAnd": ag.bitwise_and,
    "BitwiseOr": ag.bitwise_or, "BitwiseXor": ag.bitwise_xor, "BitwiseNot": ag.bitwise_invert,
    "Where": ag.where, "Det": ag.linalg.det, "Relu": ag.nn.relu,
}  # fmt: skip
OPERATIONS.update(_DIRECT)


@operation("Identity")
def _identity(x: Any) -> Any:
    return x


@operation("Div")
def _div(x: Any, y: Any) -> Any:
    """Integers are divided towards zero."""
    if dtype_of(x).kind not in "iu":
        return ag.divide(x, y)
    quotient = ag.floor_divide(ag.abs(x), ag.abs(y))
    return quotient if dtype_of(x).kind == "u" else quotient * ag.sign(x) * ag.sign(y)


@operation("Mod")
def _mod(x: Any, y: Any, fmod: int = 0) -> Any:
    return ag.fmod(x, y) if fmod else ag.remainder(x, y)


@operation("Pow")
def _pow(x: Any, y: Any) -> Any:
    return ag.astype(ag.pow(x, y), dtype_of(x))


@operation("Max", "Min", "Sum", "Mean")
def _several(*xs: Any, kind: str) -> Any:
    function = {"Max": ag.maximum, "Min": ag.minimum}.get(kind, ag.add)
    found = xs[0]
    for x in xs[1:]:
        found = function(found, x)
    return found / len(xs) if kind == "Mean" else found


@operation("Clip")
def _clip(x: Any, least: Any = None, most: Any = None) -> Any:
    x = x if least is None else ag.maximum(x, least)
    return x if most is None else ag.minimum(x, most)


@operation("IsInf")
def _isinf(x: Any, detect_negative: int = 1, detect_positive: int = 1) -> Any:
    found = ag.isinf(x)
    found = found if detect_negative else ag.logical_and(found, x > 0)
    return found if detect_positive else ag.logical_and(found, x < 0)


@operation("BitShift")
def _shift(x: Any, y: Any, direction: str) -> Any:
    return ag.bitwise_left_shift(x, y) if direction == "LEFT" else ag.bitwise_right_shift(x, y)


@operation("Cast")
def _cast(x: Any, to: int, **how: Any) -> Any:
    return ag.astype(x, _dtype(to))


@operation("CastLike")
def _cast_like(x: Any, like: Any, **how: Any) -> Any:
    return ag.astype(x, dtype_of(like))


def _dtype(number: int) -> np.dtype[Any]:
    found = helper.tensor_dtype_to_np_dtype(number)
    if found.kind not in "biufc":
        raise Unknown(f"elements of {found}")
    return found


# ---- activations -------------------------------------------------------------------------------


def _kept(formula: Callable[..., Any]) -> Callable[..., Any]:
    """A formula in the dtype of its first operand."""
    return lambda x, *others, **how: ag.astype(formula(x, *others, **how), dtype_of(x))


def _gelu(x: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
        return 0.5 * x * (1 + ag.tanh(inner))
    return 0.5 * x * (1 + ag.erf(x / math.sqrt(2)))


def _hard_sigmoid(x: Any, alpha: float = 0.2, beta: float = 0.5) -> Any:
    return ag.minimum(ag.maximum(alpha * x + beta, 0), 1)


def _selu(x: Any, alpha: float = 1.67326319217681884765625, gamma: float = 1.0507010221481) -> Any:
    return gamma * ag.where(x < 0, alpha * ag.expm1(x), x)


def _shrink(x: Any, bias: float = 0.0, lambd: float = 0.5) -> Any:
    return ag.where(x < -lambd, x + bias, ag.where(x > lambd, x - bias, 0))


_ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "Sigmoid": ag.nn.sigmoid, "Softplus": ag.nn.softplus,
    "Softsign": lambda x: x / (1 + ag.abs(x)),
    "LeakyRelu": lambda x, alpha=0.01: ag.where(x < 0, alpha * x, x),
    "ThresholdedRelu": lambda x, alpha=1.0: ag.where(x > alpha, x, 0),
    "PRelu": lambda x, slope: ag.where(x < 0, slope * x, x),
    "Elu": lambda x, alpha=1.0: ag.where(x < 0, alpha * ag.expm1(x), x),
    "Celu": lambda x, alpha=1.0: ag.where(x < 0, alpha * ag.expm1(x / alpha), x),
    "Selu": _selu, "HardSigmoid": _hard_sigmoid,
    "HardSwish": lambda x: x * _kept(_hard_sigmoid)(x, 1 / 6, 0.5),
    "Mish": lambda x: x * ag.tanh(ag.nn.softplus(x)),
    "Gelu": _gelu,
    "Swish": lambda x, alpha=1.0: x * ag.nn.sigmoid(ag.astype(alpha * x, dtype_of(x))),
    "Shrink": _shrink,
    "Softmax": lambda x, axis=-1: ag.nn.softmax(x, axis=axis),
    "LogSoftmax": lambda x, axis=-1: ag.nn.log_softmax(x, axis=axis),
}  # fmt: skip
OPERATIONS.update((name, _kept(formula)) for name, formula in _ACTIVATIONS.items())


@operation("Hardmax")
def _hardmax(x: Any, axis: int = -1) -> Any:
    places = ag.expand_dims(ag.argmax(x, axis=axis), axis)
    shape = [1] * rank_of(x)
    shape[axis] = -1
    span = ag.reshape(ag.arange(shape_of(x)[axis]), shape)
    return ag.astype(ag.equal(places, span), dtype_of(x))


# ---- reductions --------------------------------------------------------------------------------


def _axes(axes: Any) -> tuple[int, ...] | None:
    return None if axes is None else tuple(_ints(axes, "the axes of a reduction"))


_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceSum": ag.sum, "ReduceMean": ag.mean, "ReduceProd": ag.prod,
    "ReduceMax": ag.max, "ReduceMin": ag.min,
    "ReduceL1": lambda x, **how: ag.sum(ag.abs(x), **how),
    "ReduceL2": lambda x, **how: ag.sqrt(ag.sum(x * x, **how)),
    "ReduceSumSquare": lambda x, **how: ag.sum(x * x, **how),
    "ReduceLogSum": lambda x, **how: ag.log(ag.sum(x, **how)),
    "ReduceLogSumExp": lambda x, **how: ag.log(ag.sum(ag.exp(x), **how)),
}  # fmt: skip


@operation(*_REDUCTIONS)
def _reduced(
    x: Any, axes: Any = None, keepdims: int = 1, noop_with_empty_axes: int = 0, *, kind: str
) -> Any:
    found = _axes(axes)
    if not found:
        found = () if noop_with_empty_axes else None
    function, how = _REDUCTIONS[kind], {"axis": found, "keepdims": bool(keepdims)}
    if kind in ("ReduceMax", "ReduceMin") and 0 in shape_of(x):
        how["initial"] = _extreme(dtype_of(x), least=kind == "ReduceMax")
    return ag.astype(function(x, **how), dtype_of(x))


def _extreme(dtype: np.dtype[Any], least: bool) -> Any:
    """The largest or least element of none."""
    if dtype.kind == "f":
        return dtype.type(-np.inf if least else np.inf)
    if dtype.kind == "b":
        return np.bool_(not least)
    return np.iinfo(dtype).min if least else np.iinfo(dtype).max


@operation("ArgMax", "ArgMin")
def _arg(x: Any, axis: int = 0, keepdims: int = 1, select_last_index: int = 0, *, kind: str) -> Any:
    function = ag.argmax if kind == "ArgMax" else ag.argmin
    if not select_last_index:
        return function(x, axis=axis, keepdims=bool(keepdims))
    return (
        shape_of(x)[axis] - 1 - function(ag.flip(x, axis=axis), axis=axis, keepdims=bool(keepdims))
    )


@operation("CumSum", "CumProd")
def _cumulated(x: Any, axis: Any, exclusive: int = 0, reverse: int = 0, *, kind: str) -> Any:
    (at,) = _ints(axis, "an axis")
    x = ag.flip(x, axis=at) if reverse else x
    is_sum = kind == "CumSum"
    found = ag.cumsum(x, axis=at) if is_sum else ag.cumprod(x, axis=at)
    if exclusive:
        first = (slice(None),) * (at % rank_of(x))
        start = ag.zeros_like(x)[(*first, slice(0, 1))] + (0 if is_sum else 1)
        found = ag.concat([start, found[(*first, slice(0, -1))]], axis=at)
    return ag.astype(ag.flip(found, axis=at) if reverse else found, dtype_of(x))


def _reversed(x: Any) -> Any:
    """In the other order."""
    return ag.negative(x) if dtype_of(x).kind == "f" else ag.bitwise_invert(x)


@operation("TopK")
def _top_k(x: Any, k: Any, axis: int = -1, largest: int = 1, sorted: int = 1) -> tuple[Any, ...]:
    (count,) = _ints(k, "the number of elements")
    order = ag.argsort(_reversed(x) if largest else x, axis=axis, stable=True)
    part = [slice(None)] * rank_of(x)
    part[axis] = slice(0, count)
    places = order[tuple(part)]
    return ag.take_along_axis(x, places, axis), places


# ---- shapes ------------------------------------------------------------------------------------


@operation("Shape")
def _shape(x: Any, start: int = 0, end: int | None = None) -> Any:
    sizes = shape_of(x)[start:end]
    if all(isinstance(n, int) for n in sizes):
        return np.array(sizes, np.int64)
    return ag.stack([ag.astype(n, np.int64) for n in sizes])


@operation("Size")
def _size(x: Any) -> Any:
    return ag.astype(math.prod(shape_of(x)), np.int64)


@operation("Reshape")
def _reshape(x: Any, shape: Any, allowzero: int = 0) -> Any:
    sizes: list[Any] = list(_sizes(shape))
    if not allowzero:
        own = shape_of(x)
        sizes = [own[k] if type(n) is int and n == 0 else n for k, n in enumerate(sizes)]
    return ag.reshape(x, tuple(sizes))


def _sizes(shape: Any) -> Sequence[Any]:
    """Sizes: numbers where they are known, parts of a tensor where only the run tells."""
    try:
        return _ints(shape, "a shape")
    except Unknown:
        return [shape[k] for k in range(shape_of(shape)[0])]


@operation("Expand")
def _expand(x: Any, shape: Any) -> Any:
    sizes = _ints(shape, "a shape")
    return ag.broadcast_to(x, np.broadcast_shapes(tuple(shape_of(x)), tuple(sizes)))


@operation("Flatten")
def _flatten(x: Any, axis: int = 1) -> Any:
    sizes = shape_of(x)
    axis = axis + len(sizes) if axis < 0 else axis
    return ag.reshape(x, (math.prod(sizes[:axis]), math.prod(sizes[axis:])))


@operation("Transpose")
def _transpose(x: Any, perm: Sequence[int] | None = None) -> Any:
    return ag.permute_dims(x, tuple(perm) if perm is not None else tuple(range(rank_of(x)))[::-1])


@operation("Squeeze")
def _squeeze(x: Any, axes: Any = None) -> Any:
    found = _axes(axes)
    if found is None:
        found = tuple(k for k, n in enumerate(shape_of(x)) if isinstance(n, int) and n == 1)
    return ag.squeeze(x, axis=found)


@operation("Unsqueeze")
def _unsqueeze(x: Any, axes: Any) -> Any:
    places = _ints(axes, "axes")
    rank = rank_of(x) + len(places)
    for place in sorted(p % rank for p in places):
        x = ag.expand_dims(x, axis=place)
    return x


@operation("Concat")
def _concat(*xs: Any, axis: int) -> Any:
    return ag.concat(list(xs), axis=axis)


@operation("Split")
def _split(
    x: Any, split: Any = None, axis: int = 0, num_outputs: int | None = None, *, outputs: int
) -> tuple[Any, ...]:
    size = shape_of(x)[axis]
    if split is None:
        each = -(-size // (num_outputs or outputs))
        sizes = [min(each, size - k) for k in range(0, size, each)]
    else:
        sizes = _ints(split, "the sizes of parts")
    part, found, at = [slice(None)] * rank_of(x), [], 0
    for n in sizes:
        part[axis] = slice(at, at + n)
        found.append(x[tuple(part)])
        at += n
    return tuple(found)


@operation("Slice")
def _slice(x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    first, last = _ints(starts, "where a slice begins"), _ints(ends, "where a slice ends")
    places = range(len(first)) if axes is None else _ints(axes, "axes")
    by = [1] * len(first) if steps is None else _ints(steps, "steps")
    part = [slice(None)] * rank_of(x)
    for axis, a, b, step in zip(places, first, last, by, strict=True):
        size = shape_of(x)[axis]
        # What lies before all elements is counted from the end in Python.
        end: int | None = b
        if step < 0 and isinstance(size, int) and b < -size:
            end = None
        part[axis] = slice(a, end, step)
    return x[tuple(part)]


@operation("Gather")
def _gather(x: Any, places: Any, axis: int = 0) -> Any:
    part = [slice(None)] * rank_of(x)
    part[axis] = places
    return x[tuple(part)]


@operation("GatherElements")
def _gather_elements(x: Any, places: Any, axis: int = 0) -> Any:
    return x[_along(x, places, axis)]


def _along(x: Any, places: Any, axis: int) -> tuple[Any, ...]:
    """The subscript of the elements at places along an axis, at the same places of the others."""
    grids = list(np.indices(tuple(shape_of(places)), sparse=True))
    grids[axis] = places
    return tuple(grids)


@operation("GatherND")
def _gather_nd(x: Any, places: Any, batch_dims: int = 0) -> Any:
    depth = shape_of(places)[-1]
    shape = tuple(shape_of(places)[:-1])
    batch = [
        np.arange(n).reshape(-1, *[1] * (len(shape) - k - 1))
        for k, n in enumerate(shape[:batch_dims])
    ]
    return x[(*batch, *(places[..., k] for k in range(depth)))]


def _written(x: Any, key: Any, values: Any, reduction: str) -> Any:
    if reduction == "none":
        return ag.index_update(x, values, key)
    if reduction == "add":
        return ag.index_add(x, values, key)
    raise Unknown(f"a scatter with reduction {reduction!r}")


@operation("ScatterElements")
def _scatter_elements(
    x: Any, places: Any, values: Any, axis: int = 0, reduction: str = "none"
) -> Any:
    return _written(x, _along(x, places, axis), values, reduction)


@operation("ScatterND")
def _scatter_nd(x: Any, places: Any, values: Any, reduction: str = "none") -> Any:
    depth = shape_of(places)[-1]
    return _written(x, tuple(places[..., k] for k in range(depth)), values, reduction)


@operation("Tile")
def _tile(x: Any, repeats: Any) -> Any:
    return ag.tile(x, tuple(_ints(repeats, "numbers of repetitions")))


@operation("Pad")
def _pad(x: Any, pads: Any, value: Any = None, axes: Any = None, mode: str = "constant") -> Any:
    sides = _ints(pads, "how much to pad")
    rank = rank_of(x)
    places = range(rank) if axes is None else _ints(axes, "axes")
    width = [(0, 0)] * rank
    for k, axis in enumerate(places):
        width[axis] = (sides[k], sides[k + len(sides) // 2])
    if min(sides) < 0:
        raise Unknown("padding that takes away")
    if mode == "constant":
        return ag.pad(x, width, mode="constant", constant_values=0 if value is None else value)
    return ag.pad(x, width, mode=mode)


@operation("Range")
def _range(start: Any, stop: Any, step: Any) -> Any:
    return ag.arange(*(known(n, "a range").reshape(())[()] for n in (start, stop, step)))


@operation("ConstantOfShape")
def _constant_of_shape(shape: Any, value: Any = None) -> Any:
    number = np.zeros(1, np.float32) if value is None else numpy_helper.to_array(value)
    return ag.full(tuple(_sizes(shape)), number[0])


@operation("Constant")
def _constant(**given: Any) -> Any:
    ((name, value),) = given.items()
    if name == "value":
        return numpy_helper.to_array(value)
    if name in ("value_string", "value_strings", "sparse_value"):
        raise Unknown("a constant that is text, or sparse")
    return np.array(value, np.float32 if "float" in name else np.int64)


@operation("NonZero")
def _nonzero(x: Any) -> Any:
    return ag.stack(list(ag.nonzero(x)))


@operation("Trilu")
def _trilu(x: Any, k: Any = None, upper: int = 1) -> Any:
    (offset,) = (0,) if k is None else _ints(k, "a diagonal")
    return ag.triu(x, offset) if upper else ag.tril(x, offset)


@operation("OneHot")
def _one_hot(places: Any, depth: Any, values: Any, axis: int = -1) -> Any:
    (size,) = _ints(depth, "a depth")
    rank = rank_of(places) + 1
    shape = [1] * rank
    shape[axis] = size
    span = np.arange(size).reshape(shape)
    at = ag.expand_dims(ag.remainder(places, size), axis % rank)
    return ag.where(ag.equal(at, span), values[1], values[0])


@operation("EyeLike")
def _eye_like(x: Any, dtype: int | None = None, k: int = 0) -> Any:
    rows, columns = shape_of(x)
    return ag.eye(rows, columns, k, dtype=dtype_of(x) if dtype is None else _dtype(dtype))


@operation("Compress")
def _compress(x: Any, condition: Any, axis: int | None = None) -> Any:
    return ag.compress(condition, x, axis=axis)


@operation("Einsum")
def _einsum(*xs: Any, equation: str) -> Any:
    return ag.einsum(equation, *xs)


@operation("DepthToSpace", "SpaceToDepth")
def _depth(x: Any, blocksize: int, mode: str = "DCR", *, kind: str) -> Any:
    batch, channels, height, width = shape_of(x)
    b = blocksize
    if kind == "SpaceToDepth":
        parts = ag.reshape(x, (batch, channels, height // b, b, width // b, b))
        order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
        turned = ag.permute_dims(parts, order)
        return ag.reshape(turned, (batch, channels * b * b, height // b, width // b))
    if mode == "DCR":
        parts = ag.reshape(x, (batch, b, b, channels // (b * b), height, width))
        turned = ag.permute_dims(parts, (0, 3, 4, 1, 5, 2))
    else:
        parts = ag.reshape(x, (batch, channels // (b * b), b, b, height, width))
        turned = ag.permute_dims(parts, (0, 1, 4, 2, 5, 3))
    return ag.reshape(turned, (batch, channels // (b * b), height * b, width * b))


# ---- layers ------------------------------------------------------------------------------------


@operation("Gemm")
def _gemm(
    x: Any, y: Any, c: Any = None, alpha: float = 1.0, beta: float = 1.0,
    transA: int = 0, transB: int = 0,
) -> Any:  # fmt: skip
    x = ag.matrix_transpose(x) if transA else x
    y = ag.matrix_transpose(y) if transB else y
    found = ag.astype(alpha * ag.matmul(x, y), dtype_of(x))
    return found if c is None else found + ag.astype(beta * c, dtype_of(x))


def _by_axes(functions: Sequence[Any]) -> Callable[[int], Any]:
    """The function for a number of axes."""

    def function_for(axes: int) -> Any:
        if not 1 <= axes <= len(functions):
            raise Unknown(f"windows over {axes} axes")
        return functions[axes - 1]

    return function_for


_BY_AXES = {
    "conv": _by_axes([ag.nn.conv1d, ag.nn.conv2d, ag.nn.conv3d]),
    "max_pool": _by_axes([ag.nn.max_pool1d, ag.nn.max_pool2d, ag.nn.max_pool3d]),
    "avg_pool": _by_axes([ag.nn.avg_pool1d, ag.nn.avg_pool2d, ag.nn.avg_pool3d]),
}


def _channels_last(x: Any) -> Any:
    rank = rank_of(x)
    return ag.permute_dims(x, (0, *range(2, rank), 1))


def _channels_first(x: Any) -> Any:
    rank = rank_of(x)
    return ag.permute_dims(x, (0, rank - 1, *range(1, rank - 1)))


def _padding(pads: Any, auto_pad: str, axes: int) -> Any:
    if auto_pad == "SAME_UPPER":
        return "same"
    if auto_pad not in ("NOTSET", "VALID"):
        raise Unknown(f"padding {auto_pad!r}")
    if pads is None or auto_pad == "VALID":
        return "valid"
    return tuple((pads[k], pads[k + axes]) for k in range(axes))


@operation("Conv")
def _conv(
    x: Any, kernel: Any, bias: Any = None, auto_pad: str = "NOTSET", dilations: Any = None,
    group: int = 1, kernel_shape: Any = None, pads: Any = None, strides: Any = None,
) -> Any:  # fmt: skip
    axes = rank_of(x) - 2
    turned = ag.permute_dims(kernel, (*range(2, axes + 2), 1, 0))
    found = _BY_AXES["conv"](axes)(
        _channels_last(x), turned, strides=tuple(strides or (1,) * axes),
        padding=_padding(pads, auto_pad, axes), dilations=tuple(dilations or (1,) * axes),
        groups=group,
    )  # fmt: skip
    return _channels_first(found if bias is None else found + bias)


@operation("MaxPool", "AveragePool")
def _pool(
    x: Any, kernel_shape: Any, auto_pad: str = "NOTSET", ceil_mode: int = 0,
    count_include_pad: int = 0, dilations: Any = None, pads: Any = None, storage_order: int = 0,
    strides: Any = None, *, kind: str, outputs: int,
) -> Any:  # fmt: skip
    axes = rank_of(x) - 2
    if ceil_mode or outputs > 1 or dilations is not None and set(dilations) != {1}:
        raise Unknown("pooling that is dilated, rounds up, or gives places")
    padding = _padding(pads, auto_pad, axes)
    size, strides = tuple(kernel_shape), tuple(strides or (1,) * axes)
    given = _channels_last(x)
    if kind == "MaxPool":
        return _channels_first(
            _BY_AXES["max_pool"](axes)(given, size, strides=strides, padding=padding)
        )
    if count_include_pad and isinstance(padding, tuple):
        given = ag.pad(given, [(0, 0), *padding, (0, 0)])
        padding = "valid"
    return _channels_first(
        _BY_AXES["avg_pool"](axes)(given, size, strides=strides, padding=padding)
    )


@operation("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(x: Any, kind: str) -> Any:
    axes = tuple(range(2, rank_of(x)))
    return (ag.mean if kind == "GlobalAveragePool" else ag.max)(x, axis=axes, keepdims=True)


@operation("BatchNormalization")
def _batch_norm(
    x: Any, scale: Any, bias: Any, mean: Any, var: Any, epsilon: float = 1e-5,
    momentum: float = 0.9, training_mode: int = 0,
) -> Any:  # fmt: skip
    if training_mode:
        raise Unknown("batch normalization while training")
    shape = (1, -1, *[1] * (rank_of(x) - 2))
    scale, bias, mean, var = (ag.reshape(v, shape) for v in (scale, bias, mean, var))
    return ag.astype((x - mean) / ag.sqrt(var + epsilon) * scale + bias, dtype_of(x))


@operation("InstanceNormalization")
def _instance_norm(x: Any, scale: Any, bias: Any, epsilon: float = 1e-5) -> Any:
    axes, shape = tuple(range(2, rank_of(x))), (1, -1, *[1] * (rank_of(x) - 2))
    mean, var = ag.mean(x, axis=axes, keepdims=True), ag.var(x, axis=axes, keepdims=True)
    scale, bias = ag.reshape(scale, shape), ag.reshape(bias, shape)
    return ag.astype(scale * (x - mean) / ag.sqrt(var + epsilon) + bias, dtype_of(x))


@operation("Dropout")
def _dropout(x: Any, ratio: Any = None, training: Any = None, *, outputs: int, **how: Any) -> Any:
    if training is not None and known(training, "a mode").any():
        raise Unknown("dropout while training")
    return x if outputs == 1 else (x, ag.astype(ag.ones_like(x), np.bool_))
