"""`with`: managers of the user's are converted, others are entered each time the graph runs.

`with` is `try` with a handler that calls `__exit__`, in the definition of Python. So where the body
may raise when the graph runs, it is the body of a node that catches, and `__exit__` is traced with
the exception that was caught, and once more, in another branch, with none.
"""

from __future__ import annotations

import contextlib
import dis
import functools
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType, TracebackType
from typing import Any, NamedTuple

from autograph.operators.branches.conditionals import condition
from autograph.operators.calls.managers import of_host, that_raises
from autograph.operators.captured.captures import Trace, current_trace
from autograph.operators.captured.caught import Caught
from autograph.operators.captured.defaults import with_defaults
from autograph.operators.captured.host_values import HostValue
from autograph.operators.captured.methods import ORIGINALS, attribute, convert, for_context, method
from autograph.operators.catching.exceptions import (
    again,
    attempted,
    before_end,
    choose,
    finishing,
    handled,
    runs_as_graph,
    with_handlers,
)
from autograph.operators.expressions import attributes
from autograph.operators.expressions.generators import Consumer
from autograph.operators.expressions.logical import not_
from autograph.operators.results.host_calls import entered, left
from autograph.operators.values.bodies import State, stage_raise
from autograph.rules import UNCONVERTED
from runtime import journal
from runtime.building import body, current_builder
from runtime.errors import GraphError, StagingError
from runtime.origins import origin_of_caller
from runtime.process.interrupts import Interrupted
from runtime.tensor import Tensor

__all__ = ["context", "with_stmt"]

_OURS = frozenset(("autograph", "runtime"))
_STAGING = (StagingError, GraphError)


@dataclass(frozen=True)
class _Body:
    """What runs in a `with`, given what the manager gives where it is entered."""

    function: Callable[[Any], None]

    def __call__(self, entered: Any) -> None:
        with before_end():
            self.function(entered)

    @property
    def code(self) -> CodeType:
        return self.function.__code__


def with_stmt(
    manager: Any,
    body: Callable[[Any], None],
    get_state: Callable[[], tuple[Any, ...]],
    set_state: Callable[[tuple[Any, ...]], None],
    symbol_names: tuple[str, ...],
) -> None:
    """`with manager as entered: body(entered)`.

    Python meaning: exactly that. Graph meaning: the `__enter__` and `__exit__` of the user's, and
    functions marked with `contextlib.contextmanager`, are converted; what the graph raises in the
    body is given to them where it is caught. Other managers are entered and left by the graph.
    """
    with finishing(), _Open(manager):
        _with_stmt(manager, _Body(body), State(get_state, set_state, symbol_names))


class _Open:
    """Around what runs in a `with`: the manager may write what it holds at the end."""

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def __enter__(self) -> None:
        trace = current_trace()
        self._managers = [] if trace is None else trace.scopes.managers
        self._managers.append(self._manager)

    def __exit__(self, *details: object) -> None:
        last = max(k for k, one in enumerate(self._managers) if one is self._manager)
        del self._managers[last]  # generators may leave theirs in another order


def _with_stmt(manager: Any, body: _Body, state: State) -> None:
    trace = current_trace()
    if trace is not None:
        if type(manager) is contextlib.suppress:
            _suppressing(manager, body, state)
            return
        found = _of_user(manager)
        if found is not None:
            found.run(body, state)
            return
        twin = _twin_of_generator(manager)
        if twin is not None:
            _over_generator(manager, twin, trace, body, state)
            return
    with context(manager) as entered:
        body(entered)


