"""Products of matrices: integers exactly, floats up to the order of the sum."""

import numpy as np
import pytest

from runtime import ops
from runtime.execute.native.prepared import Native
from runtime.lowering.prepare import prepare

SHAPES = [((1, 2), (2, 1)), ((3,), (3,)), ((4, 10), (10, 9)), ((5, 30), (30,)), ((20,), (20, 3)),
          ((3, 40), (40, 5))]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SHAPES)
def test_a_product_of_integers_is_exact(one, other, compare):
    x, y = (
        np.random.default_rng(1).integers(-(2**31), 2**31, s).astype("i4") for s in (one, other)
    )
    compare(ops.matmul, x, y)


@pytest.mark.parametrize(("one", "other"), SHAPES)
def test_a_product_of_floats_is_that_of_numpy(one, other, traced, native_of):
    x, y = (np.random.default_rng(1).normal(size=s) for s in (one, other))
    (actual,) = native_of(traced(ops.matmul, x, y))(x, y)
    np.testing.assert_allclose(actual, x @ y, rtol=1e-13)
    assert type(actual) is type(x @ y)


def test_what_is_added_to_a_product_joins_its_loop(traced, native_of):
    x, y, b = np.ones((4, 8)), np.ones((8, 9)), np.arange(9.0)
    (actual,) = native_of(traced(lambda x, y, b: x @ y + b, x, y, b))(x, y, b)
    np.testing.assert_array_equal(actual, x @ y + b)


def test_a_large_product_is_left_to_blas(traced):
    x = np.ones((64, 64))
    found = prepare(traced(ops.matmul, x, x))
    assert not isinstance(found, Native) and "BLAS" in found.reason
