"""Room for the frames of deep calls: the blocks that they lie in, and as many as it takes.

CPython keeps the frames of Python functions in blocks of 16 KB. It asks the system for a block when
a call does not fit, and gives it back as soon as that call returns: a call that is made over and
over where a block ends costs some microseconds each time. Tracing is deep, and its statements are
such calls: a quarter of its time went there. A frame that is larger than a block gets one of its
own, of a power of two, and what is left of that serves the calls below it.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import NoReturn, ParamSpec, TypeVar

from runtime.process.forks import new_after_forks, start

__all__ = ["SLOTS", "of_any_depth", "roomy"]

P = ParamSpec("P")
R = TypeVar("R")

# Places for operands in the large frame: a little above half of 1 MB. Nothing is ever stored there,
# so that the system lends no memory for it; the other half holds more than a thousand frames.
SLOTS = 65_000


def roomy(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, its calls with room for the frames of some thousand calls within them."""

    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    called.__code__ = called.__code__.replace(co_stacksize=SLOTS)
    return functools.update_wrapper(called, function)


# What code that compilers take needs at most, and more: CPython's nests some thousand nodes. The
# system lends memory for what is used of a stack.
_FRAMES, _STACK = 200_000, 1 << 29
_lock = new_after_forks(threading.Lock())


def of_any_depth(function: Callable[P, R]) -> Callable[P, R]:
    """`function`, which does not depend on how deep Python's calls may be, or on what calls it.

    It must leave nothing behind where it raises RecursionError: it is called a second time then, in
    a thread of its own.
    """

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except RecursionError:
            if threading.current_thread().name == _NAME:
                raise
            found = _in_thread(functools.partial(function, *args, **kwargs))
            if found is None:  # there can be no thread
                raise
        return found()

    return called


_NAME = "autograph deep calls"


def _in_thread(call: Callable[[], R]) -> Callable[[], R] | None:
    """What gives, or raises, what a call in a thread with a large stack does; None without one."""
    outcome: list[Callable[[], R]] = []

    def run() -> None:
        try:
            found = call()
            outcome.append(lambda: found)
        except BaseException as error:  # noqa: BLE001 - it is raised by who called
            outcome.append(functools.partial(_raise, error))

    with _lock, _with_large_stacks():
        thread = threading.Thread(target=copy_context().run, args=(run,), name=_NAME)
        try:
            start(thread)
        except RuntimeError:
            return None
        thread.join()
    return outcome[0]


@contextmanager
def _with_large_stacks() -> Iterator[None]:
    size, depth = threading.stack_size(_STACK), sys.getrecursionlimit()
    sys.setrecursionlimit(max(depth, _FRAMES))
    try:
        yield
    finally:
        threading.stack_size(size)
        sys.setrecursionlimit(depth)


def _raise(error: BaseException) -> NoReturn:
    raise error
