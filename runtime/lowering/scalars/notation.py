"""The notation in which an op says what it computes of scalars.

It is Python source in terms of {0}, {1}, ...: arithmetic, comparisons, `and`, `or`, `not`,
`a if c else b`, numbers, and calls of elementary functions:

    "{0} + {1}"     "exp({0})"     "{0} if {0} >= {1} or isnan({0}) else {1}"

A number has the type of what it is combined with, or else that of {0}.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, both, either, select
from runtime.lowering.scalars.meaning import Meaning, truth

__all__ = ["evaluate"]

_PLACES = [f"x{k}__" for k in range(8)]


@lru_cache(maxsize=512)
def _parsed(text: str) -> tuple[ast.expr, str]:
    """The syntax tree, and the line of which its parts know where in it they stand."""
    line = " ".join(text.format(*_PLACES).split())
    return ast.parse(line, mode="eval").body, line


def evaluate(text: str, operands: Sequence[Expr], meaning: Meaning) -> Expr:
    """What the text computes of the operands, each operator with the given meaning."""
    tree, line = _parsed(text)
    return _Evaluation(line, dict(zip(_PLACES, operands, strict=False)), meaning).value(tree)


def _number(node: ast.expr) -> float | None:
    """The number that a syntax node is, a sign before it included."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    if not isinstance(node, ast.Constant):
        return None
    assert isinstance(node.value, (bool, int, float))
    return node.value


class _Evaluation:
    def __init__(self, line: str, names: dict[str, Expr], meaning: Meaning) -> None:
        self.line = line
        self.names = names
        self.meaning = meaning
        self.known: dict[str, Expr] = {}

    def value(self, node: ast.expr, like: Expr | None = None) -> Expr:
        """The expression of a syntax node; equal parts are one expression."""
        number = _number(node)
        if number is not None:
            return self.meaning.number(number, self.names[_PLACES[0]] if like is None else like)
        key = self.line[node.col_offset : node.end_col_offset]
        if key not in self.known:
            rule = _RULES.get(type(node))
            if rule is None:
                raise Refusal(f"the notation of scalars has no {type(node).__name__}")
            self.known[key] = rule(self, node)
        return self.known[key]

    def pair(self, left: ast.expr, right: ast.expr) -> tuple[Expr, Expr]:
        """Two operands, of which a number takes the type of the other."""
        if _number(left) is not None:
            y = self.value(right)
            return self.value(left, y), y
        x = self.value(left)
        return x, self.value(right, x)

    def name(self, node: ast.Name) -> Expr:
        return self.names[node.id]

    def binary(self, node: ast.BinOp) -> Expr:
        x, y = self.pair(node.left, node.right)
        return self.meaning.binary(type(node.op).__name__, x, y)

    def unary(self, node: ast.UnaryOp) -> Expr:
        return self.meaning.unary(type(node.op).__name__, self.value(node.operand))

    def compare(self, node: ast.Compare) -> Expr:
        x, y = self.pair(node.left, node.comparators[0])
        return self.meaning.compare(type(node.ops[0]).__name__, x, y)

    def logical(self, node: ast.BoolOp) -> Expr:
        parts = [truth(self.value(part)) for part in node.values]
        join = both if isinstance(node.op, ast.And) else either
        result = parts[0]
        for part in parts[1:]:
            result = join(result, part)
        return result

    def choice(self, node: ast.IfExp) -> Expr:
        yes, no = self.pair(node.body, node.orelse)
        return select(truth(self.value(node.test)), yes, no)

    def called(self, node: ast.Call) -> Expr:
        assert isinstance(node.func, ast.Name)
        return self.meaning.function(node.func.id, *map(self.value, node.args))


_RULES: dict[type[ast.AST], Callable[[_Evaluation, Any], Expr]] = {
    ast.Name: _Evaluation.name,
    ast.BinOp: _Evaluation.binary,
    ast.UnaryOp: _Evaluation.unary,
    ast.Compare: _Evaluation.compare,
    ast.BoolOp: _Evaluation.logical,
    ast.IfExp: _Evaluation.choice,
    ast.Call: _Evaluation.called,
}
