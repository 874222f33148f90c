"""Tests of `runtime.eager`."""

import numpy as np
import pytest

from runtime import eager, ops
from runtime.building import trace_function
from runtime.errors import LeakedTensorError
from runtime.ops.declaration.declare import REGISTRY
from runtime.spec import type_of_number
from runtime.tensor import Tensor


def test_python_numbers_give_a_python_number():
    result = ops.add(2, 3)
    assert type(result.array) is int and result.type.weak


def test_python_ints_are_checked_to_64_bits():
    with pytest.raises(OverflowError, match="`multiply` of Python ints gives"):
        ops.multiply(2**62, 4)


def test_a_number_beside_a_numpy_scalar_is_not_alone():
    assert type(ops.add(np.float32(1), 2.0).array) is np.float32


def test_results_of_rank_0_are_numpy_scalars():
    assert type(ops.sum(np.ones(3)).array) is np.float64


def test_an_op_of_several_results_gives_a_tuple():
    quotient, rest = ops.divmod(np.array([7]), 2)
    assert quotient.array.tolist() == [3] and rest.array.tolist() == [1]


def test_a_result_is_never_the_memory_of_a_callers_array():
    x = np.ones(3)
    assert ops.reshape(x, (3,)).array is not x


def test_a_traced_tensor_is_refused_after_its_trace():
    _, (leaked,), _ = trace_function(lambda x: x, [type_of_number(1.0)])
    with pytest.raises(LeakedTensorError, match="after the trace has ended"):
        ops.add(leaked, 1.0)


def test_lists_are_arrays():
    assert eager.raw([1, 2]).dtype == np.int64
    assert eager.raw(Tensor(1.5)) == 1.5


def test_a_kernel_is_given_numpy():
    assert eager.compute(REGISTRY["sin"].op, [np.float64(0)], {}) == 0.0
