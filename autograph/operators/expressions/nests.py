"""Comparisons of tuples, lists and dicts in which something is known only when the graph runs.

As in Python, items are compared from the first to the last, those that are one object count as
equal, and what comes after the first that differ is not compared.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.operators.branches.conditionals import condition, if_exp, weak_truth
from autograph.operators.captured.methods import attribute, method
from autograph.operators.containers import compared_dicts, growing, growing_methods
from autograph.operators.expressions.access import delitem
from autograph.operators.results.expanding import shown_in_text
from autograph.operators.values.bodies import stage_raise
from autograph.operators.values.captured_items import with_captured
from autograph.operators.values.heaps import Reference, refuse_compared
from autograph.operators.values.runs import has_runs, holds_runs
from autograph.operators.values.templates import is_late
from runtime import ops
from runtime.building import building
from runtime.tensor import Tensor

__all__ = ["SEARCHES", "equal", "has_own_equality", "is_by_data", "is_searched_by_data", "items_of",
           "ordered"]  # fmt: skip

_KINDS = (tuple, list, dict)
Order = Callable[[Any, Any], Any]


def is_by_data(left: Any, right: Any, name: str = "__eq__") -> bool:
    """Whether two nests of one kind are compared, with what is known only when the graph runs.

    They are by the method `name` of the built-in class, where no class of the user's has its own.
    """
    if building() is None:
        return False
    kind = _kind_of(left, name)
    if kind is None or kind is not _kind_of(right, name):
        return False
    pair = with_captured(left), with_captured(right)
    are_plain = type(left) in _KINDS and type(right) is type(left)
    return is_late(pair) or (are_plain and holds_runs(pair))


def _kind_of(x: Any, name: str = "__eq__") -> type | None:
    """The built-in class whose `==`, or other comparison, an object has."""
    base = next((k for k in _KINDS if issubclass(type(x), k)), None)
    is_its = base is not None and attribute(type(x), name) is attribute(base, name)
    return base if is_its else None


def equal(left: Any, right: Any) -> Any:
    """`left == right` of two nests of one kind."""
    left, right = with_captured(left), with_captured(right)
    if compared_dicts.are_compared(left, right):
        return compared_dicts.equal(left, right)
    if has_runs(left) or has_runs(right):
        return growing_methods.equal(left, right)
    if isinstance(left, dict):
        if dict.keys(left) != dict.keys(right):
            return False
        get = dict.__getitem__
        pairs = [(get(left, key), get(right, key)) for key in dict.keys(left)]
    else:
        left, right = items_of(left), items_of(right)
        if len(left) != len(right):
            return False
        pairs = list(zip(left, right, strict=True))
    return weak_truth(_all_equal(pairs))


def items_of(x: Any) -> list[Any]:
    """What is in a list or tuple, whatever an `__iter__` of its class gives."""
    return list(list.__iter__(x) if isinstance(x, list) else tuple.__iter__(x))


def _all_equal(pairs: Sequence[tuple[Any, Any]]) -> Any:
    so_far: Any = True
    for k, pair in enumerate(pairs):
        is_open = isinstance(so_far, Tensor)
        if is_open and not all(map(_is_number, pair)):
            rest = functools.partial(_all_equal, pairs[k:])
            return if_exp(so_far, rest, lambda: False, "==")
        test = _same(*pair)
        if not isinstance(test, Tensor) and not test:
            return False
        if isinstance(test, Tensor):
            so_far = ops.logical_and(so_far, test) if is_open else test
    return so_far


def _is_number(x: Any) -> bool:
    """Whether comparing with it neither raises nor runs code of the user's."""
    return isinstance(x, (int, float, complex, np.generic)) or (
        isinstance(x, Tensor) and x.type.rank == 0
    )


def _same(one: Any, other: Any) -> Any:
    """Whether two items are equal, as containers ask it: a traced bool where it depends on data."""
    if one is other:
        return True
    refuse_compared(one, other)
    kind = _kind_of(one)
    if kind is not None and kind is _kind_of(other):
        return condition(equal(one, other))
    return condition(one == other)


def ordered(sign: Order, left: Any, right: Any) -> Any:
    """`left < right` and its kin of two tuples or lists; `sign` is the function of `operator`.

    As in Python, it is what comparing the first items that differ gives: of NumPy's, NumPy's bool.
    """
    left, right = with_captured(left), with_captured(right)
    if has_runs(left) or has_runs(right):
        return growing_methods.in_order(sign, left, right)
    return _in_order(sign, items_of(left), items_of(right))


