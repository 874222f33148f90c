"""`try`: its blocks are functions, and the names they change are its state.

try: f()          def try_body(): f()
except E as e:    def handler(caught_): e = caught_; g()
    g()           ag__.try_stmt(try_body, ((lambda: E, handler),), None, None,
                                get_state, set_state, ())

`try` with `except*` stays as it is; its body is announced.
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion, unbound
from autograph.converters.generators import REGAIN, protecting
from autograph.converters.state import State
from autograph.syntax.template import Template, constant, make, name, stored, tuple_of
from autograph.syntax.walk import place_of

TRY = Template("""
def try_body():
    nonlocal names
    global shared
    body
before_handlers
ag__.try_stmt(try_body, handlers, orelse, finalbody, get_state, set_state, symbols)
""")
BLOCK = Template("""
def block():
    nonlocal names
    global shared
    body
""")
HANDLER = Template("""
def handler(caught_):
    nonlocal names
    global shared
    body
""")
BIND = Template("target = caught")
BOUND_AND_CLEARED = Template("""
target = caught
try:
    body
finally:
    cleared
""")
PASS_ON = Template("""
try:
    pass
except ag__.StagingError:
    raise
""")
AT_END = Template("ag__.at_end(block)")
TRY_BODY = Template("""
with ag__.try_body(('except*',)):
    body
""")

SUSPENDING_BODY = Template("""
with ag__.try_body(('yield',)):
    body
""")


def convert_try(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """Each block is a function; clauses are evaluated when an error asks for them."""
    if node in conversion.lowering.suspending:
        return [_inline(node, conversion)]
    state = State(conversion.facts.try_state(node), node, conversion)
    body = state.body(lambda: conversion.block(node.body))
    before: list[gast.stmt] = []
    handlers = [_handler(handler, node, state, before) for handler in node.handlers]
    made = TRY.statements(
        node,
        try_body=conversion.namer.fresh("try_body"),
        body=body,
        handlers=tuple_of(handlers, node),
        orelse=_block("else_body", node.orelse, node, state, before),
        finalbody=_block("final_body", node.finalbody, node, state, before),
        before_handlers=before,
        **state.placeholders(),
    )
    return [*state.definitions(), *made]


def _block(
    stem: str, block: list[gast.stmt], node: Any, state: State, before: list[gast.stmt]
) -> gast.expr:
    """The name of the function for a block that may be missing; it is defined in `before`."""
    if not block:
        return constant(None, node)
    conversion, places = state.conversion, state.placeholders()
    made = conversion.namer.fresh(stem)
    body = state.body(lambda: conversion.block(block))
    before += BLOCK.statements(
        block[0], block=made, body=body, names=places["names"], shared=places["shared"]
    )
    return _called(made, node, node, state)


def _called(block: str, at: Any, statement: Any, state: State) -> gast.expr:
    """The function of a block or clause, as the statement calls it."""
    function = name(block, at)
    if statement not in state.conversion.lowering.finishing:
        return function
    return AT_END.expression(at, block=function)


def _handler(handler: Any, node: Any, state: State, before: list[gast.stmt]) -> gast.expr:
    """The pair (classes, function) of a clause; the function is defined in `before`."""
    conversion, places = state.conversion, state.placeholders()
    kinds = constant(None, handler)
    if handler.type is not None:
        hoisted, conversion.hoisted = conversion.hoisted, before
        kinds = conversion.thunk(handler.type)
        conversion.hoisted = hoisted
    made, caught = conversion.namer.fresh("handler"), conversion.namer.fixed("caught_")
    before += HANDLER.statements(
        handler,
        handler=made,
        caught_=caught,
        body=state.body(lambda: _handler_body(handler, caught, state)),
        names=places["names"],
        shared=places["shared"],
    )
    return tuple_of([kinds, _called(made, handler, node, state)], handler)


def _handler_body(handler: Any, caught: str, state: State) -> list[gast.stmt]:
    """Python deletes the name of a clause after it; one that others read must go on to exist."""
    body = state.conversion.block(handler.body)
    if handler.name is None:
        return body
    bound = handler.name.id
    if bound not in state.names:
        return [*BIND.statements(handler, target=bound, caught=caught), *body]
    cleared = [_cleared(bound, state, handler)]
    return BOUND_AND_CLEARED.statements(
        handler, target=bound, caught=caught, body=body, cleared=cleared
    )


def _cleared(bound: str, state: State, at: gast.AST) -> gast.stmt:
    function = state.conversion.function
    if bound not in function.globals and (bound not in function.nonlocals or function.owner(bound)):
        return unbound(bound, at)
    target = make(gast.Name, {**name(bound, at).__dict__, "ctx": gast.Del()})
    deleted: gast.stmt = make(gast.Delete, {"targets": [target], **place_of(at)})
    return deleted


def _inline(node: Any, conversion: Conversion) -> gast.stmt:
    """A `try` around a `yield` stays; errors of staging pass it."""
    carried = conversion.carried  # found while the statements are as they were
    with protecting(conversion):
        body = conversion.block(node.body)
        is_users = node not in conversion.lowering.as_is
        node.body = SUSPENDING_BODY.statements(body[0], body=body) if is_users else body
        for handler in node.handlers:
            handler.type = conversion.optional(handler.type)
            handler.body = [
                *REGAIN.statements(handler, fscope=conversion.fscope),
                *conversion.block(handler.body),
            ]
            if handler.name is not None and _must_exist_after(handler, carried, conversion):
                _bind_apart(handler, conversion)
        node.orelse = conversion.block(node.orelse)
        node.finalbody = conversion.block(node.finalbody)
    if node.finalbody:
        node.finalbody[:0] = REGAIN.statements(node, fscope=conversion.fscope)
    if node.handlers:
        made: Any = PASS_ON.statements(node.handlers[0])[0]
        node.handlers = [*made.handlers, *node.handlers]
    statement: gast.stmt = node
    return statement


def convert_try_star(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """Handlers, `else` and `finally` stay where they are."""
    carried = conversion.carried  # found while the statements are as they were
    body = conversion.block(node.body)
    node.body = TRY_BODY.statements(node.body[0], body=body)
    for handler in node.handlers:
        handler.type = conversion.optional(handler.type)
        handler.body = conversion.block(handler.body)
        if handler.name is not None and _must_exist_after(handler, carried, conversion):
            _bind_apart(handler, conversion)
    node.orelse = conversion.block(node.orelse)
    node.finalbody = conversion.block(node.finalbody)
    return [node]


def _must_exist_after(handler: Any, carried: frozenset[str], conversion: Conversion) -> bool:
    bound, function = handler.name.id, conversion.function
    if bound in function.globals or (bound in function.nonlocals and not function.owner(bound)):
        return False
    return bound in carried or conversion.facts.is_read_after_handler(handler)


def _bind_apart(handler: Any, conversion: Conversion) -> None:
    bound, caught = handler.name.id, conversion.namer.fresh("caught_")
    cleared = [unbound(bound, handler)]
    handler.body = BOUND_AND_CLEARED.statements(
        handler, target=bound, caught=caught, body=handler.body, cleared=cleared
    )
    handler.name = stored(caught, handler)


STATEMENTS = {
    gast.Try: convert_try,
    gast.TryStar: convert_try_star,
}
