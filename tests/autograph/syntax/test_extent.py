"""Where in its lines a function begins and ends."""

import ast

import gast
import pytest

from autograph.errors import SourceUnavailableError
from autograph.syntax import extent
from autograph.syntax.extent import Span

FILE = "sample.py"


def compiled(text):
    """The code object of the first function of a text, and its lines."""
    module = compile(text, FILE, "exec")
    code = next(c for c in module.co_consts if hasattr(c, "co_code"))
    return code, text.splitlines(keepends=True)


DEFINITIONS = {
    "one line": ("def f(x): return x\ny = 1\n", 1),
    "a block": ("def f(x):\n    return x\n\ny = 1\n", 2),
    "decorated": ("@d\n@e(\n  1)\ndef f(x):\n    return x\n", 5),
    "text at the margin": ('def f(x):\n    """\nmargin\n"""\n    return x\ny = 1\n', 5),
    "brackets at the margin": ("def f(x):\n    return (\nx\n)\ny = 1\n", 4),
    "comment at the margin": ("def f(x):\n    x\n# no end\n    return x\ny = 1\n", 4),
    "statements without code at its end": ("def f(x):\n    return x\n    global y\ny = 1\n", 3),
    "to the end of the file": ("def f(x):\n    return x", 2),
}


@pytest.mark.parametrize(("text", "last"), DEFINITIONS.values(), ids=DEFINITIONS)
def test_last_line_of_a_definition(text, last):
    code, lines = compiled(text)
    assert extent.last_line(lines, code) == last


def test_an_indented_definition_is_placed_as_it_stands():
    text = "    def f(x):\n        return x\n"
    definition = extent.definition_in(ast.parse(extent.placed(text, 7)))
    assert (definition.name, definition.lineno, definition.col_offset) == ("f", 7, 4)
    definition = extent.definition_in(ast.parse(extent.placed("def f(): pass\n", 7)))
    assert (definition.lineno, definition.col_offset) == (7, 0)


def test_a_line_that_begins_no_function_is_said_to_have_changed():
    code, _ = compiled("def f(x):\n    return x\n")
    with pytest.raises(SourceUnavailableError, match="this line does not begin `f`"):
        extent.last_line(["x = 1\n"], code)
    with pytest.raises(SourceUnavailableError, match="does not begin `f`"):
        extent.last_line(["def g(x):\n", "    return x\n"], code)
    with pytest.raises(SourceUnavailableError, match="does not begin `f`"):
        extent.last_line([], code)


LAMBDAS = {
    "alone": ("f = lambda x: x + 1\n", "lambda x: x + 1"),
    "first of two": ("f = [lambda x: x, lambda x: -x]\n", "lambda x: x"),
    "brackets around the body": ("f = (lambda x: (x + 1))\n", "lambda x: (x + 1)"),
    "in brackets of a call": ("f = g(lambda x: x + 1)\n", "lambda x: x + 1"),
    "over lines": ("f = (lambda x: x +\n     1)\n", "lambda x: x +\n     1"),
    "after letters of more bytes": ("é = 'ü', lambda x: x + 1\n", "lambda x: x + 1"),
    "the word in a text": ("f = 'lambda', lambda x: x + 1\n", "lambda x: x + 1"),
}


@pytest.mark.parametrize(("text", "expected"), LAMBDAS.values(), ids=LAMBDAS)
def test_the_span_of_a_lambda(text, expected):
    code, lines = compiled(text)
    span = extent.lambda_span(lines, code)
    block = "".join(lines[span.line - 1 : span.end_line])
    assert extent.cut(block, span, span.line) == expected


def test_a_lambda_whose_code_has_no_columns_is_found_by_its_parameters():
    code, lines = compiled("f = [lambda x: 1, lambda y: 2]\n")
    bare = code.replace(co_linetable=b"\x80\x00", co_firstlineno=1)
    span = extent.lambda_span(lines, bare)
    assert extent.cut(lines[0], span, 1) == "lambda x: 1"
    with pytest.raises(SourceUnavailableError, match="cannot be told from others on its line"):
        extent.lambda_span(["f = lambda z: 1\n"], bare)


def test_what_parses_as_something_else_is_no_lambda():
    assert extent.lambda_in("lambda x: x", Span(1, 0, 1, 11)) is not None
    assert extent.lambda_in("lambda x: x)", Span(1, 0, 1, 12)) is None
    assert extent.lambda_in("x + 1", Span(1, 0, 1, 5)) is None


@pytest.mark.parametrize(("line", "column"), [(1, 0), (1, 1), (1, 9), (4, 3)])
def test_an_expression_is_placed_as_it_stands(line, column):
    (statement,) = ast.parse(extent.placed_expression("x", line, column)).body
    assert (statement.value.lineno, statement.value.col_offset) == (line, column)


def test_a_span_is_that_of_the_tree():
    node = gast.parse("a = (b +\n  c)\n").body[0].value
    assert extent.span_of(node) == Span(1, 5, 2, 3)
