"""What a trace reads from outside of itself: inputs by reference, and guarded Python values.

A captured array is an input of the graph, read anew at each call. A captured Python value, item or
attribute that the trace read is guarded: when it changes, the next call traces again; an int or
float of which a second value comes is an input from then on, as one among the arguments is.
"""

from __future__ import annotations

import functools
import operator
import os
import types
import weakref
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from autograph.operators.captured.budget import Budget
from autograph.operators.captured.decisions import Decision
from autograph.operators.captured.guards import (
    MISSING,
    NUMBERS,
    PLAIN,
    PLAIN_TYPES,
    AbsenceGuard,
    ApartGuard,
    ContentGuard,
    Guard,
    Identity,
    IdentityGuard,
    Place,
    SharingGuard,
    TypeGuard,
    has_state,
    is_of_library,
    may_be_input,
    same_value,
    state_marks,
    weak,
)
from runtime import journal
from runtime.array_methods import check_class
from runtime.building import Builder, building
from runtime.devices import is_device_array
from runtime.errors import StagingError
from runtime.ops.declaration.operands import type_of
from runtime.origins import Origin
from runtime.spec import TensorType, is_compatible
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["Captured", "Guard", "Opener", "Place", "Trace", "are_one_object", "as_input",
           "content_before", "current_trace", "guard_absence", "guard_absent_item",
           "guard_apart", "guard_content", "guard_count", "guard_environment", "guard_globals",
           "guard_has_key", "guard_keys", "guard_kinds", "guard_length", "guard_object",
           "guard_state", "identifier", "is_fixed", "is_input", "note_identity", "place_of_item",
           "read", "same_value", "trace_at_hand", "trace_of", "weak"]  # fmt: skip

_FIXED_MODULES = ("numpy", "math", "cmath", "operator", "itertools", "functools", "builtins",
                  "autograph", "runtime", "cupy", "typing", "collections", "sys", "os", "abc",
                  "dataclasses", "enum", "contextlib", "random", "time", "warnings",
                  "scipy")  # fmt: skip
_OURS = ("autograph", "runtime")


class Captured(NamedTuple):
    """A captured array: read at each call, checked against the type that was traced."""

    place: Place
    kind: type
    type: TensorType
    handle: Tensor
    # The array that the trace saw, weakly: a place may come to hold another one.
    initial: Callable[[], Any]

    def fits(self, found: Any) -> bool:
        """Whether what is found in the place is of the type that was traced."""
        if type(found) is not self.kind or (type(found) is int and not may_be_input(found)):
            return False
        return is_compatible(self.type, type_of(found))

    @property
    def guard(self) -> TypeGuard:
        """The same as a guard, for an array whose elements a graph does not read."""
        return TypeGuard(self.place, str(self.type), self.fits)


# Of a container, and what a statement may leave in it: what makes it one of which data decides the
# keys; None where that cannot be.
Opener = Callable[[Any, list[Any]], Callable[[], Any] | None]

_BOUND = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)


