"""The code that decides what a trace does: it is guarded when the trace has ended."""

from __future__ import annotations

import builtins
import functools
from dataclasses import dataclass, field
from types import CodeType, FunctionType, MethodType
from typing import Any

from autograph.operators.captured.guards import MISSING
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT

__all__ = ["Code", "global_names"]

_BUILTINS = vars(builtins)
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

    def run(self, function: Any) -> None:
        """Note that the trace runs a function: its parts decide what it does, and built-ins."""
        if isinstance(function, MethodType):
            function = function.__func__
        if type(function) is not FunctionType or id(function) in self.functions:
            return
        self.functions[id(function)] = function
        space = function.__globals__
        for name in global_names(function.__code__):
            if name not in space and name in _BUILTINS:
                self.note_name(space, name, MISSING)
                self.note_name(_BUILTINS, name, _BUILTINS[name])

    def ask(self, kind: type, name: str) -> None:
        """Note that what a class has under a name decides what the trace does."""
        is_ours = str(kind.__module__).partition(".")[0] in _OURS
        if kind.__flags__ & MADE_BY_CLASS_STATEMENT and not is_ours:
            self.classes.setdefault(kind, {})[name] = None

    def note_name(self, space: dict[str, Any], name: str, value: Any) -> None:
        """Note what a name of a module is, or MISSING: it decides what the trace does."""
        self.names.setdefault(id(space), (space, {}))[1].setdefault(name, value)


@functools.lru_cache(maxsize=4096)
def global_names(code: CodeType) -> tuple[str, ...]:
    """The names that some code, and the functions in it, may read of globals and built-ins."""
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return tuple(dict.fromkeys((*code.co_names, *(n for c in inner for n in global_names(c)))))
