"""Random programs that guard derivatives which are infinite or nan at 0, as people do."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.random_programs.programs import Program
from tests.random_programs.scope import Text

LENGTH = 3
INPUTS = 5
LARGEST = 3
"""How deep statements stand in each other."""

NUMBERS = ("w", "s", "t", "root", "size")
ARRAYS = ("v", "u")
START = (
    "fuel = 6",
    "s = w * 0.5",
    "t = v.sum()",
    "u = v * 2.0",
    "root = np.sqrt(w)",
    "size = np.linalg.norm(v)",
)
SINGULAR = (
    "np.sqrt({a})", "np.log({a})", "np.cbrt({a})", "{a} ** 0.5", "{a} ** 1.5", "1.0 / {a}",
    "{b} / {a}", "np.hypot({a}, {b})", "np.arctanh(1.0 - {a})", "np.arccos(1.0 - {a})",
    "np.sqrt({a} * {a} + {b} * {b})", "np.linalg.norm({c})", "np.sqrt({c}).sum()",
    "({c} / {a}).sum()", "np.log({c}[{i}])", "np.sqrt({c})[{i}]", "np.exp(1.0 / {a})",
    "np.prod({c})", "np.arctan2({a}, {b})", "abs({a})", "np.linalg.norm({c} - {a})",
)  # fmt: skip
"""Numbers whose derivative may be infinite or nan where something is 0."""

CALM = (
    "({a} + {b})", "({a} - 0.5 * {b})", "{a} * {b}", "np.sin({a})", "{c}.sum()", "{c}[{i}]",
    "np.tanh({a})", "{a} ** 2", "({c} * {d}).sum()", "0.5 * {a}",
)  # fmt: skip


def make_singular(seed: int) -> Program:
    """A program whose `f(w, v, n)` gives a float64 number."""
    return _Writer(seed).program()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.seed, self.random, self.text = seed, random.Random(seed), Text()
        self.budget = self.random.randrange(4, 11)
        self.indices = ["n"]
        self.count = 0

    def program(self) -> Program:
        self.text("import numpy as np")
        with self.text.block("def f(w, v, n):"):
            for line in START:
                self.text(line)
            while self.budget > 0:
                self.statement(0)
            self.text(f"return {self.result()}")
        inputs = tuple(self.arguments() for _ in range(INPUTS))
        return Program(self.seed, self.text.done(), inputs)

    def arguments(self) -> tuple[Any, ...]:
        """Numbers that are 0 as often as not."""
        numbers = [self.random.choice([0.0, 0.0, 1.0, 0.25, 4.0]) for _ in range(LENGTH + 1)]
        if self.random.random() < 0.2:
            numbers[1:] = [0.0] * LENGTH
        return np.float64(numbers[0]), np.array(numbers[1:]), np.int64(self.random.randrange(4))

    # ---- expressions -------------------------------------------------------------------------

    def filled(self, forms: tuple[str, ...]) -> str:
        pick = self.random.choice
        return pick(forms).format(
            a=pick(NUMBERS), b=pick(NUMBERS), c=pick(ARRAYS), d=pick(ARRAYS), i=self.index()
        )

    def index(self) -> str:
        if self.random.random() < 0.5:
            return str(self.random.randrange(LENGTH))
        return f"{self.random.choice(self.indices)} % {LENGTH}"

    def number(self) -> str:
        """A number that may be singular, alone or within a condition."""
        draw = self.random.random()
        if draw < 0.35:
            return self.filled(SINGULAR)
        if draw < 0.6:
            return self.filled(CALM)
        name = self.random.choice(NUMBERS)
        used = self.random.choice(SINGULAR).replace("{a}", name)
        used = used.format(
            b=self.random.choice(NUMBERS), c=self.random.choice(ARRAYS), i=self.index()
        )
        test = self.random.choice(["{0} > 0", "{0} != 0", "{0}", "{1}"])
        test = test.format(name, self.condition())
        return f"({used} if {test} else {self.filled(CALM)})"

    def condition(self) -> str:
        name = self.random.choice([*NUMBERS, f"{self.random.choice(ARRAYS)}[{self.index()}]"])
        test = self.random.choice(["{0} > 0", "{0} == 0", "{0} != 0", "{0} <= 0", "not {0}"])
        test = test.format(name)
        if self.random.random() < 0.25:
            other = self.random.choice(NUMBERS)
            return f"{test} {self.random.choice(['and', 'or'])} {other} > 0.5"
        return test

    def result(self) -> str:
        """A number of few names, so that others have no part in it."""
        return " + ".join(self.filled(CALM) for _ in range(self.random.choice([1, 2])))

    # ---- statements --------------------------------------------------------------------------

    def statement(self, depth: int, *, loop: bool = False) -> None:
        self.budget -= 1
        forms: list[Callable[[int], None]] = [self.assign, self.assign, self.array]
        if depth < LARGEST:
            forms += [self.branch, self.branch, self.leave, self.attempt]
        if depth < LARGEST - 1:
            forms += [self.while_, self.for_]
        if loop:
            forms += [self.jump, self.jump]
        self.random.choice(forms)(depth)

    def block(self, head: str, depth: int, *start: str, loop: bool = False) -> None:
        with self.text.block(head):
            for line in start:
                self.text(line)
            for _ in range(self.random.choice([1, 2, 2])):
                self.statement(depth + 1, loop=loop)

    def assign(self, depth: int) -> None:
        target = self.random.choice(["s", "t", "root", "size"])
        form = self.random.choice(["{0} = {1}", "{0} = {1}", "{0} += {1}", "{0} = {0} * {2}"])
        self.text(form.format(target, self.number(), self.filled(CALM)))

    def array(self, depth: int) -> None:
        name = self.random.choice(NUMBERS)
        form = self.random.choice(
            ["u = v / {0} if {0} else v * 3.0", "u = np.sqrt(v) if {1} else v", "u = u * {0}",
             "u = np.sqrt(u) * {0}", "u = v / (1.0 + {0})", "u[{2}] = {0}",
             "u = u / np.linalg.norm(u) if np.linalg.norm(u) > 0 else u"]
        )  # fmt: skip
        self.text(form.format(name, self.condition(), self.index()))

    def branch(self, depth: int) -> None:
        self.block(f"if {self.condition()}:", depth)
        if self.random.random() < 0.6:
            self.block("else:", depth)

    def leave(self, depth: int) -> None:
        with self.text.block(f"if {self.condition()}:"):
            self.text(f"return {self.result()}")

    def attempt(self, depth: int) -> None:
        """A `try` that raises where something is 0, and goes on with what is older than it."""
        with self.text.block("try:"):
            with self.text.block(f"if {self.condition()}:"):
                self.text("raise ZeroDivisionError")
            self.text(f"s = {self.number()}")
        with self.text.block("except ZeroDivisionError:"):
            self.text(f"s = {self.filled(CALM)}")

    def while_(self, depth: int) -> None:
        self.block(f"while fuel > 0 and ({self.condition()}):", depth, "fuel -= 1", loop=True)

    def for_(self, depth: int) -> None:
        self.count += 1
        name = f"i{self.count}"
        if self.random.random() < 0.4:
            over = self.random.choice(["v", "u", "v * 0.5"])
            first = self.random.choice(
                [f"t = np.sqrt({name})", f"root = {name} / w", f"s += {name}"]
            )
            self.block(f"for {name} in {over}:", depth, first, loop=True)
            return
        self.indices.append(name)
        self.block(
            f"for {name} in range({self.random.choice(['n', '3', 'n + 1'])}):", depth, loop=True
        )
        self.indices.remove(name)

    def jump(self, depth: int) -> None:
        word = self.random.choice(["break", "break", "continue", f"return {self.result()}"])
        with self.text.block(f"if {self.condition()}:"):
            self.text(word)
