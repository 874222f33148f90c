"""Walking trees: dispatch by node class, and generated nodes placed on the user's lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

import gast


def place_of(node: gast.AST) -> dict[str, Any]:
    """Line and column span of a node, as keyword arguments."""
    found = node.__dict__.get
    return {
        "lineno": found("lineno"),
        "col_offset": found("col_offset"),
        "end_lineno": found("end_lineno"),
        "end_col_offset": found("end_col_offset"),
    }


def placed_at(statements: list[gast.stmt], part: gast.AST) -> list[gast.stmt]:
    """Statements whose last one, a call, stands where `part` does: errors of it are shown there."""
    last: Any = statements[-1]
    last.value.__dict__.update(place_of(part))
    return statements


def children(node: gast.AST) -> Iterator[gast.AST]:
    """The nodes right below one node, in field order; operators and contexts are left out."""
    fields = node.__dict__
    for name in node._fields:
        value = fields.get(name)
        if isinstance(value, list):
            for item in value:
                if isinstance(item, gast.AST):
                    yield item
        elif isinstance(value, gast.AST) and name not in _LEAVES:
            yield value


_LEAVES = frozenset({"ctx", "op"})
_WITH_CHILDREN = (gast.expr, gast.keyword, gast.Slice)


def _methods_of(cls: type) -> dict[type[gast.AST], Callable[[Any, Any], Any]]:
    """The methods `visit_If` and so on, by the class of node that they take."""
    return {
        getattr(gast, name.removeprefix("visit_")): getattr(cls, name)
        for name in dir(cls)
        if name.startswith("visit_") and hasattr(gast, name.removeprefix("visit_"))
    }


class Visitor:
    """Visits by class: `visit_If` for `gast.If`, `generic_visit` where there is none."""

    _methods: ClassVar[dict[type[gast.AST], Callable[[Any, Any], Any]]] = {}

    def __init_subclass__(cls) -> None:
        cls._methods = _methods_of(cls)

    def visit(self, node: gast.AST) -> None:
        method = self._methods.get(type(node))
        if method is None:
            self.generic_visit(node)
        else:
            method(self, node)

    def visit_all(self, nodes: Iterable[gast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def generic_visit(self, node: gast.AST) -> None:
        for child in children(node):
            self.visit(child)


class Transformer:
    """Rewrites by class: what `visit_If` gives stands in the place of a `gast.If`.

    It gives a node; in place of a statement also a list of statements, or None for none. What it
    makes stands on the line of what it replaces. `generic_visit` goes on to the parts of a node.
    """

    _methods: ClassVar[dict[type[gast.AST], Callable[[Any, Any], Any]]] = {}

    def __init_subclass__(cls) -> None:
        cls._methods = _methods_of(cls)

    def visit(self, node: Any) -> Any:
        """What stands for the node."""
        method = self._methods.get(type(node))
        if method is None:
            return self.generic_visit(node)
        made = method(self, node)
        for each in made if isinstance(made, list) else [made]:
            if each is not None and getattr(each, "lineno", None) is None:
                each.__dict__.update(place_of(node))
        return made

    def generic_visit(self, node: Any) -> Any:
        """The node, with its parts replaced by what stands for them."""
        fields = node.__dict__
        for name in node._fields:
            value = fields.get(name)
            if isinstance(value, list):
                fields[name] = [made for item in value for made in self._of_item(item)]
                if name == "body" and value and not fields[name]:
                    fields[name] = [gast.Pass(**place_of(node))]
            elif isinstance(value, gast.AST):
                fields[name] = self.visit(value)
        return node

    def _of_item(self, item: Any) -> list[Any]:
        if not isinstance(item, gast.AST):
            return [item]
        made = self.visit(item)
        if isinstance(item, gast.stmt) and made is None:
            return []
        return made if isinstance(made, list) else [made]


def transform_children(node: gast.AST, visit: Callable[[Any], Any]) -> gast.AST:
    """Replaces, in place, each child expression by what `visit` gives for it."""
    fields = node.__dict__
    for name in node._fields:
        value = fields.get(name)
        if isinstance(value, list):
            fields[name] = [visit(v) if isinstance(v, _WITH_CHILDREN) else v for v in value]
        elif isinstance(value, gast.expr):
            fields[name] = visit(value)
    return node


def statement_lists(node: gast.AST) -> Iterator[list[gast.stmt]]:
    """The blocks of statements that a compound statement holds, in program order."""
    fields = node.__dict__
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        block = fields.get(name)
        if not isinstance(block, list):
            continue
        if name in ("handlers", "cases"):
            for clause in block:
                yield clause.body
        else:
            yield block
