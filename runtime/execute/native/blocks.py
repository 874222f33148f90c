"""Memory of native code that is kept from one call to the next.

What `malloc` gives for large pieces comes from the system anew each time, page by page; touching
them can take longer than the work that is done in them. So some blocks are kept when a call ends.

`ptr obtain(ctx, size)` gives a block, a kept one if there is one that fits, aligned to 64 bytes;
null where there is no memory. `ptr enlarge(ctx, block, size)` gives one with the same content, and
as much more room as there is: what grows will need it.
`release(ctx, block)` takes one back; null is none. All are called with the lock of the interpreter
held. A block has its capacity and the address that `malloc` gave in front of it.
"""

from __future__ import annotations

import ctypes
from functools import cache

from runtime.execute.native.cache import compiled
from runtime.execute.native.engine import QUICK, load
from runtime.execute.native.template import expanded

__all__ = ["FUNCTIONS", "MOST", "addresses", "blocks_text", "kept_bytes"]

FUNCTIONS = ("obtain", "enlarge", "release")
# Blocks smaller than these are left to `malloc`; so many bytes are kept at most, in so many blocks.
LEAST, MOST, PLACES = 1 << 16, 1 << 26, 16
_PLACE = 16


@cache
def _state() -> ctypes.Array[ctypes.c_int64]:
    """How many bytes are kept; then each block and its capacity, 0 where there is none."""
    return (ctypes.c_int64 * (2 + 2 * PLACES))()


def kept_bytes() -> int:
    """The bytes of the blocks that are kept now."""
    return int(_state()[0])


@cache
def addresses() -> dict[str, int]:
    """The addresses of the functions, and of what they keep."""
    code = load(compiled(blocks_text(), QUICK))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))
    found = {name: code.address(name) for name in FUNCTIONS}
    return {**found, "blocks": ctypes.addressof(_state())}


def blocks_text() -> str:
    """The functions as LLVM IR."""
    return expanded(_TEXT, {"LEAST": LEAST, "MOST": MOST, "PLACES": PLACES, "PLACE": _PLACE})


_TEXT = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

; A kept block that has room for a size, and is not larger than a limit; null if there is none.
define internal ptr @find(ptr %ctx, i64 %size, i64 %limit) {
entry:
  %blocks = word blocks
  %first = getelementptr i8, ptr %blocks, i64 $PLACE
  %kept.now = load i64, ptr %blocks
  %is.any = icmp sge i64 %kept.now, %size
  %is.large = icmp sge i64 %size, $LEAST
  %may.be = and i1 %is.any, %is.large
  br i1 %may.be, label %head, label %none
head:
  %k = phi i64 [ 0, %entry ], [ %next, %other ]
  %going = icmp slt i64 %k, $PLACES
  br i1 %going, label %look, label %none
look:
  %shift = mul i64 %k, $PLACE
  %place = getelementptr i8, ptr %first, i64 %shift
  %capacity.at = getelementptr i8, ptr %place, i64 8
  %capacity = load i64, ptr %capacity.at
  %is.enough = icmp sge i64 %capacity, %size
  %is.near = icmp sle i64 %capacity, %limit
  %fits = and i1 %is.enough, %is.near
  br i1 %fits, label %take, label %other
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
  %found = call ptr @find(ptr %ctx, i64 %size, i64 %limit)
  %is.found = icmp ne ptr %found, null
  br i1 %is.found, label %done, label %new
done:
  ret ptr %found
new:
  %malloc = word PyMem_RawMalloc
  %more = add i64 %size, 128
  %raw = call ptr %malloc(i64 %more)
  %failed = icmp eq ptr %raw, null
  br i1 %failed, label %none, label %made
made:
  %address = ptrtoint ptr %raw to i64
  %up = add i64 %address, 127
  %aligned = and i64 %up, -64
  %fresh = inttoptr i64 %aligned to ptr
  %raw.at = getelementptr i8, ptr %fresh, i64 -16
  %size.at = getelementptr i8, ptr %fresh, i64 -8
  store ptr %raw, ptr %raw.at
  store i64 %size, ptr %size.at
  ret ptr %fresh
none:
  ret ptr null
}

define internal void @give(ptr %ctx, ptr %block) {
  %free = word PyMem_RawFree
  %raw.at = getelementptr i8, ptr %block, i64 -16
  %raw = load ptr, ptr %raw.at
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
  %going = icmp slt i64 %k, $PLACES
  br i1 %going, label %look, label %done
look:
  %shift = mul i64 %k, $PLACE
  %place = getelementptr i8, ptr %first, i64 %shift
  %capacity.at = getelementptr i8, ptr %place, i64 8
  %capacity = load i64, ptr %capacity.at
  %is.there = icmp sgt i64 %capacity, 0
  br i1 %is.there, label %drop, label %rest
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
  ret void
}

; Keeps a block where there is a place for it.
define internal i1 @keep(ptr %ctx, ptr %block, i64 %size) {
entry:
  %blocks = word blocks
  %first = getelementptr i8, ptr %blocks, i64 $PLACE
  %kept = load i64, ptr %blocks
  %all = add i64 %kept, %size
  %is.much = icmp sgt i64 %all, $MOST
  br i1 %is.much, label %none, label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %other ]
  %going = icmp slt i64 %k, $PLACES
  br i1 %going, label %look, label %none
look:
  %shift = mul i64 %k, $PLACE
  %place = getelementptr i8, ptr %first, i64 %shift
  %capacity.at = getelementptr i8, ptr %place, i64 8
  %capacity = load i64, ptr %capacity.at
  %is.there = icmp sgt i64 %capacity, 0
  br i1 %is.there, label %other, label %put
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
  %is.none = icmp eq ptr %block, null
  br i1 %is.none, label %done, label %look
look:
  %size.at = getelementptr i8, ptr %block, i64 -8
  %size = load i64, ptr %size.at
  %is.small = icmp slt i64 %size, $LEAST
  %is.large = icmp sgt i64 %size, $MOST
  %is.odd = or i1 %is.small, %is.large
  br i1 %is.odd, label %drop, label %try
try:
  %is.kept = call i1 @keep(ptr %ctx, ptr %block, i64 %size)
  br i1 %is.kept, label %done, label %anew
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

define ptr @enlarge(ptr %ctx, ptr %block, i64 %size) {
entry:
  %found = call ptr @find(ptr %ctx, i64 %size, i64 $MOST)
  %is.found = icmp ne ptr %found, null
  br i1 %is.found, label %had, label %fresh
fresh:
  %made = call ptr @obtain(ptr %ctx, i64 %size)
  br label %had
had:
  %new = phi ptr [ %found, %entry ], [ %made, %fresh ]
  %is.none = icmp eq ptr %new, null
  %is.first = icmp eq ptr %block, null
  %is.done = or i1 %is.none, %is.first
  br i1 %is.done, label %done, label %copy
copy:
  %size.at = getelementptr i8, ptr %block, i64 -8
  %old = load i64, ptr %size.at
  %is.less = icmp slt i64 %old, %size
  %count = select i1 %is.less, i64 %old, i64 %size
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %block, i64 %count, i1 false)
  call void @release(ptr %ctx, ptr %block)
  br label %done
done:
  ret ptr %new
}
"""
