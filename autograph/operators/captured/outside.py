"""What existed before a trace: Python looks at it as it is, so that what is seen has guards."""

from __future__ import annotations

import functools
import os
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from autograph.operators.captured.code_seen import Code
from autograph.operators.captured.context import Adoption, OpenLists
from autograph.operators.captured.guards import (
    PLAIN_TYPES,
    ContentGuard,
    Guard,
    Place,
    has_state,
    is_of_library,
    state_marks,
    weak,
)
from autograph.operators.captured.inputs import Captures
from runtime import journal

__all__ = ["BOUND", "Outside", "content_at_start", "content_before", "content_now", "is_fixed",
           "title"]  # fmt: skip

_FIXED_MODULES = ("numpy", "math", "cmath", "operator", "itertools", "functools", "builtins",
                  "autograph", "runtime", "cupy", "typing", "collections", "sys", "os", "abc",
                  "dataclasses", "enum", "contextlib", "random", "time", "warnings",
                  "scipy")  # fmt: skip
BOUND = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)


class Outside:
    """The objects that existed before a trace, and what it looked at in them."""

    def __init__(self, captures: Captures, code: Code, adopted: Adoption, lists: OpenLists) -> None:
        self._captures, self._code, self._adopted, self._lists = captures, code, adopted, lists
        # The objects, by id; kept alive so that the id stays true.
        self.things: dict[int, Any] = {}
        # Containers among the arguments, by id: the caller has them too.
        self.given: dict[int, Any] = {}
        # Of captured containers, by id: the container, whether it is to be guarded as a whole, and
        # whether what was read last was looked at in a way that we know.
        self.reads: dict[int, tuple[Any, bool, bool]] = {}
        # Objects whose class was asked, by id; and methods of such, by id and name: to be guarded
        # when the trace has ended, and the classes are as they were.
        self.met: dict[int, Any] = {}
        self.methods: dict[tuple[int, str], tuple[Any, str]] = {}
        # By id, objects of which it may matter who they are: they are shown as text, or given to
        # code that is not converted; and whether it was asked if a container of the caller's is
        # another one.
        self.identities: dict[int, Any] = {}
        self.compares_containers = False

    def has(self, thing: Any) -> bool:
        """Whether `thing` is known to have existed before the trace; modules outlive each call."""
        if self.things.get(id(thing)) is thing or thing is os.environ:
            return True
        return isinstance(thing, types.ModuleType)

    def is_given(self, thing: Any) -> bool:
        """Whether `thing` stands for a container of the caller's."""
        return self.given.get(id(thing)) is thing

    def is_callers(self, thing: Any) -> bool:
        """Whether the caller has it, too."""
        return self.is_given(thing) or self.has(thing)

    def holds(self, thing: Any) -> bool:
        """Whether what existed before the trace leads to `thing`."""
        return journal.leads_to([*self.things.values(), *self.given.values()], thing)

    def add(self, thing: Any) -> None:
        """Remember that `thing` existed before the trace."""
        if id(thing) in self.things:
            return
        self.things[id(thing)] = thing
        if isinstance(thing, BOUND):
            if not isinstance(thing.__self__, (types.ModuleType, type(None))):
                self.add(thing.__self__)
        elif isinstance(thing, functools.partial):
            for part in (thing.func, thing.args, thing.keywords):
                self.add(part)
        kind: Any = type(thing)
        self.things.setdefault(id(kind), kind)
        is_opaque = not self._adopted.adopt(kind) and has_state(thing) and _has_operators(kind)
        if is_opaque or is_of_library(thing):  # Python's operators look into it by themselves
            self.guard_state(thing)

    def meet(self, thing: Any) -> None:
        """Note that the class of an object from outside decides what the trace does."""
        if self.has(thing) and id(thing) not in self.met:
            self.met[id(thing)] = lambda: thing
            self._code.ask(type(thing), "__getattribute__")
            self._code.ask(type(thing), "__getattr__")

    def meet_method(self, thing: Any, name: str) -> None:
        """Note that an object has a method of its class, which one of its own could hide."""
        self._code.ask(type(thing), name)
        self.meet(thing)
        if self.has(thing):
            self.methods[id(thing), name] = self.met[id(thing)], name

    def note_read(self, thing: Any) -> None:
        """A captured container was read: unless `consumed` is told, Python itself looks into it.

        It may take out what is in it, as `+` does.
        """
        if id(thing) not in self.reads:
            for part in _containers_in(thing):
                self.add(part)
        if isinstance(thing, _CONTAINERS):
            _, wholly, consumed = self.reads.get(id(thing), (thing, False, True))
            self.reads[id(thing)] = (thing, wholly or not consumed, False)

    def consumed(self, thing: Any) -> None:
        """What was read last of a container is guarded by itself, or does not count."""
        if id(thing) in self.reads:
            self.reads[id(thing)] = (thing, self.reads[id(thing)][1], True)

    def guard(self) -> None:
        """Guard the containers as a whole that Python itself looked into."""
        for thing, wholly, consumed in self.reads.values():
            if wholly or not consumed:
                self.guard_content(thing, f"a {type(thing).__name__}")

    def guard_content(self, container: Any, name: str) -> None:
        """Guard the content of a container that is read as a whole, as it was before the trace."""
        self.consumed(container)
        self._lists.depend(id(container))
        key = ("content", id(container))
        if key not in self._captures.guards:
            before = content_before(container)
            self._captures.guards[key] = ContentGuard(name, container, before)

    def guard_state(self, thing: Any) -> None:
        """Guard all attributes of an object."""
        key = ("state", id(thing))
        if key in self._captures.guards:
            return
        fetch = weak(thing)
        place = Place(f"{title(thing)} object", lambda: state_marks(fetch(), content_now))
        marks = state_marks(thing, content_at_start)
        self._captures.guards[key] = Guard(place, marks, by_value=True)