def context(manager: Any) -> Any:
    """The manager of a `with` around a `yield`, or of one that only Python has to do with.

    Python meaning: itself. Graph meaning: the `__enter__` and `__exit__` of the user's are
    converted and called; any other manager is entered and left when the graph runs, on each call.
    """
    trace = current_trace()
    if trace is None:
        return manager
    kind = type(manager)
    if kind.__module__.partition(".")[0] in _OURS or not hasattr(kind, "__exit__"):
        return manager
    if isinstance(manager, contextlib.nullcontext):
        return _Entering(lambda: attributes.getattr_(manager, "enter_result"))
    twin = _twin_of_generator(manager)
    if twin is not None:
        return _InOpen(manager, _Suspended(_made_anew(manager, twin, trace), trace))
    found = _of_user(manager)
    if found is not None:
        return _InOpen(manager, _Unguarded(found))
    if getattr(kind, UNCONVERTED, False) or _is_marked(kind, "__enter__"):
        return manager
    if isinstance(manager, contextlib.ExitStack):
        raise StagingError(
            "a contextlib.ExitStack is entered: which managers it holds may depend on data",
            "write a `with` statement for each manager, or open the stack around the call of the "
            "converted function",
            origin=origin_of_caller(),
        )
    return of_host(manager, trace)


def _is_marked(kind: type, name: str) -> bool:
    return bool(getattr(attribute(kind, name), UNCONVERTED, False))


class _Entering:
    """Gives a value and does nothing else."""

    def __init__(self, value: Callable[[], Any]) -> None:
        self._value = value

    def __enter__(self) -> Any:
        return self._value()

    def __exit__(self, *details: object) -> None:
        pass


def _suppressing(manager: Any, body: _Body, state: State) -> None:
    """`contextlib.suppress`: a clause that does nothing."""
    handler = (lambda: manager._exceptions, lambda error: None)
    with_handlers(lambda: body(None), body.code, (handler,), None, state)


# ---- managers of the user's ------------------------------------------------------------------


class _Reads(IntEnum):
    """What an `__exit__` reads of the exception that it is given."""

    NOTHING = 0
    WHETHER = 1  # there is one
    MORE = 2


class _Manager(NamedTuple):
    """The converted `__enter__` and `__exit__` of a manager; `reads` says what the latter reads."""

    enter: Callable[[], Any]
    leave: Callable[..., Any]
    reads: _Reads

    def run(self, body: _Body, state: State) -> None:
        """Run a body in it."""
        entered = self.enter()

        def run() -> None:
            body(entered)

        try:
            is_staged = runs_as_graph(run, body.code, state, self.acts_on_errors)
        except (*_STAGING, Interrupted):
            raise
        except BaseException as error:
            if not self._swallows(error):
                raise
            return
        if not is_staged:
            self.leave(None, None, None)
        elif self.reads is _Reads.NOTHING:
            self._stage_in_one(run, state)
        else:
            self._stage_apart(run, state)

    def _swallows(self, error: BaseException) -> bool:
        """Leave by an exception that is known while tracing; whether it goes no further."""
        swallowed = condition(self.leave(type(error), error, error.__traceback__))
        if not isinstance(swallowed, Tensor):
            return bool(swallowed)
        stage_raise(not_(swallowed), error)
        return True

    def _stage_in_one(self, run: Callable[[], None], state: State) -> None:
        """`__exit__` does the same with and without an error: it is traced once."""
        attempt, clause, error = attempted(run, ((BaseException,),), state)
        swallowed = condition(self.leave(None, None, None))
        again(attempt, clause, error, swallowed)
        if swallowed is False:
            attempt.settle()

    def _stage_apart(self, run: Callable[[], None], state: State) -> None:
        attempt, clause, error = attempted(run, ((BaseException,),), state)

        def normally() -> None:
            attempt.settle()
            self.leave(None, None, None)

        def failed() -> None:
            caught = Caught(error, (BaseException,), attempt.told)
            handled(self._leave_by_caught, caught)

        paths = [(1, failed)] if attempt.raises else [(0, normally), (1, failed)]
        choose(clause, paths, state)

    def _leave_by_caught(self, caught: BaseException) -> None:
        assert isinstance(caught, Caught)
        swallowed = condition(self.leave(caught.kind(), caught, caught.traceback()))
        if isinstance(swallowed, Tensor):
            stage_raise(not_(swallowed), caught)
        elif not swallowed:
            raise caught

    def acts_on_errors(self) -> bool:
        """Whether `__exit__` does or decides something when it is given some exception."""
        if self.reads is _Reads.MORE:
            return True
        builder = current_builder()
        unknown = object()  # of which `__exit__` sees that it is not None
        with body("exit", builder) as scratch, journal.transaction() as transaction:
            try:
                result = self.leave(unknown, unknown, unknown)
            except Exception:  # noqa: BLE001 - it is enough to know that it does not just pass
                return True
            nodes = scratch.graph.nodes
            if result is not None and result is not False:
                return True
            return _has_written(transaction) or any(n.has_effect or n.can_raise for n in nodes)


