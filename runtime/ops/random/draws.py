"""Draws as functions of a key and a counter: pure ops, which the state of a generator feeds.

A draw of given shape and dtype takes `128 // width` elements from each block from `counter` on,
where `width` is 64 or 32 bits, or 128 for the distributions that refuse candidates: how far the
state moves is known from shape and dtype alone. Results are equal bit for bit wherever they are
computed, except `random_categorical`, whose weights pass the array module's `exp` and `cumsum`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runtime.ops.declaration.declare import Primitive, always, no_gradient, op
from runtime.ops.declaration.operands import Array, Module, decode_shape
from runtime.ops.declaration.samples import array, calls
from runtime.ops.random.philox import FOLD, SPLIT, elements, pairs, pick, streams, words_at
from runtime.ops.special_functions import exact
from runtime.spec import Dim, TensorType

__all__ = [
    "checked_probabilities",
    "low_bits",
    "of_bits",
    "random_advance",
    "random_below",
    "random_bernoulli",
    "random_bits",
    "random_categorical",
    "random_fold",
    "random_integers",
    "random_permutation",
    "random_split",
    "random_subset",
    "random_uniform",
    "unit",
    "width_of",
]

_F8, _F4, _F2 = np.dtype("f8"), np.dtype("f4"), np.dtype("f2")
_I8, _U8 = np.dtype("i8"), np.dtype("u8")
# Of the samples.
KEY, COUNTER = np.uint64(0x0123456789ABCDEF), np.uint64(5)
_MASK = 0xFFFFFFFF
# A candidate is refused this often with a probability below 1e-38: then the last one is taken.
ATTEMPTS = 128


def width_of(dtype: np.dtype[Any]) -> int:
    """How many random bits an element takes.

    >>> width_of(np.dtype("f8")), width_of(np.dtype("i2"))
    (64, 32)
    """
    return 64 if dtype.itemsize > 4 else 32


def draw_type(*operands: Any, shape: Any, dtype: Any, **attrs: Any) -> TensorType:
    """The type rule of an op whose attributes tell shape and dtype."""
    return TensorType(dtype, shape)


def by_shape(types: tuple[Any, ...], attrs: dict[str, Any]) -> bool:
    """The `raises` of a draw from key and counter: a size known at run time may be negative."""
    return len(types) > 2


def samples(*dtypes: Any, **attrs: Any) -> Any:
    """Key and counter for shapes of several kinds in the first dtype, for one in the others."""
    first, *others = dtypes
    given: list[Any] = [
        ((KEY, COUNTER), {"shape": (2, 3), "dtype": first, **attrs}),
        ((KEY, COUNTER), {"shape": (), "dtype": first, **attrs}),
        ((KEY, COUNTER), {"shape": (0,), "dtype": first, **attrs}),
        ((KEY, COUNTER, 3), {"shape": (None, 2), "dtype": first, **attrs}),
    ]
    given += [((KEY, COUNTER), {"shape": (41,), "dtype": d, **attrs}) for d in others]
    return calls(lambda: (*given,))


def filled(
    xp: Module,
    key: Array,
    counter: Array,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    make: Callable[[Array], Array],
    width: int | None = None,
) -> Array:
    """An array of `make(bits)`, each element from its own bits."""
    size = math.prod(shape)
    return elements(xp, key, counter, size, width or width_of(dtype), dtype, make).reshape(shape)


def fraction(bits: Array, width: int) -> Array:
    """`(bits + 1/2) / 2**width`."""
    result = float(bits) if isinstance(bits, int) else bits.astype(np.float64)
    result += 0.5
    result *= 2.0**-width
    return result


# ---- keys --------------------------------------------------------------------------------------


@op(
    inputs=2,
    infer=lambda key, data: TensorType(_U8, ()),
    vjp=no_gradient,
    samples=lambda: (
        ((KEY, np.uint64(3)), {}),
        ((KEY, np.uint64(2**64 - 1)), {}),
    ),
)
def random_fold(xp: Module, key: Array, data: Array) -> Array:
    """A key that depends on a key and a number: half of a block, numbered by `data`."""
    return pairs(words_at(xp, key, data, xp.zeros(1, np.uint64), 0, FOLD))[0][0]


@op(
    inputs=None,
    infer=lambda key, *dims, shape: TensorType(_U8, shape),
    vjp=no_gradient,
    raises=lambda types, attrs: len(types) > 1,
    samples=lambda: (
        ((KEY,), {"shape": (3,)}),
        ((KEY, 2), {"shape": (None, 2)}),
    ),
)
def random_split(xp: Module, key: Array, *dims: Array, shape: tuple[Dim, ...]) -> Array:
    """Keys that depend on a key: halves of the blocks from 0 on."""
    sizes = decode_shape(shape, dims)
    numbers = xp.arange(math.prod(sizes), dtype=np.uint64)
    return pairs(words_at(xp, key, np.uint64(0), numbers, 0, SPLIT))[0].reshape(sizes)


# ---- states of generators ----------------------------------------------------------------------


@op(
    inputs=None,
    infer=lambda state, *dims, shape, width: (
        TensorType(_U8, ()),
        TensorType(_U8, ()),
        TensorType(_U8, (2,)),
    ),
    vjp=no_gradient,
    raises=lambda types, attrs: len(types) > 1,
    samples=lambda: (
        ((np.array([KEY, COUNTER]),), {"shape": (2, 3), "width": 32}),
        ((np.array([KEY, np.uint64(2**64 - 1)]), 3), {"shape": (None, 5), "width": 64}),
    ),
)
def random_advance(
    xp: Module, state: Array, *dims: Array, shape: tuple[Dim, ...], width: int
) -> tuple[Array, Array, Array]:
    """The key of a state, the number of the first block for a draw, and the state behind it."""
    blocks = -(-math.prod(decode_shape(shape, dims)) * width // 128)
    return state[0], state[1], state + xp.asarray((0, blocks), dtype=np.uint64)


# ---- bits and uniform numbers ------------------------------------------------------------------


def of_bits(name: str, make: Callable[[Module, Array, Any], Array], given: Any) -> Primitive:
    """The op of numbers that `make` makes of random bits, each of as many as its dtype needs."""

    def kernel(
        xp: Module,
        key: Array,
        counter: Array,
        *dims: Array,
        shape: tuple[Dim, ...],
        dtype: np.dtype[Any],
    ) -> Array:
        sizes = decode_shape(shape, dims)
        return filled(xp, key, counter, sizes, dtype, lambda bits: make(xp, bits, dtype))

    kernel.__doc__ = make.__doc__
    declare = op(
        inputs=None, infer=draw_type, vjp=no_gradient, raises=by_shape, samples=given, name=name
    )
    return declare(kernel)


def low_bits(xp: Module, bits: Array, dtype: np.dtype[Any]) -> Array:
    """Unsigned integers all of whose bits are random: the low bits of the words."""
    return bits & int(np.iinfo(dtype).max)


random_bits = of_bits(
    "random_bits", low_bits, samples(np.dtype("u4"), _U8, np.dtype("u1"), np.dtype("u2"))
)


_DIGITS = {_F8: 53, _F4: 24, _F2: 11}


def unit(xp: Module, bits: Array, dtype: np.dtype[Any]) -> Array:
    """Multiples of 2**-53 (float32: 2**-24, float16: 2**-11) in [0, 1), all equally likely."""
    digits = _DIGITS[dtype]
    bits >>= width_of(dtype) - digits
    return bits * 2.0**-digits


random_uniform = of_bits("random_uniform", unit, samples(_F8, _F4, _F2))


@op(
    inputs=3,
    infer=lambda x, low, high: x,
    vjp=(lambda g, out, x, low, high: g, None, None),
    samples=lambda: (
        ((array((3,), low=0.0, high=1.0), np.float64(-2), np.float64(2)), {}),
        ((array((3,), "f4", 0.0, 1.0), np.float32(-2), np.float32(2)), {}),
    ),
)
def random_below(xp: Module, x: Array, low: Array, high: Array) -> Array:
    """`x`, but where rounding made it `high`, the next number towards `low`."""
    low, high = xp.asarray(low).astype(x.dtype), xp.asarray(high).astype(x.dtype)
    return xp.where(x == high, xp.nextafter(high, low), x)


# ---- integers ----------------------------------------------------------------------------------

_BOUNDS = calls(
    lambda: (
        ((KEY, COUNTER, np.int64(0), np.int64(10)), {"shape": (2, 3), "dtype": _I8}),
        (
            (KEY, COUNTER, np.int64(-5), np.int64(5), 3),
            {"shape": (None, 2), "dtype": np.dtype("i4")},
        ),
        ((KEY, COUNTER, np.int64(-(2**63)), np.int64(2**63 - 1)), {"shape": (3,), "dtype": _I8}),
        ((KEY, COUNTER, np.int64(0), np.int64(3 * 2**61)), {"shape": (50,), "dtype": _I8}),
        ((KEY, COUNTER, np.int64(0), np.int64(255)), {"shape": (3,), "dtype": np.dtype("u1")}),
        (
            (KEY, COUNTER, np.array([0, 5]), np.array([[1], [9]]) + 5),
            {"shape": (2, 2), "dtype": _I8},
        ),
    )
)


@op(
    inputs=None,
    infer=draw_type,
    vjp=no_gradient,
    raises=always,
    samples=lambda: ((operands, {**attrs, "endpoint": True}) for operands, attrs in _BOUNDS()),
)
def random_integers(
    xp: Module,
    key: Array,
    counter: Array,
    low: Array,
    high: Array,
    *dims: Array,
    shape: tuple[Dim, ...],
    dtype: np.dtype[Any],
    endpoint: bool,
) -> Array:
    """Integers from `low` to `high`, which is among them with `endpoint`; all equally likely.

    D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019): the high half
    of a product, where a low half that is too small is refused.
    """
    sizes = decode_shape(shape, dims)
    _check_bounds(xp, low, high, dtype, endpoint)
    bottom = _unsigned(xp, low, sizes)
    count = _unsigned(xp, high, sizes) - bottom + np.uint64(endpoint)  # 0 stands for 2**64
    width = width_of(dtype)
    chosen = xp.empty(math.prod(sizes), np.uint64)
    refused = [xp.empty(0, np.int64)]
    for part, bits in streams(xp, key, counter, chosen.size, width):
        chosen[part], wrong = _scaled(xp, bits, _at(count, part), width)
        refused.append(wrong + part.start)
    _draw_again(xp, key, counter, chosen, xp.concatenate(refused), count, width)
    return (chosen + bottom).astype(dtype).reshape(sizes)


def _draw_again(
    xp: Module, key: Array, counter: Array, chosen: Array, left: Array, count: Array, width: int
) -> None:
    """Replace the chosen numbers at the positions `left`, by later attempts at their blocks."""
    per_block = 128 // width
    for attempt in range(1, ATTEMPTS):
        if left.size == 0:
            break
        block = words_at(xp, key, counter, (left // per_block).astype(np.uint64), attempt)
        bits = pick(xp, block, left % per_block, width)
        chosen[left], wrong = _scaled(xp, bits, _at(count, left), width)
        left = left[wrong]


def _at(x: Array, part: Any) -> Array:
    """The part of a flat parameter that has one number for all elements, or one for each."""
    return x if x.size == 1 else x[part]


def _check_bounds(xp: Module, low: Array, high: Array, dtype: np.dtype[Any], end: bool) -> None:
    low, high = xp.broadcast_arrays(low, high)
    if low.size == 0:
        return
    wrong = (low > high if end else low >= high).reshape(-1)
    if bool(wrong.any()):
        least, most = (bound.reshape(-1)[wrong][0] for bound in (low, high))
        relation = "at most" if end else "below"
        raise ValueError(f"no integer is at least {least} and {relation} {most}")
    info = np.iinfo(dtype)
    # Python integers: bounds may be beyond int64.
    least, most = int(low.min()), int(high.max()) - (not end)
    if least < info.min or most > info.max:
        raise ValueError(f"{dtype} cannot hold all integers from {least} to {most}")


def _unsigned(xp: Module, bound: Array, sizes: tuple[int, ...]) -> Array:
    """A bound modulo 2**64, flat: one number, or one per element."""
    bound = xp.asarray(bound).astype(np.uint64)
    whole = xp.broadcast_to(bound, sizes)
    return bound.reshape(1) if bound.size == 1 else whole.reshape(-1)


def _scaled(xp: Module, bits: Array, count: Array, width: int) -> tuple[Array, Array]:
    """Per element a number below its `count`, and the positions of those to be refused."""
    if width == 32:
        product = bits * count
        high, low = product >> 32, product & _MASK
        threshold = np.uint64(1 << 32) % count
    else:
        high, low = _product(bits, count), bits * count
        everything = count == 0
        if bool(everything.any()):
            high = xp.where(everything, bits, high)
        threshold = (~count + np.uint64(1)) % xp.where(everything, np.uint64(1), count)
    return high, xp.nonzero(low < threshold)[0]


def _product(a: Array, b: Array) -> Array:
    """The high 64 bits of the product."""
    a0, a1, b0, b1 = a & _MASK, a >> 32, b & _MASK, b >> 32
    low, middle = a0 * b0, a1 * b0
    if not bool(b1.any()):
        return ((low >> 32) + middle) >> 32
    cross = (low >> 32) + (middle & _MASK) + a0 * b1
    return a1 * b1 + (middle >> 32) + (cross >> 32)


@op(
    inputs=None,
    infer=lambda key, counter, p, *dims, shape: TensorType(np.dtype(np.bool_), shape),
    vjp=no_gradient,
    raises=always,
    samples=lambda: (
        ((KEY, COUNTER, np.float64(0.25)), {"shape": (2, 3)}),
        ((KEY, COUNTER, np.array([0.0, 1.0], "f4"), 3), {"shape": (None, 2)}),
        ((KEY, COUNTER, np.float64(0.25)), {"shape": ()}),
    ),
)
def random_bernoulli(
    xp: Module, key: Array, counter: Array, p: Array, *dims: Array, shape: tuple[Dim, ...]
) -> Array:
    """True with probability `p`: whether a uniform number in [0, 1) is below it."""
    p = checked_probabilities(xp, p)
    sizes = decode_shape(shape, dims)
    drawn = filled(xp, key, counter, sizes, _F8, lambda bits: unit(xp, bits, _F8))
    return drawn < xp.broadcast_to(p, sizes)


def checked_probabilities(xp: Module, p: Array) -> Array:
    p = xp.asarray(p).astype(np.float64)
    wrong = ~((p >= 0) & (p <= 1))
    if bool(wrong.any()):
        found = p.reshape(-1)[wrong.reshape(-1)][0]
        raise ValueError(f"probabilities must lie in [0, 1], but one is {found}")
    return p


def _categorical_type(key: Any, counter: Any, x: Any, *dims: Any, shape: Any, logits: Any) -> Any:
    return TensorType(_I8, None if x.shape is None else (*x.shape[:-1], *shape))


@op(
    inputs=None,
    infer=_categorical_type,
    vjp=no_gradient,
    raises=always,
    samples=lambda: (
        ((KEY, COUNTER, array((2, 3))), {"shape": (4,), "logits": True}),
        ((KEY, COUNTER, array((5, 3)), 2), {"shape": (None,), "logits": True}),
        ((KEY, COUNTER, np.array([0.5, 0.25, 0.25])), {"shape": (2, 3), "logits": False}),
        ((KEY, COUNTER, np.array([[0.5, 0.5]])), {"shape": (), "logits": False}),
    ),
)
def random_categorical(
    xp: Module,
    key: Array,
    counter: Array,
    x: Array,
    *dims: Array,
    shape: tuple[Dim, ...],
    logits: bool,
) -> Array:
    """Draws of positions along the last axis of `x`, which holds log weights, or probabilities."""
    sizes = decode_shape(shape, dims)
    totals = _totals(xp, x, logits)
    rows = totals.reshape(-1, x.shape[-1])
    draws = math.prod(sizes)
    sizes_of_all = rows.shape[0], draws
    u = filled(xp, key, counter, sizes_of_all, _F8, lambda bits: unit(xp, bits, _F8))
    # A product that rounds to the total itself would be beyond the last position.
    levels = xp.minimum(u * rows[:, -1:], xp.nextafter(rows[:, -1:], 0.0))
    return _positions(xp, rows, levels).reshape(*x.shape[:-1], *sizes)


def _totals(xp: Module, x: Array, logits: bool) -> Array:
    """Running totals of the weights along the last axis."""
    if x.shape[-1] == 0:
        raise ValueError(f"there is nothing to choose from: the shape of the weights is {x.shape}")
    if not logits:
        return _summing_to_one(xp, checked_probabilities(xp, x))
    x = xp.asarray(x).astype(np.float64)
    most = xp.max(x, axis=-1, keepdims=True)
    if not bool(xp.isfinite(most).all()):
        raise ValueError("logits must hold a number in each row, and neither nan nor +inf")
    return xp.cumsum(xp.exp(x - most), axis=-1)


def _summing_to_one(xp: Module, p: Array) -> Array:
    totals = xp.cumsum(p, axis=-1)
    off = xp.abs(totals[..., -1] - 1.0)
    if bool((off > 1e-6).any()):
        raise ValueError(f"probabilities must sum to 1, but sum to {xp.max(totals[..., -1])}")
    return totals


def _positions(xp: Module, rows: Array, levels: Array) -> Array:
    """How many of a row's totals are at most the level, for each level of the row."""
    result = xp.empty(levels.shape, np.int64)
    if levels.shape[0] <= levels.shape[1]:
        for i in range(levels.shape[0]):
            result[i] = xp.searchsorted(rows[i], levels[i], side="right")
    else:
        for j in range(levels.shape[1]):
            result[:, j] = (rows <= levels[:, j : j + 1]).sum(axis=1)
    return result


