"""Whole modules: every function and method is converted where it stands."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

import gast

from autograph.analysis import Kind, Scope, ScopeTree
from autograph.converters.context import Context
from autograph.converters.conversion import why_left
from autograph.converters.pipeline import PIPELINE, Pipeline
from autograph.errors import ConversionError
from autograph.syntax.names import RUNTIME, mangle_tree
from autograph.syntax.walk import statement_lists


class Entry(NamedTuple):
    """What became of one function of a module; `reason` is None when it was converted."""

    line: int
    name: str
    reason: str | None = None


class Report(NamedTuple):
    """The functions of a module: converted, left as they are by design, refused with a reason."""

    converted: tuple[Entry, ...] = ()
    left: tuple[Entry, ...] = ()
    refused: tuple[Entry, ...] = ()


def convert_module(tree: gast.Module, context: Context) -> tuple[gast.Module, Report]:
    """Converts the functions and methods of a module in place; gives the tree and a report.

    Decorators, imports and code outside functions stay. Coroutines are left as they are, and so
    are methods of classes in functions, and a function that cannot be converted.
    """
    places = list(_functions(tree.body, ()))
    names = [".".join((*classes, block[index].name)) for block, index, classes in places]
    for block, index, classes in places:
        if classes:
            mangle_tree(block[index], classes[-1])
    scopes = ScopeTree(tree)
    context = context._replace(module_names=frozenset(scopes.root.bound))
    entries: dict[str, list[Entry]] = {"converted": [], "left": [], "refused": []}
    for (block, index, _), name in zip(places, names, strict=True):
        inside = list(_left_inside(scopes[block[index]], name))
        kind, reason, block[index] = _convert(block[index], scopes, context)
        entries[kind].append(Entry(block[index].lineno, name, reason))
        entries["left"] += inside if kind == "converted" else []
    entries["left"] += _lambdas_outside(scopes.root)
    if entries["converted"]:
        _import_runtime(tree)
    return tree, Report(**{kind: tuple(found) for kind, found in entries.items()})


def _functions(
    body: list[Any], class_names: tuple[str, ...]
) -> Iterator[tuple[list[Any], int, tuple[str, ...]]]:
    for index, node in enumerate(body):
        if isinstance(node, gast.FunctionDef | gast.AsyncFunctionDef):
            yield body, index, class_names
        elif isinstance(node, gast.ClassDef):
            yield from _functions(node.body, (*class_names, node.name))
        else:
            for block in statement_lists(node):
                yield from _functions(block, class_names)


def _convert(node: Any, scopes: ScopeTree, context: Context) -> tuple[str, str | None, Any]:
    cause = why_left(node, scopes[node])
    if cause is not None:
        return "left", cause, node
    original = copy.deepcopy(node)
    try:
        convert_in_place(node, scopes, context)
    except ConversionError as error:
        return "refused", str(error), original
    return "converted", None, node


def _left_inside(scope: Scope, name: str) -> Iterator[Entry]:
    """The functions inside a converted one that stay as they are."""
    for child in scope.children:
        inner = _inner_name(child, name)
        cause = why_left(child.node, child) if child.kind in _FUNCTIONS else None
        if cause is not None:
            yield Entry(_line(child), inner, cause)
        elif child.kind is Kind.CLASS:
            yield from _methods(child, inner)
        else:
            yield from _left_inside(child, inner)


def _methods(scope: Scope, name: str) -> Iterator[Entry]:
    for child in scope.children:
        inner = _inner_name(child, name)
        if child.kind is Kind.FUNCTION:
            yield Entry(_line(child), inner, "method of a class in a function")
        else:
            yield from _methods(child, inner)


def _lambdas_outside(scope: Scope) -> Iterator[Entry]:
    """The lambdas of a module that stand in no function."""
    for child in scope.children:
        if child.kind is Kind.LAMBDA:
            yield Entry(_line(child), "<lambda>", "lambda outside functions")
        elif child.kind is not Kind.FUNCTION:
            yield from _lambdas_outside(child)


_FUNCTIONS = frozenset({Kind.FUNCTION, Kind.LAMBDA})


def _inner_name(scope: Scope, name: str) -> str:
    if scope.kind is Kind.LAMBDA:
        return f"{name}.<lambda>"
    return f"{name}.{scope.node.name}" if hasattr(scope.node, "name") else name


def _line(scope: Scope) -> int:
    line: int = getattr(scope.node, "lineno", 0)
    return line


def convert_in_place(node: Any, scopes: ScopeTree, context: Context) -> None:
    """Converts one function or lambda of a tree whose scopes are known."""
    pipeline = Pipeline(PIPELINE, context, scopes, node)
    if scopes[node].kind is Kind.LAMBDA:
        pipeline.lambda_(node)
    else:
        pipeline.function(node)


def _import_runtime(tree: gast.Module) -> None:
    """Adds the import of the runtime after the docstring and the `__future__` imports."""
    index = 0
    for index, node in enumerate(tree.body):
        is_docstring = index == 0 and isinstance(node, gast.Expr)
        if not is_docstring and not _is_future(node):
            break
    else:
        index = len(tree.body)
    alias = gast.alias("autograph.operators", RUNTIME)
    statement = gast.Import([alias])
    place = tree.body[min(index, len(tree.body) - 1)]
    tree.body.insert(index, gast.fix_missing_locations(gast.copy_location(statement, place)))


def _is_future(node: Any) -> bool:
    return isinstance(node, gast.ImportFrom) and node.module == "__future__"
