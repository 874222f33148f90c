"""What a call costs beyond the same one that takes nothing for granted of the world outside.

Each kind of place is read once, and ten times. What was found there is guarded, and so is the way
to it: an attribute of an object in a global has guards for the global, the object's class and the
attribute.
"""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable
from itertools import count
from types import ModuleType
from typing import Any

import numpy as np

import autograph as ag
from autograph.tracing.code_guards import NamesGuard
from benchmarks.timing import interleaved

__all__ = ["KINDS", "guard_count", "guard_times", "guarded", "without"]

X = np.array([1.0, 2.0, 3.0])
TEN = 10


class Plain:
    """An object that has its attributes in a dict."""


class Slotted:
    """An object that has its attributes in slots."""

    __slots__ = (*(f"a{i}" for i in range(TEN)), "__weakref__")


class Computed:
    """An object whose attributes are computed of others that it holds."""

    a0 = property(lambda self: self.b0)
    a1 = property(lambda self: self.b1)
    a2 = property(lambda self: self.b2)
    a3 = property(lambda self: self.b3)
    a4 = property(lambda self: self.b4)
    a5 = property(lambda self: self.b5)
    a6 = property(lambda self: self.b6)
    a7 = property(lambda self: self.b7)
    a8 = property(lambda self: self.b8)
    a9 = property(lambda self: self.b9)


class Classwide:
    """An object whose class has the attributes."""


class Asked:
    """An object whose class says what it has else."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


class Methods:
    """An object with methods."""

    a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = a8 = a9 = lambda self: True


def _settings(kind: Callable[[], Any], prefix: str = "a", owner: Any = None) -> Any:
    """An object with ten settings, which are true and different."""
    made = kind()
    for i in range(TEN):
        setattr(made if owner is None else owner, f"{prefix}{i}", f"setting {i}")
    return made


class Arrays:
    """An object that has arrays."""

    def __init__(self) -> None:
        for i in range(TEN):
            setattr(self, f"a{i}", X + i)


# What the functions find by name; `{}` stands for the number of a place.
SPACE: dict[str, Any] = {
    "OBJECT": _settings(Plain),
    "SLOTTED": _settings(Slotted),
    "COMPUTED": _settings(Computed, "b"),
    "CLASSWIDE": _settings(Classwide, owner=Classwide),
    "ASKED": _settings(Asked),
    "METHODS": Methods(),
    "MODULE": _settings(lambda: ModuleType("settings")),
    "CLASS": Classwide,
    "DICT": {f"a{i}": f"setting {i}" for i in range(TEN)},
    "LIST": [f"setting {i}" for i in range(TEN)],
    "ARRAYS": Arrays(),
    **{f"g{i}": f"setting {i}" for i in range(TEN)},
    **{f"w{i}": X + i for i in range(TEN)},
    "np": np,
}
# Built-ins, and functions of NumPy, that may be called with 1.
_BUILTINS = ("abs", "bool", "float", "int", "round", "repr", "str", "hex", "oct", "bin")
_OF_NUMPY = ("cos", "sin", "tan", "exp", "sqrt", "abs", "sign", "floor", "ceil", "square")
# How a place is read, for all of them or each, and whether arrays are in it; `self` is an argument.
KINDS: dict[str, tuple[str | tuple[str, ...], bool]] = {
    "functions": ("f{}()", False),
    "built-in functions": (tuple(f"{name}(1)" for name in _BUILTINS), False),
    "functions of NumPy": (tuple(f"np.{name}" for name in _OF_NUMPY), False),
    "globals": ("g{}", False),
    "closure cells": ("c{}", False),
    "attributes of self": ("self.a{}", False),
    "attributes of an object": ("OBJECT.a{}", False),
    "attributes in slots": ("SLOTTED.a{}", False),
    "properties": ("COMPUTED.a{}", False),
    "attributes beside __getattr__": ("ASKED.a{}", False),
    "class attributes, of an object": ("CLASSWIDE.a{}", False),
    "class attributes, of the class": ("CLASS.a{}", False),
    "methods of an object": ("METHODS.a{}()", False),
    "attributes of a module": ("MODULE.a{}", False),
    "items of a dict": ("DICT['a{}']", False),
    "items of a list": ("LIST[{}]", False),
    "arrays": ("w{}", True),
    "arrays that are attributes": ("ARRAYS.a{}", True),
    "arrays that are attributes of self": ("self.a{}", True),
}
_numbers = count()


def guarded(kind: str, places: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A function that reads so many places of a kind, with its arguments."""
    read, is_array = KINDS[kind]
    reads = [read.format(i) if isinstance(read, str) else read[i] for i in range(places)]
    if is_array:
        result = " + ".join(["x", *reads])
    else:
        result = f"x * x if {' and '.join(reads) or 'True'} else x"
    has_self = "self" in read
    return _function(result, "self, x" if has_self else "x"), _arguments(has_self, is_array)


def without(kind: str, places: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The same function, which reads no place."""
    read, is_array = KINDS[kind]
    has_self = "self" in read
    result = " + ".join(["x"] * (places + 1)) if is_array else "x * x"
    return _function(result, "self, x" if has_self else "x"), _arguments(has_self, is_array)


def _arguments(has_self: bool, is_array: bool) -> tuple[Any, ...]:
    return (SPACE["ARRAYS" if is_array else "OBJECT"], X) if has_self else (X,)


def _function(result: str, parameters: str) -> Callable[..., Any]:
    """A function of a text that Python's `inspect` finds, beside ten others."""
    cells = "".join(f"    c{i} = 'setting {i}'\n" for i in range(TEN))
    functions = "".join(f"def f{i}(): return True\n" for i in range(TEN))
    text = (
        f"{functions}def around():\n{cells}    def f({parameters}):\n        return {result}\n"
        "    return f\n"
    )
    filename = f"<guards {next(_numbers)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    space = dict(SPACE)
    exec(compile(text, filename, "exec"), space)
    found: Callable[..., Any] = space["around"]()
    return found


def guard_times(rounds: int = 40, seconds: float = 0.002) -> dict[str, dict[int, float]]:
    """Microseconds by which a call is longer for one place, and for ten: the least of many."""
    table: dict[str, dict[int, float]] = {}
    for kind in KINDS:
        for places in (1, TEN):
            calls = {}
            for name, (function, args) in (
                ("with", guarded(kind, places)),
                ("without", without(kind, places)),
            ):
                calls[name] = functools.partial(_called, ag.convert(function), args)
            timings = interleaved(calls, rounds, seconds)
            longer = timings["with"].least - timings["without"].least
            table.setdefault(kind, {})[places] = longer
    return table


def guard_count(kind: str, places: int) -> int:
    """How many guards, and arrays that are read anew, a call has for so many places of a kind."""
    function, args = guarded(kind, places)
    converted = ag.convert(function)
    converted(*args)
    (concrete,) = converted.traces()
    guards = concrete._traced.guards
    names = sum(len(guard.wanted) - 1 for guard in guards if isinstance(guard, NamesGuard))
    return len(guards) + names + len(concrete._traced.captured)


def _called(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    return function(*args)
