"""`with`: managers of the user's are converted, others are entered each time the graph runs."""

from __future__ import annotations

import contextlib
import decimal
import dis
import functools
import warnings
from collections.abc import Callable
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, FunctionType, TracebackType
from typing import Any

import numpy as np

from autograph.operators import attributes
from autograph.operators.captures import Trace, current_trace, weak
from autograph.operators.conditionals import condition
from autograph.operators.methods import ORIGINALS, attribute, convert, method
from autograph.operators.plain_calls import UNCONVERTED
from autograph.operators.templates import has_traced
from autograph.operators.variables import Poison
from runtime import journal
from runtime.building import Builder, body, building
from runtime.contexts import ENTER, EXIT
from runtime.errors import GraphError, StagingError
from runtime.graph.ir import Node
from runtime.origins import origin_of_caller
from runtime.tensor import Tensor

__all__ = ["context", "made_manager", "makes_manager"]

_OURS = frozenset(("autograph", "runtime"))


def context(manager: Any) -> Any:
    """The manager of a `with` statement.

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
    if isinstance(manager, contextlib._GeneratorContextManager):
        function = manager.func
        twin = convert(function) if isinstance(function, FunctionType) else None
        if twin is not None:
            return _generator_context(manager, twin, trace)
    enter, leave = method(manager, "__enter__"), method(manager, "__exit__")
    if enter is not None and leave is not None:
        function = attribute(kind, "__exit__")
        return _Converted(enter, leave, ORIGINALS.get(function, function).__code__)
    if getattr(kind, UNCONVERTED, False) or _is_marked(kind, "__enter__"):
        return manager
    return _of_host(manager, trace)


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


# ---- managers of the user's ------------------------------------------------------------------


class _Converted:
    """Calls a converted `__enter__` and `__exit__`.

    An error that only the graph can raise leaves the body without `__exit__`: that is refused,
    unless `__exit__` has no effect then.
    """

    def __init__(self, enter: Callable[[], Any], leave: Callable[..., Any], code: CodeType) -> None:
        self._enter, self._leave, self._code = enter, leave, code

    def __enter__(self) -> Any:
        entered = self._enter()
        builder = building()
        assert builder is not None
        self._builder, self._mark = builder, builder.mark()
        return entered

    def __exit__(
        self, kind: Any, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if isinstance(error, (StagingError, GraphError)):
            return False
        if error is not None:
            return self._swallows(kind, error, traceback)
        culprit = _that_raises(self._builder, self._mark)
        if culprit is not None and self._acts_on_errors():
            raise StagingError(
                "this may raise when the graph runs, inside a `with` whose `__exit__` has an "
                "effect then, which a graph cannot give it yet",
                "test the condition with `if` before the `with`, or open the `with` around the "
                "call of the converted function",
                origin=culprit.origin,
            )
        self._leave(None, None, None)
        return False

    def _swallows(self, *details: Any) -> bool:
        result = condition(self._leave(*details))
        if isinstance(result, Tensor):
            raise StagingError(
                "whether `__exit__` swallows the exception is known only when the graph runs",
                "return a Python bool from `__exit__`",
                origin=origin_of_caller(),
            )
        return bool(result)

    def _acts_on_errors(self) -> bool:
        """Whether `__exit__` does or decides something when it is given some exception."""
        if _looks_at_error(self._code):
            return True
        unknown = object()  # of which `__exit__` sees that it is not None
        with body("exit", self._builder) as scratch, journal.transaction() as transaction:
            try:
                result = self._leave(unknown, unknown, unknown)
            except Exception:  # noqa: BLE001 - it is enough to know that it does not just pass
                return True
            nodes = scratch.graph.nodes
            if result is not None and result is not False:
                return True
            return _has_written(transaction) or any(n.has_effect or n.can_raise for n in nodes)


def _that_raises(builder: Builder, mark: Any) -> Node | None:
    """The first node since `mark` that can raise."""
    nodes = builder.graph.nodes[mark.now(builder.graph.nodes) :]
    return next((node for node in nodes if node.can_raise), None)


def _has_written(transaction: journal.Transaction) -> bool:
    """Whether something that existed before the transaction is written in it."""
    return any(new is not old for _, old, new in transaction.written().values())


@functools.lru_cache(maxsize=256)
def _looks_at_error(code: CodeType) -> bool:
    """Whether `__exit__` does more with what it is given than to ask whether it is None."""
    given = set(code.co_varnames[1 : code.co_argcount + bool(code.co_flags & CO_VARARGS)])
    if not given.isdisjoint(code.co_cellvars) or code.co_flags & CO_VARKEYWORDS:
        return True
    instructions = [*dis.get_instructions(code), None, None]
    for this, following, last in zip(
        instructions, instructions[1:], instructions[2:], strict=False
    ):
        names = getattr(this, "argval", None)
        names = set(names if isinstance(names, tuple) else (names,)) if this is not None else set()
        if this is None or not this.opname.startswith("LOAD_FAST") or given.isdisjoint(names):
            continue
        if len(names) > 1 or not _asks_for_none(following, last):
            return True
    return False


def _asks_for_none(following: Any, last: Any) -> bool:
    if following is None:
        return False
    if following.opname.startswith("POP_JUMP") and following.opname.endswith("NONE"):
        return True
    is_none = following.opname == "LOAD_CONST" and following.argval is None
    return is_none and last is not None and last.opname == "IS_OP"


def _generator_context(
    manager: contextlib._GeneratorContextManager[Any],
    twin: Callable[..., Any],
    trace: Trace,
) -> Any:
    """The manager of a function marked with `contextlib.contextmanager`, converted."""
    if trace.is_outside(manager):
        raise StagingError(
            f"the manager of `{manager.func.__name__}` was made outside of the converted function, "
            "and can be entered once",
            "call the function in the `with` statement",
            origin=origin_of_caller(),
        )
    made = contextlib._GeneratorContextManager(twin, manager.args, manager.kwds)
    return _Suspended(made, trace)


class _Suspended:
    """A converted generator around the body."""

    def __init__(self, manager: Any, trace: Trace) -> None:
        self._manager, self._trace = manager, trace

    def __enter__(self) -> Any:
        before = len(self._trace.left)
        entered = self._manager.__enter__()
        self._protected = len(self._trace.left) > before
        builder = building()
        assert builder is not None
        self._builder, self._mark = builder, builder.mark()
        return entered

    def __exit__(
        self, kind: Any, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        culprit = _that_raises(self._builder, self._mark) if error is None else None
        if isinstance(error, (StagingError, GraphError)):
            self._manager.gen.close()
            return False
        if culprit is None or not self._protected:
            return bool(self._manager.__exit__(kind, error, traceback))
        self._manager.gen.close()
        raise StagingError(
            "this may raise when the graph runs, inside a `with` whose generator would catch it or "
            "clean up after it, which a graph cannot do yet",
            "test the condition with `if` before the `with`, or open the `with` around the call "
            "of the converted function",
            origin=culprit.origin,
        )


# ---- managers of others ----------------------------------------------------------------------

# What makes a manager that changes a setting: making one is no effect, and a new one is made for
# each run. While tracing they are entered too: what Python computes then is under them as well.
_SETTINGS: tuple[Any, ...] = (
    np.errstate,
    np.printoptions,
    warnings.catch_warnings,
    contextlib.suppress,
    contextlib.redirect_stdout,
    contextlib.redirect_stderr,
    decimal.localcontext,
)
_GIVING_NOTHING_NEW = (
    contextlib.redirect_stdout,
    contextlib.redirect_stderr,
    decimal.localcontext,
)


# Those that concern Python's own code only: nothing that a graph does depends on them.
_WHILE_TRACING = (contextlib.suppress, decimal.localcontext)


def makes_manager(function: Any) -> bool:
    """Whether `function` makes managers that change a setting."""
    return any(function is known for known in _SETTINGS)


def made_manager(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What such a function makes; how, is remembered for the runs of the graph."""
    trace = current_trace()
    if has_traced(args) or has_traced(kwargs):
        raise StagingError(
            f"`{function.__name__}` is called with a value that is known only when the graph runs",
            "open it around the call of the converted function",
            origin=origin_of_caller(),
        )
    made = function(*args, **kwargs)
    if trace is not None:
        recipe = functools.partial(function, *args, **kwargs)
        trace.sites[("manager", id(made))] = (made, function, recipe)
    return made


