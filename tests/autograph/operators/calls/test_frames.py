"""Calls that look at the stack, from converted code."""

import inspect
import sys
import warnings

import pytest

import autograph as ag


def caller_of_frame():
    return sys._getframe().f_code.co_name, inspect.currentframe().f_lineno


def frame_above():
    return sys._getframe(1).f_code.co_name


def in_a_branch(x):
    if x > 0:
        return sys._getframe().f_code.co_name
    return None


def test_frames_are_those_of_plain_python():
    converted = ag.to_graph(caller_of_frame)
    assert converted() == caller_of_frame()
    assert ag.to_graph(frame_above)() == frame_above() == "test_frames_are_those_of_plain_python"
    assert ag.to_graph(in_a_branch)(1) == "in_a_branch"


def test_a_stack_that_is_too_short():
    def beyond():
        return sys._getframe(10_000)

    with pytest.raises(ValueError, match="call stack is not deep enough"):
        ag.to_graph(beyond)()


def warns(level):
    warnings.warn("look", UserWarning, level)


@pytest.mark.parametrize("level", [1, 2])
def test_a_warning_comes_from_the_users_line(level):
    places = []
    for function in (warns, ag.to_graph(warns)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(level)
        places.append((caught[0].filename, caught[0].lineno) if level == 1 else caught[0].filename)
    assert places[0] == places[1]


VALUE = 3


def evaluates(text, x):
    y = x + 1
    return eval(text), eval(text, {"x": 10, "y": 20, "VALUE": 0}), y


def executes(text):
    made = {}
    exec(text, globals(), made)
    return made, eval(compile(" VALUE + 1".strip(), "<here>", "eval"))


def test_source_sees_the_users_names():
    assert ag.to_graph(evaluates)("x + y + VALUE", 1) == evaluates("x + y + VALUE", 1)
    assert ag.to_graph(executes)("z = VALUE * 2") == ({"z": 6}, 4)
