"""`try_stmt` called by hand: Python's meaning, and that of a graph."""

import pytest

import autograph as ag
from autograph import operators as ag__
from autograph.operators.catching.exceptions import try_body
from runtime.building import building
from runtime.effects import control
from tests.autograph.operators.tracing_by_hand import State, placeholder, tracing


def run(body, handlers=(), orelse=None, finalbody=None, **names):
    state = State(log=[], **names)
    ag__.try_stmt(
        lambda: body(state.names),
        tuple((kinds, lambda e, h=handler: h(state.names, e)) for kinds, handler in handlers),
        None if orelse is None else lambda: orelse(state.names),
        None if finalbody is None else lambda: finalbody(state.names),
        state.get, state.set, state.symbols,
    )  # fmt: skip
    return state.names


def set_x(value):
    def put(names, *error):
        names["x"] = value

    return put


def fail(names):
    names["x"] = 1
    raise KeyError("k")


def test_no_clause_takes_it_and_finally_runs():
    seen = []
    with pytest.raises(KeyError, match="k"):
        run(fail, [(lambda: ValueError, set_x(2))], finalbody=lambda names: seen.append(names["x"]))
    assert seen == [1]


def test_what_is_no_class_of_exceptions_is_pythons_error():
    with pytest.raises(TypeError, match="catching classes that do not inherit"):
        run(fail, [(lambda: 3, set_x(2))], x=0)


def test_errors_of_staging_pass_all_handlers():
    def refuse(names):
        raise ag.StagingError("no", "")

    for handlers, final in ([[(None, set_x(2))], None], [[], set_x(2)]):
        with pytest.raises(ag.StagingError, match="no"):
            run(refuse, handlers, finalbody=final, x=0)


def raising(x, message):
    """A body that raises when the graph runs, if x is not positive."""

    def body(names):
        names["x"] = 1

        def fails():
            raise KeyError(message)

        state = State(x=names["x"])
        ag__.if_stmt(x > 0, lambda: None, fails, state.get, state.set, state.symbols, 1)
        names["x"] = 2

    return body


def nodes(facts):
    return [node.op.name for node in facts.builder.graph.nodes]


def test_a_body_that_cannot_raise_in_the_graph_needs_no_node():
    with tracing() as facts:
        assert run(lambda names: None, [(None, set_x(2))], orelse=set_x(3), x=0)["x"] == 3
        assert run(fail, [(None, set_x(2))], x=0)["x"] == 2
        assert "try" not in nodes(facts)


def test_a_body_that_may_raise_becomes_a_node_and_its_handlers_branches():
    with tracing() as facts:
        names = run(raising(placeholder(), "k"), [(lambda: KeyError, set_x(7))], x=0)
        assert nodes(facts).count("try") == 1 and nodes(facts)[-1] == "cond"
        assert not names["x"].is_known and names["x"].dtype == int
        (attempt,) = (n for n in facts.builder.graph.nodes if n.op is control.TRY)
        assert attempt.attrs["clauses"] == ((KeyError,),)


def test_finally_raises_the_error_again_at_its_end():
    with tracing() as facts:
        run(raising(placeholder(), "k"), finalbody=set_x(7), x=0)
        graph = facts.builder.graph
        assert next(n for n in graph.nodes if n.op is control.TRY).attrs["clauses"] == (
            (BaseException,),
        )
        again = [inner.op for g in graph.nodes[-1].graphs for inner in g.nodes]
        assert again == [control.RERAISE]


def test_where_a_try_cannot_be_staged_what_may_raise_is_refused():
    with try_body(("with",)):
        pass  # in Python it is nothing
    with tracing():
        with pytest.raises(KeyError), try_body(("with",)):
            raise KeyError
        with pytest.raises(ag.StagingError, match="inside a `try` with `except\\* and with`"):
            with try_body(("except*", "with")):
                raising(placeholder(), "k")({})
        assert building() is not None
