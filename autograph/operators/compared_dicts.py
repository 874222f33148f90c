"""`==` of dicts whose keys depend on data: each item of the one has its like in the other."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import Any

from autograph.operators import growing_methods, open_dicts
from autograph.operators.conditionals import if_exp
from autograph.operators.forms import Growing, Unbound, growing_form
from autograph.operators.rows import length, pack
from runtime import ops

__all__ = ["are_compared", "equal"]


def are_compared(left: Any, right: Any) -> bool:
    """Whether a dict whose keys depend on data is compared; a Counter does so by itself."""
    if isinstance(left, Counter) or isinstance(right, Counter):
        return False
    return any(isinstance(x, dict) and open_dicts.pairs_of(x) is not None for x in (left, right))


def equal(left: Any, right: Any) -> Any:
    """`left == right`, of which one has keys by data."""
    if not isinstance(left, dict) or not isinstance(right, dict):
        return False
    one, other = map(_pairs, (left, right))
    if isinstance(left, OrderedDict) and isinstance(right, OrderedDict):
        return growing_methods.equal(one, other)
    return if_exp(length(one) == length(other), lambda: _all_found(one, other), lambda: False, "==")


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
    pairs = zip(pack(form.item, one), pack(form.item, other), strict=True)
    found: Any = True
    for row, mine in pairs:
        growing_methods.refuse_nan(row, mine)
        same = ops.equal(ops.expand_dims(row, 1), ops.expand_dims(mine, 0))
        found = same if found is True else ops.logical_and(found, same)
    return ops.as_weak(ops.all(ops.any(found, axis=1)), kind="bool")