def _in_order(sign: Order, left: list[Any], right: list[Any]) -> Any:
    for k, (one, other) in enumerate(zip(left, right, strict=False), 1):
        test = _same(one, other)
        if isinstance(test, Tensor):
            rest = functools.partial(_in_order, sign, left[k:], right[k:])
            return if_exp(test, rest, functools.partial(_item_in_order, sign, one, other), "<")
        if not test:
            return _item_in_order(sign, one, other)
    return sign(len(left), len(right))


def _item_in_order(sign: Order, one: Any, other: Any) -> Any:
    name = f"__{sign.__name__}__"
    kind = _kind_of(one, name)
    is_object = isinstance(one, Reference)
    if kind in (tuple, list) and kind is _kind_of(other, name) and not is_object:
        return ordered(sign, one, other)
    return sign(one, other)


# ---- searches ----------------------------------------------------------------------------------


def is_searched_by_data(x: Any, value: Any) -> bool:
    """Whether a list or tuple is searched, with what is known only when the graph runs."""
    if type(x) not in (list, tuple) or has_runs(x):
        return False
    content = with_captured(x)
    return (
        is_late((content, value))
        or holds_runs((content, value))
        or any(map(has_own_equality, (value, *content)))
    )


def has_own_equality(x: Any) -> bool:
    """Whether a method of the user's says what an object is equal to, which may depend on data."""
    return method(x, "__eq__") is not None


def _index(x: Any, value: Any, start: int = 0, stop: int = sys.maxsize) -> Any:
    if type(x) is list:
        text = growing_methods.not_in_list(shown_in_text(value))
    else:
        text = "tuple.index(x): x not in tuple"
    return _found(x, value, text, range(*slice(start, stop).indices(len(x))))


def _count(x: Any, value: Any) -> Any:
    _refuse_nan(value, x)
    tests = [_same(item, value) for item in with_captured(x)]
    return sum(ops.as_weak(t, kind="int") if isinstance(t, Tensor) else int(t) for t in tests)


def _refuse_nan(value: Any, items: Any) -> None:
    """Raise, when the graph runs, where nan is among items that may be the one, or not."""
    others = [x for x in with_captured(items) if _is_float(x) and x is not value]
    if others and _is_float(value):
        growing_methods.refuse_nan_sought(value, ops.stack(others))


def _is_float(x: Any) -> bool:
    return isinstance(x, Tensor) and x.type.rank == 0 and bool(x.type.is_inexact)


def _remove(x: Any, value: Any) -> None:
    position = _found(x, value, "list.remove(x): x not in list", range(len(x)))
    if isinstance(position, Tensor):
        growing.delete(x, position)
    else:
        delitem(x, position)


SEARCHES: dict[str, Callable[..., Any]] = {"index": _index, "count": _count, "remove": _remove}


def _found(x: Any, value: Any, text: Any, places: range) -> Any:
    """The first of these places whose item is equal to `value`; ValueError where there is none."""
    _refuse_nan(value, x)
    items = with_captured(x)
    if any(map(has_own_equality, (value, *items))):
        return _found_in_turn(items, value, text, places)
    position: Any = 0
    is_there: Any = False
    tests = [(k, _same(items[k], value)) for k in places]
    for k, test in reversed(tests):
        if isinstance(test, Tensor):
            position = ops.where(test, k, position)
            is_there = ops.logical_or(test, is_there)
        elif test:
            position, is_there = k, True
    if isinstance(position, Tensor) or isinstance(is_there, Tensor):
        if is_there is not True:
            stage_raise(ops.logical_not(is_there), ValueError(text))
        return ops.as_weak(position, kind="int")
    if not is_there:
        raise ValueError(text)
    return position


def _found_in_turn(items: Any, value: Any, text: Any, places: range) -> Any:
    """As `_found`, where asking runs code of the user's: none is asked after the one."""
    for count, place in enumerate(places, 1):
        test = _same(items[place], value)
        if isinstance(test, Tensor):
            rest = functools.partial(_found_in_turn, items, value, text, places[count:])
            return if_exp(test, functools.partial(int, place), rest, "the place of an item")
        if test:
            return place
    raise ValueError(text)
