"""The forms that an array has while a graph is lowered: what an element of it is.

An array need not be in memory. `Elements` are in registers, one for each element of a small array;
`Computed` arrays are computed where they are read, so that chains of operations become one loop;
`Stored` ones are in a buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from runtime.lowering.kernel import Buffer, Dim, load
from runtime.lowering.record import Record
from runtime.lowering.scalar import Expr, call, const, index

__all__ = [
    "Array",
    "Computed",
    "Elements",
    "Form",
    "Rows",
    "Stored",
    "as_expr",
    "flat_offset",
    "indices_of_flat",
]

Indices: TypeAlias = Sequence[Expr]


class Stored(Record):
    """An array in a buffer."""

    buffer: Buffer
    shape: tuple[Dim, ...]
    type: str

    def at(self, indices: Indices) -> Expr:
        """The element at an index of each axis."""
        return load(self.buffer, flat_offset(indices, self.shape))


class Elements(Record):
    """A small array whose elements are in registers."""

    values: list[Expr]
    shape: tuple[int, ...]
    type: str

    def at(self, indices: Indices) -> Expr:
        """The element at constant indices; any number for places that do not exist."""
        position = 0
        for i, size in zip(indices, self.shape, strict=True):
            assert i.function == "const"
            position = position * size + i.value
        # A place outside was checked for before: what is read of it is not used.
        return self.values[position] if position < len(self.values) else const(0, self.type)


class Computed(Record):
    """An array whose elements are computed when they are asked for.

    `flat`, if it is not None, gives the element at a position in the order of memory: it is for
    positions that follow each other, so its loads do, too. One that `is_view` only finds elements
    of an array in memory: nothing is gained by storing it.
    """

    element: Callable[[Indices], Expr]
    shape: tuple[Dim, ...]
    type: str
    flat: Callable[[Expr], Expr] | None = None
    is_view: bool = False
    # How many of its kind are computed one out of the other.
    depth: int = 1

    def at(self, indices: Indices) -> Expr:
        """The element at an index of each axis."""
        return self.element(indices)


class Rows(Computed):
    """The rows from a first one on in a piece of memory that grows."""

    buffer: Buffer = Buffer("nowhere", "i8", ())
    first: Expr = index(0)
    count: Expr = index(0)


Array: TypeAlias = Stored | Elements | Computed
# A scalar is its expression.
Form: TypeAlias = Expr | Array


def as_expr(size: Dim) -> Expr:
    """A size as an expression."""
    return index(size) if isinstance(size, int) else size


def flat_offset(indices: Indices, shape: Sequence[Dim]) -> Expr:
    """The position in the order of memory of an element."""
    offset: Expr | None = None
    for i, size in zip(indices, shape, strict=True):
        if offset is None or _is_zero(offset):
            offset = i
        elif offset.function == "const" and i.function == "const" and isinstance(size, int):
            offset = index(offset.value * size + i.value)
        else:
            offset = call("mul", offset, as_expr(size))
            offset = offset if _is_zero(i) else call("add", offset, i)
    return index(0) if offset is None else offset


def _is_zero(x: Expr) -> bool:
    return x.function == "const" and x.value == 0


def indices_of_flat(position: int, shape: Sequence[int]) -> list[Expr]:
    """The constant index of each axis of the element at a position."""
    indices = []
    for size in reversed(shape):
        indices.append(index(position % size))
        position //= size
    return indices[::-1]
