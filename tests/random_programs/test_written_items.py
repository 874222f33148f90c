"""Random programs that write items of lists and dicts that grow by data: right, or refused."""

from __future__ import annotations

import random

import numpy as np

import autograph as ag
from runtime.errors import GraphLimit
from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_done_alike

HEAD = """
class Box:
    pass

def put(rows, y):
    rows.append([y])
    rows[-1].append(2.0)

"""
START = """def f(x, w):
    {rows}
    d = {{}}
    q = [[7.0]]
    r = [1.0]
    s = [2.0]
    box = Box()
    box.now = {now}
    total = 0.0
    v = w
    for v in x:
"""
END = """
    return (
        [list(z) for z in rows], [(k, list(z)) for k, z in d.items()], list(r), list(s),
        list(box.now), [list(z) for z in q], total,
    )
"""


class Writer:
    """Draws the statements of a program about lists of lists, dicts of lists, and their items."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def simple(self):
        """A statement without a body."""
        pick = self.draw.choice
        y, k = pick(["float(v)", "1.0", "w", "len(rows) * 1.0"]), pick(["int(v * 3)", "0", "1"])
        a, b, rows = pick("rs"), pick("rs"), pick(["rows", "q"])
        return pick(
            [
                f"rows.append([{y}])",
                "rows.append([])",
                f"rows.append({a})",
                f"rows.append(list({a}))",
                f"put(rows, {y})",
                f"rows.insert(0, [{y}])",
                "if len(rows) > 2: rows.pop()",
                "if len(rows) > 2: del rows[0]",
                "rows.reverse()",
                "rows.sort(key=len)",
                "if len(rows) > 1: rows[0], rows[1] = rows[1], rows[0]",
                "if len(rows) > 1: rows[0] = rows[1]",
                f"if len({rows}) > 1: {rows}[0].append({y})",
                f"if len({rows}) > 0: {rows}[-1] += [{y}]",
                f"if len({rows}) > 1: {rows}[1].insert(0, {y})",
                f"if len({rows}) > 0 and len({rows}[0]) > 0: {rows}[0][0] = {y}",
                f"if len({rows}) > 0: {a} = {rows}[{pick((0, -1))}]",
                f"for z in {rows}: z.append({y})",
                f"d.setdefault({k}, []).append({y})",
                f"d.setdefault({k}, []).append({y})",
                f"d.setdefault({k}, [{y}])",
                f"d[{k}] = [{y}]",
                f"d[{k}] = {a}",
                f"{a} = d.setdefault({k}, [])",
                "if 0 in d: d.pop(0)",
                "for k in d: d[k].append(5.0)",
                "for k, z in d.items(): total += sum(z) + k",
                f"{a}.append({y})",
                f"{a} += [{y}]",
                f"if len({a}) > 1: {a}.pop()",
                f"if len({a}) > 0: {a}[0] = {y}",
                f"{a} = {b}",
                f"{a} = [{y}]",
                "q = rows[:]",
                "q = rows + [[2.0]]",
                "q = rows",
                "q = [list(z) for z in rows]",
                "q = [z for z in rows]",
                "q = list(d.values())",
                f"box.now = {a}",
                f"box.now.append({y})",
                f"{a} = box.now",
                f"total += len({a})",
                "if len(rows) > 0: total += sum(rows[0])",
            ]
        )

    def block(self, depth, indent):
        """Lines of up to three statements."""
        draw, pad, lines = self.draw, "    " * indent, []
        for _ in range(draw.randint(1, 3)):
            kind = draw.random()
            if not depth or kind > 0.31:
                lines.append(pad + self.simple())
            elif kind < 0.2:
                test = draw.choice(["v > 0.5", "len(rows) > 2", "total > 5", "w < 0.4"])
                lines += [f"{pad}if {test}:", *self.block(depth - 1, indent + 1)]
                if draw.random() < 0.5:
                    lines += [f"{pad}else:", *self.block(depth - 1, indent + 1)]
            elif kind < 0.27:
                lines += [f"{pad}for i{indent} in range(int(w * 3)):"]
                lines += self.block(depth - 1, indent + 1)
            else:
                lines += [f"{pad}try:", *self.block(depth - 1, indent + 1)]
                lines += [f"{pad}    if v > 0.7: raise ValueError", f"{pad}except ValueError:"]
                lines += self.block(0, indent + 1)
        return lines

    def program(self):
        """The text of a function of an array and a number."""
        draw = self.draw
        rows = draw.choice(["rows = []", "rows = [[0.5]]", "rows = [[0.5], [0.25, 1.0]]"])
        start = START.format(rows=rows, now=draw.choice(["r", "s", "[3.0]"]))
        body = [line for _ in range(2) for line in self.block(1, 2)]
        return HEAD + start + "\n".join([*body, *self.block(2, 1)]) + END


def in_numbers(x):
    """A nest of lists, whose numbers may be NumPy's."""
    return list(map(in_numbers, x)) if isinstance(x, (list, tuple)) else float(x)


def run(function, seed, w):
    x = np.random.default_rng(seed).random(20)
    try:
        return in_numbers(function(x, np.float64(w)))
    except (ag.StagingError, GraphLimit):
        raise
    except Exception as error:
        return type(error), str(error)


def is_answered(seed):
    """Run as Python and as a graph; whether the graph was not refused."""
    return is_done_alike(Writer(seed).program(), run, (seed, 0.3), (seed, 0.9))


test_written_items, test_written_items_at_length = blocks_of(
    is_answered, step=20, many=1200, share=0.25
)
