"""Long lists among the arguments of a call as columns: one array for each number in their items.

A list of many like items enters a graph as the rows of a list of open length: one trace serves all
lengths, and a loop over it is a loop of the graph. What the function does to the list is written
back into the caller's, as to any list among the arguments.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from operator import attrgetter, is_, is_not
from types import MemberDescriptorType
from typing import Any

import numpy as np

from autograph.operators.captured.methods import attribute
from autograph.operators.expressions.heap_objects import can_be_on_heap
from autograph.operators.results.remaking import OfItems
from autograph.operators.stand_ins.forms import Branching, Form, Leaf, OfCaller, OrNone
from autograph.operators.stand_ins.heaps import Heap, Plan, reference_to
from autograph.operators.stand_ins.item_forms import all_joined, item_form
from autograph.operators.stand_ins.rows import number_leaves
from autograph.operators.stand_ins.runs import Run
from runtime import tree
from runtime.errors import StagingError

__all__ = ["FEW", "Column", "Columns", "columns_of", "in_columns", "lists_of_columns", "within_columns"]

# Lists of no more items are their items one by one.
FEW = 16
_CODES = {float: "d", int: "q"}
_NOTHING = {float: 0.0, int: 0, bool: False}
_NONE = type(None)


class Column:
    """An array with a number of each item of a list."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array


class Columns(tuple[Any, ...]):
    """The columns of a list; there is a class of them for each kind of items.

    `samples` are items of that kind, with zeros for numbers, and None where an item may be None.
    """

    __slots__ = ()
    _fields: tuple[str, ...] = ()
    samples: tuple[Any, ...] = ()


class ObjectColumns(Columns):
    """The same of objects: their numbers, and the columns of each attribute."""

    __slots__ = ()
    cls: type
    names: tuple[str, ...]
    # Samples of what is under each name.
    attributes: tuple[tuple[Any, ...], ...]


def columns_of(items: list[Any]) -> Columns | None:
    """The columns of a list, as arrays; None where its items are not alike, or have no columns.

    >>> columns_of([1.0] * 20)[0].shape, columns_of([1.0, "a"] * 10)
    ((20,), None)
    """
    found: list[Any] = []
    samples = _packed(items, found)
    if samples is None:
        kind = type(items[0])
        is_made = kind.__flags__ & tree.MADE_BY_CLASS_STATEMENT
        return _columns_of_objects(items, kind) if is_made and {*map(type, items)} == {kind} else None
    return tuple.__new__(_kind_of(*_told(samples)), found) if found else None


def _columns_of_objects(items: list[Any], kind: Any) -> ObjectColumns | None:
    """The columns of objects that have the same attributes, each of numbers of one kind."""
    first, found = items[0], [np.arange(len(items))]
    if not _holds_attributes(kind, first) or len({*map(id, items)}) < len(items):
        return None
    names = tuple(tree.attributes_of(first))
    own = getattr(first, "__dict__", None)
    if own is not None and {*map(len, map(attrgetter("__dict__"), items))} != {len(own)}:
        return None
    attributes = []
    for name in names:
        try:
            samples = _packed([*map(attrgetter(name), items)], found)
        except AttributeError:
            return None
        if samples is None:
            return None
        attributes.append(tuple(samples))
    if not names:
        return None
    return tuple.__new__(_kind_of_objects(kind, names, *_told(attributes)), found)


def _holds_attributes(kind: Any, thing: Any) -> bool:
    """Whether objects of a class are their attributes, read and written by Python itself."""
    is_plain = (
        kind.__setattr__ is object.__setattr__
        and kind.__getattribute__ is object.__getattribute__
        and kind.__delattr__ is object.__delattr__
    )
    return is_plain and _may_be_columns(kind, tree.attributes_of(thing).keys(), thing)


def _may_be_columns(kind: Any, names: Collection[str], thing: Any) -> bool:
    of_class = (attribute(kind, name) for name in names)
    hidden = any(hasattr(x, "__set__") and not isinstance(x, MemberDescriptorType) for x in of_class)
    is_named = all(map(str.isidentifier, names))
    return is_named and not hidden and can_be_on_heap(kind, thing)


def _told(samples: Sequence[Any]) -> tuple[Any, ...]:
    """Samples, and what tells them from others that are equal: 1 from 1.0 and True."""
    return (
        tuple(samples), tree.structure_of(samples), tuple(map(type, tree.leaves(samples))),
    )  # fmt: skip


