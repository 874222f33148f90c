"""The way of one function through the front end: its source, its tree, converted, compiled."""

from __future__ import annotations

import builtins
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import gast

from autograph import kept_conversions, operators
from autograph.converters import (
    Context,
    convert_for_consumer,
    convert_for_context,
    convert_tree,
    lambda_scope,
)
from autograph.errors import Location, SourceUnavailableError, UnsupportedSyntaxError
from autograph.generated import AG, Options
from autograph.operators import methods
from autograph.syntax.load import compile_function, make_function, module_text
from autograph.syntax.parse import parse_function
from autograph.syntax.source import Source, source_of
from runtime import config

__all__ = ["Conversion", "consumer_of", "convert", "make", "text_of"]


class Conversion(NamedTuple):
    """A converted function's code, shared by all closures of one `def`.

    `shadowed` are the names of built-ins that its module bound when it was converted.
    """

    code: CodeType
    shadowed: frozenset[str]


def convert(function: FunctionType, options: Options) -> Conversion:
    """A function of the user's, converted and compiled.

    Raises ConversionError, with the user's file and line, when that cannot be.
    """
    source = source_of(function)
    _refuse_our_name(function)
    free, shadowed = function.__code__.co_freevars, _shadowed_builtins(function)
    key = kept_conversions.key(source, options, free, shadowed)
    code = None if key is None else kept_conversions.find(key)
    if code is None:
        tree, prelude = _converted(function, source, options, shadowed)
        code = _compiled(function, tree, source, prelude)
        config.log(4, lambda: module_text([tree]))
        if key is not None:
            kept_conversions.keep(key, code)
    return Conversion(code, shadowed)


def _converted(
    function: FunctionType, source: Source, options: Options, shadowed: frozenset[str]
) -> tuple[Any, tuple[gast.stmt, ...]]:
    """The converted tree, and for a lambda what comes before it."""
    node = parse_function(source)
    prelude: tuple[gast.stmt, ...] = ()
    if isinstance(node, gast.Lambda):
        prelude = _lambda_prelude(lambda_scope(node), function.__code__.co_freevars, options)
    return convert_tree(node, _context(function, source, options, shadowed)), prelude


def make(conversion: Conversion, function: FunctionType) -> FunctionType:
    """The converted twin of `function`: it shares globals and closure cells with it."""
    return methods.mark(make_function(conversion.code, function, operators))


def consumer_of(
    function: FunctionType, options: Options, of_context: bool = False
) -> FunctionType | None:
    """The function that runs in the place of a loop over a generator; None where none can be.

    `of_context`: in the place of a `with` statement.
    """
    try:
        source = source_of(function)
    except SourceUnavailableError:
        return None
    tree: Any = parse_function(source)
    convert = convert_for_context if of_context else convert_for_consumer
    shadowed = _shadowed_builtins(function)
    if not convert(tree, _context(function, source, options, shadowed)):
        return None
    return methods.mark(make_function(_compiled(function, tree, source), function, operators))


def text_of(conversion: Conversion, function: FunctionType, options: Options) -> str:
    """The converted function as the text of an importable module: it is converted anew."""
    tree, prelude = _converted(function, source_of(function), options, conversion.shadowed)
    free = function.__code__.co_freevars
    if not isinstance(tree, gast.Lambda):
        tree.decorator_list = []
        return module_text([tree], free_names=free)
    return module_text([*prelude, tree], free_names=free)


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


def _refuse_our_name(function: FunctionType) -> None:
    code = function.__code__
    if AG in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
        raise UnsupportedSyntaxError(
            f"the function has a variable `{AG}`, the name of the operators in converted code",
            location=Location(code.co_filename, code.co_firstlineno, code.co_name),
            advice="Rename the variable.",
        )


def _shadowed_builtins(function: FunctionType) -> frozenset[str]:
    return frozenset(function.__globals__.keys() & vars(builtins).keys())


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
