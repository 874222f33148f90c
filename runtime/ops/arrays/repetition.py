"""Repeating and shifting elements."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from runtime.ops.arrays.broadcasting import broadcast_to
from runtime.ops.arrays.creation import arange, zeros
from runtime.ops.arrays.shapes import reshape, with_an_axis
from runtime.ops.declaration.declare import always, implements, op
from runtime.ops.declaration.operands import (
    Array,
    Axes,
    Module,
    Operand,
    dtype_of,
    is_tensor,
    normal_axes,
    normal_axis,
    rank_of,
    shape_of,
    sizes_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.conversion import astype
from runtime.ops.indexing.indexing import index_add
from runtime.ops.indexing.positions import take
from runtime.spec import TensorType

__all__ = ["repeat", "roll", "tile"]


def _repeated(x: TensorType, repeats: TensorType, axis: int, count: int | None) -> TensorType:
    if x.shape is None:
        return TensorType(x.dtype, None)
    at = normal_axis(axis, len(x.shape))
    size = x.shape[at]
    known = None if count is None or size is None else size * count
    return TensorType(x.dtype, (*x.shape[:at], known, *x.shape[at + 1 :]))


def _repeat_vjp(
    g: Any, out: Any, x: Any, repeats: Any, axis: int, count: int | None
) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return None, None
    at = normal_axis(axis, rank_of(x))
    source = repeat_(arange(shape_of(x)[at]), repeats, axis=0, count=count)
    key = (slice(None),) * at + (source,)
    return index_add(zeros(shape_of(x), type_of(g).dtype), g, key), None


@op(
    inputs=2,
    infer=_repeated,
    vjp=_repeat_vjp,
    reads=(1,),
    raises=always,
    samples=lambda: (
        ((array((3,)), 2), {"axis": 0, "count": 2}),
        ((array((2, 3)), np.array([1, 0, 2])), {"axis": -1}),
        ((array((0, 3), "f4"), 2), {"axis": 1, "count": 2}),
    ),
)
def repeat_(xp: Module, x: Array, repeats: Array, axis: int, count: int | None = None) -> Array:
    """`x` with each element along an axis `repeats` times; `count` is `repeats` when known."""
    return xp.repeat(x, repeats, axis=axis)


@implements(
    samples=lambda: (
        ((array((2, 3)), 2), {}),
        ((array((2, 3)), [1, 2], 0), {}),
        ((array((3,)), 0, 0), {}),
    ),
)
def repeat(x: Operand, repeats: Operand, /, axis: int | None = None) -> Any:
    """`x` with each element along `axis` repeated (None: flattened first).

    `repeats` is a number, or one number per element.

    >>> ag.repeat(np.array([1, 2]), np.array([2, 1])).numpy()
    array([1, 1, 2])
    """
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    x = with_an_axis(x, axis)
    if isinstance(repeats, (list, tuple)):
        repeats = np.asarray(repeats)
    count = operator.index(repeats) if isinstance(repeats, (int, np.integer)) else None
    return repeat_(x, repeats, axis=axis, count=count)


@implements(
    samples=lambda: (
        ((array((3,)), 2), {}),
        ((array((2, 3)), (2, 1, 2)), {}),
        ((array((2, 3)), 0), {}),
    ),
)
def tile(x: Operand, repetitions: Any, /) -> Any:
    """`x` repeated as a whole, `repetitions` times along each axis.

    >>> ag.tile(np.array([1, 2]), 2).numpy()
    array([1, 2, 1, 2])
    """
    if not isinstance(repetitions, (tuple, list)) and dtype_of(repetitions).kind == "b":
        repetitions = astype(repetitions, np.intp)
    given = sizes_of(repetitions)
    rank = max(rank_of(x), len(given))
    counts = (1,) * (rank - len(given)) + tuple(given)
    shape = (1,) * (rank - rank_of(x)) + shape_of(x)
    wide = reshape(x, tuple(n for size in shape for n in (1, size)))
    pairs = [n for pair in zip(counts, shape, strict=True) for n in pair]
    spread = broadcast_to(wide, tuple(pairs))
    return reshape(spread, tuple(m * n for m, n in zip(counts, shape, strict=True)))


def _rolled(x: TensorType, shift: Any, axis: Any) -> TensorType:
    if x.shape is not None:
        normal_axes(axis, len(x.shape))
    return x.strong()


def _back(shift: Any) -> Any:
    return tuple(-n for n in shift) if isinstance(shift, tuple) else -shift


def _roll_vjp(g: Any, out: Any, x: Any, shift: Any, axis: Any) -> tuple[Any]:
    return (roll_(g, shift=_back(shift), axis=axis),)


@op(
    inputs=1,
    infer=_rolled,
    vjp=_roll_vjp,
    samples=lambda: (
        ((array((5,)),), {"shift": 2, "axis": None}),
        ((array((2, 3)),), {"shift": -1, "axis": 1}),
        ((array((2, 3), "f4"),), {"shift": (1, 2), "axis": (0, 1)}),
        ((array((0,), "i8"),), {"shift": 2, "axis": 0}),
    ),
)
def roll_(xp: Module, x: Array, shift: int | tuple[int, ...], axis: Axes = None) -> Array:
    """`x` with its elements moved along an axis by a static number of places."""
    return xp.roll(x, shift, axis)


@implements(
    samples=lambda: (
        ((array((5,)), 2), {}),
        ((array((2, 3)), 1, 1), {}),
        ((array((2, 3)), 4), {}),
        ((array((2, 3)), np.array([1, 2]), (0, 1)), {}),
        ((array((2, 3)), np.array([1, 3])), {}),
        ((array((4,)), np.array([True, True]), 0), {}),
    ),
)
def roll(x: Operand, /, shift: Any, axis: Axes = None) -> Any:
    """`x` with its elements moved along `axis` (None: flattened), those at the end to the front.

    >>> ag.roll(np.array([1, 2, 3]), 1).numpy()
    array([3, 1, 2])
    """
    shifts = _parts(shift)
    if not any(map(is_tensor, shifts)) and not _is_repeated(axis, rank_of(x)):
        return roll_(x, shift=tuple(shifts) if len(shifts) > 1 else shifts[0], axis=axis)
    if axis is None:
        return reshape(roll(reshape(x, (-1,)), shift, 0), shape_of(x))
    axes = list(axis) if isinstance(axis, (tuple, list)) else [axis]
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ValueError("shape mismatch: `shift` and `axis` must have one entry for each other")
    for i in range(max(len(shifts), len(axes))):
        by, at = shifts[i % len(shifts)], normal_axis(axes[i % len(axes)], rank_of(x))
        size = shape_of(x)[at]
        x = take(x, (arange(size) - astype(by, np.intp)) % size, at)
    return x


def _is_repeated(axis: Axes, rank: int) -> bool:
    """Whether an axis is named more than once."""
    named = axis if isinstance(axis, (tuple, list)) else ()
    return len({normal_axis(a, rank) for a in named}) < len(named)


def _parts(shift: Any) -> list[Any]:
    """The numbers of places to move by: one, or a vector of them."""
    if isinstance(shift, (tuple, list)):
        return list(shift)
    if rank_of(shift) > 1:
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    return [shift[i] for i in range(shape_of(shift)[0])] if rank_of(shift) else [shift]
