"""Programs that go over arrays element by element, as they are written for Numba: side by side.

Each is a plain Python function of arrays and numbers. Numba is used where it can be imported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import autograph as ag
from benchmarks.timing import Timing, interleaved

__all__ = ["PROGRAMS", "Loop", "loop_times"]


class Loop(NamedTuple):
    """A function and what makes its arguments; `size` is that of the measured ones."""

    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator, int], tuple[Any, ...]]
    size: int


def distances(points: Any) -> Any:
    """Of each point to each."""
    n = points.shape[0]
    found = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            square = 0.0
            for k in range(points.shape[1]):
                gap = points[i, k] - points[j, k]
                square += gap * gap
            found[i, j] = math.sqrt(square)
    return found


def jacobi(u: Any, steps: Any) -> Any:
    """Each cell becomes the mean of its four neighbours, again and again."""
    for _ in range(steps):
        new = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                new[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        u = new
    return u


def life(cells: Any, steps: Any) -> Any:
    """Conway's game of life on a torus."""
    height, width = cells.shape
    for _ in range(steps):
        new = np.zeros_like(cells)
        for i in range(height):
            for j in range(width):
                alive = 0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        if di != 0 or dj != 0:
                            alive += cells[(i + di) % height, (j + dj) % width]
                if alive == 3 or (alive == 2 and cells[i, j] == 1):
                    new[i, j] = 1
        cells = new
    return cells


def factors(a: Any) -> Any:
    """L and U in one matrix, without pivots."""
    a = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def product(a: Any, b: Any) -> Any:
    """Of two matrices, by three loops."""
    found = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            found[i, j] = total
    return found


def sums(a: Any) -> Any:
    """Of rows and of columns, in one go."""
    rows, columns = np.zeros(a.shape[0]), np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            rows[i] += a[i, j]
            columns[j] += a[i, j]
    return rows, columns


def filtered(x: Any, weights: Any) -> Any:
    """A filter of finite response."""
    found = np.zeros(len(x) - len(weights) + 1)
    for i in range(len(found)):
        total = 0.0
        for k in range(len(weights)):
            total += x[i + k] * weights[k]
        found[i] = total
    return found


def edges(a: Any) -> Any:
    """Sobel's operator."""
    found = np.zeros(a.shape)
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            gx = a[i - 1, j + 1] + 2 * a[i, j + 1] + a[i + 1, j + 1]
            gx = gx - a[i - 1, j - 1] - 2 * a[i, j - 1] - a[i + 1, j - 1]
            gy = a[i + 1, j - 1] + 2 * a[i + 1, j] + a[i + 1, j + 1]
            gy = gy - a[i - 1, j - 1] - 2 * a[i - 1, j] - a[i - 1, j + 1]
            found[i, j] = math.sqrt(gx * gx + gy * gy)
    return found


def shortest(d: Any) -> Any:
    """The lengths of the shortest ways between all pairs (Floyd and Warshall)."""
    d = d.copy()
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


