"""The forms that an array has while a graph is lowered: what an element of it is.

An array need not be in memory. `Elements` are in registers, one for each element of a small array;
`Computed` arrays are computed where they are read, so that chains of operations become one loop;
`Stored` ones are in a buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from runtime.lowering.kernels.kernel import Buffer, Dim, load
from runtime.lowering.kernels.record import Record
from runtime.lowering.kernels.scalar import Expr, call, const, index

__all__ = [
    "Array",
    "Computed",
    "Elements",
    "Form",
    "Joined",
    "Rows",
    "Stored",
    "Turned",
    "Uniform",
    "as_expr",
    "flat_offset",
    "indices_of_flat",
    "is_memory",
    "stays_in_order",
    "turned",
    "uniform",
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


class Uniform(Computed):
    """An array all elements of which are one number."""

    number: Expr = index(0)


class Turned(Computed):
    """An array with its axes in another order than `base` has, which is in the order of memory.

    Its element at some indices is that of `base` at `indices[a]` for each `a` of `order`.
    """

    base: Stored | Elements | Computed = Stored(Buffer("nowhere", "i8", ()), (), "i8")
    order: tuple[int, ...] = ()


class Joined(Computed):
    """Arrays one after the other along an axis."""

    axis: int = 0
    parts: Sequence[Stored | Elements | Computed] = ()


Array: TypeAlias = Stored | Elements | Computed
# A scalar is its expression.
Form: TypeAlias = Expr | Array


def uniform(number: Expr, shape: Sequence[Dim]) -> Uniform:
    """An array of one number."""
    return Uniform(
        lambda indices: number,
        tuple(shape),
        number.type,
        lambda position: number,
        is_view=True,
        number=number,
    )


def is_memory(array: Array) -> bool:
    """Whether elements of an array are read from memory, and not computed."""
    return isinstance(array, Stored) or (isinstance(array, Computed) and array.is_view)


def stays_in_order(shape: Sequence[Dim], order: Sequence[int]) -> bool:
    """Whether elements follow each other as before when an array gets its axes in an order."""
    real = [a for a in order if shape[a] != 1]
    return real == sorted(real)


def turned(element: Callable[[Array, Indices], Expr], base: Array, order: Sequence[int]) -> Array:
    """An array that has the axes of `base` in places of its own; see `Turned`."""
    if list(order) == list(range(len(order))):
        return base
    shape: list[Dim] = [1] * len(order)
    for own, a in zip(base.shape, order, strict=True):
        shape[a] = own
    return Turned(
        lambda indices: element(base, [indices[a] for a in order]),
        tuple(shape),
        base.type,
        is_view=is_memory(base),
        depth=base.depth if isinstance(base, Computed) else 1,
        base=base,
        order=tuple(order),
    )


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
