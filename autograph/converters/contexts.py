"""`with`: the body is a function, and the names it changes are its state.

with m as x: f(x)     def with_body(entered_): x = entered_; f(x)
                      ag__.with_stmt(m, with_body, get_state, set_state, ())

One of several managers is a `with` of its own. One around a `yield` stays where it is:

with m as x:          with ag__.context(m) as x:
    yield x               ...
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.assignments import assign_target
from autograph.converters.conversion import Conversion
from autograph.converters.generators import REGAIN, protecting
from autograph.converters.lowering import Lowering
from autograph.converters.state import State
from autograph.syntax.template import Template, make, name, stored
from autograph.syntax.walk import place_of, statement_lists

WITH = Template("""
def with_body(entered):
    nonlocal names
    global shared
    body
ag__.with_stmt(manager, with_body, get_state, set_state, symbols)
""")
CONTEXT = Template("ag__.context(manager)")


def lower_contexts(function: Any, lowering: Lowering) -> None:
    """Makes of a `with` of several managers one in the other."""
    for statement in function.body:
        _part(statement, lowering)


def _part(statement: Any, lowering: Lowering) -> None:
    if isinstance(statement, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef):
        return
    for block in statement_lists(statement):
        for inner in block:
            _part(inner, lowering)
    if not isinstance(statement, gast.With) or statement in lowering.suspending:
        return
    first, *others = statement.items
    for item in reversed(others):
        place = place_of(item.context_expr)
        fields = {"items": [item], "body": statement.body, "type_comment": None, **place}
        statement.body = [make(gast.With, fields)]
    statement.items = [first]


def convert_with(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """The manager is computed, then the body is a function of what it gives."""
    if node in conversion.lowering.suspending:
        with protecting(conversion):
            made = _kept(node, conversion)
        return [made, *REGAIN.statements(node, fscope=conversion.fscope)]
    (item,) = node.items
    manager = conversion.expression(item.context_expr)
    state = State(conversion.facts.with_state(node), node, conversion)
    entered = conversion.namer.fresh("entered_")
    statements = WITH.statements(
        node,
        with_body=conversion.namer.fresh("with_body"),
        entered=entered,
        body=state.body(lambda: _body(node, entered, conversion)),
        manager=manager,
        **state.placeholders(),
    )
    return [*state.definitions(), *statements]


def _body(node: Any, entered: str, conversion: Conversion) -> list[gast.stmt]:
    target = node.items[0].optional_vars
    if target is None:
        return conversion.block(node.body)
    stores = assign_target(target, name(entered, target), conversion)
    return [*stores, *conversion.block(node.body)]


# ---- around a `yield` --------------------------------------------------------------------------


def _kept(node: Any, conversion: Conversion) -> gast.stmt:
    """Managers and bodies are converted; targets that are no names are stored in the body."""
    items = []
    for index, item in enumerate(node.items):
        expression = item.context_expr
        manager = conversion.expression(expression)
        item.context_expr = CONTEXT.expression(expression, manager=manager)
        items.append(item)
        if item.optional_vars is not None and not isinstance(item.optional_vars, gast.Name):
            rest = make(gast.With, {**node.__dict__, "items": node.items[index + 1 :]})
            return _stored_inside(node, items, rest, conversion)
    node.body = conversion.block(node.body)
    statement: gast.stmt = node
    return statement


def _stored_inside(node: Any, items: list[Any], rest: Any, conversion: Conversion) -> gast.stmt:
    target, entered = items[-1].optional_vars, conversion.namer.fresh("entered_")
    items[-1].optional_vars = stored(entered, target)
    stores = assign_target(target, name(entered, target), conversion)
    inner = [_kept(rest, conversion)] if rest.items else conversion.block(node.body)
    node.items, node.body = items, [*stores, *inner]
    statement: gast.stmt = node
    return statement


STATEMENTS = {gast.With: convert_with}