@functools.lru_cache(maxsize=1024)
def _has_operators(kind: Any) -> bool:
    """Whether Python itself calls methods of such objects: for operators, comparisons, `with`."""
    if is_fixed(kind.__module__):
        return False
    return any(isinstance(getattr(kind, name, None), types.FunctionType) for name in _OPERATORS)


# Of classes that have one of these, Python itself calls methods that are not converted.
_OPERATORS = tuple(
    f"__{name}__"
    for name in (
        *(p + n for n in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and",
                          "or", "xor", "lshift", "rshift") for p in ("", "r", "i")),
        "neg", "pos", "abs", "invert", "enter", "eq", "ne", "lt", "le", "gt", "ge",
    )
)  # fmt: skip


_CONTAINERS = (list, dict, set, deque)


def _containers_in(thing: Any) -> Iterator[Any]:
    """What a container holds that may change by itself."""
    if isinstance(thing, dict):
        parts: Iterable[Any] = dict.values(thing)
    else:
        base: Any = next((kind for kind in (list, tuple, deque) if isinstance(thing, kind)), None)
        parts = () if base is None else base.__iter__(thing)
    parts = tuple(parts)
    if PLAIN_TYPES.issuperset(map(type, parts)):  # mostly, and of many this is seen at once
        return iter(())
    return (x for x in parts if isinstance(x, (*_CONTAINERS, tuple)) or has_state(x))


def title(thing: Any) -> str:
    """What an object is called in words."""
    return str(thing.__name__) if isinstance(thing, type) else type(thing).__name__


def content_now(thing: Any) -> Any:
    """The attributes of an object, or what a container holds."""
    return vars(thing) if has_state(thing) else thing


def content_at_start(thing: Any) -> Any:
    """What they were when the trace began."""
    if not has_state(thing):
        return content_before(thing)
    found = dict(vars(thing))
    open_ = journal.recording()
    while open_ is not None:
        for slot_key, (_, old) in open_.slots.items():
            key: Any = slot_key
            if key[0] == "attr" and key[1] == id(thing):
                found[key[2]] = old
        open_ = open_.parent
    return found


def content_before(container: Any) -> Any:
    """What a container held when the trace began: itself, or a copy where it was written."""
    key, found = ("content", id(container)), container
    open_ = journal.recording()
    while open_ is not None:
        if key in open_.slots:
            found = open_.slots[key][1]
        open_ = open_.parent
    return found


def is_fixed(module: str) -> bool:
    """Whether what belongs to the module of that name is taken as constant."""
    return module.partition(".")[0] in _FIXED_MODULES
