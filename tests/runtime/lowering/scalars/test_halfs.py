"""float16 natively: computed in single precision and rounded after each step, as NumPy does."""

import operator

import numpy as np
import pytest

import autograph as ag
from tests.runtime.lowering.scalars.test_complex_numbers import natively, same

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

ALL = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
OTHERS = np.random.default_rng(0).permutation(ALL)


BINARY = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul,
    "divide": operator.truediv, "less": operator.lt, "equal": operator.eq, "maximum": np.maximum,
    "floor_divide": operator.floordiv, "remainder": operator.mod,
    "where": lambda x, y: np.where(x > y, x, y), "steps": lambda x, y: (x * y + x) / 3 - y * 0.1,
}  # fmt: skip
UNARY = {
    "negative": operator.neg, "abs": abs, "square": lambda x: x**2, "sqrt": np.sqrt,
    "floor": np.floor, "rint": np.rint, "isnan": np.isnan, "single": lambda x: x.astype("f4"),
    "double": lambda x: x.astype("f8"), "bool": lambda x: x.astype(bool),
}  # fmt: skip


@pytest.mark.parametrize("names", [list(BINARY)[:6], list(BINARY)[6:]])
def test_two_operands(names):
    """Each half with another one, and with one; numbers too."""
    same(lambda x, y, z: tuple(BINARY[name](x, o) for name in names for o in (y, z)),
         ALL, OTHERS, OTHERS[77])  # fmt: skip
    same(lambda x, y: tuple(BINARY[name](x, y) for name in names), ALL[9000], ALL[17_001])


def test_one_operand():
    same(lambda x: tuple(f(x) for f in UNARY.values()), ALL)


def test_functions_are_one_unit_off_at_most():
    for function in (np.exp, np.log, np.tanh, np.sin):
        with np.errstate(all="ignore"):
            found, exact = natively(function, ALL), function(ALL.astype("f8")).astype("f2")
        known = np.isfinite(exact) & np.isfinite(found)
        np.testing.assert_array_max_ulp(found[known], exact[known], 1)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(exact))


def test_numbers_of_other_types_are_rounded_once():
    """Also where single precision would lie between two halfs."""
    finite = np.sort(ALL[np.isfinite(ALL)].astype("f8"))
    between = (finite[:-1] + finite[1:]) / 2
    doubles = [between, np.nextafter(between, np.inf), np.nextafter(between, -np.inf)]
    bits = np.random.default_rng(0).integers(0, 1 << 64, 10_000, dtype=np.uint64)
    x = np.concatenate([*doubles, bits.view("f8")])
    whole = np.arange(-70_000, 70_000, 7)
    same(lambda x, y, n: (x.astype("f2"), y.astype("f2"), n.astype("f2")),
         x, x.astype("f4"), whole)  # fmt: skip


@pytest.mark.parametrize("n", [1, 5, 8, 129, 1000, 20_000])
def test_sums_are_in_single_precision(n):
    x = np.random.default_rng(n).normal(size=n).astype("f2")
    same(lambda x: (x.sum(), (x * x).sum(), x.max(), x.argmin()), x)
    if n <= 1000:
        same(lambda x: (x.mean(), x.sum(1)), np.stack([x, x + x]))


def test_sums_over_rows_are_a_plan():
    """NumPy rounds each step there."""
    x = np.random.default_rng(0).normal(size=(30, 20)).astype("f2")
    converted = ag.convert(lambda x: x.sum(0))
    np.testing.assert_array_equal(converted(x), x.sum(0))
    assert "along rows" in converted.traces()[-1]._differentiable.run.reason


def total(x, n):
    found = np.float16(0)
    for i in range(n):
        found = found + x[i] * x[i]
    return found


def smoothed(x, n):
    for _ in range(n):
        x[1:-1] = (x[2:] + x[:-2]) / 2
    return x


@pytest.mark.parametrize("function", [total, smoothed])
def test_programs(function):
    same(function, np.random.default_rng(0).normal(size=40).astype("f2"), np.int64(7))


def test_products_of_matrices():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(9, 30)).astype("f2"), rng.normal(size=(30, 7)).astype("f2")
    found = natively(np.matmul, x, y)
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, x.astype("f4") @ y.astype("f4"), rtol=2e-3, atol=2e-3)


def test_gradients():
    def loss(x, y):
        return np.sum(np.tanh(x * y) + x / (y * y + 1))

    x = np.random.default_rng(0).normal(size=50).astype("f2")
    found = natively(ag.grad(loss, (0, 1)), x, x[::-1].copy())
    expected = ag.convert(ag.grad(loss, (0, 1)), native=False)(x, x[::-1].copy())
    for a, e in zip(found, expected, strict=True):
        assert a.dtype == np.float16
        np.testing.assert_allclose(a, e, rtol=4e-3, atol=1e-3)
