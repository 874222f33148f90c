"""Text and exceptions with holes: what is to be filled in with values when the graph runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from autograph.operators.variables import ld
from runtime.building import building
from runtime.errors import StagingError
from runtime.spec import WEAK_DTYPES
from runtime.tensor import Tensor

__all__ = ["Hole", "LazyString", "dig", "fill", "fstring", "has_traced", "percent", "shown"]


class Hole:
    """Takes the place of traced operand number `index`."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class LazyString:
    """A string whose text is known only when the graph runs.

    `parts` are literal strings and (value, conversion, format spec) triples as in an f-string.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts

    def __str__(self) -> str:
        return "".join(p if isinstance(p, str) else "{...}" for p in self.parts)

    def __add__(self, other: Any) -> Any:
        return LazyString((*self.parts, *_parts(other)))

    def __radd__(self, other: Any) -> Any:
        return LazyString((*_parts(other), *self.parts))


def _parts(x: Any) -> tuple[Any, ...]:
    if isinstance(x, LazyString):
        return x.parts
    if isinstance(x, str):
        return (x,)
    raise TypeError(f'can only concatenate str (not "{type(x).__name__}") to str')


def shown(x: Any) -> Any:
    """What stands in text for a value: for a tensor the array or number that it stands for."""
    if isinstance(x, Tensor) and x.is_known:
        return x._known("text")
    return x


def has_traced(part: Any) -> bool:
    """Whether some value in a nest is known only at run time."""
    return _has_traced(part, set())


def _has_traced(part: Any, around: set[int]) -> bool:
    """`around` are the containers that are being looked through: one may hold itself."""
    kind = type(part)
    if issubclass(kind, Tensor):
        return not part.is_known
    if kind is LazyString:
        return True
    if not issubclass(kind, tuple | list | dict) or id(part) in around:
        return False
    items = dict.values(part) if issubclass(kind, dict) else part
    return any(_has_traced(item, around | {id(part)}) for item in items)


def dig(part: Any, operands: list[Tensor]) -> Any:
    """`part` with holes for its traced values, which are appended to `operands`."""
    if isinstance(part, Tensor):
        if part.is_known:
            return shown(part)
        operands.append(part.current())
        return Hole(len(operands) - 1)
    if isinstance(part, LazyString):
        return LazyString(tuple(p if isinstance(p, str) else dig(p, operands) for p in part.parts))
    if type(part) in (tuple, list):
        return type(part)(dig(p, operands) for p in part)
    if type(part) is dict:
        return {k: dig(v, operands) for k, v in part.items()}
    return part


def fill(part: Any, operands: Sequence[Any]) -> Any:
    """`part` with the run-time values in its holes."""
    if isinstance(part, Hole):
        return operands[part.index]
    if isinstance(part, LazyString):
        return "".join(p if isinstance(p, str) else _format(*fill(p, operands)) for p in part.parts)
    if type(part) in (tuple, list):
        return type(part)(fill(p, operands) for p in part)
    if type(part) is dict:
        return {k: fill(v, operands) for k, v in part.items()}
    return part


_CONVERSIONS: dict[int, Callable[[Any], Any]] = {
    -1: lambda v: v,
    115: str,
    114: repr,
    97: ascii,
}
# The conversion of a piece that is formatted as `spec % value`.
_PERCENT = 37
_PERCENT_FIELD = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?[#0\- +]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[hlL]?(?P<kind>.)"
)


def _format(value: Any, conversion: int, spec: Any) -> str:
    if conversion == _PERCENT:
        return cast(str, spec % (value,))
    return format(_CONVERSIONS[conversion](value), spec or "")


def fstring(*parts: Any) -> Any:
    """An f-string of literal parts and (value, conversion, format spec) triples.

    Python meaning: the formatted text, a tensor shown as the array or number it stands for.
    Graph meaning: with a value that is known only at run time, text that is formatted there.
    """
    parts = tuple(p if isinstance(p, str) else (ld(p[0]), *p[1:]) for p in parts)
    if building() is not None and any(has_traced(p) for p in parts if not isinstance(p, str)):
        return LazyString(parts)
    return "".join(p if isinstance(p, str) else _format(shown(p[0]), p[1], p[2]) for p in parts)


def percent(text: Any, values: Any) -> Any:
    """`text % values`; formatted when the graph runs if a value is known only there."""
    text, values = ld(text), ld(values)
    if not isinstance(text, str) or building() is None or not has_traced(values):
        return text % _shown_all(values) if isinstance(text, str) else text % values
    given = iter(values if isinstance(values, tuple) else (values,))
    parts: list[Any] = []
    end = 0
    for field in _PERCENT_FIELD.finditer(text):
        if "*" in field[0]:
            raise StagingError(
                "a width or precision `*` stands in text that is known only when the graph runs",
                "write the width into the text, or use an f-string",
            )
        parts.append(text[end : field.start()])
        end = field.end()
        if field["kind"] == "%":
            parts.append("%")
            continue
        key, spec = field["key"], field[0]
        if key is not None:
            spec = spec.replace(f"({key})", "", 1)
        value = values[key] if key is not None else next(given, _MISSING)
        if value is _MISSING:
            raise TypeError("not enough arguments for format string")
        parts.append((value, _PERCENT, spec))
    if next(given, _MISSING) is not _MISSING and not isinstance(values, dict):
        raise TypeError("not all arguments converted during string formatting")
    return LazyString((*parts, text[end:]))


_MISSING = object()


def _shown_all(values: Any) -> Any:
    if type(values) is tuple:
        return tuple(map(shown, values))
    return shown(values)


def python_type_of(x: Tensor) -> type:
    """The Python or NumPy type of the scalar or array that a tensor stands for."""
    type_ = x.type
    if type_.weak:
        return next(k for k, d in WEAK_DTYPES.items() if d == type_.dtype)
    return np.ndarray if type_.rank != 0 else type_.dtype.type
