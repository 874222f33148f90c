"""From a Python function to the converted function: `convert_tree` and `convert_module`."""

from collections.abc import Callable
from typing import Any

from autograph.analysis import ScopeTree
from autograph.converters.context import Context
from autograph.converters.conversion import why_left
from autograph.converters.generators import put_body, put_consumer
from autograph.converters.modules import Entry, Report, convert_in_place, convert_module
from autograph.converters.pipeline import PIPELINE, Converter, lambda_scope
from autograph.syntax.names import Namer, mangle_tree

__all__ = [
    "PIPELINE",
    "Context",
    "Converter",
    "Entry",
    "Report",
    "convert_for_consumer",
    "convert_for_context",
    "convert_module",
    "convert_tree",
    "lambda_scope",
]


def convert_for_consumer(node: Any, context: Context) -> bool:
    """Converts, in place, a generator to a function that calls its first argument for each item.

    False where it cannot be one: then the tree is of no use any more.
    """
    return _convert_with(put_consumer, node, context)


def convert_for_context(node: Any, context: Context) -> bool:
    """Converts, in place, a generator to a function that calls its argument at its one `yield`.

    False where it cannot be one: then the tree is of no use any more.
    """
    return _convert_with(put_body, node, context)


def _convert_with(put: Callable[[Any, Namer], bool], node: Any, context: Context) -> bool:
    mangle_tree(node, context.class_name)
    if not put(node, Namer(ScopeTree(node).identifiers(node))):
        return False
    convert_in_place(node, ScopeTree(node), context)
    return True


def convert_tree(node: Any, context: Context) -> Any:
    """Converts a function or lambda, in place, and gives it back.

    Raises `UnsupportedSyntaxError` for a coroutine, and for a generator that the user asked to
    convert by itself. A lambda's body mentions the name `lambda_scope`, which the caller binds.
    """
    mangle_tree(node, context.class_name)
    scopes = ScopeTree(node)
    cause = why_left(node, scopes[node])
    if scopes[node].is_generator and context.options.user_requested:
        cause = "generator"
    if cause is not None:
        context.inside(getattr(node, "name", "<lambda>")).refuse(
            node,
            f"this is {'an' if cause[0] in 'aeiou' else 'a'} {cause}, which cannot be staged",
            "Convert the functions that it calls instead.",
        )
    convert_in_place(node, scopes, context)
    return node
