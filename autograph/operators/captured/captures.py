"""What a trace reads from outside of itself: inputs by reference, and guarded Python values.

A captured array is an input of the graph, read anew at each call. A captured Python value, item or
attribute that the trace read is guarded: when it changes, the next call traces again; an int or
float of which a second value comes is an input from then on, as one among the arguments is.
"""

from __future__ import annotations

import functools
import operator
import types
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import numpy as np

from autograph.operators.captured.attempt import Attempt, Found
from autograph.operators.captured.code_seen import Code
from autograph.operators.captured.containers import Containers
from autograph.operators.captured.context import Adoption, Context, OpenLists
from autograph.operators.captured.decisions import Decisions
from autograph.operators.captured.effects import Effects
from autograph.operators.captured.guards import (
    MISSING,
    NUMBERS,
    PLAIN,
    AbsenceGuard,
    ApartGuard,
    ContentGuard,
    Guard,
    Identity,
    IdentityGuard,
    Place,
    ReachGuard,
    SharingGuard,
    has_state,
    is_of_library,
    may_be_input,
    same_value,
    state_marks,
    weak,
)
from autograph.operators.captured.inputs import Captured, Captures
from autograph.operators.captured.outside import (
    BOUND,
    Outside,
    content_at_start,
    content_before,
    content_now,
    is_fixed,
    title,
)
from autograph.operators.captured.scopes import Generators, Scopes
from runtime import journal
from runtime.array_methods import check_class
from runtime.building import Builder, building
from runtime.devices import is_device_array
from runtime.ops.declaration.operands import type_of
from runtime.tensor import Tensor
from runtime.variable import makes_tensors

__all__ = ["Captured", "Guard", "Place", "Trace", "are_one_object", "as_input",
           "content_before", "current_trace", "guard_absence", "guard_absent_item",
           "guard_apart", "guard_content", "guard_count", "guard_environment", "guard_globals",
           "guard_has_key", "guard_keys", "guard_kinds", "guard_length", "guard_object",
           "guard_reach", "guard_state", "identifier", "is_fixed", "is_input", "note_identity",
           "place_of_item", "read", "same_value", "trace_at_hand", "trace_of", "weak"]  # fmt: skip


class Trace:
    """Facts of one trace of one Function that are not the graph: a record for each concern."""

    def __init__(
        self,
        builder: Builder,
        context: Context,
        adopted: Adoption,
        lists: OpenLists,
        attempt: Attempt,
    ) -> None:
        self.builder, self.context, self.adopted, self.lists = builder, context, adopted, lists
        self.captures, self.code = Captures(), Code()
        self.outside = Outside(self.captures, self.code, adopted, lists)
        self.scopes, self.generators, self.effects = Scopes(), Generators(), Effects()
        self.containers, self.decisions = Containers(), Decisions()
        self.attempt, self.found = attempt, Found()

    @property
    def meets_tensors(self) -> bool:
        """Whether the function was given tensors or Variables, or has read some so far."""
        things = [thing for thing, _ in self.builder.root.externals.values()]
        is_given = any(issubclass(c.kind, Tensor) for c in self.captures.inputs.values())
        return self.captures.tensors or is_given or any(map(makes_tensors, things))


def note_identity(thing: Any) -> None:
    """Note that Python itself looks at an object, or at those in a container.

    Who it is may count.
    """
    trace = current_trace()
    if trace is None or isinstance(thing, (*PLAIN, Tensor, np.ndarray, np.generic, type)):
        return
    if issubclass(type(thing), _WALKED):  # not what only claims to be one
        if id(thing) not in trace.outside.identities:
            trace.outside.identities[id(thing)] = thing
            for part in _items_in(thing):
                note_identity(part)
            del trace.outside.identities[id(thing)]
        return
    trace.outside.identities[id(thing)] = thing
    if isinstance(thing, BOUND):
        note_identity(thing.__self__)


_WALKED = (list, tuple, dict, set, frozenset, deque)


def _items_in(thing: Any) -> Iterator[Any]:
    if issubclass(type(thing), dict):
        yield from dict.keys(thing)
        yield from dict.values(thing)
    else:
        base: Any = next(kind for kind in _WALKED if issubclass(type(thing), kind))
        yield from base.__iter__(thing)


def current_trace() -> Trace | None:
    """The trace that is under way, None in eager mode."""
    builder = building()
    return None if builder is None else getattr(builder.root, "trace", None)


def trace_at_hand() -> Trace:
    """The trace that is under way, where there is one."""
    trace = current_trace()
    assert trace is not None
    return trace


def trace_of(builder: Builder) -> Trace | None:
    """The trace that a graph is built in."""
    return getattr(builder.root, "trace", None)


def place_of_item(thing: Any, key: Any, own: Callable[..., Any] | None = None) -> Place:
    """Where an item of a captured container is; `own` reads it past a method of the user's."""
    shown = f"item [{key!r}] of a {type(thing).__name__}"
    if own is not None:
        return Place(shown, lambda: own(thing, key))
    return Place(shown, lambda: thing[key], ("item", thing, key))


