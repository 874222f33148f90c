"""What a trace stored into objects that outlive the call, replayed each time the graph runs.

A list, dict, set or deque is changed by what the trace changed in it, not set to what it held then:
a list that was appended to grows by each call. Objects are written at the end of the graph; a node
that can raise is told what was written before it, so that an error leaves that behind.
"""

from __future__ import annotations

import functools
import itertools
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from operator import is_
from typing import Any, NamedTuple, Protocol

import numpy as np

from autograph.operators.captured.captures import guard_content
from autograph.operators.captured.guards import same_value
from autograph.operators.captured.standing import Owner
from autograph.operators.captured.variables import Maybe, Nullable, Poison, Undefined, _Unreadable
from autograph.operators.expressions.attributes import attribute_slot
from autograph.operators.results.held_parts import fields_of
from autograph.operators.results.item_templates import template_of
from autograph.operators.results.outputs import Place
from autograph.operators.results.reconstruction import Form, Items, remembering
from autograph.operators.values.carried import split
from autograph.operators.values.contents import container_base, content_slot
from autograph.operators.values.runs import OpenDeque, Opened, OpenSet, has_runs
from autograph.operators.values.templates import dig, fill, has_traced, shown
from autograph.tracing.columns import AttributeOfItems, OfItems
from runtime import journal
from runtime.autodiff.stored import lower_parts, note_change
from runtime.building import Builder, building
from runtime.cells import Cell
from runtime.effects import control
from runtime.effects.given_containers import container_at
from runtime.effects.host import lending
from runtime.errors import StagingError
from runtime.graph.ir import Value
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = [
    "ArrayWriter",
    "HostWrites",
    "Writers",
    "host_writes",
    "lasting_writes",
    "pending_writes",
    "shared_container",
    "store_writes",
    "writing_back",
]

# Path of keys to each container among the arguments, by identity, and the container.
Containers = dict[int, tuple[tuple[Any, ...], Any]]
# Gives the caller's array among the inputs, by position, its new content.
WriteBack = Callable[[int, Any], None]

_write_back: ContextVar[WriteBack | None] = ContextVar("write_back", default=None)


@contextmanager
def writing_back(write: WriteBack) -> Iterator[None]:
    """Let a graph that fails give the caller's arrays what was written into them before."""
    token = _write_back.set(write)
    try:
        yield
    finally:
        _write_back.reset(token)


def shared_container(containers: Iterable[Any]) -> Any:
    """A container that is in two places of the arguments; None where none is."""
    seen: set[int] = set()
    for part in containers:
        if id(part) in seen:
            return part
        seen.add(id(part))
    return None


def store_writes(builder: Builder, facts: Any, containers: Containers) -> bool:
    """Emit nodes for all writes that outlive the call; gives whether arguments are among them."""
    written = False
    if builder.graph.nodes:
        _refuse_found(facts, containers)
    for key, slot, old, path in _lasting(facts, containers):
        operands: list[Tensor] = []
        writer = _writer(key, slot, old, path, facts, operands)
        if writer is not None:
            values = [builder.value_of(t) for t in operands]
            node = builder.emit(control.STORE, values, {"write": writer, "target": slot.name})
            node.origin = journal.place_of(key) or node.origin
            written = written or path is not None
    facts.effects.handouts.refuse_unknown_views()
    return written


class Pending(NamedTuple):
    """What was written so far: what writes it, and the values for that."""

    write: Writer | None
    values: list[Value]
    among_arguments: bool


