"""Tests of `autograph.tracing.tracebacks`."""

from __future__ import annotations

import re
import traceback

import numpy as np
import pytest

import autograph as ag
from autograph.tracing.tracebacks import shorten, shortened
from runtime import config, errors


def nested(x):
    total = 0.0
    for v in x:
        if v > 1:
            for k in range(2):
                total += np.isfortran(v) * k
    return total


def names(error):
    return [row.name for row in traceback.extract_tb(error.__traceback__)]


def test_parts_of_a_function_are_one_entry():
    with pytest.raises(ag.StagingError) as caught:
        ag.convert(nested)(np.arange(3.0))
    assert names(caught.value) == ["test_parts_of_a_function_are_one_entry", "nested"]


def test_full_traceback_keeps_all():
    with config.full_traceback.using(True), pytest.raises(ag.StagingError) as caught:
        ag.convert(nested)(np.arange(3.0))
    assert len(names(caught.value)) > 4


def test_error_without_a_place_gets_the_innermost_line():
    def fails():
        raise errors.StagingError("what", "hint")

    with pytest.raises(ag.StagingError, match=r"test_tracebacks\.py:\d+, in `fails`: what"):
        with shortened():
            fails()


def test_what_led_to_an_error_is_shortened_too():
    def fails(x):
        if x > 0:
            try:
                raise KeyError("first")
            except KeyError as error:
                raise ValueError("second") from error
        return x

    with pytest.raises(ValueError, match="second") as caught:
        ag.convert(fails)(np.float64(1))
    assert isinstance(caught.value.__cause__, KeyError)


def test_errors_that_lead_to_each_other_end():
    one, other = ValueError("one"), ValueError("other")
    one.__context__, other.__context__ = other, one
    shorten(one)
    assert one.__traceback__ is None


def kept_in_a_loop(x):
    found = [x]
    while x < 9:
        x, found = x * 2, {"x": x}
    return found


def of_each(x):
    return [kept_in_a_loop(v) for v in (x, x)]


def in_a_loop(x):
    for _ in range(3):
        total = of_each(x)
    return total


def until(n, x):
    if n == 0:
        return kept_in_a_loop(x)
    return until(n - 1, x)


def rows(function, *arguments):
    with pytest.raises(ag.StagingError) as caught:
        function(*arguments)
    return str(caught.value).replace(__file__, "").splitlines()


def test_the_message_names_the_calls_that_led_there():
    seen = [re.sub(r"^:\d+", "", row) for row in rows(ag.convert(in_a_loop), 1.0)]
    assert seen[:2] == [
        ", in `in_a_loop`: total = of_each(x)",
        ", in `of_each`: return [kept_in_a_loop(v) for v in (x, x)]",
    ]
    assert seen[2].startswith(", in `kept_in_a_loop`: `found` is a list")
    assert seen[3].endswith("| return found") and len(seen) == 6


def test_converted_functions_that_call_each_other_are_one_chain():
    inner = ag.convert(of_each)
    outer = ag.convert(lambda x: inner(x) + 1)
    seen = rows(outer, 1.0)
    assert "outer = ag.convert(lambda x: inner(x) + 1)" in seen[0]
    assert "in `of_each`" in seen[1] and "in `kept_in_a_loop`" in seen[2] and len(seen) == 6


def test_calls_of_a_recursion_are_one_line():
    seen = rows(ag.convert(until), 5, 1.0)
    assert [row.split(": ")[1] for row in seen[:2]] == [
        "return until(n - 1, x)",
        "return kept_in_a_loop(x)",
    ]


def remembered(n):
    known = {}

    def fib(k):
        if k < 2:
            return k
        known[k] = fib(k - 1) + fib(k - 2)
        return known[k]

    return fib(n)


def test_what_is_traced_twice_is_one_line_and_no_private_kind_of_error():
    with pytest.raises(ag.StagingError) as caught:
        ag.convert(remembered)(np.int64(9))
    assert type(caught.value) is ag.StagingError
    first, second = str(caught.value).splitlines()[:2]
    assert first.endswith("in `remembered`: return fib(n)")
    assert "in `fib`: a key that is known only when the graph runs" in second


def test_of_many_calls_the_first_and_last_are_shown():
    calls = [f"def call{i}(x):\n    return call{i - 1}(x)\n" for i in range(1, 20)]
    first = (
        "def call0(x):\n    y = [x]\n    while x < 9:\n        x, y = x * 2, {0: x}\n    return y\n"
    )
    seen = rows(ag.convert(ag.convert_source(first + "".join(calls)).call19), 1.0)
    assert len(seen) == 12
    assert "in `call19`" in seen[0] and "in `call1`" in seen[7] and "in `call0`" in seen[8]
    assert seen[3] == "... (12 more calls)"
