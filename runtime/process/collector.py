"""The cyclic garbage collector while graphs are made.

It would go through all their parts over and over: a trace or a pass makes many objects that live
on, and each thousand of them sets off a collection, some of which go through all objects there
are. So meanwhile collections are far apart. They do not stop: the user's own code runs while
tracing, and may make garbage.
"""

from __future__ import annotations

import gc
import os
import threading
from types import TracebackType

from runtime.process.interrupts import uninterrupted

__all__ = ["Rarely", "rarely"]

# Objects between collections: some thirty thousand nodes.
FEW = 500_000


class Rarely:
    """A context in which collections are far apart; of all threads, the last to leave ends it.

    Thresholds that somebody else sets meanwhile stay.
    """

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def _renew(self) -> None:
        self._lock = threading.Lock()
        self._open = 0
        self._before = self._ours = (0, 0, 0)

    def _after_fork(self) -> None:
        """In the child, where the threads that had entered are no more."""
        if self._open and gc.get_threshold() == self._ours:
            gc.set_threshold(*self._before)
        self._renew()

    @uninterrupted
    def __enter__(self) -> None:
        with self._lock:
            self._open += 1
            if self._open == 1:
                self._before = gc.get_threshold()
                # A first threshold of 0 means that the user stopped collections.
                if 0 < self._before[0] < FEW:
                    gc.set_threshold(FEW, *self._before[1:])
                self._ours = gc.get_threshold()

    @uninterrupted
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._open = max(self._open - 1, 0)
            if not self._open and gc.get_threshold() == self._ours:
                gc.set_threshold(*self._before)


rarely = Rarely()
