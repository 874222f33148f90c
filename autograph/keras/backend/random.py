"""`keras.random`: draws that are functions of a seed's state."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras.src.backend.common import standardize_dtype
from keras.src.backend.config import floatx
from keras.src.random.seed_generator import SeedGenerator, draw_seed, make_default_seed

import autograph as ag
from autograph.keras.backend.core import convert_to_tensor

__all__ = [
    "SeedGenerator", "beta", "binomial", "categorical", "dropout", "gamma", "make_default_seed",
    "normal", "randint", "shuffle", "truncated_normal", "uniform",
]  # fmt: skip


def _key(seed: Any) -> Any:
    """The key of a draw: both words of the state that a seed generator gives."""
    high, low = ag.unstack(ag.astype(convert_to_tensor(draw_seed(seed)), "uint64"))
    return ag.bitwise_or(ag.bitwise_left_shift(high, np.uint64(32)), low)


def _exact(dtype: Any) -> tuple[str, str]:
    """The dtype that is drawn, and that of the result: bfloat16 is drawn as float32."""
    wanted = standardize_dtype(dtype or floatx())
    return ("float32" if wanted == "bfloat16" else wanted), wanted


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    drawn, dtype = _exact(dtype)
    sample = ag.random.normal(tuple(shape), mean, stddev, drawn, key=_key(seed))
    return convert_to_tensor(sample, dtype)


def uniform(
    shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    drawn, dtype = _exact(dtype)
    sample = ag.random.uniform(tuple(shape), minval, maxval, drawn, key=_key(seed))
    return convert_to_tensor(sample, dtype)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    drawn, dtype = _exact(dtype)
    sample = ag.random.truncated_normal(tuple(shape), mean, stddev, drawn, key=_key(seed))
    return convert_to_tensor(sample, dtype)


def randint(shape: Any, minval: Any, maxval: Any, dtype: Any = "int32", seed: Any = None) -> Any:
    return ag.random.integers(
        minval, maxval, tuple(shape), np.dtype(standardize_dtype(dtype)), key=_key(seed)
    )


def categorical(logits: Any, num_samples: int, dtype: Any = "int64", seed: Any = None) -> Any:
    drawn = ag.random.categorical(convert_to_tensor(logits), num_samples, key=_key(seed))
    return convert_to_tensor(drawn, dtype)


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    inputs = convert_to_tensor(inputs)
    if rate == 0.0:
        return inputs
    if rate == 1.0:
        return ag.zeros_like(inputs)
    if noise_shape is not None:
        sizes = zip(noise_shape, inputs.shape, strict=True)
        noise_shape = tuple(size if n is None else n for n, size in sizes)
    made = ag.nn.dropout(inputs, rate, noise_shape=noise_shape, key=_key(seed))
    return convert_to_tensor(made, inputs.dtype)


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    return ag.random.permutation(convert_to_tensor(x), axis, key=_key(seed))


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    drawn, dtype = _exact(dtype)
    sample = ag.random.gamma(tuple(shape), alpha, dtype=drawn, key=_key(seed))
    return convert_to_tensor(sample, dtype)


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Any:
    drawn, dtype = _exact(dtype)
    first, second = ag.random.split(_key(seed))
    x = ag.random.gamma(tuple(shape), alpha, dtype=drawn, key=first)
    y = ag.random.gamma(tuple(shape), beta, dtype=drawn, key=second)
    return convert_to_tensor(x / (x + y), dtype)


def binomial(
    shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None
) -> Any:
    _, dtype = _exact(dtype)
    counts, probabilities = convert_to_tensor(counts, "int64"), convert_to_tensor(probabilities)
    sample = ag.random.binomial(tuple(shape), counts, probabilities, key=_key(seed))
    return convert_to_tensor(sample, dtype)
