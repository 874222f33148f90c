"""String literals that repr does not give: docstrings, f-strings and what stands inside those.

Python 3.11 allows neither a backslash nor the f-string's own quotation mark in its expressions;
later ones do. A text that 3.11 can read is preferred on all of them.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

_QUOTES = ("'", '"', '"""', "'''")
_FREE = sys.version_info >= (3, 12)

Field = Callable[[ast.expr, Sequence[str] | None], str]
"""Prints an expression with the given quotation marks only, or with any if None."""


class UnprintableError(ValueError):
    """A string cannot be written with the quotation marks that are left."""


def docstring(text: str) -> str:
    """Gives a literal in triple quotes whose lines stand as they are."""
    body = _escaped(text, keep="\n\t").replace('"""', r"\"\"\"")
    if body.endswith('"'):
        body = body[:-1] + r"\""
    return f'"""{body}"""'


def _escaped(text: str, keep: str = "") -> str:
    escaped = text.replace("\\", "\\\\")
    return "".join(
        char if char.isprintable() or char in keep else repr(char)[1:-1] for char in escaped
    )


def raw_literal(value: str | bytes, quotes: Sequence[str]) -> str:
    """Gives a literal without a backslash, in pieces if no quotation mark fits the whole."""
    if isinstance(value, bytes):
        return " ".join("b" + piece for piece in _pieces(value.decode("latin-1"), quotes))
    return " ".join(_pieces(value, quotes))


def _pieces(text: str, quotes: Sequence[str]) -> Iterator[str]:
    while True:
        lengths = {quote: _fitting(text, quote) for quote in quotes}
        best = max(lengths, key=lambda quote: lengths[quote], default=None)
        if best is None or (text and not lengths[best]):
            raise UnprintableError(text)
        length = lengths[best]
        yield best + text[:length] + best
        text = text[length:]
        if not text:
            return


def _fitting(text: str, quote: str) -> int:
    """Gives how many characters can stand between these quotation marks as they are."""
    stops = [quote, "\\", "\r", "\0"] + (["\n"] if len(quote) == 1 else [])
    fitting = text[: min((text.find(stop) for stop in stops if stop in text), default=len(text))]
    return len(fitting.rstrip(quote[0]))


def literal(tree: ast.JoinedStr, quotes: Sequence[str] | None, field: Field) -> str:
    """Gives an f-string; `quotes` limits it as it limits a field, None for no limit."""
    segments = [
        (is_unicode, list(values))
        for is_unicode, values in itertools.groupby(_merged(tree.values), _has_kind)
    ]
    if all(is_unicode for is_unicode, _ in segments):
        segments.append((False, []))
    return " ".join(
        _unicode(values, quotes) if is_unicode else _segment(values, quotes, field)
        for is_unicode, values in segments
    )


def _has_kind(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and bool(getattr(value, "kind", None))


def _merged(values: list[ast.expr]) -> Iterator[ast.expr]:
    """Gives the parts with no two texts side by side, which would be read as one."""
    for is_text, group in itertools.groupby(
        values, lambda value: isinstance(value, ast.Constant) and not _has_kind(value)
    ):
        if is_text:
            yield ast.Constant("".join(str(getattr(value, "value", "")) for value in group))
        else:
            yield from group


def _unicode(values: list[ast.expr], quotes: Sequence[str] | None) -> str:
    texts = [str(getattr(value, "value", "")) for value in values]
    return " ".join(
        "u" + (repr(text) if quotes is None else raw_literal(text, quotes)) for text in texts
    )


def _segment(values: list[ast.expr], quotes: Sequence[str] | None, field: Field) -> str:
    for style in _styles(quotes):
        try:
            return style.segment(values, field)
        except UnprintableError:
            continue
    raise UnprintableError(ast.dump(ast.JoinedStr(values)))


def _styles(quotes: Sequence[str] | None) -> Iterator[_Style]:
    """Gives the ways to write an f-string, the plainest first."""
    allowed = _QUOTES if quotes is None else quotes
    for quote in allowed:
        yield _Style(quote, _usable_within(quote, allowed), has_escapes=quotes is None)
    if quotes is None:
        for quote in allowed:
            yield _Style(quote, _usable_within(quote, allowed), escapes_quote=True)
        if _FREE:
            yield _Style("'", None, escapes_quote=True)


def _usable_within(quote: str, quotes: Sequence[str]) -> tuple[str, ...]:
    return tuple(each for each in quotes if quote not in each)


class _Style(NamedTuple):
    """One way to write an f-string; `inner` are the quotation marks for its expressions."""

    quote: str
    inner: tuple[str, ...] | None
    has_escapes: bool = True
    escapes_quote: bool = False

    def segment(self, values: list[ast.expr], field: Field) -> str:
        body = self._body(values, field, is_spec=False)
        if body.endswith(self.quote[0]) and not self.escapes_quote:
            raise UnprintableError(body)
        return f"f{self.quote}{body}{self.quote}"

    def _body(self, values: list[ast.expr], field: Field, is_spec: bool) -> str:
        return "".join(
            self._field(value, field)
            if isinstance(value, ast.FormattedValue)
            else self._text(str(getattr(value, "value", "")), is_spec)
            for value in values
        )

    def _text(self, text: str, is_spec: bool) -> str:
        if not self.has_escapes:
            self._check_raw(text, is_spec)
        elif not self.escapes_quote and self.quote in text:
            raise UnprintableError(text)
        escaped = _escaped(text) if self.has_escapes else text
        if self.escapes_quote:
            escaped = escaped.replace(self.quote[0], "\\" + self.quote[0])
        if is_spec:  # where Python does not read a doubled brace as one
            return escaped.replace("{", r"\x7b").replace("}", r"\x7d")
        return escaped.replace("{", "{{").replace("}", "}}")

    def _check_raw(self, text: str, is_spec: bool) -> None:
        is_multiline = "\n" in text and len(self.quote) == 1
        has_brace = is_spec and ("{" in text or "}" in text)
        if is_multiline or has_brace or any(stop in text for stop in (self.quote, "\\", "\r")):
            raise UnprintableError(text)

    def _field(self, value: ast.FormattedValue, field: Field) -> str:
        text = field(value.value, self.inner)
        if self.inner is not None:
            self._check_raw(text, is_spec=False)
        opening = "{ " if text.startswith("{") else "{"
        conversion = "" if value.conversion == -1 else "!" + chr(value.conversion)
        return opening + text + conversion + self._spec(value.format_spec, field) + "}"

    def _spec(self, spec: ast.expr | None, field: Field) -> str:
        if spec is None:
            return ""
        values = spec.values if isinstance(spec, ast.JoinedStr) else [spec]
        return ":" + self._body(list(_merged(values)), field, is_spec=True)
