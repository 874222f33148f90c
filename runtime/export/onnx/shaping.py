"""Shapes, parts and joins of arrays, in ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.export.onnx.emitter import Emitter, Term, refuse
from runtime.export.onnx.table import (
    operand_types,
    rank_of_value,
    result_dtype,
    result_type,
    writes,
)
from runtime.graph.ir import Node
from runtime.ops.declaration.operands import normal_axes, normal_axis

__all__: list[str] = []


@writes("dim")
def _dim(emit: Emitter, node: Node, x: Term) -> Term:
    axis = normal_axis(node.attrs["axis"], rank_of_value(node))
    return emit.scalar(emit.size(x, axis))


@writes("has_axes")
def _has_axes(emit: Emitter, node: Node, x: Term) -> Term:
    rank = emit("Size", emit.shape(x), dtype=np.int64)
    return rank > 0


@writes("broadcast_to")
def _broadcast_to(emit: Emitter, node: Node, x: Term, *dims: Term) -> Term:
    return emit("Expand", x, emit.sizes(node.attrs["shape"], dims))


@writes("reshape")
def _reshape(emit: Emitter, node: Node, x: Term, *dims: Term) -> Term:
    shape = node.attrs["shape"]
    allows_zero = int(-1 not in shape)
    return emit("Reshape", x, emit.sizes(shape, dims), allowzero=allows_zero)


@writes("zeros", "full")
def _full(emit: Emitter, node: Node, *operands: Term) -> Term:
    dtype = result_dtype(node)
    if node.op.name == "zeros":
        value, dims = emit.constant(0, dtype), operands
    else:
        value, *rest = operands
        value, dims = value.to(dtype), tuple(rest)
    return emit("Expand", value, emit.sizes(node.attrs["shape"], dims))


def summed_to(emit: Emitter, node: Node, x: Term, shape: Term) -> Term:
    """`x` summed over the axes along which an array of a shape was broadcast to that of `x`."""
    missing = rank_of_value(node) - len(result_type(node).shape or ())
    wanted = emit("Concat", emit.ints(*[1] * missing), shape, axis=0) if missing else shape
    is_other = ~wanted.equal(emit.shape(x))
    axes = emit.flat(emit("NonZero", is_other, dtype=np.int64))
    total = emit("ReduceSum", x, axes, keepdims=1, noop_with_empty_axes=1)
    return emit.reshape(total, shape)


@writes("sum_to")
def _sum_to(emit: Emitter, node: Node, x: Term, *dims: Term) -> Term:
    return summed_to(emit, node, x, emit.sizes(node.attrs["shape"], dims))


@writes("sum_like")
def _sum_like(emit: Emitter, node: Node, x: Term, like: Term) -> Term:
    return summed_to(emit, node, x, emit.shape(like))


@writes("zeros_of")
def _zeros_of(emit: Emitter, node: Node, x: Term) -> Term:
    return emit("Expand", emit.constant(0, x.dtype), emit.shape(x))


@writes("permute_dims")
def _permute(emit: Emitter, node: Node, x: Term) -> Term:
    axes = node.attrs["axes"]
    rank = rank_of_value(node)
    order = tuple(range(rank))[::-1] if axes is None else normal_axes(axes, rank)
    return emit("Transpose", x, perm=order) if order else x


@writes("expand_dims")
def _expand_dims(emit: Emitter, node: Node, x: Term) -> Term:
    axis = node.attrs["axis"]
    return emit("Unsqueeze", x, emit.ints(*(axis if isinstance(axis, tuple) else (axis,))))


@writes("squeeze")
def _squeeze(emit: Emitter, node: Node, x: Term) -> Term:
    axis = node.attrs["axis"]
    if axis is None:
        return emit("Squeeze", x)
    axes = axis if isinstance(axis, tuple) else (axis,)
    return emit("Squeeze", x, emit.ints(*axes)) if axes and rank_of_value(node) else x


@writes("flip")
def _flip(emit: Emitter, node: Node, x: Term) -> Term:
    axes = normal_axes(node.attrs["axis"], rank_of_value(node))
    if not axes:
        return x
    count = len(axes)
    least = -(2**62)
    ends = [emit.ints(*[n] * count) for n in (-1, least)]
    return emit("Slice", x, *ends, emit.ints(*axes), emit.ints(*[-1] * count))


@writes("roll")
def _roll(emit: Emitter, node: Node, x: Term) -> Term:
    shifts, axes = node.attrs["shift"], node.attrs["axis"]
    if axes is None:
        return emit.reshape(_rolled(emit, emit.flat(x), shifts, 0), emit.shape(x))
    pairs = zip(
        *(v if isinstance(v, tuple) else (v,) * _length(shifts, axes) for v in (shifts, axes)),
        strict=True,
    )
    for shift, axis in pairs:
        x = _rolled(emit, x, shift, normal_axis(axis, rank_of_value(node)))
    return x


def _length(*values: Any) -> int:
    return max(len(v) if isinstance(v, tuple) else 1 for v in values)


def _rolled(emit: Emitter, x: Term, shift: int, axis: int) -> Term:
    size = emit.scalar(emit.size(x, axis))
    places = span(emit, size) - shift
    safe = emit("Max", size, emit.constant(1, np.int64))
    return emit("Gather", x, emit("Mod", places, safe), axis=axis)


def span(emit: Emitter, size: Term) -> Term:
    """The integers below a size."""
    return emit("Range", emit.constant(0, np.int64), size, emit.constant(1, np.int64))


@writes("concat")
def _concat(emit: Emitter, node: Node, *parts: Term) -> Term:
    dtype, axis = result_dtype(node), node.attrs["axis"]
    given = [x.to(dtype) for x in parts]
    if axis is None:
        given, axis = [emit.flat(x) for x in given], 0
    return emit("Concat", *given, axis=axis)


@writes("stack")
def _stack(emit: Emitter, node: Node, *parts: Term) -> Term:
    dtype, axis = result_dtype(node), node.attrs["axis"]
    place = normal_axis(axis, rank_of_value(node) + 1)
    return emit(
        "Concat", *[emit("Unsqueeze", x.to(dtype), emit.ints(place)) for x in parts], axis=place
    )


@writes("append_row")
def _append_row(emit: Emitter, node: Node, x: Term, row: Term) -> Term:
    return emit("Concat", x, emit("Unsqueeze", row.to(x.dtype), emit.ints(0)), axis=0)


@writes("without_row")
def _without_row(emit: Emitter, node: Node, x: Term, row: Term) -> Term:
    at = emit("Unsqueeze", row.to(np.int64), emit.ints(0))
    before = emit("Slice", x, emit.ints(0), at, emit.ints(0))
    behind = emit("Slice", x, at + 1, emit.size(x, 0), emit.ints(0))
    return emit("Concat", before, behind, axis=0)


@writes("arange")
def _arange(emit: Emitter, node: Node, *operands: Term) -> Term:
    """`start + k * step`, for as many k as are below the end."""
    dtype, rest = result_dtype(node), iter(operands)
    work = np.dtype(np.float64) if dtype.kind == "f" else np.dtype(np.int64)
    bounds = [
        next(rest).to(work) if node.attrs[name] is None else emit.constant(node.attrs[name], work)
        for name in ("start", "stop", "step")
    ]
    if dtype.kind != "f":
        return emit("Range", *bounds, dtype=work).to(dtype)
    start, stop, step = bounds
    count = emit("Ceil", (stop - start) / step).to(np.int64)
    step = (start + step).to(dtype) - start.to(dtype)
    return start.to(dtype) + span(emit, count).to(dtype) * step


@writes("linspace")
def _linspace(emit: Emitter, node: Node, start: Term, stop: Term) -> Term:
    number, is_whole = int(node.attrs["num"]), node.attrs["endpoint"]
    work = np.dtype(np.float64) if result_dtype(node).kind in "iu" else result_dtype(node)
    start, stop = (emit("Unsqueeze", x.to(work), emit.ints(0)) for x in (start, stop))
    rank = max(rank_of_value(node, 0), rank_of_value(node, 1))
    parts = max(number - 1 if is_whole else number, 1)
    shape = (number,) + (1,) * rank
    steps = emit.constant(np.arange(number, dtype=work).reshape(shape))
    found: Term = start + steps * ((stop - start) / parts)
    if is_whole and number > 1:
        is_last = emit.constant((np.arange(number) == number - 1).reshape(shape))
        found = emit.where(is_last, stop, found)
    if result_dtype(node).kind in "iu":
        found = emit("Floor", found)
    return found.to(result_dtype(node))


@writes("checked")
def _checked(emit: Emitter, node: Node, x: Term, holds: Term, *values: Term) -> Term:
    return emit.checked(x, holds.to(np.bool_))


@writes("nonzero")
def _nonzero(emit: Emitter, node: Node, x: Term) -> list[Term]:
    found = emit("NonZero", x.to(np.bool_), dtype=np.int64)
    return [emit("Gather", found, emit.constant(k, np.int64)) for k in range(len(node.outputs))]


@writes("choose")
def _choose(emit: Emitter, node: Node, condition: Term, x: Term, y: Term) -> Term:
    return emit.where(condition, x, y)


@writes("diagonal")
def _diagonal(emit: Emitter, node: Node, x: Term) -> Term:
    """The elements at equal places of two axes, along a new last one."""
    rank = rank_of_value(node)
    offset = node.attrs["offset"]
    one, other = (normal_axis(node.attrs[a], rank) for a in ("axis1", "axis2"))
    rest = [a for a in range(rank) if a not in (one, other)]
    turned = emit("Transpose", x, perm=[one, other, *rest])
    rows, columns = (emit.scalar(emit.size(turned, k)) for k in (0, 1))
    across, down = max(offset, 0), max(-offset, 0)
    count = emit("Max", emit("Min", rows - down, columns - across), emit.constant(0, np.int64))
    places = span(emit, count)
    pairs = [emit("Unsqueeze", places + k, emit.ints(1)) for k in (down, across)]
    found = emit("GatherND", turned, emit("Concat", *pairs, axis=1))
    return emit("Transpose", found, perm=[*range(1, rank - 1), 0]) if rank > 2 else found


@writes("as_long_as")
def _as_long_as(emit: Emitter, node: Node, x: Term, other: Term) -> Term:
    axis = normal_axis(node.attrs["axis"], rank_of_value(node))
    missing = emit("Max", emit.size(other, axis) - emit.size(x, axis), emit.ints(0))
    return emit("Pad", x, emit("Concat", emit.ints(0), missing, axis=0), None, emit.ints(axis))


@writes("repeat")
def _repeat(emit: Emitter, node: Node, x: Term, repeats: Term) -> Term | None:
    count, axis = node.attrs["count"], normal_axis(node.attrs["axis"], rank_of_value(node))
    if not count:
        raise refuse("a number of repetitions for each element, or none")
    places = span(emit, emit.scalar(emit.size(x, axis)) * count) / count
    return emit("Gather", x, places, axis=axis)


def _fit(*shapes: Any) -> bool:
    """Whether arrays of these shapes can be broadcast to each other."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


