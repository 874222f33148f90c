"""Operators on all dtypes, and Python numbers that become values of the graph."""

from __future__ import annotations

import cmath
import math
import operator
from itertools import product

import numpy as np
import pytest

import autograph as ag
from runtime import config
from tests.language.harness import Samples, assert_equal, check

samples = Samples()
I = np.int64
F = np.float64

# ---- the table of operators (B3.15) ----------------------------------------------------------

BINARY = [
    "+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^",
    "<", "<=", ">", ">=", "==", "!=",
]  # fmt: skip
IN_PLACE = ["+=", "-=", "*=", "/=", "//=", "%=", "**=", "<<=", ">>=", "&=", "|=", "^="]
UNARY = ["-", "+", "~", "abs"]
DTYPES = ["bool", "int32", "int64", "float32", "float64", "complex128"]
OPERATORS = (
    [("binary", o) for o in BINARY]
    + [("place", o) for o in IN_PLACE]
    + [("unary", o) for o in UNARY]
)


def source_of(kind, symbol):
    if kind == "binary":
        return f"def f(x, y):\n    return x {symbol} y\n"
    if kind == "place":
        return f"def f(x, y):\n    x {symbol} y\n    return x\n"
    return f"def f(x, y):\n    return {'abs(x)' if symbol == 'abs' else symbol + 'x'}\n"


def values_of(dtype, second):
    if dtype == "bool":
        return np.array([True, False, True]) if not second else np.array([True, True, False])
    raw = [3, 1, 2] if second else [7, -5, 4]
    array = np.array(raw, dtype=dtype)
    return array * (1 + 0.5j) if dtype == "complex128" else array


FUNCTIONS = {key: ag.convert_source(source_of(*key)).f for key in OPERATORS}


def operands_of(dtype):
    """Array with array, array with scalar, both ways round with Python numbers, scalars."""
    x, y = values_of(dtype, False), values_of(dtype, True)
    number = {"b": True, "i": 3, "f": 1.5, "c": 1.5 + 1j}[x.dtype.kind]
    return [
        (x, y),
        (x, y[0]),
        (y[0], x),
        (x, number),
        (number, x),
        (x[0], y[0]),
        (x[0], number),
        (number, x[0]),
    ]


def units_of_power(symbol):
    """Powers are within two units in the last place, and have NumPy's bits only as a plan."""
    return 2 if symbol in ("**", "**=") else 0


@pytest.mark.broad(3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("kind", "symbol"), OPERATORS)
def test_b3_15_operators(kind, symbol, dtype):
    function = FUNCTIONS[kind, symbol]
    for pair in operands_of(dtype)[: 1 if kind == "unary" or symbol == "@" else 8]:
        graph = ag.convert(function)
        for scale in (1, 1) if dtype == "bool" else (1, 2):
            given = [p * scale if isinstance(p, np.ndarray) and scale > 1 else p for p in pair]
            with np.errstate(all="ignore"):
                try:
                    expected = function(
                        *[np.copy(g) if isinstance(g, np.ndarray) else g for g in given]
                    )
                except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
                    with pytest.raises(type(error)):
                        graph(*given)
                    continue
                assert_equal(graph(*given), expected, units=units_of_power(symbol))


MIXED = [
    ("int32", "float32"),
    ("int64", "float32"),
    ("bool", "int32"),
    ("float32", "complex128"),
    ("int32", "int64"),
]


@pytest.mark.parametrize(("one", "other"), MIXED)
@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "//", "%", "**", "<", "=="])
def test_b3_15_mixed_dtypes(symbol, one, other):
    function = FUNCTIONS["binary", symbol]
    for x, y in (
        (values_of(one, False), values_of(other, True)),
        (values_of(other, True), values_of(one, False)),
    ):
        with np.errstate(all="ignore"):
            try:
                expected = function(x, y)
            except Exception as error:  # noqa: BLE001 - the user's own, raised where it belongs
                with pytest.raises(type(error)):
                    ag.convert(function)(x, y)
                continue
            units = units_of_power(symbol)
            assert_equal(ag.convert(function)(x, y), expected, units=units)


