"""Makes a failing program small: statements are dropped as long as it still fails the same way."""

from __future__ import annotations

import ast
import copy
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.random_programs.programs import Program
from tests.random_programs.running import check, limited

_BLOCKS = ("body", "orelse", "finalbody", "cases")


def shrink(program: Program, fails: Callable[[Program], bool]) -> Program:
    """The smallest program found that `fails` accepts, by dropping and unwrapping parts."""
    end, again = time.monotonic() + LONGEST, True
    while again:
        again = False
        for smaller in _smaller(program):
            if time.monotonic() > end:
                return program
            if _still(smaller, fails):
                program, again = smaller, True
                break
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
    except Exception:  # noqa: BLE001 - whatever the user's property raises: trace again, and see
        return False  # it does not even run as plain Python


PATIENCE = 1.0
"""Seconds that a smaller program may take."""

LONGEST = 20.0
"""Seconds that the whole search may take."""


def _smaller(program: Program) -> Iterator[Program]:
    tree = ast.parse(program.source)
    for edit in range(_edits(tree)):
        changed = copy.deepcopy(tree)
        if _apply(changed, edit):
            source = ast.unparse(ast.fix_missing_locations(changed)) + "\n"
            if source != program.source:
                yield program.with_source(source)


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
    elif isinstance(statement, ast.If | ast.While | ast.For | ast.Try):
        block[index : index + 1] = statement.body + statement.orelse
    else:
        return False
    if not block:
        if isinstance(statement, ast.match_case):
            return False
        block.append(ast.Pass())
    return True
