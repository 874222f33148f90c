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

define internal i64 @run_in_rows(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 %strict) {
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

; The same for arrays that lie in memory in another way, too: the kernel has copies of them, if it
; does not write into them.
define internal i64 @run(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 %strict) {
entry:
  %status = call i64 @run_in_rows(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 %strict)
  %count = count parameters.count
  %fits = icmp eq i64 %count, %nargs
  %is.refused = icmp eq i64 %status, $REFUSED
  %may.copy = and i1 %fits, %is.refused
  br i1 %may.copy, label %start, label %done
done:
  ret i64 %status
start:
  %specs = word parameters
  %wanted = word ndarray
  %copy = word PyArray_NewCopy
  %release = word Py_DecRef
  %given = alloca ptr, i64 %nargs
  br label %head
head:
  %k = phi i64 [ 0, %start ], [ %k.next, %put ]
  %made = phi i64 [ 0, %start ], [ %made.next, %put ]
  %going = icmp slt i64 %k, %nargs
  br i1 %going, label %argument, label %again
argument:
  %thing.at = getelementptr ptr, ptr %args, i64 %k
  %thing = load ptr, ptr %thing.at
  %row = mul i64 %k, 5
  %spec = getelementptr i64, ptr %specs, i64 %row
  %kind = load i64, ptr %spec
  %is.declared = icmp eq i64 %kind, $ARRAY
  %readable.at = getelementptr i64, ptr %spec, i64 1
  %readable = load i64, ptr %readable.at
  %is.read = icmp ne i64 %readable, 0
  %type.at = getelementptr i8, ptr %thing, i64 $TYPE
  %type = load ptr, ptr %type.at
  %is.array = icmp eq ptr %type, %wanted
  %is.right = and i1 %is.array, %is.declared
  %is.taken = and i1 %is.right, %is.read
  br i1 %is.taken, label %look, label %put
look:
  %flags.at = getelementptr i8, ptr %thing, i64 $FLAGS
  %flags = load i32, ptr %flags.at
  %plain = and i32 %flags, $PLAIN
  %is.plain = icmp eq i32 %plain, $PLAIN
  %dtype.at = getelementptr i8, ptr %thing, i64 $DESCR
  %dtype = load ptr, ptr %dtype.at
  %dtype.wanted.at = getelementptr i64, ptr %spec, i64 2
  %dtype.wanted = load ptr, ptr %dtype.wanted.at
  %is.other = icmp ne ptr %dtype, %dtype.wanted
  %rank.at = getelementptr i8, ptr %thing, i64 $RANK
  %rank = load i32, ptr %rank.at
  %rank.wanted.at = getelementptr i64, ptr %spec, i64 4
  %rank.wanted = load i64, ptr %rank.wanted.at
  %rank.wide = sext i32 %rank to i64
  %is.deeper = icmp ne i64 %rank.wide, %rank.wanted
  %is.unlike = or i1 %is.other, %is.deeper
  %stays = or i1 %is.plain, %is.unlike
  br i1 %stays, label %put, label %new
new:
  %own = call ptr %copy(ptr %thing, i32 0)
  %is.new = icmp ne ptr %own, null
  br i1 %is.new, label %put, label %drop
put:
  %item = phi ptr [ %thing, %argument ], [ %thing, %look ], [ %own, %new ]
  %more = phi i64 [ 0, %argument ], [ 0, %look ], [ 1, %new ]
  %item.at = getelementptr ptr, ptr %given, i64 %k
  store ptr %item, ptr %item.at
  %made.next = add i64 %made, %more
  %k.next = add i64 %k, 1
  br label %head
again:
  %is.any = icmp ne i64 %made, 0
  br i1 %is.any, label %run, label %done
run:
  %found = call i64 @run_in_rows(ptr %ctx, ptr %given, i64 %nargs, ptr %results, i1 %strict)
  br label %drop
drop:
  %result = phi i64 [ %found, %run ], [ $SET, %new ]
  br label %next
next:
  %left = phi i64 [ %k, %drop ], [ %j, %kept ], [ %j, %free ]
  %j = sub i64 %left, 1
  %ends = icmp slt i64 %j, 0
  br i1 %ends, label %end, label %one
one:
  %one.at = getelementptr ptr, ptr %given, i64 %j
  %one.given = load ptr, ptr %one.at
  %own.at = getelementptr ptr, ptr %args, i64 %j
  %one.own = load ptr, ptr %own.at
  %is.kept = icmp eq ptr %one.given, %one.own
  br i1 %is.kept, label %kept, label %free
kept:
  br label %next
free:
  call void %release(ptr %one.given)
  br label %next
end:
  ret i64 %result
}

"""
