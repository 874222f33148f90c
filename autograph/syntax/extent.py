"""Where in its lines a function begins and ends.

Only the lines of the function are parsed, never the whole file, except for a lambda expression
whose code object keeps no columns.
"""

from __future__ import annotations

import ast
import inspect
import re
import types
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

from autograph.errors import SourceUnavailableError
from autograph.syntax.lines import unavailable
from autograph.syntax.versions import constants, nested

_HEADER = re.compile(r"\s*(@|def\b|async\b)")
_LAMBDA_WORD = re.compile(rb"\blambda\b")
_CLOSER = re.compile(rb"(?:\s|\\\n|#[^\n]*\n)*\)")


class Span(NamedTuple):
    """A stretch of a file as trees have it: lines from 1, columns in UTF-8 bytes from 0."""

    line: int
    column: int
    end_line: int
    end_column: int


def parse_quietly(text: str, filename: str = "<unknown>") -> ast.Module:
    """Parses a text that Python has read before, and has given its warnings for."""
    with warnings.catch_warnings(action="ignore"):
        return ast.parse(text, filename)


# Function definitions.


def placed(text: str, line: int) -> str:
    """Pads a block of whole lines so that Python's parser gives its positions in the file."""
    if not text[:1].isspace():
        return "\n" * (line - 1) + text
    return "\n" * (line - 2) + "if 1:\n" + text


def definition_in(block: ast.Module) -> ast.stmt:
    """Gives the statement that was `placed`."""
    statement = block.body[0]
    return statement.body[0] if isinstance(statement, ast.If) else statement


def last_line(lines: list[str], code: types.CodeType) -> int:
    """Gives the number of the last line of a function made by `def`."""
    first = code.co_firstlineno
    if first > len(lines) or not _HEADER.match(lines[first - 1]):
        raise _changed(code)
    for end in _possible_ends(lines, first, _last_line_of_code(code)):
        definition = _parsed("".join(lines[first - 1 : end]))
        if definition is not None and getattr(definition, "name", None) == code.co_name:
            return first - 1 + _relative(definition.end_lineno, lines[first - 1])
    raise _changed(code)


def _parsed(text: str) -> ast.stmt | None:
    try:
        return definition_in(parse_quietly(placed(text, 1)))
    except SyntaxError:
        return None


def _relative(line: int | None, header: str) -> int:
    return (line or 1) - header[:1].isspace()


def _last_line_of_code(code: types.CodeType) -> int:
    return max(line or 0 for part in nested(code) for _, _, line in part.co_lines())


def _possible_ends(lines: list[str], first: int, last: int) -> Iterator[int]:
    """Gives the numbers of lines after which the block may end, the likeliest first.

    A line that stands as far left as the header ends the block, unless it is inside a string or
    brackets: then the text before it does not parse. What stands before the last line that has
    code needs no look.
    """
    margin = _indent(lines[first - 1])
    for number in range(max(first, last), len(lines)):
        line = lines[number]
        if line.strip() and not line.lstrip().startswith("#") and _indent(line) <= margin:
            yield number
    yield len(lines)


def _indent(line: str) -> int:
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())


# Lambda expressions.


def placed_expression(text: str, line: int, column: int) -> str:
    """Pads an expression so that Python's parser gives its positions in the file."""
    if line > 1:
        return "\n" * (line - 2) + "(\n" + " " * column + text + "\n)"
    return "(" + " " * (column - 1) + text + "\n)" if column else text


def cut(text: str, span: Span, first_line: int) -> str:
    """Gives the stretch `span` of whole lines that begin at `first_line`."""
    lines = text.encode().split(b"\n")[: span.end_line - first_line + 1]
    lines[-1] = lines[-1][: span.end_column]
    lines[0] = lines[0][span.column :]
    return b"\n".join(lines).decode()