@dataclass(eq=False, repr=False)
class Trace:
    """Facts of one trace of one Function that are not the graph."""

    builder: Builder
    openers: tuple[Opener, ...]
    # Whether arguments are among what was written before something that can raise.
    pends_on_arguments: bool = False
    # Whether it was asked if two arrays are one.
    compares_arrays: bool = False
    # The loops over dicts, by the ids of these (`containers.last_turns`).
    turns: dict[int, list[Any]] = field(default_factory=dict)
    # Whether it was asked if a container of the caller's is another one.
    compares_containers: bool = False
    # "graph": print on each call; "trace": print while tracing.
    prints: str = "graph"
    # Has the special methods of a class converted during the trace; whether it has any.
    adopt: Callable[[type], bool] = lambda kind: False
    # Lets the objects of a class be told from one another as `is` does.
    watch: Callable[[type], None] = lambda kind: None
    # Whether arguments were tensors: then a traced array stands for a Tensor, else for an ndarray.
    tensors: bool = False
    guards: dict[Any, Guard] = field(default_factory=dict)
    # Keys of places of ints and floats that came with a second value: they are inputs.
    open_numbers: Mapping[Any, Place] = field(default_factory=dict)
    captured: dict[Any, Captured] = field(default_factory=dict)
    # How long lists from outside are columns, and where calls find these: see `outside_lists`.
    open_list: Callable[[Any, Place, Any], Any] = lambda key, place, value: None
    depend: Callable[[int], None] = lambda number: None
    roots: list[Any] = field(default_factory=list)
    # Of lists of lists that are columns, by id: the lengths of these; what they are after writes.
    row_lengths: dict[int, Tensor] = field(default_factory=dict)
    same_rows: set[Any] = field(default_factory=set)
    # Objects that existed before the trace, by id; kept alive so that the id stays true.
    outside: dict[int, Any] = field(default_factory=dict)
    # Containers among the arguments, by id: the caller has them too.
    given: dict[int, Any] = field(default_factory=dict)
    local_cells: dict[int, Any] = field(default_factory=dict)
    scopes: list[Any] = field(default_factory=list)
    # Those of generators that wait for what is done with an item.
    suspended: list[Any] = field(default_factory=list)
    # The managers of the `with` statements that are open: what they hold may be written at the end.
    managers: list[Any] = field(default_factory=list)
    notes: list[Decision] = field(default_factory=list)
    arrays: dict[int, Tensor] = field(default_factory=dict)
    sites: dict[Any, Any] = field(default_factory=dict)
    keep: list[Any] = field(default_factory=list)
    # Placeholders of the caller's arrays, which see what was written before an exception; and
    # what does that, by the identity of a placeholder.
    writable: list[Tensor] = field(default_factory=list)
    array_writers: dict[int, Any] = field(default_factory=dict)
    # The tuples and frozen objects that staged statements made of two of them, by id.
    chosen_values: dict[int, Any] = field(default_factory=dict)
    # Whether what an exception holds is saved where a `try` body raises it, as a trace that asked
    # for it came to no end; whether it is asked for; what that holds which the next node raises.
    tells_errors: bool = False
    asks_errors: bool = False
    raised: tuple[Any, ...] = ()
    # How many `try` with a `finally`, and `with`, are being traced: the ends run behind a `return`.
    finishing: int = 0
    # Functions of one piece of code of which nobody knows which one a name holds, by id; and by
    # that of a cell that one of several holds: theirs, with what was in them.
    twins: dict[int, Any] = field(default_factory=dict)
    joined_cells: dict[int, list[tuple[Any, Any]]] = field(default_factory=dict)
    # Of captured containers, by id: the container, whether it is to be guarded as a whole, and
    # whether what was read last was looked at in a way that we know.
    reads: dict[int, tuple[Any, bool, bool]] = field(default_factory=dict)
    # What made each generator of the trace; the scopes of those that are left in a `try` or `with`,
    # and where; what went wrong in one that nobody held any more.
    generators: weakref.WeakKeyDictionary[Any, Any] = field(
        default_factory=weakref.WeakKeyDictionary
    )
    left: dict[Any, Any] = field(default_factory=dict)
    # What plain Python is asked for items of when the graph runs, by id, and how: see `feeds`.
    feeds: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    # The calls of functions that are left alone which made generators.
    left_calls: weakref.WeakKeyDictionary[Any, Any] = field(
        default_factory=weakref.WeakKeyDictionary
    )
    # Lists from outside that are only appended to, by the graph, by id; and those of which a trace
    # found that they must be such ones.
    logs: dict[int, Any] = field(default_factory=dict)
    found_logs: dict[int, Any] = field(default_factory=dict)
    # Whether a trace that finds one begins again, since it changed between the calls before.
    prefers_logs: bool = False
    # Whether objects and containers that data chooses between are told by a number: a trace found
    # that one of them is written.
    chooses_by_number: bool = False
    # The names of those that were to be written and were not, as they were not told by a number.
    refused_choices: list[str] = field(default_factory=list)
    # The tests of the branches that are being traced, and how they came out: see `told`.
    told: list[tuple[Any, bool]] = field(default_factory=list)
    # Whether lists whose length depends on data hold objects themselves: one of them is written.
    refers_to_items: bool = False
    refused_items: list[Any] = field(default_factory=list)
    # Whether dicts of which data decides what keys they have hold each value for itself: a trace
    # found that the values are not of one kind.
    keeps_entries: bool = False
    found_kinds: bool = False
    # Whether a name that is a list from before a loop, or one that a round made, is either: a trace
    # in which it was one that stands for both came to no end.
    keeps_names: bool = False
    found_names: bool = False
    # Whether comprehensions over ranges keep their known length if they can; whether one did not.
    keeps_lengths: bool = False
    found_lengths: bool = False
    # The classes of those that are written and that a loop made: of their objects such lists hold
    # no content, so that a loop which makes them is not staged if the number of rounds is known.
    written_items: frozenset[type] = frozenset()
    # The heaps of the objects of classes of the user's, by class: see `heaps`; the classes of
    # objects that were made, and those that bodies made, with their attributes; attributes that a
    # heap lacked.
    heaps: dict[type, Any] = field(default_factory=dict)
    made_classes: dict[type, tuple[str, ...]] = field(default_factory=dict)
    made_in_bodies: dict[type, tuple[str, ...]] = field(default_factory=dict)
    found_attributes: dict[type, dict[Any, None]] = field(default_factory=dict)
    # The dict and key of which an item was asked for last that must be there, and by which builder.
    required_key: Any = None
    # The items that were taken out at keys that depend on data: see `taken_items`.
    taken_items: dict[tuple[int, int], Any] = field(default_factory=dict)
    # Whether there is, or was, a list whose length depends on data.
    has_runs: bool = False
    # Where each `itertools.count` is that the graph advances, by its id.
    counts: dict[int, Any] = field(default_factory=dict)
    # The code of the bodies of loops that were to be loops of the graph, and cannot be.
    repeated_loops: set[Any] = field(default_factory=set)
    # Rows of lists with numbers behind them, by the builder and what they were made of: the class
    # of each tensor, and its value.
    packed: dict[Any, list[Any]] = field(default_factory=dict)
    # The rows of keys that are surely in dicts: by the links of these, and the numbers of the keys.
    rows_of_keys: dict[Any, Any] = field(default_factory=dict)
    # How often numbers of two dtypes became those of one, where paths meet.
    joins: int = 0
    # Whether an array is in such a list twice, or in two of them.
    shares_items: bool = False
    # By id, lists whose arrays were noted as items, each with what was in it then.
    absorbed: dict[int, tuple[Any, list[Any]]] = field(default_factory=dict)
    # Whether a list or dict that is an item of a list may be in another place, too.
    shares_nests: bool = False
    # Whether an array that is an item of such a list may be in another place, too, or the caller's.
    shares_arrays: bool = False
    # By id, lists and dicts that were put several times into such a list.
    repeated_items: dict[int, Any] = field(default_factory=dict)
    failures: list[StagingError] = field(default_factory=list)
    # Names that were asked for in classes of the user's; objects from outside whose class was
    # asked, by id; and methods of such, by id and name: to be guarded when the trace has ended, and
    # the classes are as they were.
    asked: dict[type, dict[str, None]] = field(default_factory=dict)
    met: dict[int, Any] = field(default_factory=dict)
    methods: dict[tuple[int, str], tuple[Any, str]] = field(default_factory=dict)
    # The functions that the trace ran, by id; and by that of a dict: it, and what the names of
    # built-ins and libraries are in it. Both are to be guarded when the trace has ended.
    functions: dict[int, types.FunctionType] = field(default_factory=dict)
    names: dict[int, tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=dict)
    # Where the function gave its result.
    returned: Origin | None = None
    # Settings of Python's and NumPy's when the trace began, by name.
    settings: dict[str, Any] = field(default_factory=dict)
    # What the `np.printoptions` around what is being traced change.
    print_options: list[dict[str, Any]] = field(default_factory=list)
    # Templates of what the function stores in objects and gives back.
    handouts: Any = None
    # What is known of functions that call themselves, over all attempts to trace the function.
    recursions: Any = None
    # Python code that the graph calls: how many calls there are so far, and before how many of
    # them each place was read last; what must be written before such a call; the placeholders of
    # the arrays and the keys of the places that are; whether a call must know what it lends.
    host_calls: int = 0
    reads_at: dict[Any, int] = field(default_factory=dict)
    writes_for_host: Callable[[Builder, bool], Any] | None = None
    shared_with_host: set[int] = field(default_factory=set)
    written_for_host: set[Any] = field(default_factory=set)
    lends: bool = False
    # Whether a key is looked for by comparing it with all of a dict or set.
    compares_keys: bool = False
    # Whether ints of Python's are inputs: with another value, a loop may have no round.
    has_open_ints: bool = False
    # Where the bits of NumPy's generators are that the graph makes, by the value of the generator.
    bits: dict[Any, Any] = field(default_factory=dict)
    # By id, objects from outside of which it may matter who they are: they are shown as text, or
    # given to code that is not converted.
    identities: dict[int, Any] = field(default_factory=dict)
    # How much the trace may run that stages nothing; None: as much as there is.
    patience: Any = None
    # How many nodes the rounds of unrolled loops may add.
    budget: Budget = field(default_factory=Budget)

    def array_writer(self, handle: Tensor, make: Callable[[], Any]) -> Any:
        """What writes the caller's array behind a placeholder; made when first asked for."""
        if id(handle) not in self.array_writers:
            self.array_writers[id(handle)] = make()
        return self.array_writers[id(handle)]

    def handle_of(self, key: Any, value: Any) -> Tensor | None:
        """The placeholder of a captured array; of a number, as it was found in that place."""
        if not isinstance(value, (np.generic, *NUMBERS)):
            return self.arrays.get(id(value))
        known = self.captured.get(key)
        return known.handle if known is not None and known.initial() is value else None

    def captured_as(self, handle: Tensor) -> Captured | None:
        """What a placeholder stands for."""
        return next((c for c in self.captured.values() if c.handle is handle), None)

    @property
    def meets_tensors(self) -> bool:
        """Whether the function was given tensors or Variables, or has read some so far."""
        things = [thing for thing, _ in self.builder.root.externals.values()]
        kinds = [c.kind for c in self.captured.values()] + [type(thing) for thing in things]
        return self.tensors or any(issubclass(kind, (Tensor, Variable)) for kind in kinds)

    def is_outside(self, thing: Any) -> bool:
        """Whether `thing` is known to have existed before the trace; modules outlive each call."""
        if self.outside.get(id(thing)) is thing or thing is os.environ:
            return True
        return isinstance(thing, types.ModuleType)

    def is_given(self, thing: Any) -> bool:
        """Whether `thing` stands for a container of the caller's."""
        return self.given.get(id(thing)) is thing

    def add_outside(self, thing: Any) -> None:
        """Remember that `thing` existed before the trace."""
        if id(thing) in self.outside:
            return
        self.outside[id(thing)] = thing
        if isinstance(thing, _BOUND):
            if not isinstance(thing.__self__, (types.ModuleType, type(None))):
                self.add_outside(thing.__self__)
        elif isinstance(thing, functools.partial):
            for part in (thing.func, thing.args, thing.keywords):
                self.add_outside(part)
        kind: Any = type(thing)
        self.outside.setdefault(id(kind), kind)
        is_opaque = not self.adopt(kind) and has_state(thing) and _has_operators(kind)
        if is_opaque or is_of_library(thing):  # Python's operators look into it by themselves
            _guard_state(self, thing)

    def ask(self, kind: type, name: str) -> None:
        """Note that what a class has under a name decides what the trace does."""
        is_ours = str(kind.__module__).partition(".")[0] in _OURS
        if kind.__flags__ & MADE_BY_CLASS_STATEMENT and not is_ours:
            self.asked.setdefault(kind, {})[name] = None

    def meet(self, thing: Any) -> None:
        """Note that the class of an object from outside decides what the trace does."""
        if self.is_outside(thing) and id(thing) not in self.met:
            self.met[id(thing)] = lambda: thing
            self.ask(type(thing), "__getattribute__")
            self.ask(type(thing), "__getattr__")

    def meet_method(self, thing: Any, name: str) -> None:
        """Note that an object has a method of its class, which one of its own could hide."""
        self.ask(type(thing), name)
        self.meet(thing)
        if self.is_outside(thing):
            self.methods[id(thing), name] = self.met[id(thing)], name

    def note_name(self, space: dict[str, Any], name: str, value: Any) -> None:
        """Note what a name of a module is, or MISSING: it decides what the trace does."""
        self.names.setdefault(id(space), (space, {}))[1].setdefault(name, value)

    def decided(self, origin: Origin | None, kind: str, text: str) -> None:
        """Keep a decision for `explain`, once."""
        decision = Decision.at(origin, kind, text)
        if decision not in self.notes:
            self.notes.append(decision)

    def note_read(self, thing: Any) -> None:
        """A captured container was read: unless `consumed` is told, Python itself looks into it.

        It may take out what is in it, as `+` does.
        """
        if id(thing) not in self.reads:
            for part in _containers_in(thing):
                self.add_outside(part)
        if isinstance(thing, _CONTAINERS):
            _, wholly, consumed = self.reads.get(id(thing), (thing, False, True))
            self.reads[id(thing)] = (thing, wholly or not consumed, False)

    def has_absorbed(self, within: list[Any], parts: list[Any]) -> bool:
        """Whether the arrays in a list were noted as its items, and it has the same parts still."""
        known = self.absorbed.get(id(within))
        self.absorbed[id(within)] = within, parts
        return known is not None and [*map(id, parts)] == [*map(id, known[1])]

    def consumed(self, thing: Any) -> None:
        """What was read last of a container is guarded by itself, or does not count."""
        if id(thing) in self.reads:
            self.reads[id(thing)] = (thing, self.reads[id(thing)][1], True)

    def guard_reads(self) -> None:
        """Guard the containers as a whole that Python itself looked into."""
        for thing, wholly, consumed in self.reads.values():
            if wholly or not consumed:
                guard_content(thing, f"a {type(thing).__name__}")


