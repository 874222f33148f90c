"""What containers from outside hold: their arrays are inputs of the graph.

Code that looks at a container as it is now is given a copy with the inputs in it (`with_captured`,
`with_inputs`); code that goes through it sees what the program writes meanwhile (`one_by_one`).
"""

from __future__ import annotations

import copy
import functools
import types
from collections import deque
from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from typing import Any

import numpy as np

from autograph.operators.captured.captures import (
    Place,
    Trace,
    as_input,
    content_before,
    current_trace,
    guard_content,
    guard_keys,
    guard_kinds,
    guard_object,
    is_input,
    place_of_item,
    read,
    weak,
)
from autograph.operators.captured.defaults import place_of_default
from autograph.operators.captured.guards import PLAIN_TYPES
from autograph.operators.captured.variables import Standing
from autograph.operators.values.carried import attributes_of, own_children
from autograph.operators.values.iterators import taken
from runtime import journal
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["Going", "captured_from", "held_by_partial", "is_reading", "one_by_one", "view_of",
           "with_captured", "with_inputs"]  # fmt: skip

_NESTS = (list, tuple, dict, deque)


def with_captured(nest: Any) -> Any:
    """A container from outside with the arrays in it, and in what it holds, as inputs of the graph.

    For code that is not the user's. Anything else as it is; what is read as a whole is guarded.
    """
    return _known(nest, _deep_element)


def with_inputs(nest: Any) -> Any:
    """A container from outside with the arrays in it as inputs; the containers in it as they are.

    For what gives its items to the user's code, which may change those containers.
    """
    return _known(nest, _element)


