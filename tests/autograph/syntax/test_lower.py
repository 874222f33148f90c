"""Lowering of gast's trees: the same trees as gast's own, with all places filled in."""

from __future__ import annotations

import ast
import difflib
import enum
import inspect
import textwrap
import typing
from types import ModuleType

import gast
import pytest

from autograph.syntax.lower import to_python


@pytest.mark.parametrize("module", [ast, difflib, enum, inspect, textwrap, typing])
def test_lowered_trees_are_those_of_gast(module: ModuleType) -> None:
    tree = gast.parse(inspect.getsource(module))
    expected = gast.gast_to_ast(gast.parse(inspect.getsource(module)))
    assert ast.dump(to_python(tree), include_attributes=True) == ast.dump(
        expected, include_attributes=True
    )


def test_a_node_without_a_place_gets_that_of_the_node_around_it() -> None:
    tree = gast.parse("f(a)\n")
    call = tree.body[0].value
    call.args = [gast.Constant(1, None)]
    lowered = to_python(tree)
    argument = lowered.body[0].value.args[0]
    assert (argument.lineno, argument.col_offset, argument.end_col_offset) == (1, 0, 4)
    compile(lowered, "<test>", "exec")
