"""Long lists among the arguments of a call as columns: one array for each number in their items.

A list of many like items enters a graph as the rows of a list of open length: one trace serves all
lengths, and a loop over it is a loop of the graph. What the function does to the list is written
back into the caller's, as to any list among the arguments.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import chain, repeat
from operator import attrgetter, is_, is_not, itemgetter
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from autograph.operators.captured.methods import attribute
from autograph.operators.expressions.heap_objects import can_be_on_heap
from autograph.operators.symbolic.choices import OrNone
from autograph.operators.symbolic.containers import Branching, Ragged
from autograph.operators.symbolic.forms import Form, Leaf
from autograph.operators.symbolic.item_forms import all_joined, item_form
from autograph.operators.values.heaps import Heap, Plan, reference_to
from autograph.operators.values.runs import Run
from runtime.errors import StagingError
from runtime.execute.native.classes import Version
from runtime.execute.native.prepared import column_filler
from runtime.execute.native.words import Items
from runtime.structure import tree

__all__ = [
    "FEW",
    "AttributeOfItems",
    "Column",
    "Columns",
    "OfItems",
    "columns_of",
    "in_columns",
    "lists_of_columns",
    "paths_of_columns",
]

# Lists of no more items are their items one by one.
FEW = 16
_OF_NUMPY = (np.float64, np.int64, np.bool_)
_NOTHING: dict[Any, Any] = {
    float: 0.0, int: 0, bool: False, **{kind: kind(0) for kind in _OF_NUMPY},
}  # fmt: skip
# What native code reads at once, and what it becomes.
_AT_ONCE = {kind: np.dtype(kind) for kind in (float, int, np.float64, np.int64)}
_NONE = type(None)
_VALUES = (float, int, tuple, _NONE, *_OF_NUMPY)


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
    first = items[:1]  # another thread may change the list, at any time
    of_first: Any = type(first[0]) if first else None
    if (dtype := _AT_ONCE.get(of_first)) is not None and (fill := column_filler()) is not None:
        column = np.empty(len(items), dtype)
        if fill(items, column, of_first):
            return tuple.__new__(_kind_of(of_first), (column,))
    found: list[Any] = []
    if not (held := items[:]):
        return None
    things = Items.of(held)
    kind = things.kind
    if kind is list:
        form = _packed_lists(things, found)
        return None if form is None else tuple.__new__(_kind_of(form), found)
    if kind is not None and not issubclass(kind, _VALUES):
        is_made = kind.__flags__ & tree.MADE_BY_CLASS_STATEMENT
        return _columns_of_objects(things, kind) if is_made else None
    form = _packed(things, kind, found)
    return None if form is None or not found else tuple.__new__(_kind_of(form), found)


# The form of items: a class of numbers; None and such a class, of numbers or None; a class of
# tuples, and the forms of their parts.
_Form = Any


# What a class of tuples may not have methods of its own for, nor attributes beside its items.
_OF_TUPLES = ("__iter__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__")


def _packed(items: Items, kind: Any, found: list[Any]) -> _Form:
    """The form of items of a class, whose columns are added to those that were found.

    None where they have none. The class is None where there are several.
    """
    if kind is None:
        return _packed_or_none(items.listed(), found)
    if kind in _NOTHING:
        column = _column(items, kind)
        found.append(column)
        return None if column is None else kind
    if kind is not tuple and not (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return None
    own = [getattr(kind, name) is getattr(tuple, name) for name in _OF_TUPLES]
    if kind.__dictoffset__ or not all(own) or not items.have_length(len(items.first)):
        return None
    forms = []
    for number in range(len(items.first)):
        part = items.part(number)
        form = _packed(part, part.kind, found)
        if form is None:
            return None
        forms.append(form)
    return (kind, *forms)


def _packed_lists(things: Items, found: list[Any]) -> _Form:
    """The form of lists of numbers of one class: their lengths, and rows as long as the longest."""
    if things.first and type(things.first[0]) not in _NOTHING:
        return None  # as is seen at once of most others
    lists = [*map(list.copy, things.listed())]
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    items = [*chain.from_iterable(lists)]
    if not items or not things.are_distinct():
        return None
    numbers = Items.of(items)
    column = _column(numbers, numbers.kind) if numbers.kind in _NOTHING else None
    if column is None or (numbers.kind is not int and not lengths.min()):
        return None  # the sum of no numbers is an int
    width = int(lengths.max())
    if len(items) == width * len(lists):
        rows = column.reshape(len(lists), width)
    else:
        rows = np.zeros((len(lists), width), column.dtype)
        rows[np.arange(width) < lengths[:, None]] = column
    found += lengths, rows
    return (list, numbers.kind)


def _packed_or_none(items: list[Any], found: list[Any]) -> _Form:
    """Likewise of numbers, some of which are None."""
    kinds = {*map(type, items)} - {_NONE}
    kind = kinds.pop()
    if kinds or kind not in _NOTHING:
        return None
    nothing = _NOTHING[kind]
    column = _column(Items.of([nothing if x is None else x for x in items]), kind)
    found += column, np.fromiter(map(is_not, items, repeat(None)), bool, len(items))
    return None if column is None else (_NONE, kind)


def _column(items: Items, kind: Any) -> Any:
    """An array of numbers of a class; None where an int has no place in 64 bits."""
    if kind is int:
        return items.ints()
    if kind is float:
        return items.floats()
    return np.array(items.listed(), kind) if kind in (bool, np.bool_) else items.scalars(kind)


def _samples(form: _Form) -> list[Any]:
    """Items of a form, with zeros for numbers, and one with None where there may be None."""
    if type(form) is not tuple:
        return [_NOTHING[form]]
    kind, *parts = form
    if kind is _NONE:
        return [None, _NOTHING[parts[0]]]
    if kind is list:
        return [_samples(parts[0])]
    samples = list(map(_samples, parts))
    rows = zip(*([part[k % len(part)] for k in range(2)] for part in samples), strict=True)
    return [tree.container(kind, (), list(row)) for row in rows]


@functools.lru_cache(maxsize=1024)
def _kind_of(form: Any) -> type[Columns]:
    """The class of the columns of items of a form."""
    own = {"__slots__": (), "_fields": (":",), "samples": tuple(_samples(form))}
    return type("list", (Columns,), own)


def _columns_of_objects(things: Items, kind: Any) -> ObjectColumns | None:
    """The columns of objects that have the same attributes, each of numbers of one kind."""
    first, items = things.first, things.listed()
    found = [np.arange(len(items))]
    names = tuple(tree.attributes_of(first))
    is_plain = (
        kind.__setattr__ is object.__setattr__
        and kind.__getattribute__ is object.__getattribute__
        and kind.__delattr__ is object.__delattr__
    )
    if not is_plain or not _may_be_columns(kind, names, first) or not things.are_distinct():
        return None
    own = getattr(first, "__dict__", ())
    spaces = list(map(attrgetter("__dict__"), items)) if own else []
    if own and not Items.of(spaces).have_length(len(own)):
        return None
    forms = []
    for name in names:
        try:
            is_own = name in own
            held = map(itemgetter(name), spaces) if is_own else map(attrgetter(name), items)
            values = Items.of(list(held))
        except (AttributeError, KeyError):
            return None
        form = _packed(values, values.kind, found)
        if form is None:
            return None
        forms.append(form)
    return tuple.__new__(_kind_of_objects(kind, names, tuple(forms)), found)


# Of classes as they were when they were looked at, and names of attributes.
_known: WeakKeyDictionary[type, tuple[Version, dict[tuple[str, ...], bool]]] = WeakKeyDictionary()


def _may_be_columns(kind: Any, names: tuple[str, ...], thing: Any) -> bool:
    """Whether an object of a class is nothing but what it holds under these names."""
    if kind not in _known:
        _known[kind] = Version(kind), {}
    version, known = _known[kind]
    if not version.is_current():  # it may have got methods, or descriptors under these names
        version.renew()
        known.clear()
    if names not in known:
        known[names] = _holds_plainly(kind, names) and can_be_on_heap(kind, thing)
    return known[names]


def _holds_plainly(kind: Any, names: tuple[str, ...]) -> bool:
    of_class = (attribute(kind, name) for name in names)
    hidden = any(hasattr(x, "__set__") and type(x) is not MemberDescriptorType for x in of_class)
    are_names = bool(names) and all(map(str.isidentifier, names))
    has_own_dict = type(attribute(kind, "__dict__")) in (GetSetDescriptorType, type(None))
    return are_names and not hidden and has_own_dict


@functools.lru_cache(maxsize=256)
def _kind_of_objects(
    cls: type, names: tuple[str, ...], forms: tuple[_Form, ...]
) -> type[ObjectColumns]:
    """The class of the columns of objects of a class, with attributes of these forms."""
    attributes = tuple(tuple(_samples(form)) for form in forms)
    own = {"cls": cls, "names": names, "attributes": attributes}
    return type("list", (ObjectColumns,), {"__slots__": (), "_fields": (":",), **own})


def in_columns(nest: Any, closed: Collection[str] = ()) -> Any:
    """Arguments by name, with the columns of long lists in their places, but of those `closed`."""
    return {name: x if name in closed else _within_columns(x) for name, x in nest.items()}


def _within_columns(x: Any) -> Any:
    """An argument, likewise: itself where there is no long list of like items in it."""
    kind = type(x)
    if kind is list and len(x) > FEW:
        columns = columns_of(x)
        return x if columns is None else tuple.__new__(type(columns), map(Column, columns))
    if kind not in _NESTS or len(x) > FEW:
        return x
    parts = list(map(_within_columns, x.values() if kind is dict else x))
    if all(map(is_, parts, x.values() if kind is dict else x)):
        return x
    return dict(zip(x, parts, strict=True)) if kind is dict else kind(parts)


_NESTS = (tuple, list, dict)


def paths_of_columns(structure: tree.Structure) -> Iterator[tuple[Any, ...]]:
    """The paths to lists of which arguments of a structure have the columns.

    >>> from runtime.structure.tree import flatten
    >>> [*paths_of_columns(flatten(in_columns({"x": ([1.0] * 20, [1.0])}))[1])]
    [('x', 0)]
    """
    if structure.kind is not None and issubclass(structure.kind, Columns):
        yield ()
        return
    for key, child in zip(structure.keys, structure.children, strict=True):
        yield from ((key, *path) for path in paths_of_columns(child))


class OfItems(NamedTuple):
    """The end of a path: an attribute of the items of a list."""

    name: str

    def of(self, items: list[Any]) -> AttributeOfItems:
        """That of the items that a list has now."""
        return AttributeOfItems(self.name, [*items])


class AttributeOfItems(NamedTuple):
    """What some objects of the caller's hold under a name, as the content of a list."""

    name: str
    objects: list[Any]

    def held(self) -> tuple[Any, ...]:
        """What they hold now."""
        return tuple(map(attrgetter(self.name), self.objects))

    def put(self, values: list[Any]) -> None:
        """Give them others; what is behind these is of new objects."""
        deque(map(setattr, self.objects, repeat(self.name), values), maxlen=0)


