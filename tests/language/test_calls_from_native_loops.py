"""Effects, and what has no native form, in loops and branches: native code calls Python for them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, observe

samples = Samples()
F, I = np.float64, np.int64


def A(*values, dtype=np.float64):
    return np.array(values, dtype=dtype)


X, Y = np.linspace(-1.0, 2.0, 20), np.cos(np.arange(20.0))
M = np.arange(9.0).reshape(3, 3) + np.eye(3) * 7


@samples("", (X, I(30)), (Y, I(25)))
def searched(x, n):
    x, found = np.sort(x), 0
    while n > 0:
        found += np.searchsorted(x, n / 13)
        if n % 7 == 0:
            print(n, found, x[found % 20])
        n -= 1
    return found


@samples("", (M, I(20)), (M * 2, I(18)))
def solved(m, n):
    b = np.ones(3)
    while n > 0:
        b = np.linalg.solve(m, b + n)
        q, r = np.linalg.qr(m * n)
        b = b + r.diagonal() / 100 + q[0]
        n -= 1
    return b, np.linalg.det(m)


@samples("", (X, I(20)), (Y, I(18)))
def branches_that_sort(x, n):
    y = x
    while n > 0:
        if n % 3 == 0:
            y = np.sort(y)
        elif n % 3 == 1:
            y = y[::-1] + x
        else:
            print(n, y[:2])
        n -= 1
    return y


@samples("", (A(), I(20)), (A(), I(17)))
def nothing_to_sort(x, n):
    while n > 0:
        x = np.sort(x * n)
        if n == 18:
            print(x, x.shape)
        n -= 1
    return x


def told(k, x):
    """Another function that prints, and fails."""
    if x > 3:
        print("large", k, x)
    return 1 / (5 - k // 4) if k % 2 else x


@samples("", (X, 1.0), (Y, 4.0))
def functions_that_print(x, scale):
    total = 0.0
    for k in range(len(x)):
        total += told(k, x[k] * scale)
    return total


@samples("", (A(*range(20)), I(5)), (A(*range(20)), I(50)))
def errors_in_the_middle(x, n):
    k, total = 0, 0
    while k < n:
        print("at", k, total)
        total = total + int(x[k]) * 2**30
        k += 1
    return total


@samples("", (I(3),), (I(5),))
def python_numbers(n):
    k, total = 1, 1
    while k < n:
        total = total * math.comb(40, k)
        k += 1
        print(k, total, total / k, k % 2 == 0)
    return total


@samples("", (A(3, 1, 2, dtype=np.int8), I(20)), (A(3, 1, -2, dtype=np.int8), I(19)))
def kinds_of_elements(x, n):
    flags = x > 1
    while n > 0:
        order = np.argsort(x)
        x = np.sort(x)[::-1] + order.astype(np.int8)
        flags = np.isin(x, order) | flags
        small = np.median(x.astype(np.float32))
        print(x, flags, small, order[0], x[0], n > 3, sep="; ")
        n -= 1
    return x, flags


@samples("", (X, I(20)), (X, I(40)))
def written_and_printed(x, n):
    k = 0
    while k < n:
        x[k] = k
        if k > 17:
            print("written", x[k], x.sum())
        k += 1
    return k


@samples("", (X, I(17)), (X, I(40)))
def two_arrays_are_written(x, n):
    y = np.zeros((2, 20))
    for k in range(n):
        y[k % 2] += np.sort(x)
        x[k] = y[k % 2, k] / 8
        print(k, x[k], y[:, 0])
    return y


@samples("", (M, I(30)), (-M, I(30)))
def conditions_of_loops(m, n):
    while n > 0 and np.linalg.det(m / n) < 2000:
        n -= 1
    else:
        print("left at", n)
    return n


@samples("", (X, F(0.5)), (Y, F(-0.5)))
def rows_and_breaks(x, limit):
    best = x[0]
    for k, value in enumerate(x):
        if value < -limit:
            continue
        if np.percentile(x[:10], 50) * k > 7:
            print("stop", k, value)
            break
        best = max(best, value)
    else:
        print("no stop")
    return best


@samples("", (X, I(30)), (Y, I(31)))
def raised_with_text(x, n):
    while n > 0:
        n -= 1
        low = np.sort(x - n)[0]
        if low < -25 and n < 29:
            raise ValueError(f"too low: {low} at {n}, {x[:2]}")
        print(f"{n:3d}: {low:8.3f}")
    return n


@samples("", (X, I(6)), (Y, I(5)))
def loops_in_loops(x, n):
    grid = np.zeros((6, 6))
    for i in range(n):
        for j in range(n):
            row = np.sort(x[j : j + 3])
            grid[i, j] = row[i % 3] - row[0]
            if grid[i, j] > 0.25:
                print(i, j, grid[i, j])
        total = grid.sum()
        while total > 1:
            total = total / 2
            print("half", total)
    return grid


@samples("", (X, I(20)), (Y, I(30)))
def plain_python_with_numbers(x, n):
    total = 0.0
    for k in range(n):
        total = total + ag.py_call(math.hypot, x[k % 20] * k, 2, result=float)
        if k == 25:
            total = total / (k - 25)
    return total


@samples("", (np.sin(np.arange(60.0)).reshape(20, 3), I(20)), (np.ones((20, 3)), I(30)))
def functions_of_numpy_with_rows(x, n):
    total, last = 0.0, x[0] * 0
    for k in range(n):
        total = total + ag.py_call(np.median, x[k], result=F)
        last = ag.py_call(np.convolve, last, x[k], "same", result=ag.TensorSpec([3], F)) + k
    return total, last


test_samples = samples.test()


@pytest.mark.parametrize("unknown", [(None, 3), (2, None), (None, None)])
def test_sizes_that_are_not_known(unknown):
    @ag.convert(
        input_signature=[ag.TensorSpec(unknown, "float64"), ag.TensorSpec([None], "float64")]
    )
    def sample(x, y):
        k = 0
        while k < len(y):
            y = np.sort(y)[::-1] + x[0, 0]
            x = np.sort(x, axis=1) + np.median(x, axis=0)
            k += 1
        print(x.shape, y.shape)
        return x, y

    for shape in ((2, 3), (2, 3), (2, 1), (1, 3)):
        if all(n in (None, m) for n, m in zip(unknown, shape, strict=True)):
            x, y = np.random.default_rng(1).normal(size=shape), np.arange(5.0)
            for one, other in zip(sample(x, y), sample.python_function(x, y), strict=True):
                np.testing.assert_array_equal(one, other)


def test_a_function_that_calls_itself_by_way_of_plain_python():
    def deeper(n):
        return float(sample(np.int64(n - 1)))

    def plain(n):
        total, k = 0.0, 0
        while k < 20:
            if k == 7 and n > 0:
                total = total + ag.py_call(deeper, n, result=float)
            total = total + k
            k += 1
        return total

    sample = ag.convert(plain)
    assert sample(np.int64(10)) == 11 * 190.0
    with pytest.raises(RecursionError):
        sample(np.int64(10**6))
    assert sample(np.int64(10)) == 11 * 190.0
    assert "native code calls Python" in sample.explain()


def test_numbers_that_a_generator_draws():
    def sample(rng, x, n):
        high, k = x[0], 0
        while k < n:
            row = rng.uniform(size=4) + rng.zipf(3.0)
            high = max(high, row[k % 4])
            k += 1
        return high

    function = ag.convert(sample)
    for seed in (1, 2):
        one, other = np.random.default_rng(seed), np.random.default_rng(seed)
        assert function(one, X, I(30)) == sample(other, X, I(30))
        assert one.random() == other.random()
    assert "calls Python for `draw_from_generator`" in function.explain()
    assert not function.traces()[-1].execution


# What has no native form, outside of loops, is left to the plan.
IN_PARTS = {"searched", "solved"}


def test_these_are_native_code():
    for sample, (case, *_), _ in (row.values for row in samples.rows):
        function = ag.convert(sample)
        observe(function, case)
        assert "native code calls Python for" in function.explain(), sample.__name__
        is_whole = not function.traces()[-1].execution
        assert is_whole == (sample.__name__ not in IN_PARTS), function.explain()
