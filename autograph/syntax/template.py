"""Quoted templates: new code is written as Python text with placeholders.

A template is parsed once and turned into functions that make its nodes, so that filling it in
copies nothing and searches nothing. Every node made stands at the user's line and column.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection
from typing import Any, TypeAlias

import gast

from autograph.syntax.walk import place_of

Value: TypeAlias = str | gast.AST | list[gast.stmt] | list[str]
"""What may stand for a placeholder: a name, an expression, statements, names to declare."""

LOAD, STORE, DELETE = gast.Load(), gast.Store(), gast.Del()


def make(kind: Any, fields: dict[str, Any]) -> Any:
    """A node with these fields, without the cost of the class's constructor."""
    node = kind.__new__(kind)
    node.__dict__.update(fields)
    return node


def name(identifier: str, at: gast.AST) -> gast.expr:
    """The name, read."""
    return _name(identifier, LOAD, place_of(at))


def stored(identifier: str, at: gast.AST) -> gast.expr:
    """The name, as a target."""
    return _name(identifier, STORE, place_of(at))


def constant(value: object, at: gast.AST) -> gast.expr:
    """A literal."""
    node: gast.expr = make(gast.Constant, {"value": value, "kind": None, **place_of(at)})
    return node


def tuple_of(elements: list[gast.expr], at: gast.AST, ctx: gast.AST = LOAD) -> gast.expr:
    """A tuple display or tuple target."""
    node: gast.expr = make(gast.Tuple, {"elts": elements, "ctx": ctx, **place_of(at)})
    return node


Place = dict[str, Any]
Fill = Callable[[dict[str, Any], Place], Any]
"""Makes one node, or a list of nodes, from the values of placeholders and a place."""


class Template:
    """Quoted code whose placeholders are the keyword arguments it is filled with.

    A placeholder that stands as an expression takes an expression or a name; as a statement of its
    own it takes a list of statements; in `nonlocal` or `global` it takes a list of names (with no
    name the declaration is left out); as the name of a `def` it takes a name.

    >>> import ast
    >>> at = gast.parse("pass").body[0]
    >>> built = Template("ag__.ld(read)").expression(at, read="x")
    >>> ast.unparse(gast.gast_to_ast(built))
    'ag__.ld(x)'
    """

    def __init__(self, text: str) -> None:
        self.text = textwrap.dedent(text).strip()
        self._fill: Fill | None = None

    def statements(self, at: gast.AST, **values: Value) -> list[gast.stmt]:
        """The template's statements, filled in and placed where `at` stands."""
        fill = self._fill or self._prepared(values)
        statements: list[gast.stmt] = fill(values, place_of(at))
        return statements

    def expression(self, at: gast.AST, **values: Value) -> gast.expr:
        """The single expression of the template, filled in and placed where `at` stands."""
        fill = self._fill or self._prepared(values)
        expression: gast.expr = fill(values, place_of(at))[0].value
        return expression

    def _prepared(self, placeholders: Collection[str]) -> Fill:
        self._fill = _Preparation(frozenset(placeholders)).block(gast.parse(self.text).body)
        return self._fill


class _Preparation:
    """Turns the tree of a template into functions that make its nodes."""

    def __init__(self, placeholders: frozenset[str]) -> None:
        self._placeholders = placeholders

    def block(self, statements: list[gast.stmt]) -> Fill:
        """Makes statements; each part gives a list, so that placeholders can be spliced in."""
        parts = [self._statement(statement) for statement in statements]
        if len(parts) == 1:
            return parts[0]
        return lambda values, at: [node for part in parts for node in part(values, at)]

    def _statement(self, node: Any) -> Fill:
        if isinstance(node, gast.Expr) and self._is_placeholder(node.value):
            block = node.value.id
            return lambda values, at: _block(values[block], at)
        if isinstance(node, gast.Nonlocal | gast.Global) and node.names[0] in self._placeholders:
            kind, names = type(node), node.names[0]
            return lambda values, at: _declaration(kind, values[names], at)
        made = self._node(node)
        return lambda values, at: [made(values, at)]

    def _is_placeholder(self, node: gast.AST) -> bool:
        return isinstance(node, gast.Name) and node.id in self._placeholders

    def _node(self, node: Any) -> Fill:
        if isinstance(node, gast.Name):
            return self._name(node)
        kind = type(node)
        known: dict[str, Any] = {}
        parts: list[tuple[str, Fill]] = []
        for key in node._fields:
            self._field(key, getattr(node, key, None), known, parts)
        if not parts and not node._attributes:
            return lambda values, at: node
        return _maker(kind, known, parts)

    def _name(self, node: Any) -> Fill:
        context = STORE if isinstance(node.ctx, gast.Store) else LOAD
        context = DELETE if isinstance(node.ctx, gast.Del) else context
        identifier = node.id
        if identifier in self._placeholders:
            return lambda values, at: _expr(values[identifier], context, at)
        return lambda values, at: _name(identifier, context, at)

    def _field(
        self, key: str, value: Any, known: dict[str, Any], parts: list[tuple[str, Fill]]
    ) -> None:
        if isinstance(value, gast.AST):
            parts.append((key, self._node(value)))
        elif isinstance(value, list):
            parts.append((key, self._list(value)))
        elif key == "name" and value in self._placeholders:
            parts.append((key, lambda values, at: values[value]))
        else:
            known[key] = value

    def _list(self, nodes: list[Any]) -> Fill:
        if nodes and isinstance(nodes[0], gast.stmt):
            return self.block(nodes)
        parts = [self._node(n) if isinstance(n, gast.AST) else _always(n) for n in nodes]
        return lambda values, at: [part(values, at) for part in parts]


def _always(value: Any) -> Fill:
    return lambda values, at: value


def _maker(kind: Any, known: dict[str, Any], parts: list[tuple[str, Fill]]) -> Fill:
    def fill(values: dict[str, Any], at: Place) -> Any:
        node = kind.__new__(kind)
        fields = node.__dict__
        fields.update(at)
        fields.update(known)
        for key, part in parts:
            fields[key] = part(values, at)
        return node

    return fill


def _declaration(kind: Any, names: list[str], at: Place) -> list[Any]:
    return [make(kind, {"names": list(names), **at})] if names else []


def _name(identifier: str, ctx: gast.AST, at: dict[str, Any]) -> gast.expr:
    node: gast.expr = gast.Name.__new__(gast.Name)
    node.__dict__.update(at, id=identifier, ctx=ctx, annotation=None, type_comment=None)
    return node


def _expr(value: Any, ctx: gast.AST, at: dict[str, Any]) -> gast.expr:
    if type(value) is str:
        return _name(value, ctx, at)
    node: gast.expr = value
    return node


def _block(value: Any, at: dict[str, Any]) -> list[gast.stmt]:
    if isinstance(value, list):
        return value
    return [make(gast.Expr, {"value": _expr(value, LOAD, at), **at})]