def pending_writes(builder: Builder, facts: Any, containers: Containers) -> Pending:
    """What was written so far that outlives the call.

    What cannot be written when the graph runs is an error only there, if it comes to that.
    """
    writers: list[tuple[Writer, int]] = []
    values: list[Value] = []
    among_arguments = False
    for key, slot, old, path in _lasting(facts, containers):
        operands: list[Tensor] = []
        writer: Writer | None
        try:
            with facts.effects.handouts.in_case_of_an_error():
                writer = _writer(key, slot, old, path, facts, operands)
            found = [builder.value_of(t) for t in operands]
        except StagingError as error:
            writer, found = _Refusal(error), []
        if writer is not None:
            writers.append((writer, len(found)))
            values += found
            among_arguments = among_arguments or path is not None
    for write_array, value in _array_writes(builder, facts):
        writers.append((write_array, len(value)))
        values += value
    write = Writers(tuple(writers)) if writers else None
    return Pending(write, values, among_arguments)


class HostWrites(NamedTuple):
    """What Python code that the graph calls now must find written.

    `looks` tell what is in the places that are written, `arrays` are the placeholders of the
    caller's arrays among them, `lent` the cells and objects of the function's own.
    """

    pending: Pending
    looks: dict[Any, Callable[[], Any]]
    arrays: list[Tensor]
    lent: list[Any]


def host_writes(
    builder: Builder, facts: Any, containers: Containers, *, lasting: bool
) -> HostWrites:
    """What was written so far that outlives the call, to be written before Python code runs.

    It is written again at the end, which must come to the same: a list is not appended to twice.
    """
    with facts.effects.handouts.lending(lasting=lasting) as lent:
        pending = pending_writes(builder, facts, containers)
        found = list(lent)
    looks = {key: _look(key, slot, path) for key, slot, _, path in _lasting(facts, containers)}
    facts.effects.written.update(looks)
    handles = (*facts.captures.writable, *(c.handle for c in facts.captures.inputs.values()))
    arrays = [h for h in handles if h._cell is not None and h._cell.root._value is not h._value]
    return HostWrites(pending, looks, arrays, found)


def _look(key: Any, slot: journal.Slot, path: tuple[Any, ...] | None) -> Callable[[], Any]:
    """Tells what a place holds when the graph runs: to be compared by identity, part by part."""
    target = _target(slot, path)

    def look() -> Any:
        thing = target()
        if thing is None or not _is_content(key):
            return (None if thing is None else slot.read(),)
        if key[0] == "attr":
            return (attribute_slot(thing, key[2]).read(),)
        if isinstance(thing, AttributeOfItems):
            return thing.held()
        return tuple(thing.items()) if isinstance(thing, dict) else tuple(thing)

    return look


def _array_writes(builder: Builder, facts: Any) -> Iterator[tuple[Writer, list[Value]]]:
    """The caller's arrays that were written in place so far."""
    for handle in (*facts.captures.writable, *(c.handle for c in facts.captures.inputs.values())):
        cell = handle._cell
        if cell is not None and cell.root._value is not handle._value:
            yield facts.captures.writer(handle, ArrayWriter), [builder.value_of(cell.root)]


def lasting_writes(facts: Any, transaction: journal.Transaction) -> list[tuple[journal.Slot, Any]]:
    """Places and values of the writes that outlive the call and are known while tracing."""
    written = transaction.written().items()
    lasting = [
        (slot, _known_part(key, new))
        for key, (slot, _, new) in written
        if not _is_local(key, slot, facts, None)
    ]
    return [
        (slot, _settled(new))
        for slot, new in lasting
        if not has_traced(new) and not isinstance(new, _Unreadable)
    ]


def _settled(x: Any, around: frozenset[int] = frozenset()) -> Any:
    """What is known while tracing, with values for constants, in the very objects that hold it.

    `around` are those that hold it: one may hold itself.
    """
    is_nest = isinstance(x, (list, dict, set, deque, tuple))
    if isinstance(x, (Variable, Tensor)) or not (is_nest or journal.is_made(x)):
        return dig(x, [])
    if id(x) in around:
        return x
    inner = around | {id(x)}
    if isinstance(x, tuple):
        parts = [_settled(part, inner) for part in x]
        return x if all(map(is_, parts, x)) else tuple.__new__(type(x), parts)
    if isinstance(x, OpenSet):
        return {*x}
    if isinstance(x, OpenDeque):
        return deque((_settled(part, inner) for part in x), x.maxlen)
    base = container_base(x) if is_nest else None
    if base in (dict, OrderedDict):
        base.update(x, {key: _settled(part, inner) for key, part in base.items(x)})
    elif base in (list, deque):
        for index, part in enumerate(base.__iter__(x)):
            base.__setitem__(x, index, _settled(part, inner))
    for name, part in fields_of(x):
        object.__setattr__(x, name, _settled(part, inner))
    return x


