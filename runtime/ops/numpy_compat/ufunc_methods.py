"""The methods of NumPy's ufuncs: `reduce`, `accumulate`, `reduceat`, `outer` and `at`.

The sums, products, extremes and logical reductions that they come down to most often are ops of
their own; these here take any ufunc of two operands, as an attribute. `at` has a module of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from runtime.devices import host_array
from runtime.errors import StagingError
from runtime.ops.arrays.axes import moveaxis
from runtime.ops.arrays.broadcasting import sum_to
from runtime.ops.arrays.creation import arange, ones, zeros
from runtime.ops.arrays.interchange import asarray
from runtime.ops.arrays.joining import concat
from runtime.ops.arrays.shapes import reshape
from runtime.ops.declaration.declare import Primitive, always, numpy_function, op
from runtime.ops.declaration.inference import reduced_shape, size_of
from runtime.ops.declaration.operands import (
    Array,
    Axes,
    Module,
    Operand,
    dtype_of,
    normal_axis,
    rank_of,
    shape_of,
    type_of,
)
from runtime.ops.declaration.samples import array
from runtime.ops.elementwise.comparison import equal, less, logical_and, logical_not, not_equal
from runtime.ops.elementwise.conversion import astype
from runtime.ops.elementwise.exponential import exp2_share, exp_share
from runtime.ops.elementwise.rules import conjugated, quotient_or_zero, scaled
from runtime.ops.elementwise.selection import where_
from runtime.ops.indexing.indexing import (
    getitem,
    index_add,
)
from runtime.ops.numpy_compat.ufunc_at import at, on_host
from runtime.ops.reductions.reductions import all as all_
from runtime.ops.reductions.reductions import any as any_
from runtime.ops.reductions.reductions import kept, max, min, prod, sum
from runtime.ops.reductions.scans import cumprod, cumsum, product_of_others
from runtime.spec import TensorType

__all__ = ["METHODS"]


@lru_cache(maxsize=4096)
def _dtype(
    method: str, ufunc: str, given: np.dtype[Any], rank: int, masked: bool = False, **arguments: Any
) -> np.dtype[Any]:
    """Dtype of a method's result, found by calling NumPy's; it raises where that raises."""
    mask = {"where": np.ones((), bool)} if masked else {}
    x = np.ones((1,) * rank, given)
    return np.asarray(getattr(getattr(np, ufunc), method)(x, **arguments, **mask)).dtype


def _by_numpy(xp: Module, ufunc: str, method: str, x: Array, *others: Any, **options: Any) -> Array:
    """The method, which array modules of other devices have not: their arrays are copied."""
    function = getattr(getattr(np, ufunc), method)
    if xp is np:
        return function(x, *others, **options)
    options = {name: on_host(value) for name, value in options.items()}
    return xp.asarray(function(host_array(x), *map(on_host, others), **options))


def _rank(x: TensorType) -> int:
    return 1 if x.shape is None else len(x.shape)


# ---- reduce --------------------------------------------------------------------------------------


def _reduced(
    x: TensorType, *others: TensorType, ufunc: str, axis: Axes, dtype: Any, keepdims: bool,
    initial: bool, where: bool,
) -> TensorType:  # fmt: skip
    first = {"initial": 1} if initial else {}
    own = _dtype("reduce", ufunc, x.dtype, _rank(x), where, axis=axis, dtype=dtype, **first)
    shape = reduced_shape(x.shape, axis, keepdims)
    if size_of(x.shape) == 0 and size_of(shape) != 0 and not _has_start(ufunc, initial):
        raise ValueError(f"zero-size array to reduction operation {ufunc} which has no identity")
    return TensorType(own, shape)


def _has_start(ufunc: str, initial: bool) -> bool:
    return initial or getattr(np, ufunc).identity is not None


def _reduce_raises(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    if len(types) > 1 and any(t.shape is None or None in t.shape for t in types):
        return True  # a mask may not fit
    return size_of(types[0].shape) in (0, None) and not _has_start(attrs["ufunc"], attrs["initial"])


def _reduce(
    xp: Module, x: Array, others: tuple[Any, ...], ufunc: str, initial: bool, where: bool,
    **attrs: Any,
) -> Array:  # fmt: skip
    further = dict(zip(_named(initial, where), others, strict=True))
    return _by_numpy(xp, ufunc, "reduce", x, **attrs, **further)


def _named(initial: bool, where: bool) -> tuple[str, ...]:
    return ("initial",) * initial + ("where",) * where


def _reduce_vjp(
    g: Any, out: Any, x: Any, *others: Any, ufunc: str, axis: Any, dtype: Any, keepdims: bool,
    initial: bool, where: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """To the elements where `where` is true and to `initial`."""
    if not type_of(x).is_inexact:
        return (None,) * (1 + len(others))
    given = dict(zip(_named(initial, where), others, strict=True))
    mask, first = given.get("where", True), given.get("initial")
    g, out = kept(g, x, axis, keepdims), kept(out, x, axis, keepdims)
    if ufunc == "add":
        gx, by_first = g, g
    elif ufunc == "multiply":
        own = where_(mask, x, 1)
        start = 1 if first is None else first
        gx = scaled(g, conjugated(product_of_others(own, axis) * start))
        by_first = scaled(g, conjugated(prod(own, axis=axis, keepdims=True)))
    elif ufunc in _SHARES:
        share = _SHARES[ufunc]
        gx = scaled(g, where_(mask, share(out, x), 0))
        by_first = None if first is None else scaled(g, share(out, first))
    else:
        chosen = logical_and(mask, equal(x, out))
        ties = sum(chosen, axis=axis, keepdims=True)
        if first is not None:
            ties = ties + equal(out, first)
        ties = astype(ties, dtype_of(g))
        gx = where_(chosen, g / ties, 0)
        by_first = None if first is None else where_(equal(out, first), g / ties, 0)
    gx = where_(mask, gx + zeros(shape_of(x), dtype_of(g)), 0)
    result: list[Any] = [gx]
    if initial:
        result.append(sum_to(by_first, shape_of(first)) if type_of(first).is_inexact else None)
    return (*result, *([None] if where else []))


# The derivative of what such a function gives of all elements, by one of them.
_SHARES: dict[str, Callable[[Any, Any], Any]] = {
    "logaddexp": exp_share, "logaddexp2": exp2_share,
    "hypot": lambda out, x: quotient_or_zero(x, out),
}  # fmt: skip
_MASK = np.array([[True, False, True], [True, True, False]])
_ATTRS: dict[str, Any] = {
    "ufunc": "add", "axis": 0, "dtype": None, "keepdims": False, "initial": False, "where": False,
}  # fmt: skip
_MASKED = {**_ATTRS, "where": True, "initial": True}


def _without_gradient(name: str, like: Primitive, samples: Any) -> Primitive:
    """The same op, of any ufunc of two operands."""
    declare = op(
        inputs=like.inputs, infer=like.op.infer, raises=like.op.raises, samples=samples, name=name
    )
    return declare(like.op.kernel)


@op(
    inputs=None,
    infer=_reduced,
    vjp=_reduce_vjp,
    reads=(*range(65), "out"),
    raises=_reduce_raises,
    samples=lambda: (
        ((array((2, 3)), 0.5, _MASK), _MASKED),
        ((array((2, 3)), _MASK), {**_ATTRS, "where": True, "axis": None}),
        ((array((2, 3)), 2.0, _MASK), {**_MASKED, "ufunc": "multiply", "keepdims": True}),
        ((array((2, 3)), -9.0, _MASK), {**_MASKED, "ufunc": "maximum", "axis": 1}),
        ((array((2, 3)), 9.0), {**_ATTRS, "ufunc": "minimum", "axis": 1, "initial": True}),
        ((array((2, 3), "i4"), 3), {**_ATTRS, "axis": (0, 1), "initial": True}),
        ((array((2, 3)), 0.5, _MASK), {**_MASKED, "ufunc": "logaddexp", "axis": 1}),
        ((array((2, 3)),), {**_ATTRS, "ufunc": "logaddexp2", "axis": (0, 1)}),
        ((array((2, 3)),), {**_ATTRS, "ufunc": "hypot", "keepdims": True}),
        ((array((2, 3)),), {**_ATTRS, "ufunc": "fmin", "axis": 1}),
        ((array((0, 3), "f4"), 3.0), {**_ATTRS, "ufunc": "maximum", "initial": True}),
    ),
)
def ufunc_reduce(
    xp: Module,
    x: Array,
    *others: Array,
    ufunc: str,
    axis: Axes,
    dtype: np.dtype[Any] | None,
    keepdims: bool,
    initial: bool,
    where: bool,
) -> Array:
    """`ufunc.reduce` of `initial` and of the elements where `where` is."""
    attrs = {"axis": axis, "dtype": dtype, "keepdims": keepdims}
    return _reduce(xp, x, others, ufunc, initial, where, **attrs)


ufunc_fold = _without_gradient(
    "ufunc_fold",
    ufunc_reduce,
    lambda: (
        ((array((2, 3), "i8"),), {**_ATTRS, "ufunc": "bitwise_xor", "axis": 1}),
        ((array((2, 3), "i8"), _MASK), {**_ATTRS, "ufunc": "logical_or", "where": True}),
        ((array((2, 3), "i8"),), {**_ATTRS, "ufunc": "gcd", "axis": None}),
        ((array((3,), "i8"),), {**_ATTRS, "ufunc": "subtract"}),
    ),
)


_REDUCTIONS: dict[str, Any] = {
    "add": sum, "multiply": prod, "maximum": max, "minimum": min, "logical_and": all_,
    "logical_or": any_,
}  # fmt: skip
_WITH_GRADIENT = frozenset(("add", "multiply", "maximum", "minimum", "fmax", "fmin", *_SHARES))
_NOT_GIVEN = np._NoValue


def reduce_(
    ufunc: str,
    x: Operand,
    axis: Axes = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = _NOT_GIVEN,
    where: Any = True,
) -> Any:
    """`ufunc.reduce`, `out` apart."""
    initial = None if initial is _NOT_GIVEN else initial
    if rank_of(x) == 0 and axis in (0, -1):
        axis = None
    own = _REDUCTIONS.get(ufunc)
    is_plain = initial is None and where is True
    if own is not None and is_plain and (dtype is None or "dtype" in own.attributes):
        named = {"axis": axis, "keepdims": keepdims, **({"dtype": dtype} if dtype else {})}
        return own(x, **named)
    others = [v for v, is_given in ((initial, initial is not None), (where, where is not True))
              if is_given]  # fmt: skip
    general = ufunc_reduce if ufunc in _WITH_GRADIENT else ufunc_fold
    return general(
        x,
        *others,
        ufunc=ufunc,
        axis=axis,
        dtype=dtype,
        keepdims=bool(keepdims),
        initial=initial is not None,
        where=where is not True,
    )


# ---- accumulate ----------------------------------------------------------------------------------


def _accumulated(x: TensorType, ufunc: str, axis: int, dtype: Any) -> TensorType:
    own = _dtype("accumulate", ufunc, x.dtype, _rank(x), axis=axis, dtype=dtype)
    return TensorType(own, x.shape)


def _accumulate_vjp(g: Any, out: Any, x: Any, ufunc: str, axis: int, dtype: Any) -> tuple[Any, ...]:
    """To the element that was the first to be as extreme as the result."""
    if not type_of(x).is_inexact:
        return (None,)
    moved, g = moveaxis(out, axis, 0), moveaxis(g, axis, 0)
    shape, width = shape_of(moved), 1
    for n in shape[1:]:
        width = width * n
    rows, found = (reshape(a, (shape[0], width)) for a in (g, moved))
    is_new = not_equal(getitem(found, slice(1, None)), getitem(found, slice(None, -1)))
    is_new = concat([ones((1, width), bool), is_new], 0)
    numbers = reshape(arange(shape[0]), (-1, 1))
    first = ufunc_accumulate(where_(is_new, numbers, 0), ufunc="maximum", axis=0, dtype=None)
    columns = arange(width)
    gx = index_add(zeros(shape_of(rows), dtype_of(rows)), rows, (first, columns))
    return (moveaxis(reshape(gx, shape), 0, axis),)


@op(
    inputs=1,
    infer=_accumulated,
    vjp=_accumulate_vjp,
    reads=(0, "out"),
    samples=lambda: (
        ((array((5,)),), {"ufunc": "maximum", "axis": 0, "dtype": None}),
        ((array((2, 4)),), {"ufunc": "minimum", "axis": 1, "dtype": None}),
        ((array((3, 2), "i8"),), {"ufunc": "fmax", "axis": -2, "dtype": None}),
        ((array((0, 2), "f4"),), {"ufunc": "maximum", "axis": 0, "dtype": None}),
    ),
)
def ufunc_accumulate(
    xp: Module, x: Array, ufunc: str, axis: int, dtype: np.dtype[Any] | None
) -> Array:
    """`ufunc.accumulate`: the running maximum, say, along `axis`."""
    return _by_numpy(xp, ufunc, "accumulate", x, axis=axis, dtype=dtype)


ufunc_scan = _without_gradient(
    "ufunc_scan",
    ufunc_accumulate,
    lambda: (
        ((array((5,), "i8"),), {"ufunc": "subtract", "axis": 0, "dtype": None}),
        ((array((2, 4), "?"),), {"ufunc": "logical_xor", "axis": 1, "dtype": None}),
    ),
)


_EXTREMES = frozenset(("maximum", "minimum", "fmax", "fmin"))


def accumulate(ufunc: str, x: Operand, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    """`ufunc.accumulate`, `out` apart."""
    if rank_of(x) == 0:
        raise TypeError("cannot accumulate on a scalar")
    if ufunc in ("add", "multiply"):
        own: Any = cumsum if ufunc == "add" else cumprod
        return own(x, normal_axis(axis, rank_of(x)), dtype)
    general = ufunc_accumulate if ufunc in _EXTREMES else ufunc_scan
    return general(x, ufunc=ufunc, axis=axis, dtype=dtype)


# ---- reduceat ------------------------------------------------------------------------------------


def _parts(x: TensorType, at: TensorType, ufunc: str, axis: int, dtype: Any) -> TensorType:
    if at.dtype.kind not in "iu" or at.shape is None or len(at.shape) != 1:
        raise TypeError(f"the indices of `reduceat` are integers along one axis, not {at}")
    own = _dtype("reduceat", ufunc, x.dtype, _rank(x), indices=(0,), axis=axis, dtype=dtype)
    if x.shape is None:
        return TensorType(own, None)
    number = normal_axis(axis, len(x.shape))
    return TensorType(own, (*x.shape[:number], at.shape[0], *x.shape[number + 1 :]))


def _reduceat_vjp(
    g: Any, out: Any, x: Any, at: Any, ufunc: str, axis: int, dtype: Any
) -> tuple[Any, ...]:
    """Each element gets the cotangents of the sums that it is in."""
    if not type_of(x).is_inexact:
        return (None, None)
    g, size = moveaxis(g, axis, 0), shape_of(x)[normal_axis(axis, rank_of(x))]
    end = concat([getitem(at, slice(1, None)), reshape(asarray(size), (1,))], 0)
    end = where_(less(at, end), end, at + 1)
    numbers = reshape(arange(size), (-1, 1))
    is_in = logical_and(less(numbers, end), logical_not(less(numbers, at)))
    is_in = reshape(is_in, (*shape_of(is_in), *(1,) * (rank_of(g) - 1)))
    return moveaxis(sum(where_(is_in, g, 0), axis=1), 0, axis), None


_PLACES = np.array([0, 3, 1, 4])


@op(
    inputs=2,
    infer=_parts,
    vjp=_reduceat_vjp,
    reads=(0, 1),
    raises=always,
    samples=lambda: (
        ((array((5,)), _PLACES), {"ufunc": "add", "axis": 0, "dtype": None}),
        ((array((2, 5)), _PLACES), {"ufunc": "add", "axis": 1, "dtype": None}),
        ((array((5,), "i4"), _PLACES), {"ufunc": "add", "axis": 0, "dtype": None}),
    ),
)
def ufunc_sums_at(
    xp: Module, x: Array, at: Array, ufunc: str, axis: int, dtype: np.dtype[Any] | None
) -> Array:
    """`ufunc.reduceat` of the parts of `x` that begin at each index along `axis`."""
    return _by_numpy(xp, ufunc, "reduceat", x, at, axis=axis, dtype=dtype)


ufunc_reduceat = _without_gradient(
    "ufunc_reduceat",
    ufunc_sums_at,
    lambda: (((array((5,), "i8"), _PLACES), {"ufunc": "maximum", "axis": 0, "dtype": None}),),
)


def reduceat(
    ufunc: str, x: Operand, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Any:
    """`ufunc.reduceat`, `out` apart."""
    general = ufunc_sums_at if ufunc == "add" else ufunc_reduceat
    return general(x, asarray(indices), ufunc=ufunc, axis=axis, dtype=dtype)


# ---- outer ---------------------------------------------------------------------------------------


def outer(ufunc: str, x: Operand, y: Operand, **options: Any) -> Any:
    """`ufunc.outer`: the ufunc of each element of `x` with each of `y`."""
    function = numpy_function(ufunc)
    if function is None or options:
        raise StagingError(
            f"`np.{ufunc}.outer` of a traced value has no {', '.join(options) or 'form'} yet",
            "put new axes into the first operand: `x[:, None] - y`",
        )
    x, y = asarray(x), asarray(y)
    return function(reshape(x, (*shape_of(x), *(1,) * rank_of(y))), y)


METHODS: dict[str, Callable[..., Any]] = {
    "reduce": reduce_,
    "accumulate": accumulate,
    "reduceat": reduceat,
    "at": at,
    "outer": outer,
}
