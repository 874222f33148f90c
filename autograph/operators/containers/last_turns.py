"""Keys that are taken out of a dict while its last item has its turn in a loop over it.

Python goes on over its table: what is put in then comes after the last item, even under the same
key. The dict looks as it did before, so that the loop must know that a key was taken out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.captured.captures import current_trace, trace_at_hand
from autograph.operators.values.carried import both_hold, either_holds
from autograph.operators.values.contents import content_slot
from runtime import journal, ops
from runtime.building import Builder, building

__all__ = ["LastTurn", "note_taken_out"]


class LastTurn:
    """Whether a key is taken out of `thing`, a dict or the list of its items, in the last turn."""

    __slots__ = ("_builder", "_left", "_seen", "thing")

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        # How many items come after the one whose turn it is: what counts them.
        self._left: Callable[[], Any] = lambda: None
        self._builder: Builder | None = None
        # What bodies write is carried, and joined, as any dict's content.
        self._seen: dict[str, Any] = journal.fresh({"late": False})
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
        is_last = not is_over and self._left() == 0
        if is_last is False:
            return
        journal.note(content_slot(self._seen))
        late = either_holds(self._seen["late"], both_hold(is_last, there))
        self._seen["late"] = late if late is True else ops.as_weak(late, kind="bool")

    @property
    def was_late(self) -> Any:
        """Whether one was."""
        return self._seen["late"]


def note_taken_out(thing: Any, there: Any = True) -> None:
    """Tell the loops over a dict, or the list of its items, that a key of it is taken out."""
    trace = current_trace()
    turns = [] if trace is None else trace.containers.turns.get(id(thing), [])
    for turn in turns:
        if turn.thing is thing:
            turn.note(there)
