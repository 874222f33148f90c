"""Writing generated Python: lines with the user's positions, and names that cannot collide."""

from __future__ import annotations

import builtins
import keyword
import math
import re
from collections.abc import Callable, Iterator
from itertools import chain, count
from typing import Any

import numpy as np

from runtime.errors import Origin

__all__ = ["Lines", "LocalNames", "Scope", "literal"]

# What the generated globals look like, see `Scope`: locals must not.
_GLOBAL = re.compile(r"(op|over|at|py|try|xp)_.*|[cv]\d+")
_PLAIN = (bool, int, str)


class Lines:
    """The lines of one generated function; each may stand for positions in the user's files.

    `pending` is what belongs to the lines being added: what is to be done if one of them raises.
    """

    def __init__(self) -> None:
        self.rows: list[tuple[str, tuple[Origin, ...], Any]] = []
        self.depth = 0
        self.pending: Any = None

    def add(self, text: str, origins: tuple[Origin, ...] = ()) -> None:
        """A line at the current indentation."""
        self.rows.append(("    " * self.depth + text, origins, self.pending))

    def block(
        self, header: str, origins: tuple[Origin, ...] = (), *, optional: bool = False
    ) -> _Indented:
        """A header and the indented lines below it; if there are none, `pass` or no header."""
        self.add(header, origins)
        return _Indented(self, optional)


class _Indented:
    """The lines within a `with` block stand below the last one."""

    __slots__ = ("_before", "_lines", "_optional")

    def __init__(self, lines: Lines, optional: bool) -> None:
        self._lines, self._optional, self._before = lines, optional, len(lines.rows)

    def __enter__(self) -> None:
        self._lines.depth += 1

    def __exit__(self, *details: object) -> None:
        lines = self._lines
        if len(lines.rows) == self._before and self._optional:
            lines.rows.pop()
        elif len(lines.rows) == self._before:
            lines.add("pass")
        lines.depth -= 1


class LocalNames:
    """Fresh names of locals in one generated function."""

    def __init__(self, reserved: set[str]) -> None:
        self._reserved = reserved
        self._taken: set[str] = set()
        self._numbers = count(1)
        self._tails: dict[str, Iterator[int]] = {}

    def fresh(self, stem: str | None) -> str:
        """A name like `stem`, or a numbered one."""
        if stem is None:
            return f"v{next(self._numbers)}"
        stem = _identifier(stem)
        if stem in self._reserved or _GLOBAL.fullmatch(stem):
            stem += "_"
        tails = chain([""], (f"_{n}" for n in self._tails.setdefault(stem, count(1))))
        name = next(name for name in (stem + tail for tail in tails) if name not in self._taken)
        self._taken.add(name)
        return name


def _identifier(stem: str) -> str:
    word = re.sub(r"\W", "_", stem, flags=re.ASCII)
    return f"_{word}" if not word or word[0].isdigit() else word


class Scope:
    """The globals of generated code: kernels by name, other constants numbered."""

    def __init__(self, **known: Any) -> None:
        self.names: dict[str, Any] = {"__name__": "plan", "np": np, "math": math, **known}
        self.reserved = {*self.names, *dir(builtins), *keyword.kwlist, *keyword.softkwlist}
        self._bound: dict[tuple[str, int], str] = {}
        self._numbers = count(1)

    def function(self, stem: str) -> str:
        """A fresh name for a generated function."""
        stem = _identifier(stem)
        taken = stem in self.reserved or _GLOBAL.fullmatch(stem) is not None
        tails = chain(["_" if taken else ""], (f"_{n}" for n in count(1)))
        name = next(name for name in (stem + tail for tail in tails) if name not in self.reserved)
        self.reserved.add(name)
        return name

    def bind(self, prefix: str, stem: str, function: Callable[..., Any]) -> str:
        """The name of a kernel, such as `op_add`; the same kernel has one name."""
        key = (prefix, id(function))
        if key not in self._bound:
            stem = f"{prefix}_{_identifier(stem)}"
            tails = chain([""], (f"_{n}" for n in count(1)))
            name = next(stem + tail for tail in tails if stem + tail not in self.names)
            self._bound[key] = name
            self.names[name] = function
        return self._bound[key]

    def bind_name(self, name: str, value: Any) -> None:
        """Give a name that generated code mentions its meaning."""
        self.names[name] = value
        self.reserved.add(name)

    def constant(self, value: Any) -> str:
        """Source for a value: a literal, or the name that it is bound to."""
        source = literal(value)
        if source is None:
            source = f"c{next(self._numbers)}"
            self.names[source] = value
        return source


def literal(value: Any) -> str | None:
    """Source of a literal that gives exactly `value` again; None if there is none."""
    if value is None or type(value) in _PLAIN or (type(value) is float and math.isfinite(value)):
        shown = repr(value)
        return f"({shown})" if shown.startswith("-") else shown
    if type(value) is tuple:
        items = [literal(item) for item in value]
        known = [item for item in items if item is not None]
        return f"({', '.join(known)}{',' * (len(items) == 1)})" if known == items else None
    return None
