"""Tests of `autograph.operators.expressions.index_tricks` and of what its brackets share with `np.r_` and `np.c_`."""

import numpy as np

import autograph as ag
from tests.language.harness import Samples, check

samples = Samples()
A, B = np.arange(3.0), np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.0]])
I = np.int64


@samples("E1", (A, B), (A + 1, B * 2))
def rows(a, b):
    a = a * 2
    return np.r_[a, b[:, 0]], np.r_[a, 0, 1.5], np.r_[0:3, a, [1, 2]], np.r_[a], np.r_[-1:1:5j, a]


@samples("E1", (A, B), (A + 1, B * 2))
def columns(a, b):
    a = a * 2
    return np.c_[a, b], np.c_[np.ones(3), a, a**2], np.c_[0:3, a], np.c_[a[0], 1.0], np.r_[b, b]


@samples("E1", (A, np.float32(2)), (A + 1, np.float32(3)))
def dtypes(a, x):
    narrow = a.astype(np.float32)
    return np.r_[narrow, 1.5], np.r_[narrow, x, 2], np.c_[narrow, a], np.r_[a > 1, 3], np.r_[x, x]


@samples("E1", (I(3),), (I(5),))
def grids(n):
    first, second = np.mgrid[0:n, 0:2]
    return np.mgrid[0:n], np.mgrid[1 : 2 * n : 2], first, second, np.ogrid[0:n, 0:1:3j], np.r_[0:n]


@samples("E1", (A,), (A + 1,))
def known_parts(x):
    return np.r_[1, 2, 3] + x, np.c_[[1, 2], [3, 4]] * x[0], np.mgrid[0:3] + x, x[np.s_[1:]]


@samples("E1", (A,), (A + 1,))
def known_parts_are_written(x):
    grid, row, columns = np.mgrid[-1:1:3j, 0:2:3j], np.r_[0.0:3.0], np.c_[[1.0, 2.0], [3.0, 4.0]]
    (first, second), (other, _) = grid, np.ogrid[0:2:3j, 0:2]
    row[1] = x[0]
    first[first > 0] = x[1]
    columns[0] += x[:2]
    other[0, 0] -= x[2]
    for i in np.r_[0:3]:
        row[i] += x[2 - i]
    return grid, row, columns, other, second + x


@samples("E1", (A,), (A + 1,))
def directed(a):
    return np.r_["0,2", a, a * 2], np.r_["1,2,0", a, a * 2]


test_sample = samples.test()


def test_gradients_go_through_them():
    f = ag.convert(lambda a: (np.c_[a, a**2, np.ones(3)] ** 2).sum() + np.r_[a, 1.0].prod())
    np.testing.assert_allclose(ag.grad(f)(A + 1), 2 * (A + 1) + 4 * (A + 1) ** 3 + 6 / (A + 1))


def test_one_graph_serves_all_sizes():
    assert check(grids, (I(2),), (I(4),)).function.trace_count == 1
