"""What was decided while tracing that a user may want to know: line, what, and why.

What is staged can be read off the graph; here is what cannot: loops that were unrolled, calls that
are left to the host, functions that are called as they are.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.origins import Origin

__all__ = ["HOST", "LEFT", "PLAIN", "RECURSION", "UNROLLED", "Decision"]

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
