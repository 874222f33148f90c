"""Tests of `benchmarks.ops`."""

import numpy as np
import pytest

import autograph as ag
from benchmarks.ops import EAGER, LENGTH, OPERATIONS, calls_of, eager_times


@pytest.mark.parametrize("name", OPERATIONS)
def test_candidates_compute_the_same(name):
    calls = calls_of(OPERATIONS[name], {})
    expected = calls["numpy"]()
    assert np.array_equal(calls["ours, eager"](), expected)
    assert expected.shape == OPERATIONS[name].start.shape


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_graph_applies_the_operation_so_often(name):
    operation = OPERATIONS[name]
    calls = calls_of(operation, {})
    expected = operation.start
    for _ in range(LENGTH):
        expected = operation.apply(np, expected) if name != "sum(x, axis=1)" else expected
    assert np.array_equal(calls["ours, plan"](), expected)
    assert np.array_equal(calls["ours, native"](), expected)


@pytest.mark.parametrize("name", EAGER)
def test_eager_operations_are_those_of_numpy(name):
    ours, numpys, start = EAGER[name]
    expected = numpys(start.copy())
    assert np.array_equal(np.asarray(ours(ag.constant(start))), expected)


def test_eager_operations_are_timed():
    assert all(ours > 0 and numpys > 0 for ours, numpys in eager_times(1, 1e-6).values())
