"""Lists that grow by data, of texts that are put together when the graph runs."""

import math

import numpy as np

import autograph as ag
from tests.language.harness import Samples, check, refuse

samples = Samples()
X, Y = np.array([1.0, -2.0, 3.0, 1.0]), np.array([-1.0, -2.0, -3.0, -0.5])
I = np.int64


@samples("E4", (X, 0.7), (Y, 0.0), (Y, -9.0))
def messages(x, limit):
    found = []
    for i, v in enumerate(x):
        if v > limit:
            found.append(f"#{i}: {v} is too high")
        elif v < 0:
            found.append("negative")
        print(found)
    for message in found:
        print("-", message, len(message))
    return "; ".join(found), found, len(found), [m + "!" for m in found]


@samples("E4", (X,), (Y,), (X * X,))
def errors(values):
    roots, found = [], []
    for i, v in enumerate(values):
        try:
            roots.append(math.sqrt(v))
        except ValueError as error:
            found.append((i, str(error)))
    return roots, found


@samples("E4", (X,), (Y,), (X * X,))
def left_by_an_error(x):
    lines = []
    try:
        for v in x:
            if v < 0:
                raise ValueError(f"negative: {v}")
            lines.append(f"ok {v}")
    except ValueError as error:
        lines.append(f"error: {error}")
    return lines


@samples("E4", (I(16),), (I(0),))
def known_and_not(n):
    found = []
    for i in range(1, n + 1):
        if i % 15 == 0:
            found.append("FizzBuzz")
        elif i % 3 == 0:
            found.append("")
        else:
            found.append(str(i))
    return found


@samples("E4", (X,), (Y,))
def an_array_as_it_was(x):
    a, found = np.zeros(2), []
    for v in x:
        if v > 0:
            found.append(f"{a}")
        a += v
    return found, a


@samples("E4", (X,), (Y,))
def searched(x):
    found = []
    for v in x:
        text = f"{v}"
        if text not in found:
            found.append(text)
    return found, found.count("1.0"), "3.0" in found, "30.0" in found, "" in found, 5 in found


@samples("E4", (X,), (Y,))
def at_a_position(x):
    found = []
    for v in x:
        if v > 0:
            found.append(f"{v}")
    return found.index("3.0")


@samples("E4", (X,), (Y,), (Y + 1.5,))
def changed(x):
    found = ["start"]
    for v in x:
        if v > 0:
            found.append(f"{v}")
            if v > 2:
                break
    found[0] = "first"
    found.insert(1, f"{x.sum():.3f}")
    found.extend(["x", "a longer one than the others"])
    last = found.pop()
    found.reverse()
    return found, last, found[1:], found[0], found[-1]


@samples("E4", (I(3),), (I(0),), (I(12),))
def in_lists_and_dicts(n):
    rows, named = [], {}
    for i in range(n):
        row = []
        for j in range(i + 1):
            row.append(f"{i}.{j}")
        rows.append(row)
        named[i] = f"row {i}"
    return rows, named


@samples("E4", (X,), (Y,))
def one_more_on_one_path(x):
    s = x.sum()
    lines = [f"sum {s}", "x"]
    if s > 0:
        lines.append(f"positive {s}")
    return lines


class Sensor:
    def __init__(self, limit, listeners):
        self.limit, self.listeners, self.log = limit, listeners, []

    def record(self, value):
        if value > self.limit:
            self.log.append(f"{value:g} > {self.limit:g}")
            for listener in self.listeners:
                listener("sensor", value)


@samples("E4", (X, 0.5), (Y, 0.0))
def in_an_attribute(x, limit):
    heard = []
    sensor = Sensor(limit, [lambda name, value: heard.append(f"{name}: {value:.2f}")])
    for v in x:
        sensor.record(v)
    return sensor.log, heard


@samples("E4", (X, []), (Y, []), (X * X, []))
def in_the_callers_list(values, log):
    for v in values:
        try:
            if v < 0:
                raise ValueError(f"{v} is negative")
        except ValueError as error:
            log.append(str(error))
    log.append(f"{len(log)} errors")
    return log[-1]


@samples("E4", (X, {"log": []}), (Y, {"log": []}))
def pairs_in_the_callers_dict(values, kept):
    for i, v in enumerate(values):
        if v < 0:
            kept["log"].append((i, f"{v:.1f}", v))


test_sample = samples.test()


def rows_in_the_callers_list(x, log):
    for v in x:  # refused
        row = []
        while v > 0:
            row.append(v)
            v = v - 1
        log.append(row)


def test_rows_are_not_put_into_the_callers_list():
    refuse(rows_in_the_callers_list, X, [], match="a list of lists that are of several lengths")


def lists_compared(x):
    found, other = [], []
    for v in x:
        if v > 0:
            found.append(f"{v}")
            other.append(f"{v:.1f}")
    return found == other, found != other, found == ["1.0", "3.0"]


def test_lists_of_them_are_compared():
    check(lists_compared, (X,), (X + 0.25,), (-X,))


def test_one_graph_serves_texts_of_all_lengths():
    checked = check(messages, (X, 0.7), (X * 1e9, 5.0))
    assert checked.function.trace_count == 1
    assert not check(errors, (X,), (Y,), tensors=False).unsaved
    check(in_the_callers_list, (X, ["older"]), (Y, ["older"]))


def test_a_gradient_goes_by_them():
    def loss(x):
        found, total = [], 0.0
        for v in x:
            if v > 0:
                found.append(f"{v}")
                total += v * v
        print(", ".join(found))
        return total

    np.testing.assert_allclose(ag.grad(ag.convert(loss))(X), [2.0, 0.0, 6.0, 2.0])
