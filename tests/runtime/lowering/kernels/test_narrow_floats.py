"""Floats of 16 bits and less natively: as NumPy and `ml_dtypes` have them, one by one and by a plan."""

import numpy as np
import pytest

import autograph as ag
from runtime.dtypes import NARROW, dtype_from, exact_numbers
from runtime.execute.native.stateful import Stateful
from runtime.lowering.kernels.narrow_floats import LAYOUTS
from tests.runtime.lowering.conftest import assert_same_bits
from tests.runtime.lowering.scalars.test_complex_numbers import natively

pytest.importorskip("ml_dtypes", reason="floats of less than 16 bits are its")
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

NAMES = ("float16", *NARROW)
each_type = pytest.mark.parametrize("name", NAMES)


def leaves(x):
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, (tuple, list)) else [x]


def assert_equal(found, expected):
    """The same kinds of objects, dtypes and bits; any nan is as good as another."""
    assert len(leaves(found)) == len(leaves(expected))
    for a, e in zip(leaves(found), leaves(expected), strict=True):
        assert type(a) is type(e) and np.result_type(a) == np.result_type(e)
        assert_same_bits(*([exact_numbers(np.asarray(x))] for x in (a, e)))


def same(function, *args):
    """Natively, by a plan, and as plain Python on NumPy."""
    with np.errstate(all="ignore"):
        expected = function(*args)
        assert_equal(ag.convert(function, native=False)(*args), expected)
    assert_equal(natively(function, *args), expected)


def all_of(name):
    """Each float of a type."""
    size = dtype_from(name).itemsize
    return np.arange(1 << 8 * size, dtype=f"u{size}").view(dtype_from(name))


def pairs_of(name):
    """Each float of 8 bits beside each, each of 16 beside another one; zeros beside zeros."""
    one = all_of(name)
    if one.itemsize == 1:
        return [side.ravel() for side in np.meshgrid(one, one)]
    zeros = np.array([[0.0, -0.0, 0.0, -0.0], [0.0, 0.0, -0.0, -0.0]]).astype(name)
    other = np.random.default_rng(0).permutation(one)
    return [np.concatenate(sides) for sides in zip((one, other), zeros, strict=True)]


def drawn(name, *shape):
    return np.random.default_rng(0).normal(size=shape).astype(name)


def test_layouts_are_those_of_the_types_that_programs_compute_with():
    assert set(LAYOUTS) == set(NARROW)
    for name, layout in LAYOUTS.items():
        numbers = all_of(name)
        size = exact_numbers(numbers[: layout.sign])
        assert layout.bytes == numbers.itemsize
        assert layout.special == next(iter(np.flatnonzero(~np.isfinite(size))), None)
        assert np.isnan(exact_numbers(numbers[layout.nan]))
        assert size[1] == 2.0 ** (1 - layout.bias - layout.fraction)


