"""Convolution, pooling and resizing beside torch and TensorFlow: `python -m benchmarks.neural`.

The shapes are those of two classifiers of pictures: 28x28x1 with 3x3 kernels (batch 32), and
224x224x3 with 4x4 kernels (batch 8), with the layers behind them. Arrays are single precision,
channels last. Forward alone, then with the gradients of input and kernel. "ours" is a converted
function, "eager" the same operations called one by one, as those of the others are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as ag
from benchmarks.peers import frameworks
from benchmarks.timing import interleaved

__all__ = ["convolution", "main", "max_pool", "resize"]

Calls = dict[str, Callable[[], Any]]

_CONVOLUTIONS = {
    "28x28x1 3x3x16": ((32, 28, 28, 1), (3, 3, 1, 16)),
    "26x26x16 3x3x16": ((32, 26, 26, 16), (3, 3, 16, 16)),
    "224x224x3 4x4x16": ((8, 224, 224, 3), (4, 4, 3, 16)),
    "110x110x16 4x4x32": ((8, 110, 110, 16), (4, 4, 16, 32)),
    "53x53x32 4x4x64": ((8, 53, 53, 32), (4, 4, 32, 64)),
}
_POOLS = {
    "26x26x16 2x2": (32, 26, 26, 16),
    "221x221x16 2x2": (8, 221, 221, 16),
    "107x107x32 2x2": (8, 107, 107, 32),
}


def _random(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def _torch_layout(torch: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """`x` with its axes as torch has them, in memory channels last."""
    return torch.tensor(x.transpose(axes)).contiguous(memory_format=torch.channels_last)


def _ours(function: Callable[..., Any], *args: Any) -> Calls:
    graph = ag.convert(function)
    return {"ours": lambda: graph(*args), "eager": lambda: function(*args)}


def convolution(frameworks: dict[str, Any], shape: Any, size: Any) -> tuple[Calls, Calls]:
    """Calls that give a convolution, and calls that give its two gradients as well."""
    x, kernel = _random(*shape), _random(*size)
    both = ag.grad(lambda x, k: ag.sum(ag.nn.conv2d(x, k)), argnums=(0, 1))
    forward = _ours(lambda x, k: ag.nn.conv2d(x, k), x, kernel)
    backward = _ours(lambda x, k: both(x, k), x, kernel)
    if "torch" in frameworks:
        torch = frameworks["torch"]
        conv2d = torch.nn.functional.conv2d
        tx = _torch_layout(torch, x, (0, 3, 1, 2)).requires_grad_()
        tk = _torch_layout(torch, kernel, (3, 2, 0, 1)).requires_grad_()
        forward["torch"] = lambda: conv2d(tx.detach(), tk.detach()).permute(0, 2, 3, 1).numpy()
        backward["torch"] = lambda: torch.autograd.grad(conv2d(tx, tk).sum(), (tx, tk))
    if "tensorflow" in frameworks:
        tf = frameworks["tensorflow"]
        fx, fk = tf.constant(x), tf.constant(kernel)

        def gradients() -> Any:
            with tf.GradientTape() as tape:
                tape.watch((fx, fk))
                total = tf.reduce_sum(tf.nn.conv2d(fx, fk, 1, "VALID"))
            return tape.gradient(total, (fx, fk))

        forward["tensorflow"] = lambda: tf.nn.conv2d(fx, fk, 1, "VALID").numpy()
        backward["tensorflow"] = gradients
    return forward, backward


def max_pool(frameworks: dict[str, Any], shape: Any) -> tuple[Calls, Calls]:
    """Calls that give the largest elements of 2x2 windows, and calls that give the gradient too."""
    x = _random(*shape)
    slope = ag.grad(lambda x: ag.sum(ag.nn.max_pool2d(x, 2)))
    forward = _ours(lambda x: ag.nn.max_pool2d(x, 2), x)
    backward = _ours(lambda x: slope(x), x)
    if "torch" in frameworks:
        torch = frameworks["torch"]
        pool = torch.nn.functional.max_pool2d
        tx = _torch_layout(torch, x, (0, 3, 1, 2)).requires_grad_()
        forward["torch"] = lambda: pool(tx.detach(), 2).permute(0, 2, 3, 1).numpy()
        backward["torch"] = lambda: torch.autograd.grad(pool(tx, 2).sum(), tx)
    if "tensorflow" in frameworks:
        tf = frameworks["tensorflow"]
        fx = tf.constant(x)

        def gradient() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(fx)
                total = tf.reduce_sum(tf.nn.max_pool2d(fx, 2, 2, "VALID"))
            return tape.gradient(total, fx)

        forward["tensorflow"] = lambda: tf.nn.max_pool2d(fx, 2, 2, "VALID").numpy()
        backward["tensorflow"] = gradient
    return forward, backward


def resize(frameworks: dict[str, Any], old: int, new: int) -> Calls:
    """Calls that bring a picture of bytes to another size, bilinearly."""
    x = np.random.default_rng(0).integers(0, 256, (old, old, 3)).astype(np.uint8)
    calls = _ours(lambda x: ag.image.resize(x, (new, new)), x)
    if "tensorflow" in frameworks:
        tf = frameworks["tensorflow"]
        picture = tf.constant(x)
        calls["tensorflow"] = lambda: tf.image.resize(picture, (new, new)).numpy()
    return calls


def _cases(frameworks: dict[str, Any]) -> dict[str, Calls]:
    cases: dict[str, Calls] = {}
    for name, (shape, size) in _CONVOLUTIONS.items():
        title = f"conv2d {name}, batch {shape[0]}"
        cases[title], cases[f"{title}, with gradients"] = convolution(frameworks, shape, size)
    for name, shape in _POOLS.items():
        title = f"max_pool2d {name}, batch {shape[0]}"
        cases[title], cases[f"{title}, with gradient"] = max_pool(frameworks, shape)
    for old, new in ((300, 224), (224, 300)):
        cases[f"resize {old} to {new}"] = resize(frameworks, old, new)
    return cases


def _check(title: str, calls: Calls) -> None:
    """All give the same, where the result is one array."""
    results = {peer: call() for peer, call in calls.items()}
    expected = results["ours"]
    if "gradient" in title:
        return
    for peer, found in results.items():
        if not np.allclose(found, expected, rtol=1e-3, atol=1e-3):
            sys.exit(f"{title}: {peer} gives another result")


def main() -> None:
    """Print the table, in milliseconds."""
    for title, calls in _cases(frameworks()).items():
        _check(title, calls)
        times = interleaved(calls, rounds=9).items()
        print(f"{title:42}", "  ".join(f"{peer} {t.median / 1e3:8.2f}" for peer, t in times))


if __name__ == "__main__":
    main()
