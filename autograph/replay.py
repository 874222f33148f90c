"""What a trace stored into objects that outlive the call, replayed each time the graph runs.

A list, dict, set or deque is changed by what the trace changed in it, not set to what it held then:
a list that was appended to grows by each call.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from autograph.operators.access import attribute_slot, content_slot
from autograph.operators.captures import weak
from autograph.operators.templates import dig, fill, has_traced
from autograph.operators.variables import Undefined, _Unreadable
from runtime import control, journal, tree
from runtime.building import Builder
from runtime.cells import Cell
from runtime.errors import StagingError
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["calling_with", "lasting_writes", "refuse_shared_containers", "store_writes"]

# Path of keys to each container among the arguments, by identity, and the container.
Containers = dict[int, tuple[tuple[Any, ...], Any]]

_arguments: ContextVar[Any] = ContextVar("arguments", default=None)


@contextmanager
def calling_with(bound: dict[str, Any]) -> Iterator[None]:
    """Make these the arguments whose containers a running graph writes into."""
    token = _arguments.set(bound)
    try:
        yield
    finally:
        _arguments.reset(token)


def refuse_shared_containers(bound: dict[str, Any], name: str) -> None:
    """Refuse one container in two places of the arguments of a function that changes one."""
    seen: set[int] = set()
    for _, part in tree.mutable_parts(bound):
        if id(part) in seen:
            raise StagingError(
                f"`{name}` changes a {type(part).__name__} among its arguments, and one "
                f"{type(part).__name__} is passed twice",
                "pass a copy of it in one of the two places",
            )
        seen.add(id(part))


def store_writes(builder: Builder, facts: Any, containers: Containers) -> bool:
    """Emit nodes for all writes that outlive the call; gives whether arguments are among them."""
    written = False
    for key, (slot, old, new) in journal.all_written().items():
        path = containers.get(id(slot.owner), (None,))[0] if _is_content(key) else None
        if _is_local(key, slot, facts, path):
            continue
        if isinstance(new, _Unreadable) and not (_deletes(key, old, new)):
            continue
        change, content = _change_of(key, slot, old, new)
        _refuse_open_objects(content, slot.name, facts, set())
        operands: list[Tensor] = []
        writer = _Writer(_target(slot, path), change, dig(content, operands), facts.tensors)
        values = [builder.value_of(t) for t in operands]
        builder.emit(control.STORE, values, {"write": writer, "target": slot.name})
        written = written or path is not None
    return written


def lasting_writes(facts: Any, transaction: journal.Transaction) -> list[tuple[journal.Slot, Any]]:
    """Places and values of the writes that outlive the call and are known while tracing."""
    return [
        (slot, dig(new, []))
        for key, (slot, _, new) in transaction.written().items()
        if not _is_local(key, slot, facts, None)
        and not has_traced(new)
        and not isinstance(new, _Unreadable)
    ]


def _is_content(key: Any) -> bool:
    return key[0] in ("attr", "content")


def _is_local(key: Any, slot: journal.Slot, facts: Any, path: Any) -> bool:
    """Whether nobody can see the place after the call, or it is written back otherwise."""
    if isinstance(slot.owner, Cell):
        return True
    if key[0] == "cell" and key[1] in facts.local_cells:
        return True
    return _is_content(key) and path is None and not facts.is_outside(slot.owner)


def _deletes(key: Any, old: Any, new: Any) -> bool:
    """Whether a place that had a value has none any more."""
    if type(new) is not Undefined:
        new.load()
    if isinstance(old, _Unreadable):
        return False
    if key[0] != "attr":
        raise StagingError(
            f"`del` of the captured name `{new.name}` is not a part of graphs",
            "keep the value in an attribute or a dict",
        )
    return True


def _refuse_open_objects(part: Any, name: str, facts: Any, seen: set[int]) -> None:
    """Refuse to store an object of the trace's own that holds values of the graph."""
    if isinstance(part, (Tensor, Variable)) or id(part) in seen:
        return
    seen.add(id(part))
    if isinstance(part, (list, tuple, dict)):
        for x in part.values() if isinstance(part, dict) else part:
            _refuse_open_objects(x, name, facts, seen)
        return
    fields = getattr(part, "__dict__", None)
    if not isinstance(fields, dict) or facts.is_outside(part):
        return
    for value in fields.values():
        if has_traced(value):
            raise StagingError(
                f"a {type(part).__name__} made in the function, whose attributes are known only "
                f"when the graph runs, is stored in `{name}`",
                "store its values in a tuple, list or dict instead",
            )
        _refuse_open_objects(value, name, facts, seen)


def _target(slot: journal.Slot, path: tuple[Any, ...] | None) -> Callable[[], Any]:
    """Gives the object that is written into, None when this call has none."""
    if path is None:
        return weak(slot.owner)

    def among_arguments() -> Any:
        bound = _arguments.get()
        return None if bound is None else tree.part_at(bound, path)

    return among_arguments


# ---- what changed ----------------------------------------------------------------------------

Change = Callable[[Any, Any], None]


def _change_of(key: Any, slot: journal.Slot, old: Any, new: Any) -> tuple[Change, Any]:
    """How to change an object as the trace did, and with what."""
    if key[0] == "attr":
        name = key[2]
        return lambda thing, value: attribute_slot(thing, name).write(value), new
    if key[0] != "content":
        return lambda thing, value: slot.write(value), new
    if isinstance(slot.owner, (list, deque)) and len(new) >= len(old):
        changed = {i: b for i, (a, b) in enumerate(zip(old, new, strict=False)) if a is not b}
        return _change_items, (changed, new[len(old) :])
    if isinstance(slot.owner, dict) and list(new)[: len(old)] == list(old):
        return _update, {k: v for k, v in new.items() if k not in old or old[k] is not v}
    if isinstance(slot.owner, set) and new >= old:
        return _update, new - old
    return lambda thing, value: content_slot(thing).write(value), new


def _change_items(thing: Any, change: tuple[dict[int, Any], list[Any]]) -> None:
    for index, value in change[0].items():
        thing[index] = value
    thing.extend(change[1])


def _update(thing: Any, change: Any) -> None:
    thing.update(change)


class _Writer:
    """Changes an object when the graph runs; called with the values for the holes of `content`."""

    __slots__ = ("change", "content", "target", "tensors")

    def __init__(
        self, target: Callable[[], Any], change: Change, content: Any, tensors: bool
    ) -> None:
        self.target, self.change, self.content, self.tensors = target, change, content, tensors

    def __call__(self, *raws: Any) -> None:
        thing = self.target()
        if thing is not None:
            self.change(thing, fill(self.content, list(map(self._given, raws))))

    def _given(self, raw: Any) -> Any:
        raw = raw.copy() if isinstance(raw, np.ndarray) else raw
        return Tensor(raw) if self.tensors and isinstance(raw, (np.ndarray, np.generic)) else raw

    def __repr__(self) -> str:
        return "write"
