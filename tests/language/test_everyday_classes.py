"""Caches, accounts, parsers, machines and grids, as a first version of them is written."""

from __future__ import annotations

import contextlib
import math
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field

import numpy as np

from tests.language.arguments import A, I, M, N
from tests.language.harness import Samples

samples = Samples()


X5 = ((A(3, 1, 4, 1, 5),), (A(-1, 0, 2, -3, 9),), (A(0, 0, 0, 0, 0),))


N5 = ((N(3, 1, 4, 1, 5),), (N(1, 0, 2, 3, 9),), (N(0, 0, 0, 0, 0),))


@samples("", (A(1, 5, 2, 8),), (A(1, 1, 1, 1),), (A(9, 8, 7, 6),))
def closest_pair(x):
    best, span = np.inf, None
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            d = abs(x[i] - x[j])
            if d < best:
                best, span = d, (i, j)
    return best, span


@samples("", (A(1, 5, 2, 8), I(4)), (A(1, 1, 1, 1), I(0)), (A(9, 8, 7, 6), I(1)))
def closest_pair_n(x, n):
    best, span = None, None
    for i in range(n):
        for j in range(i):
            d = abs(x[i] - x[j])
            if best is None or d < best:
                best, span = d, (i, j)
    if span is None:
        return "none"
    i, j = span
    return best, i, j, f"{span}"


@samples("", (N(0, 5, 0, 7),), (N(3, 3, 3, 3),), (N(9, 0, 0, 0),))
def sandpile(flat):
    grid = flat.reshape(2, 2).copy()
    topples = 0
    while (grid > 3).any() and topples < 50:
        for i, j in np.argwhere(grid > 3):
            grid[i, j] -= 4
            topples += 1
            for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                if 0 <= i + di < 2 and 0 <= j + dj < 2:
                    grid[i + di, j + dj] += 1
    return grid, topples


@samples("", (I(30), N(0, 0, 1, 0, 0)), (I(90), N(1, 0, 1, 0, 1)), (I(110), N(0, 0, 0, 0, 1)))
def rule_automaton(rule, cells):
    history = ["".join("#" if c else "." for c in cells)]
    for _ in range(3):
        padded = np.concatenate(([0], cells, [0]))
        cells = np.array(
            [
                (rule >> (4 * padded[k] + 2 * padded[k + 1] + padded[k + 2])) & 1
                for k in range(len(cells))
            ]
        )
        history.append("".join("#" if c else "." for c in cells))
    return "\n".join(history)


class LRUCache:
    def __init__(self, capacity):
        self.capacity = capacity
        self.items = OrderedDict()
        self.hits = self.misses = 0

    def get(self, key):
        if key not in self.items:
            self.misses += 1
            return -1
        self.hits += 1
        self.items.move_to_end(key)
        return self.items[key]

    def put(self, key, value):
        if key in self.items:
            self.items.move_to_end(key)
        self.items[key] = value
        if len(self.items) > self.capacity:
            self.items.popitem(last=False)


@samples("", (N(1, 2, 3, 1, 2),), (N(1, 1, 1, 1, 1),), (N(5, 4, 5, 4, 3),))
def lru(keys):
    cache = LRUCache(2)
    out = []
    for k in keys:
        v = cache.get(int(k))
        if v == -1:
            cache.put(int(k), int(k) * 10)
        out.append(v)
    return out, cache.hits, cache.misses, list(cache.items.items())


class InsufficientFunds(Exception):
    def __init__(self, need, have):
        super().__init__(f"need {need:.2f}, have {have:.2f}")
        self.need, self.have = need, have


class Account:
    def __init__(self, owner, balance=0.0):
        self.owner, self._balance, self.history = owner, balance, []

    @property
    def balance(self):
        return self._balance

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("Deposit must be positive")
        self._balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount):
        if amount > self._balance:
            raise InsufficientFunds(amount, self._balance)
        self._balance -= amount
        self.history.append(("withdraw", amount))

    def __repr__(self):
        return f"Account({self.owner!r}, {self._balance:.2f})"


@samples("", (A(10, -5, -20),), (A(0, 5, -1),), (A(100, -50, -60),))
def bank(moves):
    acc = Account("ann")
    failures = []
    for m in moves:
        try:
            if m >= 0:
                acc.deposit(m)
            else:
                acc.withdraw(-m)
        except InsufficientFunds as e:
            failures.append(e.need - e.have)
        except ValueError as e:
            print("skipped:", e)
    print(acc)
    return acc.balance, failures, len(acc.history)


