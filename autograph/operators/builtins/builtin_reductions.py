"""Python's built-in functions that give one value of many: lengths, sums, extremes, tests."""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.operators.branches.chosen_text import is_chosen, of_each
from autograph.operators.branches.conditionals import if_exp
from autograph.operators.builtins import gathering
from autograph.operators.builtins.quantifiers import fold
from autograph.operators.builtins.reductions import reduced, sum_of
from autograph.operators.captured.captures import current_trace, guard_count
from autograph.operators.captured.variables import there
from autograph.operators.containers import open_deques, open_dicts, open_sets
from autograph.operators.containers.growing_arrays import arrays_to_add, as_array
from autograph.operators.expressions import access
from autograph.operators.expressions.generators import call_of
from autograph.operators.expressions.operands import is_array, plain
from autograph.operators.symbolic.rows import length
from autograph.operators.values import iterables
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.captured_items import with_inputs
from autograph.operators.values.grown_text import letters_of
from autograph.operators.values.iterables import Indexed, IndexedIterator
from autograph.operators.values.lengths import own_length
from autograph.operators.values.numbers_or_arrays import refuse_number_or_array
from autograph.operators.values.runs import EntriesView, has_runs
from autograph.operators.values.templates import LazyString, has_traced
from runtime import ops
from runtime.building import building
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor

__all__ = ["extremum", "len_", "quantifier", "sum_"]


_ABSENT = object()


def len_(x: Any) -> Any:
    """`len(x)`: a Python int where it is known, else an integer tensor."""
    if type(x) in (list, tuple) and has_runs(x):
        return length(x)
    if open_sets.items_of(x) is not None:
        return open_sets.size(x)
    x = x.of if type(x) is EntriesView else x
    if open_dicts.is_open(x):
        return open_dicts.size(x)
    if open_deques.items_of(x) is not None:
        return open_deques.size(x)
    x = plain(x)
    if isinstance(x, Indexed):
        return len(x) if isinstance(x, IndexedIterator) else x.length
    if is_chosen(x):
        return of_each(x, len_)
    if isinstance(x, LazyString) and building() is not None:
        return ops.dim(letters_of(x), axis=0)
    if isinstance(x, Tensor):
        shape = x.type.shape
        if shape is None or (shape != () and shape[0] is None):
            refuse_number_or_array(x, "its length is asked for")
            return ops.dim(x, axis=0)
    own = own_length(x) if current_trace() is not None else None
    if own is None:
        return len(x) if guard_count(x) else len(with_inputs(x))
    return own


def sum_(x: Any, start: Any = 0) -> Any:
    if has_runs(x) and not np.ndim(start):
        arrays = arrays_to_add(x)
        x = x if arrays is None else arrays
    return sum_of(plain(x), start)


def extremum(name: str, better: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """`min` or `max`."""
    python = getattr(builtins, name)

    def choose(best: Any, item: Any) -> Any:
        return if_exp(better(item, best), lambda: item, lambda: best, name)

    def choose_pair(best: Any, item: Any) -> Any:
        return if_exp(better(item[0], best[0]), lambda: item, lambda: best, name)

    def extreme(*args: Any, key: Any = None, default: Any = _ABSENT) -> Any:
        choice = choose if key is None else choose_pair
        change = None if key is None else lambda item: (key(item), item)
        if not args:
            return python()
        is_changed = len(args) == 1 and call_of(args[0]) is not None
        x = plain(gathering.gathered(args[0], change) if len(args) == 1 else args)
        if len(args) == 1 and is_array(x):
            rows = iterables.as_indexed(x)
            assert rows is not None
            if change is not None and not is_changed:
                rows = _changed(rows, change)
            return _extreme_of(rows, choice, name, default, is_keyed=key is not None)
        given = access.iterate(x)
        if change is not None and not is_changed:
            given = map(change, given)  # each before the next is asked for
        items = there([item for item in given])  # noqa: C416 - `list` asks for a length
        if not items:
            return python(()) if default is _ABSENT else default
        order = items if key is None else [item[0] for item in items]
        if not any(map(_is_compared_by_data, order)):
            found = python(items) if key is None else python(items, key=operator.itemgetter(0))
        else:
            found = functools.reduce(choice, items)
        return found if key is None else found[1]

    extreme.__name__ = name
    return extreme


def _is_compared_by_data(x: Any) -> bool:
    """Whether Python cannot say which of such items is the least."""
    is_object = type(x).__flags__ & MADE_BY_CLASS_STATEMENT and not isinstance(x, type)
    return is_array(x) or has_traced(x) or (bool(is_object) and current_trace() is not None)


def _changed(rows: Indexed, change: Callable[[Any], Any]) -> Indexed:
    return Indexed(rows.name, rows.length, lambda i: change(rows.item(i)))


def _extreme_of(
    rows: Indexed, choose: Callable[[Any, Any], Any], name: str, default: Any, *, is_keyed: bool
) -> Any:
    """The best of some rows, which are pairs of the key and the item if they are `keyed`."""
    known = rows.known_length()
    if known == 0:
        if default is _ABSENT:
            raise _of_nothing(name)
        return default
    if known is None and default is _ABSENT:
        stage_raise(ops.equal(rows.length, 0), _of_nothing(name))
    elif known is None:

        def some() -> Any:
            return _extreme_of(rows, choose, name, _ABSENT, is_keyed=is_keyed)

        return if_exp(rows.length > 0, some, lambda: default, name)
    found = reduced(rows.after(1), rows.item(0), choose)
    return found[1] if is_keyed else found


def _of_nothing(name: str) -> ValueError:
    """Python's own error, whose text differs between versions."""
    try:
        getattr(builtins, name)(())
    except ValueError as error:
        return error.with_traceback(None)
    raise AssertionError(f"{name}(()) did not raise")


def quantifier(name: str) -> Callable[[Any], Any]:
    """`any` or `all`."""
    python, op = getattr(builtins, name), getattr(ops, name)

    def quantify(x: Any) -> Any:
        x = as_array(x) if has_runs(x) else plain(x)
        if isinstance(x, Tensor):
            if x.is_known:
                return python(x)
            if x.type.rank != 1:
                return fold(name, access.iterate(x))
            return ops.as_weak(op(x), kind="bool")
        return gathering.quantified(name, x) if current_trace() is not None else python(x)

    quantify.__name__ = name
    return quantify
