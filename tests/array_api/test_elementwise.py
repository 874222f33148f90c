"""Functions of elements: dtypes, broadcasting, values, and the special cases of the standard."""

from __future__ import annotations

import cmath
import math
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.array_api.namespace import (
    ALL,
    COMPLEX,
    FLOATING,
    INTEGERS,
    NUMBERS,
    PAIRS,
    PARTS,
    PYTHON,
    REAL,
    REAL_NUMBERS,
    arrays,
    assert_array,
    at,
    broadcast,
    dtype,
    few,
    indices,
    is_close,
    limits,
    made,
    name_of,
    promoted,
    tolerance,
    values,
    xp,
)

pytestmark = pytest.mark.filterwarnings("ignore")
inf, nan = math.inf, math.nan


def either(real, complex_):
    return lambda z: complex_(z) if isinstance(z, complex) else real(z)


def sign(x):
    if isinstance(x, complex):
        return x / abs(x) if x else 0j
    return type(x)((x > 0) - (x < 0))


UNARY = {
    "abs": (NUMBERS, abs), "acos": (FLOATING, either(math.acos, cmath.acos)),
    "acosh": (FLOATING, either(math.acosh, cmath.acosh)),
    "asin": (FLOATING, either(math.asin, cmath.asin)),
    "asinh": (FLOATING, either(math.asinh, cmath.asinh)),
    "atan": (FLOATING, either(math.atan, cmath.atan)),
    "atanh": (FLOATING, either(math.atanh, cmath.atanh)),
    "bitwise_invert": (("bool", *INTEGERS), lambda x: not x if isinstance(x, bool) else ~x),
    "ceil": (REAL_NUMBERS, lambda x: type(x)(math.ceil(x))), "conj": (COMPLEX, complex.conjugate),
    "cos": (FLOATING, either(math.cos, cmath.cos)),
    "cosh": (FLOATING, either(math.cosh, cmath.cosh)),
    "exp": (FLOATING, either(math.exp, cmath.exp)),
    "expm1": (FLOATING, either(math.expm1, lambda z: cmath.exp(z) - 1)),
    "floor": (REAL_NUMBERS, lambda x: type(x)(math.floor(x))), "imag": (COMPLEX, lambda z: z.imag),
    "isfinite": (NUMBERS, cmath.isfinite), "isinf": (NUMBERS, cmath.isinf),
    "isnan": (NUMBERS, cmath.isnan), "log": (FLOATING, either(math.log, cmath.log)),
    "log1p": (FLOATING, either(math.log1p, lambda z: cmath.log(1 + z))),
    "log2": (FLOATING, either(math.log2, lambda z: cmath.log(z) / math.log(2))),
    "log10": (FLOATING, either(math.log10, cmath.log10)), "logical_not": (("bool",), operator.not_),
    "negative": (NUMBERS, operator.neg), "positive": (NUMBERS, operator.pos),
    "real": (COMPLEX, lambda z: z.real),
    "round": (NUMBERS, either(lambda x: type(x)(round(x)),
                              lambda z: complex(round(z.real), round(z.imag)))),
    "sign": (NUMBERS, sign), "signbit": (REAL, lambda x: math.copysign(1, x) < 0),
    "sin": (FLOATING, either(math.sin, cmath.sin)),
    "sinh": (FLOATING, either(math.sinh, cmath.sinh)), "square": (NUMBERS, lambda x: x * x),
    "sqrt": (FLOATING, either(math.sqrt, cmath.sqrt)),
    "tan": (FLOATING, either(math.tan, cmath.tan)),
    "tanh": (FLOATING, either(math.tanh, cmath.tanh)),
    "trunc": (REAL_NUMBERS, lambda x: type(x)(math.trunc(x))),
}  # fmt: skip


