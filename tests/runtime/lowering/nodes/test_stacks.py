"""Gradients of loops: what the loop leaves for them is on stacks in native code."""

import resource

import numpy as np
import pytest

import autograph as ag


def power(x, n):
    y = x
    for _ in range(n):
        y = y * x + 0.5 * y
    return y


def until(x, limit):
    y = x
    while y * y < limit:
        y = 1.5 * y + 0.25 * y * y
    return y


def branching(x, n):
    y = x
    for i in range(n):
        if i % 3 == 0:
            y = y * 0.5
        elif y > 2.0:
            y = y / x
        else:
            y = y * y + x
    return y


def nested(x, n):
    y = x
    for i in range(n):
        z = y
        for _ in range(i):
            z = z * 0.9 + 0.1 * z * x
        y = y + 0.1 * z
    return y


def stopping(x, n):
    y = x
    for _ in range(n):
        y = y * x
        if y > 100.0:
            break
        y = y + 1.0
    return y


def sums(x, n):
    y = x
    for i in range(n):
        y = y / (1.0 + y * y) * x + y[::-1] * 0.1
        if i > 2:
            y = y * y
    return np.sum(y)


def rows(x, n):
    total = 0.0
    for i in range(n):
        total = total + np.sum(x[i] * x[i - 1]) * total + 1.0
    return total


def chained(x, n):
    """The gradient of one loop in another."""
    for _ in range(n):
        x = x - 0.01 * ag.grad(lambda x: power(x / (1.0 + x * x), n))(x)
    return x


def descent(x, n, steps):
    for _ in range(steps):
        x = x - 0.01 * ag.grad(lambda x: power(x / (1.0 + x * x), n))(x)
    return x


def natively(function, *cases):
    """Values and gradients natively and as plans, which are those of one trace; the bits are the same."""
    native, plan = (
        ag.convert(lambda *a: ag.value_and_grad(function)(*a), native=is_native)
        for is_native in (True, False)
    )
    for case in cases:
        for a, e in zip(native(*case), plan(*case), strict=True):
            np.testing.assert_array_max_ulp(a, e, 4)
    assert "plan of NumPy" not in native.explain(), native.explain()
    assert native.trace_count == 1


@pytest.mark.parametrize("function", [power, branching, nested, stopping, chained])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients_of_loops_over_numbers(function, dtype):
    natively(function, *((dtype(1.1), np.int64(n)) for n in (0, 1, 2, 7, 40)))


def test_the_number_of_trips_may_depend_on_the_data():
    natively(until, *((np.float64(1.1), np.float64(limit)) for limit in (0.5, 3.0, 1e6)))


@pytest.mark.parametrize("shape", [(3,), (64,), (10, 30)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_gradients_of_loops_over_arrays(shape, dtype):
    x = np.random.default_rng(3).uniform(-1, 1, shape).astype(dtype)
    natively(sums, *((x, np.int64(n)) for n in (0, 1, 9)))


def test_gradients_of_rows():
    for width in (30, 2):
        natively(rows, (np.random.default_rng(3).uniform(-1, 1, (20, width)), np.int64(20)))


def many(x, n):
    """More elements than are given registers."""
    for k in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        x = x * k
        for _ in range(n):
            x = x + k * x * x - 0.1 * x
    return np.sum(x)


def test_gradients_of_many_loops_over_small_arrays():
    natively(many, (np.linspace(0.1, 0.9, 16), np.int64(3)))


def test_second_derivatives():
    second = ag.convert(lambda x, n: ag.grad(ag.grad(power))(x, n))
    plan = ag.convert(lambda x, n: ag.grad(ag.grad(power))(x, n), native=False)
    for n in (0, 1, 5):
        np.testing.assert_array_equal(second(1.1, np.int64(n)), plan(1.1, np.int64(n)))


def test_memory_of_one_trip_is_used_by_the_next():
    arguments = np.float64(0.9), np.int64(5), np.int64(300_000)
    converted = ag.convert(descent)
    assert "reserve" in converted.get_concrete_function(*arguments).lower("kernels")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert np.isfinite(converted(*arguments))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8192  # KiB


def test_a_stack_of_many_large_values_grows():
    x = np.random.default_rng(3).uniform(0.1, 0.5, 2000)
    natively(lambda x, n: np.sum(power(x, n)), (x, np.int64(300)))
