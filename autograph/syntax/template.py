"""Quoted templates: new code is written as Python text with placeholders.

A template is parsed once and turned into a constructor function, so that filling it in costs no
more than making its nodes by hand. Every node made stands at the user's line and column.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
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
        self._build: Callable[..., list[Any]] | None = None

    def statements(self, at: gast.AST, **values: Value) -> list[gast.stmt]:
        """The template's statements, filled in and placed where `at` stands."""
        build = self._build or self._compiled(frozenset(values))
        statements: list[gast.stmt] = build(place_of(at), **values)
        return statements

    def expression(self, at: gast.AST, **values: Value) -> gast.expr:
        """The single expression of the template, filled in and placed where `at` stands."""
        build = self._build or self._compiled(frozenset(values))
        expression: gast.expr = build(place_of(at), **values)[0].value
        return expression

    def _compiled(self, placeholders: frozenset[str]) -> Callable[..., list[Any]]:
        self._build = _Constructor(placeholders).compiled(gast.parse(self.text))
        return self._build


class _Constructor:
    """Writes the text of a function that makes the nodes of one template."""

    def __init__(self, placeholders: frozenset[str]) -> None:
        self._placeholders = placeholders

    def compiled(self, tree: gast.Module) -> Callable[..., list[Any]]:
        parameters = ", ".join(["at_", *sorted(self._placeholders)])
        text = f"def build({parameters}):\n    return {self._block(tree.body)}\n"
        namespace: dict[str, Any] = {"make_": make, "gast_": gast, "name_": _name, "expr_": _expr}
        namespace |= {"Load_": LOAD, "Store_": STORE, "Del_": DELETE, "block_": _block}
        exec(compile(text, "<template>", "exec"), namespace)
        build: Callable[..., list[Any]] = namespace["build"]
        return build

    def _block(self, statements: list[gast.stmt]) -> str:
        return f"[{', '.join(self._statement(s) for s in statements)}]"

    def _statement(self, node: gast.stmt) -> str:
        if isinstance(node, gast.Expr) and self._is_placeholder(node.value):
            return f"*block_({node.value.id}, at_)"
        if isinstance(node, gast.Nonlocal | gast.Global) and node.names[0] in self._placeholders:
            names, kind = node.names[0], type(node).__name__
            made = f"make_(gast_.{kind}, {{'names': list({names}), **at_}})"
            return f"*([{made}] if {names} else [])"
        return self._node(node)

    def _is_placeholder(self, node: gast.AST) -> bool:
        return isinstance(node, gast.Name) and node.id in self._placeholders

    def _node(self, node: gast.AST) -> str:
        if isinstance(node, gast.expr_context):
            context = "Load" if isinstance(node, gast.Param) else type(node).__name__
            return f"{context}_"
        if isinstance(node, gast.Name):
            return self._name(node)
        fields = [f"{key!r}: {text}" for key, text in self._fields(node)]
        placed = ["**at_"] if node._attributes else []
        return f"make_(gast_.{type(node).__name__}, {{{', '.join([*fields, *placed])}}})"

    def _name(self, node: gast.Name) -> str:
        context = self._node(node.ctx)
        if node.id in self._placeholders:
            return f"expr_({node.id}, {context}, at_)"
        return f"name_({node.id!r}, {context}, at_)"

    def _fields(self, node: gast.AST) -> Iterator[tuple[str, str]]:
        for key in node._fields:
            value = getattr(node, key, None)
            if key == "name" and value in self._placeholders:
                yield key, str(value)
            else:
                yield key, self._value(value)

    def _value(self, value: Any) -> str:
        if isinstance(value, gast.AST):
            return self._node(value)
        if not isinstance(value, list):
            return repr(value)
        if value and isinstance(value[0], gast.stmt):
            return self._block(value)
        return f"[{', '.join(self._value(item) for item in value)}]"


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
