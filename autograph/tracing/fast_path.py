"""The short way of a call: from its arguments to a graph by one look-up.

A call is keyed as it is written, without binding arguments to parameters: a key stands for one way
of writing a call, so that several may lead to the same graph. The table of a Function from such
keys to `Entry`s is replaced as a whole and never changed: a call reads it without a lock.
"""

from __future__ import annotations

import enum
import functools
import operator
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from autograph.tracing.captured_inputs import Given
from autograph.tracing.columns import FEW, columns_of, in_columns
from autograph.tracing.concrete import MISS, ConcreteFunction
from autograph.tracing.likeness import Alike, is_movable
from autograph.tracing.options import Binding
from autograph.tracing.signature import (
    COLUMN,
    COMPLEX,
    FLOAT,
    GENERATOR,
    INT,
    INT_LIMIT,
    OF_TYPE,
    TEXT,
    Arguments,
    Identity,
    is_input_key,
    is_within,
    parameter_of,
)
from runtime.devices import device_of, is_device_array
from runtime.effects.generators import BITS_TYPE, bits_of, is_generator
from runtime.errors import StagingError
from runtime.execute.native.layout import offset_of_slot
from runtime.execute.native.reading import Nest, was_called
from runtime.spec import TensorSpec
from runtime.structure import tree
from runtime.tensor import Tensor

__all__ = [
    "DEEPEST",
    "IN_COLUMNS",
    "TOLD",
    "VALUES",
    "Entry",
    "LikeEntry",
    "call_key",
    "entry_of",
    "like_entry_of",
    "loosened",
    "seem_own",
    "told_within",
]

_CONSTANTS = (int, bool, str, bytes, type(None))
_BY_VALUE = (enum.Enum, np.dtype, frozenset, range)
# Of classes derived from these, values may be keyed otherwise than objects are.
_OTHERS = (np.ndarray, np.generic, TensorSpec, float, complex, *_CONSTANTS)


class _Unkeyed(Exception):
    """An argument that the short way knows no key of."""


def call_key(
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    inputs: Collection[str],
    names: Sequence[str],
    leaves: list[Any],
    nests: Collection[str] = (),
    closed: Collection[str] | None = None,
) -> Any:
    """The key of a call; None where the short way does not serve. Leaves are added to `leaves`.

    `inputs` has the parameters whose ints are run-time inputs, `names` those given by position;
    of those in `nests`, ints within a list, tuple or dict may be: an entry tells which. Long lists
    are columns, but of the parameters in `closed`; all are items if that is None.
    """
    parts: list[Any] = []
    try:
        for i, x in enumerate(args):
            kind = type(x)
            if kind is np.ndarray:
                leaves.append(x)
                parts.append((x.dtype, x.shape))
            elif kind is int and i < len(names) and names[i] in inputs:
                parts.append(_int_input(x, leaves))
            elif nests and i < len(names) and names[i] in nests:
                parts.append(_nest_part(x, kind, leaves, _opens(names[i], closed)))
            elif kind in _NESTS and i < len(names):
                parts.append(_part(x, kind, leaves, _opens(names[i], closed)))
            else:
                parts.append(_part(x, kind, leaves))
        for name, x in kwargs.items():
            parts.append(name)
            if type(x) is int and name in inputs:
                parts.append(_int_input(x, leaves))
            else:
                part = _nest_part if name in nests else _part
                parts.append(part(x, type(x), leaves, _opens(name, closed)))
    except _Unkeyed:
        return None
    return tuple(parts)


def _int_input(x: int, leaves: list[Any]) -> Any:
    leaves.append(x)
    return INT if -INT_LIMIT <= x < INT_LIMIT else (int, x)


_INTS, _FLOATS, _SCALARS = frozenset((int,)), frozenset((float,)), frozenset((np.float64,))
_SCALAR = ("scalar", np.dtype(np.float64))


def _are_inputs(ints: Collection[int]) -> bool:
    return min(ints) >= -INT_LIMIT and max(ints) < INT_LIMIT


