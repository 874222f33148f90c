"""Loops over whole arrays, piece by piece and in place, give what plans give."""

import numpy as np
import pytest

import autograph as ag


def kernels(sample, *arguments):
    return ag.convert(sample).get_concrete_function(*arguments).lower("kernels")


def masked(x, n):
    y, count = x * 1, np.zeros(x.shape, np.int32)
    for i in range(n):
        inside = y * y < 4
        count = count + inside * (i + 1)
        y = np.where(inside, y * y + x, y)
    return count, y


def exchanging(x, n):
    y = x + 1
    for _ in range(n):
        x, y = y, x * 0.5
    return x, y


def neighbours(x, n):
    for _ in range(n):
        x = (x + x[::-1]) * 0.5
    return x


def with_a_sum(x, n):
    total = 0.0
    for _ in range(n):
        x = x * 0.5
        total = total + np.sum(x)
    return x, total


def until(x, n):
    i = 0
    while i < n and i * i < 40:
        x = x * 1.5 - 1
        i = i + 2
    return x, i


def failing(x, n):
    k = 1
    for _ in range(n):
        x = x * 0.5
        k = k * 4_000_000
    return x, k


def kept(x, n):
    first = x * 2
    y = first
    for _ in range(n):
        y = y * 0.5 + 1
    return y, first


def nested(x, n):
    for i in range(n):
        for _ in range(i):
            x = x * 0.5 + i
    return x


SIZES = [1, 30, 2048, 4095, 4096, 4097, 10_000]


@pytest.mark.broad(3)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize(
    "sample", [masked, exchanging, neighbours, with_a_sum, until, kept, nested]
)
def test_all_rounds_for_some_elements_are_all_rounds_for_all(sample, n, size):
    x = np.random.default_rng(3).uniform(-1, 1, size)
    before = x.copy()
    native, plan = ag.convert(sample), ag.convert(sample, native=False)
    actual, expected = native(x, np.int64(n)), plan(x, np.int64(n))
    assert "plan of NumPy" not in native.explain()
    if not isinstance(actual, tuple):
        actual, expected = (actual,), (expected,)
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(a, e)
    np.testing.assert_array_equal(x, before)


def test_a_loop_over_elements_goes_piece_by_piece_and_in_place():
    text = kernels(masked, np.ones(10_000, np.float32), np.int64(3))
    assert "for piece < 5" in text and "swap" not in text
    assert "for piece" not in kernels(masked, np.ones(1000), np.int64(3))


def wide(x, n):
    y, z, v, w = x * 2, x * 3, x * 4, x * 5
    for _ in range(n):
        y, z, v, w = y * x, z * x, v * x, w * x
    return y + z + v + w


@pytest.mark.parametrize(("dtype", "pieces"), [("f4", 5), ("f8", 10)])
def test_pieces_are_as_short_as_the_cache_wants_them(dtype, pieces):
    # Five arrays: 40 bytes of each element in double precision.
    x = np.random.default_rng(3).uniform(-1, 1, 10_000).astype(dtype)
    assert f"for piece < {pieces}" in kernels(wide, x, np.int64(3))
    native, plan = ag.convert(wide), ag.convert(wide, native=False)
    np.testing.assert_array_equal(native(x, np.int64(3)), plan(x, np.int64(3)))


@pytest.mark.parametrize("sample", [neighbours, with_a_sum])
def test_what_looks_at_other_elements_goes_round_by_round(sample):
    assert "for piece" not in kernels(sample, np.ones(10_000), np.int64(3))


def test_a_round_that_fails_raises_what_it_raises():
    with pytest.raises(OverflowError):
        ag.convert(failing)(np.ones(10_000), np.int64(7))


def test_the_text_is_the_same_each_time():
    assert len({kernels(until, np.ones(10_000), np.int64(3)) for _ in range(3)}) == 1
