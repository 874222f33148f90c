"""The order of axes, and of the elements along them."""

from __future__ import annotations

import operator
from typing import Any

from runtime import trace
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.internal import identity
from runtime.ops.declaration.operands import (
    Array,
    Axes,
    Module,
    Operand,
    content,
    normal_axes,
    normal_axis,
    rank_of,
    refuse_bool_axis,
    sizes_of,
)
from runtime.ops.declaration.samples import array
from runtime.spec import TensorType

__all__ = [
    "flip",
    "fliplr",
    "flipud",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "rot90",
    "swapaxes",
    "transpose",
]


# ---- order of axes -----------------------------------------------------------------------------


def _permuted(x: TensorType, axes: tuple[int, ...]) -> TensorType:
    if x.shape is None:
        return TensorType(x.dtype, (None,) * len(axes))
    if len(axes) != len(x.shape):
        raise ValueError("axes don't match array")
    order = normal_axes(axes, len(x.shape))
    return TensorType(x.dtype, tuple(x.shape[i] for i in order))


def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    order = normal_axes(axes, len(axes))
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _permute_vjp(g: Any, out: Any, x: Any, axes: tuple[int, ...]) -> tuple[Any]:
    return (permute_dims(g, _inverse(axes)),)


def _permute_written(parent: Any, part: Any, axes: tuple[int, ...]) -> Any:
    return permute_dims(part, _inverse(axes))


@op(
    inputs=1,
    infer=_permuted,
    vjp=_permute_vjp,
    view=True,
    samples=lambda: (
        ((array((2, 3)),), {"axes": (1, 0)}),
        ((array((2, 3, 4)),), {"axes": (2, 0, -2)}),
        ((array((0, 3), "f4"),), {"axes": (1, 0)}),
        ((array(()),), {"axes": ()}),
    ),
    write_through=_permute_written,
)
def permute_dims(xp: Module, x: Array, axes: tuple[int, ...]) -> Array:
    """`x` with its axes in the order `axes`; a view.

    >>> ag.permute_dims(np.zeros((2, 3, 4)), (2, 0, 1)).shape
    (4, 2, 3)
    """
    return xp.asarray(x).transpose(axes)


def _permute(x: Operand, axes: tuple[int, ...]) -> Any:
    return trace.apply(permute_dims.op, (content(x),), {"axes": axes})


@implements(
    "transpose",
    "permute_dims",
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((array((2, 3, 4)), (1, 0, 2)), {}),
        ((array(()),), {}),
        ((array((3,)), 0), {}),
    ),
    makes_arrays=False,
)
def transpose(x: Operand, /, axes: Any = None) -> Any:
    """`x` with its axes in the order `axes`, by default reversed; a view.

    >>> ag.transpose(np.zeros((2, 3, 4))).shape
    (4, 3, 2)
    """
    if axes is not None:
        refuse_bool_axis(axes)
        return _permute(x, tuple(map(operator.index, sizes_of(axes))))
    return _permute(x, tuple(range(rank_of(x) - 1, -1, -1)))


@implements(
    "matrix_transpose",
    "linalg.matrix_transpose",
    samples=lambda: (((array((2, 3, 4)),), {}),),
    makes_arrays=False,
)
def matrix_transpose(x: Operand, /) -> Any:
    """`x` with its last two axes exchanged; a view.

    >>> ag.matrix_transpose(np.zeros((2, 3, 4))).shape
    (2, 4, 3)
    """
    if rank_of(x) < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {rank_of(x)}")
    return swapaxes(x, -1, -2)


@implements("swapaxes", samples=lambda: (((array((2, 3, 4)), 0, -1), {}),), makes_arrays=False)
def swapaxes(x: Operand, /, axis1: int, axis2: int) -> Any:
    """`x` with two axes exchanged; a view.

    >>> ag.swapaxes(np.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    rank = rank_of(x)
    i, j = normal_axis(axis1, rank), normal_axis(axis2, rank)
    order = list(range(rank))
    order[i], order[j] = j, i
    return _permute(x, tuple(order))


@implements(
    samples=lambda: (
        ((array((2, 3, 4)), 0, -1), {}),
        ((array((2, 3, 4)), (0, 1), (2, 0)), {}),
    ),
    makes_arrays=False,
)
def moveaxis(x: Operand, /, source: Axes, destination: Axes) -> Any:
    """`x` with the axes `source` moved to the places `destination`; a view.

    >>> ag.moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    rank = rank_of(x)
    sources, targets = normal_axes(source, rank), normal_axes(destination, rank)
    if len(sources) != len(targets):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements"
        )
    order = [i for i in range(rank) if i not in sources]
    for target, moved in sorted(zip(targets, sources, strict=True)):
        order.insert(target, moved)
    return permute_dims(x, tuple(order))


# ---- order of elements -------------------------------------------------------------------------


def _flipped(x: TensorType, axis: Any) -> TensorType:
    if x.shape is not None:
        normal_axes(axis, len(x.shape))
    return x.strong()


def _flip_vjp(g: Any, out: Any, x: Any, axis: Any) -> tuple[Any]:
    return (flip(g, axis),)


def _flip_written(parent: Any, part: Any, axis: Any) -> Any:
    return flip(part, axis)


@op(
    inputs=1,
    infer=_flipped,
    vjp=_flip_vjp,
    view=True,
    numpy=("flip",),
    samples=lambda: (
        ((array((2, 3)),), {}),
        ((array((2, 3)),), {"axis": 1}),
        ((array((2, 3, 2), "f4"),), {"axis": (0, -1)}),
        ((array((0,), "i8"),), {"axis": 0}),
    ),
    write_through=_flip_written,
)
def flip(xp: Module, x: Array, axis: Axes = None) -> Array:
    """`x` with the elements along `axis` (None: along all axes) in reverse order; a view.

    >>> ag.flip(np.array([1, 2, 3])).numpy()
    array([3, 2, 1])
    """
    return xp.flip(xp.asarray(x), axis)


@implements("flipud", samples=lambda: (((array((2, 3)),), {}),))
def flipud(x: Operand, /) -> Any:
    """`x` reversed along its first axis; a view.

    >>> ag.flipud(np.array([1, 2, 3])).numpy()
    array([3, 2, 1])
    """
    return flip(x, 0)


@implements("fliplr", samples=lambda: (((array((2, 3)),), {}),))
def fliplr(x: Operand, /) -> Any:
    """`x` reversed along its second axis; a view.

    >>> ag.fliplr(np.array([[1, 2, 3]])).tolist()
    [[3, 2, 1]]
    """
    return flip(x, 1)


@implements(
    samples=lambda: (
        *(((array((2, 3)), k), {}) for k in range(-1, 4)),
        ((array((2, 3, 2)), 1, (1, 2)), {}),
    ),
)
def rot90(x: Operand, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """`x` turned `k` times by 90 degrees in the plane of `axes`, from the first to the second.

    >>> ag.rot90(np.array([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    one, other = (normal_axis(axis, rank_of(x)) for axis in axes)
    if one == other:
        raise ValueError("Axes must be different.")
    turns = k % 4
    if turns == 0:
        return identity(x)
    if turns == 2:
        return flip(x, axes)
    if turns == 1:
        return swapaxes(flip(x, axes[1]), *axes)
    return flip(swapaxes(x, *axes), axes[1])
