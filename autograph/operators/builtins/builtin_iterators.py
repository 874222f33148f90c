"""Python's built-in functions that give ranges and iterators."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from autograph.library import feeding
from autograph.operators.builtins import gathering
from autograph.operators.builtins.builtin_numbers import check_is_index, index_, weak_int
from autograph.operators.builtins.comprehensions import filtered, generator_exp
from autograph.operators.builtins.counts import turn_of
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.methods import converted, method
from autograph.operators.containers import growing, list_iterators
from autograph.operators.expressions import access
from autograph.operators.expressions.generators import call_of
from autograph.operators.expressions.operands import is_array, plain
from autograph.operators.loops.feeds import is_older_iterator, next_of
from autograph.operators.symbolic.listed import is_of_open_length
from autograph.operators.values import iterables
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.iterables import Indexed, is_open
from autograph.operators.values.iterators import taken
from autograph.operators.values.ranges import OpenRange
from autograph.operators.values.runs import has_runs
from autograph.operators.values.templates import shown
from runtime import journal, ops
from runtime.array_methods import FlatView
from runtime.building import building
from runtime.errors import StagingError
from runtime.tensor import Tensor

__all__ = ["enumerate_", "filter_", "iter_", "map_", "ndenumerate_", "ndindex_", "next_", "range_",
           "reversed_", "zip_"]  # fmt: skip


def range_(*args: Any) -> Any:
    """`range` with bounds that may be tensors."""
    args = tuple(map(plain, args))
    if not any(map(is_open, args)):
        return range(*map(shown, args))
    if not 1 <= len(args) <= 3:
        return range(*args)
    for a in args:
        if isinstance(a, Tensor):
            check_is_index(a)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return OpenRange(*(weak_int(a) for a in (start, stop, step)))


def _rows(x: Any) -> Any:
    """What is gone through: the elements of an array where that is its `flat`."""
    return x.elements() if isinstance(x, FlatView) else plain(x)


def enumerate_(x: Any, start: Any = 0) -> Any:
    x, start = _rows(x), index_(start)
    if call_of(x) is not None:
        return gathering.enumerated(x, start)
    traced = is_array(x) or is_open(start)
    return journal.fresh(iterables.enumerated(x, start) if traced else enumerate(x, start))


def ndenumerate_(x: Any) -> Any:
    """`np.ndenumerate(x)` of an array."""
    x = plain(x)
    if not isinstance(x, Tensor):
        return np.ndenumerate(x)
    return journal.fresh(iterables.with_indices(x))


def ndindex_(*shape: Any) -> Any:
    """`np.ndindex` of sizes that may be tensors."""
    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    if not any(map(is_open, shape)):
        return journal.fresh(np.ndindex(*map(shown, shape)))
    for size in shape:
        if is_open(size):
            check_is_index(size)
            error = ValueError("negative dimensions are not allowed")
            stage_raise(ops.less(size, 0), error)
        elif operator.index(size) < 0:
            raise ValueError("negative dimensions are not allowed")
    return journal.fresh(iterables.positions("ndindex", list(map(weak_int, shape))))


def zip_(*parts: Any, strict: bool = False) -> Any:
    parts = tuple(map(_rows, parts))
    if not strict and sum(call_of(part) is not None for part in parts) == 1:
        together = gathering.zipped(parts)
        if together is not None:
            return together
    parts = _in_step(parts)
    traced = any(map(is_array, parts))
    return journal.fresh(iterables.zipped(parts, strict) if traced else zip(*parts, strict=strict))


def _in_step(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is gone through together: beside what only the graph knows the length of, by indices."""
    if not any(isinstance(part, Indexed) and is_open(part.length) for part in parts):
        return parts
    return tuple(
        growing.items_of(part) if type(part) in (list, tuple) and part else part for part in parts
    )


def reversed_(x: Any) -> Any:
    x = iterables.with_members(plain(x), "__reversed__")
    if isinstance(x, iterables.IndexedIterator):
        raise TypeError(f"'{x.name}' object is not reversible")
    return journal.fresh(iterables.reversed_(x) if is_array(x) else reversed(x))


def map_(function: Any, *parts: Any) -> Any:
    parts = tuple(map(_rows, parts))
    if len(parts) == 1 and call_of(parts[0]) is not None:
        return generator_exp(parts[0], lambda items: (function(item) for item in items))
    parts = _in_step(parts)
    traced = any(map(is_array, parts))
    return journal.fresh(iterables.mapped(function, parts) if traced else map(function, *parts))


def filter_(function: Any, x: Any) -> Any:
    if not is_array(plain(x)) and current_trace() is None:
        return filter(function, x)
    return filtered((lambda item: item) if function is None else function, plain(x))


def next_(iterator: Any, *default: Any) -> Any:
    """`next`; an iterator from outside of the trace is advanced when the graph runs."""
    if isinstance(iterator, HostValue):
        iterator.refuse()
    facts = current_trace()
    if facts is not None and not default and is_older_iterator(iterator):
        return next_of(iterator)
    older = facts if facts is not None and facts.outside.has(iterator) else None
    if older is not None and not older.adopted.adopt(type(iterator)):
        raise StagingError(
            "`next` of an iterator that exists outside of the converted function, with a value for "
            "its end, would advance it only while tracing",
            "call `next` outside and pass the item as an argument",
        )
    turn = turn_of(iterator)
    if turn is not None:
        step = feeding.next_in_turn_or if default else feeding.next_in_turn
        return converted(step)(turn, *default)
    taken(iterator)
    return gathering.first_of(iterator, *default)


def iter_(x: Any, *sentinel: Any) -> Any:
    if has_runs(x) or is_of_open_length(x):
        items = growing.items_of(x) if has_runs(x) else iterables.of_rows(x)
        return journal.fresh(iterables.iterator_over(items))
    if list_iterators.tells(x):
        return iter(x, *sentinel)
    begin = None if sentinel or building() is None else method(x, "__ag_iter__")
    if begin is not None:
        return journal.fresh(begin())
    made = iter(access.iterate(x)) if not sentinel else iter(x, *sentinel)
    return made if made is x else journal.fresh(made)
