"""How the entry calls a kernel with what it took, as LLVM IR."""

from __future__ import annotations

__all__ = ["CALLING"]

CALLING = """
; ---- settings ------------------------------------------------------------------------------------

; 0 where errors of floating point need not be told.
define internal i64 @settings(ptr %ctx) {
  %found = alloca ptr
  %get = word PyContextVar_Get
  %variable = word errors
  %failed = call i32 %get(ptr %variable, ptr null, ptr %found)
  %is.got = icmp eq i32 %failed, 0 ? got : raised
got:
  %now = load ptr, ptr %found
  %release = word Py_DecRef
  call void %release(ptr %now)
  %usual = word errors.usual
  %is.usual = icmp eq ptr %now, %usual ? served : look
look:
  %point = word PyCapsule_GetPointer
  %name = word errors.name
  %mask.at = call ptr %point(ptr %now, ptr %name)
  %is.there = icmp ne ptr %mask.at, null ? read : raised
read:
  %mask = load i32, ptr %mask.at
  %more = and i32 %mask, $UNSERVED
  %is.quiet = icmp eq i32 %more, 0 ? served : unserved
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
  %fits = icmp eq i64 %count, %nargs ? start : miss
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
  %going = icmp slt i64 %k, %count ? argument : settings
argument:
  %thing = item ptr %args, %k
  %row = mul i64 %k, 5
  %spec = getelementptr i64, ptr %specs, i64 %row
  %own = getelementptr i64, ptr %declared, i64 %axes
  %place = getelementptr i64, ptr %in, i64 %k
  %new = getelementptr i64, ptr %sizes, i64 %added
  %more = call i64 @take(ptr %ctx, ptr %thing, ptr %spec, ptr %own, ptr %place, ptr %new,
                         i1 %strict)
  %good = icmp sge i64 %more, 0 ? taken : miss
taken:
  %rank = item i64 %spec, 4
  %axes.next = add i64 %axes, %rank
  %added.next = add i64 %added, %more
  %k.next = add i64 %k, 1
  br label %head
settings:
  %refusal = call i64 @settings(ptr %ctx)
  %is.served = icmp eq i64 %refusal, 0 ? shape : refused
shape:
  %result.count = count results.count
  %out.words = mul i64 %result.count, 3
  %out = alloca i64, i64 %out.words
  %result.specs = word results
  %known = word results.sizes
  %shapes = word shapes
  %is.known = icmp eq ptr %shapes, null ? make : compute
compute:
  %dim.count = count dims.count
  %dims = alloca i64, i64 %dim.count
  %agree = call i1 %shapes(ptr %sizes, ptr %dims) ? make : miss
make:
  %all.dims = phi ptr [ %known, %shape ], [ %dims, %compute ]
  br label %arrays
arrays:
  %r = phi i64 [ 0, %make ], [ %r.next, %made ]
  %dim = phi i64 [ 0, %make ], [ %dim.next, %made ]
  %more.results = icmp slt i64 %r, %result.count ? result : compute.all
result:
  %r.row = mul i64 %r, 4
  %r.spec = getelementptr i64, ptr %result.specs, i64 %r.row
  %r.kind = load i64, ptr %r.spec
  %is.array = icmp eq i64 %r.kind, 4 ? array : number
; Complex numbers are in two words each behind those of all results, which have the address.
number:
  %is.complex = icmp sge i64 %r.kind, 6 ? complex : made
complex:
  %r.twice = mul i64 %r, 2
  %pair.index = add i64 %result.count, %r.twice
  %pair.at = getelementptr i64, ptr %out, i64 %pair.index
  %pair.out = getelementptr i64, ptr %out, i64 %r
  store ptr %pair.at, ptr %pair.out
  br label %made
array:
  %r.dims = getelementptr i64, ptr %all.dims, i64 %dim
  %made.array = call ptr @new_array(ptr %ctx, ptr %r.spec, ptr %r.dims)
  %is.made = icmp ne ptr %made.array, null ? keep : raised
keep:
  %kept.at = getelementptr ptr, ptr %results, i64 %r
  store ptr %made.array, ptr %kept.at
  %data = field ptr %made.array, $DATA
  %out.at = getelementptr i64, ptr %out, i64 %r
  store ptr %data, ptr %out.at
  br label %made
made:
  %r.rank = item i64 %r.spec, 3
  %dim.next = add i64 %dim, %r.rank
  %r.next = add i64 %r, 1
  br label %arrays
compute.all:
  %kernel = word kernel
  %status = call i64 %kernel(ptr %ctx, ptr %in, ptr %out, ptr %sizes)
  %is.done = icmp eq i64 %status, 0 ? boxes : failed
boxes:
  %b = phi i64 [ 0, %compute.all ], [ %b.next, %boxed ]
  %more.boxes = icmp slt i64 %b, %result.count ? one : done
one:
  %b.row = mul i64 %b, 4
  %b.spec = getelementptr i64, ptr %result.specs, i64 %b.row
  %b.kind = load i64, ptr %b.spec
  %b.array = icmp eq i64 %b.kind, 4 ? boxed : wrap
wrap:
  %b.place = getelementptr i64, ptr %out, i64 %b
  %box = call ptr @box(ptr %ctx, ptr %b.spec, ptr %b.place)
  %box.good = icmp ne ptr %box, null ? put : raised
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

"""
