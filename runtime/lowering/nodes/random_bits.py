"""Random bits: blocks by number, and arrays each element of which has its own bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import Elements, Form, Stored
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Dim, Store, product
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, call, cast, index, select
from runtime.lowering.scalars.formulas import Scalar
from runtime.ops.random.philox import DRAW, ROUNDS, after_round, next_key, pairs

__all__ = ["Bits", "Blocks", "blocks_of", "filled", "halves", "number"]

# Bits of a block.
_BLOCK = 128
# The bits of an element by the attempt, the first of which is number 0.
Bits: TypeAlias = Callable[[Any], Scalar]


def halves(x: Scalar) -> tuple[Scalar, Scalar]:
    """The lower 32 bits, and the others."""
    return x & 0xFFFFFFFF, x >> 32


def number(b: Builder, value: Value) -> Expr:
    """An operand that is no array."""
    form = b.forms[value]
    if not isinstance(form, Expr):
        raise Refusal("an array where a draw takes a number")
    return form


def blocks_of(b: Builder, node: Node) -> Blocks:
    """The blocks from the counter on that a draw is given behind its key."""
    key, counter = (number(b, value) for value in node.inputs[:2])
    return Blocks(b, key, counter)


class Blocks:
    """The blocks of bits from a counter on."""

    def __init__(self, b: Builder, key: Expr, counter: Expr, purpose: int = DRAW) -> None:
        self.b, self.counter, self.purpose = b, counter, purpose
        self.keys = [self._let(halves(Scalar(key)))]
        while len(self.keys) < ROUNDS:
            self.keys.append(self._let(next_key(self.keys[-1])))

    def parts(self, number: Expr, width: int, attempt: Any = 0) -> list[Scalar]:
        """The bits of the elements that a block has, the first block being number 0."""
        at = Scalar(self.b.let(call("add", cast(number, "u8"), self.counter)))
        block = *halves(at), attempt, self.purpose
        for key in self.keys:
            block = self._let(after_round(block, key))
        return list(block if width == 32 else pairs(block))

    def _let(self, words: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(Scalar(self.b.let(w.expr)) if isinstance(w, Scalar) else w for w in words)

    def of_elements(self, block: Expr, width: int) -> list[Bits]:
        """The bits of each element of a block; those of later attempts where they are asked for."""
        first = self.parts(block, width)

        def of_element(k: int) -> Bits:
            return lambda n: self.parts(block, width, n)[k] if isinstance(n, Scalar) else first[k]

        return list(map(of_element, range(len(first))))

    def of_element(self, position: Expr, width: int) -> Bits:
        """The bits of one element, of a block that is made for it alone."""
        steps = (_BLOCK // width).bit_length() - 1

        def bits(attempt: Any) -> Scalar:
            parts, bit = self.parts(call("lshr", position, index(steps)), width, attempt), steps
            while len(parts) > 1:
                bit -= 1
                is_later = call("ne", call("and", position, index(1 << bit)), index(0))
                half = len(parts) // 2
                both = zip(parts[:half], parts[half:], strict=True)
                parts = [Scalar(select(is_later, late.expr, soon.expr)) for soon, late in both]
            return parts[0]

        return bits


def filled(
    b: Builder,
    blocks: Blocks,
    shape: Sequence[Dim],
    width: int,
    kind: str,
    make: Callable[[Bits], Expr],
    serial: bool = False,
) -> Form:
    """An array, or a number, of what is made of the bits of each element.

    `serial`: that writes statements which vectors are not made of.
    """
    count, per_block = product(shape), _BLOCK // width
    small = Elements([], tuple(n for n in shape if isinstance(n, int)), kind)
    if isinstance(count, int) and (not shape or b.is_written_out(small)):
        with b.loop_body(b.block):
            small.values += _written_out(b, blocks, count, width, make)
        return small if shape else small.values[0]
    buffer = b.buffer("drawn", kind, shape)

    def write(block: Expr, there: int = per_block) -> None:
        first = call("mul", block, index(per_block))
        for k, bits in enumerate(blocks.of_elements(block, width)[:there]):
            b.emit(Store(buffer, call("add", first, index(k)) if k else first, make(bits)))

    def write_one(i: list[Expr]) -> None:
        b.emit(Store(buffer, i[0], make(blocks.of_element(i[0], width))))

    if not isinstance(count, int):
        b.nest([count], write_one, serial)
        return Stored(buffer, tuple(shape), kind)
    if count >= per_block:
        b.nest([count // per_block], lambda i: write(i[0]), serial)
    if count % per_block:
        with b.loop_body(b.block):
            write(index(count // per_block), count % per_block)
    return Stored(buffer, tuple(shape), kind)


def _written_out(
    b: Builder, blocks: Blocks, count: int, width: int, make: Callable[[Bits], Expr]
) -> list[Expr]:
    """The elements in registers."""
    numbers = range(-(-count // (_BLOCK // width)))
    found = [bits for k in numbers for bits in blocks.of_elements(index(k), width)]
    return [b.let(make(bits)) for bits in found[:count]]
