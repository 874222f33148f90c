"""The entry of a program as LLVM IR text: builtins of CPython that take and give its objects.

`@call` gives the tuple of results; `@alone`, of a program with one result, the result itself. Both
look at each argument as `numpy.ndarray`, NumPy scalar or Python number of the very type that is
declared. Anything else goes to `fallback` (`@call`), or gives `miss` (`@alone`, which takes no
array of rank 0 for a scalar either: a program could write into it).
"""

from __future__ import annotations

import re

import numpy as np

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
from runtime.lowering.elements import machine_type
from runtime.lowering.kernel import Dim, Parameter, Program, Register, Result
from runtime.lowering.llvm import (
    REFUSED,
    SET,
    function_text,
    llvm_type,
    memory_type,
)

__all__ = ["module_text"]


def module_text(program: Program) -> str:
    """The whole module: helpers, entries, kernel."""
    entry = _Entry(program)
    run = entry.run()
    kernel = function_text(program)
    count = len(program.results)
    parts = ["@context = internal global ptr null", _BIND, *sorted(entry.helpers), run, _FAIL]
    if "@poll(" in kernel:
        parts.append(_POLL)
    parts.append(_filled(_CALL, count))
    if count == 1:
        parts.append(_filled(_ALONE, count))
    return "\n".join([*parts, kernel])


def _filled(text: str, count: int) -> str:
    """A template with the positions of words, and the number of results as `$(n)`."""
    known = {"n": count, "bytes": 8 * count}

    def found(match: re.Match[str]) -> str:
        return str(known[match[1]] if match[1] in known else word(match[1]))

    return re.sub(r"\$\(([\w.]+)\)", found, text)


