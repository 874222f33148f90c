"""Calls outside of a trace: exactly Python's, with the callee converted where it is the user's.

What a call runs is found first and called last, so that few frames stand in between. A callee that
is left alone is called from a frame that has the globals of the user's function: `namedtuple`,
`Enum`, `type` and others look there for the module of what they make.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, TypeAlias

from autograph.operators.builtins.builtin_functions import HANDLERS
from autograph.operators.calls.frames import LOOKERS
from autograph.operators.captured.methods import call_without_object
from autograph.operators.captured.variables import _Unreadable
from autograph.operators.expressions.text_fields import format_method
from autograph.operators.values.iterables import Indexed
from autograph.operators.values.scope import FunctionScope
from autograph.operators.values.templates import LazyString
from autograph.rules import UNCONVERTED
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.tensor import Tensor
from runtime.variable import Variable

__all__ = ["Resolved", "resolve"]

Resolved: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
Convert: TypeAlias = Callable[[FunctionType], Callable[..., Any] | None]

_TENSORS = (Tensor, Variable, Indexed, LazyString)
# The text of an exception is made of what it was given.
_WITH_TENSORS = (*_TENSORS, BaseException)


def resolve(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    scope: FunctionScope,
    convert: Convert,
) -> Resolved:
    """What to call, and with which arguments, for `function(*args, **kwargs)`.

    `convert` gives the converted twin of a Python function, or None for one that is left alone.
    """
    kind = type(function)
    if issubclass(kind, _Unreadable):
        return resolve(function.load(), args, kwargs, scope, convert)
    if kind is FunctionType:
        look = LOOKERS.get(function)
        if look is not None:
            return look, (scope, *args), kwargs
        return convert(function) or _from(scope, function, args), args, kwargs
    if kind is MethodType:
        owner, own = function.__self__, function.__func__
        if type(own) is not FunctionType or issubclass(type(owner), _TENSORS):
            return function, args, kwargs
        twin = convert(own)
        if twin is None:
            return _from(scope, function, args), args, kwargs
        return twin, (owner, *args), kwargs
    if kind is BuiltinFunctionType or kind is type:
        return _builtin(function, args, kwargs, scope)
    if kind is functools.partial:
        merged = {**function.keywords, **kwargs}
        return resolve(function.func, (*function.args, *args), merged, scope, convert)
    return _object(function, args, kwargs, scope, convert)


def _builtin(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: FunctionScope
) -> Resolved:
    if function is builtins.globals and not args and not kwargs:
        return lambda: scope.globals, (), {}
    look = LOOKERS.get(function)
    if look is not None:
        return look, (scope, *args), kwargs
    if _has_tensor(args, kwargs):
        return _on_tensors(function), args, kwargs
    return _from(scope, function, args) if type(function) is type else function, args, kwargs


def _has_tensor(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    if any(issubclass(type(argument), _WITH_TENSORS) for argument in args):
        return True
    return any(issubclass(type(argument), _WITH_TENSORS) for argument in kwargs.values())


def _on_tensors(function: Any) -> Callable[..., Any]:
    handler = HANDLERS.get(function)
    if handler is not None:
        return handler
    owner = getattr(function, "__self__", None)
    if type(owner) is str and function.__name__ == "format":
        return lambda *args, **kwargs: format_method(owner, args, kwargs)
    return function  # type: ignore[no-any-return]


def _object(
    function: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    scope: FunctionScope,
    convert: Convert,
) -> Resolved:
    """A callable object or a class of a metaclass."""
    kind = type(function)
    inlined = getattr(kind, "__ag_call__", None)
    if inlined is not None:
        return inlined, (function, args, kwargs), {}
    call = None if issubclass(kind, type) else getattr(kind, "__call__", None)  # noqa: B004
    if type(call) is FunctionType and not (
        _is_left_alone(function) or call_without_object(function)
    ):
        twin = convert(call)
        if twin is not None:
            return twin, (function, *args), kwargs
    return _from(scope, function, args), args, kwargs


def _is_left_alone(thing: object) -> bool:
    """Whether an object is marked, without asking its `__getattr__`."""
    try:
        return bool(object.__getattribute__(thing, UNCONVERTED))
    except AttributeError:
        return False


def _from(scope: FunctionScope, function: Any, args: tuple[Any, ...]) -> Callable[..., Any]:
    """Calls the function from a frame with the globals of the user's function."""
    if type(function) is type and not _looks_at_its_caller(function, args):
        return function
    return functools.partial(FunctionType(_call.__code__, scope.globals), function)


def _looks_at_its_caller(cls: type, args: tuple[Any, ...]) -> bool:
    if cls is type:
        return bool(args[1:])
    return bool(cls.__flags__ & MADE_BY_CLASS_STATEMENT)


def _call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)
