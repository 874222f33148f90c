"""Eigenvalues and zeros of polynomials: real or complex by data in NumPy, complex in a graph."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples

REAL, TURNING = np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([[0.0, 2.0], [-1.0, 0.5]])
POLYNOMIALS = tuple(
    (np.array(p),)
    for p in (
        [1.0, -3.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, -3.0, 1.0], [0.0] * 5, [0.0, 0.0, 0.0, 2.0, 0.0],
        [1.0, 0.0, 4.0, 0.0, 1.0], [2.0, 1.0, -1.0, 3.0, 5.0], [0.0, 0.0, 0.0, 0.0, 7.0],
    )
)  # fmt: skip
samples = Samples()


@samples("E1", (REAL,), (TURNING,), joined=True)
def eigenvalues(x):
    values, vectors = np.linalg.eig(x)
    largest = np.abs(np.linalg.eigvals(x)).max()
    if largest > 2:
        values = values + 1
    return values, vectors, largest, np.linalg.eig(x).eigenvalues, np.linalg.eigvals(x * 1j)


@samples("E1", *POLYNOMIALS, joined=True)
def zeros(p):
    found = np.roots(p)
    real = found[np.isreal(found)].real
    return found, len(found), real, sum(abs(z) for z in found), np.roots([p[0] + 1, 0, 1])


@samples("E1", (np.array([1, 0, -4]),), (np.array([2, 1, 4]),), joined=True)
def zeros_of_integers(p):
    return np.roots(p), np.roots(p.astype(np.float32)), np.roots(p * 1j), np.roots(p[:1])


@samples("E1", (np.array([[1.0]]),), (np.array([[3.0]]),))
def zeros_of_a_matrix(p):
    try:
        return p, np.roots(p)
    except ValueError as error:
        print(error)
    return p, p


@samples("E1", (np.array([1.0, 2.0]), 1e-3), (np.array([1.0, 2.0]), 1e-15), joined=True)
def nearly_real(x, part):
    z = x + 1j * part
    return np.real_if_close(z), np.real_if_close(z, tol=0.1), np.real_if_close(x)


@samples("E1", (np.array([1j, -1j, 2.0]),), (np.array([1j, 1j, 2.0]),), joined=True)
def polynomials_with_complex_zeros(z):
    return np.poly(z), np.poly(z.real)


@samples("E1", (REAL,), (TURNING,), tolerance=1e-12)
def characteristic_polynomials(x):
    return np.poly(x)


test_roots = samples.test()


def spread(p):
    return ag.sum(ag.abs(np.roots(p)) ** 2)


def radius(p):
    return np.abs(np.linalg.eigvals(np.stack([p[:2], p[1:3]]))).sum()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", [spread, radius])
def test_gradients_are_those_of_finite_differences(function, backend):
    step = 1e-6 * np.eye(4)
    with config.backend.using(backend):
        f = ag.convert(function)
        for p in (np.array([1.0, -3.0, 2.5, 0.5]), np.array([2.0, 1.0, 0.3, -1.0])):
            wanted = [(float(f(p + d)) - float(f(p - d))) / 2e-6 for d in step]
            np.testing.assert_allclose(ag.grad(f)(p), wanted, rtol=1e-5, atol=1e-7)
