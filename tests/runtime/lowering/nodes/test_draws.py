"""Draws next to the plan: the same bits."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.execute import plan
from runtime.ops.declaration.operands import shape_of
from runtime.ops.random import draws

R = ag.random
KEY = np.uint64(0x0123456789ABCDEF)
# A number, and blocks of which the last has a part left over.
SHAPES = [(), (7, 3)]


OF_BITS = {
    **{f"bits {t}": lambda s, k, t=t: R.bits(s, t, key=k) for t in ("u1", "u2", "u4", "u8")},
    **{
        f"{name} {t}": lambda s, k, t=t, name=name: getattr(R, name)(s, dtype=t, key=k)
        for name in ("uniform", "normal", "exponential", "truncated_normal")
        for t in ("f8", "f4")
    },
    "uniform between": lambda s, k: R.uniform(s, -2.0, 3.0, "f4", key=k),
    "normal moved": lambda s, k: R.normal(s, 1.0, 2.0, key=k),
    "far tail": lambda s, k: R.truncated_normal(s, low=3.0, high=9.0, key=k),
    "empty tail": lambda s, k: R.truncated_normal(s, low=40.0, high=41.0, key=k),
    "bernoulli": lambda s, k: R.bernoulli(s, 0.3, key=k),
    "keys": lambda s, k: R.split(k, s) if s else R.fold_in(k, 9),
    "gamma": lambda s, k: R.gamma(s, 2.5, 0.5, key=k),
    "gamma below 1": lambda s, k: R.gamma(s, 0.3, dtype="f4", key=k),
    "poisson": lambda s, k: R.poisson(s, 2.5, key=k),
    "poisson of a large mean": lambda s, k: R.poisson(s, 70.0, "f4", key=k),
    "integers": lambda s, k: R.integers(-3, 10, s, key=k),
    "small integers": lambda s, k: R.integers(0, 6, s, "i2", key=k),
    "powers of two": lambda s, k: R.integers(0, 64, s, key=k),
    "refused often": lambda s, k: R.integers(0, 3 * 2**61, s, key=k),
    "all integers": lambda s, k: R.integers(-(2**63), 2**63, s, key=k),
}


@pytest.mark.parametrize("third", range(3))
def test_draws_have_the_bits_of_the_plan_and_of_eager_code(third, compare):
    made = [(draw, shape) for draw in [*OF_BITS.values()][third::3] for shape in SHAPES]
    found = compare(lambda key: [draw(shape, key) for draw, shape in made], KEY)
    for actual, (draw, shape) in zip(found, made, strict=True):
        assert np.shape(actual) == shape
        np.testing.assert_array_equal(actual, draw(shape, KEY).numpy())


def test_draws_of_nothing_and_of_much_have_the_bits_of_the_plan(compare):
    compare(lambda key: [R.uniform((0, 3), key=key), R.integers(5, shape=(0,), key=key)], KEY)
    compare(lambda key: [R.normal((40_001,), dtype="f4", key=key), R.split(key, 5000)], KEY)


def test_blocks_are_counted_modulo_2_to_the_64(compare):
    counter = np.uint64(2**64 - 2)
    (found,) = compare(
        lambda key, counter: draws.random_bits(key, counter, shape=(9,), dtype=np.dtype("u8")),
        KEY, counter,
    )  # fmt: skip
    np.testing.assert_array_equal(found[4:], R.bits((5,), key=KEY).numpy())


def test_orders_are_those_of_the_plan(compare):
    def orders(x, key):
        yield from (R.permutation(n, key=key) for n in (0, 1, 2, 9, 2000))
        yield from (R.choice(n, (n // 2,), False, key=key) for n in (2, 9))
        yield from (R.permutation(x, key=key), R.choice(x, (4,), key=key), R.choice(9, key=key))

    compare(lambda x, key: list(orders(x, key)), np.arange(30.0).reshape(10, 3), KEY)


def test_sizes_may_be_known_only_in_the_call(compare):
    def draws(x, key):
        shape = shape_of(x)
        kinds = R.uniform(shape, key=key), R.normal(shape, dtype="f4", key=key)
        return [*kinds, R.integers(0, 7, shape, key=key), R.permutation(x, key=key)]

    compare(draws, np.ones((9, 5)), KEY, unknown=True)


def test_probabilities_and_bounds_are_known_only_in_the_call(compare):
    p = np.random.default_rng(1).random((7, 5))
    compare(lambda p, key: R.bernoulli(None, p, key=key), p, KEY)
    compare(lambda p, key: R.bernoulli((4,), p, key=key), np.float32(0.25), KEY)
    means = np.array([0.0, 0.4, 3.0, 9.9, 10.0, 15.5, 1e3, 1e15])
    compare(
        lambda m, key: [R.gamma(None, m + 0.1, key=key), R.poisson(None, m, key=key)], means, KEY
    )
    compare(
        lambda m, key: [R.gamma((9, 8), m, key=key), R.poisson((8,), m, key=key)], means[3], KEY
    )
    for bounds in (np.int64(-5), np.int64(6)), (np.uint64(5), np.uint64(2**64 - 1)):
        dtype = bounds[0].dtype
        compare(
            lambda low, high, key, t=dtype: R.integers(low, high, (9,), t, key=key), *bounds, KEY
        )


@pytest.mark.parametrize("draw", [
    lambda low, high, key: R.integers(low, high, (9,), key=key),
    lambda low, high, key: R.integers(low + 126, high + 126, (9,), "i1", key=key),
    lambda low, high, key: R.bernoulli((3,), high, key=key),
    lambda low, high, key: R.bernoulli(None, ops.stack([low * 0.5, high * 0.5]), key=key),
    lambda low, high, key: R.permutation(low, key=key),
    lambda low, high, key: R.gamma((3,), high, key=key),
    lambda low, high, key: R.poisson(None, ops.stack([high * -1.0, low * 1.0]), key=key),
])  # fmt: skip
def test_errors_are_those_of_the_plan(draw, traced, native_of):
    given = np.int64(-3), np.int64(-4), KEY
    graph = traced(draw, *given)
    with pytest.raises(ValueError) as expected:
        plan.prepare(graph)(*given)
    with pytest.raises(ValueError) as found:
        native_of(graph)(*given)
    assert str(found.value) == str(expected.value)


def test_small_draws_in_loops_stay_in_registers(native_of):
    @ag.convert
    def walk(key, n):
        x, steps = np.zeros(2), 0
        while steps < n:
            x = x + ag.random.uniform((2,), key=ag.random.fold_in(key, steps))
            steps = steps + 1
        return x

    found = walk(KEY, np.int64(5))
    expected = sum(R.uniform((2,), key=R.fold_in(KEY, k)).numpy() for k in range(5))
    np.testing.assert_array_equal(found, expected)
    kernels = walk.get_concrete_function(KEY, np.int64(5)).lower("kernels")
    assert "drawn" not in kernels