class _Entry:
    """Writes `@run`, which both entries share: it fills the row of results, and gives a status."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines: list[str] = []
        self.allocas: list[str] = []
        self.helpers: set[str] = set()
        self.count = 0

    def add(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def do(self, text: str) -> str:
        """A line that gives a value; the name of it."""
        name = self.name()
        self.add(f"{name} = {text}")
        return name

    def alloca(self, kind: str) -> str:
        """Memory of the function."""
        name = self.name()
        self.allocas.append(f"  {name} = alloca {kind}")
        return name

    def word(self, name: str) -> str:
        """A word of the context."""
        at = self.do(f"getelementptr ptr, ptr %ctx, i64 {word(name)}")
        return self.do(f"load ptr, ptr {at}")

    def require(self, truth: str, otherwise: str = "miss") -> None:
        """Go on where a truth holds."""
        self.count += 1
        self.add(f"br i1 {truth}, label %go{self.count}, label %{otherwise}")
        self.lines.append(f"go{self.count}:")

    def run(self) -> str:
        program = self.program
        self.require(self.do(f"icmp eq i64 %nargs, {len(program.parameters)}"))
        inputs, dimensions = [], {}
        for k, parameter in enumerate(program.parameters):
            at = self.do(f"getelementptr ptr, ptr %args, i64 {k}")
            thing = self.do(f"load ptr, ptr {at}")
            if parameter.register is not None:
                inputs.append(self._scalar(parameter, thing))
            else:
                inputs.append(self._array(parameter, thing))
                dimensions[k] = self._dimensions(parameter, thing)
        sizes = {r: dimensions[k][axis] for r, k, axis in program.sizes}
        for one, other in program.equal:
            truth = self.do(f"icmp eq i64 {self._size(one, sizes)}, {self._size(other, sizes)}")
            self.require(truth)
        places = [self._place(k, result, sizes) for k, result in enumerate(program.results)]
        arguments = ["ptr %ctx", *inputs, *(f"i64 {x}" for x in sizes.values()), *places]
        status = self.do(f"call i64 @kernel({', '.join(arguments)})")
        self.count += 1
        self.add(f"%is.done = icmp eq i64 {status}, 0")
        self.add("br i1 %is.done, label %done, label %failed")
        self.lines += ["failed:", f"  ret i64 {status}", "done:"]
        for k, result in enumerate(program.results):
            if result.value is not None:
                self._box(k, result, places[k])
        head = (
            "define internal i64 @run(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 %strict) {"
        )
        tail = ["  ret i64 0", "miss:", f"  ret i64 {REFUSED}", "raised:", f"  ret i64 {SET}", "}"]
        return "\n".join([head, "entry:", *self.allocas, *self.lines, *tail])

    # ---- arguments ---------------------------------------------------------------------------

    def _scalar(self, parameter: Parameter, thing: str) -> str:
        kind = machine_type(parameter.type.dtype)
        place = self.alloca(memory_type(kind))
        weak = {"b1": "bool", "i8": "int", "f8": "float"}[kind] if parameter.type.weak else None
        name = f"read.{weak or kind}"
        self.helpers |= {_weak_reader(weak)} if weak else {_reader(kind), _ARRAY}
        self.require(self.do(f"call i1 @{name}(ptr %ctx, ptr {thing}, ptr {place}, i1 %strict)"))
        value = self.do(f"load {memory_type(kind)}, ptr {place}")
        if kind == "b1":
            value = self.do(f"icmp ne i8 {value}, 0")
        return f"{llvm_type(kind)} {value}"

    def _array(self, parameter: Parameter, thing: str) -> str:
        assert parameter.type.shape is not None
        self.helpers.add(_ARRAY)
        dtype = self.word(f"dtype.{machine_type(parameter.type.dtype)}")
        rank = len(parameter.type.shape)
        fits = self.do(f"call i1 @is_array(ptr %ctx, ptr {thing}, ptr {dtype}, i32 {rank})")
        self.require(fits)
        at = self.do(f"getelementptr i8, ptr {thing}, i64 {DATA}")
        return f"ptr {self.do(f'load ptr, ptr {at}')}"

    def _dimensions(self, parameter: Parameter, thing: str) -> list[str]:
        """The sizes: a known one must be as it is declared, another at least 2."""
        at = self.do(f"getelementptr i8, ptr {thing}, i64 {DIMENSIONS}")
        row = self.do(f"load ptr, ptr {at}")
        found = []
        for axis, size in enumerate(parameter.type.shape or ()):
            place = self.do(f"getelementptr i64, ptr {row}, i64 {axis}")
            found.append(self.do(f"load i64, ptr {place}"))
            test = f"sge i64 {found[-1]}, 2" if size is None else f"eq i64 {found[-1]}, {size}"
            self.require(self.do(f"icmp {test}"))
        return found

    def _size(self, size: Dim, sizes: dict[Register, str]) -> str:
        """A size, out of those of the arguments."""
        if isinstance(size, int):
            return str(size)
        if size.function == "const":
            return str(size.value)
        if size.function == "read":
            return sizes[size.value]
        one, other = (self._size(x, sizes) for x in size.args)
        return self.do(f"{size.function} i64 {one}, {other}")

    # ---- results -----------------------------------------------------------------------------

    def _place(self, k: int, result: Result, sizes: dict[Register, str]) -> str:
        """Where the kernel writes a result: the memory of a new array, or a place for a scalar."""
        if result.value is not None:
            return f"ptr {self.alloca(memory_type(result.value.type))}"
        assert result.buffer is not None
        shape = result.buffer.shape
        row = self.alloca(f"[{max(len(shape), 1)} x i64]")
        for axis, size in enumerate(shape):
            at = self.do(f"getelementptr i64, ptr {row}, i64 {axis}")
            self.add(f"store i64 {self._size(size, sizes)}, ptr {at}")
        number = np.dtype(result.buffer.type).num
        new, kind = self.word("PyArray_New"), self.word("ndarray")
        array = self.do(
            f"call ptr {new}(ptr {kind}, i32 {len(shape)}, ptr {row}, i32 {number}, ptr null, "
            "ptr null, i32 0, i32 0, ptr null)"
        )
        self._keep(k, array)
        at = self.do(f"getelementptr i8, ptr {array}, i64 {DATA}")
        return f"ptr {self.do(f'load ptr, ptr {at}')}"

    def _keep(self, k: int, thing: str) -> None:
        """Put an object among the results, if it could be made."""
        self.require(self.do(f"icmp ne ptr {thing}, null"), "raised")
        self.add(f"store ptr {thing}, ptr {self.do(f'getelementptr ptr, ptr %results, i64 {k}')}")

    def _box(self, k: int, result: Result, place: str) -> None:
        """The object of a scalar."""
        assert result.value is not None
        kind = result.value.type
        if not result.type.weak:
            make, dtype = self.word("PyArray_Scalar"), self.word(f"dtype.{kind}")
            self._keep(k, self.do(f"call ptr {make}({place}, ptr {dtype}, ptr null)"))
            return
        value = self.do(f"load {memory_type(kind)}, {place}")
        if kind == "b1":
            truth = self.do(f"icmp ne i8 {value}, 0")
            yes, no = self.word("True"), self.word("False")
            thing = self.do(f"select i1 {truth}, ptr {yes}, ptr {no}")
            self.add(f"call void {self.word('Py_IncRef')}(ptr {thing})")
            self._keep(k, thing)
            return
        name = "PyLong_FromLongLong" if kind == "i8" else "PyFloat_FromDouble"
        self._keep(k, self.do(f"call ptr {self.word(name)}({llvm_type(kind)} {value})"))


# ---- helpers -------------------------------------------------------------------------------------


def _get(result: str, name: str) -> str:
    """Two lines that load a word of the context."""
    return (
        f"  {result}.at = getelementptr ptr, ptr %ctx, i64 {word(name)}\n"
        f"  {result} = load ptr, ptr {result}.at"
    )


def _reader(kind: str) -> str:
    """Reads a NumPy scalar of a dtype, or an array of rank 0."""
    memory = memory_type(kind)
    return f"""define internal i1 @read.{kind}(ptr %ctx, ptr %thing, ptr %place, i1 %strict)
  alwaysinline {{
  %type.at = getelementptr i8, ptr %thing, i64 {TYPE}
  %type = load ptr, ptr %type.at
{_get("%wanted", f"type.{kind}")}
  %is.scalar = icmp eq ptr %type, %wanted
  br i1 %is.scalar, label %scalar, label %other
scalar:
  %value.at = getelementptr i8, ptr %thing, i64 {VALUE}
  %value = load {memory}, ptr %value.at
  store {memory} %value, ptr %place
  ret i1 true
other:
  br i1 %strict, label %miss, label %look
look:
{_get("%dtype", f"dtype.{kind}")}
  %is.array = call i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i32 0)
  br i1 %is.array, label %array, label %miss
array:
  %data.at = getelementptr i8, ptr %thing, i64 {DATA}
  %data = load ptr, ptr %data.at
  %element = load {memory}, ptr %data
  store {memory} %element, ptr %place
  ret i1 true
miss:
  ret i1 false
}}"""


def _weak_reader(kind: str) -> str:
    """Reads a Python number."""
    return _filled(_WEAK[kind], 0)


_ARRAY = f"""define internal i1 @is_array(ptr %ctx, ptr %thing, ptr %dtype, i32 %rank) {{
  %type.at = getelementptr i8, ptr %thing, i64 {TYPE}
  %type = load ptr, ptr %type.at
{_get("%wanted", "ndarray")}
  %is.array = icmp eq ptr %type, %wanted
  br i1 %is.array, label %look, label %miss
look:
  %rank.at = getelementptr i8, ptr %thing, i64 {RANK}
  %found.rank = load i32, ptr %rank.at
  %same.rank = icmp eq i32 %found.rank, %rank
  %dtype.at = getelementptr i8, ptr %thing, i64 {DESCR}
  %found.dtype = load ptr, ptr %dtype.at
  %same.dtype = icmp eq ptr %found.dtype, %dtype
  %flags.at = getelementptr i8, ptr %thing, i64 {FLAGS}
  %flags = load i32, ptr %flags.at
  %needed = and i32 %flags, {C_CONTIGUOUS | ALIGNED}
  %is.plain = icmp eq i32 %needed, {C_CONTIGUOUS | ALIGNED}
  %both = and i1 %same.rank, %same.dtype
  %all = and i1 %both, %is.plain
  ret i1 %all
miss:
  ret i1 false
}}"""

_WEAK = {
    "int": f"""define internal i1 @read.int(ptr %ctx, ptr %thing, ptr %place, i1 %strict)
  alwaysinline {{
  %type.at = getelementptr i8, ptr %thing, i64 {TYPE}
  %type = load ptr, ptr %type.at
  %wanted.at = getelementptr ptr, ptr %ctx, i64 $(int)
  %wanted = load ptr, ptr %wanted.at
  %is.int = icmp eq ptr %type, %wanted
  br i1 %is.int, label %read, label %miss
read:
  %convert.at = getelementptr ptr, ptr %ctx, i64 $(PyLong_AsLongLong)
  %convert = load ptr, ptr %convert.at
  %value = call i64 %convert(ptr %thing)
  store i64 %value, ptr %place
  %is.odd = icmp eq i64 %value, -1
  br i1 %is.odd, label %ask, label %good
ask:
  %occurred.at = getelementptr ptr, ptr %ctx, i64 $(PyErr_Occurred)
  %occurred = load ptr, ptr %occurred.at
  %error = call ptr %occurred()
  %is.good = icmp eq ptr %error, null
  br i1 %is.good, label %good, label %clear
clear:
  %clear.at = getelementptr ptr, ptr %ctx, i64 $(PyErr_Clear)
  %forget = load ptr, ptr %clear.at
  call void %forget()
  ret i1 false
good:
  ret i1 true
miss:
  ret i1 false
}}""",
    "float": f"""define internal i1 @read.float(ptr %ctx, ptr %thing, ptr %place, i1 %strict)
  alwaysinline {{
  %type.at = getelementptr i8, ptr %thing, i64 {TYPE}
  %type = load ptr, ptr %type.at
  %wanted.at = getelementptr ptr, ptr %ctx, i64 $(float)
  %wanted = load ptr, ptr %wanted.at
  %is.float = icmp eq ptr %type, %wanted
  br i1 %is.float, label %read, label %miss
read:
  %value.at = getelementptr i8, ptr %thing, i64 {VALUE}
  %value = load double, ptr %value.at
  store double %value, ptr %place
  ret i1 true
miss:
  ret i1 false
}}""",
    "bool": """define internal i1 @read.bool(ptr %ctx, ptr %thing, ptr %place, i1 %strict)
  alwaysinline {
  %true.at = getelementptr ptr, ptr %ctx, i64 $(True)
  %true = load ptr, ptr %true.at
  %false.at = getelementptr ptr, ptr %ctx, i64 $(False)
  %false = load ptr, ptr %false.at
  %is.true = icmp eq ptr %thing, %true
  %is.false = icmp eq ptr %thing, %false
  %value = zext i1 %is.true to i8
  store i8 %value, ptr %place
  %known = or i1 %is.true, %is.false
  ret i1 %known
}""",
}  # fmt: skip

# ---- entries -------------------------------------------------------------------------------------

_BIND = """define void @bind(ptr %ctx) {
  store ptr %ctx, ptr @context
  ret void
}"""

# Drops what results there are, then calls the handler with the number of the site before the
# arguments.
_FAIL = f"""define internal void @drop(ptr %ctx, ptr %results, i64 %count) {{
entry:
  %release.at = getelementptr ptr, ptr %ctx, i64 {word("Py_DecRef")}
  %release = load ptr, ptr %release.at
  br label %head
head:
  %i = phi i64 [0, %entry], [%next, %body]
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
}}
define internal ptr @fail(ptr %ctx, ptr %handler, i64 %site, ptr %args, i64 %nargs) {{
{_get("%number", "PyLong_FromLongLong")}
{_get("%vectorcall", "PyObject_Vectorcall")}
{_get("%release", "Py_DecRef")}
  %code = call ptr %number(i64 %site)
  %bad = icmp eq ptr %code, null
  br i1 %bad, label %none, label %go
go:
  %all = add i64 %nargs, 1
  %row = alloca ptr, i64 %all
  store ptr %code, ptr %row
  %rest = getelementptr ptr, ptr %row, i64 1
  %bytes = mul i64 %nargs, 8
  call void @llvm.memmove.p0.p0.i64(ptr %rest, ptr %args, i64 %bytes, i1 false)
  %result = call ptr %vectorcall(ptr %handler, ptr %row, i64 %all, ptr null)
  call void %release(ptr %code)
  ret ptr %result
none:
  ret ptr null
}}
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)"""

# Lets other threads run and looks for signals. What a handler raised is shown to Python.
_POLL = f"""define internal i32 @poll(ptr %ctx, i64 %site) noinline {{
{_get("%save", "PyEval_SaveThread")}
{_get("%restore", "PyEval_RestoreThread")}
{_get("%check", "PyErr_CheckSignals")}
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
{_get("%fetch", "PyErr_Fetch")}
{_get("%normalize", "PyErr_NormalizeException")}
{_get("%handler", "interrupted")}
  call void %fetch(ptr %error, ptr %value.at, ptr %trace.at)
  call void %normalize(ptr %error, ptr %value.at, ptr %trace.at)
  %result = call ptr @fail(ptr %ctx, ptr %handler, i64 %site, ptr %value.at, i64 1)
{_get("%release", "Py_DecRef")}
  %type = load ptr, ptr %error
  %value = load ptr, ptr %value.at
  %trace = load ptr, ptr %trace.at
  call void %release(ptr %type)
  call void %release(ptr %value)
  call void %release(ptr %trace)
  ret i32 1
}}"""

_CALL = """define ptr @call(ptr %self, ptr %args, i64 %nargs) {
  %results = alloca [$(n) x ptr]
  call void @llvm.memset.p0.i64(ptr %results, i8 0, i64 $(bytes), i1 false)
  %ctx = load ptr, ptr @context
  %status = call i64 @run(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 false)
  %good = icmp eq i64 %status, 0
  br i1 %good, label %pack, label %drop
pack:
  %new.at = getelementptr ptr, ptr %ctx, i64 $(PyTuple_New)
  %new = load ptr, ptr %new.at
  %tuple = call ptr %new(i64 $(n))
  %made = icmp ne ptr %tuple, null
  br i1 %made, label %fill, label %drop
fill:
  %items = getelementptr i8, ptr %tuple, i64 ITEMS
  call void @llvm.memmove.p0.p0.i64(ptr %items, ptr %results, i64 $(bytes), i1 false)
  ret ptr %tuple
drop:
  %code = phi i64 [%status, %0], [-2, %pack]
  call void @drop(ptr %ctx, ptr %results, i64 $(n))
  switch i64 %code, label %failed [ i64 -1, label %miss
                                    i64 -2, label %raised ]
miss:
  %vectorcall.at = getelementptr ptr, ptr %ctx, i64 $(PyObject_Vectorcall)
  %vectorcall = load ptr, ptr %vectorcall.at
  %fallback.at = getelementptr ptr, ptr %ctx, i64 $(fallback)
  %fallback = load ptr, ptr %fallback.at
  %slow = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr null)
  ret ptr %slow
