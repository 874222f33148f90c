"""Lowering of ops that make arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.dtypes import exact_numbers
from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Computed, Elements, Form, Stored, uniform
from runtime.lowering.kernels.builder import LONGEST, Builder, is_of_the_run, is_small
from runtime.lowering.kernels.kernel import Buffer, Dim
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    Expr,
    call,
    cast,
    const,
    either,
    index,
    is_float,
    is_int,
    select,
)
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.frame_forms import missing_frame
from runtime.lowering.nodes.shaping import given_shape, size_before
from runtime.spec import FrameType

__all__ = ["arange", "array_form", "full", "known", "linspace", "missing", "zeros_of"]

# Ranges of floats are made by NumPy, and kept, if they have no more elements.
_KEPT = 1 << 16


def full(b: Builder, node: Node) -> list[Form]:
    """An array of one number."""
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    value: Expr = const(0, kind)
    sizes = list(node.inputs)
    if node.op.name == "full":
        given = b.forms[sizes.pop(0)]
        if not isinstance(given, Expr) or not _is_same(given, kind):
            raise Refusal("full of something that is not a number of its dtype")
        value = cast(given, kind)
    shape = given_shape(b, node, sizes)
    return [_all(value, shape)]


def _all(value: Expr, shape: tuple[Dim, ...]) -> Form:
    """An array of a number."""
    return uniform(value, shape) if shape else value


def _is_same(number: Expr, kind: str) -> bool:
    """Whether a number is converted to another type without a loss, or is known."""
    is_known = number.function == "const" and (is_float(kind) or kind == "b1")
    return number.type == kind or kind == "f8" or is_known


def missing(b: Builder, node: Node) -> list[Form]:
    """What is never read: zeros."""
    if isinstance(node.outputs[0].type, FrameType):
        return [missing_frame()]
    result = tensor_type(node.outputs[0].type)
    if result.shape is None or None in result.shape[1:]:
        raise Refusal("an array of a size that is not known")
    kind = machine_type(result.dtype)
    shape = tuple(n or 0 for n in result.shape)  # none as well as any size
    return [Elements([], shape, kind) if None in result.shape else _all(const(0, kind), shape)]


def zeros_of(b: Builder, node: Node) -> list[Form]:
    """Zeros like the operand."""
    given = b.forms[node.inputs[0]]
    if isinstance(node.outputs[0].type, FrameType):
        return [missing_frame()]
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    shape = () if isinstance(given, Expr) else given.shape
    return [_all(const(0, kind), shape)]


def arange(b: Builder, node: Node) -> list[Form]:
    """Numbers from a start on, in equal steps."""
    result = tensor_type(node.outputs[0].type)
    kind = machine_type(result.dtype)
    attrs = node.attrs
    start, step = attrs["start"], attrs["step"]
    count = _count(b, node)
    if count is None:
        return [_of_the_run(b, node, kind)]
    if kind == "b1":
        raise Refusal("a range of bools")
    if isinstance(start, int) and isinstance(step, int) and is_int(kind):
        first, by = const(start, "i8"), const(step, "i8")

        def at(position: Expr) -> Expr:
            scaled = position if step == 1 else call("mul", position, by)
            return cast(scaled if start == 0 else call("add", first, scaled), kind)

        return [Computed(lambda indices: at(indices[0]), (count,), kind, at)]
    if not isinstance(count, int) or count > _KEPT:
        raise Refusal("a large range of floats")
    numbers = np.arange(start, attrs["stop"], step, dtype=result.dtype)
    return [array_form(b, numbers, kind)]


def _of_the_run(b: Builder, node: Node, kind: str) -> Form:
    """Integers between bounds that only the run tells, in steps of a known number."""
    given = [b.forms[value] for value in node.inputs]
    start, stop = (_bound(b, node.attrs[name], given) for name in ("start", "stop"))
    by = node.attrs["step"]
    if kind not in ("i4", "i8") or type(by) is not int:
        raise Refusal("a range whose bounds are not known")
    step = const(by, "i8")
    one, other = (start, stop) if by > 0 else (stop, start)
    width = call("sub", other, one)
    up = call("add", width, index(abs(by) - 1))
    length = b.let(select(call("gt", width, index(0)), up, index(0)))
    count = call("quotient", length, index(abs(by)))
    size = b.size_of_the_run(b.let(count), None)

    def at(position: Expr) -> Expr:
        return cast(call("add", start, call("mul", position, step)), kind)

    return Computed(lambda indices: at(indices[0]), (size,), kind, at)


def _bound(b: Builder, known: object, given: list[Form]) -> Expr:
    """A bound of a range: the number that is known, or the next operand."""
    form = const(known, "i8") if type(known) is int else given.pop(0) if known is None else None
    if not isinstance(form, Expr) or not is_int(form.type) or form.type == "u8":
        raise Refusal("a range whose bounds are not known")
    bound = b.let(cast(form, "i8"))
    is_low, is_high = (call(o, bound, index(k)) for o, k in (("le", -LONGEST), ("ge", LONGEST)))
    b.leave_where(either(is_low, is_high))
    return bound


def linspace(b: Builder, node: Node) -> list[Form]:
    """A known number of numbers from one to another, computed as NumPy does."""
    start, stop = (b.forms[value] for value in node.inputs)
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    num, has_end = node.attrs["num"], node.attrs["endpoint"]
    if not (isinstance(start, Expr) and isinstance(stop, Expr)):
        raise Refusal("evenly spaced arrays")
    if kind != "f8" or "f4" in (start.type, stop.type):
        raise Refusal("evenly spaced numbers that are no floats of 64 bits")
    first, last = b.let(cast(start, kind)), b.let(cast(stop, kind))
    whole = b.let(call("sub", last, first))
    parts = const(float(num - 1 if has_end else num), kind)
    zero = const(0.0, kind)
    step = b.let(call("div", whole, parts)) if parts.value > 0 else zero

    def at(position: Expr) -> Expr:
        place = cast(position, kind)
        if parts.value <= 0:
            return call("add", call("mul", place, whole), first)
        lost = call("mul", call("div", place, parts), whole)
        moved = select(call("eq", step, zero), lost, call("mul", place, step))
        found = call("add", moved, first)
        is_last = call("eq", position, index(num - 1))
        return select(is_last, last, found) if has_end and num > 1 else found

    return [Computed(lambda indices: at(indices[0]), (num,), kind, at)]


def _count(b: Builder, node: Node) -> Dim | None:
    """How many numbers there are in a range; None where only the run tells it."""
    shape = tensor_type(node.outputs[0].type).shape
    if not node.inputs:
        return None if shape is None else shape[0]
    start, stop, step = (node.attrs[name] for name in ("start", "stop", "step"))
    is_by_one = stop is None and type(start) is int and type(step) is int and step == 1
    end = size_before(b, node.inputs[0]) if is_by_one else None
    if end is None or (start and is_of_the_run(end)):
        return None
    if isinstance(end, Expr) and start > 0:
        b.require(end, start)
    return b.shifted(end, -start)


def known(number: np.generic | np.ndarray[Any, Any]) -> object:
    """A number of NumPy's as one of Python's."""
    return exact_numbers(number).item()


def array_form(
    b: Builder, array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], kind: str
) -> Form:
    """An array that is known, in registers or among the constants."""
    array = np.ascontiguousarray(array)
    if is_small(array.shape):
        return Elements([const(known(x), kind) for x in array.flat], array.shape, kind)
    if not array.size:
        return uniform(const(known(array.dtype.type(0)), kind), array.shape)
    bits = array.ravel().view(f"V{array.itemsize}")
    if bits[0] == bits[-1] and bool((bits == bits[0]).all()):
        return uniform(const(known(array.flat[0]), kind), array.shape)
    buffer = Buffer(b.fresh("constant"), kind, array.shape, "constant", array)
    return Stored(buffer, array.shape, kind)
