"""Writes the statements of a program; knows what form each value of the graph has."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from runtime.graph.ir import Node, Value
from runtime.lowering.kernels.arrays import (
    Array,
    Computed,
    Elements,
    Form,
    Joined,
    Rows,
    Stored,
    Turned,
    as_expr,
    flat_offset,
    indices_of_flat,
    turned,
)
from runtime.lowering.kernels.kernel import (
    Allocate,
    Assign,
    Attempt,
    Block,
    Buffer,
    Cell,
    Check,
    Contract,
    Copy,
    Dim,
    For,
    If,
    Let,
    PairwiseSum,
    Program,
    Register,
    Reserve,
    Site,
    Statement,
    Store,
    Swap,
    Watcher,
    While,
    load,
    product,
    read,
    walk,
)
from runtime.lowering.kernels.refusal import Refusal, TooLarge
from runtime.lowering.kernels.scalar import Expr, call, index, parts_of, select
from runtime.origins import Origin

__all__ = ["LONGEST", "MOST", "SMALL", "Builder", "is_of_the_run", "is_small"]

# Arrays of no more elements are kept in registers in loops, and of so few anywhere.
SMALL, _FEW = 16, 4
# A size that only the run tells is less where nothing limits it, or the plan does it: products of
# two are whole numbers.
LONGEST = 1 << 30
# A longer chain of operations on arrays is more than one loop.
_DEEPEST = 64
# Beyond so many elements, small arrays are in memory as others are.
_MOST_UNROLLED = 1024
# What compiling costs, in statements on scalars: each takes an eighth of a millisecond. A loop over
# elements is as much as many of them, and so is an elementary function, by its operations.
MOST, _OF_LOOP, _OPERATIONS = 16_000, 30, 12


def is_small(shape: Sequence[Dim]) -> bool:
    """Whether an array of this shape may be kept in registers.

    One without elements may not where it is long: what is reduced of it has elements.
    """
    known = [size for size in shape if isinstance(size, int)]
    return len(known) == len(shape) and math.prod(filter(None, known)) <= SMALL


def is_of_the_run(size: Dim) -> bool:
    """Whether only the run tells a size: it is computed of more than the sizes of parameters."""
    return isinstance(size, Expr) and any(isinstance(x.value, Cell) for x in size.sources)


def is_known(array: Elements) -> bool:
    """Whether all elements are constants."""
    return all(x.function == "const" for x in array.values)


def _is_zero(x: Expr) -> bool:
    return x.function == "const" and x.value == 0


class Builder:
    """The program that is being written, and where."""

    def __init__(self, name: str, most: float = MOST, is_alone: bool = False) -> None:
        self.program = Program(name)
        # Whether no plan takes the calls that the program leaves: it fails where it would leave.
        self.is_alone = is_alone
        self.block: Block = self.program.body
        self.forms: dict[Value, Form] = {}
        # The user's positions of the calls around.
        self.calls: tuple[Origin, ...] = ()
        # Values of the graph being lowered that need no memory.
        self.fused: set[Value] = set()
        # Values of arrays one after the other that are read where those are.
        self.apart: set[Value] = set()
        # Of that graph: who reads each value, in order, and what it gives.
        self.readers: dict[Value, list[Node]] = {}
        self.results: set[Value] = set()
        # Also of that graph: what is pending where a node raises, if that matters.
        self.pending: dict[Node, Node] = {}
        # What gives variables their contents where one raises, and that of the present node.
        self.savers: dict[Node, Node] = {}
        self.unsaved: Node | None = None
        # Values whose memory no other value has.
        self.owned: set[Value] = set()
        # In a nest: the block that it will stand in, and elements computed in it so far.
        self._around: Block | None = None
        # Who notes where statements come from, if anybody.
        self.watcher: Watcher | None = None
        self._computed: dict[tuple[Computed, tuple[Expr, ...]], Expr] = {}
        self._spilled: dict[Elements, Stored] = {}
        # By size and bounds, the begin, step and size of slices that only the run tells: arrays
        # that are cut at the same places are as long.
        self.parts: dict[tuple[Any, ...], tuple[Expr, Dim, Dim]] = {}
        self._numbers: dict[str, Iterator[int]] = {}
        self._sites: dict[tuple[Any, ...], int] = {}
        # How many elements of small arrays were given registers.
        self._unrolled = 0
        # How many loops and branches are around.
        self._loops = self._branches = 0
        # What the statements written cost, and may cost.
        self.cost, self._most_cost = 0.0, most
        # Sizes that are equal: to a representative; and sizes computed of others.
        self._same: dict[Expr, Dim] = {}
        self._derived: dict[tuple[Expr, str, Dim], Expr] = {}
        # What each size was made from by taking a number away.
        self._lessened: dict[Expr, tuple[Expr, int]] = {}
        # What sizes that only the run tells can be at most; and the node being lowered.
        self._most: dict[Cell, Dim | None] = {}
        # Those of them that are counts of elements that were looked at.
        self.counts: set[Dim] = set()
        self.node: Node | None = None
        # What is to be written for it where its operands do not fit, beside effects: Python raises.
        self.doubts: list[Block] = []
        # The function that calls itself and is being lowered, the frames that it makes by the
        # values that are those, and the memory of all frames.
        self.function: Any = None
        self.frames: dict[Value, Any] = {}
        self.kept: set[Buffer] = set()
        # What makes results whose sizes only the run tells, at the end of the program.
        self.given: Block = []
        # The `try` around what is being lowered, from the outermost on.
        self.attempts: list[Any] = []

    # ---- statements ----------------------------------------------------------------------------

    def emit(self, statement: Statement) -> None:
        """Write a statement here."""
        is_loop = isinstance(statement, For | PairwiseSum | Contract)
        operations = 0 if is_loop else len(parts_of(*statement.computed()))
        self.cost += _OF_LOOP if is_loop else 1 + operations / _OPERATIONS
        if self.cost > self._most_cost:
            raise TooLarge
        self.block.append(statement)

    def fresh(self, stem: str | None) -> str:
        """A name that nothing has."""
        stem = stem or "x"
        number = next(self._numbers.setdefault(stem, itertools.count()))
        return f"{stem}.{number}" if number else stem

    def let(self, value: Expr, name: str | None = None) -> Expr:
        """The value in a register of its own."""
        if value.function == "const":
            return value
        if value.function == "read" and isinstance(value.value, Register):
            return value
        register = Register(self.fresh(name or "t"), value.type)
        self.emit(Let(register, value))
        return read(register)

    def cell(self, name: str | None, value: Expr) -> Cell:
        """A cell with a first value."""
        made = Cell(self.fresh(name), value.type)
        self.emit(Assign(made, value))
        return made

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """Write into a block that may not run, or more than once."""
        before = self.block, self._spilled, self._computed, self.parts
        self.block, self._spilled, self._computed = block, dict(self._spilled), {}
        self.parts = dict(self.parts)
        try:
            yield
        finally:
            self.block, self._spilled, self._computed, self.parts = before

    @contextmanager
    def within(self, block: Block) -> Iterator[None]:
        """Write into a block of what is done to each element."""
        outer, self.block = self.block, block
        yield
        self.block = outer

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Write statements; where that ends with a Refusal, none of them."""
        block, around, computed = self.block, self._around, self._computed
        written, equal, spilled = len(block), len(self.program.equal), len(self._spilled)
        least, parts = len(self.program.least), dict(self.parts)
        try:
            yield
        except Refusal:
            self.block, self._around, self._computed = block, around, computed
            del block[written:]
            for one, _ in self.program.equal[equal:]:
                del self._same[one]
            del self.program.equal[equal:], self.program.least[least:]
            for array in list(self._spilled)[spilled:]:
                del self._spilled[array]
            self.parts = parts
            raise

    def origins(self, node: Node) -> tuple[Origin, ...]:
        """The user's positions of a node."""
        return self.calls if node.origin is None else (*self.calls, node.origin)

    def site(
        self, node: Node, is_complete: bool = False, kind: type[BaseException] | None = None
    ) -> int:
        """The number of the place where `node` fails; whether it is told of all its operands."""
        key = (node, self.origins(node), kind)
        if key not in self._sites:
            # Through which calls of itself a function came here, the plan knows.
            is_complete = is_complete and self.function is None
            self.program.sites.append(Site(*key[:2], is_complete, kind))
            self._sites[key] = len(self.program.sites)
        return self._sites[key]

    # ---- arrays --------------------------------------------------------------------------------

    def buffer(self, name: str | None, type_: str, shape: Sequence[Dim]) -> Buffer:
        """Memory for an array."""
        if not self.is_limited(shape):
            return self.growing(name, type_, shape)
        made = self.memory(name or "a", type_, shape)
        self.emit(Allocate(made))
        return made

    def growing(self, name: str | None, type_: str, shape: Sequence[Dim]) -> Buffer:
        """Memory that grows, with room for an array; the plan does what may not be counted."""
        known = math.prod(n for n in shape if isinstance(n, int))
        count: Dim = 1
        bits = 0
        sizes: list[Dim] = [*(n for n in shape if isinstance(n, Expr)), known]
        for n in sizes:
            more = LONGEST.bit_length() if isinstance(n, Expr) else n.bit_length()
            if bits + more > 64:
                count, bits = self.let(as_expr(count)), LONGEST.bit_length()
                self.leave_where(call("ge", count, index(LONGEST)))
            count, bits = product([count, n]), bits + more
        if bits > 64:
            raise Refusal("memory for more than can be counted")
        made = Buffer(self.fresh(name or "rows"), type_, tuple(shape), "stack")
        self.emit(Reserve(made, as_expr(count)))
        return made

    def is_limited(self, shape: Sequence[Dim]) -> bool:
        """Whether sizes that only the run tells are limited by others."""
        cells = {x.value for n in shape if isinstance(n, Expr) for x in n.sources}
        most = [self._most[cell] for cell in cells if isinstance(cell, Cell)]
        return all(n is not None and self.is_limited([n]) for n in most)

    def memory(self, name: str | None, type_: str, shape: Sequence[Dim]) -> Buffer:
        """A buffer of the call, which is to be allocated."""
        made = Buffer(self.fresh(name), type_, tuple(shape))
        if any(is_of_the_run(n) for n in shape):
            made.room = product([self._at_most(n) for n in shape])
        return made

    def at(self, array: Array, indices: Sequence[Expr]) -> Expr:
        """An element; what is computed is computed once in a nest."""
        if isinstance(array, Elements) and any(i.function != "const" for i in indices):
            array = self._spill(array)
        if not isinstance(array, Computed) or (isinstance(array, Rows) and self._around is None):
            return array.at(indices)  # rows may be written between two statements
        key = (array, tuple(indices))
        if key not in self._computed:
            self._computed[key] = self.let(array.at(indices))
        return self._computed[key]

    def reads(self, array: Array, buffer: Buffer) -> bool:
        """Whether elements of an array are found in, or computed of what is in, a buffer."""
        around: Block = []
        body: Block = []
        with self.inside(around), self.loop_body(body):
            value = self.at(array, [read(Register(self.fresh("i"), "i8")) for _ in array.shape])
        found = [value, *(x for s in walk([*around, *body]) for x in s.computed())]
        return any(part.value is buffer for x in found for part in x.sources)

    def flat_at(self, array: Array, position: Expr) -> Expr:
        """The element at a position in the order of memory."""
        if isinstance(array, Stored):
            return load(array.buffer, position)
        assert isinstance(array, Computed) and array.flat is not None
        key = (array, (position,))
        if key not in self._computed:
            self._computed[key] = self.let(array.flat(position))
        return self._computed[key]

    @staticmethod
    def has_flat(array: Array) -> bool:
        """Whether `flat_at` serves."""
        return isinstance(array, Stored) or (isinstance(array, Computed) and array.flat is not None)

    def _spill(self, array: Elements) -> Stored:
        """Elements in memory, written before the nest that needs them there."""
        if is_known(array):
            numbers = np.array([x.value for x in array.values], array.type).reshape(array.shape)
            constant = Buffer(self.fresh("constant"), array.type, array.shape, "constant", numbers)
            return Stored(constant, array.shape, array.type)
        if array not in self._spilled:
            here, self.block = self.block, self._around if self._around is not None else self.block
            buffer = self.buffer("spilled", array.type, array.shape)
            self.fill(buffer, array)
            self.block = here
            self._spilled[array] = Stored(buffer, array.shape, array.type)
        return self._spilled[array]

    def nest(
        self, shape: Sequence[Dim], write: Callable[[list[Expr]], None], serial: bool = False
    ) -> None:
        """A nest of loops over an index space, its body written by `write`."""
        assert self._around is None
        outer, self._around = self.block, self.block
        before, self._computed = self._computed, {}
        registers = [Register(self.fresh("i"), "i8") for _ in shape]
        body: Block = []
        self.block = body
        write([read(r) for r in registers])
        self._computed, self._around, self.block = before, None, outer
        for register, size in zip(reversed(registers), reversed(list(shape)), strict=True):
            body = [For(register, size, body, serial)]
        for statement in body:
            self.emit(statement)

    @contextmanager
    def loop_body(self, block: Block) -> Iterator[None]:
        """Write the body of a loop that is a statement of its own."""
        assert self._around is None
        outer, self._around = self.block, self.block
        before, self._computed = self._computed, {}
        self.block = block
        try:
            yield
        finally:
            self._computed, self._around, self.block = before, None, outer

    def fill(self, buffer: Buffer, array: Array) -> None:
        """Write all elements of an array into a buffer."""
        if isinstance(array, Stored):
            self.emit(Copy(buffer, array.buffer))
        elif isinstance(array, Elements):
            for k, value in enumerate(array.values):
                self.emit(Store(buffer, index(k), value))
        elif isinstance(array, Joined):
            self._fill_part(
                Stored(buffer, buffer.shape, buffer.type), array, [0] * len(array.shape)
            )
        elif array.flat is not None:
            self.nest(
                [product(array.shape)],
                lambda i: self.emit(Store(buffer, i[0], self.flat_at(array, i[0]))),
            )
        else:
            target = Stored(buffer, buffer.shape, buffer.type)

            def write(indices: list[Expr]) -> None:
                value = self.at(array, indices)
                self.emit(Store(buffer, target.at(indices).args[0], value))

            self.nest(array.shape, write)

    def _fill_part(self, target: Stored, array: Array, starts: Sequence[Dim]) -> None:
        """Write an array into a part of a buffer."""
        places = [as_expr(start) for start in starts]
        if isinstance(array, Joined):
            own = list(starts)
            for part in array.parts:
                self._fill_part(target, part, own)
                own[array.axis] = self.added(own[array.axis], part.shape[array.axis])
            return

        def put(indices: Sequence[Expr]) -> Expr:
            moved = [
                i if _is_zero(start) else start if _is_zero(i) else call("add", i, start)
                for i, start in zip(indices, places, strict=True)
            ]
            return flat_offset(moved, target.shape)

        if isinstance(array, Elements):
            for k, value in enumerate(array.values):
                self.emit(Store(target.buffer, put(indices_of_flat(k, array.shape)), value))
        elif self.has_flat(array) and self._is_line(array.shape, target.shape):
            begin = self.let(flat_offset(places, target.shape))

            def write_flat(i: list[Expr]) -> None:
                at = i[0] if _is_zero(begin) else call("add", i[0], begin)
                self.emit(Store(target.buffer, at, self.flat_at(array, i[0])))

            self.nest([product(array.shape)], write_flat)
        else:
            # Of parts, many are a single row or column.
            real = [n for n in array.shape if n != 1]

            def write(i: list[Expr]) -> None:
                following = iter(i)
                own = [index(0) if n == 1 else next(following) for n in array.shape]
                self.emit(Store(target.buffer, put(own), self.at(array, own)))

            self.nest(real, write)

    def _is_line(self, part: Sequence[Dim], whole: Sequence[Dim]) -> bool:
        """Whether elements of a part of an array follow each other in memory."""
        pairs = zip(part, whole, strict=True)
        cut = [k for k, (n, m) in enumerate(pairs) if self.size(n) is not self.size(m) and n != m]
        return all(n == 1 for n in part[: max(cut, default=0)])

    def stored(self, array: Array, name: str | None = None) -> Stored:
        """The array in memory."""
        if isinstance(array, Stored):
            return array
        if isinstance(array, Elements):
            return self._spill(array)
        buffer = self.buffer(name, array.type, array.shape)
        self.fill(buffer, array)
        return Stored(buffer, array.shape, array.type)

    def stored_as_computed(self, array: Array, name: str | None = None) -> Array:
        """The array in memory, in an order in which it is computed well."""
        if isinstance(array, Turned):
            return turned(self.at, self.stored_as_computed(array.base, name), array.order)
        return self.stored(array, name)

    def elements(self, array: Array) -> Elements:
        """A small array in registers."""
        if isinstance(array, Elements):
            return array
        shape = tuple(n for n in array.shape if isinstance(n, int))
        count = math.prod(shape)
        before, self._computed = self._computed, {}
        self._unrolled += count
        values = [self.let(self.at(array, indices_of_flat(k, shape))) for k in range(count)]
        self._computed = before
        return Elements(values, shape, array.type)

    def define(self, value: Value, form: Form) -> None:
        """Say what form a value has: a computed array that has no loop to go into is stored."""
        if isinstance(form, Expr):
            form = self.let(form, value.name)
        elif self.is_written_out(form):
            form = self.elements(form)
        elif type(form) is Elements and not is_known(form):
            form = self._spill(form)
            self.owned.add(value)
        elif isinstance(form, Computed) and not self._may_wait(value, form):
            # Results are in the order of their axes.
            store = self.stored if value in self.results else self.stored_as_computed
            form = store(form, value.name)
            self.owned.add(value)
        self.forms[value] = form

    def is_written_out(self, array: Array) -> bool:
        """Whether what is done to an array is written out for each element, in registers.

        That is what makes loops over small states fast. Code that runs once gains nothing by it,
        and takes LLVM longer.
        """
        if not is_small(array.shape) or self._unrolled >= _MOST_UNROLLED:
            return False
        count = math.prod(n for n in array.shape if isinstance(n, int))
        return self._loops > 0 or count <= _FEW

    @property
    def is_staged(self) -> bool:
        """Whether what is lowered may run never, or more than once."""
        return self._loops > 0 or self._branches > 0

    @property
    def is_in_nest(self) -> bool:
        """Whether what is written is done to elements."""
        return self._around is not None

    def is_needed(self, value: Value) -> bool:
        """Whether anything reads a value of the graph being lowered."""
        return value in self.readers or value in self.results

    @contextmanager
    def in_branch(self, block: Block) -> Iterator[None]:
        """Lower what may not run, into a block."""
        self._branches += 1
        try:
            with self.inside(block):
                yield
        finally:
            self._branches -= 1

    @contextmanager
    def in_loop(self) -> Iterator[None]:
        """Lower what runs more than once."""
        self._loops += 1
        try:
            yield
        finally:
            self._loops -= 1

    def _may_wait(self, value: Value, form: Computed) -> bool:
        """Whether an array is computed where it is read."""
        if isinstance(form, Turned) and isinstance(form.base, Joined):
            return False
        if isinstance(form, Joined):
            return value in self.apart
        return form.depth <= _DEEPEST and (form.is_view or value in self.fused)

    def unmoved(self) -> set[Buffer]:
        """The buffers that the program allocates once and that keep their memory."""
        swapped: set[Buffer] = set()
        todo: list[Block] = [self.program.body]
        while todo:
            for statement in todo.pop():
                if isinstance(statement, Swap):
                    swapped |= {statement.one, statement.other}
                elif isinstance(statement, While | If | Attempt):
                    todo += statement.blocks()
        here = {s.buffer for s in self.program.body if isinstance(s, Allocate)}
        return here - swapped

    # ---- sizes ---------------------------------------------------------------------------------

    def size(self, dim: Dim) -> Dim:
        """The representative of a size among those that are equal."""
        while isinstance(dim, Expr) and dim in self._same:
            dim = self._same[dim]
        return dim

    def equal(self, one: Dim, other: Dim) -> Dim:
        """The size that both are: a guard of the call if that is not known here."""
        one, other = self.size(one), self.size(other)
        if one is other or one == other:
            return one
        if is_of_the_run(one) or is_of_the_run(other):
            return self._equal_in_the_run(one, other)
        if isinstance(one, int) and isinstance(other, int):
            raise Refusal(f"sizes {one} and {other} do not agree")
        if isinstance(one, int):
            one, other = other, one
        assert isinstance(one, Expr)
        if one.function != "read" and isinstance(other, Expr):
            one, other = other, one
        self.program.equal.append((one, as_expr(other)))
        self._same[one] = other
        return other

    def broadcast(self, shapes: Sequence[Sequence[Dim]]) -> tuple[Dim, ...]:
        """The shape of operands together; an unknown size is taken to be more than 1."""
        rank = max(map(len, shapes), default=0)
        result: list[Dim] = [1] * rank
        for shape in shapes:
            for axis, dim in enumerate(shape, rank - len(shape)):
                dim = self.size(dim)
                if dim == 1:
                    continue
                result[axis] = dim if result[axis] == 1 else self.equal(result[axis], dim)
        return tuple(result)

    def is_size(self, value: Expr) -> bool:
        """Whether a value is the size of an axis, as it stands."""
        if value.function != "read":
            return False
        return value.value in self._most or any(r is value.value for r, _, _ in self.program.sizes)

    def size_of_the_run(self, value: Expr, most: Dim | None) -> Dim:
        """A size that is computed here, and is not more than `most`; None: nothing limits it."""
        if value.function == "const":
            return int(value.value)
        cell = self.cell("size", value)
        self._most[cell] = most
        return read(cell)

    def _at_most(self, size: Dim) -> Dim:
        """What a size can be at most, in sizes that are known before the program runs."""
        if not isinstance(size, Expr) or not is_of_the_run(size):
            return size
        if size.function == "read":
            most = self._most[size.value]
            if most is None:
                raise Refusal("memory for an array whose size nothing limits")
            return self._at_most(most)
        args = [as_expr(self._at_most(a)) for a in size.args]
        return call(size.function, *args, type_=size.type)

    def _equal_in_the_run(self, one: Dim, other: Dim) -> Dim:
        differ = call("ne", as_expr(one), as_expr(other))
        are_both = is_of_the_run(one) and is_of_the_run(other)
        (self.raise_where if are_both else self.leave_where)(differ)
        if isinstance(one, int) or not is_of_the_run(one):
            return one
        return other

    def raise_where(self, condition: Expr) -> None:
        """Have Python raise what the present node raises where a condition holds."""
        if self.program.has_effects and self.node is not None and not self.attempts:
            self.doubts.append([])
            self.emit(If(condition, self.doubts[-1], []))
        else:
            self.leave_where(condition)

    def leave_where(self, condition: Expr) -> None:
        """Leave the call to the plan, which begins again, where a condition turns out to hold."""
        if self.program.has_effects or self.node is None:
            raise Refusal("sizes that only the run tells, beside what may happen only once")
        self.emit(Check(self.site(self.node, is_complete=False), condition))

    def require(self, size: Expr, least: int, *, raises: bool = False, warns: bool = False) -> None:
        """Leave calls in which a size is less than that to the plan, unless the node `raises`.

        Where it `warns`, the result is that of the plan, without the warning.
        """
        too_little = call("lt", size, index(least))
        if self.is_alone and self.node is not None:
            if least > 0 and not warns:
                self.emit(Check(self.site(self.node), too_little))
            return
        if is_of_the_run(size):
            (self.raise_where if raises else self.leave_where)(too_little)
            return
        # All sizes of parameters that are not known are at least 2.
        if least > 2 or (least > 0 and size.function != "read"):
            self.program.least.append((size, least))

    def longer(self, one: Dim, other: Dim) -> Dim:
        """The larger one of two sizes, the same expression for the same, in whatever order."""
        one, other = self.size(one), self.size(other)
        if one is other or one == other:
            return one
        if isinstance(one, int) and isinstance(other, int):
            return max(one, other)
        if 0 in (one, other):
            return other if one == 0 else one
        if not is_of_the_run(one) and not is_of_the_run(other):
            raise Refusal("the larger one of two sizes of arguments")
        if isinstance(one, int) or (other, "longer", one) in self._derived:
            one, other = other, one
        assert isinstance(one, Expr)
        key = (one, "longer", other)
        if key not in self._derived:
            more = as_expr(other)
            self._derived[key] = Expr("select", "i8", (call("gt", one, more), one, more))
        return self._derived[key]

    def shifted(self, size: Dim, by: int) -> Dim:
        """A size and a number, the same expression for the same."""
        return (
            size + by if isinstance(size, int) else self._of_size(size, "add", by) if by else size
        )

    def limited(self, size: Dim, most: int) -> Dim:
        """A size, or a number where that is less; the same expression for the same."""
        if isinstance(size, int) or most <= 0:
            return max(min(size, most), 0) if isinstance(size, int) else 0
        key = (size, "limited", most)
        if key not in self._derived:
            self._derived[key] = select(call("lt", size, index(most)), size, index(most))
        return self._derived[key]

    def lessened(self, size: Dim, by: Dim) -> Dim:
        """A size less another, and 0 where that is more; the same expression for the same."""
        if isinstance(size, int) and isinstance(by, int):
            return max(size - by, 0)
        if by == 0:
            return size
        whole = as_expr(size)
        base, before = self._lessened.get(whole, (whole, 0))
        if isinstance(by, int):
            whole, by = base, by + before
        key = (whole, "lessened", by)
        if key not in self._derived:
            less = as_expr(by)
            rest = select(call("gt", whole, less), call("sub", whole, less), index(0))
            self._derived[key] = rest
            if isinstance(by, int):
                self._lessened[rest] = whole, by
        return self._derived[key]

    def added(self, one: Dim, other: Dim) -> Dim:
        """Two sizes together, the same expression for the same."""
        (base, by), (more, rest) = self.parted(one), self.parted(other)
        if base is None or more is None:
            return self.shifted(one, rest) if more is None else self.shifted(other, by)
        return self.shifted(self._derive(base, "add", more), by + rest)

    @staticmethod
    def parted(size: Dim) -> tuple[Expr | None, int]:
        """A size as one that the call tells, if any, and a number."""
        if isinstance(size, int):
            return None, size
        if size.function == "add" and size.args[1].function == "const":
            return size.args[0], int(size.args[1].value)
        return size, 0

    def divided(self, size: Dim, by: int) -> Dim:
        """How often a number goes into a size, the same expression for the same."""
        if by == 1:
            return size
        return size // by if isinstance(size, int) else self._of_size(size, "quotient", by)

    def times(self, one: Dim, other: Dim) -> Dim:
        """A size so often, the same expression for the same."""
        if isinstance(one, int):
            one, other = other, one
        if isinstance(one, int) and isinstance(other, int):
            return one * other
        if other in (0, 1):
            return 0 if other == 0 else one
        assert isinstance(one, Expr)
        if (other, "mul", one) in self._derived and isinstance(other, Expr):
            one, other = other, one
        return self._derive(one, "mul", other)

    def _of_size(self, size: Expr, function: str, number: int) -> Expr:
        if size.function == function == "add" and size.args[1].function == "const":
            known, before = size.args[0], size.args[1].value
            return as_expr(self.shifted(known, before + number))
        return self._derive(size, function, number)

    def _derive(self, size: Expr, function: str, by: Dim) -> Expr:
        key = (size, function, by)
        if key not in self._derived:
            self._derived[key] = call(function, size, as_expr(by))
        return self._derived[key]

    def same_shape(self, one: Sequence[Dim], other: Sequence[Dim]) -> None:
        """Refusal unless two shapes are equal wherever the graph runs."""
        same = len(one) == len(other) and all(
            self.size(a) is self.size(b) or self.size(a) == self.size(b)
            for a, b in zip(one, other, strict=True)
        )
        if not same:
            raise Refusal("an array whose shape changes in a loop or differs between branches")

    @staticmethod
    def project(indices: Sequence[Expr], shape: Sequence[Dim]) -> list[Expr]:
        """The index into an operand of `shape` that is broadcast."""
        kept = indices[len(indices) - len(shape) :]
        return [index(0) if n == 1 else i for i, n in zip(kept, shape, strict=True)]
