"""Native parts of graphs that are none as a whole."""

import numpy as np
import pytest

import autograph as ag
from runtime.lowering.prepare import Planned


def prepared(function):
    return function.traces()[-1]._differentiable.run


def test_a_node_without_a_native_form_parts_the_graph():
    def sample(x):
        y = x * 2 + 1 - x
        return np.sort(y) * 3 - y / 2 + 1

    function, x = ag.convert(sample), np.random.default_rng(0).normal(size=5000)
    np.testing.assert_array_equal(function(x), sample(x))
    run = prepared(function)
    assert isinstance(run, Planned) and run.source.count("op_native") == 2
    assert "2 part(s) are native code; the rest is not: op `sort`" in function.explain()


def test_what_prints_keeps_its_place(capsys):
    @ag.convert
    def sample(x):
        y = x * 2 + 1 - x
        print("sum", y.sum())
        return 1 / (y * 3 - x * 2 + 1)

    for _ in range(2):
        sample(np.zeros(4000))
    assert capsys.readouterr().out == "sum 4000.0\n" * 2


def test_the_body_of_a_loop_has_native_parts():
    def sample(x, n):
        while n > 0:
            x = np.sort(x * 2 + 1 - x * x)
            x = x / 4 - x * x * 0.01 + n
            n = n - 1
        return x

    function, x = ag.convert(sample), np.linspace(0.0, 1.0, 5000)
    np.testing.assert_array_equal(function(x, np.int64(4)), sample(x, np.int64(4)))
    assert "native" in prepared(function).source


def test_an_error_of_a_part_comes_from_the_users_line():
    def sample(x, i):
        y = np.sort(x)
        z = y * 2 + i - x
        return z[i] + 1

    function, x = ag.convert(sample), np.ones(4000)
    assert function(x, np.int64(3)) == sample(x, np.int64(3))
    with pytest.raises(IndexError) as caught:
        function(x, np.int64(4000))
    assert caught.traceback[-1].lineno + 1 == sample.__code__.co_firstlineno + 3


def test_what_is_in_a_try_is_left_to_the_plan():
    def sample(x, n):
        try:
            y = 100 // n
        except ZeroDivisionError:
            y = -1
        return x * 2 + y - x

    function, x = ag.convert(sample), np.ones(40)
    for n in (3, 4, 0):
        np.testing.assert_array_equal(function(x, n), sample(x, n))


def test_a_few_operations_on_little_are_not_worth_it():
    def sample(x):
        return np.sort(x + 1 - x * 2) * 2

    function, x = ag.convert(sample), np.ones(20)
    np.testing.assert_array_equal(function(x), sample(x))
    assert "native" not in prepared(function).source
    assert "not natively: op `sort` has no native form" in function.explain()


class Metres(float):
    """A number of a class of its own, with Python's operators."""


def test_a_number_of_the_users_class_is_left_to_the_plan():
    other = Metres(2.0)
    function = ag.convert(lambda x: other + x)
    for _ in range(2):
        assert type(function(np.float64(3.0))) is type(other + np.float64(3.0))
    assert "a number of a class of the user's" in function.explain()