def test_b3_15_ndarray_with_tensor():
    x, t = np.array([1.0, 2.0]), ag.constant([3.0, 4.0])
    for f in (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow):
        expected = f(x, t.numpy())
        assert_equal(f(x, t), expected)
        assert_equal(ag.convert(lambda a, b: f(a, b))(x, t), expected)
        assert isinstance(f(x, t), ag.Tensor)


# ---- weak types (S5) -------------------------------------------------------------------------


@samples("S5", (I(10),), (I(25),), whiles=1, tensors=False)
def weak_accumulator(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


@samples("S5", (I(3),), (I(60),), whiles=1)
def weak_int_overflows(n):
    y = 1
    for i in range(n):
        y = y * 2
    return y


@samples("S5", (I(3), 5), (I(9), 5))
def weak_shift(n, k):
    y = k
    for i in range(n):
        y = y + (y << 1)
    return y


@samples("S5", (I(3),), (I(80),))
def concrete_int_wraps(n):
    y = n * 0 + 1
    for i in range(n):
        y = y * 3
    return y


@samples("S5", (I(3),), (I(0),))
def weak_division_by_zero(n):
    k = 0
    for i in range(n):
        k += 1
    return 10 / k


@samples("S5", (I(3),), (I(0),))
def weak_floor_division_by_zero(n):
    k = 0
    for i in range(n):
        k += 1
    return 10 // k


@samples("S5", (I(3),), (I(0),))
def weak_modulo_by_zero(n):
    k = 0
    for i in range(n):
        k += 1
    return 10 % k


@samples("S5", (I(3),), (I(0),))
def weak_float_division_by_zero(n):
    k = 0.0
    for i in range(n):
        k += 1
    return 10.0 / k


@samples("S5", (I(3), np.array([6, 8])), (I(0), np.array([6, 8])))
def concrete_division_by_zero(n, x):
    return x // n, x % n, x / n


@samples("S5", (F(3),), (F(0),))
def float_division_by_zero(x):
    return 1 / x, 1 // x, -1 / x, 0 / x


@samples("S5", (3.0,), (0.0,))
def python_float_division(x):
    return 1.0 / x


@samples("S5", (3.0, 2.0), (5.0, -2.0))
def python_floats(x, y):
    return (
        x + y,
        x * y,
        x - y,
        x / y,
        x // y,
        x % y,
        x**2,
        -x,
        abs(y),
        x > y,
        divmod(x, y),
        round(x / 3, 2),
    )


@samples("S5", (I(7), I(3)), (I(9), I(-4)), tensors=False)
def weak_ints(n, m):
    a, b = int(n), int(m)
    return (
        a + b,
        a * b,
        a - b,
        a / b,
        a // b,
        a % b,
        a**2,
        -a,
        abs(b),
        a > b,
        divmod(a, b),
        ~a,
        a & b,
        a | b,
        a ^ b,
    )


@samples("S5", (I(2), np.float32(1.5)), (I(5), np.float32(2.5)), tensors=False)
def weak_with_float32(n, x):
    s = 0
    for i in range(n):
        s += 1
    return x * s, x + s * 0.5, s * 0.5, x * n


@samples("S5", (np.array([1, 2], dtype=np.int8), I(3)), (np.array([5, 6], dtype=np.int8), I(9)))
def weak_with_int8(x, n):
    k = 0
    for i in range(n):
        k = i
    return x + k, x * 2, x + 1.5


@samples("S5", (I(4),), (I(1),), joined=True, whiles=1)
def int_and_float_join(n):
    y = 0
    for i in range(n):
        if i > 1:
            y = y + 0.5
        else:
            y = y + 1
    return y


@samples("S5", (I(4),), (I(1),), tensors=False)
def bool_joins_int(n):
    flag = False
    count = 0
    for i in range(n):
        flag = i > 2
        count = count + flag
    return flag, count


@samples("S5", (np.arange(6.0).reshape(2, 3),), (np.ones((2, 3)),), conds=0)
def shape_arithmetic(x):
    n, m = x.shape
    return n * m, n / m, x.size, x.ndim, x.reshape(m, n).shape, x.sum() / n


@samples("S5", (np.array([1.5, 2.5]),), (np.array([3.5, 4.5]),), tensors=False)
def items(x):
    a = x[0].item()
    b = x.item(1)
    return a, b, a + b, a * 2, [a, b], float(x[0]), int(x[1])


@samples("S5", (F(0.5),), (F(0.25),), tensors=False)
def math_functions(x):
    return (
        math.sqrt(x), math.sin(x), math.floor(x), math.ceil(x), math.trunc(x), math.isnan(x),
        math.hypot(x, 2), math.pi * x, math.log(x), math.exp(x),
    )  # fmt: skip


TABLE = {name: getattr(math, name) for name in (
    "sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin",
    "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "fabs", "cbrt", "degrees",
    "radians", "erf", "erfc", "gamma", "lgamma", "ulp", "isnan", "isinf", "isfinite", "floor",
    "ceil", "trunc", "modf", "frexp",
)}  # fmt: skip
NUMBERS = (0.5, -1.0, 0.0, 1000.0, 2.5, -0.0, float("inf"), float("nan"))


@pytest.mark.parametrize("name", TABLE)
def test_s5_functions_of_math_are_those_of_python(name):
    def of_math(x):
        return TABLE[name](x)

    check(of_math, *((x,) for x in NUMBERS), tensors=False)
    check(of_math, *((F(x),) for x in NUMBERS), tensors=False)


@samples("S5", (5.5, 2.0), (-5.5, 2.0), (1.0, 0.0), (1e300, -3.0), (8.0, 2.0), tensors=False)
def math_of_two_numbers(a, b):
    found = [math.atan2(a, b), math.copysign(a, b), math.hypot(a, b), math.hypot(a, b, 1.0)]
    for f in (math.fmod, math.pow, math.remainder, math.log, math.nextafter):
        try:
            y = f(a, b)
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            print(f"{type(error).__name__}: {error}")
        else:
            print(y)
    return found, math.isclose(a, b), math.isclose(a, b, rel_tol=0.5, abs_tol=1.0)


@samples("S5", (np.array([1.5, 2.5, 0.1]),), (np.array([1e30, 2.5, -3.0]),), tensors=False)
def math_of_sequences(x):
    a, b = x[0].item(), x[1].item()
    return (
        math.fsum(x), math.fsum([a, b, 0.1]), math.prod(x), math.prod([a, b], start=2),
        math.dist(x, x * 2), math.dist((a, b), (0.0, 1.0)), math.hypot(*x),
    )  # fmt: skip


@samples("S5", (I(12), I(18)), (I(7), I(0)), (I(6), I(4)), (I(-5), I(3)), tensors=False)
def math_of_integers(m, n):
    a, b = int(m), int(n)
    found = [math.gcd(a, b), math.lcm(a, b, 4), math.gcd(m, n), math.isqrt(b), a.bit_length()]
    for f in (math.comb, math.perm):
        try:
            print(f(a, b), math.factorial(a), pow(a, b, 7), pow(3, b, a))
        except ValueError as error:
            print(error)
    return found, b.bit_count(), float(a).is_integer(), (a / 4).is_integer(), math.ldexp(0.5, b)


OF_COMPLEX = {name: getattr(cmath, name) for name in (
    "sqrt", "exp", "log", "log10", "phase", "polar", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "isnan", "isinf", "isfinite",
)}  # fmt: skip
COMPLEX = (
    0.5 + 0.25j, -2.0 - 1e-3j, 0j, complex(-0.0, -0.0), 1j, 1 + 0j, 1e308 + 1e308j, 800 + 1j,
    complex("inf"), complex("nan"), complex("-inf+infj"),
)  # fmt: skip


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_s5_functions_of_cmath_are_those_of_python(name):
    def of_cmath(z):
        return OF_COMPLEX[name](z)

    check(of_cmath, *((z,) for z in COMPLEX), tensors=False)
    check(of_cmath, *((np.complex128(z),) for z in COMPLEX), tensors=False)
    check(of_cmath, *((z.real,) for z in COMPLEX), tensors=False)
    check(of_cmath, (np.int64(2),), (np.int64(-1),), tensors=False)


@samples("S5", (0.5 + 1j, 2.0), (0j, 2.0), (1j, 1.0), (complex("inf"), 0.0), tensors=False)
def cmath_of_two_numbers(z, r):
    found = [cmath.isclose(z, r), cmath.isclose(z, r * 1j, rel_tol=0.5, abs_tol=1.0)]
    for f in (cmath.log, lambda a, b: cmath.rect(b, a.real), lambda a, b: cmath.log(b, a)):
        try:
            y = f(z, r)
        except (ValueError, ZeroDivisionError, OverflowError) as error:
            print(f"{type(error).__name__}: {error}")
        else:
            print(y)
    return found


@samples("S5", (F(1.0), F(3.0), F(2.0)), (F(1.0), F(2.0), F(5.0)), tensors=False, joined=True)
def roots_of_a_quadratic(a, b, c):
    root = cmath.sqrt(b * b - 4 * a * c)
    first, second = (-b + root) / (2 * a), (-b - root) / (2 * a)
    size, angle = cmath.polar(first)
    if cmath.isclose(first, second) or angle == 0.0:
        return size, second
    return size, cmath.rect(size, -angle)


def test_s5_arguments_of_cmath_are_pythons():
    for call in (lambda z: cmath.sqrt(z, z), lambda z: cmath.isclose(z)):
        with pytest.raises(TypeError) as expected:
            call(1j)
        with pytest.raises(TypeError) as caught:
            ag.convert(call)(1j)
        assert str(caught.value) == str(expected.value)
    with pytest.raises(ag.StagingError, match="a tolerance of `cmath.isclose` is known only"):
        ag.convert(lambda z, t: cmath.isclose(z, 1.0, rel_tol=t))(1j, 0.5)


GRADIENTS_OF_COMPLEX = [
    *(lambda z, f=f: f(z) for name, f in OF_COMPLEX.items() if not name.startswith(("is", "po"))),
    lambda z: cmath.polar(z)[0], lambda z: cmath.polar(z)[1], lambda z: cmath.log(z, z + 2),
    lambda z: cmath.rect(z.real, z.imag), lambda z: cmath.rect(cmath.phase(z), 2.0) * z,
]  # fmt: skip


@pytest.mark.parametrize("function", GRADIENTS_OF_COMPLEX)
def test_gradients_of_cmath(function):
    def real_of(x, y):
        found = function(complex(x, y))
        return found.real * 2.0 + found.imag

    f, eps = ag.convert(real_of), 1e-6
    slopes = [
        (real_of(0.7 + a, 0.4 + b) - real_of(0.7 - a, 0.4 - b)) / (2 * eps)
        for a, b in ((eps, 0.0), (0.0, eps))
    ]
    np.testing.assert_allclose(ag.grad(f, argnums=(0, 1))(0.7, 0.4), slopes, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", [
    "sqrt", "sin", "log", "tanh", "erf", "erfc", "exp2", "fabs", "gamma", "lgamma",
])  # fmt: skip
def test_gradients_of_math(name):
    f = ag.convert(lambda x: TABLE[name](x) * 3.0)
    eps = 1e-6
    slope = (f(0.7 + eps) - f(0.7 - eps)) / (2 * eps)
    np.testing.assert_allclose(ag.grad(f)(0.7), slope, rtol=1e-6)
    assert type(ag.grad(ag.grad(f))(0.7)) is float


