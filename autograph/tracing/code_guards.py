"""What a trace takes for granted about code: functions that it called, and names of libraries.

A function can be given other code and other defaults. A name of a built-in or of a library is what
it is nearly always; but a module may bind the name of a built-in, and a test may patch any name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

from autograph.operators.captured.captures import Trace
from autograph.operators.captured.guards import MISSING, Guard, Place, same_value, shown
from runtime.execute.native.functions import Parts

__all__ = [
    "FunctionGuard",
    "NamesGuard",
    "code_guards",
    "same_items",
]


class FunctionGuard(Guard):
    """A function must have the code and the defaults of parameters again that it had."""

    __slots__ = ("_code", "_defaults", "keywords", "parts", "wanted")
    is_of_code = True

    def __init__(self, function: FunctionType) -> None:
        super().__init__(Place(f"`{function.__qualname__}`", lambda: None), None, by_value=False)
        self.parts = Parts(function)
        self._code, self._defaults = function.__code__, function.__defaults__ or ()
        # The defaults of keyword-only parameters, a dict that may change in place; what is in it.
        self.keywords = function.__kwdefaults__
        self.wanted = dict(self.keywords or {})

    def holds(self) -> bool:
        """Whether it has; of what died nothing is asked."""
        if self.parts.are_current() and self.keywords is None:
            return True
        if self._changed():
            return False
        self.parts.renew()
        return True

    def _changed(self) -> list[str]:
        function = self.parts.function
        if function is None:
            return []
        changed = []
        if function.__code__ is not self._code:
            line = function.__code__.co_firstlineno
            changed.append(f"`__code__`: another one, of line {line}")
        if not _are_same(self._defaults, function.__defaults__ or ()):
            was, now = shown(self._defaults), shown(function.__defaults__)
            changed.append(f"`__defaults__`: {was} -> {now}")
        keywords = function.__kwdefaults__
        if keywords is not self.keywords or not same_items(self.wanted, keywords or {}):
            changed.append(f"`__kwdefaults__`: {shown(self.wanted)} -> {shown(keywords)}")
        return changed

    def explain(self) -> str:
        """What changed, in words."""
        return f"of {self.place.name}, {', '.join(self._changed())}"


def _are_same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    if len(one) != len(other):
        return False
    return all(a is b or same_value(a, b) for a, b in zip(one, other, strict=True))


def same_items(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two dicts hold the same under the same names, in their order."""
    return [*one] == [*other] and _are_same(tuple(one.values()), tuple(other.values()))


class NamesGuard(Guard):
    """The names of a module must mean the same again, or be unbound again."""

    __slots__ = ("space", "wanted")
    is_of_code = True

    def __init__(self, space: dict[str, Any], wanted: Mapping[str, Any]) -> None:
        module = space.get("__name__")
        super().__init__(Place(f"`{module}`", lambda: None), None, by_value=False)
        self.space, self.wanted = space, wanted

    @property
    def bound(self) -> list[tuple[str, Any]]:
        """The names, and what they must be."""
        return [(name, thing) for name, thing in self.wanted.items() if thing is not MISSING]

    @property
    def unbound(self) -> list[str]:
        """The names that must not be bound."""
        return [name for name, thing in self.wanted.items() if thing is MISSING]

    def holds(self) -> bool:
        """Whether they do."""
        return next(self._changed(), None) is None

    def _changed(self) -> Iterator[tuple[str, Any, Any]]:
        for name, thing in self.wanted.items():
            found = self.space.get(name, MISSING)
            if found is not thing and not same_value(found, thing):
                yield name, thing, found

    def explain(self) -> str:
        """What changed, in words."""
        return "; ".join(
            f"`{name}` of {self.place.name}: {shown(was)} -> {shown(now)}"
            for name, was, now in self._changed()
        )


def code_guards(trace: Trace) -> list[Guard]:
    """What a trace that has ended takes for granted about code.

    What a name was that the trace itself has bound, and has given back, is not asked for.
    """
    guards: list[Guard] = [FunctionGuard(function) for function in trace.code.functions.values()]
    for space, names in trace.code.names.values():
        kept = {name: x for name, x in names.items() if space.get(name, MISSING) is x}
        if kept:
            guards.append(NamesGuard(space, kept))
    return guards
