"""`sum` of Python's floats: the rounding of the Python that runs, bit for bit."""

import math
import random
import sys

import numpy as np
import pytest

import autograph as ag
from autograph.operators.builtins import reductions


def of_generator(x, n, start):
    return sum((float(x[i]) * 0.1 for i in range(n)), start)


def of_growing_list(x, n, start):
    kept = []
    for i in range(n):
        if x[i] == x[i]:
            kept.append(float(x[i]))
    return sum(kept, start)


def of_known_list(x, n, start):
    a, b, c = float(x[0]), float(x[1]), float(x[n - 1])
    return sum([a, True, b, 2, c, 1e16, -1e16], start), sum([0.1] * 10), sum((a, b))


def of_list_of_array(x, n, start):
    return sum(x.tolist(), start), sum([sum(map(float, x)), n])


def of_numpy_numbers(x, n, start):
    return sum(x, start), sum(v * 0.1 for v in x), sum([float(x[0]), x[1], float(x[2])], start)


PROGRAMS = [of_generator, of_growing_list, of_known_list, of_list_of_array, of_numpy_numbers]
STARTS = [0, 0.0, -0.0, 1, -3, 0.1, 1e16, 2**60]


def drawn(rng):
    special = [1e-20, -0.0, 1.0, 1e16, -1e16]
    values = [rng.choice([rng.random(), 1e16 * rng.random(), *special]) for _ in range(8)]
    if rng.random() < 0.3:
        values[rng.randrange(8)] = rng.choice([math.inf, -math.inf, math.nan])
    return np.array(values)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_sum_is_python_s(program):
    rng = random.Random(0)
    for start in STARTS:
        converted = ag.convert(program)
        for _ in range(10):
            x, n = drawn(rng), np.int64(rng.randrange(2, 9))
            with np.errstate(all="ignore"):
                assert repr(converted(x, n, start)) == repr(program(x, n, start)), (x, n, start)
        assert converted.trace_count == 1


def compensated(values, start):
    """What `sum` is from Python 3.12 on, of floats."""
    total, lost = start, 0.0
    for i, x in enumerate(values):
        new = total + x
        if i or isinstance(start, float):
            if abs(total) >= abs(x):
                lost += (total - new) + x
            else:
                lost += (x - new) + total
        total = new
    return total + lost if lost and math.isfinite(lost) else total


@pytest.mark.parametrize("start", STARTS)
def test_what_rounding_took_is_added_from_python_3_12_on(start, monkeypatch):
    monkeypatch.setattr(reductions, "COMPENSATES", True)
    rng = random.Random(1)
    converted, by_list = ag.convert(of_generator), ag.convert(lambda x: sum(x.tolist(), start))
    for _ in range(10):
        x, n = drawn(rng), np.int64(rng.randrange(1, 9))
        with np.errstate(all="ignore"):
            expected = compensated([float(v) * 0.1 for v in x[:n]], start)
            if sys.version_info >= (3, 12):
                assert repr(of_generator(x, n, start)) == repr(expected)
            assert repr(converted(x, n, start)) == repr(expected), (x, n)
            assert repr(by_list(x)) == repr(compensated(x.tolist(), start)), x
    assert converted.trace_count == 1 and by_list.trace_count == 1


@pytest.mark.parametrize("compensates", [False, True])
def test_the_gradient_is_that_of_the_sum(compensates, monkeypatch, tmp_path):
    monkeypatch.setattr(reductions, "COMPENSATES", compensates)

    @ag.convert
    def squares(x, n):
        return sum(float(x[i]) ** 2 for i in range(n))

    x = np.array([0.5, 1e3, -3.0, 0.75])  # whose squares add up without loss
    for n in map(np.int64, (3, 1)):
        expected = np.where(np.arange(4) < n, 2 * x, 0.0)
        assert squares(x, n) == sum(x[:n] ** 2)
        np.testing.assert_array_equal(ag.grad(squares)(x, n), expected)
    assert squares.trace_count == 2  # one of them with the gradient
    ag.save(squares, tmp_path / "squares")
    assert ag.load(tmp_path / "squares")(x, n) == squares(x, n)
