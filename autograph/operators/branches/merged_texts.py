"""Joining the texts that the two branches of a staged `if` left in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.branches.merged_arrays import Rebuild
from autograph.operators.values.bodies import Outcome
from autograph.operators.values.carried import NOTHING, on_side, tensor
from autograph.operators.values.grown_text import GrownText, is_grown, letters_of
from autograph.operators.values.templates import (
    ChosenText,
    FilledText,
    LazyString,
    as_text,
    dig,
    is_textual,
)
from runtime import trace
from runtime.spec import TensorType

__all__ = ["TextJoins", "is_text_place"]


class TextJoins:
    """The texts of one staged `if`; `numeric` plans a place of numbers."""

    def __init__(
        self, outcomes: tuple[Outcome, Outcome], numeric: Callable[[str, Any, Any], Rebuild]
    ) -> None:
        self._outcomes, self._numeric = outcomes, numeric

    def add(self, name: str, a: Any, b: Any) -> Rebuild:
        """How a place goes on that is one text or another: its values are those of its path."""
        of_errors = any(
            not isinstance(type_, TensorType) for x in (a, b) for type_ in _types_in_text(x)
        )
        if of_errors or is_grown(a) or is_grown(b):
            return self._letters(name, a, b)
        sides = [self._text_of(name, x, side) for side, x in enumerate((a, b)) if x is not NOTHING]
        if len(sides) == 1:
            return lambda outputs: as_text(sides[0](outputs))
        which = self._numeric(f"{name}_which", True, False)
        return lambda outputs: ChosenText(which(outputs), (sides[0](outputs), sides[1](outputs)))

    def _letters(self, name: str, a: Any, b: Any) -> Rebuild:
        """Text that a loop puts together, one way or another."""
        found = []
        for outcome, x in zip(self._outcomes, (a, b), strict=True):
            with trace.interpreting(outcome.builder):
                found.append(NOTHING if x is NOTHING else letters_of(x))
        plan = self._numeric(name, *found)
        return lambda outputs: GrownText(tensor(plan(outputs)))

    def _text_of(self, name: str, x: Any, side: int) -> Rebuild:
        """The text that one path gives."""
        if isinstance(x, str):
            return lambda outputs: x
        if isinstance(x, ChosenText):
            which = self._of_side(name, x.which, side)
            first, second = (self._text_of(name, text, side) for text in x.texts)
            return lambda outputs: ChosenText(which(outputs), (first(outputs), second(outputs)))
        values: list[Any] = list(x.values) if isinstance(x, FilledText) else []
        template = x.template if isinstance(x, FilledText) else dig(x, values)
        parts = [self._of_side(name, value, side) for value in values]
        return lambda outputs: FilledText(template, [part(outputs) for part in parts])

    def _of_side(self, name: str, x: Any, side: int) -> Rebuild:
        return self._numeric(name, *on_side(x, side))


def _types_in_text(x: Any) -> list[Any]:
    """The types of the values in a text."""
    values: list[Any] = []
    dig(x, values)
    return [value._value.type for value in values]


def is_text_place(a: Any, b: Any) -> bool:
    """Whether a place holds text that depends on data, or on what the path computed."""
    texts = [is_textual(x) for x in (a, b)]
    if not all(text or x is NOTHING for text, x in zip(texts, (a, b), strict=True)):
        return False
    if any(isinstance(x, LazyString) for x in (a, b)):
        return True
    return all(texts) and a != b
