"""What a random program may mention at one place, and how its text is laid out."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.random_programs.kinds import Kind, Shape

LIMIT = 100
"""Names hold numbers of at most this size; what may be larger is wrapped when it is assigned."""

Signature = tuple[tuple[Kind | Shape, ...], Kind]
"""What a function takes and gives."""


@dataclass
class Expression:
    """Text of an expression and a bound of the size of its value."""

    text: str
    bound: float


@dataclass
class Scope:
    """Names and other places (`box.left`, `items[0]`) by kind.

    `fixed` ones are never bound again (arguments that are arrays, views, items of tuples);
    `frozen` ones not where this is written (a nested function must not bind them).
    """

    random: random.Random
    names: dict[str, Kind] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)
    frozen: set[str] = field(default_factory=set)
    helpers: dict[str, Signature] = field(default_factory=dict)
    generators: dict[str, Signature] = field(default_factory=dict)
    managers: dict[str, Shape] = field(default_factory=dict)
    methods: dict[Shape, dict[str, Signature]] = field(default_factory=dict)

    def of(self, kind: Kind) -> list[str]:
        """Names and places that hold values of a kind."""
        return [name for name, known in self.names.items() if known == kind]

    def arrays(self) -> list[str]:
        """Names and places that hold arrays."""
        return [name for name, kind in self.names.items() if kind.is_array]

    def targets(self, kind: Kind) -> list[str]:
        """Names and places of a kind that may be bound anew."""
        return [name for name in self.of(kind) if name not in self.fixed | self.frozen]

    def like(self, shape: Shape) -> list[str]:
        """Names of containers of a shape."""
        return [name for name, known in self.shapes.items() if known == shape]

    def groups(self, kind: Kind) -> list[tuple[str, int]]:
        """What gives items of a kind, each with how many: lists, tuples, arrays, dicts."""
        found = [(n, k.length) for n, k in self.names.items() if k.is_array and k.scalar == kind]
        for name, shape in self.shapes.items():
            if shape.item == kind and shape.form != "object":
                values = f"{name}.values()" if shape.form == "dict" else name
                found.append((values, len(shape.fields)))
        return found

    def hold(self, name: str, what: Kind | Shape) -> None:
        """From here on `name` holds a number, an array or a container."""
        if isinstance(what, Kind):
            self.names[name] = what
            return
        self.shapes[name] = what
        for access, inner in what.fields:
            self.hold(name + access, inner)
            if what.form == "tuple":
                self.fixed.add(name + access)
        for method, signature in self.methods.get(what, {}).items():
            self.helpers[f"{name}.{method}"] = signature

    @contextmanager
    def inner(self) -> Iterator[None]:
        """What is named inside is forgotten afterwards."""
        kept = dict(self.names), dict(self.shapes), dict(self.helpers)
        flags, fixed, frozen = list(self.flags), set(self.fixed), set(self.frozen)
        try:
            yield
        finally:
            self.names, self.shapes, self.helpers = kept
            self.flags, self.fixed, self.frozen = flags, fixed, frozen


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
