"""Stages of native code as text."""

import numpy as np
import pytest

import autograph as ag


def concrete(function, *arguments):
    return ag.convert(function).get_concrete_function(*arguments)


def test_each_stage_has_a_text():
    found = concrete(lambda x: x * 2, np.ones(40))
    assert "for each" in found.lower("kernels")
    assert " = fmul " in found.lower("llvm")
    assert "enter:" in found.lower("asm")


def test_the_text_is_the_same_each_time_and_names_no_address():
    texts = {concrete(lambda x: x * 2, np.ones(40)).lower("llvm") for _ in range(2)}
    assert len(texts) == 1
    assert "inttoptr (i64" not in texts.pop()


def test_a_graph_that_is_not_native_says_why():
    with pytest.raises(Exception, match="op `sort` has no native form"):
        concrete(lambda x: np.sort(x), np.ones(40)).lower("llvm")


def test_an_unknown_stage_lists_the_known_ones():
    with pytest.raises(ValueError, match="'plan', 'kernels', 'llvm', 'asm'"):
        concrete(lambda x: x * 2, np.ones(40)).lower("cobol")
