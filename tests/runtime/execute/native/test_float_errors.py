"""`np.errstate` around calls: native code ignores errors of floating point where NumPy may."""

import contextvars
import sys
import threading
import warnings

import numpy as np
import pytest

import autograph as ag
from runtime.execute.native import float_errors
from runtime.execute.native.miss import MISS
from runtime.execute.native.prepared import Native

KINDS = {
    "divide": (lambda x, y: x / y, (np.ones(3), np.array([1.0, 0.0, 2.0]))),
    "over": (lambda x, y: x * y, (np.array([1e300, 1.0]), np.array([1e300, 1.0]))),
    "under": (lambda x, y: x * y, (np.array([1e-300, 1.0]), np.array([1e-300, 1.0]))),
    "invalid": (lambda x, y: x - y, (np.array([np.inf, 1.0]), np.array([np.inf, 1.0]))),
}
MODES = ["ignore", "warn", "raise", "call", "print", "log"]


class Log(list):
    def write(self, text):
        self.append(text)


def native_of(function):
    run = function.traces()[-1]._differentiable.run
    assert isinstance(run, Native), run.reason
    return run


def outcome(function, arguments, settings):
    """All that a call gives and does under settings: results, warnings, errors, calls."""
    called = Log()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with np.errstate(all="ignore"), np.errstate(**settings, call=_recorder(settings, called)):
            try:
                result = function(*arguments).tolist()
            except FloatingPointError as error:
                result = str(error)
    return str(result), [str(warning.message) for warning in heard], list(called)


def _recorder(settings, called):
    return called if "log" in settings.values() else lambda kind, flag: called.append((kind, flag))


def test_the_settings_are_where_native_code_reads_them():
    assert float_errors.agrees()
    with np.errstate(all="raise"):
        assert float_errors.agrees() and float_errors.usual() is not float_errors.variable().get()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_setting_wants_is_done(kind, mode, capfd):
    plain, arguments = KINDS[kind]
    function = ag.convert(plain)
    with np.errstate(all="ignore"):
        function(*arguments)
    native_of(function)
    actual = outcome(function, arguments, {kind: mode}), capfd.readouterr().out
    expected = outcome(plain, arguments, {kind: mode}), capfd.readouterr().out
    if mode == "warn" and kind != "under":
        (result, heard, called), _ = actual
        assert heard == []  # NumPy's own setting: native code gives no warnings
        assert (result, called) == (expected[0][0], expected[0][2])
    else:
        assert actual == expected


def test_native_code_serves_where_errors_may_be_ignored():
    plain, arguments = KINDS["divide"]
    function = ag.convert(plain)
    function(*arguments)
    alone = native_of(function).alone
    assert alone(*arguments) is not MISS
    for kind in KINDS:
        for mode in MODES:
            served = mode == "ignore" or (mode == "warn" and kind != "under")
            with np.errstate(all="ignore"), np.errstate(**{kind: mode}):
                assert (alone(*arguments) is not MISS) == served
    assert alone(*arguments) is not MISS


def test_settings_are_those_of_the_thread_and_of_the_context():
    plain, arguments = KINDS["divide"]
    function = ag.convert(plain)
    function(*arguments)
    alone = native_of(function).alone
    found = []

    def call():
        found.append(alone(*arguments) is MISS)

    with np.errstate(all="raise"):
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        inside = contextvars.copy_context()
        contextvars.Context().run(call)
    inside.run(call)
    call()
    assert found == [False, False, True, False]


def test_settings_of_the_process_are_honoured():
    plain, arguments = KINDS["divide"]
    function = ag.convert(plain)
    function(*arguments)
    native_of(function)
    before = np.seterr(divide="raise")
    try:
        with pytest.raises(FloatingPointError, match="divide by zero"):
            function(*arguments)
    finally:
        np.seterr(**before)
    assert function(*arguments).tolist() == [1.0, np.inf, 0.5]


def test_a_graph_that_was_traced_where_errors_raise_is_native_elsewhere():
    plain, arguments = KINDS["divide"]
    function = ag.convert(plain)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        function(*arguments)
    assert function(*arguments).tolist() == [1.0, np.inf, 0.5]
    assert native_of(function).alone(*arguments) is not MISS
    assert function.trace_count == 1


def test_what_a_function_sets_itself_is_left_to_the_plan():
    @ag.convert
    def careful(x, y):
        with np.errstate(all="raise"):
            z = x / y
        return z + 1

    with pytest.raises(FloatingPointError, match="divide by zero"):
        careful(*KINDS["divide"][1])
    (note,) = [line for line in careful.explain().splitlines() if "natively" in line]
    assert "errors of floating point that raise" in note


def test_native_parts_of_a_plan_honour_settings():
    def plain(x, y):
        order = np.argsort(x)
        z = x / y
        for _ in range(12):
            z = (z * 2 + x) * y - z
        return z + order

    function = ag.convert(plain)
    x, y = np.ones(2000), np.ones(2000)
    np.testing.assert_array_equal(function(x, y), plain(x, y))
    assert "part(s) are native code" in function.explain()
    y[7] = 0
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        function(x, y)


def test_looking_at_settings_keeps_no_references():
    plain, arguments = KINDS["divide"]
    function = ag.convert(plain)
    function(*arguments)
    alone = native_of(function).alone
    with np.errstate(divide="ignore"):
        settings = float_errors.variable().get()
        counts = sys.getrefcount(settings), sys.getrefcount(float_errors.usual())
        for _ in range(1000):
            alone(*arguments)
            contextvars.Context().run(alone, *arguments)
        after = sys.getrefcount(settings), sys.getrefcount(float_errors.usual())
    assert all(abs(a - b) < 50 for a, b in zip(counts, after, strict=True))
