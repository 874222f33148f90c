"""`next` of an `itertools.count` in branches and loops of the graph, which counts on itself.

Elsewhere Python advances it while tracing. Once the graph has, only `next` is known of it.
"""

from __future__ import annotations

import itertools
from typing import Any

from autograph.operators.captured.captures import current_trace
from autograph.operators.stand_ins.iterables import start_and_step
from runtime import journal

__all__ = ["counted_on"]


class _Place:
    """Where a count is: the number that it gives next."""

    __slots__ = ("count", "next", "slot", "step")

    def __init__(self, count: itertools.count[int], start: int, step: int) -> None:
        self.count, self.step = count, step
        self.next: Any = start
        self.slot = journal.Slot(("count", id(self)), self, "a count", lambda: self.next, self._put)

    def _put(self, number: Any) -> None:
        self.next = number


def counted_on(count: Any) -> Any:
    """What `next` of it gives, where the graph counts; None where Python does."""
    facts = current_trace()
    if facts is None or type(count) is not itertools.count:
        return None
    place = facts.counts.get(id(count))
    if place is None:
        start, step = start_and_step(count)
        if step == 0 or not journal.is_older_than_body(count):
            return None
        place = facts.counts[id(count)] = _Place(count, start, step)
        journal.fresh_as(place, count)
        journal.note_spent(count)
    journal.note(place.slot)
    number = place.next
    place.next = number + place.step
    return number
