"""Trees to text that parses to equal trees, on every supported Python."""

from __future__ import annotations

import ast
import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import astunparse

from autograph.syntax import fstring
from autograph.syntax.lower import to_python

# How tightly an expression binds; an operand that binds looser than its place gets parentheses.
_TEST, _OR, _AND, _NOT, _COMPARE, _BIT_OR, _BIT_XOR, _BIT_AND = range(8)
_SHIFT, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(8, 14)

_BINDING: dict[type[ast.AST], int] = {
    ast.Lambda: _TEST,
    ast.IfExp: _TEST,
    ast.Or: _OR,
    ast.And: _AND,
    ast.Not: _NOT,
    ast.Compare: _COMPARE,
    ast.BitOr: _BIT_OR,
    ast.BitXor: _BIT_XOR,
    ast.BitAnd: _BIT_AND,
    ast.LShift: _SHIFT,
    ast.RShift: _SHIFT,
    ast.Add: _SUM,
    ast.Sub: _SUM,
    ast.Mult: _PRODUCT,
    ast.MatMult: _PRODUCT,
    ast.Div: _PRODUCT,
    ast.FloorDiv: _PRODUCT,
    ast.Mod: _PRODUCT,
    ast.UAdd: _SIGN,
    ast.USub: _SIGN,
    ast.Invert: _SIGN,
    ast.Pow: _POWER,
}
_INFINITY = astunparse.unparser.INFSTR
_LONGEST_DECIMAL = 4000  # digits; Python limits the conversion of longer ones


def unparse(tree: Any) -> str:
    """Gives the text of a tree, gast's or Python's, or of a list of statements."""
    printer = Printer()
    for node in tree if isinstance(tree, list) else [tree]:
        printer.dispatch(_python_tree(node))
    return printer.text().lstrip("\n")


def _python_tree(node: Any) -> ast.AST:
    is_gast = type(node).__module__.startswith("gast")
    python: ast.AST = to_python(node) if is_gast else node
    return python


def _binding(node: ast.AST) -> int:
    if isinstance(node, ast.Constant) and _is_number(node.value):
        return _SIGN if repr(node.value).startswith("-") else _ATOM
    operator: ast.AST = getattr(node, "op", node)
    return _BINDING.get(type(operator), _ATOM)


