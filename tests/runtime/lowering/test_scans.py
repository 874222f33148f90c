"""Running sums and products, next to the plan: the same bits."""

import numpy as np
import pytest

from runtime import ops


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "?"])
@pytest.mark.parametrize(("shape", "axis"), [
    ((7,), 0), ((300,), None), ((5, 60), 0), ((5, 60), 1), ((3, 4, 5), 1), ((3, 0), 0), ((0,), 0),
])  # fmt: skip
def test_each_element_follows_from_the_one_before(name, dtype, shape, axis, compare):
    x = (np.random.default_rng(3).normal(size=shape) * 3).astype(dtype)
    compare(lambda x: getattr(ops, name)(x, axis=axis), x)


def test_special_values_go_on(compare):
    x = np.array([-0.0, 1.0, np.inf, -np.inf, 2.0] * 5)
    compare(lambda x: ops.cumsum(x), x)
    compare(lambda x: ops.cumsum(x * 2.0), x)
    compare(lambda x: ops.cumprod(x), x)
