"""Programs that lean on Python's library and on functions in functions: groups, closures, records, tables."""

from __future__ import annotations

import functools
import itertools
import math
import statistics
from collections import defaultdict
from dataclasses import asdict, dataclass, replace

import numpy as np

from tests.language.arguments import A, I, N
from tests.language.harness import Samples

samples = Samples()


@samples("", (A(1, 2, 3, 4),), (A(1, 1, 1, 1),), (A(-1, 0, 1, 5),))
def stats_module(x):
    v = [float(t) for t in x]
    return statistics.mean(v), statistics.median(v), max(v) - min(v)


@samples("", (A(0.1, 0.9, 0.5),), (A(0.6, 0.7, 0.8),), (A(0.1, 0.2, 0.3),))
def run_lengths(x):
    bits = ["1" if v > 0.5 else "0" for v in x]
    out = []
    for k, g in itertools.groupby(bits):
        out.append((k, len(list(g))))
    return out, "".join(f"{k}{n}" for k, n in out)


@samples("", (N(1, 2, 3),), (N(3, 3, 3),), (N(0, 5, 1),))
def hanoi_like(x):
    pegs = {"A": sorted((int(v) for v in x), reverse=True), "B": [], "C": []}
    moves = []

    def move(n, a, b, c):
        if n == 0:
            return
        move(n - 1, a, c, b)
        pegs[c].append(pegs[a].pop())
        moves.append(a + c)
        move(n - 1, b, a, c)

    move(3, "A", "B", "C")
    return pegs, moves


@samples("", (A(1, 4, 9), 2.0), (A(1, 1, 1), 0.0), (A(-1, 2, 3), 1.0))
def closures(x, k):
    fs = []
    for v in x:
        fs.append(lambda t, v=v: t * v + k)
    return [f(k) for f in fs], sum(f(1.0) for f in fs if f(0) >= 0)


@dataclass(frozen=True)
class Vec:
    x: float
    y: float

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __abs__(self):
        return math.hypot(self.x, self.y)


@samples("", (3.0, 4.0, 1.0), (0.0, 0.0, 1.0), (1.0, 1.0, 10.0))
def clipped_walk(a, b, limit):
    p, v = Vec(0.0, 0.0), Vec(a, b)
    for k in range(5):
        p = p + 0.5 * v
        if abs(p) > limit:
            p = p * (limit / abs(p))
            v = v * -1
    return p, round(abs(p), 6), asdict(replace(p, x=1.0))


@samples("", (A(1, 2, 3, 4), I(2)), (A(4, 3, 2, 1), I(0)), (A(1, 1, 1, 1), I(3)))
def rotate(x, k):
    a = list(x)
    for _ in range(k):
        a.insert(0, a.pop())
    b = a[k:] + a[:k]
    return a, b, a == b, b == list(x)


@samples("", (N(1, 2, 3, 4, 6),), (N(7, 7, 7, 7, 7),), (N(2, 4, 8, 16, 32),))
def pairwise_gcd(x):
    g = functools.reduce(math.gcd, (int(v) for v in x))
    d = {
        (i, j): math.gcd(int(a), int(b))
        for (i, a), (j, b) in itertools.combinations(enumerate(x), 2)
    }
    k = max(d, key=lambda t: (d[t], t))
    return g, k, d[k]


@samples("", (A(1, 2, 3, 4, 5, 6),), (A(0, 0, 0, 0, 0, 0),), (A(-1, 1, -1, 1, -1, 1),))
def peaks(x):
    y = np.convolve(x, [0.25, 0.5, 0.25], mode="same")
    found = [i for i in range(1, len(y) - 1) if y[i - 1] < y[i] >= y[i + 1]]
    up = [i for i in range(1, len(x)) if x[i - 1] <= 0 < x[i]]
    return found, up, float(np.mean(y**2)) ** 0.5


