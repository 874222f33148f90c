"""Lists, dicts and deques whose content depends on data, printed, formatted and in messages."""

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

from tests.language.harness import Samples, refuse

samples = Samples()
X, Y = np.array([1.0, -2, 3, -1]), np.array([-1.0, 2, 2, 2])
M, N = np.array([3, 1, 4, 1]), np.array([2, 2, 4, 9])


@samples("E4", (X,), (Y,), tensors=False)
def lists(x):
    found, pairs = [], []
    for v in x:
        if v > 0:
            found.append(v)
            pairs.append((int(v), "high" if v > 1 else "low"))
    print(found, len(found), [pairs, 1])
    text = f"{found!r:>40}|{pairs}"
    found.append(9.0 * x[0])
    pairs.clear()
    return text, str(found), "%s of %d" % (pairs, 3), repr({"a": found}), f"{found}".__class__


FORMAT = "%s: %.2f"


class Log:
    def __init__(self, form):
        self.form, self.lines = form, []

    def __call__(self, message, *args):
        self.lines.append(message % args)
        print(self.form % (len(self.lines), message % args))


@samples("E4", (X,), (Y,), tensors=False)
def formats_under_names(x):
    log, form = Log("%02d %s"), {"short": "%.1f"}
    lines = []
    for i, v in enumerate(x):
        if v > 0:
            log("%d is %.1f", i, v)
        lines.append(FORMAT % (i, v))
    total = x.sum()
    modulus = (total % x[0], 7 % total, len(lines) % len(x), total % len(x))
    return log.lines, lines, form["short"] % total, "%s".strip() % [total], modulus


@samples("E4", (X,), (Y,))
def lists_of_arrays(x):
    found = []
    for i in range(4):
        if x[i] > 0:
            found.append((x[: i + 1].sum() * np.ones(2)).astype(int).tolist())
    print(found)
    return len(found)


@samples("E4", (X,), (Y,))
def in_a_loop(x):
    found = []
    for v in x:
        if v > 0:
            found.append(float(v))
            print("now", found)
    return len(found)


@samples("E4", (M,), (N,), tensors=False)
def dicts(x):
    counts, ordered, made = Counter(), OrderedDict(), defaultdict(int)
    last = {}
    for i, v in enumerate(x):
        counts[v] += 1
        ordered[int(v)] = i
        made[int(v)] += 1
        last[v, i % 2] = i
    print(counts, ordered, made, last)
    print(f"{counts}", [last], list(last), list(ordered.items()), sorted(made.values()))
    return counts, last


@samples("E4", (X,), (Y,))
def deques(x):
    d, e = deque(), deque(maxlen=2)
    for v in x:
        if v > 0:
            d.append(float(v))
            e.append(int(v))
    print(d, e)
    return f"{d} {e}"


@samples("E4", (X,), (-np.abs(X),))
def in_a_message(x):
    bad = []
    for v in x:
        if v > 0:
            bad.append(float(v))
    if len(bad) > 1:
        raise ValueError(f"bad values: {bad}")
    assert not bad, f"{bad}"
    return len(bad)


class Holder:
    pass


@samples("E4", (N,), (M,), tensors=False)  # which show as tensors outside of a graph
def parts_in_fields(n):
    found, table, waiting, partial, holder = [], {}, deque(), {}, Holder()
    for v in n:
        found.append(v * 2)
        table[v] = v + 0.5
        waiting.append(v)
    if n[0] > 2:
        partial["key"] = n[0]
    holder.found = found
    table[np.int64(9)] = np.float64(1.25)
    names = {}
    for v in n:
        names["a" if v > 2 else "b"] = v
    print("{0[1]} {1[9]:.2f} {2[0]!r:>6} {x.found[2]}".format(found, table, waiting, x=holder))
    print("{} {x} {t}".format(found, x=(1, [found]), t={1: table}))
    whole = "%s" % names
    return whole, "%(a)d %% %(b)4d" % names, "{a} {b:>{w}}".format_map({**{"w": 3, "a": 1, "b": 2}})


@samples("E4", (N,), (M,))
def keys_that_are_missing(n):
    partial = {}
    if n[0] > 2:
        partial["key"] = n[0]
    print("%(key)d" % partial if n[1] > 1 else "-")
    print("{key}".format_map(partial))
    return "{0[key]}".format(partial)


test_sample = samples.test()


def a_view(x):
    counts = {}
    counts[x[0]] = 1
    print(counts.keys())  # refused


def a_view_of_data(x):
    counts = Counter()
    for v in x:
        counts[v] += 1
    print(counts.values())  # refused


def a_set(x):
    seen = set()
    seen.add(x[0])
    print(seen)  # refused


def test_what_has_no_text_is_refused():
    refuse(a_view, M, match="a view of a dict whose keys depend on data is made into text")
    refuse(a_view_of_data, M, match="a view of a dict whose keys depend on data is made into text")
    refuse(a_set, M, match="the items of a set depend on data, and it is made into text")
