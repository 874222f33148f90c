"""Long chains of `elif` become several statements."""

import ast

import pytest

import autograph as ag
from autograph.converters.chains import LONGEST, PIECE


def chain(count, body="y = {}"):
    rows = [f"    {'elif' if k else 'if'} x == {k}: {body.format(k)}" for k in range(count)]
    rows.append(f"    else: {body.format(-1)}")
    return ag.convert_source("def f(x):\n    y = 0\n" + "\n".join(rows) + "\n    return y\n").f


def depth(function):
    """How many functions of the converted code are within each other."""

    def within(node):
        inner = max(map(within, ast.iter_child_nodes(node)), default=0)
        return inner + isinstance(node, ast.FunctionDef)

    return within(ast.parse(ag.to_code(function)))


def test_a_chain_that_is_not_long_stays():
    assert "left_" not in ag.to_code(chain(LONGEST))


@pytest.mark.parametrize("count", [LONGEST + 1, 2 * LONGEST, 7 * PIECE, 7 * PIECE + 1])
@pytest.mark.parametrize("body", ["y = {}", "return {}"])
def test_pieces_of_a_long_chain_are_side_by_side(count, body):
    function = chain(count, body)
    assert depth(function) < 4 * PIECE
    converted = ag.convert(function)
    for x in (0, 1, PIECE - 1, PIECE, PIECE + 1, count - 1, count, -1):
        assert converted(x) == function(x)


def test_tests_are_asked_in_turn_and_none_after_the_one_that_holds():
    asked = []

    class Number:
        def __eq__(self, other):
            asked.append(other)
            return other == 50

        __hash__ = None

    assert ag.convert(chain(100))(Number()) == 50
    assert asked == [*range(51)]


def test_chains_in_blocks_and_below_cases_are_cut_too():
    rows = "".join(f"            case {k}: y += {k}\n" for k in range(100))
    text = f"def f(x):\n    y = 0\n    for k in range(x):\n        match k:\n{rows}    return y\n"
    function = ag.convert_source(text).f
    assert "left_" in ag.to_code(function) and depth(function) < 4 * PIECE
    assert ag.convert(function)(110) == function(110)
