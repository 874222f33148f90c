"""Exceptions that are caught and kept in a name: raised later, a cause, told of after a loop."""

from __future__ import annotations

import math

import numpy as np
import pytest

import autograph as ag
from runtime import config
from runtime.compile import BACKENDS
from tests.language.harness import Samples, check

samples = Samples()
I = np.int64
CASES = ((2.0,), (-1.0,), (0.0,), (-5.0,))


def low(x, attempt):
    if x + attempt < 1:
        raise ValueError(f"low {x + attempt}")
    return x * x * attempt + x


@samples("", *CASES)
def tried_again(x):
    last = None
    for attempt in range(3):
        try:
            return attempt, low(x, attempt)
        except ValueError as error:
            last = error
    raise RuntimeError("gave up") from last


@samples("", *CASES)
def all_tried(x):
    last = None
    for k in range(3):
        try:
            print(k, math.sqrt(x - k))
        except ValueError as error:
            print("failed", k, error)
            last = error
    if last is not None:
        raise RuntimeError("not all") from last
    return x


@samples("", *CASES)
def raised_later(x):
    kept = None
    try:
        y = math.sqrt(x)
    except ValueError as error:
        kept, y = error, -1.0
    print("y is", y)
    if kept is not None:
        raise kept
    return y


@samples("", *CASES)
def perhaps_none(x):
    kept = None
    try:
        y = math.sqrt(x)
    except ValueError as error:
        kept, y = error, 0.5
    if y > 1:
        raise kept
    return y


@samples("", *((x, I(n)) for (x,), n in zip(CASES, (3, 1, 2, 0))))
def told_after_the_loop(x, n):
    kept, text = None, None
    for attempt in range(n):
        try:
            low(x, attempt)
            kept = None
            break
        except ValueError as error:
            kept, text = error, f"attempt {attempt}: {error}"
    return f"failed: {kept}" if kept is not None else "fine", text, text or "nothing"


@samples("", (np.array([1.0, 2.0]),), (np.array([-1.0, 7.0]),), (np.array([7.0, -1.0]),))
def of_several_classes(xs):
    kept, n = None, 0
    while n < len(xs):
        try:
            if xs[n] < 0:
                raise ValueError(n, xs[n])
            if xs[n] > 5:
                raise KeyError("big")
        except (ValueError, KeyError) as error:
            kept = error
        n += 1
    if kept is None:
        return "fine"
    return isinstance(kept, KeyError), str(kept), f"{kept!r}"


# ---- kept within a `try` that ends in `finally` ---------------------------------------------------

THREE = tuple((np.array(x),) for x in ([3, 1, 2, 0.5], [1.0, -2, 3, 4], [9.0, 9, 9, 9]))


@samples("", *THREE)
def kept_before_a_finally(x):
    last, n = None, 0
    for v in x:
        try:
            if v > 8:
                raise OverflowError(f"v={v}")
            if v < 0:
                raise ValueError("negative", v)
        except (OverflowError, ValueError) as error:
            last = error
        else:
            n += 1
        finally:
            n += 10
    return n, last is None, str(last), isinstance(last, OverflowError)


@samples("", *THREE)
def kept_by_one_handler_and_raised_on(x):
    last = None
    for v in x:
        try:
            try:
                if v < 0:
                    raise ValueError(f"negative {v}")
                if v > 8:
                    raise KeyError(f"big {v}")
            except ValueError as error:
                last = error
                raise
            finally:
                print("done")
        except KeyError as error:
            last = error
        except ValueError:
            pass
    if last is not None:
        raise RuntimeError("failed") from last
    return "fine"


@samples("", *THREE)
def the_first_is_raised_in_the_end(x):
    first, n = None, 0
    for v in x:
        try:
            if v > 2:
                raise ValueError(f"v={v}")
            n += 1
        except ValueError as error:
            if first is None:
                first = error
        finally:
            n += 100
    if first:
        raise first
    return n


@samples("", *THREE)
def the_last_of_several_attempts(x):
    attempts, last = 0, None
    while attempts < 3:
        try:
            v = x[attempts]
            if v > 2:
                raise ValueError(f"v={v}")
            break
        except ValueError as error:
            last = error
        finally:
            attempts += 1
    else:
        raise RuntimeError(f"gave up: {last}") from last
    return attempts, v, str(last)


test_sample = samples.test()


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_cause_is_the_last_one(backend):
    with config.backend.using(backend):
        for sample, words in ((tried_again, "low -3.0"), (all_tried, "math domain error")):
            with pytest.raises(RuntimeError) as caught:
                ag.convert(sample)(-5.0)
            assert isinstance(caught.value.__cause__, ValueError)
            assert str(caught.value.__cause__) == words
            assert caught.value.__suppress_context__


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_gradient_goes_by_them(backend):
    with config.backend.using(backend):
        slope = ag.grad(lambda x: tried_again(x)[1])
        assert [slope(x) for x in (2.0, 0.5, -0.5)] == [1.0, 2.0, -1.0]


def test_one_graph_is_enough():
    assert check(tried_again, *CASES).function.trace_count == 1
