"""`ufunc.at`: an array with a ufunc of itself and values, as often as an index names an element.

Sums have an op of their own; so have those of the others that have a gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.devices import host_array, is_device_array
from runtime.dtypes import kind_of
from runtime.ops.arrays.broadcasting import sum_to
from runtime.ops.arrays.creation import ones_like, zeros_like
from runtime.ops.arrays.interchange import asarray
from runtime.ops.arrays.joining import as_operand, with_arrays
from runtime.ops.declaration.declare import always, numpy_function, op
from runtime.ops.declaration.operands import (
    Array,
    Module,
    Operand,
    content,
    dtype_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.comparison import equal
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.rules import strong_zero
from runtime.ops.elementwise.selection import where_
from runtime.ops.indexing.indexing import (
    encoded_for,
    index_add,
    index_add_,
    is_addable,
    item_at,
    subscript,
    write_raises,
    written_type,
)
from runtime.ops.indexing.keys import Index, encode_index, may_repeat
from runtime.spec import TensorType

__all__ = ["at", "on_host"]


def on_host(x: Any) -> Any:
    """An array of another device as one of the host; anything else as it is."""
    return host_array(x) if is_device_array(x) else x


def _applied_type(
    x: TensorType, v: TensorType, *types: TensorType, ufunc: str, index: Index
) -> TensorType:
    number = v.dtype.type(1)
    # NumPy says what cannot be written into the array.
    getattr(np, ufunc).at(np.ones((1,), x.dtype), [0], number.item() if v.weak else number)
    return written_type(x, v, *types, index=index)


def _apply_in_place(
    xp: Module, x: Array, v: Array, *operands: Array, ufunc: str, index: Index
) -> Array:
    function = getattr(np, ufunc).at
    if xp is np:
        function(x, subscript(xp, x, operands, index), v)
        return x
    host = host_array(x)
    key = subscript(np, host, tuple(map(on_host, operands)), index)
    function(host, key, on_host(v))
    x[...] = xp.asarray(host)
    return x


def _extreme_vjp(
    g: Any, out: Any, x: Any, v: Any, *operands: Any, ufunc: str, index: Index
) -> tuple[Any, ...]:
    """Extremes: parted equally among what is as extreme as the result."""
    rest = (None,) * len(operands)
    if not type_of(x).is_inexact:
        return (None, None, *rest)
    is_own = astype(equal(x, out), dtype_of(g))
    is_new = astype(equal(v, item_at(out, index, operands)), dtype_of(g))
    share = g / index_add_(is_own, is_new, *operands, index=index)
    gv = None
    if type_of(v).is_inexact:
        gv = sum_to(item_at(share, index, operands) * is_new, shape_of(v))
    return (share * is_own, gv, *rest)


def _scaled_vjp(
    g: Any, out: Any, x: Any, v: Any, *operands: Any, ufunc: str, index: Index
) -> tuple[Any, ...]:
    """Differences, products and quotients: each value is one factor, or term, of its element."""
    here = item_at(g, index, operands)
    if ufunc == "subtract":
        gx, slope = g, -here
    else:
        gx = strong_zero(index_scale(g, v, *operands, ufunc=ufunc, index=index), g)
        if ufunc == "divide":
            slope = -here * item_at(out, index, operands) / v
        else:
            slope = here * item_at(x, index, operands) * _other_factors(x, v, operands, index)
        slope = strong_zero(slope, here)
    gv = sum_to(slope, shape_of(v)) if type_of(v).is_inexact else None
    return (gx, gv, *(None for _ in operands))


def _other_factors(x: Any, v: Any, operands: tuple[Any, ...], index: Index) -> Any:
    """For each value the product of the others that its element is multiplied by; some may be 0."""
    v = astype(v, dtype_of(x), copy=False)
    is_zero = astype(equal(v, 0), dtype_of(x))
    factors = where_(equal(v, 0), 1, v)
    product = index_scale(ones_like(x), factors, *operands, ufunc="multiply", index=index)
    zeros = index_add_(zeros_like(x), is_zero, *operands, index=index)
    is_nonzero = equal(item_at(zeros, index, operands), is_zero)
    return where_(is_nonzero, item_at(product, index, operands) / factors, 0)


def _indexed(x: Any, v: Any, key: Any, ufunc: str) -> Any:
    index, operands = encode_index(key)
    return (x, v, *operands), {"ufunc": ufunc, "index": index}


def _replaced(x: Any, key: Any, ufunc: str) -> Any:
    index, operands = encode_index(key)
    return (x, *operands), {"ufunc": ufunc, "index": index}


_TWICE = np.array([0, 2, 0])


@op(
    inputs=None,
    infer=_applied_type,
    vjp=_extreme_vjp,
    reads=(*range(65), "out"),
    raises=write_raises,
    inplace=_apply_in_place,
    samples=lambda: (
        _indexed(array((4,)), array((3,), salt=1), _TWICE, "maximum"),
        _indexed(array((4, 2)), 0.1, (_TWICE, slice(None)), "minimum"),
        _indexed(array((4,), "i4"), 1, _TWICE, "fmax"),
    ),
)
def index_extreme(
    xp: Module, x: Array, v: Array, *operands: Array, ufunc: str, index: Index
) -> Array:
    """`x` with the larger (or smaller) of itself and `v` at the index."""
    return _apply_in_place(xp, xp.array(x), v, *operands, ufunc=ufunc, index=index)


@op(
    inputs=None,
    infer=_applied_type,
    vjp=_scaled_vjp,
    reads=(*range(65), "out"),
    raises=write_raises,
    inplace=_apply_in_place,
    samples=lambda: (
        _indexed(array((4,)), array((3,), salt=1), _TWICE, "multiply"),
        _indexed(array((4,)), np.array([0.0, 2.0, 3.0]), _TWICE, "multiply"),
        _indexed(array((4, 2)), array((2,), salt=1), (_TWICE, slice(None)), "divide"),
        _indexed(array((4,)), 0.5, _TWICE, "subtract"),
        _indexed(array((4,), "f4"), 3, _TWICE, "multiply"),
    ),
)
def index_scale(
    xp: Module, x: Array, v: Array, *operands: Array, ufunc: str, index: Index
) -> Array:
    """`x` less `v`, or multiplied or divided by it, as often as the index names an element."""
    return _apply_in_place(xp, xp.array(x), v, *operands, ufunc=ufunc, index=index)


@op(
    inputs=None,
    infer=_applied_type,
    raises=write_raises,
    inplace=_apply_in_place,
    samples=lambda: (
        _indexed(array((4,), "i8"), 3, _TWICE, "multiply"),
        _indexed(array((4,), "i8"), array((3,), "i8"), _TWICE, "bitwise_or"),
    ),
)
def index_apply(
    xp: Module, x: Array, v: Array, *operands: Array, ufunc: str, index: Index
) -> Array:
    """`x` with a ufunc of itself and `v` at the index, as often as it names an element.

    It has no gradient.
    """
    return _apply_in_place(xp, xp.array(x), v, *operands, ufunc=ufunc, index=index)


def _replaced_type(x: TensorType, *types: TensorType, ufunc: str, index: Index) -> TensorType:
    # NumPy says what cannot be written into the array.
    getattr(np, ufunc).at(np.ones((1,), x.dtype), [0])
    return written_type(x, TensorType(x.dtype, ()), *types, index=index)


def _replace_in_place(xp: Module, x: Array, *operands: Array, ufunc: str, index: Index) -> Array:
    function = getattr(np, ufunc).at
    if xp is np:
        function(x, subscript(xp, x, operands, index))
        return x
    host = host_array(x)
    function(host, subscript(np, host, tuple(map(on_host, operands)), index))
    x[...] = xp.asarray(host)
    return x


@op(
    inputs=None,
    infer=_replaced_type,
    raises=always,
    inplace=_replace_in_place,
    samples=lambda: (_replaced(array((4,)), _TWICE, "square"),),
)
def index_replace(xp: Module, x: Array, *operands: Array, ufunc: str, index: Index) -> Array:
    """`x` with a ufunc of itself at the index, as often as it names an element.

    It has no gradient.
    """
    return _replace_in_place(xp, xp.array(x), *operands, ufunc=ufunc, index=index)


_EXTREMES = frozenset(("maximum", "minimum", "fmax", "fmin"))
_SCALING = frozenset(("subtract", "multiply", "divide"))


def at(ufunc: str, x: Any, key: Any, *values: Operand) -> None:
    """`ufunc.at`: it writes into `x`, and gives None."""
    key = with_arrays(key)
    if not values:
        _replace(ufunc, x, key)
        return
    (v,) = values
    if ufunc == "add" and is_addable(type_of(x), type_of(as_operand(v))):
        x[...] = index_add(x, v, key)
        return
    v = asarray(v)
    general = index_apply
    if ufunc in _EXTREMES:
        general = index_extreme
    elif ufunc in _SCALING and kind_of(dtype_of(x)) == "f" and kind_of(dtype_of(v)) != "c":
        general = index_scale
    index, operands = encoded_for(x, key)
    x[...] = general(content(x), content(v), *operands, ufunc=ufunc, index=index)


def _replace(ufunc: str, x: Any, key: Any) -> None:
    """`ufunc.at` of a ufunc of one operand."""
    index, operands = encoded_for(x, key)
    function = numpy_function(ufunc)
    is_once = type_of(x).is_inexact and not may_repeat(index, operands)
    if is_once and function is not None:  # the same, with a gradient
        _replaced_type(type_of(x), *map(type_of, operands), ufunc=ufunc, index=index)
        x[key] = function(x[key])
        return
    x[...] = index_replace(content(x), *operands, ufunc=ufunc, index=index)
