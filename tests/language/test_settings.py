"""Settings that text and decimal numbers depend on: those in force where Python would ask."""

from __future__ import annotations

import decimal
from decimal import Decimal

import numpy as np
import pytest

import autograph as ag
from tests.language.harness import Samples, refuse

X = np.array([1.23456789, 2.0])
samples = Samples()


@samples("S10", (X,), (X * 3,), tensors=False, saved=False)
def text_made_within(x):
    with np.printoptions(precision=2):
        a, b, c = f"{x}", str(x * 2), "%s" % (x,)
        d, e = "{}".format(x), repr([x])
    print(a, x)
    return a, b, c, d, e


@samples("S10", (X,), (X * 3,), saved=False)
def nested_options(x):
    with np.printoptions(precision=2, suppress=True):
        a = f"{x}"
        with np.printoptions(precision=5):
            b = f"{x}"
            print(b, x)
        print(b + f"{x}")
    return a + b


@samples("S10", (X,), (-X,), saved=False)
def message_made_within(x):
    with np.printoptions(precision=2):
        text = f"{x}"
    if x.sum() > 0:
        raise ValueError(text)
    return x


@samples("S10", (X,), (-X,), tensors=False)
def text_of_what_is_written_later(x):
    part = [x * 1]
    text, of_list = f"{x}", str(part)
    x[0] = 9.0
    part[0][1] = 5.0
    part.append(x)
    return text, of_list, f"{x} {part}"


test_text = samples.test()


def text_within_and_print_outside(x):
    text = f"{x}"
    with np.printoptions(precision=2):
        print(text)  # refused


def test_text_under_other_options_than_its_own_is_refused():
    refuse(text_within_and_print_outside, X, match="was made outside of this `with np.print")


def of_known_array(x):
    known = np.array([1.23456789])
    return x, f"{known}", str([known]), "%s" % known, "{}".format(known), len(repr(known))


def third(x):
    return x, str(Decimal(1) / Decimal(3))


ONE, THREE = Decimal(1), Decimal(3)


def captured_third(x):
    return x, ONE / THREE


def within(x):
    with decimal.localcontext() as context:
        context.prec = 5
        return x, Decimal(2) / 3, ONE / THREE


def test_text_of_a_known_array_follows_the_print_options():
    f = ag.convert(of_known_array)
    for precision in (8, 3, 3, 8):
        with np.printoptions(precision=precision):
            assert f(1.0) == of_known_array(1.0)
    assert f.trace_count == 2


@pytest.mark.parametrize("function", [third, captured_third, within])
def test_decimal_numbers_follow_their_context(function):
    f = ag.convert(function)
    for precision in (28, 6, 6, 28):
        with decimal.localcontext() as context:
            context.prec = precision
            assert f(1.0) == function(1.0)
    assert f.trace_count == 2


def test_a_decimal_argument():
    f = ag.convert(lambda x, d: (x * 2, d / 3))
    for precision in (28, 6):
        with decimal.localcontext() as context:
            context.prec = precision
            assert f(1.0, ONE) == (2.0, ONE / 3)


def test_other_functions_do_not_look_at_the_settings():
    f = ag.convert(lambda x: (x * 2, f"{x}", f"{1.5}"))
    f(np.ones(2))
    with decimal.localcontext() as context, np.printoptions(precision=3):
        context.prec = 6
        assert f(X)[1] == f"{X}"
    assert f.trace_count == 1


def run_time_decimal(x):
    return Decimal(float(x[0])) + 1  # refused


def changed_context(x):
    decimal.getcontext().prec = 4  # refused
    return x * 2


@pytest.mark.parametrize("sample", [run_time_decimal, changed_context])
def test_refused(sample):
    refuse(sample, X, match="`decimal.(Decimal|getcontext)` is called")