def read(key: Any, place: Place, value: Any) -> Any:
    """Read a captured value while tracing: an array becomes an input, the rest is guarded.

    `key` is the journal's key of the place: what the trace itself stored there needs no guard.
    """
    trace = current_trace()
    if trace is None:
        return value
    trace.effects.reads_at[key] = trace.effects.calls
    if _written(key):
        return value
    if (found := trace.lists.read(trace, key, place, value)) is not None:
        return found
    if is_input(value) or (
        key in trace.captures.open_numbers and type(value) in NUMBERS and may_be_input(value)
    ):
        return as_input(trace, key, place, value)
    if key not in trace.captures.guards:
        by_value = isinstance(value, (*PLAIN, tuple, frozenset))
        kept = value if by_value else Identity(value)
        trace.captures.guards[key] = (
            Guard(place, value, True, key) if by_value else IdentityGuard(place, kept)
        )
    if not isinstance(value, (*PLAIN, types.ModuleType)):
        trace.outside.add(value)
        trace.outside.note_read(value)
    return value


def is_input(value: Any) -> bool:
    """Whether a captured value is read as an input; NumPy's text is a Python value."""
    if isinstance(value, (np.ndarray, np.generic, Tensor)):
        return not isinstance(value, (str, bytes))
    return is_device_array(value)


def _written(key: Any) -> bool:
    open_ = journal.recording()
    while open_ is not None:
        entry = open_.slots.get(key)
        # Names that a function may write are noted where it begins.
        if entry is not None and entry[0].read() is not entry[1]:
            return True
        open_ = open_.parent
    return False


def as_input(trace: Trace, key: Any, place: Place, value: Any) -> Tensor:
    """The placeholder of an array that was read in a place."""
    if isinstance(value, Tensor) and value.is_traced:
        return value
    handle = trace.captures.handle_of(key, value)
    if handle is None:
        if isinstance(value, np.ndarray):
            check_class(type(value), place.name)
        type_ = type_of(value)
        value_ = trace.builder.input(type_, identifier(place.name))
        is_tensor = isinstance(value, Tensor)
        handle = trace.builder.tensor(value_) if is_tensor else trace.builder.array(value_)
        handle._name = place.name
        if isinstance(value, np.ndarray) or is_device_array(value):
            handle.as_array()
        if not isinstance(value, (np.generic, *NUMBERS)):
            trace.captures.handles[id(value)] = handle
        trace.captures.kept.append(value)
        trace.captures.inputs[key] = Captured(place, type(value), type_, handle, weak(value))
    elif key not in trace.captures.inputs and key not in trace.captures.guards:
        # A second way to the same array: both must lead to one array again.
        first = trace.captures.of(handle)
        assert first is not None
        trace.captures.guards[key] = SharingGuard(place, first.place, is_one=True)
    return handle


def are_one_object(a: Tensor, b: Tensor) -> bool | None:
    """Whether two captured numbers are one object, which is guarded; None for other tensors."""
    trace = current_trace()
    one, two = (None, None) if trace is None else map(trace.captures.of, (a, b))
    if trace is None or one is None or two is None:
        return None
    is_one = one.initial() is two.initial()
    key = ("is", id(one.handle), id(two.handle))
    trace.captures.guards.setdefault(key, SharingGuard(one.place, two.place, is_one))
    return is_one


def guard_apart(written: Collection[Tensor]) -> None:
    """Guard that captured arrays are as many as they are, where some are written or compared.

    If two places came to hold one array, a write through one would have to be seen in the other.
    """
    trace = current_trace()
    assert trace is not None
    arrays = [c for c in trace.captures.inputs.values() if c.handle.is_array]
    is_asked = trace.captures.compares_arrays or any(c.handle is x for c in arrays for x in written)
    if len(arrays) > 1 and is_asked:
        trace.captures.guards["apart"] = ApartGuard(tuple(c.place for c in arrays))


def identifier(name: str) -> str:
    """What a place is called in a graph, which the user writes as this."""
    return "".join(c if c.isalnum() else "_" for c in name)


def guard_absence(thing: Any, name: str, *, plainly: bool = False) -> None:
    """Guard that an object from outside has no such attribute; `plainly`: in its own `__dict__`."""
    trace = current_trace()
    if trace is not None and trace.outside.has(thing):
        fetch = weak(thing)
        place = Place(f"{title(thing)}.{name}", lambda: getattr(fetch(), name))
        if plainly:
            place = Place(place.name, lambda: vars(fetch())[name])
        guard = AbsenceGuard(place, plainly=plainly)
        trace.captures.guards.setdefault(("attr", id(thing), name), guard)


def guard_object(thing: Any) -> None:
    """`guard_state` of what is an object of the user's, or one of a library that may change."""
    if is_of_library(thing) or (has_state(thing) and not is_fixed(type(thing).__module__)):
        guard_state(thing)


def guard_state(thing: Any) -> None:
    """Guard all attributes of an object from outside, which code that is not converted may read."""
    trace = current_trace()
    if trace is not None and trace.outside.has(thing):
        trace.outside.guard_state(thing)


