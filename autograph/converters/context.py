"""What converters are told about the function, and how they refuse one."""

from __future__ import annotations

import ast
from typing import NamedTuple, NoReturn

import gast

from autograph.errors import AutographError, Location, UnsupportedSyntaxError
from autograph.generated import Options
from autograph.syntax.lower import to_python


class Context(NamedTuple):
    """Where a function comes from.

    `text` is the text that line numbers count in, when its first line is `first_line`.
    `free_names` are the closure variables of the function (`co_freevars`), `module_names` the names
    that its module visibly binds.
    """

    filename: str = "<unknown>"
    text: str = ""
    class_name: str | None = None
    options: Options = Options()
    free_names: frozenset[str] = frozenset()
    module_names: frozenset[str] = frozenset()
    first_line: int = 1
    function: str | None = None

    def inside(self, function: str) -> Context:
        """The same context, with the name that messages give."""
        return self._replace(function=function)

    def location(self, node: gast.AST) -> Location:
        """The place of a node in the user's file."""
        line = getattr(node, "lineno", self.first_line)
        text = self._line(line)
        if text is None:
            return Location(self.filename, line, self.function)
        start = _characters(text, node.col_offset)
        end = _characters(text, node.end_col_offset) if node.end_lineno == line else None
        return Location(self.filename, line, self.function, text, start, end)

    def _line(self, line: int) -> str | None:
        lines = self.text.splitlines()
        index = line - self.first_line
        return lines[index] if 0 <= index < len(lines) else None

    def refuse(
        self,
        node: gast.AST,
        what: str,
        advice: str = "",
        error: type[AutographError] = UnsupportedSyntaxError,
    ) -> NoReturn:
        """Raises, saying where, what and what to do."""
        raise error(what, location=self.location(node), advice=advice)


def _characters(text: str, offset: int) -> int:
    """The column in characters of an offset in UTF-8 bytes, as syntax trees count."""
    return len(text.encode()[:offset].decode(errors="ignore"))


def source_text(node: gast.AST) -> str:
    """The expression as Python text."""
    return ast.unparse(to_python(node))
