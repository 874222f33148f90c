"""Operations of ONNX on signals, and those that draw random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as ag
from autograph.programs.importing.table import dtype_named, ints, operation
from runtime.ops.declaration.operands import dtype_of, rank_of, shape_of

__all__: list[str] = []


def _of_pairs(x: Any) -> Any:
    """Numbers whose last axis holds the real part, or both parts."""
    return x[..., 0] + 1j * x[..., 1] if shape_of(x)[-1] == 2 else x[..., 0]


def _pairs(x: Any, dtype: np.dtype[Any]) -> Any:
    return ag.astype(ag.stack([ag.real(x), ag.imag(x)], axis=-1), dtype)


@operation("DFT")
def _dft(
    x: Any, length: Any = None, at: Any = None, axis: int = 1, inverse: int = 0, onesided: int = 0,
    *, version: int,
) -> Any:  # fmt: skip
    axis = axis if version < 20 else -2 if at is None else ints(at, "an axis")[0]
    place = axis % rank_of(x)
    count = None if length is None else ints(length, "a length")[0]
    if inverse and onesided:
        found = ag.fft.irfft(_of_pairs(x), n=count, axis=place)
        return ag.astype(ag.expand_dims(found, -1), dtype_of(x))
    function = ag.fft.ifft if inverse else ag.fft.rfft if onesided else ag.fft.fft
    return _pairs(function(_of_pairs(x), n=count, axis=place), dtype_of(x))


@operation("STFT")
def _stft(x: Any, step: Any, window: Any = None, length: Any = None, onesided: int = 1) -> Any:
    (apart,) = ints(step, "a step")
    width = shape_of(window)[0] if length is None else ints(length, "a length")[0]
    count = (shape_of(x)[1] - width) // apart + 1
    places = np.arange(count)[:, None] * apart + np.arange(width)
    frames = _of_pairs(x if rank_of(x) == 3 else ag.expand_dims(x, -1))[:, places]
    frames = frames if window is None else frames * window
    is_half = onesided and shape_of(x)[-1] != 2
    return _pairs((ag.fft.rfft if is_half else ag.fft.fft)(frames, axis=-1), dtype_of(x))


# ---- random numbers ----------------------------------------------------------------------------


def _drawn(kind: str, shape: Any, dtype: np.dtype[Any], seed: Any, low: Any, high: Any) -> Any:
    """Draws of ours: those of a seed are others than the runtime's."""
    draw = ag.random.uniform if "Uniform" in kind else ag.random.normal
    key = {} if seed is None else {"seed": int(np.float32(seed).view(np.int32))}
    return ag.astype(draw(tuple(shape), low, high, **key), dtype)


@operation("RandomUniform", "RandomNormal")
def _random(
    *, kind: str, shape: Any, dtype: int = 1, seed: Any = None, low: float = 0.0, high: float = 1.0,
    mean: float = 0.0, scale: float = 1.0,
) -> Any:  # fmt: skip
    bounds = (low, high) if "Uniform" in kind else (mean, scale)
    return _drawn(kind, shape, dtype_named(dtype), seed, *bounds)


@operation("RandomUniformLike", "RandomNormalLike")
def _random_like(x: Any, *, kind: str, dtype: int | None = None, **how: Any) -> Any:
    number = {} if dtype is None and dtype_of(x).kind != "f" else {"dtype": dtype}
    found = _random(kind=kind, shape=shape_of(x), **how, **{k: v for k, v in number.items() if v})
    return ag.astype(found, dtype_of(x)) if dtype is None else found


@operation("Multinomial")
def _multinomial(x: Any, dtype: int = 6, sample_size: int = 1, seed: Any = None) -> Any:
    key = {} if seed is None else {"seed": int(np.float32(seed).view(np.int32))}
    return ag.astype(ag.random.categorical(x, sample_size, **key), dtype_named(dtype))