@samples("S5", (np.array([200, 100], dtype=np.uint8),), (np.array([1, 2], dtype=np.uint8),))
def uint8_wraps(x):
    return x + x, x * 2, -x, x - 3, ~x, x << 1


@samples("S5", (I(3),), (I(4),), tensors=False)
def range_index_is_a_python_int(n):
    last = -1
    for i in range(n):
        last = i
    return last, last * 1.5, last + np.float32(1)


@samples("S5", (2**62, F(1)), (2**62, F(2)))
def big_python_int(k, x):
    return k * 4 + 1, x * float(k)


@samples("S15", (np.array([0.1] * 10),), (np.array([1e16, 1.0, -1e16, 1.0, 3.0] * 2),), whiles=1)
def kahan_sum(x):
    s = 0.0
    c = 0.0
    for v in x:
        y = v - c
        t = s + y
        c = (t - s) - y
        s = t
    return s


@samples("S15", (F(np.nan), F(-0.0)), (F(np.inf), F(0.0)))
def nan_and_signed_zero(x, z):
    return x + 0, z + 0, z * 1, x * 0, x == x, -z, x - x, z == 0


UP, DOWN = float("nan"), float("-nan")


@samples("S15", (np.ones(2), np.float32(2)), (np.zeros(2), np.float32(np.inf)))
def signs_of_nan(x, y):
    table = np.array([UP, DOWN]) * 1.0
    both = np.copysign(x, UP), np.copysign(x, DOWN), np.copysign(y, DOWN), np.copysign(y, UP)
    return *both, np.copysign(y, complex(1, DOWN).imag), np.copysign(1.0, table)


