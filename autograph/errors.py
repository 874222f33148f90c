"""What the compiler raises, and the one form that its messages have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Location:
    """A place in the user's file; columns count characters of `text` from 0, without the end."""

    filename: str
    line: int
    function: str | None = None
    text: str | None = None
    column: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        place = f"{self.filename}:{self.line}"
        return f"{place}, in `{self.function}`" if self.function else place


def format_message(what: str, location: Location | None = None, advice: str = "") -> str:
    """Gives where, the source line with a caret, what and what to do, as far as they are known."""
    if location is None:
        return "\n".join(part for part in (what, advice) if part)
    parts = (f"{location}: {what}", _quoted_line(location), advice)
    return "\n".join(part for part in parts if part)


def _quoted_line(location: Location) -> str:
    if not location.text or not location.text.strip():
        return ""
    text = location.text.rstrip()
    number = f"{location.line:>6}"
    quoted = f"{number} | {text}"
    if location.column is None:
        return quoted
    return f"{quoted}\n{'':>{len(number)}} | {_caret(text, location.column, location.end_column)}"


def _caret(text: str, column: int, end_column: int | None) -> str:
    end = len(text) if end_column is None else min(end_column, len(text))
    margin = "".join("\t" if char == "\t" else " " for char in text[:column])
    return margin + "^" * max(end - column, 1)


class AutographError(Exception):
    """The base of what this package raises on its own account.

    Its text is made by `format_message`; `location` is the place in the user's file, if known.
    """

    def __init__(self, what: str, *, location: Location | None = None, advice: str = "") -> None:
        super().__init__(format_message(what, location, advice))
        self.location = location


class ConversionError(AutographError):
    """A function cannot be converted."""


class UnsupportedSyntaxError(ConversionError):
    """The function uses syntax that cannot be converted."""


class SourceUnavailableError(ConversionError):
    """The text of a function cannot be found."""


class DirectiveError(ConversionError):
    """A directive stands where it has no meaning, or has a wrong argument."""
