"""Random programs that write parts of a matrix with what was read of other parts of it.

What is written is copied first: of two lines that cross, NumPy itself reads what it has written.
"""

from __future__ import annotations

import numpy as np

from tests.random_programs.blocks import blocks_of
from tests.random_programs.grammar import Grammar
from tests.random_programs.outcomes import is_answered, native_and_another

START = """import numpy as np


def f(x, p, k):
    x = x.astype("{dtype}")
    u, v, q, r, i = x[1].copy(), x[:, 1].copy(), x.T.copy(), x[::-1].copy(), 0"""
WORDS = {
    "at": "0;1;2;-1;i;k;-1 - i",
    "matrix": "x;x;x;x.T;x[::-1];x[:, ::-1]",
    "line": """<matrix>[<at>];<matrix>[:, <at>];x[<at>, ::-1];x[::-1, <at>];x[p, <at>];u;v
x.diagonal();q[<at>];r[:, <at>]""",
    "block": "<matrix>;<matrix>;x[p];x[:, p];q;r;q.T;r[::-1];x[p][:, p]",
    "values": """<line>.copy();(<line> + <line>);(<line> * 2);np.roll(<line>, 1)
np.where(<line> > 1, 3, <line>)""",
    "table": """<block>.copy();<block>.copy();<block> + <block>;<block> * 2;<values>[:, None]
<values>;np.where(<block> > <block>, 2, <block>)""",
    "o": "=;=;+=;*=",
}  # fmt: skip
THEMES = {
    "lines": """x[<at>] <o> <values>;x[:, <at>] <o> <values>;x[::-1, <at>] <o> <values>
x.T[<at>, ::-1] <o> <values>;x[p, <at>] = <values>;x[<at>, 1:] <o> <values>[:-1]
x[1:, <at>] <o> <values>[1:];x[x[<at>] > 2] = <values>;u = <values>;v = <values>""",
    "blocks": """x[:] <o> <table>;x.T[:] <o> <table>;x[::-1] <o> <table>;x += <table>
x[1:] <o> <block>[:-1].copy();x[:, 1:] <o> <block>[:, :-1] * 2;x[:-1, 1:] = <block>[1:, 1:].copy()
x[p] = <table>;x[:, p] <o> <table>;x[x > <block>] = <at>;q = <block>.copy();r = <table> + q * 0
q, r = <block>.copy(), q[::-1].copy();q = <block>[p] * 2;r = q.T.copy()""",
    "flow": """for i in range(k):
    u = <line>.copy()
    v = u[::-1].copy()
    x[:, <at>] = u
    ...
for i in range(k):
    q = <block>[1:].copy()
    r = q[::-1].copy()
    x[:-1] = q
    ...
    q, r = x.T.copy(), np.vstack((r, u))
for i in range(<at> % 3 + 1):
    ...
if x[<at>, 0] > x[0, <at>]:
    ...""",
}  # fmt: skip
GRAMMAR = Grammar(WORDS, THEMES, always=THEMES)
DTYPES = ("f8", "f4", "i8", "i4", "i2", "u1", "f8", "i8")


def is_answered_of(seed: int) -> bool:
    """Whether a program is answered, as Python does."""
    draw = np.random.default_rng(seed)
    lines = GRAMMAR.writer(seed, themes=0).lines(6)
    text = "\n".join([START.format(dtype=DTYPES[seed % 8]), *lines, "    return x, u, v, q, r"])
    n = (3, 7, 12, 40)[seed // 8 % 4]
    cases = [(draw.integers(0, 5, (n, n)), draw.permutation(n), np.int64(k)) for k in (1, 2)]
    return is_answered(text, cases, native_and_another(seed), seed)


test_overlapping_parts, test_overlapping_parts_at_length = blocks_of(
    is_answered_of, step=6, many=600, share=0.8
)
