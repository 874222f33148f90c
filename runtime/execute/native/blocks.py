"""Memory of native code that is kept from one call to the next.

What `malloc` gives for large pieces comes from the system anew each time, page by page; touching
them can take longer than the work that is done in them. So some blocks are kept when a call ends.

`ptr obtain(ctx, size)` gives a block, a kept one if there is one that fits, aligned to 64 bytes;
null where there is no memory. `ptr enlarge(ctx, block, size)` gives one with the same content, and
as much more room as there is, but for the first: what grows will need it.
`release(ctx, block)` takes one back; null is none. All are called with the lock of the interpreter
held. A block has its capacity and the address that `malloc` gave in front of it.

Large results are made in such blocks, too: NumPy lets who makes an array say by which functions its
memory is obtained and released (`PyDataMem_SetHandler`, NumPy's enhancement proposal 49).
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import TypeVar

from runtime.execute.native.cache import compiled, is_kept
from runtime.execute.native.context import Context
from runtime.execute.native.engine import QUICK, Loaded, load
from runtime.execute.native.objects import Linked
from runtime.execute.native.template import expanded

__all__ = [
    "FUNCTIONS",
    "LEAST",
    "MOST",
    "PATIENCE",
    "ROOM",
    "addresses",
    "blocks_text",
    "bring_in",
    "kept_bytes",
    "memory_of_arrays",
]

FUNCTIONS = ("obtain", "enlarge", "release")
# In the order in which NumPy names them.
OF_ARRAYS = ("array_malloc", "array_calloc", "array_realloc", "array_free")
# Blocks smaller than these are left to `malloc`; so many bytes are kept at most, in so many blocks.
LEAST, MOST, PLACES = 1 << 16, 1 << 29, 32
# What grows has so much room at first, as memory that is not touched costs nothing: to copy the
# stacks of a loop of forty rounds as they grew took as long as the loop.
ROOM = 1 << 18
# So many blocks that find no room make room for others.
PATIENCE = 64
# Blocks from this size on are made of large pages where the system has them (NumPy's limit, too):
# touching small ones for the first time takes as long as computing what is put there.
_HUGE, _ADVICE = 1 << 22, 14  # MADV_HUGEPAGE of Linux
_PLACE = 16

T = TypeVar("T")


@cache
def _state() -> ctypes.Array[ctypes.c_int64]:
    """How many bytes are kept, and how often there was no room for more; then each block and its
    capacity, 0 where there is none.
    """
    return _forever((ctypes.c_int64 * (2 + 2 * PLACES))())


def _forever(thing: T) -> T:
    """The thing, which stays: arrays are freed when the interpreter has let go of all else."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
    return thing


def kept_bytes() -> int:
    """The bytes of the blocks that are kept now."""
    return int(_state()[0])


@cache
def _code() -> Loaded | Linked:
    return _forever(load(compiled(blocks_text(), QUICK)))


def bring_in() -> None:
    """Have the functions ready, if they are kept."""
    if is_kept(blocks_text(), QUICK):
        addresses()


@cache
def addresses() -> dict[str, int]:
    """The addresses of the functions, and of what they keep."""
    found = {name: _code().address(name) for name in FUNCTIONS}
    return {**found, "blocks": ctypes.addressof(_state())}


class _Handler(ctypes.Structure):
    """NumPy's `PyDataMem_Handler`."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("ctx", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in OF_ARRAYS),
    )


@cache
def memory_of_arrays() -> int:
    """The address of the object that tells NumPy of the functions for arrays."""
    words = Context.of_the_process(addresses())
    functions = [_code().address(name) for name in OF_ARRAYS]
    handler = _Handler(b"autograph", 1, ctypes.addressof(words), *functions)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    name = b"mem_handler"
    capsule = new(ctypes.addressof(handler), name, None)
    # Arrays hold the capsule, which holds nothing.
    return id(list(map(_forever, (words, handler, name, capsule)))[-1])


def blocks_text() -> str:
    """The functions as LLVM IR."""
    advise = _ON_LINUX if sys.platform == "linux" else _ELSEWHERE
    names = {"LEAST": LEAST, "MOST": MOST, "PLACES": PLACES, "PLACE": _PLACE, "PATIENCE": PATIENCE}
    more = {"ROOM": ROOM, "HUGE": _HUGE, "ADVICE": _ADVICE}
    return expanded(advise + _TEXT, {**names, **more})


# Whole pages of a block, which begins on no page's border.
_ON_LINUX = """
declare i32 @madvise(ptr, i64, i32)

