"""Arguments of a function as text: specs (`f32[3,4]`), files (`x.npy`, `batch.npz`), Python values
(`3`).

A spec is a dtype and the size of each axis, `?` for an unknown size: the form in which graphs
print the types of their values, with short names for the dtypes.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from autograph.cli.failure import CommandError, suggestion

__all__ = ["Argument", "ArrayFile", "Literal", "Spec", "parse_argument", "parse_spec"]

DTYPES = {
    "bool": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}
_SPEC = re.compile(r"(?P<dtype>\w*)\s*\[(?P<dims>[^\[\]]*)\]")
_FILE = re.compile(r"(?P<path>.*\.np[yz])(?:(?<=z):(?P<key>.+))?", re.DOTALL)
_NAMED = re.compile(r"(?P<name>[^\W\d]\w*)\s*=(?!=)\s*(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Spec:
    """An array that is only described: a `None` in `shape` is an unknown size."""

    dtype: str
    shape: tuple[int | None, ...] | None


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """An array in a `.npy` file, or, in a `.npz` file, the one called `key` (None: all)."""

    path: Path
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Literal:
    """A Python value as written: a number, text, a list of them."""

    value: object


Value: TypeAlias = Spec | ArrayFile | Literal


@dataclass(frozen=True, slots=True)
class Argument:
    """One `--input`: by position when `name` is absent."""

    name: str | None
    value: Value


def parse_argument(text: str) -> Argument:
    """Reads `VALUE` or `NAME=VALUE`.

    >>> parse_argument("x=f32[3, ?]")
    Argument(name='x', value=Spec(dtype='float32', shape=(3, None)))
    """
    named = _NAMED.fullmatch(text.strip())
    if named is None:
        return Argument(None, _parse_value(text.strip()))
    return Argument(named["name"], _parse_value(named["value"]))


def parse_spec(text: str) -> Spec:
    """Reads a spec such as `f64[?,4]`, `i64[]` (rank 0) or `float32[...]` (unknown rank).

    Raises CommandError, with the text and what is wrong in it.
    """
    match = _SPEC.fullmatch(text.strip())
    if match is None:
        raise CommandError(
            f"{text!r} is not a spec; write a dtype and sizes such as f32[3,4], f64[?,4] or i64[]"
        )
    return Spec(_parse_dtype(match["dtype"], text), _parse_dims(match["dims"].strip(), text))


def _parse_value(text: str) -> Value:
    if text.endswith("]") and not text.startswith("["):
        return parse_spec(text)
    file = _FILE.fullmatch(text)
    if file is not None:
        return ArrayFile(Path(file["path"]), file["key"])
    try:
        return Literal(ast.literal_eval(text))
    except (ValueError, SyntaxError):
        raise CommandError(
            f"{text!r} is neither a spec such as f32[3,4], a .npy or .npz file nor a Python value"
        ) from None


def _parse_dtype(name: str, text: str) -> str:
    if name in DTYPES.values():
        return name
    if name not in DTYPES:
        hint = suggestion(name, [*DTYPES, *DTYPES.values()]) or f"; known are {', '.join(DTYPES)}"
        raise CommandError(f"{text!r}: unknown dtype {name!r}{hint}")
    return DTYPES[name]


def _parse_dims(dims: str, text: str) -> tuple[int | None, ...] | None:
    if dims == "...":
        return None
    if not dims:
        return ()
    return tuple(_parse_dim(dim.strip(), text) for dim in dims.split(","))


def _parse_dim(dim: str, text: str) -> int | None:
    if dim == "?":
        return None
    if not (dim.isascii() and dim.isdecimal()):
        raise CommandError(f"{text!r}: size {dim!r} is neither a number nor ? (unknown)")
    return int(dim)
