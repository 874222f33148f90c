"""Whole modules: every function and method is converted where it stands."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import gast

from autograph.analysis import Kind, Scope, ScopeTree
from autograph.converters.context import Context
from autograph.converters.pipeline import PIPELINE, Pipeline
from autograph.errors import ConversionError
from autograph.syntax.names import RUNTIME, mangle_tree
from autograph.syntax.walk import statement_lists


@dataclass(frozen=True)
class Entry:
    """What became of one function of a module; `reason` is None when it was converted."""

    line: int
    name: str
    reason: str | None = None


@dataclass(frozen=True)
class Report:
    """The functions of a module: converted, left as they are by design, refused with a reason."""

    converted: tuple[Entry, ...] = ()
    left: tuple[Entry, ...] = ()
    refused: tuple[Entry, ...] = ()


def convert_module(tree: gast.Module, context: Context) -> tuple[gast.Module, Report]:
    """Converts the functions and methods of a module in place; gives the tree and a report.

    Decorators, imports and code outside functions stay. Coroutines and generators are left as they
    are, and so is a function that cannot be converted.
    """
    places = list(_functions(tree.body, ()))
    names = [".".join((*classes, block[index].name)) for block, index, classes in places]
    for block, index, classes in places:
        if classes:
            mangle_tree(block[index], classes[-1])
    scopes = ScopeTree(tree)
    context = replace(context, module_names=frozenset(scopes.root.bound))
    entries: dict[str, list[Entry]] = {"converted": [], "left": [], "refused": []}
    for (block, index, _), name in zip(places, names, strict=True):
        kind, reason, block[index] = _convert(block[index], scopes, context)
        entries[kind].append(Entry(block[index].lineno, name, reason))
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


def why_left(node: gast.AST, scope: Scope) -> str | None:
    """Why a function is left to Python, or None."""
    if isinstance(node, gast.AsyncFunctionDef):
        return "async def"
    return "generator" if scope.is_generator else None


def convert_in_place(node: Any, scopes: ScopeTree, context: Context) -> None:
    """Converts one function or lambda of a tree whose scopes are known."""
    pipeline = Pipeline(PIPELINE, context, scopes, node)
    try:
        if scopes[node].kind is Kind.LAMBDA:
            pipeline.lambda_(node)
        else:
            pipeline.function(node)
    except RecursionError:
        context.refuse(
            node, "statements are nested too deeply to convert", "Split the function in two."
        )


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
