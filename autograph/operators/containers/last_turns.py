"""Keys that are taken out of a dict while a loop goes through it.

Python goes on over its table: what is put in then comes after the last item, even under the same
key. The dict may look as it did before, so that the loop must know that a key was taken out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.captured.captures import current_trace, trace_at_hand
from autograph.operators.values.carried import both_hold, either_holds
from autograph.operators.values.contents import content_slot
from runtime import journal, ops
from runtime.building import Builder, building

__all__ = ["Taken", "note_taken_out"]


class Taken:
    """Whether a key is taken out of `thing`, a dict or the list of its items, in a turn of a loop.

    In the last turn, or in any, of what looks at nothing else.
    """

    __slots__ = ("_builder", "_in_any", "_left", "_seen", "thing")

    def __init__(self, thing: Any, in_any: bool = False) -> None:
        self.thing, self._in_any = thing, in_any
        # How many items come after the one whose turn it is: what counts them.
        self._left: Callable[[], Any] = lambda: None
        self._builder: Builder | None = None
        # What bodies write is carried, and joined, as any dict's content.
        self._seen: dict[str, Any] = journal.fresh({"taken": False})
        trace_at_hand().containers.turns.setdefault(id(thing), []).append(self)

    def begin(self, index: Any, count: Any) -> None:
        """It is the turn of the item of this index."""
        self._left, self._builder = lambda: count - 1 - index, building()

    def note(self, there: Any) -> None:
        """A key is taken out where it is there."""
        builder = building()
        while builder is not self._builder and builder is not None:
            builder = builder.parent
        is_over = builder is None or not journal.is_fresh(self._seen)  # the loop was begun anew
        is_meant = not is_over and (self._in_any or self._left() == 0)
        if is_meant is False:
            return
        journal.note(content_slot(self._seen))
        taken = either_holds(self._seen["taken"], both_hold(is_meant, there))
        self._seen["taken"] = taken if taken is True else ops.as_weak(taken, kind="bool")

    @property
    def is_any(self) -> Any:
        """Whether one was."""
        return self._seen["taken"]


def note_taken_out(thing: Any, there: Any = True) -> None:
    """Tell the loops over a dict, or the list of its items, that a key of it is taken out."""
    trace = current_trace()
    turns = [] if trace is None else trace.containers.turns.get(id(thing), [])
    for turn in turns:
        if turn.thing is thing:
            turn.note(there)
