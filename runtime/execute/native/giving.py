"""How the entry makes results, as LLVM IR."""

from __future__ import annotations

__all__ = ["GIVING"]

GIVING = """
; ---- results: (kind, dtype, number of the dtype, rank) ------------------------------------------

; A large one is made in memory that is kept when it is freed (`blocks`): by NumPy's functions for
; that, which are exchanged for a moment.
define internal ptr @new_array(ptr %ctx, ptr %spec, ptr %dims) {
entry:
  %rank = item i64 %spec, 3
  %memory = word memory
  %is.small = icmp eq ptr %memory, null ? small : head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %more ]
  %count = phi i64 [ 1, %entry ], [ %product, %more ]
  %going = icmp slt i64 %k, %rank ? more : counted
more:
  %dim = item i64 %dims, %k
  %product = mul i64 %count, %dim
  %next = add i64 %k, 1
  br label %head
counted:
  %is.large = icmp sge i64 %count, $LARGE ? large : small
small:
  %array = call ptr @plain_array(ptr %ctx, ptr %spec, ptr %dims)
  ret ptr %array
large:
  %set = word PyDataMem_SetHandler
  %forget = word Py_DecRef
  %old = call ptr %set(ptr %memory)
  %failed = icmp eq ptr %old, null ? none : own
none:
  ret ptr null
own:
  %kept = call ptr @plain_array(ptr %ctx, ptr %spec, ptr %dims)
  %ours = call ptr %set(ptr %old)
  call void %forget(ptr %old)
  %was.set = icmp ne ptr %ours, null ? done : unset
unset:
  call void %forget(ptr %kept)
  ret ptr null
done:
  call void %forget(ptr %ours)
  ret ptr %kept
}

define internal ptr @plain_array(ptr %ctx, ptr %spec, ptr %dims) {
  %make = word PyArray_New
  %type = word ndarray
  %number = item i64 %spec, 2
  %number.short = trunc i64 %number to i32
  %rank = item i64 %spec, 3
  %rank.short = trunc i64 %rank to i32
  %array = call ptr %make(ptr %type, i32 %rank.short, ptr %dims, i32 %number.short, ptr null,
                          ptr null, i32 0, i32 0, ptr null)
  ret ptr %array
}

define internal ptr @box(ptr %ctx, ptr %spec, ptr %place) {
  %kind = load i64, ptr %spec
  switch i64 %kind, label %scalar [ i64 1, label %int
                                    i64 2, label %float
                                    i64 3, label %bool
                                    i64 5, label %given
                                    i64 6, label %wide
                                    i64 7, label %complex ]
wide:
  %wide.place = load ptr, ptr %place
  %wide.dtype = item ptr %spec, 1
  %make.wide = word PyArray_Scalar
  %wide.made = call ptr %make.wide(ptr %wide.place, ptr %wide.dtype, ptr null)
  ret ptr %wide.made
complex:
  %parts = load ptr, ptr %place
  %re = load double, ptr %parts
  %im = item double %parts, 1
  %make.complex = word PyComplex_FromDoubles
  %complex.made = call ptr %make.complex(double %re, double %im)
  ret ptr %complex.made
given:
  %array = load ptr, ptr %place
  ret ptr %array
scalar:
  %dtype = item ptr %spec, 1
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

"""
