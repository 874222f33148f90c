"""Random programs with a dict that gets, loses and changes known keys on some paths only.

The values are of many kinds. As graphs the programs are right, or refused.
"""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_answered, one_backend

HEAD = "import numpy as np\n\n\ndef f(x):\n"
VALUES = "1;x * 2;2.5;x[0];x.sum();'t';[1, 2];None;(1, x);x[1:]".split(";")
# `?` stands for a key, `~` for a value.
WRITES = """d['?'] = ~;d['?'] = ~;d['?'] = ~;d.pop('?', None);d.setdefault('?', ~);d['?'] = d.get('?', 0)
d['n'] = d.get('n', 0) + 1;if '?' in d: del d['?'];e = dict(d);d.update(n=5);d['n'] = len(d)
d = {**d, 'q': 1};d |= {'?': ~};e['?'] = ~"""
TESTS = "x[#] > 0;x[#] > 1;x[#] > -1;'?' in d;'?' not in d;len(d) > 1;d.get('?') is None;not d"
RESULTS = """d;{'in': d, 'n': len(d)};'a' in d, d.get('b'), len(d);[k for k in d];e, len(e)
d.get('a'), d.get('n', -1), bool(d)"""


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.lines: list[str] = []

    def one_of(self, texts: str) -> str:
        found = self.draw.choice([t for line in texts.splitlines() for t in line.split(";")])
        for mark, choices in (("?", "abcd"), ("#", "012"), ("~", VALUES)):
            while mark in found:
                found = found.replace(mark, self.draw.choice(choices), 1)
        return found

    def block(self, indent: int, depth: int) -> None:
        for _ in range(self.draw.randint(1, 2)):
            self.statement(indent, depth)

    def statement(self, indent: int, depth: int) -> None:
        pad, kind = "    " * indent, self.draw.random()
        if kind < 0.3 and depth < 3:
            self.lines.append(f"{pad}if {self.one_of(TESTS)}:")
            self.block(indent + 1, depth + 1)
            if self.draw.random() < 0.5:
                self.lines.append(f"{pad}else:")
                self.block(indent + 1, depth + 1)
        elif kind < 0.4 and depth < 2:
            self.lines.append(f"{pad}for _ in range({self.draw.choice((2, 3, 20))}):")
            self.block(indent + 1, depth + 1)
            if self.draw.random() < 0.5:
                limit = self.draw.choice((0, 2, 4))
                self.lines.append(f"{pad}    if x.sum() > {limit}: break")
        else:
            self.lines.append(pad + self.one_of(WRITES))

    def program(self) -> str:
        first = self.draw.choice(["", "", "'c': x", "'b': 1, 'a': 2.5", "'a': [1]"])
        self.lines = [f"    d = {{{first}}}", "    e = {}"]
        for _ in range(self.draw.randint(2, 5)):
            self.statement(1, 0)
        return f"{HEAD}{chr(10).join(self.lines)}\n    return {self.one_of(RESULTS)}\n"


CASES = [
    (np.array(x),) for x in ([1.0, 2, 3], [-1.0, 2, 3], [1.0, -2, 3], [-1.0, -2, 0.5], [2.0, 0, -3])
]


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    return is_answered(Writer(seed).program(), CASES, one_backend(seed), seed)


test_keys_on_one_path, test_keys_on_one_path_at_length = blocks_of(
    is_answered_of, step=20, many=2000, share=0.6
)
