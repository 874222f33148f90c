"""Directives: calls that say something about the loop they stand first in.

while c:                                    while c:      # options: maximum_iterations=9
    ag.set_loop_options(maximum_iterations=9)    f()
    f()
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.lowering import Lowering
from autograph.errors import DirectiveError
from autograph.syntax.names import qualified_name
from autograph.syntax.template import make
from autograph.syntax.walk import place_of, statement_lists

LOOP_OPTIONS = "set_loop_options"
ELEMENT_TYPE = "set_element_type"


def lower_directives(function: Any, lowering: Lowering) -> None:
    """Takes the directives out of the function; a loop's go to `lowering.loop_options`."""
    _block(function, function.body, lowering)


def _block(owner: gast.AST, statements: list[gast.stmt], lowering: Lowering) -> None:
    removed: list[gast.stmt] = []
    for index, statement in enumerate(statements):
        kind = directive_name(statement)
        if kind is None:
            if not isinstance(statement, gast.FunctionDef | gast.ClassDef | gast.AsyncFunctionDef):
                for block in statement_lists(statement):
                    _block(statement, block, lowering)
            continue
        if kind == LOOP_OPTIONS:
            first = index == len(removed)
            _take_options(owner, statement, lowering, first)
        removed.append(statement)
    if removed:
        kept = [s for s in statements if s not in removed]
        statements[:] = kept or [make(gast.Pass, place_of(removed[0]))]


def directive_name(statement: Any) -> str | None:
    """Which directive a statement is, or None."""
    if not isinstance(statement, gast.Expr) or not isinstance(statement.value, gast.Call):
        return None
    called = qualified_name(statement.value.func)
    if called is None or called.last not in (LOOP_OPTIONS, ELEMENT_TYPE):
        return None
    return called.last


def _take_options(owner: gast.AST, statement: Any, lowering: Lowering, first: bool) -> None:
    if not first or not isinstance(owner, gast.For | gast.While) or statement not in owner.body:
        lowering.context.refuse(
            statement,
            f"`{LOOP_OPTIONS}` does not stand first in the body of a loop",
            "Move the call to the first line of the loop that it is about.",
            DirectiveError,
        )
    call = statement.value
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        lowering.context.refuse(
            statement,
            f"`{LOOP_OPTIONS}` takes keyword arguments only",
            f"Write `{LOOP_OPTIONS}(maximum_iterations=...)`.",
            DirectiveError,
        )
    lowering.loop_options.setdefault(owner, []).extend(call.keywords)