@samples("", (2.0, 3.0), (-1.0, 0.5), (0.0, 0.0))
def expression_parser(x, y):
    tokens = "( x + 2 ) * y - x / ( y + 1 )".split()
    env = {"x": x, "y": y}
    pos = 0

    def peek():
        return tokens[pos] if pos < len(tokens) else None

    def advance():
        nonlocal pos
        pos += 1
        return tokens[pos - 1]

    def factor():
        t = advance()
        if t == "(":
            v = expr()
            advance()
            return v
        return env[t] if t in env else float(t)

    def term():
        v = factor()
        while peek() in ("*", "/"):
            op = advance()
            r = factor()
            v = v * r if op == "*" else v / r
        return v

    def expr():
        v = term()
        while peek() in ("+", "-"):
            if advance() == "+":
                v = v + term()
            else:
                v = v - term()
        return v

    return expr()


@samples("", (N(0, 1, 2, 1),), (N(2, 2, 0, 0),), (N(1, 1, 1, 1),))
def match_machine(events):
    state = ("idle", 0)
    log = []
    for e in events:
        match state, int(e):
            case ("idle", _), 1:
                state = ("running", 1)
            case ("running", n), 1:
                state = ("running", n + 1)
            case ("running", n), 2 if n > 1:
                state = ("done", n)
            case (name, n), 0:
                log.append(f"{name} waits {n}")
            case _:
                state = ("idle", 0)
        log.append(state[0])
    return state, log


@contextlib.contextmanager
def section(name, log):
    log.append(f"enter {name}")
    try:
        yield len(log)
    except ValueError as e:
        log.append(f"error {e}")
        raise
    finally:
        log.append(f"exit {name}")


@samples("", (2.0,), (-1.0,), (0.0,))
def with_sections(x):
    log = []
    try:
        with section("a", log) as n:
            with section("b", log):
                if x < 0:
                    raise ValueError(f"bad {x}")
                y = x * n
    except ValueError:
        y = -1.0
    return y, log


@samples("", (A(1, -2, 3),), (A(0, 0, 0),), (A(5, 5, -5),))
def callbacks(x):
    log = []

    def on_step(i, v, *, level="info"):
        if level == "warn" or v > 2:
            log.append(f"[{level}] step {i}: {v:+.1f}")

    acc = 0.0
    for i, v in enumerate(x):
        acc += v
        on_step(i, acc, level="warn" if acc < 0 else "info")
    return acc, log


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    def __matmul__(self, other):
        return Matrix(
            [[sum(a * b for a, b in zip(r, c)) for c in zip(*other.rows)] for r in self.rows]
        )

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __eq__(self, other):
        return isinstance(other, Matrix) and self.rows == other.rows

    def __repr__(self):
        return "\n".join(" ".join(f"{v:g}" for v in r) for r in self.rows)


@samples("", (2.0, I(3)), (-1.0, I(1)), (0.5, I(0)))
def matrix_power(x, n):
    base, result = Matrix([[x, 1.0], [1.0, 0.0]]), Matrix([[1.0, 0.0], [0.0, 1.0]])
    while n > 0:
        if n % 2 == 1:
            result = result @ base
        base = base @ base
        n //= 2
    print(result)
    return result[0, 1], result == base


@dataclass(order=True)
class Job:
    priority: int
    name: str = field(compare=False)
    done: bool = field(default=False, compare=False)


@samples("", *N5)
def scheduler(p):
    jobs = [Job(int(v), f"job{i}") for i, v in enumerate(p)]
    queue = sorted(jobs)
    order = []
    budget = 6
    for j in queue:
        if j.priority > budget:
            continue
        budget -= j.priority
        j.done = True
        order.append(j.name)
    return order, budget, [j.done for j in jobs], max(jobs).name


@samples("", *X5)
def welford(x):
    class Stats:
        __slots__ = ("n", "mean", "m2")

        def __init__(self):
            self.n, self.mean, self.m2 = 0, 0.0, 0.0

        def add(self, v):
            self.n += 1
            d = v - self.mean
            self.mean += d / self.n
            self.m2 += d * (v - self.mean)

    s = Stats()
    for v in x:
        if v >= 0:
            s.add(v)
    std = math.sqrt(s.m2 / (s.n - 1)) if s.n > 1 else math.nan
    return s.n, s.mean, std


