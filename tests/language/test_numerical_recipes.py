"""The numerical recipes that people write by hand: equations, integrals, matrices, series."""

from __future__ import annotations

import math

import numpy as np

from tests.language.arguments import A, I
from tests.language.harness import Samples

samples = Samples()
F = np.float64
rng = np.random.default_rng(11)


def positive_definite(n):
    half = rng.normal(size=(n, n))
    return half @ half.T + n * np.eye(n)


SPD4, OTHER_SPD4 = positive_definite(4), positive_definite(4)
M4, OTHER_M4 = (rng.normal(size=(4, 4)) + 4 * np.eye(4) for _ in range(2))
B4, OTHER_B4 = rng.normal(size=4), rng.normal(size=4)


# ---- equations of one unknown ----------------------------------------------------------------


@samples("", (F(2), F(1e-12)), (F(5), F(1e-6)))
def secant(a, tol):
    x0, x1 = 1.0, a
    f0, f1 = x0 * x0 - a, x1 * x1 - a
    steps = 0
    while abs(x1 - x0) > tol and f1 != f0:
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        f0, f1 = f1, x1 * x1 - a
        steps += 1
    return x1, steps


@samples("", (F(0), F(2)), (F(-1), F(4)), (F(3), F(4)))
def regula_falsi(lo, hi):
    def f(x):
        return x**3 - x - 1

    flo, fhi = f(lo), f(hi)
    if flo * fhi > 0:
        raise ValueError(f"no change of sign between {lo} and {hi}")
    side = 0
    x = lo
    for _ in range(100):
        x = (flo * hi - fhi * lo) / (flo - fhi)
        fx = f(x)
        if abs(fx) < 1e-12:
            break
        if fx * fhi > 0:
            hi, fhi = x, fx
            if side == -1:
                flo /= 2
            side = -1
        else:
            lo, flo = x, fx
            if side == 1:
                fhi /= 2
            side = 1
    return x


@samples("", (F(-4), F(4 / 3)), (F(-3.5), F(0)), joined=True)
def brent(a, b):
    def f(x):
        return (x + 3) * (x - 1) ** 2

    fa, fb = f(a), f(b)
    if abs(fa) < abs(fb):
        a, b, fa, fb = b, a, fb, fa
    c, fc = a, fa
    d = c
    bisected = True
    for step in range(100):
        if fb == 0 or abs(b - a) < 1e-10:
            return b, step
        if fa != fc and fb != fc:
            s = (
                a * fb * fc / ((fa - fb) * (fa - fc))
                + b * fa * fc / ((fb - fa) * (fb - fc))
                + c * fa * fb / ((fc - fa) * (fc - fb))
            )
        else:
            s = b - fb * (b - a) / (fb - fa)
        between = min((3 * a + b) / 4, b) < s < max((3 * a + b) / 4, b)
        small = abs(s - b) >= abs(b - c) / 2 if bisected else abs(s - b) >= abs(c - d) / 2
        if not between or small:
            s, bisected = (a + b) / 2, True
        else:
            bisected = False
        fs = f(s)
        d, c, fc = c, b, fb
        if fa * fs < 0:
            b, fb = s, fs
        else:
            a, fa = s, fs
        if abs(fa) < abs(fb):
            a, b, fa, fb = b, a, fb, fa
    return b, 100


@samples("", (A(1.0, 1.0),), (A(-2.0, 0.5),))
def newton_of_a_system(x):
    for step in range(30):
        residual = np.array([x[0] ** 2 + x[1] ** 2 - 4, x[0] * x[1] - 1])
        if np.max(np.abs(residual)) < 1e-12:
            print(f"converged after {step} steps")
            break
        jacobian = np.array([[2 * x[0], 2 * x[1]], [x[1], x[0]]])
        x = x - np.linalg.solve(jacobian, residual)
    else:
        print("no convergence")
    return x


@samples("", (F(0.5), F(1e-10)), (F(0.9), F(1e-3)))
def kepler(eccentricity, tol):
    mean, iterations = 1.0, 0
    anomaly = mean
    while True:
        iterations += 1
        step = (anomaly - eccentricity * math.sin(anomaly) - mean) / (
            1 - eccentricity * math.cos(anomaly)
        )
        anomaly -= step
        if abs(step) < tol or iterations >= 50:
            return anomaly, iterations


# ---- integrals and differential equations ----------------------------------------------------