@samples("S4", (np.ones(2),))
def signs_of_nan_in_copies(x):
    for k in range(12):
        x = np.sin(x) + np.copysign(x, UP if k < 9 else DOWN)
    return x


@samples("S5", (np.float16(1.5), np.float16(2)), (np.float16(300), np.float16(300)))
def float16(x, y):
    return x * y, x + 1, x / 3


test_numbers = samples.test()


@samples("S5", (2.5, 1.5), (-2.5, 4.0), (-2.5, -3.0), (-0.0, 3.0), (-2.0, math.inf))
def power_of_a_negative_float(x, y):
    return x**y


@pytest.mark.parametrize("exponent", [0.5, -0.5, 1.5, 1e-3])
def test_a_power_that_is_complex_is_refused(exponent):
    def power(x):
        return x**exponent

    converted = ag.convert(power)
    for x in (4.0, 0.25, math.inf):
        assert converted(x) == pytest.approx(power(x), rel=1e-15)
    for x in (-4.0, -1e-300):
        with pytest.raises(ValueError, match="the power is complex in Python"):
            converted(x)
    assert converted(-math.inf) == power(-math.inf)
    assert len(converted.traces()) == 1 and "native" not in str(converted.explain())


@samples("S5", (20.0, 3.0), (7.0, -2.0), (0.5, 1.0), (-30.0, 3.0))
def reciprocals_of_whole_numbers(x, y):
    k = int(x)
    inverse = k**-1 if k else 0.0
    return inverse + pow(int(y), -2), (x > y) ** -1 if x > y else 0.0


