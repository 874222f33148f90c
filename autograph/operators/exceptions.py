"""`assert` and `try`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autograph.operators.conditionals import condition, staged_if
from autograph.operators.state import State
from runtime.building import building
from runtime.errors import StagingError
from runtime.tensor import Tensor

__all__ = ["assert_stmt", "try_body"]


def assert_stmt(test: Any, message: Callable[[], Any] | None) -> None:
    """`assert test, message()`; the message is evaluated only on failure.

    Graph meaning: the AssertionError is raised when the graph runs and the test is false.
    """
    if not __debug__:
        return
    go = condition(test)

    def fail() -> None:
        raise AssertionError(message()) if message is not None else AssertionError

    if isinstance(go, Tensor):
        staged_if(go, lambda: None, fail, State(tuple, lambda values: None, ()))
    elif not go:
        fail()


@contextmanager
def try_body(kinds: tuple[str, ...]) -> Iterator[None]:
    """Around the body of a `try` that has clauses of these `kinds`.

    Python meaning: none. While tracing, exceptions of Python code are caught as written; code that
    may raise only when the graph runs is refused, since no handler could catch it there.
    """
    builder = building()
    if builder is None:
        yield
        return
    mark = builder.mark()
    yield
    culprit = next((n for n in builder.graph.nodes[mark:] if n.can_raise), None)
    if culprit is not None:
        raise StagingError(
            f"this may raise when the graph runs, inside a `try` with `{' and '.join(kinds)}`, "
            "which converted code cannot catch there yet",
            "test the condition with `if` instead, or mark the function with @ag.do_not_convert",
            origin=culprit.origin,
        )
