"""Elementary functions next to the same in extended precision, over all numbers."""

import itertools
import math

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.lowering.llvm import values
from runtime.lowering.scalars import mathematics
from runtime.ops.declaration.declare import REGISTRY

# x87's 64 bits of mantissa, or IEEE's 113, next to the 53 of a double.
HAS_EXTENDED = np.finfo(np.longdouble).nmant > 60
needs_extended = pytest.mark.skipif(
    not HAS_EXTENDED, reason="no numbers here that are more exact than float64"
)
NUMPY = {"acos": "arccos", "asin": "arcsin", "atan": "arctan", "acosh": "arccosh"}
NUMPY |= {"asinh": "arcsinh", "atanh": "arctanh", "atan2": "arctan2", "pow": "power"}
ONE = """
exp exp2 expm1 log log1p log2 log10 sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh
atanh
""".split()


def _erf(x):
    """erf by its series of positive terms, in the precision of x; of floats by SciPy."""
    if x.dtype == np.float64:
        return pytest.importorskip("scipy.special").erf(x)
    inside = np.clip(x, -7, 7)
    square, term = inside * inside, inside.copy()
    total = term.copy()
    for k in range(1, 180):
        term *= 2 * square / (2 * k + 1)
        total += term
    return total * np.exp(-square) * 2 / np.sqrt(4 * np.arctan(np.longdouble(1)))


def _sigmoid(x):
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def exactly(name):
    """The function in the precision of its argument, within a few units of that."""
    own = {"erf": _erf, "sigmoid": _sigmoid, "softplus": lambda x: np.logaddexp(0, x)}
    return own.get(name) or getattr(np, NUMPY.get(name, name))


def samples(dtype):
    """Numbers of all sizes: any pattern of bits, and those that programs compute with."""
    rng, limits, count = np.random.default_rng(5), np.finfo(dtype), 10_000
    unsigned = f"u{np.dtype(dtype).itemsize}"
    anything = rng.integers(0, np.iinfo(unsigned).max, count, unsigned).view(dtype)
    wide = 120 if dtype == "f4" else 800
    edges = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.625, -0.625, limits.max, -limits.max]
    edges += [limits.tiny, -limits.tiny, limits.smallest_subnormal, -limits.smallest_subnormal]
    # Multiples of pi / 2 that are nearest to a number of the type.
    edges += [6381956970095103 * 2.0**797, 5.319372648326541e255, 16367173.0 * 2.0**72]
    parts = [
        anything,
        rng.normal(size=count),
        rng.normal(size=count) * 20,
        rng.uniform(-wide, wide, count),
        1 + rng.normal(size=count) * 1e-3,
        rng.normal(size=count) * 1e-5,
        np.arange(-400, 400) * (np.pi / 4),
        edges,
    ]
    with np.errstate(over="ignore"):
        return np.concatenate([np.asarray(part, dtype) for part in parts])


def assert_within_two_units(actual, exact):
    """At most two units in the last place off, and the same special values."""
    rounded = exact.astype(actual.dtype)
    is_special = ~np.isfinite(rounded)
    np.testing.assert_array_equal(actual[is_special], rounded[is_special])
    is_zero = rounded == 0
    assert np.array_equal(np.signbit(actual[is_zero]), np.signbit(rounded[is_zero]))
    largest = np.finfo(actual.dtype).max  # the unit of which overflows
    size = np.minimum(np.abs(rounded[~is_special]), np.nextafter(largest, 0))
    unit = np.spacing(size).astype(np.longdouble)
    errors = np.abs(actual[~is_special].astype(np.longdouble) - exact[~is_special]) / unit
    assert errors.max() < 2


@pytest.fixture(params=[True, False], ids=["fma", "no fma"])
def fused(request, monkeypatch):
    """On machines that multiply and add at once, and on others."""
    monkeypatch.setattr(values, "has_fma", lambda: request.param)


@needs_extended
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ONE)
def test_a_function_is_within_two_units_in_the_last_place(name, dtype, fused, traced, native_of):
    x = samples(dtype)
    (actual,) = native_of(traced(getattr(ops, name), x))(x)
    exact = getattr(np, NUMPY.get(name, name))(x.astype(np.longdouble))
    assert_within_two_units(actual, exact)


