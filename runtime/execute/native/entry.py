"""The entry of all graphs: builtins of CPython that take and give its objects, as LLVM IR text.

`@call` gives the tuple of results; `@alone` gives the one result of a graph that has one. Both read
from the context of the graph what its arguments and results are, and look at each argument as
`numpy.ndarray`, NumPy scalar or Python number of the very type that is declared. Anything else goes
to `fallback` (`@call`), or gives `miss` (`@alone`, which takes no array of rank 0 for a scalar
either: a program could write into it). So does a call where `np.errstate` wants more of errors of
floating point than to be ignored. The module is loaded once in a process.

A kernel is `i64 kernel(ctx, in, out, sizes)`: rows of 8 bytes for each input (the value of a
scalar, the address of the data of an array), each result, and each size that is not declared. It
gives 0; the number of the site that failed; -1 where the plan must compute; -2 where an exception
is set.
"""

from __future__ import annotations

import re

from runtime.execute.native import float_errors
from runtime.execute.native.context import word
from runtime.execute.native.layout import (
    ALIGNED,
    C_CONTIGUOUS,
    DATA,
    DESCR,
    DIMENSIONS,
    FLAGS,
    ITEMS,
    RANK,
    TYPE,
    VALUE,
)

__all__ = ["REFUSED", "SET", "entry_text"]

# What a kernel gives where the plan must compute, and where an exception is set already.
REFUSED, SET = -1, -2
_CONSTANTS = {
    "DATA": DATA,
    "RANK": RANK,
    "DIMENSIONS": DIMENSIONS,
    "DESCR": DESCR,
    "FLAGS": FLAGS,
    "ITEMS": ITEMS,
    "TYPE": TYPE,
    "VALUE": VALUE,
    "PLAIN": C_CONTIGUOUS | ALIGNED,
    "REFUSED": REFUSED,
    "SET": SET,
    "UNSERVED": ~float_errors.IGNORED,
}


def entry_text() -> str:
    """The module; `NAME = word W` in the template loads the word W of the context."""

    def loaded(match: re.Match[str]) -> str:
        name, key = match[1], match[2]
        return (
            f"  {name}.at = getelementptr ptr, ptr %ctx, i64 {word(key)}\n"
            f"  {name} = load ptr, ptr {name}.at"
        )

    def count(match: re.Match[str]) -> str:
        return loaded(match).replace(f"{match[1]} = load ptr", f"{match[1]} = load i64")

    text = re.sub(r"^  (%[\w.]+) = word ([\w.]+)$", loaded, _TEXT, flags=re.MULTILINE)
    text = re.sub(r"^  (%[\w.]+) = count ([\w.]+)$", count, text, flags=re.MULTILINE)
    return re.sub(r"\$(\w+)", lambda m: str(_CONSTANTS[m[1]]), text)


_TEXT = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; ---- arguments: (kind, type, dtype, bytes, rank); the sizes of all axes are another row ----------

define internal i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i64 %rank) {
  %type.at = getelementptr i8, ptr %thing, i64 $TYPE
  %type = load ptr, ptr %type.at
  %wanted = word ndarray
  %is.array = icmp eq ptr %type, %wanted
  br i1 %is.array, label %look, label %miss
look:
  %rank.at = getelementptr i8, ptr %thing, i64 $RANK
  %rank.found = load i32, ptr %rank.at
  %rank.wide = sext i32 %rank.found to i64
  %same.rank = icmp eq i64 %rank.wide, %rank
  %dtype.at = getelementptr i8, ptr %thing, i64 $DESCR
  %dtype.found = load ptr, ptr %dtype.at
  %same.dtype = icmp eq ptr %dtype.found, %dtype
  %flags.at = getelementptr i8, ptr %thing, i64 $FLAGS
  %flags = load i32, ptr %flags.at
  %plain = and i32 %flags, $PLAIN
  %is.plain = icmp eq i32 %plain, $PLAIN
  %both = and i1 %same.rank, %same.dtype
  %all = and i1 %both, %is.plain
  ret i1 %all
miss:
  ret i1 false
}

