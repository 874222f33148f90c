"""Lists that are only appended to: which appends become effects of the graph."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.captures import guard_content
from autograph.operators.results.logs import appended, refuse_looks
from runtime import control, journal, ops
from runtime.building import body
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def test_in_python_nothing_is_an_effect():
    assert not appended([], "append", (1,))


def test_an_append_outside_of_staged_statements_is_none():
    log = []
    with tracing(log) as facts:
        assert not appended(log, "append", (1,)) and facts.found_logs == {}


def test_an_append_in_a_staged_statement_is_found():
    log, own = [], journal.fresh([])
    with tracing(log) as facts:
        with body("branch", facts.builder):
            assert not appended(log, "append", (placeholder(),))
            assert not appended(log, "extend", ([1],))
            assert not appended(own, "append", (1,))
        assert [owner for owner, _ in facts.found_logs.values()] == [log]


def test_an_array_is_not_found():
    log = []
    with tracing(log) as facts, body("branch", facts.builder):
        assert not appended(log, "append", (np.zeros(2),)) and facts.found_logs == {}


def test_a_known_one_is_appended_to_by_the_graph():
    log = []
    with tracing(log) as facts:
        facts.logs[id(log)] = (log, None)
        x = placeholder()
        assert appended(log, "append", (("x", x),))
        (node,) = (n for n in facts.builder.graph.nodes if n.op is control.STORE)
        node.attrs["write"](2.5)
        assert log == [("x", 2.5)]
        with pytest.raises(ag.StagingError, match="a list is appended to in a branch"):
            appended(log, "append", ((ops.full((2,), 1.0) + x).as_array(),))
        refuse_looks(facts)
        guard_content(log, "a list")
        with pytest.raises(ag.StagingError, match="it is looked into in the same function"):
            refuse_looks(facts)
