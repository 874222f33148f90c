"""Python ints beyond 64 bits beside uint64 and floats: hashes and generators of random bits (E1)."""

from __future__ import annotations

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples

OFFSET, GOLDEN = 0xCBF29CE484222325, 0x9E3779B97F4A7C15
U = np.uint64
BITS = ((U(5),), (U(2**64 - 1),), (U(0),))
ARRAYS = ((np.arange(3, dtype=U),), (np.array([1, 2**63, 2**64 - 1], dtype=U),))
samples = Samples()


@samples("E1", *BITS)
def fnv(x):
    value = U(OFFSET)
    for k in range(20):
        value = (value ^ (x >> U(k % 8))) * U(0x100000001B3)
    return value, x ^ OFFSET


@samples("E1", *BITS)
def splitmix(z):
    z = z + GOLDEN
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB
    return z ^ (z >> 31), z & 0xFFFFFFFFFFFFFFFF


@samples("E1", *ARRAYS)
def operators(x):
    bits = x ^ OFFSET, OFFSET & x, x | OFFSET, np.bitwise_xor(OFFSET, x)
    sums = x + OFFSET, OFFSET - x, x * OFFSET, x // OFFSET, x % OFFSET, OFFSET // (x | U(1))
    tests = x > OFFSET, x <= OFFSET, OFFSET == x, x != OFFSET, np.maximum(x, OFFSET)
    return *bits, *sums, *tests, np.where(x > 1, x, OFFSET), np.clip(x, 0, OFFSET), x / OFFSET


@samples("E1", *ARRAYS)
def written(x):
    x[0] = OFFSET
    x[1] ^= OFFSET
    x[1:] |= GOLDEN
    x *= 0x100000001B3
    return x, np.full_like(x, OFFSET), np.add(x, OFFSET, dtype=U), np.full(x.shape, OFFSET, U) + x


@samples("E1", (np.array([1.5, -2.0]),), (np.array([1e19, 2e20]),))
def beside_floats(x):
    small = x.astype(np.float32)
    return x + OFFSET, OFFSET - x, x * 2**70, x < OFFSET, np.maximum(x, 10**30), small * 2**64


test_large_constants = samples.test()


@pytest.mark.parametrize("x", [np.arange(3), np.arange(3, dtype=np.uint32), np.int64(3)])
def test_beside_other_integers_they_do_not_fit(x):
    with pytest.raises(OverflowError, match="does not fit in 64 bits"):
        ag.convert(lambda x: x + OFFSET)(x)
    for other in (2**64, -OFFSET):
        with pytest.raises(OverflowError):
            ag.convert(lambda x, other=other: x + other)(np.arange(3, dtype=U))
