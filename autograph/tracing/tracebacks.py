"""Tracebacks of errors in converted code: the user's lines, and nothing of ours.

Converted code stands on the user's file and lines, but in between are the frames of operators, of
the trace and of kernels, and one statement may have become several nested functions. What is left
here is what the plain function would have shown. `AUTOGRAPH_FULL_TRACEBACK=1` leaves all.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import dropwhile
from types import CodeType, TracebackType
from typing import Any

from autograph.generated import AG, SCOPES
from autograph.operators.captured.hints import add_hint
from runtime import config
from runtime.errors import StagingError
from runtime.execute.tracebacks import entry
from runtime.origins import Origin, is_user_code, origin_of_entry, origin_of_error

__all__ = ["shorten", "shortened"]


def shorten(error: BaseException) -> None:
    """Leave only the user's entries in the traceback of `error` and of what led to it.

    To be called in an `except` clause that ends with a bare `raise`, which adds no entry. A
    StagingError that does not know its place gets the innermost of the user's lines.
    """
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        if isinstance(following, StagingError):
            _locate(following)
            if following.is_signal:
                following.__class__ = StagingError
        add_hint(following)
        if not config.full_traceback.value:
            following.__traceback__ = _users(_entries(following.__traceback__))
            if isinstance(following, StagingError) and following.origin is not None:
                _end_at(following, following.origin)
        following = following.__cause__ or following.__context__


class shortened:
    """Errors that leave this context are shortened."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if error is not None:
            shorten(error)


def _users(entries: list[TracebackType]) -> TracebackType | None:
    result: TracebackType | None = None
    for part in reversed(entries):
        result = TracebackType(result, part.tb_frame, part.tb_lasti, part.tb_lineno)
    return result


def _end_at(error: StagingError, origin: Origin) -> None:
    """Let the traceback end at the line that the message speaks of: a reader's arrow points there.

    It may be another line of the innermost function, one of a function that called it, or one at
    which no frame is left.
    """
    entries = _entries(error.__traceback__)
    homes = [_home(origin_of_entry(part)) for part in entries]
    ending = entry(origin, None)
    if _home(origin) in homes:
        last = len(homes) - 1 - homes[::-1].index(_home(origin))
        frame = entries[last].tb_frame
        if frame.f_code is origin.code:  # its locals can be looked at
            ending = TracebackType(None, frame, origin.instruction, origin.lineno)
        del entries[last:]
    error.__traceback__ = _users([*entries, ending])


def _entries(traceback: TracebackType | None) -> list[TracebackType]:
    """The user's entries, the outermost first."""
    kept: list[TracebackType] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if is_user_code(code):
            if kept and _is_part(code) and _is_converted(kept[-1].tb_frame.f_code):
                kept.pop()
            kept.append(traceback)
        traceback = traceback.tb_next
    return kept


def _is_converted(code: CodeType) -> bool:
    return AG in code.co_freevars


def _is_part(code: CodeType) -> bool:
    """Whether `code` was made for a statement inside a function of the user's."""
    if not _is_converted(code) or code.co_name.startswith("<"):
        return False
    return SCOPES.isdisjoint(code.co_names) and not code.co_flags & inspect.CO_GENERATOR


def _locate(error: StagingError) -> None:
    """Say at which line it is, and by which lines of converted functions that was called."""
    innermost = error.origin or origin_of_error(error)
    lines = [origin_of_entry(entry) for entry in _converted_entries(error.__traceback__)]
    while lines and innermost is not None and _home(lines[-1]) != _home(innermost):
        lines.pop()  # what was found later or elsewhere speaks of a line of its own
    # Not each call of a recursion.
    callers = {line[:2]: line for line in reversed(lines) if line[:2] != lines[-1][:2]}
    error.place(innermost, [*reversed(callers.values())])


def _home(origin: Origin) -> tuple[str, str]:
    return origin.filename, origin.function


def _converted_entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """The user's entries from the outermost that is converted on."""
    return dropwhile(lambda e: not _is_converted(e.tb_frame.f_code), _entries(traceback))
