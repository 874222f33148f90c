"""Reading what a graph captures, and checking what its trace took for granted, at each call.

Both are one generated function of straight lines: there may be many captured names, and each of
them costs a call no more than the few bytecodes that read it and compare it. The function has the
globals and the closure cells that the user's function reads, so that it reads a name as that does.
Native code reads most of them itself, and calls the function only where it finds another object.
"""

from __future__ import annotations

import functools
import keyword
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, cast

import numpy as np

from autograph.operators.captured.captures import Captured, Guard, Place
from autograph.operators.captured.guards import (
    ContentGuard,
    IdentityGuard,
    SharingGuard,
    may_be_input,
    weak,
)
from autograph.operators.captured.methods import looked_up
from autograph.tracing.class_guards import ClassGuard, KindGuard, MethodGuard
from autograph.tracing.code_guards import FunctionGuard, NamesGuard
from autograph.tracing.signature import is_input_key
from autograph.tracing.traced import Traced
from runtime.execute.native.classes import Version
from runtime.execute.native.layout import offset_of_slot
from runtime.execute.native.prepared import still
from runtime.execute.native.reading import (
    Absent,
    Alive,
    Argument,
    Attribute,
    Check,
    Constant,
    Content,
    Fetched,
    Holds,
    Item,
    Named,
    Nest,
    OfKind,
    Reading,
    Referent,
    Same,
    Shared,
    Source,
    Unchanged,
    Variable,
)
from runtime.variable import Variable as StateVariable

__all__ = [
    "Given",
    "Late",
    "caller",
    "is_as_traced",
    "lone_caller",
    "lookers",
    "reader",
    "reading",
    "split_guards",
]

# What the names start with that the function has of its own.
_MADE = "_ag_"
_CHANGED = "<changed>"


def reader(traced: Traced) -> Callable[[Sequence[Any]], list[Any] | None] | None:
    """A function that adds what a graph captures to the inputs among its arguments.

    It gives None where something is not as the trace saw it: the call is to look it up then. There
    is no such function, but None, for a graph that depends on its arguments only.
    """
    if not traced.reads_outside:
        return None
    source = _Source(traced)
    leaves = f"{_MADE}leaves"
    made = ", ".join([f"*{leaves}", *source.inputs])
    return source.function([leaves], "None", f"[{made}]")  # type: ignore[no-any-return]


def caller(
    traced: Traced, run: Callable[..., tuple[Any, ...]], miss: Any
) -> Callable[..., tuple[Any, ...]]:
    """A function of the inputs among the arguments that runs a graph, with what it captures.

    It gives a tuple of `miss` where something is not as the trace saw it.
    """
    source = _Source(traced)
    leaves = _leaves(traced)
    result = f"{source.bind(run)}({', '.join([*leaves, *source.inputs])})"
    return source.function(leaves, source.bind((miss,)), result)  # type: ignore[no-any-return]


def lone_caller(
    traced: Traced, run: Callable[..., Any], miss: Any, replaced: Sequence[Any], given: Given
) -> Callable[..., Any]:
    """As `caller`, of all arguments of a call, whatever they are, for one result by itself.

    `run` looks at its arguments, and gives `miss` for those that are not of the types that were
    traced: nothing looks at captured arrays before. The function gives `miss` too where something
    is in `replaced`: other captures than those of the trace; and for other objects and constants.
    `given` refers to objects weakly.
    """
    source = _Source(traced, looks=False)
    more = f"{_MADE}more"
    arguments = [f"{_MADE}leaf{i}" for i in range(given.arguments)]
    tests = [more, source.bind(replaced)]
    # What is not given is `miss`, which no graph takes, and nothing else is.
    tests += [f"{arguments[i]} is not {source.bind(x)}()" for i, x in given.objects]
    tests += [f"{arguments[i]} is not {source.bind(x)}" for i, x in given.constants]
    source.lines.insert(0, f"if {' or '.join(tests)}: {_CHANGED}")
    known = [*arguments, *map(source.bind, given.defaults)]
    inputs = [*(known[i] for i in given.inputs), *source.inputs]
    result = f"{source.bind(run)}({', '.join(inputs)})"
    defaults = (miss,) * given.arguments
    return source.function([*arguments, f"*{more}"], source.bind(miss), result, defaults)  # type: ignore[no-any-return]