def _opens(name: str, closed: Collection[str] | None) -> bool:
    """Whether long lists within a parameter are columns."""
    return closed is not None and name not in closed


def _part_at_once(x: Any, kind: type, leaves: list[Any]) -> Any:
    """The part of a key for a list or tuple of floats alone, as `_part` gives it; else None."""
    if not x:
        return None
    each: Any = type(x[0])
    if each is not float and each is not np.float64:
        return None
    if not (_FLOATS if each is float else _SCALARS).issuperset(map(type, x)):
        return None
    leaves += x
    return (kind, *(FLOAT if each is float else _SCALAR,) * len(x))


def _nest_part(x: Any, kind: type, leaves: list[Any], opens: bool = False) -> Any:
    """The part of a key for an argument of which some ints within it are run-time inputs."""
    if kind is tuple or kind is list:
        if opens and len(x) > FEW:
            opens = False
            if kind is list and (columns := columns_of(x)) is not None:
                leaves += columns
                return (COLUMN, type(columns))
        if _INTS.issuperset(map(type, x)) and x and _are_inputs(x):  # seen at once
            leaves += x
            return (kind, *(INT,) * len(x))
        if (part := _part_at_once(x, kind, leaves)) is not None:
            return part
        parts = []
        for y in x:
            is_int = type(y) is int
            parts.append(_int_input(y, leaves) if is_int else _nest_part(y, type(y), leaves, opens))
        return (kind, *parts)
    if kind is dict:
        held = [*x.values()]
        part = _nest_part(held, list, leaves, opens and len(x) <= FEW)
        return (dict, tuple(x), tree.marks_of_keys(x), part)
    is_nest = kind is not np.ndarray and _form(kind) in ("nest", "namedtuple")
    found = tree.entries(x) if is_nest else None
    if found is None:
        return _part(x, kind, leaves)
    keys, children, extra = found
    marks = tree.marks_of_keys(keys) if isinstance(x, dict) else ()
    return (kind, keys, extra, marks, _nest_part(children, list, leaves))


def _part(x: Any, kind: type, leaves: list[Any], opens: bool = False) -> Any:
    """The part of a key for one argument, or one part of a nest; if it `opens`, with columns."""
    part: Any
    if kind is tuple or kind is list:
        if opens and len(x) > FEW:
            opens = False
            if kind is list and (columns := columns_of(x)) is not None:
                leaves += columns
                return (COLUMN, type(columns))
        part = _part_at_once(x, kind, leaves)
        return part or (kind, *[_part(y, type(y), leaves, opens) for y in x])
    if kind is dict:
        opens = opens and len(x) <= FEW
        parts = [_part(y, type(y), leaves, opens) for y in x.values()]
        return (dict, tuple(x), tree.marks_of_keys(x), *parts)
    if kind is np.ndarray:
        part = (x.dtype, x.shape)
    elif kind is float:
        part = FLOAT
    else:
        form = _form(kind)
        if form == "constant":
            part = (kind, x, tree.exactly(x)) if isinstance(x, frozenset) else (kind, x)
        elif form == "object" and not is_device_array(x):
            part = ("object", id(x), id(kind))
        elif form == "tensor":
            part = _tensor_part(x)
        elif form == "scalar":
            part = ("scalar", x.dtype)
        elif form == "complex":
            part = COMPLEX
        elif form == GENERATOR:
            leaves.append(bits_of(x))
            return (GENERATOR, BITS_TYPE.dtype, BITS_TYPE.shape)
        elif form == "namedtuple":
            return (kind, *[_part(y, type(y), leaves) for y in x])
        elif is_device_array(x):
            part = ("array on", device_of(x), x.dtype, x.shape)
        elif form is None:
            raise _Unkeyed
        else:
            found = tree.entries(x)
            if found is not None:
                keys, children, extra = found
                marks = tree.marks_of_keys(keys) if isinstance(x, dict) else ()
                return (kind, keys, extra, marks, *[_part(y, type(y), leaves) for y in children])
            part = ("object", id(x), id(kind))
    leaves.append(x)
    return part


