"""Facts: what the analyses know about one function, as a typed object for converters."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from typing import Any

import gast

from autograph.analysis.activity import Activity, ActivityVisitor, Names
from autograph.analysis.cfg import Graph, Span, build_graph
from autograph.analysis.definitions import solve_bound
from autograph.analysis.liveness import solve_liveness
from autograph.analysis.scopes import Scope, ScopeTree


class Need(enum.Enum):
    """A fact that a converter can declare it needs."""

    MODIFIED = enum.auto()
    LIVE = enum.auto()
    BOUND = enum.auto()


ALL_NEEDS = frozenset(Need)


class Facts:
    """Answers about the statements of one function, nested functions apart.

    Statements are looked up by node, so an answer outlives changes inside the statement.
    """

    def __init__(
        self,
        names: Names,
        graph: Graph,
        live: list[int] | None,
        bound: list[int] | None,
    ) -> None:
        self._names = names
        self._graph = graph
        self._live = live
        self._bound = bound
        self._written: frozenset[str] | None = None

    @classmethod
    def of_nothing(cls) -> Facts:
        """Facts about no statement: nothing is bound, nothing is read."""
        names = Names()
        return cls(names, Graph(names), [], [])

    def modified(self, statement: gast.AST) -> frozenset[str]:
        """Names the statement, blocks included, may write."""
        return self._names.set(self._span(statement).writes)

    def live_in(self, statement: gast.AST) -> frozenset[str]:
        """Names that may be read after control reaches the statement, before they are bound."""
        return self._names.set(self._live_at(self._span(statement).first))

    def live_out(self, statement: gast.AST) -> frozenset[str]:
        """Names that may be read after the statement, in handlers around it too."""
        return self._names.set(self._live_at(self._span(statement).after))

    def bound_before(self, statement: gast.AST) -> frozenset[str]:
        """Names that certainly are bound when control reaches the statement."""
        return self._names.set(self._bound_at(self._span(statement).first))

    def bound_mask(self, statement: gast.AST) -> int:
        """`bound_before` in a form that is quick to ask with `is_in`."""
        return self._bound_at(self._span(statement).first)

    def bound_in_blocks(self, statement: gast.AST) -> int:
        """What certainly is bound when the test of an `if` or loop has run, for `is_in`.

        For a `try`: when it begins. For a `with`: when the last manager is known.
        """
        header = self._span(statement).header
        return self._bound_at(header) | self._graph.activities[header].binds

    def is_in(self, name: str, mask: int) -> bool:
        """Whether a mask that the facts gave has the name."""
        return bool(self._names.known(name) & mask)

    @property
    def written_anywhere(self) -> frozenset[str]:
        """Names that some statement of the function may write."""
        if self._written is None:
            writes = 0
            for activity in self._graph.activities:
                writes |= activity.writes
            self._written = self._names.set(writes)
        return self._written

    def written_in_blocks(self, statement: gast.AST) -> frozenset[str]:
        """Names that the blocks of a statement may write, the target of a `for` included."""
        return self._names.set(self._span(statement).block_writes)

    def branch_state(self, statement: gast.If) -> tuple[list[str], int]:
        """Names an `if` carries: those live after it first, and how many these are."""
        span = self._span(statement)
        outputs = span.block_writes & self._live_at(span.after)
        inputs = span.block_writes & self._live_below(span.header) & ~outputs
        ordered = [*sorted(self._names.set(outputs)), *sorted(self._names.set(inputs))]
        return ordered, outputs.bit_count()

    def try_state(self, statement: gast.Try) -> list[str]:
        """Names a `try` carries: what its blocks write, and one of them, or what follows, reads.

        The name that a clause binds is its own, unless others read it too.
        """
        span = self._span(statement)
        needed = self._live_at(span.after)
        blocks = [statement.body, statement.orelse, statement.finalbody]
        for block in blocks:
            needed |= self._live_at(self._span(block[0]).first) if block else 0
        for handler in statement.handlers:
            bound = 0 if handler.name is None else self._names.known(handler.name.id)
            needed |= self._live_at(self._span(handler.body[0]).first) & ~bound
        return sorted(self._names.set(span.block_writes & needed))

    def with_state(self, statement: gast.With) -> list[str]:
        """Names a `with` carries: what its body and target write, and what follows reads.

        What the body reads before it writes it, too: the body may run another time.
        """
        span = self._span(statement)
        needed = self._live_at(span.after) | self._live_below(span.header)
        return sorted(self._names.set(span.block_writes & needed))

    def loop_state(self, statement: gast.For | gast.While) -> list[str]:
        """Names a loop carries from round to round or to what follows."""
        span = self._span(statement)
        needed = self._live_at(span.header) | self._live_at(span.after)
        needed |= span.header_writes & self._live_below(span.header)
        return sorted(self._names.set(span.writes & needed))

    def is_read_after_handler(self, handler: gast.ExceptHandler) -> bool:
        """Whether the name of a handler may be read after Python deleted it."""
        span, bit = self._span(handler), self._names.known(handler.name.id)
        return bool(bit & (self._live_below(span.first) | self._live_below(span.after)))

    def written_in_test(self, statement: gast.While) -> frozenset[str]:
        """Names that the test of a loop binds by `:=`."""
        return self._names.set(self._span(statement).header_writes)

    def carried(self) -> frozenset[str]:
        """Every name that some `if`, loop, `try` or `with` of the function carries."""
        names: set[str] = set()
        for statement in self._graph.spans:
            if isinstance(statement, gast.If):
                names.update(self.branch_state(statement)[0])
            elif isinstance(statement, gast.For | gast.While):
                names.update(self.loop_state(statement))
            elif isinstance(statement, gast.Try):
                names.update(self.try_state(statement))
            elif isinstance(statement, gast.With):
                names.update(self.with_state(statement))
        return frozenset(names)

    def _span(self, statement: gast.AST) -> Span:
        return self._graph.spans[statement]

    def _live_at(self, node: int) -> int:
        assert self._live is not None, "declare Need.LIVE"
        return self._live[node]

    def _live_below(self, node: int) -> int:
        below = 0
        for following in self._graph.successors[node]:
            below |= self._live_at(following)
        return below

    def _bound_at(self, node: int) -> int:
        assert self._bound is not None, "declare Need.BOUND"
        return self._bound[node]


def analyze(
    function: Any,
    scopes: ScopeTree,
    needs: Collection[Need] = ALL_NEEDS,
    extra_tests: Mapping[gast.AST, gast.expr] | None = None,
    from_start_to_end: Collection[str] = (),
    module_names: frozenset[str] = frozenset(),
) -> Facts:
    """Computes the facts that converters need about one function.

    The names in `from_start_to_end` are bound before its first statement and read after its last;
    those in `module_names` may hide built-in functions.
    """
    scope = scopes[function]
    names = Names()
    activity = ActivityVisitor(names, scopes, scope, module_names)
    graph = build_graph(function.body, activity, names, extra_tests)
    graph.activities[-1] = Activity(reads=names.mask(set(from_start_to_end)))
    shared = names.mask(shared_names(scope))
    parameters = names.mask({*scope.parameters, *from_start_to_end})
    return Facts(
        names,
        graph,
        solve_liveness(graph, shared) if Need.LIVE in needs else None,
        solve_bound(graph, parameters) if Need.BOUND in needs else None,
    )


def shared_names(scope: Scope) -> set[str]:
    """Names of other scopes that a function may bind: what it does to them is seen outside."""
    return scope.globals | scope.nonlocals
