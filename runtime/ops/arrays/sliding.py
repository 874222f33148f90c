"""Windows that slide over the axes of an array, one element at a time."""

from __future__ import annotations

from typing import Any

from runtime.ops.arrays.creation import arange, zeros
from runtime.ops.arrays.shapes import reshape
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    normal_axes,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.indexing.indexing import index_add
from runtime.spec import TensorType

__all__ = ["sliding_window_view"]


def _windows_type(x: TensorType, window: tuple[int, ...], axes: tuple[int, ...]) -> TensorType:
    assert x.shape is not None
    left = list(x.shape)
    for size, axis in zip(window, axes, strict=True):
        known = left[axis]
        if known is not None and known < size:
            raise ValueError("window shape cannot be larger than input array shape")
        left[axis] = None if known is None else known - size + 1
    return TensorType(x.dtype, (*left, *window))


def _windows_vjp(
    g: Any, out: Any, x: Any, window: tuple[int, ...], axes: tuple[int, ...]
) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    sizes = shape_of(g)
    lines = [
        reshape(arange(n), tuple(-1 if k == at else 1 for k in range(len(sizes))))
        for at, n in enumerate(sizes)
    ]
    rank = len(sizes) - len(window)
    places = lines[:rank]
    for line, axis in zip(lines[rank:], axes, strict=True):
        places[axis] = places[axis] + line
    return (index_add(zeros(shape_of(x), type_of(g).dtype), g, tuple(places)),)


def _read_only(parent: Any, part: Any, window: Any, axes: Any) -> Any:
    raise ValueError("assignment destination is read-only")


@op(
    inputs=1,
    infer=_windows_type,
    vjp=_windows_vjp,
    raises=lambda types, attrs: not types[0].is_static,
    view=True,
    write_through=_read_only,
    samples=lambda: (
        ((array((5,)),), {"window": (3,), "axes": (0,)}),
        ((array((4, 5), "f4"),), {"window": (2, 3), "axes": (0, 1)}),
        ((array((3, 4), "c16"),), {"window": (2,), "axes": (1,)}),
        ((array((6,), "i8"),), {"window": (2, 3), "axes": (0, 0)}),
        ((array((3, 3)),), {"window": (3,), "axes": (0,)}),
    ),
)
def windows_along(xp: Module, x: Array, window: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """Windows of some sizes along some axes, a read-only view with an axis more for each."""
    return xp.lib.stride_tricks.sliding_window_view(x, window, axes)


@implements(
    "lib.stride_tricks.sliding_window_view",
    samples=lambda: (
        ((array((5,)), 2), {}),
        ((array((4, 5)), (2, 3)), {}),
        ((array((4, 5)), 3), {"axis": -1}),
        ((array((4, 5)), (2, 2)), {"axis": (1, 1)}),
    ),
    makes_arrays=False,
)
def sliding_window_view(
    x: Operand, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Any:
    """All windows of a shape into `x`, read-only, the axes within a window last.

    Raises ValueError for windows that are larger than `x`, and for `writeable`.

    >>> ag.sliding_window_view(np.array([1, 2, 3, 4]), 3).tolist()
    [[1, 2, 3], [2, 3, 4]]
    """
    if subok or writeable:
        raise ValueError("sliding_window_view gives read-only arrays, of no subclass")
    window = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
    if any(size < 0 for size in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        if len(window) != rank_of(x):
            raise ValueError(
                "Since axis is None, must provide window_shape for all dimensions of `x`; got "
                f"{len(window)} window_shape elements and `x.ndim` is {rank_of(x)}."
            )
        axis = tuple(range(rank_of(x)))
    given = tuple(axis) if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple(normal_axes((one,), rank_of(x))[0] for one in given)
    if len(window) != len(axes):
        raise ValueError(
            "Must provide matching length window_shape and axis; got "
            f"{len(window)} window_shape elements and {len(axes)} axes elements."
        )
    return windows_along(x, window=window, axes=axes)
