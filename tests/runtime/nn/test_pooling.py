"""Public pooling: values against loops over windows, ties, padding, formats."""

import numpy as np
import pytest

from runtime import nn, ops
from runtime.autodiff import grad
from runtime.autodiff.check import check_gradients


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize(("name", "reduce"), [("max_pool", np.max), ("avg_pool", np.mean)])
def test_windows_side_by_side(axes, name, reduce):
    x = random(2, *(6, 4, 8)[:axes], 3)
    found = getattr(nn, f"{name}{axes}d")(x, 2).numpy()
    parted = x.reshape(2, *(m for n in x.shape[1:-1] for m in (n // 2, 2)), 3)
    expected = reduce(parted, axis=tuple(range(2, 2 * axes + 1, 2)))
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize(("name", "reduce"), [("max_pool2d", np.max), ("avg_pool2d", np.mean)])
@pytest.mark.parametrize("padding", ["same", [(1, 1), (0, 2)]])
def test_padding_takes_no_part(name, reduce, padding):
    x = random(1, 5, 6, 1) - 10
    found = getattr(nn, name)(x, 3, 2, padding).numpy()[0, :, :, 0]
    rows, columns = ((1, 1), (0, 1)) if padding == "same" else padding
    filled = np.pad(x[0, :, :, 0], (rows, columns), constant_values=np.nan)
    for i, j in np.ndindex(found.shape):
        window = filled[2 * i : 2 * i + 3, 2 * j : 2 * j + 3]
        assert found[i, j] == pytest.approx(reduce(window[~np.isnan(window)]), rel=1e-14)


@pytest.mark.parametrize("name", ["max_pool", "avg_pool"])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_channels_first_gives_the_same(name, axes):
    function = getattr(nn, f"{name}{axes}d")
    x = random(2, *(5, 6, 4)[:axes], 3)
    last = function(x, 3, 1, "same").numpy()
    first = function(np.moveaxis(x, -1, 1), 3, 1, "same", data_format="channels_first").numpy()
    np.testing.assert_array_equal(np.moveaxis(first, 1, -1), last)


def test_the_first_of_equal_elements_has_the_gradient():
    x = np.array([[1.0, 3.0], [3.0, 3.0]]).reshape(1, 2, 2, 1)
    found = grad(lambda x: ops.sum(nn.max_pool2d(x, 2)))(x)
    assert found[0, :, :, 0].tolist() == [[0.0, 1.0], [0.0, 0.0]]


@pytest.mark.parametrize("name", ["max_pool2d", "avg_pool2d"])
@pytest.mark.parametrize(("strides", "padding"), [(None, "valid"), (1, "same"), (2, 1)])
def test_gradients(name, strides, padding):
    function = getattr(nn, name)
    check_gradients(lambda x: function(x, 2, strides, padding) ** 2, [random(2, 5, 4, 2)])


def test_dtypes():
    x = np.full((1, 4, 1), 200, np.uint8)
    assert nn.max_pool1d(x, 2).dtype == np.uint8
    mean = nn.avg_pool1d(x, 2, padding="same").numpy()
    assert mean.dtype == np.float64 and (mean == 200).all()
    half = nn.avg_pool1d(np.full((1, 4, 1), 60000, np.float16), 4).numpy()
    assert half.dtype == np.float16 and half.item() == np.float16(60000)


def test_empty_batches():
    assert nn.max_pool2d(np.zeros((0, 4, 4, 3)), 2).shape == (0, 2, 2, 3)
    assert nn.avg_pool2d(np.zeros((0, 4, 4, 3)), 2).shape == (0, 2, 2, 3)


def test_global_pooling_leaves_the_channels():
    x = random(2, 3, 4, 5)
    np.testing.assert_array_equal(nn.global_max_pool(x).numpy(), x.max((1, 2)))
    found = nn.global_avg_pool(x, keepdims=True, data_format="channels_first").numpy()
    np.testing.assert_allclose(found, x.mean((2, 3), keepdims=True), rtol=1e-14)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nn.max_pool2d(np.zeros((4, 4, 1)), 2), "max_pool2d needs .* of 4 axes, not of 3"),
        (lambda: nn.max_pool1d(np.zeros((1, 4, 1)), 2, padding=2), "without an element"),
        (lambda: nn.avg_pool1d(np.zeros((1, 4, 1)), 5), "does not fit"),
        (lambda: nn.avg_pool1d(np.zeros((1, 4, 1)), (2, 2)), "size must be"),
        (lambda: nn.global_avg_pool(np.zeros((2, 3))), "not of 2 axes"),
    ],
)
def test_wrong_arguments_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