def _of_host(manager: Any, trace: Trace) -> Any:
    made, function, recipe = trace.sites.get(("manager", id(manager)), (None, None, None))
    name = type(manager).__name__
    if made is not manager:
        if not trace.is_outside(manager):
            raise StagingError(
                f"a {name} that was made while tracing is entered: what it does is not known, so "
                "that a graph cannot do it on each call",
                "open it around the call of the converted function",
                origin=origin_of_caller(),
            )
        return _AtRun(weak(manager), name, _may_swallow(manager), None)
    inside = None if function is np.errstate else _may_swallow(manager)
    target = recipe.args[0] if recipe.args else None
    if function in (contextlib.redirect_stdout, contextlib.redirect_stderr) and journal.is_fresh(
        target
    ):
        raise StagingError(
            f"what is printed goes into a {type(target).__name__} that was made while tracing",
            "pass it as an argument, or open the `with` around the call",
            origin=origin_of_caller(),
        )
    return _AtRun(recipe, name, bool(inside), function)


class _AtRun:
    """A manager that the graph enters and leaves.

    `setting` is what made it, if it is one that is entered while tracing too.
    """

    def __init__(
        self, manager: Callable[[], Any], name: str, may_swallow: bool, setting: Any
    ) -> None:
        self._manager, self._name = manager, name
        self._may_swallow, self._setting = may_swallow, setting
        modes = getattr(manager, "keywords", {}).values() if setting is np.errstate else ()
        self._signals = any(mode not in ("ignore", "warn") for mode in modes)

    def __enter__(self) -> Any:
        builder = building()
        assert builder is not None
        self._builder = builder
        self._attrs = {"manager": self._manager, "is_setting": self._setting is not None}
        if self._setting not in _WHILE_TRACING:
            builder.emit(ENTER, (), self._attrs)
        self._mark = builder.mark()
        if self._setting is None:
            return self._unknown()
        self._now = self._manager()
        builder.root.signalling += self._signals
        entered = self._now.__enter__()
        known = entered is None or self._setting in _GIVING_NOTHING_NEW
        return entered if known else self._unknown()

    def _unknown(self) -> Poison:
        what = f"what a {self._name} gives where it is entered is known only when the graph runs"
        return Poison("as", what, "use the object itself, or open it around the call")

    def __exit__(
        self, kind: Any, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        swallowed = False
        if self._setting is not None:
            self._builder.root.signalling -= self._signals
            swallowed = bool(self._now.__exit__(kind, error, traceback))
        if isinstance(error, (StagingError, GraphError)):
            return False
        culprit = _that_raises(self._builder, self._mark)
        if culprit is not None and self._may_swallow:
            raise StagingError(
                "this may raise when the graph runs, inside a `try` with `with`, which converted "
                "code cannot catch there yet",
                "test the condition with `if` instead, or mark the function with "
                "@ag.do_not_convert",
                origin=culprit.origin,
            )
        if self._setting not in _WHILE_TRACING:
            self._builder.emit(EXIT, (), self._attrs)
        return swallowed


# Packages whose managers let every exception pass.
_PASSING = frozenset(("numpy", "threading", "_thread", "decimal", "warnings", "io", "_io"))


def _may_swallow(manager: Any) -> bool:
    kind = type(manager)
    leave = getattr(kind, "__exit__", None)
    if kind.__module__.partition(".")[0] in _PASSING or leave is None:
        return False
    if kind in (contextlib.redirect_stdout, contextlib.redirect_stderr):
        return False
    if isinstance(manager, contextlib._GeneratorContextManager):
        generator: Any = manager.gen
        return _catches(generator.gi_code)
    return not isinstance(leave, FunctionType) or _gives_truth(leave.__code__)


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
