"""Random programs with objects of classes that differ, and with functions made within functions.

Objects change themselves and each other, get and lose attributes, and stand for one another by
data; closures, bound methods and partials are made in branches and loops and called later. As
graphs the programs are right, also in which object is which, or refused.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.grammar import Grammar
from tests.random_programs.outcomes import is_answered, one_backend, with_numbers

HEAD = """import dataclasses
import functools

import numpy as np


class Base:
    kind = 1
    limit = 2.0

    def __init__(self, v):
        self.v = v
        self.of = None

    @property
    def twice(self):
        return self.v * 2

    @twice.setter
    def twice(self, value):
        self.v = value / 2

    def add(self, by):
        self.v += by
        return self

    def other(self, by):
        if by > 1:
            return type(self)(self.v + by)
        return self

    def score(self):
        return self.v + self.kind

    def both(self, by):
        return self.add(by).score() + self.limit

    def meet(self, other):
        if other.v > self.v:
            self.of = other
        else:
            other.v += 1.0
        return other

    def lift(self, by=1.0):
        self.v = self.v * 0.5 + by
        return self.v

    @classmethod
    def made(cls, v):
        return cls(v * 0.5)

    def __eq__(self, other):
        return self.v == other.v

    def __bool__(self):
        return bool(self.v > 0)

    __hash__ = object.__hash__


class Derived(Base):
    kind = 2

    def __init__(self, v):
        super().__init__(v * 2)
        self.extra = 1.0

    def score(self):
        return super().score() * 0.5 + self.extra

    def add(self, by):
        if by > 0:
            super().add(by)
        else:
            self.extra -= by
        return self


class Slotted:
    __slots__ = ("v", "of")
    kind = 3
    limit = 1.5

    def __init__(self, v):
        self.v = v
        self.of = None

    add, other, score = Base.add, Base.other, Base.score
    both, meet, lift = Base.both, Base.meet, Base.lift
    twice = property(lambda self: self.v + 1.0)
    made = classmethod(lambda cls, v: cls(v + 0.5))


@dataclasses.dataclass
class Record:
    v: float
    of: object = None
    extra: float = 0.5
    kind, limit = 4, 0.5

    def score(self):
        return self.v * self.extra

    def add(self, by):
        self.v, self.extra = self.v + by, self.extra + 1
        return self

    other, both, meet, lift = Base.other, Base.both, Base.meet, Base.lift
    twice = Base.twice
    made = classmethod(lambda cls, v: cls(v, extra=2.0))


@dataclasses.dataclass(frozen=True)
class Point:
    a: float
    b: float = 1.0

    def moved(self, by):
        if by > 1:
            return dataclasses.replace(self, a=self.a + by)
        return self

    @property
    def size(self):
        return self.a * self.b


class Held:
    def __init__(self, of):
        self.of = of

    def __enter__(self):
        self.of.v += 1.0
        return self.of

    def __exit__(self, *details):
        self.of.v -= 0.5
        return False


def doubled(g):
    @functools.wraps(g)
    def call(*args, **more):
        return g(*args, **more) * 2

    return call


def scaled(by, v, *, plus=0.0):
    return v * by + plus


def seen(o):
    if isinstance(o, Point):
        return o.a, o.b
    return type(o).__name__, o.v, o.kind, o.limit, getattr(o, "extra", None), hasattr(o, "w")


def counter(start, step=1.0):
    def count(by=1.0):
        nonlocal start
        start += step * by
        return start

    return count


"""
WORDS = {
    "num": "x;x;y;z;1.5;-0.5;2.0;z * 0.5;<o>.v;n * 1.0;<o>.score()",
    "o": "p;p;q;r",
    "new": "<class>(<num>);<class>(<num>);<class>.made(<num>);type(<o>)(<num>)",
    "test": """x > 1;x > 3;x > -1;n > 1;n % 2;n % 3 == 1;<o>.v > 2;<o>.v < y;<o> is <o>
