"""Convolution as loops: next to the plan, whose kernels NumPy computes."""

import numpy as np
import pytest

import autograph as ag
from runtime import ops
from runtime.execute import plan
from runtime.ops.signals import convolution as conv
from runtime.passes import optimize
from tests.runtime.lowering.windows import CASES, attributes, random


@pytest.mark.broad(3)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    ("channels", "features", "groups", "dtype"),
    [
        (1, 16, 1, "f4"), (5, 37, 1, "f8"), (6, 4, 2, "f4"), (5, 6, 1, "i4"), (3, 37, 1, "f4"),
        # Each channel by itself, with one feature, some, and more than are written out.
        (9, 9, 9, "f4"), (4, 12, 4, "f8"), (2, 132, 2, "i4"),
    ],
)  # fmt: skip
def test_a_convolution_and_its_adjoints_are_those_of_the_plan(
    case, channels, features, groups, dtype, traced, native_of
):
    sizes, kernel, *_ = case
    how = {**attributes(case), "groups": groups}
    x = random(3, *sizes, channels, dtype=dtype)
    k = random(*kernel, channels // groups, features, dtype=dtype, seed=1)
    g = random(*conv.convolution(x, k, **how).shape, dtype=dtype, seed=2)
    calls = [
        (lambda x, k: conv.convolution(x, k, **how), (x, k)),
        (lambda g, k: conv.convolution_input(g, k, size=sizes, **how), (g, k)),
        (lambda x, g: conv.convolution_kernel(x, g, size=kernel, **how), (x, g)),
    ]
    for function, given in calls:
        graph = traced(function, *given)
        native = native_of(graph)
        (actual,), (expected,) = native(*given), plan.prepare(graph)(*given)
        assert native._plan is None and not native.outside
        assert actual.dtype == expected.dtype
        scale = np.abs(expected).max() if expected.size else 1
        tolerance = {"f4": 1e-5, "f8": 1e-13}.get(dtype, 0)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("case", CASES[3:5])
def test_how_many_there_are_in_a_batch_need_not_be_known(case, native_of):
    """A batch of an argument, and batches that are cut out of an array, the last one shorter."""
    sizes, kernel, *_ = case
    how = {**attributes(case), "groups": 2}
    x = random(7, *sizes, 4, dtype="f4")
    k = random(*kernel, 2, 6, dtype="f4", seed=1)

    def slopes(x, k):
        return ag.grad(lambda x, k: ag.sum(conv.convolution(x, k, **how) ** 2.0), (0, 1))(x, k)

    def batches(x, k, size):
        total, found = ag.zeros_like(k), ag.zeros_like(x)
        for i in range(0, x.shape[0] + size, size):  # the last one is empty
            of_input, of_kernel = slopes(x[i:][:3], k)
            total = total + of_kernel
            found[i : i + 3] = of_input
        return found, total

    wanted = slopes(x, k)
    open_batch = ag.TensorSpec([None, *sizes, 4], "float32")
    runs = [
        (ag.convert(slopes).get_concrete_function(open_batch, k), (x, k)),
        (ag.convert(batches).get_concrete_function(x, k, np.int64(3)), (x, k, np.int64(3))),
    ]
    for concrete, given in runs:
        native = native_of(optimize(concrete.graph))
        for found, right in zip(native(*given), wanted, strict=True):
            scale = np.abs(right).max()
            np.testing.assert_allclose(found, right, rtol=0, atol=1e-5 * scale)
        assert native._plan is None and not native.outside


@pytest.mark.broad(3)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_no_size_of_pictures_need_be_known(case, groups, native_of):
    """One graph for sizes that leave each remainder by the strides; adjoints of any of them."""
    sizes, kernel, *_ = case
    how = {**attributes(case), "groups": groups}
    k = random(*kernel, 4 // groups, 8, dtype="f4", seed=1)

    def slopes(x, k):
        made = conv.convolution(x, k, **how)
        squares = lambda x, k: ag.sum(conv.convolution(x, k, **how) ** 2.0)  # noqa: E731
        return made, *ag.grad(squares, (0, 1))(x, k)

    unknown = ag.TensorSpec([*[None] * (len(sizes) + 1), 4], "float32")
    concrete = ag.convert(slopes).get_concrete_function(unknown, k)
    native = native_of(optimize(concrete.graph))
    for more in range(3):
        x = random(3, *(n + more for n in sizes), 4, dtype="f4")
        for found, right in zip(native(x, k), map(np.asarray, slopes(x, k)), strict=True):
            scale = np.abs(right).max()
            np.testing.assert_allclose(found, right, rtol=0, atol=1e-5 * scale)
    assert native._plan is None and not native.outside


def test_a_window_that_does_not_fit_into_a_size_of_the_call_raises():
    how = {"strides": (1,), "padding": "valid", "dilations": (1,), "groups": 1}
    k = random(3, 2, 2, dtype="f4")
    spec = ag.TensorSpec([None, None, 2], "float32")
    graph = ag.convert(lambda x: conv.convolution(x, k, **how), input_signature=[spec])
    assert graph(random(2, 3, 2, dtype="f4")).shape == (2, 1, 2)
    with pytest.raises(ValueError, match="length 3 does not fit into spatial axis 0.* size 2"):
        graph(random(2, 2, 2, dtype="f4"))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_reaches_its_windows_only(bad, traced, native_of):
    x, k = random(2, 9, 9, 3), random(3, 3, 3, 5, seed=1)
    x[1, 4, 8, 2] = bad
    how = {"strides": (1, 1), "padding": "same", "dilations": (1, 1), "groups": 1}
    graph = traced(lambda x, k: conv.convolution(x, k, **how), x, k)
    (actual,), (expected,) = native_of(graph)(x, k), plan.prepare(graph)(x, k)
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


def test_operands_are_read_where_they_are(traced, native_of):
    x, k = random(4, 20, 20, 6), random(3, 3, 8, 6, seed=1)
    how = {"strides": (1, 1), "padding": "valid", "dilations": (1, 1), "groups": 1}

    def function(x, k):
        return conv.convolution(x[::2, 3:, ::-1], ops.swapaxes(k, 2, 3), **how)

    graph = traced(function, x, k)
    (actual,), (expected,) = native_of(graph)(x, k), plan.prepare(graph)(x, k)
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


def test_a_convolution_of_nothing_is_nothing(traced, native_of):
    how = {"strides": (1,), "padding": "valid", "dilations": (1,), "groups": 1}
    for batch, channels in ((0, 2), (2, 0)):
        x, k = random(batch, 5, channels), random(3, channels, 4)
        graph = traced(lambda x, k: conv.convolution(x, k, **how), x, k)
        (actual,), (expected,) = native_of(graph)(x, k), plan.prepare(graph)(x, k)
        np.testing.assert_array_equal(actual, expected, strict=True)
