"""What was typed at a prompt or below a magic of a notebook, or is the standard input of Python."""

from __future__ import annotations

import codeop
import contextlib
import io
import itertools
import linecache
import os
import stat
import sys
import types
import warnings
from collections.abc import Iterator
from typing import Any

from autograph.syntax.versions import features, nested

__all__ = ["NAMES", "WITHIN_TIMEIT", "lines_of", "name_of"]

# The names of what is typed at Python's prompt, or given to it; and of what `code.interact` reads.
NAMES = ("<stdin>", "<console>")
# What %%timeit runs: a function of its own, of which functions of the cell are closures.
WITHIN_TIMEIT = "<magic-timeit>"
# A statement may go on for so many lines behind the last one of a function; and so many functions
# of its name are looked at for one with empty lines.
_MOST = 50
# What IPython's %%time and %%prun run.
_MAGIC = ("<timed exec>", "<string>")
# Names by texts.
_names: dict[str, str] = {}


def name_of(filename: str, lines: list[str]) -> str:
    """Gives a name under which messages and tracebacks find the lines.

    Until Python 3.13, all that is typed has one name: its texts are numbered here, as there.
    """
    if not filename.startswith("<") or linecache.getlines(filename) == lines:
        return filename
    text = "".join(lines)
    name = _names.setdefault(text, f"{filename[:-1]}-{len(_names) + 1}>")
    linecache.cache[name] = len(text), None, lines, name
    return name


def lines_of(code: types.CodeType) -> list[str] | None:
    """Gives the lines of what a function was made from, if compiling them gives its code object.

    Python itself keeps none of them: they are in the history of `readline`, in the file that is
    the standard input, or in the history of a notebook.
    """
    if code.co_filename in _MAGIC:
        return next((lines for lines in _cells() if _makes(lines, code, "exec")), None)
    for lines in (_history(), _standard_input()) if code.co_filename in NAMES else ():
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


def _cells() -> Iterator[list[str]]:
    """Gives what stands below the magics of cells, the last cell first; and names it."""
    ipython = sys.modules.get("IPython")
    shell: Any = None if ipython is None else ipython.get_ipython()
    cells = [] if shell is None else shell.history_manager.input_hist_raw
    for number, cell in reversed([*enumerate(cells)]):
        magic = ""
        while cell.startswith("%%"):
            magic, _, cell = cell.partition("\n")
            text = shell.transform_cell(cell)
            _names[text] = f"<In [{number}], below {magic.split()[0]}>"
            yield text.splitlines(keepends=True)


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
    return _with_empty_lines(lines, code)


def _with_empty_lines(lines: list[str], code: types.CodeType) -> list[str] | None:
    """Gives the last lines that make the code object once empty ones are among them.

    `readline` keeps no empty line, and one may stand within brackets.
    """
    headers = [k for k in range(len(lines)) if _is_header(lines[k], code)]
    for header in reversed(headers[-_MOST:]):
        for first in range(header, max(header - code.co_firstlineno, -1), -1):
            if not lines[first][:1].isspace():
                for end in _ends(lines, first, header + 1):
                    stretched = _stretched(lines[first:end], code)
                    if stretched is not None:
                        return stretched
    return None


def _stretched(lines: list[str], code: types.CodeType) -> list[str] | None:
    """Gives the lines with empty ones where their instructions are further down in the code."""
    for made in nested(_compiled(lines, code, "single")):
        if made.co_code == code.co_code and made.co_qualname == code.co_qualname:
            gap, found = 0, list(lines)
            for row, wanted in sorted(zip(_rows(made), _rows(code), strict=False)):
                missing = max(wanted - row - gap, 0)
                found[row - 1 + gap : row - 1 + gap] = ["\n"] * missing
                gap += missing
            if _makes(found, code, "single"):
                return found
    return None


def _rows(code: types.CodeType) -> Iterator[int]:
    """Gives the lines of all that a code object tells the place of, always in one order."""
    for part in nested(code):
        yield part.co_firstlineno
        for first, last, *_ in part.co_positions():
            yield first or 0
            yield last or 0


def _may_begin(lines: list[str], first: int, code: types.CodeType) -> bool:
    """Tells whether the line where the function begins could be that one, seen from its text."""
    if lines[first][:1].isspace():
        return False
    header = lines[first + code.co_firstlineno - 1].lstrip()
    return header.startswith("@") or _is_header(header, code)


def _is_header(line: str, code: types.CodeType) -> bool:
    return ("lambda" if code.co_name == "<lambda>" else f"def {code.co_name}") in line


def _ends(lines: list[str], first: int, last: int) -> Iterator[int]:
    """Gives where the statement may end: as soon as Python would not wait for more."""
    for end in itertools.islice(range(last, len(lines) + 1), _MOST):
        with contextlib.suppress(SyntaxError, ValueError, OverflowError):
            with warnings.catch_warnings(action="ignore"):
                complete = codeop.compile_command("".join(lines[first:end]) + "\n")
            if complete is not None:
                yield end


def _makes(lines: list[str], code: types.CodeType, mode: str) -> bool:
    return code in nested(_compiled(lines, code, mode))


def _compiled(lines: list[str], code: types.CodeType, mode: str) -> types.CodeType:
    """Gives what the lines make; of what is no program, that of none."""
    with contextlib.suppress(SyntaxError, ValueError), warnings.catch_warnings(action="ignore"):
        text = "".join(lines)
        made: types.CodeType = compile(text, code.co_filename, mode, features(code), True)
        return made
    return compile("", code.co_filename, "exec")
