"""Random programs whose names share, swap and write containers: right as graphs, or refused."""

from __future__ import annotations

import dataclasses
import random

import numpy as np

import autograph as ag
from tests.random_programs.blocks import blocks_of

NAMES = "abcd"
HEAD = """
import dataclasses

@dataclasses.dataclass
class Pair:
    k: float
    m: float

class Plain:
    def __init__(self, k, m):
        self.k = k
        self.m = m

class Slotted:
    __slots__ = ("k", "m")
    def __init__(self, k, m):
        self.k = k
        self.m = m

class Holder:
    def __init__(self, first, second):
        self.first, self.second = first, second
"""
# Per kind of container: how one is made, and its two items.
KINDS = {
    "list": ("[{}, {}]", ("[0]", "[1]")),
    "dict": ("{{'k': {}, 'm': {}}}", ("['k']", "['m']")),
    "dataclass": ("Pair({}, {})", (".k", ".m")),
    "object": ("Plain({}, {})", (".k", ".m")),
    "slotted": ("Slotted({}, {})", (".k", ".m")),
}


@dataclasses.dataclass
class Writer:
    """Draws the statements of a program about containers of one kind."""

    draw: random.Random
    make: str
    items: tuple[str, str]

    def item(self):
        return self.draw.choice(NAMES) + self.draw.choice(self.items)

    def new(self):
        """A new container of numbers that are there."""
        first = f"{self.item()} * {self.draw.choice((1, 0.5))} + {self.draw.randint(0, 3)}"
        return self.make.format(first, self.draw.choice([self.item(), "1.5"]))

    def simple(self):
        """A statement without a body."""
        draw = self.draw
        x, y = draw.choice(NAMES), draw.choice(NAMES)
        k = draw.randint(1, 5)
        return draw.choice(
            [
                f"{x}, {y} = {y}, {x}",
                f"{x} = {y}",
                f"{x} = {self.new()}",
                f"{x} = {self.new()}",
                f"{x} = {y} = {self.new()}",
                f"{self.item()} = {self.item()} + {k}",
                f"{self.item()} += {k}",
                f"{self.item()} += {k}",
                f"{x} = moved({y}, {k})",
                f"{x} = renewed({y}, {k})",
                f"held.first = {x}",
                f"held.first, held.second = {x}, {y}",
                f"{x} = held.{draw.choice(('first', 'second'))}",
                f"held.first{draw.choice(self.items)} += {k}",
                f"{x} = pick({y}, {self.item()} > {k})",
                f"same = same * 2 + ({x} is {y})",
                f"row[{draw.randint(0, 1)}] = {x}",
                f"{x} = row[{draw.randint(0, 1)}]",
                f"total = join({x}, changed(held, {k}))",
                f"total = total + join(held.first, changed(held, {k}))",
                f"keep({x})",
                f"{x} = kept()",
            ]
        )

    def block(self, depth, indent):
        """Lines of up to three statements."""
        draw, lines, pad = self.draw, [], "    " * indent
        for _ in range(draw.randint(1, 3)):
            kind = draw.random()
            if not depth or kind < 0.7:
                lines.append(f"{pad}{self.simple()}")
            elif kind < 0.84:
                lines.append(f"{pad}if {self.item()} % {draw.randint(2, 3)} < 1:")
                lines += self.block(depth - 1, indent + 1)
                if draw.random() < 0.5:
                    lines.append(f"{pad}else:")
                    lines += self.block(depth - 1, indent + 1)
            else:
                lines.append(f"{pad}for i{indent} in range(n + {draw.randint(0, 1)}):")
                lines += self.block(depth - 1, indent + 1)
                jump = draw.random()
                if jump < 0.15:
                    lines.append(f"{pad}    if {self.item()} > {draw.randint(5, 40)}: break")
                elif jump < 0.25:
                    lines.append(f"{pad}    if {self.item()} > {draw.randint(5, 40)}: continue")
                    lines += self.block(0, indent + 1)
        return lines


def program(seed):
    """The text of a function of a container and a count: what all names hold, and which are one."""
    draw = random.Random(seed)
    kind = draw.choice(list(KINDS))
    make, items = KINDS[kind]
    writer = Writer(draw, make, items)
    one, two = items
    fresh = make.format("4.0", "5.0")
    head = f"""{HEAD}
def moved(x, by):
    x{one} += by
    return x

def renewed(x, by):
    return {make.format(f"x{one} + by", f"x{two}")}

def pick(x, c):
    if c:
        x = {make.format("7.0", f"x{two}")}
    x{two} = 3.0
    return x

def join(x, by):
    return x{one} + 2 * x{two} + by

def changed(held, by):
    if held.first{one} > by:
        held.first = {make.format("by + 0.5", f"held.second{two}")}
    held.first{two} = 3.0
    return 1.0

def keeper(x):
    last = [x]
    def keep(y):
        last[0] = y
    def kept():
        return last[0]
    return keep, kept

def f(a, n):
    b = {make.format("1.0", "2.0")}
    c = {make.format("3.0", f"a{one}")}
    d = {draw.choice(["a", "b", fresh])}
    held = Holder({draw.choice(["c", fresh])}, {draw.choice(["b", fresh])})
    row = [b, {draw.choice(["a", "b", "c", fresh])}]
    same = 0
    total = 0.0
    keep, kept = keeper({draw.choice(["a", fresh])})
"""
    lines = [line for depth in (2, 2, 1) for line in writer.block(depth, 1)]
    read = [f"{x}{i}" for x in (*NAMES, "held.first", "row[0]", "kept()") for i in items]
    names = (*NAMES, "held.first", "held.second", "row[1]")
    if draw.random() < 0.3:
        lines.append(f"    same = {' + '.join(f'({x} is a) + 2 * ({x} is d)' for x in names)}")
    return (
        head
        + "".join(f"{line}\n" for line in lines)
        + f"    return same, total, {', '.join(read)}\n"
    )


def given(module, text):
    """The container that the function is called with."""
    return eval(text.split("b = ")[1].splitlines()[0], vars(module))


def is_answered(seed):
    """Run as Python and as a graph; whether the graph was not refused."""
    text = program(seed)
    module = ag.convert_source(text)
    graph = ag.convert(module.f)
    for n in (2, 0, 1, 3):
        plain, mine = given(module, text), given(module, text)
        expected = module.f(plain, n)
        try:
            got = graph(mine, np.int64(n))
        except ag.StagingError as error:
            known = ("depends on data", "before the loop", "on the other", "no such")
            if not any(words in str(error) for words in known):
                raise AssertionError(f"seed {seed}\n{text}") from error
            return False
        assert got == expected, f"seed {seed}, n = {n}\n{text}"
        items = module.renewed(mine, 0), module.renewed(plain, 0)
        shown = [[getattr(x, s, None) for s in "km"] if hasattr(x, "k") else x for x in items]
        assert shown[0] == shown[1], f"seed {seed}, n = {n}, the argument\n{text}"
    return True


test_shared_containers, test_shared_containers_at_length = blocks_of(
    is_answered, step=40, many=4000, share=0.25
)
