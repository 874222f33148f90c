"""Where objects on a heap are in what a function gives back, and where they cannot be."""

from __future__ import annotations

from typing import Any

from autograph.operators.captured.variables import Nullable
from autograph.operators.symbolic.forms import Form
from autograph.operators.values.heaps import Reference, raise_refused
from autograph.operators.values.runs import Run, Sealed, SealedEntries, mark_of
from runtime.structure import tree

__all__ = ["object_in", "refuse_references_in"]


def refuse_references_in(item: Form, what: str) -> None:
    """Refuse a use of a list of which the items, of a form, have objects on a heap in them."""
    found = _object_of(item)
    if found is not None:
        raise_refused(found, what)


def object_in(x: Any, around: frozenset[int] = frozenset()) -> type | None:
    """The class of an object on a heap that is in a nest; None where there is none."""
    if isinstance(x, Reference):
        return x.stands_for
    if isinstance(x, Run | Sealed):
        return _object_of(x.item)
    if isinstance(x, SealedEntries):
        return object_in(x.values, around)
    if type(x) is Nullable:
        return object_in(x.inner, around)
    if id(x) in around:
        return None
    mark = mark_of(x)
    found = tree.entries(x) if mark is None else ((), list(dict.values(x)), None)
    parts = () if found is None else found[1]
    inner = around | {id(x)}
    return next(filter(None, (object_in(part, inner) for part in parts)), None)


def _object_of(item: Form) -> type | None:
    """Likewise for an item of a list whose length depends on data."""
    if isinstance(item.example, Reference):
        return item.example.stands_for
    return next(filter(None, map(_object_of, item.inner)), None)