define internal void @advise(ptr %block, i64 %size) {
  %is.huge = icmp sge i64 %size, $HUGE ? huge : done
huge:
  %address = ptrtoint ptr %block to i64
  %up = add i64 %address, 4095
  %first = and i64 %up, -4096
  %page = inttoptr i64 %first to ptr
  %less = sub i64 %size, 4096
  %code = call i32 @madvise(ptr %page, i64 %less, i32 $ADVICE)
  br label %done
done:
  ret void
}
"""

_ELSEWHERE = """
define internal void @advise(ptr %block, i64 %size) {
  ret void
}
"""

_TEXT = """
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; An array may be held for long: little of its block is left over.
define ptr @array_malloc(ptr %ctx, i64 %size) {
  %part = lshr i64 %size, 3
  %limit = add i64 %size, %part
  %block = call ptr @obtain_within(ptr %ctx, i64 %size, i64 %limit)
  ret ptr %block
}

define ptr @array_calloc(ptr %ctx, i64 %count, i64 %each) {
  %both = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %count, i64 %each)
  %size = extractvalue { i64, i1 } %both, 0
  %is.much = extractvalue { i64, i1 } %both, 1 ? none : get
get:
  %block = call ptr @array_malloc(ptr %ctx, i64 %size)
  %failed = icmp eq ptr %block, null ? none : clear
clear:
  call void @llvm.memset.p0.i64(ptr %block, i8 0, i64 %size, i1 false)
  ret ptr %block
none:
  ret ptr null
}

declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)

define ptr @array_realloc(ptr %ctx, ptr %block, i64 %size) {
  %new = call ptr @array_malloc(ptr %ctx, i64 %size)
  call void @move(ptr %ctx, ptr %block, ptr %new, i64 %size)
  ret ptr %new
}

define void @array_free(ptr %ctx, ptr %block, i64 %size) {
  call void @release(ptr %ctx, ptr %block)
  ret void
}

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; A kept block that has room for a size, and is not larger than a limit; null if there is none.
define internal ptr @find(ptr %ctx, i64 %size, i64 %limit) {
entry:
  %blocks = word blocks
  %first = getelementptr i8, ptr %blocks, i64 $PLACE
  %kept.now = load i64, ptr %blocks
  %is.any = icmp sge i64 %kept.now, %size
  %is.large = icmp sge i64 %size, $LEAST
  %may.be = and i1 %is.any, %is.large ? head : none
head:
  %k = phi i64 [ 0, %entry ], [ %next, %other ]
  %going = icmp slt i64 %k, $PLACES ? look : none
look:
  %shift = mul i64 %k, $PLACE
  %place = getelementptr i8, ptr %first, i64 %shift
  %capacity = field i64 %place, 8
  %is.enough = icmp sge i64 %capacity, %size
  %is.near = icmp sle i64 %capacity, %limit
  %fits = and i1 %is.enough, %is.near ? take : other
other:
  %next = add i64 %k, 1
  br label %head
take:
  %block = load ptr, ptr %place
  store i64 0, ptr %capacity.at
  %kept = load i64, ptr %blocks
  %less = sub i64 %kept, %capacity
  store i64 %less, ptr %blocks
  ret ptr %block
none:
  ret ptr null
}

define ptr @obtain(ptr %ctx, i64 %size) {
  %most = add i64 %size, $LEAST
  %limit = mul i64 %most, 4
  %block = call ptr @obtain_within(ptr %ctx, i64 %size, i64 %limit)
  ret ptr %block
}

define internal ptr @obtain_within(ptr %ctx, i64 %size, i64 %limit) {
  %found = call ptr @find(ptr %ctx, i64 %size, i64 %limit)
  %is.found = icmp ne ptr %found, null ? done : new
done:
  ret ptr %found
new:
  %malloc = word PyMem_RawMalloc
  %more = add i64 %size, 128
  %raw = call ptr %malloc(i64 %more)
  %failed = icmp eq ptr %raw, null ? none : made
made:
  %address = ptrtoint ptr %raw to i64
  %up = add i64 %address, 127
  %aligned = and i64 %up, -64
  %fresh = inttoptr i64 %aligned to ptr
  %raw.at = getelementptr i8, ptr %fresh, i64 -16
  %size.at = getelementptr i8, ptr %fresh, i64 -8
  store ptr %raw, ptr %raw.at
  store i64 %size, ptr %size.at
  call void @advise(ptr %fresh, i64 %size)
  ret ptr %fresh
none:
  ret ptr null
}

