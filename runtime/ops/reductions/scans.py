"""Running sums, products and recurrences along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.ops.arrays.axes import flip, moveaxis, permute_dims
from runtime.ops.arrays.broadcasting import broadcast_to
from runtime.ops.arrays.creation import full
from runtime.ops.arrays.interchange import asarray
from runtime.ops.arrays.joining import as_operand, concat
from runtime.ops.arrays.shapes import atleast_1d, reshape
from runtime.ops.declaration.declare import implements, op
from runtime.ops.declaration.inference import by_probe, size_of
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    dtype_of,
    normal_axes,
    normal_axis,
    rank_of,
    refuse_bool_axis,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array, calls, on_axes
from runtime.ops.elementwise.rules import conjugated
from runtime.ops.indexing.indexing import getitem
from runtime.spec import TensorType, broadcast_shapes, promote

__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "diff", "linear_recurrence"]


def _scanned(function: Any) -> Any:
    def infer(x: TensorType, axis: int | None, dtype: Any) -> TensorType:
        own = by_probe(function, x.dtype) if dtype is None else dtype
        refuse_bool_axis(axis)
        if axis is None:
            return TensorType(own, (size_of(x.shape),))
        if x.shape is not None:
            normal_axis(axis, max(len(x.shape), 1))
        return TensorType(own, x.shape or (1,) if x.shape is not None else None)

    return infer


def _unflattened(g: Any, x: Any, axis: int | None) -> tuple[Any, Any, int]:
    """`g` and `x` along the axis of a scan; the flattened `x` for None."""
    if axis is None or type_of(x).rank == 0:
        return g, reshape(x, (-1,)), 0
    return g, x, axis


def _cumsum_vjp(g: Any, out: Any, x: Any, axis: int | None, dtype: Any) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    at = axis or 0
    return (reshape(flip(cumsum(flip(g, at), at), at), shape_of(x)),)


@op(
    inputs=1,
    infer=_scanned(np.cumsum),
    vjp=_cumsum_vjp,
    numpy=("cumsum",),
    samples=on_axes("f8 f4 i8 i4 ? c16", axes=(None, 0, -1), keepdims=False),
)
def cumsum(
    xp: Module, x: Array, axis: int | None = None, dtype: np.dtype[Any] | None = None
) -> Array:
    """Running sum along `axis`; None: of the flattened `x`.

    >>> ag.cumsum(np.array([1.0, 2.0, 3.0])).numpy()
    array([1., 3., 6.])
    """
    return xp.cumsum(x, axis=axis, dtype=dtype)


# ---- products ----------------------------------------------------------------------------------


def _delayed(x: Any, first: float) -> Any:
    """`x` moved one place on along its last axis, with `first` in front."""
    shape = shape_of(x)
    lead = full((*shape[:-1], 1), first, dtype_of(x))
    # The slice after joining is empty for an empty axis, as it must be.
    return getitem(concat([lead, x], -1), (Ellipsis, slice(None, -1)))


def _recurrence_type(a: TensorType, b: TensorType) -> TensorType:
    return TensorType(promote(a, b).dtype, broadcast_shapes(a.shape, b.shape))


def _adjoint_recurrence(a: Any, g: Any) -> Any:
    """u_i = g_i + conj(a_{i+1}) u_{i+1} along the last axis."""
    return flip(linear_recurrence(_delayed(flip(conjugated(a), -1), 0), flip(g, -1)), -1)


def _recurrence_vjp(g: Any, out: Any, a: Any, b: Any) -> tuple[Any, ...]:
    u = _adjoint_recurrence(a, g)
    return u * conjugated(_delayed(out, 0)), u


@op(
    inputs=2,
    infer=_recurrence_type,
    vjp=_recurrence_vjp,
    reads=(0, "out"),
    samples=lambda: (
        ((array((4,)), array((4,), salt=1)), {}),
        ((array((2, 3), "c16"), array((2, 3), "c16", salt=1)), {}),
        ((array((2, 0), "f4"), array((2, 0), "f4")), {}),
    ),
)
def linear_recurrence(xp: Module, a: Array, b: Array) -> Array:
    """s_i = a_i s_{i-1} + b_i along the last axis, from s_{-1} = 0; `a`, `b` of one shape.

    >>> ag.linear_recurrence(np.array([0.0, 2.0, 2.0]), np.ones(3)).numpy()
    array([1., 3., 7.])
    """
    result = xp.empty(b.shape, xp.result_type(a, b))
    state = xp.zeros(b.shape[:-1], result.dtype)
    for i in range(b.shape[-1]):
        state = a[..., i] * state + b[..., i]
        result[..., i] = state
    return result


def _cumprod_vjp(g: Any, out: Any, x: Any, axis: int | None, dtype: Any) -> tuple[Any, ...]:
    if not type_of(x).is_inexact:
        return (None,)
    g, flat, at = _unflattened(g, x, axis)
    last = moveaxis(flat, at, -1)
    before = _delayed(moveaxis(out, at, -1), 1)
    gx = _adjoint_recurrence(last, moveaxis(g, at, -1)) * conjugated(before)
    return (reshape(moveaxis(gx, -1, at), shape_of(x)),)


@op(
    inputs=1,
    infer=_scanned(np.cumprod),
    vjp=_cumprod_vjp,
    reads=(0, "out"),
    numpy=("cumprod",),
    samples=on_axes("f8 f4 i8 i4 ? c16", axes=(None, 0, -1), keepdims=False),
)
def cumprod(
    xp: Module, x: Array, axis: int | None = None, dtype: np.dtype[Any] | None = None
) -> Array:
    """Running product along `axis`; None: of the flattened `x`.

    >>> ag.cumprod(np.array([1.0, 2.0, 3.0])).numpy()
    array([1., 2., 6.])
    """
    return xp.cumprod(x, axis=axis, dtype=dtype)


def product_of_others(x: Operand, axis: Any) -> Any:
    """For each element, the product of the others over `axis`: without division, so that zeros
    do no harm."""
    rank, shape = rank_of(x), shape_of(x)
    axes = normal_axes(axis, rank)
    rest = tuple(i for i in range(rank) if i not in axes)
    moved = permute_dims(x, (*rest, *axes))
    size: Any = 1
    for i in axes:
        size = size * shape[i]
    flat = reshape(moved, (*(shape[i] for i in rest), size))
    left = _delayed(cumprod(flat, -1), 1)
    right = flip(_delayed(cumprod(flip(flat, -1), -1), 1), -1)
    back = reshape(left * right, shape_of(moved))
    return permute_dims(back, tuple(np.argsort((*rest, *axes)).tolist()))


# ---- composed ----------------------------------------------------------------------------------


def _with_initial(x: Operand, result: Any, axis: int, first: int) -> Any:
    shape = list(shape_of(x))
    shape[normal_axis(axis, len(shape))] = 1
    return concat([full(tuple(shape), first, dtype_of(result)), result], axis)


def _the_axis(x: Operand, axis: int | None) -> int:
    if axis is None and rank_of(x) != 1:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )
    return 0 if axis is None else axis


_CUMULATIVE = calls(
    lambda: (
        ((array((3,)),), {}),
        ((array((2, 3)),), {"axis": 1, "include_initial": True}),
        ((2.5,), {}),
    )
)


@implements("cumulative_sum", samples=_CUMULATIVE)
def cumulative_sum(
    x: Operand, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """Running sum along `axis` (needed unless `x` has one axis), from 0 if so wished.

    >>> ag.cumulative_sum(np.array([1, 2]), include_initial=True).numpy()
    array([0, 1, 3])
    """
    x = atleast_1d(x)
    at = _the_axis(x, axis)
    result = cumsum(x, at, dtype)
    return _with_initial(x, result, at, 0) if include_initial else result


@implements("cumulative_prod", samples=_CUMULATIVE)
def cumulative_prod(
    x: Operand, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """Running product along `axis` (needed unless `x` has one axis), from 1 if so wished.

    >>> ag.cumulative_prod(np.array([2, 3]), include_initial=True).numpy()
    array([1, 2, 6])
    """
    x = atleast_1d(x)
    at = _the_axis(x, axis)
    result = cumprod(x, at, dtype)
    return _with_initial(x, result, at, 1) if include_initial else result


def _put_beside(x: Operand, edge: Operand, axis: int) -> Any:
    """`edge` as it is joined to `x` along `axis`: one number is repeated."""
    if rank_of(edge) != 0:
        return edge
    sizes = list(shape_of(x))
    sizes[normal_axis(axis, rank_of(x))] = 1
    return broadcast_to(edge, tuple(sizes))


@implements(
    samples=lambda: (
        ((array((4,)),), {}),
        ((array((3, 4)), 2, 0), {}),
        ((array((4,)), 0, 5), {}),
        ((array((4,)),), {"prepend": 0.0, "append": array((2,))}),
        ((array((3, 4)),), {"axis": 0, "append": array((3, 4), salt=1)}),
    ),
)
def diff(
    x: Operand,
    /,
    n: int = 1,
    axis: int = -1,
    prepend: Operand = None,
    append: Operand = None,
) -> Any:
    """Differences of neighbours along `axis`, taken `n` times, of `x` lengthened at its ends.

    >>> ag.diff(np.array([1, 4, 9]), prepend=0).numpy()
    array([1, 3, 5])
    """
    if n == 0:
        return x
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if isinstance(x, (list, tuple)):
        x = asarray(x)
    if rank_of(x) == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    edges = [as_operand(prepend), x, as_operand(append)]
    if prepend is not None or append is not None:
        x = concat([_put_beside(x, part, axis) for part in edges if part is not None], axis)
    lead = (slice(None),) * normal_axis(axis, rank_of(x))
    for _ in range(n):
        later, earlier = getitem(x, (*lead, slice(1, None))), getitem(x, (*lead, slice(None, -1)))
        x = later != earlier if dtype_of(x).kind == "b" else later - earlier
    return x
