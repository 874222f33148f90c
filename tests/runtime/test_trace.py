"""Tests of `runtime.trace`: who interprets an op, and who listens."""

import numpy as np
import pytest

from runtime import eager, ops, trace
from runtime.process import dispatch_flag


class Recorder:
    """An interpreter that computes nothing."""

    def __init__(self):
        self.seen = []

    def apply(self, op, inputs, attrs):
        self.seen.append((op.name, inputs))
        return "done"


class Tape:
    """A listener."""

    def __init__(self):
        self.names = []

    def record(self, op, inputs, attrs, outputs):
        self.names.append(op.name)


def test_eager_is_the_default():
    assert isinstance(trace.current(), eager.Eager)


def test_ops_go_to_the_innermost_interpreter():
    outer, inner = Recorder(), Recorder()
    with trace.interpreting(outer):
        with trace.interpreting(inner):
            assert ops.add(1, 2) == "done"
        ops.multiply(3, 4)
    assert inner.seen == [("add", (1, 2))] and outer.seen == [("multiply", (3, 4))]


def test_an_exception_leaves_no_interpreter_behind():
    before = trace.current()
    with pytest.raises(KeyError), trace.interpreting(Recorder()):
        raise KeyError
    assert trace.current() is before


def test_a_trace_is_paid_attention_to_until_it_ends():
    before = dispatch_flag.count[0]
    with trace.interpreting(Recorder()):
        with trace.interpreting(Recorder()):
            assert dispatch_flag.count[0] > before
        assert dispatch_flag.count[0] > before
    assert dispatch_flag.count[0] == before


def test_a_new_trace_hides_the_open_tapes():
    tape = Tape()
    with trace.listening(tape):
        with trace.interpreting(Recorder()):
            assert trace.tapes() == ()
        assert trace.tapes() == (tape,)
        ops.add(np.ones(2), 1.0)
    assert tape.names == ["add"] and trace.tapes() == ()


def test_tapes_nest_or_replace_each_other():
    one, two = Tape(), Tape()
    with trace.listening(one):
        with trace.listening(two):
            assert trace.tapes() == (one, two)
        with trace.listening(two, replace=True):
            assert trace.tapes() == (two,)