UNARY = {
    "arithmetic": lambda x: (-x, +x, abs(x), x**2, np.sign(x), np.sqrt(x), np.square(x)),
    "rounding": lambda x: (np.floor(x), np.ceil(x), np.rint(x), np.trunc(x)),
    "tests": lambda x: (np.isnan(x), np.isinf(x), np.isfinite(x), np.signbit(x), np.logical_not(x)),
    "casts": lambda x: tuple(x.astype(t) for t in ("f4", "f8", bool, "i1", "i2", "i4", "i8")),
    "bits": lambda x: x.view(f"u{x.itemsize}"),
    "numbers": lambda x: (x + 1, 2 - x, x * True, np.where(x > 1, x, 0)),
}
# Functions are rounded as `ml_dtypes` rounds those of C; NumPy's own of float16 may be a unit off.
FUNCTIONS = {
    "exponentials": lambda x: (np.exp(x), np.exp2(x), np.expm1(x), np.log(x), np.log1p(x)),
    "logarithms": lambda x: (np.log2(x), np.log10(x), np.sinh(x), np.cosh(x), np.tanh(x)),
    "angles": lambda x: (np.sin(x), np.cos(x), np.tan(x), np.arctan(x), np.arcsin(x), np.cbrt(x)),
}
BINARY = {
    "arithmetic": lambda x, y: (x + y, x - y, x * y, x / y),
    "division": lambda x, y: (x // y, x % y, np.fmod(x, y)),
    "comparisons": lambda x, y: (x < y, x <= y, x == y, x != y, x > y, x >= y),
    "extremes": lambda x, y: (np.maximum(x, y), np.minimum(x, y), np.fmax(x, y), np.fmin(x, y)),
    "choice": lambda x, y: (np.where(x > y, x, y), np.logical_and(x, y), np.logical_xor(x, y)),
    "chain": lambda x, y: (x * y + x) / 3 - np.maximum(y, x * x),
    "functions": lambda x, y: (np.arctan2(x, y), np.hypot(x, y), np.power(abs(x), y)),
}
# Sums are rounded after each addition, in NumPy's order.
OVER_AXES = {
    "sums": lambda x: (x.sum(), x.sum(0), x.sum(1), x[::2].sum(0), x[:, ::-1].sum(1)),
    "rows": lambda x: (x.sum(1, keepdims=True), x[3:9, 2:7].sum(1), x[:, 0].sum(), x[:0].sum(0)),
    "products": lambda x: ((abs(x) + 1).prod(0), (x * x).prod(1), x.cumsum(0), x.cumsum(), x.cumprod(1)),
    "means": lambda x: (x.mean(), x.mean(0), x.mean(1)),
    "extremes": lambda x: (x.max(), x.min(0), x.max(1), x.argmax(), x.argmin(1), (x > 0).any(0)),
    "moved": lambda x: (x[::-1], x.T, np.stack([x, x]), x.reshape(-1, 4), np.roll(x, 1, 0), x[x > 0]),
    "joined": lambda x: (np.concatenate([x, x + x]).sum(0), np.concatenate([x, x], 1).sum(1)),
}  # fmt: skip
# What NumPy adds up of float16 otherwise than in rows or columns is left to it.
OF_ML_DTYPES = {
    "spread": lambda x: (x.var(), x.std(0), x.var(1)),
    "axes": lambda x: (x.T.sum(), x.T.sum(0), (x.T + x.T).sum(), x.reshape(-1, 4, 6).sum((0, 2))),
}


@pytest.mark.broad(3)
@pytest.mark.parametrize("case", UNARY)
@each_type
def test_one_operand(name, case):
    same(UNARY[case], all_of(name))


@pytest.mark.broad(3)
@pytest.mark.parametrize("case", FUNCTIONS)
@pytest.mark.parametrize("name", NARROW)
def test_functions(name, case):
    same(FUNCTIONS[case], all_of(name))


def test_functions_of_halfs_are_one_unit_off_at_most():
    halfs = all_of("float16")
    for function in (np.exp, np.log, np.tanh, np.sin):
        with np.errstate(all="ignore"):
            found, exact = natively(function, halfs), function(halfs.astype("f8")).astype("f2")
        known = np.isfinite(exact) & np.isfinite(found)
        np.testing.assert_array_max_ulp(found[known], exact[known], 1)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))


@pytest.mark.broad(3)
@pytest.mark.parametrize("case", BINARY)
@each_type
def test_two_operands(name, case):
    if (name, case) == ("float16", "functions"):
        pytest.skip("NumPy's own functions are a unit off")
    x, y = pairs_of(name)
    same(BINARY[case], x, y)
    same(BINARY[case], x[99], y[17])


@each_type
def test_numbers_of_other_types_are_rounded_as_they_are(name):
    """Also where they lie between two floats: `ml_dtypes` rounds doubles twice, NumPy once."""
    finite = exact_numbers(all_of(name)).astype("f8")
    finite = np.sort(finite[np.isfinite(finite)])
    between = (finite[:-1] + finite[1:]) / 2
    doubles = [between, np.nextafter(between, np.inf), np.nextafter(between, -np.inf), finite * 2]
    bits = np.random.default_rng(0).integers(0, 1 << 64, 10_000, dtype=np.uint64)
    x = np.concatenate([*doubles, bits.view("f8")])
    single, whole = x.astype("f4"), np.arange(-70_000, 70_000, 7)
    nearby = [np.nextafter(single, np.float32(end)) for end in (np.inf, -np.inf)]
    to = dtype_from(name)
    same(lambda *given: tuple(x.astype(to) for x in given), x, single, *nearby, whole)
    same(lambda x: tuple(x.astype(dtype_from(other)) for other in NAMES), all_of(name))


@pytest.mark.broad(3)
@pytest.mark.parametrize("shape", [(40, 24), (12, 8), (200, 120)])
@each_type
def test_over_axes(name, shape):
    if shape == (200, 120) and name == "float16":
        pytest.skip("a mean of many elements is left to NumPy")
    x = drawn(name, *shape)
    for function in (*OVER_AXES.values(), *(OF_ML_DTYPES.values() if name != "float16" else ())):
        same(function, x)


