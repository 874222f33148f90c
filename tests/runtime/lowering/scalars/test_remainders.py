"""Remainders of floats have NumPy's bits, whatever the quotient is."""

import itertools

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.processor import vector_bytes

FUNCTIONS = {
    "remainder": lambda x, y: x % y,
    "floor_divide": lambda x, y: x // y,
    "fmod": np.fmod,
    "divmod": lambda x, y: np.divmod(x, y)[0],
}
SPECIAL = [0.0, 1.0, 1.5, 3.0, 2.0**53, 2.0**53 + 2, 1e300, 5e-324, 1e-310, 2.0**-900, np.inf]
SPECIAL = [*SPECIAL, *(-x for x in SPECIAL), np.nan]


def pairs(dtype):
    """Special numbers with each other, any bits, and quotients that are nearly whole."""
    rng = np.random.default_rng(0)
    yield np.array([*itertools.product(SPECIAL, SPECIAL)]).T.astype(dtype)
    whole = np.dtype(f"u{np.dtype(dtype).itemsize}")
    yield rng.integers(0, np.iinfo(whole).max, (2, 2000), whole).view(dtype)
    times = rng.integers(1, 10**6, 2000)
    yield np.array([times * 0.1, np.full(2000, 0.1)]).astype(dtype)
    few = rng.uniform(1, 2, (2, 9000)) * 2.0 ** rng.integers((25, -5), (45, 9), (9000, 2)).T
    yield few.astype(dtype)
    yield np.array([np.nextafter(times * 3.0, 0), np.full(2000, -3.0)]).astype(dtype)


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_remainders_have_the_bits_of_numpy(name, dtype):
    function = FUNCTIONS[name]
    staged = ag.convert(function)
    for x, y in pairs(dtype):
        with np.errstate(all="ignore"):
            expected = function(x, y)
            found = staged(x.copy(), y.copy())
            alone = [staged(a, b) for a, b in zip(x[:20], y[:20], strict=True)]
        np.testing.assert_array_equal(found, expected, strict=True)
        known = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(expected[known]))
        np.testing.assert_array_equal(found[:20], alone)


def test_functions_of_c_are_called_for_far_quotients_only():
    x = np.ones(237)
    text = ag.convert(FUNCTIONS["fmod"]).get_concrete_function(x, x).lower("llvm")
    lanes = vector_bytes() // 8
    assert text.count(f"define hidden <{lanes} x double> @far_remainder.f8.v{lanes}(") == 1
    assert text.count("frem") == 2  # of a number, and of a vector
    assert text.count("label %needed") == 2
