"""Which of two equal zeros `maximum`, `minimum`, `clip` and their reductions give: NumPy's."""

import numpy as np
import pytest

import autograph as ag
from runtime import config


def of_pairs(x, y):
    pair = np.maximum(x, y), np.minimum(x, y), np.maximum(x[::2], y[::2]), np.maximum(x[0], y[0])
    number = np.maximum(x, 0.0), np.maximum(0.0, x), np.minimum(x, -0.0), np.maximum(x[0], 0.0)
    return *pair, *number, np.max(np.stack([x, y]), axis=0), max(x[0], y[0]), min(x[0], y[0])


def of_limits(x, y):
    both = np.clip(x, 0.0, 1.0), np.clip(x, -0.0, 1.0), np.clip(x, -1.0, -0.0), x.clip(-1.0, 0.0)
    return *both, np.clip(x, 0.0, None), np.clip(x, None, -0.0), np.clip(x, -1.0, y)


def of_reductions(x, y):
    return np.max(x), np.min(x), x.max(), np.maximum.reduce(y), np.minimum.accumulate(x)


@pytest.mark.parametrize("backend", ["native", "plan"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", [of_pairs, of_limits, of_reductions])
@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_zeros_have_the_sign_that_numpy_gives_them(function, zero, dtype, backend):
    # NumPy reduces what fills no vector in another order, which depends on the machine; so do
    # loops over sizes that are open.
    converted = ag.convert(function, reduce_retracing=False)
    for size in (2, 3, 8, 16) if function is of_reductions else (1, 2, 5, 17, 40):
        x, y = np.full(size, zero, dtype), np.full(size, -zero, dtype)
        x[size // 2 :] = -zero
        with config.backend.using(backend):
            found = converted(x, y)
        for one, other in zip(found, function(x, y), strict=True):
            assert np.array_equal(np.signbit(one), np.signbit(other)), (size, one, other)
