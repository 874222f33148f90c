"""Containers that are one object or another by data, and what else is still seen of these.

After a staged `if` such a container is an object of its own, so that a later write to it, or to one
that it may be, would not be seen in the other: it is refused. Reading is right in any case.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from autograph.operators.captures import current_trace
from autograph.operators.values import NOTHING, is_container, own_children
from runtime import journal

__all__ = ["Chosen", "note_kin"]

_NOT_MADE = object()


@dataclass(eq=False)
class Chosen:
    """A container that is `sides[0]` on one path and `sides[1]` on the other, under all names."""

    name: str
    sides: tuple[Any, Any]
    build: Callable[[Sequence[Any]], Any]
    made: Any = _NOT_MADE
    # Where a path never gets here: the container that has the same on the other path.
    partner: Chosen | None = None

    def make(self, outputs: Sequence[Any]) -> Any:
        """The container after the statement, the same for all places that hold it."""
        if self.partner is not None:
            return self.partner.make(outputs)
        if self.made is _NOT_MADE:
            self.made = journal.fresh(self.build(outputs))
        return self.made


def note_kin(chosen: Collection[Chosen], names: Iterable[str], written: Collection[Any]) -> None:
    """Tell the journal which containers are not to be written after a staged `if`.

    `names` and `written` are what the statement gave a value: what only they held is seen no more.
    """
    changeable = [c for c in chosen if c.partner is None and not isinstance(c.made, tuple)]
    changeable = [c for c in changeable if c.made is not _NOT_MADE]
    if not changeable:
        return
    trace = current_trace()
    seen = _visible(set(names), written)
    uses = Counter(id(x) for c in changeable for x in c.sides if x is not NOTHING)
    for c in changeable:
        older = [
            x for x in c.sides
            if x is not NOTHING and (
                id(x) in seen
                or uses[id(x)] > 1
                or journal.is_kin(x)
                or (trace is not None and trace.is_outside(x))
            )
        ]  # fmt: skip
        for x in (c.made, *older) if older else ():
            journal.note_kin(x, c.name)


def _visible(hidden: set[str], written: Collection[Any]) -> dict[int, Any]:
    """The objects that the converted functions under way can reach, by id."""
    found: dict[int, Any] = {}
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if "ag__" in code.co_freevars and code.co_flags & inspect.CO_OPTIMIZED:
            held: Any = frame.f_locals
            values = [value for name, value in held.items() if name not in hidden]
            if type(held) is dict:
                held.clear()  # a copy that the frame would keep, and with it all that is in it
            _reach(values, written, found)
            hidden = hidden.difference(code.co_cellvars)
        frame = frame.f_back
    return found


def _reach(values: list[Any], written: Collection[Any], found: dict[int, Any]) -> None:
    """Add what `values` lead to, past the places that were written."""
    while values:
        x = values.pop()
        if id(x) in found:
            continue
        fields = getattr(x, "__dict__", None)
        if is_container(x) and type(fields) is not dict:
            parts = [] if ("content", id(x)) in written else [part for _, part in own_children(x)]
        elif isinstance(x, (list, deque)):
            parts = [] if ("content", id(x)) in written else list(x)
        elif isinstance(x, dict):
            parts = [] if ("content", id(x)) in written else list(x.values())
        elif type(fields) is dict and type(x).__flags__ & 1 << 9 and not _is_machinery(x):
            parts = [v for name, v in fields.items() if ("attr", id(x), name) not in written]
        else:
            continue
        found[id(x)] = x
        values += parts


def _is_machinery(x: Any) -> bool:
    """Whether an object is no data of the user's: a class, a function, or of our own packages."""
    module = type(x).__module__.partition(".")[0]
    return callable(x) or module in ("autograph", "runtime", "numpy", "builtins")
