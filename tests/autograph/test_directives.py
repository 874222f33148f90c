"""Hints that the conversion takes out again."""

import pytest

import autograph as ag


def limited(x):
    n = 0
    while x > 0:
        ag.directives.set_loop_options(maximum_iterations=3)
        n += 1
    return n


def test_outside_of_converted_code_they_do_nothing():
    assert ag.directives.set_loop_options(maximum_iterations=3, unroll=True) is None
    assert ag.directives.set_element_type([], ag.float32) is None


def test_a_staged_loop_ends_after_so_many_rounds():
    assert ag.convert(limited)(1.0) == 3


def test_nothing_of_them_is_left_in_the_code():
    assert "directives" not in ag.to_code(limited)


def test_an_unknown_option_is_named():
    with pytest.raises(TypeError, match="rounds"):
        ag.directives.set_loop_options(rounds=3)
