"""Text that is one or another, depending on data (B2.26)."""

from __future__ import annotations

import heapq

import numpy as np
import pytest

import autograph as ag
from runtime.structure.templates import Alternative
from tests.language.harness import Samples

samples = Samples()
F = np.float64
X = np.array([1.0, 2.0, 3.0])


@samples("B2.26", (F(1),), (F(-1),))
def returned(x):
    return "positive" if x > 0 else "negative"


@samples("B2.26", (F(1),), (F(-1),), (F(0),))
def one_of_three(x):
    if x > 0:
        sign = "+"
    elif x < 0:
        sign = "-"
    else:
        sign = ""
    return sign + f"{abs(x):.1f}"


@samples("B2.26", (X,), (-X,))
def printed_and_formatted(x):
    status = "converged" if x.sum() > 0 else "failed"
    print(f"status: {status:>12}!", status, f"{status!r}", "[%s]" % status)
    return x


@samples("B2.26", (F(2),), (F(-3),), tensors=False)
def with_values_of_its_path(x):
    y = x * 2
    if x > 0:
        z = y + 1
        text = f"z is {z}"
    else:
        text = f"y is {y:.3f} of {[x, y]}"
    return text, [text]


@samples("B2.26", (F(2), F(1)), (F(-3), F(1)), (F(2), F(-1)))
def in_branches_of_branches(x, c):
    text = "none"
    if x > 0:
        text = f"x is {x}"
        if c > 0:
            text = text + f" and c is {c}"
    return text


@samples("B2.26", (X,), (-X,))
def in_every_item(x):
    return ["big" if v > 2 else "small" for v in x]


@samples("B2.26", (F(2),), (F(-3),), (F(0),))
def compared(x):
    sign = "+" if x > 0 else ("-" if x < 0 else "0")
    y = x
    if sign == "+":
        y = x * 2
    if sign != "0":
        y = y + 1
    return y, sign == "?"


@samples("B2.26", (X, np.int64(1)), (X, np.int64(7)))
def of_a_handler(x, i):
    status = "fine"
    y = 0.0
    try:
        y = x[i]
    except IndexError:
        status = f"failed at {i}"
    print(y > 0, status)
    return status


@samples("B2.26", (F(2),), (F(-3),))
def none_or_text(x):
    if x > 0:
        return f"x is {x}"


class Span:
    def __init__(self, low):
        self.low = low

    def __repr__(self):
        return f"Span({self.low!r})"

    def __str__(self):
        return f"from {self.low:g}"


@samples("B2.26", (X,), (-X,), tensors=False)
def of_an_object_that_one_path_makes(x):
    span = Span(x[0]) if x[1] > 0 else None
    if span is None:
        return "none"
    return f"{span} {span!r}"


@samples("B2.26", (X,), (-X,), tensors=False)
def of_an_object_in_a_list(x):
    if x[0] > 0:
        text = repr([Span(x[1]), (Span(x[0]), 1)])
    else:
        text = "none"
    return text + "!"


@samples("B2.26", (F(2),), (F(-3),))
def in_the_message_of_an_error(x):
    kind = "large" if x > 1 else "small"
    if x < 10:
        raise ValueError(f"{kind}: {x}")


@samples("B2.26", (F(2),), (F(-3),))
def of_a_callee(x):
    print(returned(x), returned(-x))
    return returned(x * 2)


def named(x):
    return "high" if x > 1 else "low" if x > 0 else ""


@samples("B2.26", (F(2), X), (F(0.5), X), (F(-1), X))
def asked_of_each(x, values):
    name = named(x)
    weight = {"high": 2.0, "low": 1.0, "": 0.5}[name]
    found = {"high": 3}.get(name, 0), name in ("high", "mid"), "o" in name, name in {"low"}
    kind = 1 if name else 2
    while not name.startswith("h") and kind < 5:
        kind += 1
    return weight * values, found, len(name), name.upper(), kind, name.replace("h", "w") + "!"


@samples("B2.26", (F(2),), (F(0.5),))
def matched(x):
    match named(x):
        case "high":
            return x * 2
        case "low":
            return x - 1
    return x


@samples("B2.26", (F(2),), (F(-0.5),))
def missing(x):
    try:
        return {"high": 1.0}[named(x)], "found"
    except KeyError:
        return 0.0, "not found"


@samples("B2.26", (F(2), np.int64(1)), (F(-0.5), np.int64(0)))
def characters(x, i):
    return named(x + 1.5)[-1], named(x + 1.5)[:2]


