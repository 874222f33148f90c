"""The managers of `with`: which are converted, and which the graph enters."""

import contextlib
import decimal
import io
import threading
import warnings

import numpy as np
import pytest

import autograph as ag
from autograph.operators.bodies import stage_raise
from autograph.operators.contexts import context, made_manager, makes_manager
from autograph.operators.variables import Poison
from runtime import journal
from runtime.contexts import ENTER, EXIT
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


class Plain:
    def __init__(self):
        self.log = []

    def __enter__(self):
        self.log.append("in")
        return 7

    def __exit__(self, kind, error, traceback):
        self.log.append("out")


class Swallowing(Plain):
    def __exit__(self, kind, error, traceback):
        return kind is KeyError


class Quiet(Plain):
    def __exit__(self, *details):
        return None


@contextlib.contextmanager
def bare():
    yield 7


@contextlib.contextmanager
def protected():
    try:
        yield 7
    finally:
        print("out")


def kinds(facts):
    return [node.op for node in facts.builder.graph.nodes]


def raises():
    stage_raise(placeholder() > 0, KeyError("k"))


@pytest.mark.parametrize("manager", [Plain(), threading.Lock(), np.errstate(), 3])
def test_in_python_a_manager_is_itself(manager):
    assert context(manager) is manager


def test_methods_of_the_users_are_called_while_tracing():
    manager = Plain()
    with tracing(manager) as facts:
        with context(manager) as entered:
            assert entered == 7
        assert manager.log == ["in", "out"] and kinds(facts) == []
    assert manager.log == []


def test_an_exit_of_the_users_may_swallow_what_python_raises():
    manager = Swallowing()
    with tracing(manager):
        with context(manager):
            raise KeyError
        with pytest.raises(ValueError), context(manager):
            raise ValueError


def test_an_exit_with_effects_cannot_see_what_the_graph_raises():
    manager = Plain()
    with tracing(manager), pytest.raises(ag.StagingError, match="`__exit__` has an effect then"):
        with context(manager):
            raises()


def test_an_exit_without_effects_need_not():
    manager = Quiet()
    with tracing(manager), context(manager):
        raises()


def test_errors_of_staging_pass():
    manager = Swallowing()
    with tracing(manager), pytest.raises(ag.StagingError, match="no"), context(manager):
        raise ag.StagingError("no", "")


def test_generators_are_converted_too():
    with tracing():
        with context(bare()) as entered:
            assert entered == 7
            raises()
        with pytest.raises(ag.StagingError, match="whose generator would catch it or clean up"):
            with context(protected()):
                raises()


def test_a_generator_that_was_made_outside_can_be_entered_once():
    manager = bare()
    with tracing(manager), pytest.raises(ag.StagingError, match="`bare` was made outside of the"):
        context(manager)


def test_nullcontext_gives_what_it_holds():
    with tracing() as facts, context(contextlib.nullcontext(5)) as entered:
        assert entered == 5 and kinds(facts) == []


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


def test_errors_of_numpy_are_signalled_only_inside():
    with tracing() as facts:
        with context(made_manager(np.errstate, (), {"all": "raise"})):
            assert facts.builder.root.signalling == 1
        assert facts.builder.root.signalling == 0


def test_text_goes_nowhere_that_was_made_while_tracing():
    stream = io.StringIO()
    with tracing(stream) as facts:
        with context(made_manager(contextlib.redirect_stdout, (stream,), {})) as entered:
            assert entered is stream
        own = journal.fresh(io.StringIO())
        with pytest.raises(ag.StagingError, match="goes into a StringIO that was made while"):
            context(made_manager(contextlib.redirect_stdout, (own,), {}))
        assert kinds(facts) == [ENTER, EXIT]


def test_what_may_swallow_errors_of_the_graph_is_refused():
    with tracing(), pytest.raises(ag.StagingError, match="inside a `try` with `with`"):
        with context(made_manager(contextlib.suppress, (KeyError,), {})):
            raises()
