"""Errors of the runtime, and the place in the user's file that they speak of."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from types import CodeType

__all__ = ["GraphError", "LeakedTensorError", "Origin", "StagingError", "located"]


@dataclass(frozen=True, slots=True)
class Origin:
    """The user's source position that made a node or an error.

    `code` and `instruction` (an offset into its bytecode) give columns lazily: looking them up for
    each node would cost more than making the node.
    """

    filename: str
    lineno: int
    function: str
    code: CodeType | None = None
    instruction: int = -1

    def __str__(self) -> str:
        return f"{self.filename}:{self.lineno}, in `{self.function}`"

    @property
    def text(self) -> str:
        """The source line, stripped at the right; empty when the file is not to be had."""
        return linecache.getline(self.filename, self.lineno).rstrip()

    @property
    def columns(self) -> tuple[int, int] | None:
        """Start and end column (0-based, in characters of the line) of the expression."""
        if self.code is None or self.instruction < 0:
            return None
        positions = list(self.code.co_positions())[self.instruction // 2]
        line, end_line, start, end = positions
        if line != self.lineno or start is None or end is None:
            return None
        return (start, end if end_line == line else len(self.text))

    def excerpt(self) -> str:
        """The source line with a caret under the expression, ready to be put in a message."""
        text = self.text
        if not text:
            return ""
        shown = f"    {self.lineno} | {text.strip()}"
        columns = self.columns
        if columns is None:
            return shown
        indent = len(text) - len(text.lstrip())
        start, end = max(columns[0] - indent, 0), max(columns[1] - indent, 1)
        pad = " " * (len(shown) - len(text.strip()) + start)
        return f"{shown}\n{pad}{'^' * max(end - start, 1)}"


def located(origin: Origin | None, what: str, hint: str = "") -> str:
    """A message that says where, what, and what to do.

    >>> print(located(None, "the loop changes the kind of `x`", "rename one of the two"))
    the loop changes the kind of `x`
    rename one of the two
    """
    if origin is None:
        parts = [what]
    else:
        parts = [f"{origin}: {what}", origin.excerpt()]
    return "\n".join(part for part in [*parts, hint] if part)


class StagingError(Exception):
    """Code cannot become part of a graph with its Python meaning; the message says why and where.

    It passes through the user's `except` clauses while tracing: catching it would silently change
    what the program means.
    """

    def __init__(self, what: str, hint: str = "", origin: Origin | None = None) -> None:
        super().__init__(located(origin, what, hint))
        self.what, self.hint, self.origin = what, hint, origin


class LeakedTensorError(StagingError):
    """A traced tensor was used outside the graph that it belongs to."""


class GraphError(Exception):
    """A graph is not well formed; it names the node, what was expected and what was found."""