def _leaves(traced: Traced) -> list[str]:
    """Names of the inputs among the arguments."""
    return [f"{_MADE}leaf{i}" for i in range(sum(map(is_input_key, traced.arguments.keys)))]


class Late:
    """A function that is made when it is first called: most never are."""

    def __init__(self, make: Callable[[], Callable[..., Any]]) -> None:
        self._make = make

    @functools.cached_property
    def _made(self) -> Callable[..., Any]:
        return self._make()

    def __call__(self, *args: Any) -> Any:
        return self._made(*args)


class Given(NamedTuple):
    """What the arguments of a call are, by position: inputs of the graph, objects or constants.

    The items of `nests` among them have positions, too, and are counted in `arguments`. Positions
    of inputs behind those are in `defaults`.
    """

    arguments: int
    inputs: Sequence[int]
    defaults: Sequence[Any] = ()
    objects: Sequence[tuple[int, Any]] = ()
    constants: Sequence[tuple[int, Any]] = ()
    nests: Sequence[Nest] = ()

    def weakly(self) -> Given:
        """The same with references to the objects, which do not keep them."""
        return self._replace(objects=[(i, weak(thing)) for i, thing in self.objects])

    @property
    def is_whole(self) -> bool:
        """Whether the inputs are the arguments, in their order."""
        return not self.nests and list(self.inputs) == list(range(self.arguments))


def reading(traced: Traced, replaced: list[Any], given: Given) -> Reading:
    """The same for native code, which reads places itself, and calls functions for the others.

    What it finds to be no more the same object, `lone_caller` looks at: it may have the same value.
    """
    natively = _Natively(traced.guards)
    asked: list[Any] = [(i, _alive(Argument(i), weak(thing))) for i, thing in given.objects]
    asked += [(i, Same(Argument(i), thing)) for i, thing in given.constants]
    known: list[Source] = [*map(Argument, range(given.arguments)), *map(Constant, given.defaults)]
    return Reading(
        given.arguments,
        [
            *(natively.source(captured.place) for captured in traced.captured),
            *map(natively.held, traced.externals),
        ],
        (),
        [check for guard in traced.guards for check in natively.checks(guard)],
        replaced,
        natively.versions,
        None if given.is_whole else [known[i] for i in given.inputs],
        asked,
        natively.functions,
        natively.named,
        given.nests,
    )


def _alive(source: Source, reference: Callable[[], Any]) -> Check:
    """That a place holds what is referred to, weakly where that can be."""
    is_weak = isinstance(reference, weakref.ref)
    return Alive(source, reference) if is_weak else Same(source, reference())


# What is looked at first of all.
_FIRST = (ClassGuard, FunctionGuard, NamesGuard)
# Of just these, reading an item runs no code of the user's.
_SEQUENCES = (list, tuple, deque)


