"""Random programs that make objects by data, in lists, chains and rings: right, or refused."""

from __future__ import annotations

import random

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_answered, one_backend

HEAD = """import numpy as np


class N:
    def __init__(self, v, n=None):
        self.v = v
        self.n = n
        self.m = None
        self.c = 0

    def bump(self, by):
        self.c += 1
        self.v = self.v + by
        return self

    @property
    def total(self):
        return self.v + self.c if self.n is None else self.v + self.n.v


def made(v, before):
    return N(v * 2.0, before) if v > 1 else N(v, None)


def f(x):
    a = b = None
    p, q = [], []
    s, k, w = 0.0, 0, 1.0
"""
# `?` stands for a name, `#` for a list, `~` for a number.
STATEMENTS = """? = N(~, ?);? = N(~, ?);? = N(~);? = ?;a, b = b, a;? = made(~, ?);? = None
#.append(N(~, ?));#.append(N(~));#.append(N(~));if ? is not None: #.append(?);p, q = q, p
if ? is not None: ?.v += ~;if ? is not None: ?.n = ?;if ? is not None: ?.m = ?
if ? is not None: ? = ?.n;if ? is not None and ?.m is not None: ? = ?.m
if ? is not None: ?.bump(~);if ? is not None: s += ?.total;if ? is not None and ?.n is not None: ?.n.v = ~
for o in #: o.v += ~;for o in #: s += o.v * o.c;for o in #: o.n = ?;for o in #: o.bump(1.0)
if #: ? = #[-1];if #: ? = #[0];if #: ? = #.pop();if #: #[0].v = ~;if #: #[-1] = N(~);if #: ? = #[k % len(#)]
# = [o for o in # if o.v > ~];# = [o for o in # if o is not ?];# = # + [N(~)];# = #[1:];# = #[:];# = #
#.reverse();#.sort(key=lambda o: o.v);s += max([o.v for o in #], default=0.0);s += sum(o.c for o in #)
s += len(#);s += int(? is ?);s += int(? in #);s += int(any(o.m is ? for o in #));k += 1;w = ~;s += int(? is None)
if #: s += min(#, key=lambda o: o.v).v"""
WALKS = """t = 0
while a is not None and t < 4:
    s = s * 0.5 + a.v
    a = a.n
    t += 1;t, z = 0, b
while z is not None and t < 5:
    if z.v < ~:
        z = z.n
    else:
        z.c += 1
        z = z.m
    t += 1;t, z = 0, ?
while z is not None and t < 6:
    if z.n is None:
        z.n = N(~)
        break
    z = z.n
    t += 1"""
NUMBERS = "v;k;w;v * 2;1.5;float(k);x[k % len(x)]"
TESTS = "v > 0;v > 1;v < w;k % 2 == 0;a is None;b is not None;len(p) > 1;a is b;s > 3"
RESULTS = """s, k, a, b, p, q;p, s;a, s;[o.v for o in p], b;{'p': p, 'a': a}, s;s, k, len(p), len(q)
(a, b), [(o, o.v) for o in p], s;[o.total for o in p + q], s"""


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.lines: list[str] = []

    def one_of(self, texts: str) -> str:
        found = self.draw.choice(texts.replace("\n    ", "\r").replace("\n", ";").split(";"))
        return self.filled(found.replace("\r", "\n    "))

    def filled(self, text: str) -> str:
        for mark, choices in (("?", "ab"), ("#", "pq"), ("~", NUMBERS.split(";"))):
            while mark in text:
                text = text.replace(mark, self.draw.choice(choices), 1)
        return text

    def block(self, indent: int, depth: int) -> None:
        for _ in range(self.draw.randint(1, 3)):
            self.statement(indent, depth)

    def statement(self, indent: int, depth: int) -> None:
        pad, kind = "    " * indent, self.draw.random()
        if kind < 0.35 and depth < 3:
            self.lines.append(f"{pad}if {self.one_of(TESTS)}:")
            self.block(indent + 1, depth + 1)
            if self.draw.random() < 0.4:
                self.lines.append(f"{pad}else:")
                self.block(indent + 1, depth + 1)
        elif kind < 0.45 and depth < 2:
            self.lines += [f"{pad}v = {self.one_of(NUMBERS)}", f"{pad}while v > 0:"]
            self.block(indent + 1, 3)
            self.lines.append(f"{pad}    v = v - 1.0")
        elif kind < 0.55:
            walk = self.filled(self.draw.choice(WALKS.split(";")))
            self.lines += [f"{pad}{line}" for line in walk.splitlines()]
        else:
            self.lines.append(pad + self.one_of(STATEMENTS))

    def program(self) -> str:
        self.lines.append("    for v in x:")
        self.block(2, 0)
        if self.draw.random() < 0.3:
            self.lines.append("        if s > 40: break")
        v = "    v = w"
        self.lines.append(v)
        self.block(1, 1)
        self.lines.append(f"    return {self.one_of(RESULTS)}")
        return HEAD + "\n".join(self.lines) + "\n"


def as_tables(x, known=None):
    """A result with the number of an object in its place, beside what is in it, when first met."""
    known = {} if known is None else known
    if isinstance(x, (list, tuple)):
        return type(x)(as_tables(part, known) for part in x)
    if isinstance(x, dict):
        return {key: as_tables(part, known) for key, part in x.items()}
    if type(x).__name__ != "N":
        return x
    if id(x) in known:
        return known[id(x)]
    known[id(x)] = len(known)
    return known[id(x)], {name: as_tables(part, known) for name, part in vars(x).items()}


def answered(seed):
    """Whether the program of a seed is served; what it gives is right, then."""
    draw = np.random.default_rng(seed)
    cases = [(np.round(draw.uniform(-2, 3, 5), 1),) for _ in range(3)]
    return is_answered(Writer(seed).program(), cases, one_backend(seed), seed, as_tables)


test_made_objects, test_made_objects_at_length = blocks_of(answered, step=12, many=2000, share=0.8)
