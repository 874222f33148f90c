"""What an exception holds where the body of a `try` raises it, for the handlers.

Mostly no handler asks for more than its text. So it is saved, as the present values of names are,
only in a trace that follows one which found that more is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.caught import Caught
from runtime.structure.tree import MADE_BY_CLASS_STATEMENT

__all__ = ["RaisedKind", "Told", "content_now", "kinds_now", "raising"]

# Classes that keep more than their arguments where no attribute of ours finds it. OSError takes two
# or more arguments for a number, a text and names of files.
_OTHERS = (AttributeError, ImportError, NameError, StopIteration, SyntaxError, SystemExit,
           UnicodeError, BaseExceptionGroup)  # fmt: skip


class RaisedKind(NamedTuple):
    """Exceptions of one class with so many arguments, and attributes of these names."""

    kind: type[BaseException]
    arguments: int
    names: tuple[str, ...]


class Told(NamedTuple):
    """Of an exception that was caught: what it holds if it is of that kind, else `Maybe` nothing.

    The content is a tuple: its arguments, then its attributes.
    """

    of: RaisedKind
    content: Any


@contextmanager
def raising(error: BaseException) -> Iterator[None]:
    """While the node is made that raises `error`, what that holds can be saved."""
    facts = current_trace()
    if facts is None or not facts.attempt.tells_errors:
        yield
        return
    before, facts.effects.raised = facts.effects.raised, _told(error)
    try:
        yield
    finally:
        facts.effects.raised = before


def _told(error: BaseException) -> tuple[Told, ...]:
    if isinstance(error, Caught):
        return error.told
    kind = type(error)
    if not _is_its_arguments(error) or any(
        name in vars(cls)
        for cls in kind.__mro__
        if cls.__flags__ & MADE_BY_CLASS_STATEMENT
        for name in ("__new__", "__slots__", "__getattribute__", "__setattr__")
    ):
        return ()
    held = {name: value for name, value in vars(error).items() if not _is_ours(name)}
    of = RaisedKind(kind, len(error.args), tuple(sorted(held)))
    return (Told(of, (*error.args, *(held[name] for name in of.names))),)


def _is_its_arguments(error: BaseException) -> bool:
    """Whether what Python's own class of `error` keeps is the arguments."""
    if isinstance(error, OSError):
        return len(error.args) < 2
    return not isinstance(error, _OTHERS)


def _is_ours(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def kinds_now() -> tuple[RaisedKind, ...]:
    """The kinds of the exception that the next node raises."""
    facts = current_trace()
    return () if facts is None else tuple(told.of for told in facts.effects.raised)


def content_now(kind: RaisedKind, absent: Any) -> Any:
    """What the exception that the next node raises holds, if it is of that kind."""
    facts = current_trace()
    found = () if facts is None else facts.effects.raised
    return next((told.content for told in found if told.of == kind), absent)
