"""Programs of ten to thirty lines, as one writes them in NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.rows.row import Make, Row, of_numba, random

__all__ = ["ROWS"]


def _edit_distance(a: Any, b: Any) -> Any:
    before = np.arange(len(b) + 1)
    now = np.zeros_like(before)
    for i in range(len(a)):
        now[0] = i + 1
        for j in range(len(b)):
            changed = before[j] + (0 if a[i] == b[j] else 1)
            now[j + 1] = min(changed, before[j + 1] + 1, now[j] + 1)
        before, now = now, before
    return before[-1]


def _layer_norm(x: Any, scale: Any, shift: Any) -> Any:
    x = x.copy()
    for i in range(len(x)):
        x[i] -= x[i].mean()
        x[i] /= np.sqrt((x[i] ** 2).mean() + 1e-5)
        x[i] *= scale
        x[i] += shift
    return x


def _black_scholes(s: Any, k: Any, t: Any) -> Any:
    rate, sigma = 0.02, 0.25
    d1 = (np.log(s / k) + (rate + sigma**2 / 2) * t) / (sigma * np.sqrt(t))
    d2 = d1 - sigma * np.sqrt(t)

    def below(x: Any) -> Any:
        u = 1 / (1 + 0.2316419 * np.abs(x))
        p = u * (1.781477937 + u * (-1.821255978 + u * 1.330274429))
        p = u * (0.319381530 + u * (-0.356563782 + p))
        tail = np.exp(-x * x / 2) / math.sqrt(2 * math.pi) * p
        return np.where(x < 0, tail, 1 - tail)

    return s * below(d1) - k * np.exp(-rate * t) * below(d2)


def _newton_on_vectors(a: Any) -> Any:
    x = a.copy()
    while np.max(np.abs(x * x - a)) > 1e-10:
        x = x - (x * x - a) / (2 * x)
    return x


def _growing_list(x: Any) -> Any:
    kept = []
    level = 0.0
    for v in x:
        level += 0.1 * (v - level)
        if v > level:
            kept.append(v - level)
    return np.array(kept)


def _life(board: Any, steps: Any) -> Any:
    for _ in range(steps):
        rows = np.roll(board, 1, 0) + board + np.roll(board, -1, 0)
        near = np.roll(rows, 1, 1) + rows + np.roll(rows, -1, 1) - board
        board = ((near == 3) | ((board == 1) & (near == 2))).astype(board.dtype)
    return board


def _metropolis(n: Any, seed: Any) -> Any:
    rng = np.random.default_rng(seed)
    x, density = 0.1, 1.0
    chain = np.empty(n)
    for i in range(n):
        y = x + rng.normal()
        proposed = math.exp(-0.5 * y * y) * (1.5 + math.sin(3 * y))
        if rng.random() < proposed / density:
            x, density = y, proposed
        chain[i] = x
    return chain


def _ising(size: Any, sweeps: Any, seed: Any) -> Any:
    rng = np.random.default_rng(seed)
    spins = np.ones((size, size), np.int64)
    for _ in range(sweeps * size * size):
        i, j = rng.integers(0, size), rng.integers(0, size)
        near = spins[(i + 1) % size, j] + spins[i - 1, j]
        near += spins[i, (j + 1) % size] + spins[i, j - 1]
        cost = 2 * spins[i, j] * near
        if cost <= 0 or rng.random() < np.exp(-0.44 * cost):
            spins[i, j] = -spins[i, j]
    return spins


def _queue(customers: Any, seed: Any) -> Any:
    rng = np.random.default_rng(seed)
    arrival = departure = waited = 0.0
    for _ in range(customers):
        arrival += rng.exponential(1.25)
        start = max(arrival, departure)
        waited += start - arrival
        departure = start + rng.exponential(1.0)
    return waited / customers


def _barrier_option(paths: Any, steps: Any, seed: Any) -> Any:
    rng = np.random.default_rng(seed)
    step, paid = 1 / steps, 0.0
    for _ in range(paths):
        price, is_alive = 100.0, True
        for _ in range(steps):
            price *= np.exp(0.03 * step + 0.2 * np.sqrt(step) * rng.standard_normal())
            if price >= 130:
                is_alive = False
                break
        if is_alive:
            paid += max(price - 100, 0.0)
    return np.exp(-0.05) * paid / paths


def _complex_mandelbrot(c: Any, most: Any) -> Any:
    counts = np.zeros(c.shape, np.int64)
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            z, k = 0j, 0
            while abs(z) <= 2 and k < most:
                z = z * z + c[i, j]
                k += 1
            counts[i, j] = k
    return counts


def _points(size: int = 64) -> Any:
    x, y = np.linspace(-2, 1, size), np.linspace(-1.2, 1.2, size)
    return x + 1j * y[:, None], np.int64(50)


def _deep(layers: int = 200) -> Any:
    rng = random(31)
    return rng.randn(8, 16), *(0.25 * rng.randn(16, 16) for _ in range(layers))


def _through_layers(x: Any, *layers: Any) -> Any:
    for weights in layers:
        x = x + np.tanh(x @ weights)
    return x


class _Model:
    def __init__(self) -> None:
        self.training, self.scale = True, 0.5

    def __call__(self, x: Any) -> Any:
        return x * self.scale if self.training else x


def _of_a_model(namespace: Any) -> Callable[[Any], Any]:
    model = _Model()

    def toggled(x: Any) -> Any:
        model.training = not model.training
        return model(x)

    return toggled


_PARAMETERS = ("w1", "b1", "w2", "b2")


def _parameters(width: int = 16) -> Any:
    rng = random(33)
    shapes = (8, width), (width,), (width, 1), (1,)
    parameters = {k: 0.3 * rng.randn(*s) for k, s in zip(_PARAMETERS, shapes, strict=True)}
    return parameters, rng.randn(32, 8), rng.randn(32, 1)


def _step_of_parameters(p: Any, x: Any, y: Any) -> Any:
    h = np.tanh(x @ p["w1"] + p["b1"])
    error = (h @ p["w2"] + p["b2"] - y) / len(x)
    back = error @ p["w2"].T * (1 - h**2)
    slopes = {"w1": x.T @ back, "b1": back.sum(0), "w2": h.T @ error, "b2": error.sum(0)}
    new = {name: p[name] - 0.1 * slopes[name] for name in p}
    return [new[name] for name in _PARAMETERS]


def _row(
    name: str,
    text: str,
    inputs: Callable[..., tuple[Any, ...]],
    plain: Callable[..., Any],
    peers: Mapping[str, Make] | None = None,
    **options: Any,
) -> Row:
    """A row of which Numba compiles the very function, unless other peers are given."""
    found = {"numba": of_numba(plain)} if peers is None else peers
    return Row(name, text, inputs, plain, found, is_generic=False, **options)


def _ints(*numbers: int) -> Callable[[], tuple[Any, ...]]:
    return lambda: numbers


def _strings(size: int = 200) -> Any:
    return tuple(random(23).randint(0, 4, (2, size)))


def _options(size: int = 100_000) -> Any:
    rng = random(24)
    return 50 + 100 * rng.rand(size), 50 + 100 * rng.rand(size), 0.1 + rng.rand(size)


def _boards(size: int = 256) -> Any:
    return (random(26).rand(size, size) < 0.3).astype(np.int64), np.int64(20)


ROWS = [
    _row("edit_distance", "between two rows of 200 numbers, which swap two arrays", _strings,
         _edit_distance, resized=partial(_strings, 300)),
    _row("layer_norm_in_place", "of 256 rows of 512, each written four times",
         lambda: (random(25).randn(256, 512), np.ones(512), np.zeros(512)), _layer_norm),
    _row("black_scholes", "prices of 100,000 options", _options, _black_scholes,
         resized=partial(_options, 10_000)),
    _row("newton_on_vectors", "square roots of 10,000 numbers, until all are found",
         lambda: (1 + random(27).rand(10_000),), _newton_on_vectors),
    _row("growing_list", "a list of which 10,000 numbers decide what is in it",
         lambda: (random(28).randn(10_000),), _growing_list),
    _row("life", "20 rounds of 256x256", _boards, _life, {}, resized=partial(_boards, 100)),
    _row("metropolis", "a chain of 10,000 draws", _ints(10_000, 3), _metropolis),
    _row("ising", "ten sweeps of 20x20 spins", _ints(20, 10, 1), _ising),
    _row("queue", "10,000 customers of one server", _ints(10_000, 1), _queue),
    _row("barrier_option", "200 paths of 50 steps", _ints(200, 50, 2), _barrier_option),
    _row("complex_mandelbrot", "50 rounds of 64x64 complex numbers", _points, _complex_mandelbrot,
         resized=partial(_points, 100)),
    _row("deep_chain", "a model of 200 layers", _deep, _through_layers, {}),
    _row("toggled_flag", "a model whose flag changes with each call",
         lambda: (random(32).randn(1000),), lambda x: x, {}, fresh=_of_a_model, calls=2),
    _row("dict_of_parameters", "a step of a model whose parameters are in a dict", _parameters,
         _step_of_parameters, {}),
]  # fmt: skip
