"""The control-flow graph of one function: a node per simple statement or header.

Exceptions are edges too. A node has at most one `handler`, the place where control goes when
something in it raises inside a `try` or `with`. A `finally` block stands in the graph once; every
way into it (normal, exception, jump) leaves it by all the ways that came in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gast

from autograph.analysis.activity import Activity, ActivityVisitor, Names


@dataclass(eq=False, repr=False)
class Span:
    """Where a statement stands in the graph, and which names it or its blocks may write."""

    first: int
    after: int
    header: int
    writes: int = 0
    header_writes: int = 0
    block_writes: int = 0


@dataclass(eq=False, repr=False)
class Graph:
    """Nodes are numbers in program order; what happens at node `n` is at index `n`."""

    names: Names
    entry: int = 0
    activities: list[Activity] = field(default_factory=list)
    successors: list[list[int]] = field(default_factory=list)
    handler: list[int | None] = field(default_factory=list)
    spans: dict[gast.AST, Span] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.activities)


@dataclass(eq=False, repr=False)
class _Label:
    """A handler that is built after the nodes that lead to it."""

    node: int | None = None


@dataclass(eq=False, repr=False)
class _Loop:
    breaks: list[int]
    continues: list[int]


@dataclass(eq=False, repr=False)
class _Finally:
    entering: list[int]
    jumps: set[str]


_NOTHING = Activity()


def build_graph(
    body: list[gast.stmt],
    activity: ActivityVisitor,
    names: Names,
    extra_tests: Mapping[gast.AST, gast.expr] | None = None,
) -> Graph:
    """The graph of a function's body. `extra_tests` are tests that `for` loops also obey."""
    return _Builder(activity, names, extra_tests or {}).build(body)


