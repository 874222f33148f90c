"""Algorithms as they are written by hand: sorting, matrices, heaps, numbers, sequences."""

from __future__ import annotations

import bisect
import itertools
import math
from collections import Counter, deque, namedtuple
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from tests.language.arguments import A, I, N
from tests.language.harness import Samples

samples = Samples()


M3 = (np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]]),)


@samples("", (A(4, 1, 3, 2),), (A(1, 1, 1, 1),), (A(-1, -2, 5, 0),))
def merge_sort(x):
    def merge(a, b):
        out, i, j = [], 0, 0
        while i < len(a) and j < len(b):
            if a[i] <= b[j]:
                out.append(a[i])
                i += 1
            else:
                out.append(b[j])
                j += 1
        return out + a[i:] + b[j:]

    def sort(v):
        if len(v) <= 1:
            return v
        m = len(v) // 2
        return merge(sort(v[:m]), sort(v[m:]))

    return sort([float(v) for v in x])


@samples("", (A(1, 5, 2, 8, 3), 3.0), (A(1, 1, 1, 1, 1), 0.5), (A(9, 8, 7, 6, 5), 6.5))
def bisect_insert(x, t):
    kept = []
    for v in x:
        bisect.insort(kept, float(v))
    return kept, bisect.bisect_left(kept, t), bisect.bisect_right(kept, t)


@dataclass
class Body:
    pos: float
    vel: float
    trail: list = field(default_factory=list)

    def step(self, dt):
        self.vel -= 9.8 * dt
        self.pos += self.vel * dt
        if self.pos < 0:
            self.pos, self.vel = -self.pos, -0.5 * self.vel
            self.trail.append("bounce")
            return True
        return False


@samples("", (1.0, 0.2), (0.1, 0.1), (5.0, 0.1))
def bouncing(h, dt):
    b = Body(h, 0.0)
    hits = 0
    for _ in range(12):
        if b.step(dt):
            hits += 1
    return b, hits, f"{b.pos:.3f} after {hits}"


@samples("", (A(1, 2, 3), "mean"), (A(3, 3, 9), "mean"))
def dispatch(x, how):
    table = {"mean": lambda v: v.mean(), "max": max, "span": lambda v: v.max() - v.min()}
    try:
        r = table[how](x)
    except KeyError as e:
        return f"no {e}"
    else:
        return r
    finally:
        print("done", how)


@samples("", (2.0,), (-1.0,), (0.0,))
def checked_sqrt(x):
    try:
        if x < 0:
            raise ValueError(f"negative: {x}")
        r = 1 / math.sqrt(x)
    except ValueError as e:
        return str(e)
    except ZeroDivisionError as e:
        return "zero", str(e)
    return r


@samples("", (N(5, 3, 8),), (N(1, 1, 1),), (N(9, 0, 2),))
def running_max_deque(x):
    q = deque(maxlen=2)
    out = []
    for i, v in enumerate(x):
        while q and q[-1][1] < v:
            q.pop()
        q.append((i, int(v)))
        out.append(q[0][1])
    return out, list(q)


Item = namedtuple("Item", "w v")


@samples(
    "", (A(2, 3, 4), A(3, 4, 5), 5.0), (A(1, 1, 1), A(3, 4, 5), 2.5), (A(9, 9, 9), A(3, 4, 5), 5.0)
)
def greedy_knap(w, v, cap):
    items = sorted((Item(a, b) for a, b in zip(w, v)), key=lambda t: t.v / t.w, reverse=True)
    total = 0.0
    taken = []
    for it in items:
        if it.w <= cap:
            cap -= it.w
            total += it.v
            taken.append(it)
        else:
            total += it.v * cap / it.w
            break
    else:
        print("all fit")
    return total, taken


@samples("", (A(1, 2, 3),), (A(-1, 5, 2),), (A(0.5, 0.1, 0.2),))
def armijo(x):
    def f(p):
        return ((p - 1) ** 2 * np.array([1.0, 10.0, 3.0])).sum()

    g = 2 * (x - 1) * np.array([1.0, 10.0, 3.0])
    t = 1.0
    n = 0
    while f(x - t * g) > f(x) - 0.3 * t * (g @ g) and n < 30:
        t *= 0.5
        n += 1
    return f(x - t * g)


