"""`assert` and `try`."""

from __future__ import annotations

import contextlib
import dis
import functools
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from autograph.operators.bodies import State
from autograph.operators.conditionals import condition, staged_if
from runtime.building import building
from runtime.errors import StagingError
from runtime.tensor import Tensor

__all__ = ["assert_stmt", "context", "try_body"]


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


# ---- `with` ----------------------------------------------------------------------------------

# Packages whose managers let every exception pass.
_PASSING = frozenset(
    ("autograph", "runtime", "numpy", "threading", "_thread", "decimal", "warnings", "io", "_io")
)


def context(manager: Any) -> Any:
    """The manager of a `with` statement.

    Python meaning: itself. While tracing, one that may swallow exceptions is guarded as a `try` is.
    """
    if building() is None or not _may_swallow(manager):
        return manager
    return _Swallowing(manager)


class _Swallowing:
    """A manager around what must not raise only when the graph runs."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager
        self._body = try_body(("with",))

    def __enter__(self) -> Any:
        self._body.__enter__()
        return type(self._manager).__enter__(self._manager)

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> bool:
        swallowed = type(self._manager).__exit__(self._manager, kind, error, traceback)
        self._body.__exit__(kind, error, traceback)
        return bool(swallowed) and not isinstance(error, StagingError)


def _may_swallow(manager: Any) -> bool:
    exit_ = getattr(type(manager), "__exit__", None)
    if type(manager).__module__.partition(".")[0] in _PASSING or exit_ is None:
        return False
    if isinstance(manager, contextlib._GeneratorContextManager):
        generator: Any = manager.gen
        return _catches(generator.gi_code)
    return not isinstance(exit_, FunctionType) or _gives_truth(exit_.__code__)


@functools.lru_cache(maxsize=256)
def _catches(code: CodeType) -> bool:
    """Whether a generator has an `except` clause."""
    return any(i.opname == "CHECK_EXC_MATCH" for i in dis.get_instructions(code))


@functools.lru_cache(maxsize=256)
def _gives_truth(code: CodeType) -> bool:
    """Whether a function may return something that is not a false constant."""
    before: Any = None
    for instruction in dis.get_instructions(code):
        if instruction.opname == "RETURN_CONST" and instruction.argval:
            return True
        is_false = before is not None and before.opname == "LOAD_CONST" and not before.argval
        if instruction.opname == "RETURN_VALUE" and not is_false:
            return True
        before = instruction
    return False
