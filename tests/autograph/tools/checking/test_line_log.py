"""Functions that note what their lines bind: in Python, converted, and in a graph."""

import numpy as np
import pytest

import autograph as ag
from autograph.tools.checking.line_log import RESULT, logged, logging_lines


def events_of(function, *arguments):
    with logging_lines() as events:
        result = function(*arguments)
    return result, [(e.line, e.name, np.asarray(e.value).tolist()) for e in events]


def sums(x, n):
    total, peak = x * 0, 0.0
    for i in range(n):
        if x[0] > 1:
            total[0] += i
        total = total + x
        peak: float = total.max()
    return total, peak


def line(number):
    return sums.__code__.co_firstlineno + number


def test_events_have_line_name_and_a_copy_of_the_value():
    result, events = events_of(logged(sums), np.array([2.0, 1.0]), 1)
    np.testing.assert_array_equal(result[0], [2.0, 1.0])
    assert events == [
        (line(1), "total", [0.0, 0.0]),
        (line(1), "peak", 0.0),
        (line(2), "i", 0),
        (line(4), "total", [0.0, 0.0]),
        (line(5), "total", [2.0, 1.0]),
        (line(6), "peak", 2.0),
    ]


@pytest.mark.parametrize("n", [3, np.int64(3), 40])
@pytest.mark.parametrize("first", [0.5, 2.0])
def test_a_graph_gives_the_events_of_python_at_each_call(n, first):
    x = np.array([first, 1.0])
    expected = events_of(logged(sums), x.copy(), n)[1]
    assert len(expected) == 2 + n * (4 if first > 1 else 3)
    graph, eager = ag.convert(logged(sums)), ag.to_graph(logged(sums))
    assert events_of(eager, x.copy(), n)[1] == expected
    assert events_of(graph, x.copy(), n)[1] == expected
    assert events_of(graph, x.copy(), n)[1] == expected
    assert graph.trace_count == 1


def test_results_targets_within_others_and_inner_functions():
    scale = 3.0

    def outer(x):
        def inner(v):
            w = v * scale
            return w

        (a, [b, *rest]), c = (x, [x, x, x]), inner(x)
        text = "no number"
        return a + b + c + len(rest) + len(text)

    result, events = events_of(ag.convert(logged(outer)), 2.0)
    assert result == outer(2.0)
    names = [name for _, name, _ in events]
    assert names == ["w", RESULT, "a", "b", "c", RESULT]


def test_nothing_is_noted_outside_and_defaults_and_globals_are_kept():
    def shifted(x, by=5.0):
        y = x + by + len(__name__)
        return y

    assert logged(shifted)(1.0) == shifted(1.0)
    result, events = events_of(shifted, 1.0)
    assert events == []


def test_a_method_and_its_private_names():
    class Counter:
        def __init__(self):
            self.__count = 1.0

        def step(self, x):
            self.__count = self.__count + x
            doubled = self.__count * 2
            return doubled

    result, events = events_of(logged(Counter.step), Counter(), 2.0)
    assert result == 6.0 and [e[1] for e in events] == ["doubled", RESULT]


def test_there_is_an_end_to_what_is_kept():
    def long(n):
        k = 0
        while k < n:
            k += 1
        return k

    assert len(events_of(logged(long), 20_000)[1]) == 10_000


def test_a_function_without_source_is_refused():
    with pytest.raises(ag.SourceUnavailableError):
        logged(eval("lambda x: x"))