def note_identity(thing: Any) -> None:
    """Note that Python itself looks at an object, or at those in a container.

    Who it is may count.
    """
    trace = current_trace()
    if trace is None or isinstance(thing, (*PLAIN, Tensor, np.ndarray, np.generic, type)):
        return
    if issubclass(type(thing), _WALKED):  # not what only claims to be one
        if id(thing) not in trace.identities:
            trace.identities[id(thing)] = thing
            for part in _items_in(thing):
                note_identity(part)
            del trace.identities[id(thing)]
        return
    trace.identities[id(thing)] = thing
    if isinstance(thing, _BOUND):
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
    trace.reads_at[key] = trace.host_calls
    if _written(key):
        return value
    if (found := trace.open_list(key, place, value)) is not None:
        return found
    if is_input(value) or (
        key in trace.open_numbers and type(value) in NUMBERS and may_be_input(value)
    ):
        return as_input(trace, key, place, value)
    if key not in trace.guards:
        by_value = isinstance(value, (*PLAIN, tuple, frozenset))
        kept = value if by_value else Identity(value)
        trace.guards[key] = (
            Guard(place, value, True, key) if by_value else IdentityGuard(place, kept)
        )
    if not isinstance(value, (*PLAIN, types.ModuleType)):
        trace.add_outside(value)
        trace.note_read(value)
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
    handle = trace.handle_of(key, value)
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
            trace.arrays[id(value)] = handle
        trace.keep.append(value)
        trace.captured[key] = Captured(place, type(value), type_, handle, weak(value))
    elif key not in trace.captured and key not in trace.guards:
        # A second way to the same array: both must lead to one array again.
        first = trace.captured_as(handle)
        assert first is not None
        trace.guards[key] = SharingGuard(place, first.place, is_one=True)
    return handle


