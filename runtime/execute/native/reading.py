"""Graphs that read things from outside of their arguments: where, and what is looked at first.

The entry reads variables of modules and closures anew at each call, as Python would, and compares
what it finds there with what was there when the graph was made. Where anything differs, a function
of Python is called instead, which knows more of what is alike.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from types import CellType
from typing import Any, NamedTuple

__all__ = ["READING", "Alive", "Reading", "Same", "Shared", "Source", "Variable", "table"]


class Variable(NamedTuple):
    """An item of a dict, by its name: the dict of a module is one."""

    names: dict[str, Any]
    name: str


Source = Variable | CellType


class Same(NamedTuple):
    """A place must hold this very object."""

    source: Source
    thing: Any


class Alive(NamedTuple):
    """A place must hold what a weak reference refers to."""

    source: Source
    reference: Any


class Shared(NamedTuple):
    """Two places must hold one object, or else two."""

    one: Source
    other: Source
    is_one: bool


class Reading(NamedTuple):
    """What a call reads: `inputs`, given behind its arguments, and `constants`, given behind those.

    It needs all `checks` to hold and the list `replaced` to be empty.
    """

    arguments: int
    inputs: Sequence[Source]
    constants: Sequence[Any]
    checks: Sequence[Same | Alive | Shared]
    replaced: list[Any]


# Where something is read, and how it is compared, as the entry knows them.
_CELL, _VARIABLE, _CONSTANT = 0, 1, 2
_SAME, _ALIVE, _ONE, _TWO = 0, 1, 2, 3


def table(
    reading: Reading, context: int, fallback: Callable[..., Any]
) -> tuple[ctypes.Array[ctypes.c_uint64], Any]:
    """What the entry is told, as words; and what must live as long as they are used."""
    slots = _Slots(reading)
    checks = [slots.check(check) for check in reading.checks]
    places = _words(word for row in slots.rows for word in row)
    compared = _words(word for row in checks for word in row)
    words = (
        context,
        id(fallback),
        id(reading.replaced),
        reading.arguments,
        reading.arguments + len(reading.inputs) + len(reading.constants),
        reading.arguments + len(slots.rows),
        len(checks),
        ctypes.addressof(places),
        ctypes.addressof(compared),
    )
    return _words(words), (reading, fallback, places, compared)


class _Slots:
    """Where a call keeps what it reads: behind its arguments, each place once."""

    def __init__(self, reading: Reading) -> None:
        self.rows: list[tuple[int, int, int]] = []
        self._arguments = reading.arguments
        self._known: dict[Any, int] = {}
        for source in reading.inputs:
            self._known.setdefault(_key(source), self._add(source))
        self.rows += [(_CONSTANT, id(thing), 0) for thing in reading.constants]

    def _add(self, source: Source) -> int:
        if isinstance(source, CellType):
            self.rows.append((_CELL, id(source), 0))
        else:
            self.rows.append((_VARIABLE, id(source.names), id(source.name)))
        return self._arguments + len(self.rows) - 1

    def _slot(self, source: Source) -> int:
        key = _key(source)
        if key not in self._known:
            self._known[key] = self._add(source)
        return self._known[key]

    def check(self, check: Same | Alive | Shared) -> tuple[int, int, int]:
        """How, the slot, and what it is compared with: an object, or another slot."""
        if isinstance(check, Same):
            return _SAME, self._slot(check.source), id(check.thing)
        if isinstance(check, Alive):
            return _ALIVE, self._slot(check.source), id(check.reference)
        sign = _ONE if check.is_one else _TWO
        return sign, self._slot(check.one), self._slot(check.other)


def _key(source: Source) -> Any:
    return id(source) if isinstance(source, CellType) else (id(source.names), source.name)


def _words(words: Any) -> ctypes.Array[ctypes.c_uint64]:
    row = list(words)
    return (ctypes.c_uint64 * len(row))(*row)


READING = """
; ---- what is read from outside: (where, thing, name); what is compared: (how, slot, with) --------

