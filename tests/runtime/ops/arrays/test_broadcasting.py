"""Broadcasting and its transpose; the rest is in the generic suite."""

import numpy as np
import pytest

from runtime import ops
from runtime.ops.arrays.broadcasting import broadcast_shape, sum_to
from runtime.tensor import Tensor

PAIRS = [((3, 1), (4,)), ((2, 3), ()), ((0, 1), (1, 5)), ((2, 1, 3), (4, 1))]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_the_common_shape_is_numpys(a, b):
    assert broadcast_shape(np.zeros(a), np.zeros(b)) == np.broadcast_shapes(a, b)
    one, other = ops.broadcast_arrays(np.zeros(a), np.ones(b))
    assert one.shape == other.shape == np.broadcast_shapes(a, b)


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_summing_back_is_the_transpose_of_broadcasting(a, b):
    whole = np.broadcast_shapes(a, b)
    x, g = np.random.default_rng(1).normal(size=a), np.random.default_rng(2).normal(size=whole)
    left = np.sum(np.broadcast_to(x, whole) * g)
    back = sum_to(Tensor(g), a)
    assert back.shape == a
    np.testing.assert_allclose(left, np.sum(x * back.array))


def test_a_shape_may_be_known_at_run_time_only(run_graph, unknown, assert_same):
    def function(x, y):
        return sum_to(ops.broadcast_to(x, y.shape), x.shape)

    x, y = np.arange(3.0), np.zeros((4, 3))
    assert_same(run_graph(function, x, y, types=unknown(x, y))[0], 4 * x)


def test_what_was_repeated_is_read_only():
    with pytest.raises(ValueError, match="read-only"):
        ops.broadcast_to(Tensor(np.zeros(3)), (2, 3))[0, 0] = 1.0


def test_shapes_that_do_not_fit_are_shown():
    with pytest.raises(ValueError, match=r"\(2,3\).*\(2,\)"):
        ops.broadcast_arrays(np.zeros((2, 3)), np.zeros(2))
    with pytest.raises(ValueError, match="broadcast"):
        ops.broadcast_to(np.zeros((2, 3)), (3, 2))
