"""Patches of images, next to loops over windows."""

import numpy as np
import pytest

import autograph as ag
from runtime import image

X = np.arange(2 * 5 * 7 * 2.0).reshape(2, 5, 7, 2)


def patches(x, size, strides, dilation, padding):
    """By hand, for a batch."""
    counts, before = [], []
    for n, k, s, d in zip(x.shape[1:3], size, strides, dilation):
        extent = (k - 1) * d + 1
        counts.append(-(-n // s) if padding == "same" else (n - extent) // s + 1)
        lack = max((counts[-1] - 1) * s + extent - n, 0)
        before.append(lack // 2 if padding == "same" else 0)
    x = np.pad(x, ((0, 0), (9, 9), (9, 9), (0, 0)))
    rows = []
    for i in range(counts[0]):
        for j in range(counts[1]):
            top, left = (9 + at * s - b for at, s, b in zip((i, j), strides, before))
            whole = x[:, top : top + size[0] * dilation[0] : dilation[0]]
            rows.append(whole[:, :, left : left + size[1] * dilation[1] : dilation[1]])
    return np.stack([r.reshape(len(x), -1) for r in rows], 1).reshape(len(x), *counts, -1)


@pytest.mark.parametrize("padding", ["same", "valid"])
@pytest.mark.parametrize("how", [((2, 3), (2, 3), (1, 1)), ((2, 3), (1, 2), (2, 1))])
def test_patches_are_windows(how, padding):
    expected = patches(X, *how, padding)
    np.testing.assert_array_equal(image.extract_patches(X, *how, padding).numpy(), expected)
    one = image.extract_patches(X[1], *how, padding).numpy()
    np.testing.assert_array_equal(one, expected[1])
    specs = [ag.TensorSpec([None, None, None, 2])]
    staged = ag.convert(lambda x: image.extract_patches(x, *how, padding), input_signature=specs)
    np.testing.assert_array_equal(staged(X), expected)


def test_strides_are_the_size_and_slopes_count_windows():
    assert image.extract_patches(X, 2).shape == (2, 2, 3, 8)
    slopes = ag.grad(lambda x: ag.sum(image.extract_patches(x, 2, 1)))(X)
    assert slopes[0, :, :, 0].tolist() == [
        [1, 2, 2, 2, 2, 2, 1],
        *[[2, 4, 4, 4, 4, 4, 2]] * 3,
        [1, 2, 2, 2, 2, 2, 1],
    ]


@pytest.mark.parametrize(("x", "padding"), [(X[0, 0], "same"), (X, "full")])
def test_what_has_no_patches_is_refused(x, padding):
    with pytest.raises(ValueError, match="needs an image|'same' or 'valid'"):
        image.extract_patches(x, 2, padding=padding)
