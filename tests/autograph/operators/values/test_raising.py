"""Exceptions that were raised while tracing, as nodes that raise them when the graph runs."""

from autograph.operators.values.raising import emit_raise
from tests.autograph.operators.tracing_by_hand import tracing


def test_the_raise_has_the_line_that_raised():
    with tracing() as facts:
        try:
            raise ValueError("here")
        except ValueError as error:
            line = error.__traceback__.tb_lineno
            emit_raise(error)
        assert facts.builder.graph.nodes[-1].origin.lineno == line