@needs_extended
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["pow", "atan2", "hypot"])
def test_a_function_of_two_numbers_is_within_two_units(name, dtype, fused, traced, native_of):
    x = samples(dtype)
    rng = np.random.default_rng(6)
    edges = x[~np.isfinite(x) | (np.abs(x) <= 1)][-100:]
    pairs = [(x, rng.permutation(x)), (np.repeat(edges, 100), np.tile(edges, len(edges)))]
    pairs.append((np.abs(x), rng.normal(size=x.size) * 3))
    pairs.append((x, np.round(rng.normal(size=x.size) * 5)))
    pairs.append((1 + rng.normal(size=x.size) * 1e-4, rng.normal(size=x.size) * 1e5))
    for one, other in pairs:
        a, b = (np.asarray(part[: len(other)], dtype) for part in (one, other))
        b = b[: len(a)]
        (actual,) = native_of(traced(getattr(ops, name), a, b))(a, b)
        exact = getattr(np, NUMPY.get(name, name))(a.astype(np.longdouble), b.astype(np.longdouble))
        assert_within_two_units(actual, exact)


@needs_extended
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("exponent", [0.5, -1.0, -2.0, 1.0, 2.0, 3.0, 4.0, 1.5, -0.3, 7.0])
def test_a_power_with_a_known_exponent_is_within_two_units(exponent, dtype, traced, native_of):
    x = samples(dtype)
    (actual,) = native_of(traced(lambda t: ops.pow(t, exponent), x))(x)
    rounded, exact = x**exponent, x.astype(np.longdouble) ** np.dtype(dtype).type(exponent)
    is_special = ~np.isfinite(rounded)
    np.testing.assert_array_equal(actual[is_special], rounded[is_special])
    exact = np.where(rounded == 0, rounded, exact)  # the square root of -0 is -0
    assert_within_two_units(actual[~is_special], exact[~is_special])


