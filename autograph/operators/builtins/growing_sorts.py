"""Lists whose length depends on data put in order: by their items, or by a key of each."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeGuard

import numpy as np

from autograph.operators.captured.methods import method
from autograph.operators.containers.growing import items_of, looked_at, packed, raise_if, write
from autograph.operators.containers.growing_methods import numbers_of
from autograph.operators.loops.loops import for_stmt
from autograph.operators.symbolic.choices import Among, OrNone
from autograph.operators.symbolic.containers import Branching
from autograph.operators.symbolic.forms import Form, Static
from autograph.operators.symbolic.rows import size_of
from autograph.operators.symbolic.texts import Written
from autograph.operators.values.bodies import NO_NAMES, stage_raise
from autograph.operators.values.contents import append_item
from autograph.operators.values.heaps import Reference
from autograph.operators.values.runs import Run, note_shared
from runtime import journal, ops
from runtime.errors import LimitValueError
from runtime.ops.python.texts import text_ranks
from runtime.tensor import Tensor

__all__ = ["in_order", "put_in_order", "refuse_nan_sorted", "sorted_items"]


def in_order(
    x: list[Any], *, key: Callable[[Any], Any] | None = None, reverse: bool = False
) -> Callable[[list[Any]], None]:
    """What puts the items of `x`, in order, into a list."""
    form, rows = packed(x)
    ordered = _sorted(x, form, rows, key, reverse)
    return lambda other: write(other, form, ordered)


def sorted_items(
    x: list[Any], *, key: Callable[[Any], Any] | None = None, reverse: bool = False
) -> list[Any]:
    """`sorted(x, key=key, reverse=reverse)`."""
    form, rows = packed(x)
    made: list[Any] = journal.fresh([Run(form, _sorted(x, form, rows, key, reverse))])
    note_shared(made)
    return made


def put_in_order(x: list[Any], order: Any) -> None:
    """Put the items of a list into an order that depends on data."""
    form, rows = packed(x)
    write(x, form, [ops.take(row, order, axis=0) for row in rows])


def _sorted(
    x: list[Any], form: Form, rows: list[Tensor], key: Callable[[Any], Any] | None, reverse: bool
) -> list[Tensor]:
    compared, found = (form, rows) if key is None else _keys(x, key)
    columns = _columns(compared, found)
    if not columns:
        return rows  # there is nothing to compare: no item, or only empty ones
    refuse_nan_sorted(columns)
    if _is_nest(compared) and not _are_compared(compared):
        _refuse_equal_starts(columns)
    columns = [ops.flip(column) for column in columns] if reverse else columns
    order = _order(columns)
    order = ops.flip(size_of(rows) - 1 - order) if reverse else order
    return [ops.take(row, order, axis=0) for row in rows]


def refuse_nan_sorted(columns: Iterable[Tensor]) -> None:
    """Raise, when the graph runs, where nan is sorted: Python leaves it, and others, anywhere."""
    what = (
        "nan is sorted: where Python puts it, and others, depends on how they stood; use `np.sort`"
    )
    for column in columns:
        if column.type.is_inexact:
            stage_raise(ops.any(ops.isnan(column)), LimitValueError(what))


def _keys(x: list[Any], key: Callable[[Any], Any]) -> tuple[Form, list[Tensor]]:
    """The keys of the items, which are asked for one after the other, before any is compared."""
    keys: list[Any] = journal.fresh([])
    for_stmt(items_of(x), None, _Asking(keys, key), *NO_NAMES, {})
    return looked_at(keys)


class _Asking:
    """A round of the loop that asks for keys; its place in the program is that of the key."""

    def __init__(self, keys: list[Any], key: Callable[[Any], Any]) -> None:
        self._keys, self._key = keys, key
        self.__code__ = getattr(key, "__code__", _Asking.__call__.__code__)

    def __call__(self, item: Any) -> None:
        append_item(self._keys, self._key(item))


def _order(columns: list[Tensor]) -> Any:
    """The positions of the items in order; equal ones stay as they stood."""
    several = len(columns) > 1
    return ops.lexsort(columns[::-1]) if several else ops.argsort(columns[0], stable=True)


def _columns(form: Form, rows: list[Tensor]) -> list[Tensor]:
    """What is compared, the most important first: numbers and texts, or those in tuples.

    Of tuples that hold something else (the items of a dict of lists), what comes before that.
    """
    if form.number_types:
        return numbers_of(form, rows, "it is sorted")
    if _are_compared(form):
        return list(_columns_of(form, iter(rows)))
    parts = form.parts if _is_nest(form) else ()
    start = list(itertools.takewhile(_are_compared, parts))
    if not start:
        return numbers_of(form, rows, "it is sorted")
    remaining = iter(rows)
    return [column for part in start for column in _columns_of(part, remaining)]


def _refuse_equal_starts(columns: list[Tensor]) -> None:
    """Raise, when the graph runs, where two items differ by what no graph compares, if at all."""
    order = _order(columns)
    ordered = [ops.take(column, order, axis=0) for column in columns]
    are_equal = [ops.equal(column[1:], column[:-1]) for column in ordered]
    both = functools.reduce(ops.logical_and, are_equal)
    what = (
        "items are sorted that have equal numbers or texts before a list or another container: "
        "give a key (`key=`) that tells them apart"
    )
    stage_raise(ops.any(both), LimitValueError(what))


def _is_nest(form: Form) -> TypeGuard[Branching]:
    if not isinstance(form, Branching) or method(form.like, "__lt__") is not None:
        return False
    return isinstance(form.like, tuple | list) and not isinstance(form.like, Reference)


def _are_compared(form: Form) -> bool:
    """Whether items are numbers or texts, or tuples or lists of them."""
    if isinstance(form, Branching):
        return _is_nest(form) and all(map(_are_compared, form.parts))
    if isinstance(form, OrNone):
        return _are_compared(form.part)
    if isinstance(form, Static):
        return isinstance(form.value, str)
    if isinstance(form, Among):
        return isinstance(form.things[0], str)
    return isinstance(form, Written) or any(leaf.type.rank == 0 for leaf in form.number_types)


def _columns_of(form: Form, rows: Iterator[Tensor]) -> Iterator[Tensor]:
    if isinstance(form, Branching):
        for part in form.parts:
            yield from _columns_of(part, rows)
    elif isinstance(form, OrNone):
        yield from _columns_of(form.part, rows)
        present = next(rows)
        is_compared = ops.logical_and(size_of([present]) > 1, ops.logical_not(ops.all(present)))
        what = "'<' not supported between instances of 'NoneType' and another type"
        raise_if(is_compared, TypeError(what))
    elif isinstance(form, Written):
        counts, letters = next(rows), next(rows)
        yield text_ranks(counts, letters)
    elif isinstance(form, Among):
        ranked = sorted(form.things)
        yield ops.getitem(np.array([ranked.index(text) for text in form.things]), next(rows))
    elif form.number_types:
        yield form.as_numbers(rows)
