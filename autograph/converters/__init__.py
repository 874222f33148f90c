"""From a Python function to the converted function: `convert_tree` and `convert_module`."""

from typing import Any

from autograph.analysis import ScopeTree
from autograph.converters.context import Context, Options
from autograph.converters.modules import Entry, Report, convert_in_place, convert_module, why_left
from autograph.converters.pipeline import PIPELINE, Converter, lambda_scope
from autograph.syntax.names import mangle_tree

__all__ = [
    "PIPELINE",
    "Context",
    "Converter",
    "Entry",
    "Options",
    "Report",
    "convert_module",
    "convert_tree",
    "lambda_scope",
]


def convert_tree(node: Any, context: Context) -> Any:
    """Converts a function or lambda, in place, and gives it back.

    Raises `UnsupportedSyntaxError` for a coroutine or generator. A lambda's body mentions
    the name `lambda_scope`, which the caller binds.
    """
    mangle_tree(node, context.class_name)
    scopes = ScopeTree(node)
    cause = why_left(node, scopes[node])
    if cause is not None:
        context.inside(getattr(node, "name", "<lambda>")).refuse(
            node,
            f"this is {'an' if cause[0] in 'aeiou' else 'a'} {cause}, which cannot be staged",
            "Convert the functions that it calls instead.",
        )
    convert_in_place(node, scopes, context)
    return node