<o>.of is None;<o> is not <o>;<o>.of is <o>;z > 3;isinstance(<o>, Derived);not x > 2
x > 1 and <o>.v > 1""",
    "attr": "v;w;extra;kind",
    "way": "g;h;k;g;h",
    "many": "n % 3;n % 4;2;3",
    "key": "'a';'b';'c'",
    "result": """z, seen(p), seen(q), seen(r), p is q;seen(p), p is r, z, seen(e), len(l)
seen(q), list(d), z, t[-1] is q;z, [seen(u) for u in l], g(1.0)
z, g(1.0), h(2.0), k(0.5), seen(p), seen(q);{'p': seen(p), 'z': z}, seen(r)
z, [(k, seen(u)) for k, u in d.items()], [u is p for u in l]
z, p.of is q, q.of is None, seen(p), c();z, sum(u(1.0) for u in fs), seen(q), q.of is p""",
}
THEMES = {
    "flow": """if <test>:
    ...
if <test>:
    ...
else:
    ...
if <test>:
    ...
for i<:> in range(<many>):
    ...
for i<:> in range(3):
    ...
    if <test>: break
for i<:> in range(3):
    if <test>: continue
    ...
i<:> = 0
while i<:> < <many>:
    i<:> += 1
    ...
try:
    ...
    if <test>: raise ValueError
    ...
except ValueError:
    ...
try:
    ...
finally:
    ...
with Held(<o>) as u:
    ...
if <test>: return <result>""",
    "objects": """<o> = <new>;<o> = <new>;<o> = <o>;p, q = q, p;q, r = r, q;<o>.v += <num>
<o>.v = <num>
z = <o>.score();z += <o>.both(<num>);<o> = <o>.other(<num>);<o> = <o>.add(<num>);<o>.add(<num>)
z = <o>.twice;<o>.limit = <num>;z += <o>.limit;<o> = <new> if <test> else <o>""",
    "links": """<o>.of = <o>;<o>.of = <new>;<o>.of = None;<o> = <o>.meet(<o>);<o>.meet(<o>)
if <o:1>.of is not None: <o> = <o:1>.of
if <o:1>.of is not None: <o:1>.of.v += <num>
if <o:1>.of is not None: z += <o:1>.of.score()
if <o:1>.of is not None and <o:1>.of.v > <num>: <o:1>.of = <o:1>.of.of
<o:1>, <o:1>.of = <new>, <o>;z += int(<o>.of is <o>)""",
    "attributes": """setattr(<o>, 'v', <num>);z += getattr(<o>, '<attr>', 0.5)
<o>.w = <num>
if hasattr(<o:1>, 'w'): z += <o:1>.w
if hasattr(<o:1>, 'w'): del <o:1>.w
<o>.w = [<num>, 1.0]
if hasattr(<o:1>, 'w'): <o:1>.w = <o:1>.w * 2
setattr(<o>, 'w' if <test> else 'v', <num>)
z += getattr(<o>, 'v' if <test> else 'limit')
<o>.kind += 1;<o>.kind = 5;z += <o>.kind * 0.5;z += type(<o>).kind
<o>.score = lambda: <num>
try:
    del <o>.w
except AttributeError:
    ...
<o>.twice = <num>""",
    "containers": """t = (<o>, <num>, <o>);t = (<new>, <o>);z += t[0].v
t[-1 if n > 2 else 0].add(<num>)
d[<key>] = <o>;d[<key>] = <new>;z += d.get(<key>, <o>).v;d.get(<key>, <o>).v = <num>
if <key:1> in d: <o> = d[<key:1>]
if <key:1> in d: d[<key:1>].add(<num>)
d.pop(<key>, None);for u in t[:1]: u.v += <num>
for u in (<o>, <o>): u.v += <num>
for u in d.values(): z += u.v
l.append(<o>);l.append(<new>)
if l: l[-1].v += <num>
if l: <o> = l.pop()
for u in l: u.add(<num>)
z += sum(u.v for u in l);z += int(<o> in l);<o> = (<o>, <o>)[n % 2];<o> = [<o>, <o>, <o>][n % 3]
<o> = max(<o>, <o>, key=lambda u: u.v);l = sorted(l, key=lambda u: -u.v)
l = [u for u in l if u.v > <num>]
l[:0] = [<o>];z += len(l)""",
    "closures": """<way> = counter(<num>)
