"""Lowering of stacks, on which loops leave what their gradients read.

A stack is a piece of memory that grows, a slot for each value, and two numbers: the slot of its
first value, and the slot behind its last. Taking a value off changes the numbers only. What is
pushed overwrites nothing that anybody has: where the stack below is read by others, there is no
native form. Stacks that are themselves on a stack share one memory, each behind the one before.
So do arrays whose sizes only the run tells: the slot of one says where it begins, and its sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

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
from runtime.lowering.kernels.builder import Builder, is_of_the_run, is_small
from runtime.lowering.kernels.kernel import (
    Assign,
    Block,
    Buffer,
    Cell,
    Dim,
    If,
    Reserve,
    Store,
    load,
    product,
    read,
)
from runtime.lowering.kernels.record import Record
from runtime.lowering.kernels.refusal import Refusal
from runtime.lowering.kernels.scalar import Expr, call, const, index
from runtime.lowering.nodes.elements import machine_type, tensor_type
from runtime.spec import StackType

__all__ = ["Memory", "Stack", "empty", "in_memory", "pop", "push", "slot_offset", "store_at",
           "take"]  # fmt: skip


class Memory(Record):
    """The memory of stacks: what its values are, known from the first push on."""

    buffer: Buffer
    # Behind the last slot that was ever used.
    top: Cell
    shape: tuple[Dim, ...] | None = None
    # That of the stacks that are its values.
    inner: Memory | None = None
    # Where values are arrays whose sizes only the run tells: memory for their elements, the place
    # behind the last of them, and their sizes as far as they are known.
    elements: Buffer | None = None
    end: Cell | None = None
    sizes: tuple[Dim | None, ...] = ()
    is_popped: bool = False
    is_kept: bool = False
    # What gives slots back that were taken from, unless stacks of this memory are on a stack.
    returns: list[Assign] = field(default_factory=list)

    @property
    def slot(self) -> Dim:
        """How many elements a value has, or the words that tell where it is."""
        assert self.shape is not None
        return product(self.shape)

    def is_open(self, b: Builder, shape: Sequence[Dim]) -> bool:
        """Whether values have sizes of their own; the first one, of this shape, decides it."""
        if self.shape is None and any(map(is_of_the_run, shape)):
            self.elements = self.buffer
            self.buffer = Buffer(b.fresh("places"), "i8", (), "stack")
            self.end = Cell(b.fresh("end"), "i8")
            b.program.body.insert(0, Assign(self.end, index(0)))
            self.shape = (1 + len(shape),)
            self.sizes = tuple(None if is_of_the_run(n) else n for n in shape)
        return self.elements is not None


class Stack(Elements):
    """A stack: the registers hold the slot of its first value and that behind its last."""

    memory: Memory | None = None


def empty(b: Builder, node: Node) -> list[Form]:
    """A stack without values; it has no memory before it is used."""
    return [Stack([index(0), index(0)], (2,), "i8")]


def in_memory(b: Builder, stack: Stack, type_: object) -> Stack:
    """The stack with memory."""
    if stack.memory is not None:
        return stack
    assert isinstance(type_, StackType)
    is_nested = isinstance(type_.element, StackType)
    kind = "i8" if is_nested else machine_type(tensor_type(type_.element).dtype)
    top = Cell(b.fresh("top"), "i8")
    b.program.body.insert(0, Assign(top, index(0)))
    memory = Memory(Buffer(b.fresh("stack"), kind, (), "stack"), top, (2,) if is_nested else None)
    start = b.let(read(top))
    return Stack([start, start], (2,), "i8", memory)


def _check_alone(b: Builder, value: Value) -> None:
    """Refusal where more than one node reads a stack that is pushed to."""
    readers = b.readers.get(value, [])
    if len(readers) != 1 or value in b.results:
        raise Refusal("a stack that several nodes push to")


def push(b: Builder, node: Node) -> list[Form]:
    """The stack with a value on top."""
    below, value = (b.forms[v] for v in node.inputs)
    assert isinstance(below, Stack)
    _check_alone(b, node.inputs[0])
    stack = in_memory(b, below, node.inputs[0].type)
    memory = stack.memory
    assert memory is not None
    if memory.is_popped:
        raise Refusal("a stack that values are taken from and pushed to")
    if isinstance(value, Stack):
        if value.memory is None:
            value = in_memory(b, value, node.inputs[1].type)
        if memory.inner not in (None, value.memory):
            raise Refusal("stacks of several memories on one stack")
        memory.inner = value.memory
        assert value.memory is not None
        for statement in value.memory.returns:
            statement.value = read(statement.cell)
        value.memory.is_kept = True
    shape = () if isinstance(value, Expr) else value.shape
    if not isinstance(value, Expr) and memory.is_open(b, shape):
        value = _placed(b, memory, value)
        shape = value.shape
    if memory.shape is None:
        memory.shape = tuple(shape)
    b.same_shape(memory.shape, shape)
    start, count = stack.values
    above = b.let(call("add", count, index(1)))
    b.emit(Reserve(memory.buffer, slot_offset(above, memory.slot)))
    store_at(b, memory.buffer, b.let(slot_offset(count, memory.slot)), value)
    b.emit(Assign(memory.top, above))
    return [Stack([start, above], (2,), "i8", memory)]


def _placed(b: Builder, memory: Memory, value: Array) -> Elements:
    """Put an array behind those before it: where it is, and its sizes."""
    assert memory.elements is not None and memory.end is not None
    if len(value.shape) != len(memory.sizes):
        raise Refusal("arrays of several ranks on one stack")
    for own, size in zip(memory.sizes, value.shape, strict=True):
        if own is not None:
            b.same_shape([own], [size])
    begin = b.let(read(memory.end))
    end = b.let(call("add", begin, as_expr(product(value.shape))))
    b.emit(Reserve(memory.elements, end))
    store_at(b, memory.elements, begin, value)
    b.emit(Assign(memory.end, end))
    words = [begin, *(b.let(as_expr(n)) for n in value.shape)]
    return Elements(words, (len(words),), "i8")


def slot_offset(count: Expr, slot: Dim) -> Expr:
    """Where the slot of a number begins."""
    return count if slot == 1 else call("mul", count, as_expr(slot))


def store_at(b: Builder, buffer: Buffer, begin: Expr, value: Form) -> None:
    """Write a value into memory, from a place on."""
    if isinstance(value, Expr):
        b.emit(Store(buffer, begin, value))
        return
    if isinstance(value, Elements):
        for k, x in enumerate(value.values):
            b.emit(Store(buffer, call("add", begin, index(k)), x))
        return
    source: Array = value
    if b.has_flat(source):
        b.nest(
            [product(source.shape)],
            lambda i: b.emit(Store(buffer, call("add", begin, i[0]), b.flat_at(source, i[0]))),
        )
        return

    def write(indices: Sequence[Expr]) -> None:
        found = b.at(source, indices)
        b.emit(Store(buffer, call("add", begin, flat_offset(indices, source.shape)), found))

    b.nest(source.shape, write)


def pop(b: Builder, node: Node) -> list[Form]:
    """The stack below the top, and the value on top."""
    stack = b.forms[node.inputs[0]]
    assert isinstance(stack, Stack)
    if stack.memory is None:
        raise Refusal("a value of a stack that nothing was pushed to")
    start, count = stack.values
    below = b.let(call("sub", count, index(1)))
    return [Stack([start, below], (2,), "i8", stack.memory), _top(b, stack.memory, below)]


def _top(b: Builder, memory: Memory, at: Expr) -> Form:
    """The value in a slot."""
    memory.is_popped = True
    shape, buffer = memory.shape, memory.buffer
    if shape is None:
        raise Refusal("a value of a stack that nothing was pushed to")
    begin = b.let(slot_offset(at, memory.slot))
    if not memory.is_kept:
        memory.returns.append(Assign(memory.top, at))
        b.emit(memory.returns[-1])
    if memory.inner is not None:
        values = [b.let(load(buffer, call("add", begin, index(k)))) for k in range(2)]
        return Stack(values, (2,), "i8", memory.inner)
    if not shape:
        return b.let(load(buffer, begin))
    if memory.elements is not None and memory.end is not None:
        words = [
            b.let(load(buffer, call("add", begin, index(k)))) for k in range(1 + len(memory.sizes))
        ]
        buffer, begin, shape = memory.elements, words[0], _sizes(b, memory, words[1:])
        if not memory.is_kept:
            memory.returns.append(Assign(memory.end, begin))
            b.emit(memory.returns[-1])
    return _from(b, buffer, begin, shape)


def _sizes(b: Builder, memory: Memory, words: Sequence[Expr]) -> tuple[Dim, ...]:
    """The shape of an array, of which these are the sizes that were kept."""
    pairs = zip(memory.sizes, words, strict=True)
    return tuple(b.size_of_the_run(word, None) if n is None else n for n, word in pairs)


def _from(b: Builder, buffer: Buffer, begin: Expr, shape: tuple[Dim, ...]) -> Array:
    """An array in memory, from a place on."""

    def at_indices(indices: Sequence[Expr]) -> Expr:
        return load(buffer, call("add", begin, flat_offset(indices, shape)))

    def flat(position: Expr) -> Expr:
        return load(buffer, call("add", begin, position))

    found = Computed(at_indices, shape, buffer.type, flat, is_view=True)
    return b.elements(found) if is_small(shape) else found


def take(b: Builder, node: Node) -> list[Form]:
    """As `pop`, but an empty stack gives zeros like the second operand."""
    stack, like = b.forms[node.inputs[0]], b.forms[node.inputs[1]]
    assert isinstance(stack, Stack)
    element = node.outputs[1].type
    if isinstance(element, StackType):
        raise Refusal("a stack of stacks that may have come to its end")
    kind = machine_type(tensor_type(element).dtype)
    zero = const(0, kind)
    memory = stack.memory
    if memory is None:
        if isinstance(like, Expr):
            return [stack, zero]
        return [stack, Computed(lambda i: zero, like.shape, kind, lambda i: zero)]
    if memory.elements is not None:
        raise Refusal("a stack of arrays of several sizes that may have come to its end")
    start, count = stack.values
    has = b.let(call("gt", count, start))
    below = b.let(Expr("select", "i8", (has, call("sub", count, index(1)), count)))
    rest = Stack([start, below], (2,), "i8", memory)
    if isinstance(like, Expr) or is_small(like.shape):
        number = 1 if isinstance(like, Expr) else len(b.elements(like).values)
        cells = [b.cell("taken", zero) for _ in range(number)]
        filled: Block = []
        with b.inside(filled):
            value = _top(b, memory, below)
            parts = [value] if isinstance(value, Expr) else b.elements(value).values
            for cell, x in zip(cells, parts, strict=True):
                b.emit(Assign(cell, x))
        b.emit(If(has, filled, []))
        taken = [b.let(read(cell)) for cell in cells]
        if isinstance(like, Expr):
            return [rest, taken[0]]
        return [rest, Elements(taken, b.elements(like).shape, kind)]
    buffer = b.buffer("taken", kind, like.shape)
    zeros = Computed(lambda i: zero, like.shape, kind, lambda i: zero)
    yes: Block = []
    no: Block = []
    with b.inside(yes):
        value = _top(b, memory, below)
        assert not isinstance(value, Expr)
        b.fill(buffer, value)
    with b.inside(no):
        b.fill(buffer, zeros)
    b.emit(If(has, yes, no))
    return [rest, Stored(buffer, buffer.shape, kind)]
