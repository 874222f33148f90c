"""The notation of scalars: what it has, and what an op without it is told."""

import pytest

from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import FALSE, TRUE, Expr, const
from runtime.lowering.scalars.meaning import NumPyMeaning
from runtime.lowering.scalars.notation import evaluate


def shown(x):
    """An expression as nested tuples."""
    if x.function == "const":
        return x.value
    return x.value if x.function == "read" else (x.function, *map(shown, x.args))


X, Y = (Expr("read", "f4", (), name) for name in "xy")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{0} + {1} * 2", ("add", "x", ("mul", "y", 2))),
        ("-{0}", ("neg", "x")),
        ("{0} if {0} >= {1} else {1}", ("select", ("ge", "x", "y"), "x", "y")),
        ("1 if {0} > 0 else -1", ("select", ("gt", "x", 0), 1, -1)),
        ("bool({0}) and not {1}", ("and", ("ne", "x", 0), ("not", ("ne", "y", 0)))),
        ("copysign({0}, {1})", ("copysign", "x", "y")),
        ("{0} ** 2", ("mul", "x", "x")),
    ],
)
def test_text_becomes_an_expression(text, expected):
    assert shown(evaluate(text, [X, Y], NumPyMeaning())) == expected


def test_equal_parts_are_one_expression():
    found = evaluate("({0} + {1}) * ({0} + {1})", [X, Y], NumPyMeaning())
    assert found.args[0] is found.args[1]


def test_constants_are_compared_at_once():
    found = evaluate("{0} if {1} == 0 else -{0}", [X, const(0, "f4")], NumPyMeaning())
    assert found is X and TRUE is not FALSE


@pytest.mark.parametrize("text", ["[{0}]", "sorted({0})", "{0} @ {1}"])
def test_what_the_notation_does_not_have_is_refused(text):
    with pytest.raises(Refusal):
        evaluate(text, [X, Y], NumPyMeaning())
