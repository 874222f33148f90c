"""`assert` and `try`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

from autograph.operators.branches.conditionals import condition, staged_if
from autograph.operators.captured.captures import current_trace
from autograph.operators.captured.caught import Caught
from autograph.operators.catching.attempts import Attempt, refuse_advanced
from autograph.operators.values.bodies import NO_NAMES, Outcome, State, nothing, restarting
from autograph.operators.values.compiler_errors import refuse_own
from runtime import journal
from runtime.building import Builder, Mark, building, current_builder
from runtime.errors import GraphLimit, StagingError
from runtime.process.interrupts import Interrupted
from runtime.tensor import Tensor

__all__ = ["Block", "again", "assert_stmt", "at_end", "attempted", "before_end",
           "choose", "finishing", "handled", "runs_as_graph", "try_body",
           "try_stmt", "with_handlers"]  # fmt: skip

Block = Callable[[], None]
# The classes of a clause, evaluated when they are asked for (None: a bare `except`), and its body.
Handler = tuple[Callable[[], Any] | None, Callable[[BaseException], None]]


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
        staged_if(go, nothing, fail, NO_NAMES)
    elif not go:
        fail()


def try_stmt(
    body: Block,
    handlers: tuple[Handler, ...],
    orelse: Block | None,
    finalbody: Block | None,
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: tuple[str, ...],
) -> None:
    """`try: body` with its clauses, `else: orelse` and `finally: finalbody`.

    Python meaning: exactly that, but errors of staging pass the handlers. Graph meaning, for a body
    that may raise when the graph runs: a node that catches; the handlers, `else` and `finally` are
    branches on which clause took the error. A `finally` raises it again at its end.
    """
    state = State(get_state, set_state, symbol_names)

    def run() -> None:
        if handlers:
            with_handlers(body, body.__code__, handlers, orelse, state)
        else:
            body()

    def protected() -> None:
        with before_end():
            run()

    if finalbody is None:
        run()
    else:
        with finishing():
            _with_finally(protected, finalbody, body, state)


# ---- handlers --------------------------------------------------------------------------------


def with_handlers(
    body: Block,
    statement: Any,
    handlers: tuple[Handler, ...],
    orelse: Block | None,
    state: State,
) -> None:
    """Run a body with its clauses and `else`; `statement` tells one statement from another."""
    try:
        is_staged = runs_as_graph(body, statement, state)
    except (StagingError, Interrupted):
        raise
    except BaseException as error:
        refuse_own(error)
        handler = _taking(handlers, error)
        if handler is None:
            raise
        handler(error)
        return
    if is_staged:
        _staged_handlers(body, handlers, orelse, state)
    elif orelse is not None:
        orelse()


def _taking(
    handlers: tuple[Handler, ...], error: BaseException
) -> Callable[[BaseException], None] | None:
    """The body of the first clause that takes the error."""
    if isinstance(error, GraphLimit):
        return None  # Python would not have come here
    for kinds, handler in handlers:
        if isinstance(error, _classes(kinds)):
            return handler
    return None


def _classes(kinds: Callable[[], Any] | None) -> tuple[type[BaseException], ...]:
    """The classes of exceptions that a clause takes."""
    found = BaseException if kinds is None else kinds()
    classes = found if isinstance(found, tuple) else (found,)
    if not all(isinstance(c, type) and issubclass(c, BaseException) for c in classes):
        raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    return classes


def _staged_handlers(
    body: Block, handlers: tuple[Handler, ...], orelse: Block | None, state: State
) -> None:
    """A node that catches, then a branch for each clause."""
    clauses = tuple(_classes(kinds) for kinds, _ in handlers)
    attempt, clause, error = attempted(body, clauses, state)
    paths: list[tuple[int, Block]] = [
        (number, partial(_handling, handler, error, kinds, attempt, clauses[: number - 1]))
        for number, ((_, handler), kinds) in enumerate(zip(handlers, clauses, strict=True), 1)
    ]
    if not attempt.raises:
        paths.insert(0, (0, lambda: _go_on(attempt, orelse)))
    choose(clause, paths, state)


def _handling(
    handler: Callable[[BaseException], None],
    error: Tensor,
    kinds: tuple[type[BaseException], ...],
    attempt: Attempt,
    before: tuple[tuple[type[BaseException], ...], ...],
) -> None:
    """The path of a clause, behind others that did not take the exception."""
    others = tuple(kind for group in before for kind in group)
    handled(handler, Caught(error, kinds, attempt.told, others))


def choose(clause: Tensor, paths: list[tuple[int, Block]], state: State) -> None:
    """Run the path of the clause's number: a branch for each but the last."""
    (number, path), *others = paths
    if others:
        staged_if(clause == number, path, lambda: choose(clause, others, state), state)
    else:
        path()


