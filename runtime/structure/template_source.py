"""Parts with holes as Python: what a graph fills in again and again is written once, and compiled.

A text with holes becomes the f-string that it comes from.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

from runtime.structure.templates import (
    ASCII,
    PERCENT,
    REPR,
    STR,
    Fillable,
    Hole,
    LazyString,
    Line,
    Several,
    fill,
    format_part,
)

__all__ = ["Source", "rendering"]

# What the names start with that stand for run-time values and for objects.
_VALUE, _OBJECT = "_ag_v", "_ag_o"
# Conversions that an f-string has.
_CONVERSIONS = frozenset((-1, REPR, STR, ASCII))


class Source:
    """Writes functions of so many run-time values; objects are in cells, as in closures.

    >>> text = LazyString(("x = ", (Hole(0), -1, ".1f")))
    >>> source = Source(1)
    >>> ast.unparse(source.part(text))
    "f'x = {_ag_v0:.1f}'"
    >>> source.function("return PART", {"PART": source.part(text)})(0.25)
    'x = 0.2'
    """

    def __init__(self, count: int) -> None:
        self.values = [f"{_VALUE}{i}" for i in range(count)]
        self._names: dict[int, str] = {}
        self._cells: dict[str, CellType] = {}

    def bind(self, thing: Any) -> str:
        """The name of an object."""
        name = self._names.get(id(thing))
        if name is None:
            name = self._names[id(thing)] = f"{_OBJECT}{len(self._names)}"
            self._cells[name] = CellType(thing)
        return name

    def bound(self, thing: Any) -> ast.expr:
        """An expression for an object."""
        return _name(self.bind(thing))

    def part(self, part: Any) -> ast.expr:
        """An expression for a part with the run-time values in its holes."""
        if isinstance(part, Fillable):
            found = part.written(self)
            return self._filled(part) if found is None else found
        return _WRITERS.get(type(part), Source._filled)(self, part)

    def hole(self, hole: Hole) -> ast.expr:
        """The value in a hole."""
        return _name(self.values[hole.index])

    def nest(self, part: Any) -> ast.expr:
        """A tuple of parts."""
        return ast.Tuple([self.part(item) for item in part], ast.Load())

    def text(self, text: LazyString) -> ast.expr:
        """A text with holes."""
        pieces = [self._piece(piece) for piece in text.parts]
        is_one = len(pieces) == 1 and not isinstance(text.parts[0], str)
        if is_one and not isinstance(pieces[0], ast.FormattedValue):
            return pieces[0]
        return ast.JoinedStr([_in_text(piece) for piece in pieces])

    def line(self, line: Line) -> ast.expr:
        """The text of a line."""
        pieces: list[ast.expr] = []
        for i, part in enumerate(line.parts):
            if i and line.separator:
                pieces.append(ast.Constant(line.separator))
            pieces.append(ast.FormattedValue(self.part(part), STR, None))
        if len(line.parts) == 1 and type(line.parts[0]) is LazyString and not line.end:
            return self.part(line.parts[0])
        return ast.JoinedStr([*pieces, ast.Constant(line.end)])

    def _piece(self, piece: Any) -> ast.expr:
        if isinstance(piece, str):
            return ast.Constant(piece)
        value, conversion, spec, *options = piece
        if any(options):
            return self.call(format_part, *map(self.part, piece))
        if conversion == PERCENT:
            operand = ast.Tuple([self.part(value)], ast.Load())
            return ast.BinOp(self.part(spec), ast.Mod(), operand)
        if conversion not in _CONVERSIONS:
            return self.call(conversion, self.part(value))
        given = None if not spec else ast.JoinedStr([_in_text(self._constant(spec))])
        return ast.FormattedValue(self.part(value), conversion, given)

    def _constant(self, part: Any) -> ast.expr:
        return ast.Constant(part) if isinstance(part, str) else self.part(part)

    def call(self, function: Any, *args: ast.expr) -> ast.expr:
        """A call of an object."""
        return ast.Call(self.bound(function), list(args), [])

    def _filled(self, part: Any) -> ast.expr:
        return self.call(fill, self.bound(part), self.operands())

    def operands(self) -> ast.expr:
        """A tuple of all run-time values."""
        return ast.Tuple([_name(value) for value in self.values], ast.Load())

    def function(
        self,
        text: str,
        parts: dict[str, ast.expr],
        space: dict[str, Any] | None = None,
        stands: tuple[str, int, str] = ("<template>", 1, "fill"),
    ) -> FunctionType:
        """The function of the lines `text`, with expressions in the place of some names.

        Its globals are `space`; it `stands` in a file, at a line, under a name.
        """
        body = _Replacing(parts).visit(ast.parse(text)).body
        inner = ast.parse(f"def made({', '.join(self.values)}): pass").body[0]
        assert isinstance(inner, ast.FunctionDef)
        inner.body = body
        around = ast.parse("def around(): pass").body[0]
        assert isinstance(around, ast.FunctionDef)
        cells = "\n".join(f"{name} = None" for name in self._cells)
        around.body = [*ast.parse(cells).body, inner]
        filename, line, title = stands
        for node in ast.walk(around):
            if "lineno" in node._attributes:
                place = {"lineno": line, "end_lineno": line, "col_offset": 0, "end_col_offset": 0}
                vars(node).update(place)
        whole = compile(ast.Module([around], []), filename, "exec", dont_inherit=True)
        code = _inner(_inner(whole)).replace(co_name=title, co_qualname=title)
        closure = tuple(self._cells[name] for name in code.co_freevars)
        return FunctionType(code, {} if space is None else space, title, None, closure)


def rendering(render: Any, count: int, then: Any) -> Callable[..., Any]:
    """A function of so many run-time values: what `then` makes of the text of a `Line`.

    >>> rendering(Line((LazyString(("x = ", (Hole(0), -1, ".1f"))),), "", "!"), 1, len)(0.25)
    8
    """
    source = Source(count)
    if type(render) is not Line or any(isinstance(part, Several) for part in render.parts):
        text = source.call(render, *map(_name, source.values))
    else:
        text = source.line(render)
    return source.function("return THEN(TEXT)", {"THEN": source.bound(then), "TEXT": text})


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _in_text(piece: ast.expr) -> ast.expr:
    """A piece as it stands in an f-string."""
    if isinstance(piece, ast.FormattedValue | ast.Constant):
        return piece
    return ast.FormattedValue(piece, -1, None)


def _inner(code: CodeType) -> CodeType:
    """The code of the one function that is made in some code."""
    return next(x for x in code.co_consts if isinstance(x, CodeType))


class _Replacing(ast.NodeTransformer):
    """Puts expressions in the place of names."""

    def __init__(self, parts: dict[str, ast.expr]) -> None:
        self._parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._parts.get(node.id, node)


_WRITERS: dict[type, Callable[[Source, Any], ast.expr]] = {
    Hole: Source.hole,
    LazyString: Source.text,
    tuple: Source.nest,
    **dict.fromkeys((bool, int, float, complex, str, bytes, type(None)), Source.bound),
}