@samples("", M3 + (A(1, 2, 3),), M3 + (A(0, 0, 1),), M3 + (A(3, -1, 2),))
def gauss(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for k in range(n):
        p = k + int(np.argmax(np.abs(a[k:, k])))
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in reversed(range(n)):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return (x * np.arange(1.0, n + 1)).sum()


@samples("", (A(3, -1, 2),), (A(0, 0, 0),), (A(-3, -2, -1),))
def classify(x):
    labels = ["neg" if v < 0 else "zero" if v == 0 else "pos" for v in x]
    c = Counter(labels)
    most, n = c.most_common(1)[0]
    return most, n, dict(c), " ".join(labels)


@samples("", (N(1, 2, 3, 4, 5), 2), (N(5, 5, 5, 5, 5), 2))
def windows(x, k):
    return [max(w) - min(w) for w in zip(*(x[i:] for i in range(k)))], list(
        itertools.accumulate(x, max)
    )


@samples("", (A(1, np.nan, 3),), (A(np.nan, np.nan, np.nan),), (A(1, 2, 3),))
def clean(x):
    good = [v for v in x if not math.isnan(v)]
    if not good:
        return None
    m = sum(good) / len(good)
    filled = [m if math.isnan(v) else v for v in x]
    return {"mean": m, "n": len(good), "filled": filled}


@samples("", (A(1, 2, 3), A(3, 2, 1)), (A(0, 0, 0), A(0, 0, 1)), (A(1, 0, 0), A(-1, 0, 0)))
def angle(a, b):
    na, nb = np.linalg.norm(a), np.linalg.norm(b)
    if na == 0 or nb == 0:
        return math.nan
    c = max(-1.0, min(1.0, float(a @ b / (na * nb))))
    return math.degrees(math.acos(c))


class State(Enum):
    IDLE = 0
    RUN = 1
    STOP = 2


@samples("", (N(1, 0, 2, 1),), (N(2, 2, 2, 2),), (N(0, 1, 1, 0),))
def machine(events):
    s = State.IDLE
    trace = [s.name]
    for e in events:
        if s is State.IDLE and e == 1:
            s = State.RUN
        elif s is State.RUN:
            s = State.STOP if e == 2 else State.RUN if e == 1 else State.IDLE
        elif s is State.STOP:
            break
        trace.append(s.name)
    else:
        trace.append("end")
    return s, trace, s.value


@samples("", (A(1, 2, 3, 4, 5, 6), 3), (A(6, 5, 4, 3, 2, 1), 3), (A(1, 1, 2, 2, 9, 9), 3))
def kmeans1d(x, k):
    c = [x[0], x[2], x[5]]
    for it in range(10):
        groups = [[] for _ in range(k)]
        for v in x:
            j = min(range(k), key=lambda q: abs(v - c[q]))
            groups[j].append(v)
        new = [sum(g) / len(g) if g else c[i] for i, g in enumerate(groups)]
        if all(abs(a - b) < 1e-9 for a, b in zip(new, c)):
            break
        c = new
    return c, it, [len(g) for g in groups]


@samples("", (A(1, 2, 3),), (A(0, 0, 0),), (A(-1, 2, -3),))
def normalize_inplace(x):
    s = np.abs(x).sum()
    if s == 0:
        return x
    x /= s
    y = x[::-1]
    y[0] *= 10
    return y


@samples("", (A(1, 2, 3, 10),), (A(1, 1, 1, 1),), (A(5, -5, 5, -5),))
def outliers(x):
    m, s = x.mean(), x.std()
    if s == 0:
        return [], "flat"
    z = (x - m) / s
    idx = [i for i, v in enumerate(z) if abs(v) > 1.2]
    return idx, f"{len(idx)} of {len(x)}: {idx}"


@samples("", (I(10),), (I(97),), (I(1),))
def factor(n):
    out = {}
    p = 2
    while p * p <= n:
        while n % p == 0:
            out[p] = out.get(p, 0) + 1
            n //= p
        p += 1
    if n > 1:
        out[int(n)] = out.get(int(n), 0) + 1
    return out, " * ".join(f"{k}^{v}" if v > 1 else str(k) for k, v in out.items()) or "1"


@samples("", (I(255), I(2)), (I(0), I(2)), (I(1234), I(10)))
def digits(n, base):
    if n == 0:
        return "0"
    out = ""
    while n:
        n, r = divmod(n, base)
        out = "0123456789abcdef"[r] + out
    return out


@samples("", (A(0, 0, 1, 0, 1, 1),), (A(0, 0, 2, 2, 4, 0),), (A(1, 1, 1, 1, 1, 1),))
def shoelace(p):
    pts = [(p[i], p[i + 1]) for i in range(0, len(p), 2)]
    area = 0.0
    for (x0, y0), (x1, y1) in zip(pts, pts[1:] + pts[:1]):
        area += x0 * y1 - x1 * y0
    return abs(area) / 2, "ccw" if area > 0 else "cw" if area < 0 else None


@samples("", (A(1, 2, 2, 3),), (A(1, 1, 1, 1),), (A(4, 3, 2, 1),))
def mode_or_error(x):
    counts = Counter(float(v) for v in x)
    (a, n), *rest = counts.most_common()
    if rest and rest[0][1] == n:
        raise ValueError(f"no unique mode; {len(rest) + 1} equally common")
    return a, n


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    def __matmul__(self, o):
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*o.rows)] for r in self.rows])

    def __eq__(self, o):
        return self.rows == o.rows

    def __getitem__(self, k):
        return self.rows[k[0]][k[1]]

    def __repr__(self):
        return "; ".join(" ".join(f"{v:g}" for v in r) for r in self.rows)


@samples("", (I(5),), (I(1),), (I(8),))
def fib_matrix(n):
    r, b = Matrix([[1, 0], [0, 1]]), Matrix([[1, 1], [1, 0]])
    while n > 0:
        if n & 1:
            r = r @ b
        b = b @ b
        n >>= 1
    return r[0, 1], repr(r), r == b


@samples("", (np.arange(9.0).reshape(3, 3),), (np.eye(3),), (np.zeros((3, 3)),))
def spiral(m):
    rows = [list(r) for r in m]
    out = []
    while rows:
        out.extend(rows.pop(0))
        rows = [list(r) for r in zip(*rows)][::-1]
    return out


@samples("", (1.5,), (-2.0,), (0.0,))
def alias_args(x, acc=None):
    if acc is None:
        acc = []
    b = acc
    if x > 0:
        b.append(x)
        b = b + [x]
    b.append(-x)
    return acc, b, acc is b


@samples("", (A(1, 2, 3),), (A(3, 2, 1),), (A(2, 2, 2),))
def generator_pipeline(x):
    def running(it):
        total = 0
        for v in it:
            total += v
            yield total

    def until(it, limit):
        for v in it:
            if v > limit:
                return
            yield v

    return list(until(running(x), 4))


test_programs = samples.test()