def edits(a: Any, b: Any) -> Any:
    """Levenshtein's distance of two sequences."""
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(len(a) + 1):
        table[i, 0] = i
    for j in range(len(b) + 1):
        table[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            best = min(table[i - 1, j] + 1, table[i, j - 1] + 1)
            table[i, j] = min(best, table[i - 1, j - 1] + cost)
    return table[len(a), len(b)]


def packed(weights: Any, values: Any, room: Any) -> Any:
    """The most valuable load of a knapsack."""
    best = np.zeros(room + 1)
    for i in range(len(weights)):
        for left in range(room, weights[i] - 1, -1):
            best[left] = max(best[left], best[left - weights[i]] + values[i])
    return best[room]


def counted(x: Any, bins: Any) -> Any:
    """How many numbers are in each of some bins between 0 and 1."""
    found = np.zeros(bins, np.int64)
    for value in x:
        found[min(int(value * bins), bins - 1)] += 1
    return found


def ordered(x: Any) -> Any:
    """Sorted by insertion."""
    x = x.copy()
    for i in range(1, len(x)):
        one, j = x[i], i - 1
        while j >= 0 and x[j] > one:
            x[j + 1] = x[j]
            j -= 1
        x[j + 1] = one
    return x


def primes(n: Any) -> Any:
    """How many there are below `n`, by the sieve of Eratosthenes."""
    left = np.ones(n, dtype=np.bool_)
    left[:2] = False
    i = 2
    while i * i < n:
        if left[i]:
            for j in range(i * i, n, i):
                left[j] = False
        i += 1
    return left.sum()


def option(spot: Any, strike: Any, steps: Any) -> Any:
    """The price of a European call in a binomial tree."""
    up = math.exp(0.2 * math.sqrt(1 / steps))
    p = (math.exp(0.05 / steps) - 1 / up) / (up - 1 / up)
    values = np.zeros(steps + 1)
    for i in range(steps + 1):
        values[i] = max(0.0, spot * up ** (steps - 2 * i) - strike)
    for step in range(steps - 1, -1, -1):
        for i in range(step + 1):
            values[i] = math.exp(-0.05 / steps) * (p * values[i] + (1 - p) * values[i + 1])
    return values[0]


def hits(n: Any) -> Any:
    """How many of `n` points, by a linear congruential generator, are in a quarter of a circle."""
    state, inside = 12345, 0
    for _ in range(n):
        state = (1103515245 * state + 12345) % 2147483648
        x = state / 2147483648
        state = (1103515245 * state + 12345) % 2147483648
        y = state / 2147483648
        if x * x + y * y <= 1.0:
            inside += 1
    return inside


def planets(places: Any, speeds: Any, masses: Any, steps: Any) -> Any:
    """Bodies that attract each other, after some steps."""
    places, speeds = places.copy(), speeds.copy()
    n = len(masses)
    for _ in range(steps):
        for i in range(n):
            ax = ay = az = 0.0
            for j in range(n):
                if i != j:
                    dx = places[j, 0] - places[i, 0]
                    dy = places[j, 1] - places[i, 1]
                    dz = places[j, 2] - places[i, 2]
                    square = dx * dx + dy * dy + dz * dz + 1e-3
                    pull = masses[j] / (square * math.sqrt(square))
                    ax += pull * dx
                    ay += pull * dy
                    az += pull * dz
            speeds[i, 0] += 0.01 * ax
            speeds[i, 1] += 0.01 * ay
            speeds[i, 2] += 0.01 * az
        for i in range(n):
            for k in range(3):
                places[i, k] += 0.01 * speeds[i, k]
    return places


def clusters(points: Any, centres: Any, rounds: Any) -> Any:
    """The centres that k-means finds."""
    centres = centres.copy()
    n, width = points.shape
    k = centres.shape[0]
    for _ in range(rounds):
        totals, counts = np.zeros((k, width)), np.zeros(k, np.int64)
        for i in range(n):
            nearest, least = 0, 1e300
            for c in range(k):
                square = 0.0
                for d in range(width):
                    gap = points[i, d] - centres[c, d]
                    square += gap * gap
                if square < least:
                    nearest, least = c, square
            counts[nearest] += 1
            for d in range(width):
                totals[nearest, d] += points[i, d]
        for c in range(k):
            if counts[c] > 0:
                for d in range(width):
                    centres[c, d] = totals[c, d] / counts[c]
    return centres


def calls(spots: Any, strikes: Any, times: Any) -> Any:
    """The prices of European calls (Black and Scholes)."""
    found = np.zeros(len(spots))
    for i in range(len(spots)):
        s, k, t = spots[i], strikes[i], times[i]
        spread = 0.2 * math.sqrt(t)
        high = (math.log(s / k) + (0.05 + 0.02) * t) / spread
        low = high - spread
        p = 0.5 * (1.0 + math.erf(high / math.sqrt(2.0)))
        q = 0.5 * (1.0 + math.erf(low / math.sqrt(2.0)))
        found[i] = s * p - k * math.exp(-0.05 * t) * q
    return found


def checksum(data: Any) -> Any:
    """CRC-32, bit by bit."""
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc = crc ^ np.uint32(byte)
        for _ in range(8):
            low = crc & np.uint32(1)
            crc = crc >> np.uint32(1)
            if low:
                crc = crc ^ np.uint32(0xEDB88320)
    return crc


PROGRAMS = {
    loop.function.__name__: loop
    for loop in (
        Loop(distances, lambda rng, n: (rng.random((n, 3)),), 200),
        Loop(jacobi, lambda rng, n: (rng.random((n, n)), np.int64(20)), 150),
        Loop(life, lambda rng, n: (rng.integers(0, 2, (n, n)), np.int64(10)), 80),
        Loop(factors, lambda rng, n: (rng.random((n, n)) + n * np.eye(n),), 60),
        Loop(product, lambda rng, n: (rng.random((n, n)), rng.random((n, n))), 120),
        Loop(sums, lambda rng, n: (rng.random((n, n)),), 500),
        Loop(filtered, lambda rng, n: (rng.random(n), rng.random(31)), 20_000),
        Loop(edges, lambda rng, n: (rng.random((n, n)),), 128),
        Loop(shortest, lambda rng, n: (rng.random((n, n)),), 80),
        Loop(edits, lambda rng, n: (rng.integers(0, 4, n), rng.integers(0, 4, n)), 400),
        Loop(
            packed,
            lambda rng, n: (rng.integers(1, 30, n), rng.random(n), np.int64(10 * n)),
            100,
        ),
        Loop(counted, lambda rng, n: (rng.random(n), np.int64(50)), 100_000),
        Loop(ordered, lambda rng, n: (rng.random(n),), 2000),
        Loop(primes, lambda rng, n: (np.int64(n),), 20_000),
        Loop(option, lambda rng, n: (np.float64(100), np.float64(110), np.int64(n)), 500),
        Loop(hits, lambda rng, n: (np.int64(n),), 100_000),
        Loop(
            planets,
            lambda rng, n: (rng.random((n, 3)), np.zeros((n, 3)), rng.random(n), np.int64(20)),
            40,
        ),
        Loop(
            clusters,
            lambda rng, n: (rng.random((n, 3)), rng.random((8, 3)), np.int64(5)),
            1000,
        ),
        Loop(
            calls,
            lambda rng, n: (
                50 + 100 * rng.random(n),
                50 + 100 * rng.random(n),
                rng.random(n) + 0.1,
            ),
            20_000,
        ),
        Loop(checksum, lambda rng, n: (rng.integers(0, 256, n).astype(np.uint8),), 5000),
    )
}


def loop_times(rounds: int = 9) -> Iterator[tuple[str, dict[str, Timing]]]:
    """Each program with what a call takes converted, and by Numba where it can be imported."""
    for name, loop in PROGRAMS.items():
        arguments = loop.arguments(np.random.default_rng(0), loop.size)
        calls: dict[str, Callable[..., Any]] = {"ours": ag.convert(loop.function)}
        try:
            import numba
        except ImportError:
            pass
        else:
            calls["numba"] = numba.njit(loop.function)
        bound = {who: _call(f, arguments) for who, f in calls.items()}
        yield name, interleaved(bound, rounds=rounds)


def _call(f: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[[], Any]:
    return lambda: f(*arguments)
