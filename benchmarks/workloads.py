"""The workloads, each as one would write it for ours, NumPy, TensorFlow, JAX and torch.

A workload is a function of the peers at hand that gives calls by name, and the expected result.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as ag
from benchmarks.native import NATIVE

__all__ = ["WORKLOADS", "peers"]

Calls = dict[str, Callable[[], Any]]


def peers() -> dict[str, Any]:
    """The other frameworks that can be imported here."""
    found = {}
    for name in ("tensorflow", "jax", "torch", "numba"):
        try:
            found[name] = importlib.import_module(name)
        except ImportError:
            continue
    if "jax" in found:
        found["jax"].config.update("jax_enable_x64", True)
    if "torch" in found:
        found["torch"].set_num_threads(2)
    return found


def _square_plus_two(x: Any) -> Any:
    return x * x + 2


def call_tiny(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """`x*x + 2` of a scalar: the price of a call."""
    ours = ag.convert(_square_plus_two)
    x = np.float32(3.0)
    calls: Calls = {
        "ours, NumPy scalar": lambda: ours(x),
        "ours, Python float": lambda: ours(3.0),
        "numpy": lambda: _square_plus_two(x),
    }
    if "tensorflow" in frameworks:
        tf = frameworks["tensorflow"]
        graph, t = tf.function(_square_plus_two), tf.constant(3.0)
        calls["tf.function"] = lambda: graph(t)
    if "jax" in frameworks:
        jax = frameworks["jax"]
        compiled, j = jax.jit(_square_plus_two), jax.numpy.float32(3.0)
        calls["jax.jit"] = lambda: compiled(j).block_until_ready()
    if "torch" in frameworks:
        torch = frameworks["torch"]
        p = torch.tensor(3.0)
        calls["torch eager"] = lambda: _square_plus_two(p)
    return calls, 11.0


def power100(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """A hundred int32 matrix products of 10 by 10, over a Python range."""
    x = np.random.RandomState(1).randint(-1, 2, (10, 10)).astype(np.int32)
    eye = np.eye(10, dtype=np.int32)

    def power(x: Any, y: int) -> Any:
        result = eye
        for _ in range(y):
            result = ag.matmul(x, result)
        return result

    graph, tensor = ag.convert(power), ag.constant(x)
    expected = eye
    for _ in range(100):
        expected = x @ expected
    calls: Calls = {
        "ours": lambda: graph(tensor, 100),
        "ours, eager": lambda: power(tensor, 100),
        "numpy": lambda: _numpy_power(x, eye),
    }
    if "tensorflow" in frameworks:
        tf = frameworks["tensorflow"]

        @tf.function  # type: ignore[untyped-decorator]
        def tf_power(x: Any) -> Any:
            result = tf.eye(10, dtype=tf.int32)
            for _ in range(100):
                result = tf.matmul(x, result)
            return result

        t = tf.constant(x)
        calls["tf.function"] = lambda: tf_power(t).numpy()
    if "jax" in frameworks:
        jax = frameworks["jax"]

        def jax_power(x: Any) -> Any:
            result = jax.numpy.eye(10, dtype="int32")
            for _ in range(100):
                result = x @ result
            return result

        compiled, j = jax.jit(jax_power), jax.numpy.asarray(x)
        calls["jax.jit"] = lambda: compiled(j).block_until_ready()
    return calls, expected


def _numpy_power(x: Any, result: Any) -> Any:
    for _ in range(100):
        result = x @ result
    return result


def collatz(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """Steps of the Collatz sequence from 837799: a loop on scalars."""

    def steps(n: Any) -> Any:
        count = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            count += 1
        return count

    ours = ag.convert(steps)
    n = np.int64(837799)
    calls: Calls = {"ours": lambda: ours(n), "numpy scalars": lambda: steps(n)}
    if "numba" in frameworks:
        compiled = frameworks["numba"].njit(steps)
        calls["numba"] = lambda: compiled(n)
    if "tensorflow" in frameworks:
        tf = frameworks["tensorflow"]
        graph, t = tf.function(steps), tf.constant(n)
        calls["tf.function"] = lambda: graph(t).numpy()
    return calls, 524


def newton_gradient(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """Value and gradient of a Newton iteration with a trip count known only at run time."""

    def root(a: Any) -> Any:
        x = a
        while abs(x * x - a) > 1e-10:
            x = 0.5 * (x + a / x)
        return x

    ours = ag.value_and_grad(ag.convert(root))
    calls: Calls = {"ours": lambda: ours(2.0)}
    if "tensorflow" in frameworks:
        tf = frameworks["tensorflow"]
        graph = tf.function(root)
        a = tf.constant(2.0, tf.float64)

        def tf_gradient() -> Any:
            with tf.GradientTape() as tape:
                tape.watch(a)
                y = graph(a)
            return y.numpy(), tape.gradient(y, a).numpy()

        calls["tf.function"] = tf_gradient
    return calls, (2**0.5, 0.5 / 2**0.5)


WORKLOADS: dict[str, Callable[[dict[str, Any]], tuple[Calls, Any]]] = {
    "call_tiny": call_tiny,
    "power100": power100,
    "collatz": collatz,
    "newton_gradient": newton_gradient,
    **NATIVE,
}
