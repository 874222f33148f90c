"""What the `__iter__` of an object of the user's gives, where the number of items may be open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.operators.chosen_objects import items_of
from autograph.operators.generators import call_of
from autograph.operators.iterables import Indexed
from autograph.operators.methods import method
from runtime.building import building

__all__ = ["begun"]


def begun(x: Any) -> Any:
    """The iterator that an object of the user's gives by its `__iter__`; any other thing itself.

    How many items it has may be known only when the graph runs.
    """
    if building() is None:
        return x
    x = items_of(x)
    if method(x, "__iter__") is None:
        return x
    found = iter(x)
    return found if isinstance(found, Indexed) or call_of(found) is not None else _Started(x, found)


class _Started:
    """What goes through an iterator that an object gave already."""

    __slots__ = ("_iterator", "_owner")

    def __init__(self, owner: Any, iterator: Iterator[Any]) -> None:
        self._owner, self._iterator = owner, iterator

    def __iter__(self) -> Iterator[Any]:
        return self._iterator
