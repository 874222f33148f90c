"""Traceback entries in the user's lines for errors of compiled code.

An entry needs a frame, and only running code has one. So code of our own is compiled whose single
statement stands at the user's position; it raises, and the frame of that is taken. (The technique
is that of Jinja, A. Ronacher, `jinja2/debug.py`.)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, TracebackType
from typing import Any
from weakref import WeakSet

from runtime import config
from runtime.errors import Origin

__all__ = ["Places", "entry", "parts", "relocate", "standing", "standing_for"]

# The user's positions that stand for a traceback entry of ours, outermost first; None: not ours.
Places = Callable[[TracebackType], Sequence[Origin] | None]


# Code that makes a call and stands at the user's line itself, where an entry is put anyway.
standing: WeakSet[CodeType] = WeakSet()


class _Marker(Exception):
    """Raised where the frame is wanted."""


def relocate(error: BaseException, places: Places) -> None:
    """Replace, in the traceback of `error`, the entries of ours by entries in the user's lines."""
    following: TracebackType | None = None
    for part in reversed(list(parts(error.__traceback__))):
        origins = () if part.tb_frame.f_code in standing else places(part)
        for origin in reversed(origins or ()):
            following = entry(origin, following)
        if origins is None or config.full_traceback.value:
            following = TracebackType(following, part.tb_frame, part.tb_lasti, part.tb_lineno)
    error.__traceback__ = following


def parts(traceback: TracebackType | None) -> Iterator[TracebackType]:
    """The entries of a traceback, outermost first."""
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def entry(origin: Origin, following: TracebackType | None) -> TracebackType:
    """A traceback entry at `origin`, followed by the given ones."""
    try:
        exec(_code(origin), {"__name__": origin.function, "marker": _Marker})
    except _Marker as marker:
        made = marker.__traceback__ and marker.__traceback__.tb_next
    assert made is not None
    return TracebackType(following, made.tb_frame, made.tb_lasti, made.tb_lineno)


def standing_for(origins: Sequence[Origin], space: dict[str, Any]) -> Places:
    """The user's positions for the first entry whose globals are `space`, none for further ones."""
    shown = [False]

    def places(part: TracebackType) -> Sequence[Origin] | None:
        if part.tb_frame.f_globals is not space:
            return None
        if shown[0]:
            return ()
        shown[0] = True
        return origins

    return places


def _code(origin: Origin) -> CodeType:
    name = ast.Name("marker", ast.Load())
    statement = ast.Raise(name, None)
    # Columns of -1 mean that they are not known: no carets are printed then.
    start, end = origin.columns or (-1, -1)
    for node in (name, statement):
        node.lineno = node.end_lineno = max(origin.lineno, 1)
        node.col_offset, node.end_col_offset = start, end
    code = compile(ast.Module([statement], []), origin.filename, "exec")
    return code.replace(co_name=origin.function, co_qualname=origin.function)