@samples("", (F(0), F(1), I(10)), (F(-1), F(2), I(4)))
def simpson(a, b, n):
    h = (b - a) / n
    total = math.exp(-a * a) + math.exp(-b * b)
    for i in range(1, n):
        x = a + i * h
        total += (4 if i % 2 else 2) * math.exp(-x * x)
    return total * h / 3


@samples("", (F(0), F(1)), (F(0.5), F(2)))
def romberg(a, b):
    n = 5
    table = np.zeros((n, n))
    h = b - a
    table[0, 0] = h * (np.sin(a) + np.sin(b)) / 2
    for i in range(1, n):
        h /= 2
        points = sum(np.sin(a + (2 * k - 1) * h) for k in range(1, 2 ** (i - 1) + 1))
        table[i, 0] = table[i - 1, 0] / 2 + h * points
        for j in range(1, i + 1):
            table[i, j] = table[i, j - 1] + (table[i, j - 1] - table[i - 1, j - 1]) / (4**j - 1)
    return table[n - 1, n - 1]


@samples("", (F(0), F(1), F(1e-8)), (F(0), F(4), F(1e-4)))
def adaptive_quadrature(a, b, tol):
    """Intervals still to be done are on a stack of our own."""
    stack = np.zeros((64, 2))
    stack[0] = a, b
    depth, total, halvings = 1, 0.0, 0
    while depth > 0:
        depth -= 1
        lo, hi = stack[depth]
        mid = (lo + hi) / 2
        coarse = (hi - lo) / 6 * (np.sqrt(lo) + 4 * np.sqrt(mid) + np.sqrt(hi))
        quarter, threequarter = (lo + mid) / 2, (mid + hi) / 2
        fine = (hi - lo) / 12 * (
            np.sqrt(lo) + 4 * np.sqrt(quarter) + 2 * np.sqrt(mid)
            + 4 * np.sqrt(threequarter) + np.sqrt(hi)
        )  # fmt: skip
        if abs(fine - coarse) < 15 * tol or depth > 60:
            total += fine
        else:
            stack[depth] = lo, mid
            stack[depth + 1] = mid, hi
            depth += 2
            halvings += 1
    return total, halvings


