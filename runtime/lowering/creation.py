"""Lowering of ops that make arrays."""

from __future__ import annotations

import numpy as np

from runtime.graph.ir import Node
from runtime.lowering.arrays import Computed, Elements, Form, Stored
from runtime.lowering.builder import Builder, is_small
from runtime.lowering.elements import machine_type, tensor_type
from runtime.lowering.frame_forms import missing_frame
from runtime.lowering.kernel import Buffer
from runtime.lowering.refusal import Refusal
from runtime.lowering.scalar import Expr, call, cast, const, is_int
from runtime.lowering.shaping import given_shape
from runtime.spec import FrameType

__all__ = ["arange", "array_form", "full", "missing", "zeros_of"]

# Ranges of floats are made by NumPy, and kept, if they have no more elements.
_KEPT = 1 << 16


def full(b: Builder, node: Node) -> list[Form]:
    """An array of one number."""
    result = tensor_type(node.outputs[0].type)
    assert result.shape is not None
    kind = machine_type(result.dtype)
    value: Expr = const(0, kind)
    if not result.is_static:
        if node.op.name != "zeros":
            raise Refusal("an array of a size that is not known")
        sizes = given_shape(b, node, node.inputs)
        return [Computed(lambda indices: value, sizes, kind, lambda position: value)]
    if node.inputs:
        given = b.forms[node.inputs[0]]
        if not isinstance(given, Expr) or len(node.inputs) > 1 or given.type != kind:
            raise Refusal("full of something that is not a number of its dtype")
        value = given
    shape = tuple(n for n in result.shape if n is not None)
    if not shape:
        return [value]
    return [Computed(lambda indices: value, shape, kind, lambda position: value)]


def missing(b: Builder, node: Node) -> list[Form]:
    """What is never read: zeros."""
    if isinstance(node.outputs[0].type, FrameType):
        return [missing_frame()]
    type_ = tensor_type(node.outputs[0].type)
    if type_.shape and type_.shape[0] is None and None not in type_.shape[1:]:
        shape = (0, *(n for n in type_.shape[1:] if n is not None))  # as well as any size
        return [Elements([], shape, machine_type(type_.dtype))]
    return full(b, node)


def zeros_of(b: Builder, node: Node) -> list[Form]:
    """Zeros like the operand."""
    given = b.forms[node.inputs[0]]
    if isinstance(node.outputs[0].type, FrameType):
        return [missing_frame()]
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    zero = const(0, kind)
    if isinstance(given, Expr):
        return [zero]
    return [Computed(lambda indices: zero, given.shape, kind, lambda position: zero)]


def arange(b: Builder, node: Node) -> list[Form]:
    """Numbers from a start on, in equal steps."""
    result = tensor_type(node.outputs[0].type)
    kind = machine_type(result.dtype)
    attrs = node.attrs
    if node.inputs or not result.is_static or kind == "b1":
        raise Refusal("a range whose bounds are not known")
    assert result.shape is not None
    count = result.shape[0] or 0
    start, step = attrs["start"], attrs["step"]
    if isinstance(start, int) and isinstance(step, int) and is_int(kind):
        first, by = const(start, "i8"), const(step, "i8")

        def at(position: Expr) -> Expr:
            scaled = position if step == 1 else call("mul", position, by)
            return cast(scaled if start == 0 else call("add", first, scaled), kind)

        return [Computed(lambda indices: at(indices[0]), (count,), kind, at)]
    if count > _KEPT:
        raise Refusal("a large range of floats")
    numbers = np.arange(start, attrs["stop"], step, dtype=result.dtype)
    return [array_form(b, numbers, kind)]


def array_form(
    b: Builder, array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], kind: str
) -> Form:
    """An array that is known, in registers or among the constants."""
    array = np.ascontiguousarray(array)
    if is_small(array.shape):
        return Elements([const(x, kind) for x in array.ravel().tolist()], array.shape, kind)
    buffer = Buffer(b.fresh("constant"), kind, array.shape, "constant", array)
    return Stored(buffer, array.shape, kind)