def loosened(key: Any) -> Any:
    """A key of a call with the classes of objects in the places of these."""
    if type(key) is not tuple:
        return key
    if len(key) == 3 and key[0] == "object" and type(key[1]) is int:
        return ("like", key[2])
    return tuple([loosened(part) if type(part) is tuple else part for part in key])


@functools.lru_cache(maxsize=1024)
def _form(kind: Any) -> str | None:
    """How values of a class are keyed; None: not here."""
    if kind in _CONSTANTS or issubclass(kind, _BY_VALUE):
        return "constant"
    if issubclass(kind, Tensor):
        return "tensor"
    if issubclass(kind, np.generic) and not issubclass(kind, TEXT):
        return "scalar"
    if kind is complex:
        return "complex"
    if is_generator(kind):
        return GENERATOR
    if hasattr(kind, "__tf_tracing_type__") or kind is slice:
        return None
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return "namedtuple"
    if issubclass(kind, (tuple, list, dict)) or tree.field_names(kind) is not None:
        return "nest"  # where `tree` takes it for one
    return None if issubclass(kind, _OTHERS) else "object"


def _tensor_part(x: Tensor) -> Any:
    array = x._array
    if not x.is_current or x._value is not None:
        raise _Unkeyed
    if type(array) is np.ndarray or isinstance(array, np.generic):
        return (type(x), array.dtype, array.shape)
    if is_device_array(array):
        return (type(x), device_of(array), array.dtype, array.shape)
    raise _Unkeyed


# What Python's own values are made of; such nests may be in each other so deep.
_NESTS = frozenset((list, tuple, dict))
VALUES: frozenset[Any] = frozenset(_CONSTANTS)
_OWN = _NESTS | VALUES
# Those that there are many of: a trace is one of just these values.
TOLD = (int, str, bytes)
DEEPEST = 16
# Classes of the items of long lists that may be columns.
IN_COLUMNS = (int, float, bool, tuple, np.float64, np.int64, np.bool_)


