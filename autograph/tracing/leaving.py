"""Whether Python may make a call that a graph was traced for: it gives the same then.

NumPy, Python's own library and what the user writes give in plain Python what they give in a graph.
Functions of ours give tensors there, but arrays in a graph that takes arrays. So everything that
the trace read is looked at: names of modules, closures, defaults, attributes, items and arguments.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from autograph.operators.captured.closures import held_by
from autograph.operators.captured.guards import Guard, Identity
from autograph.tracing.code_guards import FunctionGuard, NamesGuard
from runtime.origins import is_user_code

__all__ = ["calls_nothing_of_ours", "reads_nothing_of_ours"]

_OURS = frozenset(("autograph", "runtime"))


def reads_nothing_of_ours(guards: Iterable[Guard], leaves: Iterable[Any]) -> bool:
    """Whether nothing of our packages is among what a trace read from outside, or was given.

    >>> reads_nothing_of_ours([], [1.0, len]), reads_nothing_of_ours([], [reads_nothing_of_ours])
    (True, False)
    """
    read = (thing for guard in guards for single in guard.singles for thing in _seen(single))
    return not any(_is_ours(thing) for things in (read, leaves) for thing in things)


def calls_nothing_of_ours(function: FunctionType | None) -> bool:
    """Whether the user's code that a function has names for has none for our packages.

    >>> import textwrap
    >>> calls_nothing_of_ours(textwrap.dedent), calls_nothing_of_ours(reads_nothing_of_ours)
    (True, False)
    """
    waiting: list[Any] = [function]
    seen: set[int] = set()
    while waiting:
        thing = waiting.pop()
        if thing is None or _is_ours(thing):
            return False
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, type):
            waiting += [one for one in vars(thing).values() if isinstance(one, FunctionType)]
        elif isinstance(thing, FunctionType) and is_user_code(thing.__code__):
            waiting += [one for one in _within_reach(thing) if one is not None]
    return True


def _seen(guard: Guard) -> Iterator[Any]:
    """What a guard compares with."""
    if isinstance(guard, NamesGuard):
        bound = [] if _is_twin(guard.space) else guard.bound
        yield from (thing for _, thing in bound)
    elif isinstance(guard, FunctionGuard):
        function = guard.parts.function
        if function is not None and not _is_ours(function):  # who calls ours is looked at
            yield from _within_reach(function)
    elif isinstance(guard.expected, Identity):
        yield guard.expected.ref()
    else:
        yield from guard.expected if isinstance(guard.expected, list) else (guard.expected,)


def _is_twin(space: dict[str, Any]) -> bool:
    """Whether it is a module of what stands for functions of Python and NumPy in graphs."""
    return str(space.get("__name__")).startswith("autograph.library.")


def _within_reach(function: FunctionType) -> Iterator[Any]:
    """What the code of a function has a name for, or finds by an import."""
    yield from held_by(function)
    codes = [function.__code__]
    for code in codes:
        codes += [x for x in code.co_consts if isinstance(x, CodeType)]
        for name in code.co_names:
            yield function.__globals__.get(name)
            yield sys.modules.get(name)


def _is_ours(thing: Any) -> bool:
    if isinstance(thing, ModuleType):
        module = thing.__name__
    else:
        module = (thing if isinstance(thing, type | FunctionType) else type(thing)).__module__
    return str(module).partition(".")[0] in _OURS
