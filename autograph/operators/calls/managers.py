"""Managers of `with` that are not the user's: the graph enters and leaves them on each run."""

from __future__ import annotations

import contextlib
import decimal
import dis
import functools
import warnings
from collections.abc import Callable
from types import CodeType, FunctionType, TracebackType
from typing import Any

import numpy as np

from autograph.operators.captured.captures import Trace, current_trace, trace_at_hand, weak
from autograph.operators.captured.variables import Poison
from autograph.operators.values.templates import has_traced
from runtime import journal
from runtime.building import Builder, current_builder
from runtime.effects.contexts import ENTER, EXIT
from runtime.errors import GraphError, StagingError
from runtime.graph.ir import Node
from runtime.origins import origin_of_caller

__all__ = ["made_manager", "makes_manager", "of_host", "that_raises"]

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
        trace.decisions.sites[("manager", id(made))] = (made, function, recipe)
    return made


def of_host(manager: Any, trace: Trace) -> Any:
    """What enters and leaves a manager when the graph runs."""
    made, function, recipe = trace.decisions.sites.get(("manager", id(manager)), (None, None, None))
    name = type(manager).__name__
    if made is not manager:
        if not trace.outside.has(manager):
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


def that_raises(builder: Builder, mark: Any) -> Node | None:
    """The first node since `mark` that can raise."""
    nodes = builder.graph.nodes[mark.now(builder.graph.nodes) :]
    return next((node for node in nodes if node.can_raise), None)


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
        builder = current_builder()
        self._builder = builder
        self._attrs = {"manager": self._manager, "is_setting": self._setting is not None}
        if self._setting not in _WHILE_TRACING:
            builder.emit(ENTER, (), self._attrs)
        self._mark = builder.mark()
        if self._setting is None:
            return self._unknown()
        self._now = self._manager()
        builder.root.signalling += self._signals
        if self._setting is np.printoptions:
            self._open_options().append(getattr(self._manager, "keywords", {}))
        entered = self._now.__enter__()
        known = entered is None or self._setting in _GIVING_NOTHING_NEW
        return entered if known else self._unknown()

    def _open_options(self) -> list[dict[str, Any]]:
        trace = trace_at_hand()
        return trace.effects.print_options

    def _unknown(self) -> Poison:
        what = f"what a {self._name} gives where it is entered is known only when the graph runs"
        return Poison("as", what, "use the object itself, or open it around the call")

    def __exit__(
        self, kind: Any, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        swallowed = False
        if self._setting is np.printoptions:
            self._open_options().pop()
        if self._setting is not None:
            self._builder.root.signalling -= self._signals
            swallowed = bool(self._now.__exit__(kind, error, traceback))
        if isinstance(error, (StagingError, GraphError)):
            return False
        culprit = that_raises(self._builder, self._mark)
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
