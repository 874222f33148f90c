"""How long a trace goes on that stages nothing: it runs converted code, which is slow, for nothing.

A function of Python numbers is mostly plain Python. Its trace is given up after some rounds of
loops and some calls; what it did is taken back, and Python runs the function at its own speed.
"""

from __future__ import annotations

from dataclasses import dataclass

from autograph.operators.captured.captures import current_trace
from runtime.building import Builder, building

__all__ = ["NothingStaged", "Patience", "spend_patience", "stages_all_rounds"]


class NothingStaged(BaseException):
    """A trace is given up, of which nothing is in the graph; no `except` of the user's takes it."""


@dataclass(slots=True)
class Patience:
    """So many rounds and calls in a row may be run that add nothing to the graph.

    With `stages_all`, loops of many rounds are staged whatever they compute with.
    """

    most: int
    stages_all: bool = False
    left: int = 0
    # The graph that is being built, and how many nodes it has so far.
    seen: tuple[Builder, int] | None = None

    def spend(self, builder: Builder) -> None:
        """One round or call more; raises NothingStaged where there were too many."""
        now = builder, len(builder.graph.nodes)
        if now != self.seen:
            self.seen, self.left = now, self.most
        self.left -= 1
        if self.left < 0:
            raise NothingStaged


def spend_patience() -> None:
    """A round of a loop is run by Python while tracing, or a call is."""
    trace, builder = current_trace(), building()
    if trace is not None and builder is not None and trace.patience is not None:
        trace.patience.spend(builder)


def stages_all_rounds() -> bool:
    """Whether loops of many rounds are staged though no round adds a node."""
    trace = current_trace()
    return trace is not None and trace.patience is not None and trace.patience.stages_all
