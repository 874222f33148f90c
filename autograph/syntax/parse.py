"""Text to gast trees, with the positions of the user's file."""

from __future__ import annotations

import ast

import gast

from autograph.errors import SourceUnavailableError
from autograph.syntax.extent import cut, definition_in, lambda_in, parse_quietly, placed
from autograph.syntax.source import Source


def parse_function(source: Source) -> gast.FunctionDef | gast.AsyncFunctionDef | gast.Lambda:
    """Gives the tree of a function; lines and columns are those of its file.

    Python's own `SyntaxError` is passed on, with file and line.
    """
    if source.span is not None:
        return gast.ast_to_gast(_lambda(source))
    block = parse_quietly(placed(source.text, source.first_line), source.filename)
    return gast.ast_to_gast(definition_in(block))


def _lambda(source: Source) -> ast.Lambda:
    assert source.span is not None
    tree = lambda_in(cut(source.text, source.span, source.first_line), source.span)
    if tree is None:
        raise SourceUnavailableError(
            "the text of the lambda expression cannot be read alone.",
            location=source.location(),
            advice="Write it as a def.",
        )
    return tree


def parse_module(text: str, filename: str = "<source>") -> gast.Module:
    """Gives the tree of a whole file; Python's own `SyntaxError` is passed on."""
    return gast.ast_to_gast(ast.parse(text, filename))
