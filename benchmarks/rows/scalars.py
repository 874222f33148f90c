"""Small calls, and loops over numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import autograph as ag
from benchmarks.rows.row import Row, of_jax, of_numba, of_tensorflow, of_torch, random

__all__ = ["ROWS"]


def _square_plus_two(x: Any) -> Any:
    return x * x + 2


def _cond(x: Any) -> Any:
    if x > 0:
        x = x + 1
    return x


def _relu(x: Any) -> Any:
    if x > 0:
        return x
    else:
        return 0


def _product(x: Any, y: Any, b: Any) -> Any:
    return np.matmul(x, y) + b


def _chain(x: Any) -> Any:
    y = x
    for _ in range(25):
        y = np.tanh(y) + x
    return y


def _chain_of(tanh: Any) -> Any:
    def chain(x: Any) -> Any:
        y = x
        for _ in range(25):
            y = tanh(y) + x
        return y

    return chain


def _power(x: Any) -> Any:
    r = np.eye(len(x), dtype=x.dtype)
    for _ in range(100):
        r = x @ r
    return r


def _power_while(x: Any, n: Any) -> Any:
    r = np.eye(len(x), dtype=x.dtype)
    i = 0
    while i < n:
        r = x @ r
        i += 1
    return r


def _collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def _jax_collatz(jax: Any, jnp: Any) -> Any:
    def step(state: Any) -> Any:
        n, steps = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    return lambda n: jax.lax.while_loop(lambda s: s[0] != 1, step, (n, 0))[1]


def _gcd_sum(n: Any, m: Any) -> Any:
    total = 0
    for j in range(1, n + 1):
        a, b = j, m
        while b != 0:
            a, b = b, a % b
        total += a
    return total


def _jax_gcd_sum(jax: Any, jnp: Any) -> Any:
    def gcd(j: Any, m: Any) -> Any:
        return jax.lax.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), (j, m))[0]

    return lambda n, m: jax.lax.fori_loop(1, n + 1, lambda j, t: t + gcd(j, m), jnp.int64(0))


def _parabola(a: Any, b: Any, c: Any, w: Any) -> Any:
    return a * w**2 + b * w + c


def _parabola_slope(a: Any, b: Any, c: Any, w: Any) -> Any:
    return 2 * a * w + b


def _slope(a: Any, b: Any, c: Any, w: Any) -> Any:
    return ag.grad(_parabola, argnums=3)(a, b, c, w)


def _tf_slope(tf: Any) -> Any:
    def slope(a: Any, b: Any, c: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = _parabola(a, b, c, w)
        return tape.gradient(y, w)

    return slope


def _torch_slope(torch: Any) -> Any:
    def slope(a: Any, b: Any, c: Any, w: Any) -> Any:
        w = w.detach().requires_grad_()
        return torch.autograd.grad(_parabola(a, b, c, w), w)[0]

    return slope


def _f4(*numbers: float) -> Any:
    return lambda: tuple(map(np.float32, numbers))


def _matrices(size: int = 1) -> Any:
    return np.ones((size, 2), "f4"), np.full((2, size), 4, "f4"), np.float32(4)


def _signs(size: int = 10) -> Any:
    return (random(1).randint(-1, 2, (size, size)).astype(np.int32),)


def _tf_power(tf: Any) -> Any:
    def power(x: Any) -> Any:
        r = tf.eye(x.shape[0], dtype=x.dtype)
        for _ in range(100):
            r = tf.matmul(x, r)
        return r

    return power


def _jax_power(jax: Any, jnp: Any) -> Any:
    def power(x: Any) -> Any:
        r = jnp.eye(len(x), dtype=x.dtype)
        for _ in range(100):
            r = x @ r
        return r

    return power


def _jax_power_while(jax: Any, jnp: Any) -> Any:
    def power(x: Any, n: Any) -> Any:
        return jax.lax.fori_loop(0, n, lambda i, r: x @ r, jnp.eye(len(x), dtype=x.dtype))

    return power


def _same(function: Any) -> dict[str, Any]:
    """All peers take the function as it is."""
    return {
        "tensorflow": of_tensorflow(lambda tf: function),
        "jax": of_jax(lambda jax, jnp: function),
        "torch": of_torch(lambda torch: function),
        "numba": of_numba(function),
    }


ROWS = [
    Row("call_tiny", "x * x + 2 of a number", _f4(3), _square_plus_two, _same(_square_plus_two)),
    Row("matmul_add", "a product of 1x2 by 2x1, plus a number", _matrices, _product, {
        "tensorflow": of_tensorflow(lambda tf: lambda x, y, b: tf.matmul(x, y) + b),
        "jax": of_jax(lambda jax, jnp: lambda x, y, b: jnp.matmul(x, y) + b),
        "torch": of_torch(lambda torch: lambda x, y, b: torch.matmul(x, y) + b),
    }, resized=lambda: _matrices(3)),
    Row("chain50_small", "fifty operations on 64 numbers",
        lambda: (random(2).randn(64).astype("f4"),), _chain, {
            "tensorflow": of_tensorflow(lambda tf: _chain_of(tf.tanh)),
            "jax": of_jax(lambda jax, jnp: _chain_of(jnp.tanh)),
            "torch": of_torch(lambda torch: _chain_of(torch.tanh)),
        }, 1e-4, 1e-5, resized=lambda: (random(2).randn(131).astype("f4"),)),
    Row("power100", "a hundred int32 products of 10 by 10", _signs, _power, {
        "tensorflow": of_tensorflow(_tf_power),
        "jax": of_jax(_jax_power),
    }, 0, 0, resized=lambda: _signs(14)),
    Row("power100_while", "the same, their number an argument",
        lambda: (*_signs(), np.int64(100)), _power_while, {"jax": of_jax(_jax_power_while)}, 0, 0,
        resized=lambda: (*_signs(14), np.int64(130))),
    Row("cond_scalar", "if x > 0: x = x + 1", _f4(1.5), _cond, {
        "tensorflow": of_tensorflow(lambda tf: _cond),
        "jax": of_jax(lambda jax, jnp: lambda x: jnp.where(x > 0, x + 1, x)),
        "torch": of_torch(lambda torch: _cond),
        "numba": of_numba(_cond),
    }),
    Row("relu_scalar", "return x or return 0", _f4(1.5), _relu, {
        "jax": of_jax(lambda jax, jnp: lambda x: jnp.where(x > 0, x, 0)),
        "torch": of_torch(lambda torch: _relu),
        "numba": of_numba(_relu),
    }),
    Row("collatz", "steps from 837799", lambda: (np.int64(837799),), _collatz, {
        "tensorflow": of_tensorflow(lambda tf: _collatz),
        "jax": of_jax(_jax_collatz),
        "numba": of_numba(_collatz),
    }, 0, 0, resized=lambda: (np.int64(77031),)),
    Row("gcd_sum", "the sum of gcd(j, 360) for j up to 300",
        lambda: (np.int64(300), np.int64(360)),
        lambda n, m: sum(math.gcd(j, int(m)) for j in range(1, int(n) + 1)),
        {"jax": of_jax(_jax_gcd_sum), "numba": of_numba(_gcd_sum)}, 0, 0, ours=_gcd_sum,
        resized=lambda: (np.int64(700), np.int64(1001))),
    Row("ad_scalar", "the slope of a parabola", _f4(1, 2, 3, 4), _parabola_slope, {
        "tensorflow": of_tensorflow(_tf_slope),
        "jax": of_jax(lambda jax, jnp: jax.grad(_parabola, 3)),
        "torch": of_torch(_torch_slope),
    }, ours=_slope),
]  # fmt: skip
