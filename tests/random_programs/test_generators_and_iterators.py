"""Random programs with generator functions, generator expressions and iterators, left early or not.

What is gone through are lists that grow by data, numbers, arrays and other iterators. As graphs the
programs are right, or refused.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.grammar import Grammar
from tests.random_programs.outcomes import is_answered, one_backend, with_numbers

HEAD = """import itertools

import numpy as np


def numbers(n, x):
    k = 0
    while k < n:
        got = x + k
        if got > 3:
            yield got * 0.5
        else:
            yield got
        k += 1


def until(values, most):
    total = 0.0
    for v in values:
        total += v
        if total > most:
            return total
        yield total
    return -1.0


def twice(values, notes):
    try:
        for v in values:
            yield v
            yield v * 2
    finally:
        notes.append(len(notes))


def both(first, second):
    got = yield from until(first, 4.0)
    yield got
    if got > 0:
        yield from second


def pairs(values):
    before = 0.0
    for k, v in enumerate(values):
        if k % 2:
            yield before, v
        before = v


def flat(nest):
    for row in nest:
        for v in row:
            if v < 0:
                break
            yield v
        else:
            yield 0.5


class Steps:
    def __init__(self, n, by):
        self.n, self.by = n, by

    def __iter__(self):
        for k in range(self.n):
            yield k * self.by


class Down:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n * 1.0


"""
START = """def f(a, n):
    x, y, z = a
    l, r, notes = [y, x], [x, 2.0, z], []
    s, k = 0.0, 0
    u, v, w = x, y, z"""
WORDS = {
    "num": "x;y;z;v;w;1.5;-0.5;2.0;s * 0.5;n * 1.0",
    "int": "n % 3;n % 4;2;k % 3;len(l) % 4;1",
    "test": """x > 1;x > 3;n > 1;n % 2;s > 3;v > 1;w < y;k % 2;len(l) > 2;l;not r
any(q > 2 for q in <list>);all(q < 4 for q in <list>)""",
    "list": "l;r;l;r;a",
    "own": "l;r",
    "it": """<list>;<list>;numbers(<int>, <num>);until(<list>, <num>);both(<list>, <list>)
(q * 2 for q in <list>);(q for q in <list> if q > <num>);Steps(<int>, <num>);Down(<int>)
map(lambda q: q + <num>, <list>);filter(lambda q: q > <num>, <list>);reversed(l);<list>[1:]
itertools.chain(<list>, <list>);itertools.islice(<list>, <int>);itertools.accumulate(<list>)
itertools.takewhile(lambda q: q < <num>, <list>);flat([l, r]);sorted(<list>);l[::-1]
itertools.dropwhile(lambda q: q < <num>, <list>);itertools.repeat(<num>, <int>)
[q for q in <list> if q < <num>];(q if q > 1 else -q for q in <list>)""",
    "pairs": """zip(<it>, <it>);enumerate(<it>);zip(<list>, <it>);pairs(<it>)
enumerate(<list>, <int>);itertools.pairwise(<list>);itertools.zip_longest(l, r, fillvalue=0.0)
itertools.product(l[:2], r[:2]);itertools.combinations(<list>, 2);((q, q * q) for q in <it>)
zip(l, r, strict=False)""",
    "fold": """sum(<it>);max(<it>, default=0.0);min(<it>, default=1.0);len(list(<it>))
int(any(<it>));int(all(<it>));max(<it>, key=lambda q: -q, default=0.5)
sum(q * p for q, p in <pairs>);next(iter(<it>), 0.5);next((q for q in <it> if q > <num>), -1.0)
sum(1 for q in <it> if q > <num>);int(<num> in <it>);sum(q for q, _ in <pairs>)
max((p for _, p in <pairs>), default=2.0)
list(itertools.islice(<it>, 3, None))[0] if <test> else 0.0;sorted(<it>)[-1] if <test> else 0.5""",
    "gen": """numbers(<int>, <num>);until(<list>, <num>);(q * 2 for q in <list>);iter(<list>)
