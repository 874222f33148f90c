"""Extremes and sums of sliding windows, and their adjoints. Arrays are `(batch, *sizes, channels)`.

A gradient of the largest elements goes through positions: `window_argmax` tells which element of
each window won, `window_pick` reads there, `window_place` writes there; the two are adjoints. So
are `window_sum` and `window_spread`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runtime.dtypes import is_half_or_less, kind_of
from runtime.ops.declaration.declare import no_gradient, op
from runtime.ops.declaration.inference import by_probe
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    decode_shape,
    encode_shape,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import Sample, array
from runtime.ops.signals.windows import Padding, Windows, window_counts
from runtime.spec import Dim, Shape, TensorType

__all__ = [
    "window_argmax",
    "window_max",
    "window_pick",
    "window_place",
    "window_spread",
    "window_sum",
]


# ---- types -------------------------------------------------------------------------------------


def _pooled(shape: Shape, size: tuple[int, ...], **how: Any) -> Shape:
    if shape is None:
        return (None,) * (len(size) + 2)
    if len(shape) != len(size) + 2:
        raise ValueError(
            f"windows over {len(size)} axes need an array (batch, *sizes, channels) of "
            f"{len(size) + 2} axes, not of {len(shape)}"
        )
    return (shape[0], *window_counts(shape[1:-1], size, **how), shape[-1])


def _max_type(x: TensorType, **how: Any) -> TensorType:
    return TensorType(x.dtype, _pooled(x.shape, **how))


def _sum_type(x: TensorType, **how: Any) -> TensorType:
    return TensorType(by_probe(np.sum, x.dtype), _pooled(x.shape, **how))


def _position_dtype(size: tuple[int, ...]) -> np.dtype[Any]:
    """Dtype of the number of an element in a window; one more number says that there is none."""
    return np.dtype(np.uint8 if math.prod(size) < 256 else np.int32)


def _unpooled(g: TensorType, *types: TensorType, shape: tuple[Dim, ...], **_: Any) -> TensorType:
    batch, channels = (None, None) if g.shape is None else (g.shape[0], g.shape[-1])
    return TensorType(g.dtype, (batch, *shape, channels))


def _raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    return not all(t.is_static for t in types) or None in attrs.get("shape", ())


# ---- computing along one axis after the other --------------------------------------------------


def _on_axis(axis: int, part: slice) -> tuple[slice, ...]:
    """The index that takes `part` of a spatial axis."""
    return (*(slice(None),) * (axis + 1), part)


def _combined(xp: Module, x: Array, windows: Windows, combine: Any, start: Any) -> Array:
    """The elements of each window combined: along one axis, the results along the next."""
    for axis, count in enumerate(windows.counts):
        shape = (*x.shape[: axis + 1], count, *x.shape[axis + 2 :])
        result = xp.full(shape, start, x.dtype)
        for t in range(windows.size[axis]):
            outer, inner = (_on_axis(axis, part) for part in windows.along(axis, t))
            combine(result[outer], x[inner], out=result[outer])
        x = result
    return x


def _spread(xp: Module, g: Array, windows: Windows) -> Array:
    """The adjoint of `_combined` with sums."""
    for axis in reversed(range(len(windows.shape))):
        result = xp.zeros(
            (*g.shape[: axis + 1], windows.shape[axis], *g.shape[axis + 2 :]), g.dtype
        )
        for t in range(windows.size[axis]):
            outer, inner = (_on_axis(axis, part) for part in windows.along(axis, t))
            result[inner] += g[outer]
        g = result
    return g


def _lowest(dtype: np.dtype[Any]) -> Any:
    if dtype.kind in "iu":
        return np.iinfo(dtype).min
    return False if dtype.kind == "b" else -np.inf


def _wide(x: Array) -> Array:
    """Half precision as single: sums of halves overflow."""
    return x.astype(np.float32) if is_half_or_less(x.dtype) else x


def _windows(x: Array, size: tuple[int, ...], **how: Any) -> Windows:
    _pooled(x.shape, size, **how)
    return Windows.over(x.shape[1:-1], size, **how)


# ---- samples -----------------------------------------------------------------------------------


def _distinct(shape: tuple[int, ...], dtype: str = "f8") -> Array:
    """Elements far enough from each other that small steps change no winner."""
    count = math.prod(shape)
    return (np.arange(count) * 7 % max(count, 1) - count // 2).reshape(shape).astype(dtype)


def _complete(how: dict[str, Any]) -> dict[str, Any]:
    ones = (1,) * len(how["size"])
    return {"strides": ones, "padding": "valid", "dilations": ones, **how}


def _samples(dtypes: str = "f4 f2 i4 u1") -> Callable[[], Iterator[Sample]]:
    def samples() -> Iterator[Sample]:
        for sizes, how in (
            ((5,), {"size": (2,)}),
            ((4, 6), {"size": (2, 2), "strides": (2, 2)}),
            ((5, 4), {"size": (3, 2), "strides": (2, 1), "padding": "same"}),
            ((4, 3), {"size": (2, 3), "padding": ((1, 1), (2, 0)), "strides": (2, 2)}),
            ((7, 5), {"size": (2, 2), "dilations": (3, 2)}),
            ((3, 2, 3), {"size": (2, 1, 2), "strides": (1, 2, 1)}),
        ):
            yield (_distinct((2, *sizes, 2)),), _complete(how)
        for dtype in dtypes.split():
            yield (_distinct((1, 5, 2), dtype),), _complete({"size": (2,), "padding": "same"})
        yield (_distinct((0, 4, 2), "f4"),), _complete({"size": (2,)})

    return samples


def _pooled_samples() -> Iterator[tuple[Array, Array, dict[str, Any]]]:
    """Samples with an array of cotangents."""
    for (x,), how in _samples("f4")():
        shape: Any = _pooled(x.shape, **how)
        yield x, array(shape, x.dtype.str[1:], salt=3), how


def _argmax_samples() -> Iterator[Sample]:
    for (x,), how in _samples()():
        yield (x, window_max.op.kernel(np, x, **how)), how
    ties = np.array([[[1.0], [1.0], [np.nan], [0.0], [2.0]]], "f4")
    how = _complete({"size": (2,)})
    yield (ties, window_max.op.kernel(np, ties, **how)), how


def _pick_samples() -> Iterator[Sample]:
    for x, _, how in _pooled_samples():
        yield (x, _winners(x, how)), how


def _place_samples() -> Iterator[Sample]:
    for x, g, how in _pooled_samples():
        yield (g, _winners(x, how)), {"shape": x.shape[1:-1], **how}
    x, how = _distinct((1, 4, 2)), _complete({"size": (2,)})
    yield (array((1, 3, 2)), _winners(x, how), 4), {"shape": (None,), **how}


def _spread_samples() -> Iterator[Sample]:
    for x, g, how in _pooled_samples():
        yield (g,), {"shape": x.shape[1:-1], **how}
    yield (array((1, 3, 2)), 4), {"shape": (None,), **_complete({"size": (2,)})}


def _winners(x: Array, how: dict[str, Any]) -> Array:
    return window_argmax.op.kernel(np, x, window_max.op.kernel(np, x, **how), **how)


# ---- the largest element -----------------------------------------------------------------------


def _max_vjp(g: Any, out: Any, x: Any, **how: Any) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    return (_placed(g, window_argmax(x, out, **how), x, how),)


def _placed(g: Operand, winners: Operand, x: Any, how: dict[str, Any]) -> Any:
    shape, dims = encode_shape(shape_of(x)[1:-1])
    return window_place(g, winners, *dims, shape=shape, **how)


@op(
    inputs=1,
    infer=_max_type,
    vjp=_max_vjp,
    reads=(0, "out"),
    raises=_raises,
    samples=_samples(),
)
def window_max(
    xp: Module,
    x: Array,
    size: tuple[int, ...],
    strides: tuple[int, ...],
    padding: Padding,
    dilations: tuple[int, ...],
) -> Array:
    """The largest element of each window; nan if one is nan. Padding is never the largest."""
    windows = _windows(x, size, strides=strides, padding=padding, dilations=dilations)
    return _combined(xp, x, windows, xp.maximum, _lowest(x.dtype))


@op(
    inputs=2,
    infer=lambda x, largest, size, **_: TensorType(_position_dtype(size), largest.shape),
    vjp=no_gradient,
    raises=_raises,
    samples=_argmax_samples,
)
def window_argmax(
    xp: Module,
    x: Array,
    largest: Array,
    size: tuple[int, ...],
    strides: tuple[int, ...],
    padding: Padding,
    dilations: tuple[int, ...],
) -> Array:
    """Which element of each window, in C order, is the first that is as large as the result."""
    windows = _windows(x, size, strides=strides, padding=padding, dilations=dilations)
    nothing = _position_dtype(size).type(math.prod(size))
    result = xp.full(largest.shape, nothing)
    has_nan = kind_of(x.dtype) in "fc" and bool(xp.isnan(largest).any())
    for t, (outer, inner) in enumerate(windows.taps()):
        loses = x[inner] != largest[outer]
        if has_nan:
            loses &= ~xp.isnan(x[inner])
        # The least number wins. Arithmetic on bytes is many times faster than masked copies.
        number = xp.maximum(loses * nothing, nothing.dtype.type(t))
        xp.minimum(result[outer], number, out=result[outer])
    return result


def _pick_vjp(g: Any, out: Any, x: Any, winners: Any, **how: Any) -> tuple[Any, ...]:
    return (_placed(g, winners, x, how) if type_of(x).is_inexact else None, None)


@op(
    inputs=2,
    infer=lambda x, winners, **_: TensorType(x.dtype, winners.shape),
    vjp=_pick_vjp,
    reads=(1,),
    raises=_raises,
    samples=_pick_samples,
)
def window_pick(
    xp: Module,
    x: Array,
    winners: Array,
    size: tuple[int, ...],
    strides: tuple[int, ...],
    padding: Padding,
    dilations: tuple[int, ...],
) -> Array:
    """The element of each window whose number is given; 0 where there is none."""
    windows = _windows(x, size, strides=strides, padding=padding, dilations=dilations)
    result = xp.zeros(winners.shape, x.dtype)
    for t, (outer, inner) in enumerate(windows.taps()):
        xp.copyto(result[outer], x[inner], where=winners[outer] == t)
    return result


def _place_vjp(h: Any, out: Any, g: Any, winners: Any, *dims: Any, **how: Any) -> tuple[Any, ...]:
    del how["shape"]
    gg = window_pick(h, winners, **how) if type_of(g).is_inexact else None
    return (gg, None, *(None for _ in dims))


@op(
    inputs=None,
    infer=_unpooled,
    vjp=_place_vjp,
    reads=(1,),
    raises=_raises,
    samples=_place_samples,
)
def window_place(
    xp: Module,
    g: Array,
    winners: Array,
    *dims: Array,
    shape: tuple[Dim, ...],
    size: tuple[int, ...],
    strides: tuple[int, ...],
    padding: Padding,
    dilations: tuple[int, ...],
) -> Array:
    """The adjoint of `window_pick`: `g` added at the element whose number is given."""
    windows = Windows.over(decode_shape(shape, dims), size, strides, padding, dilations)
    result = xp.zeros((g.shape[0], *windows.shape, g.shape[-1]), g.dtype)
    # Products are faster than `where`, but make nan of an infinite cotangent.
    is_finite = bool(xp.isfinite(g).all())
    for t, (outer, inner) in enumerate(windows.taps()):
        chosen, part = winners[outer] == t, g[outer]
        result[inner] += part * chosen if is_finite else xp.where(chosen, part, g.dtype.type(0))
    return result


# ---- sums --------------------------------------------------------------------------------------


def _sum_vjp(g: Any, out: Any, x: Any, **how: Any) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    shape, dims = encode_shape(shape_of(x)[1:-1])
    return (window_spread(g, *dims, shape=shape, **how),)


@op(
    inputs=1,
    infer=_sum_type,
    vjp=_sum_vjp,
    raises=_raises,
    samples=_samples("f4 f2 i4 u1 c16 ?"),
)
def window_sum(
    xp: Module,
    x: Array,
    size: tuple[int, ...],
    strides: tuple[int, ...],
    padding: Padding,
    dilations: tuple[int, ...],
) -> Array:
    """The sum of the elements of each window; small integers are summed in 64 bits."""
    windows = _windows(x, size, strides=strides, padding=padding, dilations=dilations)
    dtype = by_probe(np.sum, x.dtype)
    wide = _wide(x.astype(dtype, copy=False))
    return _combined(xp, wide, windows, xp.add, 0).astype(dtype, copy=False)


def _spread_vjp(h: Any, out: Any, g: Any, *dims: Any, **how: Any) -> tuple[Any, ...]:
    del how["shape"]
    return (window_sum(h, **how) if type_of(g).is_inexact else None, *(None for _ in dims))


@op(
    inputs=None,
    infer=_unpooled,
    vjp=_spread_vjp,
    raises=_raises,
    samples=_spread_samples,
)
def window_spread(
    xp: Module,
    g: Array,
    *dims: Array,
    shape: tuple[Dim, ...],
    size: tuple[int, ...],
    strides: tuple[int, ...],
    padding: Padding,
    dilations: tuple[int, ...],
) -> Array:
    """The adjoint of `window_sum`: each element of `g` added to all elements of its window."""
    windows = Windows.over(decode_shape(shape, dims), size, strides, padding, dilations)
    return _spread(xp, _wide(g), windows).astype(g.dtype, copy=False)