class _Builder:
    def __init__(
        self, activity: ActivityVisitor, names: Names, extra_tests: Mapping[gast.AST, gast.expr]
    ) -> None:
        self._graph = Graph(names)
        self._names = names
        self._activity = activity
        self._extra_tests = extra_tests
        self._frontier: list[int] = []
        self._label: _Label | None = None
        self._labels: list[_Label | None] = []
        self._context: list[_Loop | _Finally] = []

    def build(self, body: list[gast.stmt]) -> Graph:
        self._node(_NOTHING)
        self._block(body)
        self._node(_NOTHING)
        self._graph.handler = [None if label is None else label.node for label in self._labels]
        return self._graph

    def _node(self, activity: Activity) -> int:
        number = len(self._graph.activities)
        self._graph.activities.append(activity)
        self._graph.successors.append([])
        self._labels.append(self._label)
        for previous in self._frontier:
            self._graph.successors[previous].append(number)
        self._frontier = [number]
        return number

    def _block(self, statements: list[gast.stmt]) -> int:
        """Adds the statements; gives the mask of the names they may write."""
        writes = 0
        for statement in statements:
            method = _STATEMENTS.get(type(statement), _Builder._simple)
            span = method(self, statement)
            self._graph.spans[statement] = span
            writes |= span.writes
        return writes

    def _simple(self, statement: Any) -> Span:
        activity = self._activity.of(statement)
        node = self._node(activity)
        return Span(node, node, node, activity.writes)

    def _raise(self, statement: Any) -> Span:
        span = self._simple(statement)
        self._frontier = []
        return span

    def _return(self, statement: Any) -> Span:
        span = self._simple(statement)
        self._jump("return")
        return span

    def _break(self, statement: Any) -> Span:
        span = self._simple(statement)
        self._jump("break")
        return span

    def _continue(self, statement: Any) -> Span:
        span = self._simple(statement)
        self._jump("continue")
        return span

    def _jump(self, kind: str) -> None:
        for context in reversed(self._context):
            if isinstance(context, _Finally):
                context.entering += self._frontier
                context.jumps.add(kind)
                break
            if kind != "return":
                waiting = context.breaks if kind == "break" else context.continues
                waiting += self._frontier
                break
        self._frontier = []

    def _if(self, statement: Any) -> Span:
        test = self._activity.of(statement.test)
        header = self._node(test)
        writes = self._block(statement.body)
        ends = self._frontier
        self._frontier = [header]
        writes |= self._block(statement.orelse)
        self._frontier += ends
        after = self._node(_NOTHING)
        return Span(header, after, header, writes | test.writes, test.writes, writes)

    def _while(self, statement: Any) -> Span:
        test = self._activity.of(statement.test)
        header = self._node(test)
        return self._loop(statement, header, header, test)

    def _for(self, statement: Any) -> Span:
        iterable = self._activity.used(statement.iter)
        first = self._node(iterable)
        test = self._activity.of(self._extra_tests.get(statement))
        if isinstance(statement.iter, gast.GeneratorExp):  # it goes on when an item is asked for
            test.reads |= iterable.reads
            test.writes |= iterable.writes
        header = self._node(test)
        target = self._activity.of(statement.target)
        span = self._loop(statement, first, header, target)
        span.writes |= iterable.writes
        return span

    def _loop(self, statement: Any, first: int, header: int, head: Activity) -> Span:
        loop = _Loop([], [])
        self._context.append(loop)
        if first != header:
            self._node(head)
        body = self._block(statement.body)
        writes = body | head.writes
        self._frontier += loop.continues
        for node in self._frontier:
            self._graph.successors[node].append(header)
        self._context.pop()
        self._frontier = [header]
        orelse = self._block(statement.orelse)
        self._frontier += loop.breaks
        after = self._node(_NOTHING)
        header_writes = head.writes if first == header else 0
        in_body = writes if first != header else body
        return Span(first, after, header, writes | orelse, header_writes, in_body)

    def _with(self, statement: Any) -> Span:
        outer, suppressed = self._label, _Label()
        first = header = None
        writes = in_body = 0
        for item in statement.items:
            manager = self._activity.of(item.context_expr)
            header = self._node(manager)
            first = header if first is None else first
            self._label = suppressed
            target = self._activity.of(item.optional_vars)
            self._node(target)
            writes |= manager.writes
            in_body |= target.writes
        in_body |= self._block(statement.body)
        ends = self._frontier
        self._label, self._frontier = outer, []
        suppressed.node = self._node(_NOTHING)
        self._frontier += ends
        after = self._node(_NOTHING)
        assert first is not None and header is not None
        return Span(first, after, header, writes | in_body, 0, in_body)

    def _try(self, statement: Any) -> Span:
        first = self._node(_NOTHING)
        outer = self._label
        final = _Finally([], set())
        if statement.finalbody:
            self._context.append(final)
            self._label = _Label()
        writes = self._protected(statement)
        if statement.finalbody:
            label, self._label = self._label, outer
            self._context.pop()
            writes |= self._final(statement, label, final)
        after = self._node(_NOTHING)
        return Span(first, after, first, writes, 0, writes)

    def _protected(self, statement: Any) -> int:
        outer = self._label
        if statement.handlers:
            self._label = _Label()
        writes = self._block(statement.body)
        label, self._label = self._label, outer
        writes |= self._block(statement.orelse)
        if statement.handlers:
            ends, self._frontier = self._frontier, []
            assert label is not None
            label.node = dispatch = self._node(_NOTHING)
            writes |= self._handlers(statement, dispatch, ends)
        return writes

    def _handlers(self, statement: Any, dispatch: int, ends: list[int]) -> int:
        writes = 0
        several = isinstance(statement, gast.TryStar)
        for handler in statement.handlers:
            if not several:
                self._frontier = [dispatch]
            writes |= self._handler(handler)
            if several:
                self._frontier.append(dispatch)
            else:
                ends = ends + self._frontier
        self._frontier = ends + (self._frontier if several else [])
        return writes

    def _handler(self, handler: Any) -> int:
        activity = self._activity.of(handler.type, handler.name)
        self._node(activity)
        if handler.name is None:
            return activity.writes | self._block(handler.body)
        outer, cleaning = self._label, _Label()
        self._label = cleaning
        writes = self._block(handler.body)
        ends = self._frontier
        self._label, self._frontier = outer, []
        bit = self._names.bit(handler.name.id)
        unbind = Activity(writes=bit, deletes=bit)
        cleaning.node = unbound = self._node(unbind)
        if outer is not None:
            self._node(_NOTHING)  # raises again: its handler is the outer one
        self._frontier = ends
        if ends:
            unbound = self._node(unbind)
        self._graph.spans[handler] = Span(cleaning.node, unbound, cleaning.node)
        return activity.writes | writes

    def _final(self, statement: Any, label: _Label | None, final: _Finally) -> int:
        falls_through = bool(self._frontier)
        self._frontier += final.entering
        assert label is not None
        label.node = self._node(_NOTHING)
        writes = self._block(statement.finalbody)
        ends = self._frontier
        if ends:
            ends = [self._node(_NOTHING)]
        for kind in sorted(final.jumps):
            self._frontier = list(ends)
            self._jump(kind)
        self._frontier = ends if falls_through else []
        return writes

    def _match(self, statement: Any) -> Span:
        first = self._node(self._activity.of(statement.subject))
        writes = self._graph.activities[first].writes
        ends: list[int] = []
        for case in statement.cases:
            tested = self._pattern(case)
            self._node(self._captured(case))
            writes |= self._graph.activities[tested].writes
            writes |= self._block(case.body)
            ends += self._frontier
            self._frontier = [] if is_irrefutable(case) else [tested]
        self._frontier += ends
        after = self._node(_NOTHING)
        return Span(first, after, first, writes)

    def _pattern(self, case: Any) -> int:
        activity = self._activity.of(case.pattern, case.guard)
        activity.writes |= self._captured(case).writes
        return self._node(activity)

    def _captured(self, case: Any) -> Activity:
        names = {n for p in gast.walk(case.pattern) for n in pattern_names(p)}
        mask = self._names.mask(names)
        return Activity(writes=mask, binds=mask)


def pattern_names(node: gast.AST) -> list[str]:
    """The names that one pattern node captures, its sub-patterns apart."""
    if isinstance(node, gast.MatchAs | gast.MatchStar) and node.name:
        return [node.name]
    if isinstance(node, gast.MatchMapping) and node.rest:
        return [node.rest]
    return []


def is_irrefutable(case: Any) -> bool:
    """Whether a case takes every subject: `case _:` or `case name:` without a guard."""
    pattern = case.pattern
    return case.guard is None and isinstance(pattern, gast.MatchAs) and pattern.pattern is None


_STATEMENTS: dict[type[gast.AST], Any] = {
    gast.If: _Builder._if,
    gast.While: _Builder._while,
    gast.For: _Builder._for,
    gast.AsyncFor: _Builder._for,
    gast.With: _Builder._with,
    gast.AsyncWith: _Builder._with,
    gast.Try: _Builder._try,
    gast.TryStar: _Builder._try,
    gast.Match: _Builder._match,
    gast.Return: _Builder._return,
    gast.Raise: _Builder._raise,
    gast.Break: _Builder._break,
    gast.Continue: _Builder._continue,
}
