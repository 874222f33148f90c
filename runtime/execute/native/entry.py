"""The entry of all graphs: builtins of CPython that take and give its objects, as LLVM IR text.

`@call` and `@together` give the tuple of results; `@alone` gives the one result of a graph that has
one. They read from the context of the graph what its arguments and results are, and look at each
argument as `numpy.ndarray`, NumPy scalar or Python number of the very type that is declared.
Anything else goes to `fallback` (`@call`), or gives `miss` (the others, which take no array of rank
0 for a scalar either: a program could write into it); `@reading` is `@alone` or `@together` of a
graph that also takes what it reads from outside, or items of its arguments. So does a call where
`np.errstate` wants more of errors of floating point than to be ignored. The module is loaded once
in a process.

A kernel is `i64 kernel(ctx, in, out, sizes)`: rows of 8 bytes for each input (the value of a
scalar, the address of the data of an array), each result, and each size that is not declared. It
gives 0; the number of the site that failed; -1 where the plan must compute; -2 where an exception
is set.
"""

from __future__ import annotations

from functools import cache

from runtime.execute.native import float_errors
from runtime.execute.native.calling import CALLING
from runtime.execute.native.failing import FAILING
from runtime.execute.native.gathering import GATHERING
from runtime.execute.native.giving import GIVING
from runtime.execute.native.layout import (
    ALIGNED,
    C_CONTIGUOUS,
    CODE,
    CONTENT,
    DATA,
    DEFAULTS,
    DESCR,
    DICT_VERSION,
    DIMENSIONS,
    FLAGS,
    ITEMS,
    KWDEFAULTS,
    LENGTH,
    RANK,
    TYPE,
    VALUE,
    VERSION,
    WRITEABLE,
    has_dict_versions,
)
from runtime.execute.native.plain_values import PLAIN_VALUES
from runtime.execute.native.reading import IN_DICT, IN_LIST, IN_OBJECT, IN_SLOT, IN_TUPLE
from runtime.execute.native.signature import ARRAY, LARGE
from runtime.execute.native.taking import TAKING
from runtime.execute.native.template import expanded

__all__ = ["REFUSED", "SET", "entry_text", "module_of"]

# What a kernel gives where the plan must compute, and where an exception is set already.
REFUSED, SET = -1, -2
_CONSTANTS = {
    "DATA": DATA,
    "RANK": RANK,
    "DIMENSIONS": DIMENSIONS,
    "DESCR": DESCR,
    "FLAGS": FLAGS,
    "ITEMS": ITEMS,
    "CONTENT": CONTENT,
    "LENGTH": LENGTH,
    "IN_LIST": IN_LIST,
    "IN_TUPLE": IN_TUPLE,
    "IN_DICT": IN_DICT,
    "IN_OBJECT": IN_OBJECT,
    "IN_SLOT": IN_SLOT,
    "TYPE": TYPE,
    "VALUE": VALUE,
    "CODE": CODE,
    "DEFAULTS": DEFAULTS,
    "KWDEFAULTS": KWDEFAULTS,
    "VERSION": VERSION,
    "DICT_VERSION": DICT_VERSION,
    "NO_DICT_VERSION": 0 if has_dict_versions() else -1,
    "LARGE": LARGE,
    "ARRAY": ARRAY,
    "PLAIN": C_CONTIGUOUS | ALIGNED,
    "WRITEABLE": C_CONTIGUOUS | ALIGNED | WRITEABLE,
    "REFUSED": REFUSED,
    "SET": SET,
    "UNSERVED": ~float_errors.IGNORED,
}


@cache
def entry_text() -> str:
    """The module."""
    return module_of(TAKING, GIVING, CALLING, FAILING, _BUILTINS, GATHERING, PLAIN_VALUES)


def module_of(*parts: str) -> str:
    """A module of templates."""
    return expanded("".join((_DECLARATIONS, *parts)), _CONSTANTS)


_DECLARATIONS = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""

