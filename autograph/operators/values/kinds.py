"""What a function gives back that is of another kind on each path: a number, a tuple, text.

No graph value is both. So all that it may be is carried side by side, one of each kind, with a
number that tells which it is. Whoever uses it asks each of them on a branch of its own
(`chosen_text.of_each`), so that what Python refuses of one raises where it is that one.

Where choices are told by numbers, a container that was there before the loop stays itself: it is of
a kind of its own, beside those that the rounds make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NoReturn, TypeVar

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.variables import Nullable, is_in_result, is_whole
from autograph.operators.values.captured_items import parts_of
from autograph.operators.values.carried import (
    NOTHING,
    has_parts,
    is_numeric,
    is_unset,
    split_none,
    type_of,
)
from autograph.operators.values.one_of import (
    OneOf,
    are_containers,
    can_be_told_by_number,
    chooses_by_number,
    is_number_of_class,
    is_one_of_values,
)
from autograph.operators.values.references import chosen, select
from autograph.operators.values.runs import Run, has_runs
from autograph.operators.values.templates import is_textual
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller

__all__ = ["TEXT", "ByKind", "can_be_of_kinds", "in_places", "index_among", "is_itself",
           "is_kept_or_made", "is_of_container", "is_of_kinds", "kind_of", "kind_of_list",
           "kind_of_parts", "kind_of_rank", "kinds_of", "may_be_both", "or_none",
           "own_kind"]  # fmt: skip

TEXT = "text"
_VALUE = "a value"
_ANY_RANK = "an array or a number"
_APART = object()
_ITSELF = object()

_T = TypeVar("_T")


def is_of_kinds(x: Any) -> bool:
    """Whether `x` is one of several values of several kinds, depending on data."""
    return type(x) is OneOf and x.of_kinds


def can_be_of_kinds(x: Any) -> bool:
    """Whether a result may be `x` on one path, and something else on another."""
    return has_parts(x) or is_numeric(x) or is_textual(x) or _is_several(x) or is_one_of_values(x)


def kind_of(x: Any) -> Any:
    """What is equal for two values of which a graph may make one.

    What is in it is not looked at, but for lists: those of alike items are of one kind, whatever
    their length.
    """
    if is_numeric(x) and not is_number_of_class(x):
        return kind_of_rank(type_of(x).rank)
    if is_textual(x):
        return TEXT
    if is_one_of_values(x):
        return _VALUE
    if has_runs(x):
        return type(x), _common(list(map(_kind_of_item, x)))
    if not has_parts(x):
        return type(x)
    children = parts_of(x)
    if type(x) is list:
        return kind_of_list([kind_of(split_none(part)[0]) for _, part in children])
    return type(x), tuple(step for step, _ in children)


def _kind_of_item(x: Any) -> Any:
    """The kind of an item of a list, or of those of a run, whose form may not be known yet."""
    if not isinstance(x, Run):
        return kind_of(x)
    return type(None) if x.item is None else x.item.kind


def kind_of_rank(rank: int | None) -> Any:
    return _ANY_RANK if rank is None else rank


def _is_numeric_kind(kind: Any) -> bool:
    return isinstance(kind, int) or kind == _ANY_RANK


def own_kind(x: Any) -> Any:
    """The kind of a value that is no part of another: of a container that stays itself, its own."""
    return _itself(x) if _stays_itself(x) else kind_of(x)


def _itself(x: Any) -> Any:
    return _ITSELF, id(x)


def _stays_itself(x: Any) -> bool:
    """Whether data chooses this container, which no body made that is traced again."""
    if not chooses_by_number() or not can_be_told_by_number(x):
        return False
    builder = building()
    while builder is not None and builder.settles:
        if builder.has_made(x):
            return False
        builder = builder.parent
    return True


def is_itself(kind: Any) -> bool:
    """Whether that is the kind of one container that stays itself."""
    return type(kind) is tuple and kind[0] is _ITSELF


def is_of_container(kind: Any) -> bool:
    """Whether that is the kind of a container."""
    return type(kind) is tuple


def is_kept_or_made(name: str, kinds: Iterable[Any]) -> bool:
    """Whether what is of these kinds is a container that stays itself, or another one.

    Of a name there is no more than one other, in which nobody else sees what is written.
    """
    others = [kind for kind in kinds if is_of_container(kind)]
    made = [kind for kind in others if not is_itself(kind)]
    if not 0 < len(made) < len(others):
        return False
    return is_in_result(name) or (is_whole(name) and len(made) == 1 and _are_names_kept())


def _are_names_kept() -> bool:
    """Whether names may be such: if not, the trace notes that it would have been another way."""
    facts = current_trace()
    if facts is None:
        return False
    facts.found.names = True
    return facts.attempt.keeps_names


def kind_of_parts(like: Any, kinds: Sequence[Any]) -> Any:
    """The kind of a container like this one, of parts of these kinds."""
    return kind_of_list(kinds) if type(like) is list else kind_of(like)


def kind_of_list(kinds: Sequence[Any]) -> Any:
    common = _common(kinds)
    return list, ("items", len(kinds)) if common is None and kinds else common


def _common(kinds: Sequence[Any]) -> Any:
    """The one kind of all items; None where there is none, or no item."""
    common = kinds[0] if kinds else None
    for kind in kinds:
        common = _joined(common, kind)
    return None if common is _APART else common


def _joined(a: Any, b: Any) -> Any:
    """The kind of what is of either, if a graph may make one of them: an empty list is any list."""
    if a == b:
        return a
    if _ANY_RANK in (a, b) and _is_numeric_kind(a) and _is_numeric_kind(b):
        return _ANY_RANK
    if not all(isinstance(kind, tuple) and kind[0] is list for kind in (a, b)):
        return _APART
    items = b[1] if a[1] is None else a[1] if b[1] is None else _joined(a[1], b[1])
    return _APART if items is _APART else (list, items)


def _are_apart(a: Any, b: Any) -> bool:
    """Whether no graph makes one value of these kinds."""
    return _joined(a, b) is _APART


def may_be_both(name: str, a: Any, b: Any) -> bool:
    """Whether a place of that name may hold values of these two kinds, of which no graph makes one.

    A name is no number on one path and an array on the other, or an array of other axes: that is
    a mistake more often than not. A result may be.
    """
    are_numeric = _is_numeric_kind(a) and _is_numeric_kind(b)
    return _are_apart(a, b) and (is_in_result(name) if are_numeric else is_whole(name))


class ByKind(Generic[_T]):
    """Things of several kinds: one of each, in the order in which the kinds were found."""

    def __init__(self, things: Iterable[tuple[Any, _T]] = ()) -> None:
        self.kinds: list[Any] = []
        self.things: list[_T] = []
        for kind, thing in things:
            self.kinds.append(kind)
            self.things.append(thing)

    def add(self, kind: Any, thing: _T, join: Callable[[_T, _T], _T]) -> None:
        """Put a thing beside those of other kinds, or join it with the one of its kind."""
        place = _place(self.kinds, kind)
        if place is None:
            self.kinds.append(kind)
            self.things.append(thing)
        else:
            self.kinds[place] = _joined(self.kinds[place], kind)
            self.things[place] = join(self.things[place], thing)


def _place(kinds: Sequence[Any], kind: Any) -> int | None:
    """The first of the kinds that this one is, or that it becomes as items are added."""
    return next((k for k, known in enumerate(kinds) if not _are_apart(known, kind)), None)


def kinds_of(x: Any) -> list[tuple[Any, Any]]:
    """What `x` may be, each with its kind; nothing where it is not there."""
    return [(own_kind(one), one) for one in _things_in(x)]


def _things_in(x: Any) -> tuple[Any, ...]:
    """What `x` may be of several kinds, or of several containers; nothing where it is not there."""
    if x is NOTHING or is_unset(x):
        return ()
    if type(x) is Nullable:
        return (*_things_in(x.inner), None)
    return x.things if _is_several(x) else (x,)


def _is_several(x: Any) -> bool:
    return type(x) is OneOf and (x.of_kinds or are_containers(x.things))


def in_places(kinds: Sequence[Any], x: Any) -> list[Any]:
    """What `x` may be of each of the kinds; NOTHING of those that it is not."""
    placed: list[Any] = [NOTHING] * len(kinds)
    found = _things_in(x)
    for one, place in zip(found, _places(kinds, found), strict=True):
        placed[place] = one
    return placed


def _places(kinds: Sequence[Any], found: Sequence[Any]) -> list[int]:
    """The place among the kinds of each of the things."""
    places: list[int] = []
    for one in found:
        own = _itself(one)
        place = kinds.index(own) if own in kinds else _place(kinds, kind_of(one))
        if place is None:
            _refuse("is of ever more kinds, as of a result that is a part of itself")
        if place in places:
            _refuse("was of two kinds and is of one since, as of lists that are added to")
        places.append(place)
    return places


def _refuse(what: str) -> NoReturn:
    raise StagingError(
        f"what is of several kinds here {what}",
        "return the same kind of value on every path",
        origin=origin_of_caller(),
    )


def index_among(kinds: Sequence[Any], x: Any) -> Any:
    """The place of what `x` is among all kinds: known, or traced; NOTHING where it is not there."""
    if type(x) is Nullable:
        there = index_among(kinds, x.inner)
        return chosen(x.present, there, _place(kinds, _NONE))
    found = _things_in(x)
    if not found:
        return NOTHING
    places = _places(kinds, found)
    return select(x.index, dict(enumerate(places))) if len(found) > 1 else places[0]


def or_none(x: Any, present: Any, otherwise: Any) -> Any:
    """`x` where it is there, else None, if it is of several kinds: None is one more of them.

    Any other thing is what `otherwise` makes of it.
    """
    if not is_of_kinds(x):
        return otherwise(x)
    things = x.things if any(one is None for one in x.things) else (*x.things, None)
    place = next(k for k, one in enumerate(things) if one is None)
    return OneOf(chosen(present, x.index, place), things, of_kinds=True)


_NONE = type(None)