class Printer(astunparse.Unparser):
    """astunparse's printer, brought up to date, with no more parentheses than Python needs.

    `quotes` limits the string literals to those that may stand in an f-string of Python 3.11:
    no backslash, and only these quotation marks.
    """

    def __init__(self, quotes: Sequence[str] | None = None) -> None:
        self.f = io.StringIO()
        self.future_imports: list[str] = []
        self._indent = 0
        self._quotes = quotes

    def text(self) -> str:
        """Gives what was printed so far."""
        return self.f.getvalue()

    def operand(self, node: ast.AST, binding: int) -> None:
        """Prints an expression in a place that needs it to bind that tightly."""
        if _binding(node) >= binding:
            self.dispatch(node)
        else:
            self._between("(", node, ")")

    def _between(self, opening: str, node: Any, closing: str) -> None:
        self.write(opening)
        self.dispatch(node)
        self.write(closing)

    def _listed(self, nodes: Iterable[Any], print_one: Callable[[Any], None] | None = None) -> None:
        for index, node in enumerate(nodes):
            if index:
                self.write(", ")
            (print_one or self.dispatch)(node)

    def _block(self, body: list[ast.stmt]) -> None:
        self.enter()
        self.dispatch(body)
        self.leave()

    # Definitions.

    def _Module(self, tree: ast.Module) -> None:
        self._documented(tree.body)

    def _FunctionDef(self, tree: ast.FunctionDef) -> None:
        self._function("def", tree)

    def _AsyncFunctionDef(self, tree: ast.AsyncFunctionDef) -> None:
        self._function("async def", tree)

    def _function(self, keyword: str, tree: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._header(keyword, tree)
        self._between("(", tree.args, ")")
        if tree.returns:
            self.write(" -> ")
            self.dispatch(tree.returns)
        self._documented_block(tree.body)

    def _ClassDef(self, tree: ast.ClassDef) -> None:
        self._header("class", tree)
        if tree.bases or tree.keywords:
            self.write("(")
            self._listed([*tree.bases, *tree.keywords])
            self.write(")")
        self._documented_block(tree.body)

    def _header(self, keyword: str, tree: Any) -> None:
        self.write("\n")
        for decorator in tree.decorator_list:
            self.fill("@")
            self.dispatch(decorator)
        self.fill(f"{keyword} {tree.name}")
        self._type_parameters(tree)

    def _documented_block(self, body: list[ast.stmt]) -> None:
        self.enter()
        self._documented(body)
        self.leave()

    def _documented(self, body: list[ast.stmt]) -> None:
        first = body[0] if body else None
        text = _plain_text(first.value) if isinstance(first, ast.Expr) else None
        if text is not None:
            self.fill(fstring.docstring(text))
            body = body[1:]
        self.dispatch(body)

    def _type_parameters(self, tree: Any) -> None:
        parameters = getattr(tree, "type_params", None)
        if parameters:
            self.write("[")
            self._listed(parameters)
            self.write("]")

    def _TypeVar(self, tree: Any) -> None:
        self.write(tree.name)
        if tree.bound:
            self.write(": ")
            self.dispatch(tree.bound)
        self._type_default(tree)

    def _TypeVarTuple(self, tree: Any) -> None:
        self.write("*" + tree.name)
        self._type_default(tree)

    def _ParamSpec(self, tree: Any) -> None:
        self.write("**" + tree.name)
        self._type_default(tree)

    def _type_default(self, tree: Any) -> None:
        default = getattr(tree, "default_value", None)
        if default:
            self.write(" = ")
            self.dispatch(default)

    def _TypeAlias(self, tree: Any) -> None:
        self.fill("type ")
        self.dispatch(tree.name)
        self._type_parameters(tree)
        self.write(" = ")
        self.dispatch(tree.value)

    # Statements.

    def _Try(self, tree: ast.Try | ast.TryStar, handler: str = "except") -> None:
        self.fill("try")
        self._block(tree.body)
        for each in tree.handlers:
            self._handler(handler, each)
        if tree.orelse:
            self.fill("else")
            self._block(tree.orelse)
        if tree.finalbody:
            self.fill("finally")
            self._block(tree.finalbody)

    def _TryStar(self, tree: ast.TryStar) -> None:
        self._Try(tree, "except*")

    def _ExceptHandler(self, tree: ast.ExceptHandler) -> None:
        self._handler("except", tree)

    def _handler(self, keyword: str, tree: ast.ExceptHandler) -> None:
        self.fill(keyword)
        if tree.type:
            self.write(" ")
            self.dispatch(tree.type)
        if tree.name:
            self.write(" as " + tree.name)
        self._block(tree.body)

    def _With(self, tree: ast.With) -> None:
        self._with("with ", tree)

    def _AsyncWith(self, tree: ast.AsyncWith) -> None:
        self._with("async with ", tree)

    def _with(self, keyword: str, tree: ast.With | ast.AsyncWith) -> None:
        self.fill(keyword)
        # A lone tuple would be read as several items.
        lone = len(tree.items) == 1 and not tree.items[0].optional_vars
        if lone and isinstance(tree.items[0].context_expr, ast.Tuple):
            self._between("(", tree.items[0], ")")
        else:
            self._listed(tree.items)
        self._block(tree.body)

    # Patterns.

    def _Match(self, tree: ast.Match) -> None:
        self.fill("match ")
        self.dispatch(tree.subject)
        self._block(tree.cases)  # type: ignore[arg-type]

    def _match_case(self, tree: ast.match_case) -> None:
        self.fill("case ")
        self.dispatch(tree.pattern)
        if tree.guard:
            self.write(" if ")
            self.dispatch(tree.guard)
        self._block(tree.body)

    def _pattern(self, tree: ast.pattern) -> None:
        named = isinstance(tree, ast.MatchAs) and tree.pattern is not None
        if named or isinstance(tree, ast.MatchOr):
            self._between("(", tree, ")")
        else:
            self.dispatch(tree)

    def _MatchValue(self, tree: ast.MatchValue) -> None:
        self.dispatch(tree.value)

    def _MatchSingleton(self, tree: ast.MatchSingleton) -> None:
        self.write(repr(tree.value))

    def _MatchSequence(self, tree: ast.MatchSequence) -> None:
        self.write("[")
        self._listed(tree.patterns, self._pattern)
        self.write("]")

    def _MatchStar(self, tree: ast.MatchStar) -> None:
        self.write("*" + (tree.name or "_"))

    def _MatchMapping(self, tree: ast.MatchMapping) -> None:
        self.write("{")
        self._listed(zip(tree.keys, tree.patterns, strict=True), self._mapping_item)
        if tree.rest:
            self.write((", **" if tree.keys else "**") + tree.rest)
        self.write("}")

    def _mapping_item(self, item: tuple[ast.expr, ast.pattern]) -> None:
        self.dispatch(item[0])
        self.write(": ")
        self._pattern(item[1])

    def _MatchClass(self, tree: ast.MatchClass) -> None:
        self.dispatch(tree.cls)
        self.write("(")
        self._listed(tree.patterns, self._pattern)
        if tree.patterns and tree.kwd_attrs:
            self.write(", ")
        self._listed(zip(tree.kwd_attrs, tree.kwd_patterns, strict=True), self._keyword_pattern)
        self.write(")")

    def _keyword_pattern(self, item: tuple[str, ast.pattern]) -> None:
        self.write(item[0] + "=")
        self._pattern(item[1])

    def _MatchAs(self, tree: ast.MatchAs) -> None:
        if tree.pattern is None:
            self.write(tree.name or "_")
            return
        named = isinstance(tree.pattern, ast.MatchAs)
        (self._pattern if named else self.dispatch)(tree.pattern)
        self.write(f" as {tree.name}")

    def _MatchOr(self, tree: ast.MatchOr) -> None:
        for index, pattern in enumerate(tree.patterns):
            if index:
                self.write(" | ")
            self._pattern(pattern)

    # Operators.

    def _UnaryOp(self, tree: ast.UnaryOp) -> None:
        operator = self.unop[type(tree.op).__name__]
        self.write("not " if operator == "not" else operator)
        self.operand(tree.operand, _binding(tree))

    def _BinOp(self, tree: ast.BinOp) -> None:
        binding = _binding(tree)
        is_power = isinstance(tree.op, ast.Pow)
        self.operand(tree.left, _ATOM if is_power else binding)
        self.write(f" {self.binop[type(tree.op).__name__]} ")
        self.operand(tree.right, _SIGN if is_power else binding + 1)

    def _BoolOp(self, tree: ast.BoolOp) -> None:
        for index, value in enumerate(tree.values):
            if index:
                self.write(f" {self.boolops[type(tree.op)]} ")
            self.operand(value, _binding(tree) + 1)

    def _Compare(self, tree: ast.Compare) -> None:
        self.operand(tree.left, _COMPARE + 1)
        for operator, comparator in zip(tree.ops, tree.comparators, strict=True):
            self.write(f" {self.cmpops[type(operator).__name__]} ")
            self.operand(comparator, _COMPARE + 1)

    def _IfExp(self, tree: ast.IfExp) -> None:
        self.operand(tree.body, _OR)
        self.write(" if ")
        self.operand(tree.test, _OR)
        self.write(" else ")
        self.operand(tree.orelse, _TEST)

    def _Lambda(self, tree: ast.Lambda) -> None:
        arguments = Printer(self._quotes)
        arguments.dispatch(tree.args)
        self.write(f"lambda {arguments.text()}".rstrip() + ": ")
        self.operand(tree.body, _TEST)

    def _Await(self, tree: ast.Await) -> None:
        self.write("(await ")
        self.operand(tree.value, _ATOM)
        self.write(")")

    # Places that bind.

    def _Attribute(self, tree: ast.Attribute) -> None:
        self.operand(tree.value, _ATOM)
        is_int = isinstance(tree.value, ast.Constant) and type(tree.value.value) is int
        self.write((" ." if is_int else ".") + tree.attr)

    def _Call(self, tree: ast.Call) -> None:
        self.operand(tree.func, _ATOM)
        if len(tree.args) == 1 and not tree.keywords and isinstance(tree.args[0], ast.GeneratorExp):
            self.dispatch(tree.args[0])
            return
        self.write("(")
        self._listed([*tree.args, *tree.keywords])
        self.write(")")

    def _Subscript(self, tree: ast.Subscript) -> None:
        self.operand(tree.value, _ATOM)
        self.write("[")
        if isinstance(tree.slice, ast.Tuple) and tree.slice.elts:
            self._listed(tree.slice.elts)
            self.write("," if len(tree.slice.elts) == 1 else "")
        else:
            self.dispatch(tree.slice)
        self.write("]")

    def _Starred(self, tree: ast.Starred) -> None:
        self.write("*")
        self.operand(tree.value, _BIT_OR)

    def _Dict(self, tree: ast.Dict) -> None:
        self.write("{")
        self._listed(zip(tree.keys, tree.values, strict=True), self._item)
        self.write("}")

    def _item(self, item: tuple[ast.expr | None, ast.expr]) -> None:
        key, value = item
        if key is None:
            self.write("**")
            self.operand(value, _BIT_OR)
        else:
            self.dispatch(key)
            self.write(": ")
            self.dispatch(value)

    def _comprehension(self, tree: ast.comprehension) -> None:
        self.write(" async for " if tree.is_async else " for ")
        self.dispatch(tree.target)
        self.write(" in ")
        self.operand(tree.iter, _OR)
        for condition in tree.ifs:
            self.write(" if ")
            self.operand(condition, _OR)

    # Literals.

    def _Constant(self, tree: ast.Constant) -> None:
        if isinstance(tree.value, str):
            self.write("u" if getattr(tree, "kind", None) else "")
        self._write_constant(tree.value)

    def _write_constant(self, value: Any) -> None:
        if value is Ellipsis:
            self.write("...")
        elif isinstance(value, tuple):
            self._write_tuple(value)
        elif _is_number(value):
            self.write(_number(value))
        elif self._quotes is None or not isinstance(value, str | bytes):
            self.write(repr(value))
        else:
            self.write(fstring.raw_literal(value, self._quotes))

    def _write_tuple(self, value: tuple[Any, ...]) -> None:
        self.write("(")
        self._listed(value, self._write_constant)
        self.write(",)" if len(value) == 1 else ")")

    def _JoinedStr(self, tree: ast.JoinedStr) -> None:
        self.write(fstring.literal(tree, self._quotes, _field))

    def _FormattedValue(self, tree: ast.FormattedValue) -> None:
        self._JoinedStr(ast.JoinedStr([tree]))


def _field(node: ast.expr, quotes: Sequence[str] | None) -> str:
    """Gives the text of an expression in an f-string, where a bare lambda's colon would end it."""
    printer = Printer(quotes)
    printer.operand(node, _OR)
    return printer.text()


def _plain_text(node: ast.expr) -> str | None:
    is_plain = isinstance(node, ast.Constant) and not getattr(node, "kind", None)
    value = getattr(node, "value", None)
    return value if is_plain and isinstance(value, str) else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)


def _number(value: complex) -> str:
    if isinstance(value, int) and value.bit_length() > 3 * _LONGEST_DECIMAL:
        return hex(value)
    infinity = f"({_INFINITY} - {_INFINITY})"
    return repr(value).replace("inf", _INFINITY).replace("nan", infinity)
