"""What a trace has decided, by the user's lines, and what it depends on: in words."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import NamedTuple

from autograph.operators.captured.decisions import PLAIN as LEFT_TO_PYTHON
from autograph.operators.captured.guards import PLAIN, Guard, IdentityGuard
from autograph.tracing.concrete import ConcreteFunction
from autograph.tracing.signature import GENERATOR, describe_key
from runtime.graph.html import html
from runtime.graph.ir import Node
from runtime.markup import code, folded, table, words
from runtime.places import short_place
from runtime.variable import Variable

__all__ = ["Explanation", "TraceTable", "explained"]

# Guards that are listed; most functions have fewer.
_SHOWN = 20
_LIST = "  {}: {}"
_COLUMNS = ("#", "signature", "traced because", "ms")
_STATEMENT = re.compile(r"\s*(if|elif|while|for|try|match|case|assert|with)\b")
_STAGED = {
    "cond": "a branch of the graph",
    "while": "one loop of the graph",
    "try": "errors are caught in the graph",
}
# Statements that a node of each kind may stand for.
_MEANT = {
    "cond": ("if", "elif", "match", "case", "assert"),
    "while": ("while", "for"),
    "try": ("try",),
}


class _Line(NamedTuple):
    filename: str
    line: int
    text: str


class TraceTable(list[ConcreteFunction]):
    """The traces of a function; shown as a table, in a notebook with the graphs folded below."""

    def __repr__(self) -> str:
        if not self:
            return "no traces"
        rows = [_COLUMNS, *self._rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(_row(row, widths) for row in rows)

    def _rows(self) -> Iterator[tuple[str, str, str, str]]:
        for number, c in enumerate(self, 1):
            yield str(number), ", ".join(_arguments(c)), c.reason, f"{c.milliseconds:.1f}"

    def _repr_html_(self) -> str:
        if not self:
            return "no traces"
        rows: list[Sequence[str]] = []
        for (number, signature, reason, took), c in zip(self._rows(), self, strict=True):
            rows.append((number, code(signature), words(reason), took))
            rows.append((html(c.graph, is_open=False),))
        return table(_COLUMNS, rows)


class Explanation(str):
    """What `explain` tells: text, which a prompt shows as it is and a notebook as tables."""

    html: str

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.html


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    pairs = zip(cells, widths, strict=True)
    return "  ".join(cell.ljust(width) for cell, width in pairs).rstrip()


def _arguments(concrete: ConcreteFunction) -> Iterator[str]:
    arguments = concrete._traced.arguments
    kinds = dict(zip(arguments.paths, arguments.keys, strict=True))
    given = {
        path: describe_key(kinds[path]) if kinds[path][0] == GENERATOR else str(type_)
        for path, _, type_ in arguments.inputs()
    }
    fixed = dict(arguments.constants())
    for path in arguments.paths:
        yield f"{path}: {given[path]}" if path in given else f"{path}={_short(fixed[path])}"


def _short(value: object) -> str:
    text = repr(value) if isinstance(value, PLAIN) else type(value).__name__
    return text if len(text) <= 40 else f"{text[:37]}..."


def explained(
    name: str, filename: str, count: int, traces: Iterable[ConcreteFunction]
) -> Explanation:
    """All that is known of the traces of the function `name` of that file."""
    title = f"{name}: {count} trace{'' if count == 1 else 's'}"
    facts = [_Facts(concrete, filename) for concrete in traces]
    explanation = Explanation("\n".join([title, *(row for f in facts for row in f.text())]))
    explanation.html = words(title) + "".join(f.html() for f in facts)
    return explanation


class _Facts:
    """What is known of one trace of a function."""

    def __init__(self, concrete: ConcreteFunction, filename: str) -> None:
        self._concrete, self._filename = concrete, filename
        self._reason = f"{concrete.reason} ({concrete.milliseconds:.1f} ms)"
        self._reasons = [("traced because", self._reason)]
        if concrete.remedy:
            self._reasons.append(("to avoid it", concrete.remedy))
        self._lines = list(_decisions(concrete, filename))
        self._others = list(_dependencies(concrete))

    def text(self) -> Iterator[str]:
        yield f"- {self._concrete.function_type}"
        yield from (_LIST.format(*fact) for fact in self._reasons)
        yield from (f"  {self._place(line)}{line.text}" for line in self._lines)
        yield from (_LIST.format(*fact) for fact in self._others)
        yield from (f"  {note}" for note in self._concrete.execution)

    def _place(self, line: _Line) -> str:
        if not line.line:
            return ""
        if line.filename == self._filename:
            return f"line {line.line}: "
        return f"{short_place(line.filename, line.line)}: "

    def html(self) -> str:
        lines = [
            (words(self._place(line).removesuffix(": ")), _source(line), words(line.text))
            for line in self._lines
        ]
        facts = [(title, words(text)) for title, text in (*self._reasons, *self._others)]
        facts += [("runs as", words(note)) for note in self._concrete.execution]
        parts = [
            table(("place", "line", "what becomes of it"), lines),
            table(("", ""), facts),
            html(self._concrete.graph, is_open=False),
        ]
        return folded(code(self._concrete.function_type), "".join(parts), is_open=True)


def _source(line: _Line) -> str:
    return code(linecache.getline(line.filename, line.line).strip()) if line.line else ""


def _decisions(concrete: ConcreteFunction, filename: str) -> Iterator[_Line]:
    """By line, those of the function's own file first."""
    traced = concrete._traced
    found = dict.fromkeys(_staged_lines(traced.graph.walk()))
    found.update(dict.fromkeys(_Line(d.filename, d.line, d.text) for d in traced.notes))
    if not found and not any(d.kind == LEFT_TO_PYTHON for d in traced.notes):
        yield _Line("", 0, "no branch and no loop is staged")
    for title, origin in concrete.called_from_native_code:
        text = f"native code calls Python for `{title}`"
        found[_Line(origin.filename, origin.lineno, text)] = None
    yield from sorted(found, key=lambda e: (e.filename not in ("", filename), e))


