"""The result of an exported program as an expression of Python, in what its graph gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograph.operators.results.reconstruction import (
    ItemPart,
    LettersPart,
    NumberPart,
    OptionalPart,
    RaggedPart,
    TextPart,
)
from autograph.operators.values.runs import ContainerKind
from autograph.tracing.results import (
    ArrayHole,
    EntriesHole,
    FixedPart,
    ListHole,
    NoneHole,
    ResultHole,
    TextHole,
)
from runtime.export.python.sources import Sources
from runtime.export.python.texts import Texts
from runtime.structure import tree
from runtime.structure.templates import text_of_letters

__all__ = ["Results"]


class Results:
    """Writes the parts of a result; `outputs` are the sources of what the graph gives."""

    def __init__(self, sources: Sources, outputs: Sequence[str], own: Callable[[int], str]) -> None:
        self.sources = sources
        self.outputs = outputs
        # The source of an output as it is handed out.
        self.own = own

    def nest(self, structure: tree.Structure, parts: Sequence[str]) -> str:
        """A nest of these parts."""
        left = list(parts)
        return self._nest(structure, left)

    def _nest(self, structure: tree.Structure, left: list[str]) -> str:
        kind = structure.kind
        if kind is None:
            return left.pop(0)
        inner = [self._nest(child, left) for child in structure.children]
        items = ", ".join(inner)
        if kind is list:
            return f"[{items}]"
        if issubclass(kind, tuple):
            return self._tuple(kind, items, len(inner))
        pairs = list(zip(structure.keys, inner, strict=True))
        if issubclass(kind, dict):
            rows = ", ".join(f"{self.sources.value(key)}: {part}" for key, part in pairs)
            if kind is dict:
                return f"{{{rows}}}"
            given = f"{self.sources.value(structure.extra)}, " if structure.extra else ""
            return f"{self.sources.module('collections')}.{kind.__name__}({given}{{{rows}}})"
        fields = ", ".join(f"{key}={part}" for key, part in pairs)
        return f"{self.sources.module('types')}.SimpleNamespace({fields})"

    def _tuple(self, kind: type, items: str, count: int) -> str:
        """A tuple; a named one is of a class of its name and fields that is in the file."""
        fields = getattr(kind, "_fields", None)
        if fields is None:
            return f"({items}{',' * (count == 1)})"
        made = f"{self.sources.module('collections')}.namedtuple({kind.__name__!r}, {fields!r})"
        return f"{self.sources.shared(kind, kind.__name__, made)}({items})"

    # ---- parts -------------------------------------------------------------------------------

    def part(self, hole: Any) -> str:
        """The expression for one part."""
        return _PARTS[type(hole)](self, hole)

    def _array(self, hole: ResultHole) -> str:
        return f"np.asarray({self.own(hole.index)})"

    def _output(self, hole: ResultHole) -> str:
        return self.own(hole.index)

    def _text(self, hole: TextHole) -> str:
        operands = self.outputs[hole.first : hole.first + hole.count]
        return Texts(self.sources).part(hole.text, operands)

    def _none(self, hole: NoneHole) -> str:
        made = self.nest(hole.structure, [self.part(h) for h in hole.holes])
        return f"({made} if {self.outputs[hole.present]} else None)"

    def _entries(self, hole: EntriesHole) -> str:
        """A dict of which data decides what keys it has, and perhaps their order."""
        values = [self.part(h) for h in hole.holes]
        children, left = [], values
        for child in hole.structure.children:
            children.append(self._nest(child, left))
        rows = []
        for k, (key, value) in enumerate(zip(hole.structure.keys, children, strict=True)):
            there = self.outputs[hole.there[k]] if k in hole.there else "True"
            rank = self.outputs[hole.ranks[k]] if hole.ranks else str(k)
            rows.append(f"({rank}, {there}, {self.sources.value(key)}, {value})")
        inner = f"sorted([{', '.join(rows)}], key=lambda row: row[0])"
        return f"{{key: value for _, there, key, value in {inner} if there}}"

    def _fixed(self, hole: FixedPart) -> str:
        return self.sources.value(hole.value)

    def _list(self, hole: ListHole) -> str:
        rows = [self.own(k) for k in range(hole.first, hole.first + hole.count)]
        return self._container(hole.kind, self.items(hole.structure, hole.parts, rows))

    def _container(self, kind: ContainerKind, items: str) -> str:
        if kind.name in ("list", "tuple", "set", "dict"):
            return items if kind.name == "list" else f"{kind.name}({items})"
        home = f"{self.sources.module('collections')}.{kind.name}"
        if kind.name == "deque":
            return f"{home}({items}, {self.sources.value(kind.factory)})"
        if kind.name == "defaultdict":
            return f"{home}({self.sources.value(kind.factory)}, {items})"
        return f"{home}(dict({items}))"

    # ---- lists of items ----------------------------------------------------------------------

    def items(self, structure: tree.Structure, parts: Sequence[Any], rows: Sequence[str]) -> str:
        """A list of items, of which the numbers are in rows."""
        columns = [self._column(part, rows) for part in parts]
        if structure.kind is None:
            return columns[0]
        names = [f"part{k}" for k in range(len(columns))]
        made = self.nest(structure, names)
        given = ", ".join(columns)
        heads = f"{', '.join(names)}{',' * (len(names) == 1)}"
        if not columns:
            return f"[{made} for _ in {rows[0]}]"
        return f"[{made} for {heads} in zip({given})]"

    def _column(self, part: Any, rows: Sequence[str]) -> str:
        """One part of all items."""
        if not isinstance(part, ItemPart):
            value = part.value if isinstance(part, FixedPart) else part
            return f"[{self.sources.value(value)}] * len({rows[0]})"
        row = rows[part.row]
        if isinstance(part, TextPart):
            return f"[{self.sources.value(part.texts)}[k] for k in {row}.tolist()]"
        if isinstance(part, LettersPart):
            text = self.sources.thing(text_of_letters)
            pairs = f"zip({rows[part.letters]}, {row}.tolist())"
            return f"[{text}(letters[:n]) for letters, n in {pairs}]"
        if isinstance(part, NumberPart):
            columns = ", ".join(self._column(one, rows) for one in part.parts)
            return f"[found[k] for k, *found in zip({row}.tolist(), {columns})]"
        if isinstance(part, OptionalPart):
            items = self.items(part.structure, part.parts, rows)
            return f"[x if there else None for x, there in zip({items}, {row}.tolist())]"
        if isinstance(part, RaggedPart):
            return self._ragged(part, rows)
        return f"{row}.tolist()" if part.weak else f"{self.sources.thing(items_of)}({row})"

    def _ragged(self, part: RaggedPart, rows: Sequence[str]) -> str:
        row = rows[part.row]
        if not part.rows:
            return f"[[] for _ in {row}]"
        inner = [f"{rows[j]}[k][:n]" for j in part.rows]
        made = self.items(part.structure, part.parts, inner)
        return f"[{made} for k, n in enumerate({row}.tolist())]"


def items_of(rows: Any) -> list[Any]:
    """The rows of an array, each an array of its own, or a number of its dtype."""
    return list(rows) if rows.ndim == 1 else [np.array(row) for row in rows]


_PARTS: dict[type, Callable[[Results, Any], str]] = {
    ResultHole: Results._output,
    ArrayHole: Results._array,
    TextHole: Results._text,
    NoneHole: Results._none,
    EntriesHole: Results._entries,
    ListHole: Results._list,
    FixedPart: Results._fixed,
}
