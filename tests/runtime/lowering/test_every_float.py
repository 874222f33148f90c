"""Elementary functions over all float32, and over ten million float64, next to more exact ones."""

import numpy as np
import pytest

from runtime.ops.declaration.declare import REGISTRY
from tests.runtime.lowering.scalars.test_mathematics import ONE, exactly, needs_extended

COMPOSED = ["erf", "sigmoid", "softplus"]
# Ends of the ranges where functions are computed in different ways, and their neighbours.
BORDERS = [0.0, 2.0**-1074, 2.0**-1022, 0.3465735902799727, 0.41421356237309503, 0.46875, 0.5]
BORDERS += [0.625, np.sqrt(0.5), np.pi / 4, 1.0, np.pi / 2, 2.0, 4.0, 2.0**53, np.finfo("f8").max]
BORDERS += [36.7368, 708.39, 709.782712893384, 710.4758600739439, 745.1332191019411, 1023.0, 1074.0]


# ---- errors --------------------------------------------------------------------------------------


def largest_error(actual, exact):
    """(units in the last place, where) of the worst of all, special values counted as wrong."""
    rounded = exact.astype(actual.dtype)
    integer = f"i{actual.itemsize}"
    (where,) = np.nonzero(actual.view(integer) != rounded.view(integer))
    if not where.size:
        return 0.5, None
    actual, rounded, exact = actual[where], rounded[where], exact[where]
    both_nan = np.isnan(actual) & np.isnan(rounded)
    is_finite = np.isfinite(actual) & np.isfinite(rounded)
    keeps_sign = np.signbit(actual) == np.signbit(rounded)
    largest = np.nextafter(np.finfo(actual.dtype).max, 0)
    unit = np.spacing(
        np.minimum(np.abs(rounded), largest, where=is_finite, out=np.ones_like(actual))
    )
    errors = np.abs(actual.astype(exact.dtype) - exact) / unit.astype(exact.dtype)
    errors = np.where(is_finite & keeps_sign, errors, np.inf)
    errors[both_nan] = 0
    worst = np.argmax(errors)
    return max(0.5, float(errors[worst])), int(where[worst])


def largest_of_all_floats(function, exact, size=2**22):
    """The worst of all float32: its error in units, and the number."""
    found = (0.5, 0.0)
    for start in range(0, 2**32, size):
        x = np.arange(start, start + size, dtype=np.uint64).astype(np.uint32).view(np.float32)
        with np.errstate(all="ignore"):
            error, where = largest_error(function(x), exact(x.astype(np.float64)))
        if error > found[0]:
            found = error, float(x[where])
    return found


def many_doubles(count, seed):
    """Doubles of all sizes, and of those that programs compute with."""
    rng = np.random.default_rng(seed)
    part = count // 5
    borders = np.array(BORDERS)
    near = np.concatenate([np.nextafter(borders, k * np.inf) for k in (-1, 1)] + [borders])
    parts = [
        rng.integers(0, 2**64, part, np.uint64).view(np.float64),
        rng.normal(size=part) * np.exp2(rng.integers(-40, 12, part)),
        rng.uniform(-40, 40, part),
        rng.uniform(-750, 750, part),
        1 + rng.normal(size=part) * np.exp2(rng.integers(-52, 0, part)),
        [np.inf, -np.inf, np.nan, *near, *-near],
    ]
    return np.concatenate(parts)


# ---- tests ---------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("name", [*ONE, *COMPOSED])
def test_a_function_of_every_float32_is_within_two_units(name, traced, native_of, capsys):
    run = native_of(traced(REGISTRY[name], np.empty(2**22, np.float32)))
    error, where = largest_of_all_floats(lambda x: run(x)[0], exactly(name))
    with capsys.disabled():
        print(f"\n{name} of float32: {error:.3f} units at {where!r}")  # noqa: T201
    assert error <= 2


@needs_extended
@pytest.mark.long
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [*ONE, *COMPOSED])
def test_a_function_of_ten_million_float64_is_within_two_units(name, traced, native_of, capsys):
    worst, at = 0.5, None
    for seed in range(100):
        x = many_doubles(100_000, seed)
        run = native_of(traced(REGISTRY[name], x))
        error, where = largest_error(run(x)[0], exactly(name)(x.astype(np.longdouble)))
        if error > worst:
            worst, at = error, float(x[where])
    with capsys.disabled():
        print(f"\n{name} of float64: {worst:.3f} units at {at!r}")  # noqa: T201
    assert worst <= 2


def test_errors_are_counted_in_units_of_the_exact_value():
    exact = np.array([1.0, 2.0, 0.0, np.inf, np.nan])
    assert largest_error(exact.astype("f4"), exact) == (0.5, None)
    off = exact.astype("f4")
    off[1] += 3 * np.spacing(off[1])
    assert largest_error(off, exact) == (3.0, 1)
    for place, wrong in ((2, -0.0), (3, np.finfo("f4").max), (4, 1.0), (0, np.nan)):
        off = exact.astype("f4")
        off[place] = wrong
        assert largest_error(off, exact) == (np.inf, place)
