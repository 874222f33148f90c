"""Lists, dicts and deques whose content depends on data, with items that are None at times."""

from collections import deque

import numpy as np
import pytest

from tests.language.harness import Samples, refuse

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


test_sample = samples.test()


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
    return before in found  # refused


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (arrays_or_none, "its items are not of one kind"),
        (what_may_be_none_is_looked_for, "which may be None, are compared"),
    ],
)
def test_what_a_graph_cannot_hold_is_refused(sample, words):
    refuse(sample, X, match=words)
