"""A function that notes what its lines bind: in Python, converted, and when its graph runs.

The function is rewritten: behind each assignment stands a call that notes the names it has bound.
While tracing, that call becomes a call of the graph's, in its place, so that all ways to run the
function give one list of events, which can be compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import Any, NamedTuple

import gast
import numpy as np

from autograph.operators.results.host_calls import call_host
from autograph.operators.results.host_results import NOTHING
from autograph.syntax.load import compile_function
from autograph.syntax.make import make_function
from autograph.syntax.parse import parse_function
from autograph.syntax.print import unparse
from autograph.syntax.source import Source, keep_source, source_of
from autograph.syntax.template import Template
from autograph.syntax.walk import Transformer
from runtime.building import building
from runtime.dtypes import kind_of
from runtime.tensor import Tensor

__all__ = ["RESULT", "Event", "logged", "logging_lines", "note"]

RESULT = "the result"
_LIMIT = 10_000
_NUMERIC = "biufc"


class Event(NamedTuple):
    """A name that a line has bound to a number or array."""

    line: int
    name: str
    value: Any


_events: ContextVar[list[Event] | None] = ContextVar("events", default=None)


@contextmanager
def logging_lines() -> Iterator[list[Event]]:
    """Within this context logged functions note their events in the list that it gives."""
    events: list[Event] = []
    token = _events.set(events)
    try:
        yield events
    finally:
        _events.reset(token)


# ---- what rewritten functions call -------------------------------------------------------------


class _Note:
    """Notes an event at once; while tracing, has the graph do so."""

    def __call__(self, line: int, name: str, value: Any) -> None:
        events = _events.get()
        if events is not None and len(events) < _LIMIT and _is_numeric(value):
            events.append(Event(line, name, _kept(value)))

    def __ag_call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        line, name, value = args
        if building() is None:
            self(line, name, value)
        elif _is_numeric(value):
            call_host(_note_value, (line, name, value), kwargs, NOTHING)


note = _Note()


def _note_value(line: int, name: str, value: Any) -> None:
    note(line, name, value)


def _is_numeric(x: Any) -> bool:
    if isinstance(x, (np.ndarray, np.generic, Tensor)):
        return kind_of(x.dtype) in _NUMERIC
    return isinstance(x, (bool, int, float, complex))


def _kept(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


# ---- rewriting ---------------------------------------------------------------------------------

_IMPORT = Template("from autograph.tools.checking.line_log import note as ag_note__")
_NOTE = Template("ag_note__(line, name, value)")
_RESULT = Template("ag_result__ = value\nag_note__(line, name, ag_result__)\nreturn ag_result__")
_numbers = itertools.count(1)


def logged(function: Callable[..., Any]) -> FunctionType:
    """`function`, a Python function with a `def`, rewritten.

    Raises SourceUnavailableError where it has no source.
    """
    original: Any = getattr(function, "__func__", function)
    source = source_of(original)
    tree = parse_function(source)
    tree.decorator_list = []
    first = tree.body[0]
    tree.body = [*_IMPORT.statements(first), *_Logging().visit(tree).body]
    return _made(unparse(tree), source, original)


def _made(text: str, source: Source, original: FunctionType) -> FunctionType:
    """The function of that text, in the place of the original, with a source of its own."""
    filename = f"<lines of {source.name}, {next(_numbers)}>"
    made = source._replace(text=text.strip("\n") + "\n", filename=filename, first_line=1)
    code = compile_function(
        parse_function(made),
        name=source.qualname,
        filename=filename,
        free_names=original.__code__.co_freevars,
        class_name=source.class_name,
        flags=source.flags,
    )
    function = make_function(code, original, None)
    keep_source(function.__code__, made)
    return function


class _Logging(Transformer):
    """Puts a note behind what binds names, and before what gives a result."""

    def visit_Assign(self, node: Any) -> list[Any]:
        return [node, *_notes(node, node.targets)]

    def visit_AugAssign(self, node: Any) -> list[Any]:
        return [node, *_notes(node, [node.target])]

    def visit_AnnAssign(self, node: Any) -> list[Any]:
        return [node] if node.value is None else [node, *_notes(node, [node.target])]

    def visit_For(self, node: Any) -> Any:
        self.generic_visit(node)
        node.body = [*_notes(node, [node.target]), *node.body]
        return node

    def visit_Return(self, node: Any) -> Any:
        if node.value is None:
            return node
        line, name = gast.Constant(node.lineno, None), gast.Constant(RESULT, None)
        return _RESULT.statements(node, line=line, name=name, value=node.value)

    def visit_ClassDef(self, node: Any) -> Any:
        return node


def _notes(node: Any, targets: list[Any]) -> list[Any]:
    names = dict.fromkeys(name for target in targets for name in _bound(target))
    return [
        gast.Expr(
            _NOTE.expression(
                node,
                line=gast.Constant(node.lineno, None),
                name=gast.Constant(name, None),
                value=name,
            )
        )
        for name in names
    ]


def _bound(target: Any) -> Iterator[str]:
    """The names that a target binds; of `x[i]` and `x.a`, the name that is written through."""
    while isinstance(target, gast.Subscript | gast.Attribute | gast.Starred):
        target = target.value
    if isinstance(target, gast.Name):
        yield target.id
    elif isinstance(target, gast.Tuple | gast.List):
        for part in target.elts:
            yield from _bound(part)
