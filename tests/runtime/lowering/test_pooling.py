"""Pooling as loops: the bits of the plan, whose kernels NumPy computes."""

import itertools

import numpy as np
import pytest

from runtime.ops import pooling

CASES = [
    # sizes, kernel, strides, padding, dilations
    ((12,), (3,), (1,), "valid", (1,)),
    ((13,), (4,), (3,), "same", (1,)),
    ((10, 33), (3, 3), (1, 1), "valid", (1, 1)),
    ((11, 9), (3, 2), (2, 3), "same", (1, 1)),
    ((9, 12), (2, 3), (1, 1), ((2, 0), (1, 3)), (2, 1)),
    ((12, 11), (2, 2), (3, 3), "valid", (1, 1)),  # some elements are in no window
    ((12, 13), (3, 3), (2, 2), "same", (3, 2)),
    ((5, 4, 6), (2, 1, 3), (1, 2, 2), "same", (1, 1, 1)),
]


def random(*shape, dtype="f8", seed=0):
    rng = np.random.default_rng(seed)
    if dtype[0] == "f":
        return rng.normal(size=shape).astype(dtype)
    return rng.integers(-100, 100, shape).astype(dtype)


def attributes(case):
    return dict(zip(("strides", "padding", "dilations"), case[2:], strict=True))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dtype", ["f4", "u1"])
def test_pooling_has_the_bits_of_the_plan(case, dtype, compare):
    sizes, size, *_ = case
    how = {"size": size, **attributes(case)}
    x = random(2, *sizes, 5, dtype=dtype)
    (largest,) = compare(lambda x: pooling.window_max(x, **how), x)
    compare(lambda x: pooling.window_sum(x, **how), x)
    (winners,) = compare(lambda x, m: pooling.window_argmax(x, m, **how), x, largest)
    compare(lambda x, w: pooling.window_pick(x, w, **how), x, winners)
    g = random(*largest.shape, dtype=dtype, seed=3)
    compare(lambda g, w: pooling.window_place(g, w, shape=sizes, **how), g, winners)
    compare(lambda g: pooling.window_spread(g, shape=sizes, **how), g)


def test_special_values_win_as_in_the_plan(compare):
    how = {"size": (2, 2), "strides": (1, 1), "padding": "same", "dilations": (1, 1)}
    # NumPy itself gives one zero or the other as the larger one.
    values = itertools.cycle([0.0, np.nan, 1.0, -np.inf, np.inf, -1.0])
    x = np.array([next(values) for _ in range(4 * 5 * 3)], "f4").reshape(1, 4, 5, 3)
    (largest,) = compare(lambda x: pooling.window_max(x, **how), x)
    compare(lambda x, m: pooling.window_argmax(x, m, **how), x, largest)
    compare(lambda x: pooling.window_sum(x, **how), x)
