"""Functions of ours that call the user's: `grad`, `custom_gradient`, `cond` and others.

Called in converted code, they get the converted functions, also where what they made keeps them.
"""

from __future__ import annotations

import functools
from types import CellType, FunctionType, MethodType
from typing import Any

from autograph import rules
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.closures import EMPTY, content_of
from autograph.operators.captured.defaults import reading_defaults
from autograph.operators.captured.methods import attribute, convert, is_marked, method
from autograph.operators.values.captured_items import with_inputs
from runtime import journal

__all__ = ["is_ours", "rewired", "with_converted"]

_OURS = frozenset(("autograph", "runtime"))
# Modules whose functions are about the functions that they are given, and do not call them.
_ABOUT_FUNCTIONS = frozenset(
    (
        "autograph.frontend.conversion",
        "autograph.functions",
        "autograph.status",
        "autograph.settings",
    )
)


def is_ours(function: Any) -> bool:
    """Whether a Python function is defined in our packages, whatever it claims to be."""
    if not isinstance(function, FunctionType) or is_marked(function):
        return False
    module = str(function.__globals__.get("__name__"))
    return module.partition(".")[0] in _OURS and not rules.is_plain_python(module)


def with_converted(
    function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a function of ours, functions among them converted."""
    if function.__globals__.get("__name__") in _ABOUT_FUNCTIONS:
        return args, kwargs
    return tuple(map(_converted, args)), {k: _converted(v) for k, v in kwargs.items()}


def _converted(thing: Any) -> Any:
    if isinstance(thing, FunctionType):
        if is_ours(thing):
            return rewired(thing)
        twin = convert(thing)
        return thing if twin is None else reading_defaults(thing, twin)
    if isinstance(thing, MethodType) and isinstance(thing.__func__, FunctionType):
        twin = convert(thing.__func__)
        if twin is None:
            return thing
        return MethodType(reading_defaults(thing.__func__, twin), thing.__self__)
    if isinstance(thing, functools.partial):
        bound, named = with_inputs(thing.args), with_inputs(thing.keywords)
        return functools.partial(_converted(thing.func), *bound, **named)
    if is_ours(attribute(type(thing), "__call__")):
        return thing
    return method(thing, "__call__") or thing


def rewired(function: FunctionType) -> FunctionType:
    """A function of ours with the user's functions that it closes over converted."""
    cells = [_cell(cell) for cell in function.__closure__ or ()]
    if all(new is old for new, old in zip(cells, function.__closure__ or (), strict=True)):
        return function
    made = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__,
        tuple(cells),
    )  # fmt: skip
    made.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(made, function)
    return made


# What a function of ours keeps of the user's is older than the trace, as the function is.
_KEPT = (MethodType, functools.partial)


def _cell(cell: CellType) -> CellType:
    content = content_of(cell)
    if content is EMPTY:
        return cell
    trace = current_trace()
    is_callable = isinstance(content, _KEPT) or method(content, "__call__") is not None
    if trace is not None and is_callable and not journal.is_fresh(content):
        trace.outside.add(content)
    new = _converted(content)
    return cell if new is content else CellType(new)
