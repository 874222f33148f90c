"""Text that a staged loop puts together: the graph holds its letters, as an array of integers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from autograph.operators.values.templates import Late, LazyString, dig
from runtime import ops
from runtime.building import constant, current_builder, traced
from runtime.effects import control
from runtime.graph.ir import Op
from runtime.spec import TensorType
from runtime.structure.templates import Hole, Letters, Line, letters_of_text
from runtime.tensor import Tensor

__all__ = ["LETTERS", "GrownText", "has_letters", "is_grown", "letters_of", "position_among"]

# The letters of a text, by their numbers.
LETTERS = TensorType(np.dtype(np.int32), (None,))


class GrownText(LazyString, Late):
    """A text of which the graph holds the letters."""

    __slots__ = ("letters",)

    def __init__(self, letters: Tensor) -> None:
        self.letters = letters
        super().__init__(((self, -1, None),))

    def dug(self, operands: list[Tensor]) -> LazyString:
        """The text with a hole for its letters, which are appended to `operands`."""
        operands.append(self.letters)
        return LazyString(((Letters(Hole(len(operands) - 1)), -1, None),))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return GrownText(ops.getitem(self.letters, key))
        return self._refuse()

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, str | LazyString):
            return super().__add__(other)
        return GrownText(ops.concat([self.letters, letters_of(other)]))

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, str | LazyString):
            return super().__radd__(other)
        return GrownText(ops.concat([letters_of(other), self.letters]))

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, str | LazyString):
            return False
        mine, theirs = self.letters, letters_of(other)
        count, others = ops.dim(mine, axis=0), ops.dim(theirs, axis=0)
        both = slice(0, ops.minimum(count, others))
        are_alike = ops.all(ops.equal(ops.getitem(mine, both), ops.getitem(theirs, both)))
        return ops.as_weak(ops.logical_and(ops.equal(count, others), are_alike), kind="bool")

    def __ne__(self, other: object) -> Any:
        same = self == other
        return ops.logical_not(same) if isinstance(same, Tensor) else not same

    __hash__ = LazyString.__hash__  # type: ignore[assignment]


def is_grown(x: Any) -> bool:
    """Whether a text has one in it of which the graph holds the letters."""
    if not isinstance(x, LazyString):
        return False
    pieces = (part[0] for part in x.parts if not isinstance(part, str))
    return any(isinstance(piece, GrownText) for piece in pieces)


def has_letters(x: LazyString) -> Any:
    """The truth value of a text."""
    if any(isinstance(part, str) and part for part in x.parts):
        return True
    return ops.as_weak(ops.dim(letters_of(x), axis=0) > 0, kind="bool")


def letters_of(x: Any) -> Tensor:
    """The letters of a text, as the graph under construction has them."""
    if isinstance(x, GrownText):
        return x.letters
    if isinstance(x, str):
        return constant(letters_of_text(x))
    return _made_of(control.TEXT, x)


def position_among(x: LazyString, texts: Iterable[str]) -> Tensor:
    """The position of a text among known ones; -1 where it is none of them."""
    return _made_of(control.TEXT_POSITION, x, texts=tuple(texts))


def _made_of(op: Op, text: LazyString, **attrs: Any) -> Tensor:
    """What an op makes of a text, which is put together in its place."""
    builder = current_builder()
    operands: list[Tensor] = []
    render = Line((dig(text, operands),), "", "")
    values = [builder.value_of(t) for t in operands]
    node = builder.emit(op, values, {"render": render, **attrs})
    return traced(node.outputs[0])
