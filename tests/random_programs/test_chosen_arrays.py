"""Random programs that write arrays which data chooses among the items of lists and dicts."""

from __future__ import annotations

import random

import numpy as np

import autograph as ag
from runtime.errors import GraphLimit
from tests.random_programs.blocks import blocks_of
from tests.random_programs.outcomes import is_done_alike

HEAD = """
import numpy as np

class Layer:
    def __init__(self, w):
        self.w = w

    def step(self, y):
        self.w -= y

def scale(row, y):
    row *= y
    return row

"""
START = """def f(ks, x, y, z):
    rows = {rows}
    d = {{{keys}}}
    grid = [[np.zeros(2), x[0]], [np.ones(2), x[2]]]
    layers = [Layer(np.ones(2)), Layer(rows[0]), Layer(x[1])]
    u, w = rows[1], np.arange(2.0)
    total = 0.0
"""
END = """
    return (
        [r.tolist() for r in rows], [(k, r.tolist()) for k, r in d.items()], x.tolist(),
        y.tolist(), z.tolist(), u.tolist(), w.tolist(), [a.w.tolist() for a in layers],
        [[r.tolist() for r in q] for q in grid], float(total),
    )
"""
ROWS = [
    "[np.zeros(2) for _ in range(3)]",
    "[x[0], x[1], x[2]]",
    "[y, np.zeros(2), y]",
    "[x[0], x[:2, 1], y]",
    "[np.zeros(2), np.ones(2), z]",
    "list(x)",
    "[np.zeros(2) for _ in range(20)]",
]
VALUES = ["1.0", "z", "k * 0.5", "np.ones(2)", "w", "x[0]", "x[k]", "total"]


class Writer:
    """Draws statements about arrays that have several names, of which data chooses one."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def item(self):
        """One of several arrays."""
        return self.draw.choice(
            ["rows[k]", "rows[2 - k]", "rows[k]", "d[k]", "d[k]", "grid[k % 2][(k + 1) // 2]",
             "layers[k].w", "x[k]", "u", "w", "rows[0]", "grid[k % 2][0]"]
        )  # fmt: skip

    def simple(self):
        """A statement without a body."""
        pick, item = self.draw.choice, self.item()
        name, v = pick("uw"), pick(VALUES)
        return pick(
            [
                f"{item} += {v}",
                f"{item} -= {v}",
                f"{item} *= 0.5",
                f"{item}[0] += 1.0",
                f"{item}[k % 2] = {pick(['1.0', 'k * 2.0', 'total'])}",
                f"{item}[:] = {v}",
                f"{item}[1:] *= 2.0",
                f"np.add({item}, {v}, out={self.item()})",
                f"{item}.sort()",
                f"{item}.fill({pick(['k', '2.0'])})",
                f"np.copyto({item}, {v})",
                f"layers[k].w -= {v}",
                f"layers[k].step({v})",
                f"scale({item}, 1.5)",
                f"rows[k] = {pick(['np.ones(2)', 'w', 'u', 'rows[0]', 'rows[k] + 1', 'z * 2'])}",
                f"d[k] = {pick(['np.ones(2)', 'w', 'u', 'rows[0]', 'd[0] + 1'])}",
                "rows[k], rows[0] = rows[0], rows[k]",
                "rows.reverse()",
                f"{name} = {item}",
                f"{name} = {item}.copy()",
                f"{name} = np.full(2, {pick(['3.0', 'k * 1.0'])})",
                f"{name} = max(rows, key=lambda r: r[0])",
                f"total += {item}.sum()",
                f"total += {item}[k % 2]",
            ]
        )

    def block(self, depth, indent):
        """Lines of up to three statements."""
        draw, pad, lines = self.draw, "    " * indent, []
        for _ in range(draw.randint(1, 3)):
            kind = draw.random()
            if not depth or kind > 0.25:
                lines.append(pad + self.simple())
            elif kind < 0.18:
                lines += [f"{pad}if {draw.choice(['k > 0', 'total > 3', 'z[0] < 0.5'])}:"]
                lines += self.block(depth - 1, indent + 1)
                if draw.random() < 0.5:
                    lines += [f"{pad}else:", *self.block(depth - 1, indent + 1)]
            else:
                lines += [f"{pad}for j in range(int(k)):", *self.block(depth - 1, indent + 1)]
        return lines

    def program(self):
        """The text of a function of an array of integers and three of floats."""
        keys = ", ".join(f"{n}: {self.draw.choice(['np.zeros(2)', 'rows[0]', 'z'])}" for n in "012")
        lines = [START.format(rows=self.draw.choice(ROWS), keys=keys), "    for k in ks:"]
        lines += self.block(1, 2)
        lines += ["    k = ks[0]", *self.block(1, 1)]
        return HEAD + "\n".join(lines) + END


def run(function, seed):
    drawn = np.random.default_rng(seed)
    given = drawn.integers(0, 3, 20), drawn.random((3, 2)), drawn.random(2), drawn.random(2)
    try:
        with np.errstate(all="ignore"):
            return repr((function(*given), given))
    except (ag.StagingError, GraphLimit):
        raise
    except Exception as error:
        return repr((type(error), str(error), given))


def is_answered(seed):
    """Run as Python and as a graph; whether the graph was not refused."""
    return is_done_alike(Writer(seed).program(), run, (seed,), (seed + 10000,))


test_chosen_arrays, test_chosen_arrays_at_length = blocks_of(
    is_answered, step=10, many=1200, share=0.8
)
