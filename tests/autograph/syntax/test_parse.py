"""Trees have the positions of the user's file."""

import ast
import inspect
from pathlib import Path

import gast
import pytest

from autograph.errors import SourceUnavailableError
from autograph.syntax.extent import Span
from autograph.syntax.parse import parse_function, parse_module
from autograph.syntax.source import Source, source_of

WHOLE = ast.parse(Path(__file__).read_text(encoding="utf-8"))


def plain(x):
    text = f"{x:>{10}}"
    return [text for _ in range(3)]


class Model:
    class Part:
        @staticmethod
        async def step(x, *, é="é"):
            """Text
            at any margin."""
            return x.é + é


make = (lambda a, *b, **c: [
    a, b,
c])  # fmt: skip


def nested():
    def inner(x):
        if x:
            return 1

    return inner


def found_in_file(kind, line):
    return next(node for node in ast.walk(WHOLE) if isinstance(node, kind) and node.lineno == line)


def positions(tree):
    return [
        (type(node).__name__, *(getattr(node, name) for name in node._attributes))
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.stmt)
    ]


@pytest.mark.parametrize("function", [plain, Model.Part.step, make, nested()])
def test_lines_and_columns_are_those_of_the_file(function):
    tree = gast.gast_to_ast(parse_function(source_of(function)))
    expected = found_in_file(type(tree), tree.lineno)
    assert ast.dump(tree) == ast.dump(expected)
    assert positions(tree) == positions(expected)


def test_the_kinds_of_trees_are_of_gast():
    assert isinstance(parse_function(source_of(plain)), gast.FunctionDef)
    assert isinstance(parse_function(source_of(make)), gast.Lambda)
    assert isinstance(parse_function(source_of(Model.Part.step)), gast.AsyncFunctionDef)


@pytest.mark.parametrize("line", [1, 2, 7])
@pytest.mark.parametrize("column", [0, 1, 9])
def test_a_lambda_may_stand_anywhere(line, column):
    text = "lambda x: x"
    span = Span(line, column, line, column + len(text))
    tree = parse_function(Source(" " * column + text, "here.py", line, "<lambda>", span=span))
    assert (tree.lineno, tree.col_offset, tree.end_col_offset) == (line, column, column + 11)


def test_a_lambda_that_cannot_be_cut_out_is_refused():
    source = Source("lambda x: (x)", "here.py", 1, "<lambda>", span=Span(1, 0, 1, 12))
    with pytest.raises(SourceUnavailableError, match="Write it as a def"):
        parse_function(source)


def test_a_module_is_parsed_whole():
    tree = parse_module("x = 1\ndef f():\n    pass\n", "here.py")
    assert isinstance(tree, gast.Module)
    assert tree.body[1].lineno == 2


def test_a_syntax_error_has_file_and_line():
    with pytest.raises(SyntaxError) as caught:
        parse_module("x = 1\ny = (\n", "here.py")
    assert (caught.value.filename, caught.value.lineno) == ("here.py", 2)


def test_mixed_margins_are_read_as_python_reads_them():
    """B1.01: tabs alone are fine, tabs mixed with spaces are Python's IndentationError."""
    text = "def f():\n\tx = 1\n\treturn x\n"
    assert parse_function(Source(text, "here.py", 1, "f")).body[0].lineno == 2
    with pytest.raises(IndentationError):
        parse_module("def f():\n\tx = 1\n  return x\n", "here.py")


def test_getsource_and_the_tree_agree():
    lines, first = inspect.getsourcelines(plain)
    tree = parse_function(source_of(plain))
    assert (tree.lineno, tree.end_lineno) == (first, first + len(lines) - 1)
