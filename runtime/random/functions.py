"""The functions of `ag.random`: draws from the global generator, a seed's stream, or a key."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime.random.generator import source

__all__ = [
    "bernoulli",
    "binomial",
    "bits",
    "categorical",
    "choice",
    "exponential",
    "gamma",
    "integers",
    "normal",
    "permutation",
    "poisson",
    "randint",
    "shuffle",
    "truncated_normal",
    "uniform",
]


def bits(shape: Any = None, dtype: Any = np.uint64, seed: Any = None, *, key: Any = None) -> Any:
    """Unsigned integers, each bit of which is random.

    `dtype` is an unsigned integer type. Philox 4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel
    random numbers: as easy as 1, 2, 3", SC 2011.

    >>> import autograph as ag
    >>> [hex(n) for n in ag.random.bits((4,), np.uint32, key=0).tolist()]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    return source(seed, key).bits(shape, dtype)


def uniform(
    shape: Any = None,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = None,
    seed: Any = None,
    *,
    key: Any = None,
) -> Any:
    """Numbers in [minval, maxval), all equally likely.

    Of a floating dtype multiples of 2**-53 (float32: 2**-24, float16: 2**-11) of the interval, up
    to 1 if no `maxval` is given; with an integer `dtype` as `integers`, and `maxval` is needed.
    Bounds may be arrays that broadcast to `shape`, and gradients reach them.

    >>> import autograph as ag
    >>> ag.random.uniform((3,), key=7).numpy()
    array([0.75015222, 0.08565787, 0.79528404])
    >>> ag.random.uniform((6,), minval=-1, maxval=2, dtype=np.int32, key=7).numpy()
    array([ 1,  1, -1, -1,  0,  1], dtype=int32)
    """
    return source(seed, key).uniform(shape, minval, maxval, dtype)


def integers(
    low: Any,
    high: Any = None,
    shape: Any = None,
    dtype: Any = np.int64,
    endpoint: bool = False,
    seed: Any = None,
    *,
    key: Any = None,
) -> Any:
    """Integers from `low` up to, without, `high`, all equally likely; below `low` if it is alone.

    `high` is among them with `endpoint`. Bounds may be arrays that broadcast to `shape`. Raises
    ValueError where there is no such integer or `dtype` cannot hold them all. D. Lemire, "Fast
    random integer generation in an interval", ACM TOMACS 29 (2019).

    >>> import autograph as ag
    >>> ag.random.integers(6, shape=(8,), key=7).numpy()
    array([4, 0, 4, 5, 0, 5, 1, 0])
    """
    return source(seed, key).integers(low, high, shape, dtype, endpoint)


def randint(
    low: Any,
    high: Any = None,
    shape: Any = None,
    dtype: Any = np.int64,
    seed: Any = None,
    *,
    key: Any = None,
) -> Any:
    """As `integers`, under the older name.

    >>> import autograph as ag
    >>> ag.random.randint(1, 7, (8,), key=7).numpy()
    array([5, 1, 5, 6, 1, 6, 2, 1])
    """
    return source(seed, key).randint(low, high, shape, dtype)


def normal(
    shape: Any = None,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = None,
    seed: Any = None,
    *,
    key: Any = None,
) -> Any:
    """Normally distributed numbers, of mean `mean` and standard deviation `stddev`.

    Parameters may be arrays that broadcast to `shape`, and gradients reach them. Each number comes
    from 64 bits (float32, float16: 32) by inversion of the distribution function, so that tails are
    exact up to 9.1 (6.3) standard deviations: P. J. Wichura, "Algorithm AS 241", Applied Statistics
    37 (1988).

    >>> import autograph as ag
    >>> ag.random.normal((3,), key=7).numpy()
    array([-0.67496885,  0.21638935, -0.82489373])
    """
    return source(seed, key).normal(shape, mean, stddev, dtype)


def truncated_normal(
    shape: Any = None,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = None,
    seed: Any = None,
    low: float = -2.0,
    high: float = 2.0,
    *,
    key: Any = None,
) -> Any:
    """Normally distributed numbers, given that they are within bounds.

    `low` and `high` are Python numbers and count standard deviations from the mean.

    >>> import autograph as ag
    >>> ag.random.truncated_normal((3,), key=7).numpy()
    array([ 0.6395587 , -1.25626175,  0.77845143])
    """
    return source(seed, key).truncated_normal(shape, mean, stddev, dtype, low, high)


def exponential(
    shape: Any = None, scale: Any = 1.0, dtype: Any = None, seed: Any = None, *, key: Any = None
) -> Any:
    """Exponentially distributed numbers of mean `scale`, to which gradients reach.

    >>> import autograph as ag
    >>> ag.random.exponential((3,), key=7).numpy()
    array([0.28747913, 2.45739423, 0.22905595])
    """
    return source(seed, key).exponential(shape, scale, dtype)


