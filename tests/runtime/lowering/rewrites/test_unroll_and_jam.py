"""Rows side by side: each step of a few rows before the next one."""

import re

import numpy as np
import pytest

from runtime import ops
from runtime.lowering.kernels.show import text
from runtime.lowering.lower import lower

RNG = np.random.default_rng(0)


def scaled(x):
    """Steps of a row that hand on an extreme and a sum."""
    y = x - ops.max(x, axis=-1, keepdims=True)
    return y / ops.sum(y * y, axis=-1, keepdims=True)


def normal(x):
    y = x - ops.mean(x, axis=-1, keepdims=True)
    return y / ops.sqrt(ops.mean(y * y, axis=-1, keepdims=True) + 1e-5)


def two_results(x):
    least = ops.min(x, axis=-1, keepdims=True)
    return x - least, ops.sum(x * least, axis=-1)


def with_another(x):
    """Rows of another array, and one that all rows share."""
    y = x * x[:, ::-1] + x[3]
    return y / ops.sum(y, axis=-1, keepdims=True), ops.max(y, axis=-1)


FUNCTIONS = [scaled, normal, two_results, with_another]


def side_by_side(graph):
    """How many rows are done side by side in each loop over groups of them."""
    found = text(lower(graph))
    counts = re.findall(r"for each [\w.]*group < \d+:\n(?: +allocate .*\n)*"
                        r" +for each [\w.]+ < (\d+):", found)  # fmt: skip
    return [int(n) for n in counts]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(32, 30), (20, 3), (14, 17)])
def test_the_bits_are_those_of_the_plan(function, shape, dtype, compare, traced):
    x = (RNG.random(shape) + 0.5).astype(dtype)
    compare(function, x)
    x[3, 2], x[5, 1] = np.nan, np.inf
    compare(function, x)


@pytest.mark.parametrize(("rows", "expected"), [(1680, 16), (30, 15), (28, 14), (14, 7), (8, 4)])
def test_rows_are_done_side_by_side(rows, expected, traced):
    assert side_by_side(traced(scaled, np.ones((rows, 30)))) == [expected]


@pytest.mark.parametrize("shape", [(31, 30), (7, 30), (4, 30), (64, 65), (64, 1000)])
def test_long_rows_and_few_are_not(shape, traced, compare):
    assert side_by_side(traced(scaled, np.ones(shape))) == []
    compare(scaled, RNG.random(shape))


def test_rows_of_a_size_that_is_not_known_are_not(traced, compare):
    assert side_by_side(traced(scaled, np.ones((32, 30)), unknown=True)) == []
    compare(scaled, RNG.random((32, 30)), unknown=True)


def test_rows_that_depend_on_those_before_stay_in_order(compare):
    compare(lambda x: ops.cumsum(scaled(x), axis=0), RNG.random((32, 30)))


def test_large_rows_are_done_in_parts(compare, traced):
    """Each part has groups of its own, in memory of its own."""
    x = RNG.random((20_000, 24)).astype("f4")
    assert side_by_side(traced(scaled, x)) == [16]
    compare(scaled, x)
