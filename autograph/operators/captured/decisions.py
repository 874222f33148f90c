"""What was decided while tracing that a user may want to know: line, what, and why.

What is staged can be read off the graph; here is what cannot: loops that were unrolled, calls that
are left to the host, functions that are called as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from autograph.operators.captured.budget import Budget
from runtime.origins import Origin

__all__ = ["HOST", "LEFT", "PLAIN", "RECURSION", "UNROLLED", "Decision", "Decisions"]

# A loop; a call; a function that is called as it is; a whole call that is left to Python.
UNROLLED, HOST, LEFT, PLAIN = "unrolled", "host", "left", "plain"
# A function that calls itself in the graph.
RECURSION = "recursion"


class Decision(NamedTuple):
    """One decision: of which kind, in words, and where."""

    kind: str
    text: str
    filename: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.text} (line {self.line})" if self.line else self.text

    @classmethod
    def at(cls, origin: Origin | None, kind: str, text: str) -> Decision:
        """The decision at a place of the user's."""
        if origin is None:
            return cls(kind, text)
        return cls(kind, text, origin.filename, origin.lineno)


@dataclass(eq=False, repr=False)
class Decisions:
    """What a trace has decided, for `explain`, and what it decides by."""

    notes: list[Decision] = field(default_factory=list)
    # Settings of Python's and NumPy's when the trace began, by name.
    settings: dict[str, Any] = field(default_factory=dict)
    # What was found of a loop, `try` or manager when it was traced before; and the code of the
    # bodies of loops that were to be loops of the graph, and cannot be.
    sites: dict[Any, Any] = field(default_factory=dict)
    repeated_loops: set[Any] = field(default_factory=set)
    # How many nodes the rounds of unrolled loops may add.
    budget: Budget = field(default_factory=Budget)
    # How much the trace may run that stages nothing; None: as much as there is.
    patience: Any = None
    # What is known of functions that call themselves, over all attempts to trace the function.
    recursions: Any = None
    # How often numbers of two dtypes became those of one, where paths meet.
    joins: int = 0

    def note(self, origin: Origin | None, kind: str, text: str) -> None:
        """Keep a decision for `explain`, once."""
        decision = Decision.at(origin, kind, text)
        if decision not in self.notes:
            self.notes.append(decision)
