"""The methods of NumPy's ufuncs on traced arrays, and their `where=`, `out=` and `dtype=` (E1)."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import autograph as ag
from runtime import config
from tests.language.harness import Samples, refuse

RANDOM = np.random.default_rng(0)
X, M = RANDOM.normal(size=5), RANDOM.normal(size=(3, 4))
OTHER = RANDOM.normal(size=(3, 4))
I = np.array([0, 2, 0])
UFUNCS = sorted(
    {u.__name__: u for u in vars(np).values() if isinstance(u, np.ufunc)
     and (u.nin, u.nout) == (2, 1)}.values(),
    key=lambda u: u.__name__,
)  # fmt: skip
ARRAYS = [X, np.array([3, 1, 2, 5, 4]), X > 0, M, np.array([3, 1, 2], np.uint8), X.astype("f4")]
samples = Samples()


def outcome(function, *args):
    """What a call gives and leaves in its arguments, as text; of an error its class."""
    args = copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            return repr((function(*args), args))
    except ag.StagingError:
        raise
    except Exception as error:  # noqa: BLE001 - NumPy's
        return type(error)


def written(ufunc):
    def at(x, i):
        ufunc.at(x, i, x[0])
        return x

    return at


METHODS = {
    "reduce": lambda u: lambda x: u.reduce(x),
    "accumulate": lambda u: lambda x: u.accumulate(x),
    "reduceat": lambda u: lambda x: u.reduceat(x, [0, 2, 1]),
    "outer": lambda u: lambda x: u.outer(x, x[:2]),
    "at": lambda u: lambda x: written(u)(x, [0, 2, 0]),
    "masked": lambda u: lambda x: u.reduce(x, where=x > x[0], initial=1),
    "whole": lambda u: lambda x: u.reduce(x, axis=None, initial=2, keepdims=True),
    "precise": lambda u: lambda x: u(x, x, dtype=np.float64),
}


@pytest.mark.broad(3)
@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda u: u.__name__)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_of_every_ufunc(ufunc, method):
    function = METHODS[method](ufunc)
    converted = ag.convert(function)
    with config.backend.using("plan"):  # machine code has last bits of its own
        for x in ARRAYS:
            assert outcome(converted, x) == outcome(function, x)


OF_ONE = sorted(
    {u.__name__: u for u in vars(np).values() if isinstance(u, np.ufunc)
     and (u.nin, u.nout) == (1, 1) and u is not np.isnat}.values(),
    key=lambda u: u.__name__,
)  # fmt: skip


@pytest.mark.parametrize("ufunc", OF_ONE, ids=lambda u: u.__name__)
@pytest.mark.parametrize("index", [[0, 2, 0], slice(0, 2), 1, [False]], ids=str)
def test_a_ufunc_of_one_operand_is_applied_in_place(ufunc, index):
    def function(x):
        ufunc.at(x, [*index, *[True] * (len(x) - 1)] if index == [False] else index)
        return x

    converted = ag.convert(function)
    with config.backend.using("plan"):
        for x in ARRAYS:
            assert outcome(converted, x) == outcome(function, x)


# ---- as they are written -------------------------------------------------------------------------


@samples("E1", (np.linspace(-3, 3, 7),), (np.linspace(-9, 1, 7),))
def mixed(x):
    return np.where(np.sin(x) > 0, np.sqrt(np.abs(x)), x.sum()).mean()


@samples("E1", (X,), (-X,))
def drawdown(x):
    peak = np.maximum.accumulate(x)
    return np.max(peak - x), peak


@samples("E1", (M, I), (OTHER, I[::-1].copy()))
def counted(m, i):
    totals = np.zeros(4)
    np.add.at(totals, i, m[:, 0])
    np.maximum.at(totals, [1, 1], m[0, :2])
    np.subtract.at(m, (slice(None), i), 1.5)
    return totals


@samples("E1", (M,), (OTHER,))
def safe(m):
    quotients = np.divide(1.0, m, out=np.full_like(m, 7.0), where=m > 0)
    roots = np.zeros_like(m)
    np.sqrt(m, out=roots, where=m > 0)
    np.log(m, roots, where=m < -99)
    return quotients, roots, np.add(m, 1, dtype=np.float32)


@samples("E1", (M,), (OTHER,))
def of_parts(m):
    some = np.sum(m, where=m > 0), np.max(m, axis=0, where=m > 0, initial=-1.0)
    logical = np.any(m > 1, where=m > 0), np.all(m > 0, axis=1, where=m > -1)
    return some, logical, np.prod(m, initial=2.0), np.min(m, 0, None, True, initial=0.0)


@samples("E1", (M, I), (OTHER, I))
def on_a_path(m, i):
    if m[0, 0] > 0:
        np.add.at(m, (i, 1), 2.0)
    else:
        np.multiply.at(m, i, 2.0)
    for k in range(3):
        np.minimum.at(m[k], i, 0.25)
    return np.subtract.outer(m[0], m[1]), np.add.reduceat(m[0], i)


@samples("E1", (np.int64(4),), (np.int64(7),))
def of_any_size(n):
    x = np.arange(n) * 1.5 - 2
    return np.maximum.accumulate(x[::-1]), np.bitwise_xor.reduce(np.arange(n)), np.add.outer(x, x)


@samples("E1", (M, I), (OTHER, I))
def of_one_operand(m, i):
    np.negative.at(m, (i, 1))
    np.add.at(m, ([0, i[1]], (i[0], 2)), 1.0)
    np.square.at(m[0], slice(2))
    if m[0, 0] > 0:
        np.rint.at(m, m > 1)
    return m[1]


test_samples = samples.test()


def test_arrays_of_the_caller_are_written():
    kept, holder = np.zeros(3), {"w": np.zeros(3)}

    @ag.convert
    def f(i):
        np.add.at(kept, i, 1.0)
        np.add.at(holder["w"], i, 2.0)

    f(I)
    f(np.array([1, 1, 1]))
    assert kept.tolist() == [2.0, 3.0, 1.0] and holder["w"].tolist() == [4.0, 6.0, 2.0]


# ---- gradients -----------------------------------------------------------------------------------

SMOOTH = {
    "where in a sum": lambda m: np.sum(m * m, where=m > 0),
    "an initial product": lambda m: np.prod(m, where=m > 0, initial=2.0),
    "an initial maximum": lambda m: np.max(m * m, axis=1, where=m > 0, initial=0.1).sum(),
    "running maximum": lambda m: np.sum(np.maximum.accumulate(m, axis=1) * m),
    "sums of parts": lambda m: np.sum(np.add.reduceat(m, [0, 2, 1], axis=1) ** 2),
    "where": lambda m: np.sum(np.log(m, where=m > 0, out=np.zeros_like(m))),
    "outer": lambda m: np.sum(np.multiply.outer(m, m[0]) ** 2),
}


def written_twice(m):
    w = np.zeros(4)
    np.maximum.at(w, [0, 1, 1, 3], m[0])
    np.add.at(w, [0, 0], m[1, :2])
    return np.sum(w * w)


def written_in_place(m):
    w = m * m
    np.sin.at(w, (slice(None), 1))
    np.tanh.at(w, w > 0.3)
    return np.sum(w * w)


@pytest.mark.parametrize("function", [*SMOOTH.values(), written_twice, written_in_place])
def test_gradients_are_those_of_finite_differences(function):
    expected = np.zeros_like(M)
    for place in np.ndindex(M.shape):
        step = np.zeros_like(M)
        step[place] = 1e-6
        expected[place] = (function(M + step) - function(M - step)) / 2e-6
    np.testing.assert_allclose(ag.grad(ag.convert(function))(M), expected, atol=1e-7)


def test_an_element_that_is_left_out_does_not_spoil_the_gradient():
    f = ag.convert(lambda x: np.sqrt(x, where=x > 0, out=np.zeros_like(x)).sum())
    assert ag.grad(f)(np.array([0.0, 4.0, -1.0])).tolist() == [0.0, 0.25, 0.0]


def test_a_gradient_that_is_not_known_is_asked_in_vain():
    f = ag.convert(lambda x: np.logaddexp.accumulate(x).sum())
    with pytest.raises(LookupError, match="test_ufunc_methods.py"):
        ag.grad(f)(X)


# ---- refused -------------------------------------------------------------------------------------


def no_place_for_the_rest(x):
    return np.sqrt(x, where=x > 0)  # refused


def test_what_has_no_meaning_in_a_graph_is_refused():
    refuse(no_place_for_the_rest, X, match="where= but no out=")
