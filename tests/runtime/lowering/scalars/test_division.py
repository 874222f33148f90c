"""Tests of `runtime.lowering.scalars.division`: whole numbers by whole numbers, as NumPy divides them."""

import itertools

import numpy as np
import pytest

import autograph as ag

EDGES = {
    "i4": [0, 1, 2, 7, 360, 2**31 - 1, -1, -3, -(2**31)],
    "i8": [0, 1, 7, 2**31, 2**32 - 1, 2**32, 2**63 - 1, -1, -3, -(2**31), -(2**63)],
}
PAIRS = [(kind, *pair) for kind, some in EDGES.items() for pair in itertools.product(some, some)]


def divided(a, b):
    return a // b, a % b


def common(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def digits(n, base):
    total, count = 0 * n, 0
    while n != 0:
        total = total + n % base
        n = n // base
        count += 1
    return total, count


native, plan = ag.convert(divided), ag.convert(divided, native=False)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("kind", "a", "b"), PAIRS)
def test_quotient_and_remainder_are_those_of_numpy(kind, a, b):
    given = np.dtype(kind).type(a), np.dtype(kind).type(b)
    expected = divided(*given)
    for found in (native(*given), plan(*given)):
        assert found == expected
        assert [x.dtype for x in found] == [x.dtype for x in expected]
    assert "plan of NumPy" not in native.explain()


@pytest.mark.parametrize("kind", ["i4", "i8"])
def test_arrays_are_divided_by_arrays(kind):
    rows = np.array(EDGES[kind], kind)
    with np.errstate(all="ignore"):
        expected = divided(rows[:, None], rows)
    for found, wanted in zip(native(rows[:, None].copy(), rows), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("kind", ["i4", "i8"])
@pytest.mark.parametrize(("a", "b"), [(48, 360), (-48, 360), (48, -36), (0, 0), (2**31 - 1, 2)])
def test_euclid(kind, a, b):
    given = np.dtype(kind).type(a), np.dtype(kind).type(b)
    assert ag.convert(common)(*given) == common(*given)


@pytest.mark.parametrize("n", [0, 5, 360, 2**31, 2**40 + 7])
@pytest.mark.parametrize("base", [2, 10, 2**33])
def test_quotients_and_remainders_in_one_round(n, base):
    given = np.int64(n), np.int64(base)
    assert ag.convert(digits)(*given) == digits(*given)


def test_numbers_of_python_raise_where_the_divisor_is_0():
    @ag.convert
    def last(x, n):
        k = 100
        for i in range(n):
            k = k + 7 % (5 - i) + x // 2
        return k

    assert last(np.int64(3), np.int64(3)) == 100 + (7 % 5 + 7 % 4 + 7 % 3) + 3
    with pytest.raises(ZeroDivisionError):
        last(np.int64(3), np.int64(9))


def test_small_numbers_are_asked_for_where_a_division_stands_by_itself():
    text = ag.convert(common).get_concrete_function(np.int64(1), np.int64(1)).lower("llvm")
    assert "urem i32" in text
    rows = np.ones(100, np.int64)
    assert "urem i32" not in native.get_concrete_function(rows, rows).lower("llvm")
    by_ten = ag.convert(lambda n: n % 10).get_concrete_function(np.int64(1)).lower("llvm")
    assert "urem i32" not in by_ten


@pytest.mark.parametrize("kind", ["i1", "u1", "i4", "i8", "u8"])
@pytest.mark.parametrize("by", [1, 2, 16, 64])
def test_powers_of_two_are_shifted_out(kind, by):
    def f(x):
        return x // by, x % by

    limits = np.iinfo(kind)
    given = [limits.min, limits.min + 1, 0, 1, 15, 16, 17, limits.max - 1, limits.max]
    x = np.array([n for n in (*given, -1, -15, -16) if n >= limits.min], kind)
    staged = ag.convert(f)
    for found, expected in zip(staged(x), f(x), strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)
    text = staged.get_concrete_function(x).lower("kernels")
    assert ">>" in text and " / " not in text
