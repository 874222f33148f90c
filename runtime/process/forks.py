"""Forks: what another thread is making is finished first, and no lock is lost in the child.

A child has the memory of its parent and one thread. A lock that another thread held is never given
back there, and what it was at stays half done. So a fork waits until no other thread is tracing,
converting or compiling, if that takes no longer than `PATIENCE`: that thread may itself wait for
what the fork is made for. In the child all locks are new that are held by nobody who is left.
"""

from __future__ import annotations

import os
import threading
import time
from importlib import import_module
from types import TracebackType
from typing import Any

from runtime.process.interrupts import Deferring, Interrupted, uninterrupted

__all__ = ["PATIENCE", "held_at_forks", "imported", "new_after_forks", "start", "whole"]

# Seconds. Ordinary functions are traced and compiled in a tenth of one.
PATIENCE = 10.0
_LOOK = 0.02
# Locks under which things change that a child must find whole.
_held: list[Any] = []
_taken: list[Any] = []


class Whole:
    """A context for work that no fork may cut in the middle, and no handler of a signal.

    What such a handler raises comes out of the outermost one, when all is whole.
    """

    def __init__(self) -> None:
        self._inside: dict[int, int] = {}
        self._handlers = Deferring()

    @uninterrupted
    def __enter__(self) -> None:
        me = threading.get_ident()
        if me not in self._inside:
            self._handlers.begin()
        self._inside[me] = self._inside.get(me, 0) + 1

    @uninterrupted
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        me = threading.get_ident()
        if self._inside[me] > 1:
            self._inside[me] -= 1
            return
        del self._inside[me]
        self._handlers.end()
        if isinstance(error, Interrupted):
            raise error.original.with_traceback(traceback) from None

    def is_others(self) -> bool:
        """Whether other threads are at such work."""
        return bool(self._inside.keys() - {threading.get_ident()})

    def forget_others(self) -> None:
        """In a child, where they are not."""
        me = threading.get_ident()
        self._inside = {me: self._inside[me]} if me in self._inside else {}


whole = Whole()


def imported(name: str) -> Any:
    """A module, imported if it is not there yet: whole, where another thread forks meanwhile."""
    with whole:
        return import_module(name)


@uninterrupted
def start(thread: threading.Thread) -> None:
    """Start a thread, and be told of no signal meanwhile.

    A handler that raises there may leave a lock held that the new thread waits for.
    """
    with whole:
        thread.start()


def held_at_forks(lock: Any) -> Any:
    """A reentrant lock that is held while a process forks, so that nobody else does."""
    _held.append(lock)
    return lock


def new_after_forks(lock: Any) -> Any:
    """A lock that is held for moments, or within `whole`: in a child it is free again.

    A reentrant one stays with the thread that forks, if that has it.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _renew(lock))
    return lock


def _renew(lock: Any) -> None:
    is_own = getattr(lock, "_is_owned", None)
    if is_own is None or not is_own():
        lock._at_fork_reinit()


def _before() -> None:
    end = time.monotonic() + PATIENCE
    while whole.is_others() or not _take():
        if time.monotonic() > end:
            return
        time.sleep(_LOOK)


def _take() -> bool:
    """Take all locks that are held while a process forks, or none."""
    for lock in _held:
        if not lock.acquire(blocking=False):
            _give()
            return False
        _taken.append(lock)
    return not whole.is_others() or _give()


def _give() -> bool:
    while _taken:
        _taken.pop().release()
    return False


def _in_child() -> None:
    whole.forget_others()
    _give()
    for lock in _held:
        _renew(lock)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_give, after_in_child=_in_child)
