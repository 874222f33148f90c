"""Lowering of masks: the elements of an array where a mask holds, and their positions.

Each round writes what may be kept behind what was kept, and only then tells whether it is: the next
one writes over it if not. So no branch has to be foreseen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import Array, Form, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Assign, Buffer, Dim, Store, product, read
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, call, cast, index
from runtime.lowering.nodes.elements import tensor_type
from runtime.lowering.scalars.meaning import truth

__all__ = ["elements_at", "fitting", "is_mask", "nonzero", "positions", "whole_mask"]

# What each round may keep: its type, and its value at the indices of the round.
_What = tuple[str, Callable[[Sequence[Expr]], Expr]]


def nonzero(b: Builder, node: Node) -> list[Form]:
    """The positions along each axis of the elements that are not zero."""
    x = b.forms[node.inputs[0]]
    if isinstance(x, Expr):
        raise Refusal("positions in a number")
    b.owned.update(node.outputs)
    return list(positions(b, x))


def positions(b: Builder, mask: Array) -> list[Stored]:
    """The positions along each axis of the elements that are not zero."""
    return _kept(b, mask, [("i8", itemgetter(axis)) for axis in range(len(mask.shape))])


def elements_at(b: Builder, x: Array, mask: Array) -> Stored:
    """The elements of an array where a mask of its shape holds."""
    return _kept(b, fitting(b, mask, x.shape), [(x.type, lambda indices: b.at(x, indices))])[0]


def is_mask(value: Value) -> bool:
    """Whether an operand of an index is a mask."""
    return tensor_type(value.type).dtype.kind == "b"


def whole_mask(b: Builder, node: Node, values: Sequence[Value], rank: int) -> Array | None:
    """The mask that an index is, of as many axes as the array has; None where it is another."""
    entries = [entry for entry in node.attrs["index"] if entry != ("ellipsis",)]
    if entries != [("array",)] or not is_mask(values[0]):
        return None
    mask = b.forms[values[0]]
    return None if isinstance(mask, Expr) or len(mask.shape) != rank else mask


def fitting(b: Builder, mask: Array, shape: Sequence[Dim]) -> Array:
    """The mask, which must have as many elements along each axis as there are of a shape."""
    for own, size in zip(mask.shape, shape, strict=False):
        b.equal(own, size)
    return mask


def _kept(b: Builder, mask: Array, what: Sequence[_What]) -> list[Stored]:
    """For each of some values, those of the rounds in which a mask holds."""
    total = product(mask.shape)
    buffers = [b.buffer("kept", kind, (total,)) for kind, _ in what]
    count = b.cell("count", index(0))

    def write(indices: list[Expr]) -> None:
        values = [b.let(value(indices)) for _, value in what]
        is_kept = cast(b.let(truth(b.at(mask, indices))), "i8")
        behind = b.let(read(count))
        for buffer, value in zip(buffers, values, strict=True):
            b.emit(Store(buffer, behind, value))
        b.emit(Assign(count, call("add", behind, is_kept)))

    b.nest(mask.shape, write, serial=True)
    size = b.size_of_the_run(b.let(read(count)), total)
    b.counts.add(size)
    return [_shortened(buffer, total, size) for buffer in buffers]


def _shortened(buffer: Buffer, total: Dim, size: Dim) -> Stored:
    """An array that is as long as turned out, in memory for as many elements as there might be."""
    if buffer.role == "own" and buffer.room is None:
        buffer.room = total
    buffer.shape = (size,)
    return Stored(buffer, buffer.shape, buffer.type)
