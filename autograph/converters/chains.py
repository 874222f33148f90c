"""Long chains of `elif` are cut: what is left of one is a statement of its own, after the first.

if a: f()                     left_ = False
elif b: g()                   if a: f()
elif c: h()                   elif b: g()
else: k()                     else: left_ = True
                              if left_:
                                  left_ = False
                                  if c: h()
                                  else: k()

Branches become functions within each other, and graphs: some thousand are more than Python nests.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.lowering import Lowering, if_statement
from autograph.syntax.template import Template, constant, name
from autograph.syntax.walk import statement_lists

SET = Template("flag = value")
# A chain with more branches is cut into pieces of so many.
LONGEST, PIECE = 40, 16


def lower_chains(function: Any, lowering: Lowering) -> None:
    """Cuts every long chain in the function."""
    _lower_block(function.body, lowering)


def _lower_block(statements: list[gast.stmt], lowering: Lowering) -> None:
    # Before the blocks: they hold what is left of a chain.
    statements[:] = [new for old in statements for new in _cut(old, lowering)]
    for statement in statements:
        if isinstance(statement, gast.FunctionDef | gast.ClassDef | gast.AsyncFunctionDef):
            continue
        for block in statement_lists(statement):
            _lower_block(block, lowering)


def is_long(statement: Any, lowering: Lowering) -> bool:
    """Whether a statement is a chain that is cut."""
    return len(_links(statement, lowering)) > LONGEST


def _links(statement: Any, lowering: Lowering) -> list[Any]:
    """The `if` statements of a chain: an `elif` is all of the `else` before it, a later case may
    come after what takes the subject apart.
    """
    found = []
    while isinstance(statement, gast.If):
        found.append(statement)
        *before, statement = statement.orelse or [None]
        if before and statement not in lowering.later_cases:
            break
    return found


def _cut(statement: Any, lowering: Lowering) -> list[gast.stmt]:
    links = _links(statement, lowering)
    if len(links) <= LONGEST:
        return [statement]
    flag = lowering.namer.fresh("left_")
    made = [_set(flag, False, statement), statement]
    for last, at in zip(links[PIECE - 1 :: PIECE], links[PIECE::PIECE], strict=False):
        rest, last.orelse = last.orelse, [_set(flag, True, last)]
        made.append(if_statement(name(flag, at), [_set(flag, False, at), *rest], [], at))
    return made


def _set(flag: str, value: bool, at: gast.AST) -> gast.stmt:
    return SET.statements(at, flag=flag, value=constant(value, at))[0]
