"""`keras.ops.math`: special functions, segments, transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src.backend.common import standardize_dtype

import autograph as ag
from autograph.keras.backend.core import common_dtype, convert_to_tensor
from autograph.keras.backend.numpy import floating, together

__all__ = [
    "cdist", "erf", "erfc", "erfinv", "extract_sequences", "fft", "fft2", "ifft2", "in_top_k",
    "irfft", "istft", "logdet", "logsumexp", "rfft", "rsqrt", "segment_max", "segment_min",
    "segment_prod", "segment_sum", "stft", "top_k",
]  # fmt: skip


def rsqrt(x: Any) -> Any:
    return 1 / ag.sqrt(floating(x))


def erf(x: Any) -> Any:
    return ag.erf(floating(x))


def _special(op: Callable[[Any], Any], x: Any) -> Any:
    """A function of SciPy, of halves by way of float32."""
    x = floating(x)
    return ag.astype(op(ag.astype(x, common_dtype(x, "float32"))), x.dtype)


def erfc(x: Any) -> Any:
    return _special(ag.special.erfc, x)


def erfinv(x: Any) -> Any:
    return _special(ag.special.erfinv, x)


def logdet(x: Any) -> Any:
    return ag.linalg.slogdet(floating(x))[1]


def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    axis = tuple(axis) if isinstance(axis, list) else axis
    return ag.nn.logsumexp(floating(x), axis=axis, keepdims=keepdims)


def cdist(x: Any, y: Any) -> Any:
    x, y = together(x, y, at_least=[float])
    if x.ndim < 2 or y.ndim < 2:
        raise ValueError("`cdist` inputs must have rank >= 2")
    if x.shape[-1] != y.shape[-1]:
        raise ValueError("Last dimension of inputs to `cdist` must match")
    return ag.cdist(x, y)


# ---- segments and ranks ----------------------------------------------------------------------


def _of_segments(ufunc: Any, first: Callable[[np.dtype[Any]], Any]) -> Callable[..., Any]:
    """A reduction of the rows of each segment; those with a negative number take no part."""

    def apply(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Any:
        data = convert_to_tensor(data)
        ids = ag.astype(convert_to_tensor(segment_ids), "int64")
        count = int(ag.max(ids)) + 1 if num_segments is None else int(num_segments)
        # One row more takes those without a segment.
        ids = ag.where((ids < 0) | (ids >= count), count, ids)
        shape = (count + 1, *data.shape[1:])
        result = ag.copy(ag.full(shape, first(data.dtype), dtype=data.dtype))
        if ufunc is np.add:
            return ag.index_add(result, data, (ids,))[:count]
        ufunc.at(result, ids, data)
        return result[:count]

    return apply


def _lowest(dtype: np.dtype[Any]) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype: np.dtype[Any]) -> Any:
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


segment_sum = _of_segments(np.add, lambda dtype: 0)
segment_prod = _of_segments(np.multiply, lambda dtype: 1)
segment_max = _of_segments(np.maximum, _lowest)
segment_min = _of_segments(np.minimum, _highest)


def top_k(x: Any, k: int, sorted: bool = True) -> Any:
    values, indices = ag.top_k(convert_to_tensor(x), k)
    return values, ag.astype(indices, "int32")


def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    targets = ag.astype(convert_to_tensor(targets), "int64")[..., None]
    predictions = convert_to_tensor(predictions)
    least = top_k(predictions, k)[0][..., -1]
    return ag.take_along_axis(predictions, targets, axis=-1)[..., 0] >= least


# ---- Fourier transforms ----------------------------------------------------------------------


def _get_complex_tensor_from_tuple(x: Any) -> Any:
    """The complex tensor of a pair (real, imaginary); `keras.ops.nn` asks for it by this name."""
    if not isinstance(x, (tuple, list)) or len(x) != 2:
        raise ValueError(
            f"Input `x` should be a tuple of two tensors - real and imaginary. Received: x={x}"
        )
    real, imaginary = map(convert_to_tensor, x)
    if real.shape != imaginary.shape:
        raise ValueError(
            "Input `x` should be a tuple of two tensors - real and imaginary. Both the real and "
            "imaginary parts should have the same shape. Received: "
            f"x[0].shape = {real.shape}, x[1].shape = {imaginary.shape}"
        )
    if real.dtype.kind != "f" or imaginary.dtype.kind != "f":
        raise ValueError(f"At least one tensor in input `x` is not of type float. Received: x={x}.")
    dtype = "complex128" if real.dtype == "float64" else "complex64"
    return ag.astype(real, dtype) + ag.astype(imaginary, dtype) * np.complex64(1j)


def _pair(x: Any, dtype: Any) -> tuple[Any, Any]:
    return ag.astype(ag.real(x), dtype), ag.astype(ag.imag(x), dtype)


def fft(x: Any) -> Any:
    return _pair(ag.fft.fft(_get_complex_tensor_from_tuple(x)), x[0].dtype)


def fft2(x: Any) -> Any:
    return _pair(ag.fft.fft2(_get_complex_tensor_from_tuple(x)), x[0].dtype)


def ifft2(x: Any) -> Any:
    return _pair(ag.fft.ifft2(_get_complex_tensor_from_tuple(x)), x[0].dtype)


def rfft(x: Any, fft_length: int | None = None) -> Any:
    x = convert_to_tensor(x)
    return _pair(ag.fft.rfft(x, fft_length), x.dtype)


def irfft(x: Any, fft_length: int | None = None) -> Any:
    return ag.astype(ag.fft.irfft(_get_complex_tensor_from_tuple(x), fft_length), x[0].dtype)


def extract_sequences(x: Any, sequence_length: int, sequence_stride: int) -> Any:
    x = convert_to_tensor(x)
    count = 1 + (x.shape[-1] - sequence_length) // sequence_stride
    starts = ag.arange(count) * sequence_stride
    return ag.take(x, starts[:, None] + ag.arange(sequence_length), axis=-1)


def _window(window: Any, length: int, fft_length: int, dtype: Any) -> Any:
    """The window of a frame, filled up with zeros on both sides; ones without a window."""
    before = (fft_length - length) // 2
    widths = [(before, fft_length - length - before)]
    if window is None:
        return ag.ones((fft_length,), dtype=dtype)
    if isinstance(window, str):
        if window not in _WINDOWS:
            raise ValueError(
                'If a string is passed to `window`, it must be one of `"hann"`, `"hamming"`. '
                f"Received: window={window}"
            )
        window = _WINDOWS[window](length + 1)[:-1]  # that of a period, as frames overlap
    found = convert_to_tensor(window, dtype)
    if found.shape != (length,):
        raise ValueError(
            "The shape of `window` must be equal to [sequence_length]. Received: window shape="
            f"{found.shape}"
        )
    return ag.pad(found, widths)


_WINDOWS = {"hann": np.hanning, "hamming": np.hamming}


def stft(
    x: Any, sequence_length: int, sequence_stride: int, fft_length: int, window: Any = "hann",
    center: bool = True,
) -> Any:  # fmt: skip
    if standardize_dtype(x.dtype) not in ("float32", "float64"):
        raise TypeError(
            f"Invalid input type. Expected `float32` or `float64`. Received: input type={x.dtype}"
        )
    if fft_length < sequence_length:
        raise ValueError(
            "`fft_length` must equal or larger than `sequence_length`. Received: "
            f"sequence_length={sequence_length}, fft_length={fft_length}"
        )
    x = convert_to_tensor(x)
    shape = _window(window, sequence_length, fft_length, x.dtype)
    if center:
        half = fft_length // 2
        x = ag.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], mode="reflect")
    frames = extract_sequences(x, fft_length, sequence_stride)
    return _pair(ag.fft.rfft(frames * shape), x.dtype)


def istft(
    x: Any, sequence_length: int, sequence_stride: int, fft_length: int, length: int | None = None,
    window: Any = "hann", center: bool = True,
) -> Any:  # fmt: skip
    spectrum, dtype = _get_complex_tensor_from_tuple(x), x[0].dtype
    frames = ag.astype(ag.fft.irfft(spectrum, fft_length), dtype)
    if window is not None:
        shape = _window(window, sequence_length, fft_length, dtype)
        # What the windows that overlap have in each place, were there no first and no last one.
        phase = np.arange(fft_length) % sequence_stride
        energy = ag.index_add(ag.zeros((sequence_stride,), dtype=dtype), shape * shape, (phase,))
        frames = frames * (shape / energy[phase])
    count = spectrum.shape[-2]
    places = ag.arange(count)[:, None] * sequence_stride + ag.arange(fft_length)
    total = fft_length + sequence_stride * (count - 1)
    signal = ag.zeros((*frames.shape[:-2], total), dtype=dtype)
    signal = ag.index_add(signal, frames, (..., places))
    start = fft_length // 2 if center else 0
    end = start + length if length is not None else total - start
    return signal[..., start:end]
