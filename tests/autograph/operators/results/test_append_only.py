"""Containers that are only put into: which of that becomes effects of the graph."""

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.captures import guard_content
from autograph.operators.results.append_only import put_in, refuse_looks
from runtime import journal, ops
from runtime.building import body
from runtime.effects import control
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def test_in_python_nothing_is_an_effect():
    assert not put_in([], "append", (1,))


def test_an_append_outside_of_staged_statements_is_none():
    log = []
    with tracing(log) as facts:
        assert not put_in(log, "append", (1,)) and facts.found_logs == {}


def test_an_append_in_a_staged_statement_is_found():
    log, own = [], journal.fresh([])
    with tracing(log) as facts:
        with body("branch", facts.builder):
            assert not put_in(log, "append", (placeholder(),))
            assert not put_in(log, "extend", ([1],))
            assert not put_in(own, "append", (1,))
        assert [owner for owner, _ in facts.found_logs.values()] == [log]


def test_an_array_is_not_found():
    log = []
    with tracing(log) as facts, body("branch", facts.builder):
        assert not put_in(log, "append", (np.zeros(2),)) and facts.found_logs == {}


def test_a_known_one_is_appended_to_by_the_graph():
    log = []
    with tracing(log) as facts:
        facts.logs[id(log)] = (log, None)
        x = placeholder()
        assert put_in(log, "append", (("x", x),))
        (node,) = (n for n in facts.builder.graph.nodes if n.op is control.STORE)
        node.attrs["write"](2.5)
        assert log == [("x", 2.5)]
        with pytest.raises(ag.StagingError, match="a list is appended to in a branch"):
            put_in(log, "append", ((ops.full((2,), 1.0) + x).as_array(),))
        refuse_looks(facts)
        guard_content(log, "a list")
        with pytest.raises(ag.StagingError, match="it is looked into in the same function"):
            refuse_looks(facts)


def test_keys_of_data_and_keys_on_one_path_are_found():
    table, seen, known = {}, set(), {"k": 1.0}
    with tracing([table, seen, known]) as facts:
        for owner in (table, seen, known):
            facts.add_outside(owner)
        x = placeholder()
        assert not put_in(table, "__setitem__", ("k", x)) and facts.found_logs == {}
        assert not put_in(seen, "add", (x,)) and [*facts.found_logs] == [id(seen)]
        with body("branch", facts.builder):
            put_in(known, "__setitem__", ("k", x))
            assert id(known) not in facts.found_logs
            put_in(table, "__setitem__", ("k", x))
            assert id(table) in facts.found_logs


def test_a_list_that_each_call_appends_to_is_traced_twice():
    log, seen = [], []

    @ag.convert
    def step(x, n):
        y = x.sum() * 2.0
        if n % 2 == 0:
            log.append((int(n), float(y)))
        return y

    @ag.convert
    def looks(x, n):
        if n % 2 == 0:
            seen.append(float(x[0]))
        return len(seen)

    for n in range(9):
        step(np.ones(3), np.int64(n))
        assert looks(np.ones(3), np.int64(n)) == n // 2 + 1
    assert log == [(n, 6.0) for n in range(0, 9, 2)] and seen == [1.0] * 5
    assert step.trace_count == 2