def lists_of_columns(
    nest: Any, heaps: dict[type, Heap], lengths: dict[int, Any]
) -> tuple[Any, dict[int, tuple[tuple[Any, ...], Any]]]:
    """Arguments with lists of open length in the places of their columns, which are of a graph.

    Objects in these lists are on `heaps` then, of which the lists are given, too, by their ids, and
    with the paths to what they stand for. The `lengths` of lists in them are added by their ids.
    """
    held: dict[int, tuple[tuple[Any, ...], Any]] = {}

    def opened(x: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(x, ObjectColumns):
            return [_references(x, path, heaps, held)]
        if isinstance(x, Columns):
            made = [_run(x.samples, iter(x))]
            if type(x.samples[0]) is list:
                lengths[id(made)] = x[0]
            return made
        found = tree.entries(x)
        if found is None:
            return x
        keys, parts, extra = found
        inner = [opened(part, (*path, key)) for key, part in zip(keys, parts, strict=True)]
        return x if all(map(is_, inner, parts)) else tree.container(type(x), keys, inner, extra)

    return opened(nest, ()), held


def _run(samples: tuple[Any, ...], columns: Iterator[Any]) -> Run:
    item = _of_caller(all_joined(list(map(item_form, samples)), "the list"))
    return Run(item, [next(columns) for _ in item.columns()])


def _references(
    columns: ObjectColumns, path: tuple[Any, ...], heaps: dict[type, Heap], held: dict[int, Any]
) -> Run:
    """References to objects, which are put on a heap."""
    cls = columns.cls
    if cls in heaps:
        raise StagingError(f"objects of {cls.__name__} are in two places of the arguments")
    heap = heaps[cls] = Heap(Plan(cls, reference_to(cls), columns.names, path))
    numbers, *rest = columns
    rows = iter(rest)
    for name, samples in zip(columns.names, columns.attributes, strict=True):
        heap.columns[name] = [_run(samples, rows)]
        held[id(heap.columns[name])] = (*path, OfItems(name)), heap.columns[name]
    return Run(item_form(tuple.__new__(heap.plan.reference, (0,))), [numbers])


def _of_caller(item: Form) -> Form:
    """The form of items that keep their types, as those of the caller's lists do."""
    if isinstance(item, Leaf):
        return replace(item, caller=True)
    if isinstance(item, OrNone):
        return OrNone(_of_caller(item.part))
    assert isinstance(item, Branching)
    if item.like.__class__ is list:
        return Ragged(_of_caller(item.parts[0]))
    return replace(item, parts=tuple(map(_of_caller, item.parts)))
