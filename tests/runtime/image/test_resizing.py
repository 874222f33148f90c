"""Resizing of images: golden values (A34, H12, H13), loops over pixels, gradients, sizes."""

import numpy as np
import pytest

from runtime import image
from runtime.autodiff.check import check_gradients
from runtime.building import constant

GRID = np.arange(16, dtype=np.uint8).reshape(4, 4, 1)


def resized(x, *args, **kwargs):
    return image.resize(x, *args, **kwargs).numpy()


# ---- golden values -----------------------------------------------------------------------------


def test_golden_values_of_fewer_pixels():
    found = resized(GRID, [2, 3])
    assert found.dtype == np.float32
    expected = [[2.1666665, 3.5, 4.8333335], [10.166667, 11.5, 12.833333]]
    np.testing.assert_allclose(found[:, :, 0], expected, atol=1e-5)


def test_golden_values_of_more_pixels():
    expected = [
        [0, 0.35714, 0.92857, 1.5, 2.07143, 2.64286, 3],
        [2.8, 3.15714, 3.72857, 4.3, 4.87143, 5.44286, 5.8],
    ]
    np.testing.assert_allclose(resized(GRID, (5, 7))[:2, :, 0], expected, atol=1e-5)


def test_golden_values_of_bicubic_pixels():
    """Computed by TensorFlow 2.21."""
    expected = [
        [0.3692031, 1.060653, 1.9123268, 2.7640004, 3.4554508],
        [5.9568768, 6.648326, 7.5, 8.351673, 9.043124],
        [11.54455, 12.235998, 13.087671, 13.939344, 14.630796],
    ]
    np.testing.assert_allclose(resized(GRID, (3, 5), "bicubic")[:, :, 0], expected, atol=1e-5)


def test_golden_values_without_aliasing():
    """Computed by TensorFlow 2.21."""
    for method, expected in (
        ("bilinear", [[3.157143, 4.3571434, 5.557143], [9.442859, 10.6428585, 11.842858]]),
        ("bicubic", [[2.5370388, 3.847107, 5.1571755], [9.842825, 11.152892, 12.46296]]),
    ):
        found = resized(GRID, (2, 3), method, antialias=True)
        np.testing.assert_allclose(found[:, :, 0], expected, atol=1e-5)


# ---- pixel by pixel ----------------------------------------------------------------------------


def triangle(distance):
    return max(1 - distance, 0.0)


def keys(distance):
    if distance <= 1:
        return 1.5 * distance**3 - 2.5 * distance**2 + 1
    if distance < 2:
        return -0.5 * distance**3 + 2.5 * distance**2 - 4 * distance + 2
    return 0.0


def weights(old, new, kernel, antialias, steps=None):
    """The matrix of weights, element by element: those outside go to the rest."""
    table = np.zeros((new, old))
    scale = old / new
    width = max(scale, 1) if antialias else 1
    for i in range(new):
        place = (i + 0.5) * scale - 0.5
        if steps:
            place = np.floor(place) + np.rint((place - np.floor(place)) * steps) / steps
        for j in range(old):
            table[i, j] = kernel(abs(j - place) / width)
    return table / table.sum(1, keepdims=True)


SIZES = [((4, 5), (7, 9)), ((8, 9), (3, 4)), ((6, 6), (6, 6)), ((1, 3), (2, 2)), ((7, 10), (14, 5))]


@pytest.mark.parametrize(("old", "new"), SIZES)
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("method", ["bilinear", "bicubic"])
def test_pixels_are_weighted_means(old, new, method, antialias):
    x = np.random.default_rng(0).random((2, *old, 3))
    kernel = {"bilinear": triangle, "bicubic": keys}[method]
    steps = 1024 if method == "bicubic" and not antialias else None
    rows, columns = (weights(m, n, kernel, antialias, steps) for m, n in zip(old, new, strict=True))
    expected = np.einsum("ij,bjkc,lk->bilc", rows, x, columns)
    np.testing.assert_allclose(resized(x, new, method, antialias), expected, rtol=1e-12)


@pytest.mark.parametrize(("old", "new"), SIZES)
@pytest.mark.parametrize("antialias", [False, True])
def test_the_nearest_pixel(old, new, antialias):
    x = np.random.default_rng(0).random((*old, 2))
    rows, columns = (
        np.floor((np.arange(n) + 0.5) * m / n).astype(int) for m, n in zip(old, new, strict=True)
    )
    np.testing.assert_array_equal(resized(x, new, "nearest", antialias), x[np.ix_(rows, columns)])


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "nearest"])
def test_a_single_image_is_a_batch_of_one(method):
    x = np.random.default_rng(0).random((5, 6, 3))
    np.testing.assert_array_equal(resized(x, (3, 8), method), resized(x[None], (3, 8), method)[0])


# ---- dtypes, gradients, sizes ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "result"),
    [("u1", "f4"), ("i4", "f4"), ("?", "f4"), ("f2", "f2"), ("f4", "f4"), ("f8", "f8")],
)
@pytest.mark.parametrize("antialias", [False, True])
def test_dtypes(dtype, result, antialias):
    x = np.ones((4, 4, 1), dtype)
    for method in ("bilinear", "bicubic"):
        found = resized(x, (3, 2), method, antialias)
        assert found.dtype == np.dtype(result)
        np.testing.assert_allclose(found, 1, rtol=1e-6)
    assert resized(x, (3, 2), "nearest", antialias).dtype == np.dtype(dtype)


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("method", ["bilinear", "bicubic", "nearest"])
@pytest.mark.parametrize("size", [(3, 7), (6, 2)])
def test_gradients(method, antialias, size):
    x = np.random.default_rng(0).random((2, 5, 4, 2))
    check_gradients(lambda x: image.resize(x, size, method, antialias) ** 2, [x])


def test_sizes_can_be_tensors():
    expected = resized(GRID, (2, 3))
    for size in (np.array([2, 3]), constant([2, 3]), (constant(2), 3)):
        np.testing.assert_array_equal(resized(GRID, size), expected)


def test_an_empty_batch_stays_empty():
    assert resized(np.zeros((0, 4, 4, 3), "f4"), (2, 2)).shape == (0, 2, 2, 3)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: image.resize(GRID, (2, 3), "area"), ValueError, "bicubic, not 'area'"),
        (lambda: image.resize(GRID[:, :, 0], (2, 3)), ValueError, "not an array of 2 axes"),
        (lambda: image.resize(GRID, 2), ValueError, "must be .height, width., not 2"),
        (lambda: image.resize(GRID, np.array([1, 2, 3])), ValueError, "not of type int64.3."),
        (lambda: image.resize(GRID, (0, 3)), ValueError, "cannot have the size"),
        (lambda: image.resize(GRID * 1j, (2, 3)), TypeError, "real numbers, not complex128"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
