"""A loop over items that are asked for one by one, until there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["items_of"]


def items_of(following: Callable[[], tuple[Any, Any]]) -> Iterator[Any]:
    """What `following` gives beside True."""
    while True:
        found, item = following()
        if not found:
            break
        yield item
