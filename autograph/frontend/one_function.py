"""The way of one function through the front end: its source, its converted code, its twin.

Converted code that is kept is taken; what converts is imported only for what is not.
"""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any, NamedTuple

from autograph import operators
from autograph.errors import Location, SourceUnavailableError, UnsupportedSyntaxError
from autograph.frontend import kept_conversions
from autograph.generated import AG, Options
from autograph.operators.captured import methods
from autograph.syntax.lines import keep_lines
from autograph.syntax.make import make_function
from autograph.syntax.source import source_of
from runtime.process.later import later
from runtime.process.recursion_limit import of_any_depth

__all__ = ["Conversion", "consumer_of", "convert", "make", "text_of"]


class Conversion(NamedTuple):
    """A converted function's code, shared by all closures of one `def`.

    `shadowed` are the names of built-ins that its module gives something else.
    """

    code: CodeType
    shadowed: frozenset[str]


def _rewriting() -> Any:
    """What converts: most of the front end."""
    return later("autograph.frontend.rewriting")


def convert(function: FunctionType, options: Options, shadowed: frozenset[str]) -> Conversion:
    """A function of the user's, converted and compiled.

    `shadowed` are the names of built-ins in it that its module gives something else.
    Raises ConversionError, with the user's file and line, when that cannot be.
    """
    try:
        return _converted(function, options, shadowed)
    except RecursionError as error:
        code = function.__code__
        raise UnsupportedSyntaxError(
            f"statements or expressions are nested too deeply to convert ({error})",
            location=Location(code.co_filename, code.co_firstlineno, code.co_name),
            advice="Split the function in two.",
        ) from None


@of_any_depth
def _converted(function: FunctionType, options: Options, shadowed: frozenset[str]) -> Conversion:
    source = source_of(function)
    _refuse_our_name(function)
    key = kept_conversions.key(source, options, function.__code__.co_freevars, shadowed)
    code = None if key is None else kept_conversions.find(key)
    if code is None:
        code = _rewriting().code_of(function, source, options, shadowed)
        if key is not None:
            kept_conversions.keep(key, code)
    keep_lines(code, source.text, source.first_line)
    return Conversion(code, shadowed)


def make(conversion: Conversion, function: FunctionType) -> FunctionType:
    """The converted twin of `function`: it shares globals and closure cells with it."""
    return methods.mark(make_function(conversion.code, function, operators))


@of_any_depth
def consumer_of(
    function: FunctionType, options: Options, shadowed: frozenset[str], of_context: bool = False
) -> FunctionType | None:
    """The function that runs in the place of a loop over a generator; None where none can be.

    `shadowed` are as for `convert`; `of_context`: in the place of a `with` statement.
    """
    try:
        source = source_of(function)
    except SourceUnavailableError:
        return None
    code = _rewriting().consumer_code(function, source, options, shadowed, of_context)
    if code is None:
        return None
    keep_lines(code, source.text, source.first_line)
    return methods.mark(make_function(code, function, operators))


@of_any_depth
def text_of(conversion: Conversion, function: FunctionType, options: Options) -> str:
    """The converted function as the text of an importable module: it is converted anew."""
    source = source_of(function)
    return str(_rewriting().text_of(function, source, options, conversion.shadowed))


def _refuse_our_name(function: FunctionType) -> None:
    code = function.__code__
    if AG in (*code.co_varnames, *code.co_cellvars, *code.co_freevars):
        raise UnsupportedSyntaxError(
            f"the function has a variable `{AG}`, the name of the operators in converted code",
            location=Location(code.co_filename, code.co_firstlineno, code.co_name),
            advice="Rename the variable.",
        )
