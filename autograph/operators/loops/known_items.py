"""Items that are known while tracing, in tables: so a loop of the graph finds them by a number."""

from __future__ import annotations

import copy
import functools
import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from autograph.operators.captured.captures import current_trace, guard_content
from autograph.operators.captured.guards import same_value
from autograph.operators.values.captured_items import Going, is_reading
from autograph.operators.values.carried import is_array, type_of
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.references import Snapshot, snapshot
from runtime import ops
from runtime.tensor import Tensor

__all__ = ["KnownItems", "known_items"]

# Fewer items of known numbers are always unrolled.
_FEW_ITEMS = 3
# The largest number of them that the graph looks up: sums of two are still of 64 bits.
_LARGEST = 2**62
# What gives the same items each time, and iterators that others of the same items can be made of.
_VIEWS = tuple(map(type, ({}.keys(), {}.values(), {}.items())))
_ITERABLES = (tuple, list, set, frozenset, dict, Going, *_VIEWS)
_CHOICES = (
    itertools.combinations,
    itertools.combinations_with_replacement,
    itertools.permutations,
    itertools.product,
)
_ITERATORS = (*map(type, (iter(()), iter([]), reversed([]), iter(range(0)))), *_CHOICES)
# Of more choices out of some items, what they all are is not looked at.
_MANY_CHOICES = 10_000

# To copy an array into a table takes as long to compile as so many operations on numbers.
_OF_AN_ARRAY = 4

# How an item, or a part of it, is found by its number; and how that is made ready for a graph.
_Find = Callable[[Any], Any]
_Column = Callable[[], _Find]


class KnownItems:
    """The items that a loop is about to go through: all are numbers or arrays, or tuples, alike."""

    def __init__(self, iterated: Any, items: Sequence[Any], column: _Column) -> None:
        self.items = items
        self._iterated, self._column = iterated, column
        held = [] if isinstance(items, _Product) else list(_tensors_in(items))
        self._arrays = [x for x in held if x.type.rank]
        # As how many nodes it counts to put them into tables when the graph runs.
        self.cost = sum(_OF_AN_ARRAY if x.type.rank else 1 for x in held)
        self._before = self._written()

    def indexed(self, first: int) -> Indexed:
        """The items from that number on, by their number."""
        find, name = self._column(), f"a {type(self._iterated).__name__}"
        return Indexed(name, len(self.items) - first, lambda index: find(index + first))

    def are_the_same(self, taken: int) -> bool:
        """Whether Python would still go through these, of which so many are taken."""
        if self._before != self._written():
            return False
        if isinstance(self.items, _Product):
            return self.items.has_taken(self._iterated, taken)
        now = _ahead(self._iterated) or []
        first = taken if isinstance(self._iterated, Iterator) else 0
        return same_value(self.items[first:], now)

    def _written(self) -> list[Any]:
        """What changes when an array is written that is an item."""
        return [x.cell().token for x in self._arrays]

    def are_in(self, values: Iterable[Any]) -> bool:
        """Whether an array among these is an item, and only data knows which one."""
        cells = {x.cell() for x in self._arrays}
        held = [x._cell for x in _tensors_in(values)] if cells else []
        return any(isinstance(x, Snapshot) and not cells.isdisjoint(x.sources) for x in held)


def _tensors_in(values: Iterable[Any]) -> Iterator[Tensor]:
    for x in values:
        if isinstance(x, Tensor):
            yield x
        elif isinstance(x, (list, tuple)):
            yield from _tensors_in(x)


def known_items(iterable: Any) -> KnownItems | None:
    """The items of an iterable, which may be an iterator; None where they are not alike."""
    product = _product_of(iterable)
    if product is not None:
        column = product.column() if len(product) >= _FEW_ITEMS else None
        return None if column is None else KnownItems(iterable, product, column)
    items = _ahead(iterable)
    if items is None:
        return None
    column = _column(items) if len(items) >= _FEW_ITEMS else None
    return None if column is None else KnownItems(iterable, items, column)


def _ahead(iterable: Any) -> list[Any] | None:
    """The items that it gives from now on, none of which is taken; None where that is not known."""
    other = iterable if type(iterable) in _ITERABLES else _other(iterable)
    if other is None or type(iterable) not in _CHOICES:
        return None if other is None else list(other)
    found = list(itertools.islice(other, _MANY_CHOICES + 1))
    return found if len(found) <= _MANY_CHOICES else None


