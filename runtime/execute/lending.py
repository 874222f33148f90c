"""Contents of variables while native code changes them in place.

Native code works without the interpreter's lock, and a tensor that was read from a variable keeps
its value. So a content is lent: meanwhile the variable has no `array`, and another thread that asks
for it waits. The array itself is lent if nobody else can ever see it, else a copy.
"""

from __future__ import annotations

import threading
from sys import getrefcount
from typing import Any

import numpy as np

from runtime.process.forks import held_at_forks

__all__ = ["lend", "lending", "put", "take_back", "waited_for"]

# What has fewer bytes is copied in less time than its memory is lent.
_LARGE = 1 << 14

# Held while contents are lent: one call at a time, so that none waits for another's.
# A child has no thread that would give contents back.
lending = held_at_forks(threading.RLock())


def lend(storage: Any) -> Any:
    """The content of a variable, to be changed; `lending` is held until it is taken back."""
    own = _memory(storage)
    return storage.lent.copy() if own is None else own


def _memory(storage: Any) -> Any:
    """The content of a variable, which has none meanwhile; None where somebody else may see it."""
    storage.lent = storage.array
    del storage.array
    lent = storage.lent
    is_own = lent.base is None and lent.flags.writeable
    return lent if is_own and _references(storage) == _ALONE else None


def take_back(storage: Any, content: Any) -> None:
    """Let a variable hold a content again; None: the one that was lent."""
    storage.array = storage.lent if content is None else content
    del storage.lent


def put(storage: Any, content: Any) -> None:
    """Let a variable hold a copy of a content, in its own memory if nobody else sees that."""
    if content.nbytes < _LARGE:
        storage.array = content.copy() if content.ndim else content
        return
    with lending:
        own = _memory(storage)
        if own is not None:
            np.copyto(own, content)
        take_back(storage, content.copy() if own is None else own)


def waited_for(storage: Any) -> Any:
    """The content of a variable that has none, when it is there again."""
    with lending:
        found = vars(storage)
        if "array" in found:
            return found["array"]
        # A signal handler asks in the middle of a call, or has ended one there.
        try:
            return found["lent"]
        except KeyError:
            raise AttributeError("array") from None


def _references(storage: Any) -> int:
    """How many references there are to what a variable lends."""
    return getrefcount(storage.lent)


class _Sample:
    """Stands for a variable."""

    array: Any
    lent: Any


def _references_of_a_lender() -> int:
    """What `_references` says in `_memory` where nobody else holds the content."""
    sample = _Sample()
    sample.lent = np.empty(1)
    lent = sample.lent
    found = _references(sample)
    del lent
    return found


_ALONE = _references_of_a_lender()
