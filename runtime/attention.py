"""One process-wide word: whether any context is open that a call of a Function must look at.

Open tapes, traces under way and eager mode each raise it by one, in whatever thread. While it is
zero, a call goes straight to its compiled graph.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["count", "lower", "raised", "rise"]

# A list, so that readers hold the word itself: `count[0]`.
count = [0]
_lock = threading.Lock()


def rise() -> None:
    """A context was opened."""
    with _lock:
        count[0] += 1


def lower() -> None:
    """It was closed."""
    with _lock:
        count[0] -= 1


@contextmanager
def raised() -> Iterator[None]:
    """Raise the word for a `with` block."""
    rise()
    try:
        yield
    finally:
        lower()
