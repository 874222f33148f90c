"""Chains of operations on large arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as ag
from benchmarks.rows.row import Row, of_jax, of_numba, of_tensorflow, of_torch, random

__all__ = ["ROWS"]


def _mse(p: Any, t: Any) -> Any:
    return np.mean(np.power(t - p, 2))


def _gelu(x: Any) -> Any:
    g = 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))
    return g * np.exp(-g)


def _gelu_of(tanh: Any, exp: Any) -> Any:
    def gelu(x: Any) -> Any:
        g = 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x**3)))
        return g * exp(-g)

    return gelu


def _softmax(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def _mandelbrot(cr: Any, ci: Any, n: Any) -> Any:
    zr, zi = np.zeros_like(cr), np.zeros_like(ci)
    counts = np.zeros(cr.shape, np.int32)
    for _ in range(n):
        rr, ii = zr * zr, zi * zi
        inside = rr + ii <= 4
        counts = counts + inside
        zi = np.where(inside, 2 * zr * zi + ci, zi)
        zr = np.where(inside, rr - ii + cr, zr)
    return counts


def _mandelbrot_step(where: Any, cr: Any, ci: Any) -> Any:
    def step(zr: Any, zi: Any, counts: Any) -> Any:
        rr, ii = zr * zr, zi * zi
        inside = rr + ii <= 4
        zi = where(inside, 2 * zr * zi + ci, zi)
        return where(inside, rr - ii + cr, zr), zi, where(inside, counts + 1, counts)

    return step


def _jax_mandelbrot(jax: Any, jnp: Any) -> Any:
    def mandelbrot(cr: Any, ci: Any, n: Any) -> Any:
        step = _mandelbrot_step(jnp.where, cr, ci)
        start = jnp.zeros_like(cr), jnp.zeros_like(ci), jnp.zeros(cr.shape, jnp.int32)
        return jax.lax.fori_loop(0, n, lambda i, state: step(*state), start)[2]

    return mandelbrot


def _torch_mandelbrot(torch: Any) -> Any:
    def mandelbrot(cr: Any, ci: Any, n: Any) -> Any:
        step = _mandelbrot_step(torch.where, cr, ci)
        zr, zi, counts = torch.zeros_like(cr), torch.zeros_like(ci), torch.zeros(cr.shape).int()
        for _ in range(int(n)):
            zr, zi, counts = step(zr, zi, counts)
        return counts

    return mandelbrot


def _numba_mandelbrot(cr: Any, ci: Any, n: Any) -> Any:
    counts = np.zeros(cr.shape, np.int32)
    for i in range(cr.shape[0]):
        for j in range(cr.shape[1]):
            zr = zi = np.float32(0)
            for _ in range(n):
                rr, ii = zr * zr, zi * zi
                if rr + ii > 4:
                    break
                counts[i, j] += 1
                zr, zi = rr - ii + cr[i, j], 2 * zr * zi + ci[i, j]
    return counts


def _plane(size: int = 256) -> Any:
    re = np.linspace(-2, 0.5, size, dtype="f4")
    im = np.linspace(-1.25, 1.25, size, dtype="f4")
    return (*np.meshgrid(re, im), np.int64(100))


def _picture(size: int = 300) -> Any:
    return (random(18).randint(0, 256, (size, size, 3)).astype(np.uint8),)


def _resized(x: Any) -> Any:
    return ag.image.resize(x, (224, 224)) / 255


def _numpy_resized(x: Any) -> Any:
    """Along the columns, then along the rows."""

    def along(x: Any, axis: int, new: int) -> Any:
        old = x.shape[axis]
        places = (np.arange(new, dtype="f4") + 0.5) * np.float32(old / new) - 0.5
        below = np.floor(places)
        first = np.take(x, np.clip(below, 0, old - 1).astype(int), axis).astype("f4")
        second = np.take(x, np.clip(np.ceil(places), 0, old - 1).astype(int), axis).astype("f4")
        weight = (places - below).reshape((-1,) + (1,) * (x.ndim - 1 - axis))
        return first + (second - first) * weight

    return along(along(x, 1, 224), 0, 224) / 255


def _torch_resized(torch: Any) -> Any:
    def resized(x: Any) -> Any:
        planes = x.permute(2, 0, 1)[None].float()
        found = torch.nn.functional.interpolate(planes, (224, 224), mode="bilinear")
        return found[0].permute(1, 2, 0) / 255

    return resized


def _jax_resized(jax: Any, jnp: Any) -> Any:
    def resized(x: Any) -> Any:
        x = x.astype("float32")
        return jax.image.resize(x, (224, 224, 3), "linear", antialias=False) / 255

    return resized


def _two_rows(size: int = 1_000_000) -> Any:
    rng = random(3)
    return rng.randn(size).astype("f4"), rng.randn(size).astype("f4")


ROWS = [
    Row("mse", "the mean of a million squares", _two_rows, _mse, {
        "tensorflow": of_tensorflow(lambda tf: lambda p, t: tf.reduce_mean(tf.pow(t - p, 2))),
        "jax": of_jax(lambda jax, jnp: lambda p, t: jnp.mean((t - p) ** 2)),
        "torch": of_torch(lambda torch: lambda p, t: torch.mean(torch.pow(t - p, 2))),
    }, 1e-4, 0, resized=lambda: _two_rows(300_007)),
    Row("gelu_chain", "twelve operations on a million numbers",
        lambda: (random(4).randn(1_000_000).astype("f4"),), _gelu, {
            "tensorflow": of_tensorflow(lambda tf: _gelu_of(tf.tanh, tf.exp)),
            "jax": of_jax(lambda jax, jnp: _gelu_of(jnp.tanh, jnp.exp)),
            "torch": of_torch(lambda torch: _gelu_of(torch.tanh, torch.exp)),
        }, 1e-4, 1e-5, resized=lambda: (random(4).randn(300_007).astype("f4"),)),
    Row("softmax_rows", "softmax over the last axis",
        lambda: (random(6).randn(4096, 1000).astype("f4"),), _softmax, {
            "tensorflow": of_tensorflow(lambda tf: tf.nn.softmax),
            "jax": of_jax(lambda jax, jnp: jax.nn.softmax),
            "torch": of_torch(lambda torch: lambda x: torch.softmax(x, -1)),
        }, 1e-4, 1e-7, resized=lambda: (random(6).randn(3000, 257).astype("f4"),)),
    Row("mandelbrot", "a hundred rounds of 256x256 with masks", _plane, _mandelbrot, {
        "jax": of_jax(_jax_mandelbrot),
        "torch": of_torch(_torch_mandelbrot),
        "numba": of_numba(_numba_mandelbrot),
    }, 0, 0, differing=0.01, resized=lambda: _plane(301)),
    Row("image_map", "a picture of bytes brought to 224x224, over 255", _picture, _numpy_resized, {
        "tensorflow": of_tensorflow(lambda tf: lambda x: tf.image.resize(x, (224, 224)) / 255),
        "jax": of_jax(_jax_resized),
        "torch": of_torch(_torch_resized),
    }, 1e-4, 1e-4, ours=_resized, resized=lambda: _picture(450)),
]  # fmt: skip
