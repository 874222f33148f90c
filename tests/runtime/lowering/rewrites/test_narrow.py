"""Products of integers of 64 bits: those of small numbers are made of the lower halves."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.lowering.rewrites import narrow

RNG = np.random.default_rng(0)
# The least and the largest number of which the lower half tells all, and one beyond.
ENDS = {"i8": (-(2**31), 2**31 - 1, 2**31), "u8": (0, 2**32 - 1, 2**32)}


@pytest.fixture(autouse=True)
def whole_products(monkeypatch):
    monkeypatch.setattr(narrow, "has_whole_products", lambda: False)


def product(x, y):
    return ops.matmul(x, y)


def numbers(dtype, *shape):
    """Small numbers whose products need more than half of the bits."""
    least, most, _ = ENDS[dtype]
    return RNG.integers(least, most, shape, np.dtype(dtype), endpoint=True)


def check(function, *args, traced, native_of, is_looked_at=True):
    made = native_of(traced(function, *args))
    assert ("@narrow" in made.source) == is_looked_at
    np.testing.assert_array_equal(made(*args)[0], function(*args).numpy(), strict=True)


@pytest.mark.parametrize("dtype", ENDS)
@pytest.mark.parametrize("shape", [(8, 8, 8), (10, 10, 10), (9, 30, 11), (40, 3, 17), (70, 65, 33)])
def test_products_of_small_and_of_large_numbers_wrap_around(dtype, shape, traced, native_of):
    rows, inner, columns = shape
    x, y = numbers(dtype, rows, inner), numbers(dtype, inner, columns)
    least, _, beyond = ENDS[dtype]
    large = np.iinfo(np.dtype(dtype))
    made = native_of(traced(product, x, y))
    assert "@narrow" in made.source

    def check():
        np.testing.assert_array_equal(made(x, y)[0], x @ y, strict=True)

    for operand in (None, x, y):
        for k in range(operand is not None and 5):
            for number in (beyond, large.max, large.min, large.max - 12345):
                flat, at = operand.reshape(-1), (0, 1, 7, operand.size // 2, operand.size - 1)[k]
                before, flat[at] = flat[at], number
                check()
                flat[at] = before
        check()
    x[:] = least
    check()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: ops.matmul(x, x),
        lambda x: ops.matmul(ops.permute_dims(x, (1, 0)), x),
        lambda x: ops.matmul(x, ops.permute_dims(x, (1, 0))) + 1,
        lambda x: ops.matmul(ops.matmul(x, x), ops.matmul(x, x)),
    ],
)
@pytest.mark.parametrize("scale", [1, 2**20, 2**31, 2**40])
def test_operands_may_be_the_same(function, scale, traced, native_of):
    x = RNG.integers(-9, 9, (20, 20)) * scale
    check(function, x, traced=traced, native_of=native_of)


def test_large_products_are_made_by_all_threads():
    x = RNG.integers(-(2**31), 2**31, (300, 280))
    y = RNG.integers(-(2**31), 2**31, (280, 310))
    made = ag.convert(lambda x, y: x @ y, native=True)
    for large in (False, True):
        y[-1, -1] = 2**50 if large else 1
        np.testing.assert_array_equal(made(x, y), x @ y, strict=True)
    assert "@narrow" in made.get_concrete_function(x, y).lower("llvm")


def test_each_product_of_a_loop_is_looked_at():
    def powers(x, n):
        out = []
        for k in range(3):
            r = x
            for _ in range(n):
                r = x @ r + k
            out.append(r)
        return out

    x = RNG.integers(-9, 9, (12, 12))
    made = ag.convert(powers, native=True)
    for n in (0, 1, 9, 10, 30):
        for found, expected in zip(made(x, np.int64(n)), powers(x, n), strict=True):
            np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize(
    ("function", "shape", "dtype"),
    [
        (lambda x: ops.matmul(x, x), (20, 20), "i4"),
        (lambda x: ops.matmul(x, x), (20, 20), "f8"),
        (lambda x: ops.matmul(x, x[0]), (20, 20), "i8"),
        (lambda x: ops.matmul(x[:, :19], x[1:]), (20, 20), "i8"),
        (lambda x: ops.matmul(x, x), (6, 6), "i8"),
    ],
)
def test_where_it_is_not_worth_it_nothing_is_looked_at(function, shape, dtype, traced, native_of):
    x = RNG.integers(-(2**20), 2**20, shape).astype(dtype)
    check(function, x, traced=traced, native_of=native_of, is_looked_at=False)


@pytest.mark.parametrize(("size", "is_looked_at"), [(10, False), (27, False), (28, True)])
def test_where_whole_products_are_fast_only_many_are_worth_a_look(
    size, is_looked_at, monkeypatch, traced, native_of
):
    monkeypatch.setattr(narrow, "has_whole_products", lambda: True)
    x, y = numbers("i8", size, size), numbers("i8", size, size)
    x[0, 0] = ENDS["i8"][2]
    check(product, x, y, traced=traced, native_of=native_of, is_looked_at=is_looked_at)
