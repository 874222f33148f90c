"""Writing the function that tells which other objects a trace serves: see `likeness`.

It goes along the ways that the trace went, and keeps nothing of the objects of the trace. Where
the identity of one may matter (it is shown as text, given to code that is not converted, held by
the graph), the very object must come again; where it is not known on which way the trace came to
one, there is no such function.
"""

from __future__ import annotations

import functools
import gc
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from autograph.operators.captured.captures import Captured, Guard, Place, Trace
from autograph.operators.captured.guards import (
    MISSING,
    NUMBERS,
    PLAIN,
    AbsenceGuard,
    ApartGuard,
    IdentityGuard,
    Mark,
    SharingGuard,
    TypeGuard,
    may_be_input,
    same_value,
    weak,
)
from autograph.operators.captured.methods import looked_up
from autograph.operators.captured.standing import Owner
from autograph.operators.loops.feeds import Feed
from autograph.operators.results.host_runs import Watch
from autograph.tracing.captured_inputs import lookers, split_guards
from autograph.tracing.class_guards import KindGuard, MethodGuard
from autograph.tracing.code_guards import FunctionGuard
from autograph.tracing.likeness import (
    Alike,
    Likeness,
    Opening,
    Written,
    is_movable,
    loose_key,
)
from autograph.tracing.signature import Arguments, Identity
from runtime.effects.host import HOST_CALL
from runtime.graph.ir import Graph
from runtime.random.generator import Generator
from runtime.spec import DESCRIPTIONS
from runtime.variable import Variable

__all__ = ["likeness_of"]

# A trace that reads more than this, that keeps so many objects apart, or whose graph holds so many
# things, serves its own objects.
_MOST_LINES, _MOST_APART, _MOST_HELD = 20_000, 16, 100_000
_CONTAINERS = (list, dict)


# Stands for an owner that is compared as a whole where it is come to, and never changes.
_CHANGELESS = -1


def _is_of_description(route: tuple[str, Any, Any]) -> bool:
    """Whether a place is an attribute of what tells of arrays: of such there are no weak ones."""
    kind, thing, _ = route
    is_held = kind.endswith("attribute") and not isinstance(thing, weakref.ref)
    return is_held and isinstance(thing(), DESCRIPTIONS)


class _Unlike(Exception):
    """A trace that serves its own objects only; says why."""


def likeness_of(
    facts: Trace,
    arguments: Arguments,
    guards: Sequence[Guard],
    captured: Sequence[Captured],
    externals: Sequence[Any],
    graph: Graph,
    held: Iterable[Any],
    target: Any,
) -> Likeness | None:
    """How to serve others with a trace that has ended; None where it serves its own objects only.

    `held` is what its results are made of.
    """
    nodes = graph.walk() if facts.effects.calls or facts.effects.lends else ()
    calls = [node.attrs["call"] for node in nodes if node.op is HOST_CALL]
    if (
        facts.generators.feeds
        or facts.generators.counts
        or (facts.effects.calls and not all(map(_asks_data_set, calls)))
    ):
        return None
    if facts.outside.compares_containers or (facts.effects.lends and not calls):
        return None
    if any(not isinstance(thing, Variable) for thing in externals):
        return None
    try:
        writer = _Writer(facts, arguments, guards, captured, graph, held, target)
        if calls:
            writer.leave_unwatched(calls)
        return writer.likeness(externals)
    except _Unlike:
        return None


def _asks_data_set(call: Any) -> bool:
    """Whether a call of plain Python asks a data set that may be another one."""
    feed = getattr(getattr(call.callee, "thing", None), "__self__", None)
    return isinstance(feed, Feed) and feed.owner is not None


def _is_of_data_set(thing: Any) -> bool:
    """Whether it is a part of a data set, or a function made anew, as of its `map`."""
    return type(thing) is FunctionType or type(thing).__module__.startswith(_DATA_SETS)


_DATA_SETS = ("autograph.data.", "autograph.tf.data", "runtime.random.")


