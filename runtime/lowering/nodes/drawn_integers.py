"""Lowering of draws of integers between bounds, which are refused where some would be likelier."""

from __future__ import annotations

from runtime.graph.ir import Node
from runtime.lowering.kernels.arrays import Form
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import Assign, Block, While, read
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, both, call, cast, const, is_int, limits, select
from runtime.lowering.nodes.call_outs import fails
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.random_bits import Bits, blocks_of, filled, halves, number
from runtime.lowering.nodes.shaping import given_shape
from runtime.lowering.scalars.division import whole
from runtime.lowering.scalars.formulas import Scalar
from runtime.ops.random.draws import ATTEMPTS, width_of

__all__ = ["integers"]


def integers(b: Builder, node: Node) -> list[Form]:
    """Integers between two numbers; what would be more likely than others is drawn again."""
    low, high = (number(b, value) for value in node.inputs[2:4])
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    _check_bounds(b, node, low, high, kind)
    bottom = b.let(cast(low, "u8"))
    count = call("sub", cast(high, "u8"), bottom)
    if node.attrs["endpoint"]:
        count = call("add", count, const(1, "u8"))
    if low.function == high.function == "const":
        count = const((high.value - low.value + node.attrs["endpoint"]) % 2**64, "u8")
    shape = given_shape(b, node, node.inputs[4:])
    width = width_of(node.attrs["dtype"])
    below = _Below(b, b.let(count), width)

    def make(bits: Bits) -> Expr:
        return cast(call("add", below.one(bits), bottom), kind)

    blocks = blocks_of(b, node)
    return [filled(b, blocks, shape, width, kind, make, serial=not below.is_certain)]


def _check_bounds(b: Builder, node: Node, low: Expr, high: Expr, kind: str) -> None:
    """Fail where there is no integer, or not all of them have the dtype."""
    if not (is_int(low.type) and low.type == high.type):
        raise Refusal("draws between numbers of two types")
    least, most = limits(kind)
    first, last = limits(low.type)
    most = min(most if node.attrs["endpoint"] else most + 1, last)
    wrong = [
        call("gt" if node.attrs["endpoint"] else "ge", low, high),
        call("lt", low, const(max(least, first), low.type)),
        call("gt", high, const(most, low.type)),
    ]
    fail = fails(b, node)
    for condition in wrong:
        fail(condition)


class _Below:
    """Integers below a count, of 32 or 64 bits each; 0 stands for 2**64."""

    def __init__(self, b: Builder, count: Expr, width: int) -> None:
        self.b, self.count, self.width = b, count, width
        self.threshold = b.let(self._threshold())

    def _threshold(self) -> Expr:
        """Products whose lower part is less are refused."""
        n = self.count
        if n.function == "const":
            wrap = 1 << self.width
            return const((wrap - n.value) % n.value if n.value else 0, "u8")
        range_ = const(1 << 32, "u8") if self.width == 32 else call("sub", const(0, "u8"), n)
        return whole(range_, n)[1]

    def scaled(self, bits: Scalar) -> tuple[Expr, Expr]:
        """The upper part of the product of bits and count, and the lower one."""
        n = Scalar(self.count)
        if self.width == 32:
            made = Scalar(self.b.let((bits * n).expr))
            return (made >> 32).expr, (made & 0xFFFFFFFF).expr
        (a0, a1), (b0, b1) = halves(bits), halves(n)
        low, middle = a0 * b0, a1 * b0
        cross = (low >> 32) + (middle & 0xFFFFFFFF) + a0 * b1
        high = a1 * b1 + (middle >> 32) + (cross >> 32)
        is_all = call("eq", self.count, const(0, "u8"))
        return select(is_all, bits.expr, high.expr), (bits * n).expr

    @property
    def is_certain(self) -> bool:
        """Whether none is refused."""
        return self.threshold.function == "const" and self.threshold.value == 0

    def one(self, bits: Bits) -> Expr:
        """An integer of the bits of an attempt, the first of which is number 0."""
        b = self.b
        high, low = self.scaled(bits(0))
        if self.is_certain:
            return b.let(high)
        chosen, rest = b.cell("chosen", high), b.cell("rest", low)
        attempt = b.cell("attempt", const(0, "u8"))
        again: Block = []
        with b.within(again):
            following = b.let(call("add", read(attempt), const(1, "u8")))
            high, low = self.scaled(bits(Scalar(following)))
            for cell, value in ((chosen, high), (rest, low), (attempt, following)):
                b.emit(Assign(cell, value))
        is_refused = call("lt", read(rest), self.threshold)
        is_allowed = call("lt", read(attempt), const(ATTEMPTS - 1, "u8"))
        b.emit(While([], both(is_refused, is_allowed), again))
        return b.let(read(chosen))
