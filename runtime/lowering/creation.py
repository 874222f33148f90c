"""Lowering of ops that make arrays."""

from __future__ import annotations

import numpy as np

from runtime.graph.ir import Node
from runtime.lowering.arrays import Computed, Elements, Form, Stored, uniform
from runtime.lowering.builder import Builder, is_of_the_run, is_small
from runtime.lowering.elements import machine_type, tensor_type
from runtime.lowering.frame_forms import missing_frame
from runtime.lowering.kernel import Buffer, Dim
from runtime.lowering.refusal import Refusal
from runtime.lowering.scalar import Expr, call, cast, const, is_float, is_int
from runtime.lowering.shaping import given_shape, size_before
from runtime.spec import FrameType

__all__ = ["arange", "array_form", "full", "missing", "zeros_of"]

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
    if node.op.name != "zeros" and any(map(is_of_the_run, shape)):
        raise Refusal("an array of a size that is not known")
    return [_all(value, shape)]


def _all(value: Expr, shape: tuple[Dim, ...]) -> Form:
    """An array of a number."""
    return uniform(value, shape) if shape else value


def _is_same(number: Expr, kind: str) -> bool:
    """Whether a number is converted to another type without a loss, or is known."""
    return number.type == kind or kind == "f8" or (number.function == "const" and is_float(kind))


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
    if count is None or kind == "b1":
        raise Refusal("a range whose bounds are not known")
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


def _count(b: Builder, node: Node) -> Dim | None:
    """How many numbers there are in a range; None where only the run tells it."""
    shape = tensor_type(node.outputs[0].type).shape
    if not node.inputs:
        return None if shape is None else shape[0]
    start, stop, step = (node.attrs[name] for name in ("start", "stop", "step"))
    is_by_one = stop is None and type(start) is int and type(step) is int and step == 1
    end = size_before(b, node.inputs[0]) if is_by_one else None
    if end is None or is_of_the_run(end):
        return None
    if isinstance(end, Expr) and start > 0:
        b.require(end, start)
    return b.shifted(end, -start)


def array_form(
    b: Builder, array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], kind: str
) -> Form:
    """An array that is known, in registers or among the constants."""
    array = np.ascontiguousarray(array)
    if is_small(array.shape):
        return Elements([const(x, kind) for x in array.ravel().tolist()], array.shape, kind)
    bits = array.ravel().view(f"V{array.itemsize}")
    if bits[0] == bits[-1] and bool((bits == bits[0]).all()):
        return uniform(const(array.flat[0].item(), kind), array.shape)
    buffer = Buffer(b.fresh("constant"), kind, array.shape, "constant", array)
    return Stored(buffer, array.shape, kind)
