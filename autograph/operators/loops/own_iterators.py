"""What goes through an object of the user's, or a progress bar: the number of items may be open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograph.operators.branches.chosen_objects import items_of
from autograph.operators.captured.methods import mark, method
from autograph.operators.expressions.generators import Consumer, Ending, call_of, placed
from autograph.operators.expressions.logical import not_
from autograph.operators.loops.feeds import Fed, fed
from autograph.operators.loops.loops import for_stmt
from autograph.operators.loops.progress import Progress
from autograph.operators.values.bodies import NO_NAMES
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.lengths import ask_for_hint
from runtime.building import building

__all__ = ["begun", "without_iter"]


def begun(x: Any, *, asks_length: bool = False) -> Any:
    """The iterator that an object of the user's, or a bar, gives; any other thing itself.

    How many items it has may be known only when the graph runs. With `asks_length`, the object is
    asked for its length then, as by what makes a list of it.
    """
    if building() is None:
        return x
    x = fed(items_of(x, asks_length=asks_length))
    if type(x) is Progress:
        return _through(x)
    if type(x) is Fed:
        return iter(x)
    if method(x, "__iter__") is None:
        return x
    found = iter(x)
    if asks_length:
        ask_for_hint(x)
    return found if isinstance(found, Indexed) or call_of(found) is not None else _Started(x, found)


def _through(bar: Progress) -> Any:
    """A generator of what a bar is around: a loop that uses it up goes through the bar itself."""

    def run(source: Any, consumer: Consumer) -> None:
        ending = Ending(consumer)
        state = ending.state or NO_NAMES
        goes_on = None if ending.state is None else lambda: not_(ending.is_left)
        for_stmt(source, goes_on, ending.put, *state, {})

    return placed(bar.one_by_one(), bar.name, bar, run)


class _Started:
    """What goes through an iterator that an object gave already."""

    __slots__ = ("_iterator", "_owner")

    def __init__(self, owner: Any, iterator: Iterator[Any]) -> None:
        self._owner, self._iterator = owner, iterator

    def __iter__(self) -> Iterator[Any]:
        return self._iterator


def without_iter(iterator: Iterator[Any]) -> Iterator[Any]:
    """What gives the items of an iterator, whose own `__iter__` is not called again."""
    return iterator if method(iterator, "__iter__") is None else _Items(iterator)


class _Items(Iterator[Any]):
    __slots__ = ("_iterator",)

    def __init__(self, iterator: Iterator[Any]) -> None:
        self._iterator = iterator

    @mark  # it runs the converted code of the user's
    def __next__(self) -> Any:
        return next(self._iterator)
