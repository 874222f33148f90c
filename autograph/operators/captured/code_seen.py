"""The code that decides what a trace does: it is guarded when the trace has ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from runtime.structure.tree import MADE_BY_CLASS_STATEMENT

__all__ = ["Code"]

_OURS = ("autograph", "runtime")


@dataclass(eq=False, repr=False)
class Code:
    """The classes, functions and names of the user's that a trace has met."""

    # Names that were asked for in classes of the user's.
    classes: dict[type, dict[str, None]] = field(default_factory=dict)
    # The functions that the trace ran, by id; and by that of a dict: it, and what the names of
    # built-ins and libraries are in it.
    functions: dict[int, FunctionType] = field(default_factory=dict)
    names: dict[int, tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=dict)

    def ask(self, kind: type, name: str) -> None:
        """Note that what a class has under a name decides what the trace does."""
        is_ours = str(kind.__module__).partition(".")[0] in _OURS
        if kind.__flags__ & MADE_BY_CLASS_STATEMENT and not is_ours:
            self.classes.setdefault(kind, {})[name] = None

    def note_name(self, space: dict[str, Any], name: str, value: Any) -> None:
        """Note what a name of a module is, or MISSING: it decides what the trace does."""
        self.names.setdefault(id(space), (space, {}))[1].setdefault(name, value)
