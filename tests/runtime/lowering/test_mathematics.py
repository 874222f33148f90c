"""Elementary functions next to the same in extended precision, over all numbers."""

import numpy as np
import pytest

from runtime import ops

# x87's 64 bits of mantissa, or IEEE's 113, next to the 53 of a double.
HAS_EXTENDED = np.finfo(np.longdouble).nmant > 60


def samples(dtype):
    """Numbers of all sizes: any pattern of bits, and those that programs compute with."""
    rng, limits, count = np.random.default_rng(5), np.finfo(dtype), 50_000
    unsigned = f"u{np.dtype(dtype).itemsize}"
    anything = rng.integers(0, np.iinfo(unsigned).max, count, unsigned).view(dtype)
    wide = 120 if dtype == "f4" else 800
    edges = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.625, -0.625, limits.max, -limits.max]
    edges += [limits.tiny, -limits.tiny, limits.smallest_subnormal, -limits.smallest_subnormal]
    parts = [
        anything,
        rng.normal(size=count),
        rng.normal(size=count) * 20,
        rng.uniform(-wide, wide, count),
        1 + rng.normal(size=count) * 1e-3,
        rng.normal(size=count) * 1e-5,
        edges,
    ]
    return np.concatenate([np.asarray(part, dtype) for part in parts])


@pytest.mark.skipif(not HAS_EXTENDED, reason="no numbers here that are more exact than float64")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sqrt"])
def test_a_function_is_within_two_units_in_the_last_place(name, dtype, traced, native_of):
    x = samples(dtype)
    (actual,) = native_of(traced(getattr(ops, name), x))(x)
    exact = getattr(np, name)(x.astype(np.longdouble))
    rounded = exact.astype(dtype)
    is_special = ~np.isfinite(rounded)
    np.testing.assert_array_equal(actual[is_special], rounded[is_special])
    is_zero = rounded == 0
    assert np.array_equal(np.signbit(actual[is_zero]), np.signbit(rounded[is_zero]))
    unit = np.spacing(np.abs(rounded[~is_special])).astype(np.longdouble)
    errors = np.abs(actual[~is_special].astype(np.longdouble) - exact[~is_special]) / unit
    assert errors.max() < 2


@pytest.mark.skipif(not HAS_EXTENDED, reason="no numbers here that are more exact than float64")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("exponent", [0.5, -1.0, -2.0, 1.0, 2.0, 3.0, 4.0])
def test_a_power_of_few_products_is_within_two_units(exponent, dtype, traced, native_of):
    x = samples(dtype)
    (actual,) = native_of(traced(lambda t: ops.pow(t, exponent), x))(x)
    rounded, exact = x**exponent, x.astype(np.longdouble) ** exponent
    is_special = ~np.isfinite(rounded)
    np.testing.assert_array_equal(actual[is_special], rounded[is_special])
    is_zero = rounded == 0
    assert np.array_equal(np.signbit(actual[is_zero]), np.signbit(rounded[is_zero]))
    unit = np.spacing(np.abs(rounded)).astype(np.longdouble)
    inside = ~is_special & np.isfinite(unit)
    errors = np.abs(actual[inside].astype(np.longdouble) - exact[inside]) / unit[inside]
    assert errors.max() < 2
