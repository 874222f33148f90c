"""Random programs with lists that tuples, objects, functions and the like hold, and write.

What holds them is made in branches, loops, `try` and `with`. As graphs the programs are right, also
in which object is which, or refused.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_answered, one_backend, with_numbers
from tests.random_programs.test_chosen_results import CASES

HEAD = """import functools

import numpy as np


class Box:
    def __init__(self, v):
        self.v = v

    def put(self, x):
        self.v[0] += x


class Adding:
    def __init__(self, of):
        self.of = of

    def __enter__(self):
        return self

    def __exit__(self, *details):
        self.of[0] += 10.0


def give(v):
    yield v[0]
    v[1] += 1.0
    yield v[1]


def add(v, x):
    v[1] += x
    return v


"""


class Holder(NamedTuple):
    """How a list `@` is held by `#`, how it is written and read by that, and given back."""

    made: str
    writes: str
    read: str
    given: str


HOLDERS = {
    "tuple": Holder("(@, x)", "#[0][0] += 1.5;#[0][1] = x;add(#[0], 2.0)", "#[0][0]",
                    "#, #[0] is d"),
    "list": Holder("[@, e]", "#[0][0] += 1.5;#[1][1] = x;#[0], #[1] = #[1], #[0];#.reverse()",
                   "#[0][1]", "#, #[0] is d"),
    "dict": Holder("{'k': @}", "#['k'][0] += 1.5;#['k'] = e;#.update(k=d)", "#['k'][1]", "#"),
    "object": Holder("Box(@)", "#.v[0] += 1.5;#.put(x);#.v = e;#.v = #.v[:]", "#.v[0]",
                     "#.v, #.v is d"),
    "default": Holder("lambda v=@: v", "#()[0] += 1.5;add(#(), x)", "#()[1]", "#()[1], #() is d"),
    "partial": Holder("functools.partial(add, @)", "#(x);#(1.0)[0] += 2.0", "#(0.0)[0]",
                      "#(0.0)[0]"),
    "name": Holder("@", "#[0] += 1.5;#[1] = x;add(#, x)", "#[0]", "#, # is d"),
    "nest": Holder("((@, 1.0), {'a': [@]})", "#[0][0][0] += 1.5;#[1]['a'][0][1] += x",
                   "#[0][0][1]", "#"),
}  # fmt: skip
LISTS = "d;d;d;e;d[:];list(e)"
TESTS = "x > 1;x > 3;x > -1;n > 1;n > 3;n % 2;n % 3;d[0] > 4;e[1] < 2"
WRITES = "d[0] += 1.0;d[1] -= x;e[0] = x;e[1] *= 2.0;d = d[:];e = d;e = e[:];d, e = e, d"


class Writer:
    """Writes one program, in which `h` and `g` hold lists."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.holders = {name: HOLDERS[self.draw.choice(sorted(HOLDERS))] for name in "hg"}
        self.lines: list[str] = []

    def one_of(self, texts: str) -> str:
        return self.draw.choice(texts.split(";"))

    def made(self, name: str) -> str:
        """The statement that lets a name hold another list."""
        return f"{name} = {self.holders[name].made.replace('@', self.one_of(LISTS))}"

    def write(self, indent: int, line: str) -> None:
        self.lines.append("    " * indent + line)

    def block(self, indent: int, depth: int, most: int = 2) -> None:
        for _ in range(self.draw.randint(1, most)):
            if depth and self.draw.random() < 0.45:
                self.compound(indent, depth - 1)
            else:
                self.simple(indent)

    def compound(self, indent: int, depth: int) -> None:
        way, number = self.draw.random(), len(self.lines)
        if way < 0.5:
            self.write(indent, f"if {self.one_of(TESTS)}:")
            self.block(indent + 1, depth)
            if self.draw.random() < 0.6:
                self.write(indent, "else:")
                self.block(indent + 1, depth)
        elif way < 0.7:
            self.write(indent, f"for i{number} in range(n % {self.draw.randint(2, 4)}):")
            self.block(indent + 1, depth)
            if self.draw.random() < 0.2:
                self.write(indent + 1, f"if {self.one_of(TESTS)}: break")
        elif way < 0.82:
            self.write(indent, "try:")
            self.block(indent + 1, depth)
            self.write(indent + 1, f"if {self.one_of(TESTS)}: raise ValueError")
            if self.draw.random() < 0.3:
                self.block(indent + 1, depth, 1)
            self.write(indent, "except ValueError:")
            self.block(indent + 1, depth, 1)
        elif way < 0.92:
            self.write(indent, f"with Adding({self.draw.choice('de')}):")
            self.block(indent + 1, depth)
        else:
            self.write(indent, f"for v{number} in give({self.draw.choice('de')}):")
            self.block(indent + 1, depth)

    def simple(self, indent: int) -> None:
        way, name = self.draw.random(), self.draw.choice("hg")
        if way < 0.3:
            self.write(indent, self.made(name))
        elif way < 0.65:
            self.write(indent, self.one_of(self.holders[name].writes).replace("#", name))
        elif way < 0.9:
            self.write(indent, self.one_of(WRITES))
        else:
            self.write(indent, f"x = {self.holders[name].read.replace('#', name)} * 0.5")

    def program(self) -> str:
        """The text of a function of an array and an int."""
        self.lines = ["def f(a, n):"]
        for line in ("x = a[0]", "d = [x, x + 1]", "e = [x * 2, x - 1]"):
            self.write(1, line)
        for name in "hg":
            self.write(1, self.made(name))
        self.block(1, 3, 6)
        given = [holder.given.replace("#", name) for name, holder in self.holders.items()]
        self.write(1, f"return d, e, x, {', '.join(given)}")
        return HEAD + "\n".join(self.lines) + "\n"


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    return is_answered(Writer(seed).program(), CASES, one_backend(seed), seed, with_numbers)


test_held_lists, test_held_lists_at_length = blocks_of(
    is_answered_of, step=20, many=2000, share=0.4
)