@needs_extended
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["sigmoid", "softplus", "erf"])
def test_what_is_composed_of_them_is_within_two_units(name, dtype, traced, native_of):
    x = np.concatenate([samples(dtype), np.linspace(-7, 7, 20_000, dtype=dtype)])
    (actual,) = native_of(traced(REGISTRY[name], x))(x)
    assert_within_two_units(actual, exactly(name)(x.astype(np.longdouble)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["relu", "deg2rad", "rad2deg"])
def test_what_is_composed_of_arithmetic_is_as_in_a_plan(name, dtype, compare):
    compare(REGISTRY[name], samples(dtype))


@pytest.mark.parametrize("name", ["expm1", "log1p", "sinh", "tanh", "asinh", "atan", "sin", "erf"])
def test_functions_near_zero_give_the_least_number_for_the_least(name, traced, native_of):
    x = np.array([5e-324, -5e-324, 1e-323, 1e-310] * 8)
    (actual,) = native_of(traced(REGISTRY[name], x))(x)
    assert np.array_equal(actual, x) or (name == "erf" and np.all(abs(actual) >= abs(x)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_functions_within_sums_are_computed_by_eights(dtype, traced, native_of):
    x = np.random.default_rng(7).normal(size=1003).astype(dtype) * 100
    for name in ("sin", "exp", "log1p", "cbrt", "atan"):
        function = getattr(ops, name)

        def total(t, function=function):
            return ops.sum(function(ops.abs(t)))

        (actual,) = native_of(traced(total, x))(x)
        np.testing.assert_allclose(actual, total(x).numpy(), rtol=1e-5 if dtype == "f4" else 1e-13)


# ---- Python's numbers ---------------------------------------------------------------------------


def of_math(name, *cases):
    """For each of some numbers: what `math` gives in a loop, natively and in Python; or raises."""

    def repeated(n, *numbers):
        result = 0.0
        for _ in range(n):
            result = getattr(math, name)(*numbers)
        return result

    converted = ag.convert(repeated)
    for numbers in cases:
        found = []
        for call in (lambda: converted(np.int64(2), *numbers), lambda: repeated(2, *numbers)):
            try:
                found.append(call())
            except (ValueError, OverflowError) as error:
                found.append((type(error), str(error)))
        yield numbers, *found
    assert "plan of NumPy" not in converted.explain(), converted.explain()
    assert converted.trace_count == 1


NUMBERS = [0.5, 0.0, -0.7, 1.0, 3.75, 1e300, -1e300, math.inf, -math.inf, math.nan]
FIRST, SECOND = ([2.5, 0.0, x, math.inf, math.nan, 1e200] for x in (-2.0, -3.0))
OF_ONE = [*ONE, "fabs", "degrees", "radians", "isnan", "isinf", "floor", "ceil", "trunc"]


@pytest.mark.parametrize(
    ("name", "cases"),
    [
        *((name, [(x,) for x in NUMBERS]) for name in OF_ONE),
        *(
            (name, [*itertools.product(FIRST, SECOND)])
            for name in ("pow", "atan2", "hypot", "copysign", "fmod")
        ),
    ],
)
def test_functions_of_math_raise_what_they_raise(name, cases):
    for numbers, actual, expected in of_math(name, *cases):
        if isinstance(expected, int) and abs(expected) >= 2**63:
            assert issubclass(actual[0], OverflowError)  # ints have 64 bits
        elif isinstance(expected, tuple) or isinstance(actual, tuple):
            assert actual == expected, numbers
        else:
            np.testing.assert_array_max_ulp(np.float64(actual), np.float64(expected), 2)


@pytest.mark.parametrize(("x", "y"), [(2.0, 0.5), (0.0, -1.0), (-8.0, 1.5), (1e200, 2.5)])
def test_a_power_of_python_numbers_is_pythons(x, y):
    def repeated(n, x, y):
        result = 0.0
        for _ in range(n):
            result = x**y
        return result

    try:
        expected = repeated(1, x, y)
    except (ZeroDivisionError, OverflowError) as error:
        with pytest.raises(type(error)):
            ag.convert(repeated)(np.int64(1), x, y)
        return
    if isinstance(expected, complex):
        with pytest.raises(ValueError, match="complex"):
            ag.convert(repeated)(np.int64(1), x, y)
        return
    assert ag.convert(repeated)(np.int64(1), x, y) == pytest.approx(expected, rel=1e-15)


def _cosines_of_rounds(w, v, n):
    s = w
    for k in range(n):
        b = v * 2.0
        part = b[1:]
        part[0] = v[k % 3] + w
        b = np.cos(b)
        s = s + b.sum() * k
    return s


def test_signs_of_numbers_side_by_side():
    """LLVM's vectors of scalars once had sines with the wrong sign."""
    native, plan = (
        ag.value_and_grad(ag.convert(_cosines_of_rounds, native=is_native), argnums=(0, 1))
        for is_native in (True, False)
    )
    for w, *v in np.random.default_rng(0).uniform(-10.0, 10.0, (40, 4)):
        given = np.float64(w), np.array(v), np.int64(4)
        (value, (by_w, by_v)), (other, (w_slope, v_slope)) = native(*given), plan(*given)
        for found, expected in ((value, other), (by_w, w_slope), (by_v, v_slope)):
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@needs_extended
@pytest.mark.parametrize(("dtype", "most"), [("f4", 1.1e-8), ("f8", 6e-19)])
def test_the_polynomial_of_exp_has_no_part_in_its_last_bit(dtype, most):
    """Taylor's series of as many terms is off by 1.6e-7 and 2.3e-16."""
    r = np.linspace(-0.5, 0.5, 2001, dtype=np.longdouble) * np.log(np.longdouble(2))
    series = mathematics._EXP_SERIES[dtype]
    found = 1 + r + r * r * np.polyval(np.array(series, np.longdouble), r)
    assert np.max(np.abs(found / np.exp(r) - 1)) < most


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_tanh_divides_once_and_keeps_the_sign_of_zero(dtype, traced, native_of):
    ends = [0.0, 0.625, np.nextafter(0.625, 0), 1e-310, 5e-324, 10, 22, 44, 1e300, np.inf, np.nan]
    with np.errstate(over="ignore"):
        x = np.array([*ends, *np.linspace(0.6, 0.65, 77)]).astype(dtype)
    made = native_of(traced(lambda x: REGISTRY["tanh"](x), x))
    assert made.source.count("fdiv") == 1
    above, below = made(x)[0], made(-x)[0]
    np.testing.assert_array_equal(below, -above, strict=True)
    assert np.signbit(below[0]) and not np.signbit(above[0])
    np.testing.assert_array_max_ulp(above[:-77], np.tanh(x)[:-77], 2)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["exp", "exp2", "tanh"])
def test_the_bits_are_the_same_with_an_instruction_for_powers_of_two_and_without(
    name, dtype, traced, native_of, monkeypatch
):
    """Vectors, and sums of eight at a time, whose sizes make results subnormal and infinite."""
    ends = [-1100, -746, -745.13, -720, -150, -104, -103.9, -87.5, 88.7, 89, 128, 709.7, 710, 1024]
    x = np.array([*ends, -0.0, 0.0, 1.0, -np.inf, np.inf, np.nan, *np.linspace(-90, 90, 77)], dtype)
    found = []
    for width in (64, 32):
        monkeypatch.setattr(values, "vector_bytes", lambda width=width: width)
        each = native_of(traced(lambda x: REGISTRY[name](x), x))
        total = native_of(traced(lambda x: ops.sum(REGISTRY[name](x)), x[20:50]))
        assert ("ldexp" in each.source) == (width == 64 and name != "tanh")
        found.append((each(x)[0], total(x[20:50])[0]))
    one, other = (each for each, _ in found)
    np.testing.assert_array_equal(one, other, strict=True)
    np.testing.assert_array_equal(np.signbit(one)[x == x], np.signbit(other)[x == x])
    assert found[0][1] == found[1][1]
