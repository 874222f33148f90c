"""From a Python function to the converted function: `convert_tree` and `convert_module`."""

from typing import Any

from autograph.analysis import ScopeTree
from autograph.converters.context import Context, Options
from autograph.converters.contexts import check_generator
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
    "convert_generator",
    "convert_module",
    "convert_tree",
    "lambda_scope",
]


def convert_generator(node: Any, context: Context) -> bool:
    """Converts, in place, a generator that `contextlib.contextmanager` makes a manager of.

    Gives whether a `try` or `with` stands around its `yield`. Raises `UnsupportedSyntaxError` for a
    `yield` that stands in a branch or loop.
    """
    mangle_tree(node, context.class_name)
    is_protected = check_generator(node, context.inside(node.name))
    convert_in_place(node, ScopeTree(node), context)
    return is_protected


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