def floor_divide(x, y):
    return type(x)(x // y)


BINARY = {
    "add": (NUMBERS, operator.add), "atan2": (REAL, math.atan2),
    "bitwise_and": (("bool", *INTEGERS), operator.and_),
    "bitwise_left_shift": (INTEGERS, lambda x, y: x << (abs(y) % 8)),
    "bitwise_or": (("bool", *INTEGERS), operator.or_),
    "bitwise_right_shift": (INTEGERS, lambda x, y: x >> (abs(y) % 8)),
    "bitwise_xor": (("bool", *INTEGERS), operator.xor), "copysign": (REAL, math.copysign),
    "divide": (FLOATING, operator.truediv), "equal": (ALL, operator.eq),
    "floor_divide": (REAL_NUMBERS, floor_divide), "greater": (REAL_NUMBERS, operator.gt),
    "greater_equal": (REAL_NUMBERS, operator.ge), "hypot": (REAL, math.hypot),
    "less": (REAL_NUMBERS, operator.lt), "less_equal": (REAL_NUMBERS, operator.le),
    "logaddexp": (REAL, lambda x, y: math.log(math.exp(x) + math.exp(y))),
    "logical_and": (("bool",), operator.and_), "logical_or": (("bool",), operator.or_),
    "logical_xor": (("bool",), operator.xor), "maximum": (REAL_NUMBERS, max),
    "minimum": (REAL_NUMBERS, min), "multiply": (NUMBERS, operator.mul),
    "not_equal": (ALL, operator.ne), "pow": (NUMBERS, operator.pow),
    "remainder": (REAL_NUMBERS, operator.mod), "subtract": (NUMBERS, operator.sub),
}  # fmt: skip
TRUTHS = {
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isfinite", "isinf",
    "isnan", "signbit", "logical_and", "logical_not", "logical_or", "logical_xor",
}  # fmt: skip


def result_dtype(function, name):
    if function in TRUTHS:
        return "bool"
    return PARTS.get(name, name) if function in ("abs", "real", "imag") else name


def fits(value, name):
    """Whether a Python result is one of the dtype: neither wrapped around nor out of a domain."""
    if name in INTEGERS:
        return isinstance(value, int) and limits(name)[0] <= value <= limits(name)[1]
    return isinstance(value, PYTHON[name])


def expected_of(reference, *numbers):
    try:
        return reference(*numbers)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


def assert_elements(found, name, shape, expected):
    assert_array(found, name, shape)
    exact = name == "bool" or name in INTEGERS
    for a, b in zip(values(found), expected, strict=True):
        if b is not None and fits(b, name):
            assert_array(made(name, (), [a]), name, (), [b], None if exact else tolerance(name))


@pytest.mark.parametrize("function", UNARY)
@few
@given(st.data())
def test_a_function_of_one_array(function, data):
    names, reference = UNARY[function]
    name, shape, numbers, x = data.draw(arrays(names))
    found = getattr(xp, function)(x)
    expected = [expected_of(reference, n) for n in numbers]
    assert_elements(found, result_dtype(function, name), shape, expected)


@pytest.mark.parametrize("function", BINARY)
@few
@given(st.data())
def test_a_function_of_two_arrays(function, data):
    names, reference = BINARY[function]
    pairs = [(a, b) for a in names for b in names if promoted(a, b)]
    first, second = data.draw(st.sampled_from(pairs))
    shapes = data.draw(st.sampled_from(PAIRS))
    _, _, left, x = data.draw(arrays((first,), shapes[0]))
    _, _, right, y = data.draw(arrays((second,), shapes[1]))
    common = promoted(first, second)
    if "shift" in function:
        right = [abs(n) % 8 for n in right]
        y = made(second, shapes[1], right)
    if function == "pow" and common in INTEGERS:
        right = [abs(n) for n in right]
        y = made(second, shapes[1], right)
    shape = broadcast(*shapes)
    kind = PYTHON[common]
    expected = [
        expected_of(reference, kind(left[at(shapes[0], i)]), kind(right[at(shapes[1], i)]))
        for i in indices(shape)
    ]
    found = getattr(xp, function)(x, y)
    assert_elements(found, result_dtype(function, common), shape, expected)


OPERATORS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "divide": operator.truediv, "floor_divide": operator.floordiv, "remainder": operator.mod,
    "pow": operator.pow, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor, "bitwise_left_shift": operator.lshift,
    "bitwise_right_shift": operator.rshift, "equal": operator.eq, "not_equal": operator.ne,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
    "greater_equal": operator.ge,
}  # fmt: skip
IN_PLACE = {
    "add": operator.iadd, "subtract": operator.isub, "multiply": operator.imul,
    "divide": operator.itruediv, "floor_divide": operator.ifloordiv, "remainder": operator.imod,
    "pow": operator.ipow, "bitwise_and": operator.iand, "bitwise_or": operator.ior,
    "bitwise_xor": operator.ixor, "bitwise_left_shift": operator.ilshift,
    "bitwise_right_shift": operator.irshift,
}  # fmt: skip


