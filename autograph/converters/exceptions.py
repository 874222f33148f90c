"""`try`: the runtime knows what protects the body, and its own errors pass the handlers.

try: f()                try:
except E: g()               with ag__.try_body(('except',)): f()
                        except ag__.StagingError: raise
                        except E: g()
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.assignments import assign_target
from autograph.converters.conversion import Conversion, unbound
from autograph.syntax.template import Template, constant, make, name, stored, tuple_of

TRY_BODY = Template("""
with ag__.try_body(parts):
    body
""")
PASS_ON = Template("""
try:
    pass
except ag__.StagingError:
    raise
""")
BOUND_AND_CLEARED = Template("""
target = caught
try:
    body
finally:
    cleared
""")


def convert_try(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """Handlers, `else` and `finally` stay where they are."""
    if node in conversion.lowering.as_is:
        node.body = conversion.block(node.body)
        return [node]
    parts = ["except"] if node.handlers else []
    parts += ["finally"] if node.finalbody else []
    known = tuple_of([constant(part, node) for part in parts], node)
    node.body = TRY_BODY.statements(node.body[0], parts=known, body=conversion.block(node.body))
    handlers = [_handler(handler, conversion) for handler in node.handlers]
    if handlers and isinstance(node, gast.Try):
        handlers = [_pass_on(handlers[0]), *handlers]
    node.handlers = handlers
    node.orelse = conversion.block(node.orelse)
    node.finalbody = conversion.block(node.finalbody)
    return [node]


def _pass_on(at: gast.AST) -> Any:
    made: Any = PASS_ON.statements(at)[0]
    return made.handlers[0]


def _handler(handler: Any, conversion: Conversion) -> Any:
    handler.type = conversion.optional(handler.type)
    handler.body = conversion.block(handler.body)
    if handler.name is not None and _must_exist_after(handler, conversion):
        _bind_apart(handler, conversion)
    return handler


def _must_exist_after(handler: Any, conversion: Conversion) -> bool:
    bound, function = handler.name.id, conversion.function
    if bound in function.globals or (bound in function.nonlocals and not function.owner(bound)):
        return False
    return bound in conversion.carried or conversion.facts.is_read_after_handler(handler)


def _bind_apart(handler: Any, conversion: Conversion) -> None:
    """Python deletes the name after the handler; one that is used later must go on to exist."""
    bound, caught = handler.name.id, conversion.namer.fresh("caught_")
    cleared = [unbound(bound, handler)]
    handler.body = BOUND_AND_CLEARED.statements(
        handler, target=bound, caught=caught, body=handler.body, cleared=cleared
    )
    handler.name = stored(caught, handler)


CONTEXT = Template("ag__.context(manager)")
ENTER = Template("""
with manager as entered:
    body
""")


def convert_with(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """Managers and bodies are converted; targets that are no names are stored in the body."""
    items = []
    for index, item in enumerate(node.items):
        expression = item.context_expr
        manager = conversion.expression(expression)
        item.context_expr = CONTEXT.expression(expression, manager=manager)
        items.append(item)
        if item.optional_vars is not None and not isinstance(item.optional_vars, gast.Name):
            rest = make(gast.With, {**node.__dict__, "items": node.items[index + 1 :]})
            return [_stored_inside(node, items, rest, conversion)]
    node.body = conversion.block(node.body)
    return [node]


def _stored_inside(node: Any, items: list[Any], rest: Any, conversion: Conversion) -> gast.stmt:
    target, entered = items[-1].optional_vars, conversion.namer.fresh("entered_")
    items[-1].optional_vars = stored(entered, target)
    stores = assign_target(target, name(entered, target), conversion)
    inner = convert_with(rest, conversion) if rest.items else conversion.block(node.body)
    node.items, node.body = items, [*stores, *inner]
    statement: gast.stmt = node
    return statement


STATEMENTS = {
    gast.Try: convert_try,
    gast.TryStar: convert_try,
    gast.With: convert_with,
}