def lambda_in(text: str, span: Span) -> ast.Lambda | None:
    """Parses the text of a lambda expression; None if it is anything else."""
    try:
        statement = parse_quietly(placed_expression(text, span.line, span.column)).body[0]
    except SyntaxError:
        return None
    value = getattr(statement, "value", None)
    return value if isinstance(value, ast.Lambda) else None


def lambda_span(lines: list[str], code: types.CodeType) -> Span:
    """Finds a lambda expression by the positions that its code object keeps.

    Together its instructions cover exactly the body. The text from a word `lambda` on the first
    line to the end of the body, and a few closing brackets, that parses as a lambda expression
    with that very body is it.
    """
    body = _covered(code)
    span = body and _lambda_with_body(lines, code.co_firstlineno, body)
    return span or _lambda_in_whole_file(lines, code)


def _covered(code: types.CodeType) -> Span | None:
    """Gives the stretch that the instructions cover, without the entry (at column 0 to 0)."""
    found = [
        Span(line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if line is not None
        and end_line is not None
        and column is not None
        and end_column is not None
        and (column or end_column or line != code.co_firstlineno)
    ]
    if not found:
        return None
    start = min((each.line, each.column) for each in found)
    return Span(*start, *max((each.end_line, each.end_column) for each in found))


def _lambda_with_body(lines: list[str], first: int, body: Span) -> Span | None:
    if body.end_line > len(lines):
        return None
    header = lines[first - 1].encode()
    for word in reversed(list(_LAMBDA_WORD.finditer(header))):
        for end_line, end_column in _ends_after(lines, body):
            span = Span(first, word.start(), end_line, end_column)
            if _has_body(lines, span, body):
                return span
    return None


def _has_body(lines: list[str], span: Span, body: Span) -> bool:
    if (span.line, span.column) >= (body.line, body.column):
        return False
    text = "".join(lines[span.line - 1 : span.end_line])
    found = lambda_in(cut(text, span, span.line), span)
    return found is not None and span_of(found.body) == body


def _ends_after(lines: list[str], body: Span) -> Iterator[tuple[int, int]]:
    """Gives the end of a body, then those after each closing bracket that follows it."""
    yield body.end_line, body.end_column
    rest = "".join(lines[body.end_line - 1 :]).encode()
    position = body.end_column
    while closer := _CLOSER.match(rest, position):
        position = closer.end()
        before = rest[:position]
        yield body.end_line + before.count(b"\n"), position - (before.rfind(b"\n") + 1)


def span_of(node: ast.expr) -> Span:
    """Gives the place of an expression in its file."""
    return Span(node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


def _lambda_in_whole_file(lines: list[str], code: types.CodeType) -> Span:
    """Finds a lambda expression whose code keeps no columns: constants on 3.12.0, or by option."""
    try:
        tree = parse_quietly("".join(lines))
    except SyntaxError as error:
        raise _changed(code) from error
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and _parameter_names(node) == _parameters(code)
    ]
    if len(found) > 1:
        found = [node for node in found if _compiles_to(node, code)][:1]
    if not found:
        raise unavailable(
            code,
            "the lambda expression cannot be told from others on its line.",
            "Write it on a line of its own, or as a def.",
        )
    return span_of(found[0])


def _parameters(code: types.CodeType) -> tuple[str, ...]:
    starred = sum(
        bool(code.co_flags & flag) for flag in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)
    )
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + starred]


def _parameter_names(node: ast.Lambda) -> tuple[str, ...]:
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    starred = [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
    return tuple(each.arg for each in (*plain, *starred))


def _compiles_to(node: ast.Lambda, code: types.CodeType) -> bool:
    expression = compile(ast.Expression(node), code.co_filename, "eval", dont_inherit=True)
    numbers: dict[Any, int] = {}
    wanted = code.co_code, constants(code, numbers), code.co_names
    return any(
        (each.co_code, constants(each, numbers), each.co_names) == wanted
        for each in expression.co_consts
        if isinstance(each, types.CodeType)
    )


def _changed(code: types.CodeType) -> SourceUnavailableError:
    return unavailable(code, f"this line does not begin `{code.co_qualname}`.")
