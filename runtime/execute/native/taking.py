"""How the entry reads arguments, as LLVM IR."""

from __future__ import annotations

__all__ = ["TAKING"]

TAKING = """
; ---- arguments: (kind, type, dtype, bytes, rank); the sizes of all axes are another row ----------

define internal i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i64 %rank) {
  %type = field ptr %thing, $TYPE
  %wanted = word ndarray
  %is.array = icmp eq ptr %type, %wanted ? look : miss
look:
  %rank.found = field i32 %thing, $RANK
  %rank.wide = sext i32 %rank.found to i64
  %same.rank = icmp eq i64 %rank.wide, %rank
  %dtype.found = field ptr %thing, $DESCR
  %same.dtype = icmp eq ptr %dtype.found, %dtype
  %flags = field i32 %thing, $FLAGS
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
  %type = field ptr %thing, $TYPE
  %dtype = item ptr %spec, 2
  %value.at = getelementptr i8, ptr %thing, i64 $VALUE
  switch i64 %kind, label %array [ i64 0, label %scalar
                                   i64 1, label %int
                                   i64 2, label %float
                                   i64 3, label %bool
                                   i64 6, label %wide
                                   i64 7, label %complex ]
scalar:
  %scalar.type = item ptr %spec, 1
  %is.scalar = icmp eq ptr %type, %scalar.type ? value : other
value:
  %bits = load i64, ptr %value.at
  store i64 %bits, ptr %place
  ret i64 0
other:
  br i1 %strict, label %miss, label %rank0
rank0:
  %is.rank0 = call i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i64 0) ? element : miss
element:
  %element.data = field ptr %thing, $DATA
  %bytes = item i64 %spec, 3
  call void @llvm.memcpy.p0.p0.i64(ptr %place, ptr %element.data, i64 %bytes, i1 false)
  ret i64 0
int:
  %int.type = word int
  %is.int = icmp eq ptr %type, %int.type ? number : miss
number:
  %convert = word PyLong_AsLongLong
  %int.value = call i64 %convert(ptr %thing)
  store i64 %int.value, ptr %place
  %is.odd = icmp eq i64 %int.value, -1 ? ask : taken
ask:
  %occurred = word PyErr_Occurred
  %error = call ptr %occurred()
  %is.fine = icmp eq ptr %error, null ? taken : clear
clear:
  %forget = word PyErr_Clear
  call void %forget()
  ret i64 -1
float:
  %float.type = word float
  %is.float = icmp eq ptr %type, %float.type ? value : miss
bool:
  %true = word True
  %false = word False
  %is.true = icmp eq ptr %thing, %true
  %is.false = icmp eq ptr %thing, %false
  %truth = zext i1 %is.true to i64
  store i64 %truth, ptr %place
  %is.bool = or i1 %is.true, %is.false ? taken : miss
; Of complex numbers, the place gets the address.
complex:
  %complex.type = word complex
  %is.complex = icmp eq ptr %type, %complex.type ? inside : miss
wide:
  %wide.type = item ptr %spec, 1
  %is.wide = icmp eq ptr %type, %wide.type ? inside : elsewhere
inside:
  store ptr %value.at, ptr %place
  ret i64 0
elsewhere:
  br i1 %strict, label %miss, label %wide0
wide0:
  %is.wide0 = call i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i64 0) ? pair : miss
pair:
  %pair.data = field ptr %thing, $DATA
  store ptr %pair.data, ptr %place
  ret i64 0
array:
  %rank = item i64 %spec, 4
  %fits = call i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i64 %rank) ? dimensions : miss
dimensions:
  %data = field ptr %thing, $DATA
  store ptr %data, ptr %place
  %row = field ptr %thing, $DIMENSIONS
  br label %head
head:
  %axis = phi i64 [ 0, %dimensions ], [ %axis.next, %next ]
  %added = phi i64 [ 0, %dimensions ], [ %added.next, %next ]
  %going = icmp slt i64 %axis, %rank ? look : counted
look:
  %size = item i64 %row, %axis
  %wanted = item i64 %declared, %axis
  %is.unknown = icmp slt i64 %wanted, 0 ? unknown : known
known:
  %same = icmp eq i64 %size, %wanted ? next : miss
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

"""
