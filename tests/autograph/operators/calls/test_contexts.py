"""`with`: managers that are converted, and what their `__exit__` sees of errors of the graph."""

import contextlib
import threading

import numpy as np
import pytest

import autograph as ag
from autograph.operators.calls.contexts import context, with_stmt
from autograph.operators.values.bodies import stage_raise
from runtime.effects import control
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


def guarded(manager, body=lambda entered: raises()):
    """`with manager as entered: body(entered)`, which carries no names."""
    with_stmt(manager, body, tuple, lambda values: None, ())


def ops_in(graph):
    inner = [op for node in graph.nodes for g in node.graphs for op in ops_in(g)]
    return [*(node.op for node in graph.nodes), *inner]


def test_around_a_yield_an_exit_with_effects_cannot_see_what_the_graph_raises():
    manager = Plain()
    with tracing(manager), pytest.raises(ag.StagingError, match="`__exit__` has an effect then"):
        with context(manager):
            raises()


def test_an_exit_with_effects_is_traced_once_where_it_ignores_what_it_is_given():
    manager = Plain()
    with tracing(manager) as facts:
        guarded(manager)
        assert kinds(facts).count(control.TRY) == 1
        assert manager.log == ["in", "out"]
    assert manager.log == []


def test_an_exit_that_looks_at_the_error_is_traced_with_and_without_one():
    manager = Swallowing()
    with tracing(manager) as facts:
        guarded(manager)
        found = ops_in(facts.builder.graph)
        assert found.count(control.TRY) == 1 and control.IS_OF_CLASS in found
        assert control.RERAISE in found


def test_a_body_that_cannot_raise_is_no_try():
    manager = Plain()
    with tracing(manager) as facts:
        guarded(manager, lambda entered: placeholder() + entered)
        assert control.TRY not in kinds(facts) and manager.log == ["in", "out"]


def test_an_exit_without_effects_on_errors_is_no_try():
    with tracing() as facts:
        guarded(Quiet())
        assert control.TRY not in kinds(facts)


def test_what_a_suppress_names_is_what_is_caught():
    with tracing() as facts:
        guarded(contextlib.suppress(KeyError, ValueError))
        (node,) = (n for n in facts.builder.graph.nodes if n.op is control.TRY)
        assert node.attrs["clauses"] == ((KeyError, ValueError),)


def test_a_generator_with_one_yield_runs_around_the_body():
    with tracing() as facts:
        guarded(protected())
        assert control.TRY in kinds(facts) and control.PRINT in kinds(facts)


def test_a_stack_of_managers_is_refused():
    with tracing(), pytest.raises(ag.StagingError, match="a contextlib.ExitStack is entered"):
        context(contextlib.ExitStack())


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
