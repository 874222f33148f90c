"""Whole algorithms as people write them, each in one function with its helpers."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import autograph as ag
from autograph.frontend import conversion
from tests.language.arguments import A, I
from tests.language.harness import Samples

samples = Samples()
F = np.float64
rng = np.random.default_rng(7)


M3 = rng.normal(size=(3, 3)) + 4 * np.eye(3)
S4 = rng.normal(size=(4, 4))


@samples("", (F(2),), (F(30),), whiles=1)
def newton_sqrt(a):
    x = a
    for _ in range(50):
        new = 0.5 * (x + a / x)
        if abs(new - x) < 1e-12:
            break
        x = new
    return x


@samples("", (A(1, 0), F(0.1), I(20)), (A(0, 2), F(0.05), I(7)), whiles=1)
def runge_kutta(y, h, n):
    def f(y):
        return np.array([y[1], -y[0]])

    for _ in range(n):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


@samples("", (M3,), (M3.T.copy(),))
def lu_in_place(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    return a


@samples("", (M3, A(1, 2, 3)), (M3.T.copy(), A(0, 1, 0)))
def gauss_with_pivoting(a, b):
    a, b = a.copy(), b.copy()
    n = len(b)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            a[[k, p]] = a[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            m = a[i, k] / a[k, k]
            a[i, k:] -= m * a[k, k:]
            b[i] -= m * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return x


@samples("", (A(1, 3, 5, 7, 9, 11), F(7)), (A(1, 3, 5, 7, 9, 11), F(8)), whiles=1, joined=True)
def binary_search(x, target):
    low, high = 0, len(x) - 1
    while low <= high:
        mid = (low + high) // 2
        if x[mid] == target:
            return mid
        elif x[mid] < target:
            low = mid + 1
        else:
            high = mid - 1
    return -1


@samples(
    "", (np.array([1, 2, 3, 4]), np.array([2, 3, 5])), (np.array([1, 1, 1, 1]), np.array([1, 2, 1]))
)
def edit_distance(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1), dtype=np.int64)
    d[:, 0] = np.arange(n + 1)
    d[0, :] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
    return d[n, m]


@samples("", (I(30),), (I(10),), whiles=2)
def sieve(n):
    is_prime = np.ones(40, dtype=bool)
    is_prime[:2] = False
    i = 2
    while i * i <= n:
        if is_prime[i]:
            j = i * i
            while j <= n:
                is_prime[j] = False
                j += i
        i += 1
    return is_prime


@samples("", (A(3, 1, 2, 5, 4),), (A(5, 4, 3, 2, 1),))
def partition(x):
    pivot = x[-1]
    i = -1
    for j in range(len(x) - 1):
        if x[j] <= pivot:
            i += 1
            x[i], x[j] = x[j], x[i]
    x[i + 1], x[-1] = x[-1], x[i + 1]
    return i + 1, x


@samples("", (np.array([[1, 1], [1, 0]]), I(10)), (np.array([[1, 1], [1, 0]]), I(0)), whiles=1)
def matrix_power(base, n):
    result = np.eye(2, dtype=np.int64)
    while n > 0:
        if n % 2 == 1:
            result = result @ base
        base = base @ base
        n //= 2
    return result


@samples("", (F(-0.5), F(0.5)), (F(1), F(1)), (F(0), F(0)), whiles=1, joined=True)
def mandelbrot(re, im):
    c = complex(re, im)
    z = 0j
    for k in range(40):
        z = z * z + c
        if abs(z) > 2:
            return k
    return -1


@samples("", (np.eye(5, dtype=np.int64), I(3)), (np.ones((5, 5), dtype=np.int64), I(2)), whiles=1)
def game_of_life(grid, steps):
    for _ in range(steps):
        near = sum(
            np.roll(np.roll(grid, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j
        )
        grid = ((near == 3) | ((grid == 1) & (near == 2))).astype(np.int64)
    return grid


@samples("", (A(1, 2, 9, 10, 11), A(0, 5)), (A(1, 1, 1, 8, 9), A(3, 4)), whiles=1)
def k_means(points, centres):
    for _ in range(20):
        distance = abs(points[:, None] - centres[None, :])
        nearest = distance.argmin(axis=1)
        new = centres.copy()
        for k in range(len(centres)):
            mine = points[nearest == k]
            if len(mine) > 0:
                new[k] = mine.mean()
        if (new == centres).all():
            break
        centres = new
    return centres


@samples("", (F(1.0),), (F(-3.0),), joined=True)
def bisection(shift):
    def g(x):
        return x**3 - x - 2 + shift

    low, high = -5.0, 5.0
    steps = 0
    while high - low > 1e-6:
        mid = (low + high) / 2
        if g(low) * g(mid) <= 0:
            high = mid
        else:
            low = mid
        steps += 1
    return mid, steps


class Counter:
    def __init__(self, start):
        self.value = start
        self.history = []
        self.best = None

    def add(self, v):
        if v > 0:
            self.value += v
        return self

    def result(self):
        return self.value


@samples("B1.02", (A(1, -2, 3),), (A(-1, 2, -3),), whiles=1)
def object_in_loop(x):
    c = Counter(x[0] * 0)
    for v in x:
        c.add(v)
    return c.result()


class Private:
    def __init__(self, x):
        self.__x = x

    def __twice(self):
        if self.__x > 0:
            return self.__x * 2
        return self.__x

    def run(self):
        for _ in range(2):
            self.__x = self.__twice() - 1
        return self.__x


@samples("B1.02", (F(5),), (F(-5),))
def mangled_names(x):
    return Private(x).run()


@samples("B1.04", (F(5),), (F(-5),))
def returned_inner_function(x):
    def make(k):
        def inner(v):
            if v > k:
                return v - k
            return v + k

        return inner

    f, g = make(1), make(10)
    return f(x) + g(x)


@samples("", (A(1, 2, 3, 4), F(0.5)), (A(4, 3, 2, 1), F(0.25)), whiles=1)
def exponential_smoothing(x, alpha):
    out = np.empty_like(x)
    level = x[0]
    for i, v in enumerate(x):
        level = alpha * v + (1 - alpha) * level
        out[i] = level
    return out


@samples("", (I(2024),), (I(1900),), (I(2000),))
def leap_year(y):
    return (y % 4 == 0 and y % 100 != 0) or y % 400 == 0


@samples("", (I(12345),), (I(7),), joined=True)
def digits(n):
    total, count = 0, 0
    while n:
        n, d = divmod(n, 10)
        total += d
        count += 1
    return total, count


@samples("", (A(0.5, 1.5, 2.5), F(1.2)), (A(0.5, 1.5, 2.5), F(9)), (A(0.5, 1.5, 2.5), F(-1)))
def interpolate(x, at):
    y = x * x
    if at <= x[0]:
        return y[0]
    if at >= x[-1]:
        return y[-1]
    for i in range(len(x) - 1):
        if x[i] <= at <= x[i + 1]:
            t = (at - x[i]) / (x[i + 1] - x[i])
            return y[i] * (1 - t) + y[i + 1] * t
    return F(0)


@samples("", (A(0, 0, 1, 1, 0),), (A(1, 1, 1, 1, 1),), joined=True)
def state_machine(signal):
    state = 0
    edges = 0
    for s in signal:
        match state:
            case 0 if s > 0.5:
                state = 1
                edges += 1
            case 1 if s <= 0.5:
                state = 0
                edges += 1
            case _:
                continue
    return state, edges


@samples("", (S4, I(6)), (S4.T.copy(), I(3)), whiles=1, tolerance=1e-13)
def power_iteration(a, n):
    v = np.ones(a.shape[0])
    value = 0.0
    for _ in range(n):
        w = a @ v
        norm = np.sqrt((w * w).sum())
        if norm == 0:
            break
        v = w / norm
        value = v @ a @ v
    return value, v


@samples("", (A(3, 9, -1, 4), I(2)), (A(1, 1, 2, 1), I(3)))
def top_k(x, k):
    taken = np.zeros(len(x), dtype=bool)
    out = []
    for _ in range(3):
        best = -1
        for i in range(len(x)):
            if taken[i]:
                continue
            if best < 0 or x[i] > x[best]:
                best = i
        taken[best] = True
        out.append(x[best])
    return np.array(out) * k


@samples("", (A(1, 2, 3), F(2)), (A(1, 2, 3), F(-2)))
def closures_over_loop_variables(x, v):
    fs = [lambda u, k=k: u * k for k in range(3)]
    total = v * 0
    for f, w in zip(fs, x):
        if v > 0:
            total += f(w)
        else:
            total -= f(w)
    return total


@samples("", (I(5), F(1)), (I(9), F(2)), whiles=1)
def fibonacci_with_walrus(n, x):
    a, b = x * 0, x
    i = 0
    while (i := i + 1) < n:
        a, b = b, a + b
    return b, i


@samples("", (A(1, 2, 3, 4, 5, 6),), (A(6, 5, 4, 3, 2, 1),))
def prefix_sums_and_windows(x):
    p = np.zeros(len(x) + 1)
    for i in range(len(x)):
        p[i + 1] = p[i] + x[i]
    best = -np.inf
    at = -1
    for i in range(len(x) - 2):
        w = p[i + 3] - p[i]
        if w > best:
            best, at = w, i
    return p, best, at


@samples("", (F(10),), (F(0.001),), (F(-1),), joined=True)
def nested_exits(x):
    for i in range(3):
        for j in range(4):
            if x < 0:
                return -1
            while x > j:
                x = x - 1.5
                if x < 1:
                    break
            else:
                if j == 2:
                    break
                continue
            if i == 1 and j == 1:
                return i * 10 + j
        else:
            x = x + 5
    return x


@samples("", (A(1, -1, 2),), (A(-1, -1, -2),), joined=True)
def try_finally_in_loop(x):
    total = 0.0
    for v in x:
        try:
            if v < 0:
                continue
            total += v
        finally:
            total += 0.125
    return total


@samples("", (A(1, -1, 2),), (A(1, 1, 2),))
def return_through_finally_in_loop(x):
    seen = 0.0
    for v in x:
        try:
            if v < 0:
                return seen
        finally:
            seen = seen + 1
            print("seen", seen)
    return -seen


test_programs = samples.test()


def _registered():
    import importlib

    names = ("statements", "control_flow", "arrays", "builtins", "exceptions", "programs")
    found = {}
    for name in names:
        module = importlib.import_module(f"tests.language.test_{name}")
        found.update({row.values[0].__name__: row.values[0] for row in module.samples.rows})
    return list(found.values())


def _code_objects(code):
    yield code
    for constant in code.co_consts:
        if inspect.iscode(constant):
            yield from _code_objects(constant)


def test_b1_20_every_generated_line_is_a_line_of_the_user():
    """B1.20: no position of generated code lies outside of the user's function."""
    for sample in _registered():
        converted = conversion.convert_function(sample)
        text, first = inspect.getsourcelines(sample)
        for code in _code_objects(converted.__code__):
            assert code.co_filename == inspect.getfile(sample)
            for line, end, _, _ in code.co_positions():
                for number in (line, end):
                    assert number is None or first <= number < first + len(text), (sample, code)
        assert inspect.getsource(converted) == inspect.getsource(sample)


def test_b1_13_converted_text_is_a_module_that_can_be_run():
    for sample in _registered():
        compile(ag.to_code(sample), "<converted>", "exec")


@pytest.mark.parametrize("sample", [newton_sqrt, binary_search, state_machine])
def test_b1_19_conversion_is_cached_and_shared(sample):
    """B1.19: two Functions of one def run one converted function."""
    one, other = ag.convert(sample), ag.convert(sample)
    assert one._callable() is other._callable()
