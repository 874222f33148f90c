"""Exceptions that were raised while tracing, as nodes that raise them when the graph runs."""

from autograph.operators.values.raising import emit_raise
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def test_a_message_with_traced_values_is_filled_in_when_the_graph_runs():
    with tracing() as facts:
        emit_raise(ValueError("x =", placeholder()))
        node = facts.builder.graph.nodes[-1]
        assert len(node.inputs) == 1
        made = node.attrs["template"].fill([2.5])
        assert type(made) is ValueError and made.args == ("x =", 2.5)


def test_the_raise_has_the_line_that_raised():
    with tracing() as facts:
        try:
            raise ValueError("here")
        except ValueError as error:
            line = error.__traceback__.tb_lineno
            emit_raise(error)
        assert facts.builder.graph.nodes[-1].origin.lineno == line