; Reads one argument into its place. Gives how many sizes that are not declared it added to the row
; of those, -1 if the argument is not what is declared.
define internal i64 @take(ptr %ctx, ptr %thing, ptr %spec, ptr %declared, ptr %place, ptr %sizes,
                          i1 %strict) {
entry:
  %kind = load i64, ptr %spec
  %type.at = getelementptr i8, ptr %thing, i64 $TYPE
  %type = load ptr, ptr %type.at
  %dtype.at = getelementptr i64, ptr %spec, i64 2
  %dtype = load ptr, ptr %dtype.at
  %value.at = getelementptr i8, ptr %thing, i64 $VALUE
  switch i64 %kind, label %array [ i64 0, label %scalar
                                   i64 1, label %int
                                   i64 2, label %float
                                   i64 3, label %bool ]
scalar:
  %scalar.at = getelementptr i64, ptr %spec, i64 1
  %scalar.type = load ptr, ptr %scalar.at
  %is.scalar = icmp eq ptr %type, %scalar.type
  br i1 %is.scalar, label %value, label %other
value:
  %bits = load i64, ptr %value.at
  store i64 %bits, ptr %place
  ret i64 0
other:
  br i1 %strict, label %miss, label %rank0
rank0:
  %is.rank0 = call i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i64 0)
  br i1 %is.rank0, label %element, label %miss
element:
  %element.at = getelementptr i8, ptr %thing, i64 $DATA
  %element.data = load ptr, ptr %element.at
  %bytes.at = getelementptr i64, ptr %spec, i64 3
  %bytes = load i64, ptr %bytes.at
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %element.data, i64 %bytes, i1 false)
  ret i64 0
int:
  %int.type = word int
  %is.int = icmp eq ptr %type, %int.type
  br i1 %is.int, label %number, label %miss
number:
  %convert = word PyLong_AsLongLong
  %int.value = call i64 %convert(ptr %thing)
  store i64 %int.value, ptr %place
  %is.odd = icmp eq i64 %int.value, -1
  br i1 %is.odd, label %ask, label %taken
ask:
  %occurred = word PyErr_Occurred
  %error = call ptr %occurred()
  %is.fine = icmp eq ptr %error, null
  br i1 %is.fine, label %taken, label %clear
clear:
  %forget = word PyErr_Clear
  call void %forget()
  ret i64 -1
float:
  %float.type = word float
  %is.float = icmp eq ptr %type, %float.type
  br i1 %is.float, label %value, label %miss
bool:
  %true = word True
  %false = word False
  %is.true = icmp eq ptr %thing, %true
  %is.false = icmp eq ptr %thing, %false
  %truth = zext i1 %is.true to i64
  store i64 %truth, ptr %place
  %is.bool = or i1 %is.true, %is.false
  br i1 %is.bool, label %taken, label %miss
array:
  %rank.at = getelementptr i64, ptr %spec, i64 4
  %rank = load i64, ptr %rank.at
  %fits = call i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i64 %rank)
  br i1 %fits, label %dimensions, label %miss
dimensions:
  %data.at = getelementptr i8, ptr %thing, i64 $DATA
  %data = load ptr, ptr %data.at
  store ptr %data, ptr %place
  %row.at = getelementptr i8, ptr %thing, i64 $DIMENSIONS
  %row = load ptr, ptr %row.at
  br label %head
head:
  %axis = phi i64 [ 0, %dimensions ], [ %axis.next, %next ]
  %added = phi i64 [ 0, %dimensions ], [ %added.next, %next ]
  %going = icmp slt i64 %axis, %rank
  br i1 %going, label %look, label %counted
look:
  %size.at = getelementptr i64, ptr %row, i64 %axis
  %size = load i64, ptr %size.at
  %wanted.at = getelementptr i64, ptr %declared, i64 %axis
  %wanted = load i64, ptr %wanted.at
  %is.unknown = icmp slt i64 %wanted, 0
  br i1 %is.unknown, label %unknown, label %known
known:
  %same = icmp eq i64 %size, %wanted
  br i1 %same, label %next, label %miss
unknown:
  %is.several = icmp sge i64 %size, 2
  %new.at = getelementptr i64, ptr %sizes, i64 %added
  store i64 %size, ptr %new.at
  br i1 %is.several, label %next, label %miss
next:
  %more = zext i1 %is.unknown to i64
  %added.next = add i64 %added, %more
  %axis.next = add i64 %axis, 1
  br label %head
counted:
  ret i64 %added
taken:
  ret i64 0
miss:
  ret i64 -1
}

; ---- results: (kind, dtype, number of the dtype, rank) ------------------------------------------

