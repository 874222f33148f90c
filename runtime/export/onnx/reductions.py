"""Reductions, sums along axes and orders, in ONNX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from runtime.export.onnx.emitter import Emitter, Term, element_type
from runtime.export.onnx.table import (
    operand_types,
    rank_of_value,
    result_dtype,
    writes,
)
from runtime.graph.ir import Node
from runtime.ops.declaration.operands import normal_axes, normal_axis

__all__: list[str] = []


def _axes(node: Node) -> tuple[int, ...] | None:
    """The axes of a reduction from the front; None: all of an unknown number."""
    axis = node.attrs["axis"]
    if axis is None and operand_types(node)[0].rank is None:
        return None
    return normal_axes(axis, rank_of_value(node))


def _keeps(node: Node) -> bool:
    return bool(node.attrs["keepdims"])


def _sum_dtype(dtype: Any) -> Any:
    """The dtype that runtimes sum in: they have no sums of short integers."""
    return np.dtype(np.int64) if dtype.kind in "iub" else dtype


@writes("sum")
def _sum(emit: Emitter, node: Node, x: Term) -> Term:
    dtype = result_dtype(node)
    return emit.total(x.to(dtype).to(_sum_dtype(dtype)), _axes(node), _keeps(node)).to(dtype)


@writes("prod")
def _prod(emit: Emitter, node: Node, x: Term) -> Term:
    dtype, axes = result_dtype(node), _axes(node)
    x = x.to(dtype).to(_sum_dtype(dtype))
    if axes == ():
        return x.to(dtype)
    given = None if axes is None else emit.ints(*axes)
    return emit("ReduceProd", x, given, keepdims=int(_keeps(node))).to(dtype)


def count(emit: Emitter, x: Term, axes: Sequence[int] | None) -> Term:
    """The number of elements along axes, as an integer without an axis."""
    if axes is None:
        return emit("Size", x, dtype=np.int64)
    sizes = [emit.scalar(emit.size(x, axis)) for axis in axes]
    found = emit.constant(1, np.int64)
    for size in sizes:
        found = found * size
    return found


@writes("mean")
def _mean(emit: Emitter, node: Node, x: Term) -> Term:
    x, axes = x.to(result_dtype(node)), _axes(node)
    return emit.total(x, axes, _keeps(node)) / count(emit, x, axes).to(x.dtype)


@writes("var", "std")
def _var(emit: Emitter, node: Node, x: Term) -> Term:
    x, axes = x.to(result_dtype(node)), _axes(node)
    number = count(emit, x, axes).to(x.dtype)
    off = x - emit.total(x, axes, True) / number
    left = emit("Max", number - node.attrs["ddof"], emit.constant(0, x.dtype))
    found = emit.total(off * off, axes, _keeps(node)) / left
    return found if node.op.name == "var" else emit("Sqrt", found)


@writes("max", "min")
def _max(emit: Emitter, node: Node, x: Term) -> Term:
    """ONNX' do not say what a nan gives: here one does."""
    axes, dtype, op = _axes(node), x.dtype, f"Reduce{node.op.name.capitalize()}"
    if axes == ():
        return x
    given = None if axes is None else emit.ints(*axes)
    wide = x.to(np.int32) if dtype.kind == "b" else x
    if dtype.kind in "iu" and dtype.itemsize < 8:
        wide = x.to(np.int64)
    found = emit(op, wide, given, keepdims=int(_keeps(node))).to(dtype)
    if dtype.kind != "f":
        return found
    is_nan = emit.any(emit.is_nan(x), axes, _keeps(node))
    return emit.where(is_nan, emit.constant(math.nan, dtype), found)


@writes("any", "all", "count_nonzero")
def _truths(emit: Emitter, node: Node, x: Term) -> Term:
    truth, axes = x.to(np.bool_), _axes(node)
    if node.op.name == "any":
        return emit.any(truth, axes, _keeps(node))
    if node.op.name == "all":
        return ~emit.any(~truth, axes, _keeps(node))
    return emit.total(truth.to(np.int64), axes, _keeps(node))


@writes("argmax", "argmin")
def _argmax(emit: Emitter, node: Node, x: Term) -> Term:
    op, axis = ("ArgMax" if "argmax" in node.op.name else "ArgMin"), node.attrs["axis"]
    rank = rank_of_value(node)
    flat = axis is None
    if flat or rank == 0:
        x, axis = emit.flat(x), 0
    wide = x.to(np.int32) if x.dtype.kind in "iub" and x.dtype.itemsize < 4 else x
    how = {
        "axis": normal_axis(axis, max(rank, 1)) if not flat else 0,
        "keepdims": int(_keeps(node)),
    }
    if flat:
        how["keepdims"] = 0
    found = emit(op, wide, dtype=np.int64, **how)
    if x.dtype.kind == "f":
        nan = emit.is_nan(x)
        at_nan = emit("ArgMax", nan.to(np.int32), dtype=np.int64, **how)
        given = [how["axis"]]
        found = emit.where(emit.any(nan, given, bool(how["keepdims"])), at_nan, found)
    if flat and _keeps(node):
        found = emit("Reshape", found, emit.ints(*[1] * rank))
    return found


