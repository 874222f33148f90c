"""`tf.random`: float32 unless said; the numbers are those of `ag.random`, not TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograph.tf.arguments import dimensions, key_of
from autograph.tf.names import serve
from autograph.tf.tensors import Tensor, as_tensor, cast
from runtime import ops
from runtime import random as draws
from runtime.random import set_seed

__all__ = [
    "Generator",
    "categorical",
    "experimental",
    "fold_in",
    "gamma",
    "get_global_generator",
    "normal",
    "poisson",
    "set_seed",
    "shuffle",
    "split",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_poisson",
    "stateless_shuffle",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]


def _bounds(minval: Any, maxval: Any, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    if dtype.kind in "iu":
        if maxval is None:
            raise ValueError(f"uniform: maxval is needed for the integer dtype {dtype}")
        return _bound(minval), _bound(maxval)
    return _bound(minval), _bound(1 if maxval is None else maxval)


def _bound(x: Any) -> Any:
    return x if isinstance(x, (int, float)) else as_tensor(x)


def uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Numbers in [minval, maxval), up to 1 unless said; integers need a `maxval`.

    >>> import autograph.tf as tf
    >>> x = tf.random.uniform([100], minval=-1, maxval=2, dtype=tf.int32)
    >>> sorted(set(x.numpy().tolist()))
    [-1, 0, 1]
    """
    wanted = np.dtype(dtype)
    low, high = _bounds(minval, maxval, wanted)
    return as_tensor(draws.uniform(dimensions(shape), low, high, wanted, seed))


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normally distributed numbers.

    >>> import autograph.tf as tf
    >>> tf.random.normal([2, 3]).shape
    TensorShape([2, 3])
    """
    parts = _bound(mean), _bound(stddev)
    return as_tensor(draws.normal(dimensions(shape), *parts, np.dtype(dtype), seed))


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Normally distributed numbers within two deviations of the mean.

    >>> import autograph.tf as tf
    >>> bool(tf.reduce_max(tf.abs(tf.random.truncated_normal([1000]))) <= 2)
    True
    """
    parts = _bound(mean), _bound(stddev)
    return as_tensor(draws.truncated_normal(dimensions(shape), *parts, np.dtype(dtype), seed))


def gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = np.float32, seed: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Gamma distributed numbers: `shape` of them for each element of `alpha` and `beta`.

    >>> import autograph.tf as tf
    >>> tf.random.gamma([2], [0.5, 1.5]).shape
    TensorShape([2, 2])
    """
    alpha, beta, whole = _for_each(shape, dtype, alpha, 1.0 if beta is None else beta)
    return as_tensor(draws.gamma(whole, alpha, beta, np.dtype(dtype), seed))


def poisson(
    shape: Any, lam: Any, dtype: Any = np.float32, seed: Any = None, name: str | None = None
) -> Tensor:
    """Poisson distributed numbers: `shape` of them for each element of `lam`.

    >>> import autograph.tf as tf
    >>> tf.random.poisson([5], [2.0, 3.0]).shape
    TensorShape([5, 2])
    """
    lam, _, whole = _for_each(shape, np.float32, lam, 1.0)
    return cast(as_tensor(draws.poisson(whole, lam, np.int64, seed)), dtype)


def _for_each(shape: Any, dtype: Any, *parameters: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    first, second = (cast(p, dtype) for p in parameters)
    inner = (first + second).shape
    return first, second, (*dimensions(shape), *inner)


def categorical(
    logits: Any, num_samples: Any, dtype: Any = np.int64, seed: Any = None, name: str | None = None
) -> Tensor:
    """`num_samples` indices for each row of unnormalised log-probabilities.

    >>> import autograph.tf as tf
    >>> tf.random.categorical([[0.0, 0.0]], 5).shape
    TensorShape([1, 5])
    """
    return as_tensor(draws.categorical(as_tensor(logits), num_samples, np.dtype(dtype), seed))


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A copy with the rows in another order.

    >>> import autograph.tf as tf
    >>> sorted(tf.random.shuffle([3, 1, 2]).numpy().tolist())
    [1, 2, 3]
    """
    return as_tensor(draws.permutation(as_tensor(value), 0, seed))


# ---- without state -----------------------------------------------------------------------------


def stateless_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32,
    name: str | None = None, alg: Any = None,
) -> Tensor:  # fmt: skip
    """As `uniform`, a function of `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> a, b = (tf.random.stateless_uniform([2], seed=[1, 2]) for _ in range(2))
    >>> bool(tf.reduce_all(a == b))
    True
    """
    wanted = np.dtype(dtype)
    low, high = _bounds(minval, maxval, wanted)
    return as_tensor(draws.uniform(dimensions(shape), low, high, wanted, key=key_of(seed)))


def stateless_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32,
    name: str | None = None, alg: Any = None,
) -> Tensor:  # fmt: skip
    """As `normal`, a function of `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.random.stateless_normal([2], seed=[1, 2]).shape
    TensorShape([2])
    """
    parts = _bound(mean), _bound(stddev)
    made = draws.normal(dimensions(shape), *parts, np.dtype(dtype), key=key_of(seed))
    return as_tensor(made)


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32,
    name: str | None = None, alg: Any = None,
) -> Tensor:  # fmt: skip
    """As `truncated_normal`, a function of `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.random.stateless_truncated_normal([2], seed=[1, 2]).shape
    TensorShape([2])
    """
    parts = _bound(mean), _bound(stddev)
    made = draws.truncated_normal(dimensions(shape), *parts, np.dtype(dtype), key=key_of(seed))
    return as_tensor(made)