define internal ptr @new_array(ptr %ctx, ptr %spec, ptr %dims) {
  %make = word PyArray_New
  %type = word ndarray
  %number.at = getelementptr i64, ptr %spec, i64 2
  %number = load i64, ptr %number.at
  %number.short = trunc i64 %number to i32
  %rank.at = getelementptr i64, ptr %spec, i64 3
  %rank = load i64, ptr %rank.at
  %rank.short = trunc i64 %rank to i32
  %array = call ptr %make(ptr %type, i32 %rank.short, ptr %dims, i32 %number.short, ptr null,
                          ptr null, i32 0, i32 0, ptr null)
  ret ptr %array
}

define internal ptr @box(ptr %ctx, ptr %spec, ptr %place) {
  %kind = load i64, ptr %spec
  switch i64 %kind, label %scalar [ i64 1, label %int
                                    i64 2, label %float
                                    i64 3, label %bool ]
scalar:
  %dtype.at = getelementptr i64, ptr %spec, i64 1
  %dtype = load ptr, ptr %dtype.at
  %make.scalar = word PyArray_Scalar
  %scalar.made = call ptr %make.scalar(ptr %place, ptr %dtype, ptr null)
  ret ptr %scalar.made
int:
  %int.value = load i64, ptr %place
  %make.int = word PyLong_FromLongLong
  %int.made = call ptr %make.int(i64 %int.value)
  ret ptr %int.made
float:
  %float.value = load double, ptr %place
  %make.float = word PyFloat_FromDouble
  %float.made = call ptr %make.float(double %float.value)
  ret ptr %float.made
bool:
  %byte = load i8, ptr %place
  %is.true = icmp ne i8 %byte, 0
  %true = word True
  %false = word False
  %thing = select i1 %is.true, ptr %true, ptr %false
  %keep = word Py_IncRef
  call void %keep(ptr %thing)
  ret ptr %thing
}

; ---- settings ------------------------------------------------------------------------------------

; 0 where errors of floating point need not be told.
define internal i64 @settings(ptr %ctx) {
  %found = alloca ptr
  %get = word PyContextVar_Get
  %variable = word errors
  %failed = call i32 %get(ptr %variable, ptr null, ptr %found)
  %is.got = icmp eq i32 %failed, 0
  br i1 %is.got, label %got, label %raised
got:
  %now = load ptr, ptr %found
  %release = word Py_DecRef
  call void %release(ptr %now)
  %usual = word errors.usual
  %is.usual = icmp eq ptr %now, %usual
  br i1 %is.usual, label %served, label %look
look:
  %point = word PyCapsule_GetPointer
  %name = word errors.name
  %mask.at = call ptr %point(ptr %now, ptr %name)
  %is.there = icmp ne ptr %mask.at, null
  br i1 %is.there, label %read, label %raised
read:
  %mask = load i32, ptr %mask.at
  %more = and i32 %mask, $UNSERVED
  %is.quiet = icmp eq i32 %more, 0
  br i1 %is.quiet, label %served, label %unserved
served:
  ret i64 0
unserved:
  ret i64 $REFUSED
raised:
  ret i64 $SET
}

; ---- a call --------------------------------------------------------------------------------------