def held_by_partial(partial: functools.partial[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments that a partial function holds; those of one from outside are captured."""
    trace = current_trace()
    if trace is None or not trace.outside.has(partial):
        return with_inputs(partial.args), with_inputs(partial.keywords)
    guard_keys(partial.keywords)

    def part(which: int | str, value: Any) -> Any:
        return read(("part", id(partial), which), place_of_default(partial, which), value)

    args = tuple(part(i, value) for i, value in enumerate(partial.args))
    return args, {name: part(name, value) for name, value in partial.keywords.items()}


def one_by_one(nest: Any) -> Any:
    """What goes through a container from outside: each item is read when it is its turn."""
    if guard_keys(nest):
        return nest
    known = with_inputs(nest)
    if known is nest or isinstance(nest, tuple):
        return known
    return nest if isinstance(nest, dict) else Going(nest, _inputs(nest, known))


def view_of(thing: dict[Any, Any], name: str, view: Any) -> Any:
    """The `view` that the method `name` of a dict gives: of one from outside, with its inputs."""
    known = with_inputs(thing)
    if known is thing or name not in _VIEWS:
        return view
    return _VIEWS[name](thing, _inputs(dict.values(thing), known.values()), view)


def captured_from(container: Any, value: Any) -> Any:
    """`value` that was taken out of a container; an array from outside becomes an input."""
    trace = current_trace()
    if trace is None or not trace.outside.has(container):
        return value
    before = content_before(container)
    held = before.values() if isinstance(before, dict) else before
    return _element(trace, value) if any(value is x for x in held) else value


def _known(nest: Any, element: Callable[[Trace, Any], Any]) -> Any:
    trace = current_trace()
    if trace is None:
        return nest
    if not trace.outside.has(nest):
        taken(nest)
        return nest
    if not isinstance(nest, _NESTS):
        _guard(nest, trace)
        return nest
    trace.outside.consumed(nest)
    base: Any = next((kind for kind in (list, tuple) if isinstance(nest, kind)), type(nest))
    # A class of the user's may have an `__iter__` of its own, and nobody calls it here.
    found = list(nest.values() if isinstance(nest, dict) else base.__iter__(nest))
    holds_plain = PLAIN_TYPES.issuperset(map(type, found))
    if type(nest) in (list, dict) and content_before(nest) is nest:
        guard_kinds(nest, f"a {type(nest).__name__}")
        if holds_plain:
            return nest
        items = nest.items() if isinstance(nest, dict) else enumerate(nest)
        elements = [
            read(("item", id(nest), key), place_of_item(nest, key), value)
            if type(value) is np.ndarray
            else element(trace, value)
            for key, value in items
        ]
    else:
        if not isinstance(nest, tuple):
            guard_content(nest, f"a {type(nest).__name__}")
        if holds_plain:
            return nest
        elements = [element(trace, value) for value in found]
    if all(made is value for made, value in zip(elements, found, strict=True)):
        return nest
    return _like(nest, elements)


def _guard(thing: Any, trace: Trace) -> None:
    if isinstance(thing, set):
        guard_content(thing, "a set")
    elif trace.adopted.adopt(type(thing)):
        return
    elif isinstance(thing, Iterator):
        raise StagingError(
            "an iterator that exists outside of the converted function would advance only "
            "while tracing",
            "pass its items as an argument, or make the iterator in the function",
            origin=origin_of_caller(),
        )
    else:
        guard_object(thing)


def _like(nest: Any, elements: list[Any]) -> Any:
    """A container of the same kind, as Python's own classes are, with other elements."""
    if isinstance(nest, tuple):
        return type(nest)(*elements) if hasattr(nest, "_fields") else tuple(elements)
    if isinstance(nest, dict):
        parts = dict(zip(nest, elements, strict=True))
        if type(nest).__module__ != "collections":
            return parts
        made = copy.copy(nest)
        dict.update(made, parts)
        return made
    return deque(elements, nest.maxlen) if type(nest) is deque else elements


def _deep_element(trace: Trace, value: Any) -> Any:
    element = _element(trace, value)
    return with_captured(value) if element is value and isinstance(value, _NESTS) else element


def _element(trace: Trace, value: Any) -> Any:
    if is_input(value):
        return as_input(trace, ("array", id(value)), Place("an array", weak(value)), value)
    is_nest = isinstance(value, _NESTS) or _has_attributes(value)
    if is_nest and not _is_made(value):
        trace.outside.add(value)
        trace.outside.note_read(value)
    return value


def _is_made(value: Any) -> bool:
    """Whether the trace itself made it, and has put it in: a tuple, if it made a part of it."""
    if isinstance(value, tuple):
        return any(isinstance(part, Tensor | Standing) or _is_made(part) for part in value)
    return journal.is_made(value)


def _has_attributes(value: Any) -> bool:
    return hasattr(value, "__dict__") and not isinstance(value, (type, types.ModuleType))


# ---- going through what may be written meanwhile -----------------------------------------------

# The inputs, by the identity of the arrays, which live as long as the trace.
_Inputs = dict[int, Any]


def _inputs(held: Any, known: Any) -> _Inputs:
    return {id(x): made for x, made in zip(held, known, strict=True) if made is not x}


def _as_input(inputs: _Inputs, value: Any) -> Any:
    return inputs.get(id(value), value)


def is_reading(function: Any) -> bool:
    """Whether that is what gives the inputs for the arrays of a container."""
    return isinstance(function, functools.partial) and function.func is _as_input


def _pair_with_input(inputs: _Inputs, pair: tuple[Any, Any]) -> tuple[Any, Any]:
    key, value = pair
    return key, inputs.get(id(value), value)


class Going:
    """A list or deque from outside, to be gone through: with its arrays as inputs."""

    def __init__(self, source: Any, inputs: _Inputs) -> None:
        self._source = source
        self._read = functools.partial(_as_input, inputs)

    def __iter__(self) -> Iterator[Any]:
        return map(self._read, self._source)

    def __reversed__(self) -> Iterator[Any]:
        return map(self._read, reversed(self._source))

    def __len__(self) -> int:
        return len(self._source)


class _View:
    """A view of a dict from outside, with its arrays as inputs."""

    def __init__(self, source: dict[Any, Any], inputs: _Inputs, view: Any) -> None:
        self._mapping = _Read(source, inputs)  # what the abstract classes of views go by
        self._view = view
        self._read = functools.partial(self._part, inputs)

    _part: Callable[[_Inputs, Any], Any] = staticmethod(_as_input)

    def __iter__(self) -> Iterator[Any]:
        return map(self._read, self._view)

    def __reversed__(self) -> Iterator[Any]:
        return map(self._read, reversed(self._view))


class _Values(_View, ValuesView[Any]):
    pass


class _Items(_View, ItemsView[Any, Any]):
    _part = staticmethod(_pair_with_input)


class _Read(Mapping[Any, Any]):
    def __init__(self, source: dict[Any, Any], inputs: _Inputs) -> None:
        self._source, self._inputs = source, inputs

    def __getitem__(self, key: Any) -> Any:
        return _as_input(self._inputs, dict.__getitem__(self._source, key))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._source)

    def __len__(self) -> int:
        return len(self._source)


_VIEWS: dict[str, Any] = {"items": _Items, "values": _Values}


def parts_of(x: Any) -> list[tuple[str, Any]]:
    """Steps and parts of a container or object; what was there before the trace is read as such."""
    children = own_children(x)
    facts = current_trace()
    if facts is None or not facts.outside.has(x):
        return children
    if isinstance(x, (list, tuple, dict)):
        guard_content(x, f"a {type(x).__name__}")
        return [(step, captured_from(x, part)) for step, part in children]
    held = attributes_of(x)
    return [
        (step, _read_attribute(x, step[1:], part) if held.get(step[1:]) is part else part)
        for step, part in children
    ]


def _read_attribute(x: Any, name: str, value: Any) -> Any:
    fetch = weak(x)
    place = Place(f"{type(x).__name__}.{name}", lambda: getattr(fetch(), name))
    return read(("attr", id(x), name), place, value)
