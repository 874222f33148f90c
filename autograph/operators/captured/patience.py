"""How long a trace goes on that stages nothing: it runs converted code, which is slow, for nothing.

A function of Python numbers is mostly plain Python. Its trace is given up after some rounds of
loops and some calls; what it did is taken back, and Python runs the function at its own speed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autograph.operators.captured.captures import trace_of
from runtime.building import Builder, building

__all__ = ["NothingStaged", "Patience", "spend_patience", "spending_patience", "stages_all_rounds"]

# An item of a comprehension costs less than a round of a loop.
_OF_AN_ITEM = 1 / 16


class NothingStaged(BaseException):
    """A trace is given up, of which nothing is in the graph; no `except` of the user's takes it."""


@dataclass(slots=True)
class Patience:
    """So many rounds and calls in a row may be run that add nothing to the graph.

    With `stages_all`, loops of many rounds are staged whatever they compute with; with
    `counts_items`, the items of comprehensions count, too, which are not staged so.
    """

    most: int
    stages_all: bool = False
    counts_items: bool = False
    left: float = 0
    # Items were taken of iterators, which Python would lack.
    is_endless: bool = False
    # The graph that is being built, and how many nodes it has so far.
    seen: tuple[Builder, int] | None = None

    @property
    def is_mostly_left(self) -> bool:
        """Whether there were few rounds and calls since the last node."""
        return self.seen is None or self.left > 0.9 * self.most

    @property
    def spent(self) -> float:
        """The rounds and calls since the last node."""
        return 0 if self.seen is None else self.most - self.left

    def spend(self, builder: Builder, cost: float = 1) -> None:
        """One round or call more, or a part; raises NothingStaged where there were too many."""
        now = builder, len(builder.graph.nodes)
        if now != self.seen:
            self.seen, self.left = now, self.most
        self.left -= cost
        if self.left < 0 and not self.is_endless:
            raise NothingStaged


def spend_patience(cost: float = 1, builder: Builder | None = None) -> None:
    """A round of a loop is run by Python while tracing, or a call is, where `builder` builds."""
    builder = building() if builder is None else builder
    patience = _patience(builder)
    if builder is not None and patience is not None:
        patience.spend(builder, cost)


def _patience(builder: Builder | None) -> Patience | None:
    trace = None if builder is None else trace_of(builder)
    return None if trace is None else trace.decisions.patience


def spending_patience(items: Iterable[Any]) -> Iterable[Any]:
    """The items of a comprehension, each of which Python runs while tracing."""
    patience = _patience(building())
    return items if patience is None or not patience.counts_items else _spending(items)


def _spending(items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        spend_patience(_OF_AN_ITEM)
        yield item


def stages_all_rounds() -> bool:
    """Whether loops of many rounds are staged though no round adds a node."""
    patience = _patience(building())
    return patience is not None and patience.stages_all
