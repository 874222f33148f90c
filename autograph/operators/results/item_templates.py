"""Items of lists whose length depends on data, as templates of what is handed out."""

from __future__ import annotations

import itertools
from typing import Any

from autograph.operators.results.container_outputs import refuse_objects
from autograph.operators.results.reconstruction import (
    ItemPart,
    LettersPart,
    NumberPart,
    OptionalPart,
    RaggedPart,
    TextPart,
)
from autograph.operators.symbolic.choices import Among, OrNone
from autograph.operators.symbolic.containers import Branching, Ragged
from autograph.operators.symbolic.forms import Form, Leaf, Static
from autograph.operators.symbolic.rows import inner_types
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.carried import with_children
from runtime.structure import tree

__all__ = ["ARRAY", "holds_nests", "kept_as_rows", "template_of"]


def holds_nests(structure: tree.Structure) -> bool:
    """Whether there are lists or dicts in an item."""
    if structure.kind is None:
        return False
    return structure.kind in (list, dict) or any(map(holds_nests, structure.children))


ARRAY = "arrays"  # which only that list may have


def kept_as_rows(form: Form) -> str:
    """What an item of a list by data has that such a list shares with other places; else empty."""
    if isinstance(form, Ragged):
        return "lists that are of several lengths"
    if isinstance(form, Leaf):
        return ARRAY if form.type.rank != 0 else ""
    return next(filter(None, map(kept_as_rows, form.inner)), "")


def template_of(item: Form) -> tuple[list[Any], tree.Structure]:
    """The leaves of an item, an ItemPart for each number, and its structure."""
    numbers = itertools.count()

    def part(form: Form) -> Any:
        refuse_objects(form, "made into text, stored or given to Python code")
        if isinstance(form, Leaf):
            return ItemPart(next(numbers), form.type.weak, bool(form.numpy))
        if form.number_types:
            return NumberPart(next(numbers), list(map(part, form.number_types)))
        if isinstance(form, OrNone):
            leaves, structure = tree.flatten(part(form.part))
            return OptionalPart(structure, leaves, next(numbers))
        if isinstance(form, Among):
            return TextPart(next(numbers), form.things)
        if isinstance(form, Branching):
            return with_children(form.like, list(map(part, form.parts)))
        if isinstance(form, Written):
            return LettersPart(next(numbers), next(numbers))
        if isinstance(form, Ragged):
            count, rows = next(numbers), [next(numbers) for _ in inner_types(form.item)]
            parts, structure = template_of(form.item)
            return RaggedPart(count, rows, structure, parts)
        return form.value if isinstance(form, Static) else None

    return tree.flatten(part(item))
