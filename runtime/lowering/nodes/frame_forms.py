"""The forms of frames, of which there are none in Python: numbers, and what is known of them.

A frame is a number. The cotangent of a frame is one, too, or its `Parts`, each with whether it is
there, or the `Sum` of two: what lacks counts as zero, and is not added.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from runtime.lowering.kernels.arrays import Elements, Form
from runtime.lowering.kernels.record import Record
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import FALSE, Expr, const
from runtime.lowering.nodes.stacks import Stack

__all__ = [
    "Frame",
    "Part",
    "Parts",
    "Sum",
    "alike",
    "fits",
    "flat",
    "is_frame",
    "is_missing",
    "missing_frame",
    "nothing_like",
    "parts_of_frame",
    "rebuilt",
    "sum_of_frames",
]


class Frame(Elements):
    """A frame in memory: its number, or -1. Of one that is missing, nobody knows whose it is."""

    memory: Any = None


class Part(Record):
    """A value of a cotangent, and whether it is there; it is zero if not."""

    there: Expr
    form: Form


class Parts(Elements):
    """The cotangent of a frame, by the numbers of its values."""

    parts: dict[int, Part]


class Sum(Elements):
    """The sum of the cotangents of two frames."""

    one: Elements
    other: Elements


def missing_frame() -> Frame:
    """What is never read, or counts as zero."""
    return Frame([const(-1, "i8")], (1,), "i8")


def parts_of_frame(parts: dict[int, Part]) -> Parts:
    """A cotangent of these parts."""
    values = [x for part in parts.values() for x in (part.there, *flat(part.form))]
    return Parts(values, (1,), "i8", parts)


def sum_of_frames(one: Elements, other: Elements) -> Sum:
    """A cotangent that is a sum."""
    return Sum([*one.values, *other.values], (1,), "i8", one, other)


def is_frame(form: Form) -> bool:
    """Whether it is a frame or the cotangent of one."""
    return isinstance(form, Frame | Parts | Sum)


def is_missing(form: Form) -> bool:
    """Whether it is a frame that is known to be missing."""
    return isinstance(form, Frame) and form.memory is None


def flat(form: Form) -> list[Expr]:
    """The scalars of a scalar or of what is in registers."""
    if isinstance(form, Expr):
        return [form]
    assert isinstance(form, Elements)
    return form.values


def rebuilt(like: Form, values: Sequence[Expr]) -> Form:
    """A value like another one, of these scalars."""
    return _rebuilt(like, iter(values))


def _rebuilt(like: Form, values: Iterator[Expr]) -> Form:
    if isinstance(like, Expr):
        return next(values)
    if isinstance(like, Parts):
        found = {}
        for number, part in like.parts.items():
            there = next(values)
            found[number] = Part(there, _rebuilt(part.form, values))
        return parts_of_frame(found)
    if isinstance(like, Sum):
        return sum_of_frames(
            _frame(_rebuilt(like.one, values)), _frame(_rebuilt(like.other, values))
        )
    own = [next(values) for _ in flat(like)]
    if isinstance(like, Stack | Frame):
        return type(like)(own, like.shape, like.type, like.memory)
    assert isinstance(like, Elements)
    return Elements(own, like.shape, like.type)


def _frame(form: Form) -> Elements:
    assert isinstance(form, Elements)
    return form


def nothing_like(form: Form) -> Form:
    """Zero of the form of another value."""
    if isinstance(form, Parts):
        return parts_of_frame(
            {number: Part(FALSE, nothing_like(part.form)) for number, part in form.parts.items()}
        )
    if isinstance(form, Sum):
        return sum_of_frames(_frame(nothing_like(form.one)), _frame(nothing_like(form.other)))
    if isinstance(form, Frame):
        return rebuilt(form, missing_frame().values)
    return rebuilt(form, [const(0, x.type) for x in flat(form)])


def alike(one: Form, other: Form) -> tuple[Form, Form]:
    """Two values of which one is chosen, frames in one form."""
    if not (is_frame(one) and is_frame(other)) or fits(one, other):
        return one, other
    if is_missing(one):
        return nothing_like(other), other
    if is_missing(other):
        return one, nothing_like(one)
    if isinstance(one, Parts) and isinstance(other, Parts):
        found: tuple[dict[int, Part], dict[int, Part]] = ({}, {})
        for number in {**one.parts, **other.parts}:
            first, second = one.parts.get(number), other.parts.get(number)
            if first is None or second is None:
                there = first or second
                assert there is not None
                lacks = Part(FALSE, nothing_like(there.form))
                first, second = first or lacks, second or lacks
            else:
                a, b = alike(first.form, second.form)
                first, second = Part(first.there, a), Part(second.there, b)
            found[0][number], found[1][number] = first, second
        return parts_of_frame(found[0]), parts_of_frame(found[1])
    a, b = _frame(one), _frame(other)
    return sum_of_frames(a, _frame(nothing_like(b))), sum_of_frames(_frame(nothing_like(a)), b)


def fits(one: Form, other: Form) -> bool:
    """Whether the same can be done with two values in registers."""
    return _key(one) == _key(other)


def _key(form: Form) -> Hashable:
    if isinstance(form, Expr):
        return form.type
    if isinstance(form, Parts):
        return tuple((number, _key(part.form)) for number, part in form.parts.items())
    if isinstance(form, Sum):
        return ("sum", _key(form.one), _key(form.other))
    if isinstance(form, Stack | Frame):
        return (type(form), form.memory)
    if isinstance(form, Elements):
        return (tuple(form.shape), form.type)
    raise Refusal("an array in memory where one in registers is needed")
