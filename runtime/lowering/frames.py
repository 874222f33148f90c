"""Lowering of frames: what calls of a function that calls itself keep for its gradient.

The frames of a function are numbered as they are made. For each value in them there is a piece of
memory that grows, in which a frame has the slot of its number; a frame in a frame is a number, too.
"""

from __future__ import annotations

import math

from runtime.graph.ir import Node
from runtime.lowering.arrays import Elements, Form
from runtime.lowering.builder import Builder, is_small
from runtime.lowering.kernel import Assign, Buffer, Cell, Reserve, Store, load, read
from runtime.lowering.record import Record
from runtime.lowering.refusal import Refusal
from runtime.lowering.scalar import Expr, call, const, index
from runtime.lowering.stacks import slot_offset

__all__ = ["Frame", "Frames", "alike", "frame_of", "frame_read", "missing_frame", "scalars"]


class Frames(Record):
    """The memory of the frames of a function: how many there are, and their values by number.

    The values are not known before the function's own text is.
    """

    count: Cell
    values: list[_Value] | None = None

    @property
    def buffers(self) -> set[Buffer]:
        """The pieces of memory that they are in."""
        return {value.buffer for value in self.values or ()}


class Frame(Elements):
    """A frame: the register holds its number. Of one that is missing, nobody knows whose it is."""

    memory: Frames | None = None


class _Value(Record):
    """What is in all frames at one place: its memory, and the form in which it is read."""

    buffer: Buffer
    # None: a scalar.
    shape: tuple[int, ...] | None
    frames: Frames | None = None

    @property
    def slot(self) -> int:
        return 1 if self.shape is None else math.prod(self.shape)


def scalars(b: Builder, form: Form) -> list[Expr] | None:
    """The values of a scalar or small array; None for an array in memory."""
    if isinstance(form, Expr):
        return [form]
    return b.elements(form).values if is_small(form.shape) else None


def missing_frame() -> Frame:
    """What is never read."""
    return Frame([const(-1, "i8")], (1,), "i8")


def alike(one: Form, other: Form) -> tuple[Form, Form]:
    """Two frames of which one is chosen; a missing one may be of any function."""
    if not (isinstance(one, Frame) and isinstance(other, Frame)):
        return one, other
    if one.memory is None:
        return Frame(one.values, one.shape, one.type, other.memory), other
    if other.memory is None:
        return one, Frame(other.values, other.shape, other.type, one.memory)
    return one, other


def frame_of(b: Builder, node: Node) -> list[Form]:
    """A frame of the function that is being lowered."""
    frames = b.frames
    if frames is None or frames.values is not None:
        raise Refusal("what a function keeps for its gradient, outside of it")
    kept = []
    for given in node.inputs:
        form = b.forms[given]
        parts = scalars(b, form)
        if parts is None:
            raise Refusal("a function that calls itself, and keeps an array for its gradient")
        kept.append((_value_of(b, form), parts))
    frames.values = [value for value, _ in kept]
    number = b.let(read(frames.count))
    following = b.let(call("add", number, index(1)))
    for value, parts in kept:
        b.emit(Reserve(value.buffer, slot_offset(following, value.slot)))
        begin = b.let(slot_offset(number, value.slot))
        for k, part in enumerate(parts):
            b.emit(Store(value.buffer, call("add", begin, index(k)), part))
    b.emit(Assign(frames.count, following))
    return [Frame([number], (1,), "i8", frames)]


def _value_of(b: Builder, form: Form) -> _Value:
    kind = form.type
    shape = None if isinstance(form, Expr) else tuple(n for n in form.shape if isinstance(n, int))
    of = form.memory if isinstance(form, Frame) else None
    if isinstance(form, Elements) and type(form) not in (Elements, Frame):
        raise Refusal("a function that calls itself, and keeps a stack for its gradient")
    return _Value(Buffer(b.fresh("kept"), kind, (), "stack"), shape, of)


def frame_read(b: Builder, node: Node) -> list[Form]:
    """A value of a frame."""
    frame = b.forms[node.inputs[0]]
    if not isinstance(frame, Frame) or frame.memory is None or frame.memory.values is None:
        raise Refusal("what a function keeps for its gradient, of a function not known here")
    value = frame.memory.values[node.attrs["number"]]
    begin = b.let(slot_offset(frame.values[0], value.slot))
    parts = [
        b.let(load(value.buffer, call("add", begin, index(k)) if k else begin))
        for k in range(value.slot)
    ]
    if value.shape is None:
        return [parts[0]]
    if value.frames is not None:
        return [Frame(parts, (1,), "i8", value.frames)]
    return [Elements(parts, value.shape, value.buffer.type)]
