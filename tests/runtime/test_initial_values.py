"""First values of Variables that a traced function creates: those of the call that is traced."""

import numpy as np
import pytest

import autograph as ag
from runtime.building import Builder
from runtime.initial_values import first_value
from runtime.trace import interpreting

SCALE = ag.Variable(3.0)
TABLE = np.array([1.0, 2.0])


class Kept:
    v = None


def lazily(make):
    """A function that makes its Variable on the first call, and what it gives, plain and traced."""
    results = []
    for convert in (lambda f: f, ag.convert):
        ag.random.set_seed(5)
        SCALE.assign(3.0)
        kept = Kept()

        @convert
        def function(x, kept=kept):
            before = ag.random.uniform((2,))
            if kept.v is None:
                kept.v = ag.Variable(make(x))
            return kept.v.assign_add(x * before + ag.random.normal((2,)))

        found = [function(np.ones(2)).numpy().tolist() for _ in range(3)]
        results.append((found, SCALE.numpy(), ag.random.uniform(()).numpy()))
    return results


def powers(n):
    total = np.ones(2)
    for _ in range(n):
        total = total * 2.0
    return total


@pytest.mark.parametrize(
    "make",
    [
        lambda x: ag.random.normal(x.shape),
        lambda x: ag.random.permutation(2) * 1.0,
        lambda x: SCALE * TABLE,
        lambda x: SCALE.assign_add(1.0) * ag.ones(2) + ag.random.uniform((2,)),
        lambda x: ag.zeros_like(x),
        lambda x: ag.random.normal((2, 300)).sum(axis=1),
        lambda x: powers(40) + ag.random.uniform((2,)) * 0.0,
    ],
)
def test_the_first_value_is_that_of_plain_python(make):
    """Draws, reads and assignments before it count; the call makes them again, and only once."""
    plain, traced = lazily(make)
    assert plain == traced


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x + 1.0,
        lambda x: SCALE.assign(x.sum()) * ag.ones(2),
        lambda x: ag.astype(ag.ones(2) * ag.random.uniform(()), "f8") * x[0],
        lambda x: np.random.default_rng(0).normal(size=2),
    ],
)
def test_what_depends_on_the_call_is_refused(make):
    kept = Kept()

    @ag.convert
    def function(x):
        if kept.v is None:
            kept.v = ag.Variable(make(x))
        return kept.v + x

    SCALE.assign(3.0)
    with pytest.raises(ag.StagingError, match="first value of a Variable"):
        function(np.ones(2))
    assert kept.v is None and SCALE.numpy() == 3.0


def test_a_trace_that_fails_has_drawn_nothing():
    kept, go = Kept(), [False]

    @ag.convert
    def function(x):
        if kept.v is None:
            kept.v = ag.Variable(ag.random.normal((2,)))
        if not go[0]:
            raise ag.StagingError("not yet", "wait")
        return kept.v + x

    state = ag.random.get_global_generator().state
    before = state.numpy()
    with pytest.raises(ag.StagingError, match="not yet"):
        function(np.ones(2))
    assert kept.v is None and state.numpy().tolist() == before.tolist()


def test_a_value_of_an_inner_graph_is_not_known():
    outer = Builder("outer")
    with interpreting(outer):
        x = ag.random.uniform(())
        assert isinstance(first_value(x), (float, np.ndarray))
        inner = Builder("inner", outer)
        with interpreting(inner):
            assert first_value(x + 1.0) is None
