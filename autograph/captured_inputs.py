"""Reading what a graph captures, and checking what its trace took for granted, at each call.

Both are one generated function of straight lines: there may be many captured names, and each of
them costs a call no more than the few bytecodes that read it and compare it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.operators.captures import Captured, Guard, Place
from autograph.operators.guards import IdentityGuard
from autograph.traced import Traced
from runtime.ops.operands import type_of

__all__ = ["is_as_traced", "reader"]


def reader(traced: Traced) -> Callable[[Sequence[Any]], list[Any] | None] | None:
    """A function that adds what a graph captures to the inputs among its arguments.

    It gives None where something is not as the trace saw it: the call is to look it up then. There
    is no such function, but None, for a graph that depends on its arguments only.
    """
    if not (traced.captured or traced.externals or traced.guards):
        return None
    source = _Source()
    for guard in traced.guards:
        source.check(guard)
    inputs = [*map(source.read, traced.captured), *map(source.bind, traced.externals)]
    text = source.text(inputs)
    scope: dict[str, Any] = {"ndarray": np.ndarray, **source.bound}
    exec(compile(text, "<captured inputs>", "exec", dont_inherit=True), scope)
    found: Callable[[Sequence[Any]], list[Any] | None] = scope["read"]
    return found


class _Source:
    """The lines of the function, and the objects that they name."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.bound: dict[str, Any] = {}

    def text(self, inputs: list[str]) -> str:
        """The whole function; what the user's properties raise is told on the long way."""
        lines = [*self.lines, f"return [*leaves, {', '.join(inputs)}]"]
        body = "\n".join(f"        {line}" for line in lines)
        return f"def read(leaves):\n    try:\n{body}\n    except Exception:\n        return None\n"

    def bind(self, thing: Any) -> str:
        """A name for an object."""
        name = f"o{len(self.bound)}"
        self.bound[name] = thing
        return name

    def check(self, guard: Guard) -> None:
        """Leave unless a guard holds; most values are the very objects that the trace saw."""
        holds = f"not {self.bind(guard.holds)}()"
        if guard.place.route is None:
            test = holds
        elif isinstance(guard, IdentityGuard):
            test = f"{self.place(guard.place)} is not {self.bind(guard.expected.ref)}()"
        else:
            test = f"{self.place(guard.place)} is not {self.bind(guard.expected)} and {holds}"
        self.lines.append(f"if {test}: return None")

    def read(self, captured: Captured) -> str:
        """Read a captured array, and leave unless it is of the type that was traced."""
        name = f"x{len(self.lines)}"
        changed = f"not {self.bind(functools.partial(_fits, captured))}({name})"
        self.lines.append(f"{name} = {self.place(captured.place)}")
        if captured.kind is np.ndarray:
            dtype, shape = self.bind(captured.type.dtype), self.bind(captured.type.shape)
            known = f"{name}.dtype is {dtype} and {name}.shape == {shape}"
            known = f"type({name}) is ndarray and {known}"
        else:
            known = f"{name} is {self.bind(captured.initial)}()"
        self.lines.append(f"if not ({known}) and {changed}: return None")
        return name

    def place(self, place: Place) -> str:
        """An expression that reads a place."""
        if place.route is None:
            return f"{self.bind(place.fetch)}()"
        kind, thing, key = place.route
        if kind == "item":
            return f"{self.bind(thing)}[{self.bind(key)}]"
        if kind == "cell":
            return f"{self.bind(thing)}.cell_contents"
        return f"{self.bind(thing)}().{key}"


def _fits(captured: Captured, found: Any) -> bool:
    return type(found) is captured.kind and bool(type_of(found) == captured.type)


def is_as_traced(captured: Captured) -> bool:
    """Whether the place of a captured array still holds one of the type that was traced."""
    try:
        found = captured.place.fetch()
    except Exception:  # noqa: BLE001 - whatever the user's property raises: trace again, and see
        return False
    return _fits(captured, found)
