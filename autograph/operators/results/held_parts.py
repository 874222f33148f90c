"""What is in functions and objects that a trace hands out, and which of them can be made anew."""

from __future__ import annotations

import enum
import functools
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from autograph.operators.captured.closures import held_by
from autograph.operators.values.carried import in_slots
from autograph.operators.values.runs import OpenSet
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT
from runtime.variable import Variable

__all__ = ["BUILTINS", "CHANGELESS", "FUNCTIONS", "can_be_made", "extra_of",
           "fields_of", "held_through"]  # fmt: skip

CHANGELESS = (bool, int, float, complex, str, bytes, type(None), np.generic, type, ModuleType,
               enum.Enum, Variable, frozenset, range, slice)  # fmt: skip
FUNCTIONS = (FunctionType, MethodType, functools.partial)
BUILTINS = (BuiltinFunctionType, np.ufunc, type(np.sum))
_CONTAINERS = (list, dict, set, deque, OrderedDict, defaultdict, Counter, SimpleNamespace,
               np.ndarray)  # fmt: skip


def held_through(function: Any, known: set[int]) -> Iterator[Any]:
    """What a function refers to, also by way of other functions."""
    known.add(id(function))
    for part in _held_by(function):
        yield part
        if isinstance(part, (*FUNCTIONS, *BUILTINS)) and id(part) not in known:
            yield from held_through(part, known)


def _held_by(function: Any) -> Iterator[Any]:
    """What a function refers to."""
    if isinstance(function, functools.partial):
        yield from (*function.args, *function.keywords.values())
        yield from _held_by(function.func)
    elif isinstance(function, MethodType):
        yield from (value for _, value in fields_of(function.__self__))
    elif isinstance(function, FunctionType):
        yield from held_by(function)
    elif isinstance(function, BuiltinFunctionType):
        yield function.__self__


def can_be_made(kind: type) -> bool:
    """Whether another object of a class can be made without its `__init__`."""
    return _solid_base(kind) in (object, *_CONTAINERS)


def _solid_base(kind: type) -> type:
    """The first class of the line of bases that no class statement made, or a container's."""
    base: Any = kind
    while base.__flags__ & MADE_BY_CLASS_STATEMENT and base not in _CONTAINERS:
        base = base.__base__
    return base  # type: ignore[no-any-return]


def extra_of(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return x
    if isinstance(x, deque):
        return x.maxlen
    return x.default_factory if isinstance(x, defaultdict) else None


def fields_of(x: Any) -> Iterator[tuple[str, Any]]:
    """The attributes that an object holds, in its `__dict__` or in slots."""
    kind = type(x)
    fields = getattr(x, "__dict__", None)
    if kind in (defaultdict, OrderedDict, Counter, OpenSet) or isinstance(x, type):
        return
    yield from fields.items() if isinstance(fields, dict) else ()
    yield from in_slots(x)
