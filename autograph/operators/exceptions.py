"""`assert` and `try`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.operators.bodies import State
from autograph.operators.conditionals import condition, staged_if
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


class try_body:
    """Around the body of a `try` that has clauses of these `kinds`.

    Python meaning: none. While tracing, exceptions of Python code are caught as written; code that
    may raise only when the graph runs is refused, since no handler could catch it there.
    """

    __slots__ = ("_builder", "_kinds", "_mark")

    def __init__(self, kinds: tuple[str, ...]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None:
        self._builder = builder = building()
        self._mark = 0 if builder is None else builder.mark()

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if self._builder is None or error is not None:
            return
        added = self._builder.graph.nodes[self._mark :]
        culprit = next((node for node in added if node.can_raise), None)
        if culprit is not None:
            raise StagingError(
                "this may raise when the graph runs, inside a `try` with "
                f"`{' and '.join(self._kinds)}`, which converted code cannot catch there yet",
                "test the condition with `if` instead, or mark the function with "
                "@ag.do_not_convert",
                origin=culprit.origin,
            )
