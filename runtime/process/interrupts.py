"""Interrupts while traces are made: a signal's handler may raise anywhere, and all must stay whole.

Python runs handlers of signals between any two instructions of the main thread, also where a
context is just being entered or left. While `Deferring` is entered, what has to happen as a whole
is marked as `uninterrupted`: a handler waits until none of that is under way. What a handler raises
is no exception of the program that is traced: it goes through the trace as an `Interrupted`, which
no clause of the program's takes, and comes out as what it was.
"""

from __future__ import annotations

import _thread
import contextlib
import inspect
import signal
import threading
import weakref
from collections.abc import Callable
from importlib import import_module
from types import CodeType, FrameType
from typing import Any, TypeVar

__all__ = ["Deferring", "Interrupted", "uninterrupted"]

F = TypeVar("F", bound=Callable[..., Any])

_codes: set[CodeType] = set()
_OF_GENERATORS = contextlib._GeneratorContextManager
_CONTEXTS = {_OF_GENERATORS.__enter__.__code__, _OF_GENERATORS.__exit__.__code__}
_STACKS = contextlib.ExitStack.__exit__.__code__
_PACKAGES = ("runtime", "autograph")
# The names of the modules whose callbacks are run as an object goes away.
_OF_WEAK_REFERENCES = (vars(weakref), vars(import_module(weakref.WeakSet.__module__)))
_SIGNALS = tuple(signal.valid_signals())
_trip: Any = _thread.interrupt_main  # of any number
# Without the enumerations of `signal`, which take twenty times as long.
_signal: Any = import_module("_signal")


class Interrupted(KeyboardInterrupt):
    """What the handler of a signal raised while something was traced: `original`."""

    def __init__(self, original: BaseException) -> None:
        super().__init__(*original.args)
        self.original = original


def uninterrupted(function: F) -> F:
    """Mark a function that no handler runs in the middle of; contexts of generators are so.

    What is called as an object goes away is one: nobody would take what is raised there.
    """
    _codes.add(function.__code__)
    return function


class Deferring:
    """The handlers of the main thread, deferred where something is uninterrupted."""

    def __init__(self) -> None:
        self._replaced: dict[int, tuple[Any, Any]] = {}

    def begin(self) -> None:
        """Begin; in other threads there are no handlers."""
        if threading.current_thread() is not threading.main_thread():
            return
        for number in _SIGNALS:
            found = _signal.getsignal(number)
            if callable(found) and type(found) is not _Deferred:
                deferred = _Deferred(found)
                self._replaced[number] = (deferred, found)
                _signal.signal(number, deferred)

    def end(self) -> None:
        """Set the handlers again, but for those that were changed meanwhile."""
        if threading.current_thread() is not threading.main_thread():
            return
        while self._replaced:
            number, (deferred, found) = self._replaced.popitem()
            if _signal.getsignal(number) is deferred:
                _signal.signal(number, found)


class _Deferred:
    """A handler that waits."""

    def __init__(self, handler: Callable[[int, FrameType | None], Any]) -> None:
        self._handler = handler

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        if _is_uninterrupted(frame):
            # Python asks again after the next instructions. No call may follow, nor this be one:
            # after calls it asks, too.
            again = map(_trip, (number,))
            (*_,) = again
            return None
        try:
            return self._handler(number, frame)
        except BaseException as error:  # noqa: BLE001 - it comes out as what it is
            raise Interrupted(error) from None


def _is_uninterrupted(frame: FrameType | None) -> bool:
    if frame is not None and _loses_exceptions(frame):
        return True
    while frame is not None:
        code = frame.f_code
        if code in _codes or (code is _STACKS and _is_ours(frame.f_back)):
            return True
        if code in _CONTEXTS and _is_ours(frame.f_locals["self"].gen.gi_frame):
            return True
        frame = frame.f_back
    return False


def _loses_exceptions(frame: FrameType) -> bool:
    """Whether Python may run it where nobody takes exceptions: as an object goes away."""
    is_generator = frame.f_code.co_flags & inspect.CO_GENERATOR and _is_ours(frame)
    return bool(is_generator) or any(frame.f_globals is names for names in _OF_WEAK_REFERENCES)


def _is_ours(frame: FrameType | None) -> bool:
    name = "" if frame is None else str(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] in _PACKAGES
