"""Products of matrices: integers exactly, floats up to the order of the sum."""

import re

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.execute.native.prepared import Native
from runtime.lowering.llvm import parts
from runtime.lowering.stages import native_text

SHAPES = [((1, 2), (2, 1)), ((3,), (3,)), ((4, 10), (10, 9)), ((5, 30), (30,)), ((20,), (20, 3)),
          ((3, 40), (40, 5)), ((300,), (300,)), ((7, 300), (300,)), ((1, 70), (70, 33)),
          ((70, 33), (33, 1)), ((37, 41), (41, 43)), ((259,), (259, 200)), ((2, 130), (130, 140)),
          ((65, 513), (513, 129))]  # fmt: skip
STACKS = [((2, 3, 20, 30), (30, 7)), ((4, 1, 20, 30), (5, 30, 7)), ((20, 30), (4, 30, 7)),
          ((30,), (4, 30, 7)), ((4, 20, 30), (30,)), ((3, 700, 20), (3, 20, 9))]  # fmt: skip
EMPTY = [((0, 5), (5, 3)), ((30, 0), (0, 4)), ((3, 50), (50, 0)), ((0, 20, 30), (30, 7))]
RTOL = {"f4": 1e-5, "f8": 1e-13}


def operands(one, other, dtype):
    rng = np.random.default_rng(1)
    if dtype[0] == "f":
        return [(1 + rng.random(s)).astype(dtype) for s in (one, other)]
    if dtype == "?":
        return [rng.random(s) < 0.05 for s in (one, other)]
    return [rng.integers(-(2**31), 2**31, s).astype(dtype) for s in (one, other)]


def check(actual, expected):
    """The result is NumPy's: exactly, unless the order of a sum of floats matters."""
    assert type(actual) is type(expected)
    rtol = RTOL.get(np.asarray(expected).dtype.str[1:], 0)
    np.testing.assert_allclose(actual, expected, rtol=rtol, strict=isinstance(expected, np.ndarray))


@pytest.mark.broad(3)
@pytest.mark.parametrize(("one", "other"), [*SHAPES, *STACKS, *EMPTY])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u1", "i2", "?"])
def test_a_product_is_that_of_numpy(one, other, dtype, traced, native_of):
    x, y = operands(one, other, dtype)
    (actual,) = native_of(traced(ops.matmul, x, y))(x, y)
    check(actual, x @ y)


@pytest.mark.broad(2)
@pytest.mark.parametrize(("one", "other"), [*SHAPES, *STACKS, *EMPTY])
@pytest.mark.parametrize("dtypes", ["c16 c16", "c8 c8", "f8 c16", "c16 c8"])
def test_complex_products_are_those_of_numpy(one, other, dtypes, traced, native_of):
    rng = np.random.default_rng(1)
    x, y = (
        (rng.normal(size=s) + 1j * rng.normal(size=s)).astype(dtype)
        if dtype[0] == "c"
        else rng.normal(size=s)
        for s, dtype in zip((one, other), dtypes.split(), strict=True)
    )
    for left, right in ((x, y), (x[..., ::2], y[..., ::2] if y.ndim == 1 else y[..., ::2, :])):
        expected = left @ right
        (actual,) = native_of(traced(ops.matmul, left, right))(left, right)
        exactness = 1e-5 if expected.dtype == "c8" else 1e-13
        scale = exactness * max(1, left.shape[-1])
        np.testing.assert_allclose(actual, expected, rtol=exactness, atol=scale, strict=True)


@pytest.mark.parametrize("size", [0, 1, 3, 10, 130, 1001])
@pytest.mark.parametrize("dtypes", ["c16 c16", "c8 c8", "c16 f8", "f8 c16"])
def test_scalar_products_of_complex_vectors_are_those_of_numpy(size, dtypes, traced, native_of):
    rng = np.random.default_rng(1)
    x, y = ((rng.normal(size=size) * (1 + 2j)).astype(d) if d[0] == "c" else rng.normal(size=size)
            for d in dtypes.split())  # fmt: skip
    for function in (np.vdot, np.vecdot):
        expected = function(x, y)
        (actual,) = native_of(traced(lambda x, y, f=function: f(x, y), x, y))(x, y)
        exactness = 1e-5 if expected.dtype == "c8" else 1e-13
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(actual, expected, rtol=exactness, atol=exactness * size)


