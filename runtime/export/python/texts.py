"""Text and other parts with holes as expressions of Python: f-strings, displays, conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runtime.effects.control import ExceptionTemplate, exception_of
from runtime.errors import UnsavableError
from runtime.export.python.sources import Sources
from runtime.structure.templates import (
    ASCII,
    REPR,
    STR,
    Alternative,
    ArrayHole,
    Excerpt,
    Fillable,
    Hole,
    LazyString,
    Letters,
    Line,
    OrNone,
    Record,
    Repetition,
    Several,
    SummaryLine,
    format_part,
    summary,
    text_of_letters,
)

__all__ = ["Texts"]

_CONVERSIONS = {-1: "", STR: "!s", REPR: "!r", ASCII: "!a"}


class Texts:
    """Writes parts; `operands` are the sources of what goes into their holes."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources

    def part(self, x: Any, operands: Sequence[str]) -> str:
        """The expression for a part."""
        if isinstance(x, ExceptionTemplate):
            return self.exception(x, operands)
        if isinstance(x, (Hole, Fillable, LazyString, Record)):
            return _PARTS[type(x)](self, x, operands) if type(x) in _PARTS else _refuse(x)
        if type(x) in (tuple, list):
            items = ", ".join([self.part(item, operands) for item in x])
            return f"[{items}]" if type(x) is list else f"({items}{',' * (len(x) == 1)})"
        if type(x) is dict:
            rows = [f"{self.sources.value(k)}: {self.part(v, operands)}" for k, v in x.items()]
            return f"{{{', '.join(rows)}}}"
        return self.sources.value(x)

    def print_arguments(self, line: Line, operands: Sequence[str]) -> str:
        """What `print` is called with in order to write a line."""
        given = [self.part(x, operands) for x in line.parts]
        if isinstance(line, SummaryLine):
            given = [self._summary(x, operands, line.edge) for x in line.parts]
        if line.separator != " ":
            given.append(f"sep={line.separator!r}")
        if line.end != "\n":
            given.append(f"end={line.end!r}")
        return ", ".join(given)

    def line(self, line: Line, operands: Sequence[str]) -> str:
        """The text of a line."""
        values = [self.part(x, operands) for x in line.parts]
        if isinstance(line, SummaryLine):
            values = [self._summary(x, operands, line.edge) for x in line.parts]
        return f"{line.separator!r}.join(map(str, [{', '.join(values)}])) + {line.end!r}"

    def _summary(self, x: Any, operands: Sequence[str], edge: int | None) -> str:
        """A value as TensorFlow prints it."""
        if isinstance(x, (str, LazyString)):
            return self.part(x, operands)
        if isinstance(x, Hole):
            return f"{self.sources.thing(summary)}(np.asarray({operands[x.index]}), {edge})"
        if isinstance(x, (list, tuple, dict)):
            return _refuse(x)
        return f"repr({self.part(x, operands)})"

    def exception(self, template: ExceptionTemplate, operands: Sequence[str]) -> str:
        """An exception; a class of the user's has no `__init__` of its own in the file."""
        kind = self.sources.thing(template.kind)
        if not (template.attributes or template.cause is not None or template.context is not None):
            return f"{kind}({', '.join([self.part(part, operands) for part in template.args])})"
        parts = (tuple(template.args), template.attributes, template.cause, template.context)
        given = ", ".join([self.part(part, operands) for part in parts])
        made = self.sources.thing(exception_with)
        return f"{made}({kind}, {given}, {template.suppress})"

    # ---- kinds of parts ----------------------------------------------------------------------

    def _hole(self, x: Hole, operands: Sequence[str]) -> str:
        return operands[x.index]

    def _array_hole(self, x: Hole, operands: Sequence[str]) -> str:
        return f"np.asarray({operands[x.index]})"

    def _lazy(self, x: LazyString, operands: Sequence[str]) -> str:
        pieces = [
            _in_braces(p) if isinstance(p, str) else self._piece(p, operands) for p in x.parts
        ]
        return f'f"{"".join(pieces)}"'

    def _piece(self, piece: tuple[Any, ...], operands: Sequence[str]) -> str:
        value, conversion, spec, *options = piece
        source = self.part(value, operands)
        simple = conversion in _CONVERSIONS and not options and isinstance(spec, (str, type(None)))
        if simple and not any(c in source for c in "\"'\\{}:!"):
            return f"{{{source}{_CONVERSIONS[conversion]}{':' + spec if spec else ''}}}"
        return _in_braces_call(self._formatted(source, conversion, spec, options, operands))

    def _formatted(
        self, source: str, conversion: Any, spec: Any, options: list[Any], operands: Sequence[str]
    ) -> str:
        given = [source, self.sources.value(conversion), self.part(spec, operands)]
        given += map(self.sources.value, options)
        return f"{self.sources.thing(format_part)}({', '.join(given)})"

    def _alternative(self, x: Alternative, operands: Sequence[str]) -> str:
        yes, no = (self.part(text, operands) for text in x.texts)
        return f"({yes} if {self.part(x.which, operands)} else {no})"

    def _repetition(self, x: Repetition, operands: Sequence[str]) -> str:
        return f"{x.text!r} * int({self.part(x.count, operands)})"

    def _letters(self, x: Letters, operands: Sequence[str]) -> str:
        return f"{self.sources.thing(text_of_letters)}({self.part(x.numbers, operands)})"

    def _or_none(self, x: OrNone, operands: Sequence[str]) -> str:
        return f"({self.part(x.part, operands)} if {self.part(x.which, operands)} else None)"

    def _excerpt(self, x: Excerpt, operands: Sequence[str]) -> str:
        return self.part(x.part, [operands[position] for position in x.positions])

    def _several(self, x: Several, operands: Sequence[str]) -> str:
        return f"*{self.part(x.part, operands)}"


def exception_with(
    kind: type[BaseException],
    args: tuple[Any, ...],
    attributes: dict[str, Any],
    cause: Any,
    context: Any,
    suppress: bool,
) -> BaseException:
    """An exception with attributes, and with what it was raised from."""
    made = exception_of(kind, args, attributes)
    made.__cause__ = cause
    made.__context__ = context
    made.__suppress_context__ = suppress
    return made


def _refuse(x: Any) -> str:
    raise UnsavableError(
        f"this cannot be exported: a part of a text is of {type(x).__name__}",
        "print or return numbers, arrays and text",
    )


def _in_braces(text: str) -> str:
    """A text as it stands in an f-string between double quotation marks."""
    return repr("'" + text)[2:-1].replace('"', '\\"').replace("{", "{{").replace("}", "}}")


def _in_braces_call(source: str) -> str:
    """An expression with quotation marks of its own: Python 3.11 has none in f-strings."""
    return f'" + {source} + f"'


_PARTS: dict[type, Callable[[Texts, Any, Sequence[str]], str]] = {
    Hole: Texts._hole,
    ArrayHole: Texts._array_hole,
    LazyString: Texts._lazy,
    Alternative: Texts._alternative,
    Repetition: Texts._repetition,
    Letters: Texts._letters,
    OrNone: Texts._or_none,
    Excerpt: Texts._excerpt,
    Several: Texts._several,
}
