"""Pooling against plain loops: winners, ties, nan, padding."""

from itertools import product

import numpy as np
import pytest

from runtime.ops.signals import pooling
from runtime.ops.signals.windows import Windows

CASES = [
    ((7, 6), (2, 2), (2, 2), "valid", (1, 1)),
    ((7, 6), (3, 2), (1, 2), "same", (1, 1)),
    ((7, 6), (3, 3), (2, 2), ((1, 1), (2, 0)), (1, 1)),
    ((7, 6), (2, 3), (1, 1), "valid", (3, 2)),
    ((5,), (3,), (4,), "same", (1,)),
    ((3, 4, 5), (2, 3, 2), (1, 2, 3), "same", (1, 1, 1)),
]
each = pytest.mark.parametrize(("sizes", "size", "strides", "padding", "dilations"), CASES)


def elements(windows):
    """For each window: its place, and (number, place) of its elements in C order."""
    for place in product(*map(range, windows.counts)):
        found = []
        for number, t in enumerate(product(*map(range, windows.size))):
            at = tuple(
                o * s + k * d - b
                for o, s, k, d, b in zip(
                    place, windows.strides, t, windows.dilations, windows.before, strict=True
                )
            )
            if all(0 <= i < n for i, n in zip(at, windows.shape, strict=True)):
                found.append((number, at))
        yield place, found


def array(*shape, dtype="f8"):
    """Few values, so that windows have ties."""
    return np.random.default_rng(3).integers(-3, 3, shape).astype(dtype)


def run(primitive, *operands, **attrs):
    return primitive(*operands, **attrs).numpy()


@each
def test_max_argmax_and_sum(sizes, size, strides, padding, dilations):
    how = {"size": size, "strides": strides, "padding": padding, "dilations": dilations}
    x = array(2, *sizes, 3)
    largest, total = run(pooling.window_max, x, **how), run(pooling.window_sum, x, **how)
    winners = run(pooling.window_argmax, x, largest, **how)
    for place, found in elements(Windows.over(sizes, size, strides, padding, dilations)):
        at = (slice(None), *place)
        values = np.stack([x[(slice(None), *i)] for _, i in found])
        np.testing.assert_array_equal(largest[at], values.max(0))
        np.testing.assert_array_equal(total[at], values.sum(0))
        numbers = np.array([number for number, _ in found])
        np.testing.assert_array_equal(winners[at], numbers[values.argmax(0)])


@each
def test_adjoints_give_the_same_inner_product(sizes, size, strides, padding, dilations):
    how = {"size": size, "strides": strides, "padding": padding, "dilations": dilations}
    x = np.random.default_rng(5).standard_normal((2, *sizes, 3))
    largest = run(pooling.window_max, x, **how)
    winners = run(pooling.window_argmax, x, largest, **how)
    g = np.random.default_rng(6).standard_normal(largest.shape)
    placed = run(pooling.window_place, g, winners, shape=sizes, **how)
    picked = run(pooling.window_pick, x, winners, **how)
    np.testing.assert_array_equal(picked, largest)
    np.testing.assert_allclose(np.vdot(placed, x), np.vdot(g, picked), rtol=1e-12)
    spread = run(pooling.window_spread, g, shape=sizes, **how)
    total = run(pooling.window_sum, x, **how)
    np.testing.assert_allclose(np.vdot(spread, x), np.vdot(g, total), rtol=1e-11)


LINE = {"size": (2,), "strides": (2,), "padding": "valid", "dilations": (1,)}


def line(*values):
    return np.array(values, "f8").reshape(1, -1, 1)


def test_nan_wins_and_the_first_one_has_the_gradient():
    x = line(1, np.nan, np.nan, np.nan)
    largest = run(pooling.window_max, x, **LINE)
    np.testing.assert_array_equal(largest.ravel(), [np.nan, np.nan])
    assert run(pooling.window_argmax, x, largest, **LINE).ravel().tolist() == [1, 0]


def test_an_infinite_cotangent_reaches_the_winner_alone():
    winners = np.array([1, 0], np.uint8).reshape(1, 2, 1)
    found = run(pooling.window_place, line(np.inf, 2), winners, shape=(4,), **LINE)
    assert found.ravel().tolist() == [0, np.inf, 2, 0]


def test_a_window_of_padding_only_has_no_winner():
    how = {"size": (1,), "strides": (1,), "padding": ((1, 0),), "dilations": (1,)}
    x = line(5)
    largest = run(pooling.window_max, x, **how)
    assert largest.ravel().tolist() == [-np.inf, 5]
    winners = run(pooling.window_argmax, x, largest, **how)
    assert run(pooling.window_pick, x, winners, **how).ravel().tolist() == [0, 5]


def test_windows_of_many_elements_have_larger_numbers():
    how = {"size": (300,), "strides": (300,), "padding": "valid", "dilations": (1,)}
    x = np.arange(600.0).reshape(1, 600, 1)
    largest = run(pooling.window_max, x, **how)
    winners = run(pooling.window_argmax, x, largest, **how)
    assert winners.dtype == np.int32 and winners.ravel().tolist() == [299, 299]


@pytest.mark.parametrize("dtype", ["f2", "f4", "i1", "u1", "i8"])
def test_the_largest_element_keeps_its_dtype(dtype):
    x = np.random.default_rng(1).integers(0, 100, (1, 4, 1)).astype(dtype)
    found = run(pooling.window_max, x, **LINE)
    assert found.dtype == x.dtype
    assert found.ravel().tolist() == x.reshape(2, 2).max(1).tolist()


def test_small_integers_are_summed_in_64_bits():
    found = run(pooling.window_sum, np.full((1, 2, 1), 200, np.uint8), **LINE)
    assert found.dtype == np.uint64 and found.item() == 400


def test_an_array_with_another_number_of_axes_is_refused():
    with pytest.raises(ValueError, match="over 1 axes need .* of 3 axes, not of 2"):
        pooling.window_max(np.zeros((4, 1)), **LINE)
