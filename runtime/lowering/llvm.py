"""A program as LLVM IR text: the function that computes it.

`define internal i64 @kernel(ptr %ctx, <scalars and pointers of the inputs>, <sizes>, <pointers of
the results>)` gives 0, or the number of the site that failed, its operands being in the error slot;
-1 where it cannot go on and the plan must do it, -2 where an exception is set.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from runtime.execute.native.context import SLOT, word
from runtime.execute.native.entry import REFUSED, SET
from runtime.lowering import parts
from runtime.lowering.kernel import (
    Allocate,
    Assign,
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
    Poll,
    Program,
    Register,
    Reserve,
    Statement,
    Store,
    Swap,
    While,
    inner_blocks,
    product,
)
from runtime.lowering.parallel import LARGE, Part, cost, name_of_part
from runtime.lowering.scalar import Expr, is_float, is_signed
from runtime.lowering.strides import plus, times

__all__ = ["BUDGET", "function_text", "literal", "llvm_type", "walk"]

# About how many operations are done between two looks for signals: less than a millisecond.
BUDGET = 1 << 19
# Bytes of arrays of a call that are kept on the stack.
_ON_STACK = 1 << 15
# Bytes that a stack has at first.
_LEAST_ROOM = 1 << 12
# Elements of constants that are written into the text.
_IN_TEXT = 64
_LANES = 8
_BLOCK = 128  # NumPy's PW_BLOCKSIZE
_DEPTH = 64
# Vectors of extremes that are found at once.
_VECTORS = 4
_TYPES = {"b1": "i1", "f4": "float", "f8": "double", "pair": "{i64, i1}"}
_WIDTHS = {"f4": 32, "f8": 64}
_FLOATING = {
    "add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "fmod": "frem",
    "fused_add": "fadd contract", "fused_sub": "fsub contract", "fused_mul": "fmul contract",
}  # fmt: skip
_INTEGER = {
    "add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor",
    "shl": "shl", "ashr": "ashr", "lshr": "lshr",
}  # fmt: skip
_INTRINSICS = {
    "abs": "fabs", "sqrt": "sqrt", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
    "rint": "rint", "copysign": "copysign", "fma": "fma",
}  # fmt: skip
_CHECKED = {"checked_add": "sadd", "checked_sub": "ssub", "checked_mul": "smul"}
_ORDERED = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}


def llvm_type(type_: str) -> str:
    """The type of a value in a register."""
    return _TYPES.get(type_) or f"i{8 * int(type_[1:])}"


def memory_type(type_: str) -> str:
    """The type of a value in memory."""
    return "i8" if type_ == "b1" else llvm_type(type_)


def size_in_bytes(type_: str) -> int:
    """The bytes of one element."""
    return int(type_[1:])


def literal(value: object, type_: str) -> str:
    """A constant."""
    if type_ == "b1":
        return "true" if value else "false"
    if is_float(type_):
        number = float(np.dtype(type_).type(value))
        if math.isnan(number):
            return "0x7FF8000000000000"
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    bits = 8 * int(type_[1:])
    number_ = int(value) & ((1 << bits) - 1)  # type: ignore[call-overload]
    return str(number_ - (1 << bits) if number_ >> (bits - 1) else number_)


def walk(block: Block) -> Iterator[Statement]:
    """All statements, those in loops and branches included."""
    for statement in block:
        yield statement
        for inner in inner_blocks(statement):
            yield from walk(inner)


def function_text(program: Program) -> str:
    """The function `@kernel`, and what it needs besides."""
    return _Writer(program).text()


class _Writer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.first: list[str] = []
        self.globals: list[str] = []
        self.functions: list[str] = []
        # The names of contractions, by their text.
        self.contractions: dict[str, str] = {}
        self.metadata: list[str] = []
        self.count = 0
        self.label = "start"
        self.places: dict[Register, str] = {}
        self.cells: dict[Cell, str] = {}
        self.pointers: dict[Buffer, str] = {}
        self.moving: set[Buffer] = set()
        self.rooms: dict[Buffer, str] = {}
        self.known: dict[Expr, str] = {}
        # Names that are vectors, while the body of a sum is written in lanes.
        self.wide: set[str] = set()
        self.lane: Register | None = None
        self.groups: list[int] = []
        self.rare: int | None = None
        self.on_heap = False
        # The function around a part, and what the part has of it.
        self.around: _Writer | None = None
        self.part: Part | None = None
        self.intrinsics: set[str] = set()

    # ---- the function ------------------------------------------------------------------------

    def text(self) -> str:
        parameters = ["ptr %ctx", *self._parameters()]
        self._memory()
        self._block(self.program.body)
        for k, result in enumerate(self.program.results):
            if result.value is not None:
                value = self.value(result.value)
                self.add(f"store {self._stored(value, result.value.type)}, ptr %out{k}")
                self.known.clear()
        self._leave("0")
        body = [
            f"define internal i64 @kernel({', '.join(parameters)}) {{",
            "entry:",
            *(f"  {line}" for line in self.first),
            "  br label %start",
            "start:",
            *self.lines,
            "leave:",
            "  %status.out = load i64, ptr %status",
            *self._free(),
            "  ret i64 %status.out",
            "}",
        ]
        declarations = [f"declare {text}" for text in sorted(self.intrinsics)]
        lines = [*self.globals, *self.functions, *body, *declarations, *self.metadata]
        return "\n".join(lines) + "\n"

    def _parameters(self) -> Iterator[str]:
        self.first.append("%status = alloca i64")
        for k, parameter in enumerate(self.program.parameters):
            if parameter.register is not None:
                self.places[parameter.register] = f"%in{k}"
                yield f"{llvm_type(parameter.register.type)} %in{k}"
            elif parameter.buffer is not None:
                self.pointers[parameter.buffer] = f"%in{k}"
                yield f"ptr readonly %in{k}"
        for k, (register, _, _) in enumerate(self.program.sizes):
            self.places[register] = f"%size{k}"
            yield f"i64 %size{k}"
        for k, result in enumerate(self.program.results):
            if result.buffer is not None:
                self.pointers[result.buffer] = f"%out{k}"
            yield f"ptr noalias %out{k}"

    def _memory(self) -> None:
        """Give each buffer of the call's own memory a place in one piece of it."""
        statements = list(walk(self.program.body))
        self.moving = {
            buffer for s in statements if isinstance(s, Swap) for buffer in (s.one, s.other)
        }
        self._stacks([s.buffer for s in statements if isinstance(s, Reserve)])
        own = [s.buffer for s in statements if isinstance(s, Allocate) and s.buffer.role == "own"]
        if any(isinstance(s, Poll) for s in statements):
            self.first += ["%work = alloca i64", f"store i64 {BUDGET}, ptr %work"]
        if not own:
            return
        sizes = [product([*b.shape, size_in_bytes(b.type)]) for b in own]
        known = [n for n in sizes if isinstance(n, int)]
        rounded = [-(-n // 64) * 64 for n in known]
        self.on_heap = len(known) < len(sizes) or sum(rounded) > _ON_STACK
        if not self.on_heap:
            self.first.append(f"%arena = alloca [{max(sum(rounded), 1)} x i8], align 64")
        offsets, total = [], "0"
        for size in sizes:
            offsets.append(total)
            total = self._after(total, size)
        if self.on_heap:
            self._arena(total)
        for buffer, offset in zip(own, offsets, strict=True):
            name = self.name()
            self.add(f"{name} = getelementptr i8, ptr %arena, i64 {offset}")
            if buffer in self.moving:
                cell = self.name()
                self.first.append(f"{cell} = alloca ptr")
                self.add(f"store ptr {name}, ptr {cell}")
                name = cell
            self.pointers[buffer] = name

    def _after(self, offset: str, size: Dim) -> str:
        """The offset behind `size` bytes, rounded up to 64."""
        if isinstance(size, int) and not offset.startswith("%"):
            return str(int(offset) + -(-size // 64) * 64)
        text = str(size) if isinstance(size, int) else self.value(size)
        more, less, total = self.name(), self.name(), self.name()
        self.add(f"{more} = add i64 {text}, 63")
        self.add(f"{less} = and i64 {more}, -64")
        self.add(f"{total} = add i64 {offset}, {less}")
        return total

    def _arena(self, total: str) -> None:
        function, raw, failed = (self.name() for _ in range(3))
        self.first.append("%owned = alloca ptr")
        self.first.append("store ptr null, ptr %owned")
        self.add(f"{function} = {self.context('PyMem_RawMalloc')}")
        more = self.name()
        self.add(f"{more} = add i64 {total}, 64")
        self.add(f"{raw} = call ptr {function}(i64 {more})")
        self.add(f"{failed} = icmp eq ptr {raw}, null")
        refuse, go = self.labels("refuse", "go")
        self.add(f"br i1 {failed}, label %{refuse}, label %{go}")
        self.begin(refuse)
        self._leave(str(REFUSED))
        self.begin(go)
        self.add(f"store ptr {raw}, ptr %owned")
        address, up, aligned = (self.name() for _ in range(3))
        self.add(f"{address} = ptrtoint ptr {raw} to i64")
        self.add(f"{up} = add i64 {address}, 63")
        self.add(f"{aligned} = and i64 {up}, -64")
        self.add(f"%arena = inttoptr i64 {aligned} to ptr")

    def _stacks(self, buffers: list[Buffer]) -> None:
        """Pointer and room of each piece of memory that grows."""
        for buffer in dict.fromkeys(buffers):
            pointer, room = self.name(), self.name()
            self.first += [f"{pointer} = alloca ptr", f"store ptr null, ptr {pointer}"]
            self.first += [f"{room} = alloca i64", f"store i64 0, ptr {room}"]
            self.pointers[buffer] = pointer
            self.rooms[buffer] = room
            self.moving.add(buffer)

    def _free(self) -> list[str]:
        owned = [self.pointers[buffer] for buffer in self.rooms]
        if self.on_heap:
            owned.append("%owned")
        if not owned:
            return []
        lines = [
            f"  %free.at = getelementptr ptr, ptr %ctx, i64 {word('PyMem_RawFree')}",
            "  %free = load ptr, ptr %free.at",
        ]
        for k, place in enumerate(owned):
            lines.append(f"  %owned.out{k} = load ptr, ptr {place}")
            lines.append(f"  call void %free(ptr %owned.out{k})")
        return lines

    def _leave(self, status: str) -> None:
        self.add(f"store i64 {status}, ptr %status")
        self.add("br label %leave")

    def context(self, name: str) -> str:
        """Source of a load of a word of the context."""
        at = self.name()
        self.add(f"{at} = getelementptr ptr, ptr %ctx, i64 {word(name)}")
        return f"load ptr, ptr {at}"

    # ---- text --------------------------------------------------------------------------------

    def add(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def labels(self, *stems: str) -> list[str]:
        self.count += 1
        return [f"{stem}{self.count}" for stem in stems]

    def begin(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.label = label

    def intrinsic(self, declaration: str) -> None:
        self.intrinsics.add(declaration)

    def meta(self, text: str) -> int:
        self.metadata.append(f"!{len(self.metadata)} = {text}")
        return len(self.metadata) - 1

    # ---- statements --------------------------------------------------------------------------

    def _block(self, block: Block) -> None:
        for statement in block:
            getattr(self, f"_{type(statement).__name__.lower()}")(statement)
            self.known.clear()

    def _let(self, s: Let) -> None:
        self.places[s.register] = self.value(s.value)

    def _assign(self, s: Assign) -> None:
        value = self.value(s.value)
        self.add(f"store {llvm_type(s.cell.type)} {value}, ptr {self._cell(s.cell)}")

    def _cell(self, cell: Cell) -> str:
        if cell not in self.cells:
            name, kind = self.name(), llvm_type(cell.type)
            self.first.append(f"{name} = alloca {kind}")
            self.cells[cell] = name
            if self.around is not None and self.part is not None and cell in self.around.cells:
                value = self.around._do(f"load {kind}, ptr {self.around.cells[cell]}")
                self.first.append(f"store {kind} {self.part.capture(value, kind)}, ptr {name}")
        return self.cells[cell]

    def _allocate(self, s: Allocate) -> None:
        """All memory was had at the start, but for what each thread needs for itself."""
        if self.around is not None:
            size = product([*s.buffer.shape, size_in_bytes(s.buffer.type)])
            self.pointers[s.buffer] = self.name()
            self.first.append(f"{self.pointers[s.buffer]} = alloca [{size} x i8], align 64")

    def _pointer(self, buffer: Buffer) -> str:
        if buffer.role == "constant" and buffer not in self.pointers:
            self.pointers[buffer] = self._constant(buffer)
        buffer = self.program.shared.get(buffer, buffer)
        name = self.pointers[buffer]
        if buffer not in self.moving:
            return name
        pointer = self.name()
        self.add(f"{pointer} = load ptr, ptr {name}")
        return pointer

    def _constant(self, buffer: Buffer) -> str:
        if buffer.value.size > _IN_TEXT:
            self.program.constants.append(buffer.value)
            name, at = self.name(), self.name()
            number = word("slot") + SLOT + len(self.program.constants) - 1
            self.first.append(f"{at} = getelementptr ptr, ptr %ctx, i64 {number}")
            self.first.append(f"{name} = load ptr, ptr {at}")
            return name
        name = f"@constant{len(self.globals)}"
        kind = memory_type(buffer.type)
        flat = buffer.value.ravel().tolist()
        of = "u1" if buffer.type == "b1" else buffer.type
        items = ", ".join(f"{kind} {literal(x, of)}" for x in flat)
        self.globals.append(
            f"{name} = internal constant [{len(flat)} x {kind}] [{items}], align 64"
        )
        return name

    def _address(self, buffer: Buffer, offset: str) -> str:
        pointer, at = self._pointer(buffer), self.name()
        self.add(f"{at} = getelementptr {memory_type(buffer.type)}, ptr {pointer}, i64 {offset}")
        return at

    def _stored(self, value: str, type_: str) -> str:
        """Type and name of a value as it goes to memory."""
        if type_ != "b1":
            return f"{llvm_type(type_)} {value}"
        wide = self.name()
        self.add(f"{wide} = zext i1 {value} to i8")
        return f"i8 {wide}"

    def _store(self, s: Store) -> None:
        value = self.value(s.value)
        at = self._address(s.buffer, self.value(s.offset))
        self.add(f"store {self._stored(value, s.value.type)}, ptr {at}{self._group()}")

    def _group(self) -> str:
        return f", !llvm.access.group !{self.groups[-1]}" if self.groups else ""

    def _reserve(self, s: Reserve) -> None:
        """At least twice as much as before, so that it does not happen often."""
        pointer, room = self.pointers[s.buffer], self.rooms[s.buffer]
        names = [self.name() for _ in range(10)]
        size, old, short, twice, larger, more, function, present, new, failed = names
        grow, kept, go = self.labels("grow", "kept", "go")
        self.add(f"{size} = mul i64 {self.value(s.size)}, {size_in_bytes(s.buffer.type)}")
        self.add(f"{old} = load i64, ptr {room}")
        self.add(f"{short} = icmp sgt i64 {size}, {old}")
        self.add(f"br i1 {short}, label %{grow}, label %{go}{self._rarely()}")
        self.begin(grow)
        self.add(f"{twice} = mul i64 {old}, 2")
        self.add(f"{larger} = call i64 @llvm.smax.i64(i64 {size}, i64 {twice})")
        self.add(f"{more} = call i64 @llvm.smax.i64(i64 {larger}, i64 {_LEAST_ROOM})")
        self.intrinsic("i64 @llvm.smax.i64(i64, i64)")
        self.add(f"{function} = {self.context('PyMem_RawRealloc')}")
        self.add(f"{present} = load ptr, ptr {pointer}")
        self.add(f"{new} = call ptr {function}(ptr {present}, i64 {more})")
        self.add(f"{failed} = icmp eq ptr {new}, null")
        refuse = self.labels("refuse")[0]
        self.add(f"br i1 {failed}, label %{refuse}, label %{kept}{self._rarely()}")
        self.begin(refuse)
        self._leave(str(REFUSED))
        self.begin(kept)
        self.add(f"store ptr {new}, ptr {pointer}")
        self.add(f"store i64 {more}, ptr {room}")
        self.add(f"br label %{go}")
        self.begin(go)

    def _copy(self, s: Copy) -> None:
        size = product([*s.source.shape, size_in_bytes(s.source.type)])
        text = str(size) if isinstance(size, int) else self.value(size)
        target, source = self._pointer(s.target), self._pointer(s.source)
        self.intrinsic("void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        self.add(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {text}, i1 false)"
        )

    def _swap(self, s: Swap) -> None:
        one, other = self.name(), self.name()
        self.add(f"{one} = load ptr, ptr {self.pointers[s.one]}")
        self.add(f"{other} = load ptr, ptr {self.pointers[s.other]}")
        self.add(f"store ptr {other}, ptr {self.pointers[s.one]}")
        self.add(f"store ptr {one}, ptr {self.pointers[s.other]}")

    def _for(self, s: For) -> None:
        work = parts.work_of(self, s)
        if work is None:
            self._rounds(s, "0", self._size(s.size))
        else:
            parts.rounds(self, s, work)

    def _rounds(self, s: For, first: str, size: str) -> None:
        is_inner = not any(isinstance(x, For | PairwiseSum | While | Contract) for x in s.body)
        end = ""
        if is_inner and not s.serial:
            group = self.meta("distinct !{}")
            own = len(self.metadata)
            parallel = f'!{{!"llvm.loop.parallel_accesses", !{group}}}'
            self.meta(f"distinct !{{!{own}, !{own + 1}}}")
            self.meta(parallel)
            self.groups.append(group)
            end = f", !llvm.loop !{own}"
        with self._counted(s.index, first, size, 1, end):
            self._block(s.body)
        if end:
            self.groups.pop()

    @contextmanager
    def _counted(
        self, index: Register, first: str, size: str, step: int, end: str = ""
    ) -> Iterator[None]:
        """A loop `for index in range(first, size, step)`."""
        head, body, done = self.labels("head", "body", "done")
        before, i, following, going = self.label, self.name(), self.name(), self.name()
        self.add(f"br label %{head}")
        self.begin(head)
        at = len(self.lines)
        self.add(f"{going} = icmp slt i64 {i}, {size}")
        self.add(f"br i1 {going}, label %{body}, label %{done}")
        self.begin(body)
        self.places[index] = i
        yield
        self.known.clear()
        self.add(f"{following} = add nsw i64 {i}, {step}")
        self.lines.insert(at, f"  {i} = phi i64 [{first}, %{before}], [{following}, %{self.label}]")
        self.add(f"br label %{head}{end}")
        self.begin(done)

    def _if(self, s: If) -> None:
        condition = self.value(s.condition)
        yes, no, done = self.labels("yes", "no", "end")
        self.add(f"br i1 {condition}, label %{yes}, label %{no}")
        for label, block in ((yes, s.yes), (no, s.no)):
            self.begin(label)
            self.known.clear()
            self._block(block)
            self.add(f"br label %{done}")
        self.begin(done)

    def _while(self, s: While) -> None:
        test, body, done = self.labels("test", "round", "end")
        self.add(f"br label %{test}")
        self.begin(test)
        self._block(s.test)
        condition = self.value(s.condition)
        self.known.clear()
        self.add(f"br i1 {condition}, label %{body}, label %{done}")
        self.begin(body)
        self._block(s.body)
        self.add(f"br label %{test}")
        self.begin(done)

    def _poll(self, s: Poll) -> None:
        cost = self.value(s.cost)
        left, rest, is_spent = self.name(), self.name(), self.name()
        poll, go, stop = self.labels("poll", "go", "stop")
        self.add(f"{left} = load i64, ptr %work")
        self.add(f"{rest} = sub i64 {left}, {cost}")
        self.add(f"store i64 {rest}, ptr %work")
        self.add(f"{is_spent} = icmp slt i64 {rest}, 0")
        self.add(f"br i1 {is_spent}, label %{poll}, label %{go}{self._rarely()}")
        self.begin(poll)
        code, fails = self.name(), self.name()
        self.add(f"store i64 {BUDGET}, ptr %work")
        function = self.name()
        self.add(f"{function} = {self.context('poll')}")
        self.add(f"{code} = call i32 {function}(ptr %ctx, i64 {s.site})")
        self.add(f"{fails} = icmp ne i32 {code}, 0")
        self.add(f"br i1 {fails}, label %{stop}, label %{go}")
        self.begin(stop)
        self._leave(str(SET))
        self.begin(go)

    def _rarely(self) -> str:
        if self.rare is None:
            self.rare = self.meta('!{!"branch_weights", i32 1, i32 100000}')
        return f", !prof !{self.rare}"

    def _check(self, s: Check) -> None:
        failed = self.value(s.failed)
        stop, go = self.labels("fail", "go")
        self.add(f"br i1 {failed}, label %{stop}, label %{go}{self._rarely()}")
        kept = dict(self.known)
        self.begin(stop)
        for k, operand in enumerate(s.operands[:SLOT]):
            at = self.name()
            self.add(f"{at} = getelementptr i64, ptr %ctx, i64 {word('slot') + k}")
            self.add(f"store {self._stored(self.value(operand), operand.type)}, ptr {at}")
        self._leave(str(s.site))
        self.known = kept
        self.begin(go)

    # ---- parts -------------------------------------------------------------------------------

    def _contract(self, s: Contract) -> None:
        parts.contract(self, s)

    def _size(self, size: Dim) -> str:
        return str(size) if isinstance(size, int) else self.value(size)

    def _do(self, text: str) -> str:
        name = self.name()
        self.add(f"{name} = {text}")
        return name

    def _least(self, a: str, b: str) -> str:
        self.intrinsic("i64 @llvm.smin.i64(i64, i64)")
        return self._do(f"call i64 @llvm.smin.i64(i64 {a}, i64 {b})")

    def _most(self, a: str, b: str) -> str:
        self.intrinsic("i64 @llvm.smax.i64(i64, i64)")
        return self._do(f"call i64 @llvm.smax.i64(i64 {a}, i64 {b})")

    def _child(self, part: Part) -> _Writer:
        """The writer of a part."""
        child = _Writer(self.program)
        child.globals, child.functions = self.globals, self.functions
        child.contractions = self.contractions
        child.metadata, child.intrinsics = self.metadata, self.intrinsics
        child.places = part.registers(lambda register: llvm_type(register.type))
        child.pointers = part.buffers()
        child.around, child.part, child.rare = self, part, self.rare
        return child

    def _finish(self, child: _Writer, part: Part) -> str:
        """Keep the text of a part; its name."""
        name = name_of_part(len(self.functions))
        lines = [
            f"define internal void {name}(ptr %data, i64 %k) noinline {{",
            "entry:",
            *(f"  {line}" for line in (*part.entry, *child.first)),
            "  br label %start",
            "start:",
            *child.lines,
            "  ret void",
            "}",
        ]
        self.functions.append("\n".join(lines))
        return name

    # ---- sums --------------------------------------------------------------------------------

    def _pairwisesum(self, s: PairwiseSum) -> None:
        """NumPy adds the sum to zero."""
        if s.how != "sum":
            self._extreme(s)
            return
        kind, cell = llvm_type(s.cell.type), self._cell(s.cell)
        work = times(s.size, plus(1, cost(s.body)))
        if isinstance(s.size, int) and s.size <= _BLOCK:
            total = self._leaf(s, "0", str(s.size))
        elif isinstance(work, int) and work >= LARGE and self.around is None:
            total = parts.sum_of(self, s)
        else:
            self._halves(s, "0", self._size(s.size))
            total = self._do(f"load {kind}, ptr {cell}")
        whole = self._do(f"fadd {kind} {literal(0.0, s.cell.type)}, {total}")
        self.add(f"store {kind} {whole}, ptr {cell}")

    def _halves(self, s: PairwiseSum, begin: str, size: str) -> None:
        """Halves on a stack of (start, count, sum of the left half, whether that is known)."""
        kind, cell = llvm_type(s.cell.type), self._cell(s.cell)
        names = ["starts", "counts", "sums", "known", "depth", "start", "count"]
        start_of, count_of, sum_of, known_of, depth, start, count = (
            f"%{name}{self.count}" for name in names
        )
        for name, of in ((start_of, "i64"), (count_of, "i64"), (sum_of, kind), (known_of, "i8")):
            self.first.append(f"{name} = alloca [{_DEPTH} x {of}]")
        self.first += [f"{name} = alloca i64" for name in (depth, start, count)]
        self.add(f"store i64 0, ptr {depth}")
        self.add(f"store i64 {begin}, ptr {start}")
        self.add(f"store i64 {size}, ptr {count}")
        split, halve, leaf, up, look, left, add, done = self.labels(
            "split", "halve", "leaf", "up", "look", "left", "add", "done"
        )
        self.add(f"br label %{split}")

        def get(place: str, of: str = "i64") -> str:
            name = self.name()
            self.add(f"{name} = load {of}, ptr {place}")
            return name

        def do(text: str) -> str:
            name = self.name()
            self.add(f"{name} = {text}")
            return name

        def at(array: str, position: str, of: str) -> str:
            return do(f"getelementptr {of}, ptr {array}, i64 {position}")

        self.begin(split)
        n = get(count)
        self.add(f"br i1 {do(f'icmp sgt i64 {n}, {_BLOCK}')}, label %{halve}, label %{leaf}")
        self.begin(halve)
        first = do(f"and i64 {do(f'ashr i64 {n}, 1')}, -8")
        k, here = get(depth), get(start)
        self.add(f"store i64 {do(f'add i64 {here}, {first}')}, ptr {at(start_of, k, 'i64')}")
        self.add(f"store i64 {do(f'sub i64 {n}, {first}')}, ptr {at(count_of, k, 'i64')}")
        self.add(f"store i8 0, ptr {at(known_of, k, 'i8')}")
        self.add(f"store i64 {do(f'add i64 {k}, 1')}, ptr {depth}")
        self.add(f"store i64 {first}, ptr {count}")
        self.add(f"br label %{split}")
        self.begin(leaf)
        total = self._leaf(s, get(start), get(count))
        self.add(f"store {kind} {total}, ptr {cell}")
        self.add(f"br label %{up}")
        self.begin(up)
        k = get(depth)
        self.add(f"br i1 {do(f'icmp eq i64 {k}, 0')}, label %{done}, label %{look}")
        self.begin(look)
        top = do(f"sub i64 {k}, 1")
        is_known = do(f"icmp ne i8 {get(at(known_of, top, 'i8'), 'i8')}, 0")
        sum_at = at(sum_of, top, kind)
        self.add(f"br i1 {is_known}, label %{add}, label %{left}")
        self.begin(left)
        self.add(f"store {kind} {get(cell, kind)}, ptr {sum_at}")
        self.add(f"store i8 1, ptr {at(known_of, top, 'i8')}")
        self.add(f"store i64 {get(at(start_of, top, 'i64'))}, ptr {start}")
        self.add(f"store i64 {get(at(count_of, top, 'i64'))}, ptr {count}")
        self.add(f"br label %{split}")
        self.begin(add)
        both = do(f"fadd {kind} {get(sum_at, kind)}, {get(cell, kind)}")
        self.add(f"store {kind} {both}, ptr {cell}")
        self.add(f"store i64 {top}, ptr {depth}")
        self.add(f"br label %{up}")
        self.begin(done)

    def _extreme(self, s: PairwiseSum) -> None:
        """The largest or least element: of some vectors of eight at once, then of what is left."""
        size = str(s.size) if isinstance(s.size, int) else self.value(s.size)
        kind, cell = llvm_type(s.cell.type), self._cell(s.cell)
        vector, at_once = f"<{_LANES} x {kind}>", _LANES * _VECTORS
        best = [self.name() for _ in range(_VECTORS)]
        self.first += [f"{name} = alloca {vector}" for name in best]
        self.places[s.index] = "0"
        self._block(s.body)
        first = self.value(s.element)
        self.add(f"store {kind} {first}, ptr {cell}")
        self.known.clear()
        whole = self.name()
        self.add(f"{whole} = and i64 {size}, {-at_once}")
        has, lanes, after = self.name(), *self.labels("lanes", "after")
        self.add(f"{has} = icmp sge i64 {size}, {at_once}")
        self.add(f"br i1 {has}, label %{lanes}, label %{after}")
        self.begin(lanes)
        for k, name in enumerate(best):
            self.add(f"store {vector} {self._in_lanes(s, str(_LANES * k))}, ptr {name}")
        with self._counted(s.index, str(at_once), whole, at_once):
            start = self.places[s.index]
            for k, name in enumerate(best):
                here, old = self.name(), self.name()
                self.add(f"{here} = add i64 {start}, {_LANES * k}")
                value = self._in_lanes(s, here)
                self.add(f"{old} = load {vector}, ptr {name}")
                self.add(f"store {vector} {self._better(s, vector, old, value)}, ptr {name}")
            self.places[s.index] = start
        found = []
        for name in best:
            found.append(self.name())
            self.add(f"{found[-1]} = load {vector}, ptr {name}")
        while len(found) > 1:
            pairs = zip(found[::2], found[1::2], strict=True)
            found = [self._better(s, vector, x, y) for x, y in pairs]
        parts = []
        for k in range(_LANES):
            parts.append(self.name())
            self.add(f"{parts[-1]} = extractelement {vector} {found[0]}, i64 {k}")
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [self._better(s, kind, x, y) for x, y in pairs]
        self.add(f"store {kind} {parts[0]}, ptr {cell}")
        self.add(f"br label %{after}")
        self.begin(after)
        with self._counted(s.index, whole, size, 1):
            self._block(s.body)
            value, old = self.value(s.element), self.name()
            self.add(f"{old} = load {kind}, ptr {cell}")
            self.add(f"store {kind} {self._better(s, kind, old, value)}, ptr {cell}")

    def _better(self, s: PairwiseSum, kind: str, x: str, y: str) -> str:
        """The larger or the lesser of two values, or of eight pairs; a nan if there is one."""
        keeps, result = self.name(), self.name()
        truths = f"<{_LANES} x i1>" if kind.startswith("<") else "i1"
        if is_float(s.cell.type):
            is_better, is_nan = self.name(), self.name()
            self.add(f"{is_better} = fcmp o{s.how} {kind} {x}, {y}")
            self.add(f"{is_nan} = fcmp uno {kind} {x}, {x}")
            self.add(f"{keeps} = or {truths} {is_better}, {is_nan}")
        else:
            sign = "s" if is_signed(s.cell.type) else "u"
            self.add(f"{keeps} = icmp {sign}{s.how} {kind} {x}, {y}")
        self.add(f"{result} = select {truths} {keeps}, {kind} {x}, {kind} {y}")
        return result

    def _leaf(self, s: PairwiseSum, start: str, count: str) -> str:
        """The sum of at most 128 elements: by eights, then the rest one by one."""
        kind = llvm_type(s.cell.type)
        vector, sums, total = f"<{_LANES} x {kind}>", self.name(), self.name()
        self.first += [f"{sums} = alloca {vector}", f"{total} = alloca {kind}"]
        minus, eights, end = self.name(), self.name(), self.name()
        self.add(f"store {kind} {literal(-0.0, s.cell.type)}, ptr {total}")
        self.add(f"{end} = add i64 {start}, {count}")
        self.add(f"{minus} = and i64 {count}, -8")
        self.add(f"{eights} = add i64 {start}, {minus}")
        lanes, first, after = self.labels("lanes", "first", "after")
        has = self.name()
        self.add(f"{has} = icmp sgt i64 {count}, 7")
        self.add(f"br i1 {has}, label %{lanes}, label %{after}")
        self.begin(lanes)
        value = self._in_lanes(s, start)
        self.add(f"store {vector} {value}, ptr {sums}")
        second = self.name()
        self.add(f"{second} = add i64 {start}, {_LANES}")
        with self._counted(s.index, second, eights, _LANES):
            value = self._in_lanes(s, self.places[s.index])
            old, new = self.name(), self.name()
            self.add(f"{old} = load {vector}, ptr {sums}")
            self.add(f"{new} = fadd {vector} {old}, {value}")
            self.add(f"store {vector} {new}, ptr {sums}")
        self.add(f"br label %{first}")
        self.begin(first)
        found = self.name()
        self.add(f"{found} = load {vector}, ptr {sums}")
        parts = []
        for k in range(_LANES):
            parts.append(self.name())
            self.add(f"{parts[-1]} = extractelement {vector} {found}, i64 {k}")
        while len(parts) > 1:
            pairs = list(zip(parts[::2], parts[1::2], strict=True))
            parts = [self.name() for _ in pairs]
            for name, (x, y) in zip(parts, pairs, strict=True):
                self.add(f"{name} = fadd {kind} {x}, {y}")
        self.add(f"store {kind} {parts[0]}, ptr {total}")
        self.add(f"br label %{after}")
        self.begin(after)
        with self._counted(s.index, eights, end, 1):
            self._block(s.body)
            value, old, new = self.value(s.element), self.name(), self.name()
            self.add(f"{old} = load {kind}, ptr {total}")
            self.add(f"{new} = fadd {kind} {old}, {value}")
            self.add(f"store {kind} {new}, ptr {total}")
        result = self.name()
        self.add(f"{result} = load {kind}, ptr {total}")
        return result

    def _in_lanes(self, s: PairwiseSum, start: str) -> str:
        """Eight elements at once, as a vector."""
        self.lane, self.places[s.index] = s.index, start
        self._block(s.body)
        value = self._widened(self.value(s.element), s.element.type)
        self.known.clear()
        self.lane = None
        return value

    def _widened(self, value: str, type_: str) -> str:
        """A vector of eight; all of them are `value` if that is none."""
        if value in self.wide:
            return value
        kind = llvm_type(type_)
        one, all_ = self.name(), self.name()
        self.add(f"{one} = insertelement <{_LANES} x {kind}> poison, {kind} {value}, i64 0")
        self.add(
            f"{all_} = shufflevector <{_LANES} x {kind}> {one}, <{_LANES} x {kind}> poison, "
            f"<{_LANES} x i32> zeroinitializer"
        )
        self.wide.add(all_)
        return all_

    # ---- expressions -------------------------------------------------------------------------

    def value(self, x: Expr) -> str:
        """The name of the value, or a literal; what a statement shares is written once."""
        if x.function == "const":
            return literal(x.value, x.type)
        if x.function == "read" and isinstance(x.value, Register):
            return self.places[x.value]
        if x not in self.known:
            self.known[x] = self._computed(x)
        return self.known[x]

    def _computed(self, x: Expr) -> str:
        if x.function == "read":
            name = self.name()
            self.add(f"{name} = load {llvm_type(x.type)}, ptr {self._cell(x.value)}")
            return name
        if x.function == "load":
            return self._load(x)
        args = [self.value(a) for a in x.args]
        is_wide = any(a in self.wide for a in args)
        if is_wide:
            args = [self._widened(a, e.type) for a, e in zip(args, x.args, strict=True)]
        name = self.name()
        self.add(f"{name} = {self._operation(x, args, is_wide)}")
        if is_wide:
            self.wide.add(name)
        return name

    def _load(self, x: Expr) -> str:
        (offset,) = x.args
        if self.value(offset) in self.wide:
            return self._gathered(x)
        is_lanes = self.lane is not None and _depends(offset, self.lane)
        at = self._address(x.value, self.value(offset))
        kind, name = memory_type(x.type), self.name()
        of = f"<{_LANES} x {kind}>" if is_lanes else kind
        align = f", align {size_in_bytes(x.type)}" if is_lanes else ""
        self.add(f"{name} = load {of}, ptr {at}{align}{self._group()}")
        if x.type == "b1":
            truth = self.name()
            zero = "zeroinitializer" if is_lanes else "0"
            self.add(f"{truth} = icmp ne {of} {name}, {zero}")
            name = truth
        if is_lanes:
            self.wide.add(name)
        return name

    def _gathered(self, x: Expr) -> str:
        """Elements at eight places, which need not follow each other."""
        offsets, kind = self.value(x.args[0]), memory_type(x.type)
        result = "poison"
        for k in range(_LANES):
            offset, one, more = self.name(), self.name(), self.name()
            self.add(f"{offset} = extractelement <{_LANES} x i64> {offsets}, i64 {k}")
            at = self._address(x.value, offset)
            self.add(f"{one} = load {kind}, ptr {at}{self._group()}")
            self.add(f"{more} = insertelement <{_LANES} x {kind}> {result}, {kind} {one}, i64 {k}")
            result = more
        if x.type == "b1":
            truth = self.name()
            self.add(f"{truth} = icmp ne <{_LANES} x i8> {result}, zeroinitializer")
            result = truth
        self.wide.add(result)
        return result

    def _operation(self, x: Expr, args: list[str], is_wide: bool) -> str:
        def of(type_: str) -> str:
            kind = llvm_type(type_)
            return f"<{_LANES} x {kind}>" if is_wide else kind

        given = x.args[0].type
        function = x.function
        if function in _ORDERED:
            if is_float(given):
                return f"fcmp {_ORDERED[function]} {of(given)} {args[0]}, {args[1]}"
            sign = "" if function in ("eq", "ne") else "s" if is_signed(given) else "u"
            return f"icmp {sign}{function} {of(given)} {args[0]}, {args[1]}"
        if function == "select":
            return f"select {of('b1')} {args[0]}, {of(x.type)} {args[1]}, {of(x.type)} {args[2]}"
        if function == "cast":
            return f"{_conversion(given, x.type)} {of(given)} {args[0]} to {of(x.type)}"
        if function == "bitcast":
            return f"bitcast {of(given)} {args[0]} to {of(x.type)}"
        if function in _CHECKED:
            call = f"@llvm.{_CHECKED[function]}.with.overflow.i64"
            self.intrinsic(f"{{i64, i1}} {call}(i64, i64)")
            return f"call {{i64, i1}} {call}(i64 {args[0]}, i64 {args[1]})"
        if function in ("first", "second"):
            return f"extractvalue {{i64, i1}} {args[0]}, {int(function == 'second')}"
        if is_float(given):
            return self._of_floats(function, given, of(given), args, is_wide)
        return self._of_integers(function, given, of(given), args)

    def _of_floats(
        self, function: str, type_: str, kind: str, args: list[str], is_wide: bool
    ) -> str:
        if function in _FLOATING:
            return f"{_FLOATING[function]} {kind} {args[0]}, {args[1]}"
        if function == "neg":
            return f"fneg {kind} {args[0]}"
        suffix = f"f{_WIDTHS[type_]}"
        call = f"@llvm.{_INTRINSICS[function]}.{f'v{_LANES}{suffix}' if is_wide else suffix}"
        self.intrinsic(f"{kind} {call}({', '.join([kind] * len(args))})")
        return f"call {kind} {call}({', '.join(f'{kind} {a}' for a in args)})"

    @staticmethod
    def _of_integers(function: str, type_: str, kind: str, args: list[str]) -> str:
        if function in _INTEGER:
            return f"{_INTEGER[function]} {kind} {args[0]}, {args[1]}"
        if function == "quotient":
            return f"{'sdiv' if is_signed(type_) else 'udiv'} {kind} {args[0]}, {args[1]}"
        if function == "neg":
            zero = "zeroinitializer" if kind.startswith("<") else "0"
            return f"sub {kind} {zero}, {args[0]}"
        assert function == "not", function
        ones = f"splat (i{kind.split(' i')[-1].rstrip('>')} -1)" if kind.startswith("<") else "-1"
        ones = "true" if kind == "i1" else ones
        return f"xor {kind} {args[0]}, {ones}"


def _depends(x: Expr, register: Register) -> bool:
    """Whether an offset moves with the register: by 1, as all offsets of sums do."""
    if x.function == "read":
        return x.value is register
    return any(_depends(a, register) for a in x.args)


def _conversion(given: str, target: str) -> str:
    if is_float(given):
        if is_float(target):
            return "fpext" if target == "f8" else "fptrunc"
        return "fptosi" if is_signed(target) else "fptoui"
    if is_float(target):
        return "sitofp" if is_signed(given) else "uitofp"
    if given == "b1":
        return "zext"
    if int(target[1:]) < int(given[1:]):
        return "trunc"
    if int(target[1:]) == int(given[1:]):
        return "bitcast"
    return "sext" if is_signed(given) else "zext"