def stateless_gamma(
    shape: Any, seed: Any, alpha: Any, beta: Any = None, dtype: Any = np.float32,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Gamma distributed numbers of the shape `shape`, a function of `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.random.stateless_gamma([3], seed=[1, 2], alpha=2.0).shape
    TensorShape([3])
    """
    parts = cast(alpha, dtype), cast(1.0 if beta is None else beta, dtype)
    return as_tensor(draws.gamma(dimensions(shape), *parts, np.dtype(dtype), key=key_of(seed)))


def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = np.int32, name: str | None = None
) -> Tensor:
    """Poisson distributed numbers of the shape `shape`, a function of `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.random.stateless_poisson([3], seed=[1, 2], lam=2.0).shape
    TensorShape([3])
    """
    lam = as_tensor(lam)
    lam = lam if lam.dtype.kind == "f" else cast(lam, np.float32)
    drawn = draws.poisson(dimensions(shape), lam, np.int64, key=key_of(seed))
    return cast(as_tensor(drawn), dtype)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = np.int64, name: str | None = None
) -> Tensor:
    """As `categorical`, a function of `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> tf.random.stateless_categorical([[0.0, 0.0]], 5, seed=[1, 2]).shape
    TensorShape([1, 5])
    """
    logits = as_tensor(logits)
    return as_tensor(draws.categorical(logits, num_samples, np.dtype(dtype), key=key_of(seed)))


def stateless_shuffle(value: Any, seed: Any, alg: Any = None, name: str | None = None) -> Any:
    """As `shuffle`, a function of `seed`, a pair of integers.

    >>> import autograph.tf as tf
    >>> sorted(tf.random.experimental.stateless_shuffle([2, 1], seed=[1, 2]).numpy().tolist())
    [1, 2]
    """
    return as_tensor(draws.permutation(as_tensor(value), 0, key=key_of(seed)))


# ---- generators --------------------------------------------------------------------------------


class Generator(draws.Generator):
    """A source of random numbers with a state of its own.

    >>> import autograph.tf as tf
    >>> g = tf.random.Generator.from_seed(1)
    >>> g.normal([2]).dtype, g.uniform([2], maxval=10, dtype=tf.int32).dtype
    (dtype('float32'), dtype('int32'))
    """

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """The generator that begins at an integer."""
        return cls(seed)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that the operating system gives a beginning."""
        return cls()

    def uniform(
        self, shape: Any = None, minval: Any = 0, maxval: Any = None, dtype: Any = np.float32,
        *_: Any, **options: Any,
    ) -> Any:  # fmt: skip
        """As `tf.random.uniform`."""
        wanted = np.dtype(dtype)
        low, high = _bounds(minval, maxval, wanted)
        return as_tensor(super().uniform(dimensions(shape), low, high, wanted))

    def normal(
        self, shape: Any = None, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32,
        *_: Any, **options: Any,
    ) -> Any:  # fmt: skip
        """As `tf.random.normal`."""
        parts = _bound(mean), _bound(stddev)
        return as_tensor(super().normal(dimensions(shape), *parts, np.dtype(dtype)))

    def truncated_normal(
        self, shape: Any = None, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = np.float32,
        *_: Any, **options: Any,
    ) -> Any:  # fmt: skip
        """As `tf.random.truncated_normal`."""
        parts = _bound(mean), _bound(stddev)
        return as_tensor(super().truncated_normal(dimensions(shape), *parts, np.dtype(dtype)))

    def reset_from_seed(self, seed: Any) -> None:
        """Begin anew at an integer."""
        self.reset(seed)

    def split(self, count: int = 1) -> list[Any]:
        """New generators, independent of each other and of this one."""
        return [Generator.from_state(g.state) for g in super().split(count)]


def get_global_generator() -> Any:
    """The generator that the functions draw from: `ag.random`'s.

    >>> import autograph.tf as tf
    >>> tf.random.set_seed(7)
    >>> tf.random.get_global_generator()
    <Generator key=0x0000000000000007 blocks=0>
    """
    return draws.get_global_generator()


def split(seed: Any, num: int = 2, alg: Any = None) -> Tensor:
    """Pairs of integers for as many independent draws, from one pair.

    >>> import autograph.tf as tf
    >>> tf.random.split([1, 2], 3).shape
    TensorShape([3, 2])
    """
    bits = draws.bits((int(num), 2), np.uint32, key=key_of(seed))
    return cast(ops.astype(bits, np.dtype(np.int32)), np.int32)


def fold_in(seed: Any, data: Any, alg: Any = None) -> Tensor:
    """A pair of integers for the draws of step `data`, from one pair.

    >>> import autograph.tf as tf
    >>> tf.random.fold_in([1, 2], 3).shape
    TensorShape([2])
    """
    bits = draws.bits((2,), np.uint32, key=draws.fold_in(key_of(seed), as_tensor(data)))
    return cast(ops.astype(bits, np.dtype(np.int32)), np.int32)


class experimental:  # a namespace: `tf.random.experimental`
    """Older names of the same."""

    Generator = Generator
    get_global_generator = staticmethod(get_global_generator)
    stateless_shuffle = staticmethod(stateless_shuffle)
    stateless_split = staticmethod(split)
    stateless_fold_in = staticmethod(fold_in)


serve(globals())