failed:
  %handler.at = getelementptr ptr, ptr %ctx, i64 $(failed)
  %handler = load ptr, ptr %handler.at
  %late = call ptr @fail(ptr %ctx, ptr %handler, i64 %code, ptr %args, i64 %nargs)
  ret ptr %late
raised:
  ret ptr null
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)""".replace("ITEMS", str(ITEMS))

_ALONE = """define ptr @alone(ptr %self, ptr %args, i64 %nargs) {
  %results = alloca ptr
  store ptr null, ptr %results
  %ctx = load ptr, ptr @context
  %status = call i64 @run(ptr %ctx, ptr %args, i64 %nargs, ptr %results, i1 true)
  %good = icmp eq i64 %status, 0
  br i1 %good, label %give, label %drop
give:
  %result = load ptr, ptr %results
  ret ptr %result
drop:
  call void @drop(ptr %ctx, ptr %results, i64 1)
  switch i64 %status, label %failed [ i64 -1, label %miss
                                      i64 -2, label %raised ]
miss:
  %miss.at = getelementptr ptr, ptr %ctx, i64 $(miss)
  %thing = load ptr, ptr %miss.at
  %keep.at = getelementptr ptr, ptr %ctx, i64 $(Py_IncRef)
  %keep = load ptr, ptr %keep.at
  call void %keep(ptr %thing)
  ret ptr %thing
failed:
  %handler.at = getelementptr ptr, ptr %ctx, i64 $(failed_alone)
  %handler = load ptr, ptr %handler.at
  %late = call ptr @fail(ptr %ctx, ptr %handler, i64 %status, ptr %args, i64 %nargs)
  ret ptr %late
raised:
  ret ptr null
}"""