def are_one_object(a: Tensor, b: Tensor) -> bool | None:
    """Whether two captured numbers are one object, which is guarded; None for other tensors."""
    trace = current_trace()
    one, two = (None, None) if trace is None else map(trace.captured_as, (a, b))
    if trace is None or one is None or two is None:
        return None
    is_one = one.initial() is two.initial()
    key = ("is", id(one.handle), id(two.handle))
    trace.guards.setdefault(key, SharingGuard(one.place, two.place, is_one))
    return is_one


def guard_apart(written: Collection[Tensor]) -> None:
    """Guard that captured arrays are as many as they are, where some are written or compared.

    If two places came to hold one array, a write through one would have to be seen in the other.
    """
    trace = current_trace()
    assert trace is not None
    arrays = [c for c in trace.captured.values() if c.handle.is_array]
    is_asked = trace.compares_arrays or any(c.handle is x for c in arrays for x in written)
    if len(arrays) > 1 and is_asked:
        trace.guards["apart"] = ApartGuard(tuple(c.place for c in arrays))


def identifier(name: str) -> str:
    """What a place is called in a graph, which the user writes as this."""
    return "".join(c if c.isalnum() else "_" for c in name)


@functools.lru_cache(maxsize=1024)
def _has_operators(kind: Any) -> bool:
    """Whether Python itself calls methods of such objects: for operators, comparisons, `with`."""
    if is_fixed(kind.__module__):
        return False
    return any(isinstance(getattr(kind, name, None), types.FunctionType) for name in _OPERATORS)


