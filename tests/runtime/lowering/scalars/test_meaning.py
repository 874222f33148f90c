"""Arithmetic of machine numbers next to NumPy's, and of Python's numbers next to Python's."""

import itertools
import operator

import numpy as np
import pytest

from runtime import ops
from runtime.errors import LimitOverflowError

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
ARITHMETIC = [
    ops.add, ops.subtract, ops.multiply, ops.floor_divide, ops.remainder, ops.bitwise_and,
    ops.bitwise_or, ops.bitwise_xor, ops.bitwise_left_shift, ops.bitwise_right_shift,
    ops.maximum, ops.minimum, ops.less, ops.equal, ops.greater_equal, ops.logical_and,
]  # fmt: skip
OF_FLOATS = [
    ops.add, ops.subtract, ops.multiply, ops.divide, ops.floor_divide, ops.remainder,
    ops.copysign, ops.less, ops.equal, ops.not_equal, ops.greater_equal, ops.logical_or,
    ops.maximum, ops.minimum,
]  # fmt: skip
UNARY = [
    ops.negative, ops.abs, ops.square, ops.sign, ops.logical_not, ops.floor, ops.ceil, ops.trunc,
    ops.rint, ops.isnan, ops.isinf, ops.isfinite, ops.signbit,
]  # fmt: skip


def pairs(numbers, dtype):
    """All pairs of numbers, as two arrays."""
    both = list(itertools.product(numbers, repeat=2))
    return [np.array(column, dtype) for column in zip(*both, strict=True)]


def integers(dtype):
    limits = np.iinfo(dtype)
    found = {0, 1, 2, 3, 7, 8, 31, 63, 64, 100, limits.max - 1, limits.max, limits.min}
    found |= {-1, -2, -3, -8, -64, limits.min + 1} if limits.min else set()
    return sorted(n for n in found if limits.min <= n <= limits.max)


def floats(dtype):
    limits = np.finfo(dtype)
    found = [0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 7.25, 1e10, limits.max, limits.tiny, np.inf]
    return [*found, *(-x for x in found), np.nan, limits.smallest_subnormal]


@pytest.mark.broad(3)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ARITHMETIC, ids=lambda op: op.__name__)
def test_integers_are_as_those_of_numpy(op, dtype, compare):
    compare(op, *pairs(integers(dtype), dtype))


@pytest.mark.parametrize(
    "op",
    [ops.less, ops.less_equal, ops.greater, ops.greater_equal, ops.equal, ops.not_equal],
    ids=lambda op: op.__name__,
)
def test_a_negative_number_is_less_than_any_that_is_unsigned(op, compare):
    unsigned, signed = (np.array(integers(dtype), dtype) for dtype in ("u8", "i8"))
    compare(op, unsigned[:, None], signed)
    compare(op, signed[:, None], unsigned)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("op", OF_FLOATS, ids=lambda op: op.__name__)
def test_floats_are_as_those_of_numpy(op, dtype, compare):
    compare(op, *pairs(floats(dtype), dtype))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("op", UNARY, ids=lambda op: op.__name__)
def test_functions_of_a_float_are_as_those_of_numpy(op, dtype, compare):
    compare(op, np.array(floats(dtype), dtype))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("op", [ops.maximum, ops.minimum, ops.fmax, ops.fmin])
def test_the_larger_of_two_floats_is_that_of_numpy_up_to_the_sign_of_zero(
    op, dtype, traced, native_of
):
    x, y = pairs(floats(dtype), dtype)
    expected = getattr(np, op.__name__)(x, y)
    np.testing.assert_array_equal(native_of(traced(op, x, y))(x, y)[0], expected, strict=True)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_functions_of_an_integer_are_as_those_of_numpy(dtype, compare):
    x = np.array(integers(dtype), dtype)
    for op in (ops.abs, ops.square, ops.sign, ops.negative, ops.bitwise_invert, ops.logical_not):
        compare(op, x)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 5, 20])
