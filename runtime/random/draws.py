"""What can be drawn, whatever the source of keys and counters."""

from __future__ import annotations

from typing import Any

import numpy as np

from runtime import ops
from runtime.ops.declaration.declare import Primitive
from runtime.ops.declaration.operands import content, is_number, is_tensor, shape_of, type_of
from runtime.ops.random.distributions import (
    random_binomial,
    random_exponential,
    random_gamma,
    random_normal,
    random_poisson,
    random_truncated_normal,
)
from runtime.ops.random.draws import (
    random_below,
    random_bernoulli,
    random_bits,
    random_categorical,
    random_integers,
    random_permutation,
    random_subset,
    random_uniform,
    width_of,
)
from runtime.random.arguments import (
    Encoded,
    common_shape,
    encoded,
    float_dtype,
    is_integer,
    parameter,
    spread,
)

__all__ = ["Draws", "Keyed"]

# Bits per element of a distribution that refuses candidates: a whole block.
_BLOCK = 128


class Draws:
    """The methods that draw; a subclass says where a draw finds its bits."""

    def blocks(self, shape: Encoded, width: int) -> tuple[Any, Any]:
        """Key and first block for a draw of this shape, of `width` bits per element."""
        raise NotImplementedError

    def _draw(
        self,
        primitive: Primitive,
        shape: Encoded,
        width: int,
        *operands: Any,
        taken: Encoded | None = None,
        **attrs: Any,
    ) -> Any:
        """Apply `primitive`; `taken` is the shape to take bits for, if it is another one."""
        key, counter = self.blocks(shape if taken is None else taken, width)
        static, dims = shape
        return primitive(key, counter, *operands, *dims, shape=static, **attrs)

    # ---- numbers -----------------------------------------------------------------------------

    def bits(self, shape: Any = None, dtype: Any = np.uint64) -> Any:
        """Unsigned integers, each bit random; see `ag.random.bits`."""
        dtype = np.dtype(dtype)
        if dtype.kind != "u":
            raise TypeError(f"dtype must be an unsigned integer type, but is {dtype}")
        return self._draw(random_bits, common_shape(shape), width_of(dtype), dtype=dtype)

    def uniform(
        self, shape: Any = None, minval: Any = 0, maxval: Any = None, dtype: Any = None
    ) -> Any:
        """Numbers in [minval, maxval), all equally likely; see `ag.random.uniform`."""
        if is_integer(dtype):
            if maxval is None:
                raise ValueError(f"integers of dtype {np.dtype(dtype)} need a maxval")
            return self._integers({"minval": minval, "maxval": maxval}, shape, np.dtype(dtype))
        dtype = float_dtype(dtype)
        low = parameter(minval, "minval", dtype)
        high = parameter(1 if maxval is None else maxval, "maxval", dtype)
        sizes = common_shape(shape, low, high)
        unit = self._draw(random_uniform, sizes, width_of(dtype), dtype=dtype)
        if _is(low, 0) and _is(high, 1):
            return unit
        low, high = spread(low, sizes), spread(high, sizes)
        return random_below(low + (high - low) * unit, low, high)

    def integers(
        self,
        low: Any,
        high: Any = None,
        shape: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
    ) -> Any:
        """Integers from `low` up to, without, `high`; see `ag.random.integers`."""
        dtype = np.dtype(dtype)
        if dtype.kind not in "iu":
            raise TypeError(f"dtype must be an integer type, but is {dtype}")
        bounds = {"low": 0, "high": low} if high is None else {"low": low, "high": high}
        return self._integers(bounds, shape, dtype, endpoint)

    def _integers(
        self, bounds: dict[str, Any], shape: Any, dtype: np.dtype[Any], endpoint: bool = False
    ) -> Any:
        """Integers between two bounds, given by name."""
        (bottom, low), (top, high) = bounds.items()
        if isinstance(high, int) and high in (2**63, 2**64) and not endpoint:
            # The end of all int64, or uint64, is none itself.
            high, endpoint = high - 1, True
        operands = _bound(low, bottom), _bound(high, top)
        sizes = common_shape(shape, *operands)
        return self._draw(
            random_integers, sizes, width_of(dtype), *operands, dtype=dtype, endpoint=endpoint
        )

    def randint(self, low: Any, high: Any = None, shape: Any = None, dtype: Any = np.int64) -> Any:
        """As `integers`; see `ag.random.randint`."""
        return self.integers(low, high, shape, dtype)

    def normal(
        self, shape: Any = None, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None
    ) -> Any:
        """Normally distributed numbers; see `ag.random.normal`."""
        return self._located(random_normal, shape, mean, stddev, dtype)

    def truncated_normal(
        self,
        shape: Any = None,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = None,
        low: float = -2.0,
        high: float = 2.0,
    ) -> Any:
        """Normally distributed numbers within bounds; see `ag.random.truncated_normal`."""
        if not (is_number(low) and is_number(high) and low < high):
            raise ValueError(
                f"low and high must be Python numbers, low below high, but are {low!r} and {high!r}"
            )
        limits = {"low": float(low), "high": float(high)}
        return self._located(random_truncated_normal, shape, mean, stddev, dtype, **limits)

    def _located(
        self, primitive: Primitive, shape: Any, mean: Any, stddev: Any, dtype: Any, **attrs: Any
    ) -> Any:
        """Standard draws, scaled and moved."""
        dtype = float_dtype(dtype)
        mean, stddev = parameter(mean, "mean", dtype), parameter(stddev, "stddev", dtype)
        sizes = common_shape(shape, mean, stddev)
        z = self._draw(primitive, sizes, width_of(dtype), dtype=dtype, **attrs)
        if _is(mean, 0) and _is(stddev, 1):
            return z
        return spread(mean, sizes) + spread(stddev, sizes) * z

    def exponential(self, shape: Any = None, scale: Any = 1.0, dtype: Any = None) -> Any:
        """Exponentially distributed numbers; see `ag.random.exponential`."""
        dtype = float_dtype(dtype)
        scale = parameter(scale, "scale", dtype)
        sizes = common_shape(shape, scale)
        x = self._draw(random_exponential, sizes, width_of(dtype), dtype=dtype)
        return x if _is(scale, 1) else spread(scale, sizes) * x

    def gamma(self, shape: Any = None, alpha: Any = 1.0, beta: Any = 1.0, dtype: Any = None) -> Any:
        """Gamma distributed numbers; see `ag.random.gamma`."""
        dtype = float_dtype(dtype)
        alpha, beta = parameter(alpha, "alpha", dtype), parameter(beta, "beta", dtype)
        sizes = common_shape(shape, alpha, beta)
        x = self._draw(random_gamma, sizes, _BLOCK, alpha, dtype=dtype)
        return x if _is(beta, 1) else x / spread(beta, sizes)

    def poisson(self, shape: Any = None, lam: Any = 1.0, dtype: Any = np.int64) -> Any:
        """Poisson distributed counts; see `ag.random.poisson`."""
        dtype = np.dtype(dtype) if is_integer(dtype) else float_dtype(dtype)
        lam = parameter(lam, "lam", np.dtype(np.float64))
        return self._draw(random_poisson, common_shape(shape, lam), _BLOCK, lam, dtype=dtype)

    def binomial(self, shape: Any = None, n: Any = 1, p: Any = 0.5, dtype: Any = np.int64) -> Any:
        """Counts of successes; see `ag.random.binomial`."""
        dtype = np.dtype(dtype) if is_integer(dtype) else float_dtype(dtype)
        n, p = (parameter(x, name, np.dtype(np.float64)) for x, name in ((n, "n"), (p, "p")))
        return self._draw(random_binomial, common_shape(shape, n, p), _BLOCK, n, p, dtype=dtype)

    def bernoulli(self, shape: Any = None, p: Any = 0.5, dtype: Any = np.bool_) -> Any:
        """True with a probability; see `ag.random.bernoulli`."""
        p = parameter(p, "p", np.dtype(np.float64))
        drawn = self._draw(random_bernoulli, common_shape(shape, p), 64, p)
        return drawn if np.dtype(dtype) == np.bool_ else ops.astype(drawn, dtype)

    # ---- choices -----------------------------------------------------------------------------

    def categorical(
        self,
        logits: Any = None,
        num_samples: Any = None,
        dtype: Any = np.int64,
        *,
        probabilities: Any = None,
    ) -> Any:
        """Positions drawn by weight; see `ag.random.categorical`."""
        if (logits is None) == (probabilities is None):
            raise ValueError("categorical needs either logits or probabilities")
        name = "logits" if probabilities is None else "probabilities"
        given = logits if probabilities is None else probabilities
        weights = parameter(given, name, np.dtype(np.float64))
        if type_of(weights).shape == ():
            raise ValueError(f"{name} must have an axis of categories, but is a single number")
        samples = encoded(() if num_samples is None else num_samples, "num_samples")
        drawn = self._by_weight(weights, samples, logits=probabilities is None)
        return drawn if np.dtype(dtype) == np.int64 else ops.astype(drawn, dtype)

    def _by_weight(self, weights: Any, samples: Encoded, logits: bool) -> Any:
        static, dims = encoded(shape_of(weights)[:-1])
        everything = (*static, *samples[0]), (*dims, *samples[1])
        return self._draw(random_categorical, samples, 64, weights, taken=everything, logits=logits)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """The numbers below `x`, or the parts of an array, in random order; see
        `ag.random.permutation`."""
        x, count = _population(x, axis)
        order = self._order(count, encoded(count))
        return order if x is None else ops.take(x, order, axis=axis)

    def shuffle(self, x: Any, axis: int = 0) -> Any:
        """A copy of an array with its parts in random order; see `ag.random.shuffle`."""
        if _population(x, axis)[0] is None:
            raise ValueError("shuffle needs an array with axes; `permutation` takes a number")
        return self.permutation(x, axis)

    def _order(self, count: Any, shape: Encoded) -> Any:
        return self._draw(random_permutation, shape, 64, count, taken=encoded(count))

    def choice(
        self, a: Any, shape: Any = None, replace: bool = True, p: Any = None, axis: int = 0
    ) -> Any:
        """Elements drawn from an array, or from the numbers below `a`; see `ag.random.choice`."""
        a, count = _population(a, axis)
        sizes = encoded(() if shape is None else shape)
        if isinstance(count, int) and count == 0 and 0 not in sizes[0]:
            raise ValueError("there is nothing to choose from")
        index = self._index(count, sizes, replace, p)
        return index if a is None else ops.take(a, index, axis=axis)

    def _index(self, count: Any, sizes: Encoded, replace: bool, p: Any) -> Any:
        if p is None and replace:
            bounds = _bound(0, "minval"), _bound(count, "a")
            dtype = np.dtype(np.int64)
            return self._draw(random_integers, sizes, 64, *bounds, dtype=dtype, endpoint=False)
        if p is None:
            return self._order(count, sizes)
        p = parameter(p, "p", np.dtype(np.float64))
        shape = type_of(p).shape
        known = isinstance(count, int) and shape is not None and shape != (None,)
        if (shape is not None and len(shape) != 1) or (known and shape != (count,)):
            raise ValueError(f"p must have the shape ({count},), but has {shape}")
        if replace:
            return self._by_weight(p, sizes, logits=False)
        return self._draw(random_subset, sizes, 64, p, taken=encoded(shape_of(p)))


