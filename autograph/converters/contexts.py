"""`with`, and the generators that `contextlib.contextmanager` makes managers of.

with m as x:        with ag__.context(fscope.read('m', m)) as x:
    f(x)                ag__.converted_call(...)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from autograph.converters.assignments import assign_target
from autograph.converters.context import Context
from autograph.converters.conversion import Conversion
from autograph.syntax.template import Template, make, name, stored

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


# ---- generators of managers --------------------------------------------------------------------

_AROUND_YIELD = (gast.With, gast.Try, gast.TryStar)
_OF_THEIR_OWN = (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef, gast.Lambda)


def check_generator(node: Any, context: Context) -> bool:
    """Refuse a generator whose `yield` cannot stay where it is; whether a `try` is around one.

    What branches, loops and `return` hold becomes functions, in which there can be no `yield`.
    """
    for part in _parts(node.body):
        if isinstance(part, gast.Return):
            context.refuse(part, "a generator that is a context manager has a `return`", _ADVICE)
    allowed = {part for statement in _in_place(node.body) for part in _yields_of(statement)}
    for part in _parts(node.body):
        if isinstance(part, gast.Yield | gast.YieldFrom) and part not in allowed:
            what = "the `yield` of a context manager stands inside of another statement"
            context.refuse(part, what, _ADVICE)
    return any(isinstance(s, _AROUND_YIELD) and has_yield(s) for s in node.body)


_ADVICE = "Write the manager as a class, or put the `yield` after the branch or loop."


def has_yield(node: Any) -> bool:
    """Whether a statement holds a `yield` of the function that it stands in."""
    return any(isinstance(part, gast.Yield | gast.YieldFrom) for part in _parts([node]))


def _parts(nodes: list[Any]) -> Iterator[Any]:
    """All parts of statements that belong to the function itself."""
    todo = list(reversed(nodes))
    while todo:
        part = todo.pop()
        yield part
        if not isinstance(part, _OF_THEIR_OWN):
            todo += gast.iter_child_nodes(part)


def _in_place(block: list[Any]) -> Iterator[Any]:
    """The statements that are run where they stand, those in `with` and `try` included."""
    for statement in block:
        yield statement
        if isinstance(statement, _AROUND_YIELD):
            yield from _in_place(statement.body)
            if not isinstance(statement, gast.With):
                for handler in statement.handlers:
                    yield from _in_place(handler.body)
                yield from _in_place(statement.orelse)
                yield from _in_place(statement.finalbody)


def _yields_of(statement: Any) -> Iterator[gast.AST]:
    value = getattr(statement, "value", None)
    if isinstance(statement, gast.Expr | gast.Assign) and isinstance(value, gast.Yield):
        yield value


STATEMENTS = {gast.With: convert_with}
