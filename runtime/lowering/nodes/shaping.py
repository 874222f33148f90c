"""Lowering of ops that move elements: they become maps from index to index, not loops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import (
    Array,
    Computed,
    Elements,
    Form,
    Joined,
    Stored,
    Turned,
    Uniform,
    as_expr,
    flat_offset,
    is_memory,
    stays_in_order,
    turned,
    uniform,
)
from runtime.lowering.kernels.builder import LONGEST, Builder, is_of_the_run
from runtime.lowering.kernels.kernel import Dim, product
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, call, cast, const, either, index, is_int, select
from runtime.lowering.nodes.call_outs import fails
from runtime.lowering.nodes.concatenation_views import has_only_slices, join, part_of
from runtime.lowering.nodes.elements import tensor_type
from runtime.lowering.nodes.slicing import sliced, static_index

__all__ = [
    "as_array",
    "axes_of",
    "broadcast_to",
    "diagonal",
    "expand_dims",
    "getitem",
    "given_shape",
    "given_size",
    "permute_dims",
    "permuted",
    "repeat",
    "reshape",
    "size_before",
    "size_of",
    "squeeze",
    "subscript",
    "windows_along",
]

# Elements of an array that is put in memory before it gets another shape: a division takes about as
# long as to write and read an element, and no vectors.
_MANY = 1 << 10
# What is computed of sizes as sizes are.
_OF_SIZES = ("dim", "add", "subtract", "multiply", "floor_divide")


def as_array(form: Form) -> Array:
    """The form of an array; a scalar is one without axes."""
    if isinstance(form, Expr):
        return uniform(form, ())
    return form


def axes_of(node: Node, rank: int) -> list[int]:
    """The axes that the attribute `axis` names; None: all."""
    axis = node.attrs["axis"]
    given = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return sorted(int(a) % rank for a in given)


def expand_dims(b: Builder, node: Node) -> list[Form]:
    """Axes of size 1 put in."""
    x = as_array(b.forms[node.inputs[0]])
    result = tensor_type(node.outputs[0].type)
    assert result.shape is not None
    new = set(axes_of(node, len(result.shape)))
    kept = [axis for axis in range(len(result.shape)) if axis not in new]
    shape: list[Dim] = [1] * len(result.shape)
    for axis, dim in zip(kept, x.shape, strict=True):
        shape[axis] = dim
    return [_view(b, x, shape, lambda i: [i[axis] for axis in kept])]


def squeeze(b: Builder, node: Node) -> list[Form]:
    """Axes of size 1 left out."""
    x = as_array(b.forms[node.inputs[0]])
    is_any = node.attrs["axis"] is None or not x.shape
    if is_any and any(not isinstance(n, int) for n in x.shape):
        raise Refusal("squeeze of sizes that are not known")
    gone = axes_of(node, len(x.shape)) if not is_any else [
        axis for axis, n in enumerate(x.shape) if n == 1
    ]  # fmt: skip
    if any(x.shape[axis] != 1 for axis in gone):
        raise Refusal("squeeze of an axis that may not have size 1")
    kept = [axis for axis in range(len(x.shape)) if axis not in gone]

    def back(indices: Sequence[Expr]) -> list[Expr]:
        full_ = [index(0)] * len(x.shape)
        for axis, i in zip(kept, indices, strict=True):
            full_[axis] = i
        return full_

    return [_view(b, x, [x.shape[axis] for axis in kept], back)]


def _view(b: Builder, x: Array, shape: Sequence[Dim], back: Any) -> Form:
    """The array of another shape whose elements are those of `x` at `back(indices)`."""
    if not shape:
        return b.at(x, back([]))
    if isinstance(x, Stored) and len(x.shape) != len(shape) and _same_order(x.shape, shape):
        return Stored(x.buffer, tuple(shape), x.type)
    depth = 1 + x.depth if isinstance(x, Computed) else 1
    at = lambda i: b.at(x, back(i))  # noqa: E731 - short
    return Computed(at, tuple(shape), x.type, is_view=is_memory(x), depth=depth)


def _same_order(one: Sequence[Dim], other: Sequence[Dim]) -> bool:
    """Whether the axes that are not of size 1 are the same, in the same order."""
    return [n for n in one if n != 1] == [n for n in other if n != 1]


def reshape(b: Builder, node: Node) -> list[Form]:
    """The same elements in the order of memory."""
    x = as_array(b.forms[node.inputs[0]])
    result = tensor_type(node.outputs[0].type)
    if result.shape is None:
        raise Refusal("reshape to a shape that is not known")
    if len(node.inputs) > 1:
        shape = _as_given(b, node, x)
    elif result.is_static and any(map(is_of_the_run, x.shape)):
        count = as_expr(product(x.shape))
        b.raise_where(call("ne", count, as_expr(product(_known(result.shape)))))
        shape = _known(result.shape)
    else:
        shape = _sizes_of(x.shape, result.shape)
    if _takes_long_by_position(b, x):
        x = b.stored(x)
    if isinstance(x, Stored):
        found: Form = Stored(x.buffer, shape, x.type)
        return [found if shape else b.at(x, [index(0)] * len(x.shape))]

    def back(indices: Sequence[Expr]) -> Expr:
        position = flat_offset(indices, shape)
        if b.has_flat(x):
            return b.flat_at(x, position)
        return b.at(x, _apart(position, x.shape))

    made = Computed(back, shape, x.type)
    return [back([]) if not shape else made]


def _takes_long_by_position(b: Builder, x: Array) -> bool:
    """Whether there are many elements of which each needs divisions to tell its indices."""
    count = product(x.shape)
    has_many = count >= _MANY if isinstance(count, int) else not any(map(is_of_the_run, x.shape))
    return has_many and isinstance(x, Computed) and not isinstance(x, Uniform) and not b.has_flat(x)


def _as_given(b: Builder, node: Node, x: Array) -> tuple[Dim, ...]:
    """The shape that operands tell, which must have as many elements as there are."""
    if -1 in node.attrs["shape"]:
        raise Refusal("reshape to a shape that is not known")
    shape = given_shape(b, node, node.inputs[1:])
    if len(shape) == len(x.shape) == 1:
        b.equal(x.shape[0], shape[0])
        return x.shape
    one, other = as_expr(product(x.shape)), as_expr(product(shape))
    if one is not other:
        b.raise_where(call("ne", one, other))
    return shape


def _known(shape: Sequence[int | None]) -> tuple[Dim, ...]:
    return tuple(n for n in shape if n is not None)


def _sizes_of(given: Sequence[Dim], wanted: Sequence[int | None]) -> tuple[Dim, ...]:
    """The sizes that a reshaped array has: where one is not known, it comes of one that is not."""
    known = tuple(n for n in wanted if n is not None)
    if len(known) == len(wanted) and all(isinstance(n, int) for n in given):
        return known
    unknown = [n for n in given if not isinstance(n, int)]
    count, wants = math.prod(n for n in given if isinstance(n, int)), math.prod(known)
    if count == wants == 1 and len(unknown) == len(wanted) - len(known):
        following = iter(unknown)  # nothing but axes of size 1 comes or goes
        return tuple(next(following) if n is None else n for n in wanted)
    if not unknown or len(known) != len(wanted) - 1 or not wants or count % wants:
        raise Refusal("reshape of sizes that are not known")
    size = product([*unknown, count // wants])
    return tuple(size if n is None else n for n in wanted)


def _apart(position: Expr, shape: Sequence[Dim]) -> list[Expr]:
    """The index of each axis of a position in the order of memory."""
    sizes = [n for n in shape if isinstance(n, int)]
    if position.function == "const" and len(sizes) == len(shape):
        indices, rest = [], int(position.value)
        for n in reversed(sizes):
            indices.append(index(rest % max(n, 1)))
            rest //= max(n, 1)
        return indices[::-1]
    indices = []
    for size in reversed(shape[1:]):
        quotient = call("quotient", position, as_expr(size))
        indices.append(call("sub", position, call("mul", quotient, as_expr(size))))
        position = quotient
    return [position, *indices[::-1]][: len(shape)]


def broadcast_to(b: Builder, node: Node) -> list[Form]:
    """The array repeated along new or stretched axes."""
    x = as_array(b.forms[node.inputs[0]])
    shape = given_shape(b, node, node.inputs[1:])
    b.broadcast([x.shape, shape])
    if isinstance(x, Elements) and len(x.values) == 1:
        x = as_array(x.values[0])
    return [_view(b, x, shape, lambda indices: b.project(indices, x.shape))]


def given_shape(b: Builder, node: Node, sizes: Sequence[Value]) -> tuple[Dim, ...]:
    """The shape that is declared; None in it is the next of the sizes that operands are."""
    declared = node.attrs["shape"]
    if len(sizes) != sum(n is None for n in declared):
        raise Refusal(f"{node.op.name} a shape that is not known")
    found = iter(sizes)
    return tuple(given_size(b, next(found)) if n is None else int(n) for n in declared)


def size_before(b: Builder, value: Value) -> Dim | None:
    """What an operand is in sizes of arguments, at least 0; None where only the run tells it."""
    form, node = b.forms[value], value.node
    if isinstance(form, Expr) and form.function == "const" and form.type == "i8":
        return int(form.value) if form.value >= 0 else None
    if isinstance(form, Expr) and b.is_size(form):
        return b.size(form)
    # What is computed in another part of the graph has no form here.
    if node is None or node.op.name not in _OF_SIZES or not b.forms.keys() >= set(node.inputs):
        return None
    if node.op.name == "dim":
        given = b.forms[node.inputs[0]]
        return None if isinstance(given, Expr) else b.size(given.shape[node.attrs["axis"]])
    one, other = (size_before(b, x) for x in node.inputs)
    if one is None or other is None:
        return None
    if node.op.name == "add":
        return b.added(one, other)
    if node.op.name == "multiply":
        return b.times(one, other)
    if not isinstance(one, Expr) or not isinstance(other, int):
        return None
    if node.op.name == "floor_divide":
        return b.divided(one, other) if other else None
    b.require(one, other)
    return b.shifted(one, -other)


def given_size(b: Builder, value: Value) -> Dim:
    """A size that an operand gives."""
    form = b.forms[value]
    if not isinstance(form, Expr) or form.type != "i8":
        raise Refusal("a size that is no integer of 64 bits")
    known = size_before(b, value)
    if known is not None:
        return known
    b.leave_where(call("lt", form, index(0)))
    b.leave_where(call("ge", form, const(LONGEST, "i8")))
    return b.size_of_the_run(form, None)


def permute_dims(b: Builder, node: Node) -> list[Form]:
    """The axes in another order."""
    x = as_array(b.forms[node.inputs[0]])
    axes = node.attrs.get("axes")
    rank = len(x.shape)
    order = list(range(rank))[::-1] if axes is None else [int(a) % rank for a in axes]
    return [permuted(b, x, order) if rank else b.at(x, [])]


def permuted(b: Builder, x: Array, order: Sequence[int]) -> Array:
    shape = [x.shape[axis] for axis in order]
    if isinstance(x, Stored) and stays_in_order(x.shape, order):
        return Stored(x.buffer, tuple(shape), x.type)
    if isinstance(x, Uniform):
        return uniform(x.number, shape)
    places = [order.index(axis) for axis in range(len(order))]
    if isinstance(x, Joined):
        return join(b, [permuted(b, part, order) for part in x.parts], places[x.axis])
    if isinstance(x, Turned):
        return turned(b.at, x.base, [places[axis] for axis in x.order])
    return turned(b.at, x, places)


def diagonal(b: Builder, node: Node) -> list[Form]:
    """The diagonal of two axes, as a last one."""
    x, size = as_array(b.forms[node.inputs[0]]), tensor_type(node.outputs[0].type).shape
    rank, offset = len(x.shape), node.attrs["offset"]
    if size is None or not isinstance(size[-1], int):
        raise Refusal("a diagonal of a size that is not known")
    axes = [axis % rank for axis in (node.attrs["axis1"], node.attrs["axis2"])]
    rest = [axis for axis in range(rank) if axis not in axes]

    def back(indices: Sequence[Expr]) -> list[Expr]:
        found = [index(0)] * rank
        for position, axis in enumerate(rest):
            found[axis] = indices[position]
        for axis, by in zip(axes, (max(-offset, 0), max(offset, 0)), strict=True):
            found[axis] = call("add", indices[-1], index(by)) if by else indices[-1]
        return found

    return [_view(b, x, [*(x.shape[axis] for axis in rest), size[-1]], back)]


def windows_along(b: Builder, node: Node) -> list[Form]:
    """Windows that overlap: the place of one, and that of an element in it, are added up."""
    x, window, axes = as_array(b.forms[node.inputs[0]]), node.attrs["window"], node.attrs["axes"]
    shape = list(x.shape)
    for size, axis in zip(window, axes, strict=True):
        n = shape[axis]
        if not isinstance(n, int):
            b.require(n, max(size, 1))
        shape[axis] = n - size + 1 if isinstance(n, int) else b.shifted(n, 1 - size)
    rank = len(shape)

    def back(indices: Sequence[Expr]) -> list[Expr]:
        found = list(indices[:rank])
        for axis, place in zip(axes, indices[rank:], strict=True):
            found[axis] = call("add", found[axis], place)
        return found

    depth = 1 + x.depth if isinstance(x, Computed) else 1
    at = lambda i: b.at(x, back(i))  # noqa: E731 - short
    return [Computed(at, (*shape, *window), x.type, is_view=is_memory(x), depth=depth)]


def repeat(b: Builder, node: Node) -> list[Form]:
    """Each element along an axis a known number of times."""
    x, count = as_array(b.forms[node.inputs[0]]), node.attrs["count"]
    if count is None or count < 1:
        raise Refusal("elements that are repeated a number of times that is not known")
    axis = node.attrs["axis"] % len(x.shape)
    shape = [product([n, count]) if k == axis else n for k, n in enumerate(x.shape)]

    def back(indices: Sequence[Expr]) -> list[Expr]:
        i = indices[axis]
        is_known = i.function == "const"
        place = index(i.value // count) if is_known else call("quotient", i, index(count))
        return [*indices[:axis], place, *indices[axis + 1 :]]

    return [_view(b, x, shape, back)]


# ---- indexing ------------------------------------------------------------------------------------


def getitem(b: Builder, node: Node) -> list[Form]:
    """A part at ints, slices and new axes, or at integers that are known at run time."""
    x = as_array(b.forms[node.inputs[0]])
    operands = [b.forms[value] for value in node.inputs[1:]]
    maps, shape = subscript(b, node, x, operands)
    if isinstance(x, Uniform) and shape and not operands:
        return [uniform(x.number, shape)]
    if isinstance(x, Joined):
        part = part_of(b, x, node.attrs["index"], shape) if has_only_slices(node) else None
        if part is not None:
            return [part]
        x = b.stored(x)

    def at(indices: Sequence[Expr]) -> Expr:
        return b.at(x, [place(indices) for place in maps])

    if not shape:
        return [at([])]
    # Positions of a row that is taken without steps follow each other in memory.
    steps = [entry[3] for entry in node.attrs["index"] if entry[0] == "slice"]
    is_row = len(shape) == len(x.shape) == 1 and steps in ([None], [1]) and isinstance(x, Stored)
    flat = (lambda i: at([i])) if is_row else None
    depth = 1 + x.depth if isinstance(x, Computed) else 1
    found = Computed(at, tuple(shape), x.type, flat, is_memory(x), depth)
    only_slices = all(entry[0] in ("slice", "ellipsis") for entry in node.attrs["index"])
    return [_part_of_turned(b, x, found, maps) if only_slices and isinstance(x, Turned) else found]


def _part_of_turned(b: Builder, x: Turned, part: Computed, maps: Sequence[Any]) -> Array:
    """A part with as many axes, which has them in the same order."""
    base = x.base

    def at(indices: Sequence[Expr]) -> Expr:
        own = [indices[x.order.index(a)] for a in range(len(x.order))]
        return b.at(base, [maps[a](own) for a in x.order])

    shape = tuple(part.shape[a] for a in x.order)
    found = Computed(at, shape, x.type, None, part.is_view, part.depth)
    return turned(b.at, found, x.order)


def subscript(
    b: Builder, node: Node, x: Array, operands: list[Form]
) -> tuple[list[Any], list[Dim]]:
    """For each axis of `x`, its index out of those of the part; and the shape of the part."""
    entries = list(node.attrs["index"])
    taken = sum(entry[0] in ("int", "slice", "array") for entry in entries)
    if ("ellipsis",) not in entries:
        entries.append(("ellipsis",))
    at = entries.index(("ellipsis",))
    entries[at : at + 1] = [("slice", None, None, None)] * (len(x.shape) - taken)
    maps: list[Any] = []
    shape: list[Dim] = []
    for entry in entries:
        if entry[0] == "newaxis":
            shape.append(1)
        elif entry[0] == "int":
            maps.append(_constantly(static_index(b, x.shape[len(maps)], entry[1])))
        elif entry[0] == "array":
            maps.append(_constantly(_dynamic(b, node, x.shape[len(maps)], operands.pop(0))))
        else:
            maps.append(sliced(b, x.shape[len(maps)], entry, operands, len(shape), shape))
    return maps, shape


def _constantly(i: Expr) -> Any:
    return lambda indices: i


def _dynamic(b: Builder, node: Node, size: Dim, form: Form) -> Expr:
    if not isinstance(form, Expr) or not is_int(form.type) or form.type == "u8":
        raise Refusal("an index that is an array, or a bool")
    i, limit = b.let(cast(form, "i8")), as_expr(size)
    outside = either(call("ge", i, limit), call("lt", i, call("neg", limit)))
    fails(b, node)(outside, IndexError)
    return b.let(select(call("lt", i, index(0)), call("add", i, limit), i))


def size_of(b: Builder, node: Node) -> list[Form]:
    """The size of an axis."""
    form = b.forms[node.inputs[0]]
    if isinstance(form, Expr):
        raise Refusal("the size of an axis of a scalar")
    return [as_expr(b.size(form.shape[node.attrs["axis"]]))]
