"""Random differentiable programs in float64, and their derivatives by central differences."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.random_programs.programs import Program
from tests.random_programs.running import load, marked
from tests.random_programs.scope import Text

LENGTH = 3
INPUTS = 4
STEP = 1e-6
STEEPEST = 1e4
START = (
    "fuel = 10",
    "s = w * 0.5",
    "b = v * 2.0",
    "b[1] = w",
    "box = [w, s + 0.5]",
    "table = {'p': v[2], 'q': box}",
    "def step(p):",
    "    nonlocal s",
    "    s = np.tanh(p + s)",
    "    return s * p",
    "def swap(pair):",
    "    pair[0], pair[1] = pair[1], np.sin(pair[0])",
    "    return pair[0]",
)
CALLS = ("step({a})", "swap(box)")
"""What changes a name or a list of the function, and gives a number."""


def make_differentiable(seed: int) -> Program:
    """A program whose `f(w, v, n)` gives a float64 number, smooth in `w` and `v` on each path."""
    return _Writer(seed).program()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.seed, self.random, self.text = seed, random.Random(seed), Text()
        self.budget = self.random.randrange(5, 14)
        self.numbers = ["w", "s", "box[0]", "box[1]", "table['p']"]
        self.calls = list(CALLS)
        self.arrays = ["v", "b"]
        self.indices = ["n"]
        self.count = 0

    def program(self) -> Program:
        self.text("import numpy as np")
        with self.text.block("def f(w, v, n):"):
            for line in START:
                self.text(line)
            for statement in self.random.sample([self.branch, self.while_, self.for_], 3):
                statement(0)
            while self.budget > 0:
                self.statement(0)
            self.text(f"return {self.result()}")
        inputs = tuple(self.arguments() for _ in range(INPUTS))
        return Program(self.seed, self.text.done(), inputs)

    def arguments(self) -> tuple[Any, ...]:
        numbers = [self.random.uniform(-2, 2) for _ in range(LENGTH + 1)]
        return np.float64(numbers[0]), np.array(numbers[1:]), np.int64(self.random.randrange(5))

    # ---- expressions -------------------------------------------------------------------------

    def leaf(self) -> str:
        if self.random.random() < 0.4:
            return f"{self.random.choice(self.arrays)}[{self.index()}]"
        return self.random.choice([*self.numbers, "0.5", "1.5", "w"])

    def index(self) -> str:
        if self.random.random() < 0.5:
            return str(self.random.randrange(LENGTH))
        return f"{self.random.choice(self.indices)} % {LENGTH}"

    def number(self, depth: int) -> str:
        if depth == 0:
            return self.leaf()
        a, b = self.number(depth - 1), self.number(depth - 1)
        form = self.random.choice(
            ["({a} + {b})", "({a} - {b})", "{a} * {b}", "np.sin({a})", "np.tanh({a})", "{a} ** 2",
             "{a} / (2.0 + np.cos({b}))", "np.exp(-(({a}) ** 2))", "(-{a})", "{c}.sum()",
             "({c} * {d}).sum()", "({a} if {t} else {b})", *self.calls,
             "({c}[1] + (s := np.tanh({a})))", "sum([np.sin(u) * t for u, t in zip({c}, {d})])",
             "sum(u * 0.5 for i, u in enumerate({c}) if i != 1)"]
        )  # fmt: skip
        c, d = (self.random.choice(self.arrays) for _ in range(2))
        return form.format(a=a, b=b, c=c, d=d, t=self.condition())

    def small(self) -> str:
        """A number that stays small however often it is computed."""
        return f"{self.random.choice(['np.tanh', 'np.sin'])}({self.number(2)})"

    def array(self) -> str:
        c, d = (self.random.choice(self.arrays) for _ in range(2))
        form = self.random.choice(["np.sin({c} + {n})", "np.tanh({c} * {d})", "np.cos({c}) * {n}"])
        return form.format(c=c, d=d, n=self.random.choice(["0.5", "np.tanh(w)", "np.sin(s)"]))

    def condition(self) -> str:
        sign, number = self.random.choice("<>"), self.random.choice(["0.0", "0.3", "-0.4", "w"])
        name = self.random.choice(
            [*self.numbers, f"{self.random.choice(self.arrays)}[{self.index()}]"]
        )
        test = f"{name} {sign} {number}"
        if self.random.random() < 0.25:
            return f"({test} {self.random.choice(['and', 'or'])} {self.leaf()} < 0.8)"
        if self.random.random() < 0.15:
            return f"-0.5 < {name} < {self.leaf()}"
        return f"n % 2 == {self.random.randrange(2)}" if self.random.random() < 0.2 else test

    def result(self) -> str:
        return f"s + {self.number(1)} + b.sum() + (v * v).sum() + box[0] * table['p']"

    # ---- statements --------------------------------------------------------------------------

    def statement(self, depth: int, *, loop: bool = False) -> None:
        self.budget -= 1
        forms: list[Callable[[int], None]] = [self.assign, self.assign, self.write, self.write]
        forms += [self.view, self.unpack]
        if depth < 3:
            forms += [self.branch, self.branch, self.attempt]
        if depth < 2:
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
        form = self.random.choice(
            ["s = {0}", "s += 0.25 * {0}", "s *= {0}", "w = {0}", "b = {1}", "box[0] = {0}",
             "box[1] *= {0}", "table['p'] = {0}", "box[0] = s = {0}"]
        )  # fmt: skip
        self.text(form.format(self.small(), self.array()))

    def write(self, depth: int) -> None:
        form = self.random.choice(
            ["b[{i}] = {0}", "b[{i}] += 0.5 * {0}", "b[{i}] *= {0}", "b[1:] = {0}", "b *= 0.5",
             "b[:2] = b[1:] * 0.5", "b[{i}] = b[{j}] * {0}"]
        )  # fmt: skip
        self.text(form.format(self.small(), i=self.index(), j=self.index()))

    def view(self, depth: int) -> None:
        self.text("part = b[1:]")
        self.text(self.random.choice(["part *= 0.5", "part[0] = {0}", "part += {0}"]).format(
            self.small()))  # fmt: skip

    def unpack(self, depth: int) -> None:
        form = self.random.choice(
            ["s, w = np.sin(w), np.tanh(s)", "box[0], box[1] = box[1], box[0]",
             "s, (w, *_) = {0}, (s, w, b)", "box[:] = [{0}, s]", "_, s = box"]
        )  # fmt: skip
        self.text(form.format(self.small()))

    def attempt(self, depth: int) -> None:
        """A `try` whose handler goes on with what is older than the `try`."""
        with self.text.block("try:"):
            if self.random.random() < 0.5:
                self.text(f"s = np.tanh(b[n] * {self.leaf()})")
                caught = "IndexError"
            else:
                with self.text.block(f"if {self.condition()}:"):
                    self.text("raise ValueError(f'no {w}')")
                self.text(f"s = {self.small()}")
                caught = "ValueError"
        with self.text.block(f"except {caught}:"):
            self.text(f"s = {self.small()}")

    def branch(self, depth: int) -> None:
        self.block(f"if {self.condition()}:", depth)
        if self.random.random() < 0.6:
            self.block("else:", depth)

    def while_(self, depth: int) -> None:
        self.block(f"while fuel > 0 and {self.condition()}:", depth, "fuel -= 1", loop=True)

    def for_(self, depth: int) -> None:
        self.count += 1
        name = f"i{self.count}"
        if self.random.random() < 0.4:
            self.numbers.append(name)
            self.text(f"{name} = w")
            a, b = self.random.choice(self.arrays), self.random.choice(self.arrays)
            over = self.random.choice(
                ["{0} in {1}", "{0} in reversed({1})", "_, {0} in zip({2}, {1})", "{0} in box",
                 "_, {0} in enumerate({1} * 0.5)", "{0}, _ in list(zip(box, {1}))"]
            ).format(name, a, b)  # fmt: skip
            self.block(f"for {over}:", depth, loop=True)
            self.numbers.remove(name)
            return
        stop = self.random.choice(["n", "n", "3", "n + 2"])
        self.indices.append(name)
        self.block(f"for {name} in range({stop}):", depth, loop=True)
        self.indices.remove(name)

    def jump(self, depth: int) -> None:
        word = self.random.choice(["break", "break", "continue", f"return {self.result()}"])
        with self.text.block(f"if {self.condition()}:"):
            self.text(word)


# ---- differences -----------------------------------------------------------------------------


def central_differences(program: Program, arguments: tuple[Any, ...]) -> tuple[Any, Any] | None:
    """Derivatives by `w` and `v`.

    None where a path changes nearby or a test is a close call, and where the function is so steep
    that differences are no measure.
    """
    here = _path(program, arguments)
    slopes = []
    for k in range(LENGTH + 1):
        found = [_slope(program, arguments, here, k, step) for step in (STEP, STEP / 2)]
        if None in found:
            return None
        # Richardson's extrapolation: what is left of the error goes with the fourth power.
        slopes.append((4 * found[1] - found[0]) / 3)
    if max(map(abs, slopes)) > STEEPEST:
        return None
    return np.float64(slopes[0]), np.array(slopes[1:])


def _slope(
    program: Program, arguments: tuple[Any, ...], here: list[Any], k: int, step: float
) -> Any:
    """A central difference by `w` (`k` is 0) or an element of `v`; None where paths change."""
    function = load(program).f
    w, v, n = arguments
    ends = []
    for sign in (1, -1):
        moved_w, moved_v = w, v.copy()
        if k == 0:
            moved_w = w + sign * step
        else:
            moved_v[k - 1] += sign * step
        if _path(program, (moved_w, moved_v.copy(), n)) != here:
            return None
        ends.append(function(moved_w, moved_v, n))
    return (ends[0] - ends[1]) / (2 * step)


def _path(program: Program, arguments: tuple[Any, ...]) -> list[Any]:
    tests: list[Any] = []
    function = marked(program, lambda kind, line, truth: tests.append((line, truth)))
    w, v, n = arguments
    function(w, v.copy(), n)
    return tests