class _Writer:
    """Writes the function of a `Likeness`."""

    def __init__(
        self,
        facts: Trace,
        arguments: Arguments,
        guards: Sequence[Guard],
        captured: Sequence[Captured],
        graph: Graph,
        held: Iterable[Any],
        target: Any,
    ) -> None:
        self._facts, self._arguments, self._captured = facts, arguments, captured
        self._target = target
        self._keys: dict[int, Any] = {
            id(guard): key for key, guard in facts.captures.guards.items()
        }
        self._keys.update({id(c): key for key, c in facts.captures.inputs.items()})
        seen = (guard.expected.ref() for guard in guards if isinstance(guard, IdentityGuard))
        self._seen = {id(thing) for thing in seen if thing is not None}
        self._guards = guards
        self._lines: list[str] = []
        self._space: dict[str, Any] = {
            "same": same_value, "number": _is_number, "Alike": Alike, "ndarray": np.ndarray,
            "function": FunctionType, "method": MethodType, "partial": functools.partial,
        }  # fmt: skip
        self._names: dict[int, str] = {}
        self._inputs: dict[int, str] = {}
        self._openings: list[Opening] = []
        # What can be others, by id: all that was found in a place, or is an argument.
        self._movable: dict[int, Any] = {}
        self._of_owner: dict[int, list[Guard | Captured]] = {}
        self._collect()
        if not self._movable:
            raise _Unlike
        # Those of them that must be the very same: the graph holds them, or who they are was seen.
        self._owners, holding = _holders(graph, held, self._movable)
        self._same = {key for key in self._movable if key in facts.outside.identities} | holding

    def likeness(self, externals: Sequence[Any]) -> Likeness:
        """The function, or _Unlike."""
        inside = self._of_owner
        roots = [
            (i, leaf)
            for i, (leaf, key) in enumerate(
                zip(self._arguments.leaves, self._arguments.keys, strict=True)
            )
            if isinstance(key, Identity) and id(leaf) in self._movable
        ]
        every: list[Guard | Captured] = [*self._guards, *self._captured]
        owned = [(x, self._owner_of(x)) for x in every]
        fixed = [x for x, o in owned if o != _CHANGELESS and o not in self._movable]
        of_code = [x for x in fixed if isinstance(x, Guard) and x.is_of_code]
        first, later = split_guards(of_code)
        if first:
            self._need(" or ".join(f"{self._bind(look)}()" for look in lookers(first)))
        for guard in later:
            self._check(guard, None)
        for i, leaf in roots:
            self._enter(leaf, self._let(f"leaves[{i}]"))
        rest = [x for x in fixed if not (isinstance(x, Guard) and x.is_of_code)]
        # What compares two places comes when all is known.
        for each in sorted(rest, key=lambda x: isinstance(x, ApartGuard | SharingGuard)):
            self._check(each, None)
        if any(key not in self._names for key in inside):
            raise _Unlike  # nobody knows how it was come to
        self._tell_apart()
        if len(self._lines) > _MOST_LINES:
            raise _Unlike
        owners = [owner for owner in self._owners if owner.number in self._names]
        others = ", ".join(f"{o.number}: {self._names[o.number]}" for o in owners)
        inputs = "".join(f"{self._inputs[id(c)]}, " for c in self._captured)
        states = ", ".join(self._states(externals))
        body = "".join(f"        {line}\n" for line in self._lines)
        written = Written(body, inputs, others, states)
        key = loose_key(self._arguments)
        return Likeness(key, written, self._space, self._openings, self._owners)

    def leave_unwatched(self, calls: Iterable[Any]) -> None:
        """Have calls of plain Python not look at the parts of data sets, which may be others.

        Such code changes nothing in them. All else must be the very same, and is looked at.
        """
        parts = {key: x for key, x in self._movable.items() if _is_of_data_set(x)}
        held = {id(x) for part in parts.values() for x in getattr(part, "__dict__", {}).values()}
        for key in self._of_owner:
            thing = self._movable[key]
            if key not in parts and not (type(thing) in _CONTAINERS and key in held):
                if not isinstance(weak(thing), weakref.ref):
                    raise _Unlike  # it would be kept alive
                self._same.add(key)
        others = [
            each for key, one in self._of_owner.items() if key not in self._same for each in one
        ]
        for call in calls:
            if call.watch is not None:
                call.watch.unwatched.update(self._keys.get(id(each)) for each in others)

    def _states(self, externals: Sequence[Any]) -> Iterator[str]:
        """The states of generators that may be others, by their numbers."""
        numbers = {id(thing): number for number, thing in enumerate(externals)}
        for key, thing in self._movable.items():
            if type(thing) is Generator and id(thing.state) in numbers:
                yield f"{numbers[id(thing.state)]}: {self._names[key]}.state"

    # ---- what there is -----------------------------------------------------------------------

    def _collect(self) -> None:
        for leaf, key in zip(self._arguments.leaves, self._arguments.keys, strict=True):
            if isinstance(key, Identity) and is_movable(leaf):
                self._add(leaf)
        for guard in self._guards:
            if isinstance(guard, IdentityGuard):
                seen = guard.expected.ref()
                if seen is not None and (is_movable(seen) or type(seen) in _CONTAINERS):
                    self._add(seen)
        for guard in self._guards:
            key = self._keys.get(id(guard), ())
            if key and key[0] in ("kinds", "content") and key[1] in self._movable:
                for mark in _marks_in(guard.expected):
                    if is_movable(mark.ref()) or type(mark.ref()) in _CONTAINERS:
                        self._add(mark.ref())
        every: list[Guard | Captured] = [*self._guards, *self._captured]
        for each in every:
            owner = self._owner_of(each)
            if owner in self._movable:
                self._of_owner.setdefault(owner, []).append(each)

    def _add(self, thing: Any) -> None:
        if id(thing) in self._movable:
            return
        self._movable[id(thing)] = thing
        for part in _parts_of(thing):
            if is_movable(part) or type(part) in (*_CONTAINERS, CellType):
                self._add(part)

    def _owner_of(self, each: Guard | Captured) -> int:
        """The `id` of what a place is in; 0: nobody asks whether that is another one.

        Raises _Unlike where it is not known.
        """
        if isinstance(each, Guard):
            if isinstance(each, KindGuard | MethodGuard):
                return id(each.thing())
            if isinstance(each, FunctionGuard):
                return id(each.parts.function)
            if each.is_of_code or isinstance(each, ApartGuard | SharingGuard):
                return 0
            key = self._keys.get(id(each))
            if key is not None and key[0] == "type":
                return self._owner_of(self._facts.captures.inputs[key[1]])
        else:
            key = self._keys[id(each)]
        if each.place.route is not None:
            if _is_of_description(each.place.route):
                return _CHANGELESS
            _, thing, _ = each.place.route
            owner = thing() if isinstance(thing, weakref.ref) else thing
        elif not isinstance(key, tuple) or key[0] in _FIXED:
            return 0
        elif key[0] in _KNOWN and key[1] in self._facts.outside.things:
            owner = self._facts.outside.things[key[1]]
        elif key[0] == "cell":
            owner = next((c for c in self._cells if id(c) == key[1]), None)
        else:
            raise _Unlike
        self._know(owner)
        return id(owner)

    @property
    def _cells(self) -> list[CellType]:
        return [*self._fixed_cells, *(x for x in self._movable.values() if type(x) is CellType)]

    def _know(self, owner: Any) -> None:
        """Raise _Unlike for an owner of which nobody knows how it was come to."""
        if id(owner) in self._movable or isinstance(owner, (ModuleType, type)):
            return
        if type(owner) is dict and "__builtins__" in owner:
            return
        if type(owner) is CellType and any(owner is cell for cell in self._fixed_cells):
            return
        if owner is self._target or owner is getattr(self._target, "__self__", None):
            return
        if id(owner) in self._seen:
            return
        raise _Unlike

    @functools.cached_property
    def _fixed_cells(self) -> list[CellType]:
        """The cells of functions that are what they are: the traced one, and methods of classes."""
        target = getattr(self._target, "__func__", self._target)
        found = [target] if type(target) is FunctionType else []
        call = looked_up(type(target), "__call__")
        found += [call] if type(call) is FunctionType else []
        of_classes = {
            id(getattr(x, "__func__", x))
            for kind in self._facts.code.classes
            for c in kind.__mro__
            for x in vars(c).values()
        }
        found += [f for f in self._facts.code.functions.values() if id(f) in of_classes]
        return [cell for f in found for cell in f.__closure__ or ()]

    # ---- lines -------------------------------------------------------------------------------

    def _bind(self, thing: Any) -> str:
        name = f"c{len(self._space)}"
        self._space[name] = thing
        return name

    def _let(self, expression: str) -> str:
        name = f"v{len(self._lines)}"
        self._lines.append(f"{name} = {expression}")
        return name

    def _need(self, test: str) -> None:
        self._lines.append(f"if not ({test}): return miss")

    def _enter(self, thing: Any, name: str) -> None:
        """What is in `name` must be like `thing`, which can be another one."""
        known = self._names.get(id(thing))
        if known is not None:
            self._need(f"{name} is {known}")
            return
        self._names[id(thing)] = name
        if id(thing) in self._same:
            self._need(f"{name} is {self._bind(weak(thing))}()")
        self._enter_parts(thing, name)
        for each in self._of_owner.get(id(thing), ()):
            self._check(each, name)

    def _enter_parts(self, thing: Any, name: str) -> None:
        kind = type(thing)
        if kind is CellType:
            return
        if kind is FunctionType:
            self._enter_function(thing, name)
        elif kind is MethodType:
            self._need(f"type({name}) is method")
            self._value(thing.__func__, self._let(f"{name}.__func__"))
            self._value(thing.__self__, self._let(f"{name}.__self__"))
        elif kind is functools.partial:
            self._need(f"type({name}) is partial and len({name}.args) == {len(thing.args)}")
            self._value(thing.func, self._let(f"{name}.func"))
            self._enter(thing.keywords, self._let(f"{name}.keywords"))
        else:
            self._need(f"type({name}) is {self._bind(weakref.ref(kind))}()")
            if kind is deque:
                self._need(f"{name}.maxlen == {thing.maxlen}")

    def _enter_function(self, function: FunctionType, name: str) -> None:
        code, space = self._bind(function.__code__), self._bind(function.__globals__)
        self._need(f"type({name}) is function and {name}.__code__ is {code}")
        self._need(f"{name}.__globals__ is {space} and not {name}.__dict__")
        if function.__dict__ or function.__kwdefaults__:
            raise _Unlike
        self._need(f"not {name}.__kwdefaults__")
        defaults = function.__defaults__ or ()
        if not defaults:
            self._need(f"not {name}.__defaults__")
        else:
            self._need(f"len({name}.__defaults__ or ()) == {len(defaults)}")
        for i, default in enumerate(defaults):
            if self._is_captured("default", id(function), i):
                continue  # it is looked at as such
            found = self._let(f"{name}.__defaults__[{i}]")
            if type(default) in NUMBERS:
                self._number(default, found, Opening("default", i), name)
            else:
                self._value(default, found)
        for i, cell in enumerate(function.__closure__ or ()):
            self._enter(cell, self._let(f"{name}.__closure__[{i}]"))

    def _is_captured(self, *key: Any) -> bool:
        return key in self._facts.captures.inputs or key in self._facts.captures.guards

    def _value(self, value: Any, name: str) -> None:
        """What is in `name` must be what the trace took for a constant, or like it."""
        if isinstance(value, (*PLAIN, *DESCRIPTIONS, np.ufunc)):
            expected = self._bind(value)
            self._need(f"{name} is {expected} or same({name}, {expected})")
        elif id(value) in self._movable:
            self._enter(value, name)
        else:
            reference = weak(value)
            if not isinstance(reference, weakref.ref):
                raise _Unlike  # it would be kept alive
            self._need(f"{name} is {self._bind(reference)}() is not None")

    def _check(self, each: Guard | Captured, owner: str | None) -> None:
        """Lines for what a trace took for granted; `owner` has what may be another one."""
        if isinstance(each, Captured):
            if id(each) not in self._inputs:
                name = self._read(each.place, self._keys[id(each)], owner)
                self._inputs[id(each)] = name
                self._fits(each, name)
            return
        if isinstance(each, KindGuard | FunctionGuard) and owner is not None:
            return  # it is of the class, or has the code
        if isinstance(each, MethodGuard) and owner is not None:
            self._need(f"{each.expected!r} not in getattr({owner}, '__dict__', ())")
            return
        if isinstance(each, SharingGuard):
            one, other = (self._let(self._expression(p)) for p in (each.one, each.other.place))
            self._need(f"({one} is {other}) is {bool(each.expected)}")
            return
        if isinstance(each, ApartGuard):
            read = [self._let(self._expression(guard.place)) for guard in each.places]
            self._need(f"len({{{', '.join(f'id({x})' for x in read)}}}) == {len(read)}")
            return
        self._check_read(each, owner)

    def _check_read(self, guard: Guard, owner: str | None) -> None:
        key = self._keys.get(id(guard))
        if isinstance(guard, TypeGuard) and key is not None and key[0] == "type":
            captured = self._facts.captures.inputs[key[1]]
            self._fits(captured, self._read(captured.place, key[1], owner))
        elif isinstance(guard, IdentityGuard):
            seen = guard.expected.ref()
            if id(seen) in self._movable:
                self._enter(seen, self._read(guard.place, key, owner))
            elif owner is None:
                self._need(f"{self._bind(guard.holds)}()")
            else:
                self._value(seen, self._read(guard.place, key, owner))
        elif owner is None:
            self._need(f"{self._bind(guard.holds)}()")
            self._keep_apart(guard)
        elif key is not None and key[0] == "state":
            raise _Unlike  # all that is in it was looked at
        elif guard.expected is MISSING:
            self._check_absence(guard, key, owner)
        elif key is not None and key[0] in _CONTAINED:
            self._check_container(key, guard.expected, owner)
        elif guard.place.route is not None or (key is not None and key[0] in _HELD):
            self._check_value(guard, key, owner)
        else:
            raise _Unlike

    def _check_value(self, guard: Guard, key: Any, owner: str) -> None:
        name = self._read(guard.place, key, owner)
        if guard.key is None or type(guard.expected) not in NUMBERS or key[0] not in _OPENED:
            expected = self._bind(guard.expected)
            self._need(f"{name} is {expected} or same({name}, {expected})")
            return
        label = guard.place.name.strip("`") if len(key) < 3 else key[2]
        self._number(guard.expected, name, Opening(key[0], label), owner)

    def _number(self, value: Any, name: str, opening: Opening, owner: str) -> None:
        """What is in `name` must be the number of the trace, or is one that can be an input."""
        expected = self._bind(value)
        test = f"{name} is {expected} or same({name}, {expected})"
        if not may_be_input(value):
            self._need(test)
            return
        self._openings.append(opening)
        self._lines.append(f"if not ({test}):")
        self._lines.append(f"    if not number({name}, {expected}): return miss")
        self._lines.append(f"    bad.append(({len(self._openings) - 1}, {owner}))")

    def _check_absence(self, guard: Guard, key: Any, owner: str) -> None:
        if key[0] == "absent":
            self._need(f"{self._bind(key[2])} not in {owner}")
        elif isinstance(guard, AbsenceGuard):
            held = (
                f"{key[2]!r} in vars({owner})" if guard.plainly else f"hasattr({owner}, {key[2]!r})"
            )
            self._need(f"not {held}")
        elif key[0] == "cell":
            self._need(f"{self._bind(_is_empty)}({owner})")
        else:
            raise _Unlike

    def _check_container(self, key: Any, expected: Any, owner: str) -> None:
        thing = self._movable[key[1]]
        if key[0] == "has":
            self._need(f"({self._bind(key[2])} in {owner}) is {expected}")
            return
        if key[0] == "length":
            self._need(f"len({owner}) == {expected}")
            return
        if key[0] == "reach":
            self._need(f"len({owner}) >= {expected}")
            return
        if key[0] == "keys" or type(thing) is dict:
            keys = expected if key[0] == "keys" else tuple(k for k, _ in expected)
            if not all(isinstance(k, PLAIN) for k in keys):
                raise _Unlike
            self._need(f"same(tuple({owner}), {self._bind(tuple(keys))})")
        if key[0] == "keys":
            return
        if type(thing) is dict:
            pairs = [(f"{owner}[{self._bind(k)}]", value) for k, value in expected]
        elif type(thing) is list:
            self._need(f"len({owner}) == {len(expected)}")
            pairs = [(f"{owner}[{i}]", value) for i, value in enumerate(expected)]
        elif all(isinstance(x, PLAIN) for x in expected):  # a set or deque, in its order
            self._need(f"same(tuple({owner}), {self._bind(tuple(expected))})")
            return
        else:
            raise _Unlike
        for expression, value in pairs:
            name = self._let(expression)
            if value is np.ndarray:
                self._need(f"type({name}) is ndarray")
            else:
                self._value(value.ref() if isinstance(value, Mark) else value, name)

    def _fits(self, captured: Captured, name: str) -> None:
        placeless = captured._replace(place=Place(captured.place.name, _nowhere))
        fits = f"{self._bind(placeless.fits)}({name})"
        if captured.kind is np.ndarray:
            dtype, shape = self._bind(captured.type.dtype), self._bind(captured.type.shape)
            fits = (
                f"(type({name}) is ndarray and {name}.dtype is {dtype} and {name}.shape == {shape})"
                f" or {fits}"
            )
        elif captured.kind is float:
            fits = f"type({name}) is {self._bind(float)} or {fits}"
        elif captured.kind is int:
            number = f"type({name}) is {self._bind(int)} and {self._bind(may_be_input)}({name})"
            fits = f"({number}) or {fits}"
        self._need(fits)

    def _read(self, place: Place, key: Any, owner: str | None) -> str:
        if place.route is not None:
            return self._let(self._expression(place))
        if owner is not None and key[0] == "default" and isinstance(key[2], int):
            return self._let(f"{owner}.__defaults__[{key[2]}]")
        if owner is not None and key[0] == "part":
            held = "args" if isinstance(key[2], int) else "keywords"
            return self._let(f"{owner}.{held}[{key[2]!r}]")
        if key[0] == "cell":
            return self._let(
                f"{self._bind(place.fetch)}()" if owner is None else f"{owner}.cell_contents"
            )
        if owner is None and key[0] == "global":
            return self._let(f"{self._bind(place.fetch)}()")
        raise _Unlike

    def _expression(self, place: Place) -> str:
        if place.route is None:
            raise _Unlike
        kind, thing, key = place.route
        owner = thing() if isinstance(thing, weakref.ref) else thing
        name = self._names.get(id(owner))
        if name is None:
            if id(owner) in self._movable:
                raise _Unlike  # it is read before it is known where it is
            is_of_module = type(owner) is dict and "__builtins__" in owner
            if isinstance(owner, (list, dict, set, deque)) and not is_of_module:
                raise _Unlike  # it would be kept alive
            return f"{self._bind(place.fetch)}()"
        if kind == "cell":
            return f"{name}.cell_contents"
        if kind == "item":
            if not isinstance(key, PLAIN):
                raise _Unlike
            return f"{name}[{self._bind(key)}]"
        if kind == "own attribute":
            return f"{self._bind(object.__getattribute__)}({name}, {key!r})"
        return f"{name}.{key}"

    # ---- who is who --------------------------------------------------------------------------

    def _keep_apart(self, guard: Guard) -> None:
        """What a captured container holds is known by identity: it stays what it is."""
        for mark in _marks_in(guard.expected):
            if id(mark.ref()) in self._movable:
                raise _Unlike
            self._space.setdefault("apart", []).append(mark.ref)

    def _tell_apart(self) -> None:
        """Two objects of the trace must be two again, and none that is known otherwise."""
        names = [name for key, name in self._names.items() if key in self._movable]
        if len(names) > 1:
            ids = ", ".join(f"id({name})" for name in names)
            self._need(f"len({{{ids}}}) == {len(names)}")
        apart = self._space.get("apart", ())
        if len(apart) > _MOST_APART:
            raise _Unlike
        if apart:
            self._lines.append(f"known = {{{', '.join(f'id({name})' for name in names)}}}")
            self._need("not any(id(reference()) in known for reference in apart)")


