"""Random programs that write arrays through views of them, which branches, loops and calls bind.

The two arrays of a call are apart, one array, or one is a part of the other. As graphs the programs
are right, also in what the caller's arrays hold later, or refused; gradients of those that are
smooth agree with differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as ag
from runtime.autodiff.sweep import NoGradientError
from tests.random_programs.blocks import blocks_of
from tests.random_programs.grammar import Grammar
from tests.random_programs.outcomes import is_answered, one_backend, outcome

HEAD = """import numpy as np


class Box:
    def __init__(self, x):
        self.x = x

    def scale(self, by):
        self.x *= by
        return self.x


def scaled(u, by):
    u *= by
    return u[::-1]


def shifted(u, by=1.0):
    u[1:] = u[:-1] * by
    u = u + by
    return u


def either(u, v, c):
    return u if c else v


"""
START = """def f(a, b, n):
    s = a[1] * 0.5
    m = np.arange(6.0).reshape(2, 3) * a[0]
    u, v, w = a[:3], b[1:4], m[1]
    l, d, o, t = [u, m[0]], {"k": v}, Box(m[0]), (v, w)"""
WORDS = {
    "num": "s;a[0];u[1];v[n % 3];m[1, 2];<row>.sum();1.5;-0.5;n * 0.5;b[-1];o.x[0];2.0",
    "place": "0;1;2;-1;n % 3;n % 2",
    "row": """u;v;w;u;v;w;a[:3];b[1:4];m[0];m[1];m[n % 2];a[::2];a[3:0:-1];m.T[:, 0];b[-3:];l[0]
l[-1];d['k'];o.x;a.reshape(2, 3)[1];t[0];t[1];u[::-1];m[::-1][0];a[n % 3:][:3]""",
    "name": "u;v;w",
    "value": """<row> * <num>;<row> + <num>;<num>;<row> - <row>;<row>;np.sin(<row>)
<row>[::-1] * 0.5""",
    "new": """<row>.copy();<row> + <row>;np.zeros(3);np.stack([<row>, <row>])[n % 2]
np.array([s, 1.0, a[0]]);np.full(3, <num>)""",
    "test": "n > 1;n % 2;n % 3 == 1;s > 1;u[0] > v[0];<row>[1] > <num>;a[0] > 2;u is v;m[0, 1] < 1",
    "result": """u, v, m, s;s, l, a;m, o.x, d['k'];t, u, s, w;u + v, l[0], o.x, s;a, b, m, s
d, u, m.T;[q.sum() for q in l], w""",
    "step": "n > 1;n % 2;n % 3 == 1",
}
THEMES = {
    "flow": """if <test>:
    ...
if <test>:
    ...
else:
    ...
for i<:> in range(n % 3):
    ...
for i<:> in range(3):
    ...
    if <test>: break
try:
    ...
    if <test>: raise ValueError
    ...
except ValueError:
    ...
if <test>: return <result>
s += <num>;s = <num>""",
    "names": """<name> = <row>;<name> = <row>;<name> = <row>;<name> = <new>;u, v = v, u;v, w = w, v
<name> = <row> if <test> else <row>
<name> = either(<row>, <row>, <test>);<name> = scaled(<row>, <num>);<name> = shifted(<row>)""",
    "writes": """<row>[<place>] = <num>;<row>[<place>] += <num>;<name> += <num>;<name> -= <value>
<row>[:] = <value>;<row>[:2] = <num>;<row>[1:] += <row>[:-1];<row>[:] = <row>[::-1]
m[<place>] = <value>
m[:, <place>] += <num>
m[:, 1] = <row>[:2]
m *= <num>;m[0], m[1] = m[1], m[0];m[0] += m[1];m = m * 1.0;m.T[<place>] = <num>
u[0], v[1] = v[1], u[0]
for row in m: row += <num>
for i<:> in range(3): u[i<:>] += v[2 - i<:>]""",
    "out": """np.add(<row>, <num>, out=<row>);np.multiply(<row>, <row>, out=<row>)
np.negative(<row>, out=<row>)
np.subtract(<row>, <row>, out=<row>);np.sin(<row>, out=<row>);np.copyto(<row>, <value>)
<name>.fill(<num>)
<name> = np.add(<row>, 1.0, out=<row>)
np.add.at(<row>, [0, 0, 1], <num>);<row>.put([0, 2], <num>)
np.cos(<row>, out=<row>)""",
    "by size": """<row>.sort();np.clip(<row>, -2.0, 2.0, out=<row>)
np.maximum(<row>, <num>, out=<row>)
np.add(<row>, 1.0, out=<row>, where=<row> > <num>);<row>[<row> > <num>] = <num>
<row>[<row> > <num>] += <row>[0]
m[m > <num>] *= 0.5
<name> = np.where(<row> > <num>, <row>, <num>)""",
    "fancy": """<row>[[0, 2]] = <num>;<row>[[2, 0]] += <row>[:2]
