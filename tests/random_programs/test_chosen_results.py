"""Random programs that give back a list or dict itself on some paths, and a copy of it on others.

They return out of loops, `try` and `with`, and write what they may have given back before and after.
As graphs the programs are right, also in which object is which, or refused.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_answered, one_backend, with_numbers

HEAD = """import numpy as np


class Adding:
    def __init__(self, of, key):
        self.of, self.key = of, key

    def __enter__(self):
        return self.of

    def __exit__(self, *details):
        self.of[self.key] += 10.0


"""
# `@` stands for a list or dict, `$` for a copy of one, `~` for an item.
SHAPES = ["@;$", "(@, x, @);($, x, @);(@, x, $);($, x, $)", "[@, x];[$, x]", "@;$;(x, @);(x, $)"]
TESTS = "x > 1;x > 3;x > -1;n > 1;n > 3;n % 2;n % 3;~ > 2;~ > 9;~ < 5"
WRITES = "~ += 1.5;~ -= x;~ *= 2.0;~ = x;x += 0.5;x -= 1.0;e = @;e = $;if x > 2: ~ = x"
COPIES = {
    "list": "#[:];list(#);[#[0], #[1]];#.copy()",
    "dict": "dict(#);{0: #[0], 1: #[1]};#.copy();{**#}",
}


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.kind = self.draw.choice(sorted(COPIES))
        self.results = self.draw.choice(SHAPES)
        self.lines: list[str] = []

    def one_of(self, texts: str) -> str:
        found = self.draw.choice(texts.split(";"))
        for mark, choices in (("$", COPIES[self.kind]), ("~", "@[0];@[1]"), ("@", "d;d;e")):
            while mark in found:
                found = found.replace(mark, self.draw.choice(choices.split(";")), 1)
                found = found.replace("#", self.draw.choice("de"))
        return found

    def write(self, indent: int, line: str) -> None:
        self.lines.append("    " * indent + line)

    def block(self, indent: int, depth: int, in_loop: bool, most: int = 3) -> None:
        for _ in range(self.draw.randint(1, most)):
            self.statement(indent, depth, in_loop)

    def statement(self, indent: int, depth: int, in_loop: bool) -> None:
        way = self.draw.random()
        if way < 0.35:
            self.write(indent, f"if {self.one_of(TESTS)}:")
            if self.draw.random() < 0.3 and depth:
                self.block(indent + 1, depth - 1, in_loop, 1)
            leaves = in_loop and self.draw.random() < 0.2
            given = f"return {self.one_of(self.results)}"
            self.write(indent + 1, self.draw.choice(("break", "continue")) if leaves else given)
        elif way < 0.55 and depth:
            name = f"i{len(self.lines)}"
            if self.draw.random() < 0.5:
                self.write(indent, f"{name} = {self.draw.randint(2, 4)}")
                self.write(indent, f"while {name} > 0 and x < 50:")
                self.write(indent + 1, f"{name} -= 1")
            else:
                self.write(indent, f"for {name} in range(n % {self.draw.randint(2, 4)}):")
            self.block(indent + 1, depth - 1, True)
        elif way < 0.65 and depth:
            self.write(indent, "try:")
            self.block(indent + 1, depth - 1, in_loop)
            if self.draw.random() < 0.5:
                self.write(indent, "finally:")
                self.write(indent + 1, f"{self.draw.choice('de')}[0] += 1.0")
            else:
                self.write(indent + 1, f"if {self.one_of(TESTS)}: raise ValueError")
                self.write(indent, "except ValueError:")
                self.block(indent + 1, depth - 1, in_loop, 1)
        elif way < 0.72 and depth:
            self.write(indent, f"with Adding({self.draw.choice('de')}, {self.draw.randint(0, 1)}):")
            self.block(indent + 1, depth - 1, in_loop, 2)
        else:
            self.write(indent, self.one_of(WRITES))

    def program(self) -> str:
        """The text of a function of an array and an int, at times with one that it calls."""
        pair = "[{}, {}]" if self.kind == "list" else "{{0: {}, 1: {}}}"
        is_called = self.draw.random() < 0.4
        e = f"    e = {pair.format('x * 2', 'x - 1')}"
        d = f"    d = {pair.format('x', 'x + 1')}"
        self.lines = ["def g(x, n, d):", e] if is_called else ["def f(a, n):", "    x = a[0]", d, e]
        self.block(1, 3, False, 6)
        self.write(1, f"return {self.one_of(self.results)}")
        if is_called:
            self.lines += ["", "", "def f(a, n):", "    x = a[0]", d, "    r = g(x, n, d)"]
            if self.draw.random() < 0.5:
                self.write(1, self.draw.choice(("d[0] += 7.0", "d[1] = -x")))
            self.write(1, "return r, d")
        return HEAD + "\n".join(self.lines) + "\n"


CASES = [(np.array([x]), n) for x in (-1.0, 1.5, 4.0) for n in map(np.int64, (0, 1, 2, 3, 5))]


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    text = Writer(seed).program()
    return is_answered(text, CASES, one_backend(seed), seed, with_numbers)


test_chosen_results, test_chosen_results_at_length = blocks_of(
    is_answered_of, step=20, many=2000, share=0.6
)