@samples("", (A(1, 0), F(2), F(1e-6)), (A(0, 1), F(1), F(1e-3)), joined=True)
def adaptive_runge_kutta(y, end, tol):
    """Fehlberg's pair of orders 4 and 5."""

    def f(t, y):
        return np.array([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    t, h, accepted, refused = 0.0, 0.1, 0, 0
    while t < end:
        h = min(h, end - t)
        k1 = f(t, y)
        k2 = f(t + h / 4, y + h * k1 / 4)
        k3 = f(t + 3 * h / 8, y + h * (3 * k1 + 9 * k2) / 32)
        k4 = f(t + 12 * h / 13, y + h * (1932 * k1 - 7200 * k2 + 7296 * k3) / 2197)
        k5 = f(t + h, y + h * (439 * k1 / 216 - 8 * k2 + 3680 * k3 / 513 - 845 * k4 / 4104))
        k6 = f(
            t + h / 2,
            y + h * (-8 * k1 / 27 + 2 * k2 - 3544 * k3 / 2565 + 1859 * k4 / 4104 - 11 * k5 / 40),
        )
        error = np.abs(k1 / 360 - 128 * k3 / 4275 - 2197 * k4 / 75240 + k5 / 50 + 2 * k6 / 55).max()
        if error <= tol or h < 1e-8:
            t += h
            y = y + h * (25 * k1 / 216 + 1408 * k3 / 2565 + 2197 * k4 / 4104 - k5 / 5)
            accepted += 1
        else:
            refused += 1
        scale = 0.84 * (tol / error) ** 0.25 if error > 0 else 4.0
        h *= min(max(scale, 0.1), 4.0)
    return y, accepted, refused


@samples("", (A(10, 5), I(50)), (A(2, 8), I(10)))
def lotka_volterra(state, steps):
    prey, predators = state
    history = np.empty((steps + 1, 2))
    history[0] = state
    for k in range(1, steps + 1):
        births, meetings = 1.1 * prey, 0.4 * prey * predators
        prey += 0.01 * (births - meetings)
        predators += 0.01 * (0.1 * prey * predators - 0.4 * predators)
        history[k] = prey, predators
    return history


@samples("", (A(0, 0, 5, 0, 0), I(20)), (A(1, 2, 3, 4, 5), I(3)), whiles=1)
def heat_equation(u, steps):
    for _ in range(steps):
        new = u.copy()
        new[1:-1] = u[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = new
    return u


@samples("", (A(0, 1, 0, -1, 0), F(0.5)), (A(0, 2, 2, 2, 0), F(1)))
def wave_equation(u, c):
    before, now = u.copy(), u.copy()
    for _ in range(20):
        after = np.zeros_like(now)
        for i in range(1, len(now) - 1):
            after[i] = 2 * now[i] - before[i] + c**2 * (now[i + 1] - 2 * now[i] + now[i - 1])
        before, now = now, after
    return now


@samples("", (rng.normal(size=(3, 2)), F(0.01)), (rng.normal(size=(3, 2)), F(0.1)))
def n_body(positions, dt):
    velocities = np.zeros_like(positions)
    masses = [1.0, 0.5, 2.0]
    for _ in range(10):
        forces = np.zeros_like(positions)
        for i in range(3):
            for j in range(3):
                if i == j:
                    continue
                r = positions[j] - positions[i]
                forces[i] += masses[j] * r / (np.dot(r, r) + 0.1) ** 1.5
        velocities += dt * forces
        positions += dt * velocities
    return positions, velocities


@samples("", (F(10), F(0.7)), (F(3), F(0.2)))
def bouncing_ball(height, damping):
    """An event in each step, found by its sign."""
    position, velocity, bounces, t = height, 0.0, 0, 0.0
    while bounces < 3 and t < 20:
        velocity -= 9.81 * 0.01
        position += velocity * 0.01
        if position < 0 and velocity < 0:
            position, velocity = -position, -velocity * damping
            bounces += 1
        t += 0.01
    return position, bounces, t


# ---- matrices --------------------------------------------------------------------------------


@samples("", (SPD4,), (OTHER_SPD4,))
def cholesky_by_hand(a):
    n = len(a)
    lower = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = sum(lower[i, k] * lower[j, k] for k in range(j))
            if i == j:
                lower[i, i] = math.sqrt(a[i, i] - s)
            else:
                lower[i, j] = (a[i, j] - s) / lower[j, j]
    return lower


@samples("", (M4,), (OTHER_M4,))
def gram_schmidt(a):
    n = a.shape[1]
    q, r = np.zeros_like(a), np.zeros((n, n))
    for j in range(n):
        v = a[:, j].copy()
        for i in range(j):
            r[i, j] = q[:, i] @ a[:, j]
            v -= r[i, j] * q[:, i]
        r[j, j] = np.sqrt((v * v).sum())
        q[:, j] = v / r[j, j]
    return q, r


@samples("", (M4,), (OTHER_M4,))
def householder(a):
    r = a.copy()
    m, n = r.shape
    for k in range(n - 1):
        x = r[k:, k]
        e = np.zeros(m - k)
        e[0] = np.linalg.norm(x) * (1.0 if x[0] >= 0 else -1.0)
        v = x + e
        v = v / np.linalg.norm(v)
        r[k:, k:] -= 2.0 * np.outer(v, v @ r[k:, k:])
    return r


@samples("", (SPD4,), (OTHER_SPD4,))
def jacobi_eigenvalues(a):
    a = a.copy()
    n = a.shape[0]
    for sweep in range(20):
        off = np.sqrt((a**2).sum() - (np.diag(a) ** 2).sum())
        if off < 1e-5:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) < 1e-14:
                    continue
                theta = (a[q, q] - a[p, p]) / (2 * a[p, q])
                t = np.sign(theta) / (abs(theta) + np.sqrt(theta**2 + 1)) if theta != 0 else 1.0
                c = 1 / np.sqrt(t**2 + 1)
                s = t * c
                rotation = np.eye(n)
                rotation[p, p] = rotation[q, q] = c
                rotation[p, q], rotation[q, p] = s, -s
                a = rotation.T @ a @ rotation
    return np.sort(np.diag(a)), sweep


@samples("", (M4, B4), (OTHER_M4, OTHER_B4))
def gauss_jordan_inverse(a, b):
    n = a.shape[0]
    wide = np.hstack([a, np.eye(n)])
    for col in range(n):
        pivot = col + np.argmax(np.abs(wide[col:, col]))
        if wide[pivot, col] == 0:
            raise np.linalg.LinAlgError("singular")
        if pivot != col:
            wide[[col, pivot]] = wide[[pivot, col]]
        wide[col] /= wide[col, col]
        for row in range(n):
            if row != col:
                wide[row] -= wide[row, col] * wide[col]
    return wide[:, n:] @ b


@samples("", (M4, B4, F(1.1)), (OTHER_SPD4, OTHER_B4, F(0.9)))
def successive_overrelaxation(a, b, omega):
    n = len(b)
    x = np.zeros(n)
    count = 0
    while count < 200:
        worst = 0.0
        for i in range(n):
            sigma = 0.0
            for j in range(n):
                if j != i:
                    sigma += a[i, j] * x[j]
            new = (1 - omega) * x[i] + omega * (b[i] - sigma) / a[i, i]
            worst = max(worst, abs(new - x[i]))
            x[i] = new
        count += 1
        if worst < 1e-9:
            break
    return x, count


@samples("", (np.arange(16.0).reshape(4, 4), M4), (OTHER_M4, SPD4))
def strassen(a, b):
    """Calls itself on halves, whose size is known."""

    def product(a, b):
        n = a.shape[0]
        if n == 1:
            return a * b
        h = n // 2
        a11, a12, a21, a22 = a[:h, :h], a[:h, h:], a[h:, :h], a[h:, h:]
        b11, b12, b21, b22 = b[:h, :h], b[:h, h:], b[h:, :h], b[h:, h:]
        m1 = product(a11 + a22, b11 + b22)
        m2 = product(a21 + a22, b11)
        m3 = product(a11, b12 - b22)
        m4 = product(a22, b21 - b11)
        m5 = product(a11 + a12, b22)
        m6 = product(a21 - a11, b11 + b12)
        m7 = product(a12 - a22, b21 + b22)
        top = np.hstack([m1 + m4 - m5 + m7, m3 + m5])
        return np.vstack([top, np.hstack([m2 + m4, m1 - m2 + m3 + m6])])

    return product(a, b)


@samples("", (M4,), (np.zeros((4, 4)),), joined=True)
def determinant(a):
    a = a.copy()
    sign = 1.0
    for k in range(len(a)):
        pivot = k
        for i in range(k + 1, len(a)):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if a[pivot, k] == 0:
            return 0.0
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            sign = -sign
        for i in range(k + 1, len(a)):
            a[i] -= a[i, k] / a[k, k] * a[k]
    return sign * np.prod(np.diag(a))


@samples("", (rng.random((4, 3)), I(30)), (rng.random((4, 3)), I(5)))
def matrix_factorization(ratings, steps):
    """Stochastic gradient descent on the entries that are there."""
    p, q = np.full((4, 2), 0.3), np.full((3, 2), 0.4)
    p[1, 0] = q[2, 1] = 0.1
    error = 0.0
    for _ in range(steps):
        error = 0.0
        for i in range(4):
            for j in range(3):
                if ratings[i, j] < 0.2:
                    continue
                e = ratings[i, j] - p[i] @ q[j]
                p[i], q[j] = p[i] + 0.05 * (e * q[j]), q[j] + 0.05 * (e * p[i])
                error += e * e
    return p, q, error


# ---- series, polynomials and transforms ------------------------------------------------------


@samples("", (A(1, 2, 3, 4, 5, 6, 7, 8),), (A(0, 0, 1, 0, 0, 0, 0, 0),))
def fft_by_halves(x):
    def transform(x):
        n = x.shape[0]
        if n == 1:
            return x
        even, odd = transform(x[::2]), transform(x[1::2])
        twiddle = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + twiddle, even - twiddle])

    return transform(x.astype(complex))


