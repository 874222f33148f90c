"""Philox 4x32-10, the counter-based generator below `random`: bits out of a key and a counter.

A block is four words of 32 bits, the value of a bijection at a counter of four words; the bijection
is chosen by a key of two words. Of a counter, words 0 and 1 number the block (element `i` of a
result depends on block `first + i // n`, wherever and in whatever pieces it is computed), word 2 is
the attempt where candidates are rejected, word 3 the purpose.

J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC 2011, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runtime.ops.declaration.operands import Array, Module

__all__ = [
    "BOOST",
    "DRAW",
    "FOLD",
    "ROUNDS",
    "SPLIT",
    "after_round",
    "elements",
    "next_key",
    "pairs",
    "philox",
    "pick",
    "pieces",
    "plus",
    "streams",
    "words_at",
]

# Word 3 of the counter: what a block is used for.
DRAW, BOOST, SPLIT, FOLD = range(4)

ROUNDS = 10
_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_WEYL = 0x9E3779B9, 0xBB67AE85
_MASK = 0xFFFFFFFF
_WRAP = 1 << 64

# Blocks computed at once: their words and all that is made of them stay in a CPU's cache. (Ten
# thousand to a hundred thousand take the same time, a thousand twice as long.)
_CHUNK = 1 << 14
# Up to here Python integers are faster than arrays.
_FEW = 16

# Four words: arrays of uint64, or Python integers.
Words = tuple[Any, Any, Any, Any]


def philox(counter: Words, key: tuple[Any, Any]) -> Words:
    """The block at `counter` under `key`: words of 32 bits, as Python integers or uint64 arrays.

    >>> [f"{word:08x}" for word in philox((0, 0, 0, 0), (0, 0))]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    for _ in range(ROUNDS):
        counter, key = after_round(counter, key), next_key(key)
    return counter


def next_key(key: tuple[Any, Any]) -> tuple[Any, Any]:
    """The key of the next round."""
    return (key[0] + _WEYL[0]) & _MASK, (key[1] + _WEYL[1]) & _MASK


def after_round(counter: Words, key: tuple[Any, Any]) -> Words:
    """The words that a round makes of those before it."""
    c0, c1, c2, c3 = counter
    low, high = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
    return (high >> 32) ^ c1 ^ key[0], high & _MASK, (low >> 32) ^ c3 ^ key[1], low & _MASK


def _words(xp: Module, key: Array, counter: Array, count: int) -> Words:
    """The words of `count` blocks, the first of which is number `counter`: uint64 arrays."""
    if xp is np and count <= _FEW:
        first, k = int(counter), _halves(int(key))
        blocks = [philox((*_halves((first + i) % _WRAP), 0, DRAW), k) for i in range(count)]
        table = np.array(blocks, np.uint64)
        return table[:, 0], table[:, 1], table[:, 2], table[:, 3]
    return words_at(xp, key, counter, xp.arange(count, dtype=np.uint64), 0)


def words_at(
    xp: Module, key: Array, counter: Array, blocks: Array, attempt: int, purpose: int = DRAW
) -> Words:
    """The words of the blocks of the given numbers, counted from `counter`: uint64 arrays."""
    numbers = blocks + counter
    return philox((*_halves(numbers), attempt, purpose), _halves(_scalar(key)))


def _halves(x: Any) -> tuple[Any, Any]:
    return x & _MASK, x >> 32


def _scalar(key: Array) -> Any:
    return int(key) if isinstance(key, np.generic) else key


def pick(xp: Module, block: Words, position: Array, width: int) -> Array:
    """Of each block the part that an element takes: a word, or a pair of them for a `width` of 64.

    `position` is the element's place in its block.
    """
    odd = (position & 1).astype(bool)
    if width == 64:
        first, second = pairs(block)
        return xp.where(odd, second, first)
    first, second = xp.where(odd, block[1], block[0]), xp.where(odd, block[3], block[2])
    return xp.where(position & 2, second, first)


def pairs(block: Words) -> tuple[Any, Any]:
    """The words of blocks, two by two, as integers of 64 bits."""
    return block[0] | (block[1] << 32), block[2] | (block[3] << 32)


def elements(
    xp: Module,
    key: Array,
    counter: Array,
    size: int,
    width: int,
    dtype: Any,
    make: Callable[[Array], Array],
) -> Array:
    """`size` elements of `dtype`, each what `make` gives for its own bits, 32 or 64 of them.

    `make` gets uint64 arrays, into which it may write, or a Python integer.
    """
    out = xp.empty(size, dtype)
    if xp is np and size == 1:
        block = philox((*_halves(int(counter)), 0, DRAW), _halves(int(key)))
        out[0] = make(block[0] if width == 32 else pairs(block)[0])
        return out
    for part, bits in streams(xp, key, counter, size, width):
        out[part] = make(bits)
    return out


def streams(
    xp: Module, key: Array, counter: Array, size: int, width: int
) -> Iterator[tuple[slice, Array]]:
    """The bits of `size` elements, piece by piece: which elements, and an array of uint64."""
    per_block = 128 // width
    for part in pieces(xp, -(-size // per_block)):
        block = _words(xp, key, plus(counter, part.start), part.stop - part.start)
        first = part.start * per_block
        bits = _in_order(xp, block, width)[: size - first]
        yield slice(first, first + bits.size), bits


def pieces(xp: Module, count: int) -> Iterator[slice]:
    """Slices that part `count` blocks into pieces for the cache; one for an accelerator."""
    step = _CHUNK if xp is np else max(count, 1)
    return (slice(start, min(start + step, count)) for start in range(0, count, step))


def plus(counter: Array, start: int) -> Array:
    """`counter + start` modulo 2**64."""
    if isinstance(counter, np.generic):
        return np.uint64((int(counter) + start) % _WRAP)
    return counter + start


def _in_order(xp: Module, block: Words, width: int) -> Array:
    """The bits of blocks in the order of the elements."""
    parts = block if width == 32 else pairs(block)
    result = xp.empty((block[0].size, len(parts)), np.uint64)
    for i, part in enumerate(parts):
        result[:, i] = part
    return result.reshape(-1)
