"""Tests of `runtime.execute.source`."""

import numpy as np
import pytest

from runtime.execute.source import Lines, LocalNames, Scope, literal


@pytest.mark.parametrize("value", [None, True, 3, -3, 0.1, -0.0, "a'b", (), (1,), (1, (2.5, None))])
def test_a_literal_gives_the_value_again(value):
    assert repr(eval(literal(value))) == repr(value)


@pytest.mark.parametrize(
    "value", [np.float64(1), np.nan, np.inf, 1j, [1], (1, np.nan), np.dtype(int)]
)
def test_other_values_have_no_literal(value):
    assert literal(value) is None


def test_an_empty_block_has_a_pass_or_is_left_out():
    lines = Lines()
    with lines.block("if x:"):
        pass
    with lines.block("else:", optional=True):
        pass
    assert [text for text, _, _ in lines.rows] == ["if x:", "    pass"]


def test_names_are_fresh():
    names = LocalNames({"np"})
    stems = ["x", "x", "np", "v1", None, "2a"]
    assert [names.fresh(stem) for stem in stems] == ["x", "x_1", "np_", "v1_", "v1", "_2a"]


def test_a_kernel_is_bound_once_and_another_of_its_name_apart():
    scope = Scope()
    first, second = (lambda: 1), (lambda: 2)
    assert [scope.bind("op", "add", f) for f in (first, second, first)] == [
        "op_add",
        "op_add_1",
        "op_add",
    ]


@pytest.mark.parametrize("name", ["c1", "v2", "op_add", "try_f"])
def test_a_function_is_not_named_like_a_constant_or_kernel(name):
    scope = Scope()
    assert scope.function(name) == f"{name}_"
    assert scope.function(name) == f"{name}_1"
