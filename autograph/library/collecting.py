"""What is made of all items of an iterable of which data decides how many there are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__all__ = ["fromiter", "fsum", "prod", "reduce"]


def prod(iterable: Iterable[Any], /, *, start: Any = 1) -> Any:
    """The product of the items, from the left."""
    total = start
    for item in iterable:
        total = total * item
    return total


def fsum(seq: Iterable[Any], /) -> Any:
    """The sum of the items, rounded once."""
    return math.fsum(np.array(list(seq), dtype=float))


def fromiter(iter: Iterable[Any], dtype: Any) -> Any:
    """An array of the items, all of them."""
    return np.array(list(iter), dtype=dtype)


def reduce(function: Callable[[Any, Any], Any], iterable: Iterable[Any], *initial: Any) -> Any:
    """What `function` makes of `initial` and the items, each before the next one is asked for."""
    total, is_begun = (initial[0], True) if initial else (None, False)
    for item in iterable:
        total, is_begun = function(total, item) if is_begun else item, True
    if not is_begun:
        raise TypeError("reduce() of empty iterable with no initial value")
    return total
