"""Where the text of a function is: its file, its notebook cell, the command line.

Only the lines of the function are ever parsed. The text is kept when it is first asked for, so
that editing the file while the program runs changes nothing.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from autograph.errors import Location, SourceUnavailableError
from autograph.syntax import typed
from autograph.syntax.extent import Span, lambda_span, last_line
from autograph.syntax.lines import ADVICE, lines_of
from autograph.syntax.versions import features

LAMBDA = "<lambda>"


class Source(NamedTuple):
    """The text of one function and how to read it.

    `text` is the whole lines of the file from `first_line` on, indentation included; of a lambda
    expression only `span` of it is meant. `class_name` is the class whose name is put before
    `__x`. `flags` are the `from __future__` features for `compile`.
    """

    text: str
    filename: str
    first_line: int
    name: str
    qualname: str = ""
    class_name: str | None = None
    flags: int = 0
    span: Span | None = None

    def line(self, number: int) -> str:
        """Gives a line by its number in the file, without its newline; '' outside the text."""
        lines = self.text.split("\n")
        index = number - self.first_line
        return lines[index] if 0 <= index < len(lines) else ""

    def location(self, node: Any = None) -> Location:
        """Gives the place of a tree node, or of the function itself."""
        number = getattr(node, "lineno", None) or self.first_line
        text = self.line(number)
        column, end_column = _characters(text, node) if node is not None else (None, None)
        return Location(self.filename, number, self.name, text, column, end_column)


def _characters(text: str, node: Any) -> tuple[int | None, int | None]:
    start, end = getattr(node, "col_offset", None), getattr(node, "end_col_offset", None)
    if start is None:
        return None, None
    one_line = end is not None and getattr(node, "end_lineno", None) == node.lineno
    line = text.encode()
    column = len(line[:start].decode(errors="replace"))
    return column, len(line[:end].decode(errors="replace")) if one_line else None


def source_of(function: Callable[..., Any]) -> Source:
    """Gives the text of a function, method or lambda expression.

    Raises `SourceUnavailableError` when it has none, or no longer the one it was made from.
    """
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        raise SourceUnavailableError(
            f"`{getattr(function, '__name__', function)}` is not a Python function and has no "
            "source.",
            advice=ADVICE,
        )
    return _kept.setdefault(code, lambda: _find(code, getattr(function, "__globals__", {})))


def keep_source(code: types.CodeType, source: Source) -> None:
    """Makes `source` the text of code that was made of it, and stands in no file."""
    _kept.setdefault(code, lambda: source)


class _Kept:
    """Sources by the identity of their code objects, and dropped with them.

    Not by equality: equal code objects may come from two files.
    """

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[types.CodeType], Source]] = {}

    def setdefault(self, code: types.CodeType, find: Callable[[], Source]) -> Source:
        key = id(code)
        if key not in self._entries:
            source = find()
            self._entries[key] = (weakref.ref(code, lambda _: self._drop(key)), source)
        return self._entries[key][1]

    def _drop(self, key: int) -> None:
        self._entries.pop(key, None)


_kept = _Kept()


def _find(code: types.CodeType, module: Mapping[str, Any]) -> Source:
    lines = lines_of(code, module)
    span = None
    if code.co_name == LAMBDA:
        span = lambda_span(lines, code)
        first, last = span.line, span.end_line
    else:
        first, last = code.co_firstlineno, last_line(lines, code)
    return Source(
        text="".join(lines[first - 1 : last]),
        filename=typed.name_of(code.co_filename, lines),
        first_line=first,
        name=code.co_name,
        qualname=code.co_qualname,
        class_name=_class_name(code.co_qualname),
        flags=features(code),
        span=span,
    )


def _class_name(qualname: str) -> str | None:
    """Gives the innermost class around a function: `C` for `f.<locals>.C.m.<locals>.g`."""
    parts = qualname.split(".")[:-1]
    while parts and parts[-1].startswith("<"):
        local = parts.pop() == "<locals>"
        if local and parts:
            parts.pop()
    return parts[-1] if parts else None
