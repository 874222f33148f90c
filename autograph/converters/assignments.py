"""Assignments: names are bound natively, attributes and items through the runtime.

a.b = v         ag__.setattr_(a, 'b', v)
a[k] += v       ag__.setitem(a, k, ag__.iadd(ag__.getitem(a, k), v))
x, *y = v       (x, *y) = ag__.unpack_ex(v, 1, 0); ag__.fresh(y)
"""

from __future__ import annotations

from typing import Any

import gast

from autograph.converters.conversion import Conversion, walrus_names
from autograph.converters.names import GETATTR, GETITEM
from autograph.converters.returns import convert_return
from autograph.syntax.template import STORE, Template, constant, make, name, stored, tuple_of
from autograph.syntax.walk import place_of

ASSIGN = Template("target = value")
SET_ATTRIBUTE = Template("ag__.setattr_(value, attribute, new)")
SET_ITEM = Template("ag__.setitem(value, key, new)")
UNPACK = Template("ag__.unpack(value, count)")
UNPACK_EX = Template("ag__.unpack_ex(value, before, after)")
FRESH = Template("ag__.fresh(made)")
IN_PLACE: dict[type[gast.AST], Template] = {
    gast.Add: Template("ag__.iadd(left, right)"),
    gast.Sub: Template("ag__.isub(left, right)"),
    gast.Mult: Template("ag__.imul(left, right)"),
    gast.MatMult: Template("ag__.imatmul(left, right)"),
    gast.Div: Template("ag__.itruediv(left, right)"),
    gast.FloorDiv: Template("ag__.ifloordiv(left, right)"),
    gast.Mod: Template("ag__.imod(left, right)"),
    gast.Pow: Template("ag__.ipow(left, right)"),
    gast.LShift: Template("ag__.ilshift(left, right)"),
    gast.RShift: Template("ag__.irshift(left, right)"),
    gast.BitAnd: Template("ag__.iand(left, right)"),
    gast.BitXor: Template("ag__.ixor(left, right)"),
    gast.BitOr: Template("ag__.ior(left, right)"),
}