class _Natively:
    """How native code reads places and checks guards."""

    def __init__(self, guards: Sequence[Guard]) -> None:
        found = [guard for guard in guards if isinstance(guard, ClassGuard)]
        self.versions = [guard.version for guard in found]
        self.functions = [guard.parts for guard in guards if isinstance(guard, FunctionGuard)]
        self.named = [
            Named(guard.space, guard.bound, guard.unbound)
            for guard in guards
            if isinstance(guard, NamesGuard)
        ]
        self.named += [
            Named(guard.keywords, list(guard.wanted.items()))
            for guard in guards
            if isinstance(guard, FunctionGuard) and guard.keywords is not None
        ]
        self._kinds = {guard.kind(): guard.version for guard in found}

    def source(self, place: Place) -> Source:
        """Where native code reads a place."""
        if place.route is None:
            is_weak = isinstance(place.fetch, weakref.ref)
            return Referent(place.fetch) if is_weak else Fetched(place.fetch)
        kind, thing, key = place.route
        if kind == "cell":
            return cast("CellType", thing)
        if kind == "item":
            if type(thing) is dict:
                return Variable(thing, key)
            return Item(thing, key) if type(thing) in _SEQUENCES else Fetched(place.fetch)
        if not isinstance(thing, weakref.ref):
            return Fetched(place.fetch)
        is_own = kind == "own attribute"
        return self._attribute(thing, key, is_own=is_own)

    def _attribute(self, reference: Any, name: str, *, is_own: bool) -> Source:
        thing = reference()
        if type(thing) is ModuleType:
            return Variable(vars(thing), name)
        kind = self._kinds.get(type(thing))
        if kind is None:
            return Attribute(Referent(reference), name, None, is_own)
        is_own |= looked_up(type(thing), "__getattribute__") is object.__getattribute__
        of_class = looked_up(type(thing), name)
        offset = offset_of_slot(of_class) if is_own else None
        # Nothing that the class has under that name comes before what the object has.
        is_free = not (hasattr(type(of_class), "__set__") or hasattr(type(of_class), "__delete__"))
        is_in_dict = is_own and is_free and name in getattr(thing, "__dict__", ())
        return Attribute(Referent(reference), name, kind, is_own, is_in_dict, offset)

    def checks(self, guard: Guard) -> list[Check]:
        """What native code looks at for a guard."""
        if isinstance(guard, _FIRST):
            return []  # it is looked at first of all
        if isinstance(guard, KindGuard | MethodGuard):
            return self._checks_of_classes(guard)
        if isinstance(guard, SharingGuard):
            one, other = self.source(guard.one), self.source(guard.other.place)
            return [Shared(one, other, bool(guard.expected))]
        if isinstance(guard, ContentGuard):
            return [self._check_of_content(guard)]
        if guard.place.route is None:
            return [Holds(guard.holds)]
        source = self.source(guard.place)
        if not isinstance(guard, IdentityGuard):
            return [Same(source, guard.expected)]
        return [_alive(source, guard.expected.ref)]

    def _check_of_content(self, guard: ContentGuard) -> Check:
        container, references = guard.container, guard.references
        if type(container) is dict:
            return Unchanged(container, guard.holds)
        if type(container) not in (list, tuple) or references is None:
            return Holds(guard.holds)
        wanted: list[Constant | Referent | type] = []
        for reference in references:
            if not guard.of_arrays and reference() is np.ndarray:
                wanted.append(np.ndarray)
            elif isinstance(reference, weakref.ref):
                wanted.append(Referent(reference))
            else:
                wanted.append(Constant(reference()))
        return Content(container, wanted)

    def _contents(self, variable: StateVariable) -> Source:
        """What a Variable holds; while it is lent, it has nothing."""
        kind = type(variable)
        version = self._kinds.get(kind)
        if version is None:
            version = self._kinds[kind] = Version(kind)
            version.renew()
            self.versions.append(version)
        return Attribute(Constant(variable), "array", version, is_own=True, is_in_dict=True)

    def held(self, thing: Any) -> Source:
        """What a graph takes of an array or a Variable that it holds."""
        return self._contents(thing) if isinstance(thing, StateVariable) else Constant(thing)

    def _checks_of_classes(self, guard: KindGuard | MethodGuard) -> list[Check]:
        if not isinstance(guard.thing, weakref.ref):
            return [Holds(guard.holds)]
        owner = Referent(guard.thing)
        if isinstance(guard, KindGuard):
            return [OfKind(owner, guard.version)]
        return [Absent(owner, guard.expected, guard.version)]


