"""Arrays in an order that data decides stay those arrays; `zip(strict=True)` finds out at its end."""

from __future__ import annotations

import numpy as np

from tests.language.arguments import A
from tests.language.harness import Samples

samples = Samples()
F = np.float64
M = np.arange(4.0).reshape(2, 2)


@samples("B3.08", (F(2), M), (F(-1), M))
def sorted_rows_are_views(x, a):
    rows = list(a)
    rows[0][0] = x
    rows.sort(key=lambda r: r[0])
    for r in rows:
        r += 1
    rows[0][1] = 7.0
    return a


@samples("B3.08", (A(0, 1), A(5, 6)), (A(7, 1), A(5, 6)))
def sorted_arrays_are_those_arrays(a, b):
    first, second = sorted([a, b], key=lambda r: r[0])
    first[0] = 9.0
    pairs = sorted([(a[1], a), (b[1], b)], key=lambda pair: -pair[0])
    pairs[0][1][1] = 8.0
    return a, b, second[1]


@samples("B3.08", (A(*range(40)).reshape(20, 2),), (A(*range(0, -40, -1)).reshape(20, 2),))
def many_rows_are_read(a):
    rows = sorted([row for row in a], key=lambda r: -r[0])
    return rows[0], sum(r[1] for r in rows), np.array(rows)


@samples("B3.08", (A(*range(40)).reshape(20, 2),), (A(*range(0, -40, -1)).reshape(20, 2),))
def many_rows_are_written(a):
    rows = sorted([row for row in a], key=lambda r: -r[0])
    rows[0][0] = 5.0
    rows[3][1] += 7.0
    return a


@samples("B3.08", ({"a": F(1), "c": F(3)}, F(2)), ({"a": F(4), "c": F(3)}, F(0.5)), tensors=False)
def items_of_a_dict(d, x):
    d["b"] = x
    same_name = sorted([("a", x), ("a", F(1.5)), ("b", F(0.0))])
    return sorted(d.items()), sorted(d.items(), reverse=True), same_name, sorted([(1, x), (0, x)])


UNEVEN = [
    (2, 2, 2),
    (2, 3, 2),
    (3, 2, 3),
    (2, 2, 3),
    (3, 3, 2),
    (0, 1, 0),
    (20, 20, 20),
    (21, 20, 21),
]


@samples("B3.04", *(tuple(map(np.ones, sizes)) for sizes in UNEVEN), traces=len(UNEVEN))
def effects_before_zip_finds_out(x, y, z):
    total = 0.0
    for a, b, c in zip(x, y, z, strict=True):
        print(a)
        total += a * b * c
        x[0] = 9
    return total


@samples("B3.04", (A(0, 1, 2), F(0.5)), (A(0, 1, 2), F(-1)), (A(0, 1, 2), F(1)))
def lengths_that_depend_on_data(x, limit):
    total = 0.0
    try:
        for a, b in zip(x[x > 0], x[x > limit], strict=True):
            print(a)
            total += a * b
    except ValueError as error:
        print(error)
    return total


@samples("B3.08", (A(1, 2, 0, 4).reshape(2, 2),), (A(1, 2, 3, 4).reshape(2, 2),))
def rows_of_an_array_in_order(a):
    rows = sorted(a, key=lambda r: r[0])
    rows[0] += 10
    rows[-1][1] = 5
    return a, rows


# ---- elements are read when it is their turn ---------------------------------------------------------


@samples("B3.05", (A(1, -2, 3.5),), (A(-2.5, 2, -1),))
def written_while_it_is_gone_through(x):
    steps = iter(x)
    first = next(steps)
    x[1] = 50
    doubled = (v * 2 for v in x)
    x[0] = 60
    return first, next(steps), list(doubled), [*steps]


@samples("B3.05", (A(1, -2, 3.5),), (A(-2.5, 2, -1),))
def written_by_what_is_called_for_each(x):
    def bump(v):
        x[1:] += v
        return v

    def key(v):
        x[0] = 9
        return -v

    return [bump(v) for v in x], sum(bump(v) for v in x), sorted(x, key=key), x


test_order_and_pace = samples.test()