def assert_same_arrays(found, expected):
    assert_array(found, name_of(expected.dtype), expected.shape, values(expected))


@st.composite
def operands(draw, function, shape=(2, 3)):
    """Two arrays of one dtype that an operator takes, and a Python number of its kind."""
    name = draw(st.sampled_from(BINARY[function][0]))
    low = 1 if name in INTEGERS else -3
    numbers = st.booleans() if name == "bool" else st.integers(low, 4).map(PYTHON[name])
    left, right = (draw(st.lists(numbers, min_size=6, max_size=6)) for _ in range(2))
    return name, made(name, shape, left), made(name, shape, right), draw(numbers)


@pytest.mark.parametrize("function", OPERATORS)
@few
@given(st.data())
def test_an_operator_is_its_function(function, data):
    _, x, y, number = data.draw(operands(function))
    apply, named = OPERATORS[function], getattr(xp, function)
    assert_same_arrays(apply(x, y), named(x, y))
    whole = xp.full(x.shape, number, dtype=x.dtype)
    assert_same_arrays(apply(x, number), named(x, whole))
    assert_same_arrays(apply(number, x), named(whole, x))


@pytest.mark.parametrize("function", IN_PLACE)
@few
@given(st.data())
def test_an_operator_in_place_is_its_function(function, data):
    name, x, y, number = data.draw(operands(function))
    named, start = getattr(xp, function), values(x)
    for other in (y, number):
        target = made(name, x.shape, start)
        whole = other if other is y else xp.full(x.shape, number, dtype=x.dtype)
        expected = named(target, whole)
        assert_same_arrays(IN_PLACE[function](target, other), expected)


@few
@given(st.data())
def test_unary_operators(data):
    _, _, _, x = data.draw(arrays(NUMBERS))
    assert_same_arrays(+x, xp.positive(x))
    assert_same_arrays(-x, xp.negative(x))
    assert_same_arrays(abs(x), xp.abs(x))
    _, _, _, whole = data.draw(arrays(("bool", *INTEGERS)))
    assert_same_arrays(~whole, xp.bitwise_invert(whole))


@pytest.mark.parametrize("first", ALL)
@pytest.mark.parametrize("second", ALL)
def test_dtypes_promote_as_the_tables_say(first, second):
    common = promoted(first, second)
    if common is None:
        return
    x, y = xp.ones((2,), dtype=dtype(first)), xp.ones((), dtype=dtype(second))
    assert xp.result_type(x, y) == xp.result_type(dtype(first), y) == dtype(common)
    assert xp.result_type(dtype(first), dtype(second)) == dtype(common)
    assert xp.where(xp.asarray(True), x, y).dtype == dtype(common)
    if common != "bool":
        assert (x + y).dtype == (y * x).dtype == dtype(common)
    assert xp.concat([x, xp.ones((1,), dtype=dtype(second))]).dtype == dtype(common)
    assert xp.can_cast(dtype(first), dtype(common)) and xp.can_cast(dtype(second), dtype(common))


