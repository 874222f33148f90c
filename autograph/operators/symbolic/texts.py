"""Texts that data decides: by their letters, by the values in them, or as one of two."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.operators.symbolic.forms import BIT, NUMBER, Form, Leaf, Makers, Where
from autograph.operators.symbolic.rows import size_of
from autograph.operators.values.carried import NOTHING, is_unset, on_side
from autograph.operators.values.grown_text import LETTERS, GrownText, is_grown, letters_of
from autograph.operators.values.kinds import TEXT
from autograph.operators.values.templates import ChosenText, FilledText, as_text, dig
from runtime import ops
from runtime.spec import TensorType
from runtime.structure.templates import letters_of_text
from runtime.tensor import Tensor

__all__ = ["Written", "text_form"]


@dataclass(frozen=True, slots=True)
class Written(Form):
    """A text, by its letters."""

    may_be_beside = True

    @property
    def kind(self) -> Any:
        return TEXT

    @property
    def in_words(self) -> str:
        return "a str"

    def joined(self, other: Form, where: Where) -> Form | None:
        return self if isinstance(other, Written | _Text) else None

    def leaves(self) -> Iterator[Leaf]:
        yield Leaf(LETTERS)

    def flatten(self, x: Any) -> Iterator[Any]:
        yield NOTHING if is_unset(x) else x

    def unflatten(self, name: str, makers: Makers) -> Any:
        return GrownText(makers.value(LETTERS, name))

    def columns(self) -> Iterator[Leaf]:
        """How many letters there are, and these."""
        yield from (NUMBER, Leaf(LETTERS))

    def depths(self) -> Iterator[int]:
        yield from (0, 1)

    def rows_of(
        self, own: Form, rows: Iterator[Tensor], all_rows: list[Tensor]
    ) -> Iterator[Tensor]:
        if isinstance(own, Written):
            yield from (next(rows), next(rows))
            return
        found = [letters_of_text(text) for text in own.constants]
        letters = np.zeros((len(found), max(map(len, found))), np.int32)
        for k, own_letters in enumerate(found):
            letters[k, : len(own_letters)] = own_letters
        count = size_of(all_rows)
        is_one = not list(own.columns())
        which = ops.zeros(count, dtype=np.dtype(np.int64)) if is_one else next(rows)
        yield ops.getitem(np.array(list(map(len, found))), which)
        yield ops.getitem(letters, which)

    def numbers_in(self, x: Any, content: Callable[[Any], Any]) -> Iterator[Any]:
        letters = letters_of(x)
        yield ops.dim(letters, axis=0)
        yield letters


@dataclass(frozen=True, slots=True, eq=False)
class _Text(Form):
    """A text that is put together where it is used: by what it is made of."""

    text: Any

    def joined(self, other: Form, where: Where) -> Form | None:
        if isinstance(other, _Text):
            return _Chosen(None, (self, other))
        return other if isinstance(other, Written) else None

    def unflatten(self, name: str, makers: Makers) -> Any:
        return as_text(self.filled(name, makers))

    @abstractmethod
    def filled(self, name: str, makers: Makers) -> Any:
        """As `unflatten`, for a text that is one of two."""


@dataclass(frozen=True, slots=True, eq=False)
class _Filled(_Text):
    """A text with holes, by the values in them."""

    template: Any
    types: tuple[TensorType, ...]

    def leaves(self) -> Iterator[Leaf]:
        yield from map(Leaf, self.types)

    def flatten(self, x: Any) -> Iterator[Any]:
        yield from [NOTHING] * len(self.types) if x is NOTHING else _holes(x)[1]

    def filled(self, name: str, makers: Makers) -> Any:
        values = [makers.value(type_, name) for type_ in self.types]
        return self.text if isinstance(self.text, str) else FilledText(self.template, values)


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen(_Text):
    """One of two texts, by a bit; without a `text` of its own it is the one or other on a path."""

    parts: tuple[_Text, ...]

    @property
    def inner(self) -> tuple[Form, ...]:
        return self.parts

    def within(self, x: Any) -> Iterator[tuple[Form, str, Any]]:
        for part, one in zip(self.parts, self._split(x)[1], strict=True):
            yield part, "", one

    def _split(self, x: Any) -> tuple[Any, tuple[Any, Any]]:
        """Which of the texts it is, and these."""
        if x is NOTHING:
            return NOTHING, (NOTHING, NOTHING)
        if self.text is not None:
            return x.which, x.texts
        is_first = x is self.parts[0].text
        return is_first, on_side(x, 0 if is_first else 1)

    def leaves(self) -> Iterator[Leaf]:
        yield BIT
        yield from super(_Chosen, self).leaves()

    def flatten(self, x: Any) -> Iterator[Any]:
        yield self._split(x)[0]
        yield from super(_Chosen, self).flatten(x)

    def filled(self, name: str, makers: Makers) -> Any:
        which = makers.value(BIT.type, f"{name}_which")
        first, second = (part.filled(name, makers) for part in self.parts)
        return ChosenText(which, (first, second))


def text_form(x: Any) -> Form:
    """The form of a text, of which a path of an `if` leaves this one."""
    if type(x) is ChosenText:
        texts = tuple(form for form in map(text_form, x.texts) if isinstance(form, _Text))
        return _Chosen(x, texts) if len(texts) == len(x.texts) else Written()
    if isinstance(x, str):
        return _Filled(x, x, ())
    template, values = _holes(x)
    types = tuple(value._value.type for value in values)
    is_read = all(isinstance(type_, TensorType) for type_ in types) and not is_grown(x)
    return _Filled(x, template, types) if is_read else Written()


def _holes(x: Any) -> tuple[Any, list[Any]]:
    """A text with holes, and the values for them."""
    if isinstance(x, FilledText):
        return x.template, x.values
    values: list[Any] = []
    return dig(x, values), values
