"""Derivatives where a part of the program has none: the same by every way, and those of the field.

What is computed and not used moves nothing, however steep it is; where a root is 0 its slope is 0.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS

X = np.array([0.0, -1.0, 4.0])
Z = np.zeros(2)


def norm(x):
    return np.linalg.norm(x)


def square_of_norm(x):
    return np.linalg.norm(x) ** 2


def norm_by_hand(x):
    return np.sqrt((x**2).sum())


def distances(x):
    gaps = x[:, None] - x[None]
    return np.sqrt((gaps * gaps).sum(axis=-1)).sum()


def guarded_root(x):
    return np.where(x > 0, np.sqrt(x), 0.0).sum()


def guarded_quotient(x):
    return np.where(x != 0, np.sin(x) / x, 1.0).sum()


def guarded_entropy(x):
    return np.where(x > 0, x * np.log(x), 0.0).sum()


def guarded_powers(x):
    return np.where(x > 0, x**0.3 + x**-1.0 + np.cbrt(x), 0.0).sum()


def guarded_product_of_vectors(x):
    return np.where(x[0] > 0, np.dot(x, 1 / x), 0.0)


def one_of_the_quotients(x):
    return (1 / x)[2]


def without_influence(x):
    return (0 * np.sqrt(np.abs(x))).sum()


def logistic(x):
    return (1 / (1 + np.exp(200 * x))).sum()


def deviation(x):
    return np.std(x)


def in_rounds(x):
    total = 0.0
    for i in range(len(x)):
        total += np.where(x[i] > 0, np.sqrt(x[i]) / x[i], 0.0)
    return total


# The program, where, its gradient and the diagonal of its matrix of second derivatives.
PROGRAMS = [
    (norm, Z, [0.0, 0.0], [0.0, 0.0]),
    (square_of_norm, Z, [0.0, 0.0], [0.0, 0.0]),
    (norm_by_hand, Z, [0.0, 0.0], [0.0, 0.0]),
    (distances, np.array([[1.0], [3.0]]), [[-2.0], [2.0]], None),
    (guarded_root, X, [0.0, 0.0, 0.25], [0.0, 0.0, -1 / 32]),
    (guarded_quotient, np.array([0.0, np.pi]), [0.0, -1 / np.pi], [0.0, 2 / np.pi**2]),
    (guarded_entropy, X, [0.0, 0.0, 1 + np.log(4.0)], [0.0, 0.0, 0.25]),
    (guarded_powers, np.array([0.0, 1.0]), [0.0, 0.3 - 1 + 1 / 3], [0.0, -0.21 + 2 - 2 / 9]),
    (guarded_product_of_vectors, X, [0.0, 0.0, 0.0], None),
    (one_of_the_quotients, X, [0.0, 0.0, -1 / 16], [0.0, 0.0, 1 / 32]),
    (without_influence, X, [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    (logistic, X, [-50.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    (deviation, Z, [0.0, 0.0], [0.0, 0.0]),
    (in_rounds, np.array([0.0, 4.0]), [0.0, -1 / 16], [0.0, 3 / 128]),
]


def by_tape(f, x):
    x = ag.constant(x)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x).numpy()


def in_lanes(f, x):
    found = ag.vmap(ag.grad(f))(np.stack([x, x]))
    np.testing.assert_array_equal(found[0], found[1])
    return found[1]


WAYS = {
    "tape": by_tape,
    "plain": lambda f, x: ag.grad(f)(x),
    "behind": lambda f, x: ag.grad(ag.convert(f))(x),
    "graph": lambda f, x: ag.convert(ag.grad(f))(x),
    "forward": lambda f, x: ag.jacfwd(f)(x),
    "forward graph": lambda f, x: ag.convert(ag.jacfwd(f))(x),
    "lanes": in_lanes,
}


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("way", WAYS)
def test_gradients(way, backend):
    with config.backend.using(backend):
        for program, x, wanted, _ in PROGRAMS:
            found = WAYS[way](program, x)
            np.testing.assert_allclose(found, wanted, 1e-9, 1e-15, err_msg=program.__name__)


@pytest.mark.parametrize("way", [lambda f: f, ag.convert], ids=["plain", "graph"])
def test_second_derivatives(way):
    for program, x, _, wanted in PROGRAMS:
        if wanted is not None:
            found = np.diagonal(way(ag.hessian(program))(x))
            np.testing.assert_allclose(found, wanted, 1e-9, 1e-15, err_msg=program.__name__)


def test_nan_of_the_data_is_seen():
    x = np.array([1.0, np.nan])
    for program in (norm, norm_by_hand, deviation):
        for way in WAYS.values():
            assert np.isnan(way(program, x)).all(), program.__name__


def test_poles_stay_infinite():
    """What is not guarded is as steep as it is."""
    for program in (lambda x: np.log(x), lambda x: 1 / x, lambda x: np.arcsin(1 - x)):
        for way in WAYS.values():
            assert np.isinf(way(program, np.float64(0.0))), program
