"""Lists of numbers that stand for arrays, in any parameter of NumPy's functions, and `np.r_`, `np.c_` (E1)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, refuse

F = np.float64
X = np.array([1.5, 2.0, 3.0, 4.5])
TWO = ((X, 2.0, 3.5), (X * 2, 1.25, 4.75))
PLACES = ((X, np.int64(2), np.int64(3)), (X * 2, np.int64(0), np.int64(-1)))
samples = Samples()


@samples("E1", *TWO)
def limits_of_percentiles(x, low, high):
    a, b = np.percentile(x, [low, high])
    middle = np.quantile(x, (low / 9, 0.5, high / 9), axis=0)
    return np.clip(x, [a] * 4, b), middle, np.nanpercentile(x, q=[low, high])


@samples("E1", *TWO)
def kernels_and_weights(x, a, b):
    smooth = np.convolve(x, [a, b]), np.correlate(x, (a, b), "same")
    mean = np.average(x, weights=[a, b, 1, 2])
    return *smooth, mean, np.average([a, b], weights=[b, a]), np.einsum("i,i", x, [a, b, a, b])


@samples("E1", *TWO)
def edges_and_places(x, a, b):
    counts, edges = np.histogram(x, bins=[0.0, a, b + 5])
    found = np.digitize(x, [a, b]), x.searchsorted([a, b]), np.lexsort(([a, b], [b, a]))
    return counts, edges, *found, np.bincount(np.digitize(x[:2], [a]), weights=[a, b])


@samples("E1", *TWO)
def edges_along_several_axes(x, a, b):
    y, way = x[::-1] * 0.5, [[0.0, a, b + 5], [0, 0.75, b]]
    found = np.histogram2d(x, y, bins=way)[0], np.histogram2d(x, y, bins=[2, way[1]])
    return *found, np.histogram2d(x, y, [0, a, b]), np.histogramdd([x, y], bins=way, weights=y)[0]


@samples("E1", (X, np.int64(3)), (X, np.int64(1)), (X, np.int64(0)))
def numbers_of_cells(x, n):
    return (
        np.histogram2d(x, x, n),
        np.histogram2d(x, -x, (n, 2)),
        np.histogram2d(x, x, [[0, n, 9]] * 2),
    )


@samples("E1", *TWO)
def other_operands(x, a, b):
    sums = np.trapezoid([a, b], [0, b]), np.gradient(x, [0, a, a + b, 9])
    products = np.tensordot([a, b], [b, a], 0), x.dot([a, b, 1, 2]), np.kron([a], [b, 1])
    more = np.cov([a, b, 1], [b, a, 2]), np.insert(x, 1, [a, b])
    return *sums, *products, *more, np.diff(x, prepend=[a], append=(b, a))


@samples("E1", *PLACES)
def places_in_lists(x, i, j):
    return np.take(x, [i, j]), x.take([i, j]), x[np.ix_([i, j])], x.compress([i > 1, True, j > 1])


@samples("E1", *TWO)
def glued_along_the_first_axis(x, a, b):
    whole = np.r_[a, x, b], np.r_[x[-1:], x, x[:1]], np.r_[[a], x, [b, 1]], np.r_[x, 1:4, 0:1:3j]
    rows = np.r_["0,2", x, x * a], np.r_["1,2,0", x, x], np.r_[x.reshape(2, 2), x.reshape(2, 2)]
    return *whole, *rows, np.r_[a], np.r_[a:b:4j]


@samples("E1", *TWO)
def glued_as_columns(x, a, b):
    design = np.c_[np.ones(len(x)), x, x**2]
    return design, np.c_[a, b], np.c_[x.reshape(2, 2), [a, b]], np.c_[x[:2].reshape(2, 1), x[2:]]


@samples("E1", *TWO)
def numbers_take_the_dtype_of_arrays(x, a, b):
    small = x.astype(np.float32)
    weak = np.r_[small, a], np.r_[small, a, 1], np.r_[(x > 2), True]
    return *weak, np.r_[small, F(a)], np.r_[np.float32(a), np.int64(b)], np.r_[int(a), int(b)]


@samples("E1", *TWO)
def lists_that_grow_beside_arrays(x, a, b):
    large = []
    for v in x:
        if v > a:
            large.append(v)
    pairs = [(v, a) for v in large]
    joined = np.concatenate([x, large, large]), np.hstack((large, x)), np.append(x, large)
    return *joined, np.concatenate([pairs, np.ones((2, 2))], 0)


# ---- lists whose length depends on data, put into a part of an array ----


@samples("E1", (np.array([[0, 2, 0, 2], [4, 0, 4, 1]]),), (np.array([[1, 0, 0, 2], [0, 0, 0, 0]]),))
def tiles_moved_to_the_left(board):
    def moved(row):
        tiles = [int(t) for t in row if t]
        return tiles + [0] * (len(row) - len(tiles)), len(tiles)

    total = 0
    for i in range(len(board)):
        board[i], count = moved(board[i])
        total += count
    return board, total


@samples("E1", (X,), (X[::-1].copy(),), (X * 2,), (X * np.nan,))
def found_ones_put_in_a_row(x):
    found = np.zeros((2, 3))
    found[1] = [v * 2 for v in x if v > 2.5][:3]
    return found


@samples("E1", (X,), (X - 3,), (X * 9,))
def masked_places_set_to_a_list(x):
    whole = x.astype(np.float32)
    x[x > 2] = [v * 0.5 for v in x if v > 2]
    whole[:] = sorted(v * 2 for v in x if v < 100)
    return x, whole


@samples("E1", (X,), (X - 3,))
def rows_put_into_a_column(x):
    grid = np.zeros((4, 2))
    grid[:, 1:] = [[v] for v in x if v > -5]
    return grid


test_samples = samples.test()


def with_a_number(x, n):
    return np.r_[x, n, -1]


def test_a_python_int_must_fit():
    small = np.array([1, 2], np.int8)
    staged = ag.convert(with_a_number)
    for n in (3, 4, 300):
        try:
            expected = with_a_number(small, n)
        except OverflowError:
            with pytest.raises(OverflowError):
                staged(small, n)
        else:
            assert np.array_equal(staged(small, n), expected)


def design(x, w):
    return (np.c_[np.ones(4), x, x**2] @ w).sum() + np.percentile(x, [w[0], 70 + w[1]]).sum()


@pytest.mark.parametrize("make", [ag.convert, ag.to_graph])
def test_gradients_reach_what_is_in_lists(make):
    w = np.array([30.0, -2.0, 0.5])
    by_x, by_w = ag.grad(make(design), argnums=(0, 1))(X, w)
    for given, found, k in ((X, by_x, 0), (w, by_w, 1)):
        for i in range(len(given)):
            step = np.zeros_like(given)
            step[i] = 1e-6
            args = [X, w]
            up, down = ([*args[:k], given + s, *args[k + 1 :]] for s in (step, -step))
            assert np.isclose(found[i], (design(*up) - design(*down)) / 2e-6, rtol=1e-5)


def put_into_integers(x):
    places = np.zeros(4, int)
    places[:] = [v for v in x if v > 0]  # refused
    return places


def put_into_small_integers(x):
    places = np.zeros(4, np.uint8)
    places[:] = [k for k, v in enumerate(x) if v > 0]  # refused
    return places


def put_into_one_place(x):
    x[1] = [v for v in x if v > 0]  # refused
    return x


def put_in_as_a_view(x):
    d = {}
    for v in x:
        d[int(v)] = v
    x[:] = d.values()  # refused
    return x


def test_what_numpy_asks_each_item_about_is_refused():
    refuse(put_into_integers, X, match="which does not hold them all")
    refuse(put_into_small_integers, X, match=r"items \(int64\) are put into an array of uint8")
    refuse(put_into_one_place, X, match="that has fewer axes")
    refuse(put_in_as_a_view, X, match="a view of a dict")


def as_a_matrix(x):
    return np.r_["r", x]  # refused


def grown(x):
    found = []
    for v in x:
        if v > 2:
            found.append(v)
    return np.r_[x, found]  # refused


def test_what_a_graph_does_not_glue_is_refused():
    refuse(as_a_matrix, X, match="makes a matrix")
    refuse(grown, X, match="put together by `np.r_`")


def rank_0(x, a):
    return np.apply_along_axis(lambda row: row.sum() * a, 0, x)


def test_what_is_applied_to_a_vector_gives_an_array_of_rank_0():
    found = ag.convert(rank_0)(X, 2.0)
    assert type(found) is np.ndarray and found == rank_0(X, 2.0)
