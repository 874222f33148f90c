"""Windows, by which frames are multiplied before they are transformed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograph.tf.arguments import dimension
from autograph.tf.tensors import Tensor, as_tensor, cast
from runtime import ops
from runtime.ops.special import i0

__all__ = ["hamming_window", "hann_window", "kaiser_window", "vorbis_window"]


def _raised_cosine(length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Any:
    count, wanted = dimension(length), np.dtype(dtype)
    if isinstance(count, int) and count == 1:
        return as_tensor(ops.ones((1,), wanted))
    # A period is that of the window only where the length is even: TensorFlow's own way.
    last = count + (1 - count % 2) * int(periodic) - 1
    places = cast(ops.arange(count), wanted) * wanted.type(2 * math.pi)
    return as_tensor(wanted.type(a) - wanted.type(b) * ops.cos(places / cast(last, wanted)))


def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = np.float32, name: str | None = None
) -> Tensor:
    """The Hann window; of an even length without its last point where it is `periodic`.

    >>> import autograph.tf as tf
    >>> tf.signal.hann_window(4).numpy().round(6).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = np.float32, name: str | None = None
) -> Tensor:
    """The Hamming window; of an even length without its last point where it is `periodic`.

    >>> import autograph.tf as tf
    >>> tf.signal.hamming_window(3).numpy().round(6)
    array([0.08, 1.  , 0.08], dtype=float32)
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = np.float32, name: str | None = None
) -> Tensor:
    """Kaiser's window, the narrower the greater `beta` is.

    >>> import autograph.tf as tf
    >>> tf.signal.kaiser_window(3, beta=0.0).numpy()
    array([1., 1., 1.], dtype=float32)
    """
    count, wanted = dimension(window_length), np.dtype(dtype)
    if isinstance(count, int) and count == 1:
        return as_tensor(ops.ones((1,), wanted))
    half = cast(count - 1, wanted) / 2
    places = (cast(ops.arange(count), wanted) - half) / half
    beta = cast(beta, wanted)
    inside = ops.sqrt(ops.maximum(1 - places * places, 0))
    return as_tensor(i0(beta * inside) / i0(beta))


def vorbis_window(window_length: Any, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """The window of the Vorbis codec: the sine of a squared sine.

    >>> import autograph.tf as tf
    >>> tf.signal.vorbis_window(2).numpy().round(4)
    array([0.7071, 0.7071], dtype=float32)
    """
    count, wanted = dimension(window_length), np.dtype(dtype)
    places = (cast(ops.arange(count), wanted) + 0.5) * (wanted.type(math.pi) / cast(count, wanted))
    return as_tensor(ops.sin(wanted.type(math.pi / 2) * ops.square(ops.sin(places))))
