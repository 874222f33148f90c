"""Views of an array that are taken anew in each round, or on one path."""

from __future__ import annotations

import numpy as np

from tests.language.arguments import A
from tests.language.harness import Samples

samples = Samples()
I, F = np.int64, np.float64


def R(*arrays, upto=4):
    """A case per trip count from 0 on, each with arrays of its own."""
    return [(*(a.copy() for a in arrays), I(k)) for k in range(upto)]


X, Z, M = A(1, 2, 3), A(5, 6, 7), np.arange(12.0).reshape(4, 3)


@samples("S7", *[(M.copy(), I(k)) for k in range(4)])
def rowset(m, n):
    for i in range(n):
        r = m[i]
        r[0] = i
    return m + 0


@samples("S7", *[(M.copy(), I(k)) for k in range(4)])
def rowmul(m, n):
    for i in range(n):
        r = m[i]
        r *= 2
    return m + 0


@samples("S7", *[(M.copy(), I(k)) for k in range(1, 4)])
def row_read_after(m, n):
    for i in range(n):
        r = m[i]
        r[0] = -i
    return (r + 0, m + 0)


@samples("S7", *[(M.copy(), I(k)) for k in range(1, 4)])
def row_read_after_w(m, n):
    for i in range(n):
        r = m[i]
        r[0] = -i
    m[0, 1] = 99
    m[1, 1] = 98
    m[2, 1] = 97
    return r + 0


@samples("S7", *[(M.copy(), I(k)) for k in range(1, 4)])
def row_write_after(m, n):
    for i in range(n):
        r = m[i]
        r[0] = -i
    r[1] = 100
    return m + 0


@samples("S7", *[(M.copy(), I(k)) for k in range(4)])
def row_write_after_init(m, n):
    r = m[3]
    for i in range(n):
        r = m[i]
        r[0] = -i
    r[1] = 100
    return (m + 0, r + 0)


@samples("S7", *[(M.copy(), I(k)) for k in range(4)])
def row_from_before(m, n):
    r = m[3]
    for i in range(n):
        r[1] += 1
        r = m[i]
    r[1] = 100
    return (m + 0, r + 0)


@samples("S7", *[(M.copy(), I(k)) for k in range(1, 4)])
def row_iter(m, n):
    for row in m:
        row += n
        row[0] = 0
    return m + 0


@samples("S7", *[(M.copy(), I(k)) for k in range(1, 4)])
def row_iter_after(m, n):
    for row in m:
        row += n
        row[0] = 0
    row[1] = 5
    return (m + 0, row + 0)


@samples("S7", *[(np.arange(60.0).reshape(20, 3), I(k)) for k in (0, 3, 7)])
def row_iter_big(m, n):
    for row in m:
        row += n
        row[0] = 0
    row[1] = 5
    return (m + 0, row + 0)


@samples("S7", *[(M.copy(), I(k)) for k in range(1, 4)])
def row_slice(m, n):
    for i in range(n):
        r = m[i, 1:]
        r[0] = -i
        q = r[1:]
        q += 100
    return m + 0


@samples("S7", *[(M.copy(), I(k)) for k in range(1, 4)])
def row_prev(m, n):
    p = m[0]
    for i in range(n):
        c = m[i]
        c[0] = p[0] + 1
        p = c
    p[2] = -5
    return (m + 0, p + 0)


@samples("S7", *[(M.copy(), F(k)) for k in (-1, 1)])
def row_if(m, c):
    if c > 0:
        r = m[0]
    else:
        r = m[1]
    r[0] = 50
    return (m + 0, r + 0)


@samples("S7", *[(M.copy(), F(k)) for k in (-1, 1)])
def row_if_read(m, c):
    if c > 0:
        r = m[0]
    else:
        r = m[1]
    m[0, 0] = 50
    m[1, 1] = 51
    return (m + 0, r + 0)


test_views_per_round = samples.test()
