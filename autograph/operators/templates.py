"""Text and exceptions with holes: what is to be filled in with values when the graph runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograph.operators.variables import ld
from runtime.spec import WEAK_DTYPES
from runtime.tensor import Tensor

__all__ = ["Hole", "LazyString", "dig", "fill", "fstring", "has_traced", "shown"]


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
    if isinstance(part, Tensor):
        return not part.is_known
    if isinstance(part, LazyString):
        return True
    if isinstance(part, (tuple, list)):
        return any(map(has_traced, part))
    if isinstance(part, dict):
        return any(map(has_traced, part.values()))
    return False


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
        return "".join(
            p if isinstance(p, str) else _format(*fill(p, operands)) for p in part.parts
        )
    if type(part) in (tuple, list):
        return type(part)(fill(p, operands) for p in part)
    if type(part) is dict:
        return {k: fill(v, operands) for k, v in part.items()}
    return part


_CONVERSIONS = {-1: lambda v: v, 115: str, 114: repr, 97: ascii}


def _format(value: Any, conversion: int, spec: Any) -> str:
    return format(_CONVERSIONS[conversion](value), spec or "")


def fstring(*parts: Any) -> Any:
    """An f-string of literal parts and (value, conversion, format spec) triples.

    Python meaning: the formatted text, a tensor shown as the array or number it stands for.
    Graph meaning: with a value that is known only at run time, text that is formatted there.
    """
    parts = tuple(p if isinstance(p, str) else (ld(p[0]), *p[1:]) for p in parts)
    if any(has_traced(p) for p in parts if not isinstance(p, str)):
        return LazyString(parts)
    return "".join(
        p if isinstance(p, str) else _format(shown(p[0]), p[1], p[2]) for p in parts
    )


def python_type_of(x: Tensor) -> type:
    """The Python or NumPy type of the scalar or array that a tensor stands for."""
    type_ = x.type
    if type_.weak:
        return next(k for k, d in WEAK_DTYPES.items() if d == type_.dtype)
    return np.ndarray if type_.rank != 0 else type_.dtype.type