def test_s5_overflow_names_the_users_line():
    f = ag.convert(weak_int_overflows)
    with pytest.raises(OverflowError) as caught:
        f(I(70))
    rows = [r for r in caught.traceback if str(r.path) == __file__]
    assert "y = y * 2" in str(rows[-1].statement)


def test_s5_python_int_arguments():
    def f(n, x):
        for i in range(n):
            x = x + 1
        return x * n

    g = ag.convert(f)
    for n in (2, 3, 4, 50):
        assert g(n, F(1)) == f(n, F(1))
    assert g.trace_count <= 2
    assert type(ag.convert(lambda a, b: a + b)(1, 2)) is int
    assert type(ag.convert(lambda a, b: a / b)(1.0, 2.0)) is float


def test_check_is_not_vacuous():
    with pytest.raises(AssertionError):
        check(lambda x: x, (F(1),), (F(2),), conds=1)


@pytest.mark.parametrize("kind", [np.complex128, np.complex64])
def test_complex_scalars_are_rounded_as_numpys_scalars_are(kind):
    """NumPy fuses multiplication and addition for arrays, and not for scalars."""

    def f(a, b):
        c = a
        c *= b
        return a * b, a * 2.5j, b * a.conjugate(), a * a.conjugate(), c, np.multiply(a, b)

    converted, size = ag.convert(f), ag.convert(lambda a: abs(a))
    random = np.random.default_rng(0)
    for _ in range(50):
        a, b = (kind(complex(*random.normal(size=2))) for _ in range(2))
        assert repr(converted(a, b)) == repr(f(a, b))
        np.testing.assert_array_max_ulp(size(a), abs(a), 1)
    slope = ag.grad(ag.convert(lambda a, z: abs(kind(a * z)) ** 2))(1.5, 1 + 2j)
    assert slope == pytest.approx(2 * 1.5 * 5, rel=1e-5)


