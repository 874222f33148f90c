"""Iterators that Python advances while a function is traced: what was taken cannot be put back.

An iterator that a branch advanced has come as far as data decides. Nobody may take items from it
afterwards: neither the other branch, nor what follows, nor a second trace of a loop's body.
"""

from __future__ import annotations

import gc
import operator
from collections.abc import Callable, Iterable, Iterator
from types import CellType, FunctionType, GeneratorType
from typing import Any
from weakref import WeakValueDictionary

from autograph.operators.captured.methods import held, is_marked
from runtime import journal
from runtime.building import current_builder
from runtime.effects.taken_ahead import title
from runtime.errors import StagingError
from runtime.graph.ir import Node
from runtime.origins import origin_of_caller

__all__ = ["ASKED", "Taken", "ends", "is_iterator", "refuse_in_call", "refuse_in_loop", "spend",
           "taken"]  # fmt: skip

# Generators that stand for what the graph asks for each item: it knows how far they have come.
# By their `id`.
ASKED: WeakValueDictionary[int, GeneratorType[Any, Any, Any]] = WeakValueDictionary()

_WAY_OUT = "take the items before it, or index a list by a counter"


def taken(x: Any) -> None:
    """Tell the journal that items are taken from `x`, if it is an iterator.

    Raises StagingError if it depends on data which items are left.
    """
    if journal.recording() is None or not is_iterator(x):
        return
    if type(x) is GeneratorType and not journal.is_fresh(x):
        raise StagingError(
            f"the generator `{x.__name__}` exists outside of the converted function, and would "
            "advance only while tracing",
            "pass its items as an argument, or make the generator in the function",
            origin=origin_of_caller(),
        )
    if any(map(journal.is_spent, _with_sources(x))):
        raise StagingError(
            f"items are taken from {title(x)}, and which are left is known only when the graph "
            "runs: a branch or loop of the graph has taken some before",
            _WAY_OUT,
        )
    # Who goes over another iterator has been told of it when it was made.
    journal.note_advanced(x)


def spend(iterators: Iterable[Any]) -> None:
    """Note that it depends on data which items are left in these iterators."""
    for iterator in iterators:
        for one in _with_sources(iterator):
            journal.note_spent(one)


def refuse_in_loop(iterators: list[Any]) -> None:
    """Refuse a round of a staged loop that took items from iterators that are older than it."""
    if iterators:
        raise StagingError(
            f"each round of this loop takes items from {title(iterators[0])} that is older than "
            "the loop, and how many rounds there are is known only when the graph runs",
            _WAY_OUT,
        )


def refuse_in_call(iterators: list[Any], name: str) -> None:
    """Refuse a function that calls itself and takes items from iterators older than the call."""
    if iterators:
        raise StagingError(
            f"`{name}` takes items from {title(iterators[0])} that is older than the call, and how "
            "often it calls itself is known only when the graph runs",
            _WAY_OUT,
        )


def ends(node: Node) -> bool:
    """Whether a node, or one in it, raises StopIteration."""
    template = node.attrs.get("template")
    if template is not None and issubclass(template.kind, StopIteration):
        return True
    return any(ends(inner) for graph in node.graphs for inner in graph.nodes)


def is_iterator(x: Any) -> bool:
    """Whether taking items from `x` changes it in a way that the journal does not see."""
    if ASKED.get(id(x)) is x:
        return False
    step = held(type(x), "__next__")
    return step is not None and not (isinstance(step, FunctionType) and is_marked(step))


def _with_sources(iterator: Any) -> Iterator[Any]:
    """An iterator, and those that it takes its items from."""
    seen: set[int] = set()
    found = [iterator]
    while found:
        x = found.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if is_iterator(x):
            yield x
        elif not isinstance(x, tuple | CellType):
            continue
        found += gc.get_referents(x)


class Taken:
    """The items of an iterator by their number, from the next one on.

    It gives each of them once, and a branch that takes it may be traced again. `take` gives the
    next one. `ahead` is for items that can be computed each time: it gives the one so many places
    ahead.
    """

    def __init__(
        self,
        iterator: Iterator[Any],
        take: Callable[[Iterator[Any]], Any],
        ahead: Callable[[int], Any] | None = None,
    ) -> None:
        self._iterator, self._next, self._ahead = iterator, take, ahead
        self._items: list[Any] = []
        # Those that the graph computes where they are taken.
        self._computed: set[int] = set()

    def reaches(self, k: int) -> bool:
        """Whether there is an item of that number."""
        if self._ahead is not None:
            return k < operator.length_hint(self._iterator)
        if k in self._computed:
            raise StagingError(
                "items that are computed one by one are taken again, in a branch of the graph "
                "that is traced anew",
                "make a list of them first (`list(...)`)",
                origin=origin_of_caller(),
            )
        return len(self._items) > k or self._take()

    def _take(self) -> bool:
        builder = current_builder()
        mark = builder.mark()
        try:
            item = self._next(self._iterator)
        except StopIteration:
            return False
        if builder.mark() > mark:
            self._computed.add(len(self._items))
        self._items.append(item)
        return True

    def item(self, k: int) -> Any:
        """The item of that number, which there is."""
        return self._items[k] if self._ahead is None else self._ahead(k)
