"""What a trace reads from outside of itself: inputs by reference, and guarded Python values.

A captured array is an input of the graph, read anew at each call. A captured Python value, item or
attribute that the trace read is guarded: when it changes, the next call traces again.
"""

from __future__ import annotations

import types
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from runtime import journal
from runtime.building import Builder, building, traced
from runtime.spec import TensorType
from runtime.tensor import Tensor

__all__ = [
    "Captured",
    "Guard",
    "Place",
    "Trace",
    "captured_from",
    "content_before",
    "current_trace",
    "guard_content",
    "read",
    "with_captured",
]

_MISSING = object()
_FIXED_MODULES = ("numpy", "math", "cmath", "operator", "itertools", "functools", "builtins",
                  "autograph", "runtime", "cupy", "typing", "collections", "sys", "os", "abc",
                  "dataclasses", "enum", "contextlib", "random", "time", "warnings", "scipy")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where a captured value was read: how to read it again, and its name in the user's words."""

    name: str
    fetch: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Guard:
    """A captured Python value that the trace depends on."""

    place: Place
    expected: Any
    by_value: bool

    def holds(self) -> bool:
        """Whether the place still holds what the trace saw."""
        found = self._found()
        if found is self.expected:
            return True
        return self.by_value and same_value(found, self.expected)

    def _found(self) -> Any:
        try:
            return self.place.fetch()
        except (AttributeError, KeyError, IndexError, NameError, ValueError, ReferenceError):
            return _MISSING

    def explain(self) -> str:
        """What changed, in words."""
        found = self._found()
        new = "unbound" if found is _MISSING else _short(found)
        return f"{self.place.name}: {_short(self.expected)} -> {new}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def same_value(a: Any, b: Any) -> bool:
    """Equality of Python values that tells 1, 1.0 and True apart, and 0.0 and -0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return a.hex() == b.hex()
    if isinstance(a, _Mark):
        return a.same(b)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_value(v, b[k]) for k, v in a.items())
    if isinstance(a, (int, str, bytes, complex, frozenset, set, type(None))):
        return bool(a == b)
    return a is b


@dataclass(frozen=True, slots=True)
class Captured:
    """A captured array: read at each call, checked against the type that was traced."""

    place: Place
    type: TensorType
    handle: Tensor
    # The array that the trace saw, weakly: a place may come to hold another one.
    initial: Callable[[], Any]
    kind: type


@dataclass
class Trace:
    """Facts of one trace of one Function that are not the graph."""

    builder: Builder
    # "graph": print on each call; "trace": print while tracing.
    prints: str = "graph"
    # Whether arguments were tensors: then a traced array stands for a Tensor, else for an ndarray.
    tensors: bool = False
    guards: dict[Any, Guard] = field(default_factory=dict)
    captured: dict[Any, Captured] = field(default_factory=dict)
    # Objects that existed before the trace, by id; kept alive so that the id stays true.
    outside: dict[int, Any] = field(default_factory=dict)
    local_cells: dict[int, Any] = field(default_factory=dict)
    scopes: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    arrays: dict[int, Tensor] = field(default_factory=dict)
    sites: dict[Any, Any] = field(default_factory=dict)
    keep: list[Any] = field(default_factory=list)

    def is_outside(self, thing: Any) -> bool:
        """Whether `thing` is known to have existed before the trace."""
        return self.outside.get(id(thing)) is thing

    def add_outside(self, thing: Any) -> None:
        """Remember that `thing` existed before the trace."""
        self.outside[id(thing)] = thing


def current_trace() -> Trace | None:
    """The trace that is under way, None in eager mode."""
    builder = building()
    return None if builder is None else getattr(builder.root, "trace", None)


def weak(thing: Any) -> Callable[[], Any]:
    """A reference that does not keep `thing` alive, where Python allows that."""
    try:
        return weakref.ref(thing)
    except TypeError:
        return lambda: thing


def read(key: Any, place: Place, value: Any) -> Any:
    """Read a captured value while tracing: an array becomes an input, the rest is guarded.

    `key` is the journal's key of the place: what the trace itself stored there needs no guard.
    """
    trace = current_trace()
    if trace is None or _written(key):
        return value
    if isinstance(value, (np.ndarray, np.generic, Tensor)):
        return _capture_array(trace, key, place, value)
    if isinstance(value, types.ModuleType):
        return value
    if key not in trace.guards:
        by_value = isinstance(
            value, (bool, int, float, complex, str, bytes, type(None), tuple, frozenset)
        )
        kept = value if by_value else _Identity(value)
        trace.guards[key] = (
            Guard(place, value, by_value=True) if by_value else IdentityGuard(place, kept)
        )
    if not isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        trace.add_outside(value)
    return value


class _Identity:
    """A weak note of which object was seen."""

    __slots__ = ("described", "ref")

    def __init__(self, thing: Any) -> None:
        self.ref = weak(thing)
        self.described = _short(type(thing).__name__)


class IdentityGuard(Guard):
    """A captured object: the same one must be found again."""

    def __init__(self, place: Place, seen: _Identity) -> None:
        super().__init__(place, seen, by_value=False)

    def holds(self) -> bool:
        return self._found() is self.expected.ref()

    def explain(self) -> str:
        return f"{self.place.name}: another object ({self.expected.described} before)"


def _written(key: Any) -> bool:
    open_ = journal.recording()
    while open_ is not None:
        if key in open_.slots:
            return True
        open_ = open_.parent
    return False


def _capture_array(trace: Trace, key: Any, place: Place, value: Any) -> Tensor:
    if isinstance(value, Tensor) and value.is_traced:
        return value
    handle = trace.arrays.get(id(value))
    if handle is None:
        type_ = value.type if isinstance(value, Tensor) else TensorType(value.dtype, value.shape)
        handle = traced(trace.builder.input(type_, _identifier(place.name)))
        handle._name = place.name
        trace.arrays[id(value)] = handle
        trace.keep.append(value)
        trace.captured[key] = Captured(place, type_, handle, weak(value), type(value))
    elif key not in trace.captured:
        # A second way to the same array: it must lead to the same array again.
        trace.guards.setdefault(key, IdentityGuard(place, _Identity(value)))
    return handle


def _identifier(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


def guard_content(container: Any, name: str) -> None:
    """Guard the content of a captured list, dict or set that the trace reads as a whole.

    What is guarded is what it held before the trace wrote into it.
    """
    trace = current_trace()
    if trace is None or not trace.is_outside(container):
        return
    key = ("content", id(container))
    if key in trace.guards:
        return
    place = Place(name, lambda: _marks(container))
    trace.guards[key] = Guard(place, _marks(content_before(container)), by_value=True)


def content_before(container: Any) -> Any:
    """What a container held when the trace began: itself, or a copy where it was written."""
    key, found = ("content", id(container)), container
    open_ = journal.recording()
    while open_ is not None:
        if key in open_.slots:
            found = open_.slots[key][1]
        open_ = open_.parent
    return found


def with_captured(nest: Any) -> Any:
    """A container from outside with the arrays in it as inputs of the graph; anything else as is.

    What is read of it as a whole is guarded.
    """
    trace = current_trace()
    if trace is None or not isinstance(nest, _NESTS) or not trace.is_outside(nest):
        return nest
    if not isinstance(nest, tuple):
        guard_content(nest, f"a {type(nest).__name__}")
    if isinstance(nest, dict):
        parts = {key: _element(trace, value) for key, value in nest.items()}
        return parts if any(parts[k] is not v for k, v in nest.items()) else nest
    elements = [_element(trace, value) for value in nest]
    if all(made is value for made, value in zip(elements, nest, strict=True)):
        return nest
    if isinstance(nest, tuple):
        return type(nest)(*elements) if hasattr(nest, "_fields") else tuple(elements)
    return elements


_NESTS = (list, tuple, dict, deque)


def captured_from(container: Any, value: Any) -> Any:
    """`value` that a method took out of a container; an array from outside becomes an input."""
    trace = current_trace()
    if trace is None or not trace.is_outside(container):
        return value
    before = content_before(container)
    held = before.values() if isinstance(before, dict) else before
    return _element(trace, value) if any(value is x for x in held) else value


def _element(trace: Trace, value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic, Tensor)):
        return _capture_array(trace, ("array", id(value)), Place("an array", weak(value)), value)
    if isinstance(value, _NESTS):
        trace.add_outside(value)
        return with_captured(value)
    if hasattr(value, "__dict__") and not isinstance(value, (type, types.ModuleType)):
        trace.add_outside(value)
    return value


def _marks(content: Any) -> tuple[Any, ...]:
    if isinstance(content, dict):
        return tuple((k, _mark(v)) for k, v in content.items())
    return tuple(map(_mark, content))


class _Mark:
    """An element of a captured container that is told by its identity, held weakly."""

    __slots__ = ("described", "ref")

    def __init__(self, thing: Any) -> None:
        self.ref = weak(thing)
        array = isinstance(thing, (np.ndarray, np.generic))
        self.described = f"{thing.dtype}{list(thing.shape)}" if array else type(thing).__name__

    def same(self, other: _Mark) -> bool:
        """Whether both mark one object, which still lives."""
        mine = self.ref()
        return mine is not None and mine is other.ref()

    def __repr__(self) -> str:
        return self.described


def _mark(value: Any) -> Any:
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return value
    return _Mark(value)


def is_fixed_module(module: types.ModuleType) -> bool:
    """Whether the attributes of `module` are taken as constant."""
    return module.__name__.partition(".")[0] in _FIXED_MODULES
