"""`str.format`: fields whose values, or parts of them, may be known only when the graph runs."""

from __future__ import annotations

import re
import string
from _string import formatter_field_name_split  # type: ignore[import-not-found]
from collections.abc import Iterator
from typing import Any

from autograph.operators.captured.settings import guard_print_options
from autograph.operators.expressions.access import getitem
from autograph.operators.expressions.attributes import getattr_
from autograph.operators.results.expanding import shown_in_text
from autograph.operators.values.runs import holds_runs
from autograph.operators.values.templates import is_late, lazy, shown
from runtime.structure.templates import format_part

__all__ = ["format_method"]


def format_method(text: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`text.format(*args, **kwargs)`."""
    if not is_late((args, kwargs)) and not holds_runs((args, kwargs)):
        guard_print_options((args, kwargs))
        return text.format(*map(shown, args), **{k: shown(v) for k, v in kwargs.items()})
    return lazy(tuple(_Fields(args, kwargs).parts(text)))


class _Fields:
    """The fields of a text that `str.format` fills, also those in format specs."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._args, self._kwargs = args, kwargs
        # How many fields without a name there were; whether some have a number.
        self._count, self._is_numbered = 0, False

    def parts(self, text: str) -> Iterator[Any]:
        """Literal parts, and values with conversion and format spec."""
        for literal, field, spec, conversion in string.Formatter().parse(text):
            if literal:
                yield literal
            if field is not None:
                value = self._value(field)
                yield (
                    shown_in_text(value),
                    ord(conversion) if conversion else -1,
                    self._spec(spec or ""),
                )

    def _spec(self, spec: str) -> Any:
        if "{" not in spec:
            return spec or None
        parts = [*self.parts(spec)]
        if any(is_late(part) for part in parts if not isinstance(part, str)):
            return lazy(tuple(parts))
        return "".join(x if isinstance(x, str) else format_part(shown(x[0]), *x[1:]) for x in parts)

    def _value(self, field: str) -> Any:
        name = re.split(r"[.\[]", field, maxsplit=1)[0]
        if name == "" or name.isdecimal():
            now = "automatic field numbering" if name == "" else "manual field specification"
            before = "manual field specification" if name == "" else "automatic field numbering"
            if self._is_numbered if name == "" else self._count:
                raise ValueError(f"cannot switch from {before} to {now}")
            self._is_numbered = name != ""
            index = int(name or self._count)
            self._count += name == ""
            if index >= len(self._args):
                text = f"Replacement index {index} out of range for positional args tuple"
                raise IndexError(text)
            field = f"{index}{field[len(name) :]}"
        first, rest = formatter_field_name_split(field)
        value = getitem(self._kwargs if isinstance(first, str) else self._args, first)
        for is_attribute, key in rest:
            value = (getattr_ if is_attribute else getitem)(value, key)
        return value
