"""What a graph takes and gives, as the entry reads it: rows of words."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from runtime.dtypes import dtype_from

__all__ = ["ARRAY", "LARGE", "Argument", "Signature", "row"]

# Arrays of so many elements are made in memory that is kept when they are freed.
LARGE = 1 << 18

_WEAK = {"i8": 1, "f8": 2, "b1": 3}
_SCALAR, ARRAY, _GIVEN = 0, 4, 5
# Complex numbers, which a word does not hold: of NumPy, and of Python.
_COMPLEX, _WEAK_COMPLEX = 6, 7
_UNKNOWN = -1


class Argument(NamedTuple):
    """An argument or a result: machine type, whether Python's, sizes (None: a scalar).

    A result that `is_given` is an array that the kernel makes.
    """

    type: str
    weak: bool
    shape: tuple[int | None, ...] | None
    is_given: bool = False

    @property
    def kind(self) -> int:
        """How the entry takes or gives it."""
        if self.is_given:
            return _GIVEN
        if self.shape is not None:
            return ARRAY
        if self.type[0] == "c":
            return _WEAK_COMPLEX if self.weak else _COMPLEX
        return _WEAK[self.type] if self.weak else _SCALAR

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return dtype_from(self.type).itemsize

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape or ())

    @property
    def may_be_large(self) -> bool:
        """Whether it is an array that may have as many elements as a large one."""
        if self.shape is None:
            return False
        return None in self.shape or math.prod(n or 0 for n in self.shape) >= LARGE


class Signature(NamedTuple):
    """Arguments and results of a graph."""

    parameters: tuple[Argument, ...]
    results: tuple[Argument, ...]

    def words(self, overwritten: Collection[int] = ()) -> dict[str, Any]:
        """The words of the context that tell it; rows must be kept as long as it is used.

        Of parameters that are `overwritten`, the kernel must not get copies.
        """
        dtypes = [dtype_from(p.type) for p in self.parameters]
        parameters = [
            (p.kind, 0 if k in overwritten else id(dtype.type), id(dtype), p.size, p.rank)
            for k, (p, dtype) in enumerate(zip(self.parameters, dtypes, strict=True))
        ]
        results = [
            (r.kind, id(dtype_from(r.type)), dtype_from(r.type).num, r.rank) for r in self.results
        ]
        sizes = _sizes(self.parameters)
        return {
            "parameters": row(n for found in parameters for n in found),
            "parameters.sizes": row(sizes),
            "parameters.count": len(self.parameters),
            "sizes.count": sizes.count(_UNKNOWN),
            "results": row(n for found in results for n in found),
            "results.sizes": row(_sizes(self.results)),
            "results.count": len(self.results),
            "dims.count": len(_sizes(self.results)),
        }


def _sizes(arguments: Sequence[Argument]) -> list[int]:
    return [_UNKNOWN if n is None else n for a in arguments for n in a.shape or ()]


def row(numbers: Iterable[int]) -> ctypes.Array[ctypes.c_int64]:
    """Words in memory."""
    found = list(numbers)
    return (ctypes.c_int64 * max(len(found), 1))(*found)
