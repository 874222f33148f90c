"""Running sums and products, next to the plan: the same bits."""

import numpy as np
import pytest

from runtime import ops


@pytest.mark.broad(3)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "?"])
@pytest.mark.parametrize(("shape", "axis"), [
    ((7,), 0), ((300,), None), ((5, 60), 0), ((5, 60), 1), ((3, 4, 5), 1), ((3, 0), 0), ((0,), 0),
])  # fmt: skip
def test_each_element_follows_from_the_one_before(name, dtype, shape, axis, compare):
    x = (np.random.default_rng(3).normal(size=shape) * 3).astype(dtype)
    compare(lambda x: getattr(ops, name)(x, axis=axis), x)


@pytest.mark.broad(3)
@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "?"])
@pytest.mark.parametrize(("shape", "axis"), [
    ((7,), 0), ((5, 60), 0), ((5, 60), 1), ((3, 4, 5), 1), ((3, 0), 0), ((0,), 0),
])  # fmt: skip
def test_running_extremes(name, dtype, shape, axis, compare):
    x = (np.random.default_rng(3).normal(size=shape) * 3).astype(dtype)
    accumulate = getattr(np, name).accumulate
    compare(lambda x: accumulate(x, axis=axis), x)
    if x.size and x.dtype.kind == "f":
        compare(lambda x: accumulate(x, axis=axis), x * 0)  # zeros of both signs
        x.flat[x.size // 2] = np.nan
        compare(lambda x: accumulate(x, axis=axis), x)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize(("shape", "axis"), [((300,), None), ((5, 60), 0), ((5, 60), 1)])
def test_running_sums_of_complex_numbers(dtype, shape, axis, compare):
    x = np.random.default_rng(3).normal(size=(2, *shape))
    compare(lambda x: ops.cumsum(x, axis=axis), (x[0] + 1j * x[1]).astype(dtype))
    compare(lambda x: ops.cumsum(x, axis=axis), np.full(shape, complex(-0.0, -0.0), dtype))


def test_special_values_go_on(compare):
    x = np.array([-0.0, 1.0, np.inf, -np.inf, 2.0] * 5)
    compare(lambda x: ops.cumsum(x), x)
    compare(lambda x: ops.cumsum(x * 2.0), x)
    compare(lambda x: ops.cumprod(x), x)


def many(x):
    """More operations than join a loop in order."""
    for k in range(9):
        x = x * 3 - k
    return x


@pytest.mark.broad(3)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
@pytest.mark.parametrize(
    ("shape", "axis"), [((300,), None), ((5, 60), 0), ((9, 33), 1), ((3, 4, 50), 1)]
)
def test_what_is_around_is_as_it_was(name, dtype, shape, axis, compare):
    x = (np.random.default_rng(4).normal(size=shape) * 3).astype(dtype)
    compare(lambda x: getattr(ops, name)(x * x - 3, axis=axis) * 2 + 1, x)
    compare(lambda x: many(getattr(ops, name)(x + x, axis=axis)) - x, x)
    compare(lambda x: getattr(ops, name)(ops.abs(x[1:]), axis=axis), x)


def test_zeros_keep_their_signs(compare):
    compare(lambda x: ops.cumsum(x * 1.0), np.full(20, -0.0))
    compare(lambda x: ops.cumprod(x * 1.0, axis=1), np.full((3, 20), -0.0))


def test_large_rows_are_done_by_threads(compare):
    x = np.random.default_rng(4).normal(size=(3000, 900))
    compare(lambda x: ops.cumsum(x * 2.0, axis=1) + 1.0, x)
    compare(lambda x: ops.cumsum(x, axis=0), x)
