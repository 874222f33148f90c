"""`ag.check`: what it compares, and which line it names."""

import contextlib
import io
import random
import threading

import numpy as np
import pytest

import autograph as ag
from runtime.compile import BACKENDS

GRAPHS = [f"graph ({name})" for name in sorted(BACKENDS)]
ALL = ["eager", *GRAPHS, "gradient"]


def decay(x, rate):
    while x.sum() > 1:
        x = x * rate
    return x


def line_of(function, number):
    return function.__code__.co_firstlineno + number


# ---- what agrees -------------------------------------------------------------------------------


def test_all_ways_agree():
    """A22: eager, every backend and the gradient are compared with plain Python."""
    report = ag.check(decay, np.array([3.0, 4.0]), 0.5)
    assert report and report.ok and report.differences == [] and report.modes == ALL
    assert repr(report) == f"decay: {', '.join(ALL)} agree with plain Python"


def test_functions_methods_objects_partials_and_lambdas():
    class Model:
        def __init__(self):
            self.n, self.w = 0, np.ones(2)

        def step(self, x):
            self.n += 1
            self.w[0] += x
            return self.w * x

        @ag.convert
        def converted(self, x):
            return (self.w * x).sum()

        __call__ = step

    model = Model()
    for f in (model.step, ag.convert(model.step), model, Model.step.__get__(model)):
        report = ag.check(f, 2.0)
        assert report.ok and report.modes == ALL, report
    assert ag.check(model.converted, 2.0).modes == ALL
    assert model.n == 0 and model.w.tolist() == [1.0, 1.0]
    assert ag.check(lambda x: x * 2, 2.0).ok
    assert ag.check(ag.convert(reduce_retracing=True)(decay), np.ones(3), rate=0.25).ok


def test_arguments_random_numbers_variables_and_captures_are_left_as_they_are():
    v, table = ag.Variable(1.0), np.zeros(2)

    def f(x, found, rng):
        x[0] = 9.0
        found.append(v.assign_add(1.0) * 1.0)
        table[1] += 1
        return x.sum() + np.random.random() + random.random() + rng.normal() + table[1]

    x, found, rng = np.ones(2), [], np.random.default_rng(3)
    before = np.random.get_state()[1].tolist(), random.getstate(), rng.bit_generator.state
    report = ag.check(f, x, found, rng)
    assert not report.differences, report
    assert x.tolist() == [1.0, 1.0] and found == [] and table.tolist() == [0.0, 0.0]
    assert v.numpy() == 1.0
    after = np.random.get_state()[1].tolist(), random.getstate(), rng.bit_generator.state
    assert before == after


def test_printed_text_and_exceptions_are_compared_and_not_shown():
    def f(x, i):
        print("item", i)
        return x[i]

    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        assert ag.check(f, np.ones(3), np.int64(1)).ok
        report = ag.check(f, np.ones(3), 7)
    assert report.ok and report.modes == ALL[:-1]  # there is no gradient of an error
    assert "plain Python raises IndexError: index 7 is out of bounds" in str(report)
    assert stream.getvalue() == ""


def test_a_joined_dtype_is_no_difference():
    report = ag.check(lambda x: 1 if x > 0 else 2.5, 1.0)
    assert report.ok, report


# ---- what does not -----------------------------------------------------------------------------


@ag.do_not_convert
def cheated(x):
    """Another value where it is traced."""
    return x + 1 if isinstance(x, float) else x


def unfaithful(x):
    a = x * 2
    b = a + 1
    for i in range(3):
        if i == 1:
            b = cheated(b)
        b = b + i
    return b


def test_the_first_line_that_gives_something_else_is_named():
    report = ag.check(unfaithful, 2.0)
    assert not report and [d.mode for d in report.differences] == GRAPHS
    for difference in report.differences:
        assert difference.what == "result" and difference.expected == "9.0"
        assert difference.found == "8.0"
        assert difference.filename == __file__ and difference.line == line_of(unfaithful, 5)
        assert difference.name == "b" and difference.values == ("5.0", "6.0")
    text = repr(report)
    assert text.startswith(f"unfaithful: {len(GRAPHS)} differences among {', '.join(ALL)}")
    assert f"test_ways.py:{line_of(unfaithful, 5)} | b = cheated(b)" in text
    assert "`b` is 5.0 there, but 6.0 in plain Python" in text


