"""Items that are asked for one by one, until there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = [
    "Turn",
    "end_of",
    "items_of",
    "next_in_turn",
    "next_in_turn_or",
    "next_of",
    "next_or",
]


def items_of(asked: Any) -> Iterator[Any]:
    """What `following` gives beside True."""
    while True:
        is_found, item = asked.following()
        if not is_found:
            break
        yield item


def next_of(asked: Any) -> Any:
    """The next item; StopIteration where there is none."""
    is_found, item = asked.following()
    if not is_found:
        raise StopIteration
    return item


def next_or(asked: Any, default: Any) -> Any:
    """The next item, or the default."""
    is_found, item = asked.following()
    return item if is_found else default


class Turn:
    """How many items of an iterator were taken, which has them by their numbers."""

    def __init__(self, items: Any, iterator: Any) -> None:
        self.items, self.iterator, self.taken = items, iterator, 0
        self.ends = items.length is not None


def next_in_turn(turn: Any) -> Any:
    """The next item; StopIteration where there is none."""
    number = turn.taken
    if turn.ends and number >= turn.items.length:
        raise StopIteration
    turn.taken = number + 1
    return turn.items.item(number)


def next_in_turn_or(turn: Any, default: Any) -> Any:
    """The next item, or the default."""
    number = turn.taken
    if turn.ends and number >= turn.items.length:
        return default
    turn.taken = number + 1
    return turn.items.item(number)


def end_of(asked: Any) -> None:
    """End what was asked, which may have items left."""
    asked.end()
