"""What stands in the place of a name without a value; text with holes; asserts."""

import numpy as np
import pytest

import autograph as ag
from autograph import operators as ag__
from autograph.operators.captured.variables import Undefined, is_undefined, ld
from autograph.operators.values.templates import LazyString, dig, fill, fstring, has_traced
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def test_undefined_names():
    missing = Undefined("y")
    assert is_undefined(missing) and ld(3) == 3
    for use in (lambda: ld(missing), lambda: missing + 1, lambda: missing(), lambda: bool(missing),
                lambda: missing[0], lambda: missing.attribute, lambda: iter(missing)):  # fmt: skip
        with pytest.raises(UnboundLocalError, match="cannot access local variable 'y'"):
            use()


def test_fstrings():
    assert fstring("a ", (3.14159, -1, ".2f"), " ", ("b", 114, "")) == "a 3.14 'b'"
    assert fstring((np.float64(1.5), -1, "")) == "1.5" and fstring((ag.constant(2), -1, "")) == "2"
    with tracing():
        x = placeholder()
        text = fstring("x = ", (x, -1, ".1f"), "!")
        assert isinstance(text, LazyString) and has_traced(text) and not has_traced("x")
        operands = []
        template = dig((text, [x]), operands)
        assert fill(template, [1.25, 2.0][:1] * len(operands)) == ("x = 1.2!", [1.25])


def test_assert_stmt():
    ag__.assert_stmt(True, lambda: 1 / 0)
    with pytest.raises(AssertionError, match="why"):
        ag__.assert_stmt([], lambda: "why")
    with tracing() as facts:
        ag__.assert_stmt(placeholder() > 0, lambda: "why")
        assert any(n.can_raise for n in facts.builder.graph.nodes)
