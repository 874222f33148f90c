"""Loops that count look for signals between runs of rounds."""

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.engine import SCALAR
from runtime.lowering.entry import module_text
from runtime.lowering.kernels.kernel import Poll, While, walk
from runtime.lowering.lower import lower
from runtime.lowering.rewrites.signal_polling import counting, goes_over_elements
from runtime.passes import optimize

X = np.random.default_rng(4).random(300)


def few(x):
    out = np.zeros(300)
    for i in range(1, 299):
        out[i] = x[i - 1] + x[i + 1]
    return out


def many(x, n):
    total = 0.0
    for i in range(n):
        total += x[i % 300]
    return total


def until(x, n):
    i = 0
    while i < n and x[i] < 0.99:
        i += 1
    return i


def first_above(x):
    i = 0
    while i < 300 and x[i] < 0.99:
        i += 1
    return i


def first_pair(x):
    found = -1
    for i in range(299):
        if x[i] + x[i + 1] > 1.9:
            found = i
            break
    return found


def back_to(x, n):
    k = n % 300
    while k > 2 and x[k] < 0.9:
        x[k] = -1
        k -= 1
    return x, k


def back_by_two(x, n):
    k = n % 300
    while k > 2 and x[k] < 0.9:
        k -= 1
        if x[k] < 0.5:
            k -= 1
    return k


def halved(x, n):
    steps = 0
    while n > 1:
        n //= 2
        steps += 1
    return steps + x[0]


def whiles(f, *args):
    program = lower(optimize(ag.convert(f).get_concrete_function(*args).graph))
    return [s for s in walk(program.body) if isinstance(s, While)]


def test_few_rounds_are_looked_at_behind_the_last():
    (loop,) = whiles(few, X)
    assert not any(isinstance(s, Poll) for s in walk(loop.body))
    text = ag.convert(few).get_concrete_function(X).lower("kernels")
    assert text.count("poll") == 1 and "  poll  # after" in text


def test_many_rounds_go_in_runs():
    outer, inner = whiles(many, X, np.int64(9))
    assert inner in outer.body and isinstance(outer.body[-1], Poll)
    assert not any(isinstance(s, Poll) for s in inner.body)


@pytest.mark.parametrize(
    ("f", "args"), [(first_above, ()), (first_pair, ()), (back_to, (np.int64(2777),))]
)
def test_few_rounds_that_data_ends_are_looked_at_behind_the_last(f, args):
    (loop,) = whiles(f, X, *args)
    assert counting(loop) is None and not any(isinstance(s, Poll) for s in walk(loop.body))
    assert ag.convert(f).get_concrete_function(X, *args).lower("kernels").count("poll") == 1
    for x in (X, X * 0.5, np.sort(X), np.ones(300), np.zeros(300)):
        found, expected = ag.convert(f)(x.copy(), *args), f(x.copy(), *args)
        if f is back_to:
            np.testing.assert_array_equal(found[0], expected[0])
            found, expected = found[1], expected[1]
        assert found == expected


@pytest.mark.parametrize("f", [until, halved, back_by_two])
def test_what_data_ends_is_looked_at_in_each_round(f):
    (loop,) = whiles(f, X, np.int64(9))
    assert counting(loop) is None and isinstance(loop.body[-1], Poll)


@pytest.mark.parametrize(
    ("f", "args", "is_so"),
    [(few, (X,), True), (many, (X, np.int64(9)), True), (until, (X, np.int64(9)), False)],
)
def test_llvm_gets_all_passes_for_loops_over_elements(f, args, is_so):
    program = lower(optimize(ag.convert(f).get_concrete_function(*args).graph))
    assert goes_over_elements(program.body) is is_so
    assert module_text(program).startswith(SCALAR) is not is_so


@pytest.mark.parametrize("n", [0, 1, 2, 299, 4095, 4096, 4097, 100_003])
def test_every_round_runs_once(n):
    f = ag.convert(many)
    f(X, np.int64(3))
    assert f(X, np.int64(n)) == pytest.approx(many(X, n), rel=1e-12)
    assert len(f.traces()) == 1


def from_below(first, n):
    steps = 0
    i = first
    while i < n:
        i += 1
        steps += 1
    return steps, i


@pytest.mark.parametrize(
    ("first", "n"),
    [
        (2**63 - 5, 2**63 - 1),
        (2**63 - 70_000, 2**63 - 1),
        (-(2**63), -(2**63) + 40_000),
        (5, -5),
        (-3, 3),
    ],
)
def test_counts_at_the_ends_of_the_integers(first, n):
    f = ag.convert(from_below)
    assert f(np.int64(first), np.int64(n)) == (max(n - first, 0), max(n, first))