def gamma(
    shape: Any = None,
    alpha: Any = 1.0,
    beta: Any = 1.0,
    dtype: Any = None,
    seed: Any = None,
    *,
    key: Any = None,
) -> Any:
    """Gamma distributed numbers: of shape parameter `alpha` and rate (1 / scale) `beta`.

    Parameters may be arrays that broadcast to `shape`. Gradients reach `beta`; one with respect to
    `alpha` raises. Raises ValueError unless `alpha` is positive. G. Marsaglia, W. W. Tsang, "A
    simple method for generating gamma variables", ACM TOMS 26 (2000).

    >>> import autograph as ag
    >>> ag.random.gamma((3,), alpha=2.5, key=7).numpy()
    array([1.31726307, 1.16514929, 2.198008  ])
    """
    return source(seed, key).gamma(shape, alpha, beta, dtype)


def poisson(
    shape: Any = None, lam: Any = 1.0, dtype: Any = np.int64, seed: Any = None, *, key: Any = None
) -> Any:
    """Poisson distributed counts of mean `lam`, which may be an array that broadcasts to `shape`.

    Raises ValueError unless `lam` is 0 or more. W. Hörmann, "The transformed rejection method for
    generating Poisson random variables", Insurance: Mathematics and Economics 12 (1993).

    >>> import autograph as ag
    >>> ag.random.poisson((6,), lam=3.5, key=7).numpy()
    array([5, 5, 0, 2, 8, 3])
    """
    return source(seed, key).poisson(shape, lam, dtype)


def binomial(
    shape: Any = None,
    n: Any = 1,
    p: Any = 0.5,
    dtype: Any = np.int64,
    seed: Any = None,
    *,
    key: Any = None,
) -> Any:
    """How many of `n` trials succeed, each with probability `p`.

    Both may be arrays that broadcast to `shape`. Raises ValueError unless `n` is a whole number, 0
    or more, which `dtype` holds, and `p` within [0, 1]. W. Hörmann, "The generation of binomial
    random variates", Journal of Statistical Computation and Simulation 46 (1993).

    >>> import autograph as ag
    >>> ag.random.binomial((6,), n=40, p=0.3, key=7).numpy()
    array([14, 16, 13, 10, 14, 10])
    """
    return source(seed, key).binomial(shape, n, p, dtype)


def bernoulli(
    shape: Any = None, p: Any = 0.5, dtype: Any = np.bool_, seed: Any = None, *, key: Any = None
) -> Any:
    """True with probability `p`, which may be an array that broadcasts to `shape`.

    Raises ValueError for a probability outside of [0, 1].

    >>> import autograph as ag
    >>> ag.random.bernoulli((4,), p=0.75, key=7).numpy()
    array([False,  True, False, False])
    """
    return source(seed, key).bernoulli(shape, p, dtype)


def categorical(
    logits: Any = None,
    num_samples: Any = None,
    dtype: Any = np.int64,
    seed: Any = None,
    *,
    probabilities: Any = None,
    key: Any = None,
) -> Any:
    """Positions along the last axis of `logits`, drawn with probabilities `softmax(logits)`.

    For logits of shape `(..., classes)` the result has shape `(..., num_samples)`, and `(...)`
    without `num_samples`, which may also be a shape. `probabilities` may be given instead of
    logits. Raises ValueError where these do not sum to 1 (within 1e-6) or a row of logits has no
    number.

    >>> import autograph as ag
    >>> ag.random.categorical(np.log([[0.9, 0.1], [0.1, 0.9]]), 5, key=7).numpy()
    array([[0, 0, 0, 1, 0],
           [1, 1, 1, 1, 1]])
    """
    drawn = source(seed, key).categorical(logits, num_samples, dtype, probabilities=probabilities)
    return drawn


def permutation(x: Any, axis: int = 0, seed: Any = None, *, key: Any = None) -> Any:
    """The numbers below `x` in random order; for an array, its parts along `axis`.

    >>> import autograph as ag
    >>> ag.random.permutation(5, key=7).numpy()
    array([4, 1, 0, 2, 3])
    """
    return source(seed, key).permutation(x, axis)


def shuffle(x: Any, axis: int = 0, seed: Any = None, *, key: Any = None) -> Any:
    """A copy of an array with its parts along `axis` in random order; `x` stays as it is.

    >>> import autograph as ag
    >>> ag.random.shuffle(np.array([10, 20, 30, 40]), key=7).numpy()
    array([20, 10, 30, 40])
    """
    return source(seed, key).shuffle(x, axis)


def choice(
    a: Any,
    shape: Any = None,
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
    seed: Any = None,
    *,
    key: Any = None,
) -> Any:
    """Elements drawn from an array along `axis`, or from the numbers below an integer `a`.

    With `replace` false each is drawn at most once. `p` holds a probability per element. Raises
    ValueError where there are too few of them, or `p` does not sum to 1 (within 1e-6).

    >>> import autograph as ag
    >>> ag.random.choice(np.array([10, 20, 30]), (4,), p=[0.5, 0.25, 0.25], key=7).numpy()
    array([30, 10, 30, 30])
    >>> ag.random.choice(10, (4,), replace=False, key=7).numpy()
    array([4, 1, 7, 6])
    """
    return source(seed, key).choice(a, shape, replace, p, axis)