; The row of what a call reads, each thing held: what looks at a name may run code that binds others
; anew. False where something is not there, or not as it was.
define internal i1 @gather(ptr %ctx, ptr %table, ptr %slots, i64 %from) {
entry:
  %find = word PyDict_GetItemWithError
  %hold = word Py_IncRef
  %referent = word PyWeakref_GetObject
  %dead = word None
  %end.at = getelementptr i64, ptr %table, i64 5
  %end = load i64, ptr %end.at
  %checks.at = getelementptr i64, ptr %table, i64 6
  %checks = load i64, ptr %checks.at
  %places.at = getelementptr ptr, ptr %table, i64 7
  %places = load ptr, ptr %places.at
  %compared.at = getelementptr ptr, ptr %table, i64 8
  %compared = load ptr, ptr %compared.at
  br label %head
head:
  %slot = phi i64 [ %from, %entry ], [ %slot.next, %keep ]
  %more = icmp slt i64 %slot, %end
  br i1 %more, label %place, label %compare
place:
  %number = sub i64 %slot, %from
  %row = mul i64 %number, 3
  %where.at = getelementptr i64, ptr %places, i64 %row
  %where = load i64, ptr %where.at
  %thing.at = getelementptr ptr, ptr %where.at, i64 1
  %thing = load ptr, ptr %thing.at
  switch i64 %where, label %keep [ i64 0, label %cell
                                   i64 1, label %variable ]
cell:
  %content.at = getelementptr i8, ptr %thing, i64 $CONTENT
  %content = load ptr, ptr %content.at
  br label %found
variable:
  %name.at = getelementptr ptr, ptr %where.at, i64 2
  %name = load ptr, ptr %name.at
  %item = call ptr %find(ptr %thing, ptr %name)
  br label %found
found:
  %read = phi ptr [ %content, %cell ], [ %item, %variable ]
  %is.there = icmp ne ptr %read, null
  br i1 %is.there, label %keep, label %changed
keep:
  %kept = phi ptr [ %thing, %place ], [ %read, %found ]
  %kept.at = getelementptr ptr, ptr %slots, i64 %slot
  store ptr %kept, ptr %kept.at
  call void %hold(ptr %kept)
  %slot.next = add i64 %slot, 1
  br label %head
compare:
  %check = phi i64 [ 0, %head ], [ %check.next, %next ]
  %going = icmp slt i64 %check, %checks
  br i1 %going, label %look, label %done
look:
  %check.row = mul i64 %check, 3
  %how.at = getelementptr i64, ptr %compared, i64 %check.row
  %how = load i64, ptr %how.at
  %own.at = getelementptr i64, ptr %how.at, i64 1
  %own.slot = load i64, ptr %own.at
  %own.place = getelementptr ptr, ptr %slots, i64 %own.slot
  %own = load ptr, ptr %own.place
  %with.at = getelementptr ptr, ptr %how.at, i64 2
  %with = load ptr, ptr %with.at
  switch i64 %how, label %slots.two [ i64 0, label %object
                                      i64 1, label %alive ]
object:
  %is.same = icmp eq ptr %own, %with
  br i1 %is.same, label %next, label %changed
alive:
  %living = call ptr %referent(ptr %with)
  %is.living = icmp ne ptr %living, %dead
  %is.it = icmp eq ptr %own, %living
  %is.still = and i1 %is.living, %is.it
  br i1 %is.still, label %next, label %changed
slots.two:
  %other.slot = ptrtoint ptr %with to i64
  %other.at = getelementptr ptr, ptr %slots, i64 %other.slot
  %other = load ptr, ptr %other.at
  %is.one = icmp eq ptr %own, %other
  %wants.one = icmp eq i64 %how, 2
  %agrees = icmp eq i1 %is.one, %wants.one
  br i1 %agrees, label %next, label %changed
next:
  %check.next = add i64 %check, 1
  br label %compare
done:
  ret i1 true
changed:
  %forget = word PyErr_Clear
  call void %forget()
  ret i1 false
}

define ptr @reading(ptr %self, ptr %args, i64 %nargs) {
entry:
  %table.at = getelementptr i8, ptr %self, i64 $VALUE
  %table = load ptr, ptr %table.at
  %ctx = load ptr, ptr %table
  %arguments.at = getelementptr i64, ptr %table, i64 3
  %arguments = load i64, ptr %arguments.at
  %all.at = getelementptr i64, ptr %table, i64 4
  %all = load i64, ptr %all.at
  %end.at = getelementptr i64, ptr %table, i64 5
  %end = load i64, ptr %end.at
  %slots = alloca ptr, i64 %end
  %replaced.at = getelementptr ptr, ptr %table, i64 2
  %replaced = load ptr, ptr %replaced.at
  %length.at = getelementptr i8, ptr %replaced, i64 $LENGTH
  %length = load i64, ptr %length.at
  %none.replaced = icmp eq i64 %length, 0
  %is.whole = icmp eq i64 %nargs, %arguments
  %starts = and i1 %none.replaced, %is.whole
  br i1 %starts, label %read, label %otherwise
read:
  %bytes = mul i64 %nargs, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %slots, ptr %args, i64 %bytes, i1 false)
  %outer = getelementptr ptr, ptr %slots, i64 %arguments
  %outer.count = sub i64 %end, %arguments
  %outer.bytes = mul i64 %outer.count, 8
  call void @llvm.memset.p0.i64(ptr %outer, i8 0, i64 %outer.bytes, i1 false)
  %holds = call i1 @gather(ptr %ctx, ptr %table, ptr %slots, i64 %arguments)
  br i1 %holds, label %call, label %drop
call:
  %result = call ptr @give(ptr %ctx, ptr %slots, i64 %all)
  call void @drop(ptr %ctx, ptr %outer, i64 %outer.count)
  ret ptr %result
drop:
  call void @drop(ptr %ctx, ptr %outer, i64 %outer.count)
  br label %otherwise
otherwise:
  %vectorcall = word PyObject_Vectorcall
  %fallback.at = getelementptr ptr, ptr %table, i64 1
  %fallback = load ptr, ptr %fallback.at
  %slow = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr null)
  ret ptr %slow
}

"""
