"""Numerical methods as they are written by hand: roots, systems, curves, filters, chains, plans."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.arguments import A, I, M, N
from tests.language.harness import Samples

samples = Samples()


X5 = ((A(3, 1, 4, 1, 5),), (A(-1, 0, 2, -3, 9),), (A(0, 0, 0, 0, 0),))


@samples("", (0.0, 3.0), (1.0, 2.0), (3.0, 4.0))
def bisection(a, b):
    def f(t):
        return t**3 - 2 * t - 5

    if f(a) * f(b) > 0:
        raise ValueError(f"no sign change in [{a}, {b}]")
    lo, hi = a, b
    brackets = [(lo, hi)]
    while hi - lo > 1e-3:
        mid = 0.5 * (lo + hi)
        if f(mid) == 0:
            return mid, brackets
        if f(lo) * f(mid) < 0:
            hi = mid
        else:
            lo = mid
        brackets.append((lo, hi))
    return 0.5 * (lo + hi), brackets[-3:], len(brackets)


@samples("", (2.0,), (0.1,), (-3.0,))
def newton_fallback(x):
    f = lambda t: t**3 - t - 2
    df = lambda t: 3 * t**2 - 1
    lo, hi = -5.0, 5.0
    for it in range(50):
        fx = f(x)
        if abs(fx) < 1e-10:
            break
        if fx > 0:
            hi = x
        else:
            lo = x
        slope = df(x)
        new = x - fx / slope if slope != 0 else None
        if new is None or not (lo < new < hi):
            new = (lo + hi) / 2
        x = new
    else:
        raise RuntimeError("no convergence")
    return round(x, 8), it


@samples("", (1.0, 1e-3), (4.0, 1e-6), (0.5, 1e-2))
def secant(x0, tol):
    f = lambda t: np.cos(t) - t
    x1 = x0 + 0.1
    f0, f1 = f(x0), f(x1)
    n = 0
    while abs(f1) > tol:
        if f1 == f0:
            return None
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        f0, f1 = f1, f(x1)
        n += 1
        if n > 20:
            break
    return x1, n


@samples(
    "",
    (M([4, 1, 0], [1, 3, 1], [0, 1, 2]), A(1, 2, 3)),
    (M([9, 1, 0], [1, 8, 1], [0, 1, 7]), A(0, 0, 0)),
    (M([2, 1, 0], [1, 3, 1], [0, 1, 2]), A(1, 0, -3)),
)
def gauss_seidel(a, b):
    n = len(b)
    x = np.zeros_like(b)
    for sweep in range(1, 26):
        old = x.copy()
        for i in range(n):
            s = b[i]
            for j in range(n):
                if j != i:
                    s -= a[i, j] * x[j]
            x[i] = s / a[i, i]
        err = np.max(np.abs(x - old))
        if sweep % 5 == 0:
            print(f"sweep {sweep:2d}: err={err:.2e}")
        if err < 1e-8:
            print("converged after", sweep)
            return x, sweep
    return x, -1


@samples(
    "", (M([4, 1], [1, 3]), A(1, 2)), (M([2, 0], [0, 2]), A(0, 0)), (M([5, 2], [2, 1]), A(1, -1))
)
def conjugate_gradient(a, b):
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rs = r @ r
    norms = [np.sqrt(rs)]
    for k in range(len(b)):
        if norms[-1] < 1e-12:
            print("early exit at", k)
            break
        ap = a @ p
        alpha = rs / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        rs_new = r @ r
        norms.append(np.sqrt(rs_new))
        p = r + rs_new / rs * p
        rs = rs_new
    return np.round(x, 10), len(norms)


@samples(
    "",
    (M([4, 1, 0], [1, 3, 1], [0, 1, 2]), A(1, 2, 3)),
    (M([9, 1, 0], [1, 8, 1], [0, 1, 7]), A(1, 0, 0)),
    (M([2, 0, 0], [0, 2, 0], [0, 0, 2]), A(1, 0, 0)),
    tolerance=1e-12,
)
def lanczos(a, v):
    n = len(v)
    q = v / np.linalg.norm(v)
    prev = np.zeros(n)
    beta = 0.0
    alphas, betas = [], []
    basis = [q]
    for k in range(n):
        w = a @ q - beta * prev
        alpha = w @ q
        alphas.append(alpha)
        w = w - alpha * q
        for u in basis:
            w = w - (u @ w) * u
        beta = np.linalg.norm(w)
        if beta < 1e-10:
            break
        betas.append(beta)
        prev, q = q, w / beta
        basis.append(q)
    return np.array(alphas), betas, len(basis)


@samples(
    "",
    (M([4, 1, 0], [1, 3, 1], [0, 1, 2]),),
    (M([1, 2, 3], [0, 0, 1], [0, 1, 2]),),
    (M([-1, 1, 0], [1, 3, 1], [5, 1, 2]),),
)
def householder_qr(a):
    r = a.copy()
    m, n = r.shape
    q = np.eye(m)
    for k in range(n - 1):
        x = r[k:, k]
        norm = np.sqrt((x**2).sum())
        if norm == 0:
            continue
        v = x.copy()
        v[0] += norm if x[0] >= 0 else -norm
        v /= np.linalg.norm(v)
        sub = r[k:, k:]
        sub -= 2 * np.outer(v, v @ sub)
        q[:, k:] -= 2 * np.outer(q[:, k:] @ v, v)
    return q, np.triu(r)


@samples(
    "",
    (M([4, 1], [1, 3]), A(1, 1)),
    (M([1, 0], [0, 1]), A(3, 4)),
    (M([0, 2], [2, 0]), A(1, 0)),
    tolerance=1e-12,
)
def power_iteration(a, v):
    history = []
    lam = 0.0
    for k in range(30):
        w = a @ v
        n = np.linalg.norm(w)
        if n == 0:
            return None, history
        v = w / n
        new = v @ a @ v
        history.append(new)
        if abs(new - lam) < 1e-6:
            break
        lam = new
    return history, v, k + 1


@samples("", (M([4, 12], [12, 37]),), (M([1, 2], [2, 1]),), (M([2, 0], [0, 3]),))
def cholesky(a):
    n = a.shape[0]
    l = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = sum(l[i, k] * l[j, k] for k in range(j))
            if i == j:
                d = a[i, i] - s
                if d <= 0:
                    raise np.linalg.LinAlgError(f"pivot {i} is {d:.1f}")
                l[i, j] = math.sqrt(d)
            else:
                l[i, j] = (a[i, j] - s) / l[j, j]
    return l, 2 * np.log(np.diag(l)).sum()


@samples(
    "", (M([1, 2], [3, 4]), A(5, 6)), (M([0, 1], [1, 0]), A(2, 3)), (M([1, 2], [2, 4]), A(1, 1))
)
def lu_solve(a, b):
    a, b, n = a.copy(), b.copy(), len(b)
    perm = list(range(n))
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(a[i, k]))
        if abs(a[p, k]) < 1e-12:
            raise ZeroDivisionError(f"singular at {k}")
        if p != k:
            a[[p, k]] = a[[k, p]]
            perm[p], perm[k] = perm[k], perm[p]
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    y = b[perm]
    for i in range(n):
        y[i] -= a[i, :i] @ y[:i]
    for i in range(n)[::-1]:
        y[i] = (y[i] - a[i, i + 1 :] @ y[i + 1 :]) / a[i, i]
    return y, perm


@samples("", (1.0, 0.5), (0.0, 0.1), (2.0, 2.0))
def adaptive_heun(y, h):
    f = lambda t, y: -2.0 * t * y + np.cos(y)
    t, accepted, rejected = 0.0, 0, 0
    path = [(t, y)]
    while t < 1.0 and accepted + rejected < 60:
        if t + h > 1.0:
            h = 1.0 - t
        k1 = f(t, y)
        k2 = f(t + h, y + h * k1)
        err = abs(h * (k2 - k1) / 2)
        if err <= 1e-3:
            t += h
            y += h * (k1 + k2) / 2
            accepted += 1
            path.append((t, y))
        else:
            rejected += 1
        h *= min(2.0, max(0.3, 0.9 * (1e-3 / (err + 1e-16)) ** 0.5))
    return y, accepted, rejected, path[-1]


TABLES = {
    "euler": ([[]], [1.0], [0.0]),
    "heun": ([[], [1.0]], [0.5, 0.5], [0.0, 1.0]),
    "rk4": (
        [[], [0.5], [0.0, 0.5], [0.0, 0.0, 1.0]],
        [1 / 6, 1 / 3, 1 / 3, 1 / 6],
        [0.0, 0.5, 0.5, 1.0],
    ),
}


@samples("", (A(1, 0), 0.1), (A(0, 1), 0.2), (A(0, 0), 0.1))
def butcher(y, h):
    out = {}
    for name, (a, b, c) in TABLES.items():
        u = y
        for step in range(3):
            ks = []
            for i in range(len(b)):
                z = u + h * sum((w * k for w, k in zip(a[i], ks)), np.zeros(2))
                ks.append(np.array([z[1], -z[0] + 0.1 * (step + c[i]) * h]))
            u = u + h * sum(w * k for w, k in zip(b, ks))
        out[name] = u
    return out


@samples("", (A(1, 2, 3, 4),), (A(0, 0, 0, 0),), (A(1, -1, 1, -1),))
def fft_recursive(x):
    def fft(v):
        n = len(v)
        if n == 1:
            return v.astype(complex)
        even, odd = fft(v[::2]), fft(v[1::2])
        tw = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + tw, even - tw])

    spectrum = fft(x)
    power = np.abs(spectrum) ** 2
    return spectrum, int(np.argmax(power[1:])) + 1


@samples(
    "",
    (A(0, 1, 2, 3), A(0, 1, 4, 9), 1.5),
    (A(0, 1, 2, 4), A(0, 1, 0, 1), 3.5),
    (A(0, 1, 2, 3), A(0, 1, 4, 9), 7.0),
)
def cubic_spline(x, y, t):
    n = len(x)
    h = np.diff(x)
    alpha = [
        3 / h[i] * (y[i + 1] - y[i]) - 3 / h[i - 1] * (y[i] - y[i - 1]) for i in range(1, n - 1)
    ]
    l, mu, z = [1.0], [0.0], [0.0]
    for i in range(1, n - 1):
        l.append(2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1])
        mu.append(h[i] / l[i])
        z.append((alpha[i - 1] - h[i - 1] * z[i - 1]) / l[i])
    c = [0.0] * n
    b, d = [0.0] * n, [0.0] * n
    for j in range(n - 2, -1, -1):
        c[j] = z[j] - mu[j] * c[j + 1] if j else 0.0
        b[j] = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d[j] = (c[j + 1] - c[j]) / (3 * h[j])
    for j in range(n - 1):
        if x[j] <= t <= x[j + 1]:
            s = t - x[j]
            return y[j] + b[j] * s + c[j] * s**2 + d[j] * s**3
    raise ValueError(f"{t} is outside of the knots")


@samples("", (0.0, 1.0), (1.0, 3.0), (-1.0, 1.0))
def adaptive_simpson(a, b):
    f = lambda t: np.exp(-t * t)

    def simpson(lo, hi):
        return (hi - lo) / 6 * (f(lo) + 4 * f((lo + hi) / 2) + f(hi))

    stack, total, evals = [(a, b, 1e-3)], 0.0, 0
    while stack:
        lo, hi, tol = stack.pop()
        mid = (lo + hi) / 2
        whole, left, right = simpson(lo, hi), simpson(lo, mid), simpson(mid, hi)
        evals += 3
        if abs(left + right - whole) < 15 * tol:
            total += left + right
        else:
            stack.append((lo, mid, tol / 2))
            stack.append((mid, hi, tol / 2))
    return total, evals


class Kalman:
    def __init__(self, x, p, q=0.1, r=0.5):
        self.x, self.p, self.q, self.r = x, p, q, r
        self.log = []

    def predict(self):
        self.p += self.q
        return self

    def update(self, z):
        if np.isnan(z):
            self.log.append("missing")
            return self
        k = self.p / (self.p + self.r)
        self.x += k * (z - self.x)
        self.p *= 1 - k
        self.log.append(f"{self.x:.3f}")
        return self


@samples("", (A(1, 1.2, 0.9),), (A(np.nan, 2, np.nan),), (A(5, -5, 5),))
def kalman(zs):
    k = Kalman(0.0, 1.0)
    for z in zs:
        k.predict().update(z)
    return k.x, k.p, k.log


@samples("", (A(1, 1.2, 0.9), I(1)), (A(0, 2, 1), I(2)), (A(5, -5, 5), I(3)))
def particle_filter(zs, seed):
    rng = np.random.default_rng(int(seed))
    particles = rng.normal(0, 1, 8)
    weights = np.full(8, 1 / 8)
    means = []
    for z in zs:
        particles = particles + rng.normal(0, 0.2, 8)
        weights = weights * np.exp(-0.5 * (z - particles) ** 2)
        weights /= weights.sum()
        if 1 / (weights**2).sum() < 4:
            index = rng.choice(8, size=8, p=weights)
            particles = particles[index]
            weights = np.full(8, 1 / 8)
        means.append((weights * particles).sum())
    return means


@samples("", (0.0, I(1)), (2.0, I(2)), (-1.0, I(3)))
def metropolis(x, seed):
    rng = np.random.default_rng(int(seed))
    logp = lambda t: -0.5 * (t - 1) ** 2
    chain, accepted = [x], 0
    for _ in range(10):
        prop = x + rng.normal()
        if np.log(rng.random()) < logp(prop) - logp(x):
            x = prop
            accepted += 1
        chain.append(x)
    return np.mean(chain), accepted, chain[-1]


@samples("", (A(3, 1, 2, 0),), (A(0, 0, 0, 0),), (A(1, 9, 4, 7),))
def annealing(x):
    rng = np.random.default_rng(7)
    cur, cost = x.copy(), np.abs(np.diff(x)).sum()
    best, best_cost = cur.copy(), cost
    temp = 1.0
    while temp > 0.2:
        i, j = rng.integers(0, 4), rng.integers(0, 4)
        new = cur.copy()
        new[i], new[j] = new[j], new[i]
        c = np.abs(np.diff(new)).sum()
        if c < cost or rng.random() < np.exp((cost - c) / temp):
            cur, cost = new, c
            if cost < best_cost:
                best, best_cost = cur.copy(), cost
        temp *= 0.85
    return best, best_cost


@samples(
    "",
    (A(1, 2, 3, 4), N(0, 0, 1, 1)),
    (A(4, 3, 2, 1), N(0, 1, 1, 1)),
    (A(1, 1, 1, 1), N(0, 1, 0, 1)),
)
def decision_stump(x, y):
    best = (None, None, len(y) + 1)
    for t in sorted(x):
        for polarity in (1, -1):
            pred = (polarity * x > polarity * t).astype(int)
            errors = int((pred != y).sum())
            if errors < best[2]:
                best = (t, polarity, errors)
    threshold, polarity, errors = best
    return {"threshold": threshold, "polarity": polarity, "accuracy": 1 - errors / len(y)}


@samples("", (A(1, 1.5, 5, 6), 0.0, 4.0), (A(1, 1, 1, 1), 0.0, 1.0), (A(-3, 3, -2, 2), -1.0, 1.0))
def em_two(x, m1, m2):
    mus, prior = [m1, m2], 0.5
    last = -np.inf
    for it in range(15):
        p1 = prior * np.exp(-0.5 * (x - mus[0]) ** 2)
        p2 = (1 - prior) * np.exp(-0.5 * (x - mus[1]) ** 2)
        ll = np.log(p1 + p2).sum()
        r = p1 / (p1 + p2)
        prior = r.mean()
        mus[0] = (r * x).sum() / r.sum()
        mus[1] = ((1 - r) * x).sum() / (1 - r).sum()
        if ll - last < 1e-6:
            break
        last = ll
    return sorted(mus), prior, it


@samples("", (N(0, 1, 2),), (N(0, 0, 0),), (N(2, 1, 0),))
def viterbi(obs):
    states = ["Healthy", "Fever"]
    start = {"Healthy": 0.6, "Fever": 0.4}
    trans = {"Healthy": {"Healthy": 0.7, "Fever": 0.3}, "Fever": {"Healthy": 0.4, "Fever": 0.6}}
    emit = {"Healthy": [0.5, 0.4, 0.1], "Fever": [0.1, 0.3, 0.6]}
    v = [{s: (start[s] * emit[s][obs[0]], None) for s in states}]
    for t in range(1, len(obs)):
        row = {}
        for s in states:
            p, prev = max((v[t - 1][r][0] * trans[r][s], r) for r in states)
            row[s] = (p * emit[s][obs[t]], prev)
        v.append(row)
    last = max(states, key=lambda s: v[-1][s][0])
    path = [last]
    for t in range(len(obs) - 1, 0, -1):
        path.insert(0, v[t][path[0]][1])
    return path, v[-1][last][0]


@samples("", (N(0, 1, 1),), (N(0, 0, 0),), (N(1, 1, 0),))
def hmm_forward(obs):
    trans = np.array([[0.7, 0.3], [0.4, 0.6]])
    emit = np.array([[0.9, 0.1], [0.2, 0.8]])
    alpha = np.array([0.5, 0.5]) * emit[:, obs[0]]
    scales = []
    for o in obs[1:]:
        c = alpha.sum()
        scales.append(c)
        alpha = (alpha / c) @ trans * emit[:, o]
    return np.log(alpha.sum()) + sum(np.log(c) for c in scales)


@samples("", (0.85,), (0.5,), (0.0,))
def pagerank(damping):
    links = {"a": ["b", "c"], "b": ["c"], "c": ["a"], "d": ["c"]}
    n = len(links)
    rank = {p: 1 / n for p in links}
    for it in range(20):
        new = {p: (1 - damping) / n for p in links}
        for page, outs in links.items():
            share = damping * rank[page] / len(outs)
            for o in outs:
                new[o] += share
        delta = sum(abs(new[p] - rank[p]) for p in links)
        rank = new
        if delta < 1e-3:
            break
    return sorted(rank.items(), key=lambda kv: -kv[1]), it


@samples("", (N(10, 20, 5, 7),), (N(1, 1, 1, 1),), (N(9, 3, 12, 2),))
def matrix_chain(dims):
    n = 3
    cost = np.zeros((n, n), dtype=np.int64)
    split = {}
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            best = None
            for k in range(i, j):
                q = cost[i, k] + cost[k + 1, j] + dims[i] * dims[k + 1] * dims[j + 1]
                if best is None or q < best:
                    best, split[i, j] = q, k
            cost[i, j] = best

    def show(i, j):
        if i == j:
            return "ABC"[i]
        k = split[i, j]
        return f"({show(i, k)}{show(k + 1, j)})"

    return cost[0, 2], show(0, 2)


@samples("", (A(1, 2, 3), A(0, 1, 0.5)), (A(0, 0, 0), A(1, 1, 1)), (A(-1, 5, 2), A(0.2, 0.2, 0.2)))
def gradient_descent_momentum(x, target):
    v = np.zeros_like(x)
    lr, hist = 0.3, []
    for it in range(20):
        g = 2 * (x - target)
        loss = ((x - target) ** 2).sum()
        hist.append(loss)
        if len(hist) > 1 and hist[-1] > hist[-2]:
            lr *= 0.5
            v[:] = 0
        v = 0.5 * v - lr * g
        x = x + v
        if np.linalg.norm(g) < 1e-3:
            break
    return x, it, lr, len(hist)


@samples("", *X5)
def outlier_filter(x):
    kept, removed = x, []
    for rnd in range(3):
        m, s = kept.mean(), kept.std()
        mask = np.abs(kept - m) <= 1.2 * s
        if mask.all():
            break
        removed.extend(kept[~mask])
        kept = kept[mask]
    return kept, sorted(removed), rnd


C = ((A(1, -2, 3),), (A(0, 0, 0),), (A(5, 5, 5),))


@samples("", *C, joined=True)
def many(x):
    found = [v for v in x if v > 0]
    a = [y + w for v in found for y, w in zip([v], [2.0])]
    b = [i + y for v in found for i, y in enumerate([v, v])]
    c = [y for v in found for y in reversed([v, 1.0])]
    d = [y for v in found for y in map(abs, [v, -1.0])]
    e = {int(y): 1 for v in found for y in iter([v])}
    f = sum(y for v in found for y in (v, v))
    g = [y for v in found for y in list(zip([v]))[0]]
    h = [max(z for z in [v, 2.0]) for v in found]
    k = [[z * 2 for z in [v, 2.0]] for v in found]
    m = {int(z) for v in found for z in [v, 2.0]}
    return a, b, c, d, e, f, g, h, k, len(m)


@samples("", *C, joined=True)
def in_while(x):
    n, t = 0, 0.0
    while n < x[0]:
        rows = [[x[n], 1.0], [2.0, x[1]]]
        t += sum([sum(a * b for a, b in zip(r, c)) for r in rows for c in zip(*rows)])
        t += sum(a for r in rows for a in r) + max(max(r) for r in rows)
        n += 1
    return n, t


test_sample = samples.test()


SMOOTH = [
    (lambda y, h: adaptive_heun(y, h)[0], (0.7, 0.5)),
    (cubic_spline, (A(0, 1, 2, 3), A(0, 1, 4, 9), 1.5)),
    (lambda *args: em_two(*args)[1], (A(1, 1.5, 5, 6), 0.0, 4.0)),
    (lambda a, b: lu_solve(a, b)[0], (M([1, 2], [3, 4]), A(5, 6))),
    (lambda a, b: adaptive_simpson(a, b)[0], (0.2, 1.0)),
    (lambda x, t: gradient_descent_momentum(x, t)[0], (A(1, 2, 3), A(0, 1, 0.5))),
    (lambda *args: kalman(*args)[0], (A(1, 1.2, 0.9),)),
    (cubic_spline, (A(0, 1, 2, 4), A(0, 1, 0, 1), 3.5)),
]


def total(sample):
    def loss(*args):
        result, found = sample(*args), 0.0
        for part in result if isinstance(result, tuple) else (result,):
            if isinstance(part, (float, np.ndarray)) or np.ndim(part) == 0:
                found = found + np.sum(part)
        return found

    return loss


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("sample", "args"), SMOOTH, ids=lambda x: getattr(x, "__name__", ""))
def test_gradient(sample, args, backend):
    loss, (x, *rest) = total(sample), args
    steps = 1e-6 * np.eye(np.size(x)).reshape(-1, *np.shape(x))
    expected = [(loss(x + d, *rest) - loss(x - d, *rest)) / 2e-6 for d in steps]
    with config.backend.using(backend):
        got = ag.grad(ag.convert(loss))(x, *rest)
    np.testing.assert_allclose(np.ravel(got), np.ravel(expected), rtol=1e-4, atol=1e-5)
