"""Lowering of draws: functions of a key and a counter, each element of its own bits.

The formulas are those of the ops, read as expressions. A loop goes over the blocks of bits, and
writes the elements of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import (
    Array,
    Computed,
    Elements,
    Form,
    Stored,
    as_expr,
    flat_offset,
)
from runtime.lowering.kernels.builder import Builder
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Buffer,
    Dim,
    Store,
    While,
    load,
    product,
    read,
)
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import (
    FALSE,
    Expr,
    both,
    call,
    cast,
    const,
    either,
    index,
    invert,
    is_float,
    is_int,
    limits,
    select,
)
from runtime.lowering.nodes.call_outs import fails
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.lowering.nodes.elementwise import mapped
from runtime.lowering.nodes.shaping import given_shape, given_size
from runtime.lowering.scalars.division import whole
from runtime.lowering.scalars.formulas import Formulas, Scalar, next_after
from runtime.ops.distributions import exponential, standard_normal, truncated_normal
from runtime.ops.philox import DRAW, FOLD, ROUNDS, SPLIT, after_round, next_key, pairs
from runtime.ops.random import ATTEMPTS, low_bits, unit, width_of

__all__ = [
    "ELEMENTS_OF_BITS",
    "advance",
    "below",
    "bernoulli",
    "draw",
    "fold",
    "integers",
    "permutation",
    "split",
]

_Make = Callable[[Scalar], Any]
# What an element is of its bits, by the name of the op.
ELEMENTS_OF_BITS: dict[str, Callable[..., Any]] = {
    "random_bits": low_bits,
    "random_uniform": unit,
    "random_normal": standard_normal,
    "random_truncated_normal": truncated_normal,
    "random_exponential": exponential,
}


class _Blocks:
    """The blocks of bits from a counter on."""

    def __init__(self, b: Builder, key: Expr, counter: Expr, purpose: int = DRAW) -> None:
        self.b, self.counter, self.purpose = b, counter, purpose
        self.keys = [self._let(_halves(Scalar(key)))]
        while len(self.keys) < ROUNDS:
            self.keys.append(self._let(next_key(self.keys[-1])))

    def parts(self, number: Expr, width: int, attempt: Any = 0) -> list[Scalar]:
        """The bits of the elements that a block has, the first block being number 0."""
        at = Scalar(self.b.let(call("add", cast(number, "u8"), self.counter)))
        block = *_halves(at), attempt, self.purpose
        for key in self.keys:
            block = self._let(after_round(block, key))
        return list(block if width == 32 else pairs(block))

    def _let(self, words: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(Scalar(self.b.let(w.expr)) if isinstance(w, Scalar) else w for w in words)


def _halves(x: Scalar) -> tuple[Scalar, Scalar]:
    return x & 0xFFFFFFFF, x >> 32


def _blocks(b: Builder, node: Node) -> _Blocks:
    return _Blocks(b, *(_number(b, value) for value in node.inputs[:2]))


def _number(b: Builder, value: Value) -> Expr:
    form = b.forms[value]
    if not isinstance(form, Expr):
        raise Refusal("an array where a draw takes a number")
    return form


def advance(b: Builder, node: Node) -> list[Form]:
    """The key of a state, the number of the next block, and the state behind a draw."""
    state = b.forms[node.inputs[0]]
    assert not isinstance(state, Expr)
    count = as_expr(product(given_shape(b, node, node.inputs[1:])))
    key, first = (b.let(b.at(state, [index(k)])) for k in range(2))
    bits = call("add", call("mul", count, index(node.attrs["width"])), index(127))
    behind = call("add", first, cast(call("lshr", bits, index(7)), "u8"))
    return [key, first, Elements([key, b.let(behind)], (2,), "u8")]


# ---- elements of bits ----------------------------------------------------------------------------


def draw(b: Builder, node: Node) -> list[Form]:
    """A draw each element of which is a formula of its bits."""
    attrs = {name: value for name, value in node.attrs.items() if name != "shape"}
    make = partial(ELEMENTS_OF_BITS[node.op.name], Formulas, **attrs)
    shape = given_shape(b, node, node.inputs[2:])
    return [_drawn(b, node, shape, width_of(attrs["dtype"]), make)]


def _drawn(b: Builder, node: Node, shape: Sequence[Dim], width: int, make: _Make) -> Form:
    """The array, or the number, of what is made of bits."""
    blocks = _blocks(b, node)
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    return _filled(b, blocks, shape, width, kind, lambda bits: cast(make(bits).expr, kind))


def _filled(
    b: Builder,
    blocks: _Blocks,
    shape: Sequence[Dim],
    width: int,
    kind: str,
    make: Callable[[Scalar], Expr],
) -> Form:
    if not shape:
        return make(blocks.parts(index(0), width)[0])
    count, per_block = product(shape), 128 // width
    if isinstance(count, int) and b.is_written_out(Elements([], _known(shape), kind)):
        numbers = range(-(-count // per_block))
        bits = [part for k in numbers for part in blocks.parts(index(k), width)]
        return Elements([b.let(make(part)) for part in bits[:count]], _known(shape), kind)
    buffer = b.buffer("drawn", kind, shape)
    if not isinstance(count, int):
        b.nest([count], lambda i: b.emit(Store(buffer, i[0], make(_part(b, blocks, i[0], width)))))
        return Stored(buffer, tuple(shape), kind)

    def write(block: Expr, there: int = per_block) -> None:
        first = call("mul", block, index(per_block))
        for k, part in enumerate(blocks.parts(block, width)[:there]):
            b.emit(Store(buffer, call("add", first, index(k)) if k else first, make(part)))

    if count >= per_block:
        b.nest([count // per_block], lambda i: write(i[0]))
    if count % per_block:
        write(index(count // per_block), count % per_block)
    return Stored(buffer, tuple(shape), kind)


def _known(shape: Sequence[Dim]) -> tuple[int, ...]:
    return tuple(n for n in shape if isinstance(n, int))


def _part(b: Builder, blocks: _Blocks, position: Expr, width: int, attempt: Any = 0) -> Scalar:
    """The bits of one element, of a block that is made for it alone."""
    steps = (128 // width).bit_length() - 1
    parts = blocks.parts(call("lshr", position, index(steps)), width, attempt)
    while len(parts) > 1:
        steps -= 1
        is_later = call("ne", call("and", position, index(1 << steps)), index(0))
        half = len(parts) // 2
        pairs_of_parts = zip(parts[:half], parts[half:], strict=True)
        parts = [Scalar(select(is_later, late.expr, soon.expr)) for soon, late in pairs_of_parts]
    return parts[0]


def bernoulli(b: Builder, node: Node) -> list[Form]:
    """Whether uniform numbers are below probabilities."""
    p, dims = b.forms[node.inputs[2]], node.inputs[3:]
    shape = given_shape(b, node, dims)
    number = partial(unit, Formulas, dtype=np.dtype(np.float64))
    _check_probabilities(b, node, p)
    if isinstance(p, Expr):
        limit = Scalar(b.let(cast(p, "f8")))
        return [_drawn(b, node, shape, 64, lambda bits: number(bits) < limit)]
    drawn = _filled(b, _blocks(b, node), shape, 64, "f8", lambda bits: number(bits).expr)

    def compute(args: Sequence[Expr]) -> Expr:
        return call("lt", args[0], cast(args[1], "f8"))

    return [mapped(b, [drawn, p], "b1", compute)]


def _check_probabilities(b: Builder, node: Node, p: Form) -> None:
    """Fail where one is not within 0 and 1."""

    def is_wrong(x: Expr) -> Expr:
        x = cast(x, "f8")
        return invert(both(call("ge", x, const(0.0, "f8")), call("le", x, const(1.0, "f8"))))

    _fail_where(b, node, p, is_wrong)


def _fail_where(b: Builder, node: Node, form: Form, is_wrong: Callable[[Expr], Expr]) -> None:
    """Fail where that holds for any element."""
    if isinstance(form, Expr):
        fails(b, node)(is_wrong(form))
        return
    found = b.cell("wrong", FALSE)

    def look(indices: list[Expr]) -> None:
        b.emit(Assign(found, either(read(found), is_wrong(b.at(form, indices)))))

    b.nest(form.shape, look, serial=True)
    fails(b, node)(b.let(read(found)))


def below(b: Builder, node: Node) -> list[Form]:
    """What rounding made the upper bound is the number before it."""
    operands = [b.forms[value] for value in node.inputs]
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    if not is_float(kind):
        raise Refusal(f"draws of {kind}")

    def compute(args: Sequence[Expr]) -> Expr:
        x, low, high = (cast(arg, kind) for arg in args)
        return select(call("eq", x, high), next_after(high, low), x)

    numbers = [x for x in operands if isinstance(x, Expr)]
    if len(numbers) == len(operands):
        return [compute(numbers)]
    return [mapped(b, operands, kind, compute)]


# ---- keys ----------------------------------------------------------------------------------------


def fold(b: Builder, node: Node) -> list[Form]:
    """A key that depends on a key and a number."""
    key, data = (_number(b, value) for value in node.inputs)
    return [_Blocks(b, key, cast(data, "u8"), FOLD).parts(index(0), 64)[0].expr]


def split(b: Builder, node: Node) -> list[Form]:
    """Keys that depend on a key, one of each block."""
    shape = given_shape(b, node, node.inputs[1:])
    blocks = _Blocks(b, _number(b, node.inputs[0]), const(0, "u8"), SPLIT)

    def at(position: Expr) -> Expr:
        return blocks.parts(position, 64)[0].expr

    if not shape:
        return [at(index(0))]
    return [Computed(lambda indices: at(flat_offset(indices, shape)), shape, "u8", at)]


# ---- integers ------------------------------------------------------------------------------------


def integers(b: Builder, node: Node) -> list[Form]:
    """Integers between two numbers; what would be more likely than others is drawn again."""
    low, high = (_number(b, value) for value in node.inputs[2:4])
    kind = machine_type(tensor_type(node.outputs[0].type).dtype)
    _check_bounds(b, node, low, high, kind)
    bottom = b.let(cast(low, "u8"))
    count = call("sub", cast(high, "u8"), bottom)
    if node.attrs["endpoint"]:
        count = call("add", count, const(1, "u8"))
    if low.function == high.function == "const":
        count = const((high.value - low.value + node.attrs["endpoint"]) % 2**64, "u8")
    shape = given_shape(b, node, node.inputs[4:])
    made = _Below(b, _blocks(b, node), b.let(count), width_of(node.attrs["dtype"]))
    return [made.array(shape, kind, lambda found: cast(call("add", found, bottom), kind))]


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

    def __init__(self, b: Builder, blocks: _Blocks, count: Expr, width: int) -> None:
        self.b, self.blocks, self.count, self.width = b, blocks, count, width
        self.threshold = b.let(self._threshold())

    def _threshold(self) -> Expr:
        """Products whose lower part is less are refused."""
        n = self.count
        if n.function == "const":
            wrap = 1 << self.width
            return const((wrap - n.value) % n.value if n.value else 0, "u8")
        wrap = const(1 << 32 if self.width == 32 else 0, "u8")
        return whole(wrap if self.width == 32 else call("sub", wrap, n), n)[1]

    def scaled(self, bits: Scalar) -> tuple[Expr, Expr]:
        """The upper part of the product of bits and count, and the lower one."""
        n = Scalar(self.count)
        if self.width == 32:
            product_ = Scalar(self.b.let((bits * n).expr))
            return (product_ >> 32).expr, (product_ & 0xFFFFFFFF).expr
        (a0, a1), (b0, b1) = _halves(bits), _halves(n)
        low, middle = a0 * b0, a1 * b0
        cross = (low >> 32) + (middle & 0xFFFFFFFF) + a0 * b1
        high = a1 * b1 + (middle >> 32) + (cross >> 32)
        is_all = call("eq", self.count, const(0, "u8"))
        return select(is_all, bits.expr, high.expr), (bits * n).expr

    def array(self, shape: Sequence[Dim], kind: str, make: Callable[[Expr], Expr]) -> Form:
        """An array of what is made of them."""
        b, width = self.b, self.width
        if not shape:
            with b.loop_body(b.block):
                return make(self._one(lambda attempt: self._parts(index(0), attempt)[0]))
        count, per_block = product(shape), 128 // width
        buffer = b.buffer("drawn", kind, shape)

        def write(block: Expr, there: int = per_block) -> None:
            first = call("mul", block, index(per_block))
            parts = self._parts(block)
            for k in range(there):
                found = self._one(lambda n, k=k: self._parts(block, n)[k] if n else parts[k])
                b.emit(Store(buffer, call("add", first, index(k)), make(found)))

        def write_one(i: list[Expr]) -> None:
            found = self._one(lambda attempt: _part(b, self.blocks, i[0], width, attempt))
            b.emit(Store(buffer, i[0], make(found)))

        if not isinstance(count, int):
            b.nest([count], write_one, serial=not self._is_certain)
            return Stored(buffer, tuple(shape), kind)
        if count >= per_block:
            b.nest([count // per_block], lambda i: write(i[0]), serial=not self._is_certain)
        if count % per_block:
            with b.loop_body(b.block):
                write(index(count // per_block), count % per_block)
        return Stored(buffer, tuple(shape), kind)

    @property
    def _is_certain(self) -> bool:
        """Whether none is refused."""
        return self.threshold.function == "const" and self.threshold.value == 0

    def _parts(self, block: Expr, attempt: Any = 0) -> list[Scalar]:
        return self.blocks.parts(block, self.width, attempt)

    def _one(self, bits: Callable[[Any], Scalar]) -> Expr:
        """An integer of the bits of an attempt, the first of which is number 0."""
        b = self.b
        high, low = self.scaled(bits(0))
        if self._is_certain:
            return b.let(high)
        chosen, rest = b.cell("chosen", high), b.cell("rest", low)
        attempt = b.cell("attempt", const(0, "u8"))
        again: Block = []
        outer, b.block = b.block, again
        following = b.let(call("add", read(attempt), const(1, "u8")))
        high, low = self.scaled(bits(Scalar(following)))
        for cell, value in ((chosen, high), (rest, low), (attempt, following)):
            b.emit(Assign(cell, value))
        b.block = outer
        is_refused = call("lt", read(rest), self.threshold)
        is_allowed = call("lt", read(attempt), const(ATTEMPTS - 1, "u8"))
        b.emit(While([], both(is_refused, is_allowed), again))
        return b.let(read(chosen))


# ---- order ---------------------------------------------------------------------------------------


def permutation(b: Builder, node: Node) -> list[Form]:
    """The order of random bits, which are spread so evenly that few share one of as many ranges."""
    shape = given_shape(b, node, node.inputs[3:])
    there = given_size(b, node.inputs[2])
    wanted = product(shape)
    if there is not wanted and there != wanted:
        fails(b, node)(call("gt", as_expr(wanted), as_expr(there)))
    bits = _filled(b, _blocks(b, node), (there,), 64, "u8", lambda bits: bits.expr)
    assert not isinstance(bits, Expr)
    order = _sorted(b, bits, there)
    if len(shape) == 1 and (there is wanted or there == wanted):
        b.owned.add(node.outputs[0])
        return [Stored(order, (there,), "i8")]
    if not shape:
        return [b.let(load(order, index(0)))]
    at = partial(load, order)
    return [Computed(lambda i: at(flat_offset(i, shape)), shape, "i8", at, is_view=True)]


def _sorted(b: Builder, bits: Array, count: Dim) -> Buffer:
    """The positions of random bits in ascending order; of equal ones, the first is the first."""
    whole = as_expr(count)
    following = b.shifted(count, 1)
    keys, order = b.buffer("keys", "u8", (count,)), b.buffer("order", "i8", (count,))
    begins = b.buffer("begins", "i8", (following,))
    b.nest([following], lambda i: b.emit(Store(begins, i[0], index(0))))

    def range_of(i: Expr) -> Expr:
        part = call("mul", call("lshr", b.at(bits, [i]), const(32, "u8")), cast(whole, "u8"))
        return b.let(cast(call("lshr", part, const(32, "u8")), "i8"))

    def look(i: list[Expr]) -> None:
        at = b.let(call("add", range_of(i[0]), index(1)))
        b.emit(Store(begins, at, b.let(call("add", load(begins, at), index(1)))))

    def add_up(i: list[Expr]) -> None:
        at = b.let(call("add", i[0], index(1)))
        both_ = b.let(call("add", b.let(load(begins, i[0])), b.let(load(begins, at))))
        b.emit(Store(begins, at, both_))

    def put(i: list[Expr]) -> None:
        own = range_of(i[0])
        at = b.let(load(begins, own))
        b.emit(Store(begins, own, b.let(call("add", at, index(1)))))
        b.emit(Store(keys, at, b.at(bits, [i[0]])))
        b.emit(Store(order, at, i[0]))

    for write in (look, add_up, put, lambda i: _insert(b, keys, order, i[0])):
        b.nest([count], write, serial=True)
    return order


def _insert(b: Builder, keys: Buffer, order: Buffer, k: Expr) -> None:
    """Move what is at a place in front of all larger ones before it."""
    key, own = b.let(load(keys, k)), b.let(load(order, k))
    place = b.cell("place", k)
    test: Block = []
    body: Block = []
    outer = b.block
    b.block = test
    at = b.let(read(place))
    before = b.let(select(call("gt", at, index(0)), call("sub", at, index(1)), index(0)))
    other = b.let(load(keys, before))
    b.block = body
    b.emit(Store(keys, at, other))
    b.emit(Store(order, at, b.let(load(order, before))))
    b.emit(Assign(place, before))
    b.block = outer
    b.emit(While(test, both(call("gt", at, index(0)), call("gt", other, key)), body))
    end = b.let(read(place))
    b.emit(Store(keys, end, key))
    b.emit(Store(order, end, own))