def test_a_path_that_is_not_taken_is_named():
    @ag.do_not_convert
    def is_plain(x):
        return isinstance(x, float)

    def f(x):
        y = x
        if is_plain(x):
            y = x * 2
        return y

    report = ag.check(f, 2.0)
    assert [d.mode for d in report.differences] == [*GRAPHS, "gradient"]
    assert [d.line for d in report.differences[:-1]] == [line_of(f, 3)] * len(GRAPHS)
    assert report.differences[0].values == ("not bound", "4.0")


def test_what_is_refused_is_a_difference_at_its_line():
    def f(x):
        s = []
        while x > 0:
            s = [s]
            x = x - 1
        return s

    report = ag.check(f, 2.0)
    assert [d.mode for d in report.differences] == GRAPHS
    for difference in report.differences:
        assert difference.what == "exception" and "StagingError" in difference.found
        assert difference.expected == "none is raised" and difference.line == line_of(f, 3)


def test_printed_text_that_differs():
    @ag.do_not_convert
    def shown(x):
        return isinstance(x, float)

    def f(x):
        print("plain" if shown(x) else "traced")
        return x

    report = ag.check(f, 1.0)
    assert {(d.what, d.found) for d in report.differences} == {("printed text", "'traced\\n'")}


def test_an_exception_of_one_side_only():
    @ag.do_not_convert
    def strict(x):
        if not isinstance(x, float):
            raise KeyError("no float")
        return x

    def f(x):
        y = x + 1
        return strict(y)

    report = ag.check(f, 1.0)
    assert [d.what for d in report.differences] == ["exception"] * len(GRAPHS)
    assert report.differences[0].found == "KeyError: 'no float'"


def test_a_function_that_is_not_repeatable():
    calls = []

    @ag.do_not_convert
    def count():
        calls.append(1)
        return len(calls)

    report = ag.check(lambda x: x * count(), 2.0)
    assert not report.ok and report.modes == [] and report.differences[0].mode == "called again"
    assert "not repeatable" in repr(report)


def test_what_cannot_be_converted():
    def f(x):
        yield x

    report = ag.check(f, 1.0)
    assert len(report.differences) == 1 + len(GRAPHS)
    assert "UnsupportedSyntaxError" in repr(report)


# ---- gradients ---------------------------------------------------------------------------------


@ag.custom_gradient
def halved_gradient(x):
    return x * x, lambda g: g * x


def with_wrong_rule(x):
    y = x + 1
    z = np.sin(y)
    w = halved_gradient(z)
    return (w * 3).sum()


def test_a_wrong_gradient_is_found_at_its_line():
    report = ag.check(with_wrong_rule, np.array([0.3, 0.4]))
    (difference,) = report.differences
    assert difference.mode == "gradient" and difference.what == "by `x[0]`"
    assert difference.line == line_of(with_wrong_rule, 3) and difference.name == "w"
    assert float(difference.found) == pytest.approx(float(difference.expected) / 2, rel=1e-4)
    assert "by finite differences" in repr(report)


def test_a_wrong_gradient_in_a_loop_and_by_a_keyword():
    def f(x, *, rate):
        for _ in range(3):
            x = halved_gradient(x * rate)
        return x

    report = ag.check(f, 1.25, rate=0.75)
    assert report.differences[0].line == line_of(f, 2) and not report.ok
    assert "`x`" in report.differences[0].what


def test_gradients_are_compared_in_double_precision_for_all_arguments():
    rng = np.random.default_rng(2)
    x, w = (rng.normal(size=s).astype(np.float32) for s in ((4, 5), (5, 8)))
    report = ag.check(lambda x, w, scale: np.tanh(x @ w) * scale, x, w, 2.0)
    assert report.ok and report.modes == ALL and report.notes == [], report


def test_kinks_and_what_has_no_gradient_are_told():
    report = ag.check(lambda x: np.where(x > 0, x, 0.0), np.array([0.0, 1.0]))
    assert report.ok and "`x[0]` is not compared: there is a kink" in report.notes[0]
    assert "no floating arguments" in ag.check(lambda n: n * 2, 3).notes[0]
    assert "no finite floating results" in ag.check(lambda x: x > 1, 3.0).notes[0]

    def host(x):
        return ag.py_call(np.median, x, result=ag.TensorSpec([], "float64")) + x.sum()

    report = ag.check(host, np.array([1.0, 2.0, 4.0]))
    assert report.ok and "no gradient is compared" in report.notes[0], report


def test_what_cannot_be_copied_says_so():
    with pytest.raises(TypeError, match="pickle"):
        ag.check(lambda lock, x: x, threading.Lock(), 1.0)
