"""What the entry does where a kernel fails, as LLVM IR."""

from __future__ import annotations

__all__ = ["FAILING"]

FAILING = """
define internal void @drop(ptr %ctx, ptr %results, i64 %count) {
entry:
  %release = word Py_DecRef
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %going = icmp slt i64 %i, %count ? body : done
body:
  %thing = item ptr %results, %i
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
  %bad = icmp eq ptr %code, null ? none : go
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
  %fine = icmp eq i32 %code, 0 ? done : raised
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

"""
