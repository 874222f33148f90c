"""One process-wide word: whether any context is open that a call of a Function must look at.

Open tapes, traces under way and eager mode each raise it by one, in whatever thread. While it is
zero, a call goes straight to its compiled graph. In the child of a fork, what other threads had
open is open no more.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from runtime.process.forks import new_after_forks

__all__ = ["count", "lower", "raised", "rise"]

# A list, so that readers hold the word itself: `count[0]`.
count = [0]
_lock = new_after_forks(threading.Lock())


# What each thread has opened; None: what holds in all of them.
_opened: Counter[int | None] = Counter()


def rise(*, everywhere: bool = False) -> None:
    """A context was opened: in this thread, or for all."""
    with _lock:
        count[0] += 1
        _opened[None if everywhere else threading.get_ident()] += 1


def lower(*, everywhere: bool = False) -> None:
    """It was closed."""
    with _lock:
        count[0] -= 1
        _opened[None if everywhere else threading.get_ident()] -= 1


def _in_child() -> None:
    """Forget what threads have opened that are not there."""
    for thread in _opened.keys() - {None, threading.get_ident()}:
        count[0] -= _opened.pop(thread)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)


@contextmanager
def raised() -> Iterator[None]:
    """Raise the word for a `with` block."""
    rise()
    try:
        yield
    finally:
        lower()