class Keyed(Draws):
    """Draws that are functions of a key: each begins at block 0."""

    def __init__(self, key: Any) -> None:
        self._key = key

    def blocks(self, shape: Encoded, width: int) -> tuple[Any, Any]:
        """The key, and 0."""
        return self._key, np.uint64(0)


def _is(x: Any, number: float) -> bool:
    """Whether a parameter is that Python number, known while tracing."""
    return is_number(x) and x == number


def _bound(x: Any, name: str) -> Any:
    """A bound of integers as an operand: int64, or uint64 where it comes so or must be."""
    x = content(x)
    if isinstance(x, int):
        if not -(2**63) <= x < 2**64:
            raise ValueError(f"{name} must fit in 64 bits, but is {x}")
        return np.int64(x) if x < 2**63 else np.uint64(x)
    given, x = x, x if is_tensor(x) else np.asarray(x)
    dtype = type_of(x).dtype
    if dtype.kind not in "biu":
        raise TypeError(f"{name} must hold integers, but is {given!r}")
    return x if dtype in (np.int64, np.uint64) else ops.astype(x, np.int64)


def _population(x: Any, axis: int) -> tuple[Any, Any]:
    """What is chosen from: an array and its size along an axis, or None and a number."""
    x = content(x)
    x = x if is_tensor(x) or is_number(x) else np.asarray(x)
    type_ = type_of(x)
    if type_.shape != ():
        return x, shape_of(x)[axis]
    if type_.dtype.kind not in "iu":
        raise TypeError(f"an array or a number of things is needed, not {x!r}")
    if not is_tensor(x):
        x = int(x)
        if x < 0:
            raise ValueError(f"the number of things must not be negative, but is {x}")
    return None, x
