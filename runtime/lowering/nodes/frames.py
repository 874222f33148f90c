"""Lowering of frames: what calls of a function that calls itself keep for its gradient.

The frames of a function are numbered as they are made. For each value in them there is a piece of
memory that grows, in which a frame has the slot of its number; a frame in a frame is a number, too.
The cotangents of frames that a function gives are kept in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Elements, Form, Stored
from runtime.lowering.kernels.builder import Builder, is_small
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Buffer,
    Cell,
    If,
    Reserve,
    Store,
    load,
    read,
)
from runtime.lowering.kernels.record import Record
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    TRUE,
    Expr,
    both,
    call,
    const,
    either,
    index,
    is_float,
    select,
)
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import mapped
from runtime.lowering.nodes.frame_forms import (
    Frame,
    Part,
    Parts,
    Sum,
    fits,
    flat,
    is_frame,
    is_missing,
    missing_frame,
    nothing_like,
    parts_of_frame,
    rebuilt,
    sum_of_frames,
)
from runtime.lowering.nodes.stacks import Stack, slot_offset
from runtime.spec import TensorType

__all__ = [
    "Frames",
    "accumulate",
    "frame_of",
    "frame_read",
    "frame_take",
    "frame_with",
    "in_frames",
    "scalars",
]


class Frames(Record):
    """The memory of the frames of a function: how many there are, and their values by number.

    The values are not known before the function's own text is. Of cotangents there is one: all of
    their parts.
    """

    count: Cell
    values: list[_Kept] | None = None


class _Kept(Record):
    """What is in all frames at one place: its form, and memory for the scalars of each type."""

    like: Form
    buffers: dict[str, Buffer]

    def slot(self, kind: str) -> int:
        """How many scalars of a type it has."""
        return sum(x.type == kind for x in flat(self.like))


def scalars(b: Builder, form: Form) -> list[Expr] | None:
    """The values of a scalar or small array; None for an array in memory."""
    if isinstance(form, Expr):
        return [form]
    return b.elements(form).values if is_small(form.shape) else None


# ---- frames ------------------------------------------------------------------------------------


def frame_of(b: Builder, node: Node) -> list[Form]:
    """A frame of the function that is being lowered."""
    frames = b.frames.get(node.outputs[0])
    if frames is None or frames.values is not None:
        raise Refusal("what a function keeps for its gradient, outside of it")
    forms = []
    for given in node.inputs:
        form = b.forms[given]
        if not isinstance(form, Expr):
            if not is_small(form.shape):
                raise Refusal("a function that calls itself, and keeps an array for its gradient")
            form = b.elements(form)
        if isinstance(form, Stack):
            raise Refusal("a function that calls itself, and keeps a stack for its gradient")
        forms.append(form)
    return [_kept(b, frames, forms)]


def in_frames(b: Builder, frames: Frames, form: Form) -> Frame:
    """The cotangent of a frame as a number: one of those that a function gives."""
    if isinstance(form, Frame) and form.memory in (None, frames):
        if frames.values is None:
            frames.values = []
        return Frame(form.values, form.shape, form.type, frames)
    if frames.values:
        raise Refusal("what a function keeps for its gradient, given by another")
    return _kept(b, frames, [form])


def _kept(b: Builder, frames: Frames, forms: Sequence[Form]) -> Frame:
    """One more frame, of these values."""
    values = []
    for form in forms:
        kinds = dict.fromkeys(x.type for x in flat(form))
        buffers = {kind: Buffer(b.fresh("kept"), kind, (), "stack") for kind in kinds}
        values.append(_Kept(form, buffers))
        b.kept.update(buffers.values())
    frames.values = values
    number = b.let(read(frames.count))
    following = b.let(call("add", number, index(1)))
    for value, form in zip(values, forms, strict=True):
        for kind, buffer in value.buffers.items():
            slot = value.slot(kind)
            b.emit(Reserve(buffer, slot_offset(following, slot)))
            begin = b.let(slot_offset(number, slot))
            own = (x for x in flat(form) if x.type == kind)
            for k, x in enumerate(own):
                b.emit(Store(buffer, call("add", begin, index(k)), x))
    b.emit(Assign(frames.count, following))
    return Frame([number], (1,), "i8", frames)


def _value(b: Builder, kept: _Kept, number: Expr) -> Form:
    """What the frame of that number has there."""
    at = {kind: b.let(slot_offset(number, kept.slot(kind))) for kind in kept.buffers}
    taken = dict.fromkeys(kept.buffers, 0)
    found = []
    for x in flat(kept.like):
        k, begin = taken[x.type], at[x.type]
        found.append(
            b.let(load(kept.buffers[x.type], call("add", begin, index(k)) if k else begin))
        )
        taken[x.type] += 1
    return rebuilt(kept.like, found)


def frame_read(b: Builder, node: Node) -> list[Form]:
    """A value of a frame."""
    frame = b.forms[node.inputs[0]]
    if not isinstance(frame, Frame) or frame.memory is None or frame.memory.values is None:
        raise Refusal("what a function keeps for its gradient, of a function not known here")
    return [_value(b, frame.memory.values[node.attrs["number"]], frame.values[0])]


# ---- cotangents of frames ----------------------------------------------------------------------


def frame_with(b: Builder, node: Node) -> list[Form]:
    """A cotangent of one value."""
    form = b.forms[node.inputs[0]]
    if is_missing(form):
        return [form]
    if not isinstance(form, Expr):
        if not is_small(form.shape):
            raise Refusal("a large array in a gradient of the gradient of such a function")
        form = b.elements(form)
    return [parts_of_frame({node.attrs["number"]: Part(TRUE, form)})]


def accumulate(b: Builder, node: Node) -> list[Form]:
    """The sum of two cotangents of frames, or of arrays of which one may not be there."""
    one, other = (b.forms[value] for value in node.inputs)
    if is_frame(one) and is_frame(other):
        return [_sum(one, other)]
    if not isinstance(node.outputs[0].type, TensorType):
        raise Refusal("a sum of the gradients of two stacks")
    for value, form in zip(node.inputs, (other, one), strict=True):
        if value.node is not None and value.node.op.name == "missing":
            return [form]
    if isinstance(one, Expr) and isinstance(other, Expr):
        return [call("add", one, other)]
    return [mapped(b, [one, other], one.type, lambda args: call("add", *args))]


def _sum(one: Form, other: Form) -> Form:
    """Where one is not there, it is not added: -0.0 stays."""
    if is_missing(one) or is_missing(other):
        return other if is_missing(one) else one
    if isinstance(one, Parts) and isinstance(other, Parts):
        found = {**one.parts, **other.parts}
        for number in one.parts.keys() & other.parts.keys():
            found[number] = _both(one.parts[number], other.parts[number])
        return parts_of_frame(found)
    assert isinstance(one, Elements) and isinstance(other, Elements)
    return sum_of_frames(one, other)


def _both(one: Part, other: Part) -> Part:
    there = either(one.there, other.there)
    if is_frame(one.form):
        return Part(there, _sum(one.form, other.form))
    if not fits(one.form, other.form) or not all(is_float(x.type) for x in flat(one.form)):
        raise Refusal("a sum of the gradients of values that are not alike")
    values = [
        select(both(one.there, other.there), call("add", x, y), select(one.there, x, y))
        for x, y in zip(flat(one.form), flat(other.form), strict=True)
    ]
    return Part(there, rebuilt(one.form, values))


def frame_take(b: Builder, node: Node) -> list[Form]:
    """A value of a cotangent; zeros like the second operand where it has none."""
    frame, like = b.forms[node.inputs[0]], b.forms[node.inputs[1]]
    if not is_frame(frame):
        raise Refusal("what a function keeps for its gradient, of a function not known here")
    found = _taken(b, frame, node.attrs["number"])
    if found is not None:
        return [found.form]
    if is_frame(like):
        return [missing_frame()]
    type_ = tensor_type(node.outputs[0].type)
    zero = const(0, machine_type(type_.dtype))
    if isinstance(like, Expr):
        return [zero]
    if isinstance(like, Stored) and not is_small(like.shape):
        raise Refusal("a large array in a gradient of the gradient of such a function")
    like = b.elements(like)
    return [Elements([zero] * len(like.values), like.shape, zero.type)]


def _taken(b: Builder, frame: Form, number: int) -> Part | None:
    """A value of a cotangent of a frame; None if it surely has none."""
    if isinstance(frame, Parts):
        return frame.parts.get(number)
    if isinstance(frame, Sum):
        one, other = _taken(b, frame.one, number), _taken(b, frame.other, number)
        return _both(one, other) if one is not None and other is not None else one or other
    assert isinstance(frame, Frame)
    if is_missing(frame):
        return None
    if frame.memory.values is None:
        raise Refusal("what a function keeps for its gradient, of a function not known here")
    if not frame.memory.values:
        return None
    block: Block = []
    with b.inside(block):
        found = _taken(b, _value(b, frame.memory.values[0], frame.values[0]), number)
    if found is None:
        return None
    nothing = [const(0, "b1"), *flat(nothing_like(found.form))]
    cells = [b.cell("taken", x) for x in nothing]
    with b.inside(block):
        for cell, x in zip(cells, (found.there, *flat(found.form)), strict=True):
            b.emit(Assign(cell, x))
    b.emit(If(call("ge", frame.values[0], index(0)), block, []))
    there, *values = (b.let(read(cell)) for cell in cells)
    return Part(there, rebuilt(found.form, values))
