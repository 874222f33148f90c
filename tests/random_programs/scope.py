"""What a random program may mention at one place, and how its text is laid out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.random_programs.kinds import Kind

LIMIT = 100
"""Names hold numbers of at most this size; what may be larger is wrapped when it is assigned."""


@dataclass
class Expression:
    """Text of an expression and a bound of the size of its value."""

    text: str
    bound: float


@dataclass
class Scope:
    """Names by kind. `fixed` ones are never bound again (arguments that are arrays, views)."""

    random: random.Random
    names: dict[str, Kind] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)
    frozen: set[str] = field(default_factory=set)
    helpers: dict[str, tuple[tuple[Kind, ...], Kind]] = field(default_factory=dict)
    generators: dict[str, tuple[tuple[Kind, ...], Kind]] = field(default_factory=dict)
    lists: dict[str, tuple[Kind, int]] = field(default_factory=dict)

    def of(self, kind: Kind) -> list[str]:
        """Names that hold values of a kind."""
        return [name for name, known in self.names.items() if known == kind]

    def arrays(self) -> list[str]:
        """Names that hold arrays."""
        return [name for name, kind in self.names.items() if kind.is_array]

    def targets(self, kind: Kind) -> list[str]:
        """Names of a kind that may be bound anew."""
        return [name for name in self.of(kind) if name not in self.fixed | self.frozen]

    @contextmanager
    def inner(self) -> Iterator[None]:
        """What is named inside is forgotten afterwards."""
        names, lists = dict(self.names), dict(self.lists)
        fixed, helpers = set(self.fixed), dict(self.helpers)
        try:
            yield
        finally:
            self.names, self.lists, self.fixed, self.helpers = names, lists, fixed, helpers


class Text:
    """Lines of a program under construction."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def __call__(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """What is written inside stands indented under `head`."""
        self(head)
        self.depth += 1
        start = len(self.lines)
        try:
            yield
        finally:
            if len(self.lines) == start:
                self("pass")
            self.depth -= 1

    def done(self) -> str:
        """The text."""
        return "\n".join(self.lines) + "\n"
