"""What a trace has decided, by the user's lines, and what it depends on: in words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import NamedTuple

from autograph.concrete import ConcreteFunction
from autograph.operators.captured.decisions import PLAIN as LEFT_TO_PYTHON
from autograph.operators.captured.guards import PLAIN, Guard, IdentityGuard
from runtime.graph.ir import Node
from runtime.variable import Variable

__all__ = ["TraceTable", "explained"]

# Guards that are listed; most functions have fewer.
_SHOWN = 20
_LIST = "  {}: {}"
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
    """The traces of a function; shown as a table."""

    def __repr__(self) -> str:
        if not self:
            return "no traces"
        rows = [("#", "signature", "traced because", "ms")]
        rows += [
            (str(number), ", ".join(_arguments(c)), c.reason, f"{c.milliseconds:.1f}")
            for number, c in enumerate(self, 1)
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(_row(row, widths) for row in rows)


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    pairs = zip(cells, widths, strict=True)
    return "  ".join(cell.ljust(width) for cell, width in pairs).rstrip()


def _arguments(concrete: ConcreteFunction) -> Iterator[str]:
    arguments = concrete._traced.arguments
    given = {path: str(type_) for path, _, type_ in arguments.inputs()}
    fixed = dict(arguments.constants())
    for path in arguments.paths:
        yield f"{path}: {given[path]}" if path in given else f"{path}={_short(fixed[path])}"


def _short(value: object) -> str:
    text = repr(value) if isinstance(value, PLAIN) else type(value).__name__
    return text if len(text) <= 40 else f"{text[:37]}..."


def explained(name: str, filename: str, count: int, traces: Iterable[ConcreteFunction]) -> str:
    """All that is known of the traces of the function `name` of that file."""
    lines = [f"{name}: {count} trace{'' if count == 1 else 's'}"]
    for concrete in traces:
        lines.append(f"- {concrete.function_type}")
        because = f"{concrete.reason} ({concrete.milliseconds:.1f} ms)"
        lines.append(_LIST.format("traced because", because))
        if concrete.remedy:
            lines.append(_LIST.format("to avoid it", concrete.remedy))
        lines += _decisions(concrete, filename)
        lines += _dependencies(concrete)
        lines += [f"  {note}" for note in concrete.execution]
    return "\n".join(lines)


def _decisions(concrete: ConcreteFunction, filename: str) -> Iterator[str]:
    traced = concrete._traced
    found = dict.fromkeys(_staged_lines(traced.graph.walk()))
    found.update(dict.fromkeys(_Line(d.filename, d.line, d.text) for d in traced.notes))
    if not found and not any(d.kind == LEFT_TO_PYTHON for d in traced.notes):
        yield "  no branch and no loop is staged"
    for title, origin in concrete.called_from_native_code:
        text = f"native code calls Python for `{title}`"
        found[_Line(origin.filename, origin.lineno, text)] = None
    for entry in sorted(found, key=lambda e: (e.filename not in ("", filename), e)):
        if not entry.line:
            yield f"  {entry.text}"
        elif entry.filename == filename:
            yield f"  line {entry.line}: {entry.text}"
        else:
            yield f"  {os.path.basename(entry.filename)}:{entry.line}: {entry.text}"


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


def _dependencies(concrete: ConcreteFunction) -> Iterator[str]:
    traced = concrete._traced
    arrays = [f"{c.place.name} {c.type}" for c in traced.captured]
    arrays += [f"variable {x.name!r}" for x in traced.externals if isinstance(x, Variable)]
    if arrays:
        yield _LIST.format("read at each call", ", ".join(arrays))
    guards = [text for text in map(_guarded, traced.guards) if text]
    if guards:
        more = [f"{len(guards) - _SHOWN} more"] if len(guards) > _SHOWN else []
        yield _LIST.format("traced again when one changes", ", ".join(guards[:_SHOWN] + more))


def _guarded(guard: Guard) -> str:
    """What is guarded; nothing for modules and code, which nearly all functions read."""
    if guard.is_of_code:
        return ""
    if isinstance(guard, IdentityGuard) and isinstance(guard.expected.ref(), ModuleType):
        return ""
    is_plain = guard.by_value and isinstance(guard.expected, PLAIN)
    return f"{guard.place.name} = {_short(guard.expected)}" if is_plain else guard.place.name