def told_within(args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """How many ints and texts are in arguments of Python's own values; 0 where others are in them.

    Nests are looked through level by level, without a step of Python's for each item.
    """
    level: Collection[Any] = [*args, *kwargs.values()]
    count = 0
    for _ in range(DEEPEST):
        kinds = [*map(type, level)]
        found = {*kinds}
        if not found <= _OWN:
            return 0
        count += sum(map(kinds.count, TOLD))
        if found.isdisjoint(_NESTS):
            return count
        nests = [x for x in level if type(x) in _NESTS]
        items = [x.values() if type(x) is dict else x for x in nests]
        level = items[0] if len(items) == 1 else [*chain.from_iterable(items)]
    return 0


def seem_own(given: Iterable[Any]) -> bool:
    """Whether arguments are of Python's own values: of a nest, what comes first in it is.

    That takes no longer for a large nest, and Python makes a call rightly whatever it is given.
    """
    for x in given:
        kind = type(x)
        if kind in VALUES:
            continue
        for _ in range(DEEPEST):
            if kind not in _NESTS:
                break
            if not x:
                kind = type(None)
                break
            x = next(iter(x.values())) if kind is dict else x[0]
            kind = type(x)
        if kind not in VALUES:
            return False
    return True


class Entry:
    """Where a way of writing a call leads: a graph, and which leaves are its inputs, in order."""

    __slots__ = (
        "bind", "builtin", "concrete", "defaults", "direct", "is_fruitless", "is_of_one", "names",
        "nests", "numbers", "objects", "order",
    )  # fmt: skip

    def __init__(
        self,
        concrete: ConcreteFunction,
        order: list[int] | None,
        defaults: list[Any],
        objects: list[tuple[int, Callable[[], Any]]],
        numbers: list[tuple[int, int]],
        nests: list[tuple[Any, Any]],
        bind: Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]],
        given: Given | None = None,
        names: tuple[str, ...] = (),
    ) -> None:
        self.concrete, self.bind = concrete, bind
        # Of the arguments that calls give by name: their values come behind the others.
        self.names = names
        # Positions among the leaves, those of the `nests` and the `defaults` after them; None: all
        # leaves are inputs.
        self.order = order
        self.defaults = defaults
        # Lists, dicts and such that the call leaves to their defaults, which others may change
        # meanwhile, each with the part of a key that it had.
        self.nests = nests
        # Leaves that are told by identity: another object may have got the same `id`.
        self.objects = objects
        # Leaves that are constants of the graph, where the key does not tell their values.
        self.numbers = numbers
        # Whether Python makes the call, and would whatever else is as it is now.
        is_pythons = concrete._traced.stages_nothing and not concrete._traced.reads_outside
        is_pythons = is_pythons and concrete.python is not None
        self.is_fruitless = is_pythons and not order and not objects
        # The same as a builtin that looks at the arguments itself. Fruitless calls are counted.
        self.builtin = None
        if given is not None and not self.is_fruitless:
            self.builtin = concrete.builtin(given, names)
        # Whether it serves calls with certain objects or constants only.
        self.is_of_one = given is not None and bool(given.objects or given.constants)
        # The graph itself, where it takes the leaves as they are and gives the result alone.
        self.direct: Callable[..., tuple[Any, ...]] | None = None
        if order is None and not objects and concrete.python is None and concrete.has_direct:
            self.direct = concrete.direct if self.builtin is None else self._first
        if self.builtin is None:
            concrete.make_ready()
        concrete.entries.append(self)

    def may_be_called(self) -> bool:
        """Whether the builtin may have served a call since this was asked last."""
        if getattr(self.builtin, "__name__", None) != "reading":
            return True  # it does not say so
        return was_called(self.builtin)

    def _first(self, *leaves: Any) -> tuple[Any, ...]:
        """Stands for `direct` until a call comes that way: most go to the builtin."""
        self.direct = self.concrete.direct
        assert self.direct is not None
        return self.direct(*leaves)

    def run(self, leaves: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result for these leaves, or MISS where the call has to take the long way.

        They are those of the arguments, which plain Python takes as they are.
        """
        for i, reference in self.objects:
            if reference() is not leaves[i]:
                return MISS
        for i, number in self.numbers:
            if leaves[i] != number:
                return MISS
        if self.concrete.python is not None:
            return self.concrete.run_python(args, kwargs)
        if self.nests:
            leaves = leaves[:]
            for nest, part in self.nests:
                if _part(nest, type(nest), leaves) != part:
                    return MISS
        if self.order is not None:
            given = leaves + self.defaults if self.defaults else leaves
            leaves = [given[i] for i in self.order]
        if self.concrete.holds_arguments:
            return self._run_holding(leaves, args, kwargs)
        return self.concrete.run_quickly(leaves)

    def _run_holding(self, leaves: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            held = self.concrete.holding(self.bind(args, kwargs))
        except StagingError:  # the long way tells whether this graph is asked at all
            return MISS
        with held:
            return self.concrete.run_quickly(leaves)


class _Mark:
    """Stands for a leaf while arguments are bound to parameters."""

    def __init__(self, number: int) -> None:
        self.number = number


def entry_of(
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    binding: Binding,
    arguments: Arguments,
    concrete: ConcreteFunction,
    nests: Collection[str] = (),
    closed: Collection[str] | None = None,
) -> Entry | None:
    """The entry of a call that was bound to `arguments`; None where the short way does not serve.

    A graph that has other inputs than keys tell apart is not entered: its calls stay correct.
    """
    if arguments.has_columns:
        args, kwargs = _in_columns(args, kwargs, binding.positional, closed or ())
    leaves, structure = tree.flatten((args, kwargs))
    marks = tree.unflatten(structure, list(map(_Mark, range(len(leaves)))))
    values = binding.bind(*marks)
    bound, bound_structure = tree.flatten(values)
    if bound_structure != arguments.structure:
        return None
    open_defaults = _open_defaults(values, binding)
    if open_defaults is None:
        return None
    held: list[Any] = []
    parts = [(nest, _part(nest, type(nest), held)) for nest in open_defaults.values()]
    within = 0
    order: list[int] = []
    defaults: list[Any] = []
    objects: list[tuple[int, Callable[[], Any]]] = []
    things: list[tuple[int, Any]] = []
    numbers: list[tuple[int, int]] = []
    constants: list[tuple[int, Any]] = []
    for leaf, path, key in zip(bound, arguments.paths, arguments.keys, strict=True):
        if not isinstance(leaf, _Mark):
            is_open = parameter_of(path) in open_defaults
            within += is_open
            if is_input_key(key):
                if not isinstance(leaf, (float, complex, np.generic)):
                    return None  # an array, which may get another shape in place
                if is_open:
                    order.append(len(leaves) + within - 1)
                else:
                    order.append(len(leaves) + len(held) + len(defaults))
                    defaults.append(leaf)
            continue
        in_nest = bool(nests) and is_within(path) and parameter_of(path) in nests
        if isinstance(key, Identity):
            objects.append((leaf.number, key.ref))
            things.append((leaf.number, leaves[leaf.number]))
        elif key == INT:
            if path not in binding.signature.parameters and not in_nest:
                return None
        elif not _tells(leaves[leaf.number], key):
            return None
        elif in_nest and type(leaves[leaf.number]) is int:
            numbers.append((leaf.number, leaves[leaf.number]))
        if is_input_key(key):
            order.append(leaf.number)
        elif not isinstance(key, Identity):
            constants.append((leaf.number, leaves[leaf.number]))
    every = not parts and order == list(range(len(leaves)))
    if parts and concrete.python is not None:
        return None
    known = Given(len(leaves), order, defaults, things, constants)
    given = None if parts else _with_nests(known, (*args, *kwargs.values()), leaves)
    ways = None if every and concrete.python is None else order
    names = tuple(kwargs)
    return Entry(concrete, ways, defaults, objects, numbers, parts, binding.bind, given, names)


# Calls with more items in lists, tuples and dicts than these are looked at in Python.
_MOST_ITEMS = 256


def _with_nests(given: Given, args: tuple[Any, ...], leaves: list[Any]) -> Given | None:
    """The same, where `given` counts leaves, by positions of arguments and of items of nests.

    None where there are too many, or one is in something else than a list, tuple or dict.
    """
    things, nests, within = [*args], [], {}
    for position, thing in enumerate(things):  # which grows meanwhile
        kind: Any = type(thing)
        slots = _slots_of(kind)
        found = ((), [thing._array]) if slots else _nest_of(thing)
        if found is not None:
            keys, items = found
            nests.append(Nest(position, kind, len(items), keys, slots))
            within[position] = range(len(things), len(things) + len(items))
            things += items
        if len(things) > len(args) + _MOST_ITEMS:
            return None
    places = [*_leaves_in(range(len(args)), within)]
    raws = [x._array if isinstance(x, Tensor) else x for x in leaves]
    if len(places) != len(raws) or any(
        things[i] is not x for i, x in zip(places, raws, strict=True)
    ):
        return None
    places += range(len(things), len(things) + len(given.defaults))
    return Given(
        len(things),
        [places[i] for i in given.inputs],
        given.defaults,
        [(places[i], thing) for i, thing in given.objects],
        [(places[i], thing) for i, thing in given.constants],
        nests,
    )


@functools.lru_cache(maxsize=64)
def _slots_of(kind: Any) -> tuple[int, ...]:
    """Where tensors of a class have the array, and what is None in those of just a value."""
    if not issubclass(kind, Tensor):
        return ()
    descriptors = (getattr(kind, name) for name in ("_array", "_cell", "_value"))
    return tuple(offset or 0 for offset in map(offset_of_slot, descriptors))


def _nest_of(thing: Any) -> tuple[Sequence[Any], Sequence[Any]] | None:
    """The keys of a dict, or names of fields, and the items; None for what is no nest."""
    kind: Any = type(thing)
    if kind is dict:
        return tuple(thing), [*thing.values()]
    if kind in _NESTS or _form(kind) == "namedtuple":
        return (), thing
    has_fields = tree.field_names(kind) is not None and not issubclass(kind, tuple(_NESTS))
    found = tree.entries(thing) if has_fields else None
    return None if found is None else (tuple(map(sys.intern, found[0])), found[1])


def _leaves_in(positions: range, within: Mapping[int, range]) -> Iterator[int]:
    """The positions of leaves, as they come one after another in nests."""
    for position in positions:
        if position in within:
            yield from _leaves_in(within[position], within)
        else:
            yield position


def _in_columns(
    args: tuple[Any, ...], kwargs: dict[str, Any], names: Sequence[str], closed: Collection[str]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with the columns of long lists in their places."""
    given = in_columns(dict(zip(names, args, strict=False)), closed)
    return (*given.values(), *args[len(given) :]), in_columns(kwargs, closed)


class LikeEntry:
    """Where calls lead that are alike but for their objects: a graph, and which leaves it takes."""

    __slots__ = ("_find", "_objects", "_order", "concrete", "server")

    def __init__(
        self,
        concrete: ConcreteFunction,
        order: list[int],
        objects: list[tuple[int, Callable[[], Any]]],
        server: Callable[..., Any] | None,
    ) -> None:
        self.concrete = concrete
        # The same as a function of the arguments that looks at them itself.
        self.server = server
        self._find, self._order = concrete.find_like, order
        # Leaves that are to be the very objects of the trace.
        self._objects = objects

    def run(self, leaves: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result for these leaves, or MISS where the objects are not like the trace's own."""
        for i, reference in self._objects:
            if reference() is not leaves[i]:
                return MISS
        found = self._find(leaves)
        if type(found) is not Alike:
            return MISS
        return self.concrete.run_alike([leaves[i] for i in self._order], found, args, kwargs)


def like_entry_of(
    args: tuple[Any, ...], kwargs: dict[str, Any], arguments: Arguments, concrete: ConcreteFunction
) -> LikeEntry | None:
    """The entry of a call that a trace of other objects serves; None: the short way does not.

    It serves calls that give all parameters by position, in their order.
    """
    leaves = tree.leaves(args)
    is_flat = not kwargs and len(leaves) == len(arguments.leaves)
    if not is_flat or not all(map(operator.is_, leaves, arguments.leaves)):
        return None
    objects: list[tuple[int, Callable[[], Any]]] = []
    constants: list[tuple[int, Any]] = []
    for i, (leaf, path, key) in enumerate(
        zip(leaves, arguments.paths, arguments.keys, strict=True)
    ):
        if isinstance(key, Identity):
            if not is_movable(leaf):
                objects.append((i, key.ref))
            continue
        if not is_input_key(key):
            constants.append((i, leaf))
        if (type(leaf) is int and is_within(path)) or (key != INT and not _tells(leaf, key)):
            return None
    order = [i for i, key in enumerate(arguments.keys) if is_input_key(key)]
    server = None
    if not objects and len(args) == len(leaves):
        server = concrete.server(len(args), order, constants)
    return LikeEntry(concrete, order, objects, server)


def _open_defaults(values: dict[str, Any], binding: Binding) -> dict[str, Any] | None:
    """The defaults that a call leaves as they are, and that can be changed; None: of no known key.

    `values` are those of the parameters.
    """
    parameters = binding.signature.parameters
    found = {name: x for name, x in values.items() if x is parameters[name].default}
    nests = {name: x for name, x in found.items() if any(True for _ in tree.mutable_parts(x))}
    try:
        for x in nests.values():
            _part(x, type(x), [])
    except _Unkeyed:
        return None
    return nests


def _tells(x: Any, key: Any) -> bool:
    """Whether calls with the same part of a key for `x` have the same `key` there."""
    if isinstance(key, tuple) and key[0] in (OF_TYPE, COLUMN):
        return bool(key[0] == COLUMN)  # their class tells them
    try:
        part = _part(x, type(x), [])
    except _Unkeyed:
        return False
    # Of a tensor a part of a key has the class, which a call's key has for all tensors at once.
    return bool((("tensor", *part[1:]) if isinstance(x, Tensor) else part) == key)
