"""Tests of `autograph.tracebacks`."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import autograph as ag
from autograph.tracebacks import shorten, shortened
from runtime import config, errors


def nested(x):
    total = 0.0
    for v in x:
        if v > 1:
            for k in range(2):
                total += np.packbits(v) * k
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
