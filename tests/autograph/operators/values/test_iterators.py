"""Iterators that Python advances while tracing."""

import pytest

import autograph as ag
from autograph.operators.values import iterators
from runtime import journal
from runtime.building import Builder
from runtime.effects import control
from tests.autograph.operators.tracing_by_hand import tracing


def test_outside_of_a_trace_nothing_is_remembered():
    source = iter([1, 2])
    iterators.taken(source)
    iterators.spend([source])
    assert next(source) == 1


def test_what_is_no_iterator_is_never_advanced():
    with journal.transaction() as transaction:
        iterators.taken([1, 2])
        assert transaction.advanced == []


def test_an_older_iterator_is_noted_in_all_younger_transactions():
    source = iter([1, 2])
    with journal.transaction() as outer:
        own = journal.fresh(iter([3]))
        with journal.transaction() as inner:
            iterators.taken(source)
            iterators.taken(own)
            assert inner.advanced == [source, own] and outer.advanced == [source]


@pytest.mark.parametrize("around", [iter, enumerate, lambda s: map(str, s), lambda s: zip(s, [1])])
def test_an_iterator_that_data_advanced_cannot_be_used_through_any_other(around):
    source = iter([1, 2])
    with tracing(source), journal.transaction():
        iterators.spend([source])
        with pytest.raises(ag.StagingError, match="which are left is known only when the graph"):
            iterators.taken(around(source))


def test_the_sources_of_a_spent_iterator_are_spent():
    source = iter([1, 2])
    with tracing(source):
        iterators.spend([enumerate(source)])
        assert journal.is_spent(source)


def test_a_generator_from_outside_is_refused():
    def numbers():
        yield 1

    source = numbers()
    with tracing(source), pytest.raises(ag.StagingError, match="`numbers` exists outside of the"):
        iterators.taken(source)


def test_rounds_that_take_items_are_refused():
    iterators.refuse_in_loop([])
    with pytest.raises(ag.StagingError, match=r"each round .* an iterator \(list\) that is older"):
        iterators.refuse_in_loop([iter([1])])


@pytest.mark.parametrize(("kind", "expected"), [(StopIteration, True), (KeyError, False)])
def test_a_node_that_ends_an_iteration_is_found_in_branches(kind, expected):
    inner = Builder("true")
    template = control.ExceptionTemplate(kind, ())
    node = inner.emit(control.RAISE, (), {"template": template})
    outer = Builder().emit(control.CALL, (), graphs=[inner.graph], types=())
    assert iterators.ends(node) is expected and iterators.ends(outer) is expected