m[[0, 1], [1, 2]] = <num>
m[:, [0, 2]] += <num>
<row>[np.array([1, 0, 2])] = <row>
m.flat[<place>] = <num>
m.swapaxes(0, 1)[1] = <num>""",
    "held": """o.x = <row>;o.x += <num>;o.scale(<num>);<name> = o.scale(<num>);o = Box(<row>)
l[0] = <row>
l.append(<row>);l[-1] += <num>;l[0][<place>] = <num>
l = l[::-1]
for q in l: q += <num>
d['k'] = <row>
d['k'] *= <num>
for q in d.values(): q[0] += 1.0
t = (<row>, <row>);t[0][<place>] = <num>
t = t[1], t[0]
p, q = t; p += q""",
    "calls": """scaled(<row>, <num>);shifted(<row>, by=<num>);s += scaled(<row>, 0.5)[0]
either(<row>, <row>, <test>)[0] += 1.0
def add(by, to=<row>):
    to += by
    return to
add = lambda by, to=<row>: scaled(to, by)
add(<num>)""",
}


def program(seed: int, grammar: Grammar | None = None) -> str:
    """The text of a function of two arrays and an int, of one number of them if it is smooth."""
    write = (grammar or GRAMMAR).writer(seed, themes=2)
    lines = START.splitlines()
    if grammar is SMOOTH:
        lines.insert(1, "    a, b = a.copy(), b.copy()")
    lines += ["    def add(by):", "        return by", *write.lines(5), *write.lines(5)]
    return HEAD + "\n".join([*lines, f"    return {write.text('<result>')}", ""])


GRAMMAR = Grammar(WORDS, THEMES, always=("flow", "names", "writes"))
# Of programs without a step: what data decides is an int.
SMOOTH = Grammar(
    WORDS
    | {
        "test": "n > 1;n % 2;n % 3 == 1",
        "result": "float(np.arctan(u * v - w).sum() + a[0] * b[1] + m.sum() * 0.5 + s)",
    },
    {theme: text for theme, text in THEMES.items() if theme != "by size"},
    always=("flow", "names", "writes"),
)
COUNTS = [np.int64(n) for n in (0, 1, 2, 5)]
CASES = [(np.array([x, 0.5, 2.0, 1.0, -1.0, 3.0]), n) for x in (-1.0, 3.0) for n in COUNTS]
# The second array of a call, by the first.
SECOND = [lambda a: np.arange(6.0) / 2] * 6 + [lambda a: a, lambda a: a[1:]]


def called(seed: int) -> Callable[..., Any]:
    """How a program is called: what it gives, beside what is in the arrays then."""
    second = SECOND[seed % len(SECOND)]

    def calling(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(a: Any, n: Any) -> Any:
            b = second(a)
            return function(a, b, n), a, b

        return call

    return calling


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    return is_answered(program(seed), CASES, one_backend(seed), seed, called=called(seed))


test_written_views, test_written_views_at_length = blocks_of(
    is_answered_of, step=6, many=2000, share=0.5
)


def slopes(f: Callable[..., Any], a: Any, b: Any, n: Any) -> Any:
    """The derivatives of a program by its first array, from differences; None where steep."""

    def differences(step: float) -> Any:
        moves = step * np.eye(len(a))
        return np.array([f(a + move, b, n) - f(a - move, b, n) for move in moves]) / (2 * step)

    near, far = differences(STEP / 2), differences(STEP)
    is_measure = np.allclose(near, far, rtol=1e-4, atol=1e-4) and np.abs(near).max() < STEEPEST
    return (4 * near - far) / 3 if is_measure else None


def has_gradient_of(seed: int) -> bool:
    """Whether a smooth program has a gradient, which agrees with differences where these say it."""
    text = program(seed, SMOOTH)
    f = ag.convert_source(text).f
    gradient = ag.value_and_grad(ag.convert(f))
    for a, n in CASES:
        b = np.arange(6.0) / 2
        if isinstance(outcome(f, a, b, n), tuple):
            continue  # it raises
        expected = slopes(f, a, b, n)
        try:
            value, got = gradient(a, b, n)
        except (ag.StagingError, NoGradientError):
            return False
        if expected is not None:
            told = f"{a}, {n}, seed {seed}\n{text}"
            np.testing.assert_allclose(value, f(a, b, n), rtol=1e-12, err_msg=told)
            np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4, err_msg=told)
    return True


STEP, STEEPEST = 2e-4, 1e3

test_gradients_of_written_views, test_gradients_of_written_views_at_length = blocks_of(
    has_gradient_of, step=4, many=1000, share=0.5
)
