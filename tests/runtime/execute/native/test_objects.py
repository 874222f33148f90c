"""Object files that are linked without LLVM."""

import ctypes
import gc
import math
import os
import pathlib
import struct

import numpy as np
import pytest

from runtime import config
from runtime.execute.native import engine, objects
from runtime.execute.native.objects import Linked, Unsupported

pytestmark = pytest.mark.skipif(
    not objects.is_supported(), reason="objects are linked by LLVM on this machine"
)

SCALED = """
define double @enter(double %x) {
  %y = fmul double %x, 2.5
  ret double %y
}
"""
REMAINDER = """
define double @enter(double %x, double %y) {
  %z = frem double %x, %y
  ret double %z
}
"""
TABLE = """
@squares = internal constant [4 x i64] [i64 0, i64 1, i64 4, i64 9], align 64
define i64 @enter(i64 %k) {
  %at = getelementptr i64, ptr @squares, i64 %k
  %square = load i64, ptr %at
  ret i64 %square
}
"""
COPY = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @enter(ptr %to, ptr %from, i64 %bytes) {
  call void @llvm.memset.p0.i64(ptr %to, i8 7, i64 %bytes, i1 false)
  %half = lshr i64 %bytes, 1
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %half, i1 false)
  ret void
}
"""
SEVERAL = """
define i64 @enter(i64 %k) {
  %more = call i64 @next(i64 %k)
  ret i64 %more
}
define i64 @next(i64 %k) noinline {
  %more = add i64 %k, 1
  ret i64 %more
}
"""
WRITABLE = """
@calls = global i64 41
define i64 @enter() {
  %n = load i64, ptr @calls
  %more = add i64 %n, 1
  store i64 %more, ptr @calls
  ret i64 %more
}
"""


def switch(cases):
    """A function with a table of jumps."""
    labels = " ".join(f"i64 {k}, label %c{k}" for k in range(cases))
    blocks = "".join(
        f"c{k}:\n  %v{k} = call i64 @llvm.bitreverse.i64(i64 {k * k + 3})\n"
        f"  %w{k} = mul i64 %v{k}, %k\n  ret i64 %w{k}\n"
        for k in range(cases)
    )
    head = "declare i64 @llvm.bitreverse.i64(i64)\n"
    return f"{head}define i64 @enter(i64 %k) {{\n  switch i64 %k, label %d [{labels}]\n{blocks}d:\n  ret i64 -1\n}}"


def called(code, function, result, *types):
    """The function of linked code; it keeps that."""
    address = code.address(function)
    assert address
    made = ctypes.CFUNCTYPE(result, *types)(address)
    made.kept = code
    return made


def enter(text, result, *types):
    return called(Linked(engine.compile_text(text)), "enter", result, *types)


def test_a_function_is_called():
    double = ctypes.c_double
    assert enter(SCALED, double, double)(3.0) == 7.5


def test_functions_of_the_c_library_are_found():
    double = ctypes.c_double
    remainder = enter(REMAINDER, double, double, double)
    for x, y in [(7.5, 2.0), (-7.5, 2.0), (1e300, 3.7), (1.0, 0.0)]:
        expected = math.fmod(x, y) if y else math.nan
        assert np.array_equal(remainder(x, y), expected, equal_nan=True)
    for size in (10, 4096, 100_001):
        source, target = os.urandom(size), ctypes.create_string_buffer(size)
        pointer = ctypes.c_char_p, ctypes.c_int64
        enter(COPY, None, ctypes.c_void_p, *pointer)(ctypes.addressof(target), source, size)
        half = size // 2
        assert target.raw == source[:half] + b"\7" * (size - half)


def test_constants_tables_and_other_functions_are_where_the_code_looks():
    number = ctypes.c_int64
    assert [enter(TABLE, number, number)(k) for k in range(4)] == [0, 1, 4, 9]
    jump = enter(switch(40), number, number)
    own = [jump(k) for k in range(42)]
    code = engine.Loaded(engine.compile_text(switch(40)))
    assert own == [called(code, "enter", number, number)(k) for k in range(42)]
    both = Linked(engine.compile_text(SEVERAL))
    assert called(both, "enter", number, number)(5) == called(both, "next", number, number)(5) == 6
    assert both.address("elsewhere") == 0


APART = [
    "define i64 @enter(i64 %k) {\n  %n = call i64 @next(i64 %k)\n  %s = call i64 @own()\n"
    "  %m = add i64 %n, %s\n  ret i64 %m\n}\n"
    "declare hidden i64 @next(i64)\ndefine internal i64 @own() noinline {\n  ret i64 1\n}\n",
    "define hidden i64 @next(i64 %k) {\n  %x = uitofp i64 %k to double\n"
    "  %y = call double @fmod(double %x, double 10.0)\n  %n = fptoui double %y to i64\n"
    "  %s = call i64 @own()\n  %m = add i64 %n, %s\n  ret i64 %m\n}\n"
    "declare double @fmod(double, double)\n"
    "define internal i64 @own() noinline {\n  ret i64 100\n}\n",
]


@pytest.mark.parametrize("mark", [engine.APART, engine.SCHEDULED])
@pytest.mark.parametrize("order", [1, -1])
def test_modules_that_are_compiled_alone_call_each_other(mark, order):
    """Functions of the same name that are of one module only are not taken for each other."""
    number = ctypes.c_int64
    code = engine.compile_text(mark.join(APART[::order]))
    assert len(objects.parts(code)) == 2 and objects.joined(objects.parts(code)) == code
    for made in (Linked(code), engine.Loaded(code)):
        assert called(made, "enter", number, number)(37) == 108
    for size in range(len(code)):  # behind the first of two, too
        with pytest.raises(Unsupported):
            Linked(code[:size])


def test_modules_compiled_at_the_same_time_are_as_if_they_were_not():
    text = engine.APART.join(switch(k).replace("@enter", f"@enter{k}") for k in range(20, 40))
    found = []
    for threads in (1, 2, 5):
        with config.threads.using(threads):
            found.append(engine.compile_text(text))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("level", [0, 2])
def test_code_of_vectors_gives_what_llvms_own_linker_gives(level):
    """Constants of several widths, and places that are filled in across sections."""
    lines = ["define void @enter(ptr %a, ptr %b, i64 %n) {", "entry:", "  br label %head", "head:"]
    lines += [
        "  %i = phi i64 [0, %entry], [%j, %head]",
        "  %p = getelementptr float, ptr %a, i64 %i",
    ]
    lines += ["  %q = getelementptr float, ptr %b, i64 %i", "  %x0 = load float, ptr %p"]
    for k in range(20):
        factor = struct.unpack("<Q", struct.pack("<d", float(np.float32(1 + k / 7))))[0]
        lines += [
            f"  %y{k} = fmul float %x{k}, 0x{factor:016X}",
            f"  %x{k + 1} = fadd float %y{k}, %x{k}",
        ]
    lines += ["  store float %x20, ptr %q", "  %j = add i64 %i, 1", "  %m = icmp slt i64 %j, %n"]
    lines += ["  br i1 %m, label %head, label %done", "done:", "  ret void", "}"]
    code = engine.compile_text("\n".join(lines), level)
    x = np.random.default_rng(1).normal(size=1003).astype("f4")
    results = []
    for made in (Linked(code), engine.Loaded(code)):
        result = np.zeros_like(x)
        pointer = ctypes.c_void_p
        run = called(made, "enter", None, pointer, pointer, ctypes.c_int64)
        run(x.ctypes.data, result.ctypes.data, len(x))
        results.append(result)
    np.testing.assert_array_equal(*results)
    assert np.abs(results[0]).min() > 0


def test_data_that_is_written_is_left_to_llvm():
    code = engine.compile_text(WRITABLE)
    with pytest.raises(Unsupported, match="can be written"):
        Linked(code)
    count = called(engine.load(code), "enter", ctypes.c_int64)
    assert (count(), count()) == (42, 43)


def test_a_function_that_nobody_has_is_told():
    text = "declare void @no_such_function_anywhere()\n" + (
        "define void @enter() {\n  call void @no_such_function_anywhere()\n  ret void\n}"
    )
    with pytest.raises(Unsupported, match="no_such_function_anywhere"):
        Linked(engine.compile_text(text))


def test_what_is_no_object_is_refused():
    code = engine.compile_text(TABLE)
    for size in range(0, len(code), 7):
        with pytest.raises(Unsupported):
            Linked(code[:size])
    other_machine = code[:18] + struct.pack("<H", 183) + code[20:]
    for data in (b"", b"text", b"\0" * 1000, b"MZ" + code, other_machine):
        with pytest.raises(Unsupported):
            Linked(data)


def test_memory_is_given_back_and_cannot_be_written_while_it_can_run():
    code = engine.compile_text(SCALED)
    kept = Linked(code)
    at = kept.address("enter")
    maps = pathlib.Path("/proc/self/maps")

    def mine():
        for line in maps.read_text().splitlines():
            first, last = (int(part, 16) for part in line.split()[0].split("-"))
            if first <= at < last:
                return line.split()[1]
        return None

    def that_can_run():
        gc.collect()
        return sum(" r-xp " in line for line in maps.read_text().splitlines())

    assert mine() == "r-xp"
    before = that_can_run()
    for _ in range(50):
        Linked(code)
    assert that_can_run() <= before
    del kept
    gc.collect()
    assert mine() is None


def test_where_objects_are_not_understood_llvm_links_them(monkeypatch):
    monkeypatch.setattr(objects, "is_supported", lambda: False)
    code = engine.load(engine.compile_text(SCALED))
    assert isinstance(code, engine.Loaded)
    assert called(code, "enter", ctypes.c_double, ctypes.c_double)(3.0) == 7.5
