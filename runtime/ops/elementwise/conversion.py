"""From one dtype to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import trace
from runtime.dtypes import kind_of
from runtime.layouts import lay_out
from runtime.ops.declaration.declare import REGISTRY, implements, no_gradient, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    as_dtype,
    content,
    dtype_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.complex import real
from runtime.ops.elementwise.placement import to_device
from runtime.spec import TensorType

__all__ = ["astype"]


def _cast_back(g: Any, out: Any, x: Any, dtype: np.dtype[Any]) -> tuple[Any, ...]:
    if not type_of(x).is_inexact or kind_of(dtype) not in "fc":
        return (None,)
    part = real(g) if kind_of(dtype) == "c" and kind_of(dtype_of(x)) == "f" else g
    return (astype_(part, dtype_of(x)),)


@op(
    inputs=1,
    infer=lambda x, dtype: TensorType(dtype, x.shape),
    vjp=_cast_back,
    samples=lambda: (
        ((array((3,)),), {"dtype": np.dtype("f4")}),
        ((array((2, 3), "f4"),), {"dtype": np.dtype("f8")}),
        ((array((3,)),), {"dtype": np.dtype("i8")}),
        ((array((3,), "i8"),), {"dtype": np.dtype("u1")}),
        ((array((3,)),), {"dtype": np.dtype("c16")}),
        ((array((3,), "?"),), {"dtype": np.dtype("f4")}),
        ((array(()),), {"dtype": np.dtype("f8")}),
        ((2,), {"dtype": np.dtype("f4")}),
    ),
)
def astype_(xp: Module, x: Array, dtype: np.dtype[Any]) -> Array:
    """A copy of `x` in another dtype."""
    return xp.asarray(x).astype(dtype)


def _bits_type(x: TensorType, dtype: np.dtype[Any]) -> TensorType:
    for given in (x.dtype, dtype):
        if kind_of(given) not in "iufc":
            raise TypeError(f"bitcast takes numbers, not {given}")
    size, own = dtype.itemsize, x.dtype.itemsize
    if x.shape is None or size == own:
        return TensorType(dtype, x.shape)
    if size < own:
        return TensorType(dtype, (*x.shape, own // size))
    if not x.shape or x.shape[-1] not in (None, size // own):
        raise ValueError(f"bitcast of {x} to {dtype} takes a last axis of {size // own}")
    return TensorType(dtype, x.shape[:-1])


@op(
    inputs=1,
    infer=_bits_type,
    vjp=no_gradient,
    raises=lambda types, attrs: not types[0].is_static,
    samples=lambda: (
        ((array((3,)),), {"dtype": np.dtype("i8")}),
        ((array((2, 3), "f4"),), {"dtype": np.dtype("u4")}),
        ((array((2,)),), {"dtype": np.dtype("i2")}),
        ((array((3, 2), "i4"),), {"dtype": np.dtype("f8")}),
        ((array((2,), "f4"),), {"dtype": np.dtype("c8")}),
        ((array(()),), {"dtype": np.dtype("u8")}),
        ((array(()),), {"dtype": np.dtype("u4")}),
    ),
)
def bitcast(xp: Module, x: Array, dtype: np.dtype[Any]) -> Array:
    """The bits of `x` as elements of another dtype; a last axis holds the smaller ones.

    Raises TypeError for what is no number, ValueError where a last axis does not fit.
    """
    _bits_type(type_of(x), dtype)  # sizes that the run tells
    whole = xp.array(x, order="C")
    size, own = dtype.itemsize, whole.dtype.itemsize
    if size < own:
        return whole[..., None].view(dtype)
    if size == own:
        return whole.view(dtype)
    return whole.view(dtype)[..., 0]


def _seen_type(x: TensorType, dtype: np.dtype[Any]) -> TensorType:
    for given in (x.dtype, dtype):
        if kind_of(given) not in "biufc":
            raise TypeError(f"a view shows numbers, not {given}")
    size, own = dtype.itemsize, x.dtype.itemsize
    if x.shape is None or size == own:
        return TensorType(dtype, x.shape)
    if not x.shape:
        raise ValueError(
            "Changing the dtype of a 0d array is only supported if the itemsize is unchanged"
        )
    *others, last = x.shape
    if last is not None and last * own % size:
        raise ValueError(
            "When changing to a larger dtype, its size must be a divisor of the total size in "
            "bytes of the last axis of the array."
        )
    return TensorType(dtype, (*others, None if last is None else last * own // size))


def _seen_back(g: Any, out: Any, x: Any, dtype: np.dtype[Any]) -> tuple[Any, ...]:
    """Complex numbers are pairs of floats, as their cotangents are; all others are bits."""
    own = dtype_of(x)
    if own == dtype:
        return (g,)
    are_pairs = {kind_of(own), kind_of(dtype)} == {"f", "c"} and _PARTS[own] == _PARTS[dtype]
    return (_seen(g, own) if are_pairs else None,)


def _seen_written(parent: Any, part: Any, dtype: np.dtype[Any]) -> Any:
    return _seen(part, dtype_of(parent))


def _are_made_bools(own: np.dtype[Any], dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "b" and own.kind != "b"


def _seen(x: Any, dtype: np.dtype[Any]) -> Any:
    return REGISTRY["view"](x, dtype=dtype)


_PARTS = {np.dtype(d): d in "fF" for d in "fFdD"}


@op(
    inputs=1,
    infer=_seen_type,
    vjp=_seen_back,
    raises=lambda types, attrs: not types[0].is_static or _are_made_bools(types[0].dtype, **attrs),
    view=True,
    write_through=_seen_written,
    samples=lambda: (
        ((array((3,)),), {"dtype": np.dtype("i8")}),
        ((array((2, 3)),), {"dtype": np.dtype("u4")}),
        ((array((2, 4), "f4"),), {"dtype": np.dtype("f8")}),
        ((array((2, 3), "c16"),), {"dtype": np.dtype("f8")}),
        ((array((3, 4)),), {"dtype": np.dtype("c16")}),
        ((array((0, 2), "c8"),), {"dtype": np.dtype("f4")}),
        ((array(()),), {"dtype": np.dtype("u8")}),
        ((array((3,)) > 0,), {"dtype": np.dtype("u1")}),
        (((array((2, 3)) > 0).view("i1"),), {"dtype": np.dtype("?")}),
    ),
)
def view(xp: Module, x: Array, dtype: np.dtype[Any]) -> Array:
    """The memory of `x` as elements of another dtype, more or fewer along the last axis.

    Complex numbers that are seen as floats, and the reverse, have a gradient. Raises TypeError for
    what is no number, ValueError where a last axis does not fit, or a byte is no bool: 0 or 1.

    >>> ag.view(np.array([1.0 + 2.0j]), np.dtype("f8")).numpy()
    array([1., 2.])
    """
    whole = xp.asarray(x)
    is_apart = whole.ndim and whole.dtype.itemsize != dtype.itemsize
    if is_apart and whole.strides[-1] != whole.dtype.itemsize:
        whole = xp.ascontiguousarray(whole)  # as it lies in memory where Python computes it
    if _are_made_bools(whole.dtype, dtype) and (whole.view(np.uint8) > 1).any():
        raise ValueError("a view as bools is of bytes that are 0 or 1")
    return whole.view(dtype)


@implements("astype", samples=lambda: (((array((3,)), np.dtype("f4")), {}),), makes_arrays=False)
def astype(
    x: Operand,
    /,
    dtype: Any,
    order: str = "K",
    casting: str = "unsafe",
    subok: bool = True,
    copy: bool = True,
    *,
    device: Any = None,
) -> Any:
    """`x` in another dtype; a copy, unless `copy` is false and nothing changes.

    Raises TypeError when `casting` does not allow it.

    >>> ag.astype(np.array([1.7, -1.7]), int).numpy()
    array([ 1, -1])
    """
    target = as_dtype(dtype)
    if casting != "unsafe" and not np.can_cast(dtype_of(x), target, casting):  # type: ignore[arg-type]
        raise TypeError(
            f"Cannot cast array data from {dtype_of(x)!r} to {target!r} according to the rule "
            f"{casting!r}"
        )
    is_same = not copy and dtype_of(x) == target and not type_of(x).weak
    result = x
    if not is_same:
        result = trace.apply(astype_.op, (content(x),), {"dtype": target})
        if order != "K":
            lay_out(result, order, x)
    return result if device is None else to_device(result, device)