def handled(handler: Callable[[BaseException], None], caught: Caught) -> None:
    """Trace a handler where the exception is being handled: it may be raised again, by `raise`."""
    try:
        raise caught
    except Caught as error:
        handler(error)


def _go_on(attempt: Attempt, orelse: Block | None) -> None:
    attempt.settle()
    if orelse is not None:
        orelse()


# ---- finally ---------------------------------------------------------------------------------


def _with_finally(protected: Block, finalbody: Block, body: Block, state: State) -> None:
    try:
        is_staged = runs_as_graph(protected, ("finally", body.__code__), state)
    except BaseException:
        finalbody()
        raise
    if not is_staged:
        finalbody()
        return
    attempt, clause, error = attempted(protected, ((BaseException,),), state)
    finalbody()

    again(attempt, clause, error)
    attempt.settle()


def finishing() -> AbstractContextManager[None]:
    """Around a `try` or `with` of which the end runs code, also behind a `return` in it."""
    return _finishing(1)


def at_end(block: Callable[..., None]) -> Callable[..., None]:
    """A clause or `else` that stands for a `finally`, which runs behind a `return` too."""

    def run(*caught: BaseException) -> None:
        with finishing():
            block(*caught)

    return run


def before_end() -> AbstractContextManager[None]:
    """In the body of what is `finishing`: behind a `return` in it, the rest of it does not run.

    What gives the result may be written there on other paths, which the result does not see.
    """
    return _finishing(-1)


@contextmanager
def _finishing(more: int) -> Iterator[None]:
    facts = current_trace()
    if facts is None:
        yield
        return
    facts.scopes.finishing += more
    try:
        yield
    finally:
        facts.scopes.finishing -= more


def again(attempt: Attempt, clause: Tensor, error: Tensor, swallowed: Any = False) -> None:
    """Raise what the body raised, unless `swallowed` is true."""

    def raised() -> None:
        raise Caught(error, (BaseException,), attempt.told)

    def unless_swallowed() -> None:
        go = condition(swallowed)
        if isinstance(go, Tensor):
            staged_if(go, nothing, raised, NO_NAMES)
        elif not go:
            raised()

    if attempt.raises:
        unless_swallowed()
    else:
        staged_if(clause != 0, unless_swallowed, nothing, NO_NAMES)


# ---- both ------------------------------------------------------------------------------------


def attempted(
    body: Block, clauses: tuple[tuple[type[BaseException], ...], ...], state: State
) -> tuple[Attempt, Tensor, Tensor]:
    """Emit a node that catches; the number of the clause that took an error, and the error."""
    parent = current_builder()
    state.read_captured()

    def traced() -> tuple[Attempt, Outcome]:
        attempt = Attempt(parent, state)
        return attempt, attempt.trace(body)

    attempt, outcome = restarting(traced)
    clause, error = attempt.emit(outcome, clauses)
    return attempt, clause, error


def runs_as_graph(
    run: Block, statement: Any, state: State, is_concerned: Callable[[], bool] = lambda: True
) -> bool:
    """Run a body as Python does; undone, and true, if it may raise when the graph runs.

    `statement` tells one statement from another; `is_concerned`, asked after the body, whether it
    has anything to do with an error that the graph raises.
    """
    builder, facts = building(), current_trace()
    if builder is None:
        run()
        return False
    site = ("try", statement)
    if facts is not None and site in facts.decisions.sites:
        return True
    mark, before = builder.mark(), state.get()
    with journal.transaction() as transaction:
        try:
            run()
        except (StagingError, Interrupted):
            raise
        except BaseException:
            if not _can_raise(builder, mark) or not is_concerned():
                transaction.commit()
                raise
        if not _can_raise(builder, mark) or not is_concerned():
            transaction.commit()
            return False
    refuse_advanced(transaction)
    state.set(before)
    builder.truncate(mark)
    if facts is not None:
        facts.decisions.sites[site] = True
    return True


def _can_raise(builder: Builder, mark: Mark) -> bool:
    return any(node.can_raise for node in builder.graph.nodes[mark.now(builder.graph.nodes) :])


class try_body:
    """Around a body that is not staged as a `try`: one with `except*`, or of a `with`.

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