def _staged_lines(nodes: Iterable[Node]) -> Iterator[_Line]:
    """What is staged; a loop's line has no more to say, though its test may have parts."""
    found = list(filter(None, map(_staged, nodes)))
    loops = {(f.filename, f.line) for f in found if f.text.endswith(_STAGED["while"])}
    for entry in found:
        is_part = entry.text.startswith("an expression")
        if not (is_part and (entry.filename, entry.line) in loops):
            yield entry


def _staged(node: Node) -> _Line | None:
    what = _STAGED.get(node.op.name)
    origin = node.origin
    if what is None or origin is None:
        return None
    match = _STATEMENT.match(origin.text)
    is_meant = match is not None and match[1] in _MEANT[node.op.name]
    statement = f"`{match[1]}`" if match is not None and is_meant else "an expression"
    return _Line(origin.filename, origin.lineno, f"{statement} is staged: {what}")


def _dependencies(concrete: ConcreteFunction) -> Iterator[tuple[str, str]]:
    traced = concrete._traced
    arrays = [f"{c.place.name} {c.type}" for c in traced.captured]
    arrays += [f"variable {x.name!r}" for x in traced.externals if isinstance(x, Variable)]
    if arrays:
        yield "read at each call", ", ".join(arrays)
    guards = [text for text in map(_guarded, traced.guards) if text]
    if guards:
        more = [f"{len(guards) - _SHOWN} more"] if len(guards) > _SHOWN else []
        yield "traced again when one changes", ", ".join(guards[:_SHOWN] + more)


def _guarded(guard: Guard) -> str:
    """What is guarded; nothing for modules and code, which nearly all functions read."""
    if guard.is_of_code:
        return ""
    if isinstance(guard, IdentityGuard) and isinstance(guard.expected.ref(), ModuleType):
        return ""
    is_plain = guard.by_value and isinstance(guard.expected, PLAIN)
    return f"{guard.place.name} = {_short(guard.expected)}" if is_plain else guard.place.name
