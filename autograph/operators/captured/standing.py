"""Objects that stand in the place of those that a trace was made with, in one call of its graph."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from autograph.operators.captured.guards import weak

__all__ = ["Owner", "standing"]

_others: ContextVar[Mapping[int, Any] | None] = ContextVar("others", default=None)


class Owner:
    """Refers to an object that a graph writes into: that of the trace, weakly, or another one."""

    __slots__ = ("number", "reference")

    def __init__(self, thing: Any) -> None:
        self.number = id(thing)
        self.reference: Callable[[], Any] = weak(thing)

    def __call__(self) -> Any:
        others = _others.get()
        found = None if others is None else others.get(self.number)
        return self.reference() if found is None else found

    def let_go(self) -> None:
        """Keep what the trace was made with no longer, if that could not be referred to weakly."""
        if not isinstance(self.reference, weakref.ref):
            self.reference = _nothing


def _nothing() -> None:
    return None


@contextmanager
def standing(others: Mapping[int, Any]) -> Iterator[None]:
    """Within this context, graphs write into others than those of the trace, told by its `id`s."""
    token = _others.set(others)
    try:
        yield
    finally:
        _others.reset(token)
