"""Normalizations against their formulas in NumPy, and their gradients."""

import numpy as np
import pytest

from runtime import nn, ops
from runtime.autodiff import grad
from runtime.autodiff.check import check_gradients

X = np.random.default_rng(0).standard_normal((3, 4, 6)) * 3 + 1
SCALE, OFFSET = np.linspace(0.5, 2, 6), np.linspace(-1, 1, 6)


def normal(x, axis, epsilon):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + epsilon)


def test_moments():
    for axes, keep in ((0, False), ((0, 1), False), (-1, True), (None, False)):
        mean, variance = nn.moments(X, axes, keepdims=keep)
        np.testing.assert_allclose(mean.numpy(), X.mean(axes, keepdims=keep), rtol=1e-13)
        np.testing.assert_allclose(variance.numpy(), X.var(axes, keepdims=keep), rtol=1e-13)


def test_layer_norm():
    found = nn.layer_norm(X, SCALE, OFFSET).numpy()
    np.testing.assert_allclose(found, normal(X, -1, 1e-5) * SCALE + OFFSET, rtol=1e-12)
    over = nn.layer_norm(X, axis=(1, 2), epsilon=0.1).numpy()
    np.testing.assert_allclose(over, normal(X, (1, 2), 0.1), rtol=1e-12)


def test_rms_norm():
    expected = X / np.sqrt((X**2).mean(-1, keepdims=True) + 1e-5) * SCALE
    np.testing.assert_allclose(nn.rms_norm(X, SCALE).numpy(), expected, rtol=1e-13)


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_group_norm(groups):
    parted = X.reshape(3, 4, groups, 6 // groups)
    expected = normal(parted, (1, 3), 1e-5).reshape(X.shape) * SCALE + OFFSET
    np.testing.assert_allclose(
        nn.group_norm(X, groups, SCALE, OFFSET).numpy(), expected, rtol=1e-12
    )
    first = np.moveaxis(X, -1, 1)
    found = nn.group_norm(first, groups, SCALE, OFFSET, axis=1).numpy()
    np.testing.assert_allclose(np.moveaxis(found, 1, -1), expected, rtol=1e-12)


def test_batch_normalization():
    mean, variance = nn.moments(X, (0, 1))
    found = nn.batch_normalization(X, mean, variance, OFFSET, SCALE).numpy()
    np.testing.assert_allclose(found, normal(X, (0, 1), 1e-3) * SCALE + OFFSET, rtol=1e-12)
    plain = nn.batch_normalization(X, mean, variance).numpy()
    np.testing.assert_allclose(plain, normal(X, (0, 1), 1e-3), rtol=1e-12)


def by_batch(x, scale, offset):
    return nn.batch_normalization(x, *nn.moments(x, (0, 1)), offset, scale)


@pytest.mark.parametrize(
    "function",
    [
        by_batch,
        nn.layer_norm,
        lambda x, scale, offset: nn.group_norm(x, 3, scale, offset),
        lambda x, scale, offset: nn.rms_norm(x, scale) + offset,
    ],
)
def test_gradients(function):
    check_gradients(function, [X, SCALE, OFFSET])


@pytest.mark.parametrize(
    "function",
    [nn.layer_norm, nn.rms_norm, lambda x: nn.group_norm(x, 2), lambda x: nn.moments(x, -1)[1]],
)
def test_halves_are_computed_in_single_precision(function):
    x = np.array([[300.0, -300.0, 100.0, 200.0]], np.float16)
    found = function(x / 4 if function(x / 4).ndim == 1 else x).numpy()
    wide = (x / 4 if found.ndim == 1 else x).astype("f8")
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, function(wide).numpy(), rtol=1e-3)
    assert grad(lambda x: ops.sum(function(x)))(x).dtype == np.float16


def test_integers_count_as_double_precision():
    found = nn.layer_norm(np.array([[1, 3], [200, 100]], np.uint8), epsilon=0.0).numpy()
    assert found.tolist() == [[-1.0, 1.0], [1.0, -1.0]]


def test_channels_that_cannot_be_parted_are_refused():
    with pytest.raises(ValueError, match="6 channels cannot be parted into 4 groups"):
        nn.group_norm(X, 4)
    with pytest.raises(ValueError, match="axis 0 holds the examples"):
        nn.group_norm(X, 3, axis=0)