def test_an_integer_power_wraps_as_that_of_numpy(exponent, compare):
    compare(lambda x: ops.pow(x, exponent), np.array(integers("i4"), "i4"))


@pytest.mark.parametrize("one", ["?", "i1", "u2", "i4", "f4"])
@pytest.mark.parametrize("other", ["?", "i1", "u2", "i4", "f4"])
def test_mixed_dtypes_are_converted_as_numpy_converts_them(one, other, compare):
    x, y = np.arange(20).astype(one), (np.arange(20) - 7).astype(other)
    compare(ops.multiply, x, y)
    compare(ops.less, x, y)


# ---- Python's numbers ----------------------------------------------------------------------------

BIG = 2**63 - 1
INTS = [0, 1, -1, 2, -3, 7, 63, 64, 2**31, 2**53 + 1, BIG, -BIG - 1]
PYTHON = {
    ops.add: operator.add,
    ops.subtract: operator.sub,
    ops.multiply: operator.mul,
    ops.divide: operator.truediv,
    ops.floor_divide: operator.floordiv,
    ops.remainder: operator.mod,
    ops.less: operator.lt,
    ops.equal: operator.eq,
}
OF_INTS = {
    ops.bitwise_and: operator.and_,
    ops.bitwise_xor: operator.xor,
    ops.bitwise_left_shift: operator.lshift,
    ops.bitwise_right_shift: operator.rshift,
}


def outcome(function, *arguments):
    """What a function gives, as type and value, or raises."""
    try:
        result = function(*arguments)
    except LimitOverflowError:
        return OverflowError
    except (ArithmeticError, ValueError) as error:
        return type(error)
    if isinstance(result, int) and not -BIG - 1 <= result <= BIG:
        return OverflowError
    return type(result), repr(result)


@pytest.mark.parametrize("op", [*PYTHON, *OF_INTS], ids=lambda op: op.__name__)
def test_ints_are_as_those_of_python(op, traced, native_of):
    native = native_of(traced(op, 1, 1))
    python = {**PYTHON, **OF_INTS}[op]
    for x, y in itertools.product(INTS, repeat=2):
        if op is ops.bitwise_left_shift and y > 1000:
            continue  # Python itself would run out of memory
        assert outcome(lambda x, y: native(x, y)[0], x, y) == outcome(python, x, y), (x, y)


@pytest.mark.parametrize("op", PYTHON, ids=lambda op: op.__name__)
@pytest.mark.parametrize("kinds", [(float, float), (int, float), (float, int), (bool, int)])
def test_floats_and_bools_are_as_those_of_python(op, kinds, traced, native_of):
    numbers = {
        int: INTS,
        float: [0.0, -0.0, 1.5, -2.5, 3.0, 1e300, 2.0**53, float("inf"), float("nan")],
        bool: [True, False],
    }
    native = native_of(traced(op, *(kind(1) for kind in kinds)))
    for x, y in itertools.product(*(numbers[kind] for kind in kinds)):
        assert outcome(lambda x, y: native(x, y)[0], x, y) == outcome(PYTHON[op], x, y), (x, y)


def test_negation_and_size_of_ints_are_those_of_python(traced, native_of):
    for op, python in ((ops.negative, operator.neg), (ops.abs, abs)):
        native = native_of(traced(op, 1))
        for x in INTS:
            assert outcome(lambda x: native(x)[0], x) == outcome(python, x), x


def test_a_python_int_that_does_not_fit_a_small_dtype_raises(traced, native_of):
    x = np.arange(20, dtype="i1")
    native = native_of(traced(ops.add, x, 1))
    np.testing.assert_array_equal(native(x, 100)[0], x + np.int8(100))
    with pytest.raises(OverflowError, match="out of bounds for int8"):
        native(x, 300)


def test_a_python_int_is_compared_by_value(compare):
    compare(ops.less, np.arange(20, dtype="i1"), 300)
