"""What is told of each node that a graph runs, where somebody asked for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from runtime import config
from runtime.execute.numerics import refuse_new_nonfinite
from runtime.graph.ir import Node

__all__ = ["Observer", "observer", "observing", "timed_kernels", "timing_kernels"]

# Called with the node, its operands, its results, and the seconds that they took.
Observer: TypeAlias = Callable[[Node, Sequence[Any], Sequence[Any], float], None]

_observer: ContextVar[Observer | None] = ContextVar("observer", default=None)
_timed: ContextVar[list[Any] | None] = ContextVar("timed", default=None)


@contextmanager
def observing(each: Observer) -> Iterator[None]:
    """Graphs that are compiled in this context tell `each` of their nodes, always."""
    token = _observer.set(each)
    try:
        yield
    finally:
        _observer.reset(token)


@contextmanager
def timing_kernels(found: list[Any]) -> Iterator[None]:
    """Native code that is compiled in this context takes the times of its kernels: in `found`."""
    token = _timed.set(found)
    try:
        yield
    finally:
        _timed.reset(token)


def timed_kernels() -> list[Any] | None:
    """Where the times of kernels are wanted, if they are."""
    return _timed.get()


def observer() -> Observer | None:
    """Who is told of the nodes of graphs that are compiled now, if anybody is."""
    found = _observer.get()
    if found is None and config.check_numerics.value:
        return _check_numerics
    return found


def _check_numerics(
    node: Node, operands: Sequence[Any], results: Sequence[Any], seconds: float
) -> None:
    refuse_new_nonfinite(node.op, operands, results)