def convert_assign(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """The value is computed first, then stored in each target from left to right."""
    if node in conversion.lowering.returns:
        return convert_return(node, conversion)
    targets = node.targets
    if len(targets) == 1:
        return _single(targets[0], node.value, node, conversion)
    if all(isinstance(target, gast.Name) for target in targets):
        node.value = conversion.expression(node.value)
        return [node]
    kept, held = _held(conversion.expression(node.value), node, conversion, "value_")
    stores = [s for target in targets for s in assign_target(target, _again(held), conversion)]
    return [*kept, *stores]


def _single(target: Any, value: Any, node: gast.AST, conversion: Conversion) -> list[gast.stmt]:
    if isinstance(target, gast.Attribute | gast.Subscript) and not _can_reorder(
        target, value, conversion
    ):
        kept, held = _held(conversion.expression(value), node, conversion, "value_")
        return [*kept, *assign_target(target, held, conversion)]
    return assign_target(target, conversion.expression(value), conversion)


def _again(held: gast.expr) -> gast.expr:
    copied: gast.expr = make(type(held), dict(held.__dict__))
    return copied


def _can_reorder(target: Any, value: gast.AST, conversion: Conversion) -> bool:
    """Whether the parts of the target may be computed before the value."""
    parts = [target.value]
    if isinstance(target, gast.Subscript):
        parts.append(target.slice)
    if _is_steady(value, conversion):
        return not any(walrus_names(part) for part in parts)
    if not all(_is_steady(part, conversion) for part in parts):
        return False
    rebound = walrus_names(value) if conversion.function.has_walrus else set()
    return not any(isinstance(part, gast.Name) and part.id in rebound for part in parts)


def _is_steady(node: Any, conversion: Conversion) -> bool:
    """Whether computing the expression earlier or later makes no difference."""
    if isinstance(node, gast.Constant):
        return True
    if not isinstance(node, gast.Name):
        return False
    facts = conversion.facts
    if node.id not in conversion.function.bound or node.id in conversion.function.rebound_inside:
        return False
    return facts.is_in(node.id, conversion.bound_here)


def _held(
    value: gast.expr, at: gast.AST, conversion: Conversion, stem: str
) -> tuple[list[gast.stmt], gast.expr]:
    """A value in a name of its own, so that it is computed once and here."""
    if isinstance(value, gast.Constant):
        return [], value
    held = conversion.namer.fresh(stem)
    return ASSIGN.statements(at, target=held, value=value), name(held, at)


def assign_target(target: Any, value: gast.expr, conversion: Conversion) -> list[gast.stmt]:
    """Stores a converted value in a target."""
    if isinstance(target, gast.Attribute):
        place = conversion.expression(target.value)
        attribute = constant(target.attr, target)
        return SET_ATTRIBUTE.statements(target, value=place, attribute=attribute, new=value)
    if isinstance(target, gast.Subscript):
        place, key = conversion.expression(target.value), conversion.expression(target.slice)
        return SET_ITEM.statements(target, value=place, key=key, new=value)
    if isinstance(target, gast.Tuple | gast.List):
        return _unpack(target, value, conversion)
    return ASSIGN.statements(target, target=target, value=value)


def _unpack(target: Any, value: gast.expr, conversion: Conversion) -> list[gast.stmt]:
    unpacked = unpacking(target, value)
    if all(isinstance(_inner(part), gast.Name) for part in target.elts):
        names = [_inner(part) for part in target.elts if isinstance(part, gast.Starred)]
        made = ASSIGN.statements(target, target=target, value=unpacked)
        return [*made, *(s for rest in names for s in FRESH.statements(rest, made=rest.id))]
    holders = [conversion.namer.fresh("item_") for _ in target.elts]
    parts = [
        _starred_like(part, stored(holder, part))
        for part, holder in zip(target.elts, holders, strict=True)
    ]
    made = ASSIGN.statements(target, target=tuple_of(parts, target, STORE), value=unpacked)
    for part, holder in zip(target.elts, holders, strict=True):
        held = name(holder, part)
        is_rest = isinstance(part, gast.Starred)
        new = FRESH.expression(part, made=held) if is_rest else held
        made += assign_target(_inner(part), new, conversion)
    return made


def _inner(part: Any) -> Any:
    return part.value if isinstance(part, gast.Starred) else part


def _starred_like(part: Any, holder: gast.expr) -> gast.expr:
    if not isinstance(part, gast.Starred):
        return holder
    starred: gast.expr = make(gast.Starred, {"value": holder, "ctx": STORE, **place_of(part)})
    return starred


def unpacking(target: Any, value: gast.expr) -> gast.expr:
    """The value as a tuple that has as many parts as the target."""
    starred = [i for i, part in enumerate(target.elts) if isinstance(part, gast.Starred)]
    if not starred:
        count = constant(len(target.elts), target)
        return UNPACK.expression(target, value=value, count=count)
    before, after = starred[0], len(target.elts) - starred[0] - 1
    return UNPACK_EX.expression(
        target, value=value, before=constant(before, target), after=constant(after, target)
    )


def convert_aug_assign(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """The place is computed once, then read, then the right side is computed."""
    target, operation = node.target, IN_PLACE[type(node.op)]
    if isinstance(target, gast.Attribute):
        return _aug_attribute(node, target, operation, conversion)
    if isinstance(target, gast.Subscript):
        return _aug_item(node, target, operation, conversion)
    read = make(gast.Name, {**target.__dict__, "ctx": gast.Load()})
    left, right = conversion.expression(read), conversion.expression(node.value)
    value = operation.expression(node, left=left, right=right)
    return ASSIGN.statements(node, target=target, value=value)


def _aug_attribute(
    node: Any, target: Any, operation: Template, conversion: Conversion
) -> list[gast.stmt]:
    kept, places = _place(target.value, conversion, "object_")
    attribute = constant(target.attr, target)
    left = GETATTR.expression(target, value=places[0], attribute=attribute)
    new = operation.expression(node, left=left, right=conversion.expression(node.value))
    made = SET_ATTRIBUTE.statements(node, value=places[1], attribute=attribute, new=new)
    return [*kept, *made, *_let_go(kept)]


def _aug_item(
    node: Any, target: Any, operation: Template, conversion: Conversion
) -> list[gast.stmt]:
    kept, places = _place(target.value, conversion, "object_")
    kept_key, keys = _place(target.slice, conversion, "key_")
    if kept_key and not kept and not _is_steady(target.value, conversion):
        kept, held = _held(places[0], target, conversion, "object_")
        places = [held, _again(held)]
    left = GETITEM.expression(target, value=places[0], key=keys[0])
    new = operation.expression(node, left=left, right=conversion.expression(node.value))
    made = SET_ITEM.statements(node, value=places[1], key=keys[1], new=new)
    return [*kept, *kept_key, *made, *_let_go(kept)]


def _let_go(kept: list[gast.stmt]) -> list[gast.stmt]:
    """Delete the names of what a statement held, so that nobody is taken to have it afterwards."""
    deleted: list[gast.stmt] = []
    for statement in kept:
        target = make(gast.Name, {**statement.targets[0].__dict__, "ctx": gast.Del()})
        deleted.append(make(gast.Delete, {"targets": [target], **place_of(statement)}))
    return deleted


def _place(node: Any, conversion: Conversion, stem: str) -> tuple[list[gast.stmt], list[gast.expr]]:
    """Statements that compute a part of a place once, and two expressions that mention it.

    A name of another scope is held, too: each reading of it is one that the trace notes.
    """
    if isinstance(node, gast.Constant) or (
        isinstance(node, gast.Name) and node.id in conversion.function.bound
    ):
        twin = make(type(node), dict(node.__dict__))
        return [], [conversion.expression(node), conversion.expression(twin)]
    kept, held = _held(conversion.expression(node), node, conversion, stem)
    return kept, [held, _again(held)]


def convert_ann_assign(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """Local annotations are not kept: Python does not evaluate them either."""
    if node.value is not None:
        return _single(node.target, node.value, node, conversion)
    if isinstance(node.target, gast.Name):
        return []
    parts = [node.target.value, getattr(node.target, "slice", None)]
    return [
        made
        for part in parts
        if part is not None
        for made in EVALUATE.statements(node, value=conversion.expression(part))
    ]


EVALUATE = Template("value")

STATEMENTS = {
    gast.Assign: convert_assign,
    gast.AugAssign: convert_aug_assign,
    gast.AnnAssign: convert_ann_assign,
}
