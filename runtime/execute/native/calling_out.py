"""How native code has Python compute something, as LLVM IR.

`i64 call_out(ctx, number, row)`: the word `outside` of the context has, at that number, what is
called: (function, function that mends what it gives, function that is told of an error, number of
operands, of results, whether operands are views of the memory of the call); then five words for
each operand, as the entry has them for results, and five for each result, as it has them for
arguments. The row has for each operand its value, or the address of its elements and its sizes; for
each result a word for its value, or the address that it goes to and the sizes that it must have.
"""

from __future__ import annotations

import ctypes
from functools import cache

from runtime.execute.native.cache import compiled
from runtime.execute.native.engine import QUICK, load
from runtime.execute.native.entry import module_of
from runtime.execute.native.failing import FAILING
from runtime.execute.native.giving import GIVING
from runtime.execute.native.taking import TAKING

__all__ = ["address", "calling_out_text"]


@cache
def address() -> int:
    """The address of the function."""
    code = load(compiled(calling_out_text(), QUICK))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))
    return code.address("call_out")


def calling_out_text() -> str:
    """The module, which few graphs need: what it has in common with the entry stands in both."""
    return module_of(TAKING, GIVING, FAILING, _CALLING_OUT)


_CALLING_OUT = """
; The number of elements of an array.
define internal i64 @elements(ptr %dims, i64 %rank) {
entry:
  br label %head
head:
  %axis = phi i64 [ 0, %entry ], [ %next, %body ]
  %product = phi i64 [ 1, %entry ], [ %more, %body ]
  %going = icmp slt i64 %axis, %rank ? body : done
body:
  %size = item i64 %dims, %axis
  %more = mul i64 %product, %size
  %next = add i64 %axis, 1
  br label %head
done:
  ret i64 %product
}

; An operand as an object: a scalar, or an array of its own, or a view.
define internal ptr @handed(ptr %ctx, ptr %spec, ptr %place, i1 %is.view) {
  %kind = load i64, ptr %spec
  %is.array = icmp eq i64 %kind, 4 ? array : scalar
scalar:
  %box = call ptr @box(ptr %ctx, ptr %spec, ptr %place)
  ret ptr %box
array:
  %dims = getelementptr i64, ptr %place, i64 1
  br i1 %is.view, label %view, label %copy
view:
  %make = word PyArray_New
  %type = word ndarray
  %number = item i64 %spec, 2
  %number.short = trunc i64 %number to i32
  %axes = item i64 %spec, 3
  %axes.short = trunc i64 %axes to i32
  %memory = load ptr, ptr %place
  %seen = call ptr %make(ptr %type, i32 %axes.short, ptr %dims, i32 %number.short, ptr null,
                         ptr %memory, i32 0, i32 $WRITEABLE, ptr null)
  ret ptr %seen
copy:
  %made = call ptr @new_array(ptr %ctx, ptr %spec, ptr %dims)
  %is.made = icmp ne ptr %made, null ? fill : done
fill:
  %rank = item i64 %spec, 3
  %bytes = item i64 %spec, 4
  %count = call i64 @elements(ptr %dims, i64 %rank)
  %size = mul i64 %count, %bytes
  %data = field ptr %made, $DATA
  %source = load ptr, ptr %place
  call void @llvm.memcpy.p0.p0.i64(ptr %data, ptr %source, i64 %size, i1 false)
  br label %done
done:
  ret ptr %made
}

; Gives views that somebody kept, of which there should be none, memory that nobody takes back.
define internal void @part_from(ptr %ctx, ptr %args, ptr %specs, i64 %count) {
entry:
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %done ]
  %going = icmp slt i64 %k, %count ? look : end
look:
  %thing = item ptr %args, %k
  %shift = mul i64 %k, 5
  %spec = getelementptr i64, ptr %specs, i64 %shift
  %kind = load i64, ptr %spec
  %is.array = icmp eq i64 %kind, 4
  %references = load i32, ptr %thing
  %is.held = icmp ne i32 %references, 1
  %is.kept = and i1 %is.array, %is.held ? copy : done
copy:
  %dims = field ptr %thing, $DIMENSIONS
  %rank = item i64 %spec, 3
  %bytes = item i64 %spec, 4
  %elements = call i64 @elements(ptr %dims, i64 %rank)
  %size = mul i64 %elements, %bytes
  %malloc = word PyMem_RawMalloc
  %memory = call ptr %malloc(i64 %size)
  %data = field ptr %thing, $DATA
  call void @llvm.memcpy.p0.p0.i64(ptr %memory, ptr %data, i64 %size, i1 false)
  store ptr %memory, ptr %data.at
  br label %done
done:
  %next = add i64 %k, 1
  br label %head
end:
  ret void
}

; Copies a result to where it goes; false where it is not what it must be.
define internal i1 @received(ptr %ctx, ptr %thing, ptr %spec, ptr %place) {
  %value = alloca i64
  %dims = getelementptr i64, ptr %place, i64 1
  %added = call i64 @take(ptr %ctx, ptr %thing, ptr %spec, ptr %dims, ptr %value, ptr null,
                          i1 false)
  %good = icmp eq i64 %added, 0 ? look : miss
look:
  %kind = load i64, ptr %spec
  %is.array = icmp eq i64 %kind, 4
  %is.complex = icmp sge i64 %kind, 6
  %is.memory = or i1 %is.array, %is.complex ? array : scalar
scalar:
  %number = load i64, ptr %value
  store i64 %number, ptr %place
  ret i1 true
array:
  %bytes = item i64 %spec, 3
  %rank = item i64 %spec, 4
  %count = call i64 @elements(ptr %dims, i64 %rank)
  %size = mul i64 %count, %bytes
  %source = load ptr, ptr %value
  %target = load ptr, ptr %place
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %source, i64 %size, i1 false)
  ret i1 true
miss:
  ret i1 false
}

; Copies all results: what was given, if there is one, else the items of that tuple.
define internal i1 @all_received(ptr %ctx, ptr %given, ptr %specs, ptr %row, i64 %count) {
entry:
  %is.one = icmp eq i64 %count, 1
  %items = getelementptr i8, ptr %given, i64 $ITEMS
  %given.at = alloca ptr
  store ptr %given, ptr %given.at
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %stored ]
  %at = phi i64 [ 0, %entry ], [ %at.next, %stored ]
  %going = icmp slt i64 %k, %count ? one : done
one:
  %item.at = getelementptr ptr, ptr %items, i64 %k
  %from = select i1 %is.one, ptr %given.at, ptr %item.at
  %thing = load ptr, ptr %from
  %shift = mul i64 %k, 5
  %spec = getelementptr i64, ptr %specs, i64 %shift
  %place = getelementptr i64, ptr %row, i64 %at
  %good = call i1 @received(ptr %ctx, ptr %thing, ptr %spec, ptr %place) ? stored : miss
stored:
  %rank = item i64 %spec, 4
  %words = add i64 %rank, 1
  %at.next = add i64 %at, %words
  %k.next = add i64 %k, 1
  br label %head
done:
  ret i1 true
miss:
  ret i1 false
}

; Calls a function with the exception that is set, its traceback and the operands. It raises, or
; gives something where the plan is to raise it.
define internal i64 @tell(ptr %ctx, ptr %told, ptr %args, i64 %count) {
  %fetch = word PyErr_Fetch
  %normalize = word PyErr_NormalizeException
  %vectorcall = word PyObject_Vectorcall
  %release = word Py_DecRef
  %none = word None
  %error = alloca [3 x ptr]
  %value.at = getelementptr ptr, ptr %error, i64 1
  %trace.at = getelementptr ptr, ptr %error, i64 2
  call void %fetch(ptr %error, ptr %value.at, ptr %trace.at)
  call void %normalize(ptr %error, ptr %value.at, ptr %trace.at)
  %value = load ptr, ptr %value.at
  %trace = load ptr, ptr %trace.at
  %is.traced = icmp ne ptr %trace, null
  %shown = select i1 %is.traced, ptr %trace, ptr %none
  %all = add i64 %count, 2
  %row = alloca ptr, i64 %all
  store ptr %value, ptr %row
  %second = getelementptr ptr, ptr %row, i64 1
  store ptr %shown, ptr %second
  %rest = getelementptr ptr, ptr %row, i64 2
  %bytes = mul i64 %count, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %rest, ptr %args, i64 %bytes, i1 false)
  %given = call ptr %vectorcall(ptr %told, ptr %row, i64 %all, ptr null)
  call void %release(ptr %value)
  %type = load ptr, ptr %error
  call void %release(ptr %type)
  br i1 %is.traced, label %untrace, label %look
untrace:
  call void %release(ptr %trace)
  br label %look
look:
  %is.given = icmp ne ptr %given, null ? refuse : raised
refuse:
  call void %release(ptr %given)
  ret i64 $REFUSED
raised:
  ret i64 $SET
}

define i64 @call_out(ptr %ctx, i64 %number, ptr %row) {
entry:
  %all = word outside
  %own = item ptr %all, %number
  %function = load ptr, ptr %own
  %mend = item ptr %own, 1
  %told = item ptr %own, 2
  %count = item i64 %own, 3
  %result.count = item i64 %own, 4
  %view = item i64 %own, 5
  %is.view = icmp ne i64 %view, 0
  %specs = getelementptr i64, ptr %own, i64 6
  %bytes = mul i64 %count, 8
  %args = alloca ptr, i64 %count
  call void @llvm.memset.p0.i64(ptr %args, i8 0, i64 %bytes, i1 false)
  %vectorcall = word PyObject_Vectorcall
  %release = word Py_DecRef
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %handed ]
  %at = phi i64 [ 0, %entry ], [ %at.next, %handed ]
  %going = icmp slt i64 %k, %count ? operand : call
operand:
  %shift = mul i64 %k, 5
  %spec = getelementptr i64, ptr %specs, i64 %shift
  %place = getelementptr i64, ptr %row, i64 %at
  %thing = call ptr @handed(ptr %ctx, ptr %spec, ptr %place, i1 %is.view)
  %is.made = icmp ne ptr %thing, null ? handed : no.memory
handed:
  %arg.at = getelementptr ptr, ptr %args, i64 %k
  store ptr %thing, ptr %arg.at
  %rank = item i64 %spec, 3
  %words = add i64 %rank, 1
  %at.next = add i64 %at, %words
  %k.next = add i64 %k, 1
  br label %head
no.memory:
  call void @drop(ptr %ctx, ptr %args, i64 %k)
  ret i64 $SET
call:
  %given = call ptr %vectorcall(ptr %function, ptr %args, i64 %count, ptr null)
  %result.shift = mul i64 %count, 5
  %result.specs = getelementptr i64, ptr %specs, i64 %result.shift
  %result.row = getelementptr i64, ptr %row, i64 %at
  %is.given = icmp ne ptr %given, null ? receive : given.up
receive:
  %good = call i1 @all_received(ptr %ctx, ptr %given, ptr %result.specs, ptr %result.row,
                                i64 %result.count)
  br i1 %good, label %done, label %other
other:
  %given.at = alloca ptr
  store ptr %given, ptr %given.at
  %mended = call ptr %vectorcall(ptr %mend, ptr %given.at, i64 1, ptr null)
  call void %release(ptr %given)
  %is.mended = icmp ne ptr %mended, null ? again : given.up
again:
  %good.now = call i1 @all_received(ptr %ctx, ptr %mended, ptr %result.specs, ptr %result.row,
                                    i64 %result.count)
  br i1 %good.now, label %done, label %refuse
done:
  %last = phi ptr [ %given, %receive ], [ %mended, %again ]
  call void %release(ptr %last)
  br label %end
refuse:
  call void %release(ptr %mended)
  %miss.at = alloca ptr
  %nothing = word miss
  store ptr %nothing, ptr %miss.at
  %last.word = call ptr %vectorcall(ptr %mend, ptr %miss.at, i64 1, ptr null)
  %may.refuse = icmp ne ptr %last.word, null ? forget : given.up
forget:
  call void %release(ptr %last.word)
  br label %end
given.up:
  %status = call i64 @tell(ptr %ctx, ptr %told, ptr %args, i64 %count)
  br label %end
end:
  %code = phi i64 [ 0, %done ], [ $REFUSED, %forget ], [ %status, %given.up ]
  br i1 %is.view, label %views, label %drop
views:
  call void @part_from(ptr %ctx, ptr %args, ptr %specs, i64 %count)
  br label %drop
drop:
  call void @drop(ptr %ctx, ptr %args, i64 %count)
  ret i64 %code
}

"""