def split_guards(guards: Iterable[Guard]) -> tuple[list[Guard], list[Guard]]:
    """The guards that are looked at first of all, and the others."""
    first: list[Guard] = []
    others: list[Guard] = []
    for guard in guards:
        (first if isinstance(guard, _FIRST) else others).append(guard)
    return first, others


def lookers(first: Sequence[Guard]) -> list[Callable[[], bool]]:
    """What tells whether guards hold that are looked at first: of these, one must give True.

    Native code sees at once that nothing changed; what did may be as good as what was there.
    """
    natively = _Natively(first)
    look = still(
        Reading(
            0, (), (), (), [], natively.versions,
            functions=natively.functions, named=natively.named,
        )
    )  # fmt: skip
    every = functools.partial(_all_hold, first)
    return [every] if look is None else [look, every]


def _all_hold(guards: Iterable[Guard]) -> bool:
    return all(guard.holds() for guard in guards)


class _Source:
    """The lines of the function, and the objects that they name.

    The objects are in cells, like the user's, which a call takes over at once; each of the defaults
    of parameters would be looked up. With `looks`, the types of captured arrays are checked.
    """

    def __init__(self, traced: Traced, looks: bool = True) -> None:
        self.lines: list[str] = ["pass"]
        self._looks = looks
        self._bound: dict[int, str] = {}
        self._cells: dict[str, CellType] = {}
        self._read: dict[Any, str] = {}
        self._alive: dict[int, str] = {}
        places = [c.place for c in traced.captured]
        places += [place for guard in traced.guards for place in _places(guard)]
        self._globals = _commonest(places)
        self._type, self._array = self.bind(type), self.bind(np.ndarray)
        first, _ = split_guards(traced.guards)
        if first:
            tests = " or ".join(f"{self.bind(look)}()" for look in lookers(first))
            self.lines.append(f"if not ({tests}): {_CHANGED}")
        for guard in traced.guards:
            if guard.is_of_code and guard not in first:
                self.check(guard)
        self.inputs = list(map(self.read, traced.captured))
        for guard in traced.guards:
            if not guard.is_of_code:
                self.check(guard)
        self.inputs += map(self.bind, traced.externals)

    def function(
        self, parameters: list[str], changed: str, result: str, defaults: tuple[Any, ...] = ()
    ) -> Any:
        """The function; what the user's properties raise is told on the long way."""
        error = self.bind(Exception)
        body = "\n".join(f"            {line}" for line in self.lines)
        body = body.replace(_CHANGED, f"return {changed}")
        cells = "".join(f"    {name} = None\n" for name in self._cells)
        text = (
            f"def {_MADE}around():\n{cells}    def {_MADE}read({', '.join(parameters)}):\n"
            f"        try:\n{body}\n        except {error}:\n            return {changed}\n"
            f"        return {result}\n"
        )
        code = _inner(_inner(compile(text, "<captured inputs>", "exec", dont_inherit=True)))
        closure = tuple(self._cells[name] for name in code.co_freevars)
        return FunctionType(code, self._globals, "read", defaults, closure)

    def bind(self, thing: Any) -> str:
        """A name for an object, which the cell of the name keeps."""
        name = self._bound.get(id(thing))
        if name is None:
            name = self._bound[id(thing)] = f"{_MADE}{len(self._bound)}"
            self._cells[name] = CellType(thing)
        return name

    def alive(self, reference: Any) -> str:
        """A name for what a weak reference refers to, which is asked once."""
        name = self._alive.get(id(reference))
        if name is None:
            name = self._alive[id(reference)] = f"{_MADE}object{len(self._alive)}"
            self.lines.append(f"{name} = {self.bind(reference)}()")
        return name

    def check(self, guard: Guard) -> None:
        """Leave unless a guard holds; most values are the very objects that the trace saw."""
        places = _places(guard)
        if isinstance(guard, SharingGuard) and places:
            sign = "is not" if guard.expected else "is"
            test = f"{self.place(places[0])} {sign} {self.place(places[1])}"
        elif not places:
            test = f"not {self.bind(guard.holds)}()"
        elif isinstance(guard, IdentityGuard):
            found = self.place(places[0])
            # A reference to what died gives None, too.
            test = f"{found} is not {self.alive(guard.expected.ref)} or {found} is None"
        else:
            holds = f"not {self.bind(guard.holds)}()"
            test = f"{self.place(places[0])} is not {self.bind(guard.expected)} and {holds}"
        self.lines.append(f"if {test}: {_CHANGED}")

    def read(self, captured: Captured) -> str:
        """Read a captured array, and leave unless it is of the type that was traced."""
        name = f"{_MADE}x{len(self.lines)}"
        self.lines.append(f"{name} = {self.place(captured.place)}")
        if captured.place.route is not None:
            self._read[_key(captured.place)] = name
        if self._looks:
            self.lines.append(f"if {self._differs(captured, name)}: {_CHANGED}")
        return name

    def _differs(self, captured: Captured, name: str) -> str:
        """Whether what was read is not of the type that was traced."""
        changed = f"not {self.bind(captured.fits)}({name})"
        if captured.kind is np.ndarray:
            dtype, shape = self.bind(captured.type.dtype), self.bind(captured.type.shape)
            known = f"{name}.dtype is {dtype} and {name}.shape == {shape}"
            known = f"{self._type}({name}) is {self._array} and {known}"
        elif captured.kind is float:
            known = f"{self._type}({name}) is {self.bind(float)}"
        elif captured.kind is int:
            known = (
                f"{self._type}({name}) is {self.bind(int)} and {self.bind(may_be_input)}({name})"
            )
        else:
            known = f"{name} is {self.bind(captured.initial)}()"
        return f"not ({known}) and {changed}"

    def place(self, place: Place) -> str:
        """An expression that reads a place."""
        if place.route is None:
            return f"{self.bind(place.fetch)}()"
        if _key(place) in self._read:
            return self._read[_key(place)]
        kind, thing, key = place.route
        if kind == "item":
            return key if thing is self._globals else f"{self.bind(thing)}[{self.bind(key)}]"
        if kind == "cell":
            name = f"{_MADE}c{len(self._cells)}"
            self._cells[name] = thing
            return name
        if kind == "own attribute":
            return f"{self.bind(object.__getattribute__)}({self.alive(thing)}, {key!r})"
        return f"{self.alive(thing)}.{key}"


