"""The line that says what takes long."""

import threading
import time

import pytest

from runtime import config, slow
from runtime.graph.ir import Graph


@pytest.fixture(autouse=True)
def soon():
    with config.slow_after.using(1):
        yield


def waited(capsys):
    """What is written, as soon as it is."""
    for _ in range(2000):
        text = capsys.readouterr().err
        if text:
            return text
        time.sleep(0.005)
    return ""


def test_it_names_the_function_the_line_and_the_remedy(capsys):
    with slow.tracing("f"):
        text = waited(capsys)
    assert text.startswith("autograph: tracing `f` at ") and text.count("\n") == 1
    assert "test_slow.py:" in text and "np.int64(n)" in text


def test_it_is_said_once_a_call(capsys):
    with slow.tracing("f"):
        assert waited(capsys)
        with slow.tracing("g"):
            time.sleep(0.05)
    with slow.compiling(Graph()):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""
    with slow.compiling(Graph(name="h")):
        assert "compiling the 0 nodes of `h`" in waited(capsys)


def test_what_is_quick_says_nothing(capsys):
    with config.slow_after.using(60_000):
        for _ in range(20):
            with slow.tracing("f"), slow.compiling(Graph()):
                pass
    assert capsys.readouterr().err == ""


def test_it_is_no_thread_of_the_program():
    before = threading.active_count()
    with slow.tracing("f"):
        assert threading.active_count() == before
