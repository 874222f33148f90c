"""Types as text, as graphs print them: `float64[3, ?]`, `int`, `stack<float32[]>`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from runtime.dtypes import NARROW, dtype_from, is_narrow
from runtime.save.reading import Malformed
from runtime.spec import (
    WEAK_DTYPES,
    ErrorType,
    FrameType,
    StackType,
    TensorType,
    Type,
    VariableType,
)

__all__ = ["dtype_named", "dtype_text", "is_storable", "parse_type", "type_text"]

_CODES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
_BY_NAME: dict[str, np.dtype[Any]] = {}
for _code in _CODES:
    _native = np.dtype(_code)
    _BY_NAME.update({_native.name: _native, _native.str: _native})
    for _order in "<>":
        _BY_NAME[f"{_order}{_code}"] = np.dtype(f"{_order}{_code}")
_STORABLE = frozenset(_BY_NAME.values())
_WEAK = {kind.__name__: TensorType(dtype, (), weak=True) for kind, dtype in WEAK_DTYPES.items()}
_ARRAY = re.compile(r"([<>a-z0-9_]{1,20})\[([0-9?, .]*)\]", re.ASCII)
_DEEPEST = 32
_MOST_AXES = 64
_LARGEST_SIZE = 2**62


def is_storable(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of this dtype mean the same on every machine: bool and numbers do."""
    return dtype in _STORABLE or is_narrow(dtype)


def dtype_text(dtype: np.dtype[Any]) -> str:
    """The name of a dtype; with the order of its bytes where that is not the machine's.

    >>> dtype_text(np.dtype("f4"))
    'float32'
    """
    return dtype.name if dtype.isnative else dtype.str


def dtype_named(text: str) -> np.dtype[Any]:
    """The dtype of a name, out of a fixed list."""
    found = _BY_NAME.get(text)
    if found is None and text in NARROW:
        return dtype_from(text)
    if found is None:
        raise Malformed(f"there is no dtype {text[:20]!r}")
    return found


def type_text(type_: Type) -> str:
    """A type as text."""
    return str(type_)


def parse_type(text: str) -> Type:
    """The type that a text stands for.

    >>> parse_type("stack<float64[2, ?]>").element.shape
    (2, None)
    """
    return _parse(text, 0)


def _parse(text: str, depth: int) -> Type:
    if depth > _DEEPEST:
        raise Malformed("a type is nested too deeply")
    if text.startswith("stack<") and text.endswith(">"):
        return StackType(_parse(text[6:-1], depth + 1))
    if text.startswith("variable<") and text.endswith(">"):
        content = _parse(text[9:-1], _DEEPEST)
        if not isinstance(content, TensorType) or content.weak:
            raise Malformed(f"{text[:80]!r} is no type: a variable holds an array")
        return VariableType(content.dtype, content.shape)
    if text == str(ErrorType()):
        return ErrorType()
    if text == str(FrameType()):
        return FrameType()
    if text in _WEAK:
        return _WEAK[text]
    match = _ARRAY.fullmatch(text)
    if match is None:
        raise Malformed(f"{text[:80]!r} is no type, such as float64[3, ?]")
    return TensorType(dtype_named(match[1]), _shape(match[2]))


def _shape(text: str) -> tuple[int | None, ...] | None:
    if text == "...":
        return None
    sizes = [part.strip() for part in text.split(",")] if text else []
    if len(sizes) > _MOST_AXES or not all(n == "?" or n.isdecimal() for n in sizes):
        raise Malformed(f"[{text[:80]}] is no shape")
    found = tuple(None if n == "?" else int(n[:20]) for n in sizes)
    if any(n is not None and n > _LARGEST_SIZE for n in found):
        raise Malformed(f"[{text[:80]}] is no shape: a size is too large")
    return found
