"""The line that says what takes long."""

import threading
import time

import numpy as np
import pytest

import autograph as ag
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


CHAIN = "".join(f"    elif x > {k}:\n        y = x + {k}\n" for k in range(20))
TEXTS = {
    "rounds": (
        "    y = x\n    for _ in range(16): y = y * x + 1 - x / 2 * y + 3 * x\n",
        "loops go over arrays",
    ),
    "elif": (f"    if x > 99: y = 1.0\n{CHAIN}    else: y = 2.0\n", "in the place of many tests"),
    "a few nodes": ("    y = x + 1 - x\n", ""),
    "a line": ("    y = x" + " + x" * 200 + "\n", "in the place of many tests"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_remedy_is_for_what_makes_the_graph_large(name, capsys):
    text, advice = TEXTS[name]
    module = ag.convert_source(f"def f(x):\n{text}    return y\n")
    with config.slow_after.using(60_000):
        graph = ag.convert(module.f).get_concrete_function(np.float64(1.0)).graph
    with slow.compiling(graph):
        said = waited(capsys)
    assert advice in said and len(said) < 450
    assert advice or said.endswith("nodes of `f` takes more than 0.001 s.\n")


def test_time_that_other_programs_have_is_not_counted(capsys, monkeypatch):
    monkeypatch.setattr(time, "process_time", lambda: 7.0)
    with slow.tracing("f"):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_it_is_no_thread_of_the_program():
    before = threading.active_count()
    with slow.tracing("f"):
        assert threading.active_count() == before
