"""`with`: managers go through the runtime, bodies stay where they are.

with m as x:        with ag__.context(fscope.read('m', m)) as x:
    f(x)                ag__.converted_call(...)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.assignments import assign_target
from autograph.converters.conversion import Conversion
from autograph.converters.generators import REGAIN, protecting
from autograph.syntax.template import Template, make, name, stored

CONTEXT = Template("ag__.context(manager)")
ENTER = Template("""
with manager as entered:
    body
""")


def convert_with(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """Managers and bodies are converted; targets that are no names are stored in the body."""
    if node not in conversion.lowering.suspending:
        return [_converted(node, conversion)]
    with protecting(conversion):
        made = _converted(node, conversion)
    return [made, *REGAIN.statements(node, fscope=conversion.fscope)]


def _converted(node: Any, conversion: Conversion) -> gast.stmt:
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
    inner = [_converted(rest, conversion)] if rest.items else conversion.block(node.body)
    node.items, node.body = items, [*stores, *inner]
    statement: gast.stmt = node
    return statement


STATEMENTS = {gast.With: convert_with}
