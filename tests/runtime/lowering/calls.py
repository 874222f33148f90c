"""Calls of functions natively and as Python, compared."""

import contextlib
import io
from pathlib import Path

import numpy as np

import autograph as ag
from runtime.execute.native.prepared import Native


def native(function):
    """The native code that the last graph of a Function is as a whole."""
    run = function.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason
    assert run.outside
    return run


def done(function, *args):
    """What a call gives or raises, and what it printed."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        try:
            found = function(*args)
        except Exception as error:  # noqa: BLE001 - it is compared
            found = error
    return found, stream.getvalue()


def line_of(error):
    """The line of a sample, which stands in a test below this folder, that an error comes from."""
    found = [
        t
        for t in iterate(error.__traceback__)
        if Path(__file__).parent in Path(t.tb_frame.f_code.co_filename).parents
        and t.tb_frame.f_code.co_filename != __file__
    ]
    return found[-1].tb_lineno


def iterate(traceback):
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def same(sample, *args, times=2):
    """Calls a sample as native code and as Python; gives the Function."""
    function = ag.convert(sample)
    for _ in range(times):
        (actual, told), (expected, text) = done(function, *args), done(sample, *args)
        assert told == text
        if isinstance(expected, Exception):
            assert type(actual) is type(expected) and actual.args == expected.args
            assert line_of(actual) == line_of(expected)
        else:
            compare(actual, expected)
    native(function)
    return function


def compare(actual, expected):
    if isinstance(expected, tuple):
        for a, e in zip(actual, expected, strict=True):
            compare(a, e)
        return
    assert type(actual) is type(expected)
    np.testing.assert_array_equal(actual, expected, strict=isinstance(expected, np.ndarray))
