"""Debuggers: while a program is traced they step from one line of the user's to the next.

Of the standard debugger and those that are made of it, such as pdb and ipdb. They are recognised by
their trace function; what others follow is their own affair.
"""

from __future__ import annotations

import builtins
import importlib
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

from runtime.origins import is_user_code

__all__ = [
    "debugger",
    "glimpse",
    "if_any",
    "is_looking",
    "left_users_code",
    "step_past_ours",
    "unseen",
]

R = TypeVar("R")
# What is ours, and what that calls: named tuples and managers have code of their own.
_OURS = ("autograph", "autograph.*", "runtime", "runtime.*", "contextlib", "namedtuple_*")


def glimpse(what: str) -> str:
    """What a debugger shows for a value that no number is known of."""
    return f"<{what} (known at run time; use ag.eager() to see it)>"


def _at_work() -> Any:
    """The debugger that follows this thread; None where there is none."""
    follow = sys.gettrace()
    if follow is None or "bdb" not in sys.modules:
        return None
    found = getattr(follow, "__self__", None)
    return found if isinstance(found, sys.modules["bdb"].Bdb) else None


def is_looking() -> bool:
    """Whether a debugger follows this thread, and may ask for the text of any value."""
    return _at_work() is not None


def step_past_ours() -> None:
    """Let the debugger that follows this thread, if one does, not stop in our own lines."""
    found = _at_work()
    if found is not None:
        found.skip = {*(found.skip or ()), *_OURS}


def left_users_code() -> None:
    """Let the debugger that follows this thread, if one does, go on to the next line of the user's.

    Called by what has called a function of the user's, or a part of one. One that goes on line by
    line would stop in what is called here, and one that waits for the caller never would.
    """
    found = _at_work()
    if found is None or found.stoplineno == -1:
        return
    if found.stopframe is None or not is_user_code(found.stopframe.f_code):
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not is_user_code(frame.f_code):
            frame = frame.f_back
        if frame is not None:
            frame.f_trace = frame.f_trace or found.trace_dispatch
            _unseen(found.set_next, frame)


def unseen(function: Callable[..., R], *args: Any) -> R:
    """Call what was made for a line of the user's, and stands on it, past the debugger."""
    if sys.gettrace() is None or _at_work() is None:  # for each part of a loop and a branch
        return function(*args)
    step_past_ours()
    return _unseen(function, *args)


def if_any(function: Callable[[], None]) -> Callable[[], None]:
    """A part of the user's code; where there is none, what does nothing, for whoever follows lines.

    An `else` that is not written stands on the line of its `if`, which they have seen.
    """
    if sys.gettrace() is None:
        return function
    code = function.__code__
    is_empty = not code.co_names and code.co_consts == (None,)
    has_own_line = any(line not in (None, code.co_firstlineno) for *_, line in code.co_lines())
    return _nothing if is_empty and not has_own_line else function


def _nothing() -> None:
    pass


def _unseen(function: Callable[..., R], *args: Any) -> R:
    follow = sys.gettrace()
    sys.settrace(None)
    try:
        return function(*args)
    finally:
        sys.settrace(follow)


def debugger(function: Any) -> Any:
    """What opens a debugger as `breakpoint` or `pdb.set_trace` does, one that steps past ours.

    It is to be called by the user's code. Where another debugger is wanted, `function` itself.
    """
    by_hook = function is builtins.breakpoint and sys.breakpointhook is sys.__breakpointhook__
    is_plain = by_hook and os.environ.get("PYTHONBREAKPOINT", "") in ("", "pdb.set_trace")
    standard = getattr(sys.modules.get("pdb"), "set_trace", None)
    return _open if is_plain or (function is standard and standard is not None) else function


def _open(*, header: str | None = None) -> None:
    opened = importlib.import_module("pdb").Pdb(skip=_OURS)
    if header is not None:
        opened.message(header)
    opened.set_trace(sys._getframe(1))
