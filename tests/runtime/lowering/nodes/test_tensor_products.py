"""Products of arrays of any rank, next to NumPy."""

import numpy as np
import pytest

from runtime import ops
from runtime.ops.matrices.einsum import einsum_

TERMS = [
    ("ij,jk->ik", (20, 30), (30, 40)),
    ("ij,jk->ki", (20, 30), (30, 40)),
    ("ji,kj->ik", (30, 20), (40, 30)),
    ("bij,bjk->bik", (3, 20, 30), (3, 30, 5)),
    ("bij,bkj->bki", (3, 20, 30), (3, 5, 30)),
    ("bhqd,bhkd->bhqk", (2, 3, 9, 20), (2, 3, 7, 20)),
    ("bhqk,bkhd->bqhd", (2, 3, 9, 7), (2, 7, 3, 20)),
    ("ijk,kjl->il", (5, 6, 70), (70, 6, 8)),
    ("i,j->ij", (50,), (33,)),
    ("i,i->", (500,), (500,)),
    ("ij,ij->i", (50, 70), (50, 70)),
    ("ij,kl->jl", (9, 8), (7, 33)),  # axes of one operand are summed
    ("ij,jk->ik", (20, 1), (30, 40)),  # an axis of size 1 is stretched
    ("ij,jk->ik", (20, 0), (0, 40)),
    ("ijk,ljk->ilk", (3, 4, 5), (6, 4, 5)),  # the last axis is one of both, and not summed
    ("ijk,kji->i", (3, 4, 5), (5, 4, 3)),
    ("ijk,kji->ki", (3, 4, 5), (5, 4, 3)),
    ("ij,ji->ji", (7, 1), (9, 7)),
]


@pytest.mark.parametrize(("terms", "one", "other"), TERMS)
@pytest.mark.parametrize("dtype", ["f8", "i4"])
def test_letters_name_axes(terms, one, other, dtype, traced, native_of):
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-50, 50, s).astype(dtype) for s in (one, other))
    left, _, result = terms.partition("->")

    def function(x, y):
        return einsum_(x, y, terms=tuple(left.split(",")), result=result)

    (actual,) = native_of(traced(function, x, y))(x, y)
    np.testing.assert_array_equal(actual, np.einsum(terms, x, y), strict=bool(result))


@pytest.mark.parametrize("axes", [1, 2, 0, ([1], [2]), ([2, 0], [0, 1])])
def test_pairs_of_axes_are_summed(axes, traced, native_of):
    x, y = np.arange(4.0 * 5 * 6).reshape(4, 5, 6), np.arange(6.0 * 4 * 5).reshape(6, 4, 5)
    if axes == 2:
        y = y.reshape(5, 6, 4)
    graph = traced(lambda x, y: ops.tensordot(x, y, axes), x, y)
    np.testing.assert_array_equal(native_of(graph)(x, y)[0], np.tensordot(x, y, axes))


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_vectors_lie_along_any_axis(axis, traced, native_of):
    x, y = np.arange(90.0).reshape(3, 5, 6), np.arange(30.0).reshape(5, 6)
    if axis == 0:
        x, y = x.transpose(1, 0, 2).copy(), y
    elif axis == 1:
        x, y = x.transpose(0, 2, 1).copy(), y.T.copy()[None].repeat(3, 0)
    graph = traced(lambda x, y: ops.vecdot(x, y, axis=axis), x, y)
    np.testing.assert_array_equal(native_of(graph)(x, y)[0], np.vecdot(x, y, axis=axis))


@pytest.mark.parametrize("terms", ["ijk->", "ijk->k", "ijk->ki", "ijk->kji"])
@pytest.mark.parametrize("dtype", ["f8", "i4", "?"])
def test_one_array_is_summed(terms, dtype, traced, native_of):
    x = np.arange(60).reshape(3, 4, 5).astype(dtype)
    graph = traced(lambda x: einsum_(x, terms=("ijk",), result=terms[5:]), x)
    np.testing.assert_array_equal(native_of(graph)(x)[0], np.einsum(terms, x))