@writes("cumsum")
def _cumsum(emit: Emitter, node: Node, x: Term) -> Term:
    dtype, axis = result_dtype(node), node.attrs["axis"]
    if axis is None or rank_of_value(node) == 0:
        x, axis = emit.flat(x), 0
    wide = x.to(dtype).to(_sum_dtype(dtype))
    return emit("CumSum", wide, emit.constant(axis, np.int64)).to(dtype)


@writes("nanargmax", "nanargmin")
def _nanargmax(emit: Emitter, node: Node, x: Term) -> Term:
    """As `argmax`, a nan being less than all else; an error where there are only such."""
    is_max, axes = node.op.name == "nanargmax", _axes(node)
    if x.dtype.kind != "f":
        return _argmax(emit, node, x)
    nan = emit.is_nan(x)
    x = emit.checked(x, ~emit.any(~emit.any(~nan, axes)))
    return _argmax(emit, node, emit.where(nan, -math.inf if is_max else math.inf, x))


@writes("cumprod")
def _cumprod(emit: Emitter, node: Node, x: Term) -> Term:
    """A loop whose state is the product so far: `Scan` of nothing ends onnxruntime's process."""
    dtype, axis = result_dtype(node), node.attrs["axis"]
    rank = rank_of_value(node)
    if axis is None or rank == 0:
        x, axis, rank = emit.flat(x), 0, 1
    axis = normal_axis(axis, rank)
    order = [axis, *(k for k in range(rank) if k != axis)]
    x = emit("Transpose", x.to(dtype), perm=order)
    ones = emit("Expand", emit.constant(1, dtype), emit.shape(emit.total(x, [0])))
    inner = emit.inner()
    number, going, product = (emit.names.fresh(stem) for stem in ("round", "going", "product"))
    element = inner("Gather", x, Term(inner, number, np.dtype(np.int64)), axis=0)
    row = Term(inner, product, dtype) * element
    info = helper.make_tensor_value_info
    kind = element_type(dtype)
    given = [
        info(number, TensorProto.INT64, []), info(going, TensorProto.BOOL, []),
        info(product, kind, None),
    ]  # fmt: skip
    goes = inner("Identity", Term(inner, going, np.dtype(np.bool_)))
    both = [inner("Identity", row) for _ in range(2)]
    made = [info(goes.name, TensorProto.BOOL, []), *(info(t.name, kind, None) for t in both)]
    body = helper.make_graph(inner.nodes, emit.names.fresh("products"), given, made)
    count = emit.scalar(emit.size(x, 0))
    _, rows = emit.several("Loop", [count, None, ones], [dtype, dtype], body=body)
    found = emit.reshape(rows, emit.shape(x))
    return emit("Transpose", found, perm=[order.index(k) for k in range(rank)])


# ---- orders ------------------------------------------------------------------------------------


def _smallest_first(emit: Emitter, x: Term, axis: int) -> tuple[Term, Term]:
    """Elements in order, and where they come from; equal ones as they are."""
    wide = x.to(np.int64) if x.dtype.kind in "iub" and x.dtype.itemsize < 4 else x
    values, places = emit.several(
        "TopK", [wide, emit.size(x, axis)], [wide.dtype, np.int64], axis=axis, largest=0, sorted=1
    )
    return values.to(x.dtype), places


@writes("sort", "argsort")
def _sort(emit: Emitter, node: Node, x: Term) -> Term:
    """In ascending order, nans last."""
    axis = node.attrs["axis"]
    if axis is None:
        x, axis = emit.flat(x), 0
    else:
        axis = normal_axis(axis, rank_of_value(node))
    if x.dtype.kind != "f":
        return _smallest_first(emit, x, axis)[0 if node.op.name == "sort" else 1]
    nan = emit.is_nan(x)
    _, first = _smallest_first(emit, emit.where(nan, math.inf, x), axis)
    moved = emit("GatherElements", nan.to(np.int32), first, axis=axis)
    _, second = _smallest_first(emit, moved, axis)
    places = emit("GatherElements", first, second, axis=axis)
    return places if node.op.name == "argsort" else emit("GatherElements", x, places, axis=axis)


@writes("searchsorted")
def _searchsorted(emit: Emitter, node: Node, x: Term, v: Term) -> Term:
    """How many elements are smaller than each value: `right`, or not larger."""
    dtype = np.promote_types(x.dtype, v.dtype)
    x, v = x.to(dtype), emit("Unsqueeze", v.to(dtype), emit.ints(-1))
    below = x <= v if node.attrs["side"] == "right" else x < v
    return emit.total(below.to(np.int64), [rank_of_value(node, 1)])
