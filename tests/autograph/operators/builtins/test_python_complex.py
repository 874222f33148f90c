"""Tests of `autograph.operators.builtins.python_complex`: `cmath` on what is known only at run time."""

import cmath

import numpy as np
import pytest

import autograph as ag
from autograph.operators.builtins.python_complex import call_cmath
from runtime.building import constant
from tests.autograph.operators.tracing_by_hand import placeholder, tracing


def names(facts):
    return [node.op.name for node in facts.builder.graph.nodes]


@pytest.mark.parametrize(("function", "op", "dtype"), [
    (cmath.sqrt, "cmath_sqrt", complex), (cmath.phase, "cmath_phase", float),
    (cmath.isnan, "cmath_isnan", bool),
])  # fmt: skip
def test_numbers_of_the_graph_are_pythons(function, op, dtype):
    with tracing() as facts:
        result = call_cmath(function, (placeholder("float32"),), {})
        assert result.type.weak and result.dtype == dtype
        assert names(facts)[-1] == op


def test_known_numbers_beside_a_traced_one_are_converted():
    with tracing() as facts:
        assert call_cmath(cmath.log, (2, placeholder()), {}).dtype == complex
        assert names(facts)[-1] == "cmath_log_base"
        with pytest.raises(TypeError, match="must be real number, not str"):
            call_cmath(cmath.rect, (placeholder(), "a"), {})


def test_arrays_of_several_elements_are_no_numbers():
    with tracing(), pytest.raises(TypeError, match="only 0-dimensional arrays"):
        call_cmath(cmath.sqrt, (constant(np.ones(3)),), {})


def test_a_wrong_call_says_what_python_says():
    with tracing(), pytest.raises(TypeError, match=r"takes exactly one argument \(2 given\)"):
        call_cmath(cmath.sqrt, (placeholder(), 1), {})
    with pytest.raises(ag.StagingError, match="a tolerance of `cmath.isclose`"), tracing():
        call_cmath(cmath.isclose, (1j, 2), {"rel_tol": placeholder()})
