"""A loop over items that are asked for one by one, until there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["end_of", "items_of"]


def items_of(asked: Any) -> Iterator[Any]:
    """What `following` gives beside True."""
    while True:
        is_found, item = asked.following()
        if not is_found:
            break
        yield item


def end_of(asked: Any) -> None:
    """End what was asked, which may have items left."""
    asked.end()
