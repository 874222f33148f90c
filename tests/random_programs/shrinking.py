"""Makes a failing program small: statements are dropped as long as it still fails the same way."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.random_programs.programs import Program
from tests.random_programs.running import check, limited

_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def shrink(program: Program, fails: Callable[[Program], bool], longest: float = 20.0) -> Program:
    """The smallest program found that `fails` accepts, by dropping and unwrapping parts.

    The search takes at most `longest` seconds.
    """
    end = time.monotonic() + longest
    program = _with_one_input(program, fails)
    again = True
    while again:
        again, edit = False, 0
        while (smaller := _edited(program, edit)) is not None:
            if time.monotonic() > end:
                return program
            if smaller != program and _still(smaller, fails):
                program, again = smaller, True  # the same number is now another edit
            else:
                edit += 1
    return program


def _with_one_input(program: Program, fails: Callable[[Program], bool]) -> Program:
    for given in program.inputs:
        smaller = replace(program, inputs=(given,))
        if _still(smaller, fails):
            return smaller
    return program


def fails_alike(program: Program, modes: tuple[str, ...]) -> Callable[[Program], bool]:
    """A test for `shrink`: the difference is of the same sort as that of `program`."""
    sort = _sort(check(program, modes).difference)
    return lambda smaller: sort is not None and _sort(check(smaller, modes).difference) == sort


def _sort(difference: str | None) -> str | None:
    if difference is None:
        return None
    if "Error: " not in difference:
        return difference.split()[3]
    first = difference.partition("\n")[0]
    return re.sub(r"<.*?>:\d+|`\w+`|\d+", "", first)


def _still(program: Program, fails: Callable[[Program], bool]) -> bool:
    try:
        with limited(PATIENCE):
            return fails(program)
    except Exception:  # noqa: BLE001 - it does not even run as plain Python
        return False


PATIENCE = 1.0
"""Seconds that a smaller program may take."""


def _edited(program: Program, edit: int) -> Program | None:
    """The program with one part less; itself where that part cannot go, None after the last."""
    tree = ast.parse(program.source)
    if edit >= _edits(tree):
        return None
    if not _apply(tree, edit):
        return program
    return replace(program, source=ast.unparse(ast.fix_missing_locations(tree)) + "\n")


def _blocks(tree: ast.AST) -> Iterator[list[Any]]:
    for node in ast.walk(tree):
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield block


def _expressions(tree: ast.AST) -> Iterator[tuple[ast.AST, str, Any]]:
    """Operations, with a part that could take their place."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.BinOp | ast.BoolOp | ast.IfExp | ast.UnaryOp | ast.Call):
                for part in ast.iter_child_nodes(value):
                    if _may_replace(node, value, part):
                        yield node, name, part


def _may_replace(node: ast.AST, value: Any, part: ast.AST) -> bool:
    """Not by a function, and not so that two names become one array."""
    if not isinstance(part, ast.expr) or part is getattr(value, "func", None):
        return False
    return not (isinstance(node, ast.Assign | ast.Tuple) and isinstance(part, ast.Name))


def _edits(tree: ast.AST) -> int:
    statements = sum(len(block) for block in _blocks(tree))
    return 2 * statements + sum(1 for _ in _expressions(tree))


def _apply(tree: ast.AST, edit: int) -> bool:
    for block in _blocks(tree):
        if edit < 2 * len(block):
            return _edit_block(block, *divmod(edit, 2))
        edit -= 2 * len(block)
    for node, name, part in list(_expressions(tree)):
        if edit == 0:
            setattr(node, name, part)
            return True
        edit -= 1
    return False


def _edit_block(block: list[Any], index: int, unwrap: int) -> bool:
    statement = block[index]
    if not unwrap:
        del block[index]
    elif isinstance(statement, ast.If | ast.While | ast.For | ast.Try | ast.With):
        block[index : index + 1] = statement.body + getattr(statement, "orelse", [])
    else:
        return False
    if not block:
        if isinstance(statement, ast.match_case | ast.ExceptHandler):
            return False
        block.append(ast.Pass())
    return True
