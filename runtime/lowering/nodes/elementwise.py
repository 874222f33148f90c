"""Lowering of elementwise nodes: on scalars at once, on arrays where elements are read."""

from __future__ import annotations

import math
from collections.abc import Sequence

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import (
    Array,
    Computed,
    Form,
    Stored,
    Turned,
    Uniform,
    is_memory,
    stays_in_order,
    turned,
    uniform,
)
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.narrow_floats import NARROW
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    Expr,
    both,
    call,
    cast,
    const,
    invert,
    is_complex,
    is_float,
    is_int,
    limits,
    select,
    size_in_bytes,
)
from runtime.lowering.nodes.call_outs import fails
from runtime.lowering.nodes.concatenation_views import by_part
from runtime.lowering.nodes.elements import convert, element, loop_types, machine_type, tensor_type
from runtime.lowering.scalars.meaning import truth

__all__ = [
    "as_weak",
    "astype",
    "converted",
    "elementwise",
    "in_type",
    "is_whole",
    "mapped",
    "rounded",
    "same",
    "view",
]


# Powers of ten up to here are exact.
_PLACES = 10


def elementwise(b: Builder, node: Node) -> list[Form]:
    """The result of a node that computes element by element."""
    kinds = loop_types(node)
    fail = fails(b, node)
    operands: list[Form] = []
    for value, kind in zip(node.inputs, kinds, strict=True):
        form = b.forms[value]
        if isinstance(form, Expr):
            form = b.let(convert(form, tensor_type(value.type), kind, fail))
        operands.append(form)
    if all(isinstance(x, Expr) for x in operands):
        return [element(node, [x for x in operands if isinstance(x, Expr)], fail)]
    result = machine_type(tensor_type(node.outputs[0].type).dtype)

    def compute(args: Sequence[Expr]) -> Expr:
        pairs = zip(args, kinds, strict=True)
        return element(node, [_to_loop(x, kind) for x, kind in pairs], _never)

    return [mapped(b, operands, result, compute)]


def _to_loop(x: Expr, kind: str) -> Expr:
    if is_float(x.type) and is_int(kind):
        raise Refusal("a conversion of floats to integers")
    return cast(x, kind)


def _never(failed: Expr, kind: type[BaseException] | None = None) -> None:
    raise Refusal("an operation on elements that can fail")


def mapped(
    b: Builder, operands: Sequence[Form], type_: str, compute: object, is_view: bool = False
) -> Array:
    """The array whose elements are `compute` of a list of elements of the operands, broadcast.

    Where all that are as large have their axes in one other order, so has it. With `is_view`,
    `compute` only chooses: nothing is gained by storing the array.
    """
    assert callable(compute)
    arrays = [x for x in operands if not isinstance(x, Expr)]
    shape = b.broadcast([x.shape for x in arrays])
    apart = by_part(b, operands, shape, lambda part: mapped(b, part, type_, compute, is_view))
    if apart is not None:
        return apart
    order = _common_order(b, arrays, shape)
    if order is not None:
        bases = [x if isinstance(x, Expr) else in_order(b, x, order) for x in operands]
        return turned(b.at, mapped(b, bases, type_, compute, is_view), order)

    def at(indices: Sequence[Expr]) -> Expr:
        made: Expr = compute(
            [x if isinstance(x, Expr) else b.at(x, b.project(indices, x.shape)) for x in operands]
        )
        return made

    def flat(position: Expr) -> Expr:
        made: Expr = compute(
            [x if isinstance(x, Expr) else b.flat_at(x, position) for x in operands]
        )
        return made

    is_flat = all(b.has_flat(x) and is_whole(b, x, shape) for x in arrays)
    depth = 1 + max((x.depth for x in arrays if isinstance(x, Computed)), default=0)
    return Computed(at, shape, type_, flat if is_flat else None, is_view, depth)


def is_whole(b: Builder, array: Array, shape: Sequence[object]) -> bool:
    """Whether an array has a shape as it is, and need not be broadcast."""
    own = [b.size(n) for n in array.shape]
    return len(own) == len(shape) and all(x is y or x == y for x, y in zip(own, shape, strict=True))


def _common_order(
    b: Builder, arrays: Sequence[Array], shape: Sequence[object]
) -> tuple[int, ...] | None:
    """The order in which all arrays of a shape have their axes; None: that of the indices."""
    whole = [x for x in arrays if is_whole(b, x, shape) and not isinstance(x, Uniform)]
    orders = {x.order if isinstance(x, Turned) else None for x in whole}
    return orders.pop() if len(orders) == 1 else None


def in_order(b: Builder, x: Array, order: Sequence[int]) -> Array:
    """An operand that is broadcast, with the axes of all in another order."""
    if isinstance(x, Turned) and x.order == tuple(order):
        return x.base
    lead = len(order) - len(x.shape)
    whole = (*[1] * lead, *x.shape)
    shape = tuple(whole[a] for a in order)
    if isinstance(x, Uniform):
        return uniform(x.number, shape)
    if isinstance(x, Stored) and stays_in_order(whole, order):
        return Stored(x.buffer, shape, x.type)

    def at(indices: Sequence[Expr]) -> Expr:
        own = [indices[order.index(a)] for a in range(lead, len(order))]
        return b.at(x, own)

    depth = x.depth if isinstance(x, Computed) else 1
    return Computed(at, shape, x.type, is_view=is_memory(x), depth=depth)


