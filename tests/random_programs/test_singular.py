"""Gradients of random programs that guard infinite derivatives are those of the path taken.

Plain Python under a tape, which records what runs and nothing else, is what they are compared with.
"""

import warnings

import numpy as np
import pytest

import autograph as ag
from tests.random_programs.running import load
from tests.random_programs.singular import make_singular

FEW, MANY = 10, 1000
STEP = 10


def _behind_roots(f):
    """`f` of what a caller has computed, whose derivatives are infinite at 0, too."""
    return lambda w, v, n: f(np.sqrt(w), v**1.5, n)


def _as_it_is(f):
    return f


# A way to a gradient, and around what function it is taken.
WAYS = {
    "graph": (lambda f: ag.value_and_grad(f, (0, 1)), ag.convert, _as_it_is),
    "inside": (lambda f: ag.convert(ag.value_and_grad(f, (0, 1))), _as_it_is, _as_it_is),
    "behind": (lambda f: ag.value_and_grad(f, (0, 1)), ag.convert, _behind_roots),
}


def _run(seeds):
    finite = 0
    for seed in seeds:
        program = make_singular(seed)
        for name, (way, wrap, around) in WAYS.items():
            plain = ag.value_and_grad(around(load(program).f), (0, 1))
            staged = way(around(wrap(load(program).f)))
            for arguments in program.arguments():
                wanted, found = plain(*arguments), staged(*arguments)
                where = f"{name}, seed {seed}, {arguments}:\n{program.source}"
                same(found[0], wanted[0], where)
                for part, other in zip(found[1], wanted[1], strict=True):
                    same(part, other, where)
                    finite += bool(np.all(np.isfinite(other)))
    assert finite > len(seeds)


def same(found, wanted, where):
    __tracebackhide__ = True
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-9, err_msg=where)


@pytest.fixture(autouse=True)
def calm():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("start", range(0, FEW, STEP))
def test_gradient_is_that_of_the_path(start):
    _run(range(start, start + STEP))


@pytest.mark.long
@pytest.mark.parametrize("start", range(FEW, FEW + MANY, STEP))
def test_gradient_is_that_of_the_path_at_length(start):
    _run(range(start, start + STEP))
