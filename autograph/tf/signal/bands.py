"""Cosine transforms of overlapping frames, and bands of frequencies as they are heard."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from autograph.tf.arguments import dimension
from autograph.tf.signal.frames import frame, overlap_and_add
from autograph.tf.signal.transforms import dct, idct
from autograph.tf.signal.windows import vorbis_window
from autograph.tf.tensors import Tensor, as_tensor, cast
from runtime import ops

__all__ = [
    "inverse_mdct",
    "linear_to_mel_weight_matrix",
    "mdct",
    "mfccs_from_log_mel_spectrograms",
]


def mdct(
    signals: Any, frame_length: Any, window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False, norm: str | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The modified cosine transforms of frames that overlap by half: `(..., frames, length / 2)`.

    Raises ValueError for a `frame_length` that is no multiple of 4.

    >>> import autograph.tf as tf
    >>> tf.signal.mdct(tf.ones([16]), 8).shape
    TensorShape([3, 4])
    """
    length = dimension(frame_length)
    if isinstance(length, int) and length % 4:
        raise ValueError(f"frame_length is a multiple of 4, not {length}")
    frames = frame(as_tensor(signals), length, length // 2, pad_end)
    frames = _windowed(frames, length, window_fn)
    quarter = length // 4
    a, b, c, d = (frames[..., i * quarter : (i + 1) * quarter] for i in range(4))
    folded = ops.concat([-ops.flip(c, axis=-1) - d, a - ops.flip(b, axis=-1)], axis=-1)
    return dct(folded, 4, norm=norm)


def inverse_mdct(
    mdcts: Any, window_fn: Callable[..., Any] | None = vorbis_window, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Signals made of the transforms of `mdct`, but for half a frame at each end.

    >>> import autograph.tf as tf
    >>> tf.signal.inverse_mdct(tf.signal.mdct(tf.ones([16]), 8)).numpy()[4:12].round(5)
    array([1., 1., 1., 1., 1., 1., 1., 1.], dtype=float32)
    """
    x = as_tensor(mdcts)
    half = x.shape[-1]
    back = idct(x, 4, norm=norm)
    if norm is None:
        back = back * (x.dtype.type(0.5) / cast(half, x.dtype))
    first, second = back[..., : half // 2], back[..., half // 2 :]
    frames = ops.concat(
        [second, -ops.flip(second, axis=-1), -ops.flip(first, axis=-1), -first], axis=-1
    )
    return overlap_and_add(_windowed(frames, 2 * half, window_fn), half)


def _windowed(frames: Any, length: Any, window_fn: Callable[..., Any] | None) -> Any:
    """Frames times the window; without one times the number that undoes itself in the same way."""
    if window_fn is None:
        return frames * frames.dtype.type(math.sqrt(0.5))
    return frames * window_fn(length, dtype=frames.dtype)


def _mel(hertz: Any, dtype: Any) -> Any:
    """O'Shaughnessy's scale of pitches."""
    return ops.log(hertz / dtype.type(700) + 1) * dtype.type(1127)


def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20, num_spectrogram_bins: Any = 129, sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0, upper_edge_hertz: Any = 3800.0, dtype: Any = np.float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """What each of `num_spectrogram_bins` frequencies counts in each of `num_mel_bins` bands.

    The bands are triangles of one width on the mel scale. Raises ValueError for edges and a rate
    in no order.

    >>> import autograph.tf as tf
    >>> tf.signal.linear_to_mel_weight_matrix(2, 5).shape
    TensorShape([5, 2])
    """
    own = np.dtype(dtype)
    for count, what in ((num_mel_bins, "num_mel_bins"), (num_spectrogram_bins, "num_spectrogram")):
        if isinstance(count, int) and count < 1:
            raise ValueError(f"{what} is 1 at least, not {count}")
    rate, low, high = (cast(x, own) for x in (sample_rate, lower_edge_hertz, upper_edge_hertz))
    if all(x.is_known for x in (rate, low, high)):
        _check_edges(float(rate), float(low), float(high))
    nyquist = rate / own.type(2)
    spectrum = ops.linspace(own.type(0), nyquist, num=num_spectrogram_bins)[1:]
    pitches = ops.expand_dims(_mel(cast(spectrum, own), own), 1)
    edges = ops.linspace(_mel(low, own), _mel(high, own), num=num_mel_bins + 2)
    edges = ops.expand_dims(cast(edges, own), 0)
    lower, center, upper = edges[:, :-2], edges[:, 1:-1], edges[:, 2:]
    rising = (pitches - lower) / (center - lower)
    falling = (upper - pitches) / (upper - center)
    weights = ops.maximum(ops.minimum(rising, falling), own.type(0))
    return as_tensor(ops.pad(weights, [(1, 0), (0, 0)]))  # the frequency 0 is in no band


def _check_edges(rate: float, low: float, high: float) -> None:
    if rate <= 0:
        raise ValueError(f"sample_rate is positive, not {rate}")
    if not 0 <= low < high <= rate / 2:
        raise ValueError(
            f"the edges {low} and {high} must rise, from 0 on up to half of the rate {rate}"
        )


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """The cosine transforms of logarithms of bands (`linear_to_mel_weight_matrix`), normalised.

    >>> import autograph.tf as tf
    >>> tf.signal.mfccs_from_log_mel_spectrograms([1.0, 1.0]).numpy().round(5) + 0.0
    array([2., 0.], dtype=float32)
    """
    x = as_tensor(log_mel_spectrograms)
    count = cast(x.shape[-1], x.dtype)
    return dct(x, 2) / ops.sqrt(count * x.dtype.type(2))
