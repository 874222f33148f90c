"""The converted methods of the user's classes, for those that Python calls by itself."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from types import FunctionType, MemberDescriptorType
from typing import Any, TypeVar

from autograph.generated import AG
from autograph.operators.captured.captures import Trace, current_trace
from autograph.operators.captured.context import Context, Function, served
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT

__all__ = ["ORIGINAL", "ORIGINALS", "absence", "attribute", "call_without_object", "called",
           "convert", "converted", "for_consumer", "for_context", "held", "is_marked",
           "looked_up", "mark", "method", "why_left"]  # fmt: skip

T = TypeVar("T")

# Of a function that runs converted code: this code, as `functools.wraps` copies attributes.
ARTIFACT = "__ag_artifact__"
# Of a converted function: a weak reference to the user's.
ORIGINAL = "__ag_original__"


# What stands in a class for a method of the user's now, and that method: see `adoption`.
ORIGINALS: dict[Any, FunctionType] = {}


def _context_of(function: Any) -> Context:
    """What converts a function, for the trace that runs it or for eager operators."""
    trace = current_trace()
    if trace is not None:
        trace.code.run(function)
    return _context(trace)


def _context(trace: Trace | None) -> Context:
    return served() if trace is None else trace.context


def mark(function: T) -> T:
    """Say that a Python function runs converted code; gives it back."""
    setattr(function, ARTIFACT, function.__code__)  # type: ignore[attr-defined]
    return function


def is_marked(function: FunctionType) -> bool:
    """Whether a Python function runs converted code."""
    held, code = function.__dict__.get(ARTIFACT), function.__code__
    if held is None or held is code:
        return held is not None
    return AG in code.co_freevars or AG in code.co_names  # it has the attributes of another one


def convert(function: Any) -> Function | None:
    """The converted twin of a function, None for one that is left alone."""
    function = ORIGINALS.get(function, function)
    return _context_of(function).convert(function)


def converted(function: Callable[..., Any]) -> Function:
    """A function of `autograph.library`, converted."""
    twin = convert(function)
    assert twin is not None
    return twin


def called(function: Any) -> Any:
    """What a function gives that Python itself would call, without arguments: converted."""
    return _context(current_trace()).called(function)


def why_left(function: Any) -> str:
    """Why a Python function is called as it is, in words; empty for what is none."""
    function = getattr(function, "__func__", function)
    if not isinstance(function, FunctionType):
        return ""
    return _context(current_trace()).why_left(function) or "its source is not to be had"


def for_consumer(function: FunctionType) -> Function | None:
    """A converted generator function as one that calls its first argument for each item.

    None where it cannot be one.
    """
    return _context_of(function).for_consumer(function, False)


def for_context(function: FunctionType) -> Function | None:
    """A converted generator function with one `yield` as one that calls its first argument there.

    What that raises is what the `yield` raises. None where it cannot be one.
    """
    return _context_of(function).for_consumer(function, True)


def method(thing: Any, name: str) -> Function | None:
    """The converted method that Python would call, bound; None where it is not the user's."""
    kind = type(thing)
    if not kind.__flags__ & MADE_BY_CLASS_STATEMENT:
        return None
    trace = current_trace()
    if trace is not None:
        trace.outside.meet(thing)
    function = attribute(kind, name)
    if not isinstance(function, FunctionType):
        return None
    if function in _TRIVIAL:
        return functools.partial(_TRIVIAL[function], thing)
    twin = convert(function)
    return None if twin is None else functools.partial(twin, thing)


def attribute(kind: type, name: str) -> Any:
    """What a class has under a name, without the class being asked; guarded while tracing."""
    trace = current_trace()
    if trace is not None:
        trace.code.ask(kind, name)
    return held(kind, name)


def looked_up(kind: type, name: str) -> Any:
    """What a class of the user's has under a name, whatever stands for it while tracing."""
    found = held(kind, name)
    return ORIGINALS.get(found, found) if isinstance(found, FunctionType) else found


def absence(kind: type, name: str) -> str:
    """Python's text where an object of a class holds nothing under a name."""
    shown = kind.__name__
    if sys.version_info >= (3, 13) and isinstance(held(kind, name), MemberDescriptorType):
        outer = "" if kind.__module__ == "__main__" else f"{kind.__module__}."
        shown = f"{outer}{kind.__qualname__}"
    return f"{shown!r} object has no attribute {name!r}"


def call_without_object(thing: Any) -> Callable[..., Any] | None:
    """What a call of an object runs that is not given it: its `__call__` is of its class."""
    own = held(type(thing), "__call__")
    if not isinstance(own, staticmethod | classmethod):
        return None
    found: Callable[..., Any] = own.__get__(thing, type(thing))
    return found


def held(kind: type, name: str) -> Any:
    """What a class has under a name, itself, of which no descriptor is asked."""
    for cls in kind.__mro__:
        if name in cls.__dict__:
            return cls.__dict__[name]
    return None


_TRIVIAL: dict[Any, Function] = {
    contextlib.AbstractContextManager.__enter__: lambda manager: manager,
    contextlib.AbstractContextManager.__exit__: lambda manager, *details: None,
}
