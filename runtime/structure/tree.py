"""Nested structures: tuples, lists, dicts, namedtuples, dataclasses and attrs classes of leaves.

`None` and everything else is a leaf. Dicts are walked in insertion order.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from types import MemberDescriptorType
from typing import Any, NamedTuple, cast

import numpy as np

__all__ = [
    "LEAF",
    "MADE_BY_CLASS_STATEMENT",
    "Assembled",
    "Structure",
    "attributes_of",
    "builder",
    "container",
    "entries",
    "exactly",
    "field_names",
    "flatten",
    "leaves",
    "leaves_by",
    "maker",
    "map_structure",
    "marks_of_keys",
    "mutable_parts",
    "part_at",
    "structure_of",
    "taker",
    "unflatten",
]


class Structure(NamedTuple):
    """The shape of a nest: the container's class, its keys or field names, its children.

    `kind` is None for a leaf. Structures are equal and hash alike when nests can be exchanged.
    `extra` is what else the class needs to be made again (the factory of a defaultdict), `marks`
    what tells its keys from others that Python finds equal.
    """

    kind: type | None
    keys: tuple[Any, ...] = ()
    children: tuple[Structure, ...] = ()
    extra: Any = None
    marks: tuple[Any, ...] = ()

    @property
    def size(self) -> int:
        """Number of leaves."""
        return 1 if self.kind is None else sum(child.size for child in self.children)


LEAF = Structure(None)


def exactly(x: Any) -> Any:
    """What tells a value from others that Python finds equal: 1 from True and 1.0, 0.0 from -0.0.

    >>> exactly((1, "a")) == exactly((True, "a")), exactly(0.0) == exactly(-0.0)
    (False, False)
    """
    kind = type(x)
    if isinstance(x, (float, complex, np.generic)):
        return kind, repr(x)
    if isinstance(x, (tuple, frozenset, set)):
        parts = map(exactly, x)
        return kind, tuple(parts) if isinstance(x, tuple) else frozenset(parts)
    return kind, x


def marks_of_keys(keys: Iterable[Any]) -> tuple[Any, ...]:
    """What tells keys of a dict from others that Python finds equal; of texts nothing does.

    >>> marks_of_keys(["a", "b"]), marks_of_keys([True])
    ((), ((<class 'bool'>, True),))
    """
    return () if all(type(key) is str for key in keys) else tuple(map(exactly, keys))


class Assembled(tuple):  # type: ignore[type-arg]
    """A named tuple in whose place a new nest has what its class assembles of the parts."""

    __slots__ = ()

    @classmethod
    def assemble(cls, parts: list[Any]) -> Any:
        """What stands in the place of a tuple of these parts."""
        raise NotImplementedError


def flatten(nest: Any) -> tuple[list[Any], Structure]:
    """Leaves of a nest, in order, and its structure.

    >>> flatten({"a": (1, 2), "b": None})[0]
    [1, 2, None]
    """
    found: list[Any] = []
    return found, _walk(nest, found)


def leaves(nest: Any) -> list[Any]:
    """Leaves of a nest, in order."""
    return flatten(nest)[0]


def structure_of(nest: Any) -> Structure:
    """Structure of a nest."""
    return flatten(nest)[1]


def leaves_by(structure: Structure, nest: Any) -> list[Any]:
    """What a nest of a structure has in the places of leaves, containers among them.

    >>> leaves_by(structure_of([0, (0, 0)]), [1, ((2, 3), [4])])
    [1, (2, 3), [4]]
    """
    if structure.kind is None:
        return [nest]
    pairs = zip(structure.keys, structure.children, strict=True)
    return [x for key, child in pairs for x in leaves_by(child, part_at(nest, (key,)))]


def taker(structure: Structure) -> Callable[[Any], Sequence[Any] | None]:
    """A function that gives what `leaves_by` gives; None for what is of another structure.

    >>> take = taker(structure_of((0, {"a": 0})))
    >>> take((1, {"a": 2})), take((1, 2))
    ([1, 2], None)
    """
    kind, keys = structure.kind, structure.keys
    if kind is None:
        return lambda nest: (nest,)
    if kind is tuple and all(child is LEAF for child in structure.children):
        count = len(keys)
        return lambda nest: nest if type(nest) is tuple and len(nest) == count else None
    takers = [taker(child) for child in structure.children]

    def take(nest: Any) -> Sequence[Any] | None:
        parts: Any
        if type(nest) is kind and kind is tuple:
            parts = nest
        else:
            found = entries(nest)
            if found is None or found[0] != keys or type(nest) is not kind:
                return None
            parts = found[1]
        if len(parts) != len(takers):
            return None
        taken: list[Any] = []
        for one, part in zip(takers, parts, strict=True):
            leaves_of_part = one(part)
            if leaves_of_part is None:
                return None
            taken += leaves_of_part
        return taken

    return take


def unflatten(structure: Structure, parts: Sequence[Any]) -> Any:
    """The nest of this structure with the given leaves.

    Raises ValueError when their number differs.

    >>> unflatten(structure_of([0, (0, 0)]), "abc")
    ['a', ('b', 'c')]
    """
    if len(parts) != structure.size:
        raise ValueError(f"the structure has {structure.size} leaves, but {len(parts)} are given")
    return _build(structure, iter(parts))


def builder(structure: Structure) -> Callable[[Sequence[Any]], Any]:
    """A function that makes nests of this structure of their leaves; their number is not checked.

    >>> builder(structure_of((0, 0)))([1, 2])
    (1, 2)
    """
    if structure.kind in (tuple, list) and all(child is LEAF for child in structure.children):
        return cast("Callable[[Sequence[Any]], Any]", structure.kind)
    if structure.size > _MOST_WRITTEN:
        return lambda parts: _build(structure, iter(parts))
    make = maker(structure)
    return lambda parts: make(*parts)


# A function of more leaves takes longer to be compiled than many calls.
_MOST_WRITTEN = 64


@functools.lru_cache(maxsize=256)
def maker(structure: Structure) -> Callable[..., Any]:
    """The same as a function of the leaves, one after the other, which is written as Python.

    >>> maker(structure_of({"a": (0, 0)}))(1, 2)
    {'a': (1, 2)}
    """
    writer = _Writer()
    made = writer.source(structure)
    parameters = ", ".join(f"x{i}" for i in range(writer.leaves))
    lines = "".join(f"{line}\n" for line in writer.lines)
    exec(f"{lines}def make({parameters}): return {made}\n", writer.scope)
    return cast("Callable[..., Any]", writer.scope["make"])


class _Writer:
    """Writes Python that makes a nest of its leaves `x0`, `x1`, ..."""

    def __init__(self) -> None:
        self.leaves = 0
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {}

    def bind(self, thing: Any) -> str:
        """A name for an object."""
        name = f"c{len(self.scope)}"
        self.scope[name] = thing
        return name

    def source(self, structure: Structure) -> str:
        """An expression for the nest."""
        kind, keys = structure.kind, structure.keys
        if kind is None:
            self.leaves += 1
            return f"x{self.leaves - 1}"
        parts = list(map(self.source, structure.children))
        if kind is dict:
            pairs = (f"{self.bind(key)}: {part}" for key, part in zip(keys, parts, strict=True))
            return f"{{{', '.join(pairs)}}}"
        row = "".join(f"{part}, " for part in parts)
        if kind in (tuple, list):
            return f"({row})" if kind is tuple else f"[{row}]"
        is_named = issubclass(kind, tuple) and hasattr(kind, "_fields")
        if is_named and not issubclass(kind, Assembled):
            return f"{self.bind(tuple.__new__)}({self.bind(kind)}, ({row}))"
        if issubclass(kind, (dict, list, tuple)):
            made, *given = map(self.bind, (container, kind, keys, structure.extra))
            return f"{made}({given[0]}, {given[1]}, [{row}], {given[2]})"
        return f"{self._instance(kind, keys)}({row})"

    def _instance(self, kind: type, names: tuple[str, ...]) -> str:
        """The name of a function of the fields of an object; see `_instance`."""
        name, new, own = self.bind(None), self.bind(object.__new__), self.bind(kind)
        parameters = ", ".join(f"x{i}" for i in range(len(names)))
        self.lines += [f"def {name}({parameters}):", f"    made = {new}({own})"]
        setter: Any = kind.__setattr__
        is_free = setter is object.__setattr__
        store = (
            "made.{} = {}" if is_free else f"{self.bind(object.__setattr__)}(made, '{{}}', {{}})"
        )
        self.lines += [f"    {store.format(field, f'x{i}')}" for i, field in enumerate(names)]
        self.lines.append("    return made")
        return name


def map_structure(function: Callable[..., Any], nest: Any, *others: Any) -> Any:
    """`function` of corresponding leaves, in the structure of the first nest.

    Raises ValueError when the others have another structure.

    >>> map_structure(lambda x, y: x + y, [1, (2,)], [10, (20,)])
    [11, (22,)]
    """
    parts, structure = flatten(nest)
    columns = [parts]
    for other in others:
        found, its = flatten(other)
        if its != structure:
            raise ValueError(f"nests differ in structure: {nest!r} and {other!r}")
        columns.append(found)
    return unflatten(structure, [function(*row) for row in zip(*columns, strict=True)])


def mutable_parts(nest: Any, closed: Collection[int] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Containers in a nest that can be changed in place, each with the path of keys to it.

    Those whose ids are in `closed` are not looked into.

    >>> [path for path, _ in mutable_parts(([1, {"a": 2}],))]
    [(0,), (0, 1)]
    """
    if id(nest) in closed:
        yield (), nest
        return
    found = entries(nest)
    if found is None:
        return
    if not isinstance(nest, tuple):
        yield (), nest
    for key, child in zip(found[0], found[1], strict=True):
        kind: Any = type(child)
        is_flat = kind is tuple and all(map(_is_leaf, map(type, child)))  # as most are
        if not (is_flat or _is_leaf(kind)):
            for path, part in mutable_parts(child, closed):
                yield (key, *path), part


