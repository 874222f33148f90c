"""`==` of dicts whose keys depend on data: each item of the one has its like in the other."""

from __future__ import annotations

import functools
from collections import Counter, OrderedDict
from collections.abc import ItemsView, KeysView
from typing import Any

from autograph.library import sets
from autograph.operators.captured.methods import called
from autograph.operators.containers import growing_methods, key_rows, open_dicts, open_sets

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
    pairs = tuple(map(_pairs, (left, right)))
    if isinstance(left, OrderedDict) and isinstance(right, OrderedDict):
        return growing_methods.equal(*pairs)
    return called(functools.partial(sets.are_alike, left, right))


def _are_equal_views(left: Any, right: Any) -> Any:
    """Views of keys and items are as sets, in any order; those of values are equal to none."""
    for x in (left, right):
        is_set = isinstance(x, set | frozenset | KeysView | ItemsView)
        if not is_set and open_dicts.name_of_view(x) not in ("keys", "items"):
            return left is right
    return open_sets.are_equal(left, right)


def _pairs(x: dict[Any, Any]) -> list[Any]:
    pairs = open_dicts.pairs_of(x)
    return list(dict.items(x)) if pairs is None else [key_rows.unlinked(pairs)]
