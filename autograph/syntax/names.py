"""Names: qualified names of places, fresh names for generated code, and mangling of `__x`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import gast

RUNTIME = "ag__"
"""The name under which generated code sees the module of operators."""


def identifier(text: str) -> str:
    """A name in Python and C like a text."""
    word = "".join(c if c.isascii() and c.isalnum() else "_" for c in text)
    return f"_{word}" if not word or word[0].isdigit() else word


def identifiers(texts: Iterable[str], taken: Iterable[str]) -> list[str]:
    """A name like each of some texts, each once, and none of those that are taken."""
    used, found = {*taken}, []
    for name in map(identifier, texts):
        while name in used:
            name += "_"
        used.add(name)
        found.append(name)
    return found


@dataclass(frozen=True)
class QualifiedName:
    """A place that a program can name: `a`, `a.b`, `a[0]`, `a[i].c`."""

    base: QualifiedName | str
    attribute: str | None = None
    index: QualifiedName | int | float | str | bytes | None = None

    def __str__(self) -> str:
        if self.attribute is not None:
            return f"{self.base}.{self.attribute}"
        if self.index is not None:
            shown = str(self.index) if isinstance(self.index, QualifiedName) else repr(self.index)
            return f"{self.base}[{shown}]"
        return str(self.base)

    @property
    def last(self) -> str:
        """The component a reader says last: `c` of `a.b.c`, the whole text of `a[0]`."""
        return self.attribute if self.attribute is not None else str(self)

    @property
    def root(self) -> str:
        """The plain name that everything hangs on: `a` of `a[i].c`."""
        return self.base if isinstance(self.base, str) else self.base.root


def qualified_name(node: gast.AST | None) -> QualifiedName | None:
    """The qualified name an expression spells, or None where it computes something."""
    if isinstance(node, gast.Name):
        return QualifiedName(node.id)
    if isinstance(node, gast.Attribute):
        base = qualified_name(node.value)
        return None if base is None else QualifiedName(base, attribute=node.attr)
    if isinstance(node, gast.Subscript):
        base, index = qualified_name(node.value), _index(node.slice)
        return None if base is None or index is None else QualifiedName(base, index=index)
    return None


def _index(node: gast.AST) -> QualifiedName | int | float | str | bytes | None:
    if isinstance(node, gast.Constant):
        known = isinstance(node.value, int | float | str | bytes)
        return node.value if known else None
    return qualified_name(node)


class Namer:
    """Gives names for generated code that clash with no name of the user's function.

    >>> namer = Namer(["x", "get_state"])
    >>> namer.fresh("get_state"), namer.fresh("if_body"), namer.fresh("if_body")
    ('get_state_1', 'if_body', 'if_body_1')
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}
        self._fixed: dict[str, str] = {}
        self.generated: set[str] = set()

    def fixed(self, stem: str) -> str:
        """One name that begins with `stem`, the same at each call: for names used at once."""
        if stem not in self._fixed:
            self._fixed[stem] = self.fresh(stem)
        return self._fixed[stem]

    def fresh(self, stem: str) -> str:
        """A name that begins with `stem` and is new to the function."""
        name, number = stem, self._next.get(stem, 0)
        while name in self._taken:
            number += 1
            name = f"{stem}{number}" if stem.endswith("_") else f"{stem}_{number}"
        self._next[stem] = number
        self._taken.add(name)
        self.generated.add(name)
        return name


def bound_by_import(alias: gast.alias) -> str:
    """The name that one clause of an import binds: `a` for `import a.b`."""
    if alias.asname:
        return str(alias.asname)
    return str(alias.name).partition(".")[0]


def mangle(name: str, class_name: str | None) -> str:
    """The name Python uses inside `class_name` for a private name `__x`.

    >>> mangle("__x", "_Point"), mangle("__len__", "Point"), mangle("x", "Point")
    ('_Point__x', '__len__', 'x')
    """
    if class_name is None or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    owner = class_name.lstrip("_")
    return f"_{owner}{name}" if owner else name


def mangle_tree(node: gast.AST, class_name: str | None) -> None:
    """Mangles, in place, the private names of a function that is taken out of its class.

    Bodies of classes inside it are left alone: Python mangles those with their own name.
    """
    if class_name is None or not class_name.lstrip("_"):
        return
    stack: list[gast.AST] = [node]
    while stack:
        current = stack.pop()
        _mangle_node(current, class_name)
        if isinstance(current, gast.ClassDef):
            stack += [*current.bases, *current.keywords, *current.decorator_list]
        else:
            stack += gast.iter_child_nodes(current)


_IDENTIFIER_FIELDS: dict[type[gast.AST], str] = {
    gast.Name: "id",
    gast.Attribute: "attr",
    gast.FunctionDef: "name",
    gast.AsyncFunctionDef: "name",
    gast.ClassDef: "name",
    gast.MatchAs: "name",
    gast.MatchStar: "name",
    gast.MatchMapping: "rest",
}


def _mangle_node(node: gast.AST, class_name: str) -> None:
    field = _IDENTIFIER_FIELDS.get(type(node))
    if field is not None:
        value = getattr(node, field)
        if value is not None and value.startswith("__"):
            setattr(node, field, mangle(value, class_name))
    elif isinstance(node, gast.Global | gast.Nonlocal):
        node.names = [mangle(name, class_name) for name in node.names]
    elif isinstance(node, gast.MatchClass):
        node.kwd_attrs = [mangle(name, class_name) for name in node.kwd_attrs]
    elif isinstance(node, gast.alias):
        _mangle_import(node, class_name)


def _mangle_import(node: gast.alias, class_name: str) -> None:
    bound = bound_by_import(node)
    if "." not in node.name or node.asname:
        mangled = mangle(bound, class_name)
        if mangled != bound:
            node.asname = mangled