@functools.lru_cache(maxsize=1024)
def _is_leaf(kind: Any) -> bool:
    """Whether nothing of a class is a nest."""
    return not issubclass(kind, _PLAIN) and field_names(kind) is None


def part_at(nest: Any, path: Sequence[Any]) -> Any:
    """The part of a nest at the end of a path of keys.

    >>> part_at(([1, {"a": 2}],), (0, 1, "a"))
    2
    """
    for key in path:
        container = isinstance(nest, (dict, list, tuple))
        nest = nest[key] if container else getattr(nest, key)
    return nest


def _walk(nest: Any, found: list[Any]) -> Structure:
    container = entries(nest)
    if container is None:
        found.append(nest)
        return LEAF
    keys, children, extra = container
    parts = tuple(_walk(child, found) for child in children)
    marks = marks_of_keys(keys) if isinstance(nest, dict) else ()
    return Structure(type(nest), keys, parts, extra, marks)


def entries(nest: Any) -> tuple[tuple[Any, ...], list[Any], Any] | None:
    """Keys, children and extra of a container; None for a leaf.

    One of a class of the user's is what its items are, whatever methods it has; where it has
    attributes beside its items, it is a leaf.
    """
    kind: Any = type(nest)
    if kind not in _PLAIN and issubclass(kind, _PLAIN) and attributes_of(nest):
        return None
    if isinstance(nest, dict):
        base: Any = OrderedDict if issubclass(kind, OrderedDict) else dict
        keys = tuple(base.__iter__(nest))
        children = [dict.__getitem__(nest, key) for key in keys]
        return keys, children, getattr(nest, "default_factory", None)
    if isinstance(nest, list):
        children = list(list.__iter__(nest))
        return tuple(range(len(children))), children, None
    if kind is tuple or (isinstance(nest, tuple) and hasattr(nest, "_fields")):
        children = list(tuple.__iter__(nest))
        return tuple(range(len(children))), children, None
    names = field_names(kind)
    if names is None or not _is_its_fields(nest, names):
        return None
    return names, [getattr(nest, n) for n in names], None


