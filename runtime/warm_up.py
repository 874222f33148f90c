"""The native backend's head start: what its first graph needs is brought in ahead of that graph.

The first function that goes to native code would wait for some eighty modules and for the entry
of all graphs, which takes longer than everything else that it needs. A thread brings them in from
the first conversion on, while the program goes on; the first graph waits for what is left of it.
Where that is LLVM, which loads and compiles without the interpreter's lock, who waits imports what
lowers graphs meanwhile. Then the thread has LLVM compile what only large graphs need: until the
first graph is lowered, nobody else uses the second processor. Where another process kept the entry,
there is no thread: what is left is Python's work, some milliseconds of it.

The thread ends by itself, and before the process forks: a child would find modules half imported,
by a thread that it does not have.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from functools import cache

from runtime import config
from runtime.process import forks
from runtime.process.later import later

__all__ = ["begin", "finish", "wait"]


class _Flag:
    """What is set once, and waited for.

    It holds no lock, as `threading.Event` does: a handler of a signal that raises in the middle
    of that leaves it held, and everybody waits for ever.
    """

    _LOOK = 0.001

    def __init__(self) -> None:
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True

    def wait(self) -> None:
        while not self._is_set:
            time.sleep(self._LOOK)


# Whether what the first graph needs is there; whether a graph asked for it; whether to end.
_is_ready, _is_asked, _is_ending = _Flag(), _Flag(), _Flag()
_KEPT, _LOWERING = "runtime.lowering.kept", "runtime.lowering.prepare"


def begin() -> None:
    """Start, if native code is wanted; once in a process."""
    if config.backend.value == "native" and config.native.value:
        _begun()


def wait() -> None:
    """Return when what the first graph needs is there, if it is being brought in."""
    if _begun.cache_info().currsize and _begun() is not None:
        _is_asked.set()
        if not _is_ready.is_set():
            with suppress(Exception):  # as in the thread
                later(_LOWERING)
        _is_ready.wait()


def finish() -> None:
    """Return when the thread, if there is one, has ended, with all that it can bring in."""
    if _begun.cache_info().currsize and (thread := _begun()) is not None:
        thread.join()


def _end() -> None:
    """Have the thread end, with what it is at."""
    _is_ending.set()
    finish()


@cache
def _begun() -> threading.Thread | None:
    """What brings in what LLVM has to make; None where there is no such thread."""
    # What fails here fails again where it is needed, and is told there.
    with suppress(Exception):
        prepared = later("runtime.execute.native.prepared")
        if prepared.needs_llvm():  # no graph is kept, either: the first will be lowered
            return _thread()
        prepared.bring_in()
        later(_KEPT).bring_in()
    return None


def _thread() -> threading.Thread | None:
    """The thread, started; None where there can be none."""
    # Python waits for it at its end: a thread that is cut off inside LLVM could crash there.
    thread = threading.Thread(target=_bring_in, name="autograph head start", daemon=False)
    try:
        forks.start(thread)
    except RuntimeError:  # there are no threads here, or the interpreter ends
        return None
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_end)
    return thread


def _is_over() -> bool:
    """Whether the thread is to end: Python waits for it where the program is at its end, too."""
    return _is_ending.is_set() or not threading.main_thread().is_alive()


def _bring_in() -> None:
    with suppress(Exception):
        prepared = later("runtime.execute.native.prepared")
        try:
            # LLVM works without the interpreter's lock, so it goes first: the program goes on.
            prepared.bring_in()
        finally:
            _is_ready.set()
        prepared.bring_in_more(_is_asked.is_set, _is_over)
        if not _is_asked.is_set() and not _is_over():  # who asked imports it
            later(_KEPT).bring_in()
            later(_LOWERING)
