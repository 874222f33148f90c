"""The memory of a call as LLVM IR: the arena of its buffers, and pieces that grow."""

from __future__ import annotations

from runtime.execute.native.blocks import ROOM
from runtime.execute.native.context import HEAP, word
from runtime.execute.native.entry import REFUSED, SET
from runtime.execute.native.layout import DATA
from runtime.lowering.kernels.arena import lives, offsets
from runtime.lowering.kernels.kernel import (
    Allocate,
    Buffer,
    Call,
    Copy,
    Dim,
    MakeArray,
    Move,
    Poll,
    Program,
    Reserve,
    Swap,
    allocated_in,
    product,
    walk,
)
from runtime.lowering.kernels.scalar import size_in_bytes
from runtime.lowering.llvm.values import Values

__all__ = ["BUDGET", "Memory"]

# About how many operations are done between two looks for signals: less than a millisecond.
BUDGET = 1 << 19
# Bytes of arrays of a call that are kept on the stack; less where Python code may call it again.
_ON_STACK, _WHERE_DEEP = 1 << 15, 1 << 12
# More elements than any memory has.
_MOST = 1 << 44
# Where the address of the arena is kept.
_OWNED = f"{HEAP}.owned"


def _bytes(buffer: Buffer) -> Dim:
    """How many bytes a buffer takes."""
    room = buffer.shape if buffer.room is None else [buffer.room]
    return product([*room, size_in_bytes(buffer.type)])