_PLAIN = (tuple, list, dict)


def attributes_of(nest: Any) -> dict[str, Any]:
    """What a container of a class of the user's holds under names, beside its items."""
    kind: Any = type(nest)
    slots = {name: getattr(nest, name) for name in _slots(kind) if hasattr(nest, name)}
    return slots | getattr(nest, "__dict__", {})


@functools.lru_cache(maxsize=1024)
def _slots(kind: Any) -> tuple[str, ...]:
    """Names of what a class of the user's keeps in slots."""
    kinds = [cls for cls in kind.__mro__ if cls.__flags__ & _KINDS == MADE_BY_CLASS_STATEMENT]
    slots = [(name, x) for cls in kinds for name, x in vars(cls).items()]
    return tuple(name for name, x in slots if isinstance(x, MemberDescriptorType))


MADE_BY_CLASS_STATEMENT = 1 << 9  # Py_TPFLAGS_HEAPTYPE
# With Py_TPFLAGS_IMMUTABLETYPE, which tells `defaultdict`, from Python 3.12 on of that type, too.
_KINDS = MADE_BY_CLASS_STATEMENT | 1 << 8


def _is_its_fields(nest: Any, names: tuple[str, ...]) -> bool:
    """Whether an object holds its fields and nothing else, so that it can be made again of them."""
    held = getattr(nest, "__dict__", None)
    if held is None:
        return all(hasattr(nest, name) for name in names)
    return (
        tuple(held) == names
        or held.keys() == set(names)
        or (held.keys() <= set(names) and all(hasattr(nest, name) for name in names))
    )


