"""Defaults of parameters that can change: Python makes them once, so they are older than the trace.

A list, dict, array or object that stands as a default is the same one in all calls. A call that
leaves it out is given it as what a captured name holds: its arrays are inputs of the graph, what
was read of it is guarded, and what is written into it is there in the next call.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from autograph.operators.captured.captures import Place, Trace, current_trace, read, weak
from autograph.operators.captured.guards import PLAIN
from autograph.operators.captured.methods import ORIGINALS, is_marked

__all__ = ["place_of_default", "reading_defaults", "with_defaults"]

_FIXED = (*PLAIN, FunctionType, BuiltinFunctionType, ModuleType, type)


def with_defaults(
    function: FunctionType,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    is_held: bool = False,
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, with those defaults that can change.

    `is_held` says that an object holds the function that the trace has not looked into: if that is
    no function of converted code, it is taken to be older than the trace, though it may be local.
    """
    function = ORIGINALS.get(function, function)
    if not (function.__defaults__ or function.__kwdefaults__):
        return args, kwargs
    trace = current_trace()
    if trace is None or is_marked(function) or not (is_held or _is_older(function, args, trace)):
        return args, kwargs
    code = function.__code__
    names, defaults = code.co_varnames[: code.co_argcount], function.__defaults__ or ()
    first = len(names) - len(defaults)
    for position in range(max(first, len(args)), len(names)):
        name, which = names[position], position - first
        default = defaults[which]
        if position < code.co_posonlyargcount:
            args = (*args, _read(function, name, default, which))
        elif name not in kwargs and not _is_fixed(trace, function, default, which):
            kwargs = {**kwargs, name: _read(function, name, default, which)}
    for name, default in (function.__kwdefaults__ or {}).items():
        if name not in kwargs and not _is_fixed(trace, function, default, name):
            kwargs = {**kwargs, name: _read(function, name, default, name)}
    return args, kwargs


def _is_fixed(trace: Trace, function: FunctionType, default: Any, which: int | str) -> bool:
    """Whether a default is a constant of a trace: a number that came with a second value is not."""
    key = "default", id(function), which
    return isinstance(default, _FIXED) and key not in trace.captures.open_numbers


def reading_defaults(function: FunctionType, twin: Callable[..., Any]) -> Callable[..., Any]:
    """`twin`, which `function` was converted to, for code that calls it with Python's own calls."""
    values = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    is_fixed = all(isinstance(value, _FIXED) for value in values)
    return twin if is_fixed else _ReadingDefaults(function, twin)


class _ReadingDefaults:
    """A converted function that is given those of its defaults that can change."""

    def __init__(self, function: FunctionType, twin: Callable[..., Any]) -> None:
        functools.update_wrapper(self, twin)
        self._function, self._twin = function, twin

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = with_defaults(self._function, args, kwargs)
        return self._twin(*args, **kwargs)


def _is_older(function: FunctionType, args: tuple[Any, ...], trace: Trace) -> bool:
    """Whether the function, and so its defaults, existed before the trace."""
    if "<locals>" not in function.__qualname__ or trace.outside.has(function):
        return True
    owner = args[0] if args and isinstance(args[0], type) else type(args[0]) if args else object
    return any(trace.outside.has(cls) and _is_method(function, cls) for cls in owner.__mro__)


def _is_method(function: FunctionType, cls: type) -> bool:
    """Whether a class has that function under its own name, or what stands for it there."""
    found = vars(cls).get(function.__name__)
    found = getattr(found, "__func__", found)
    return isinstance(found, FunctionType) and ORIGINALS.get(found, found) is function


def place_of_default(function: Any, which: int | str) -> Place:
    """Where a default of a function is, or an argument that a partial function holds."""
    fetch = weak(function)
    if isinstance(function, functools.partial):
        held, named = "args", "keywords"
        name = f"argument {which} of a partial function"
    else:
        held, named = "__defaults__", "__kwdefaults__"
        name = f"default {which} of `{function.__qualname__}`"
    held = named if isinstance(which, str) else held
    return Place(name, lambda: getattr(fetch(), held)[which])


def _read(function: FunctionType, name: str, default: Any, which: int | str) -> Any:
    trace = current_trace()
    if trace is None or _is_fixed(trace, function, default, which):
        return default
    place = place_of_default(function, which)._replace(
        name=f"`{name}`, a default of `{function.__qualname__}`"
    )
    return read(("default", id(function), which), place, default)
