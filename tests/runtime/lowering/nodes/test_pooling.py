"""Pooling as loops: the bits of the plan, whose kernels NumPy computes."""

import itertools

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.execute import plan
from runtime.ops.signals import pooling
from runtime.passes import optimize
from tests.runtime.lowering.conftest import assert_same_bits
from tests.runtime.lowering.windows import CASES, attributes, random


@pytest.mark.broad(2)
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


def test_how_many_there_are_in_a_batch_need_not_be_known(compare):
    sizes, size, *_ = CASES[3]
    how = {"size": size, **attributes(CASES[3])}
    x = random(2, *sizes, 5, dtype="f4")

    def both_ways(x):
        largest = pooling.window_max(x, **how)
        winners = pooling.window_argmax(x, largest, **how)
        picked = pooling.window_pick(x * 2, winners, **how)
        placed = pooling.window_place(picked, winners, shape=sizes, **how)
        spread = pooling.window_spread(pooling.window_sum(x, **how), shape=sizes, **how)
        return largest, placed, spread

    compare(both_ways, x, unknown=0)
    # Of no argument's size, and maybe none at all.
    compare(lambda x, k: ops.sum(both_ways(x[k:])[1]), x, np.int64(1))
    compare(lambda x, k: ops.sum(both_ways(x[k:])[1]), x, np.int64(2))


@pytest.mark.broad(2)
@pytest.mark.parametrize("case", CASES)
def test_no_size_of_pictures_need_be_known(case, native_of):
    sizes, size, *_ = case
    how = {"size": size, **attributes(case)}

    def pooled(x):
        def total(x):
            return ag.sum(pooling.window_max(x, **how) ** 2.0 + pooling.window_sum(x, **how) ** 2.0)

        return pooling.window_max(x, **how), pooling.window_sum(x, **how), ag.grad(total)(x)

    unknown = ag.TensorSpec([*[None] * (len(sizes) + 1), 5], "float32")
    graph = optimize(ag.convert(pooled).get_concrete_function(unknown).graph)
    native = native_of(graph)
    for more in range(3):
        x = random(2, *(n + more for n in sizes), 5, dtype="f4")
        assert_same_bits(native(x), plan.prepare(graph)(x))
    assert native._plan is None and not native.outside


def test_special_values_win_as_in_the_plan(compare):
    how = {"size": (2, 2), "strides": (1, 1), "padding": "same", "dilations": (1, 1)}
    # NumPy itself gives one zero or the other as the larger one.
    values = itertools.cycle([0.0, np.nan, 1.0, -np.inf, np.inf, -1.0])
    x = np.array([next(values) for _ in range(4 * 5 * 3)], "f4").reshape(1, 4, 5, 3)
    (largest,) = compare(lambda x: pooling.window_max(x, **how), x)
    compare(lambda x, m: pooling.window_argmax(x, m, **how), x, largest)
    compare(lambda x: pooling.window_sum(x, **how), x)
