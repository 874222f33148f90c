"""Reductions have NumPy's bits: sums are made in the same order."""

import re

import numpy as np
import pytest

import autograph as ag
from runtime import config, ops
from runtime.execute import plan
from runtime.lowering.llvm import sums
from runtime.lowering.stages import native_text
from tests.runtime.lowering.conftest import assert_same_bits

SIZES = [0, 1, 7, 8, 9, 16, 17, 100, 127, 128, 129, 136, 1000, 1023, 4097]
# Before 2.3, NumPy added up more elements than these in pieces.
SIZES += [100_003, 3_000_017] if np.lib.NumpyVersion(np.__version__) >= "2.3.0" else [8192]


def array(shape, dtype="f4"):
    return np.random.default_rng(9).normal(size=shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", SIZES)
def test_a_sum_has_the_bits_of_numpys(size, dtype, compare):
    compare(ops.sum, array(size, dtype))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", [137, 200, 239, 255, 256, 257])
def test_halves_of_few_do_not_wait_for_each_other(size, dtype, compare, traced, native_of):
    def squares(x):
        return ops.sum(x * x)

    x = array(size, dtype)
    compare(squares, x)
    assert ("counts" in native_of(traced(squares, x)).source) == (size > 256)


def test_a_sum_of_what_is_computed_has_them_too(compare):
    compare(lambda x, y: ops.mean((x - y) * (x - y)), array(10_007), array(10_007)[::-1].copy())


@pytest.mark.broad(5)
@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (1, 2), (0, 2), None])
@pytest.mark.parametrize("shape", [(2, 2, 3), (4, 5, 130), (3, 1, 9), (6, 40, 1)])
@pytest.mark.parametrize("op", [ops.sum, ops.mean, ops.max, ops.min])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes_are_reduced_as_numpy_reduces_them(op, shape, axis, keepdims, compare):
    if op in (ops.sum, ops.mean) and axis == (0, 2) and 1 not in shape:
        return  # rows of sums: NumPy goes over them in an order of its own
    compare(lambda x: op(x, axis=axis, keepdims=keepdims), array(shape, "f8"))


@pytest.mark.parametrize("axis", [0, (0, 1), (0, 2), (1, 2)])
@pytest.mark.parametrize("shape", [(8, 1, 1), (1, 16, 1), (9, 1, 1), (1, 8, 2), (2, 8, 1)])
def test_axes_of_one_make_no_rows_of_a_small_array(shape, axis, traced, native_of):
    arrays = [np.random.default_rng(seed).normal(size=shape) for seed in range(10)]
    graph = traced(lambda x: ops.sum(x * x, axis=axis), arrays[0])
    native, planned = native_of(graph), plan.prepare(graph)
    for x in arrays:
        assert_same_bits(native(x), planned(x))


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8"])
@pytest.mark.parametrize("op", [ops.sum, ops.mean, ops.any, ops.all, ops.max, ops.min])
def test_integers_and_bools_are_reduced_exactly(op, dtype, compare):
    x = np.arange(60).reshape(3, 20) % 3
    compare(op, x.astype(dtype))
    compare(lambda x: op(x, axis=0), x.astype(dtype))


@pytest.mark.parametrize("op", [ops.max, ops.min])
def test_a_nan_is_the_result_wherever_it_stands(op, compare):
    for size in (40, 1001):
        for position in (0, 20, 39, 300 % size, size - 1):
            x = array(size)
            x[position] = np.nan
            compare(op, x)
            compare(lambda x: op(abs(x)), x)


def test_many_floats_are_compared_once_where_none_is_a_nan(traced):
    texts = [native_text(traced(ops.max, array(size)), "llvm") for size in (100, 1000)]
    assert ["vector.reduce.or" in text for text in texts] == [False, True]


def test_rows_of_unknown_number_and_length_are_summed(compare):
    compare(lambda x: ops.sum(x * 2.0, axis=1), array((7, 300)), unknown=True)


@pytest.mark.broad(3)
@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("axis", [None, 0, (1, 2), -1])
@pytest.mark.parametrize("shape", [(3, 4, 5), (20, 3, 300), (2, 2, 4)])
def test_variances_and_what_else_is_composed(dtype, axis, shape, compare):
    x = np.random.default_rng(3).normal(size=shape).astype(dtype)
    for keepdims in (False, True):
        compare(lambda x: ops.var(x, axis=axis, keepdims=keepdims), x)
        compare(lambda x: ops.std(x, axis=axis, keepdims=keepdims, ddof=1), x)
        compare(lambda x: ops.prod(x, axis=axis, keepdims=keepdims), x)
        compare(lambda x: ops.count_nonzero(x > 0.5, axis=axis, keepdims=keepdims), x)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
@pytest.mark.parametrize(
    ("shape", "target"),
    [((3, 4), (4,)), ((30, 40), (40,)), ((30, 40), (30, 1)), ((30, 40), (1, 40)), ((30, 40), ()),
     ((2, 30, 4), (4,)), ((0, 3), (3,)), ((5, 1), (5, 1)), ((2, 3, 1), (3, 1))],
)  # fmt: skip
def test_sums_over_what_was_broadcast(dtype, shape, target, compare):
    x = (np.random.default_rng(3).normal(size=shape) * 3).astype(dtype)
    compare(lambda x: ops.sum_to(x, target), x)


