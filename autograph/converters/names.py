"""Reads of names say whether the name is the function's own or was captured.

x + k + len(y)      ag__.ld(x) + fscope.read('k', k) + ag__.converted_call(ag__.ld(len), ...)
lambda: later       lambda: ag__.ld_free(later)     (where it may be unbound)
del x               ag__.ld(x)
                    x = ag__.Undefined('x')
from m import k     from m import k
                    k = ag__.imported('m', 'k', k)
"""

from __future__ import annotations

import builtins
from typing import Any

import gast

from autograph.analysis import Kind
from autograph.converters.conversion import Conversion, is_runtime, unbound
from autograph.syntax.names import RUNTIME
from autograph.syntax.template import Template, constant

LOCAL = Template("ag__.ld(read)")
OUTER = Template("ag__.ld_free(read)")
CAPTURED = Template("fscope.read(text, read)")
DISCARD = Template("read")
DELETE = Template("del target")
DELETE_ATTRIBUTE = Template("ag__.delattr_(value, attribute)")
DELETE_ITEM = Template("ag__.delitem(value, key)")

BUILTINS = frozenset(dir(builtins))


def convert_name(node: Any, conversion: Conversion) -> gast.expr:
    """Marks a read of a name; targets stay as they are."""
    expression: gast.expr = node
    name = node.id
    if not isinstance(node.ctx, gast.Load) or name == RUNTIME:
        return expression
    if name in conversion.namer.generated:
        conversion.note_read(name)
        return expression
    kind = conversion.kind_of(name)
    if kind is None:
        return _captured(node, conversion)
    if kind is Kind.FUNCTION:
        conversion.note_read(name)
        if conversion.is_outer(name):
            return OUTER.expression(node, read=node)
    return LOCAL.expression(node, read=node)


def _captured(node: Any, conversion: Conversion) -> gast.expr:
    if node.id in BUILTINS and not conversion.is_shadowed(node.id):
        return LOCAL.expression(node, read=node)
    text = constant(node.id, node)
    return CAPTURED.expression(node, fscope=conversion.fscope, text=text, read=node)


def convert_delete(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """Deletes one target after the other."""
    return [made for target in node.targets for made in _delete(target, conversion)]


def _delete(target: Any, conversion: Conversion) -> list[gast.stmt]:
    if isinstance(target, gast.Tuple | gast.List):
        return [made for part in target.elts for made in _delete(part, conversion)]
    if isinstance(target, gast.Attribute):
        value, name = conversion.expression(target.value), constant(target.attr, target)
        return DELETE_ATTRIBUTE.statements(target, value=value, attribute=name)
    if isinstance(target, gast.Subscript):
        value, key = conversion.expression(target.value), conversion.expression(target.slice)
        return DELETE_ITEM.statements(target, value=value, key=key)
    return _delete_name(target, conversion)


def _delete_name(target: Any, conversion: Conversion) -> list[gast.stmt]:
    name, function = target.id, conversion.function
    if name in function.globals or (name in function.nonlocals and function.owner(name) is None):
        return DELETE.statements(target, target=target)
    load = gast.Name(name, gast.Load(), None, None)
    gast.copy_location(load, target)
    checked = DISCARD.statements(target, read=convert_name(load, conversion))
    return [*checked, unbound(name, target)]


IMPORTED = Template("target = ag__.imported(path, text, read)")


def convert_import(node: Any, conversion: Conversion) -> list[gast.stmt]:
    """What is imported from a module is read there, as `module.name` is."""
    path = "." * (node.level or 0) + (node.module or "")
    made: list[gast.stmt] = [node]
    for alias in node.names:
        name = alias.asname or alias.name
        target, read = (gast.Name(name, ctx, None, None) for ctx in (gast.Store(), gast.Load()))
        made += IMPORTED.statements(
            node,
            target=gast.copy_location(target, node),
            path=constant(path, node),
            text=constant(alias.name, node),
            read=gast.copy_location(read, node),
        )
    return made


def convert_attribute(node: Any, conversion: Conversion) -> gast.expr:
    """`a.b` is `ag__.getattr_(a, 'b')`."""
    if is_runtime(node):
        expression: gast.expr = node
        return expression
    value = conversion.expression(node.value)
    return GETATTR.expression(node, value=value, attribute=constant(node.attr, node))


GETATTR = Template("ag__.getattr_(value, attribute)")
GETITEM = Template("ag__.getitem(value, key)")
SLICE = Template("ag__.slice_(lower, upper, step)")


def convert_subscript(node: Any, conversion: Conversion) -> gast.expr:
    """`a[k]` is `ag__.getitem(a, k)`."""
    value = conversion.expression(node.value)
    return GETITEM.expression(node, value=value, key=conversion.expression(node.slice))


def convert_slice(node: Any, conversion: Conversion) -> gast.expr:
    """`a:b:c` is `ag__.slice_(a, b, c)`, with None for what is absent."""
    parts = [
        constant(None, node) if part is None else conversion.expression(part)
        for part in (node.lower, node.upper, node.step)
    ]
    return SLICE.expression(node, lower=parts[0], upper=parts[1], step=parts[2])


EXPRESSIONS = {
    gast.Name: convert_name,
    gast.Attribute: convert_attribute,
    gast.Subscript: convert_subscript,
    gast.Slice: convert_slice,
}
STATEMENTS = {gast.Delete: convert_delete, gast.ImportFrom: convert_import}