def _asked_of_itertools(how: Callable[[], Any]) -> Any:
    """What an iterator tells of itself; Python 3.12 and 3.13 warn that 3.14 no longer says it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return how()


def _other(iterator: Any) -> Iterator[Any] | None:
    """Another iterator of the same items; None of what is none, or may do more than give them."""
    kind = type(iterator)
    if kind in _ITERATORS:
        again: Iterator[Any] = _asked_of_itertools(lambda: copy.copy(iterator))
        return again
    if kind is enumerate:
        inner, start = _asked_of_itertools(iterator.__reduce__)[1]
        other = _other(inner)
        return None if other is None else enumerate(other, start)
    if kind is zip:
        _, parts, *strict = _asked_of_itertools(iterator.__reduce__)
        others = [other for other in map(_other, parts) if other is not None]
        is_plain = len(others) == len(parts) and not any(strict)
        return zip(*others, strict=False) if is_plain else None
    if kind is map:  # of a list from outside
        function, inner = _asked_of_itertools(iterator.__reduce__)[1]
        other = _other(inner) if is_reading(function) else None
        return None if other is None else map(function, other)
    return None


# ---- products ------------------------------------------------------------------------------------


class _Product(Sequence[Any]):
    """What an `itertools.product` gives, which need not be made to be found by a number."""

    def __init__(self, pools: tuple[tuple[Any, ...], ...]) -> None:
        self._pools = pools

    def __len__(self) -> int:
        return math.prod(map(len, self._pools))

    def __getitem__(self, number: Any) -> Any:
        return _of_pools(number, [(len(pool), pool.__getitem__) for pool in self._pools])

    def column(self) -> _Column | None:
        """How the graph finds an item; None where a pool is not of numbers."""
        columns = [_column(list(pool)) for pool in self._pools]
        known = [column for column in columns if column is not None]
        if len(known) < len(columns):
            return None
        sizes = list(map(len, self._pools))

        def prepared() -> _Find:
            finds = [column() for column in known]
            return lambda number: _of_pools(number, list(zip(sizes, finds, strict=True)))

        return prepared

    def has_taken(self, iterator: Any, count: int) -> bool:
        """Whether the iterator has given so many of its items."""
        made: Any = _asked_of_itertools(_inner(iterator).__reduce__)
        _, pools, *state = made
        if not count or not state:
            return pools == self._pools and not (count or state)
        place = 0
        for pool, at in zip(pools, state[0], strict=True):
            place = place * len(pool) + at
        return place == count - 1


def _of_pools(number: Any, pools: list[tuple[int, _Find]]) -> tuple[Any, ...]:
    found: list[Any] = []
    for size, find in reversed(pools):
        is_first = len(found) == len(pools) - 1
        found.insert(0, find(number if is_first else number % size))
        number = number if is_first else number // size
    return tuple(found)


def _inner(iterator: Any) -> Any:
    """The product that an iterator is, or that an `np.ndindex` goes through."""
    return getattr(iterator, "_iter", None) if type(iterator) is np.ndindex else iterator


def _product_of(iterator: Any) -> _Product | None:
    """The product that an iterator is about to begin; None where it is another one."""
    inner = _inner(iterator)
    if type(inner) is not itertools.product:
        return None
    made: Any = _asked_of_itertools(inner.__reduce__)
    _, pools, *state = made
    return None if state or not pools else _Product(pools)


# ---- tables --------------------------------------------------------------------------------------


def _column(values: list[Any]) -> _Column | None:
    kinds = set(map(type, values))
    if len(kinds) != 1:
        return None
    (kind,) = kinds
    base = next((base for base in _COLUMNS if issubclass(kind, base)), None)
    return None if base is None else _COLUMNS[base](values, kind)


def _of_numbers(values: list[Any], kind: type) -> _Column | None:
    if kind not in (bool, int, float):
        return None
    if kind is int:
        if not -_LARGEST <= min(values) <= max(values) <= _LARGEST:
            return None
        start, step = values[0], (values[1] if len(values) > 1 else 1) - values[0]
        if values == list(itertools.islice(itertools.count(start, step), len(values))):
            return lambda: functools.partial(_counted, start, step)
    table, name = np.array(values), kind.__name__
    return lambda: lambda index: ops.as_weak(ops.getitem(table, index), kind=name)


def _counted(start: int, step: int, index: Any) -> Any:
    return index if (start, step) == (0, 1) else start + index * step


def _of_tuples(values: list[Any], kind: type) -> _Column | None:
    is_plain = kind is tuple or (hasattr(kind, "_fields") and kind.__bases__ == (tuple,))
    if not is_plain or len(set(map(len, values))) != 1 or not values[0]:
        return None
    columns = [_column(list(part)) for part in zip(*values, strict=True)]
    known = [column for column in columns if column is not None]
    if len(known) < len(columns):
        return None

    def prepared() -> _Find:
        _guard(values)
        finds = [column() for column in known]
        return lambda index: tuple.__new__(kind, [find(index) for find in finds])

    return prepared


def _guard(values: list[Any]) -> None:
    """Note that the trace holds only for what is in these now."""
    trace = current_trace()
    for x in values:
        if trace is not None and trace.outside.has(x):
            guard_content(x, f"a {type(x).__name__}")


def _of_tensors(values: list[Tensor], kind: type) -> _Column | None:
    types = list(map(type_of, values))
    first = types[0]
    if any(type_ != first for type_ in types) or None in (
        first.shape or (None,) * (first.rank != 0)
    ):
        return None
    if first.rank:
        return functools.partial(_of_arrays, values)
    if any(map(is_array, values)):  # those without axes are no numbers
        return None

    def prepared() -> _Find:
        table = ops.stack(values)
        if not first.weak:
            return functools.partial(ops.getitem, table)
        return lambda index: ops.as_weak(ops.getitem(table, index))

    return prepared


def _of_arrays(values: list[Tensor]) -> _Find:
    table = ops.stack(values)
    cells = dict.fromkeys(x.cell() for x in values)
    return lambda index: snapshot(ops.getitem(table, index), cells, "an item", is_one=True)


_COLUMNS: dict[type, Callable[[list[Any], type], _Column | None]] = {
    bool: _of_numbers,
    int: _of_numbers,
    float: _of_numbers,
    tuple: _of_tuples,
    Tensor: _of_tensors,
}