define internal i64 @run(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 %strict) {
entry:
  %count = count parameters.count
  %fits = icmp eq i64 %count, %nargs
  br i1 %fits, label %start, label %miss
start:
  %in = alloca i64, i64 %count
  %size.count = count sizes.count
  %sizes = alloca i64, i64 %size.count
  %specs = word parameters
  %declared = word parameters.sizes
  br label %head
head:
  %k = phi i64 [ 0, %start ], [ %k.next, %taken ]
  %added = phi i64 [ 0, %start ], [ %added.next, %taken ]
  %axes = phi i64 [ 0, %start ], [ %axes.next, %taken ]
  %going = icmp slt i64 %k, %count
  br i1 %going, label %argument, label %settings
argument:
  %thing.at = getelementptr ptr, ptr %args, i64 %k
  %thing = load ptr, ptr %thing.at
  %row = mul i64 %k, 5
  %spec = getelementptr i64, ptr %specs, i64 %row
  %own = getelementptr i64, ptr %declared, i64 %axes
  %place = getelementptr i64, ptr %in, i64 %k
  %new = getelementptr i64, ptr %sizes, i64 %added
  %more = call i64 @take(ptr %ctx, ptr %thing, ptr %spec, ptr %own, ptr %place, ptr %new,
                         i1 %strict)
  %good = icmp sge i64 %more, 0
  br i1 %good, label %taken, label %miss
taken:
  %rank.at = getelementptr i64, ptr %spec, i64 4
  %rank = load i64, ptr %rank.at
  %axes.next = add i64 %axes, %rank
  %added.next = add i64 %added, %more
  %k.next = add i64 %k, 1
  br label %head
settings:
  %refusal = call i64 @settings(ptr %ctx)
  %is.served = icmp eq i64 %refusal, 0
  br i1 %is.served, label %shape, label %refused
shape:
  %result.count = count results.count
  %out = alloca i64, i64 %result.count
  %result.specs = word results
  %known = word results.sizes
  %shapes = word shapes
  %is.known = icmp eq ptr %shapes, null
  br i1 %is.known, label %make, label %compute
compute:
  %dim.count = count dims.count
  %dims = alloca i64, i64 %dim.count
  %agree = call i1 %shapes(ptr %sizes, ptr %dims)
  br i1 %agree, label %make, label %miss
make:
  %all.dims = phi ptr [ %known, %shape ], [ %dims, %compute ]
  br label %arrays
arrays:
  %r = phi i64 [ 0, %make ], [ %r.next, %made ]
  %dim = phi i64 [ 0, %make ], [ %dim.next, %made ]
  %more.results = icmp slt i64 %r, %result.count
  br i1 %more.results, label %result, label %compute.all
result:
  %r.row = mul i64 %r, 4
  %r.spec = getelementptr i64, ptr %result.specs, i64 %r.row
  %r.kind = load i64, ptr %r.spec
  %is.array = icmp eq i64 %r.kind, 4
  br i1 %is.array, label %array, label %made
array:
  %r.dims = getelementptr i64, ptr %all.dims, i64 %dim
  %made.array = call ptr @new_array(ptr %ctx, ptr %r.spec, ptr %r.dims)
  %is.made = icmp ne ptr %made.array, null
  br i1 %is.made, label %keep, label %raised
keep:
  %kept.at = getelementptr ptr, ptr %results, i64 %r
  store ptr %made.array, ptr %kept.at
  %data.at = getelementptr i8, ptr %made.array, i64 $DATA
  %data = load ptr, ptr %data.at
  %out.at = getelementptr i64, ptr %out, i64 %r
  store ptr %data, ptr %out.at
  br label %made
made:
  %r.rank.at = getelementptr i64, ptr %r.spec, i64 3
  %r.rank = load i64, ptr %r.rank.at
  %dim.next = add i64 %dim, %r.rank
  %r.next = add i64 %r, 1
  br label %arrays
compute.all:
  %kernel = word kernel
  %status = call i64 %kernel(ptr %ctx, ptr %in, ptr %out, ptr %sizes)
  %is.done = icmp eq i64 %status, 0
  br i1 %is.done, label %boxes, label %failed
boxes:
  %b = phi i64 [ 0, %compute.all ], [ %b.next, %boxed ]
  %more.boxes = icmp slt i64 %b, %result.count
  br i1 %more.boxes, label %one, label %done
one:
  %b.row = mul i64 %b, 4
  %b.spec = getelementptr i64, ptr %result.specs, i64 %b.row
  %b.kind = load i64, ptr %b.spec
  %b.array = icmp eq i64 %b.kind, 4
  br i1 %b.array, label %boxed, label %wrap
wrap:
  %b.place = getelementptr i64, ptr %out, i64 %b
  %box = call ptr @box(ptr %ctx, ptr %b.spec, ptr %b.place)
  %box.good = icmp ne ptr %box, null
  br i1 %box.good, label %put, label %raised
put:
  %box.at = getelementptr ptr, ptr %results, i64 %b
  store ptr %box, ptr %box.at
  br label %boxed
boxed:
  %b.next = add i64 %b, 1
  br label %boxes
done:
  ret i64 0
failed:
  ret i64 %status
refused:
  ret i64 %refusal
miss:
  ret i64 $REFUSED
raised:
  ret i64 $SET
}

define internal void @drop(ptr %ctx, ptr %results, i64 %count) {
entry:
  %release = word Py_DecRef
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %going = icmp slt i64 %i, %count
  br i1 %going, label %body, label %done
body:
  %at = getelementptr ptr, ptr %results, i64 %i
  %thing = load ptr, ptr %at
  call void %release(ptr %thing)
  %next = add i64 %i, 1
  br label %head
done:
  ret void
}

