"""How the entry makes results, as LLVM IR."""

from __future__ import annotations

__all__ = ["GIVING"]

GIVING = """
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

"""