def guard_content(container: Any, name: str) -> None:
    """Guard the content of a captured list, dict or set that the trace reads as a whole."""
    trace = current_trace()
    if trace is not None and trace.outside.has(container):
        trace.outside.guard_content(container, name)


def guard_kinds(container: Any, name: str) -> None:
    """Guard the content of a captured list or dict whose arrays are inputs by their places."""
    trace = current_trace()
    if trace is None or ("content", id(container)) in trace.captures.guards:
        return
    trace.outside.consumed(container)
    trace.lists.depend(id(container))
    key = ("kinds", id(container))
    if key not in trace.captures.guards:
        trace.captures.guards[key] = ContentGuard(name, container, container, of_arrays=False)


def _looking_into(container: Any, *kinds: type) -> Trace | None:
    """The trace that looks into a captured container of just these classes, and says at what."""
    trace = current_trace()
    if trace is None or type(container) not in kinds or not trace.outside.has(container):
        return None
    trace.outside.consumed(container)
    return trace


def guard_keys(container: dict[Any, Any]) -> bool:
    """Guard which keys a captured dict has, in their order; False for what is none."""
    trace = _looking_into(container, dict)
    if trace is None:
        return False
    key = ("keys", id(container))
    if key not in trace.captures.guards:
        before = tuple(content_before(container))
        trace.captures.guards[key] = ContentGuard("the keys of a dict", container.keys(), before)
    return True


def guard_has_key(container: Any, key: Any) -> bool:
    """Guard whether a captured dict has a key; False for another container, or an odd key."""
    trace = _looking_into(container, dict) if isinstance(key, PLAIN) else None
    if trace is None:
        return False
    place = Place(f"whether a dict has the key {key!r}", lambda: key in container)
    guard = Guard(place, key in content_before(container), by_value=True)
    trace.captures.guards.setdefault(("has", id(container), key), guard)
    return True


def guard_count(container: Any) -> bool:
    """Guard how many items a captured list or dict has; False for what is none."""
    if _looking_into(container, list, dict) is None:
        return False
    guard_length(container, len(content_before(container)))
    return True


def guard_length(container: Any, before: int) -> None:
    """Guard the number of items that a captured list or deque held before the trace."""
    trace = current_trace()
    if trace is not None:
        trace.lists.depend(id(container))
        guard = Guard(_place_of_length(container), before, by_value=True)
        trace.captures.guards.setdefault(("length", id(container)), guard)


def _place_of_length(container: Any) -> Place:
    fetch = weak(container)

    def length() -> Any:
        return MISSING if (found := fetch()) is None else len(found)

    return Place(f"the length of a {type(container).__name__}", length)


def guard_reach(container: Any, count: int) -> None:
    """Guard that a captured list or deque has so many items at least."""
    trace = current_trace()
    if trace is None:
        return
    guards, key = trace.captures.guards, ("reach", id(container))
    known = guards.get(key)
    if known is None or known.expected < count:
        guards[key] = ReachGuard(_place_of_length(container), count, by_value=True)


def guard_absent_item(container: dict[Any, Any], key: Any) -> None:
    """Guard that a captured dict has no such key, where the trace has not put or removed it."""
    trace = current_trace()
    if trace is None or key in content_before(container):
        return
    fetch = weak(container)
    shown = f"item [{key!r}] of a {type(container).__name__}"
    place = Place(shown, lambda: dict.__getitem__(fetch(), key))
    trace.captures.guards.setdefault(
        ("absent", id(container), key), Guard(place, MISSING, by_value=False)
    )


def guard_environment(function: types.FunctionType) -> None:
    """Guard the globals and captured names of a function that runs without being converted."""
    trace = current_trace()
    if trace is None:
        return
    code = function.__code__
    guard_globals(function.__globals__, code.co_names)
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        if not isinstance(cell.cell_contents, _FIXED_KINDS):
            place = Place(
                f"`{name}`", functools.partial(_state_now, getattr, cell, "cell_contents")
            )
            _guard_marks(trace, ("cell state", id(cell)), place, cell.cell_contents)


def guard_globals(space: dict[str, Any], names: Iterable[str]) -> None:
    """Guard the globals of those names, which code that is not converted reads."""
    trace = current_trace()
    if trace is None:
        return
    for name in names:
        if name in space and not isinstance(space[name], _FIXED_KINDS):
            fetch = functools.partial(_state_now, operator.getitem, space, name)
            key: Any = ("global state", id(space), name)
            _guard_marks(trace, key, Place(f"`{name}`", fetch), space[name])


def _state_now(get: Callable[..., Any], *args: Any) -> Any:
    return state_marks(get(*args), content_now)


_FIXED_KINDS = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)


def _guard_marks(trace: Trace, key: Any, place: Place, value: Any) -> None:
    if key not in trace.captures.guards:
        expected = state_marks(value, content_at_start)
        trace.captures.guards[key] = Guard(place, expected, by_value=True)