; Calls a handler with the number of a site before the arguments.
define internal ptr @fail(ptr %ctx, ptr %handler, i64 %site, ptr %args, i64 %nargs) noinline {
  %number = word PyLong_FromLongLong
  %vectorcall = word PyObject_Vectorcall
  %release = word Py_DecRef
  %code = call ptr %number(i64 %site)
  %bad = icmp eq ptr %code, null
  br i1 %bad, label %none, label %go
go:
  %all = add i64 %nargs, 1
  %row = alloca ptr, i64 %all
  store ptr %code, ptr %row
  %rest = getelementptr ptr, ptr %row, i64 1
  %bytes = mul i64 %nargs, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %rest, ptr %args, i64 %bytes, i1 false)
  %result = call ptr %vectorcall(ptr %handler, ptr %row, i64 %all, ptr null)
  call void %release(ptr %code)
  ret ptr %result
none:
  ret ptr null
}

; Lets other threads run and looks for signals. What a handler raised is shown to Python.
define i32 @poll(ptr %ctx, i64 %site) {
  %save = word PyEval_SaveThread
  %restore = word PyEval_RestoreThread
  %check = word PyErr_CheckSignals
  %state = call ptr %save()
  call void %restore(ptr %state)
  %code = call i32 %check()
  %fine = icmp eq i32 %code, 0
  br i1 %fine, label %done, label %raised
done:
  ret i32 0
raised:
  %error = alloca [3 x ptr]
  %value.at = getelementptr ptr, ptr %error, i64 1
  %trace.at = getelementptr ptr, ptr %error, i64 2
  %fetch = word PyErr_Fetch
  %normalize = word PyErr_NormalizeException
  %handler = word interrupted
  call void %fetch(ptr %error, ptr %value.at, ptr %trace.at)
  call void %normalize(ptr %error, ptr %value.at, ptr %trace.at)
  %result = call ptr @fail(ptr %ctx, ptr %handler, i64 %site, ptr %value.at, i64 1)
  call void @drop(ptr %ctx, ptr %error, i64 3)
  ret i32 1
}

define ptr @call(ptr %self, ptr %args, i64 %nargs) {
entry:
  %ctx.at = getelementptr i8, ptr %self, i64 $VALUE
  %ctx = load ptr, ptr %ctx.at
  %count = count results.count
  %bytes = mul i64 %count, 8
  %results = alloca ptr, i64 %count
  call void @llvm.memset.p0.i64(ptr %results, i8 0, i64 %bytes, i1 false)
  %status = call i64 @run(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 false)
  %good = icmp eq i64 %status, 0
  br i1 %good, label %pack, label %drop
pack:
  %new = word PyTuple_New
  %tuple = call ptr %new(i64 %count)
  %made = icmp ne ptr %tuple, null
  br i1 %made, label %fill, label %drop
fill:
  %items = getelementptr i8, ptr %tuple, i64 $ITEMS
  call void @llvm.memcpy.p0.p0.i64(ptr %items, ptr %results, i64 %bytes, i1 false)
  ret ptr %tuple
drop:
  %code = phi i64 [ %status, %entry ], [ $SET, %pack ]
  call void @drop(ptr %ctx, ptr %results, i64 %count)
  switch i64 %code, label %failed [ i64 $REFUSED, label %miss
                                    i64 $SET, label %raised ]
miss:
  %vectorcall = word PyObject_Vectorcall
  %fallback = word fallback
  %slow = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr null)
  ret ptr %slow
failed:
  %handler = word failed
  %late = call ptr @fail(ptr %ctx, ptr %handler, i64 %code, ptr %args, i64 %nargs)
  ret ptr %late
raised:
  ret ptr null
}

define ptr @alone(ptr %self, ptr %args, i64 %nargs) {
  %ctx.at = getelementptr i8, ptr %self, i64 $VALUE
  %ctx = load ptr, ptr %ctx.at
  %results = alloca ptr
  store ptr null, ptr %results
  %status = call i64 @run(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 true)
  %good = icmp eq i64 %status, 0
  br i1 %good, label %give, label %drop
give:
  %result = load ptr, ptr %results
  ret ptr %result
drop:
  call void @drop(ptr %ctx, ptr %results, i64 1)
  switch i64 %status, label %failed [ i64 $REFUSED, label %miss
                                      i64 $SET, label %raised ]
miss:
  %thing = word miss
  %keep = word Py_IncRef
  call void %keep(ptr %thing)
  ret ptr %thing
failed:
  %handler = word failed_alone
  %late = call ptr @fail(ptr %ctx, ptr %handler, i64 %status, ptr %args, i64 %nargs)
  ret ptr %late
raised:
  ret ptr null
}
"""