# ---- changes of type -----------------------------------------------------------------------------


def astype(b: Builder, node: Node) -> list[Form]:
    """`x.astype(dtype)` as NumPy does on this kind of machine, also beyond the range."""
    form = b.forms[node.inputs[0]]
    target = machine_type(tensor_type(node.outputs[0].type).dtype)
    if isinstance(form, Expr):
        return [converted(form, target)]
    return [mapped(b, [form], target, lambda args: converted(args[0], target))]


def in_type(b: Builder, form: Form, kind: str) -> Form:
    """A scalar or an array in another type."""
    if isinstance(form, Expr):
        return cast(form, kind)
    return mapped(b, [form], kind, lambda args: cast(args[0], kind))


def view(b: Builder, node: Node) -> list[Form]:
    """The bits of each element as a number of another dtype that is as large."""
    form = b.forms[node.inputs[0]]
    target = machine_type(tensor_type(node.outputs[0].type).dtype)
    if size_in_bytes(target) != size_in_bytes(form.type):
        raise Refusal("memory that is seen as larger or smaller elements")
    if target == "b1" != form.type:
        raise Refusal("bytes that are seen as bools")

    def compute(args: Sequence[Expr]) -> Expr:
        if form.type == target:
            return args[0]
        bits = cast(args[0], "u1") if form.type == "b1" else args[0]
        kind = "cast" if is_int(target) and is_int(bits.type) else "bitcast"
        return Expr(kind, target, (bits,))

    return [compute([form]) if isinstance(form, Expr) else mapped(b, [form], target, compute)]


def converted(x: Expr, target: str) -> Expr:
    """`x` in another type as C's conversion of it on machines of the x86 kind gives it."""
    if target == "b1":
        return truth(x)
    if is_complex(x.type) and not is_complex(target):
        raise Refusal("a conversion of complex numbers to real ones")
    if not is_float(x.type) or not is_int(target):
        return cast(x, target)
    if x.type in NARROW:
        if size_in_bytes(x.type) == 1:
            return _saturated(cast(x, "f4"), target)
        x = cast(x, "f4")
    if target in ("u4", "u8"):
        raise Refusal(f"a conversion of {x.type} to {target}")
    width = "i8" if target == "i8" else "i4"
    least, greatest = limits(width)
    low, high = const(float(least), x.type), const(float(greatest + 1), x.type)
    limit = call("ge" if x.type == "f4" or width == "i8" else "gt", x, low)
    if width == "i4" and x.type == "f8":
        limit = call("gt", x, const(float(least - 1), x.type))
    inside = both(limit, call("lt", x, high))
    whole = cast(select(inside, x, const(0.0, x.type)), width)
    return cast(select(inside, whole, const(least, width)), target)


def _saturated(x: Expr, target: str) -> Expr:
    """A float of 8 bits as an integer: nan as 0, infinities as the least and the greatest."""
    infinity = const(math.inf, x.type)
    is_finite = call("lt", call("abs", x), infinity)
    whole = cast(cast(select(is_finite, x, const(0.0, x.type)), "i4"), target)
    ends = (const(n, target) for n in limits(target))
    for end, number in zip(ends, (-math.inf, math.inf), strict=True):
        whole = select(call("eq", x, const(number, x.type)), end, whole)
    return whole


def rounded(b: Builder, node: Node) -> list[Form]:
    """Rounded to decimal places, as NumPy does: to whole numbers of the last place."""
    form, places = b.forms[node.inputs[0]], node.attrs["decimals"]
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    if not is_float(kind) or form.type != kind or abs(places) > _PLACES:
        raise Refusal("integers that are rounded, or many decimal places")
    power = const(10.0 ** abs(places), kind)

    def compute(args: Sequence[Expr]) -> Expr:
        if not places:
            return call("rint", args[0])
        into, back = ("mul", "div") if places > 0 else ("div", "mul")
        return call(back, call("rint", call(into, args[0], power)), power)

    return [compute([form]) if isinstance(form, Expr) else mapped(b, [form], kind, compute)]


def as_weak(b: Builder, node: Node) -> list[Form]:
    """A scalar as Python's bool, int or float; an int that 64 bits do not hold fails."""
    form = b.forms[node.inputs[0]]
    assert isinstance(form, Expr)
    target = machine_type(tensor_type(node.outputs[0].type).dtype)
    if is_complex(form.type) and not is_complex(target) and target != "b1":
        raise Refusal("a complex number as a real one")
    if target == "b1":
        return [truth(form)]
    if is_complex(target):
        return [cast(cast(form, "f8") if is_int(form.type) else form, target)]
    if target == "f8" or form.type == "b1":
        return [cast(form, target)]
    if is_float(form.type):
        low, high = const(-(2.0**63), form.type), const(2.0**63, form.type)
        inside = both(call("ge", form, low), call("lt", form, high))
        fails(b, node)(invert(inside))
        return [cast(form, "i8")]
    if form.type == "u8":
        fails(b, node)(call("gt", form, const(limits("i8")[1], "u8")))
    return [cast(form, target)]


def same(b: Builder, node: Node) -> list[Form]:
    """The operand as it is: as a strong value, or as a copy of it."""
    form = b.forms[node.inputs[0]]
    if isinstance(form, Expr):
        return [form]
    return [mapped(b, [form], form.type, lambda args: args[0])]
