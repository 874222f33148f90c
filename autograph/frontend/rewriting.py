"""Functions rewritten: from their source to a converted tree, and to code.

Imported for the first function whose converted code is not kept: it takes most of the front end.
"""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any

import gast

from autograph.converters import (
    Context,
    convert_for_consumer,
    convert_for_context,
    convert_tree,
    lambda_scope,
)
from autograph.generated import AG, Options
from autograph.syntax.load import compile_function, module_text
from autograph.syntax.parse import parse_function
from autograph.syntax.source import Source
from runtime import config

__all__ = ["code_of", "consumer_code", "text_of"]


def code_of(
    function: FunctionType, source: Source, options: Options, shadowed: frozenset[str]
) -> CodeType:
    """The code of a function, converted.

    `shadowed` are the names of built-ins that its module binds. Raises ConversionError, with the
    user's file and line, when that cannot be.
    """
    tree, prelude = _converted(function, source, options, shadowed)
    code = _compiled(function, tree, source, prelude)
    config.log(4, lambda: module_text([tree]))
    return code


def consumer_code(
    function: FunctionType,
    source: Source,
    options: Options,
    shadowed: frozenset[str],
    of_context: bool,
) -> CodeType | None:
    """The code that runs in the place of a loop over a generator; None where none can.

    `of_context`: in the place of a `with` statement.
    """
    tree: Any = parse_function(source)
    convert = convert_for_context if of_context else convert_for_consumer
    if not convert(tree, _context(function, source, options, shadowed)):
        return None
    return _compiled(function, tree, source)


def text_of(
    function: FunctionType, source: Source, options: Options, shadowed: frozenset[str]
) -> str:
    """The converted function as the text of an importable module."""
    tree, prelude = _converted(function, source, options, shadowed)
    free = function.__code__.co_freevars
    if not isinstance(tree, gast.Lambda):
        tree.decorator_list = []
        return module_text([tree], free_names=free)
    return module_text([*prelude, tree], free_names=free)


def _converted(
    function: FunctionType, source: Source, options: Options, shadowed: frozenset[str]
) -> tuple[Any, tuple[gast.stmt, ...]]:
    """The converted tree, and for a lambda what comes before it."""
    node = parse_function(source)
    prelude: tuple[gast.stmt, ...] = ()
    if isinstance(node, gast.Lambda):
        prelude = _lambda_prelude(lambda_scope(node), function.__code__.co_freevars, options)
    return convert_tree(node, _context(function, source, options, shadowed)), prelude


def _context(
    function: FunctionType, source: Source, options: Options, shadowed: frozenset[str]
) -> Context:
    return Context(
        filename=source.filename,
        text=source.text,
        class_name=source.class_name,
        options=options,
        free_names=frozenset(_free_names(function)),
        module_names=shadowed,
        first_line=source.first_line,
        function=source.qualname,
    )


def _compiled(
    function: FunctionType, tree: Any, source: Source, prelude: tuple[gast.stmt, ...] = ()
) -> CodeType:
    return compile_function(
        tree,
        name=source.qualname,
        filename=source.filename,
        free_names=_free_names(function),
        class_name=source.class_name,
        flags=source.flags,
        prelude=prelude,
    )


def _free_names(function: FunctionType) -> tuple[str, ...]:
    """The closure variables, without the operators, which a function of converted code has too."""
    return tuple(name for name in function.__code__.co_freevars if name != AG)


def _lambda_prelude(fscope: str, free: tuple[str, ...], options: Options) -> tuple[gast.stmt, ...]:
    """The function scope that a converted lambda's body mentions."""
    used = [name for name in free if name != "__class__"]
    cells = f", cells=lambda: ({', '.join(used)},)" if used else ""
    features = repr(tuple(options.optional_features))
    text = (
        f"{fscope} = {AG}.FunctionScope('<lambda>', '{fscope}', {AG}.ConversionOptions("
        f"recursive={options.recursive}, user_requested={options.user_requested}, "
        f"optional_features={features}, "
        f"internal_convert_user_code={options.internal_convert_user_code}){cells})"
    )
    return tuple(gast.parse(text).body)
