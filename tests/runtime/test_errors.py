"""Tests of `runtime.errors`."""

import sys

import pytest

from runtime.errors import HostCallError, LeakedTensorError, StagingError, located
from runtime.origins import Origin


def here():
    frame = sys._getframe(1)
    return Origin(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, frame.f_code)


def test_a_message_says_where_what_and_what_to_do():
    origin = here()
    lines = located(origin, "it is wrong", "write it right").splitlines()
    assert lines[0] == f"{__file__}:{origin.lineno}, in `{origin.function}`: it is wrong"
    assert lines[1] == f"    {origin.lineno} | origin = here()" and lines[2] == "write it right"


def test_without_a_place_or_advice_there_is_what_is_left():
    assert located(None, "it is wrong") == "it is wrong"


@pytest.mark.parametrize("kind", [StagingError, HostCallError, LeakedTensorError])
def test_errors_keep_their_parts(kind):
    error = kind("what", "hint", here())
    assert (error.what, error.hint) == ("what", "hint") and "in `test_errors_keep" in str(error)
    assert isinstance(error, StagingError)