def _known_part(key: Any, new: Any) -> Any:
    """Of the content of a container, what is known: entries of a dict, first items of a list."""
    if key[0] != "content":
        return new
    if isinstance(new, dict):
        return {name: value for name, value in new.items() if not has_traced(value)}
    if isinstance(new, list):
        return list(itertools.takewhile(lambda item: not has_traced(item), new))
    return new


def _lasting(
    facts: Any, containers: Containers
) -> Iterator[tuple[Any, journal.Slot, Any, tuple[Any, ...] | None]]:
    """Key, place and oldest content of the writes so far that outlive the call.

    With the path to the place for one in a container among the arguments.
    """
    for key, (slot, old) in journal.all_noted().items():
        path = containers.get(id(slot.owner), (None,))[0] if _is_content(key) else None
        if _is_local(key, slot, facts, path):
            continue
        is_unwritten = not _is_content(key) and slot.read() is old
        if is_unwritten:
            _guard_unwritten(slot, old)
        if not is_unwritten or key in facts.effects.written:
            yield key, slot, old, path


def _refuse_found(facts: Any, containers: Containers) -> None:
    """Refuse to change what code that is not converted has found in what is older than the trace.

    Where that was found is not known, and another call may find another one there.
    """
    for key, (slot, old) in journal.all_noted().items():
        owner = slot.owner
        if not _is_content(key) or slot.read() is old or id(owner) in containers:
            continue
        is_known = journal.is_made(owner) or facts.outside.has(owner)
        if not is_known and facts.outside.holds(owner):
            kind = type(owner).__name__
            raise StagingError(
                f"a {kind} is changed that code outside of the conversion has found somewhere",
                f"find the {kind} by an index or attribute of lists, dicts and objects",
                origin=journal.place_of(key),
            )


def _guard_unwritten(slot: journal.Slot, old: Any) -> None:
    """Guard a captured name that is as it was: not written, or written with what it held.

    As long as it holds that, both are the same. An array is read as an input, and what is read
    is another object.
    """
    if slot.load is not None and not isinstance(old, (_Unreadable, np.ndarray, Tensor)):
        slot.load()


def _is_content(key: Any) -> bool:
    return key[0] in ("attr", "content")


def _is_local(key: Any, slot: journal.Slot, facts: Any, path: Any) -> bool:
    """Whether nobody can see the place after the call, or it is written back otherwise."""
    if isinstance(slot.owner, Cell):
        return True
    if key[0] == "cell" and key[1] in facts.scopes.cells:
        return True
    return _is_content(key) and path is None and not facts.outside.has(slot.owner)


