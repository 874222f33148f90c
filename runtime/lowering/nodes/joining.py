"""Lowering of ops that join arrays, or turn them round."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import (
    Array,
    Computed,
    Form,
    Joined,
    Stored,
    Uniform,
    as_expr,
    is_memory,
    uniform,
)
from runtime.lowering.kernels.builder import Builder, is_small
from runtime.lowering.kernels.kernel import Dim
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, call, cast, index, is_float, is_int
from runtime.lowering.nodes.concatenation_views import join
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import mapped
from runtime.lowering.nodes.shaping import as_array, axes_of

__all__ = ["concat", "flip", "roll", "stack"]


def concat(b: Builder, node: Node) -> list[Form]:
    """Arrays one after the other along an axis."""
    arrays = [as_array(b.forms[value]) for value in node.inputs]
    axis = node.attrs.get("axis", 0)
    if axis is None or any(not x.shape for x in arrays):
        raise Refusal("concat of flattened arrays")
    return [_joined(b, node, arrays, int(axis) % len(arrays[0].shape))]


def stack(b: Builder, node: Node) -> list[Form]:
    """Arrays along a new axis."""
    arrays = [as_array(b.forms[value]) for value in node.inputs]
    axis = int(node.attrs["axis"]) % (len(arrays[0].shape) + 1)
    return [_joined(b, node, [_with_axis(b, x, axis) for x in arrays], axis)]


def _with_axis(b: Builder, x: Array, axis: int) -> Array:
    """The array with one more axis, of size 1."""
    shape = (*x.shape[:axis], 1, *x.shape[axis:])
    if isinstance(x, Stored):
        return Stored(x.buffer, shape, x.type)
    if isinstance(x, Uniform):
        return uniform(x.number, shape)
    if isinstance(x, Joined):
        return join(b, [_with_axis(b, part, axis) for part in x.parts], x.axis + (x.axis >= axis))
    flat = (lambda i: b.flat_at(x, i)) if b.has_flat(x) else None
    at = lambda i: b.at(x, [*i[:axis], *i[axis + 1 :]])  # noqa: E731 - short
    depth = x.depth if isinstance(x, Computed) else 1
    return Computed(at, shape, x.type, flat, is_memory(x), depth)


def _joined(b: Builder, node: Node, parts: Sequence[Array], axis: int) -> Array:
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    sizes = [b.size(x.shape[axis]) for x in parts]
    if any(is_int(kind) and is_float(x.type) for x in parts):
        raise Refusal("concat of kinds that differ")
    shape = list(parts[0].shape)
    for x in parts[1:]:
        for a, (one, other) in enumerate(zip(shape, x.shape, strict=True)):
            shape[a] = one if a == axis else b.equal(one, other)
    shape[axis] = reduce(b.added, sizes)
    known = [n for n in sizes if isinstance(n, int)]
    if is_small(shape):
        return _of_elements(b, parts, known, axis, tuple(shape), kind)
    return join(b, [_in_type(b, x, kind) for x in parts], axis)


def _in_type(b: Builder, x: Array, kind: str) -> Array:
    return x if x.type == kind else mapped(b, [x], kind, lambda args: cast(args[0], kind))


def _of_elements(
    b: Builder, parts: Sequence[Array], sizes: Sequence[int], axis: int, shape: tuple[Dim, ...],
    kind: str,
) -> Array:  # fmt: skip
    """A small array: each index is known, so is the part that it is in."""

    def at(indices: Sequence[Expr]) -> Expr:
        position = indices[axis].value
        for x, n in zip(parts, sizes, strict=True):
            if position < n:
                return cast(b.at(x, [*indices[:axis], index(position), *indices[axis + 1 :]]), kind)
            position -= n
        raise AssertionError("an index that is out of bounds")

    return b.elements(Computed(at, shape, kind))


def flip(b: Builder, node: Node) -> list[Form]:
    """The elements along some axes in reverse order."""
    x = as_array(b.forms[node.inputs[0]])
    axes = axes_of(node, len(x.shape))

    def at(indices: Sequence[Expr]) -> Expr:
        return b.at(
            x,
            [
                call("sub", _last(x.shape[a]), i) if a in axes else i
                for a, i in enumerate(indices)
            ],
        )  # fmt: skip

    if not x.shape:
        return [b.at(x, [])]
    return [_view(x, at)]


def _last(size: Dim) -> Expr:
    return index(size - 1) if isinstance(size, int) else call("sub", size, index(1))


def roll(b: Builder, node: Node) -> list[Form]:
    """The elements along some axes moved on, those that leave coming in at the other end."""
    x = as_array(b.forms[node.inputs[0]])
    shift, axis = node.attrs["shift"], node.attrs["axis"]
    axis = 0 if axis is None and len(x.shape) == 1 else axis
    shifts = shift if isinstance(shift, tuple) else (shift,)
    if axis is None or any(not isinstance(n, int) for n in shifts):
        raise Refusal("roll of flattened arrays, or by numbers that are not known")
    axes = axis if isinstance(axis, tuple) else (axis,)
    moves = dict.fromkeys(range(len(x.shape)), 0)
    count = max(len(axes), len(shifts))
    for a, s in zip(axes * (count // len(axes)), shifts * (count // len(shifts)), strict=True):
        moves[a % len(x.shape)] += s

    back = [_back(b, moves[a], size) for a, size in enumerate(x.shape)]

    def at(indices: Sequence[Expr]) -> Expr:
        return b.at(x, [_moved(*one) for one in zip(indices, back, x.shape, strict=True)])

    return [_view(x, at)]


def _back(b: Builder, shift: int, size: Dim) -> Dim:
    """-shift modulo size."""
    if isinstance(size, int):
        return -shift % size if size else 0
    return b.let(call("floor_remainder", index(-shift), size)) if shift else 0


def _moved(i: Expr, back: Dim, size: Dim) -> Expr:
    """(i + back) modulo size."""
    if back == 0:
        return i
    if i.function == "const" and isinstance(size, int) and isinstance(back, int):
        return index((i.value + back) % size)
    moved = call("add", i, as_expr(back))
    wraps = call("ge", moved, as_expr(size))
    return Expr("select", "i8", (wraps, call("sub", moved, as_expr(size)), moved))


def _view(x: Array, at: object) -> Form:
    assert callable(at)
    depth = 1 + x.depth if isinstance(x, Computed) else 1
    return Computed(at, x.shape, x.type, is_view=is_memory(x), depth=depth)
