"""Guards on settings: of those that the trace made use of."""

from __future__ import annotations

import decimal

import numpy as np
import pytest

import autograph as ag
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.settings import guard_decimals, guard_print_options


def guards_of(f):
    """The settings that a trace of a function which calls `f` guards."""
    found = []

    @ag.do_not_convert
    def look():
        f()
        found.extend(key[1] for key in current_trace().captures.guards if key[0] == "setting")

    def body(x):
        look()
        return x * 2

    ag.convert(body)(1.0)
    return found


@pytest.mark.parametrize("x", [np.ones(2), [np.ones(2)], {"a": (1, np.ones(2))}])
def test_text_of_arrays(x):
    assert guards_of(lambda: guard_print_options(x)) == ["the print options of NumPy"]


@pytest.mark.parametrize("x", [1.5, "a", [1, 2], np.float64(1.5)])
def test_other_text(x):
    assert guards_of(lambda: guard_print_options(x)) == []


def test_decimal_numbers():
    def use():
        guard_decimals(decimal.Decimal, has_traced=False)

    assert guards_of(use) == ["the context of decimal numbers"]


@pytest.mark.parametrize(
    ("function", "has_traced"), [(decimal.Decimal, True), (decimal.getcontext, False)]
)
def test_refused(function, has_traced):
    with pytest.raises(ag.StagingError, match=f"`decimal.{function.__name__}` is called"):
        guard_decimals(function, has_traced)


def test_outside_of_a_trace_nothing_is_guarded():
    guard_print_options(np.ones(2))
    guard_decimals(decimal.Decimal, has_traced=False)