def _packed(items: Sequence[Any], found: list[Any]) -> list[Any] | None:
    """Samples of the items, whose columns are added to those that were found."""
    kinds = {*map(type, items)}
    if len(kinds) > 1:
        kinds.discard(_NONE)
        if len(kinds) > 1:
            return None
        return _packed_or_none(items, kinds.pop(), found)
    (kind,) = kinds
    if kind in _NOTHING:
        return None if (column := _column(items, kind)) is None else _added(column, kind, found)
    if kind is not tuple and not (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return None
    lengths = {*map(len, items)}
    if len(lengths) > 1 or tree.attributes_of(items[0]) or kind.__iter__ is not tuple.__iter__:
        return None
    parts = [_packed(column, found) for column in zip(*items, strict=True)]
    if not parts or None in parts:
        return None
    most = max(map(len, parts))
    rows = zip(*(part * most if len(part) < most else part for part in parts), strict=True)
    return [tree.container(kind, (), list(row)) for row in rows]


def _added(column: Any, kind: Any, found: list[Any]) -> list[Any]:
    found.append(column)
    return [_NOTHING[kind]]


def _packed_or_none(items: Sequence[Any], kind: Any, found: list[Any]) -> list[Any] | None:
    """Likewise of numbers, some of which are None."""
    if kind not in _NOTHING:
        return None
    nothing = _NOTHING[kind]
    column = _column([nothing if x is None else x for x in items], kind)
    if column is None:
        return None
    found += column, np.fromiter(map(is_not, items, repeat(None)), bool, len(items))
    return [None, nothing]


def _column(items: Sequence[Any], kind: Any) -> Any:
    """An array of numbers of one kind; None where an int is none of 64 bits."""
    if kind is bool:
        return np.array(items, bool)
    try:
        return np.frombuffer(array(_CODES[kind], items), kind)
    except OverflowError:
        return None


@functools.lru_cache(maxsize=1024)
def _kind_of(samples: Any, structures: Any, kinds: Any) -> type[Columns]:
    """The class of the columns of such items; what else is given tells 1 from 1.0 and True."""
    return type("list", (Columns,), {"__slots__": (), "_fields": (":",), "samples": samples})


@functools.lru_cache(maxsize=256)
def _kind_of_objects(
    cls: type, names: tuple[str, ...], attributes: Any, structures: Any, kinds: Any
) -> type[ObjectColumns]:
    own = {"cls": cls, "names": names, "attributes": attributes}
    return type("list", (ObjectColumns,), {"__slots__": (), "_fields": (":",), **own})


def in_columns(nest: Any, closed: Collection[str] = ()) -> Any:
    """Arguments by name, with the columns of long lists in their places, but of those `closed`."""
    return {name: x if name in closed else within_columns(x) for name, x in nest.items()}


def within_columns(x: Any) -> Any:
    """An argument, likewise: itself where there is no long list of like items in it."""
    kind = type(x)
    if kind is list and len(x) > FEW:
        columns = columns_of(x)
        return x if columns is None else tuple.__new__(type(columns), map(Column, columns))
    if kind not in _NESTS or len(x) > FEW:
        return x
    parts = list(map(within_columns, x.values() if kind is dict else x))
    if all(map(is_, parts, x.values() if kind is dict else x)):
        return x
    return dict(zip(x, parts, strict=True)) if kind is dict else kind(parts)


_NESTS = (tuple, list, dict)


def lists_of_columns(
    nest: Any, heaps: dict[type, Heap]
) -> tuple[Any, dict[int, tuple[tuple[Any, ...], Any]]]:
    """Arguments with lists of open length in the places of their columns, which are of a graph.

    Objects in these lists are on `heaps` then, of which the lists are given, too, by their ids, and
    with the paths to what they stand for.
    """
    held: dict[int, tuple[tuple[Any, ...], Any]] = {}

    def opened(x: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(x, ObjectColumns):
            return [_references(x, path, heaps, held)]
        if isinstance(x, Columns):
            return [_run(x.samples, iter(x))]
        found = tree.entries(x)
        if found is None:
            return x
        keys, parts, extra = found
        made = [opened(part, (*path, key)) for key, part in zip(keys, parts, strict=True)]
        return x if all(map(is_, made, parts)) else tree.container(type(x), keys, made, extra)

    return opened(nest, ()), held


def _run(samples: tuple[Any, ...], columns: Iterator[Any]) -> Run:
    item = _of_caller(all_joined(list(map(item_form, samples)), "the list"))
    return Run(item, [next(columns) for _ in number_leaves(item)])


def _references(
    columns: ObjectColumns, path: tuple[Any, ...], heaps: dict[type, Heap], held: dict[int, Any]
) -> Run:
    """References to objects, which are put on a heap."""
    cls = columns.cls
    if cls in heaps:
        raise StagingError(f"objects of {cls.__name__} are in two places of the arguments")
    heap = heaps[cls] = Heap(Plan(cls, reference_to(cls), columns.names), path)
    numbers, *rest = columns
    rows = iter(rest)
    for name, samples in zip(columns.names, columns.attributes, strict=True):
        heap.columns[name] = [_run(samples, rows)]
        held[id(heap.columns[name])] = (*path, OfItems(name)), heap.columns[name]
    return Run(item_form(tuple.__new__(heap.plan.reference, (0,))), [numbers])


def _of_caller(item: Form) -> Form:
    """The form of items that keep their types, as those of the caller's lists do."""
    if isinstance(item, Leaf):
        return OfCaller(item.type, numpy=item.numpy)
    if isinstance(item, OrNone):
        return OrNone(_of_caller(item.part))
    assert isinstance(item, Branching)
    return replace(item, parts=tuple(map(_of_caller, item.parts)))