_BUILTINS = """
define ptr @call(ptr %self, ptr %args, i64 %nargs) {
entry:
  %ctx = field ptr %self, $VALUE
  %result = call ptr @give_all(ptr %ctx, ptr %args, i64 %nargs, ptr null)
  ret ptr %result
}

; The tuple of results. With `instead`, arguments are looked at as strictly as for one result, and
; that is given where they are not what is declared.
define internal ptr @give_all(ptr %ctx, ptr %args, i64 %nargs, ptr %instead) {
entry:
  %count = count results.count
  %bytes = mul i64 %count, 8
  %results = alloca ptr, i64 %count
  call void @llvm.memset.p0.i64(ptr %results, i8 0, i64 %bytes, i1 false)
  %is.strict = icmp ne ptr %instead, null
  %status = call i64 @run(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 %is.strict)
  %good = icmp eq i64 %status, 0 ? pack : drop
pack:
  %new = word PyTuple_New
  %tuple = call ptr %new(i64 %count)
  %made = icmp ne ptr %tuple, null ? fill : drop
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
  br i1 %is.strict, label %instead.of, label %otherwise
instead.of:
  %keep = word Py_IncRef
  call void %keep(ptr %instead)
  ret ptr %instead
otherwise:
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
  %ctx = field ptr %self, $VALUE
  %result = call ptr @give(ptr %ctx, ptr %args, i64 %nargs)
  ret ptr %result
}

define ptr @together(ptr %self, ptr %args, i64 %nargs) {
  %ctx = field ptr %self, $VALUE
  %miss = word miss
  %results = call ptr @give_all(ptr %ctx, ptr %args, i64 %nargs, ptr %miss)
  ret ptr %results
}

define internal ptr @give(ptr %ctx, ptr %args, i64 %nargs) {
  %results = alloca ptr
  store ptr null, ptr %results
  %status = call i64 @run(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 true)
  %good = icmp eq i64 %status, 0 ? give : drop
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

; Copies the numbers of a list into an array of as many, of eight bytes each. Gives False where they
; are not all of a class, which is `float`, `int` or one of NumPy's, or have no place in 64 bits.
define ptr @column(ptr %self, ptr %args, i64 %nargs) {
entry:
  %ctx = field ptr %self, $VALUE
  %true = word True
  %false = word False
  %int = word int
  %convert = word PyLong_AsLongLong
  %occurred = word PyErr_Occurred
  %forget = word PyErr_Clear
  %keep = word Py_IncRef
  %list = load ptr, ptr %args
  %array = item ptr %args, 1
  %kind = item ptr %args, 2
  %is.int = icmp eq ptr %kind, %int
  %data = field ptr %array, $DATA
  %room.row = field ptr %array, $DIMENSIONS
  %room = load i64, ptr %room.row
  %size = field i64 %list, $LENGTH
  %items = field ptr %list, $ITEMS
  %fits = icmp eq i64 %size, %room ? head : give
head:
  %k = phi i64 [ 0, %entry ], [ %k.next, %next ]
  %going = icmp slt i64 %k, %size ? item : give
item:
  %thing = item ptr %items, %k
  %type = field ptr %thing, $TYPE
  %is.kind = icmp eq ptr %type, %kind ? number : give
number:
  %place = getelementptr i64, ptr %data, i64 %k
  br i1 %is.int, label %python, label %bits
bits:
  %value = field i64 %thing, $VALUE
  store i64 %value, ptr %place
  br label %next
python:
  %found = call i64 %convert(ptr %thing)
  store i64 %found, ptr %place
  %is.odd = icmp eq i64 %found, -1 ? ask : next
ask:
  %error = call ptr %occurred()
  %is.fine = icmp eq ptr %error, null ? next : clear
clear:
  call void %forget()
  br label %give
next:
  %k.next = add i64 %k, 1
  br label %head
give:
  %result = phi ptr [ %false, %entry ], [ %true, %head ], [ %false, %item ], [ %false, %clear ]
  call void %keep(ptr %result)
  ret ptr %result
}
"""