@samples("B2.26", (F(2),), (F(-0.5),))
def as_a_new_key(x):
    return {named(x): 1.0}


def level(x):
    return "low" if x < 1 else "mid" if x < 2 else "top"


@samples("B2.26", (F(0.5),), (F(1.5),), (F(3),), (F(9),))
def in_order(x):
    s, t = level(x), "low" if x > 5 else "mid"
    if s > "m":
        x = x + 1
    pairs = sorted([(s, 1.0), (t, 2.0), ("a", 3.0)], key=lambda pair: pair[0])
    order = [s < t, s <= "mid", "mid" > s, s >= t, s == t, s != t, (x, s) < (x, "m")]
    return x, order, min(s, t), sorted([s, t, "a"]), max([s, "zz"]), [v for _, v in pairs]


GRAPH = {"a": [("b", 1.0), ("c", 4.0)], "b": [("c", 2.0), ("a", 1.0)], "c": []}
OTHER = {"a": [("b", 3.0), ("c", 3.0)], "b": [("c", 0.0), ("a", 1.0)], "c": []}


@samples("B2.26", (GRAPH, "a"), (OTHER, "a"), joined=True)
def shortest_paths(graph, start):
    found = {node: float("inf") for node in graph}
    found[start] = 0
    queue = [(0, start)]
    while queue:
        d, node = heapq.heappop(queue)
        if d > found[node]:
            continue
        for other, weight in graph[node]:
            if d + weight < found[other]:
                found[other] = d + weight
                heapq.heappush(queue, (d + weight, other))
    return found


@samples("B2.26", (np.int64(3), F(3)), (np.int64(1), F(-4)), (np.int64(9), F(1)))
def text_where_no_handler_was_found(op, x):
    handlers = {1: abs, 2: lambda a: a * 2, 3: lambda a: a - 1}
    try:
        return handlers[op](x)
    except KeyError as missing:
        return f"no handler {missing}"


class Two:
    def __init__(self):
        self.low, self.high = 1.0, 2.0


@samples("B2.26", (X,), (-X,), joined=True)
def names_of_attributes(x):
    two, name = Two(), "high" if x[0] > 0 else "low"
    setattr(two, name, getattr(np, "sum" if x[0] > 0 else "max")(x))
    other = "none" if x[0] > 0 else "low"
    return getattr(two, name), two.low, two.high, hasattr(two, other), getattr(two, other, -1.0)


# The dtype of a result is the joined one, as after `if` and `else`.
@samples("B2.26", (X,), (-X,), joined=True)
def settings_of_arrays(x):
    name, kind = ("f4", np.float32) if x[0] > 0 else ("f8", np.float64)
    table = np.pad(x, 1, mode="edge" if x[0] > 0 else "wrap")
    made = np.zeros(2, name), np.asarray(x, dtype=kind), np.array([1, 2], kind)
    return (
        x.astype(name),
        x.astype(kind).sum(),
        x.sum(dtype=name),
        np.dtype(name).itemsize,
        made,
        table,
    )


@samples("B2.26", (F(1),), (F(-1),), saved=False)
def in_bytes(x):
    name, other = ("ab", b"xy") if x > 0 else ("c", b"z")
    return (
        bytes(name, "ascii"),
        bytes(name, encoding="utf8"),
        str(other, "ascii"),
        b"-".join([b"a", b"b"]),
    )


test_chosen_text = samples.test()


def in_order_with_a_number(x):
    return named(x) < 3.0


def test_text_and_number_have_no_order():
    with pytest.raises(TypeError, match="not supported between instances of"):
        ag.convert(in_order_with_a_number)(F(1))


def test_text_of_tensors():
    assert ag.convert(returned)(ag.constant(2.0)) == "positive"


def test_a_text_of_many_that_is_in_results_is_filled_in_at_once():
    names = [f"name {k}" for k in range(9)]

    def named(i, x):
        name = names[i % 9]
        return name, f"<{name:>9}|{name!r}>", {"it": f"{x:.1f}" if i > 6 else name}

    function = ag.convert(named)
    for i in range(9):
        assert function(np.int64(i), 0.25) == named(np.int64(i), 0.25)
    (trace,) = function.traces()
    outermost = trace._holes[0].text.parts[0][0]
    depths, waiting = 0, [outermost]
    while waiting:
        depths, part = depths + 1, waiting.pop()
        waiting += [text for text in part.texts if type(text) is not str]
        assert type(part) is Alternative
    assert depths == 8
