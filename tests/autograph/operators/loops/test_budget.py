"""What a trace unrolls is bounded, however loops nest and whatever they go through."""

from __future__ import annotations

import itertools
from collections import namedtuple

import numpy as np
import pytest

import autograph as ag

Point = namedtuple("Point", "x y")
RANDOM = np.random.default_rng(5)
GRID, ROW = RANDOM.random((12, 12)), RANDOM.random(10)
TUPLES = [(i / 240, 1.0 / (1 + i)) for i in range(120)]
POINTS = [Point(*pair) for pair in TUPLES]
ARRAYS = [RANDOM.random(4) for _ in range(40)]


def mixed(a, s):
    """Some ten operations."""
    s = s * 0.9 + a[0] * a[1] - a[0] / (1 + s * s)
    return s * 0.5 + a[1] * a[1] * s - a[0] * s / 3


def large(a, s):
    """Some thirty of them."""
    return mixed(a, mixed(a, mixed(a, s)))


def indices(a):
    total = 0.0
    for i, j in np.ndindex(12, 12):
        total += a[i, j] * (i - j)
    return total


def indices_of_shape(a):
    made = np.zeros(a.shape)
    for at in np.ndindex(*a.shape):
        made[at] = a[at] * 2
    return made


def indices_and_elements(a):
    total = 0.0
    for (i, j), v in np.ndenumerate(a):
        total += v * (i + 2 * j)
    return total


def products(a):
    total, last = 0.0, ()
    for i, v, j in itertools.product(range(11, -1, -2), (0.5, 1.5), range(12)):
        total += a[i, j] * v
        last = i, v, j
    return total, last


def flat(a):
    total = 0.0
    for v in a.flat:
        total += v * v
    for k, v in enumerate(a.flat):
        total += v * k
    for v, w in zip(a.flat, a.T.flat):
        total += v * w
    return total


def flat_left_by_data(a):
    b, total = a.copy(), 0.0
    for v in b.flat:
        if total > 20:
            break
        b[-1, -1] = total
        total += v * v
    return total, v, b


def flat_in_comprehensions(a):
    return np.array([v * 2 for v in a.flat]), sum(v * v for v in a.flat), max(a.flat)


def pairs(a):
    total = 0.0
    for i, j in itertools.combinations(range(12), 2):
        total += a[i, j] * a[j, i]
    return total


def left_by_data(a):
    total = 0.0
    for i, j in itertools.product(range(12), repeat=2):
        if total > 20:
            break
        total += a[i, j]
    return total, i, j


def whiles(x):
    s, i = x[0], 0
    while i < 12:
        j = 0
        while j < 12:
            k = 0
            while k < 12:
                s = s * 0.99 + x[i % 10] * x[j % 10] - x[k % 10]
                k += 1
            j += 1
        i += 1
    return s, i, j, k


def ranges(x):
    s = x[0]
    for i in range(10):
        for j in range(10):
            for k in range(10):
                s = s * 0.99 + x[i] * x[j] - x[k]
    return s


def given_items(items, x):
    s = x[0]
    for a in items:
        s = large(a, s)
    return s, a[0], type(a).__name__


def captured_tuples(x):
    return given_items(TUPLES, x)


def captured_points(x):
    return given_items(POINTS, x)


def captured_arrays(x):
    s = x[0]
    for k, a in enumerate(ARRAYS):
        s = large(a, s) + k
    return s


def made_tuples(x):
    return given_items([(x[i % 10], x[i % 7]) for i in range(60)], x)


def made_points(x):
    return given_items([Point(x[i % 10], i / 120) for i in range(60)], x)


def of_a_dict(x):
    made = {i: (x[i % 10], x[i % 7]) for i in range(60)}
    return given_items(made.values(), x)


def hull(points):
    points = sorted(map(tuple, points))

    def cross(o, a, b):
        return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])

    lower = []
    for p in points:
        while len(lower) >= 2 and cross(lower[-2], lower[-1], p) <= 0:
            lower.pop()
        lower.append(p)
    return np.array(lower)


def unlike_items(x):
    """Those of a list of two kinds are gone through one by one."""
    s = x[0]
    for item in [0.5, (0.25,)] * 20:
        v = item if isinstance(item, float) else item[0]
        for _ in range(8):
            s = mixed((v, x[1]), s)
    return s


