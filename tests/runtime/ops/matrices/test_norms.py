"""Norms, condition numbers and ranks at their edges; the rest is in the generic suite."""

import itertools

import numpy as np
import pytest

from runtime.ops import linalg
from runtime.ops.declaration.samples import array

X = array((2, 3, 4))


@pytest.mark.parametrize(
    ("ord", "axis"),
    [
        *itertools.product([None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf], [(0, 1), (2, 0)]),
        *itertools.product([None, 0, 1, -1, 2, 2.5, np.inf, -np.inf], [0, -1]),
    ],
)
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_are_numpys(ord, axis, keepdims):
    found = linalg.norm(X, ord, axis, keepdims)
    np.testing.assert_allclose(found.array, np.linalg.norm(X, ord, axis, keepdims), rtol=1e-12)


def test_an_unknown_order_is_refused_as_in_numpy():
    with pytest.raises(ValueError, match="Invalid norm order for matrices"):
        linalg.norm(X[0], 3)
    with pytest.raises(ValueError, match="Improper number of dimensions"):
        linalg.norm(X, 2)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_singular_matrix_has_an_infinite_condition_number():
    for x in (np.zeros((2, 2)), np.diag([1.0, 0.0])):
        assert linalg.cond(x).item() == np.linalg.cond(x) == np.inf


def test_other_condition_numbers_need_an_inverse():
    with pytest.raises(np.linalg.LinAlgError):
        linalg.cond(np.zeros((2, 2)), 1)


@pytest.mark.parametrize(
    "x", [np.zeros((2, 3)), np.ones((3, 3)), np.eye(3, dtype="f4"), X, np.zeros(3), np.ones(3)]
)
def test_ranks_are_numpys(x):
    found, expected = linalg.matrix_rank(x).array, np.linalg.matrix_rank(x)
    np.testing.assert_array_equal(found, expected)
    assert type(found) is type(expected)


def test_a_rank_above_a_given_bound():
    x = np.diag([1.0, 1e-3])
    assert linalg.matrix_rank(x, 1e-2).item() == linalg.matrix_rank(x, rtol=1e-2).item() == 1
