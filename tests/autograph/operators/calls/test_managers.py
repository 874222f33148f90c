"""Managers that are not the user's: the graph enters and leaves them."""

import contextlib
import decimal
import io
import threading
import warnings

import numpy as np
import pytest

import autograph as ag
from autograph.operators.calls.contexts import context
from autograph.operators.calls.managers import made_manager, makes_manager, of_host, that_raises
from autograph.operators.captured.variables import Poison
from autograph.operators.values.bodies import stage_raise
from runtime import journal
from runtime.building import building
from runtime.effects.contexts import ENTER, EXIT
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def kinds(facts):
    return [node.op for node in facts.builder.graph.nodes]


def raises():
    stage_raise(placeholder() > 0, KeyError("k"))


def test_the_first_node_that_can_raise_is_found():
    with tracing():
        placeholder() + 1.0
        mark = building().mark()
        assert that_raises(building(), mark) is None
        raises()
        assert that_raises(building(), mark).op.name == "cond"


def test_a_manager_from_outside_is_entered_without_a_recipe():
    lock = threading.Lock()
    with tracing(lock) as facts, of_host(lock, facts):
        assert kinds(facts) == [ENTER]


def test_a_manager_of_others_is_entered_when_the_graph_runs():
    lock = threading.Lock()
    with tracing(lock) as facts:
        with context(lock) as entered:
            assert not lock.locked() and isinstance(entered, Poison)
        assert kinds(facts) == [ENTER, EXIT]
        enter = facts.builder.graph.nodes[0]
        assert enter.attrs["manager"]() is lock and not enter.attrs["is_setting"]


def test_one_that_was_made_while_tracing_is_refused():
    with tracing(), pytest.raises(ag.StagingError, match="a lock that was made while tracing"):
        context(journal.fresh(threading.Lock()))


@pytest.mark.parametrize(("function", "args", "nodes"), [
    (np.errstate, {"divide": "ignore"}, [ENTER, EXIT]),
    (np.printoptions, {"precision": 2}, [ENTER, EXIT]),
    (warnings.catch_warnings, {}, [ENTER, EXIT]),
    (decimal.localcontext, {}, []),
])  # fmt: skip
def test_a_setting_is_made_anew_for_each_run(function, args, nodes):
    assert makes_manager(function) and not makes_manager(open)
    with tracing() as facts:
        manager = made_manager(function, (), args)
        with context(manager):
            pass
        assert kinds(facts) == nodes
        if nodes:
            recipe = facts.builder.graph.nodes[0].attrs["manager"]
            assert type(recipe()) is type(manager) and recipe() is not recipe()


def test_a_setting_does_not_depend_on_data():
    with tracing(), pytest.raises(ag.StagingError, match="`errstate` is called with a value"):
        made_manager(np.errstate, (), {"divide": placeholder()})


def test_text_goes_nowhere_that_was_made_while_tracing():
    stream = io.StringIO()
    with tracing(stream) as facts:
        with context(made_manager(contextlib.redirect_stdout, (stream,), {})) as entered:
            assert entered is stream
        own = journal.fresh(io.StringIO())
        with pytest.raises(ag.StagingError, match="goes into a StringIO that was made while"):
            context(made_manager(contextlib.redirect_stdout, (own,), {}))
        assert kinds(facts) == [ENTER, EXIT]


def test_around_a_yield_what_may_swallow_errors_of_the_graph_is_refused():
    with tracing(), pytest.raises(ag.StagingError, match="inside a `try` with `with`"):
        with context(made_manager(contextlib.suppress, (KeyError,), {})):
            raises()
