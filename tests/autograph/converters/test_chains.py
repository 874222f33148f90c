"""Long chains of `elif` become several statements."""

import ast
import sys

import numpy as np
import pytest

import autograph as ag
import runtime
from autograph.converters import chains
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


JUMPING = """
class Manager:
    def __enter__(self): return self
    def __exit__(self, *error): pass

def loops(x):
    y = 0.0
    for v in [2.0, 0.25, 1.0]:
        if x > 6 * v: continue
        elif x > 5: y += v
        if x > 4 * v: y += 1
        elif x > v:
            with Manager():
                if x > 3 * v: continue
                y += 2
                break
            y += 3
        elif x < -v:
            try:
                if x < -2 * v: break
                y += 4
            finally:
                y += 5
        elif x < -9: return y
        else: y += 6
    return y

def returns(x):
    y = 1.0
    if x > 8: return y
    elif x > 6: y += x
    elif x > 4: return -y
    elif x > 2: raise ValueError("two")
    else: y = 3.0
    return x * y

def all_return(x):
    if x > 4: return 4.0
    elif x > 3: return 3.0
    elif x > 2: return x
    else: return -x

def cases(x):
    y = 0.0
    if x > 8: y = 8.0
    else:
        t = 5 % 4
        match t, x:
            case 0, _: y = 1.0
            case 1 | 2, z if (y := z) > 2.0: y += t
            case 3, _: return -x
            case _: y = 7.0
    return y
"""


@pytest.mark.parametrize("backend", ["plan", "native"])
@pytest.mark.parametrize("name", ["loops", "returns", "all_return", "cases"])
def test_no_name_of_ours_has_a_value_on_some_paths(name, backend, monkeypatch):
    monkeypatch.setattr(chains, "LONGEST", 1)
    monkeypatch.setattr(chains, "PIECE", 1)
    function = getattr(ag.convert_source(JUMPING), name)
    text = ag.to_code(function)
    assert "left_" in text and "ag__.Undefined('left_" not in text
    converted = ag.convert(function)
    with runtime.config.backend.using(backend):
        for x in map(np.float64, (-20, -3, -0.5, 0.5, 1.5, 2.5, 3.5, 5, 7, 30)):
            try:
                expected = function(x)
            except ValueError as error:
                with pytest.raises(ValueError, match=str(error)):
                    converted(x)
            else:
                assert converted(x) == expected
    assert converted.trace_count == 1


def calls_to_convert(count):
    """How many functions are called to convert a chain of so many branches."""
    function, calls = chain(count), 0

    def note(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    depth = sys.getrecursionlimit()
    sys.setrecursionlimit(20 * count + depth)
    sys.setprofile(note)
    try:
        ag.to_graph(function)
    finally:
        sys.setprofile(None)
        sys.setrecursionlimit(depth)
    return calls


def test_the_work_is_in_proportion_to_the_branches():
    few, many = calls_to_convert(80), calls_to_convert(160)
    assert many < 2.1 * few