@functools.lru_cache(maxsize=1024)
def field_names(kind: Any) -> tuple[str, ...] | None:
    """Names of the fields of a dataclass or attrs class, None for another class."""
    if dataclasses.is_dataclass(kind):
        return tuple(f.name for f in dataclasses.fields(kind))
    fields = getattr(kind, "__attrs_attrs__", None)
    return None if fields is None else tuple(f.name for f in fields)


def _build(structure: Structure, parts: Iterator[Any]) -> Any:
    kind = structure.kind
    if kind is None:
        return next(parts)
    children = [_build(child, parts) for child in structure.children]
    return container(kind, structure.keys, children, structure.extra)


def container(kind: type, keys: tuple[Any, ...], parts: list[Any], extra: Any = None) -> Any:
    """A container of a class with these parts, as `entries` gives them.

    No method of a class of the user's is called: it may want other things, or change them.
    """
    if issubclass(kind, dict):
        base = next((b for b in (defaultdict, OrderedDict) if issubclass(kind, b)), dict)
        made: Any = base.__new__(kind)
        if base is defaultdict:
            defaultdict.__init__(made, extra)
        for key, part in zip(keys, parts, strict=True):
            base.__setitem__(made, key, part)
        return made
    if issubclass(kind, Assembled):
        return kind.assemble(parts)
    if issubclass(kind, tuple):
        return tuple.__new__(kind, parts) if hasattr(kind, "_fields") else tuple(parts)
    if issubclass(kind, list):
        made = list.__new__(kind)
        list.extend(made, parts)
        return made
    return _instance(kind, keys, parts)


def _instance(kind: type, names: tuple[str, ...], children: list[Any]) -> Any:
    """An object with these fields; its `__init__`, which may want other things, is not called."""
    made: Any = object.__new__(kind)
    for name, child in zip(names, children, strict=True):
        object.__setattr__(made, name, child)
    return made
