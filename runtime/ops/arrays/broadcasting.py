"""Broadcasting: repeating an array along axes of size 1, and summing over them again."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.errors import unknown_rank
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.internal import zeros_of
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    decode_shape,
    encode_shape,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.spec import Dim, TensorType, broadcast_shapes, shape_text

__all__ = [
    "broadcast_arrays",
    "broadcast_shape",
    "broadcast_to",
    "spread_like",
    "sum_like",
    "sum_to",
]


def _broadcast(x: TensorType, *dims: TensorType, shape: tuple[Dim, ...]) -> TensorType:
    if x.shape is not None and len(x.shape) > len(shape):
        raise ValueError("input operand has more dimensions than allowed by the axis remapping")
    for n, m in zip(reversed(x.shape or ()), reversed(shape), strict=False):
        if n not in (1, None) and m not in (n, None):
            raise ValueError(
                "operands could not be broadcast together with remapped shapes "
                f"[original->remapped]: {shape_text(x.shape or ())}  and requested shape "
                f"{shape_text(shape)}"
            )
    return TensorType(x.dtype, shape)


def _broadcast_raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    return not types[0].is_static or None in attrs["shape"]


def _read_only(parent: Any, part: Any, *dims: Any, shape: Any) -> Any:
    raise ValueError("assignment destination is read-only")


@op(
    inputs=None,
    infer=_broadcast,
    vjp=lambda g, out, x, *dims, shape: (sum_to(g, shape_of(x)), *(None for _ in dims)),
    raises=_broadcast_raises,
    view=True,
    samples=lambda: (
        ((array((3,)),), {"shape": (2, 3)}),
        ((array((2, 1), "c16"),), {"shape": (2, 3)}),
        ((array((2, 1)), 2), {"shape": (None, 3)}),
        ((array(()),), {"shape": (2,)}),
        ((array((1, 3), "f4"),), {"shape": (0, 3)}),
        ((1.5,), {"shape": (2,)}),
    ),
    write_through=_read_only,
)
def broadcast_to_(xp: Module, x: Array, *dims: Array, shape: tuple[Dim, ...]) -> Array:
    """`x` broadcast to a shape, read-only; None takes the next of `dims`."""
    return xp.broadcast_to(xp.asarray(x), decode_shape(shape, dims))


@implements(
    samples=lambda: (
        ((array((3,)), (2, 3)), {}),
        ((array(()), 2), {}),
        ((array((2, 1)), (2, 0)), {}),
    ),
    makes_arrays=False,
)
def broadcast_to(x: Operand, /, shape: Any) -> Any:
    """`x` broadcast to `shape`, whose sizes may be integer tensors; read-only.

    Raises ValueError when the shapes do not fit.

    >>> ag.broadcast_to(np.array([1, 2]), (2, 2)).tolist()
    [[1, 2], [1, 2]]
    """
    static, dims = encode_shape(shape)
    return broadcast_to_(x, *dims, shape=static)


@implements(
    samples=lambda: (((array((3,)), array((2, 1))), {}),),
)
def broadcast_arrays(*arrays: Operand) -> tuple[Any, ...]:
    """The arrays broadcast against each other.

    >>> [x.shape for x in ag.broadcast_arrays(np.zeros(3), np.zeros((2, 1)))]
    [(2, 3), (2, 3)]
    """
    shape = broadcast_shape(*arrays)
    # As NumPy does, it gives an array that has the shape itself.
    return tuple(x if _has_shape(x, shape) else broadcast_to(x, shape) for x in arrays)


def _has_shape(x: Operand, shape: tuple[Any, ...]) -> bool:
    own = type_of(x)
    is_known = all(isinstance(size, int) for size in shape)
    return is_known and own.is_static and not own.weak and own.shape == shape


def broadcast_shape(*arrays: Operand) -> tuple[Any, ...]:
    """Shape of the arrays broadcast together; a size known only at run time is a tensor."""
    static = broadcast_shapes(*(type_of(x).shape for x in arrays))
    if static is None:
        raise unknown_rank()
    shapes = [shape_of(x) for x in arrays]
    return tuple(
        n if n is not None else _common_size(i - len(static), shapes) for i, n in enumerate(static)
    )


def _common_size(axis: int, shapes: list[tuple[Any, ...]]) -> Any:
    """Size of operands along `axis` (from the end), where none is known to be above 1."""
    sizes = [s[axis] for s in shapes if -axis <= len(s) and not isinstance(s[axis], int)]
    result = sizes[0]
    for n in sizes[1:]:
        # Whichever is not 1: sizes that differ otherwise are refused by the broadcasting itself.
        result = result * (result != 1) + n * (result == 1)
    return result


def _sum_to_type(x: TensorType, *dims: TensorType, shape: tuple[Dim, ...]) -> TensorType:
    return TensorType(x.dtype, shape)


def _summed(xp: Module, x: Array, shape: tuple[int, ...]) -> Array:
    lead = x.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(
        i + lead for i, n in enumerate(shape) if n == 1 and x.shape[i + lead] != 1
    )
    return xp.reshape(xp.sum(x, axis=axes, dtype=x.dtype), shape) if axes else x.copy()


@op(
    inputs=None,
    infer=_sum_to_type,
    vjp=lambda g, out, x, *dims, shape: (broadcast_to(g, shape_of(x)), *(None for _ in dims)),
    samples=lambda: (
        ((array((2, 3)),), {"shape": (3,)}),
        ((array((2, 3)), 2), {"shape": (None, 1)}),
        ((array((4, 2, 3)),), {"shape": (2, 1)}),
        ((array((2, 3)),), {"shape": ()}),
        ((array((0, 3), "f4"),), {"shape": (3,)}),
    ),
)
def sum_to_(xp: Module, x: Array, *dims: Array, shape: tuple[Dim, ...]) -> Array:
    """`x` summed over the axes along which an array of `shape` was broadcast to that of `x`."""
    return _summed(xp, xp.asarray(x), decode_shape(shape, dims))


def sum_to(x: Operand, shape: Any) -> Any:
    """`x` summed over the axes along which an array of `shape` was broadcast to that of `x`.

    >>> ag.sum_to(np.ones((2, 3)), (3,)).numpy()
    array([2., 2., 2.])
    """
    static, dims = encode_shape(shape)
    if not dims and type_of(x).shape == static:
        return x
    return sum_to_(x, *dims, shape=static)


def _like_type(x: TensorType, like: TensorType) -> TensorType:
    return TensorType(x.dtype, like.shape)


@op(
    inputs=2,
    infer=_like_type,
    vjp=lambda g, out, x, like: (spread_like(g, x), None),
    samples=lambda: (
        ((array((2, 3)), array((3,))), {}),
        ((array((2, 3), "f4"), array(())), {}),
        ((array((2, 3)), array((2, 1), "i8")), {}),
    ),
)
def sum_like(xp: Module, x: Array, like: Array) -> Array:
    """`x` summed to the shape of `like`, whose number of axes may be known at run time only.

    >>> ag.sum_like(np.ones((2, 3)), np.zeros(3)).numpy()
    array([2., 2., 2.])
    """
    return _summed(xp, xp.asarray(x), np.shape(like))


def spread_like(g: Operand, x: Operand) -> Any:
    """`g` broadcast to the shape of `x`, whose number of axes may be known at run time only."""
    own = type_of(x)
    return zeros_of(x) + g if own.rank is None else broadcast_to(g, shape_of(x))
