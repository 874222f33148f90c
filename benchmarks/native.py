"""Workloads of native code: small calls, loops over scalars and small arrays, chains of arrays.

Each is a function of the frameworks at hand that gives calls by name, and the expected result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import autograph as ag

__all__ = ["NATIVE"]

Calls = dict[str, Callable[[], Any]]


def _calls(function: Callable[..., Any], arguments: tuple[Any, ...], plain: bool = True) -> Calls:
    """Ours natively and as a plan, and plain Python on NumPy."""
    ours, planned = ag.convert(function), ag.convert(function, native=False)
    calls: Calls = {"ours": lambda: ours(*arguments), "ours, plan": lambda: planned(*arguments)}
    if plain:
        calls["numpy"] = lambda: function(*arguments)
    return calls


def _numba(frameworks: dict[str, Any], function: Any, arguments: tuple[Any, ...]) -> Calls:
    if "numba" not in frameworks:
        return {}
    compiled = frameworks["numba"].njit(function)
    return {"numba": lambda: compiled(*arguments)}


def _jax(frameworks: dict[str, Any], function: Any, arguments: tuple[Any, ...]) -> Calls:
    """`function` is made by one of `jax` and its NumPy."""
    if "jax" not in frameworks:
        return {}
    jax = frameworks["jax"]
    compiled = jax.jit(function(jax, jax.numpy))
    given = tuple(map(jax.numpy.asarray, arguments))
    return {"jax.jit": lambda: jax.block_until_ready(compiled(*given))}


def _cond(x: Any) -> Any:
    if x > 0:
        x = x + 1
    return x


def cond_scalar(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """`if x > 0: x = x + 1`."""
    x = (np.float32(1.5),)
    jax = _jax(frameworks, lambda j, jnp: lambda x: jnp.where(x > 0, x + 1, x), x)
    return {**_calls(_cond, x), **jax}, 2.5


def _relu(x: Any) -> Any:
    if x > 0:
        return x
    else:
        return 0


def relu_scalar(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """`return x` or `return 0`."""
    x = (np.float32(1.5),)
    jax = _jax(frameworks, lambda j, jnp: lambda x: jnp.where(x > 0, x, 0), x)
    return {**_calls(_relu, x), **jax}, 1.5


def _product(x: Any, y: Any, b: Any) -> Any:
    return np.matmul(x, y) + b


def matmul_add(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """A product of 1x2 by 2x1, plus a number."""
    given = (np.ones((1, 2), "f4"), np.full((2, 1), 4, "f4"), np.float32(4))
    jax = _jax(frameworks, lambda j, jnp: lambda x, y, b: jnp.matmul(x, y) + b, given)
    return {**_calls(_product, given), **jax}, np.array([[12.0]])


def _chain(x: Any) -> Any:
    y = x
    for _ in range(25):
        y = np.tanh(y) + x
    return y


def chain50_small(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """Fifty operations on 64 numbers."""
    x = (np.random.RandomState(2).randn(64).astype("f4"),)

    def of_jax(jax: Any, jnp: Any) -> Any:
        def chain(x: Any) -> Any:
            y = x
            for _ in range(25):
                y = jnp.tanh(y) + x
            return y

        return chain

    return {**_calls(_chain, x), **_jax(frameworks, of_jax, x)}, _chain(*x)


def _power(x: Any, n: Any) -> Any:
    r = np.eye(10, dtype=np.int32)
    i = 0
    while i < n:
        r = x @ r
        i += 1
    return r


def power100_while(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """A hundred int32 products of 10 by 10; the number of them is an argument."""
    given = (np.random.RandomState(1).randint(-1, 2, (10, 10)).astype("i4"), np.int64(100))

    def of_jax(jax: Any, jnp: Any) -> Any:
        def power(x: Any, n: Any) -> Any:
            return jax.lax.fori_loop(0, n, lambda i, r: x @ r, jnp.eye(10, dtype="int32"))

        return power

    return {**_calls(_power, given), **_jax(frameworks, of_jax, given)}, _power(*given)


def _gcd_sum(n: Any, m: Any) -> Any:
    total = 0
    for j in range(1, n + 1):
        a, b = j, m
        while b != 0:
            a, b = b, a % b
        total += a
    return total


def gcd_sum(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """The sum of gcd(j, 360) for j up to 300: a loop in a loop."""
    given = (np.int64(300), np.int64(360))

    def of_jax(jax: Any, jnp: Any) -> Any:
        def gcd(j: Any, m: Any) -> Any:
            return jax.lax.while_loop(lambda s: s[1] != 0, lambda s: (s[1], s[0] % s[1]), (j, m))[0]

        return lambda n, m: jax.lax.fori_loop(1, n + 1, lambda j, t: t + gcd(j, m), jnp.int64(0))

    others = {**_numba(frameworks, _gcd_sum, given), **_jax(frameworks, of_jax, given)}
    return {**_calls(_gcd_sum, given), **others}, sum(math.gcd(j, 360) for j in range(1, 301))


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


def euler_ode(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """Ten thousand steps of the Lorenz equations."""
    given = (np.ones(3), np.int64(10_000))

    def of_jax(jax: Any, jnp: Any) -> Any:
        def step(i: Any, s: Any) -> Any:
            x, y, z = s[0], s[1], s[2]
            f = [10.0 * (y - x), x * (28.0 - z) - y, x * y - (8.0 / 3.0) * z]
            return s + 1e-3 * jnp.stack(f)

        return lambda s, n: jax.lax.fori_loop(0, n, step, s)

    ours = _calls(_lorenz, given, plain=False)
    others = {**_numba(frameworks, _lorenz_in_place, given), **_jax(frameworks, of_jax, given)}
    return {**ours, **others}, _lorenz(*given)


def _mse(p: Any, t: Any) -> Any:
    return np.mean(np.power(t - p, 2))


def mse(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """The mean of squared differences of a million numbers."""
    rng = np.random.RandomState(3)
    given = (rng.randn(1_000_000).astype("f4"), rng.randn(1_000_000).astype("f4"))
    jax = _jax(frameworks, lambda j, jnp: lambda p, t: jnp.mean((t - p) ** 2), given)
    return {**_calls(_mse, given), **jax}, np.mean((given[1] - given[0]).astype("f8") ** 2)


def _gelu(x: Any) -> Any:
    g = 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))
    return g * np.exp(-g)


def gelu_chain(frameworks: dict[str, Any]) -> tuple[Calls, Any]:
    """Twelve operations on a million numbers, two of them transcendental."""
    x = (np.random.RandomState(4).randn(1_000_000).astype("f4"),)

    def of_jax(jax: Any, jnp: Any) -> Any:
        def gelu(x: Any) -> Any:
            g = 0.5 * x * (1 + jnp.tanh(0.7978845608 * (x + 0.044715 * x**3)))
            return g * jnp.exp(-g)

        return gelu

    return {**_calls(_gelu, x), **_jax(frameworks, of_jax, x)}, _gelu(*x)


NATIVE: dict[str, Callable[[dict[str, Any]], tuple[Calls, Any]]] = {
    "cond_scalar": cond_scalar,
    "relu_scalar": relu_scalar,
    "matmul_add": matmul_add,
    "chain50_small": chain50_small,
    "power100_while": power100_while,
    "gcd_sum": gcd_sum,
    "euler_ode": euler_ode,
    "mse": mse,
    "gelu_chain": gelu_chain,
}
