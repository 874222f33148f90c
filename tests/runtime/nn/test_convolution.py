"""Public convolutions: formats, arguments, transposes, refusals; SciPy is the judge of values."""

import numpy as np
import pytest
import scipy.signal

from runtime import nn, ops
from runtime.autodiff import grad
from runtime.autodiff.check import check_gradients


def random(*shape, seed=0, dtype="f8"):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def correlated(x, kernel):
    """By SciPy, image by image and channel by channel."""
    return np.stack(
        [
            np.stack(
                [
                    sum(
                        scipy.signal.correlate(image[..., c], kernel[..., c, k], "valid")
                        for c in range(x.shape[-1])
                    )
                    for k in range(kernel.shape[-1])
                ],
                -1,
            )
            for image in x
        ]
    )


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_values(axes):
    x, kernel = random(2, *(5, 6, 4)[:axes], 3), random(*(2, 3, 2)[:axes], 3, 4, seed=1)
    found = getattr(nn, f"conv{axes}d")(x, kernel).numpy()
    np.testing.assert_allclose(found, correlated(x, kernel), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("name", ["conv{}d", "conv{}d_transpose"])
def test_channels_first_gives_the_same(axes, name):
    function = getattr(nn, name.format(axes))
    x, kernel = random(2, *(5, 6, 4)[:axes], 3), random(*(2, 3, 2)[:axes], 3, 3, seed=1)
    last = function(x, kernel, strides=2, padding="same").numpy()
    moved = np.moveaxis(x, -1, 1)
    first = function(moved, kernel, strides=2, padding="same", data_format="channels_first")
    np.testing.assert_allclose(np.moveaxis(first.numpy(), 1, -1), last, rtol=1e-12)
    letters = {1: "NCW", 2: "NCHW", 3: "NCDHW"}[axes]
    same = function(moved, kernel, strides=2, padding="SAME", data_format=letters)
    np.testing.assert_array_equal(same.numpy(), first.numpy())


def test_depthwise_is_a_convolution_per_channel():
    x, kernel = random(2, 6, 5, 3), random(2, 3, 3, 2, seed=1)
    found = nn.depthwise_conv2d(x, kernel, padding="same").numpy()
    parts = [
        nn.conv2d(x[..., c : c + 1], kernel[:, :, c : c + 1], padding="same").numpy()
        for c in range(3)
    ]
    np.testing.assert_allclose(found, np.concatenate(parts, -1), rtol=1e-12)


@pytest.mark.parametrize("strides", [1, 2, 3])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("padding", ["valid", "same"])
def test_a_transpose_goes_back_to_the_shape_it_came_from(strides, size, padding):
    x, kernel = random(1, 4, 5, 2), random(size, size, 3, 2)
    back = nn.conv2d_transpose(x, kernel, strides, padding)
    again = nn.conv2d(back, kernel, strides, padding)
    assert again.shape == x.shape
    expected = 4 * strides + (max(size - strides, 0) if padding == "valid" else 0)
    assert back.shape[1] == expected


@pytest.mark.parametrize("how", [{"strides": 2}, {"padding": "same"}, {"dilations": 2}])
def test_a_transpose_is_the_adjoint(how):
    y, kernel = random(2, 7, 8, 3), random(2, 3, 3, 4, seed=1)
    there = nn.conv2d(y, kernel, **how).numpy()
    x = random(*there.shape, seed=2)
    back = nn.conv2d_transpose(x, kernel, output_size=(7, 8), **how).numpy()
    np.testing.assert_allclose(np.vdot(back, y), np.vdot(x, there), rtol=1e-12)


def test_a_transpose_with_explicit_padding():
    x, kernel = random(1, 4, 1), random(3, 1, 1)
    whole = nn.conv1d_transpose(x, kernel, 2).numpy()
    cut = nn.conv1d_transpose(x, kernel, 2, padding=[(1, 2)]).numpy()
    np.testing.assert_allclose(cut, whole[:, 1:-2])


@pytest.mark.parametrize(
    "function",
    [
        lambda x, k: nn.conv2d(x, k, strides=(2, 1), padding="same"),
        lambda x, k: nn.conv2d(x, k, padding=((1, 0), (2, 1)), dilations=(1, 2)),
        lambda x, k: nn.conv2d_transpose(x, ops.swapaxes(k, -1, -2), strides=2),
        lambda x, k: nn.depthwise_conv2d(x, k, strides=2),
        lambda x, k: nn.conv2d(x, ops.reshape(k, (2, 2, 1, 6)), groups=2),
    ],
)
def test_gradients(function):
    check_gradients(function, [random(2, 4, 5, 2), random(2, 2, 2, 3, seed=1)])


def test_gradients_of_single_precision_stay_so():
    x, kernel = random(2, 5, 5, 3, dtype="f4"), random(2, 2, 3, 4, dtype="f4")
    found = grad(lambda x, k: ops.sum(nn.conv2d(x, k) ** 2), argnums=(0, 1))(x, kernel)
    assert [g.dtype for g in found] == [np.float32, np.float32]
    wide = grad(lambda x, k: ops.sum(nn.conv2d(x, k) ** 2), argnums=(0, 1))(
        x.astype("f8"), kernel.astype("f8")
    )
    for g, w in zip(found, wide, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-4, atol=1e-4)


def test_an_empty_batch_has_an_empty_result_and_a_zero_gradient():
    x, kernel = np.zeros((0, 5, 5, 2)), random(2, 2, 2, 3)
    assert nn.conv2d(x, kernel).shape == (0, 4, 4, 3)
    assert not grad(lambda k: ops.sum(nn.conv2d(x, k)))(kernel).any()


IMAGE, LINE = np.zeros((1, 5, 5, 1)), np.zeros((1, 5, 1))
SQUARE, PAIR = np.zeros((2, 2, 1, 1)), np.zeros((2, 1, 1))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nn.conv2d(IMAGE[0], SQUARE), "of 4 axes, not of 3; .* in front"),
        (lambda: nn.conv2d(IMAGE, PAIR), "needs a kernel .* of 4 axes"),
        (lambda: nn.conv1d(LINE, PAIR, data_format="NHCW"), "'NHCW'"),
        (lambda: nn.conv1d(LINE, PAIR, strides=0), "at least 1"),
        (lambda: nn.conv1d(LINE, PAIR, padding="causal"), "'causal'"),
        (
            lambda: nn.conv1d_transpose(np.zeros((1, 5, 2)), PAIR),
            "has 2 channels, the kernel expects 1",
        ),
        (lambda: nn.conv1d_transpose(LINE, PAIR, 2, output_size=20), "needs the shape"),
        (lambda: nn.conv2d_transpose(IMAGE, SQUARE, output_size=(1, 2, 3)), "2 numbers, not 3"),
    ],
)
def test_wrong_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