def _places(guard: Guard) -> list[Place]:
    """The places that a guard compares, if all of them can be read by a line."""
    places = [guard.place]
    if isinstance(guard, SharingGuard):
        places = [guard.one, guard.other.place]
    return places if all(place.route is not None for place in places) else []


def _key(place: Place) -> Any:
    assert place.route is not None
    kind, thing, key = place.route
    return kind, id(thing), key


def _commonest(places: Iterable[Place]) -> dict[str, Any]:
    """The dict, among those that names are read from, that most are read from by name alone."""
    found: dict[int, dict[str, Any]] = {}
    count: Counter[int] = Counter()
    for place in places:
        kind, thing, key = place.route or ("", None, None)
        if kind == "item" and type(thing) is dict:
            found[id(thing)] = thing
            # A name in which the function would find something else is read as an item.
            count[id(thing)] += 1 if isinstance(key, str) and _is_free(key) else -(10**9)
    best = max(count, key=count.__getitem__, default=None)
    return found[best] if best is not None and count[best] > 0 else {}


def _is_free(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith(_MADE)


def _inner(code: CodeType) -> CodeType:
    """The code of the one function that is made in some code."""
    return next(x for x in code.co_consts if isinstance(x, CodeType))


def is_as_traced(captured: Captured) -> bool:
    """Whether the place of a captured array still holds one of the type that was traced."""
    try:
        found = captured.place.fetch()
    except Exception:  # noqa: BLE001 - whatever the user's property raises: trace again, and see
        return False
    return captured.fits(found)
