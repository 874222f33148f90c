"""Frames: what one call of a recursive function keeps for its backward pass.

A frame is a dict of values by number. Its cotangent is a frame too, in which what lacks is zero, so
that the cotangent of one value is a frame of one.
"""

from __future__ import annotations

from typing import Any

from runtime.ops.declaration.declare import op
from runtime.ops.declaration.internal import zeros_of
from runtime.ops.declaration.operands import Array, Module
from runtime.spec import FrameType, Type, is_differentiable

__all__ = ["frame_of", "frame_read", "frame_take", "frame_with"]

# So many values a frame may hold.
_MOST = 4096


def _frame_of_vjp(g: Any, out: Any, *values: Any) -> tuple[Any, ...]:
    return tuple(
        frame_take(g, value, number=i) if is_differentiable(value.type) else None
        for i, value in enumerate(values)
    )


def _frame_of_type(*values: Type) -> FrameType:
    return FrameType()


@op(
    inputs=None,
    infer=_frame_of_type,
    vjp=_frame_of_vjp,
    reads=tuple(range(_MOST)),
    forwards=True,
    stays=True,
)
def frame_of(xp: Module, *values: Array) -> Any:
    """A frame of values, numbered from 0."""
    return dict(enumerate(values))


def _frame_read_vjp(g: Any, out: Any, frame: Any, number: int, type: Type) -> tuple[Any]:
    return (frame_with(g, number=number),)


@op(
    inputs=1,
    infer=lambda frame, number, type: type,
    vjp=_frame_read_vjp,
    forwards=True,
    stays=True,
)
def frame_read(xp: Module, frame: Any, number: int, type: Type) -> Any:
    """The value of that number, which is of the given type."""
    return frame[number]


def _frame_with_vjp(g: Any, out: Any, value: Any, number: int) -> tuple[Any]:
    return (frame_take(g, value, number=number),)


@op(
    inputs=1,
    infer=lambda value, number: FrameType(),
    vjp=_frame_with_vjp,
    reads=(0,),
    forwards=True,
    stays=True,
)
def frame_with(xp: Module, value: Array, number: int) -> Any:
    """A frame of one value."""
    return {number: value}


def _frame_take_vjp(g: Any, out: Any, frame: Any, like: Any, number: int) -> tuple[Any, None]:
    return (frame_with(g, number=number), None)


def _like(frame: Type, like: Type, number: int) -> Any:
    return zeros_of.op.infer(like)


@op(
    inputs=2,
    infer=_like,
    vjp=_frame_take_vjp,
    forwards=True,
    stays=True,
)
def frame_take(xp: Module, frame: Any, like: Array, number: int) -> Any:
    """As `frame_read` of a frame of cotangents; zeros like `like` where it has none."""
    found = None if frame is None else frame.get(number)
    return zeros_of.op.kernel(xp, like) if found is None else found
