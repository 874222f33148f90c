"""Random programs that write arrays in lists and dicts that grow by data: right, or refused."""

from __future__ import annotations

import random

import numpy as np

import autograph as ag
from runtime.errors import GraphLimit
from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_done_alike

HEAD = """
import numpy as np
from collections import defaultdict

class Box:
    pass

def add(rows, k, y):
    rows[k] += y

"""
START = """def f(x, w, z):
    rows = {rows}
    d, e = {{}}, defaultdict(lambda: np.zeros(2))
    q = [np.ones(2)]
    u, s = np.zeros(2), z
    box = Box()
    box.now = {now}
    total = 0.0
    for v in x:
        k = int(v * 3)
"""
END = """
    return (
        [r.tolist() for r in rows], [(k, r.tolist()) for k, r in d.items()],
        [(k, r.tolist()) for k, r in e.items()], [r.tolist() for r in q], u.tolist(), s.tolist(),
        z.tolist(), box.now.tolist(), float(total),
    )
"""


class Writer:
    """Draws the statements of a program about arrays in lists and dicts, and other names of them."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def array(self):
        """An array that is put somewhere."""
        new = ["np.zeros(2)", "np.full(2, v)", "np.array([v, w])", "z * v", "u.copy()"]
        return self.draw.choice([*new, *new, "u", "s", "z", "rows[0]", "box.now"])

    def item(self):
        """An item, and the condition under which it is there."""
        rows = self.draw.choice(["rows", "rows", "rows", "q"])
        return self.draw.choice(
            [
                (f"len({rows}) > 0", f"{rows}[-1]"),
                (f"len({rows}) > 1", f"{rows}[1]"),
                (f"len({rows}) > k", f"{rows}[k]"),
                (f"len({rows}) > k", f"{rows}[k]"),
                ("k in d", "d[k]"),
                ("k in d", "d[k]"),
                ("True", "e[k]"),
                ("True", "d.setdefault(k, np.zeros(2))"),
            ]
        )

    def simple(self):
        """A statement without a body."""
        pick, (test, item) = self.draw.choice, self.item()
        name, a = pick("us"), self.array()
        y = pick(["v", "1.0", "w", "np.ones(2)", "z", "total"])
        change = pick(
            [f"{item}[0] = v", f"{item}[:] = {y}", f"{item}[1:] += v",
             f"np.add({item}, {y}, out={item})", f"{item}.fill(w)", f"{item}.sort()"]
        )  # fmt: skip
        if "setdefault" not in item:
            change = pick([change, f"{item} += {y}", f"{item} *= 0.5"])
        add = pick([f"rows.append({a})", f"rows.append({a})", f"d[k] = {a}", f"e[k] = {a}"])
        return pick(
            [
                add,
                add,
                f"if {test}: {change}",
                f"if {test}: {change}",
                f"if {test}: {change}",
                f"if k not in d: d[k] = {a}",
                f"if {test}: {name} = {item}",
                f"if len(rows) > k: add(rows, k, {y})",
                f"if k in d: add(d, k, {y})",
                "for r in rows: r += v",
                "for k2 in d: d[k2] *= 0.5",
                "for r in d.values(): r[0] = w",
                "for r in rows: total += r[0]",
                f"if {test}: total += {item}.sum()",
                "if len(rows) > 2: rows.pop()",
                "if len(rows) > 2: del rows[0]",
                "rows.reverse()",
                "if len(rows) > 1: rows[0], rows[1] = rows[1], rows[0]",
                pick(["q = rows[:]", "q = rows", "q = list(d.values())", "q = [r for r in rows]"]),
                pick(["q = [r.copy() for r in rows]", f"q.append({a})", f"box.now = {name}"]),
                f"box.now = {a}",
                f"{name} += {y}",
                f"{name} = np.full(2, v)",
                f"{name}[0] = v",
                f"{name} = {pick('us')}",
            ]
        )

    def block(self, depth, indent):
        """Lines of up to three statements."""
        draw, pad, lines = self.draw, "    " * indent, []
        for _ in range(draw.randint(1, 3)):
            kind = draw.random()
            if not depth or kind > 0.27:
                lines.append(pad + self.simple())
            elif kind < 0.2:
                test = draw.choice(["v > 0.5", "len(rows) > 2", "total > 5", "w < 0.4"])
                lines += [f"{pad}if {test}:", *self.block(depth - 1, indent + 1)]
                if draw.random() < 0.5:
                    lines += [f"{pad}else:", *self.block(depth - 1, indent + 1)]
            else:
                lines += [f"{pad}for i{indent} in range(int(w * 3)):"]
                lines += self.block(depth - 1, indent + 1)
        return lines

    def program(self):
        """The text of a function of an array, a number and an array."""
        draw = self.draw
        rows = draw.choice(["[]", "[]", "[np.zeros(2)]", "[np.zeros(2), np.ones(2)]"])
        start = START.format(rows=rows, now=draw.choice(["u", "np.full(2, 3.0)"]))
        body = [line for _ in range(2) for line in self.block(1, 2)]
        return HEAD + start + "\n".join([*body, *self.block(1, 1)]) + END


def run(function, seed, w):
    drawn = np.random.default_rng(seed)
    given = drawn.random(20), np.float64(w), drawn.random(2)
    try:
        return repr((function(*given), given))
    except (ag.StagingError, GraphLimit):
        raise
    except Exception as error:
        return repr((type(error), str(error)))


def is_answered(seed):
    """Run as Python and as a graph; whether the graph was not refused."""
    return is_done_alike(Writer(seed).program(), run, (seed, 0.3), (seed, 0.9))


test_written_arrays, test_written_arrays_at_length = blocks_of(
    is_answered, step=20, many=1200, share=0.4
)