@samples("", *X5)
def linked_list(x):
    class Node:
        def __init__(self, v, nxt=None):
            self.v, self.nxt = v, nxt

    head = None
    for v in x:
        if v > 0:
            head = Node(v, head)
    prev = None
    while head is not None:
        head.nxt, prev, head = prev, head, head.nxt
    out = []
    while prev is not None:
        out.append(prev.v)
        prev = prev.nxt
    return out


@samples("", (M([1, 2, 3], [4, 5, 6]),), (M([0, 0, 0], [1, 0, 1]),), (M([3, -3, 1], [2, 2, 2]),))
def table_report(a):
    headers = ["a", "b", "c"]
    widths = [max(len(h), max(len(f"{v:g}") for v in col)) for h, col in zip(headers, a.T)]
    lines = [" ".join(h.rjust(w) for h, w in zip(headers, widths))]
    for row in a:
        lines.append(" ".join(f"{v:g}".rjust(w) for v, w in zip(row, widths)))
    return "\n".join(lines), widths


@samples("", (I(1994),), (I(4),), (I(3999),))
def roman(n):
    table = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ]
    out = ""
    for value, letters in table:
        while n >= value:
            out += letters
            n -= value
    back = 0
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    for a, b in zip(out, out[1:] + " "):
        v = values[a]
        back += -v if b != " " and values[b] > v else v
    return out, back


@samples("", (N(2024, 2, 29),), (N(1900, 2, 29),), (N(2023, 13, 1),))
def check_date(ymd):
    y, m, d = (int(v) for v in ymd)
    leap = y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if not 1 <= m <= 12:
        raise ValueError(f"month {m} is not in 1..12")
    if not 1 <= d <= days[m - 1]:
        raise ValueError(f"day {d} is not in month {m}")
    return f"{y:04d}-{m:02d}-{d:02d}", sum(days[: m - 1]) + d


@samples("", (2.0, I(1)), (-1.0, I(2)), (0.0, I(0)))
def commands(x, k):
    class Robot:
        def __init__(self, x):
            self.x, self.log = x, []

        def left(self, n):
            self.x -= n
            self.log.append("L")

        def right(self, n):
            self.x += n
            self.log.append("R")

        def stop(self, n):
            self.log.append("S")

    r = Robot(x)
    table = {0: r.left, 1: r.right, 2: r.stop}
    for step in range(3):
        table[(k + step) % 3](step + 1)
    return r.x, "".join(r.log)


@samples("", *N5)
def dispatch_names(codes):
    state = {"acc": 0.0}

    def add(v):
        state["acc"] += v

    def mul(v):
        state["acc"] *= v

    def neg(v):
        state["acc"] = -state["acc"]

    ops = [add, mul, neg]
    for c in codes:
        handler = ops[c] if c < 3 else None
        if handler is None:
            print("skip", c)
            continue
        handler(float(c) + 1)
    return state


@samples("", *X5)
def group_by_sign(x):
    groups = defaultdict(list)
    for v in x:
        groups["pos" if v > 0 else "neg" if v < 0 else "zero"].append(v)
    summary = {k: (len(v), sum(v) / len(v)) for k, v in sorted(groups.items())}
    return dict(groups), summary


@samples("", *X5)
def interval_merge(x):
    spans = sorted((min(a, b), max(a, b)) for a, b in zip(x[:-1], x[1:]))
    merged = [spans[0]]
    for lo, hi in spans[1:]:
        last_lo, last_hi = merged[-1]
        if lo <= last_hi:
            merged[-1] = (last_lo, max(last_hi, hi))
        else:
            merged.append((lo, hi))
    return merged, sum(b - a for a, b in merged)


