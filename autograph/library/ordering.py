"""`functools.cmp_to_key`: what stands for an item, where a function says which comes first."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import Any

__all__ = ["KEY_OF_COMPARISON", "KeyWrapper", "comparison_of"]


def _in_no_order(_a: Any, _b: Any) -> int:
    return 0


# The class, written in C, of what `functools.cmp_to_key` gives.
KEY_OF_COMPARISON = type(functools.cmp_to_key(_in_no_order))


def comparison_of(key: Any) -> Callable[[Any, Any], Any]:
    """The function that `functools.cmp_to_key` was given, which its result does not name."""
    held = (x for x in gc.get_referents(key) if x is not KEY_OF_COMPARISON)
    found: Callable[[Any, Any], Any] = next(held)
    return found


class KeyWrapper:
    """An item, `obj`, that is less than another where `compare` of the two is less than 0."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, compare: Callable[[Any, Any], Any], obj: Any) -> None:
        self.compare, self.obj = compare, obj

    def __lt__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) < 0

    def __gt__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) > 0

    def __eq__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) == 0

    def __le__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) <= 0

    def __ge__(self, other: Any) -> Any:
        return self.compare(self.obj, other.obj) >= 0