def _of_user(manager: Any) -> _Manager | None:
    """How a manager of the user's is entered and left, and one that closes a thing."""
    if type(manager) is contextlib.closing:
        return _closing(manager)
    if isinstance(manager, HostValue):
        return _Manager(lambda: entered(manager), lambda *d: left(manager, *d), _Reads.MORE)
    enter, leave = method(manager, "__enter__"), method(manager, "__exit__")
    if enter is None or leave is None:
        return None
    function = attribute(type(manager), "__exit__")
    return _Manager(enter, leave, _read_by(ORIGINALS.get(function, function).__code__))


def _closing(manager: Any) -> _Manager | None:
    """`contextlib.closing` of a thing whose `close` is the user's."""
    thing = attributes.getattr_(manager, "thing")
    close = method(thing, "close")
    if close is None:
        return None

    def leave(*details: Any) -> None:
        close()

    return _Manager(lambda: thing, leave, _Reads.NOTHING)


def _has_written(transaction: journal.Transaction) -> bool:
    """Whether something that existed before the transaction is written in it."""
    return any(new is not old for _, old, new in transaction.written().values())


@functools.lru_cache(maxsize=256)
def _read_by(code: CodeType) -> _Reads:
    """What the code of an `__exit__` reads of what it is given."""
    given = set(code.co_varnames[1 : code.co_argcount + bool(code.co_flags & CO_VARARGS)])
    if not given.isdisjoint(code.co_cellvars) or code.co_flags & CO_VARKEYWORDS:
        return _Reads.MORE
    found = _Reads.NOTHING
    instructions = [*dis.get_instructions(code), None, None]
    for this, following, last in zip(
        instructions, instructions[1:], instructions[2:], strict=False
    ):
        names = getattr(this, "argval", None)
        names = set(names if isinstance(names, tuple) else (names,)) if this is not None else set()
        if this is None or not this.opname.startswith("LOAD_FAST") or given.isdisjoint(names):
            continue
        if len(names) > 1 or not _asks_for_none(following, last):
            return _Reads.MORE
        found = _Reads.WHETHER
    return found


def _asks_for_none(following: Any, last: Any) -> bool:
    if following is None:
        return False
    if following.opname.startswith("POP_JUMP") and following.opname.endswith("NONE"):
        return True
    is_none = following.opname == "LOAD_CONST" and following.argval is None
    return is_none and last is not None and last.opname == "IS_OP"


class _InOpen:
    """A manager around a body that stays where it is, by what enters and leaves it."""

    def __init__(self, manager: Any, runs: _Unguarded | _Suspended) -> None:
        self._open, self._runs = _Open(manager), runs

    def __enter__(self) -> Any:
        entered = self._runs.__enter__()
        self._open.__enter__()
        return entered

    def __exit__(self, *details: Any) -> bool:
        self._open.__exit__()
        return self._runs.__exit__(*details)


