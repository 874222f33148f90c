"""What a function gives back that is of another kind on each path: a number, a tuple, text.

No graph value is both. So all that it may be is carried side by side, one of each kind, with a
number that tells which it is. Whoever uses it asks each of them on a branch of its own
(`chosen_text.of_each`), so that what Python refuses of one raises where it is that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograph.operators.captured.variables import Nullable
from autograph.operators.stand_ins.forms import (
    Branching,
    Form,
    Growing,
    Leaf,
    OrNone,
    Referring,
    Static,
    Written,
)
from autograph.operators.stand_ins.item_forms import parts_of
from autograph.operators.stand_ins.one_of import OneOf, is_number_of_class
from autograph.operators.stand_ins.references import chosen, select
from autograph.operators.stand_ins.runs import Run, has_runs
from autograph.operators.stand_ins.templates import LazyString
from autograph.operators.stand_ins.values import (
    NOTHING,
    has_parts,
    is_numeric,
    is_unset,
    split_none,
    type_of,
)
from runtime.errors import StagingError
from runtime.origins import origin_of_caller

__all__ = ["can_be_of_kinds", "index_among", "is_of_kinds", "kind_of", "kind_of_form",
           "kind_of_parts", "kinds_of", "or_none"]  # fmt: skip

_TEXT = "text"


def is_of_kinds(x: Any) -> bool:
    """Whether `x` is one of several values of several kinds, depending on data."""
    return type(x) is OneOf and x.of_kinds


def can_be_of_kinds(x: Any) -> bool:
    """Whether a result may be `x` on one path, and something else on another."""
    return has_parts(x) or is_numeric(x) or isinstance(x, str | LazyString) or is_of_kinds(x)


def kind_of(x: Any, writes: dict[Any, Any] | None = None) -> Any:
    """What is equal for two values of which a graph may make one.

    `writes` are those of the body that left it, by journal key. What is in it is not looked at, but
    for lists: those of alike items are of one kind, whatever their length.
    """
    if isinstance(x, str | LazyString):
        return _TEXT
    if is_numeric(x) and not is_number_of_class(x):
        return type_of(x).rank
    if has_runs(x):
        return type(x), _common(
            [kind_of_form(part.item) if isinstance(part, Run) else kind_of(part) for part in x]
        )
    if not has_parts(x):
        return type(x)
    children = parts_of(x, writes or {})
    if type(x) is list:
        return _kind_of_list([kind_of(split_none(part)[0], writes) for _, part in children])
    return type(x), tuple(step for step, _ in children)


def kind_of_form(form: Form) -> Any:
    """The kind of the values of a form."""
    if isinstance(form, Static):
        return kind_of(form.value)
    if isinstance(form, Leaf | Referring):
        return form.type.rank
    if isinstance(form, Written):
        return _TEXT
    if isinstance(form, OrNone):
        return kind_of_form(form.part)
    if isinstance(form, Growing):
        return type(form.like), kind_of_form(form.item)
    if isinstance(form, Branching):
        if type(form.like) is list:
            return _kind_of_list([kind_of_form(part) for part in form.parts])
        return type(form.like), form.steps
    return type(form)


def kind_of_parts(like: Any, kinds: Sequence[Any]) -> Any:
    """The kind of a container like this one, of parts of these kinds."""
    return _kind_of_list(kinds) if type(like) is list else kind_of(like)


def _kind_of_list(kinds: Sequence[Any]) -> Any:
    common = _common(kinds)
    return list, len(kinds) if common is None and kinds else common


def _common(kinds: Sequence[Any]) -> Any:
    """The one kind of all items; None where there is none."""
    found = set(kinds)
    return found.pop() if len(found) == 1 else None


def kinds_of(x: Any, writes: dict[Any, Any] | None = None) -> dict[Any, Any]:
    """What `x` may be, by kind; nothing where it is not there."""
    if x is NOTHING or is_unset(x):
        return {}
    if type(x) is Nullable:
        return {**kinds_of(x.value, writes), _NONE: None}
    things = x.things if is_of_kinds(x) else (x,)
    return {kind_of(one, writes): one for one in things}


def index_among(kinds: Sequence[Any], x: Any, writes: dict[Any, Any] | None = None) -> Any:
    """The place of what `x` is among all kinds: known, or traced; NOTHING where it is not there."""
    if type(x) is Nullable:
        there = index_among(kinds, x.value, writes)
        return chosen(x.present, there, kinds.index(_NONE))
    found = list(kinds_of(x, writes))
    if any(kind not in kinds for kind in found):
        raise StagingError(
            "what is of several kinds here is of ever more kinds, as of a result that is a part of "
            "itself",
            "return the same kind of value on every path",
            origin=origin_of_caller(),
        )
    places = [kinds.index(kind) for kind in found]
    if not places:
        return NOTHING
    return select(x.index, dict(enumerate(places))) if is_of_kinds(x) else places[0]


def or_none(x: Any, present: Any, otherwise: Any) -> Any:
    """`x` where it is there, else None, if it is of several kinds: None is one more of them.

    Any other thing is what `otherwise` makes of it.
    """
    if not is_of_kinds(x):
        return otherwise(x)
    known = list(kinds_of(x))
    kinds = known if _NONE in known else [*known, _NONE]
    things = x.things if _NONE in known else (*x.things, None)
    return OneOf(chosen(present, x.index, kinds.index(_NONE)), things, of_kinds=True)


_NONE = type(None)
