"""Convolution (B8.13) against plain loops, and its adjoints against the inner products that define them."""

from itertools import product

import numpy as np
import pytest

from runtime.ops.signals import patches
from runtime.ops.signals.convolution import convolution, convolution_input, convolution_kernel
from runtime.ops.signals.windows import Windows


def by_loops(x, kernel, windows, groups):
    """The sum over each window, element by element."""
    batch, channels = x.shape[0], x.shape[-1]
    *size, per_group, features = kernel.shape
    out = np.zeros((batch, *windows.counts, features), np.result_type(x, kernel))
    for place in product(*map(range, windows.counts)):
        for t in product(*map(range, size)):
            at = tuple(
                o * s + k * d - b
                for o, s, k, d, b in zip(
                    place, windows.strides, t, windows.dilations, windows.before, strict=True
                )
            )
            if not all(0 <= i < n for i, n in zip(at, windows.shape, strict=True)):
                continue
            for g in range(groups):
                part = slice(g * features // groups, (g + 1) * features // groups)
                taken = x[(slice(None), *at)][:, g * per_group : (g + 1) * per_group]
                out[(slice(None), *place, part)] += taken @ kernel[t][:, part]
    assert channels == per_group * groups
    return out


def random(*shape, dtype="f8", seed=0):
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


CASES = [
    # sizes, kernel, groups, strides, padding, dilations
    ((6,), (3, 2, 4), 1, (1,), "valid", (1,)),
    ((6,), (3, 2, 4), 1, (2,), "same", (1,)),
    ((4,), (2, 2, 3), 1, (2,), ((1, 0),), (1,)),  # as long with its padding as without
    ((4,), (2, 2, 3), 1, (1,), ((2, 0),), (1,)),
    ((7, 6), (3, 2, 3, 2), 1, (1, 1), "valid", (1, 1)),
    ((7, 6), (3, 2, 3, 2), 1, (1, 1), "same", (1, 1)),
    ((7, 6), (3, 2, 3, 2), 1, (2, 3), "same", (1, 1)),
    ((7, 6), (3, 2, 3, 2), 1, (3, 1), ((2, 1), (0, 4)), (1, 1)),
    ((7, 6), (3, 2, 3, 2), 1, (1, 1), ((5, 4), (3, 0)), (1, 1)),
    ((7, 6), (3, 2, 3, 2), 1, (1, 1), "same", (2, 3)),
    ((7, 6), (3, 2, 3, 2), 1, (2, 1), "valid", (2, 1)),
    ((7, 6), (1, 1, 3, 2), 1, (1, 1), "valid", (1, 1)),
    ((7, 6), (1, 1, 3, 2), 1, (2, 2), "valid", (1, 1)),
    ((7, 6), (3, 2, 2, 6), 2, (1, 1), "valid", (1, 1)),
    ((7, 6), (3, 2, 2, 6), 3, (2, 1), "same", (1, 2)),
    ((7, 6), (3, 2, 1, 4), 4, (1, 1), "same", (1, 1)),
    ((7, 6), (3, 2, 1, 8), 4, (2, 2), ((1, 2), (0, 1)), (1, 1)),
    ((5, 4, 6), (2, 3, 2, 2, 3), 1, (1, 2, 1), "same", (1, 1, 2)),
]


@pytest.fixture(params=["whole", "blocks"])
def blocks(request, monkeypatch):
    """Patches in one block, and in blocks of few windows."""
    if request.param == "blocks":
        monkeypatch.setattr(patches, "_BLOCK", 500)


@pytest.fixture(params=["rows", "channels"])
def gathering(request, monkeypatch):
    """Patches gathered row by row, and channel by channel."""
    monkeypatch.setattr(patches, "_SHORT", 0 if request.param == "rows" else 10**9)


@pytest.mark.usefixtures("blocks", "gathering")
@pytest.mark.parametrize(("sizes", "kernel", "groups", "strides", "padding", "dilations"), CASES)
def test_it_sums_products_over_windows(sizes, kernel, groups, strides, padding, dilations):
    x, kernel = random(3, *sizes, kernel[-2] * groups), random(*kernel, seed=1)
    windows = Windows.over(sizes, kernel.shape[:-2], strides, padding, dilations)
    found = convolution(x, kernel, strides, padding, dilations, groups).numpy()
    np.testing.assert_allclose(found, by_loops(x, kernel, windows, groups), rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("blocks", "gathering")
@pytest.mark.parametrize(("sizes", "kernel", "groups", "strides", "padding", "dilations"), CASES)
def test_its_adjoints_give_the_same_inner_product(
    sizes, kernel, groups, strides, padding, dilations
):
    how = {"strides": strides, "padding": padding, "dilations": dilations, "groups": groups}
    x, kernel = random(3, *sizes, kernel[-2] * groups), random(*kernel, seed=1)
    out = convolution(x, kernel, **how).numpy()
    g = random(*out.shape, seed=2)
    gx = convolution_input(g, kernel, size=sizes, **how).numpy()
    gk = convolution_kernel(x, g, size=kernel.shape[:-2], **how).numpy()
    assert gx.shape == x.shape and gk.shape == kernel.shape
    np.testing.assert_allclose([np.vdot(gx, x), np.vdot(gk, kernel)], np.vdot(g, out), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u1", "i8", "c8", "c16"])
@pytest.mark.parametrize("groups", [1, 2])
def test_results_have_the_promoted_dtype(dtype, groups):
    x, kernel = random(2, 4, 4, 2, dtype=dtype), random(2, 2, 2 // groups, 2, dtype=dtype, seed=1)
    windows = Windows.over((4, 4), (2, 2), (1, 1), "valid", (1, 1))
    found = convolution(x, kernel, (1, 1), "valid", (1, 1), groups).numpy()
    assert found.dtype == x.dtype
    expected = by_loops(x, kernel, windows, groups)
    exact = np.dtype(dtype).kind in "iu"
    np.testing.assert_allclose(found, expected, rtol=0 if exact else {"f2": 1e-2}.get(dtype, 1e-5))


def test_halves_are_summed_in_single_precision():
    x, kernel = np.full((1, 64, 64), 100, "f2"), np.ones((64, 64, 1), "f2")
    kernel[::2] = -1
    kernel[0, 0] = 0
    assert convolution(x, kernel, (1,), "valid", (1,), 1).numpy().item() == 100.0


@pytest.mark.parametrize(
    ("x", "kernel", "groups", "words"),
    [
        ((1, 5, 5, 3), (2, 2, 4, 1), 1, "has 3 channels, the kernel .* expects 4"),
        ((1, 5, 5, 4), (2, 2, 4, 2), 2, "4 in each of 2 groups"),
        ((1, 5, 5, 4), (2, 2, 2, 3), 2, "3 features cannot be parted into 2 groups"),
        ((1, 5, 5, 4), (2, 4, 3), 1, "must be .batch"),
        ((1, 1, 5, 1), (2, 2, 1, 1), 1, "does not fit into spatial axis 0"),
    ],
)
def test_operands_that_do_not_fit_are_refused(x, kernel, groups, words):
    with pytest.raises(ValueError, match=words):
        convolution(np.zeros(x), np.zeros(kernel), (1, 1), "valid", (1, 1), groups)


def test_a_cotangent_of_another_shape_is_refused():
    how = {"strides": (1,), "padding": "valid", "dilations": (1,), "groups": 1}
    with pytest.raises(ValueError, match=r"needs the shape \(1, 3, 1\) of its result"):
        convolution_input(np.zeros((1, 4, 1)), np.zeros((2, 1, 1)), size=(4,), **how)