def _writer(
    key: Any,
    slot: journal.Slot,
    old: Any,
    path: tuple[Any, ...] | None,
    facts: Any,
    operands: list[Tensor],
) -> Writer | None:
    """What writes the present content of a place; None if there is nothing to write.

    The traced values that it takes are appended to `operands`.
    """
    new = slot.read()
    is_own_array = isinstance(new, Tensor) and new is facts.captures.handle_of(key, old)
    if key in facts.effects.written and key[0] != "content":
        both_gone = isinstance(old, _Unreadable) and type(new) is Undefined
        if new is old or is_own_array or both_gone:
            return _Restorer(key, _target(slot, path), slot)
    if is_own_array:
        return None  # the array that it held, which is written back by itself
    defined, gone = None, isinstance(old, _Unreadable)
    is_nullable = isinstance(new, Nullable)
    if isinstance(new, Maybe):
        defined, new = new.defined, new.inner
        if not gone:
            _refuse_deletion(key, slot)
    elif type(new) is Undefined:
        if gone:
            return None
        _refuse_deletion(key, slot)
    elif isinstance(new, Nullable):
        defined, new = new.present, new.inner
    if isinstance(new, Poison):
        raise StagingError(new.what, new.hint, origin=journal.place_of(key))
    if key[0] == "content":
        new = _with_own(slot.owner, old, new, facts)
    if id(slot.owner) in facts.containers.row_lengths:
        content = _content_of_rows(slot.owner, new, facts, operands)
        return _Writer(_target(slot, path), _put_rows, content, lower_parts)
    change, content = _change_of(key, slot, old, new)
    fill_in = facts.effects.handouts.items if key[0] == "content" else facts.effects.handouts.part
    if type(new) is not Undefined:  # which stands for a deleted attribute
        place = Place(slot.name, journal.place_of(key))
        if key[0] == "content":
            place = place._replace(container=slot.owner, had_items=bool(old))
        content = fill_in(content, operands, place)
    lower = _lowering(key, slot)
    if defined is None:
        return _Writer(_target(slot, path), change, content, lower)
    operands.append(defined)
    is_left = gone and key not in facts.effects.written
    absent = None if is_nullable else _NOTHING if is_left else Undefined(slot.name)
    return _OptionalWriter(_target(slot, path), change, content, lower, absent)


def _lowering(key: Any, slot: journal.Slot) -> Callable[[Any, Callable[[Any], Any]], None]:
    """What makes plain what was stored in a place, after a derivative."""
    if key[0] == "content":
        return lower_parts
    if key[0] == "attr":  # the slot holds the object, which a trace does not
        return functools.partial(_lower_attribute, key[2])

    def lower(thing: Any, lowered: Callable[[Any], Any]) -> None:
        _lower(slot, lowered)

    return lower


def _lower_attribute(name: str, thing: Any, lowered: Callable[[Any], Any]) -> None:
    _lower(attribute_slot(thing, name), lowered)


def _lower(place: journal.Slot, lowered: Callable[[Any], Any]) -> None:
    stored = place.read()
    if (plain := lowered(stored)) is not stored:
        place.write(plain)


def _with_own(container: Any, old: Any, new: Any, facts: Any) -> Any:
    """A content with what is still in its place as it was: an array is written back by itself."""

    def own(key: Any, before: Any, now: Any) -> Any:
        if not isinstance(now, Tensor):
            return before if isinstance(now, tuple) and _is_still(before, now, facts) else now
        return (
            before if now is facts.captures.handle_of(("item", id(container), key), before) else now
        )

    if isinstance(new, dict):
        return {k: own(k, old[k], now) if k in old else now for k, now in new.items()}
    if isinstance(new, list):
        kept = [own(i, *pair) for i, pair in enumerate(zip(old, new, strict=False))]
        return [*kept, *new[len(old) :]]
    return new


def _is_still(before: Any, now: Any, facts: Any) -> bool:
    """Whether a trace has what was there: it reads numbers, and tuples of them, as its own."""
    if isinstance(now, Tensor):
        is_it = now is facts.captures.handle_of(("array", id(before)), before)
        return is_it or (now.is_known and same_value(before, shown(now)))
    if not isinstance(now, tuple):
        return now is before
    is_alike = type(now) is type(before) and len(now) == len(before)
    return is_alike and all(_is_still(b, n, facts) for b, n in zip(before, now, strict=True))


# There is nothing to write into a place that had no value before.
_NOTHING = object()


def _refuse_deletion(key: Any, slot: journal.Slot) -> None:
    if key[0] != "attr":
        raise StagingError(
            f"`del` of the captured name {slot.name} is not a part of graphs",
            "keep the value in an attribute or a dict",
        )