numbers(4, <num>)""",
    "result": """s, k, v;s, l, r;l, s;r, notes, s;[q * 2 for q in l], s, w;(*l, s)
{'s': s, 'l': l};s, len(l), len(r), v, w""",
}
THEMES = {
    "flow": """if <test>:
    ...
if <test>:
    ...
else:
    ...
for i<:> in range(<int>):
    ...
try:
    ...
    if <test>: raise ValueError
except ValueError:
    ...
for v in <it>:
    ...
for v in <it>:
    ...
    if <test>: break
else:
    ...
for v in <it>:
    if <test>: continue
    ...
for v, w in <pairs>:
    ...
for v, w in <pairs>:
    if <test>: break
    ...
if <test>: return <result>
s += <fold>;s = <fold>;v = <fold>;k += <int>""",
    "lists": """if len(<own:1>) < 7: <own:1>.append(<num>)
if len(<own:1>) < 7: <own:1>.extend(list(<it>)[:3])
<own> = list(<it>)[:7];<own> = [*<it>][-5:];<own> = [*<it>, <num>][:6]
if len(<own:1>) > 2: <own:1>.pop()
<own> = [q + <num> for q in <it>][:5];<own> = [q - p for q, p in <pairs>][:6]
<own> = sorted(<it>, key=lambda q: -q)[:7]
<own> = <own>[:4];l, r = r, l
if len(<own:1>) > 1: v, *<own> = <own:1>
<own>[:1] = list(<it>)[:1]""",
    "walrus": """if (v := <fold>) > <num>: s += v
while (v := v - 1.0) > 0: s += v
s += sum([t for q in <list> if (t := q * 2) > <num>])
if (w := len(list(<it>))) > 1 and (u := <fold>) > 1: s += w + u""",
    "next": """g = <gen>
s += next(g, 0.5)
v = next(g, <num>)
if <test>: s += next(g, 1.0)
for w in g:
    s += w
    if <test>: break
s += sum(g)
g = iter(<list>)
g = <gen>; s += next(g, 0.5); s += next(g, 0.25)
g = <gen>; r = list(g)[:7]
for v in g:
    s += v + next(g, 0.5)
try:
    s += next(g)
except StopIteration:
    ...""",
    "close": """g = twice(<list>, notes); s += next(g, 0.5); g.close()
for v in twice(<list>, notes): s += v
for v in twice(<it>, notes):
    try:
        if <test>: continue
        ...
    finally:
        s += 1.0
s += sum(twice(<it>, notes));l = list(twice(<list>, notes))[:7]
notes.append(k);s += len(notes)""",
    "local": """def make(most):
    nonlocal s
    for q in <list>:
        if q > most:
            return
        s += 0.5
        yield q + s
s += sum(make(<num>));l = list(make(<num>))[:7]
for v in make(<num>):
    ...
    if <test>: break
for v, w in zip(make(<num>), make(<num>)):
    ...""",
}


def program(seed: int) -> str:
    """The text of a function of an array and an int."""
    write = GRAMMAR.writer(seed, themes=2)
    local = ["    def make(most):", "        yield most", "    g = iter(l)"]
    lines = START.splitlines() + local + write.lines(4) + write.lines(4)
    return HEAD + "\n".join([*lines, f"    return {write.text('<result>')}", ""])


GRAMMAR = Grammar(WORDS, THEMES, always=("flow", "lists"))
COUNTS = [np.int64(n) for n in (0, 1, 2, 5)]
CASES = [(np.array([x, 0.5, 2.0]), n) for x in (-1.0, 1.5, 4.0) for n in COUNTS]


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    return is_answered(program(seed), CASES, one_backend(seed), seed, with_numbers)


test_generators_and_iterators, test_generators_and_iterators_at_length = blocks_of(
    is_answered_of, step=10, many=2000, share=0.4
)