<way> = counter(<num>, <num>)
<way> = lambda v=<num>: v + x
<way> = lambda v=<num>: v + z
<way> = lambda v=1.0, u=<o>: u.v * v
<way> = <way>;z += <way>(<num>);z = <way>();g, h = h, g;h(1.0);g()
def <way:1>(v=<num>):
    nonlocal z
    z += v
    return z * 0.5
def <way:1>(v=<num>, *, of=<o>):
    of.v += v
    if of.v > 2:
        return of.v
    return v
def <way:1>(v=1.0):
    nonlocal p
    if v > 1:
        p = <o>
    return p.v
def <way:1>(v=1.0, kept=[0.0]):
    kept[0] += v
    return kept[0]
fs.append(lambda v: v + <num>)
for i<:> in range(<many>):
    fs.append(lambda v, by=i<:>: v * by)
for i<:> in range(3):
    fs.append(lambda v: v + i<:>)
z += fs[n % 2](<num>);z += fs[-1](<num>);z += sum(u(1.0) for u in fs)
z = (g if <test> else h)(<num>)
<way> = g if <test> else h""",
    "methods": """<way> = <o>.lift;<way> = functools.partial(scaled, <num>)
<way> = functools.partial(scaled, <num>, plus=<num>)
<way> = doubled(<way>)
<way> = doubled(lambda v=1.0: v + 1)
b = <o>.add;b(<num>);<o> = b(<num>);m[<key>] = <o>.score
m[<key>] = <o>.both if <test> else <o>.add
if <key:1> in m: m[<key:1>]
c = <o>.score;z += c();c = functools.partial(<o>.both, <num>);z += Base.score(p)
c = <o>.score if <test> else <o>.score
c = {'a': <o>.score, 'b': <o>.score}['a' if <test> else 'b']
b = getattr(<o>, 'add' if <test> else 'other')""",
    "frozen": """e = Point(<num>);e = Point(<num>, <num>);e = e.moved(<num>);z += e.size
e = dataclasses.replace(e, b=<num>)
try:
    e.a = <num>
except dataclasses.FrozenInstanceError:
    ...
z += int(e == Point(<num>));<o>.of = e if <test> else <o>;j = e
if e == j: z += 1
a, b2 = dataclasses.astuple(e)
e = Point(*dataclasses.astuple(e)[::-1]);z += int(e is j)
e = Point(**{'a': <num>, 'b': e.a})""",
}
START = """def f(a, n):
    x, y, z = a
    l, d, m, fs = [], {}, {}, [lambda v: v * 2]
    e, t = Point(x), (x, y)"""
MADE = """p, q, r = <class>(x), <class>(y), <class>(z)
g, h, k = counter(x), lambda v=1.0: v * x, functools.partial(scaled, y)
b, c = p.add, q.score
t, j = (p, x, q), e"""
CLASSES = "Base;Derived;Slotted;Record".split(";")


def program(seed: int) -> str:
    """The text of a function of an array and an int."""
    write = GRAMMAR.writer(seed)
    first, second = write.draw.choice(CLASSES), write.draw.choice(CLASSES)
    write.words = write.words | {"class": [first, first, second]}
    lines = START.splitlines() + [f"    {one}" for one in write.text(MADE).splitlines()]
    lines += write.lines(6) + write.lines(9)
    return HEAD + "\n".join([*lines, f"    return {write.text('<result>')}", ""])


GRAMMAR = Grammar(WORDS, THEMES, always=("flow", "objects"))
COUNTS = [np.int64(n) for n in (0, 1, 2, 5)]
CASES = [(np.array([x, 0.5, 2.0]), n) for x in (-1.0, 1.5, 4.0) for n in COUNTS]


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    return is_answered(program(seed), CASES, one_backend(seed), seed, with_numbers)


test_objects_and_closures, test_objects_and_closures_at_length = blocks_of(
    is_answered_of, step=10, many=2000, share=0.4
)
