"""`numpy.nditer` as plain Python: one element of each operand at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["ArrayIterator"]


class ArrayIterator:
    """What `np.nditer` gives, of operands that lie in C order where the order is up to them."""

    def __init__(
        self,
        op: Any,
        flags: Any = None,
        op_flags: Any = None,
        op_dtypes: Any = None,
        order: str = "K",
        casting: str = "safe",
    ) -> None:
        given = list(op) if isinstance(op, (list, tuple)) else [op]
        self._count = len(given)
        self._flags = tuple(flags or ())
        self._op_flags = _flags_of_each(op_flags, given)
        known = [np.asarray(x) for x in given if x is not None]
        self._shape = np.broadcast_shapes(*[x.shape for x in known])
        self._columns_first = order == "F"
        dtypes = op_dtypes or [None] * self._count
        operands = []
        for x, dtype, said in zip(given, dtypes, self._op_flags, strict=False):
            if x is None:
                x = np.empty(self._shape, dtype or np.result_type(*known))
            x = np.asarray(x)
            if x.shape != self._shape and not _is_read_only(said):
                raise ValueError(
                    f"non-broadcastable operand with shape {_shown(x.shape)} doesn't match the "
                    f"broadcast shape {_shown(self._shape)}"
                )
            operands.append(x)
        self._operands = tuple(operands)
        self._size = math.prod(self._shape)
        self._position = 0
        self._is_begun = False
        self._is_closed = False
        if self._size == 0 and "zerosize_ok" not in self._flags:
            raise ValueError("Iteration of zero-sized operands is not enabled")

    # ---- where it is -----------------------------------------------------------------------------

    @property
    def finished(self) -> bool:
        self._check_is_open()
        return self._position >= self._size

    @property
    def iterindex(self) -> int:
        self._check_is_within()
        return self._position

    @iterindex.setter
    def iterindex(self, position: int) -> None:
        self._check_is_open()
        self._position = position
        self._is_begun = False

    @property
    def multi_index(self) -> tuple[int, ...]:
        if "multi_index" not in self._flags:
            raise ValueError("Iterator is not tracking a multi-index")
        self._check_is_within()
        return self._at()

    @multi_index.setter
    def multi_index(self, at: tuple[int, ...]) -> None:
        self.iterindex = _number(at, self._shape, self._columns_first)

    @property
    def index(self) -> int:
        if "c_index" not in self._flags and "f_index" not in self._flags:
            raise ValueError("Iterator does not have an index")
        self._check_is_within()
        return _number(self._at(), self._shape, "f_index" in self._flags)

    def reset(self) -> None:
        self.iterindex = 0

    def iternext(self) -> bool:
        self._check_is_open()
        if self._position < self._size:
            self._position += 1
        return self._position < self._size

    def _at(self) -> tuple[int, ...]:
        """The indices of the element."""
        number, found = self._position, []
        for size in self._shape if self._columns_first else self._shape[::-1]:
            found.append(number % size)
            number = number // size
        return tuple(found if self._columns_first else found[::-1])

    def _check_is_open(self) -> None:
        if self._is_closed:
            raise ValueError("Iterator is invalid")

    def _check_is_within(self) -> None:
        if self._is_closed or self._position >= self._size:
            raise ValueError("Iterator is past the end")

    # ---- what is there ---------------------------------------------------------------------------

    @property
    def operands(self) -> tuple[Any, ...]:
        self._check_is_open()
        return self._operands

    @property
    def value(self) -> Any:
        return self[0] if self._count == 1 else self[:]

    def __getitem__(self, key: Any) -> Any:
        self._check_is_within()
        if isinstance(key, slice):
            return tuple([self[k] for k in range(self._count)[key]])
        if not -self._count <= key < self._count:
            raise IndexError(f"Iterator operand index {key} is out of bounds")
        x = self._operands[key]
        at: Any = (*self._at(), ...)
        if _is_read_only(self._op_flags[key]):
            return np.broadcast_to(x, self._shape)[at]
        return x[at]

    def __setitem__(self, key: int, value: Any) -> None:
        self._check_is_within()
        if _is_read_only(self._op_flags[key]):
            raise RuntimeError(f"Iterator operand {key} is not writeable")
        at: Any = (*self._at(), ...)
        self._operands[key][at] = value

    def __iter__(self) -> Iterator[Any]:
        for position in range(self._position + self._is_begun, self._size):
            self._position = position
            self._is_begun = True
            yield self.value
        self._position = self._size

    def __next__(self) -> Any:
        if self._is_begun:
            self.iternext()
        self._is_begun = True
        if self.finished:
            raise StopIteration
        return self.value

    def __len__(self) -> int:
        self._check_is_open()
        return self._count

    # ---- its end ---------------------------------------------------------------------------------

    def __enter__(self) -> ArrayIterator:
        self._check_is_open()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._is_closed = True

    # ---- facts -----------------------------------------------------------------------------------

    @property
    def nop(self) -> int:
        self._check_is_open()
        return self._count

    @property
    def shape(self) -> tuple[int, ...]:
        self._check_is_within()
        return self._shape

    @property
    def itersize(self) -> int:
        self._check_is_open()
        return self._size

    @property
    def ndim(self) -> int:
        if "multi_index" not in self._flags:  # the axes are joined where they can be
            raise NotImplementedError("`ndim` of an iterator without a multi-index")
        return len(self._shape)

    @property
    def dtypes(self) -> tuple[Any, ...]:
        return tuple([x.dtype for x in self._operands])

    @property
    def has_multi_index(self) -> bool:
        return "multi_index" in self._flags

    @property
    def has_index(self) -> bool:
        return "c_index" in self._flags or "f_index" in self._flags


def _flags_of_each(op_flags: Any, given: list[Any]) -> list[Any]:
    """The flags of each operand, of which those of all may be given."""
    if op_flags is None:
        return [("readonly",) if x is not None else ("writeonly", "allocate") for x in given]
    if isinstance(op_flags[0], str):
        return [op_flags] * len(given)
    return list(op_flags)


def _is_read_only(flags: Any) -> bool:
    return "readwrite" not in flags and "writeonly" not in flags


def _number(at: tuple[int, ...], shape: tuple[int, ...], columns_first: bool) -> int:
    """The number of an element of these indices, in the order of rows or columns."""
    number = 0
    pairs = list(zip(at, shape, strict=False))
    for index, size in pairs[::-1] if columns_first else pairs:
        number = number * size + index
    return number


def _shown(shape: tuple[int, ...]) -> str:
    return "(" + ",".join([str(size) for size in shape]) + ")"