class _Unguarded:
    """A manager around a body that stays where it is, which holds a `yield`.

    An error that only the graph can raise leaves the body without `__exit__`: that is refused,
    unless `__exit__` has no effect then.
    """

    def __init__(self, manager: _Manager) -> None:
        self._manager = manager

    def __enter__(self) -> Any:
        entered = self._manager.enter()
        builder = current_builder()
        self._builder, self._mark = builder, builder.mark()
        return entered

    def __exit__(
        self, kind: Any, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if isinstance(error, _STAGING):
            return False
        if error is not None:
            return self._swallows(kind, error, traceback)
        culprit = that_raises(self._builder, self._mark)
        if culprit is not None and self._manager.acts_on_errors():
            raise StagingError(
                "this may raise when the graph runs, inside a `with` around a `yield` whose "
                "`__exit__` has an effect then, which a graph cannot give it yet",
                "test the condition with `if` before the `with`, or open the `with` around the "
                "call of the converted function",
                origin=culprit.origin,
            )
        self._manager.leave(None, None, None)
        return False

    def _swallows(self, *details: Any) -> bool:
        result = condition(self._manager.leave(*details))
        if isinstance(result, Tensor):
            raise StagingError(
                "whether `__exit__` swallows the exception is known only when the graph runs",
                "return a Python bool from `__exit__`",
                origin=origin_of_caller(),
            )
        return bool(result)


# ---- contextlib.contextmanager -----------------------------------------------------------------


def _twin_of_generator(manager: Any) -> Callable[..., Any] | None:
    """The converted generator function of a manager that `contextlib.contextmanager` made."""
    if not isinstance(manager, contextlib._GeneratorContextManager):
        return None
    function = manager.func
    return convert(function) if isinstance(function, FunctionType) else None


def _made_anew(manager: Any, twin: Callable[..., Any], trace: Trace) -> Any:
    """The manager, of the converted function."""
    if trace.outside.has(manager):
        raise StagingError(
            f"the manager of `{manager.func.__name__}` was made outside of the converted function, "
            "and can be entered once",
            "call the function in the `with` statement",
            origin=origin_of_caller(),
        )
    manager.gen.close()  # it never begins: the converted one does
    args, kwargs = with_defaults(manager.func, manager.args, manager.kwds, is_held=True)
    return contextlib._GeneratorContextManager(twin, args, kwargs)


def _over_generator(
    manager: Any, twin: Callable[..., Any], trace: Trace, run_body: _Body, state: State
) -> None:
    """Run a body in a converted generator.

    Where the generator would see what the graph raises in the body, its code runs instead, with
    the body in the place of the `yield`.
    """
    function = manager.func
    in_place = for_context(function)
    suspended = _Suspended(_made_anew(manager, twin, trace), trace, in_place is not None)

    def run() -> None:
        with suspended as entered:
            run_body(entered)

    statement = (run_body.code, function.__code__)
    if runs_as_graph(run, statement, state, lambda: suspended.is_concerned):
        assert in_place is not None
        _run_in_place(in_place, manager, run_body, state)


def _run_in_place(
    function: Callable[..., Any], manager: Any, run_body: _Body, state: State
) -> None:
    consumer = Consumer(run_body, lambda: True, state)
    args, kwargs = with_defaults(manager.func, manager.args, manager.kwds, is_held=True)
    with journal.transaction() as run:
        consumer.note_names()
        try:
            function(consumer, *args, **kwargs)
        finally:
            consumer.forget_names(run)
            run.commit()


class _Suspended:
    """A converted generator around the body."""

    def __init__(self, manager: Any, trace: Trace, runs_in_place: bool = False) -> None:
        self._manager, self._trace, self._runs_in_place = manager, trace, runs_in_place
        self.is_concerned = False

    def __enter__(self) -> Any:
        before = len(self._trace.generators.left)
        entered = self._manager.__enter__()
        self._protected = len(self._trace.generators.left) > before
        builder = current_builder()
        self._builder, self._mark = builder, builder.mark()
        return entered

    def __exit__(
        self, kind: Any, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        culprit = that_raises(self._builder, self._mark)
        if isinstance(error, _STAGING):
            self._manager.gen.close()
            return False
        self.is_concerned = culprit is not None and self._protected
        if not self.is_concerned or (error is not None and not self._runs_in_place):
            return bool(self._manager.__exit__(kind, error, traceback))
        self._manager.gen.close()
        if self._runs_in_place:
            return False
        assert culprit is not None
        raise StagingError(
            "this may raise when the graph runs, inside a `with` whose generator would catch it or "
            "clean up after it, which a graph cannot do where the generator has several `yield`, "
            "or a `return`, or gives its value in a branch or loop",
            "give the value in one `yield`, with only `try` and `with` around it",
            origin=culprit.origin,
        )