def guard_absence(thing: Any, name: str, *, plainly: bool = False) -> None:
    """Guard that an object from outside has no such attribute; `plainly`: in its own `__dict__`."""
    trace = current_trace()
    if trace is not None and trace.is_outside(thing):
        fetch = weak(thing)
        place = Place(f"{_title(thing)}.{name}", lambda: getattr(fetch(), name))
        if plainly:
            place = Place(place.name, lambda: vars(fetch())[name])
        guard = AbsenceGuard(place, plainly=plainly)
        trace.guards.setdefault(("attr", id(thing), name), guard)


def guard_object(thing: Any) -> None:
    """`guard_state` of what is an object of the user's, or one of a library that may change."""
    if is_of_library(thing) or (has_state(thing) and not is_fixed(type(thing).__module__)):
        guard_state(thing)


def guard_state(thing: Any) -> None:
    """Guard all attributes of an object from outside, which code that is not converted may read."""
    trace = current_trace()
    if trace is not None and trace.is_outside(thing):
        _guard_state(trace, thing)


def _guard_state(trace: Trace, thing: Any) -> None:
    key = ("state", id(thing))
    if key in trace.guards:
        return
    fetch = weak(thing)
    place = Place(f"{_title(thing)} object", lambda: state_marks(fetch(), _content_now))
    trace.guards[key] = Guard(place, state_marks(thing, _content_at_start), by_value=True)


