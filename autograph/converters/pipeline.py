"""The pipeline: the order in which a function's tree becomes the converted tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import gast

from autograph.analysis import Facts, Need, ScopeTree, analyze
from autograph.converters import (
    asserts,
    assignments,
    branches,
    calls,
    chains,
    comparisons,
    comprehensions,
    conditional_expressions,
    contexts,
    directives,
    displays,
    exceptions,
    fstrings,
    functions,
    generators,
    jumps,
    lambdas,
    logic,
    loops,
    matches,
    names,
    operations,
    raises,
)
from autograph.converters.context import Context
from autograph.converters.conversion import Conversion, Expression, Handlers, Statement
from autograph.converters.lowering import Lowering
from autograph.syntax.names import Namer

Lower = Callable[[Any, Lowering], None]


class Converter(NamedTuple):
    """One step: a rewrite of the function's statements, or handlers that the one walk applies."""

    name: str
    reason: str
    lower: Lower | None = None
    expressions: Mapping[type[gast.AST], Expression] = MappingProxyType({})
    statements: Mapping[type[gast.AST], Statement] = MappingProxyType({})
    needs: frozenset[Need] = frozenset({Need.BOUND})


FLOW = frozenset({Need.LIVE, Need.BOUND, Need.MODIFIED})

PIPELINE: tuple[Converter, ...] = (
    Converter(
        "directives",
        "first: a directive is found by its place in the loop as the user wrote it",
        lower=directives.lower_directives,
    ),
    Converter(
        "matches",
        "before jumps: its cases become branches, which may hold jumps",
        lower=matches.lower_matches,
    ),
    Converter(
        "jumps",
        "flags are ordinary names, so the facts computed after the rewrites cover them",
        lower=jumps.lower_jumps,
    ),
    Converter(
        "chains",
        "after matches, whose cases are chains, and jumps: a guard would part the pieces",
        lower=chains.lower_chains,
    ),
    Converter(
        "generators",
        "before all that makes functions of blocks: those with a `yield` stay",
        lower=generators.note_suspending,
        expressions=generators.EXPRESSIONS,
    ),
    Converter(
        "managers",
        "after generators: a `with` around a `yield` stays as it is",
        lower=contexts.lower_contexts,
    ),
    Converter(
        "names",
        "from here on one walk; facts hold for statements as the rewrites left them",
        expressions=names.EXPRESSIONS,
        statements=names.STATEMENTS,
    ),
    Converter(
        "calls",
        "in the walk, so that calls which templates write are not wrapped again",
        expressions=calls.EXPRESSIONS,
    ),
    Converter("logic", "operands become functions", expressions=logic.EXPRESSIONS),
    Converter(
        "conditional expressions",
        "values become functions",
        expressions=conditional_expressions.EXPRESSIONS,
    ),
    Converter(
        "comparisons", "operands of chains become functions", expressions=comparisons.EXPRESSIONS
    ),
    Converter("f-strings", "fields are formatted by the runtime", expressions=fstrings.EXPRESSIONS),
    Converter(
        "operations",
        "those of text and of lists go through the runtime",
        expressions=operations.EXPRESSIONS,
    ),
    Converter(
        "comprehensions", "iterables go through the runtime", expressions=comprehensions.EXPRESSIONS
    ),
    Converter("displays", "containers are marked as new", expressions=displays.EXPRESSIONS),
    Converter("lambdas", "bodies are converted in place", expressions=lambdas.EXPRESSIONS),
    Converter("assignments", "targets are stored in order", statements=assignments.STATEMENTS),
    Converter("raises", "what data may choose is asked for", statements=raises.STATEMENTS),
    Converter("asserts", "messages become functions", statements=asserts.STATEMENTS),
    Converter(
        "branches",
        "blocks become functions around what the walk made inside them",
        statements=branches.STATEMENTS,
        needs=FLOW,
    ),
    Converter("loops", "as for branches", statements=loops.STATEMENTS, needs=FLOW),
    Converter(
        "exceptions",
        "bodies are announced; needs to know which names branches and loops carry",
        statements=exceptions.STATEMENTS,
        needs=FLOW,
    ),
    Converter(
        "contexts",
        "bodies become functions, as for branches",
        statements=contexts.STATEMENTS,
        needs=FLOW,
    ),
)


def handlers_of(pipeline: Sequence[Converter]) -> Handlers:
    """The handlers of a pipeline's converters, for one walk."""
    expressions: dict[type[gast.AST], Expression] = {}
    statements: dict[type[gast.AST], Statement] = dict(functions.STATEMENTS)
    for converter in pipeline:
        expressions |= converter.expressions
        statements |= converter.statements
    return Handlers(expressions, statements)


def lambda_scope(node: gast.AST) -> str:
    """The name that the body of a lambda, before its conversion, will have for its scope."""
    return Namer(ScopeTree(node).identifiers(node)).fresh("fscope")


class Pipeline:
    """Applies converters to one outermost function of a tree and to the functions inside it."""

    def __init__(
        self,
        converters: Sequence[Converter],
        context: Context,
        scopes: ScopeTree,
        outermost: gast.AST,
    ) -> None:
        self._converters = converters
        self._handlers = handlers_of(converters)
        self._needs = frozenset[Need]().union(*(c.needs for c in converters))
        self._context = context
        self._scopes = scopes
        self._namer = Namer(scopes.identifiers(outermost))

    def function(self, node: Any) -> None:
        """Converts a function in place."""
        lowering = self._lowering(node, node.name)
        for converter in self._converters:
            if converter.lower is not None:
                converter.lower(node, lowering)
        flags = (lowering.return_flag, lowering.return_value)
        known = [flag for flag in flags if flag is not None]
        hiding = self._context.module_names | self._context.free_names
        facts = analyze(node, self._scopes, self._needs, lowering.extra_tests, known, hiding)
        fscope = self._namer.fresh("fscope")
        conversion = Conversion(self._handlers, lowering, facts, fscope, self.function)
        functions.wrap_body(node, conversion)

    def lambda_(self, node: Any) -> None:
        """Converts the body of a lambda; the caller binds the name of its scope."""
        lowering = self._lowering(node, "<lambda>")
        facts = Facts.of_nothing()
        fscope = self._namer.fresh("fscope")
        conversion = Conversion(self._handlers, lowering, facts, fscope, self.function)
        conversion.inline(lowering.scope, lambda: lambdas.convert_body(node, conversion), lazy=True)

    def _lowering(self, node: gast.AST, name: str) -> Lowering:
        context = self._context.inside(name)
        return Lowering(context, self._scopes, self._scopes[node], self._namer)
