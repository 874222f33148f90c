"""Functions of `math` while tracing: which op each is, and what it refuses at once."""

import math

import numpy as np
import pytest

import autograph as ag
from autograph.operators.builtins.python_math import call_math
from runtime import ops
from runtime.ops.python.python_math import MATH
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def names(facts):
    return [node.op.name for node in facts.builder.graph.nodes]


def call(function, *args, **kwargs):
    return call_math(function, args, kwargs)


@pytest.mark.parametrize(
    ("function", "kind"),
    [(math.sqrt, "f"), (math.isnan, "b"), (math.ceil, "i"), (math.ulp, "f")],
)
def test_a_number_is_given_as_a_python_number(function, kind):
    with tracing() as facts:
        result = call(function, placeholder("float32"))
        assert result.type.weak and result.dtype.kind == kind
        assert names(facts)[-1] == f"math_{function.__name__}"


def test_integers_are_rounded_without_an_op():
    with tracing() as facts:
        assert call(math.floor, placeholder("int64")).dtype == np.int64
        assert "math_floor" not in names(facts)


@pytest.mark.parametrize(
    ("function", "given"),
    [(math.gcd, "float64"), (math.comb, "float64"), (math.isqrt, "complex128")],
)
def test_other_kinds_of_numbers_are_errors_at_once(function, given):
    count = 1 if function is math.isqrt else 2
    with tracing(), pytest.raises(TypeError):
        call(function, *(placeholder(given) for _ in range(count)))


def test_a_wrong_number_of_arguments_is_an_error_at_once():
    with tracing(), pytest.raises(TypeError):
        call(math.sqrt, placeholder(), placeholder())


def test_an_array_of_several_elements_is_no_number():
    with tracing(), pytest.raises(TypeError, match="only 0-dimensional arrays"):
        call(math.sqrt, ops.full((3,), 1.0) + placeholder())


def test_sequences_are_put_together():
    with tracing() as facts:
        x = placeholder()
        assert call(math.fsum, [x, 1.0, 2]).type.weak
        assert call(math.dist, (x, 1.0), (0.0, x)).type.weak
        assert call(math.hypot, x, 1.0, 2.0).type.weak
        assert call(math.prod, [2, ops.as_weak(x, kind="float")], start=3).type.weak
        assert [n for n in names(facts) if n.startswith("math")] == [
            "math_fsum", "math_dist", "math_dist",
        ]  # fmt: skip


def test_what_has_no_form_is_named(monkeypatch):
    monkeypatch.delitem(MATH, "exp")  # as one that a later version of Python brings
    with tracing():
        x = placeholder()
        with pytest.raises(ag.StagingError, match="`math.exp` has no form"):
            call(math.exp, x)
        with pytest.raises(ag.StagingError, match="a tolerance of `math.isclose`"):
            call(math.isclose, 1.0, 2.0, rel_tol=x)