def test_halfs_are_added_up_in_single_precision_along_rows_and_rounded_down_columns():
    x = drawn("float16", 300, 20)
    exact = x.astype("f4")
    same(lambda x: (x.sum(), x.sum(1), x.sum(0)), x)
    np.testing.assert_array_equal(natively(lambda x: x.sum(1), x), exact.sum(1).astype("f2"))
    assert (natively(lambda x: x.sum(0), x) != exact.sum(0).astype("f2")).any()
    both = ag.convert(lambda x: x.sum((0, 2)))
    np.testing.assert_array_equal(both(x.reshape(30, 10, 20)), x.reshape(30, 10, 20).sum((0, 2)))
    assert "along rows and others" in both.traces()[-1]._differentiable.run.reason


@pytest.mark.parametrize("name", [name for name in NARROW if name.endswith("uz")])
def test_a_sign_where_negative_zero_is_nan_is_left_to_the_plan(name):
    x, y = pairs_of(name)
    copied = ag.convert(np.copysign)
    assert_equal(copied(x, y), np.copysign(x, y))
    assert "negative zero" in copied.traces()[-1]._differentiable.run.reason


def total(x, n):
    found = x[0] - x[0]
    for i in range(n):
        found = found + x[i] * x[i]
        if found > 3:
            found = found / x[i]
    return found


def smoothed(x, n):
    for _ in range(n):
        x[1:-1] = (x[2:] + x[:-2]) / 2
    return x


def settled(x, n):
    number, rounds = x[3] * 2, 0
    while abs(number) > 0.125 and rounds < n:
        number, rounds = number * x[1], rounds + 1
    return number, rounds, -number if number < 0 else number


def filled(x, n):
    rows = []
    for i in range(n):
        rows.append(x[i] * x)
    return np.stack(rows), x[np.argmax(x)], np.full(3, x[1]), np.zeros(2, x.dtype) + x[0]


@pytest.mark.broad(3)
@pytest.mark.parametrize("function", [total, smoothed, settled, filled])
@each_type
def test_programs(name, function):
    x = drawn(name, 40)
    with np.errstate(all="ignore"):
        expected = function(x.copy(), np.int64(7))
    assert_equal(ag.convert(function, native=False)(x.copy(), np.int64(7)), expected)
    assert_equal(natively(function, x.copy(), np.int64(7)), expected)


PRODUCTS = {
    "matrices": lambda x, y: x @ y,
    "vectors": lambda x, y: x[0] @ y[:, 0],
    "letters": lambda x, y: np.einsum("ij,jk->ki", x, y),
    "tensors": lambda x, y: np.tensordot(x, y, 1),
    "rows": lambda x, y: np.vecdot(x, y.T[:1]),
    "patches": lambda x, y: ag.nn.conv1d(x[:, :, None], y[:3, None, :]),
    "windows": lambda x, y: ag.nn.avg_pool1d(x[:, :, None], 3),
}


@pytest.mark.broad(3)
@pytest.mark.parametrize("case", PRODUCTS)
@each_type
def test_products_are_summed_in_single_precision_and_rounded_once(name, case):
    """Of small whole numbers the sums are exact, in any order."""
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-2, 3, shape).astype(name) for shape in ((9, 30), (30, 7)))
    function = PRODUCTS[case]
    expected = np.asarray(function(x.astype("f4"), y.astype("f4"))).astype(name)
    assert_equal(np.asarray(ag.convert(function, native=False)(x, y)), expected)
    if (name, case) != ("float16", "letters"):  # an einsum of it is left to NumPy
        assert_equal(np.asarray(natively(function, x, y)), expected)


def loss(x, y):
    return np.sum(np.where(x > y, x * y, x) + x / (y * y + 1) - np.maximum(x, y) @ y)


@each_type
def test_gradients(name):
    x = drawn(name, 50)
    slopes = ag.grad(loss, (0, 1))
    found = natively(slopes, x, x[::-1].copy())
    assert {a.dtype for a in found} == {x.dtype}
    assert_equal(found, ag.convert(slopes, native=False)(x, x[::-1].copy()))


@each_type
def test_variables_and_numbers(name):
    """Scalars of Python, of the type, and known ones; what is kept in a variable."""
    ones, number = np.ones(5).astype(name), dtype_from(name).type(1.5)

    def counted(*, native):
        kept = ag.Variable(drawn(name, 5))

        @ag.convert(native=native)
        def step(x, n):
            kept.assign_add(x * number)
            kept.assign(np.where(kept > 1, kept - ones, kept + n))
            return kept * 2, number, x[0]

        step(ones, 3)
        found = step(ones, 3)
        assert isinstance(step.traces()[-1]._differentiable.run, Stateful) == native
        return [*map(np.asarray, found), kept.numpy()]

    assert_equal(counted(native=True), counted(native=False))
