"""Native parts of graphs that are none as a whole."""

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native.planned import Planned


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
            few = np.unique(np.floor(x * 9))
            x = x / 4 - x * x * 0.01 + n + few.sum()
            n = n - 1
        return x

    function, x = ag.convert(sample), np.linspace(0.0, 1.0, 5000)
    np.testing.assert_array_equal(function(x, np.int64(4)), sample(x, np.int64(4)))
    assert "op_native" in prepared(function).source


def test_effects_of_parts_keep_their_order(capsys):
    @ag.convert
    def sample(x, n):
        y = x * 2 + 1 - x
        for i in range(n):
            if y[i] > 1:
                print("in the loop", i)
        print("behind it")
        y = np.sort(y)
        while n > 0:
            n = n - 1
            if y[n] > 2:
                print("in the other", n)
        return y

    for _ in range(2):
        sample(np.array([0.0, 1.0, 2.0]), np.int64(3))
    told = "in the loop 1\nin the loop 2\nbehind it\nin the other 2\n"
    assert capsys.readouterr().out == told * 2
    assert "2 part(s) are native code" in sample.explain()


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


def test_what_only_all_together_have_no_native_form_for_is_told():
    def sample(x, y, c):
        while c:
            x = x * 2 if c else y
            c = x[0] > 9
        return x

    any_size = ag.TensorSpec([None], "float64")
    signature = [any_size, any_size, ag.TensorSpec([], "bool")]
    function = ag.convert(sample, input_signature=signature)
    np.testing.assert_array_equal(function(np.ones(3), np.ones(5), np.True_), np.full(3, 2.0))
    (reason,) = function.traces()[0].execution
    assert reason.partition("natively: ")[2]


class Metres(float):
    """A number of a class of its own, with Python's operators."""


def test_a_number_of_the_users_class_is_left_to_the_plan():
    other = Metres(2.0)
    function = ag.convert(lambda x: other + x)
    for _ in range(2):
        assert type(function(np.float64(3.0))) is type(other + np.float64(3.0))
    assert "a number of a class of the user's" in function.explain()


# ---- beside lists that grow, and in functions that call themselves -------------------------------


def weighted(xs, i):
    total = 0.0
    for k in range(30):
        total = total + xs[i - k % 3] * k
    return total


def growing(xs, n):
    """A list of lists of lists of several lengths."""
    found = []
    k = n - n
    while k < n:
        k += 1
        row = []
        while len(row) < k % 3:
            row.append([weighted(xs, k)] * (k % 2))
        found.append(row)
    return found


def recursive(xs, n):
    if n <= 0:
        return np.sort(xs)[0]
    return weighted(xs, n) / 2 + recursive(xs, n - 2)


@pytest.mark.parametrize(
    ("sample", "reason"),
    [
        (growing, "lists of lists of lists"),
        (recursive, "a function that calls itself, and writes arrays or calls Python"),
    ],
)
def test_parts_of_loops_and_functions_are_native(sample, reason):
    function, xs = ag.convert(sample), np.linspace(0.0, 1.0, 40)
    for n in (0, 1, 2, 30):
        assert function(xs, np.int64(n)) == sample(xs, np.int64(n))
    told = function.explain().splitlines()[-1]
    assert "part(s) are native code; the rest is not: " in told and reason in told
    with pytest.raises(IndexError, match="index 40 is out of bounds") as caught:
        function(xs, np.int64(40))
    assert caught.traceback[-1].lineno + 1 == weighted.__code__.co_firstlineno + 3


def test_a_value_that_may_be_none_is_native_as_a_whole():
    def sample(xs, least):
        best = None
        for x in xs:
            if x > least and (best is None or x > best):
                best = x
        return -1.0 if best is None else best

    function, xs = ag.convert(sample), np.array([0.5, 3.0, 2.0])
    for least in (0.0, 2.5, 3.0):
        assert function(xs, np.float64(least)) == sample(xs, np.float64(least))
    assert not function.traces()[-1].execution
