"""Debuggers step past what is ours."""

import bdb
import builtins
import io
import pdb
import sys

import pytest

from runtime.process import debuggers


class Recording(bdb.Bdb):
    """Steps on line by line, and notes the functions that it stops in."""

    def __init__(self):
        super().__init__()
        self.stops = []

    def user_line(self, frame):
        self.stops.append(frame.f_code.co_name)
        self.set_step()


@pytest.fixture
def recording():
    before = sys.gettrace()
    yield Recording()
    sys.settrace(before)


def made_for_a_line():
    return 3


def test_without_a_debugger_nothing_is_asked():
    assert not debuggers.is_looking() and debuggers.unseen(made_for_a_line) == 3
    debuggers.step_past_ours()
    debuggers.left_users_code()


def test_what_is_unseen_is_not_stopped_in(recording):
    recording.set_trace()
    found = debuggers.unseen(made_for_a_line), made_for_a_line()
    is_looking = debuggers.is_looking()
    recording.set_quit()
    sys.settrace(None)
    assert found == (3, 3) and is_looking and recording.stops.count("made_for_a_line") == 1


def test_ours_are_skipped_from_then_on(recording):
    recording.set_trace()
    debuggers.step_past_ours()
    sys.settrace(None)
    assert recording.is_skipped_module("autograph.tracing.trace")
    assert recording.is_skipped_module("runtime") and not recording.is_skipped_module(__name__)


def test_what_opens_a_debugger_is_ours_where_the_standard_one_is_wanted(monkeypatch):
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    ours = debuggers.debugger(pdb.set_trace)
    assert debuggers.debugger(builtins.breakpoint) is ours is not pdb.set_trace
    monkeypatch.setenv("PYTHONBREAKPOINT", "ipdb.set_trace")
    assert debuggers.debugger(builtins.breakpoint) is builtins.breakpoint
    monkeypatch.delenv("PYTHONBREAKPOINT")
    monkeypatch.setattr(sys, "breakpointhook", lambda: None)
    assert debuggers.debugger(builtins.breakpoint) is builtins.breakpoint
    assert debuggers.debugger(len) is len


def test_the_debugger_that_is_opened_stops_in_the_callers_frame(monkeypatch):
    before, shown = sys.gettrace(), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO("p seen\nc\n"))
    monkeypatch.setattr(sys, "stdout", shown)
    seen = 17
    debuggers.debugger(pdb.set_trace)(header="Here")
    assert seen == 17
    sys.settrace(before)
    assert "Here" in shown.getvalue() and "17" in shown.getvalue()


def test_a_glimpse_says_how_to_see_more():
    assert debuggers.glimpse("a set") == "<a set (known at run time; use ag.eager() to see it)>"
