"""`next` in branches and loops of the graph of iterators whose place is a number that it counts.

Elsewhere Python advances them while tracing. Once the graph has, only `next` is known of an
`itertools.count`; of what has items by their numbers those that are left can be gone through.
"""

from __future__ import annotations

import itertools
from typing import Any

from autograph.library.feeding import Turn
from autograph.operators.captured.captures import current_trace
from autograph.operators.values.iterables import Indexed, IndexedIterator, start_and_step
from runtime import journal

__all__ = ["turn_of"]


def turn_of(iterator: Any) -> Turn | None:
    """Where an iterator is among its items, if the graph counts that; None where Python does."""
    facts = current_trace()
    turn: Turn | None = None if facts is None else facts.generators.counts.get(id(iterator))
    if facts is None or turn is not None or not journal.is_older_than_body(iterator):
        return turn
    items = None if journal.is_spent(iterator) else _items_of(iterator)
    if items is None:
        return None
    turn = facts.generators.counts[id(iterator)] = Turn(items, iterator)
    journal.fresh_as(turn, iterator)
    if turn.ends:
        iterator.go_on_at(items, turn)
    else:
        journal.note_spent(iterator)
    return turn


def _items_of(iterator: Any) -> Indexed | None:
    """The items that are left, by their numbers; None for an iterator of another kind."""
    if isinstance(iterator, IndexedIterator):
        return iterator.copy()
    if type(iterator) is not itertools.count:
        return None
    start, step = start_and_step(iterator)
    return Indexed("count", None, lambda k: start + k * step) if step else None
