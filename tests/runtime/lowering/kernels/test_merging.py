"""Loops that follow each other are one loop where no round needs another."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.lowering.kernels import scalar
from runtime.lowering.kernels.kernel import Buffer, Let, Register, load, read
from runtime.lowering.kernels.merging import Summary
from runtime.lowering.kernels.scalar import call, const


def kernels(sample, *arguments):
    return ag.convert(sample).get_concrete_function(*arguments).lower("kernels")


def loops(text):
    return sum(line.strip().startswith("for ") for line in text.splitlines())


X = np.random.default_rng(3).normal(size=(50, 40)).astype("f4")


def several(x):
    y = x * x
    z = y + 1
    return y, z, y * z


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def shifted(x):
    y = x * 2
    return y[1:] + y[:-1]


def columns(x):
    y = x * 2
    return y - ops.sum(y, axis=0)


def masked(x, n):
    y, count = x * 1, np.zeros(x.shape, np.int32)
    for _ in range(n):
        inside = y * y < 4
        count = count + inside
        y = np.where(inside, y * y + x, y)
    return count, y


def test_results_of_one_index_space_are_one_loop():
    assert loops(kernels(several, X)) == 1


def test_rows_are_gone_through_once():
    text = kernels(softmax, np.tile(X, 2))
    assert text.count("for each row") == 1 and text.count("allocate") == text.count("[1]") + 2


def test_what_reads_other_elements_is_another_loop():
    assert loops(kernels(shifted, X[0])) == 2


def test_a_round_of_a_loop_goes_through_the_arrays_once():
    text = kernels(masked, X, np.int64(3))
    assert loops(text[text.index("loop:") :]) == 1


def growth(x):
    y = x
    while np.sum(y * y) < 1e6:
        y = 1.05 * y + 0.01 * y * y
    return np.sum(y)


def growth_gradient(x):
    return ag.grad(growth)(x)


def test_what_a_loop_leaves_for_its_gradient_is_left_where_it_is_made():
    text = kernels(growth_gradient, X[0])
    forward = text[text.index("loop:") : text.index("poll")]
    assert loops(forward) == 1 and "reserve" in forward and "allocate" not in forward


@pytest.mark.parametrize("size", [17, 40, 131])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_what_a_loop_leaves_for_its_gradient_has_its_bits(size, dtype):
    x = np.random.default_rng(size).random(size).astype(dtype)
    native, plan = (ag.convert(growth_gradient, native=is_native) for is_native in (True, False))
    np.testing.assert_array_equal(native(x), plan(x), strict=True)


@pytest.mark.parametrize("shape", [(50, 40), (3, 1000), (1, 20), (20, 1), (0, 30), (30, 0)])
@pytest.mark.parametrize("function", [several, columns, shifted])
def test_the_bits_stay_what_they_were(function, shape, compare):
    x = np.random.default_rng(5).normal(size=shape).astype("f4")
    compare(function, x)


@pytest.mark.broad(3)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "i8"])
@pytest.mark.parametrize("size", [1, 7, 8, 9, 15, 16, 30, 31, 32, 33, 41, 63, 64, 100, 1000])
def test_extremes_of_rows(size, dtype, compare):
    x = (np.random.default_rng(size).normal(size=(5, size)) * 50).astype(dtype)
    compare(lambda x: ops.max(x, axis=1), x)
    compare(lambda x: ops.min(x * 2, axis=1), x)
    compare(lambda x: ops.max(x), x)
    if dtype[0] == "f" and size > 2:
        for position in (0, size // 2, size - 1):
            x[2, position] = np.nan
            compare(lambda x: ops.max(x, axis=1), x)
            compare(lambda x: ops.min(x, axis=-1), x)


def test_a_loop_with_masks_gives_what_python_gives():
    for actual, expected in zip(ag.convert(masked)(X, np.int64(9)), masked(X, 9), strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_softmax_is_that_of_numpy():
    np.testing.assert_allclose(ag.convert(softmax)(X), softmax(X), rtol=1e-6)


def test_what_an_expression_reads_is_looked_for_once(monkeypatch):
    buffer = Buffer("x", "f8", (4,))
    loaded = load(buffer, read(Register("i", "i8")))
    x = call("add", call("mul", loaded, loaded), const(2.0, "f8"))
    assert [part.function for part in x.sources] == ["load", "read"]
    monkeypatch.setattr(scalar, "parts_of", None)
    assert [access.buffer for access in Summary().add([Let(Register("y", "f8"), x)]).accesses] == [
        buffer
    ]