@samples(
    "",
    (M([0, 1, 0], [0, 0, 0], [1, 1, 0]),),
    (M([0, 0, 0], [0, 0, 0], [0, 0, 0]),),
    (M([0, 1, 1], [1, 1, 1], [1, 1, 0]),),
)
def maze_bfs(walls):
    n = 3
    dist = {(0, 0): 0}
    queue = deque([(0, 0)])
    while queue:
        r, c = queue.popleft()
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            rr, cc = r + dr, c + dc
            if 0 <= rr < n and 0 <= cc < n and walls[rr, cc] == 0 and (rr, cc) not in dist:
                dist[rr, cc] = dist[r, c] + 1
                queue.append((rr, cc))
    return dist.get((2, 2)), len(dist)


@samples(
    "",
    (N(107, 105, 116), N(115, 105, 116)),
    (N(97, 97, 97), N(97, 97, 97)),
    (N(97, 98, 99), N(99, 98, 97)),
)
def edit_distance(a, b):
    s, t = "".join(map(chr, a)), "".join(map(chr, b))
    prev = list(range(len(t) + 1))
    for i, cs in enumerate(s, 1):
        cur = [i]
        for j, ct in enumerate(t, 1):
            cur.append(min(prev[j] + 1, cur[j - 1] + 1, prev[j - 1] + (cs != ct)))
        prev = cur
    return prev[-1], s if prev[-1] else "same"


@samples("", *X5, joined=True)
def observer(x):
    class Subject:
        def __init__(self):
            self.watchers, self._value = [], 0.0

        @property
        def value(self):
            return self._value

        @value.setter
        def value(self, v):
            old, self._value = self._value, v
            if v != old:
                for w in self.watchers:
                    w(old, v)

    log, s = [], Subject()
    s.watchers.append(lambda a, b: log.append((a, b)))
    s.watchers.append(lambda a, b: print(f"{a} -> {b}") if b > a else None)
    for v in x:
        s.value = v
    return log, s.value


@samples("", *X5, joined=True)
def records(x):
    rows = []
    for i, v in enumerate(x):
        row = {"id": i, "v": v, "ok": v > 0}
        if v > 3:
            row["note"] = "big"
        rows.append(row)
    notes = [r.get("note", "-") for r in rows]
    return rows, notes, sum(r["v"] for r in rows if r["ok"])


@samples(
    "",
    (N(51, 44, 52, 10, 49, 44, 50),),
    (N(97, 44, 97, 10, 51, 44, 52),),
    (N(49, 44, 50, 10, 51, 10, 52),),
)
def csv_rows(codes):
    text = "".join(chr(c) for c in codes)
    rows, errors = [], []
    for n, line in enumerate(text.splitlines()):
        cells = line.split(",")
        if len(cells) != 2:
            errors.append(f"line {n}: {len(cells)} cells")
            continue
        try:
            rows.append((int(cells[0]), int(cells[1])))
        except ValueError as e:
            errors.append(f"line {n}: {e}")
    return rows, errors, sum(a * b for a, b in rows)


@samples("", (N(51, 32, 52, 32),), (N(49, 97, 97, 97),), (N(97, 32, 61, 99),))
def rpn(codes):
    line = "".join(chr(c) for c in codes) + " 2 +"
    stack = []
    for tok in line.split():
        if tok == "+":
            b, a = stack.pop(), stack.pop()
            stack.append(a + b)
        elif tok.isdigit():
            stack.append(int(tok))
        else:
            return f"bad token {tok!r}"
    return stack


@samples("", (N(51, 32, 52, 32),), (N(49, 97, 97, 97),), (N(97, 32, 61, 99),))
def word_index(codes):
    line = "".join(chr(c) for c in codes)
    index = {}
    for position, word in enumerate(line.split()):
        index.setdefault(word, position)
    best = max(index, key=index.get, default=None)
    return index, sorted(index.items()), best, " ".join(sorted(index, key=lambda w: (index[w], w)))


@samples("", (N(40, 41, 91, 93),), (N(40, 91, 41, 93),), (N(40, 40, 40, 41),))
def brackets(codes):
    pairs = {")": "(", "]": "[", "}": "{"}
    stack = []
    for pos, c in enumerate(map(chr, codes)):
        if c in pairs.values():
            stack.append((c, pos))
        elif c in pairs:
            if not stack or stack[-1][0] != pairs[c]:
                return False, pos
            stack.pop()
    return (True, None) if not stack else (False, stack[-1][1])


@samples("", *X5)
def mixed_results(x):
    out = []
    for v in x:
        out.append(v if v > 0 else "neg" if v < 0 else None)
    return out


test_sample = samples.test()
