"""Arrays whose length depends on data as lists and dicts, and parts taken out and put in by data."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, check

X, Y = np.array([3, 1, 3, 2, 1, 3, 7]), np.array([1, -1, 0, 2, 1, 2, 6])
TWO = ((X,), (Y,), (Y - 10,))
samples = Samples()


@samples("E4", *TWO)
def made_lists(x):
    large = list(x[x > 2])
    large.sort(reverse=True)
    return large, sorted(x[x < 2], reverse=True), [*x[x > 2], x[0]], list(reversed(x[x > 2]))


@samples("E4", *TWO)
def put_behind_a_list(x):
    found, first = [np.int64(1)], 0
    for v in x:
        if v > 2:
            first += 1
    found.extend(x[first:])
    found.extend(list(x[:first]))
    found += list(x[x > 100])
    return np.array(found), len(found)


@samples("E4", (np.arange(6.0).reshape(3, 2), 1.0), (np.arange(6.0).reshape(3, 2), 3.0))
def rows_of_a_matrix(x, least):
    rows = list(x[x[:, 0] > least])
    rows.extend(x[x[:, 1] > least])
    return np.array([row.sum() for row in rows])


@samples("B3.15", *TWO, tensors=False)
def sets_of_them(x):
    few = set(int(v) for v in x[x > 2])
    return few, len(set(x[x < 2])), 7 in few


@samples("B3.15", *TWO)
def dicts_of_pairs(x):
    pairs = []
    for v in x:
        if v > 1:
            pairs.append((int(v), v * 2))
    values, counts = np.unique(x, return_counts=True)
    tallied = dict(zip(values.tolist(), counts.tolist()))
    return dict(pairs), dict(enumerate(x[x > 2])), tallied, dict((int(v), 0) for v in x if v > 1)


@samples("B3.15", *TWO)
def dicts_of_known_pairs(x):
    pairs = (("k%d" % k, x[k]) for k in range(3))
    return dict(pairs), dict(zip("abc", x)), dict([(1, x[0])], b=x[1]), dict(((1, 2), (3, 4)))


@samples("E4", *TWO, (np.array([3, 0, 0, 0, 0, 0, 0]),))
def compared(x):
    found, rows, last = [], [], None
    for i, v in enumerate(x):
        if v > 2:
            found.append((i, v))
            rows.append([v, v * v])
    same = [(i, v) for i, v in enumerate(x) if v > 2]
    return found == [(0, 3)], found != found[:], found == same, found == [3], rows == [[3, 9]]


@samples("E4", *TWO)
def compared_where_items_may_be_none(x):
    found, last = [], None
    for v in x:
        found.append(last)
        if v > 2:
            last = v
    del found[x[0] :]
    return found == [None], found == [None, None, 3], found == found[:], found == [1, 2, 3]


@samples("E1", *TWO)
def taken_out_by_data(x):
    at = [i for i, v in enumerate(x) if v > 2]
    by_mask = np.delete(x, x > 2), np.delete(x, np.nonzero(x > 2)[0]), np.delete(x, at)
    by_number = np.delete(x, abs(x[0]) % 7), np.delete(x, -1 - x[1] % 7), np.delete(x, x[:0])
    return by_mask, by_number, np.delete(x.reshape(1, 7), x[3:5] % 7, axis=1)


@samples("E1", *TWO)
def taken_out_one_by_one(x):
    left = x
    while left.size > 2:
        left = np.delete(left, np.argmax(left))
    return left


@samples("E1", *TWO)
def put_in_by_data(x):
    k = abs(x[1]) % 7
    table = np.arange(6).reshape(2, 3)
    rows = np.insert(table, k % 3, [7, 8], axis=1), np.insert(table, k % 3, 5, axis=0)
    return np.insert(x, k, 9), np.insert(x, -k, [1, 2, 3]), np.insert(x, k - k + 7, 2.9), rows


BEYOND = ((X, 0), (X, 7), (X, -8), (X, 100))


@samples("E1", *((x, np.int64(k)) for x, k in BEYOND))
def delete_beyond(x, k):
    return np.delete(x, k)


@samples("E1", *((x, np.int64(k)) for x, k in BEYOND))
def insert_beyond(x, k):
    return np.insert(x, k, 5)


@samples("E1", *((x, np.int64(k)) for x, k in BEYOND))
def delete_several_beyond(x, k):
    return np.delete(x, x + k)


@samples("E1", (X, np.int64(1)), (X, np.int64(2)))
def delete_a_column_beyond(x, k):
    return np.delete(np.ones((2, 3)), k + 50, axis=1)


@samples("E1", (X,), (Y,))
def mask_of_another_length(x):
    return np.delete(x, x[:3] > 2)


class Bag:
    def __init__(self):
        self._items = []

    def add(self, item):
        self._items.append(item)

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)


@samples("E4", *TWO, joined=True)
def iterators_of_them(x):
    bag, total, product = Bag(), 0, 1
    for v in x:
        if v > 0:
            bag.add(v)
    for v in bag:
        total += v
    rest = iter(x[x > 1])
    for v in rest:
        product *= v
        if product > 20:
            break
    return total, product, len(bag)


@samples("E1", (np.int64(3),), (np.int64(5),))
def grids_by_data(n):
    a, b = np.meshgrid(np.arange(n), np.arange(2))
    return a, b, np.broadcast_arrays(np.arange(n) * 0.5, np.zeros((2, 1)))


@samples("E1", (np.int64(3),), (np.int64(0),), (np.int64(1),), (np.int64(-1),))
def powers_by_data(n):
    x = np.array([2.0, 0.5, -1.0])
    return np.vander(x, n), np.vander(x, n, increasing=True), np.vander(x)


test_array = samples.test()


def a_tuple(x):
    found = tuple(x[x > 2])
    return found, len(found)


def test_a_tuple_of_them_is_one_of_open_length():
    check(a_tuple, (X,), (np.zeros_like(X),))


@pytest.mark.parametrize("mode", ["delete", "insert"])
def test_gradients_flow_through_what_is_left(mode):
    def f(x, k):
        y = np.delete(x, k) if mode == "delete" else np.insert(x, k, x[0])
        return (y * np.arange(y.size)).sum()

    found = ag.grad(f)(np.array([2.0, 3.0, 5.0]), np.int64(1))
    assert found.tolist() == ([0, 0, 1] if mode == "delete" else [1, 2, 3])


def test_floats_are_no_positions():
    with pytest.raises(IndexError, match="must be of integer"):
        ag.convert(lambda x: np.delete(x, x * 1.0))(X)


WINDOWS = {
    "hanning": lambda n: np.hanning(n),
    "hamming": lambda n: np.hamming(n),
    "blackman": lambda n: np.blackman(n),
    "bartlett": lambda n: np.bartlett(n),
    "kaiser": lambda n: np.kaiser(n, 14.0),
}
PADDED = {
    "a vector": lambda n: np.pad(np.arange(3.0) * n, n),
    "by two widths": lambda n: np.pad(np.arange(3), (n, n + 1), constant_values=(4, 5)),
    "rows": lambda n: np.pad(np.ones((2, 3)) * n, ((n, 0), (1, 2)), constant_values=2),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_have_as_many_points_as_the_run_tells(name):
    plain = WINDOWS[name]
    function = ag.convert(plain)
    for n in map(np.int64, (5, 0, 1, 2, 8, -1)):
        np.testing.assert_allclose(function(n), plain(n), rtol=1e-13, atol=1e-16, strict=True)
    assert function.trace_count == 1


@pytest.mark.parametrize("name", PADDED)
def test_arrays_are_padded_by_a_width_that_the_run_tells(name):
    plain = PADDED[name]
    function = ag.convert(plain)
    for n in map(np.int64, (4, 0, 1)):
        np.testing.assert_array_equal(function(n), plain(n), strict=True)
    with pytest.raises(ValueError, match="index can't contain negative values"):
        function(np.int64(-1))
    assert function.trace_count == 1


def test_the_gradient_of_what_is_padded_and_other_modes():
    padded = ag.convert(lambda x, n: (np.pad(x * 2, n) ** 2).sum())
    np.testing.assert_array_equal(ag.grad(padded)(np.ones(3), np.int64(2)), np.full(3, 8.0))
    for mode in ("edge", "reflect", "symmetric", "wrap"):
        function = ag.convert(lambda x, n, mode=mode: np.pad(x, n, mode=mode))
        for n in (0, 1, 2):
            x = np.arange(3.0)
            np.testing.assert_array_equal(function(x, np.int64(n)), np.pad(x, n, mode=mode))
        assert function.trace_count == 1


def asked_for_its_truth(x):
    large = x[x > 2]
    if large:
        return 1
    return 0


def asked_in_a_try(x):
    large, count = x[x > 2], 0
    try:
        while large:
            large, count = large - 1, count + 1
    except ValueError as error:
        return str(error)
    return count


@pytest.mark.parametrize("sample", [asked_for_its_truth, asked_in_a_try])
def test_only_an_array_of_one_element_has_a_truth_value(sample):
    """The error of others has NumPy's words, which differ for arrays without elements."""
    check(sample, (X,), (Y,), (Y - 10,), (Y - 1,))