@few
@given(st.data())
def test_clip(data):
    name, shape, numbers, x = data.draw(arrays(REAL_NUMBERS))
    low, high = sorted(data.draw(st.lists(st.integers(0, 5), min_size=2, max_size=2)))
    kind = PYTHON[name]
    for bounds in ((low, high), (low, None), (None, high), (None, None)):
        least, most = (-inf if bounds[0] is None else low), (inf if bounds[1] is None else high)
        expected = [kind(min(max(n, least), most)) for n in numbers]
        given_ = [None if b is None else kind(b) for b in bounds]
        assert_array(xp.clip(x, *given_), name, shape, expected)
        limits_ = [None if b is None else xp.asarray(b, dtype=x.dtype) for b in given_]
        assert_array(xp.clip(x, *limits_), name, shape, expected)


# ---- special cases --------------------------------------------------------------------------------

ZEROS, INFINITIES = (0.0, -0.0), (inf, -inf)
PI = math.pi
# By function: arguments and the result that the standard says for them.
SPECIAL = {
    "abs": [((nan,), nan), ((-0.0,), 0.0), ((-inf,), inf), ((inf,), inf)],
    "acos": [((nan,), nan), ((1.5,), nan), ((-1.5,), nan), ((1.0,), 0.0)],
    "acosh": [((nan,), nan), ((0.5,), nan), ((1.0,), 0.0), ((inf,), inf)],
    "asin": [((nan,), nan), ((1.5,), nan), ((-1.5,), nan), ((0.0,), 0.0), ((-0.0,), -0.0)],
    "asinh": [((nan,), nan), ((0.0,), 0.0), ((-0.0,), -0.0), ((inf,), inf), ((-inf,), -inf)],
    "atan": [((nan,), nan), ((0.0,), 0.0), ((-0.0,), -0.0), ((inf,), PI / 2), ((-inf,), -PI / 2)],
    "atanh": [((nan,), nan), ((1.5,), nan), ((-1.5,), nan), ((-1.0,), -inf), ((1.0,), inf),
              ((0.0,), 0.0), ((-0.0,), -0.0)],
    "ceil": [((inf,), inf), ((-inf,), -inf), ((0.0,), 0.0), ((-0.0,), -0.0), ((nan,), nan),
             ((-0.5,), -0.0)],
    "cos": [((nan,), nan), ((0.0,), 1.0), ((-0.0,), 1.0), ((inf,), nan), ((-inf,), nan)],
    "cosh": [((nan,), nan), ((0.0,), 1.0), ((-0.0,), 1.0), ((inf,), inf), ((-inf,), inf)],
    "exp": [((nan,), nan), ((0.0,), 1.0), ((-0.0,), 1.0), ((inf,), inf), ((-inf,), 0.0)],
    "expm1": [((nan,), nan), ((0.0,), 0.0), ((-0.0,), -0.0), ((inf,), inf), ((-inf,), -1.0)],
    "floor": [((inf,), inf), ((-inf,), -inf), ((0.0,), 0.0), ((-0.0,), -0.0), ((nan,), nan),
              ((-0.5,), -1.0)],
    "isfinite": [((inf,), False), ((-inf,), False), ((nan,), False), ((1.0,), True)],
    "isinf": [((inf,), True), ((-inf,), True), ((nan,), False), ((1.0,), False)],
    "isnan": [((nan,), True), ((inf,), False), ((0.0,), False)],
    "log": [((nan,), nan), ((-1.0,), nan), ((0.0,), -inf), ((-0.0,), -inf), ((1.0,), 0.0),
            ((inf,), inf)],
    "log1p": [((nan,), nan), ((-1.5,), nan), ((-1.0,), -inf), ((-0.0,), -0.0), ((0.0,), 0.0),
              ((inf,), inf)],
    "log2": [((nan,), nan), ((-1.0,), nan), ((0.0,), -inf), ((1.0,), 0.0), ((inf,), inf)],
    "log10": [((nan,), nan), ((-1.0,), nan), ((0.0,), -inf), ((1.0,), 0.0), ((inf,), inf)],
    "round": [((inf,), inf), ((-inf,), -inf), ((0.0,), 0.0), ((-0.0,), -0.0), ((nan,), nan),
              ((0.5,), 0.0), ((1.5,), 2.0), ((-0.5,), -0.0), ((2.5,), 2.0)],
    "sign": [((-2.0,), -1.0), ((-0.0,), 0.0), ((0.0,), 0.0), ((3.0,), 1.0), ((nan,), nan)],
    "signbit": [((0.0,), False), ((-0.0,), True), ((inf,), False), ((-inf,), True), ((-1.0,), True)],
    "sin": [((nan,), nan), ((0.0,), 0.0), ((-0.0,), -0.0), ((inf,), nan), ((-inf,), nan)],
    "sinh": [((nan,), nan), ((0.0,), 0.0), ((-0.0,), -0.0), ((inf,), inf), ((-inf,), -inf)],
    "sqrt": [((nan,), nan), ((-1.0,), nan), ((0.0,), 0.0), ((-0.0,), -0.0), ((inf,), inf)],
    "tan": [((nan,), nan), ((0.0,), 0.0), ((-0.0,), -0.0), ((inf,), nan), ((-inf,), nan)],
    "tanh": [((nan,), nan), ((0.0,), 0.0), ((-0.0,), -0.0), ((inf,), 1.0), ((-inf,), -1.0)],
    "trunc": [((inf,), inf), ((-inf,), -inf), ((0.0,), 0.0), ((-0.0,), -0.0), ((nan,), nan),
              ((-0.5,), -0.0)],
    "add": [((nan, 1.0), nan), ((inf, -inf), nan), ((inf, inf), inf), ((-inf, 1.0), -inf),
            ((-0.0, -0.0), -0.0), ((-0.0, 0.0), 0.0), ((1.0, -1.0), 0.0)],
    "atan2": [((nan, 1.0), nan), ((1.0, nan), nan), ((1.0, 0.0), PI / 2), ((1.0, -0.0), PI / 2),
              ((0.0, 1.0), 0.0), ((0.0, 0.0), 0.0), ((0.0, -0.0), PI), ((0.0, -1.0), PI),
              ((-0.0, 1.0), -0.0), ((-0.0, 0.0), -0.0), ((-0.0, -0.0), -PI), ((-0.0, -1.0), -PI),
              ((-1.0, 0.0), -PI / 2), ((1.0, inf), 0.0), ((1.0, -inf), PI), ((-1.0, inf), -0.0),
              ((-1.0, -inf), -PI), ((inf, 1.0), PI / 2), ((-inf, 1.0), -PI / 2),
              ((inf, inf), PI / 4), ((inf, -inf), 3 * PI / 4), ((-inf, inf), -PI / 4),
              ((-inf, -inf), -3 * PI / 4)],
    "copysign": [((1.0, -0.0), -1.0), ((-1.0, 0.0), 1.0), ((nan, 1.0), nan), ((inf, -1.0), -inf)],
    "divide": [((nan, 1.0), nan), ((inf, inf), nan), ((0.0, 0.0), nan), ((0.0, 1.0), 0.0),
               ((0.0, -1.0), -0.0), ((-0.0, 1.0), -0.0), ((1.0, 0.0), inf), ((1.0, -0.0), -inf),
               ((-1.0, 0.0), -inf), ((inf, 1.0), inf), ((inf, -1.0), -inf), ((1.0, inf), 0.0),
               ((-1.0, inf), -0.0)],
    "equal": [((nan, nan), False), ((0.0, -0.0), True), ((inf, inf), True)],
    "floor_divide": [((nan, 1.0), nan), ((inf, inf), nan), ((0.0, 0.0), nan), ((0.0, 1.0), 0.0),
                     ((-0.0, 1.0), -0.0), ((1.0, 0.0), inf), ((-1.0, 0.0), -inf)],
    "greater": [((nan, 1.0), False), ((0.0, -0.0), False), ((inf, 1.0), True)],
    "hypot": [((inf, 1.0), inf), ((1.0, -inf), inf), ((nan, 1.0), nan), ((-0.0, 3.0), 3.0),
              ((inf, nan), inf), ((nan, -inf), inf)],
    "less": [((nan, 1.0), False), ((-inf, 1.0), True)],
    "logaddexp": [((nan, 1.0), nan), ((1.0, nan), nan), ((inf, 1.0), inf)],
    "maximum": [((nan, 1.0), nan), ((1.0, nan), nan), ((inf, 1.0), inf)],
    "minimum": [((nan, 1.0), nan), ((1.0, nan), nan), ((-inf, 1.0), -inf)],
    "multiply": [((nan, 1.0), nan), ((inf, 0.0), nan), ((0.0, -inf), nan), ((inf, -1.0), -inf),
                 ((-0.0, 1.0), -0.0), ((-0.0, -1.0), 0.0)],
    "pow": [((2.0, 0.0), 1.0), ((nan, 0.0), 1.0), ((nan, -0.0), 1.0), ((1.0, nan), 1.0),
            ((nan, 2.0), nan), ((2.0, inf), inf), ((2.0, -inf), 0.0), ((1.0, inf), 1.0),
            ((-1.0, inf), 1.0), ((0.5, inf), 0.0), ((0.5, -inf), inf), ((inf, 2.0), inf),
            ((inf, -2.0), 0.0), ((-inf, 3.0), -inf), ((-inf, 2.0), inf), ((-inf, -3.0), -0.0),
            ((-inf, -2.0), 0.0), ((0.0, 2.0), 0.0), ((0.0, -2.0), inf), ((-0.0, 3.0), -0.0),
            ((-0.0, 2.0), 0.0), ((-0.0, -3.0), -inf), ((-0.0, -2.0), inf), ((-2.0, 0.5), nan)],
    "remainder": [((nan, 1.0), nan), ((inf, 1.0), nan), ((1.0, 0.0), nan), ((0.0, 0.0), nan),
                  ((0.0, 1.0), 0.0), ((-0.0, 1.0), 0.0), ((0.0, -1.0), -0.0), ((-0.0, -1.0), -0.0)],
    "subtract": [((inf, inf), nan), ((-inf, inf), -inf), ((0.0, 0.0), 0.0), ((-0.0, 0.0), -0.0)],
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("function", SPECIAL)
def test_special_cases(function, name):
    for arguments, expected in SPECIAL[function]:
        given_ = [xp.asarray([n], dtype=dtype(name)) for n in arguments]
        found = getattr(xp, function)(*given_)
        wanted = "bool" if isinstance(expected, bool) else name
        close = 1e-6 if isinstance(expected, float) and expected not in (0.0, 1.0) else None
        assert_array(found, wanted, (1,), [expected], close)


INFTY = complex(inf, inf)
COMPLEX_SPECIAL = {
    "abs": [(complex(inf, nan), inf), (complex(nan, -inf), inf), (complex(-0.0, -0.0), 0.0)],
    "exp": [(0j, 1 + 0j), (complex(-inf, inf), 0j), (complex(inf, 0), complex(inf, 0))],
    "sqrt": [(0j, 0j), (complex(1, inf), INFTY), (complex(-inf, 1), complex(0, inf))],
    "log": [(complex(0, 0), complex(-inf, 0)), (complex(-0.0, 0.0), complex(-inf, PI))],
    "isfinite": [(complex(1, inf), False), (complex(nan, 1), False), (1j, True)],
    "isinf": [(complex(nan, inf), True), (complex(nan, 1), False)],
    "isnan": [(complex(1, nan), True), (complex(inf, 1), False)],
}


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.parametrize("function", COMPLEX_SPECIAL)
def test_special_cases_of_complex_numbers(function, name):
    for number, expected in COMPLEX_SPECIAL[function]:
        found = getattr(xp, function)(xp.asarray([number], dtype=dtype(name)))
        [value] = values(found)
        assert found.shape == (1,)
        parts = [(value.real, expected.real), (value.imag, expected.imag)]
        assert all(is_close(a, b, 1e-6) for a, b in parts), (number, value, expected)
