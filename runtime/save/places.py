"""The user's lines in a saved program: which line made a node, and what stands on it.

The text of the lines is kept too, so that errors of a loaded program show it where the source is
not to be had. Their file names are in angle brackets, which nobody looks for on a disk.
"""

from __future__ import annotations

import linecache
import os
from typing import Any

from runtime.errors import Origin
from runtime.places import file_name
from runtime.save.reading import Malformed, is_name, members, whole

__all__ = ["Lines", "Places"]

_LAST_LINE = 500_000
_MOST_LINES = 2_000_000
_LAST_COLUMN = 10**6
_LONGEST = 2_000


class Places:
    """Writes positions; collects the files and lines that they are in."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._lines: list[dict[str, str]] = []

    def write(self, origin: Origin) -> list[Any]:
        """`[file, line, function]`, then the columns where they are known."""
        number = self._numbers.setdefault(origin.filename, len(self._numbers))
        if number == len(self._lines):
            self._lines.append({})
        self._lines[number].setdefault(str(origin.lineno), _printable(origin.text))
        return [number, origin.lineno, origin.function, *(origin.columns or ())]

    def files(self) -> list[dict[str, Any]]:
        """Names of the files, without their folders, and the text of the lines."""
        return [
            {"name": _short(name), "lines": self._lines[number]}
            for name, number in self._numbers.items()
        ]


def _printable(text: str) -> str:
    """A line without what a terminal would take as a command."""
    return "".join(c if c.isprintable() or c == "\t" else "?" for c in text[:_LONGEST])


def _short(filename: str) -> str:
    name = file_name(filename).removeprefix("<").removesuffix(">")
    return name.rpartition(": ")[2]


class Lines:
    """Reads positions; `publish` makes their text known to tracebacks."""

    def __init__(self, files: Any, archive: str) -> None:
        self._files: list[tuple[str, dict[int, str]]] = []
        if type(files) is not list:
            raise Malformed("`files` is a list")
        for part in files:
            name, lines = members(part, {"name": (str,), "lines": (dict,)}, {})
            if not is_name(name) or "/" in name:
                raise Malformed("a file has no such name")
            shown = f"<{os.path.basename(archive)}: {name}>"
            self._files.append((shown, dict(map(_line, lines.items()))))
        if sum(max(lines, default=0) for _, lines in self._files) > _MOST_LINES:
            raise Malformed("the lines of the files have numbers that are too large")
        self._names = [name for name, _ in self._files]
        self._reserve()

    def _reserve(self) -> None:
        """Names under which no other text is known."""
        for number, (name, lines) in enumerate(self._files):
            tail = 1
            while name in self._names[:number] or _contradicts(self._names[number], lines):
                tail += 1
                self._names[number] = name = f"{self._files[number][0][:-1]} ({tail})>"

    def read(self, part: Any) -> Origin:
        """The position that a list stands for."""
        if type(part) is not list or len(part) not in (3, 5):
            raise Malformed("a place is [file, line, function, start, end]")
        number = whole(part[0], 0, len(self._files) - 1, "file of a place")
        lineno = whole(part[1], 1, _LAST_LINE, "line of a place")
        if not is_name(part[2]):
            raise Malformed("a function has no such name")
        span = None
        if len(part) == 5:
            start = whole(part[3], 0, _LAST_COLUMN, "column of a place")
            span = (start, whole(part[4], start, _LAST_COLUMN, "column of a place"))
        return Origin(self._names[number], lineno, part[2], span=span)

    def publish(self) -> None:
        """Let tracebacks show the lines."""
        for name, (_, lines) in zip(self._names, self._files, strict=True):
            together = {**_known(name), **lines}
            rows = [together.get(i, "") + "\n" for i in range(1, max(together, default=0) + 1)]
            linecache.cache[name] = (1, None, rows, name)


def _line(item: tuple[str, Any]) -> tuple[int, str]:
    number, text = item
    if not number.isascii() or not number.isdecimal() or len(number) > 8:
        raise Malformed(f"{number[:20]!r} is no number of a line")
    if type(text) is not str or _printable(text) != text:
        raise Malformed(f"line {number} is no line of text")
    return whole(int(number), 1, _LAST_LINE, "line"), text


def _known(name: str) -> dict[int, str]:
    """The lines that were published under a name."""
    entry: Any = linecache.cache.get(name, (0, None, [], name))
    return {i: row.rstrip("\n") for i, row in enumerate(entry[2], start=1) if row != "\n"}


def _contradicts(name: str, lines: dict[int, str]) -> bool:
    """Whether other text is known by a name; other programs of the same file may share it."""
    return any(lines.get(i, text) != text for i, text in _known(name).items())
