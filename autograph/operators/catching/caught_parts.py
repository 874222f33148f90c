"""Parts of an exception that a graph caught, with which a handler computes.

An exception that the body of the `try` raises itself is made again of what it held there: a handler
may read its arguments and attributes, and call the methods of its class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograph.operators.branches.conditionals import if_exp
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.caught import Caught
from autograph.operators.captured.raised_parts import Told
from autograph.operators.captured.variables import Maybe
from runtime import journal
from runtime.errors import LimitNotImplementedError

__all__ = ["part_of_caught"]

# Of these every exception has its own, which the graph tells in its way.
_OF_ALL = ("__class__", "__traceback__", "__cause__", "__context__", "__notes__", "with_traceback")


def part_of_caught(caught: Caught, name: str, read: Callable[[Any, str], Any]) -> Any:
    """The attribute of that name; `read` reads it of an exception that Python knows."""
    if name in _OF_ALL:
        return caught.part(name)
    found = [told for told in caught.told if caught.may_be(told.of.kind)]
    facts = current_trace()
    if facts is not None:
        facts.found.asks_errors = True
    if not found:
        return caught.part(name)
    return _first(found, lambda told: read(_made(caught, told), name))


def _first(found: Sequence[Told], read: Callable[[Told], Any]) -> Any:
    """What the one gives that the exception is."""
    told, *others = found
    if not isinstance(told.content, Maybe):
        return read(told)
    if others:
        return if_exp(
            told.content.defined, lambda: read(told), lambda: _first(others, read), "an exception"
        )
    limit = LimitNotImplementedError(
        "a handler reads what an exception holds that an operation, or Python code, raised; a "
        "graph knows it of those that the `try` raises itself (handle the other one apart)"
    )
    told.content.check(told.content.defined, told.content.name, limit)
    return read(told)


def _made(caught: Caught, told: Told) -> BaseException:
    """The exception, made again of what it holds."""
    made = caught.made.get(told.of)
    if made is None:
        content = told.content.inner if isinstance(told.content, Maybe) else told.content
        kind, count, names = told.of
        made = caught.made[told.of] = kind.__new__(kind, *content[:count])
        made.args = tuple(content[:count])
        vars(made).update(zip(names, content[count:], strict=True))
        facts = current_trace()
        if facts is not None:
            facts.adopted.watch(kind)
        journal.fresh(made)
    return made
