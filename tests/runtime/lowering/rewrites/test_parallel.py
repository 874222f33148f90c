"""What is done by several threads: much work, and arrays that one core's cache does not hold."""

import numpy as np
import pytest

import autograph as ag
from runtime import config


def total(x, y):
    return np.sum((x - y) * x)


def chain(x, y):
    return x * 2 + y


def text(function, *arguments):
    return ag.convert(function).get_concrete_function(*arguments).lower("llvm")


@pytest.mark.parametrize("function", [total, chain])
@pytest.mark.parametrize(("dtype", "size"), [("f4", 300_007), ("f8", 200_000)])
def test_arrays_that_come_from_far_away_are_worth_several_threads(function, dtype, size):
    x, y = np.random.default_rng(0).normal(size=(2, size)).astype(dtype)
    assert "@part0" in text(function, x, y)
    results = []
    for threads in (1, 2, 5):
        with config.threads.using(threads):
            results.append(ag.convert(function)(x, y))
    for result in results:
        np.testing.assert_array_equal(result, ag.convert(function, native=False)(x, y))


@pytest.mark.parametrize("function", [total, chain])
def test_arrays_that_a_core_keeps_are_not(function):
    x = np.ones(100_000, np.float32)
    assert "@part0" not in text(function, x, x)


def test_few_elements_of_a_large_array_are_not():
    x = np.ones(4_000_000, np.float32)
    assert "@part0" not in text(lambda x: x[:50_000] * 2 + x[5], x)
