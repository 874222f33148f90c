"""Buffers that are never needed together share memory; others never do."""

import itertools
import random

import numpy as np

import autograph as ag
from runtime import ops
from runtime.lowering.kernels.arena import Life, lives, offsets
from runtime.lowering.kernels.kernel import Allocate, Buffer
from runtime.lowering.lower import lower

X = np.random.default_rng(1).normal(size=(60, 60)).astype("f4")


def test_what_is_needed_together_lies_apart():
    draw = random.Random(3)
    for _ in range(200):
        sizes, needed = {}, {}
        for k in range(draw.randint(1, 30)):
            buffer, first = Buffer(f"b{k}", "f4", ()), draw.randint(0, 20)
            sizes[buffer] = draw.choice([0, 4, 64, 100, 1000, 5000])
            needed[buffer] = Life(first, first + draw.randint(0, 6))
        places = offsets(sizes, needed)
        for one, other in itertools.combinations(sizes, 2):
            a, b = needed[one], needed[other]
            if a.first <= b.last and b.first <= a.last and sizes[one] and sizes[other]:
                first, second = sorted((one, other), key=places.__getitem__)
                assert places[first] + sizes[first] <= places[second]
        assert all(place % 64 == 0 for place in places.values())
        least = max(
            sum(sizes[b] for b in sizes if needed[b].first <= at <= needed[b].last)
            for at in range(27)
        )
        assert max(places[b] + sizes[b] for b in sizes) >= least


def chain(x):
    for _ in range(6):
        x = ops.tanh(x @ x)[::-1] @ x
    return x


def kept_to_the_end(x):
    first = ops.tanh(x @ x)
    y = ops.sin(first @ x)
    z = ops.cos(y @ y)
    return z @ first + first, y


def in_turns(x, n):
    a, b = x @ x, x + 1
    for _ in range(n):
        a, b = b @ x, a @ x
    return a @ b + a


def test_a_chain_of_products_needs_the_room_of_few(traced):
    program = lower(traced(chain, X))
    own = [s.buffer for s in program.body if isinstance(s, Allocate) and s.buffer.role == "own"]
    sizes = dict.fromkeys(own, X.nbytes)
    places = offsets(sizes, lives(program))
    assert len(own) > 6
    assert max(places.values()) <= 3 * X.nbytes + 64


def test_the_values_are_those_of_plans():
    small = X / 60
    for function in (chain, kept_to_the_end):
        given = ag.convert(function)(small)
        expected = ag.convert(function, native=False)(small)
        for a, e in zip(np.atleast_3d(given), np.atleast_3d(expected), strict=True):
            np.testing.assert_allclose(a, e, rtol=2e-4, atol=1e-6)
    for n in (0, 1, 4, 7):
        a = ag.convert(in_turns)(small, np.int64(n))
        np.testing.assert_allclose(a, in_turns(small.astype("f8"), n), rtol=2e-4, atol=1e-6)