def _title(thing: Any) -> str:
    return str(thing.__name__) if isinstance(thing, type) else type(thing).__name__


def _content_now(thing: Any) -> Any:
    return vars(thing) if has_state(thing) else thing


def _content_at_start(thing: Any) -> Any:
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


def guard_content(container: Any, name: str) -> None:
    """Guard the content of a captured list, dict or set that the trace reads as a whole.

    What is guarded is what it held before the trace wrote into it.
    """
    trace = current_trace()
    if trace is None or not trace.is_outside(container):
        return
    trace.consumed(container)
    trace.depend(id(container))
    key = ("content", id(container))
    if key in trace.guards:
        return
    trace.guards[key] = ContentGuard(name, container, content_before(container))


def guard_kinds(container: Any, name: str) -> None:
    """Guard the content of a captured list or dict whose arrays are inputs by their places."""
    trace = current_trace()
    if trace is None or ("content", id(container)) in trace.guards:
        return
    trace.consumed(container)
    trace.depend(id(container))
    key = ("kinds", id(container))
    if key not in trace.guards:
        trace.guards[key] = ContentGuard(name, container, container, of_arrays=False)


def _looking_into(container: Any, *kinds: type) -> Trace | None:
    """The trace that looks into a captured container of just these classes, and says at what."""
    trace = current_trace()
    if trace is None or type(container) not in kinds or not trace.is_outside(container):
        return None
    trace.consumed(container)
    return trace


