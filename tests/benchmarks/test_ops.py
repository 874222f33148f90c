"""Tests of `benchmarks.ops`."""

import numpy as np
import pytest

from benchmarks.ops import LENGTH, OPERATIONS, calls_of


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
