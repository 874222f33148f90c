"""Random programs with texts that data chooses and formats, as keys, in matches, sets and counters.

As graphs the programs are right, or refused.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.grammar import Grammar
from tests.random_programs.outcomes import is_answered, one_backend, with_numbers

HEAD = """from collections import Counter, defaultdict

import numpy as np


class Move:
    __match_args__ = ("by", "name")

    def __init__(self, by, name="none"):
        self.by, self.name = by, name


def sized(v):
    if v > 2:
        return "large"
    return "small" if v > 0 else "none"


def kind(x):
    match x:
        case 0 | 1:
            return "few"
        case int() if x > 4:
            return "many"
        case (a, b) if a > b:
            return "falling"
        case (_, _):
            return "rising"
        case {"a": v, **rest}:
            return f"{len(rest)} more"
        case [first, *others]:
            return f"{len(others)} others"
        case Move(by, "up") if by > 1:
            return "far up"
        case Move(name=n):
            return n
        case str():
            return x.upper()
        case None:
            return "nothing"
        case _:
            return "other"


"""
START = """def f(a, n):
    x, y, z = a
    s, k = 0.0, n
    t, u, w = "a", sized(x), f"{k:d}"
    d, e, c = {"a": x, "b": 1.0}, {"few": k}, Counter("ab")
    g = defaultdict(float)
    h, words = {"a", "low"}, ["b", "a"]"""
WORDS = {
    "num": "x;y;z;s;1.5;-0.5;2.0;x * 0.5;k * 1.0",
    "int": "n;k;n % 3;k % 4;2;len(words)",
    "name": "t;u;w;t;u",
    "short": """'low' if <test> else 'high';sized(<num>);'a';'b';t;u;'few' if <test> else 'a'
('a', 'b', 'low')[n % 3];kind(<int>);kind((<num>, <num>));kind(t);kind(Move(<num>, t));kind(d)""",
    "text": """<short>;<short>;<short>;f'{<num>:.2f}';f'{<int>}';f'{<num>:>8.3f}|'
f'{<int>:03d}{u}';f'{<name>:>6}|';f'{<num>:+.1e}';'%d-%s' % (<int>, <name>);'%.2f' % <num>
'{} {:.1f}'.format(<name>, <num>);f'{<name>!r}';'{0}{1}{0}'.format(<name>, <int>);<name> + <name>
<name> * (n % 3);<name>[::-1];<name>[:2];<name>[1:];<name>.upper();<name>.title();'-'.join(words)
','.join(sorted(words));''.join(str(i) for i in range(n % 4));<name>.replace('a', 'oo')
<name>.strip('l');<name>.rjust(6, '.');str(<int>);f'{<num>:g}' if <test> else t;<name>.center(7)
f'{len(<name>)}';f'{<name>:.2}';f'{<int>:b}';f'{<int>:x}';str(<test>)""",
    "test": """x > 1;x > 3;n > 1;n % 2;k > 2;<name> == <name>;<name> == 'low';<name> != 'a'
<name> in d;'a' in d;<name> < <name>;<name> in h;<name> in words;'a' in <name>
<name>.startswith('l');<name>.isdigit();len(<name>) > 3;<name>;not <name>;d;e.get(<name>, 0) > 1
<name> in ('low', 'few');words == ['a'];h <= {'a', 'low', 'b'};<name> is None;s > 2
<name> not in e;c['a'] > 1""",
    "key": "<name>;<name>;'a';'b';'low';<short>",
    "result": """s, t, d;t, u, w, k;sorted(d), sorted(d.values()), s;d, e;list(d.items()), t
sorted(h), words;c, s, k;f'{s:.3f} {t} {k}', d;[*d], words, t;{**d, 'k': k}
len(d), len(h), c.most_common(1);d == e, t""",
}
THEMES = {
    "flow": """if <test>:
    ...
if <test>:
    ...
elif <test>:
    ...
else:
    ...
for i<:> in range(n % 4):
    ...
for i<:> in range(3):
    ...
    if <test>: break
try:
    ...
    if <test>: raise KeyError(t)
except KeyError as error:
    t = str(error)[:6]
if <test>: return <result>
k += 1;k = k % 3;s += <num>;s = <num>""",
    "texts": """<name> = <text>;<name> = <text>;<name> = <short>;<name> = <short>;t, u = u, t
