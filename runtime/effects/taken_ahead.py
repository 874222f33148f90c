"""Items that a trace took of iterators, to know their type: they are given in the first round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.building import building
from runtime.origins import warn_caller

__all__ = ["following", "keep_ahead", "note_what_is_ahead", "title", "warn_of_what_is_ahead"]


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


def following(items: Iterator[Any]) -> Any:
    """The next item of an iterator, of which a trace may have taken it."""
    held = _ahead.get(id(items))
    if held is None or held.items is not items:
        return next(items)
    del _ahead[id(items)]
    return held.item


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