class Memory(Values):
    """What makes, moves and frees memory."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.rooms: dict[Buffer, str] = {}
        self.on_heap = False
        # Whether a function that calls itself is being written.
        self.is_recursive = False

    def _memory(self) -> None:
        """Give each buffer of the call's own memory a place in one piece of it."""
        statements = list(walk(self.program.body))
        self.moving = {
            buffer for s in statements if isinstance(s, Swap) for buffer in (s.one, s.other)
        }
        self._stacks([s.buffer for s in statements if isinstance(s, Reserve)])
        allocated = [s.buffer for s in statements if isinstance(s, Allocate)]
        called = {b for s in statements if isinstance(s, Call) for b in allocated_in(s.function)}
        own = [b for b in allocated if b.role == "own" and b not in called]
        if any(isinstance(s, Poll) for s in statements):
            self.first += ["%work = alloca i64", f"store i64 {BUDGET}, ptr %work"]
        if not own:
            return
        sizes = {b: _bytes(b) for b in own}
        known = {b: size for b, size in sizes.items() if isinstance(size, int)}
        places = offsets(known, lives(self.program))
        total = str(max(places[b] + size for b, size in known.items()) if known else 0)
        is_deep = any(called.node.op.effect is not None for called in self.program.outside)
        most = _WHERE_DEEP if is_deep else _ON_STACK
        self.on_heap = len(known) < len(sizes) or int(total) > most
        if not self.on_heap:
            self.first.append(f"%arena = alloca [{max(int(total), 1)} x i8], align 64")
        where = {buffer: str(place) for buffer, place in places.items()}
        total = self._after("0", int(total))
        for buffer, size in sizes.items():
            if buffer not in known:
                where[buffer] = total
                total = self._after(total, size)
        if self.on_heap:
            self._arena(total)
        for buffer, offset in where.items():
            name = self.name()
            self.add(f"{name} = getelementptr i8, ptr %arena, i64 {offset}")
            if buffer not in known:
                name = self.unseen("ptr", name)
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
        self.first += [f"{_OWNED} = alloca ptr", f"store ptr null, ptr {_OWNED}"]
        function = self.do(self.context("obtain"))
        self.add(f"%arena = call ptr {function}(ptr %ctx, i64 {total})")
        self._refuse_without("%arena")
        self.add(f"store ptr %arena, ptr {_OWNED}")

    def _refuse_without(self, pointer: str) -> None:
        """Leave the call to the plan where there is no memory."""
        refuse, go = self.labels("refuse", "go")
        failed = self.do(f"icmp eq ptr {pointer}, null")
        self.add(f"br i1 {failed}, label %{refuse}, label %{go}{self._rarely()}")
        computed = self.computed
        self.begin(refuse)
        if self.program.has_effects:  # they must not happen twice
            function = self.do(self.context("PyErr_NoMemory"))
            self.do(f"call ptr {function}()")
        self._leave(str(SET if self.program.has_effects else REFUSED))
        self.begin(go, computed)

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
            owned.append(_OWNED)
        if not owned:
            return []
        lines = [
            f"  {HEAP}.at = getelementptr ptr, ptr %ctx, i64 {word('release')}",
            f"  {HEAP}.release = load ptr, ptr {HEAP}.at",
        ]
        for k, place in enumerate(owned):
            lines.append(f"  {HEAP}.out{k} = load ptr, ptr {place}")
            lines.append(f"  call void {HEAP}.release(ptr %ctx, ptr {HEAP}.out{k})")
        return lines

    def _allocate(self, s: Allocate) -> None:
        """All memory was had at the start, but for what a thread or call needs for itself."""
        if self.around is not None or self.is_recursive:
            self.pointers[s.buffer] = self.name()
            room = f"alloca [{_bytes(s.buffer)} x i8], align 64"
            self.first.append(f"{self.pointers[s.buffer]} = {room}")

    def _reserve(self, s: Reserve) -> None:
        """At least twice as much as before, and a block that is kept, so that it is done seldom."""
        pointer, room = self.pointers[s.buffer], self.rooms[s.buffer]
        count, each = self.value(s.size), size_in_bytes(s.buffer.type)
        old = self.do(f"load i64, ptr {room}")
        has = self.do(f"udiv i64 {old}, {each}")
        is_short = self.do(f"icmp ugt i64 {count}, {has}")
        grow, go = self.labels("grow", "go")
        self.add(f"br i1 {is_short}, label %{grow}, label %{go}{self._rarely()}")
        computed = self.computed
        self.begin(grow)
        size = self.do(f"mul i64 {count}, {each}")
        is_large = self.do(f"icmp ugt i64 {count}, {_MOST}")  # so that there is none
        size = self.do(f"select i1 {is_large}, i64 {1 << 62}, i64 {size}")
        more = self.most(self.most(size, self.do(f"mul i64 {old}, 2")), str(ROOM))
        function = self.do(self.context("enlarge"))
        present = self.do(f"load ptr, ptr {pointer}")
        new = self.do(f"call ptr {function}(ptr %ctx, ptr {present}, i64 {more})")
        self._refuse_without(new)
        self.add(f"store ptr {new}, ptr {pointer}")
        capacity = self.do(f"getelementptr i8, ptr {new}, i64 -8")
        self.add(f"store i64 {self.do(f'load i64, ptr {capacity}')}, ptr {room}")
        self.add(f"br label %{go}")
        self.begin(go, computed)

    def _move(self, s: Move) -> None:
        size = self._size(product([s.size, size_in_bytes(s.source.type)]))
        source = self._address(s.source, self.value(s.begin))
        self._moved(self._address(s.target, self.value(s.to)), source, size)

    def _makearray(self, s: MakeArray) -> None:
        """Have NumPy make an array; the word of the result gets its address."""
        dims, rank = self.name(), len(s.shape)
        self.first.append(f"{dims} = alloca [{rank} x i64]")
        for k, n in enumerate(s.shape):
            at = self.do(f"getelementptr i64, ptr {dims}, i64 {k}")
            self.add(f"store i64 {self._size(n)}, ptr {at}")
        dtype = self.program.results[s.result].type.dtype
        make, type_ = self.do(self.context("PyArray_New")), self.do(self.context("ndarray"))
        array = self.do(
            f"call ptr {make}(ptr {type_}, i32 {rank}, ptr {dims}, i32 {dtype.num}, "
            "ptr null, ptr null, i32 0, i32 0, ptr null)"
        )
        code = self.do(f"select i1 {self.do(f'icmp eq ptr {array}, null')}, i64 {SET}, i64 0")
        self._leave_unless_done(code)
        data = self.do(f"load ptr, ptr {self.do(f'getelementptr i8, ptr {array}, i64 {DATA}')}")
        source = self._address(s.buffer, self.value(s.begin))
        bytes_ = product([*s.shape, dtype.itemsize])
        self._moved(data, source, self._size(bytes_))
        self.add(f"store ptr {array}, ptr %out{s.result}")

    def _copy(self, s: Copy) -> None:
        size = product([*s.source.shape, size_in_bytes(s.source.type)])
        text = str(size) if isinstance(size, int) else self.value(size)
        self._moved(self._pointer(s.target), self._pointer(s.source), text)

    def _moved(self, target: str, source: str, size: str) -> None:
        self.intrinsic("void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        self.add(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)"
        )

    def _swap(self, s: Swap) -> None:
        one, other = self.name(), self.name()
        self.add(f"{one} = load ptr, ptr {self.pointers[s.one]}")
        self.add(f"{other} = load ptr, ptr {self.pointers[s.other]}")
        self.add(f"store ptr {other}, ptr {self.pointers[s.one]}")
        self.add(f"store ptr {one}, ptr {self.pointers[s.other]}")
