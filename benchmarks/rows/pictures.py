"""Classifiers of pictures: inference, and training steps."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

import autograph as ag
from benchmarks.rows.networks import dense, jax_trained, tf_trained, torch_trained, trained
from benchmarks.rows.row import Row, of_jax, of_tensorflow, of_torch, random

__all__ = ["ROWS"]


def _kernels(rng: Any, size: int, channels: Sequence[int]) -> list[Any]:
    found: list[Any] = []
    for n, m in itertools.pairwise(channels):
        scale = 1 / np.sqrt(size * size * n)
        found += [(rng.randn(size, size, n, m) * scale).astype("f4"), np.zeros(m, "f4")]
    return found


# ---- small pictures of digits ------------------------------------------------------------------


def _digits(batch: int = 32) -> Any:
    rng = random(11)
    return rng.rand(batch, 28, 28, 1).astype("f4"), rng.randint(0, 10, batch).astype("i4")


_DIGITS = [*_kernels(random(110), 3, (1, 16, 16)), *dense(random(111), 16, 10)]


def _digits_of(relu: Any, conv: Any, mean: Any) -> Any:
    def logits(weights: Any, x: Any) -> Any:
        k1, b1, k2, b2, w, b = weights
        h = relu(conv(x, k1) + b1)
        h = relu(conv(h, k2) + b2)
        return mean(h) @ w + b

    return logits


def _our_digits(weights: Any, x: Any, y: Any) -> Any:
    model = _digits_of(ag.nn.relu, ag.nn.conv2d, lambda h: ag.mean(h, axis=(1, 2)))
    return ag.mean(ag.nn.sparse_softmax_cross_entropy_with_logits(y, model(weights, x)))


def _jax_conv(jax: Any) -> Any:
    def conv(x: Any, k: Any) -> Any:
        order = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(x, k, (1, 1), "VALID", dimension_numbers=order)

    return conv


def _jax_digits(jax: Any, jnp: Any) -> Any:
    model = _digits_of(jax.nn.relu, _jax_conv(jax), lambda h: jnp.mean(h, (1, 2)))

    def loss(weights: Any, x: Any, y: Any) -> Any:
        logits = jax.nn.log_softmax(model(weights, x))
        return -jnp.mean(jnp.take_along_axis(logits, y[:, None], 1))

    return loss


def _torch_conv(torch: Any) -> Any:
    def conv(x: Any, k: Any) -> Any:
        planes = torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), k.permute(3, 2, 0, 1))
        return planes.permute(0, 2, 3, 1)

    return conv


def _torch_digits(torch: Any) -> Any:
    model = _digits_of(torch.relu, _torch_conv(torch), lambda h: h.mean((1, 2)))
    return lambda weights, x, y: torch.nn.functional.cross_entropy(model(weights, x), y)


def _tf_conv(tf: Any) -> Any:
    return lambda x, k: tf.nn.conv2d(x, k, 1, "VALID")


def _tf_digits(tf: Any) -> Any:
    model = _digits_of(tf.nn.relu, _tf_conv(tf), lambda h: tf.reduce_mean(h, (1, 2)))

    def loss(weights: Any, x: Any, y: Any) -> Any:
        logits = model(weights, x)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    return loss


# ---- large pictures ------------------------------------------------------------------------------


def _horse_parameters() -> list[Any]:
    rng = random(12)
    return [*_kernels(rng, 4, (3, 16, 32, 64)), *dense(rng, 40000, 512, 2)]


def _horses(batch: int = 8) -> Any:
    return (random(120).rand(batch, 224, 224, 3).astype("f4"), *_horse_parameters())


def _horse_batch(batch: int = 8) -> Any:
    rng = random(120)
    return rng.rand(batch, 224, 224, 3).astype("f4"), rng.randint(0, 2, batch).astype("i4")


def _horse_of(relu: Any, conv: Any, pool: Any, flat: Any) -> Any:
    def logits(x: Any, k1: Any, b1: Any, k2: Any, b2: Any, k3: Any, b3: Any, *rest: Any) -> Any:
        w1, c1, w2, c2 = rest
        for k, b in ((k1, b1), (k2, b2), (k3, b3)):
            x = pool(relu(conv(x, k) + b))
        return relu(flat(x) @ w1 + c1) @ w2 + c2

    return logits


def _numpy_conv(x: Any, k: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, k.shape[:2], (1, 2))
    return np.tensordot(windows, k, ((4, 5, 3), (0, 1, 2)))


def _numpy_pool(x: Any) -> Any:
    n, height, width, channels = x.shape
    x = x[:, : height // 2 * 2, : width // 2 * 2]
    return x.reshape(n, height // 2, 2, width // 2, 2, channels).max((2, 4))


def _flat(x: Any) -> Any:
    return x.reshape((-1, 40000))


def _numpy_softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


_NUMPY_HORSE = _horse_of(lambda x: np.maximum(x, 0), _numpy_conv, _numpy_pool, _flat)
_OUR_HORSE = _horse_of(ag.nn.relu, ag.nn.conv2d, lambda x: ag.nn.max_pool2d(x, 2), _flat)


def _our_horse(*given: Any) -> Any:
    return ag.nn.softmax(_OUR_HORSE(*given))


def _our_horse_loss(weights: Any, x: Any, y: Any) -> Any:
    logits = _OUR_HORSE(x, *weights)
    return ag.mean(ag.nn.sparse_softmax_cross_entropy_with_logits(y, logits))


def _jax_horse(jax: Any, jnp: Any) -> Any:
    def pool(x: Any) -> Any:
        size = (1, 2, 2, 1)
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, size, size, "VALID")

    return _horse_of(jax.nn.relu, _jax_conv(jax), pool, _flat)


def _jax_horse_loss(jax: Any, jnp: Any) -> Any:
    model = _jax_horse(jax, jnp)

    def loss(weights: Any, x: Any, y: Any) -> Any:
        logits = jax.nn.log_softmax(model(x, *weights))
        return -jnp.mean(jnp.take_along_axis(logits, y[:, None], 1))

    return loss


def _torch_horse(torch: Any) -> Any:
    def pool(x: Any) -> Any:
        planes = torch.nn.functional.max_pool2d(x.permute(0, 3, 1, 2), 2)
        return planes.permute(0, 2, 3, 1)

    return _horse_of(torch.relu, _torch_conv(torch), pool, _flat)


def _torch_horse_loss(torch: Any) -> Any:
    model = _torch_horse(torch)
    return lambda weights, x, y: torch.nn.functional.cross_entropy(model(x, *weights), y)


def _tf_horse(tf: Any) -> Any:
    def pool(x: Any) -> Any:
        return tf.nn.max_pool2d(x, 2, 2, "VALID")

    return _horse_of(tf.nn.relu, _tf_conv(tf), pool, lambda x: tf.reshape(x, (-1, 40000)))


def _tf_horse_loss(tf: Any) -> Any:
    model = _tf_horse(tf)

    def loss(weights: Any, x: Any, y: Any) -> Any:
        logits = model(x, *weights)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))

    return loss


def _eager(loss_of: Any, parameters: Any) -> Any:
    """In the place of NumPy, which has no gradients: ours, as a plan."""
    return lambda of: trained(parameters(), loss_of)


_HORSE = _horse_parameters()

ROWS = [
    Row("cnn_mnist_train_step", "two convolutions of 3x3x16, one step of Adam", _digits,
        _our_digits, {
            "tensorflow": tf_trained(_DIGITS, _tf_digits),
            "jax": jax_trained(_DIGITS, _jax_digits),
            "torch": torch_trained(_DIGITS, _torch_digits),
        }, 5e-3, 0, calls=3, resized=lambda: _digits(20),
        fresh=_eager(_our_digits, lambda: _DIGITS), has_numpy=False),
    Row("cnn_horse_infer", "three convolutions, pools and two dense layers", _horses,
        lambda *given: _numpy_softmax(_NUMPY_HORSE(*given)), {
            "tensorflow": of_tensorflow(
                lambda tf: lambda *given: tf.nn.softmax(_tf_horse(tf)(*given))),
            "jax": of_jax(
                lambda jax, jnp: lambda *given: jax.nn.softmax(_jax_horse(jax, jnp)(*given))),
            "torch": of_torch(
                lambda torch: lambda *given: torch.softmax(_torch_horse(torch)(*given), -1)),
        }, 1e-3, 1e-5, ours=_our_horse, resized=lambda: _horses(5)),
    Row("cnn_horse_train_step", "the same, one step of Adam", _horse_batch, _our_horse_loss, {
        "tensorflow": tf_trained(_HORSE, _tf_horse_loss),
        "jax": jax_trained(_HORSE, _jax_horse_loss),
        "torch": torch_trained(_HORSE, _torch_horse_loss),
    }, 2e-2, 0, calls=3, resized=lambda: _horse_batch(5),
        fresh=_eager(_our_horse_loss, lambda: _HORSE), has_numpy=False),
]  # fmt: skip
