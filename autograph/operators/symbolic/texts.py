"""A text of which only the graph knows the letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograph.operators.symbolic.forms import NUMBER, Form, Leaf, Makers, Where
from autograph.operators.symbolic.rows import size_of
from autograph.operators.values.carried import NOTHING, is_unset
from autograph.operators.values.grown_text import LETTERS, GrownText, letters_of
from autograph.operators.values.kinds import TEXT
from runtime import ops
from runtime.structure.templates import letters_of_text
from runtime.tensor import Tensor

__all__ = ["Written"]


@dataclass(frozen=True, slots=True)
class Written(Form):
    """A text, by its letters."""

    @property
    def kind(self) -> Any:
        return TEXT

    @property
    def in_words(self) -> str:
        return "a str"

    def joined(self, other: Form, where: Where) -> Form | None:
        return self if self == other else None

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
