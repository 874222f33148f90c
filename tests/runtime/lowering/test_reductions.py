"""Reductions have NumPy's bits: sums are made in the same order."""

import numpy as np
import pytest

from runtime import ops

SIZES = [0, 1, 7, 8, 9, 16, 17, 100, 127, 128, 129, 136, 1000, 1023, 4097]
# Before 2.3, NumPy added up more elements than these in pieces.
SIZES += [100_003, 3_000_017] if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else [8192]


def array(shape, dtype="f4"):
    return np.random.default_rng(9).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", SIZES)
def test_a_sum_has_the_bits_of_numpys(size, dtype, compare):
    compare(ops.sum, array(size, dtype))


def test_a_sum_of_what_is_computed_has_them_too(compare):
    compare(lambda x, y: ops.mean((x - y) * (x - y)), array(10_007), array(10_007)[::-1].copy())


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (1, 2), (0, 2), None])
@pytest.mark.parametrize("shape", [(2, 2, 3), (4, 5, 130), (3, 1, 9), (6, 40, 1)])
@pytest.mark.parametrize("op", [ops.sum, ops.mean, ops.max, ops.min])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes_are_reduced_as_numpy_reduces_them(op, shape, axis, keepdims, compare):
    if op in (ops.sum, ops.mean) and axis == (0, 2) and 1 not in shape:
        return  # rows of sums: NumPy goes over them in an order of its own
    compare(lambda x: op(x, axis=axis, keepdims=keepdims), array(shape, "f8"))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8"])
@pytest.mark.parametrize("op", [ops.sum, ops.mean, ops.any, ops.all, ops.max, ops.min])
def test_integers_and_bools_are_reduced_exactly(op, dtype, compare):
    x = np.arange(60).reshape(3, 20) % 3
    compare(op, x.astype(dtype))
    compare(lambda x: op(x, axis=0), x.astype(dtype))


@pytest.mark.parametrize("op", [ops.max, ops.min])
def test_a_nan_is_the_result_wherever_it_stands(op, compare):
    for position in (0, 20, 39):
        x = array(40)
        x[position] = np.nan
        compare(op, x)


def test_rows_of_unknown_number_and_length_are_summed(compare):
    compare(lambda x: ops.sum(x * 2.0, axis=1), array((7, 300)), unknown=True)