@samples(
    "",
    (np.array([[1, 0, 2], [0, 3, 0], [4, 0, 5]]),),
    (np.zeros((3, 3), int),),
    (np.ones((3, 3), int),),
)
def sparse(m):
    coo = {(i, j): int(v) for (i, j), v in np.ndenumerate(m) if v}
    rows = defaultdict(int)
    for (i, j), v in coo.items():
        rows[i] += v
    return coo, dict(rows), coo.get((1, 1), "none")


@samples("", (A(5, 1, 4),), (A(1, 2, 3),), (A(2, 2, 2),))
def bubble(x):
    a = x.copy()
    swaps = 0
    n = len(a)
    while True:
        done = True
        for i in range(n - 1):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swaps += 1
                done = False
        n -= 1
        if done:
            break
    return a, swaps, x


@samples("", (A(1, 2, 3),), (A(1, -2, 3),), (A(-1, -2, -3),))
def nested_break(x):
    found = None
    for i, a in enumerate(x):
        for j, b in enumerate(x):
            if a + b < 0:
                found = i, j
                break
        else:
            continue
        break
    else:
        print("nothing")
    return found


@samples(
    "",
    ({"rate": 0.1, "terms": [1.0, 2.0]}, 3.0),
    ({"rate": 0.0, "terms": [0.0, 5.0]}, 1.0),
    ({"rate": -0.5, "terms": [1.0, 1.0]}, 10.0),
)
def config_dict(cfg, amount):
    cfg = dict(cfg)
    cfg["total"] = sum(t * amount for t in cfg["terms"])
    if cfg["rate"] > 0:
        cfg["total"] *= 1 + cfg["rate"]
        cfg["note"] = "taxed"
    else:
        cfg["note"] = "free"
    return cfg


@samples("", (A(3, 2, 1),), (A(1, 2, 3),), (A(1, 1, 1),))
def linked(x):
    class Node:
        def __init__(self, v, nxt=None):
            self.v, self.nxt = v, nxt

    head = None
    for v in x:
        if head is None or v <= head.v:
            head = Node(v, head)
        else:
            n = head
            while n.nxt is not None and n.nxt.v < v:
                n = n.nxt
            n.nxt = Node(v, n.nxt)
    out = []
    while head:
        out.append(head.v)
        head = head.nxt
    return out


@samples("", (A(1, 2, 3),), (A(0, 0, 0),), (A(1, -1, 2),))
def newton_poly(c):
    x = 0.7
    for it in range(20):
        p = c[0] + x * (c[1] + x * (c[2] + x))
        d = c[1] + x * (2 * c[2] + 3 * x)
        step = p / (d + 3.0)
        x = x - step
        if abs(step) < 1e-9:
            break
    return x * x + c[0]


@samples("", (A(1, 2, 3, 4),), (A(10, 0, 0, 0),), (A(2, 2, 2, 2),))
def gini(x):
    xs = sorted(x)
    n, cum = len(xs), 0
    for i, v in enumerate(xs, start=1):
        cum += i * v
    total = sum(xs)
    assert total > 0, f"bad total {total}"
    return (2 * cum) / (n * total) - (n + 1) / n


@samples("", (N(2, 7, 11, 15), I(9)), (N(1, 1, 1, 1), I(5)), (N(3, 2, 4, 6), I(6)))
def two_sum(x, target):
    seen = {}
    for i, v in enumerate(x):
        need = int(target - v)
        if need in seen:
            return seen[need], i
        seen[int(v)] = i
    return None


@samples("", (A(1, 2, 3, 4),), (A(4, 3, 2, 1),), (A(0, 0, 0, 0),))
def table_text(x):
    lines = [f"{'i':>3}|{'v':^8}|"]
    for i, v in enumerate(x):
        mark = "*" * int(v) or "-"
        lines.append(f"{i:>3}|{v:^8.2f}|{mark}")
    print("\n".join(lines))
    return len(lines), max(map(len, lines))


test_programs = samples.test()
