"""What is in a list, dict, set or deque: a place of the write journal, read as the program does.

What was there before the trace is read as such: guarded, an array as an input of the graph.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autograph.operators.captured.captures import (
    Trace,
    content_before,
    current_trace,
    guard_content,
    guard_length,
    place_of_item,
    read,
)
from autograph.operators.captured.variables import _Unreadable
from autograph.operators.values.captured_items import captured_from
from autograph.operators.values.iterators import taken
from autograph.operators.values.runs import OpenSet, has_runs, known_items, padded, unpadded
from runtime import journal
from runtime.building import building
from runtime.errors import StagingError
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["append_item", "as_after_error", "container_base", "content_slot", "emptied",
           "guard_rewritten", "is_plain_key", "read_item"]  # fmt: skip

_ABSENT = object()


def append_item(made: list[Any], item: Any) -> None:
    """Put an item at the end of a list that was made while tracing."""
    taken(item)
    journal.note(content_slot(made))
    made.append(item)


def container_base(thing: Any) -> Any:
    """The built-in class of a container, past methods that a class of the user's overrides."""
    bases = (list, OrderedDict, dict, OpenSet, set, deque)
    return next(base for base in bases if isinstance(thing, base))


def content_slot(thing: Any) -> journal.Slot:
    """The whole content of a list, dict, set, deque or ndarray as a place of the journal."""
    if id(thing) in _EMPTIED:
        raise _changed_by_key()
    if isinstance(thing, np.ndarray):
        return journal.Slot(
            ("content", id(thing)), thing, "an array", thing.copy,
            lambda old: _put_content(thing, old),
        )  # fmt: skip

    def write(old: Any) -> None:
        base = container_base(thing)
        old = padded(old, thing) if base is list and has_runs(old) else old
        base.clear(thing)
        (base.extend if base in (list, deque) else base.update)(thing, old)

    kind = type(thing).__name__
    return journal.Slot(
        ("content", id(thing)), thing, f"a {kind}", lambda: _copy(thing), write,
        lambda: _loaded_content(thing),
    )  # fmt: skip


# The lists that are being sorted, by id, with what is in them otherwise.
_EMPTIED: dict[int, tuple[list[Any], list[Any]]] = {}


@contextlib.contextmanager
def emptied(thing: list[Any]) -> Iterator[None]:
    """Where the items of a list are put in order: Python empties it meanwhile."""
    items = [*list.__iter__(thing)]
    _EMPTIED[id(thing)] = thing, items
    list.clear(thing)
    try:
        yield
        if list.__len__(thing):
            raise _changed_by_key()
    finally:
        del _EMPTIED[id(thing)]
        list.__setitem__(thing, slice(None), items)


@contextlib.contextmanager
def as_after_error() -> Iterator[None]:
    """Lists that are being sorted as they are where an error ends that: with their items."""
    open_ = dict(_EMPTIED)
    _EMPTIED.clear()
    for thing, items in open_.values():
        list.__setitem__(thing, slice(None), items)
    try:
        yield
    finally:
        for thing, _ in open_.values():
            list.clear(thing)
        _EMPTIED.update(open_)


def _changed_by_key() -> StagingError:
    return StagingError(
        "a list is changed by the key that it is sorted by",
        "sort a copy of it (`sorted(...)`)",
        origin=origin_of_caller(),
    )


def _put_content(array: np.ndarray[Any, Any], content: Any) -> None:
    """Write an array that is no part of the graph: its content must be known."""
    builder = building()
    if isinstance(content, Tensor) and builder is not None:
        builder.check_unwritten(array)
    np.copyto(array, content, casting="unsafe")


def _loaded_content(thing: Any) -> Any:
    content, trace = _copy(thing), current_trace()
    if trace is None or isinstance(thing, set) or not trace.outside.has(thing):
        return content
    if isinstance(thing, dict):
        return {key: _loaded_item(trace, thing, key, item) for key, item in content.items()}
    return [_loaded_item(trace, thing, i, item) for i, item in enumerate(content)]


def _loaded_item(trace: Trace, thing: Any, key: Any, item: Any) -> Any:
    if isinstance(item, _Unreadable):
        return item
    if is_plain_key(key):
        return read_item(trace, thing, key, item)
    guard_content(thing, f"a {type(thing).__name__}")
    return captured_from(thing, item)


def _copy(thing: Any) -> Any:
    if isinstance(thing, (list, deque)):
        items = list(container_base(thing).__iter__(thing))
        return unpadded(items) if has_runs(items) else items
    if isinstance(thing, dict):
        return dict(container_base(thing).items(thing))
    return _SetContent(known_items(thing))


class _SetContent(frozenset[Any]):
    """What a set holds: no frozenset of the program, of which data may choose one."""

    __slots__ = ()


_SetContent.__name__ = set.__name__  # in messages


def is_plain_key(key: Any) -> bool:
    return isinstance(key, (int, str, bytes, float, bool, type(None)))


def read_item(trace: Trace, thing: Any, key: Any, value: Any) -> Any:
    """An item of a container from outside: what the trace itself wrote there is no captured one."""
    before = content_before(thing)
    if before is not thing and isinstance(thing, list) and key < 0:
        guard_length(thing, len(before))
        key += len(thing)
    if before is not thing and not _is_in_place(thing, key, value, before):
        # Found by identity: the trace changed in which places the others are.
        found = before.items() if isinstance(before, dict) else enumerate(before)
        key = next((k for k, v in found if v is value), _ABSENT)
        if key is _ABSENT:
            return value
        guard_content(thing, f"a {type(thing).__name__}")
    place = place_of_item(thing, key, _own_getitem(thing))
    return read(("item", id(thing), key), place, value)


def guard_rewritten(thing: Any, key: Any, value: Any) -> None:
    """Guard an item that is written with what it held: a later call may find another one there.

    What a graph writes is what became of the items, of which this is none.
    """
    trace = current_trace()
    if trace is None or not trace.outside.has(thing) or not is_plain_key(key):
        return
    before = content_before(thing)
    size = len(before) if isinstance(thing, list) else 0
    key = key + size if isinstance(key, int) and -size <= key < 0 else key
    if _is_in_place(thing, key, value, before):
        place = place_of_item(thing, key, _own_getitem(thing))
        read(("item", id(thing), key), place, value)


def _own_getitem(thing: Any) -> Callable[[Any, Any], Any] | None:
    """How what a container holds is read past a method of the user's, if its class has one."""
    if not isinstance(thing, (list, dict, deque)):
        return None
    plain: Any = container_base(thing).__getitem__
    return None if type(thing).__getitem__ is plain else plain


def _is_in_place(thing: Any, key: Any, value: Any, before: Any) -> bool:
    """Whether a written container still has in a place what it had there before the trace."""
    if isinstance(thing, deque):  # what is appended to it may push out its first items
        return False
    is_there = key in before if isinstance(thing, dict) else 0 <= key < len(before)
    return is_there and before[key] is value
