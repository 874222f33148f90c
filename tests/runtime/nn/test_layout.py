"""Where the channels of an array are."""

import numpy as np
import pytest

from runtime.nn.layout import is_channels_first, to_channels_last, to_format


@pytest.mark.parametrize(("data_format", "first"), [
    ("channels_first", True), ("NCW", True), ("NCHW", True), ("NCDHW", True),
    ("channels_last", False), ("NWC", False), ("NHWC", False), ("NDHWC", False),
])  # fmt: skip
def test_formats(data_format, first):
    assert is_channels_first(data_format) is first


@pytest.mark.parametrize("data_format", ["NCHWX", "nchw", "", None])
def test_an_unknown_format_is_named(data_format):
    with pytest.raises(ValueError, match=f"not {data_format!r}"):
        is_channels_first(data_format)


def test_there_and_back():
    x = np.arange(24.0).reshape(1, 2, 3, 4)
    last = to_channels_last("conv2d", x, 2, "NCHW")
    assert last.shape == (1, 3, 4, 2) and last.numpy()[0, 1, 2, 0] == x[0, 0, 1, 2]
    assert to_format(last, "NCHW").numpy().tolist() == x.tolist()
    assert to_channels_last("conv2d", x, 2, "NHWC") is x and to_format(x, "NHWC") is x


@pytest.mark.parametrize(("data_format", "order"), [
    ("NCHW", r"\(batch, channels, \*sizes\)"), ("NHWC", r"\(batch, \*sizes, channels\)"),
])  # fmt: skip
def test_a_single_example_needs_a_batch_axis(data_format, order):
    with pytest.raises(ValueError, match=f"conv2d needs an array {order} of 4 axes, not of 3"):
        to_channels_last("conv2d", np.ones((2, 3, 4)), 2, data_format)
