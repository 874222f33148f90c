"""`==` of dicts whose keys depend on data: each item of the one has its like in the other."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import ItemsView, KeysView
from typing import Any

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.containers import growing_methods, open_dicts, open_sets
from autograph.operators.symbolic.containers import Growing
from autograph.operators.symbolic.forms import Unbound
from autograph.operators.symbolic.item_forms import growing_form
from autograph.operators.symbolic.rows import length, pack
from runtime import ops

__all__ = ["are_compared", "equal"]


def are_compared(left: Any, right: Any) -> bool:
    """Whether a dict whose keys depend on data is compared; a Counter does so by itself."""
    if isinstance(left, Counter) or isinstance(right, Counter):
        return False
    return any(
        open_dicts.name_of_view(x) is not None or open_dicts.is_open(x) for x in (left, right)
    )


def equal(left: Any, right: Any) -> Any:
    """`left == right`, of which one has keys by data."""
    if open_dicts.name_of_view(left) or open_dicts.name_of_view(right):
        return _are_equal_views(left, right)
    if not isinstance(left, dict) or not isinstance(right, dict):
        return False
    one, other = map(_pairs, (left, right))
    if isinstance(left, OrderedDict) and isinstance(right, OrderedDict):
        return growing_methods.equal(one, other)
    return if_exp(length(one) == length(other), lambda: _all_found(one, other), lambda: False, "==")


def _are_equal_views(left: Any, right: Any) -> Any:
    """Views of keys and items are as sets, in any order; those of values are equal to none."""
    for x in (left, right):
        is_set = isinstance(x, set | frozenset | KeysView | ItemsView)
        if not is_set and open_dicts.name_of_view(x) not in ("keys", "items"):
            return left is right
    one, other = map(_items_of_set, (left, right))
    return if_exp(length(one) == length(other), lambda: _all_found(one, other), lambda: False, "==")


def _items_of_set(x: Any) -> list[Any]:
    if type(x) is list:
        return x
    is_open = open_sets.items_of(x) is not None
    return open_sets.in_any_order(x) if is_open else list(open_sets.known(x))


def _pairs(x: dict[Any, Any]) -> list[Any]:
    pairs = open_dicts.pairs_of(x)
    return list(dict.items(x)) if pairs is None else pairs


def _all_found(one: list[Any], other: list[Any]) -> Any:
    """Whether each item of the one is in the other; they have as many items, of different keys."""
    form = growing_form(Growing(Unbound()), [*one, *other], "the dict")
    if not isinstance(form, Growing):
        raise open_dicts.refused("it is compared with one of other items")
    if isinstance(form.item, Unbound):
        return True
    if any(leaf.type.rank for leaf in form.item.columns()):
        raise open_dicts.refused("its values, which are arrays, are compared")
    pairs = zip(pack(form.item, one), pack(form.item, other), strict=True)
    found: Any = True
    for row, mine in pairs:
        growing_methods.refuse_nan_sought(row, mine)
        same = ops.equal(ops.expand_dims(row, 1), ops.expand_dims(mine, 0))
        found = same if found is True else ops.logical_and(found, same)
    return ops.as_weak(ops.all(ops.any(found, axis=1)), kind="bool")
