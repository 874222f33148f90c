"""Decorators of functions and classes that are defined in converted code."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph.operators.calls.calls import converted_call
from autograph.operators.calls.remembering import remembers
from autograph.operators.captured.methods import attribute, convert, is_marked, method
from autograph.operators.values.scope import FunctionScope
from autograph.operators.values.transforms import is_ours
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT

__all__ = ["decorator"]


def decorator(function: Any, scope: FunctionScope) -> Any:
    """What `@function` calls: the user's code is converted, as in any call; other is Python's."""
    if not _is_users(function):
        is_of_cache = getattr(function, "__module__", None) == "functools"
        return (lambda thing: remembers(function(thing))) if is_of_cache else function
    decorate: Callable[[Any], Any] = lambda thing: converted_call(function, (thing,), None, scope)  # noqa: E731
    return decorate


def _is_users(function: Any) -> bool:
    if isinstance(function, FunctionType):
        return not is_ours(function) and (is_marked(function) or convert(function) is not None)
    if isinstance(function, type):
        init = attribute(function, "__init__")
        is_own = function.__flags__ & MADE_BY_CLASS_STATEMENT and isinstance(init, FunctionType)
        return bool(is_own) and convert(init) is not None
    return method(function, "__call__") is not None
