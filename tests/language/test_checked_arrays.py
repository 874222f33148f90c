"""Functions of NumPy that look at shapes or values only, and `einsum` with lists for letters."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples

samples = Samples()


def A(*shape):
    return np.arange(np.prod(shape), dtype=float).reshape(shape) % 5 + 0.5


@samples("E1", (A(3),), (np.array([1.0, np.inf]),), (np.array([np.nan]),), (np.arange(3),))
def finite_arrays_are_told(x):
    y = np.asarray_chkfinite(x)
    return y is x, np.asarray_chkfinite(x, dtype=np.float32) * 2


@samples("E1", (np.array([1.0, -np.inf]),), (A(2),))
def what_is_not_finite_is_caught(x):
    try:
        return np.asarray_chkfinite(x).sum()
    except ValueError as error:
        print(error)
        return x[0]


@samples("E1", (A(3, 4), A(4, 2)))
def letters_may_be_numbers(x, y):
    return (
        np.einsum(x, [0, 1], y, [1, 2], [0, 2]),
        np.einsum(x, [0, 1], y, [1, 2]),
        np.einsum(x, [30, 1], y, [1, 2]),
        np.einsum(x, [..., 0], [...]),
        np.einsum(x, [5, 2]),
    )


def test_gradients_of_letters_that_are_numbers():
    f = ag.convert(lambda x, y: np.einsum(x, [0, 1], y, [1, 2], []))
    found = ag.grad(f)(A(3, 4), A(4, 2))
    np.testing.assert_allclose(found, np.broadcast_to(A(4, 2).sum(1), (3, 4)))


def test_a_number_beyond_the_letters_raises():
    with pytest.raises(ValueError, match="valid range"):
        ag.convert(lambda x: np.einsum(x, [0, 77]))(A(3, 3))


@samples("E1", (A(3, 4), A(4, 2)))
def the_order_of_products(x, y):
    return x[0, 0], np.einsum_path("ij,jk->ik", x * 2, y), np.einsum_path("ij,jk->ik", x, y + 1)[0]