def test_complex_operands_are_read_where_they_are(traced):
    vector, matrix = np.ones(100, "c16"), np.ones((100, 100), "c16")
    for x, y in ((vector, matrix), (matrix, vector)):
        text = native_text(traced(ops.matmul, x, y), "kernels")
        sizes = [np.prod(eval(n)) for n in re.findall(r"allocate .*: f8(\[.*?\])", text)]
        assert sizes and max(sizes) <= 400


@pytest.mark.parametrize(("one", "other"), [s for s in SHAPES if 1 not in s[0] + s[1]])
@pytest.mark.parametrize("dtype", ["f4", "i8"])
def test_sizes_need_not_be_known(one, other, dtype, traced, native_of):
    x, y = operands(one, other, dtype)
    (actual,) = native_of(traced(ops.matmul, x, y, unknown=True))(x, y)
    check(actual, x @ y)


@pytest.mark.broad(3)
@pytest.mark.parametrize(("one", "other"), [s for s in SHAPES if len(s[0]) == len(s[1]) == 2])
@pytest.mark.parametrize("which", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("unknown", [False, True])
def test_transposed_operands_are_read_where_they_are(one, other, which, unknown, traced, native_of):
    if unknown and 1 in one + other:
        return
    x, y = operands(one, other, "f8")
    given = [z.T.copy() if is_turned else z for z, is_turned in zip((x, y), which, strict=True)]

    def function(*arrays):
        turned = [
            ops.permute_dims(z, (1, 0)) if is_turned else z
            for z, is_turned in zip(arrays, which, strict=True)
        ]
        return ops.matmul(*turned)

    graph = traced(function, *given, unknown=unknown)
    check(native_of(graph)(*given)[0], x @ y)
    text = native_text(graph, "kernels")
    assert "products of" not in text or text.count("allocate") == 1


def test_parts_of_arrays_are_read_where_they_are(traced, native_of):
    x, y = operands((5, 40, 60), (80, 50), "f8")

    def function(x, y, k):
        return ops.matmul(x[k, ::2, 5:45], y[79:39:-1])

    (actual,) = native_of(traced(function, x, y, np.int64(3)))(x, y, np.int64(3))
    check(actual, x[3, ::2, 5:45] @ y[79:39:-1])


def test_operands_are_computed_and_converted_before(traced, native_of):
    x, y = operands((30, 40), (40, 50), "f4")[0], operands((30, 40), (40, 50), "f8")[1]
    (actual,) = native_of(traced(lambda x, y: ops.matmul(x * 2, y + 1), x, y))(x, y)
    check(actual, (x * 2) @ (y + 1))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("width", [1, 5, 40])
def test_what_is_no_number_stays_in_its_row(bad, width, traced, native_of):
    x, y = operands((9, 70), (70, width), "f4")
    x[4, 69] = bad
    (actual,) = native_of(traced(ops.matmul, x, y))(x, y)
    np.testing.assert_allclose(actual, x @ y, rtol=1e-5)


def test_what_is_added_to_a_product_joins_its_loop(traced, native_of):
    x, y, b = np.ones((4, 8)), np.ones((8, 9)), np.arange(9.0)
    (actual,) = native_of(traced(lambda x, y, b: x @ y + b, x, y, b))(x, y, b)
    np.testing.assert_array_equal(actual, x @ y + b)


@pytest.mark.parametrize("vector_bytes", [16, 32])
@pytest.mark.parametrize("dtype", ["f4", "f8", "u1"])
def test_shorter_vectors_do(vector_bytes, dtype, traced, native_of, monkeypatch):
    monkeypatch.setattr(parts, "vector_bytes", lambda: vector_bytes)
    for one, other in (SHAPES[-1], STACKS[0], STACKS[4]):
        x, y = operands(one, other, dtype)
        check(native_of(traced(ops.matmul, x, y))(x, y)[0], x @ y)
        check(native_of(traced(ops.matmul, x, y, unknown=len(one) == 2))(x, y)[0], x @ y)
    for rows, terms, columns in ((40, 37, 33), (40, 64, 21), (1, 70, 70), (2, 70, 33), (7, 200, 6)):
        x, y = operands((3, rows, terms), (3, columns, terms), dtype)
        for unknown in (False, True):
            graph = traced(lambda x, y: x @ y.swapaxes(1, 2), x, y, unknown=unknown)
            check(native_of(graph)(x, y)[0], x @ y.swapaxes(1, 2))


def rnn(x, w, u, h, n):
    for t in range(n):
        h = np.tanh(x[t] @ w + h @ u)
    return h


@pytest.mark.parametrize("rows", [1, 3, 8, 16, 17])
@pytest.mark.parametrize("columns", [70, 512])
def test_what_comes_from_memory_is_fetched_and_read_by_one_part(rows, columns, traced, native_of):
    draw = np.random.default_rng(rows)
    x = draw.normal(size=(rows, 9001)).astype("f4")
    y = draw.normal(size=(9001, columns)).astype("f4")
    graph = traced(ops.matmul, x, y)
    is_streamed = rows <= 16 and columns * 4 >= 512
    assert ("@llvm.prefetch" in native_text(graph, "llvm")) == is_streamed
    (actual,) = native_of(graph)(x, y)
    np.testing.assert_allclose(actual, x.astype("f8") @ y.astype("f8"), rtol=1e-3, atol=1e-2)


def test_products_in_a_loop_are_part_of_it():
    x, w = operands((6, 8, 20), (20, 30), "f8")
    u, h = operands((30, 30), (8, 30), "f8")
    given = x, w / 100, u / 100, h, np.int64(6)
    function = ag.convert(rnn)
    np.testing.assert_allclose(function(*given), rnn(*given), rtol=1e-12)
    assert isinstance(function.traces()[-1]._differentiable.run, Native)


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ((16, 300, 64), (16, 70, 64), ("i64 16", "around")),
        ((16, 300, 64), (70, 64), ("i64 16", "rows")),
        ((128, 784), (64, 784), ("i64 2", "rows")),
        ((2, 1680, 64), (2, 2000, 64), ("i64 16", "panels")),
    ],
)
def test_parts_pack_the_same_columns_seldom(one, other, wanted, traced, native_of):
    """What is around is cut before rows are, and rows only if there are enough for a copy each."""
    x, y = operands(one, other, "f4")
    graph = traced(lambda x, y: x @ y.swapaxes(-1, -2), x, y)
    text = native_text(graph, "llvm")
    ((count,),) = [re.findall(r"ptr @part0, ptr %\w+, (i64 \d+)\)", text)]
    (given,) = re.findall(r"call void @contract0\((.*)\)", text[text.index("void @part0(ptr %") :])
    ranges = zip(("around", "rows", "panels"), given.split(", ")[-6::2], strict=True)
    assert (count, *(name for name, first in ranges if first != "i64 0")) == wanted
    check(native_of(graph)(x, y)[0], x @ y.swapaxes(-1, -2))


def scores(q, k):
    return np.einsum("bthd,bshd->bhts", q, k)


@pytest.mark.parametrize(
    "shape", [(1, 130, 2, 70), (5, 40, 4, 21), (8, 64, 4, 16), (70, 33, 2, 16)]
)
def test_parts_of_products_of_batches_are_those_of_numpy(shape):
    q, k = operands(shape, (shape[0], shape[1] + 3, *shape[2:]), "f8")
    function = ag.convert(scores)
    np.testing.assert_allclose(function(q, k), scores(q, k), rtol=1e-12)
    assert isinstance(function.traces()[-1]._differentiable.run, Native)
