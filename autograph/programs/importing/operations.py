"""Operations of ONNX on elements and shapes, as functions of ours."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx import numpy_helper

import autograph as ag
from autograph.programs.importing.table import (
    OPERATIONS,
    Unknown,
    dtype_named,
    ints,
    known,
    operation,
    saturated,
    sizes_of,
)
from runtime.dtypes import kind_of
from runtime.ops.declaration.operands import dtype_of, rank_of, shape_of

__all__: list[str] = []

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
for _name, _function in _DIRECT.items():
    operation(_name)(_function)


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
def _clip(x: Any, least: Any = None, most: Any = None, *, min: Any = None, max: Any = None) -> Any:
    least, most = (a if b is None else dtype_of(x).type(b) for a, b in ((least, min), (most, max)))
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
def _cast(x: Any, to: int, saturate: int = 1, round_mode: str = "up") -> Any:
    return _as(x, dtype_named(to), saturate)


@operation("CastLike")
def _cast_like(x: Any, like: Any, saturate: int = 1, round_mode: str = "up") -> Any:
    return _as(x, dtype_of(like), saturate)


def _as(x: Any, dtype: np.dtype[Any], saturate: int) -> Any:
    """Floats of 8 bits take what is beyond them as their largest, or as infinity."""
    is_narrow = kind_of(dtype) == "f" and dtype.itemsize == 1 and kind_of(dtype_of(x)) == "f"
    return saturated(x, dtype, saturate) if is_narrow else ag.astype(x, dtype)


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
}  # fmt: skip
for _name, _function in _ACTIVATIONS.items():
    operation(_name)(_kept(_function))


def _hardmax(x: Any, axis: int) -> Any:
    places = ag.expand_dims(ag.argmax(x, axis=axis), axis)
    shape = [1] * rank_of(x)
    shape[axis] = -1
    return ag.equal(places, ag.reshape(ag.arange(shape_of(x)[axis]), shape))


_SHARES = {"Softmax": ag.nn.softmax, "LogSoftmax": ag.nn.log_softmax, "Hardmax": _hardmax}


@operation(*_SHARES)
def _shares(x: Any, axis: int | None = None, *, kind: str, version: int) -> Any:
    """Before version 13 over all axes from one on."""
    function = _kept(_SHARES[kind])
    if version >= 13:
        return function(x, axis=-1 if axis is None else axis)
    rows = _flatten(x, 1 if axis is None else axis)
    return ag.reshape(function(rows, axis=-1), shape_of(x))


# ---- reductions --------------------------------------------------------------------------------


def _axes(axes: Any) -> tuple[int, ...] | None:
    return None if axes is None else tuple(ints(axes, "the axes of a reduction"))


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
    (at,) = ints(axis, "an axis")
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
    (count,) = sizes_of(k)
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
    sizes: list[Any] = list(sizes_of(shape))
    if not allowzero:
        own = shape_of(x)
        sizes = [_or_own(n, own[k]) if k < len(own) else n for k, n in enumerate(sizes)]
    return ag.reshape(x, tuple(sizes))


def _or_own(n: Any, own: Any) -> Any:
    """A size; in the place of 0 that of the array."""
    if type(n) is int:
        return n or own
    return ag.where(ag.equal(n, 0), own, n)


@operation("Expand")
def _expand(x: Any, shape: Any) -> Any:
    wanted, own = list(sizes_of(shape)), list(shape_of(x))
    rank = max(len(wanted), len(own))
    pairs = zip([1] * (rank - len(wanted)) + wanted, [1] * (rank - len(own)) + own, strict=True)
    return ag.broadcast_to(x, tuple(_wider(n, size) for n, size in pairs))


def _wider(one: Any, other: Any) -> Any:
    """The size that two sizes are broadcast to."""
    is_one = [type(n) is int and n == 1 for n in (one, other)]
    if any(is_one):
        return one if is_one[1] else other
    known_sizes = [n for n in (one, other) if type(n) is int]
    return known_sizes[0] if known_sizes else ag.where(ag.equal(other, 1), one, other)


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
    places = ints(axes, "axes")
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
        sizes = ints(split, "the sizes of parts")
    part, found, at = [slice(None)] * rank_of(x), [], 0
    for n in sizes:
        part[axis] = slice(at, at + n)
        found.append(x[tuple(part)])
        at += n
    return tuple(found)


@operation("Slice")
def _slice(x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Any:
    first, last = sizes_of(starts), sizes_of(ends)
    places = range(len(first)) if axes is None else ints(axes, "axes")
    by = [1] * len(first) if steps is None else ints(steps, "steps")
    part = [slice(None)] * rank_of(x)
    for axis, a, b, step in zip(places, first, last, by, strict=True):
        size = shape_of(x)[axis]
        # What lies before all elements is counted from the end in Python.
        end: Any = b
        if step < 0 and isinstance(size, int) and isinstance(b, int) and b < -size:
            end = None
        part[axis] = slice(a, end, step)
    return ag.asarray(x)[tuple(part)]


@operation("Gather")
def _gather(x: Any, places: Any, axis: int = 0) -> Any:
    part = [slice(None)] * rank_of(x)
    part[axis] = places
    return ag.asarray(x)[tuple(part)]


@operation("GatherElements")
def _gather_elements(x: Any, places: Any, axis: int = 0) -> Any:
    return ag.asarray(x)[_along(x, places, axis)]


def _along(x: Any, places: Any, axis: int) -> tuple[Any, ...]:
    """The subscript of the elements at places along an axis, at the same places of the others."""
    sizes, rank = shape_of(places), rank_of(places)
    grids = [ag.reshape(ag.arange(n), (-1, *[1] * (rank - 1 - k))) for k, n in enumerate(sizes)]
    grids[axis] = places
    return tuple(grids)


@operation("GatherND")
def _gather_nd(x: Any, places: Any, batch_dims: int = 0) -> Any:
    depth = shape_of(places)[-1]
    shape = tuple(shape_of(places)[:-1])
    batch = [
        ag.reshape(ag.arange(n), (-1, *[1] * (len(shape) - k - 1)))
        for k, n in enumerate(shape[:batch_dims])
    ]
    return ag.asarray(x)[(*batch, *(places[..., k] for k in range(depth)))]


def _at(ufunc: np.ufunc, x: Any, values: Any, key: Any) -> Any:
    found = ag.copy(ag.asarray(x))
    ufunc.at(found, key, values)
    return found


_WRITTEN: dict[str, Callable[..., Any]] = {
    "none": ag.index_update, "add": ag.index_add,
    **{name: functools.partial(_at, ufunc) for name, ufunc in
       (("mul", np.multiply), ("max", np.maximum), ("min", np.minimum))},
}  # fmt: skip


@operation("ScatterElements", "Scatter")
def _scatter_elements(
    x: Any, places: Any, values: Any, axis: int = 0, reduction: str = "none"
) -> Any:
    return _WRITTEN[reduction](x, values, _along(x, places, axis))


@operation("ScatterND")
def _scatter_nd(x: Any, places: Any, values: Any, reduction: str = "none") -> Any:
    depth = shape_of(places)[-1]
    return _WRITTEN[reduction](x, values, tuple(places[..., k] for k in range(depth)))


@operation("Tile")
def _tile(x: Any, repeats: Any) -> Any:
    return ag.tile(x, tuple(sizes_of(repeats)))


@operation("Pad")
def _pad(x: Any, pads: Any, value: Any = None, axes: Any = None, mode: str = "constant") -> Any:
    sides = ints(pads, "how much to pad")
    rank = rank_of(x)
    places = range(rank) if axes is None else ints(axes, "axes")
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
    dtype = dtype_of(start)
    wide = np.dtype(np.float32) if kind_of(dtype) == "f" and dtype.itemsize < 4 else dtype
    try:
        ends = [known(n, "a range").reshape(()).astype(wide)[()] for n in (start, stop, step)]
    except Unknown:
        ends = [ag.astype(ag.reshape(n, ()), wide) for n in (start, stop, step)]
    return ag.astype(ag.arange(*ends), dtype)


@operation("ConstantOfShape")
def _constant_of_shape(shape: Any, value: Any = None) -> Any:
    number = np.zeros(1, np.float32) if value is None else numpy_helper.to_array(value)
    return ag.full(tuple(sizes_of(shape)), number[0])


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
    (offset,) = (0,) if k is None else ints(k, "a diagonal")
    return ag.triu(x, offset) if upper else ag.tril(x, offset)


@operation("OneHot")
def _one_hot(places: Any, depth: Any, values: Any, axis: int = -1) -> Any:
    (size,) = sizes_of(ag.reshape(depth, (1,)))
    rank = rank_of(places) + 1
    shape = [1] * rank
    shape[axis] = -1
    span = ag.reshape(ag.arange(size), shape)
    at = ag.expand_dims(ag.where(places < 0, places + size, places), axis % rank)
    return ag.where(ag.equal(at, span), values[1], values[0])


@operation("EyeLike")
def _eye_like(x: Any, dtype: int | None = None, k: int = 0) -> Any:
    rows, columns = shape_of(x)
    return ag.eye(rows, columns, k, dtype=dtype_of(x) if dtype is None else dtype_named(dtype))


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


# ---- places and bits -----------------------------------------------------------------------------


@operation("BitCast")
def _bit_cast(x: Any, to: int) -> Any:
    return ag.asarray(x).view(dtype_named(to))


@operation("ReverseSequence")
def _reverse_sequence(x: Any, lengths: Any, batch_axis: int = 1, time_axis: int = 0) -> Any:
    moved = ag.moveaxis(x, (batch_axis, time_axis), (0, 1))
    span = ag.arange(shape_of(moved)[1])[None]
    ends = ag.astype(lengths, np.int64)[:, None]
    places = ag.where(span < ends, ends - 1 - span, span)
    found = moved[ag.arange(shape_of(moved)[0])[:, None], places]
    return ag.moveaxis(found, (0, 1), (batch_axis, time_axis))


@operation("Unique")
def _unique(x: Any, axis: int | None = None, sorted: int = 1) -> tuple[Any, ...]:
    values, first, places, counts = ag.unique(
        x, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    places = ag.reshape(places, (-1,))
    if not sorted:
        order = ag.argsort(first)
        values = ag.take(values, order, axis=0 if axis is None else axis)
        first, counts, places = first[order], counts[order], ag.argsort(order)[places]
    return values, first, places, counts


@operation("TensorScatter")
def _tensor_scatter(
    past: Any, update: Any, starts: Any = None, axis: int = -2, mode: str = "linear"
) -> Any:
    rows, size = shape_of(update)[axis], shape_of(past)[axis]
    moved, new = ag.moveaxis(past, axis, 1), ag.moveaxis(update, axis, 1)
    batch = shape_of(moved)[0]
    begin = ag.zeros((batch,), np.int64) if starts is None else ag.astype(starts, np.int64)
    places = begin[:, None] + ag.arange(rows)[None]
    places = ag.remainder(places, size) if mode == "circular" else places
    found = ag.index_update(moved, new, (ag.arange(batch)[:, None], places))
    return ag.moveaxis(found, 1, axis)


@operation("ArrayFeatureExtractor")
def _features(x: Any, places: Any) -> Any:
    return ag.asarray(x)[..., ag.reshape(places, (-1,))]


@operation("Binarizer")
def _binarizer(x: Any, threshold: float = 0.0) -> Any:
    return ag.astype(x > threshold, dtype_of(x))


# ---- sequences and what may be missing ---------------------------------------------------------


OPERATIONS["SequenceConstruct"] = lambda *xs: [*xs]
OPERATIONS["SequenceEmpty"] = lambda **how: []
OPERATIONS["SequenceLength"] = lambda xs: np.int64(len(xs))
OPERATIONS["OptionalHasElement"] = lambda x=None: np.bool_(x is not None)
OPERATIONS["Optional"] = lambda x=None, **how: x
OPERATIONS["OptionalGetElement"] = lambda x: x


def _place(at: Any) -> int:
    (place,) = ints(at, "a place in a sequence")
    return place


@operation("SequenceAt")
def _sequence_at(xs: list[Any], at: Any) -> Any:
    return xs[_place(at)]


@operation("SequenceInsert")
def _sequence_insert(xs: list[Any], x: Any, at: Any = None) -> list[Any]:
    place = len(xs) if at is None else _place(at)
    return [*xs[:place], x, *xs[place:]]


@operation("SequenceErase")
def _sequence_erase(xs: list[Any], at: Any = None) -> list[Any]:
    found = [*xs]
    del found[-1 if at is None else _place(at)]
    return found


@operation("ConcatFromSequence")
def _concat_from_sequence(xs: list[Any], axis: int, new_axis: int = 0) -> Any:
    return (ag.stack if new_axis else ag.concat)(xs, axis=axis)


@operation("SplitToSequence")
def _split_to_sequence(x: Any, split: Any = None, axis: int = 0, keepdims: int = 1) -> list[Any]:
    size = shape_of(x)[axis]
    if split is not None and known(split, "the sizes of parts").ndim == 0:
        (each,) = ints(split, "the sizes of parts")
        split = [min(each, size - k) for k in range(0, size, each)]
    parts = _split(x, [1] * size if split is None else split, axis, outputs=0)
    squeezed = split is None and not keepdims
    return [ag.squeeze(part, axis=axis) if squeezed else part for part in parts]
