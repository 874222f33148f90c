"""Several things done at the same time, by Python threads: for work that is not Python's."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import TypeVar

from runtime import config
from runtime.process.forks import start

__all__ = ["cores", "together"]

_R = TypeVar("_R")


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def together(tasks: Sequence[Callable[[], _R]]) -> list[_R]:
    """What the tasks give, begun in their order, by as many threads as may be used.

    The first exception of the first task that raises is raised when all threads are done.
    """
    left = iter(range(len(tasks)))  # the interpreter's lock makes `next` safe
    results: dict[int, _R] = {}
    errors: dict[int, BaseException] = {}

    def work() -> None:
        for k in left:
            try:
                results[k] = tasks[k]()
            except BaseException as error:  # noqa: BLE001 - it is raised below
                errors[k] = error

    helpers = []
    for _ in range(min(config.threads.value or cores(), len(tasks)) - 1):
        # Settings of the caller's hold in all threads.
        run = copy_context().run
        thread = threading.Thread(target=run, args=(work,), name="autograph compiler")
        with suppress(RuntimeError):  # where there can be no more threads, there are fewer
            start(thread)
            helpers.append(thread)
    work()
    for thread in helpers:
        thread.join()
    if errors:
        raise errors[min(errors)]
    return [results[k] for k in range(len(tasks))]