define internal void @give(ptr %ctx, ptr %block) {
  %free = word PyMem_RawFree
  %raw = field ptr %block, -16
  call void %free(ptr %raw)
  ret void
}

; Gives all that is kept back.
define internal void @clear(ptr %ctx) {
entry:
  %blocks = word blocks
  %first = getelementptr i8, ptr %blocks, i64 $PLACE
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %rest ]
  %going = icmp slt i64 %k, $PLACES ? look : done
look:
  %shift = mul i64 %k, $PLACE
  %place = getelementptr i8, ptr %first, i64 %shift
  %capacity = field i64 %place, 8
  %is.there = icmp sgt i64 %capacity, 0 ? drop : rest
drop:
  %block = load ptr, ptr %place
  call void @give(ptr %ctx, ptr %block)
  store i64 0, ptr %capacity.at
  br label %rest
rest:
  %next = add i64 %k, 1
  br label %head
done:
  store i64 0, ptr %blocks
  %crowded.at = getelementptr i8, ptr %blocks, i64 8
  store i64 0, ptr %crowded.at
  ret void
}

; Keeps a block where there is a place for it.
define internal i1 @keep(ptr %ctx, ptr %block, i64 %size) {
entry:
  %blocks = word blocks
  %first = getelementptr i8, ptr %blocks, i64 $PLACE
  %kept = load i64, ptr %blocks
  %all = add i64 %kept, %size
  %is.much = icmp sgt i64 %all, $MOST ? none : head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %other ]
  %going = icmp slt i64 %k, $PLACES ? look : none
look:
  %shift = mul i64 %k, $PLACE
  %place = getelementptr i8, ptr %first, i64 %shift
  %capacity = field i64 %place, 8
  %is.there = icmp sgt i64 %capacity, 0 ? other : put
other:
  %next = add i64 %k, 1
  br label %head
put:
  store ptr %block, ptr %place
  store i64 %size, ptr %capacity.at
  store i64 %all, ptr %blocks
  ret i1 true
none:
  ret i1 false
}

define void @release(ptr %ctx, ptr %block) {
entry:
  %is.none = icmp eq ptr %block, null ? done : look
look:
  %size = field i64 %block, -8
  %is.small = icmp slt i64 %size, $LEAST
  %is.large = icmp sgt i64 %size, $MOST
  %is.odd = or i1 %is.small, %is.large ? drop : try
try:
  %is.kept = call i1 @keep(ptr %ctx, ptr %block, i64 %size) ? done : crowded
crowded:
  ; What is kept may be of no use any more: it goes when it has been in the way for a while.
  %blocks = word blocks
  %crowded.at = getelementptr i8, ptr %blocks, i64 8
  %before = load i64, ptr %crowded.at
  %now = add i64 %before, 1
  store i64 %now, ptr %crowded.at
  %is.stale = icmp sge i64 %now, $PATIENCE ? anew : drop
anew:
  call void @clear(ptr %ctx)
  %is.kept.now = call i1 @keep(ptr %ctx, ptr %block, i64 %size)
  ret void
drop:
  call void @give(ptr %ctx, ptr %block)
  ret void
done:
  ret void
}

; Many need no more than the first: they leave what is much larger to others.
define ptr @enlarge(ptr %ctx, ptr %block, i64 %size) {
entry:
  %near = mul i64 $ROOM, 4
  %is.first = icmp sle i64 %size, $ROOM
  %limit = select i1 %is.first, i64 %near, i64 $MOST
  %found = call ptr @find(ptr %ctx, i64 %size, i64 %limit)
  %is.found = icmp ne ptr %found, null ? had : fresh
fresh:
  %made = call ptr @obtain(ptr %ctx, i64 %size)
  br label %had
had:
  %new = phi ptr [ %found, %entry ], [ %made, %fresh ]
  call void @move(ptr %ctx, ptr %block, ptr %new, i64 %size)
  ret ptr %new
}

; The content of a block into another that has room for a size; nothing if there is none of the two.
define internal void @move(ptr %ctx, ptr %block, ptr %new, i64 %size) {
  %is.none = icmp eq ptr %new, null
  %is.first = icmp eq ptr %block, null
  %is.done = or i1 %is.none, %is.first ? done : copy
copy:
  %old = field i64 %block, -8
  %is.less = icmp slt i64 %old, %size
  %count = select i1 %is.less, i64 %old, i64 %size
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %block, i64 %count, i1 false)
  call void @release(ptr %ctx, ptr %block)
  br label %done
done:
  ret void
}
"""