if len(<name:1>) < 12: <name:1> += <text>
s += len(<name>);s += int(<test>);k = len(<name>) % 5;s += <name>.count('a');s += <name>.find('l')
words.append(<name>)
words = sorted(words)
words = [q for q in words if q != <name>]
for q in words[:4]: s += len(q)
if words: t = words.pop()
if words: u = max(words, key=lambda q: (len(q), q))
words = sorted(words, key=lambda q: (-len(q), q))
words = f'{<name>} {<name>}'.split()""",
    "dicts": """d[<key>] = <num>;d[<key>] = <num>;d[<key>] = d.get(<key>, 0.0) + 1
s += d.get(<key>, 0.5)
s += d.setdefault(<key>, <num>);s += d.pop(<key>, 0.0)
if <key:1> in d: del d[<key:1>]
if <key:1> in d: s += d[<key:1>]
d.update({<key>: <num>});d |= {<key>: <num>};d = {**d, <key>: <num>}
d = {q: v * 2 for q, v in d.items() if v < 9}
for q in list(d):
    if d[q] > <num>: del d[q]
for q, v in d.items(): s += v
for q in d: s += len(q)
for v in d.values(): s = max(s, v)
for q in sorted(d): s = s * 0.5 + d[q]
s += sum(d.values());s += len(d);t = max(d, key=d.get) if d else 'none';t = min(d, default='none')
words = sorted(d, key=lambda q: (d[q], q))
try:
    s += d[<key>]
except KeyError as error:
    t = error.args[0]
d = dict(sorted(d.items(), key=lambda p: (-p[1], p[0])))""",
    "others": """e[<key>] = k;e[<key>] = e.get(<key>, 0) + 1;s += sum(e.values());e = {t: k, u: 2}
e = {q: len(q) for q in words};e = dict.fromkeys(words, 0);s += len(d.keys() & e.keys())
s += int(d.keys() == e.keys())
e.update(zip(words, range(5)))
for q, v in zip(words, d.values()): s += v""",
    "sets": """h.add(<name>);h.discard(<name>);h |= {<name>};h = {t, u};h = h - {<name>}
h &= {'a', 'low', t};s += len(h)
if <name:1> in h: h.remove(<name:1>)
for q in sorted(h): s += len(q)
h = {q for q in words};s += int(h == {'a', t});s += len(h | set(d))""",
    "counters": """c[<name>] += 1;c.update(words);s += c['a'];s += c[<name>];c = Counter(words)
s += sum(c.values())
for q, v in c.most_common(2): s += v
c = Counter(t);c = Counter(len(q) for q in words);c.subtract([<name>]);c += Counter(u)
g = defaultdict(float, a=<num>)
g[<name>] += <num>;s += sum(g.values());s += g[<name>];s += len(g)""",
    "matches": """match <name>:
    case 'low' | 'a':
        ...
    case 'few' if <test>:
        ...
    case _:
        ...
match n % 3:
    case 0:
        ...
    case 1 if <test>:
        ...
    case q:
        s += q
match (<name>, k % 2):
    case ('a', 0):
        ...
    case (q, 1):
        t = q
    case (q, v) if v < 1:
        ...
match d:
    case {'a': v, 'low': q}:
        s += v
    case {'a': v}:
        ...
    case {}:
        ...
match Move(<num>, <name>):
    case Move(v, 'a'):
        ...
    case Move(by=v) if v > 1:
        s += v
match words:
    case []:
        ...
    case [q]:
        t = q
    case [q, *v]:
        s += len(v)
t = kind(<int>);t = kind((x, <num>));u = kind(<name>);t = kind(None if <test> else k)""",
}


def program(seed: int) -> str:
    """The text of a function of an array and an int."""
    write = GRAMMAR.writer(seed, themes=2)
    lines = START.splitlines() + write.lines(5) + write.lines(5)
    return HEAD + "\n".join([*lines, f"    return {write.text('<result>')}", ""])


GRAMMAR = Grammar(WORDS, THEMES, always=("flow", "texts"))
COUNTS = [np.int64(n) for n in (0, 1, 2, 5)]
CASES = [(np.array([x, 0.5, 2.0]), n) for x in (-1.0, 1.5, 4.0) for n in COUNTS]


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    return is_answered(program(seed), CASES, one_backend(seed), seed, with_numbers)


test_texts_and_keys, test_texts_and_keys_at_length = blocks_of(
    is_answered_of, step=10, many=2000, share=0.4
)