@writes("array_equal", "array_equiv")
def _array_equal(emit: Emitter, node: Node, x: Term, y: Term) -> Term:
    shapes = [type_.shape for type_ in operand_types(node)]
    if node.attrs.get("equal_nan") or None in shapes or any(None in s for s in shapes if s):
        raise refuse("`array_equal` of arrays whose sizes are not known")
    if node.op.name == "array_equal" and shapes[0] != shapes[1] or not _fit(*shapes):
        return emit.constant(False)
    dtype = np.promote_types(x.dtype, y.dtype)
    dtype = np.dtype(np.int32) if dtype.kind == "b" else dtype
    return ~emit.any(~x.to(dtype).equal(y.to(dtype)))


@writes("unique")
def _unique(emit: Emitter, node: Node, x: Term) -> list[Term]:
    attrs = node.attrs
    if attrs["axis"] is not None or x.dtype.kind == "f":
        raise refuse("`unique` of floats or along an axis: nans have no order there")
    wide = x.to(np.int64)
    values, index, inverse, counts = emit.several(
        "Unique", [emit.flat(wide)], [np.int64] * 4, sorted=1
    )
    found = [values.to(x.dtype)]
    shaped = emit.reshape(inverse, emit.shape(x))
    for name, term in (("index", index), ("inverse", shaped), ("counts", counts)):
        found += [term] if attrs[name] else []
    return found