def guard_keys(container: dict[Any, Any]) -> bool:
    """Guard which keys a captured dict has, in their order; False for what is none."""
    trace = _looking_into(container, dict)
    if trace is None:
        return False
    key = ("keys", id(container))
    if key not in trace.guards:
        before = tuple(content_before(container))
        trace.guards[key] = ContentGuard("the keys of a dict", container.keys(), before)
    return True


def guard_has_key(container: Any, key: Any) -> bool:
    """Guard whether a captured dict has a key; False for another container, or an odd key."""
    trace = _looking_into(container, dict) if isinstance(key, PLAIN) else None
    if trace is None:
        return False
    place = Place(f"whether a dict has the key {key!r}", lambda: key in container)
    guard = Guard(place, key in content_before(container), by_value=True)
    trace.guards.setdefault(("has", id(container), key), guard)
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
        trace.depend(id(container))
        fetch = weak(container)
        place = Place(f"the length of a {type(container).__name__}", lambda: len(fetch()))
        trace.guards.setdefault(("length", id(container)), Guard(place, before, by_value=True))


def guard_absent_item(container: dict[Any, Any], key: Any) -> None:
    """Guard that a captured dict has no such key, where the trace has not put or removed it."""
    trace = current_trace()
    if trace is None or key in content_before(container):
        return
    fetch = weak(container)
    shown = f"item [{key!r}] of a {type(container).__name__}"
    place = Place(shown, lambda: dict.__getitem__(fetch(), key))
    trace.guards.setdefault(("absent", id(container), key), Guard(place, MISSING, by_value=False))


def content_before(container: Any) -> Any:
    """What a container held when the trace began: itself, or a copy where it was written."""
    key, found = ("content", id(container)), container
    open_ = journal.recording()
    while open_ is not None:
        if key in open_.slots:
            found = open_.slots[key][1]
        open_ = open_.parent
    return found


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


# Of classes that have one of these, Python itself calls methods that are not converted.
_OPERATORS = tuple(
    f"__{name}__"
    for name in (
        *(p + n for n in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and",
                          "or", "xor", "lshift", "rshift") for p in ("", "r", "i")),
        "neg", "pos", "abs", "invert", "enter", "eq", "ne", "lt", "le", "gt", "ge",
    )
)  # fmt: skip


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
    return state_marks(get(*args), _content_now)


_FIXED_KINDS = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)


def _guard_marks(trace: Trace, key: Any, place: Place, value: Any) -> None:
    if key not in trace.guards:
        expected = state_marks(value, _content_at_start)
        trace.guards[key] = Guard(place, expected, by_value=True)


def is_fixed(module: str) -> bool:
    """Whether what belongs to the module of that name is taken as constant."""
    return module.partition(".")[0] in _FIXED_MODULES