def _target(slot: journal.Slot, path: tuple[Any, ...] | None) -> Callable[[], Any]:
    """Gives the object that is written into, None when this call has none."""
    if path is None:
        return Owner(slot.owner)

    def among_arguments() -> Any:
        last = path[-1]
        if not isinstance(last, OfItems):
            return container_at(path)
        items = container_at(path[:-1])
        return None if items is None else last.of(items)

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
    if isinstance(slot.owner, deque):
        tail = _tail(old, new, slot.owner.maxlen)
        if tail is not None:
            return _extend, tail
        guard_content(slot.owner, "a deque")
    elif has_runs(new):
        guard_content(slot.owner, "a list")
    elif isinstance(slot.owner, list) and len(new) >= len(old) and not has_runs(old):
        changed = {i: b for i, (a, b) in enumerate(zip(old, new, strict=False)) if a is not b}
        return _change_items, (changed, new[len(old) :])
    mark = next((k for k in new if type(k) is Opened), None) if type(slot.owner) is dict else None
    if mark is not None:
        return _put_entries, _entries(key, old, new[mark], mark)
    if isinstance(slot.owner, dict) and list(new)[: len(old)] == list(old):
        return _update, {k: v for k, v in new.items() if k not in old or old[k] is not v}
    if isinstance(slot.owner, set) and new >= old:
        return _update, new - old
    return _put_content, new


_CONTAINERS = (list, dict, set, deque)


def _put_content(thing: Any, value: Any) -> None:
    if isinstance(thing, AttributeOfItems):
        thing.put(value)
    else:
        if isinstance(thing, _CONTAINERS):
            _begin_again(thing)
        content_slot(thing).write(value)


def _content_of_rows(owner: Any, new: list[Any], facts: Any, operands: list[Tensor]) -> Any:
    """What is in the lists of a list of the caller's, which stay the lists that they are."""
    item, rows = facts.effects.handouts.rows_of(new, owner)
    lengths = rows[0]
    before = control.passed_on(lengths.current()._value, facts.containers.same_rows)
    is_in_body = building() is not facts.builder and before.node is None
    if before is not facts.containers.row_lengths[id(owner)]._value and not is_in_body:
        raise StagingError("the lists in a list of the caller's are others than before")
    operands += rows
    parts, structure = template_of(item)
    return Items(structure, parts, [*range(len(rows))], Form(False))


def _put_rows(thing: list[list[Any]], content: list[list[Any]]) -> None:
    """Write into lists what is in others."""
    for row, found in zip(thing, content, strict=True):
        row[:] = found


def _entries(key: Any, old: Any, entries: dict[Any, Any], mark: Opened) -> tuple[Any, ...]:
    """Of a dict that has some keys on some paths only: key, place, whether it is there, value."""
    if mark.ranks is None:
        raise StagingError(
            "the order of the keys of a dict of the caller's depends on data",
            "give it all its keys before (`d[key] = None`), or give back a dict of its own",
            origin=journal.place_of(key),
        )
    found = []
    for name, entry in entries.items():
        value, there = split(entry)
        if there is not False:
            is_kept = name in old and value is old[name]
            rank = mark.ranks[name]
            found.append((name, rank, there, () if is_kept else (value,)))
    return tuple(found)


def _put_entries(thing: dict[Any, Any], entries: tuple[Any, ...]) -> None:
    """Give a dict the keys that are there, in their order; others are left or put."""
    _begin_again(thing)
    now = dict(thing)
    present = [entry for entry in entries if entry[2]]
    dict.clear(thing)
    for name, _, _, value in sorted(present, key=lambda entry: int(entry[1])):
        dict.__setitem__(thing, name, value[0] if value else now[name])


def _tail(old: list[Any], new: list[Any], maxlen: int | None) -> list[Any] | None:
    """What was appended to a deque, which may have pushed out the first items; None for others."""
    is_full = len(new) == maxlen
    for gone in range(len(old) + 1 if is_full else 1):
        kept = old[gone:]
        if len(kept) <= len(new) and all(a is b for a, b in zip(kept, new, strict=False)):
            return new[len(kept) :]
    return None


