"""Items that a trace took of iterators, to know their type: they are given in the first round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.building import building
from runtime.origins import warn_caller

__all__ = [
    "all_ahead",
    "begun",
    "following",
    "forget",
    "has_ahead",
    "keep_ahead",
    "keep_begun",
    "note_what_is_ahead",
    "take_begun",
    "title",
    "warn_of_what_is_ahead",
]


class _Ahead:
    """What was taken of an iterator while tracing, and is the next item of it."""

    __slots__ = ("is_told", "item", "items")

    def __init__(self, items: Iterator[Any], item: Any) -> None:
        self.items, self.item, self.is_told = items, item, False

    def __str__(self) -> str:
        """Who has the item now, in words."""
        return (
            f"the next item of {title(self.items)} was taken while tracing, to know its type: "
            "converted functions have it yet, plain Python has it no more"
        )


# By the identity of the iterator.
_ahead: dict[int, _Ahead] = {}


def keep_ahead(items: Iterator[Any], item: Any) -> None:
    """Keep an item that was taken of an iterator, as the next one of it."""
    _ahead[id(items)] = _Ahead(items, item)


def has_ahead(items: Any) -> bool:
    """Whether an item was taken of an iterator, which is its next one."""
    held = _ahead.get(id(items))
    return held is not None and held.items is items


def all_ahead() -> frozenset[object]:
    """All that was taken of iterators and is their next item: plain Python lacks it."""
    return frozenset(_ahead.values())


# Passes that traces began, over what each run begins anew, by the identities of what begins them:
# a function and its arguments. A trace that tries again, and the first run, go on with them.
_begun: dict[tuple[int, ...], tuple[tuple[Any, ...], Iterator[Any]]] = {}


def keep_begun(source: tuple[Any, ...], items: Iterator[Any]) -> None:
    """Keep a pass that a trace began over `source`, as the next one over it."""
    _begun[*map(id, source)] = source, items


def begun(source: tuple[Any, ...]) -> Iterator[Any] | None:
    """The pass over `source` that a trace began and no run has taken."""
    held = _begun.get((*map(id, source),))
    return None if held is None else held[1]


def take_begun(source: tuple[Any, ...]) -> Iterator[Any] | None:
    """The same, which is taken by this."""
    held = _begun.pop((*map(id, source),), None) if _begun else None
    return None if held is None else held[1]


def forget(items: Iterator[Any]) -> None:
    """Forget what was taken of an iterator, and that a trace began a pass over it."""
    _ahead.pop(id(items), None)
    for source in [source for source, held in _begun.items() if held[1] is items]:
        del _begun[source]


def following(items: Iterator[Any]) -> Any:
    """The next item of an iterator, of which a trace may have taken it."""
    return _ahead.pop(id(items)).item if has_ahead(items) else next(items)


def note_what_is_ahead(error: BaseException) -> None:
    """Note below an error of a call which items its trace took that no round was given."""
    for text in _untold():
        error.add_note(text)


def warn_of_what_is_ahead() -> None:
    """Warn of items that the trace of a call took, and that it came to no round for."""
    for text in _untold():
        warn_caller(text, RuntimeWarning)


def _untold() -> Iterator[str]:
    if not _ahead or building() is not None:
        return
    for held in list(_ahead.values()):
        if not held.is_told:
            held.is_told = True
            yield str(held)


def title(iterator: Any) -> str:
    """An iterator in words."""
    kind = getattr(iterator, "name", type(iterator).__name__)
    return f"an iterator ({str(kind).removesuffix('_iterator')})"
