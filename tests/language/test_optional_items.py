"""Lists, dicts and deques whose content depends on data, with items that are None at times."""

from collections import deque

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from runtime.errors import GraphLimit
from tests.language.harness import Samples, check, refuse

samples = Samples()
X, Y = np.array([1.0, -2, 3, -1]), np.array([-1.0, 2, 2, 2])
GRAPHS = (
    np.array([[0, 1, 0, 0, 1], [1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 1, 0, 0], [1, 0, 0, 0, 0]]),
    np.array([[0, 0, 0, 1, 0], [0, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 1, 0, 0], [0, 0, 0, 0, 0]]),
)


@samples(
    "E4",
    (GRAPHS[0], np.int64(0), np.int64(3)),
    (GRAPHS[1], np.int64(1), np.int64(4)),
    joined=True,
    tensors=False,
)
def way_back(adjacent, start, end):
    before = {start: None}
    queue = deque([start])
    while queue:
        u = queue.popleft()
        if u == end:
            break
        for v in range(len(adjacent)):
            if adjacent[u, v] and v not in before:
                before[v] = u
                queue.append(v)
    if end not in before:
        return []
    way, at = [], end
    while at is not None:
        way.append(at)
        at = before[at]
    way.reverse()
    return way


@samples("E4", (X,), (Y,))
def numbers_or_none(x):
    found = []
    for v in x:
        if v > 2.5:
            found.append(None)
        elif v > 0:
            found.append(float(v))
    missing = 0
    for item in found:
        if item is None:
            missing += 1
    print(found)
    return found, missing, None in found, 2.0 in found, found.count(None), found[-1]


@samples("E4", (X,), (Y,))
def texts_or_none(x):
    found = []
    for v in x:
        if v > 2.5:
            found.append(None)
        elif v > 0:
            found.append("up")
        elif v < -1.5:
            found.append("down")
    return found, "up" in found, found[0] is None


@samples("E4", (X,), (Y,))
def in_tuples(x):
    found, before = [], None
    for v in x:
        if v > 0:
            found.append((v, before))
            before = int(v)
    return found


@samples("E4", (X,), (Y,))
def none_at_first(x):
    waiting = deque([None])
    for v in x:
        if v > 0:
            waiting.append(v * 2)
    first = waiting.popleft()
    return first is None, waiting


HILLS = (
    np.array([[5.0, 4, 3], [6, 2, 1], [7, 8, 0]]),
    np.array([[0.0, 4, 3], [6, 2, 1], [7, 8, 9]]),
    np.array([[1.0, 9, 9], [9, 0, 1], [7, 8, -1]]),
)


@samples("E4", *((h,) for h in HILLS), tensors=False)
def tuples_that_are_there_by_then(heights):
    row, column, path = 0, 0, []
    for _ in range(20):
        best, step = heights[row, column], None
        for r in range(3):
            for c in range(3):
                if abs(r - row) + abs(c - column) == 1 and heights[r, c] < best:
                    best = heights[r, c]
                    step = (r, c, "down" if r > row else "across")
        if step is None:
            break
        path.append(step)
        row, column = step[:2]
    return path


@samples("E4", (X,), (Y,), (-np.abs(X),), tensors=False)
def tuples_or_none(x):
    found = []
    for i, v in enumerate(x):
        pair = None
        if v > 1.5:
            pair = (float(v), None if v > 2.5 else i)
        found.append(pair)
        found.append((i, pair)[1])
    nothing = 0
    for pair in found:
        if pair is None:
            nothing += 1
        else:
            first, _ = pair
            print(first, pair)
    print(found)
    return found, nothing, None in found, (2.0, 1) in found, found.count(None), {len(x): found[-1]}


@samples("E4", (X,), (Y,), (-np.abs(X),), tensors=False)
def tuples_or_none_by_key(x):
    best, here = {}, []
    for v in x:
        pair = None
        for w in x:
            if w > v and (pair is None or pair > (w, 1)):
                pair = (w, 1)
        best[v] = pair
        if pair is not None:
            here.append(pair)
    here.sort(key=lambda pair: -pair[0])
    return best, here, max(here), bool(min(here) < (2.0, 5))


@samples("E4", (X,), (Y,), (-np.abs(X),))
def sum_over_tuples_or_none(x):
    found = []
    for v in x:
        if v != 2:
            found.append((v * v, 2.0) if v > 0.5 else None)
    total = x[0] * 0.0
    for pair in found:
        if pair is not None:
            total += pair[0] * pair[1]
    return total


@samples("E4", (X,), (Y,), tensors=False)
def an_array_of_what_is_there_by_then(x):
    found, pairs = [], []
    for v in x:
        best, pair = None, None
        for k, w in enumerate(x):
            if best is None or w * v > x[best] * v:
                best, pair = k, (w, k)
        if v != 3:
            found.append(best)
            pairs.append(pair)
    return np.array(found), np.array(pairs)


class Thing:
    def __init__(self, x):
        self.x = x


@samples(
    "E4",
    (np.array([1.0, 2.0, 3.0]),),
    (np.array([5.0, 2.0, 1.0]),),
    (np.array([0.2, 0.3, 0.1]),),
    joined=True,
)
def sought_where_it_may_be_none(xs):
    things = [Thing(x) for x in xs]
    numbers, near = [x for x in xs if x < 4], [t for t in things if t.x < 4]
    pairs, names = (
        [(x, 1) for x in xs if x < 4],
        ["low" if x < 1.5 else "high" for x in xs if x < 4],
    )
    number = thing = pair = name = None
    for t in things:
        if t.x > 1.5:
            number, thing, pair, name = t.x, t, (t.x, 1), "high"
    found = number in numbers, thing in near, pair in pairs, name in names
    counts = numbers.count(number), near.count(thing), pairs.count(pair), names.count(name)
    near.remove(thing)
    numbers.remove(number)
    return found, counts, len(near), numbers


test_sample = samples.test()


def an_array_with_none(x):
    found = []
    for v in x:
        if v != 2:
            found.append(v if v > 0 else None)
    return np.array(found)


def test_an_array_of_objects_is_none_of_a_graph():
    for backend in BACKENDS:
        with config.backend.using(backend), pytest.raises(GraphLimit, match="an array of objects"):
            ag.convert(an_array_with_none)(X)


def test_gradients_flow_through_tuples_or_none():
    for backend in BACKENDS:
        with config.backend.using(backend):
            found = ag.grad(ag.convert(sum_over_tuples_or_none))(X)
        assert np.array_equal(found, np.where(X > 0.5, 4 * X, 0.0)), backend


def arrays_or_none(x):
    found = []
    for v in x:
        if v > 2:  # refused
            found.append(None)
        elif v > 0:
            found.append(x * v)
    return found


def what_may_be_none_is_looked_for(x):
    found, before = [], None
    for v in x:
        if v > 2:
            found.append(None)
        elif v > 0:
            found.append(v)
            before = v
    return before in found, found.count(before)


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (arrays_or_none, "its items are not of one kind"),
    ],
)
def test_what_a_graph_cannot_hold_is_refused(sample, words):
    refuse(sample, X, match=words)


def test_what_may_be_none_is_looked_for():
    check(what_may_be_none_is_looked_for, (X,), (Y,), (-X,), (X * 0,), joined=True)