@pytest.mark.parametrize("shape", [(2, 2, 2), (5, 2, 1, 3), (7, 3, 200), (7, 3, 11, 30), (1, 3, 4)])
@pytest.mark.parametrize("op", [ops.sum, ops.mean, ops.var], ids=lambda op: op.__name__)
def test_sums_over_axes_that_do_not_adjoin_are_in_the_order_of_numpy(op, shape, compare):
    x = np.random.default_rng(8).normal(size=shape) * 100
    for axes in ((0, len(shape) - 1), tuple(k for k in range(len(shape)) if k != 1)):
        compare(lambda x, axes=axes: op(x, axis=axes), x)
        if op is not ops.var:
            compare(lambda x, axes=axes: op(x, axis=axes), x, unknown=True)


@pytest.mark.parametrize("x", [np.float64(-0.0), np.float32(2.5), np.int32(7), np.uint8(200)])
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
def test_a_scalar_is_reduced(name, x, traced, native_of):
    reduce = getattr(np, name)
    native = native_of(traced(lambda x: reduce(x * x.dtype.type(1)), x))
    found, wanted = native(x)[0], reduce(x)
    assert (found, type(found), np.signbit(found)) == (wanted, type(wanted), np.signbit(wanted))


def growth(x, n):
    """Arrays that a `while` goes through, and a sum that ends it."""
    seen = x * 0
    while np.sum(x * x) < 100:
        x = 1.05 * x + 0.25
        seen = seen + np.tanh(x) * n
    return x, seen


@pytest.mark.broad(2)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", [17, 32, 50, 56, 63, 64, 65, 104, 111, 128, 129, 200, 208, 209])
def test_what_stays_in_registers_has_its_bits(size, dtype):
    x = np.random.default_rng(1).random(size).astype(dtype) / 8
    function = ag.convert(growth, native=True)
    actual, expected = function(x, 3), ag.convert(growth, native=False)(x, 3)
    np.testing.assert_array_equal(actual[0], expected[0])
    np.testing.assert_array_equal(
        ag.convert(short_growth, native=True)(x, 3), ag.convert(short_growth, native=False)(x, 3)
    )
    np.testing.assert_allclose(actual[1], expected[1], rtol=1e-6 if dtype == "f4" else 1e-13)
    assert function.traces()[0].execution == []


def short_growth(x, n):
    while np.sum(x * x) < 100:
        x = 1.05 * x + n
    return x


@pytest.fixture
def eights(monkeypatch):
    """Vectors of eight elements of double precision, on any machine."""
    monkeypatch.setattr(sums, "vector_bytes", lambda: 64)
    with config.cache_dir.using("off"):
        yield


def written_out(program, *inputs):
    text = ag.convert(program).get_concrete_function(*inputs).lower("llvm")
    return text.count("followup_all"), text.count('"llvm.loop.unroll.full"}\n')


def test_what_is_written_out_stays_small(eights):
    most = 13 * 8
    assert written_out(short_growth, np.ones(most), 3) == (1, 1)
    assert written_out(short_growth, np.ones(most + 8), 3) == (0, 0)
    assert written_out(lambda x, n: np.tanh(x) * n + np.sum(x), np.ones(most), 3) == (0, 0)


def of_all_loops(program, *inputs):
    """How many loops are written out, of how many."""
    text = ag.convert(program).get_concrete_function(*inputs).lower("llvm")
    facts = {line.partition(" = ")[0]: line for line in text.splitlines() if line.startswith("!")}
    loops = [facts[name] for name in re.findall(r"!llvm.loop (!\d+)", text)]
    out = [name for name, fact in facts.items() if "unroll.full" in fact and "distinct" not in fact]
    return sum(any(re.search(rf"{name}\b", fact) for name in out) for fact in loops), len(loops)


def test_first_values_are_given_in_registers_too(eights):
    """The copy before a `while`, its sum, its array, and what its gradient begins with and does."""
    gradient = ag.grad(lambda x: np.sum(short_growth(x, 3)))
    assert of_all_loops(gradient, np.ones(64)) == (5, 5)
    assert of_all_loops(gradient, np.ones(14 * 8))[0] == 0


def test_what_takes_long_is_not_written_out(eights):
    def many(x, n):
        while n > 0:
            for k in range(8):
                x = np.sin(x + k) * np.tanh(x * k)
            n = n - 1
        return x

    assert written_out(many, np.ones(64), np.int64(3)) == (0, 0)


def turned_chain(x, order):
    return ops.permute_dims(x * 2.0, order) + 1.0


@pytest.mark.broad(9)
@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (1, 2), (0, 2), None])
@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
@pytest.mark.parametrize("op", [ops.sum, ops.mean, ops.max, ops.var, ops.std])
def test_axes_in_another_order_are_added_up_in_that_of_memory(op, order, axis, compare):
    x = array((5, 11, 131))
    compare(lambda x: op(turned_chain(x, order), axis=axis), x)
    compare(lambda x: op(turned_chain(x, order), axis=axis, keepdims=True) * 2.0, x)


def test_a_transpose_of_what_is_computed_is_no_array(traced):
    x = array((50, 60))
    text = native_text(traced(lambda x: ops.sum(turned_chain(x, (1, 0)), axis=0), x), "kernels")
    assert text.count("allocate") == 1 and "in pairs over i < 60" in text
