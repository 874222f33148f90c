"""What was typed at a prompt, or is given as the standard input of Python."""

from __future__ import annotations

import codeop
import contextlib
import io
import itertools
import os
import stat
import sys
import types
import warnings
from collections.abc import Iterator

from autograph.syntax.versions import features, nested

__all__ = ["NAMES", "lines_of"]

# The names of what is typed at Python's prompt, or given to it; and of what `code.interact` reads.
NAMES = ("<stdin>", "<console>")
# A statement may go on for so many lines behind the last one of a function.
_MOST = 50


def lines_of(code: types.CodeType) -> list[str] | None:
    """Gives the lines of what a function was made from, if compiling them gives its code object.

    Python itself keeps none of them: they are in the history of `readline`, or in the file that is
    the standard input.
    """
    for lines in (_history(), _standard_input()):
        found = _statement(lines, code)
        if found is not None:
            return found
    return None


def _history() -> list[str]:
    """Gives the lines that were typed, if `readline` was there: last those of this process."""
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    count = readline.get_current_history_length()
    items = filter(None, map(readline.get_history_item, range(1, count + 1)))
    return [f"{line}\n" for item in items for line in item.split("\n")]


def _standard_input() -> list[str]:
    """Gives the lines of the file that is the standard input, wherever it is being read."""
    with contextlib.suppress(OSError, ValueError):
        status = os.fstat(0)
        if stat.S_ISREG(status.st_mode):
            return io.StringIO(os.pread(0, status.st_size, 0).decode()).readlines()
    return []


def _statement(lines: list[str], code: types.CodeType) -> list[str] | None:
    """Gives the last lines that make the code object: a statement, or the whole text."""
    if _makes(lines, code, "exec"):
        return lines
    last = max(line or 0 for part in nested(code) for _, _, line in part.co_lines())
    for first in reversed(range(len(lines) - last + 1)):
        if _may_begin(lines, first, code):
            for end in _ends(lines, first, first + last):
                if _makes(lines[first:end], code, "single"):
                    return lines[first:end]
    return None


def _may_begin(lines: list[str], first: int, code: types.CodeType) -> bool:
    """Tells whether the line where the function begins could be that one, seen from its text."""
    if lines[first][:1].isspace():
        return False
    header = lines[first + code.co_firstlineno - 1].lstrip()
    word = "lambda" if code.co_name == "<lambda>" else "def"
    return header.startswith(("@", "async")) or word in header


def _ends(lines: list[str], first: int, last: int) -> Iterator[int]:
    """Gives where the statement may end: as soon as Python would not wait for more."""
    for end in itertools.islice(range(last, len(lines) + 1), _MOST):
        with contextlib.suppress(SyntaxError, ValueError, OverflowError):
            with warnings.catch_warnings(action="ignore"):
                complete = codeop.compile_command("".join(lines[first:end]) + "\n")
            if complete is not None:
                yield end


def _makes(lines: list[str], code: types.CodeType, mode: str) -> bool:
    with contextlib.suppress(SyntaxError, ValueError), warnings.catch_warnings(action="ignore"):
        made = compile("".join(lines), code.co_filename, mode, features(code), dont_inherit=True)
        return code in nested(made)
    return False
