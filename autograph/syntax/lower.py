"""From gast's trees, which are alike in all Pythons, to the trees that this Python compiles.

One pass does what `gast.gast_to_ast` and `ast.fix_missing_locations` do together: it runs for each
converted function, and its time is a large part of a conversion's.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

import gast

__all__ = ["to_python"]

_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
Place = tuple[Any, Any, Any, Any]


class _Plan(NamedTuple):
    """How nodes of one class are made: Python's class, its fields, whether it has a place."""

    made: type[ast.AST]
    fields: tuple[str, ...]
    placed: bool


_plans: dict[type, _Plan] = {}


def to_python(node: gast.AST, place: Place = (1, 0, 1, 0)) -> Any:
    """`node` as a tree of `ast`; nodes without a place get that of the node around them.

    >>> ast.dump(to_python(gast.parse("x", mode="eval").body))
    "Name(id='x', ctx=Load())"
    """
    kind = type(node)
    plan = _plans.get(kind)
    if plan is None:
        plan = _plans[kind] = _plan(kind)
    made = plan.made.__new__(plan.made)
    content, given = made.__dict__, node.__dict__
    if plan.placed:
        if given.get("lineno") is not None:
            end = given.get("end_lineno")
            place = (
                given["lineno"],
                given.get("col_offset", place[1]),
                place[2] if end is None else end,
                place[3] if end is None else given["end_col_offset"],
            )
        (
            content["lineno"],
            content["col_offset"],
            content["end_lineno"],
            content["end_col_offset"],
        ) = place
    for field in plan.fields:
        value = given.get(field)
        if isinstance(value, ast.AST):
            value = to_python(value, place)
        elif type(value) is list:
            value = [to_python(v, place) if isinstance(v, ast.AST) else v for v in value]
        content[field] = value
    special = _SPECIAL.get(kind)
    if special is not None:
        special(node, content, place)
    return made


def _plan(kind: type) -> _Plan:
    made = getattr(ast, kind.__name__)
    placed = "lineno" in made._attributes
    fields = tuple(f for f in made._fields if f not in _OWN_FIELDS.get(kind, ()))
    return _Plan(made, fields, placed)


def _argument(node: Any, place: Place) -> ast.arg | None:
    """A parameter: a Name in gast's trees."""
    if node is None:
        return None
    name = to_python(node, place)
    made = ast.arg.__new__(ast.arg)
    made.__dict__.update({key: getattr(name, key) for key in _PLACE})
    annotation = node.annotation
    made.__dict__.update(
        arg=node.id,
        annotation=None if annotation is None else to_python(annotation, place),
        type_comment=None,
    )
    return made


def _arguments(node: Any, content: dict[str, Any], place: Place) -> None:
    for field in ("posonlyargs", "args", "kwonlyargs"):
        content[field] = [_argument(each, place) for each in getattr(node, field) or ()]
    for field in ("vararg", "kwarg"):
        content[field] = _argument(getattr(node, field), place)


def _handler(node: Any, content: dict[str, Any], place: Place) -> None:
    content["name"] = None if node.name is None else node.name.id


# Fields that gast has otherwise, and what makes them.
_OWN_FIELDS: dict[type, tuple[str, ...]] = {
    gast.arguments: ("posonlyargs", "args", "kwonlyargs", "vararg", "kwarg"),
    gast.ExceptHandler: ("name",),
}
_SPECIAL = {gast.arguments: _arguments, gast.ExceptHandler: _handler}
