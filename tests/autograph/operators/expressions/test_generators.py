"""Scopes of generators, and what made them, as generated code and `for` use them."""

import pytest

import autograph as ag
from autograph.operators import ConversionOptions, GeneratorScope
from autograph.operators.captured.captures import current_trace
from autograph.operators.expressions.generators import call_of, check_left, made
from autograph.operators.values.ranges import OpenRange
from runtime import journal
from runtime.building import body, building
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def giving(*items, protected=False):
    """What a converted generator does that gives these items."""
    with GeneratorScope("giving", "fscope", ConversionOptions()) as fscope:
        for item in fscope.items(items):
            try:
                fscope.resumed((yield fscope.suspended(item, protected)))
            except ValueError:
                fscope.regain()
                assert current_trace() is None or current_trace().scopes.open[-1] is fscope
                yield fscope.suspended("caught", protected)


def delegating(iterable):
    with GeneratorScope("delegating", "fscope", ConversionOptions()) as fscope:
        return (yield from fscope.delegated(iterable, False))


def test_a_scope_is_open_while_the_generator_runs():
    with tracing() as facts:
        one, other = giving(1, 2), giving(3)
        assert [next(one), next(other), next(one)] == [1, 3, 2]
        assert facts.scopes.open == []
        assert one.throw(ValueError) == "caught" and facts.scopes.open == []
        other.close()
        assert list(one) == [] and facts.scopes.open == []


def test_outside_of_a_trace_it_is_nothing():
    assert list(giving(1, 2)) == [1, 2]
    assert next(giving(placeholder)) is placeholder
    unstarted = delegating([1, 2])
    assert list(unstarted) == [1, 2]


def test_delegation_hands_on_what_is_sent_and_thrown():
    with tracing() as facts:
        outer = delegating(delegating(journal.fresh(giving(1, 2))))
        with pytest.raises(ag.StagingError, match="outside of the converted function"):
            next(outer)  # nobody has said that the one inside is new
        inner = journal.fresh(giving(1, 2))
        outer = delegating(inner)
        assert next(outer) == 1 and outer.throw(ValueError) == "caught"
        assert facts.scopes.open == []
        outer.close()
        assert next(inner, "closed") == "closed"
        over_list = delegating([1, 2])
        next(over_list)
        with pytest.raises(KeyError):
            over_list.throw(KeyError)
        assert facts.scopes.open == []


def test_what_is_left_in_a_try_is_noted():
    with tracing() as facts:
        g = giving(1, 2, protected=True)
        next(g)
        with pytest.raises(ag.StagingError, match="`giving` is left here"):
            check_left(facts)
        with body("true", building()), pytest.raises(ag.StagingError, match="goes on in a branch"):
            next(g)
        check_left(facts)


def test_an_end_that_nobody_sees_is_noted_too():
    with tracing() as facts:
        g = giving(1, protected=True)
        next(g)
        with body("true", building()):
            g.throw(ValueError)
        with pytest.raises(ag.StagingError, match="goes on in a branch"):
            check_left(facts)


def test_conditions_and_items_must_be_known():
    with tracing():
        scope = GeneratorScope("g", "fscope", ConversionOptions())
        with scope:
            assert scope.known([1]) is True and scope.known(0) is False
            with pytest.raises(ag.StagingError, match="`g` comes to a `yield` depends on data"):
                scope.known(placeholder() > 0)
            assert len(list(scope.items(placeholder(shape=(3,))))) == 3
            length = placeholder("int64")
            with pytest.raises(ag.StagingError, match="how many items the generator `g` gives"):
                scope.items(OpenRange(0, length, 1))


def test_a_generator_goes_on_in_its_own_trace_only():
    plain = giving(1, 2)
    next(plain)
    with tracing():
        with pytest.raises(ag.StagingError, match="begun outside"):
            next(plain)
        traced = giving(1, 2)
        next(traced)
    with pytest.raises(ag.StagingError, match="begun while a function was traced"):
        next(traced)


def counting(n):
    yield from range(n)


def with_a_try(n):
    try:
        yield n
    finally:
        pass


def test_what_made_a_generator_is_known_until_it_begins():
    with tracing():
        g = made(counting(3), counting, (3,), {})
        run = call_of(g)
        assert run is not None and run.name == "counting" and not run.is_once
        next(g)
        assert call_of(g) is None
        assert call_of(made(with_a_try(3), with_a_try, (3,), {})) is None
        assert call_of(counting(3)) is None and call_of(iter([])) is None
    assert call_of(counting(3)) is None


def test_generators_are_let_go():
    import gc

    with tracing():
        g = made(counting(3), counting, (3,), {})
        assert journal.is_fresh(g) and not journal.is_fresh(counting(3))
        kept = journal.recording().generators
        assert len(kept) == 1
        del g
        gc.collect()
        assert len(kept) == 0
