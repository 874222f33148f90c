"""The place in the user's file that a node, a message or an error speaks of."""

from __future__ import annotations

import dis
import functools
import linecache
import os
import sys
import warnings
from bisect import bisect_right
from types import CodeType, FrameType, TracebackType
from typing import NamedTuple

import numpy as np

from runtime.places import place

__all__ = [
    "Origin",
    "hide_frames_of",
    "innermost_entry",
    "is_of_library",
    "is_user_code",
    "origin_of_caller",
    "origin_of_entry",
    "origin_of_error",
    "path_of_callers",
    "warn_caller",
]

# Folders whose code is not the user's: ours and NumPy's.
_hidden = [os.path.dirname(os.path.abspath(f)) + os.sep for f in (__file__, np.__file__)]
_LIBRARY = os.path.dirname(os.__file__) + os.sep
# It stands between the user's line and a property of ours that is computed once.
_CACHED = functools.cached_property.__get__.__code__
_KNOWN_LIMIT = 10_000
# Of comparisons in bytecode: what they give is made a bool at once, as for an `if`.
_ASKS_TRUTH = 16
# By the id of a code object, which a hash would go through as a whole: the code, and where in its
# bytecode lines begin, and which; no lines for code that is not the user's.
_known: dict[int, tuple[CodeType, tuple[list[int], list[int]] | None]] = {}
# Those that are not the user's: most frames run such code.
_passed: dict[int, CodeType] = {}


class Origin(NamedTuple):
    """The user's source position that made a node or an error.

    `code` and `instruction` (an offset into its bytecode) give columns lazily: looking them up for
    each node would cost more than making the node.
    """

    filename: str
    lineno: int
    function: str
    code: CodeType | None = None
    instruction: int = -1
    # Columns that are known without the code, as in a loaded program.
    span: tuple[int, int] | None = None

    def __str__(self) -> str:
        return f"{place(self.filename, self.lineno)}, in `{self._named}`"

    @property
    def _named(self) -> str:
        """The function, or for a comprehension or lambda the one that it stands in."""
        if self.code is None or not self.function.startswith("<"):
            return self.function
        names = self.code.co_qualname.split(".")
        return next((n for n in reversed(names) if not n.startswith("<")), self.function)

    @property
    def is_comparison(self) -> bool:
        """Whether Python compares two values there (`a < b`), and asks not what that gives."""
        if self.code is None or self.instruction < 0:
            return False
        operation, argument = self.code.co_code[self.instruction : self.instruction + 2]
        asks = sys.version_info >= (3, 13) and argument & _ASKS_TRUTH
        return operation == dis.opmap["COMPARE_OP"] and not asks

    @property
    def text(self) -> str:
        """The source line, stripped at the right; empty when the file is not to be had."""
        return linecache.getline(self.filename, self.lineno).rstrip()

    @property
    def columns(self) -> tuple[int, int] | None:
        """Start and end column (0-based, in characters of the line) of the expression."""
        if self.code is None or self.instruction < 0:
            return self.span
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


def hide_frames_of(folder: str) -> None:
    """Count code below `folder` as ours: the user's line is looked for further out."""
    _hidden.append(folder.rstrip(os.sep) + os.sep)
    _forget()


def _forget() -> None:
    _passed.clear()
    _known.clear()


def is_user_code(code: CodeType) -> bool:
    """Whether `code` is neither ours nor NumPy's."""
    return _look_up(code)[1] is not None


def is_of_library(code: CodeType) -> bool:
    """Whether `code` is of Python's own library."""
    return code.co_filename.startswith(_LIBRARY) and "site-packages" not in code.co_filename


def _look_up(code: CodeType) -> tuple[CodeType, tuple[list[int], list[int]] | None]:
    known = _known.get(id(code))
    if known is None:
        if len(_known) > _KNOWN_LIMIT:
            _forget()
        name = code.co_filename
        is_hidden = name.startswith((*_hidden, "<frozen")) or _is_of_dataclass(code)
        is_hidden = is_hidden or code is _CACHED
        known = _known[id(code)] = (code, None if is_hidden else _lines(code))
        if is_hidden:
            _passed[id(code)] = code
    return known


def _is_of_dataclass(code: CodeType) -> bool:
    """Whether `dataclasses` wrote a method, which stands in no file."""
    return code.co_filename == "<string>" and code.co_qualname.startswith("__create_fn__.")


def _lines(code: CodeType) -> tuple[list[int], list[int]]:
    """Where lines begin. A frame looks for its own from the start of the code each time."""
    rows = [(start, line or 0) for start, _, line in code.co_lines()]
    return [start for start, _ in rows], [line for _, line in rows]


def origin_of_caller(depth: int = 1) -> Origin | None:
    """The innermost line of the user's code that is being executed.

    `depth` is how many frames from here there is one that may be the user's, at the earliest: each
    that need not be looked at is one that Python does not have to make an object of.
    """
    frame: FrameType | None = sys._getframe(depth)
    passed = _passed
    while frame is not None:
        code = frame.f_code
        lines = None if id(code) in passed else _look_up(code)[1]
        if lines is not None:
            last = frame.f_lasti
            line = lines[1][bisect_right(lines[0], last) - 1]
            # As `Origin(...)` does, which takes as long as all the rest.
            return tuple.__new__(Origin, (code.co_filename, line, code.co_name, code, last, None))
        frame = frame.f_back
    return None


def path_of_callers() -> tuple[tuple[CodeType, int], ...]:
    """The user's code that is being executed, the innermost first, and where it is in each."""
    frame: FrameType | None = sys._getframe(1)
    found = []
    while frame is not None:
        code = frame.f_code
        _, lines = _known.get(id(code)) or _look_up(code)
        if lines is not None:
            found.append((code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the innermost line of the user's code that is being executed."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and not is_user_code(frame.f_code):
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)


def innermost_entry(error: BaseException) -> TracebackType | None:
    """The innermost entry of the user's code in the traceback of an exception.

    One of Python's own library only where there is no other.
    """
    found, of_library, step = None, None, error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if is_user_code(code):
            if is_of_library(code):
                of_library = step
            else:
                found = step
        step = step.tb_next
    return found or of_library


def origin_of_error(error: BaseException) -> Origin | None:
    """The innermost line of the user's code that an exception came through."""
    entry = innermost_entry(error)
    return None if entry is None else origin_of_entry(entry)


def origin_of_entry(entry: TracebackType) -> Origin:
    """The line of an entry of a traceback."""
    code = entry.tb_frame.f_code
    return Origin(code.co_filename, entry.tb_lineno, code.co_name, code, entry.tb_lasti)