# A product of complex scalars: NumPy rounds it otherwise than that of arrays.
@samples("", (A(1, 2, 3, 4, 5, 6, 7, 8),), (A(1, 0, 0, 0, 1, 0, 0, 0),), tolerance=1e-14)
def fft_in_place(x):
    """Bit reversal, then butterflies."""
    x = x.astype(np.complex128)
    n = len(x)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            x[i], x[j] = x[j], x[i]
    length = 2
    while length <= n:
        root = np.exp(-2j * np.pi / length)
        for start in range(0, n, length):
            w = 1.0 + 0j
            for k in range(start, start + length // 2):
                u, v = x[k], x[k + length // 2] * w
                x[k], x[k + length // 2] = u + v, u - v
                w *= root
        length *= 2
    return x


@samples("", (A(1, 2, 4, 8), A(0.5, -1)), (A(0, 1, 0, 2), A(1, 2)))
def discrete_fourier(x, phases):
    n = len(x)
    spectrum = []
    for k in range(n):
        re = im = 0.0
        for t in range(n):
            angle = 2 * math.pi * t * k / n + phases[0]
            re += x[t] * math.cos(angle)
            im -= x[t] * math.sin(angle)
        spectrum.append(math.hypot(re, im))
    return np.array(spectrum) * phases[1]


@samples("", (A(0, 1, 2, 4), A(1, 3, 2, 0), F(1.5)), (A(1, 2, 3, 5), A(0, 1, 0, 1), F(4)))
def divided_differences(xs, ys, at):
    table = ys.copy()
    n = len(xs)
    for order in range(1, n):
        for i in range(n - 1, order - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (xs[i] - xs[i - order])
    result = table[-1]
    for i in range(n - 2, -1, -1):
        result = result * (at - xs[i]) + table[i]
    return result


@samples("", (A(0, 1, 2), A(1, 3, 2), F(0.5)), (A(0, 2, 3), A(0, 4, 9), F(1)))
def lagrange(xs, ys, at):
    total = 0
    for i, (x, y) in enumerate(zip(xs, ys)):
        term = y
        for j, other in enumerate(xs):
            if i != j:
                term *= (at - other) / (x - other)
        total += term
    return total


@samples("", (A(0, 1, 2, 3), A(0, 1, 0, 1), F(1.5)), (A(0, 1, 2, 4), A(2, 1, 3, 1), F(3.9)))
def cubic_spline(xs, ys, at):
    n = len(xs) - 1
    h = np.diff(xs)
    alpha = np.zeros(n)
    for i in range(1, n):
        alpha[i] = 3 / h[i] * (ys[i + 1] - ys[i]) - 3 / h[i - 1] * (ys[i] - ys[i - 1])
    c, l, mu, z = np.zeros(n + 1), np.ones(n + 1), np.zeros(n + 1), np.zeros(n + 1)
    for i in range(1, n):
        l[i] = 2 * (xs[i + 1] - xs[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / l[i]
        z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / l[i]
    b, d = np.zeros(n), np.zeros(n)
    for j in reversed(range(n)):
        c[j] = z[j] - mu[j] * c[j + 1]
        b[j] = (ys[j + 1] - ys[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d[j] = (c[j + 1] - c[j]) / (3 * h[j])
    k = 0
    while k < n - 1 and at > xs[k + 1]:
        k += 1
    t = at - xs[k]
    return ys[k] + b[k] * t + c[k] * t**2 + d[k] * t**3


@samples("", (F(4.5),), (F(0.3),), tolerance=1e-13)
def gamma_of_lanczos(z):
    coefficients = [76.18009172947146, -86.50532032941677, 24.01409824083091,
                    -1.231739572450155, 0.1208650973866179e-2, -0.5395239384953e-5]  # fmt: skip
    if z < 0.5:
        return math.pi / math.sin(math.pi * z)
    x = z - 1
    tmp = x + 5.5
    tmp -= (x + 0.5) * math.log(tmp)
    series = 1.000000000190015
    for j, c in enumerate(coefficients):
        series += c / (x + j + 1)
    return math.exp(-tmp + math.log(2.5066282746310005 * series))


@samples("", (F(0.5), F(1e-15)), (F(2), F(1e-6)))
def bessel_series(x, tol):
    term = total = 1.0
    k = 0
    while abs(term) > tol:
        k += 1
        term *= -(x * x / 4) / k**2
        total += term
    return total, k


@samples("", (F(1), F(0.5)), (F(2), F(1)))
def arithmetic_geometric_mean(a, b):
    while abs(a - b) > 1e-14 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


@samples("", (A(1e16, 1, -1e16, 1),), (A(1, 1e100, 1, -1e100),))
def kahan_sum(values):
    total = compensation = 0.0
    for v in values:
        t = total + v
        if abs(total) >= abs(v):
            compensation += (total - t) + v
        else:
            compensation += (v - t) + total
        total = t
    return total + compensation


@samples("", (F(math.pi), I(6)), (F(0.75), I(3)), joined=True)
def continued_fraction(x, terms):
    h0, h1, k0, k1 = 1, 0, 0, 1
    for _ in range(terms):
        a = int(math.floor(x))
        h0, h1 = a * h0 + h1, h0
        k0, k1 = a * k0 + k1, k0
        if abs(x - a) < 1e-12:
            break
        x = 1 / (x - a)
    return h0, k0


test_recipes = samples.test()
