"""Random numbers out of counters: the same in eager code and graphs, on every backend and device.

Functions draw from the global generator (`set_seed` begins it anew), from the stream of a `seed=`,
or, without any state, from a `key=`; a `Generator` has methods of the same names. Block `i` of
Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011) is a function of key and `i`, so that results
do not depend on chunks, threads or devices.

>>> import autograph as ag
>>> ag.random.set_seed(7)
>>> first = ag.random.normal((2, 3))
>>> ag.random.set_seed(7)
>>> ag.array_equal(first, ag.random.normal((2, 3))).item()
True
"""

from runtime.random.functions import (
    bernoulli,
    binomial,
    bits,
    categorical,
    choice,
    exponential,
    gamma,
    integers,
    normal,
    permutation,
    poisson,
    randint,
    shuffle,
    truncated_normal,
    uniform,
)
from runtime.random.generator import Generator, get_global_generator, set_seed
from runtime.random.keys import fold_in, key, split

__all__ = [
    "Generator",
    "bernoulli",
    "binomial",
    "bits",
    "categorical",
    "choice",
    "exponential",
    "fold_in",
    "gamma",
    "get_global_generator",
    "integers",
    "key",
    "normal",
    "permutation",
    "poisson",
    "randint",
    "set_seed",
    "shuffle",
    "split",
    "truncated_normal",
    "uniform",
]