@pytest.mark.filterwarnings(
    "ignore:invalid value encountered in less:RuntimeWarning"
)  # of some processors
@pytest.mark.parametrize("kind", [np.complex128, np.complex64])
def test_complex_scalars_with_nan_are_ordered_as_numpys_scalars_are(kind):
    """NumPy's scalars compare imaginary parts only where the real ones are equal, arrays both."""

    def f(x, y, i):
        a, b = x[i], y[i]
        return a < b, a <= b, a > b, a >= b, a < 1.0, b.real >= a, x < y, np.less(a, b)

    parts = (0.0, 1.0, -1.0, np.nan, np.inf)
    x, y = np.array([(complex(*p[:2]), complex(*p[2:])) for p in product(parts, repeat=4)], kind).T
    x, y = x.copy(), y.copy()
    eager, plan, native = ag.to_graph(f), ag.convert(f), ag.convert(f)
    tensors = ag.constant(x), ag.constant(y)
    for i in map(np.int64, range(0, len(x), 7)):
        expected = f(x, y, i)
        assert_equal(eager(*tensors, i), expected)
        assert_equal(native(x, y, i), expected)
        with config.backend.using("plan"):
            assert_equal(plan(x, y, i), expected)


def test_a_python_int_to_a_negative_int_is_a_float():
    def inverses(n):
        halvings = 0
        while n > 1:
            n //= 2
            halvings += 1
        return halvings**-1, pow(halvings, -2), (halvings > 2) ** -1, halvings**2

    check(inverses, (np.int64(40),), (np.int64(9),), (np.int64(5),))
    check(inverses, (np.int64(1),), (np.int64(0),))  # zero has no inverse


def cut_off(x):
    return math.trunc(x)


def test_numbers_of_numpys_that_python_cannot_cut_off():
    for x in (np.float32(1.5), np.int64(3), np.array(1.5)):
        with pytest.raises(TypeError, match="doesn't define __trunc__ method"):
            cut_off(x)
        with pytest.raises(TypeError, match="doesn't define __trunc__ method"):
            ag.convert(cut_off)(x)
    assert ag.convert(cut_off)(np.float64(-1.5)) == -1 == ag.convert(cut_off)(-1.5)


# ---- functions of NumPy on numbers of Python ---------------------------------------------------

OF_NUMBERS = {
    "add": lambda x: np.add(x, 1),
    "multiply": lambda x: np.multiply(2, x),
    "subtract": lambda x: np.subtract(x, 1.0),
    "divide": lambda x: np.divide(x, 2),
    "power": lambda x: np.power(x, 2),
    "equal": lambda x: np.equal(x, 1),
    "power of": lambda x: np.power(x, 2 + 0j),
    "with an array": lambda x: np.multiply(x, 2) * np.ones(2, np.float32),
}


@pytest.mark.parametrize("name", OF_NUMBERS)
@pytest.mark.parametrize("x", [2.5, 1 - 2j])
def test_ufuncs_of_python_numbers_give_numbers_of_numpys(name, x):
    expected, found = OF_NUMBERS[name](x), ag.convert(OF_NUMBERS[name])(x)
    assert type(found) is type(expected) and found.dtype == expected.dtype
    assert np.array_equal(found, expected)


# ---- complex numbers of Python beside those of NumPy ----------------------------------------------

FACTOR = np.float64(2.5)


@samples(
    "S5",
    (np.float64(0.7), np.float32(0.7)),
    (np.float64(-1.5), np.float32(2.0)),
    tensors=False,
)
def a_complex_takes_float64_for_a_float(t, small):
    z = complex(float(t), 1.0)
    return (
        z + t,
        z - t,
        z * t,
        z / t,
        z**t,
        t + z,
        t - z,
        z + FACTOR,
        FACTOR * z,
        z + small,
        small / z,
    )


@samples("S5", (np.float64(-0.7),), (np.float64(0.3),), tensors=False)
def a_complex_stays_one_in_a_loop(t):
    z, n = complex(0, 0), 0
    while abs(z) < 2 and n < 20:
        z = z * z + t
        n += 1
    return z, n


# ---- numbers of Python that NumPy makes arrays of, or compares ------------------------------------


@samples("S5", (np.array([1.0, 2.0], np.float32), np.float64(0.3), np.array([1, 2], np.uint8)))
def a_number_that_is_clipped_keeps_its_dtype(x, t, n):
    return (
        np.clip(-7, x, x),
        np.clip(float(t), x, x + 1),
        np.clip(3, n, n),
        np.clip(True, x, x),
        np.clip(float(t), 0, 1),
        np.clip(x, float(t), 1),
    )


@samples("S5", (np.uint64(100), True), (np.uint64(0), True))
def a_bool_beside_unsigned_numbers(a, flag):
    return float(a if a > flag else flag)
