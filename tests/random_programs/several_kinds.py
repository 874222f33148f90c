"""Random statements on lists, numbers and text, of which a value of several kinds is made by data."""

from __future__ import annotations

import random

import numpy as np

HEAD = "import numpy as np\n\n\n"
# `~` stands for a number, `#` for an index.
RESULTS = """L;L, ~;[];[~];[~, ~];L[1:];M;(M, L);'t';f'{s}';None;~;~ > 1;(~, ~);(~, 't');(L, 't');a;a[1:]
[v for v in L if v > 0];(None, ~);[[~]];list(L);(~, (~, L));D;{'k': ~};['t', 'u'];len(L)"""
WRITES = """L.append(~);L.append(~);L = [v * 2 for v in L if v > 0.5];L = L[1:];L = [];s += ~;s = ~
M.append([~]);if L: L.pop();if L: L[0] = ~;L.clear();D['k'] = ~;D['n'] = ~;s, t = t, s;L = [~, ~]"""
TESTS = "a[#] > ~;s > ~;t < a[#];not L;len(L) > 1;a[#] > 1;a[#] < -1;len(L) > 3"
NUMBERS = "s;t;a[0];a[1];a[2];1.5;2.0;-0.5;s * 2;t + 1"
ASKED = """isinstance(r, list);isinstance(r, tuple);isinstance(r, str);r is None;r is not None
isinstance(r, (list, tuple)) and len(r) > 1;isinstance(r, float);type(r) is tuple;r == 't'
isinstance(r, list) and not r"""
USED = """k += 1;if isinstance(r, list): r.append(~);if isinstance(r, list) and r: k += 1;L.append(~)
if isinstance(r, tuple): k += len(r);seen = r;k += 2;if isinstance(r, dict): k += 5
if type(r) is list and r: r.pop()"""


class Writer:
    """Writes one program, of which `r` is what may be of several kinds."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.results = [self.text_of(RESULTS) for _ in range(self.draw.randint(2, 4))]

    def text_of(self, texts: str) -> str:
        found = self.draw.choice([t for line in texts.splitlines() for t in line.split(";")])
        for mark, choices in (("~", NUMBERS.split(";")), ("#", "012")):
            while mark in found:
                found = found.replace(mark, self.draw.choice(choices), 1)
        return found

    def given(self, result: str) -> str:
        """The statement that makes `r` be `result`."""
        raise NotImplementedError

    def block(self, depth: int, in_loop: bool, indent: str) -> list[str]:
        lines = []
        for _ in range(self.draw.randint(1, 3)):
            lines += [indent + line for line in self.statement(depth, in_loop)]
        return lines

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        way = self.draw.random()
        if way < 0.25:
            return [f"if {self.text_of(TESTS)}: {self.given(self.draw.choice(self.results))}"]
        if depth and way < 0.4:
            head = self.draw.choice(("for x in a:", "for x in a[1:]:", "for _ in range(3):"))
            return [head, *self.block(depth - 1, True, "    ")]
        if depth and way < 0.5:
            lines = [f"if {self.text_of(TESTS)}:", *self.block(depth - 1, in_loop, "    ")]
            if self.draw.random() < 0.5:
                lines += ["else:", *self.block(depth - 1, in_loop, "    ")]
            return lines
        if depth and way < 0.56:
            fails = self.draw.choice(
                ("if s > 1: raise ValueError", "t = 6.0 / (s - s)", "L.pop(7)")
            )
            body = [*self.block(depth - 1, in_loop, "    "), f"    {fails}"]
            end = self.draw.choice((self.given(self.draw.choice(self.results)), "s += 1.0"))
            return [
                "try:",
                *body,
                "except (ArithmeticError, ValueError, IndexError):",
                f"    {end}",
            ]
        if in_loop and way < 0.64:
            return [f"if {self.text_of(TESTS)}: {self.draw.choice(('break', 'continue'))}"]
        return [self.text_of(WRITES)]

    def beginning(self) -> str:
        """What stands in the names before anything is done."""
        empty = "L, M, D, s, t, k, seen = [], [], {}, 0.5, y, 0, None"
        filled = "L, M, D, s, t, k, seen = [0.5, 1.5], [[1.0]], {'k': 0.5}, 0.5, y, 0, None"
        return filled if self.draw.random() < 0.5 else empty

    def end(self) -> str:
        """The last statement."""
        return self.draw.choice(("return r", "return r, L, k", "return L, M, k, r", "return [r, k]",
                                 "return r, seen, D", "return L, k, s, t"))  # fmt: skip

    def arguments(self) -> tuple[np.ndarray, float]:
        numbers = [self.draw.randrange(-8, 12) / 4 for _ in range(4)]
        return np.array(numbers[:3]), numbers[3]