# Places that keys tell, of which an object has one under a number.
_CONTAINED = ("length", "reach", "keys", "has", "kinds", "content")
_KNOWN = ("attr", "default", "part", "absent", "state", "cell", *_CONTAINED)
# Those that are read by themselves, past attributes, items and cells; and of which numbers can be
# inputs.
_HELD = ("default", "part")
_OPENED = ("attr", "item", "cell", *_HELD)
# Places that are of no object that may be another one.
_FIXED = ("global", "setting", "global state", "cell state")


def _is_number(found: Any, expected: Any) -> bool:
    """Whether a number is another one that could be an input."""
    return type(found) is type(expected) and may_be_input(found)


def _is_empty(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def _parts_of(thing: Any) -> tuple[Any, ...]:
    """What a function, a method or a partial function is made of."""
    if type(thing) is FunctionType:
        return (*(thing.__closure__ or ()), *(thing.__defaults__ or ()))
    if type(thing) is MethodType:
        return (thing.__func__, thing.__self__)
    if type(thing) is functools.partial:
        return (thing.func, thing.keywords)
    return ()


def _marks_in(expected: Any) -> Iterator[Mark]:
    if isinstance(expected, Mark):
        yield expected
    elif isinstance(expected, (tuple, list, frozenset, set)):
        for part in expected:
            yield from _marks_in(part)


# ---- what a graph holds --------------------------------------------------------------------------

_LEAVES = (*PLAIN, np.ndarray, np.generic, np.dtype, type, ModuleType, CodeType, Graph, Watch)


def _holders(
    graph: Graph, held: Iterable[Any], movable: dict[int, Any]
) -> tuple[list[Owner], set[int]]:
    """What writes into objects, and which of the `movable` ones a graph holds otherwise."""
    owners: list[Owner] = []
    holding: set[int] = set()
    seen: set[int] = set()
    left = [value for node in graph.walk() for value in node.attrs.values()]
    left += held
    while left:
        thing = left.pop()
        # The names of a module are no more held than the module.
        if isinstance(thing, _LEAVES) or id(thing) in seen or _is_namespace(thing):
            continue
        seen.add(id(thing))
        if len(seen) > _MOST_HELD:
            raise _Unlike
        if id(thing) in movable:
            holding.add(id(thing))
        elif isinstance(thing, Owner):
            owners.append(thing)
        elif isinstance(thing, weakref.ref):
            left.append(thing())
        elif type(thing) is FunctionType:
            left += [*(thing.__closure__ or ()), *(thing.__defaults__ or ())]
        else:
            left += gc.get_referents(thing)
    return owners, holding


def _is_namespace(thing: object) -> bool:
    return type(thing) is dict and "__builtins__" in thing


def _nowhere() -> None:
    return None
