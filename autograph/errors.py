"""What the compiler raises, and the one form that its messages have."""

from __future__ import annotations

from typing import NamedTuple

from runtime.places import place


class Location(NamedTuple):
    """A place in the user's file; columns count characters of `text` from 0, without the end."""

    filename: str
    line: int
    function: str | None = None
    text: str | None = None
    column: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        shown = place(self.filename, self.line)
        return f"{shown}, in `{self.function}`" if self.function else shown


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

    >>> import autograph as ag
    >>> issubclass(ag.UnsupportedSyntaxError, ag.AutographError)
    True
    """

    def __init__(self, what: str, *, location: Location | None = None, advice: str = "") -> None:
        super().__init__(format_message(what, location, advice))
        self.location = location


class ConversionError(AutographError):
    """A function cannot be converted.

    >>> import autograph as ag
    >>> def countdown(n):
    ...     yield n
    >>> try:
    ...     ag.convert(countdown)
    ... except ag.ConversionError as error:
    ...     print(error.location.line, error.location.function)
    1 countdown
    """


class UnsupportedSyntaxError(ConversionError):
    """The function uses syntax that cannot be converted: a generator, an `async def`.

    >>> import autograph as ag
    >>> async def fetch(x):
    ...     return x
    >>> try:
    ...     ag.convert(fetch)
    ... except ag.UnsupportedSyntaxError:
    ...     print("convert the functions that it calls")
    convert the functions that it calls
    """


class SourceUnavailableError(ConversionError):
    """The text of a function cannot be found: it was made by `exec` or at a plain prompt.

    >>> import autograph as ag
    >>> exec("def double(x): return x * 2")
    >>> try:
    ...     ag.convert(double)
    ... except ag.SourceUnavailableError:
    ...     double = ag.convert(ag.convert_source("def double(x): return x * 2").double)
    >>> double(2.0)
    4.0
    """


class DirectiveError(ConversionError):
    """A directive stands where it has no meaning, or has a wrong argument.

    >>> import autograph as ag
    >>> def f(x):
    ...     ag.directives.set_loop_options(maximum_iterations=3)
    ...     return x
    >>> try:
    ...     ag.convert(f)
    ... except ag.DirectiveError as error:
    ...     print(error.location.line)
    2
    """
