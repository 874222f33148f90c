"""Lowering: what the rewrites of one function's statements share before it is analysed."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field

import gast

from autograph.analysis import Scope, ScopeTree
from autograph.converters.context import Context
from autograph.syntax.names import Namer
from autograph.syntax.template import make, name
from autograph.syntax.walk import place_of


@dataclass(eq=False, repr=False)
class Lowering:
    """Facts that lowered statements carry on to the converters, by node.

    `extra_tests` are tests that a `for` obeys besides its iterator, `loop_options` the keyword
    arguments of a loop's directive, `returns` the assignments that stand for `return`,
    `as_is` generated statements that are final already, `suspending` those whose blocks or tests
    hold a `yield`, `finishing` the `try` statements whose handler and `else` stand for a `finally`
    that jumps, `literals` which types operands have that were asked for, `later_cases` the branches
    of all cases but the first. A function that `always_returns` does so by one of several `return`
    statements: which one may depend on data.
    """

    context: Context
    scopes: ScopeTree
    scope: Scope
    namer: Namer
    extra_tests: dict[gast.AST, gast.expr] = field(default_factory=dict)
    loop_options: dict[gast.AST, list[gast.keyword]] = field(default_factory=dict)
    returns: set[gast.AST] = field(default_factory=set)
    as_is: set[gast.AST] = field(default_factory=set)
    suspending: set[gast.AST] = field(default_factory=set)
    finishing: set[gast.AST] = field(default_factory=set)
    literals: dict[gast.AST, frozenset[type]] = field(default_factory=dict)
    later_cases: set[gast.AST] = field(default_factory=set)
    return_flag: str | None = None
    return_value: str | None = None
    always_returns: bool = False

    def alias(self, copy: gast.AST, original: gast.AST) -> None:
        """Says of the nodes of a deep copy what is known about the originals."""
        for new, old in zip(gast.walk(copy), gast.walk(original), strict=True):
            self.scopes.alias(new, old)
            for known in (self.as_is, self.later_cases):
                if old in known:
                    known.add(new)
            if old in self.loop_options:
                self.loop_options[new] = deepcopy(self.loop_options[old])


def none_set(flags: set[str], at: gast.AST) -> gast.expr:
    """The condition that no flag is set: `not a and not b`."""
    tests = [_not(flag, at) for flag in sorted(flags)]
    return tests[0] if len(tests) == 1 else all_of(tests, at)


def all_of(tests: list[gast.expr], at: gast.AST) -> gast.expr:
    """The conjunction of conditions."""
    values: list[gast.expr] = []
    for test in tests:
        nested = isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And)
        values += test.values if nested else [test]
    node: gast.expr = make(gast.BoolOp, {"op": gast.And(), "values": values, **place_of(at)})
    return node


def _not(flag: str, at: gast.AST) -> gast.expr:
    fields = {"op": gast.Not(), "operand": name(flag, at), **place_of(at)}
    node: gast.expr = make(gast.UnaryOp, fields)
    return node


def if_statement(
    test: gast.expr, body: list[gast.stmt], orelse: list[gast.stmt], at: gast.AST
) -> gast.stmt:
    """An `if` with these parts; an empty body is `pass`."""
    filled = body or [make(gast.Pass, place_of(at))]
    fields = {"test": test, "body": filled, "orelse": orelse, **place_of(at)}
    node: gast.stmt = make(gast.If, fields)
    return node