TABLE = [
    (indices, (GRID,), 30), (indices_of_shape, (GRID,), 30), (indices_and_elements, (GRID,), 30),
    (products, (GRID,), 40), (pairs, (GRID,), 30), (flat, (GRID,), 40),
    (flat_left_by_data, (GRID,), 60), (flat_in_comprehensions, (GRID,), 750), (left_by_data, (GRID,), 60),
    (whiles, (ROW,), 800), (ranges, (ROW,), 200), (given_items, (TUPLES, ROW), 120),
    (given_items, (POINTS, ROW), 120), (given_items, (ARRAYS, ROW), 120),
    (captured_tuples, (ROW,), 80), (captured_points, (ROW,), 80), (captured_arrays, (ROW,), 120),
    (made_tuples, (ROW,), 350), (made_points, (ROW,), 250), (of_a_dict, (ROW,), 350),
    (hull, (RANDOM.random((24, 2)),), 400), (unlike_items, (ROW,), 2800),
]  # fmt: skip


@pytest.mark.parametrize(("f", "arguments", "most"), TABLE)
def test_nodes_are_bounded_and_values_are_those_of_python(f, arguments, most):
    converted = ag.convert(f)
    wanted, found = f(*arguments), converted(*arguments)
    if not isinstance(wanted, tuple):
        wanted, found = (wanted,), (found,)
    for one, other in zip(wanted, found, strict=True):
        if isinstance(one, str):
            assert one == other
        else:
            np.testing.assert_allclose(other, one, rtol=1e-12)
    graph = converted.get_concrete_function(*arguments).graph
    assert sum(1 for _ in graph.walk()) <= most


# ---- what keeps items from being looked up -------------------------------------------------------


def tells_one(items, s):
    count = 0
    for a in items:
        s = large(a, s)
        count += a is items[3]
    return s, count


def keeps_one(items, s):
    best, most = items[0], -9.0
    for a in items:
        found = large(a, s)
        if found > most:
            best, most = a, found
    best[0] = 7.0
    return best, most


def writes_each(items, s):
    for a in items:
        s = large(a, s)
        a[0] = s
    return s


def writes_later_ones(items, s):
    for k, a in enumerate(items):
        s = large(a, s)
        items[-1][k % 4] = s / 8
    return s


def goes_on_behind_a_break(items, s):
    rest = itertools.product(range(5), range(5))
    for i, j in rest:
        s = s + items[i][0] * j
        if i == 2:
            break
    return s, i, j, list(rest)


def takes_two_at_once(items, s):
    both = itertools.product(range(6), range(6))
    for i, j in both:
        k, m = next(both)
        s = s + items[i][0] * j - k * m
    return s, k, m


def changes_what_it_goes_through(items, s):
    held = [0.5, 1.5, 2.5] * 10
    for v in held:
        s = large((v, s), s)
        if len(held) > 20:
            held.pop()
    return s, len(held), v


def asks_by_keys(items, s):
    named = {f"w{i}{j}": items[i][0] * j for i in range(5) for j in range(5)}
    for i, j in itertools.product(range(5), range(5)):
        s = s * 0.5 + named[f"w{i}{j}"]
    return s


def makes_rows(items, s):
    """What grows is of a known length: an array is made of it."""
    rows = []
    for i in range(16):
        row = []
        for j in range(16):
            row.append(mixed((items[i][0], items[j][1]), s))
        rows.append(row)
    rows[3][2] = s
    return np.array(rows)


@pytest.mark.parametrize(
    "f",
    [
        makes_rows, tells_one, keeps_one, writes_each, writes_later_ones, goes_on_behind_a_break,
        takes_two_at_once, changes_what_it_goes_through, asks_by_keys,
    ],
)  # fmt: skip
def test_what_a_loop_of_the_graph_cannot_hold_is_as_in_python(f):
    one, other = ([np.copy(a) for a in ARRAYS] for _ in range(2))
    wanted, found = f(one, 0.5), ag.convert(f)(other, 0.5)
    flat_wanted, flat_found = (
        (wanted, found) if isinstance(wanted, tuple) else ((wanted,), (found,))
    )
    for x, y in zip(flat_wanted, flat_found, strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-12)
    np.testing.assert_allclose(other, one, rtol=1e-12)