def _extend(thing: Any, items: list[Any]) -> None:
    _begin_again(thing)
    deque.extend(thing, items)


def _change_items(thing: Any, change: tuple[dict[int, Any], list[Any]]) -> None:
    base = container_base(thing)
    _begin_again(thing)
    for index, value in change[0].items():
        base.__setitem__(thing, index, value)
    base.extend(thing, change[1])


def _begin_again(thing: Any) -> None:
    """Undo what this call has put in, where it does so again: see `host_writes`."""
    lent = lending()
    if lent is None:
        return
    base, key = container_base(thing), ("was", id(thing))
    if key not in lent.memory:
        items = base.items(thing) if isinstance(thing, dict) else base.__iter__(thing)
        lent.memory[key] = thing, list(items)
        return
    base.clear(thing)
    add = base.update if isinstance(thing, (dict, set)) else base.extend
    add(thing, lent.memory[key][1])


def _update(thing: Any, change: Any) -> None:
    _begin_again(thing)
    container_base(thing).update(thing, change)


class Writer(Protocol):
    """Called with the run-time values of some operands."""

    def __call__(self, *raws: Any) -> None: ...


class _Writer:
    """Changes an object when the graph runs; called with the values for the holes of `content`."""

    __slots__ = ("change", "content", "lower", "target")

    def __init__(
        self, target: Callable[[], Any], change: Change, content: Any, lower: Change
    ) -> None:
        self.target, self.change, self.content, self.lower = target, change, content, lower

    def __call__(self, *raws: Any) -> None:
        thing = self.target()
        if thing is not None:
            with remembering():
                self.change(thing, fill(self.content, raws))
            note_change(functools.partial(self.lower, thing))

    def __repr__(self) -> str:
        return "write"


class _OptionalWriter(_Writer):
    """A writer whose last operand says whether the place has a value at all."""

    __slots__ = ("absent",)

    def __init__(
        self, target: Callable[[], Any], change: Change, content: Any, lower: Change, absent: Any
    ) -> None:
        super().__init__(target, change, content, lower)
        # What is to be written where there is no value: None, or that the place has none.
        self.absent = absent

    def __call__(self, *raws: Any) -> None:
        *values, defined = raws
        if defined:
            super().__call__(*values)
            return
        thing = self.target()
        if thing is not None and self.absent is not _NOTHING:
            self.change(thing, self.absent)


class _Restorer:
    """Gives a place back what the call found in it, if that was overwritten for Python code."""

    __slots__ = ("key", "slot", "target")

    def __init__(self, key: Any, target: Callable[[], Any], slot: journal.Slot) -> None:
        self.key, self.target, self.slot = key, target, slot

    def __call__(self, *raws: Any) -> None:
        lent, thing = lending(), self.target()
        if lent is not None and thing is not None and self.key in lent.memory:
            slot = attribute_slot(thing, self.key[2]) if self.key[0] == "attr" else self.slot
            slot.write(lent.memory[self.key])

    def __repr__(self) -> str:
        return "write"


class ArrayWriter:
    """Gives an array of the caller's, the input at `position`, what was written into it."""

    __slots__ = ("position",)

    def __init__(self) -> None:
        self.position = -1

    def __call__(self, *raws: Any) -> None:
        write = _write_back.get()
        if write is not None:
            write(self.position, raws[0])


class _Refusal:
    """Stands for a write that no graph can do."""

    __slots__ = ("error",)

    def __init__(self, error: StagingError) -> None:
        self.error = error

    def __call__(self, *raws: Any) -> None:
        raise self.error


class Writers:
    """Several writers, each with so many of the operands."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[tuple[Writer, int], ...]) -> None:
        self.parts = parts

    def __call__(self, *raws: Any) -> None:
        values = iter(raws)
        with remembering():
            for write, count in self.parts:
                write(*itertools.islice(values, count))

    def __repr__(self) -> str:
        return "write"