@op(
    inputs=None,
    infer=lambda key, counter, n, *dims, shape: TensorType(_I8, shape),
    vjp=no_gradient,
    raises=always,
    samples=lambda: (
        ((KEY, COUNTER, 5), {"shape": (5,)}),
        ((KEY, COUNTER, np.int64(9), 2), {"shape": (None, 3)}),
        ((KEY, COUNTER, 5), {"shape": ()}),
        ((KEY, COUNTER, 0), {"shape": (0,)}),
    ),
)
def random_permutation(
    xp: Module, key: Array, counter: Array, n: Array, *dims: Array, shape: tuple[Dim, ...]
) -> Array:
    """The first of the numbers below `n` in random order: that of random bits beside them."""
    sizes = decode_shape(shape, dims)
    _check_enough(math.prod(sizes), int(n))
    bits = filled(xp, key, counter, (int(n),), _U8, lambda bits: bits)
    return xp.argsort(bits, kind="stable")[: math.prod(sizes)].reshape(sizes)


def _check_enough(wanted: int, there: int) -> None:
    if wanted > there:
        raise ValueError(
            f"{wanted} different elements are asked for, but there are {there} to choose from"
        )


@op(
    inputs=None,
    infer=lambda key, counter, p, *dims, shape: TensorType(_I8, shape),
    vjp=no_gradient,
    raises=always,
    samples=lambda: (
        ((KEY, COUNTER, np.array([0.5, 0.25, 0.25])), {"shape": (2,)}),
        ((KEY, COUNTER, np.array([0.5, 0.25, 0.25]), 1), {"shape": (None, 3)}),
    ),
)
def random_subset(
    xp: Module, key: Array, counter: Array, p: Array, *dims: Array, shape: tuple[Dim, ...]
) -> Array:
    """Different positions in `p`, drawn one after the other with these probabilities.

    The first of exponential clocks of these rates to ring: P. S. Efraimidis, P. G. Spirakis,
    "Weighted random sampling with a reservoir", Information Processing Letters 97 (2006).
    """
    sizes = decode_shape(shape, dims)
    p = checked_probabilities(xp, p)
    _summing_to_one(xp, p)
    positive = p > 0
    _check_enough(math.prod(sizes), int(positive.sum()))
    clocks = filled(
        xp, key, counter, p.shape, _F8, lambda bits: 0.0 - exact.log(xp, fraction(bits, 64))
    )
    times = xp.where(positive, clocks / xp.where(positive, p, 1.0), math.inf)
    return xp.argsort(times, kind="stable")[: math.prod(sizes)].reshape(sizes)
