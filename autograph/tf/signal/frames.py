"""Frames that overlap, and the transforms of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.tf.arguments import dimension
from autograph.tf.signal.transforms import irfft, lengthened, rfft
from autograph.tf.signal.windows import hann_window
from autograph.tf.tensors import Tensor, as_tensor, cast
from runtime import ops

__all__ = ["frame", "inverse_stft", "inverse_stft_window_fn", "overlap_and_add", "stft"]


def _positive(n: Any, what: str) -> Any:
    size = dimension(n)
    if isinstance(size, int) and size < 1:
        raise ValueError(f"{what} is 1 at least, not {size}")
    return size


def frame(
    signal: Any, frame_length: Any, frame_step: Any, pad_end: bool = False, pad_value: Any = 0,
    axis: int = -1, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The parts of `frame_length` along an axis that begin at multiples of `frame_step`.

    The axis becomes two: which frame, and where in it. With `pad_end`, those that begin before the
    end and reach beyond it are filled up with `pad_value`. Raises ValueError for lengths below 1.

    >>> import autograph.tf as tf
    >>> tf.signal.frame([1, 2, 3, 4], 2, 1).numpy().tolist()
    [[1, 2], [2, 3], [3, 4]]
    """
    x = as_tensor(signal)
    length, step = _positive(frame_length, "frame_length"), _positive(frame_step, "frame_step")
    at = int(axis) % x.ndim
    size = x.shape[at]
    if pad_end:
        count = -(-size // step)
        behind = _largest(0, length + step * (count - 1) - size)
        x = lengthened(x, behind, at, cast(pad_value, x.dtype))
    else:
        count = _largest(0, 1 + (size - length) // step)
    places = ops.expand_dims(ops.arange(count) * step, 1) + ops.arange(length)
    return ops.take(x, places, axis=at)


def _largest(a: Any, b: Any) -> Any:
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else ops.maximum(a, b)


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Frames `(..., which, where in it)` laid each `frame_step` after the one before, and added.

    >>> import autograph.tf as tf
    >>> tf.signal.overlap_and_add([[1, 2], [3, 4]], 1).numpy()
    array([1, 5, 4], dtype=int32)
    """
    x = as_tensor(signal)
    step = _positive(frame_step, "frame_step")
    if x.ndim < 2:
        raise ValueError(
            f"overlap_and_add takes frames, an array of two axes or more, not {x.ndim}"
        )
    count, length = x.shape[-2:]
    whole = ops.zeros((*x.shape[:-2], length + (count - 1) * step), x.dtype)
    places = ops.expand_dims(ops.arange(count) * step, 1) + ops.arange(length)
    return as_tensor(ops.index_add(whole, x, (..., places)))


def _points(fft_length: Any, frame_length: Any) -> Any:
    """The number of points of each transform: by default, the next power of two."""
    if fft_length is not None:
        return dimension(fft_length)
    length = dimension(frame_length)
    if isinstance(length, int):
        return 1 << (length - 1).bit_length()
    raise ValueError("say how many points there are (fft_length): frame_length is not known here")


def stft(
    signals: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window, pad_end: bool = False,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The Fourier transforms of frames: `(..., frames, fft_length // 2 + 1)`, complex.

    >>> import autograph.tf as tf
    >>> tf.signal.stft(tf.ones([8]), 4, 2).shape
    TensorShape([3, 3])
    """
    framed = frame(as_tensor(signals), frame_length, frame_step, pad_end)
    if window_fn is not None:
        framed = framed * window_fn(frame_length, dtype=framed.dtype)
    return rfft(framed, [_points(fft_length, frame_length)])


def inverse_stft(
    stfts: Any, frame_length: Any, frame_step: Any, fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Signals made of the transforms of frames: these come back, are windowed, and added.

    With the window of `inverse_stft_window_fn(frame_step)` it undoes `stft`, but for the ends.

    >>> import autograph.tf as tf
    >>> transforms = tf.signal.stft(tf.ones([8]), 4, 2)
    >>> window = tf.signal.inverse_stft_window_fn(2)
    >>> tf.signal.inverse_stft(transforms, 4, 2, window_fn=window).numpy()[2:6].round(5)
    array([1., 1., 1., 1.], dtype=float32)
    """
    points, length = _points(fft_length, frame_length), dimension(frame_length)
    frames = irfft(as_tensor(stfts), [points])[..., :length]
    frames = lengthened(frames, length - frames.shape[-1])
    if window_fn is not None:
        frames = frames * window_fn(frame_length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Any] = hann_window, name: str | None = None
) -> Callable[..., Any]:
    """The window with which `inverse_stft` undoes `stft` with `forward_window_fn`.

    >>> import autograph.tf as tf
    >>> tf.signal.inverse_stft_window_fn(2)(4).numpy().round(5).tolist()
    [0.0, 1.0, 1.0, 1.0]
    """
    step = _positive(frame_step, "frame_step")

    def window(frame_length: Any, dtype: Any = np.float32) -> Any:
        length = _positive(frame_length, "frame_length")
        forward = as_tensor(forward_window_fn(frame_length, dtype=dtype))
        overlaps = -(-length // step)
        squares = lengthened(ops.square(forward), overlaps * step - length)
        total = ops.sum(ops.reshape(squares, (overlaps, step)), axis=0, keepdims=True)
        return forward / ops.ravel(ops.tile(total, (overlaps, 1)))[:length]

    return window
