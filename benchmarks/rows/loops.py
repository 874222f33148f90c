"""Loops over arrays, and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

import autograph as ag
from benchmarks.rows.row import Row, of_jax, of_numba, of_tensorflow, of_torch, random

__all__ = ["ROWS"]


def _lorenz_of(stack: Any) -> Any:
    def lorenz(s: Any, n: Any) -> Any:
        for _ in range(n):
            x, y, z = s[0], s[1], s[2]
            f = stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - (8.0 / 3.0) * z])
            s = s + 1e-3 * f
        return s

    return lorenz


def _lorenz(s: Any, n: Any) -> Any:
    for _ in range(n):
        x, y, z = s[0], s[1], s[2]
        f = np.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - (8.0 / 3.0) * z])
        s = s + 1e-3 * f
    return s


def _lorenz_in_place(s: Any, n: Any) -> Any:
    s = s.copy()
    for _ in range(n):
        x, y, z = s[0], s[1], s[2]
        s[0] = x + 1e-3 * (10.0 * (y - x))
        s[1] = y + 1e-3 * (x * (28.0 - z) - y)
        s[2] = z + 1e-3 * (x * y - (8.0 / 3.0) * z)
    return s


def _jax_lorenz(jax: Any, jnp: Any) -> Any:
    def step(i: Any, s: Any) -> Any:
        x, y, z = s[0], s[1], s[2]
        f = [10.0 * (y - x), x * (28.0 - z) - y, x * y - (8.0 / 3.0) * z]
        return s + 1e-3 * jnp.stack(f)

    return lambda s, n: jax.lax.fori_loop(0, n, step, s)


# ---- a recurrent network -----------------------------------------------------------------------


def _sequence(steps: int = 200, batch: int = 32, width: int = 64) -> Any:
    rng = random(13)
    x, h = rng.randn(steps, batch, width).astype("f4"), np.zeros((batch, width), "f4")
    w, u = ((rng.randn(width, width) / np.sqrt(width)).astype("f4") for _ in range(2))
    return x, h, w, u, (rng.randn(width) * 0.1).astype("f4"), np.int64(steps)


def _other_sequence() -> Any:
    return _sequence(150, 24, 80)


def _rnn(x: Any, h: Any, w: Any, u: Any, b: Any, n: Any) -> Any:
    for t in range(n):
        h = np.tanh(x[t] @ w + h @ u + b)
    return h


def _rnn_sum(x: Any, h: Any, w: Any, u: Any, b: Any, n: Any) -> Any:
    return np.sum(_rnn(x, h, w, u, b, n))


def _rnn_gradients(x: Any, h: Any, w: Any, u: Any, b: Any, n: Any) -> Any:
    return ag.grad(_rnn_sum, argnums=(2, 3, 4))(x, h, w, u, b, n)


def _numpy_rnn_gradients(x: Any, h: Any, w: Any, u: Any, b: Any, n: Any) -> Any:
    states = [h]
    for t in range(n):
        states.append(np.tanh(x[t] @ w + states[-1] @ u + b))
    g = np.ones_like(h)
    gw, gu, gb = np.zeros_like(w), np.zeros_like(u), np.zeros_like(b)
    for t in range(n - 1, -1, -1):
        slope = g * (1 - states[t + 1] ** 2)
        gw += x[t].T @ slope
        gu += states[t].T @ slope
        gb += slope.sum(0)
        g = slope @ u.T
    return gw, gu, gb


def _jax_rnn(jax: Any, jnp: Any) -> Any:
    def rnn(x: Any, h: Any, w: Any, u: Any, b: Any, n: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            return jnp.tanh(x @ w + h @ u + b), None

        return jax.lax.scan(step, h, x)[0]

    return rnn


def _jax_rnn_gradients(jax: Any, jnp: Any) -> Any:
    rnn = _jax_rnn(jax, jnp)
    return jax.grad(lambda *given: rnn(*given).sum(), (2, 3, 4))


def _torch_rnn(torch: Any) -> Any:
    def rnn(x: Any, h: Any, w: Any, u: Any, b: Any, n: Any) -> Any:
        for t in range(int(n)):
            h = torch.tanh(torch.addmm(b, x[t], w) + h @ u)
        return h

    return rnn


def _torch_rnn_gradients(torch: Any) -> Any:
    rnn = _torch_rnn(torch)

    def gradients(x: Any, h: Any, w: Any, u: Any, b: Any, n: Any) -> Any:
        given = tuple(t.detach().requires_grad_() for t in (w, u, b))
        return torch.autograd.grad(rnn(x, h, *given, n).sum(), given)

    return gradients


def _tf_rnn(tf: Any) -> Any:
    def rnn(x: Any, h: Any, w: Any, u: Any, b: Any, n: Any) -> Any:
        for t in tf.range(n):
            h = tf.tanh(x[t] @ w + h @ u + b)
        return h

    return rnn


def _tf_rnn_gradients(tf: Any) -> Any:
    rnn = _tf_rnn(tf)

    def gradients(x: Any, h: Any, w: Any, u: Any, b: Any, n: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch((w, u, b))
            total = tf.reduce_sum(rnn(x, h, w, u, b, n))
        return tape.gradient(total, (w, u, b))

    return gradients


# ---- a loop whose length the data decides ------------------------------------------------------


def _growth(x: Any) -> Any:
    y = x
    while np.sum(y * y) < 1e6:
        y = 1.05 * y + 0.01 * y * y
    return np.sum(y)


def _growth_gradient(x: Any) -> Any:
    return ag.grad(_growth)(x)


def _numpy_growth_gradient(x: Any) -> Any:
    states = [x]
    while np.sum(states[-1] * states[-1]) < 1e6:
        y = states[-1]
        states.append(1.05 * y + 0.01 * y * y)
    g = np.ones_like(x)
    for y in states[-2::-1]:
        g = g * (1.05 + 0.02 * y)
    return g


def _tf_growth_gradient(tf: Any) -> Any:
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while tf.reduce_sum(y * y) < 1e6:
                y = 1.05 * y + 0.01 * y * y
            total = tf.reduce_sum(y)
        return tape.gradient(total, x)

    return gradient


def _torch_growth_gradient(torch: Any) -> Any:
    def gradient(x: Any) -> Any:
        x = x.detach().requires_grad_()
        y = x
        while torch.sum(y * y) < 1e6:
            y = 1.05 * y + 0.01 * y * y
        return torch.autograd.grad(y.sum(), x)[0]

    return gradient


def _root(a: Any) -> Any:
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


ROWS = [
    Row("euler_ode", "ten thousand steps of the Lorenz equations",
        lambda: (np.ones(3), np.int64(10_000)), _lorenz, {
            "jax": of_jax(_jax_lorenz),
            "numba": of_numba(_lorenz_in_place),
        }, 1e-6, 1e-8, resized=lambda: (np.ones(3), np.int64(3_000)),
        is_generic=False),  # chaos: float32 soon goes another way
    Row("rnn_loop", "200 steps of a recurrent network", _sequence, _rnn, {
        "tensorflow": of_tensorflow(_tf_rnn),
        "jax": of_jax(_jax_rnn),
        "torch": of_torch(_torch_rnn),
    }, 1e-3, 1e-4, resized=_other_sequence),
    Row("rnn_grad", "its gradients", _sequence, _numpy_rnn_gradients, {
        "tensorflow": of_tensorflow(_tf_rnn_gradients),
        "jax": of_jax(_jax_rnn_gradients),
        "torch": of_torch(_torch_rnn_gradients),
    }, 1e-2, 1e-3, ours=_rnn_gradients, resized=_other_sequence),
    Row("grad_while", "the gradient of a loop whose length the data decides",
        lambda: (random(19).rand(64).astype("f4"),), _numpy_growth_gradient, {
            "tensorflow": of_tensorflow(_tf_growth_gradient),
            "torch": of_torch(_torch_growth_gradient),
        }, 1e-3, 1e-3, ours=_growth_gradient, resized=lambda: (random(19).rand(200).astype("f4"),)),
    Row("newton_gradient", "value and gradient of a Newton iteration",
        lambda: (np.float64(2.0),), lambda a: (a**0.5, 0.5 / a**0.5), {},
        ours=lambda a: ag.value_and_grad(_root)(a),
        is_generic=False),  # float32 does not come that near
]  # fmt: skip
