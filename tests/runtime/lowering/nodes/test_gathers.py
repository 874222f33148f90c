"""Gathers, and updates at integer arrays, next to the plan."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops

X = np.random.default_rng(3).normal(size=(5, 6, 7))
FEW, MANY = np.array([4, 0, -1]), np.tile(np.array([1, -5, 3, 3], np.int32), 10)
TABLE = np.array([[0, 1], [-2, 3]])


@pytest.mark.broad(2)
@pytest.mark.parametrize(
    "key",
    [
        lambda i: (i,),
        lambda i: (slice(None), i),
        lambda i: (Ellipsis, i),
        lambda i: (i, i),
        lambda i: (i, slice(1, 4), i),
        lambda i: (i, None, 2),
        lambda i: (slice(None, None, -2), i, slice(2, None)),
        lambda i: (0, slice(None), i),
    ],
)
@pytest.mark.parametrize("indices", [FEW, MANY, TABLE, np.zeros(0, np.intp), FEW % 5 + np.uint8(0)])
def test_elements_are_gathered_as_numpy_does(key, indices, compare):
    compare(lambda x, i: ops.getitem(x, key(i)), X, indices)
    compare(lambda x, i: ops.getitem(x * 2.0, key(i)) + 1.0, X, indices)


def test_several_arrays_are_broadcast(compare):
    compare(lambda x, i, j: ops.getitem(x, (i, j)), X, TABLE[:, :1], FEW[None, :2])


@pytest.mark.parametrize("i", [[5, 0], [0, -6], [0] * 30 + [5]])
def test_an_integer_out_of_bounds_raises_what_numpy_raises(i, traced, native_of):
    i = np.array(i)
    wrong = i[(i > 4) | (i < -5)][0]
    message = f"index {wrong} is out of bounds for axis 0 with size 5"
    for function in (
        lambda x, i: ops.getitem(x, i),
        lambda x, i: ops.index_update(x, 1.0, i),
        lambda x, i: ops.index_add(x, 1.0 + x[0], i),
    ):
        with pytest.raises(IndexError, match=message):
            native_of(traced(function, X, i))(X, i)


@pytest.mark.broad(3)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1"])
@pytest.mark.parametrize("indices", [FEW, MANY, TABLE])
@pytest.mark.parametrize("shape", [(5, 6), (5,), (5, 2, 3)])
def test_what_is_written_more_than_once_stays_as_the_last(dtype, indices, shape, compare):
    x = (np.random.default_rng(5).normal(size=shape) * 50).astype(dtype)
    v = np.arange(indices.size * x[0].size).reshape(indices.shape + shape[1:]).astype(dtype)
    compare(lambda x, v, i: ops.index_update(x, v, i), x, v, indices)
    compare(lambda x, v, i: ops.index_update(x * x, v, i) + x, x, v, indices)
    compare(lambda x, i: ops.index_update(x, 3, i), x, indices)


@pytest.mark.broad(3)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1"])
@pytest.mark.parametrize("indices", [FEW, MANY, TABLE])
def test_what_is_added_more_than_once_counts_each_time(dtype, indices, compare):
    x = (np.random.default_rng(5).normal(size=(5, 6)) * 50).astype(dtype)
    v = (np.random.default_rng(6).normal(size=(*indices.shape, 6)) * 50).astype(dtype)
    compare(lambda x, v, i: ops.index_add(x, v, i), x, v, indices)
    compare(lambda x, v, i: ops.index_add(x, v[..., :1], i), x, v, indices)


def test_a_value_that_is_read_from_the_array_is_read_before(compare):
    x = np.arange(40.0)
    compare(lambda x, i: ops.index_update(x, x[:20], i), x, np.arange(20) + 1)
    compare(lambda x: ops.index_update(x, x[:20], slice(1, 21)), x)


def test_sizes_that_are_not_known(compare):
    compare(lambda x, i: ops.getitem(x, i) * 2.0, X, MANY, unknown=True)
    compare(lambda x, i: ops.index_add(x, x[0], i), X, MANY, unknown=True)


def test_a_table_is_followed_in_a_loop():
    def follow(table, i, n):
        for _ in range(n):
            i = table[i]
        return i

    table, start = np.random.default_rng(7).permutation(30), np.arange(20)
    converted = ag.convert(follow)
    np.testing.assert_array_equal(converted(table, start, np.int64(13)), follow(table, start, 13))
    assert "plan" not in converted.explain()
